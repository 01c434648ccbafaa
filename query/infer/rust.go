package infer

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
	def  Thing
	list []*rustType
	node *sketch.Node
	file int
	env  *rustEnv
}

// In a rustEnv, param nil binds Self.
type rustEnv = bound[rustType]

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

// rustTypes infers the types of Rust expressions. It serves one Reader.
type rustTypes struct {
	tree  Tree
	memo  map[*sketch.Node]*rustType
	busy  map[*sketch.Def]bool
	types map[*sketch.Def]*rustType
	mods  map[rustNamed][]Thing
	trait map[[2]*sketch.Def]bool
	limits
	// foreign says that names are looked for from another crate.
	foreign bool
}

type rustNamed struct {
	m       rustModule
	name    string
	foreign bool
}

func newRustTypes(tree Tree) *rustTypes {
	return &rustTypes{tree: tree, memo: map[*sketch.Node]*rustType{}, busy: map[*sketch.Def]bool{}, types: map[*sketch.Def]*rustType{},
		mods: map[rustNamed][]Thing{}, trait: map[[2]*sketch.Def]bool{}}
}

// meaning says what the name at the token at an offset of a Rust file means.
func (r *rustTypes) meaning(file int, s *sketch.File, at uint32) (Result, error) {
	u, used := s.UseAt(at)
	if d := s.LocalAt(at); d != nil && d.At == at && d.Kind != sketch.Impl && d.Kind != sketch.Import && !(used && u.Short) {
		return r.declared(file, d)
	}
	if d := s.At(at); d != nil && d.Kind != sketch.Impl && d.Kind != sketch.Import {
		return r.declared(file, d)
	}
	if !used {
		return Result{}, nil
	}
	n := u.Node
	switch {
	case u.Label:
		if l := s.Label(at, n.Name); l != nil {
			return boundTo("a label of the function", Thing{file, l}), nil
		}
		return Result{State: Unknown, Rule: "no such label"}, nil
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
		return Result{}, err
	}
	return r.result(found, outside, n), nil
}

// declared is what a declaration's own name means: a module's is its file.
func (r *rustTypes) declared(file int, d *sketch.Def) (Result, error) {
	if d.Same != nil {
		d = d.Same
	}
	if d.Kind == sketch.Namespace && d.Fwd {
		if m, ok := r.moduleOf(Thing{file, d}); ok {
			return Result{Files: []int{m.file}, State: Bound, Rule: "the module's file"}, nil
		}
	}
	return boundTo("declared there", Thing{file, d}), nil
}

func (r *rustTypes) result(found []Thing, outside bool, n *sketch.Node) Result {
	if len(found) == 0 {
		if outside {
			return Result{State: Outside, Rule: "the path leads outside the tree"}
		}
		return Result{State: Unknown, Rule: "no rule binds it"}
	}
	in := Result{State: Bound, Rule: "the path that names it"}
	if n.Kind == sketch.Name {
		in.Rule = "in scope under that name"
	}
	for _, x := range found {
		if x.Def.Kind == sketch.Namespace && x.Def.Fwd || x.Def.Kind == sketch.Namespace && x.Def.Name == "" {
			if m, ok := r.moduleOf(x); ok {
				in.Files = append(in.Files, m.file)
				continue
			}
		}
		if x.Def.Same != nil {
			x.Def = x.Def.Same
		}
		in.Things = append(in.Things, x)
	}
	return in
}
