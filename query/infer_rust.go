package query

import "github.com/pindex-dev/pindex/query/sketch"

// The types of Rust, as far as members depend on them.

type rustKind uint8

const (
	rustUnknown rustKind = iota
	rustOutside          // declared outside of the tree: name, list
	rustAdt              // def, list
	rustRef              // elem; pointers too
	rustArray            // elem
	rustTuple            // list
	rustFn               // node
	rustParam            // def
	rustBound            // what implements the traits of node
	rustBasic            // name
)

type rustType struct {
	kind rustKind
	name string
	elem *rustType
	def  thing
	list []*rustType
	node *sketch.Node
	file int
	env  *rustEnv
}

// rustEnv binds type parameters; param nil binds Self.
type rustEnv struct {
	up    *rustEnv
	param *sketch.Def
	typ   *rustType
}

func (e *rustEnv) get(p *sketch.Def) *rustType {
	for ; e != nil; e = e.up {
		if e.param == p {
			return e.typ
		}
	}
	return nil
}

var rustNothing = &rustType{}

func (t *rustType) arg(i int) *rustType {
	if t != nil && i < len(t.list) && t.list[i] != nil {
		return t.list[i]
	}
	return rustNothing
}

func rustStd(name string, args ...*rustType) *rustType {
	return &rustType{kind: rustOutside, name: name, list: args}
}

// rustModule is a module: a file, or a block of one.
type rustModule struct {
	file int
	ns   *sketch.Def
}

// rustTypes infers the types of Rust expressions. It serves one binder.
type rustTypes struct {
	b     *binder
	memo  map[*sketch.Node]*rustType
	busy  map[*sketch.Def]bool
	types map[*sketch.Def]*rustType
	mods  map[rustNamed][]thing
	trait map[[2]*sketch.Def]bool
	steps int
	depth int
	// foreign says that names are looked for from another crate.
	foreign bool
}

type rustNamed struct {
	m       rustModule
	name    string
	foreign bool
}

func (b *binder) rustTypes() *rustTypes {
	if b.rust == nil {
		b.rust = &rustTypes{b: b, memo: map[*sketch.Node]*rustType{}, busy: map[*sketch.Def]bool{}, types: map[*sketch.Def]*rustType{},
			mods: map[rustNamed][]thing{}, trait: map[[2]*sketch.Def]bool{}}
	}
	b.rust.steps, b.rust.depth = 0, 0
	return b.rust
}

func (r *rustTypes) tooMuch() bool {
	r.steps++
	return r.steps > maxGoSteps || r.depth > 100
}

// inferRust says what the name at an offset of a Rust file means.
func (b *binder) inferRust(file int, s *sketch.File, at uint32) (inferred, error) {
	at = s.Token(at)
	r := b.rustTypes()
	u, used := s.UseAt(at)
	if d := s.LocalAt(at); d != nil && d.At == at && d.Kind != sketch.Impl && d.Kind != sketch.Import && !(used && u.Short) {
		return r.declared(file, d)
	}
	if d := s.At(at); d != nil && d.Kind != sketch.Impl && d.Kind != sketch.Import {
		return r.declared(file, d)
	}
	if !used {
		return inferred{}, nil
	}
	n := u.Node
	switch {
	case u.Label:
		if l := s.Label(at, n.Name); l != nil {
			return boundTo("a label of the function", thing{file, l}), nil
		}
		return inferred{state: isUnknown, rule: "no such label"}, nil
	case u.Of != nil:
		return r.field(file, s, u)
	case u.Macro:
		return r.macro(file, n)
	case n.Kind == sketch.Member && n.Sep == '.':
		return r.member(file, n)
	}
	want := wantAny
	switch {
	case n.Flag:
		want = wantValue
	}
	found, outside, err := r.path(file, n, want)
	if err != nil {
		return inferred{}, err
	}
	return r.result(found, outside, n), nil
}

func boundTo(rule string, things ...thing) inferred {
	return inferred{things: things, state: isBound, rule: rule}
}

// declared is what a declaration's own name means: a module's is its file.
func (r *rustTypes) declared(file int, d *sketch.Def) (inferred, error) {
	if d.Same != nil {
		d = d.Same
	}
	if d.Kind == sketch.Namespace && d.Fwd {
		if m, ok := r.moduleOf(thing{file, d}); ok {
			return inferred{files: []int{m.file}, state: isBound, rule: "the module's file"}, nil
		}
	}
	return boundTo("declared there", thing{file, d}), nil
}

func (r *rustTypes) result(found []thing, outside bool, n *sketch.Node) inferred {
	if len(found) == 0 {
		if outside {
			return inferred{state: isOutside, rule: "the path leads outside the tree"}
		}
		return inferred{state: isUnknown, rule: "no rule binds it"}
	}
	in := inferred{state: isBound, rule: "the path that names it"}
	if n.Kind == sketch.Name {
		in.rule = "in scope under that name"
	}
	for _, x := range found {
		if x.def.Kind == sketch.Namespace && x.def.Fwd || x.def.Kind == sketch.Namespace && x.def.Name == "" {
			if m, ok := r.moduleOf(x); ok {
				in.files = append(in.files, m.file)
				continue
			}
		}
		if x.def.Same != nil {
			x.def = x.def.Same
		}
		in.things = append(in.things, x)
	}
	return in
}

// want says what kind of definition a place can mean.
type want uint8

const (
	wantAny want = iota
	wantHolder
	wantValue
	wantType
)

// choose keeps the definitions that fit, or all where none does.
func choose(all []thing, w want) []thing {
	if len(all) < 2 {
		return all
	}
	fits := func(k sketch.DefKind) bool {
		switch w {
		case wantHolder:
			return k == sketch.Namespace || k == sketch.TypeName || k == sketch.Trait || k == sketch.TypeParam
		case wantType:
			return k == sketch.TypeName || k == sketch.Trait || k == sketch.TypeParam
		case wantValue:
			return k != sketch.Namespace && k != sketch.Trait && k != sketch.TypeParam && k != sketch.MacroName
		}
		return k != sketch.MacroName
	}
	var out []thing
	for _, x := range all {
		if fits(x.def.Kind) {
			out = append(out, x)
		}
	}
	if len(out) == 0 {
		return all
	}
	if w == wantValue {
		// A function before a type of the same name.
		for _, x := range out {
			if x.def.Kind == sketch.Function {
				return []thing{x}
			}
		}
	}
	return out
}
