package query

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/sketch"
)

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

// Modules.

func (r *rustTypes) moduleAt(file int, s *sketch.File, at uint32) rustModule {
	for d := s.Holder(at); d != nil; d = d.Parent {
		if d.Kind == sketch.Namespace {
			return rustModule{file, d}
		}
	}
	return rustModule{file, nil}
}

func (r *rustTypes) items(m rustModule) ([]*sketch.Def, error) {
	if m.ns != nil {
		return m.ns.Members, nil
	}
	s, err := r.b.sketch(m.file)
	if err != nil || s == nil {
		return nil, err
	}
	return s.Top, nil
}

// moduleOf enters a module.
func (r *rustTypes) moduleOf(x thing) (rustModule, bool) {
	if x.def.Name == "" {
		return rustModule{x.file, nil}, true
	}
	if !x.def.Fwd {
		return x.module(), true
	}
	p := r.b.t.files[x.file].path
	dir, stem := dirName(p), fileStem(p)
	if stem != "mod" && stem != "lib" && stem != "main" && !r.isRoot(x.file) {
		dir = under(dir, stem)
	}
	var outer []string
	for d := x.def.Parent; d != nil; d = d.Parent {
		if d.Kind == sketch.Namespace {
			outer = append([]string{d.Name}, outer...)
		}
	}
	dir = under(dir, strings.Join(append(outer, x.def.Name), "/"))
	if files := r.b.at(strings.Trim(dir, "/")+".rs", strings.Trim(dir, "/")+"/mod.rs"); len(files) > 0 {
		return rustModule{files[0], nil}, true
	}
	return rustModule{}, false
}

func (x thing) module() rustModule { return rustModule{x.file, x.def} }

// isRoot reports whether no other file declares this one as its module.
func (r *rustTypes) isRoot(file int) bool {
	_, ok := r.up(rustModule{file, nil})
	return !ok
}

// up returns the module around a module.
func (r *rustTypes) up(m rustModule) (rustModule, bool) {
	if m.ns != nil {
		for d := m.ns.Parent; d != nil; d = d.Parent {
			if d.Kind == sketch.Namespace {
				return rustModule{m.file, d}, true
			}
		}
		return rustModule{m.file, nil}, true
	}
	p := r.b.t.files[m.file].path
	dir, stem := dirName(p), fileStem(p)
	switch stem {
	case "lib", "main":
		return rustModule{}, false
	case "mod":
		stem, dir = baseName(dir), dirName(dir)
	}
	for _, c := range []string{under(dir, "mod.rs"), under(dir, "lib.rs"), under(dir, "main.rs"), dir + ".rs"} {
		for _, f := range r.b.at(c) {
			if f == m.file {
				continue
			}
			s, err := r.b.sketch(f)
			if err != nil || s == nil {
				continue
			}
			for _, d := range s.Top {
				if d.Kind == sketch.Namespace && d.Fwd && d.Name == stem {
					return rustModule{f, nil}, true
				}
			}
		}
	}
	return rustModule{}, false
}

func (r *rustTypes) root(m rustModule) rustModule {
	for n := 0; n < 64; n++ {
		u, ok := r.up(m)
		if !ok {
			break
		}
		m = u
	}
	return m
}

// maxRustDepth bounds how many re-exports a name is followed through.
const maxRustDepth = 12

// inModule finds a name in a module: what it declares, imports, and has from
// imports of all names.
func (r *rustTypes) inModule(m rustModule, name string, depth int) (found []thing, outside bool, err error) {
	key := rustNamed{m, name, r.foreign}
	if got, ok := r.mods[key]; ok {
		return got, false, nil
	}
	if depth > maxRustDepth {
		return nil, false, nil
	}
	r.mods[key] = nil // ends a cycle
	defer func() {
		if err == nil && len(found) > 0 {
			r.mods[key] = found
		} else {
			delete(r.mods, key)
		}
	}()
	items, err := r.items(m)
	if err != nil {
		return nil, false, err
	}
	var made []thing
	for _, d := range items {
		if d.Name == name && d.Kind == sketch.Generated {
			made = append(made, thing{m.file, d})
		} else if d.Name == name && d.Kind != sketch.Import && d.Kind != sketch.Impl {
			found = append(found, thing{m.file, d})
		}
	}
	if len(found) == 0 && len(made) == 1 {
		found = made
	}
	globs := false
	for _, d := range items {
		if d.Kind != sketch.Import || r.foreign && d.Static {
			continue
		}
		if d.Name == "*" {
			globs = true
			continue
		}
		if d.Name == name {
			ds, out, err := r.resolve(m, strings.Split(d.Path, "::"), wantAny, depth+1, d)
			if err != nil {
				return nil, false, err
			}
			outside = outside || out
			for _, x := range ds {
				if !slices.Contains(found, x) {
					found = append(found, x)
				}
			}
		}
	}
	if len(found) > 0 || outside || !globs {
		return found, outside, nil
	}
	for _, d := range items {
		if d.Kind != sketch.Import || d.Name != "*" || r.foreign && d.Static {
			continue
		}
		from, _, err := r.resolve(m, strings.Split(d.Path, "::"), wantHolder, depth+1, d)
		if err != nil {
			return nil, false, err
		}
		for _, x := range from {
			got, _, err := r.step(x, name, depth+1)
			if err != nil {
				return nil, false, err
			}
			if len(got) > 0 {
				return got, false, nil
			}
		}
	}
	return nil, false, nil
}

// resolve follows a path from a module. im is the import that writes it.
func (r *rustTypes) resolve(m rustModule, comps []string, w want, depth int, im *sketch.Def) (found []thing, outside bool, err error) {
	if depth > maxRustDepth || len(comps) == 0 {
		return nil, false, nil
	}
	holder := func(m rustModule) []thing {
		if m.ns != nil {
			return []thing{{m.file, m.ns}}
		}
		return []thing{{m.file, &sketch.Def{Kind: sketch.Namespace}}}
	}
	i := 1
	if comps[0] == "crate" || comps[0] == "self" || comps[0] == "super" {
		saved := r.foreign
		r.foreign = false
		defer func() { r.foreign = saved }()
	}
	switch comps[0] {
	case "crate", "$crate":
		found = holder(r.root(m))
	case "self":
		found = holder(m)
	case "super":
		i = 0
		for i < len(comps) && comps[i] == "super" {
			u, ok := r.up(m)
			if !ok {
				return nil, false, nil
			}
			m = u
			i++
		}
		found = holder(m)
	case "std", "core", "alloc", "proc_macro":
		return nil, true, nil
	default:
		next := wantHolder
		if len(comps) == 1 {
			next = w
		}
		if im == nil || len(comps) > 1 || im.Name != comps[0] {
			found, outside, err = r.inModule(m, comps[0], depth+1)
			if err != nil {
				return nil, false, err
			}
			found = choose(found, next)
		}
		if len(found) == 0 && !outside {
			if err := r.b.loadProjects(); err != nil {
				return nil, false, err
			}
			for _, c := range r.b.projects.crates {
				if c.name == comps[0] {
					saved := r.foreign
					r.foreign = true
					defer func() { r.foreign = saved }()
					for _, f := range r.b.at(under(c.dir, "lib.rs"), under(c.dir, "main.rs")) {
						found = holder(rustModule{f, nil})
					}
					break
				}
			}
			if len(found) == 0 {
				return nil, im != nil || len(comps) > 1, nil
			}
		}
	}
	for ; i < len(comps); i++ {
		var next []thing
		for _, x := range found {
			got, out, err := r.step(x, comps[i], depth+1)
			if err != nil {
				return nil, false, err
			}
			outside = outside || out
			next = append(next, got...)
		}
		wanted := wantHolder
		if i == len(comps)-1 {
			wanted = w
		}
		if found = choose(next, wanted); len(found) == 0 {
			return nil, outside, nil
		}
	}
	return found, false, nil
}

// membersNamed returns the first of x's members of that name; nil for none.
func membersNamed(x thing, name string) []thing {
	for _, m := range x.def.Members {
		if m.Name == name {
			return []thing{{x.file, m}}
		}
	}
	return nil
}

// step finds a name behind "::" in what x is.
func (r *rustTypes) step(x thing, name string, depth int) (found []thing, outside bool, err error) {
	switch x.def.Kind {
	case sketch.Namespace:
		m, ok := r.moduleOf(x)
		if !ok {
			return nil, false, nil
		}
		found, outside, err = r.inModule(m, name, depth)
		if len(found) == 0 && err == nil && m == r.root(m) {
			// Exported macros belong to the root.
			if ds, err := r.macrosNamed(m.file, name, true); err != nil || len(ds) > 0 {
				return ds, false, err
			}
		}
		return found, outside, err
	case sketch.TypeName:
		if found := membersNamed(x, name); found != nil {
			return found, false, nil
		}
		t := &rustType{kind: rustAdt, def: x}
		if x.def.Alias {
			if t, err = r.typeOf(x.file, x.def.Type, nil); err != nil {
				return nil, false, err
			}
			if t.kind == rustAdt {
				if found := membersNamed(t.def, name); found != nil {
					return found, false, nil
				}
			}
		}
		found, _, outside, err := r.find(t, name, true)
		return found, outside, err
	case sketch.Trait:
		found, _, err := r.inTrait(x, name, nil, 0)
		return found, false, err
	case sketch.TypeParam:
		found, _, outside, err := r.find(&rustType{kind: rustParam, def: x}, name, true)
		return found, outside, err
	case sketch.Impl:
		for _, m := range x.def.Members {
			if m.Name == name && m.Kind != sketch.Generated {
				return []thing{{x.file, m}}, false, nil
			}
		}
		t, err := r.selfOf(x)
		if err != nil {
			return nil, false, err
		}
		if t.kind == rustAdt {
			if found := membersNamed(t.def, name); found != nil {
				return found, false, nil
			}
		}
		found, _, outside, err := r.find(t, name, true)
		return found, outside, err
	}
	return nil, false, nil
}

// path finds what a path in code means.
func (r *rustTypes) path(file int, n *sketch.Node, w want) (found []thing, outside bool, err error) {
	r.depth++
	defer func() { r.depth-- }()
	if n == nil || r.tooMuch() {
		return nil, false, nil
	}
	switch n.Kind {
	case sketch.Name:
		return r.name(file, n.At, n.Name, w)
	case sketch.Index:
		return r.path(file, n.X, w)
	case sketch.Assert: // <T as Trait>
		t, err := r.typeOf(file, n.X, nil)
		if err != nil {
			return nil, false, err
		}
		if t.kind == rustAdt {
			return []thing{t.def}, false, nil
		}
		if n.Y != nil {
			return r.path(file, n.Y, wantHolder)
		}
		return nil, t.kind == rustOutside, nil
	case sketch.Member:
		if n.Name == "self" {
			return r.path(file, n.X, wantHolder)
		}
		from, outside, err := r.path(file, n.X, wantHolder)
		if err != nil || len(from) == 0 {
			return nil, outside, err
		}
		var all []thing
		for _, x := range from {
			got, out, err := r.step(x, n.Name, 0)
			if err != nil {
				return nil, false, err
			}
			outside = outside || out
			for _, y := range got {
				if !slices.Contains(all, y) {
					all = append(all, y)
				}
			}
		}
		return choose(all, w), outside, nil
	}
	return nil, false, nil
}

// name finds what a single name means at a place.
func (r *rustTypes) name(file int, at uint32, name string, w want) (found []thing, outside bool, err error) {
	s, err := r.b.sketch(file)
	if err != nil || s == nil {
		return nil, false, err
	}
	m := r.moduleAt(file, s, at)
	switch name {
	case "Self":
		if d := s.Local(at, name); d != nil {
			return []thing{{file, d}}, false, nil
		}
		for d := s.Holder(at); d != nil; d = d.Parent {
			if d.Kind == sketch.Impl || d.Kind == sketch.Trait || d.Kind == sketch.TypeName {
				return []thing{{file, d}}, false, nil
			}
		}
		return nil, false, nil
	case "crate", "$crate", "super":
		return r.resolve(m, []string{name}, w, 0, nil)
	}
	if d := s.Local(at, name); d != nil {
		if d.Kind == sketch.Import {
			return r.resolve(m, strings.Split(d.Path, "::"), w, 0, d)
		}
		return []thing{{file, d}}, false, nil
	}
	if name == "self" {
		return r.resolve(m, []string{name}, w, 0, nil)
	}
	if found, outside, err = r.inModule(m, name, 0); err != nil {
		return nil, false, err
	}
	if len(found) > 0 || outside {
		return choose(found, w), outside, nil
	}
	if found, _, err = r.resolve(m, []string{name}, w, 0, nil); err != nil || len(found) > 0 {
		return found, false, err
	}
	return nil, true, nil // the prelude, or another crate
}

// macro finds a macro by its name.
func (r *rustTypes) macro(file int, n *sketch.Node) (inferred, error) {
	if n.Kind == sketch.Member {
		found, outside, err := r.path(file, n, wantAny)
		if err != nil {
			return inferred{}, err
		}
		found = slices.DeleteFunc(slices.Clone(found), func(x thing) bool { return x.def.Kind != sketch.MacroName })
		if len(found) > 0 || outside {
			return r.result(found, outside, n), nil
		}
	}
	found, err := r.macrosNamed(file, n.Name, false)
	if err != nil {
		return inferred{}, err
	}
	if len(found) > 0 {
		return boundTo("the macro in scope", found...), nil
	}
	return inferred{state: isOutside, rule: "no macro of the tree"}, nil
}

// macrosNamed finds the macros of a name that a file can use: its own before
// those of its crate. One that stands before the use in the file is nearest.
func (r *rustTypes) macrosNamed(file int, name string, crate bool) ([]thing, error) {
	all, err := r.b.declared(name)
	if err != nil {
		return nil, err
	}
	var same, near, rest []thing
	root := r.root(rustModule{file, nil}).file
	for _, d := range all {
		if d.sym.Kind != artifact.KindMacro || r.b.t.files[d.file].lang != "rust" {
			continue
		}
		x, ok, err := r.b.thingOf(d)
		if err != nil {
			return nil, err
		}
		if !ok || x.def.Kind != sketch.MacroName {
			continue
		}
		switch {
		case d.file == file:
			same = append(same, x)
		case r.root(rustModule{d.file, nil}).file == root:
			near = append(near, x)
		default:
			rest = append(rest, x)
		}
	}
	if len(same) > 0 {
		return same[len(same)-1:], nil
	}
	if len(near) > 0 || crate {
		return near, nil
	}
	if len(rest) == 1 {
		return rest, nil
	}
	return nil, nil
}

// field finds what a field's name in a literal or pattern means; where it is
// a variable's as well, both.
func (r *rustTypes) field(file int, s *sketch.File, u sketch.Use) (inferred, error) {
	found, outside, err := r.path(file, u.Of.X, wantAny)
	if err != nil {
		return inferred{}, err
	}
	var things []thing
	for _, x := range found {
		fs, err := r.fieldsOf(x)
		if err != nil {
			return inferred{}, err
		}
		for _, f := range fs {
			if f.def.Name == u.Node.Name {
				things = append(things, f)
			}
		}
	}
	if u.Short {
		if d := s.LocalAt(u.At); d != nil && d.At == u.At {
			if d.Same != nil {
				d = d.Same
			}
			things = append(things, thing{file, d})
		} else {
			local, _, err := r.name(file, u.At, u.Node.Name, wantValue)
			if err != nil {
				return inferred{}, err
			}
			things = append(things, local...)
		}
	}
	switch {
	case len(things) > 0:
		return inferred{things: things, state: isBound, rule: "field of the type that is written"}, nil
	case outside:
		return inferred{state: isOutside, rule: "the type is outside the tree"}, nil
	}
	return inferred{state: isUnknown, rule: "a field of a type that is not known"}, nil
}

// fieldsOf returns the fields of a struct or variant, through aliases and Self.
func (r *rustTypes) fieldsOf(x thing) ([]thing, error) {
	switch x.def.Kind {
	case sketch.Impl:
		t, err := r.selfOf(x)
		if err != nil || t.kind != rustAdt {
			return nil, err
		}
		x = t.def
	case sketch.TypeName:
		if x.def.Alias {
			t, err := r.typeOf(x.file, x.def.Type, nil)
			if err != nil || t.kind != rustAdt {
				return nil, err
			}
			x = t.def
		}
	}
	var out []thing
	if x.def.Type != nil && x.def.Type.Kind == sketch.StructType {
		for _, f := range x.def.Type.Fields {
			out = append(out, thing{x.file, f})
		}
	}
	return out, nil
}

// selfOf is the type that an implementation is for.
func (r *rustTypes) selfOf(impl thing) (*rustType, error) {
	if r.busy[impl.def] {
		return rustNothing, nil
	}
	if t := r.types[impl.def]; t != nil {
		return t, nil
	}
	r.busy[impl.def] = true
	t, err := r.typeOf(impl.file, impl.def.Type, nil)
	delete(r.busy, impl.def)
	if err == nil {
		r.types[impl.def] = t
	}
	return t, err
}

// member says what x.name means.
func (r *rustTypes) member(file int, n *sketch.Node) (inferred, error) {
	t, err := r.expr(file, n.X)
	if err != nil {
		return inferred{}, err
	}
	found, _, outside, err := r.find(t, n.Name, n.Flag)
	if err != nil {
		return inferred{}, err
	}
	switch {
	case len(found) > 0:
		return inferred{things: found, state: isBound, rule: "member of the receiver's type"}, nil
	case outside:
		return inferred{state: isOutside, rule: "the receiver's type is outside the tree"}, nil
	}
	return inferred{state: isUnknown, rule: "the receiver's type is not known", guess: t.kind == rustUnknown}, nil
}

// typeOf reads a type.
func (r *rustTypes) typeOf(file int, n *sketch.Node, env *rustEnv) (*rustType, error) {
	if n == nil {
		return rustNothing, nil
	}
	r.depth++
	defer func() { r.depth-- }()
	if r.tooMuch() {
		return rustNothing, nil
	}
	switch n.Kind {
	case sketch.Addr, sketch.Star:
		e, err := r.typeOf(file, n.X, env)
		return &rustType{kind: rustRef, elem: e}, err
	case sketch.ArrayType:
		e, err := r.typeOf(file, n.X, env)
		return &rustType{kind: rustArray, elem: e}, err
	case sketch.Tuple:
		t := &rustType{kind: rustTuple}
		for _, x := range n.List {
			e, err := r.typeOf(file, x, env)
			if err != nil {
				return nil, err
			}
			t.list = append(t.list, e)
		}
		return t, nil
	case sketch.FuncType:
		return &rustType{kind: rustFn, node: n, file: file, env: env}, nil
	case sketch.InterfaceType:
		return &rustType{kind: rustBound, node: n, file: file, env: env}, nil
	case sketch.Self:
		return r.selfType(file, n.At, env)
	case sketch.Name, sketch.Member, sketch.Index:
		return r.pathType(file, n, env)
	}
	return rustNothing, nil
}

func (r *rustTypes) selfType(file int, at uint32, env *rustEnv) (*rustType, error) {
	if t := env.get(nil); t != nil {
		return t, nil
	}
	found, _, err := r.name(file, at, "Self", wantType)
	if err != nil || len(found) == 0 {
		return rustNothing, err
	}
	if found[0].def.Kind == sketch.Impl && env != nil {
		return r.typeOf(found[0].file, found[0].def.Type, env)
	}
	return r.holderType(found[0])
}

// holderType is the type that Self means in what x is.
func (r *rustTypes) holderType(x thing) (*rustType, error) {
	switch x.def.Kind {
	case sketch.Impl:
		return r.selfOf(x)
	case sketch.Trait:
		return &rustType{kind: rustParam, def: x}, nil
	}
	return &rustType{kind: rustAdt, def: x}, nil
}

func (r *rustTypes) pathType(file int, n *sketch.Node, env *rustEnv) (*rustType, error) {
	var args []*rustType
	path := n
	if n.Kind == sketch.Index {
		path = n.X
		for _, a := range n.List {
			if a != nil && a.Kind == sketch.KeyValue {
				continue
			}
			t, err := r.typeOf(file, a, env)
			if err != nil {
				return nil, err
			}
			args = append(args, t)
		}
	}
	if path == nil {
		return rustNothing, nil
	}
	if path.Kind == sketch.Name {
		if path.Name == "Self" {
			return r.selfType(file, path.At, env)
		}
		if rustBasicName(path.Name) {
			return &rustType{kind: rustBasic, name: path.Name}, nil
		}
	}
	if path.Kind == sketch.Member && path.X != nil {
		// Self::Item, T::Output
		if path.X.Kind == sketch.Assert || path.X.Kind == sketch.Name && (path.X.Name == "Self" || len(path.X.Name) <= 2) {
			base, err := r.typeOf(file, path.X, env)
			if path.X.Kind == sketch.Assert {
				base, err = r.typeOf(file, path.X.X, env)
			}
			if err != nil {
				return nil, err
			}
			if t, err := r.assoc(base, path.Name); err != nil || t != nil {
				return t, err
			}
		}
	}
	found, outside, err := r.path(file, path, wantType)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		if outside {
			return &rustType{kind: rustOutside, name: path.Name, list: args}, nil
		}
		return rustNothing, nil
	}
	x := found[0]
	switch x.def.Kind {
	case sketch.TypeParam:
		if t := env.get(x.def); t != nil {
			return t, nil
		}
		return &rustType{kind: rustParam, def: x}, nil
	case sketch.Trait:
		return &rustType{kind: rustParam, def: x}, nil
	case sketch.TypeName:
		if x.def.Alias {
			if x.def.Type == nil || r.busy[x.def] {
				return rustNothing, nil
			}
			r.busy[x.def] = true
			t, err := r.typeOf(x.file, x.def.Type, r.bindParams(x.def, args))
			delete(r.busy, x.def)
			return t, err
		}
		return &rustType{kind: rustAdt, def: x, list: args}, nil
	case sketch.Variant:
		return r.variantType(x), nil
	case sketch.Impl:
		return r.selfOf(x)
	}
	return rustNothing, nil
}

func (r *rustTypes) variantType(x thing) *rustType {
	if x.def.Parent == nil {
		return rustNothing
	}
	return &rustType{kind: rustAdt, def: thing{x.file, x.def.Parent}}
}

// bindParams binds a generic item's parameters to arguments.
func (r *rustTypes) bindParams(d *sketch.Def, args []*rustType) *rustEnv {
	var env *rustEnv
	if d.Via != nil && d.Via.Fn != nil {
		for i, p := range d.Via.Fn.TypeParams {
			if i < len(args) {
				env = &rustEnv{env, p, args[i]}
			}
		}
	}
	return env
}

func rustBasicName(name string) bool {
	switch name {
	case "bool", "char", "str", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize":
		return true
	}
	return false
}

// assoc finds an associated type of a type; nil when it is not known.
func (r *rustTypes) assoc(t *rustType, name string) (*rustType, error) {
	if t == nil {
		return nil, nil
	}
	switch t.kind {
	case rustAdt:
		impls, err := r.implsOf(t.def)
		if err != nil {
			return nil, err
		}
		for _, im := range impls {
			for _, m := range im.def.Members {
				if m.Name == name && m.Kind == sketch.TypeName && m.Type != nil {
					return r.typeOf(im.file, m.Type, r.implEnv(im, t))
				}
			}
		}
	case rustBound:
		for _, b := range t.node.List {
			if b.Kind != sketch.Index {
				continue
			}
			for _, a := range b.List {
				if a != nil && a.Kind == sketch.KeyValue && a.Name == name {
					return r.typeOf(t.file, a.Y, t.env)
				}
			}
		}
	case rustParam:
		for _, b := range t.def.def.Bases {
			if b.Kind != sketch.Index {
				continue
			}
			for _, a := range b.List {
				if a != nil && a.Kind == sketch.KeyValue && a.Name == name {
					return r.typeOf(t.def.file, a.Y, nil)
				}
			}
		}
	case rustRef:
		return r.assoc(t.elem, name)
	case rustOutside:
		switch t.name {
		case "Box", "Pin":
			return r.assoc(t.arg(0), name)
		}
	}
	return nil, nil
}

// implsOf returns the implementations that are written for a type.
func (r *rustTypes) implsOf(x thing) ([]thing, error) {
	all, err := r.b.declared(x.def.Name)
	if err != nil {
		return nil, err
	}
	var out []thing
	for _, d := range all {
		if d.sym.Kind != artifact.KindImpl {
			continue
		}
		im, ok, err := r.implAt(d)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		t, err := r.selfOf(im)
		if err != nil {
			return nil, err
		}
		if t.kind == rustAdt && t.def == x {
			out = append(out, im)
		}
	}
	return out, nil
}

func (r *rustTypes) implAt(d *decl) (thing, bool, error) {
	s, err := r.b.sketch(d.file)
	if err != nil || s == nil {
		return thing{}, false, err
	}
	t, err := r.b.text(d.file)
	if err != nil || t == nil {
		return thing{}, false, err
	}
	at, ok := t.offset(d.sym.NamePos)
	if !ok {
		return thing{}, false, nil
	}
	h := s.Holder(at)
	for ; h != nil && h.Kind != sketch.Impl; h = h.Parent {
	}
	if h == nil {
		if h = s.At(at); h == nil || h.Kind != sketch.Impl {
			return thing{}, false, nil
		}
	}
	return thing{d.file, h}, true, nil
}

// implEnv binds an implementation's parameters so that it is one for t.
func (r *rustTypes) implEnv(im thing, t *rustType) *rustEnv {
	env := &rustEnv{nil, nil, t}
	n := im.def.Type
	for n != nil && n.Kind == sketch.Addr {
		n = n.X
	}
	if n != nil && n.Kind == sketch.Index {
		for i, a := range n.List {
			if a == nil || a.Kind != sketch.Name || i >= len(t.list) {
				continue
			}
			for _, p := range im.def.Params {
				if p.Name == a.Name {
					env = &rustEnv{env, p, t.list[i]}
				}
			}
		}
	}
	if n != nil && n.Kind == sketch.Name {
		for _, p := range im.def.Params {
			if p.Name == n.Name {
				env = &rustEnv{env, p, t}
			}
		}
	}
	return env
}

// find finds a field or, for calls, a method: of the type, of what it leads
// to, and of traits.
func (r *rustTypes) find(t *rustType, name string, call bool) (found []thing, env *rustEnv, outside bool, err error) {
	for n := 0; t != nil && n < 12; n++ {
		if r.tooMuch() {
			return nil, nil, false, nil
		}
		if t.kind == rustAdt && !call {
			for _, f := range fieldsOfType(t) {
				if f.def.Name == name {
					return []thing{f}, r.bindParams(t.def.def, t.list), false, nil
				}
			}
		}
		if found, env, err = r.methods(t, name); err != nil || len(found) > 0 {
			return found, env, false, err
		}
		next, err := r.deref(t)
		if err != nil {
			return nil, nil, false, err
		}
		outside = outside || t.kind == rustOutside || t.kind == rustBasic || t.kind == rustArray || t.kind == rustTuple || t.kind == rustFn
		if next == nil {
			switch t.kind {
			case rustAdt:
				outside = outside || r.fromOutside(name)
			case rustParam, rustBound:
				out, err := r.boundOutside(t)
				if err != nil {
					return nil, nil, false, err
				}
				outside = outside || out
			}
		}
		t = next
	}
	return nil, nil, outside, nil
}

// fromOutside reports whether a member that the tree does not declare can only
// be one that traits of other crates give.
func (r *rustTypes) fromOutside(name string) bool {
	all, err := r.b.declared(name)
	if err != nil {
		return false
	}
	for _, d := range all {
		if r.b.t.files[d.file].lang == "rust" && len(d.names) > 1 {
			return false
		}
	}
	return true
}

// boundOutside reports whether a bound of a type parameter is a trait from
// outside of the tree, or none is written.
func (r *rustTypes) boundOutside(t *rustType) (bool, error) {
	bounds, file := t.node, t.file
	var list []*sketch.Node
	if bounds != nil {
		list = bounds.List
	} else if t.def.def != nil {
		list, file = t.def.def.Bases, t.def.file
	}
	for _, b := range list {
		if b.Kind == sketch.FuncType {
			return true, nil
		}
		found, outside, err := r.path(file, b, wantHolder)
		if err != nil {
			return false, err
		}
		if len(found) == 0 && outside {
			return true, nil
		}
	}
	return len(list) == 0, nil
}

func fieldsOfType(t *rustType) []thing {
	var out []thing
	d := t.def.def
	if d.Type != nil && d.Type.Kind == sketch.StructType {
		for _, f := range d.Type.Fields {
			out = append(out, thing{t.def.file, f})
		}
	}
	return out
}

// deref is what a type leads to when a member is looked for; nil for none.
func (r *rustTypes) deref(t *rustType) (*rustType, error) {
	switch t.kind {
	case rustRef:
		return t.elem, nil
	case rustOutside:
		switch t.name {
		case "Box", "Rc", "Arc", "Pin", "Guard", "MutexGuard", "RwLockReadGuard", "RwLockWriteGuard", "Ref", "RefMut", "Cow", "ManuallyDrop", "Lazy", "LazyLock", "OwnedMutexGuard", "UnsafeCell":
			if len(t.list) > 0 {
				return t.list[len(t.list)-1], nil
			}
		}
	case rustAdt:
		impls, err := r.implsOf(t.def)
		if err != nil {
			return nil, err
		}
		for _, im := range impls {
			if im.def.Via == nil || pathName(im.def.Via) != "Deref" {
				continue
			}
			for _, m := range im.def.Members {
				if m.Name == "Target" && m.Type != nil {
					return r.typeOf(im.file, m.Type, r.implEnv(im, t))
				}
			}
		}
	}
	return nil, nil
}

func pathName(n *sketch.Node) string {
	for n != nil && n.Kind == sketch.Index {
		n = n.X
	}
	if n == nil {
		return ""
	}
	return n.Name
}

// methods finds the members of a name that a type has by implementations and
// traits, without following it further.
func (r *rustTypes) methods(t *rustType, name string) ([]thing, *rustEnv, error) {
	if t.kind == rustUnknown {
		return nil, nil, nil
	}
	if t.kind == rustParam && t.def.def.Kind == sketch.Trait {
		return r.inTrait(t.def, name, t, 0)
	}
	if t.kind == rustParam || t.kind == rustBound {
		var bounds []*sketch.Node
		file := t.file
		if t.kind == rustBound {
			bounds = t.node.List
		} else {
			bounds, file = t.def.def.Bases, t.def.file
		}
		for _, b := range bounds {
			if b.Kind == sketch.FuncType {
				continue
			}
			traits, _, err := r.path(file, b, wantHolder)
			if err != nil {
				return nil, nil, err
			}
			for _, tr := range traits {
				if tr.def.Kind == sketch.Trait {
					if found, env, err := r.inTrait(tr, name, t, 0); err != nil || len(found) > 0 {
						return found, env, err
					}
				}
			}
		}
	}
	all, err := r.b.declared(name)
	if err != nil {
		return nil, nil, err
	}
	var byTrait, byDefault []thing
	var envTrait, envDefault *rustEnv
	for _, d := range all {
		if d.sym.Kind == artifact.KindField || d.sym.Kind == artifact.KindEnumMember || r.b.t.files[d.file].lang != "rust" || len(d.names) < 2 {
			continue
		}
		x, ok, err := r.b.thingOf(d)
		if err != nil {
			return nil, nil, err
		}
		if !ok || x.def.Parent == nil {
			continue
		}
		h := thing{x.file, x.def.Parent}
		switch h.def.Kind {
		case sketch.Impl:
			self, err := r.selfOf(h)
			if err != nil {
				return nil, nil, err
			}
			if !sameRustType(self, t) {
				continue
			}
			if h.def.Via == nil {
				return []thing{x}, r.implEnv(h, t), nil
			}
			byTrait, envTrait = append(byTrait, x), r.implEnv(h, t)
		case sketch.Trait:
			if t.kind == rustParam || t.kind == rustBound {
				continue
			}
			ok, err := r.implements(t, h)
			if err != nil {
				return nil, nil, err
			}
			if ok {
				byDefault, envDefault = append(byDefault, x), &rustEnv{nil, nil, t}
			}
		}
	}
	if len(byTrait) > 0 {
		if len(byTrait) > 1 {
			return nil, nil, nil // several traits have it: which is meant is not told
		}
		return byTrait, envTrait, nil
	}
	if len(byDefault) == 1 {
		return byDefault, envDefault, nil
	}
	if t.kind == rustAdt && len(byDefault) == 0 {
		impls, err := r.implsOf(t.def)
		if err != nil {
			return nil, nil, err
		}
		for _, im := range impls {
			for _, m := range im.def.Members {
				if m.Kind == sketch.Generated && m.Name == name {
					return []thing{{im.file, m}}, nil, nil
				}
			}
		}
	}
	// Several traits with such a method: the first to be implemented for the
	// type by name, not for all types.
	return nil, nil, nil
}

// sameRustType reports whether an implementation for a serves b.
func sameRustType(a, b *rustType) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case rustAdt:
		return a.def == b.def
	case rustOutside, rustBasic:
		if a.name != b.name {
			return false
		}
		for i := range min(len(a.list), len(b.list)) {
			x, y := a.list[i], b.list[i]
			if x.kind == rustAdt && y.kind == rustAdt && x.def != y.def {
				return false
			}
		}
		return true
	case rustRef:
		return a.elem != nil && b.elem != nil && sameRustType(a.elem, b.elem)
	case rustTuple:
		return len(a.list) == len(b.list)
	case rustArray:
		return true
	}
	return false
}

// implements reports whether the tree implements a trait for a type, by name
// or for all types.
func (r *rustTypes) implements(t *rustType, trait thing) (bool, error) {
	name := t.name
	if t.kind == rustAdt {
		key := [2]*sketch.Def{t.def.def, trait.def}
		if ok, done := r.trait[key]; done {
			return ok, nil
		}
		r.trait[key] = false
		impls, err := r.implsOf(t.def)
		if err != nil {
			return false, err
		}
		for _, im := range impls {
			if im.def.Via == nil || pathName(im.def.Via) != trait.def.Name {
				continue
			}
			found, _, err := r.path(im.file, im.def.Via, wantHolder)
			if err != nil {
				return false, err
			}
			if slices.Contains(found, trait) {
				r.trait[key] = true
				return true, nil
			}
		}
		ok, err := r.blanket(trait)
		r.trait[key] = ok
		return ok, err
	}
	if name != "" && (t.kind == rustOutside || t.kind == rustBasic) {
		all, err := r.b.declared(name)
		if err != nil {
			return false, err
		}
		for _, d := range all {
			if d.sym.Kind != artifact.KindImpl {
				continue
			}
			im, ok, err := r.implAt(d)
			if err != nil {
				return false, err
			}
			if ok && im.def.Via != nil && pathName(im.def.Via) == trait.def.Name {
				self, err := r.selfOf(im)
				if err != nil {
					return false, err
				}
				if sameRustType(self, t) {
					return true, nil
				}
			}
		}
	}
	return r.blanket(trait)
}

// blanket reports whether a trait is implemented for every type that fits a
// bound.
func (r *rustTypes) blanket(trait thing) (bool, error) {
	key := [2]*sketch.Def{nil, trait.def}
	if ok, done := r.trait[key]; done {
		return ok, nil
	}
	s, err := r.b.sketch(trait.file)
	if err != nil || s == nil {
		return false, err
	}
	ok := false
	var walk func(ds []*sketch.Def)
	walk = func(ds []*sketch.Def) {
		for _, d := range ds {
			if d.Kind == sketch.Namespace {
				walk(d.Members)
			}
			if d.Kind != sketch.Impl || d.Via == nil || pathName(d.Via) != trait.def.Name || d.Type == nil {
				continue
			}
			for _, p := range d.Params {
				if d.Type.Kind == sketch.Name && d.Type.Name == p.Name {
					ok = true
				}
			}
		}
	}
	walk(s.Top)
	r.trait[key] = ok
	return ok, nil
}

// inTrait finds a member of a trait or of those that it builds on.
func (r *rustTypes) inTrait(x thing, name string, self *rustType, depth int) ([]thing, *rustEnv, error) {
	for _, m := range x.def.Members {
		if m.Name == name {
			var env *rustEnv
			if self != nil {
				env = &rustEnv{nil, nil, self}
			}
			return []thing{{x.file, m}}, env, nil
		}
	}
	if depth > 8 {
		return nil, nil, nil
	}
	for _, b := range x.def.Bases {
		found, _, err := r.path(x.file, b, wantHolder)
		if err != nil {
			return nil, nil, err
		}
		for _, t := range found {
			if t.def.Kind == sketch.Trait && t.def != x.def {
				if ms, env, err := r.inTrait(t, name, self, depth+1); err != nil || len(ms) > 0 {
					return ms, env, err
				}
			}
		}
	}
	return nil, nil, nil
}

// typeOfThing is the type of what a definition is as a value.
func (r *rustTypes) typeOfThing(x thing, env *rustEnv) (*rustType, error) {
	d := x.def
	if env == nil {
		if t := r.types[d]; t != nil && d.Kind != sketch.Impl {
			return t, nil
		}
	}
	if r.busy[d] {
		return rustNothing, nil
	}
	r.busy[d] = true
	t, err := r.freshType(x, env)
	delete(r.busy, d)
	if t == nil {
		t = rustNothing
	}
	if err == nil && env == nil && r.steps <= maxGoSteps && d.Kind != sketch.Impl {
		r.types[d] = t
	}
	return t, err
}

func (r *rustTypes) freshType(x thing, env *rustEnv) (*rustType, error) {
	d := x.def
	switch d.Kind {
	case sketch.Function, sketch.Method:
		return &rustType{kind: rustFn, node: d.Type, file: x.file, env: env, def: x}, nil
	case sketch.TypeName:
		if d.Alias {
			return r.typeOf(x.file, d.Type, env)
		}
		return &rustType{kind: rustAdt, def: x}, nil
	case sketch.Variant:
		return r.variantType(x), nil
	case sketch.Impl:
		return r.selfOf(x)
	}
	if d.Type != nil {
		return r.typeOf(x.file, d.Type, env)
	}
	return r.expr(x.file, d.Init)
}

// expr is the type of an expression.
func (r *rustTypes) expr(file int, n *sketch.Node) (*rustType, error) {
	if n == nil {
		return rustNothing, nil
	}
	if t, ok := r.memo[n]; ok {
		return t, nil
	}
	r.depth++
	defer func() { r.depth-- }()
	if r.tooMuch() {
		return rustNothing, nil
	}
	r.memo[n] = rustNothing // ends a cycle
	t, err := r.fresh(file, n)
	if t == nil {
		t = rustNothing
	}
	r.memo[n] = t
	return t, err
}

func (r *rustTypes) fresh(file int, n *sketch.Node) (*rustType, error) {
	switch n.Kind {
	case sketch.Lit:
		if n.Name == "string" {
			return &rustType{kind: rustRef, elem: &rustType{kind: rustBasic, name: "str"}}, nil
		}
		return &rustType{kind: rustBasic, name: n.Name}, nil
	case sketch.Name:
		return r.value(file, n)
	case sketch.Member:
		if n.Sep != '.' {
			return r.value(file, n)
		}
		t, err := r.expr(file, n.X)
		if err != nil {
			return nil, err
		}
		return r.fieldType(t, n.Name)
	case sketch.Index:
		if n.Sep == ':' {
			return r.value(file, n)
		}
		t, err := r.expr(file, n.X)
		if err != nil {
			return nil, err
		}
		for t.kind == rustRef && t.elem != nil {
			t = t.elem
		}
		switch {
		case len(n.List) == 1 && n.List[0] != nil && n.List[0].Kind == sketch.Range:
			return t, nil
		case t.kind == rustArray:
			return t.elem, nil
		case t.kind == rustOutside && len(t.list) > 0:
			return t.list[len(t.list)-1], nil
		}
		return rustNothing, nil
	case sketch.Call:
		return r.call(file, n)
	case sketch.Addr:
		t, err := r.expr(file, n.X)
		return &rustType{kind: rustRef, elem: t}, err
	case sketch.Star:
		t, err := r.expr(file, n.X)
		if err != nil {
			return nil, err
		}
		d, err := r.deref(t)
		if d == nil {
			d = t // a pattern "&x" of what is known no better
		}
		return d, err
	case sketch.Unary:
		return r.expr(file, n.X)
	case sketch.Binary:
		switch n.Name {
		case "==", "&&", "||", "!=", "<=":
			return &rustType{kind: rustBasic, name: "bool"}, nil
		}
		return r.expr(file, n.X)
	case sketch.Typed:
		if n.Y != nil {
			t, err := r.typeOf(file, n.Y, nil)
			if err != nil || t.kind != rustUnknown {
				return t, err
			}
		}
		return r.expr(file, n.X)
	case sketch.Block:
		return r.expr(file, n.X)
	case sketch.Cond:
		for _, x := range n.List {
			if t, err := r.expr(file, x); err != nil || t.kind != rustUnknown {
				return t, err
			}
		}
		return rustNothing, nil
	case sketch.Assert:
		return r.typeOf(file, n.Y, nil)
	case sketch.Try:
		t, err := r.expr(file, n.X)
		if err != nil {
			return nil, err
		}
		if t.kind == rustOutside && (t.name == "Guard" || t.name == "Poll") {
			return t, nil
		}
		return t.arg(0), nil
	case sketch.Await:
		t, err := r.expr(file, n.X)
		if err != nil {
			return nil, err
		}
		if t.kind == rustOutside && t.name == "Future" {
			return t.arg(0), nil
		}
		if t.kind == rustOutside && t.name == "Guard" {
			return t, nil
		}
		out, err := r.assoc(t, "Output")
		if out == nil {
			out = rustNothing
		}
		return out, err
	case sketch.Composite:
		if n.X == nil {
			t := &rustType{kind: rustArray, elem: rustNothing}
			if len(n.List) > 0 {
				e, err := r.expr(file, n.List[0])
				if err != nil {
					return nil, err
				}
				t.elem = e
			}
			return t, nil
		}
		t, err := r.typeOf(file, n.X, nil)
		if err != nil || t.kind != rustUnknown {
			return t, err
		}
		return r.value(file, n.X)
	case sketch.Tuple:
		t := &rustType{kind: rustTuple}
		for _, x := range n.List {
			e, err := r.expr(file, x)
			if err != nil {
				return nil, err
			}
			t.list = append(t.list, e)
		}
		return t, nil
	case sketch.FuncLit:
		return &rustType{kind: rustFn, node: n, file: file}, nil
	case sketch.AsyncBlock:
		t, err := r.expr(file, n.X)
		return rustStd("Future", t), err
	case sketch.Macro:
		switch n.Name {
		case "vec":
			e := rustNothing
			if len(n.List) > 0 {
				var err error
				if e, err = r.expr(file, n.List[0]); err != nil {
					return nil, err
				}
			}
			return rustStd("Vec", e), nil
		case "format":
			return rustStd("String"), nil
		case "matches":
			return &rustType{kind: rustBasic, name: "bool"}, nil
		case "ready":
			if len(n.List) > 0 {
				t, err := r.expr(file, n.List[0])
				return t.arg(0), err
			}
		}
		return rustNothing, nil
	case sketch.Receive:
		t, err := r.expr(file, n.X)
		if err != nil {
			return nil, err
		}
		return r.elem(t)
	case sketch.VariantPart:
		return r.variantPart(file, n)
	case sketch.ClosureArg:
		return r.closureArg(file, n)
	}
	return rustNothing, nil
}

func (r *rustTypes) value(file int, n *sketch.Node) (*rustType, error) {
	w := wantValue
	if n.Kind == sketch.Name && n.Name == "Self" {
		return r.selfType(file, n.At, nil)
	}
	found, outside, err := r.path(file, n, w)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		if outside {
			return &rustType{kind: rustOutside, name: pathName(n)}, nil
		}
		return rustNothing, nil
	}
	// What is reached through a type is a member of it.
	var env *rustEnv
	if n.Kind == sketch.Index {
		n = n.X
	}
	if n.Kind == sketch.Member && n.X != nil && (found[0].def.Kind == sketch.Method || found[0].def.Kind == sketch.Const) {
		t, err := r.typeOf(file, n.X, nil)
		if n.X.Kind == sketch.Assert {
			t, err = r.typeOf(file, n.X.X, nil)
		}
		if err != nil {
			return nil, err
		}
		if p := found[0].def.Parent; p != nil && p.Kind == sketch.Impl && t.kind == rustAdt && len(t.list) == 0 && len(p.Params) > 0 {
			env = nil // told by the arguments
		} else if p != nil && p.Kind == sketch.Impl {
			env = r.implEnv(thing{found[0].file, p}, t)
		} else if t.kind == rustAdt {
			env = &rustEnv{nil, nil, t}
		}
	}
	return r.typeOfThing(found[0], env)
}

func (r *rustTypes) fieldType(t *rustType, name string) (*rustType, error) {
	for n := 0; t != nil && n < 12; n++ {
		if t.kind == rustTuple {
			if i, err := strconv.Atoi(name); err == nil {
				return t.arg(i), nil
			}
		}
		if t.kind == rustAdt {
			for _, f := range fieldsOfType(t) {
				if f.def.Name == name {
					return r.typeOf(f.file, f.def.Type, r.bindParams(t.def.def, t.list))
				}
			}
		}
		next, err := r.deref(t)
		if err != nil {
			return nil, err
		}
		t = next
	}
	return rustNothing, nil
}

// elem is what iterating over a value gives.
func (r *rustTypes) elem(t *rustType) (*rustType, error) {
	for t != nil && t.kind == rustRef {
		t = t.elem
	}
	switch {
	case t == nil:
	case t.kind == rustArray:
		return t.elem, nil
	case t.kind == rustOutside:
		switch t.name {
		case "HashMap", "BTreeMap", "IndexMap":
			return &rustType{kind: rustTuple, list: t.list}, nil
		}
		return t.arg(0), nil
	case t.kind == rustAdt, t.kind == rustBound, t.kind == rustParam:
		if e, err := r.assoc(t, "Item"); err != nil || e != nil {
			return e, err
		}
	}
	return rustNothing, nil
}

// variantPart is the type of one part of a struct or variant in a pattern.
func (r *rustTypes) variantPart(file int, n *sketch.Node) (*rustType, error) {
	of, err := r.expr(file, n.X)
	if err != nil {
		return nil, err
	}
	for of.kind == rustRef && of.elem != nil {
		of = of.elem
	}
	found, _, err := r.path(file, n.Y, wantAny)
	if err != nil {
		return nil, err
	}
	for _, x := range found {
		fs, err := r.fieldsOf(x)
		if err != nil {
			return nil, err
		}
		for _, f := range fs {
			if f.def.Name == n.Name {
				owner := x.def
				if owner.Kind == sketch.Variant && owner.Parent != nil {
					owner = owner.Parent
				}
				var env *rustEnv
				if of.kind == rustAdt && of.def.def == owner {
					env = r.bindParams(owner, of.list)
				}
				return r.typeOf(f.file, f.def.Type, env)
			}
		}
	}
	if len(found) == 0 && of.kind == rustOutside {
		switch pathName(n.Y) {
		case "Some", "Ok", "Ready":
			return of.arg(0), nil
		case "Err":
			return of.arg(1), nil
		}
	}
	return rustNothing, nil
}

// result is what calling a function gives.
func (r *rustTypes) resultOf(f *rustType, file int, call *sketch.Node, skipSelf bool) (*rustType, error) {
	fn := f.node
	if fn == nil || fn.Fn == nil {
		return rustNothing, nil
	}
	if fn.Kind == sketch.FuncLit {
		if len(fn.Fn.Results) > 0 {
			return r.typeOf(f.file, fn.Fn.Results[0].Type, f.env)
		}
		return r.expr(f.file, fn.Y)
	}
	if len(fn.Fn.Results) == 0 {
		return &rustType{kind: rustTuple}, nil
	}
	env := f.env
	generic := fn.Fn.TypeParams
	if d := f.def.def; d != nil && d.Parent != nil && d.Parent.Kind == sketch.Impl && env.get(nil) == nil {
		generic = append(slices.Clone(generic), d.Parent.Params...)
	}
	if len(generic) > 0 {
		params := fn.Fn.Params
		if skipSelf && len(params) > 0 && params[0].Name == "self" {
			params = params[1:]
		}
		for i, a := range call.List {
			if i >= len(params) {
				break
			}
			t, err := r.expr(file, a)
			if err != nil {
				return nil, err
			}
			env = r.unify(params[i].Type, t, generic, env, 0)
		}
		callee := call.X
		if callee != nil && callee.Kind == sketch.Index && callee.Sep == ':' {
			for i, p := range fn.Fn.TypeParams {
				if i < len(callee.List) && callee.List[i] != nil {
					t, err := r.typeOf(file, callee.List[i], nil)
					if err != nil {
						return nil, err
					}
					env = &rustEnv{env, p, t}
				}
			}
		}
		// F: Fn(A) -> B gives B.
		for _, p := range fn.Fn.TypeParams {
			for _, bound := range p.Bases {
				if bound.Kind != sketch.FuncType || len(bound.Fn.Results) == 0 {
					continue
				}
				if c := env.get(p); c != nil && c.kind == rustFn && c.node != nil {
					out, err := r.resultOf(c, c.file, &sketch.Node{}, false)
					if err != nil {
						return nil, err
					}
					env = r.unify(bound.Fn.Results[0].Type, out, fn.Fn.TypeParams, env, 0)
				}
			}
		}
	}
	t, err := r.typeOf(f.file, fn.Fn.Results[0].Type, env)
	if err == nil && f.def.def != nil && f.def.def.Async {
		t = rustStd("Future", t)
	}
	return t, err
}

func (r *rustTypes) unify(n *sketch.Node, t *rustType, params []*sketch.Def, env *rustEnv, depth int) *rustEnv {
	if n == nil || t == nil || depth > 12 || t.kind == rustUnknown {
		return env
	}
	switch n.Kind {
	case sketch.Name:
		for _, p := range params {
			if p.Name == n.Name && env.get(p) == nil {
				return &rustEnv{env, p, t}
			}
		}
	case sketch.Addr:
		if t.kind == rustRef {
			t = t.elem
		}
		return r.unify(n.X, t, params, env, depth+1)
	case sketch.ArrayType:
		if t.kind == rustArray {
			return r.unify(n.X, t.elem, params, env, depth+1)
		}
	case sketch.Tuple:
		for i, x := range n.List {
			env = r.unify(x, t.arg(i), params, env, depth+1)
		}
	case sketch.Index:
		if t.kind == rustAdt && t.def.def.Name == pathName(n) || t.kind == rustOutside && t.name == pathName(n) {
			for i, x := range n.List {
				env = r.unify(x, t.arg(i), params, env, depth+1)
			}
		}
	}
	return env
}

func (r *rustTypes) call(file int, n *sketch.Node) (*rustType, error) {
	callee := n.X
	if callee != nil && callee.Kind == sketch.Index && callee.Sep == ':' {
		callee = callee.X
	}
	if callee != nil && callee.Kind == sketch.Member && callee.Sep == '.' {
		return r.methodCall(file, n, callee)
	}
	f, err := r.expr(file, n.X)
	if err != nil {
		return nil, err
	}
	switch f.kind {
	case rustFn:
		return r.resultOf(f, file, n, false)
	case rustAdt: // a tuple struct or variant
		if len(f.list) == 0 && f.def.def.Via != nil && len(f.def.def.Via.Fn.TypeParams) > 0 && f.def.def.Type != nil && len(f.def.def.Type.Fields) > 0 {
			var env *rustEnv
			for i, a := range n.List {
				if i < len(f.def.def.Type.Fields) {
					t, err := r.expr(file, a)
					if err != nil {
						return nil, err
					}
					env = r.unify(f.def.def.Type.Fields[i].Type, t, f.def.def.Via.Fn.TypeParams, env, 0)
				}
			}
			out := &rustType{kind: rustAdt, def: f.def}
			for _, p := range f.def.def.Via.Fn.TypeParams {
				out.list = append(out.list, env.get(p))
			}
			return out, nil
		}
		return f, nil
	case rustOutside:
		return r.outsideCall(file, n, callee, f)
	case rustParam, rustBound:
		// A value of a type that can be called.
		bounds, bfile := f.def.def, f.def.file
		var list []*sketch.Node
		if f.kind == rustBound {
			list, bfile = f.node.List, f.file
		} else {
			list = bounds.Bases
		}
		for _, b := range list {
			if b.Kind == sketch.FuncType && len(b.Fn.Results) > 0 {
				return r.typeOf(bfile, b.Fn.Results[0].Type, f.env)
			}
		}
	}
	return rustNothing, nil
}

// outsideCall is the type of a call of a function outside the tree whose
// shape is well known: constructors of wrappers.
func (r *rustTypes) outsideCall(file int, n, callee *sketch.Node, f *rustType) (*rustType, error) {
	arg := rustNothing
	if len(n.List) > 0 {
		var err error
		if arg, err = r.expr(file, n.List[0]); err != nil {
			return nil, err
		}
	}
	switch f.name {
	case "Some":
		return rustStd("Option", arg), nil
	case "Ok":
		return rustStd("Result", arg), nil
	case "Err":
		return rustStd("Result", rustNothing, arg), nil
	}
	if callee == nil || callee.Kind != sketch.Member {
		return rustStd("?"), nil
	}
	t, err := r.typeOf(file, callee.X, nil)
	if err != nil || t.kind != rustOutside {
		return rustNothing, err
	}
	switch callee.Name {
	case "new", "from", "pin", "new_unchecked":
		if len(t.list) > 0 || len(n.List) == 0 {
			return t, nil
		}
		switch t.name {
		case "Box", "Rc", "Arc", "Pin", "Mutex", "RwLock", "RefCell", "Cell", "ManuallyDrop", "OnceLock", "UnsafeCell", "AtomicPtr", "Cursor":
			if t.name == "Pin" {
				return arg, nil
			}
			return rustStd(t.name, arg), nil
		}
		return t, nil
	case "clone":
		for arg.kind == rustRef && arg.elem != nil {
			arg = arg.elem
		}
		return arg, nil
	case "with_capacity", "default", "get_mut", "as_mut":
		return t, nil
	}
	return rustNothing, nil
}

func (r *rustTypes) methodCall(file int, n, callee *sketch.Node) (*rustType, error) {
	t, err := r.expr(file, callee.X)
	if err != nil {
		return nil, err
	}
	found, env, _, err := r.find(t, callee.Name, true)
	if err != nil {
		return nil, err
	}
	if len(found) > 0 {
		f, err := r.typeOfThing(found[0], env)
		if err != nil {
			return nil, err
		}
		if f.kind == rustFn {
			return r.resultOf(f, file, n, true)
		}
	}
	// A field that can be called, as in (self.f)(x).
	return r.wellKnown(file, t, callee.Name, n)
}

// wellKnown is the type of a call of a method of the standard library that
// gives back what a wrapper or collection holds.
func (r *rustTypes) wellKnown(file int, t *rustType, name string, call *sketch.Node) (*rustType, error) {
	for range 8 {
		inner := t
		if t.kind == rustRef && t.elem != nil {
			inner = t.elem
		}
		if out, err := r.known(file, inner, name, call); err != nil || out != nil {
			return out, err
		}
		next, err := r.deref(t)
		if err != nil {
			return nil, err
		}
		if next == nil {
			break
		}
		t = next
	}
	switch name {
	case "clone", "to_owned", "by_ref", "borrow", "borrow_mut", "as_ref", "as_mut", "into_iter", "iter", "to_vec", "unwrap_or_default", "max", "min", "into_future", "boxed":
		for t.kind == rustRef && t.elem != nil {
			t = t.elem
		}
		return t, nil
	}
	if t.kind == rustOutside && len(t.list) == 0 {
		return rustStd("?"), nil
	}
	return rustNothing, nil
}

func (r *rustTypes) closureResult(file int, call *sketch.Node) (*rustType, error) {
	for i := len(call.List) - 1; i >= 0; i-- {
		f, err := r.expr(file, call.List[i])
		if err != nil {
			return nil, err
		}
		switch f.kind {
		case rustFn:
			return r.resultOf(f, file, &sketch.Node{}, false)
		case rustAdt:
			return f, nil
		}
	}
	return rustNothing, nil
}

func (r *rustTypes) known(file int, t *rustType, name string, call *sketch.Node) (*rustType, error) {
	if t.kind == rustArray {
		t = rustStd("Vec", t.elem)
	}
	if t.kind != rustOutside {
		if e, err := r.assoc(t, "Item"); err == nil && e != nil {
			t = rustStd("Iter", e)
		} else {
			return nil, nil
		}
	}
	wrap := func(kind string) (*rustType, error) {
		out, err := r.closureResult(file, call)
		return rustStd(kind, out), err
	}
	switch t.name {
	case "Option":
		switch name {
		case "unwrap", "expect", "unwrap_or", "unwrap_or_else", "unwrap_or_default", "unwrap_unchecked", "get_or_insert_with", "get_or_insert", "insert", "map_or_else", "map_or":
			if strings.HasPrefix(name, "map_or") {
				return r.closureResult(file, call)
			}
			return t.arg(0), nil
		case "as_ref", "as_mut", "take", "replace", "cloned", "copied", "filter", "or", "or_else", "clone", "inspect", "as_deref", "as_deref_mut", "as_pin_mut":
			return t, nil
		case "map":
			return wrap("Option")
		case "and_then":
			return r.closureResult(file, call)
		case "ok_or", "ok_or_else":
			return rustStd("Result", t.arg(0)), nil
		case "iter", "into_iter", "iter_mut":
			return rustStd("Iter", t.arg(0)), nil
		}
	case "Result", "Poll":
		switch name {
		case "unwrap", "expect", "unwrap_or", "unwrap_or_else", "unwrap_or_default", "into_ok":
			return t.arg(0), nil
		case "unwrap_err", "expect_err":
			return t.arg(1), nil
		case "as_ref", "as_mut", "clone", "or_else", "inspect_err", "inspect":
			return t, nil
		case "map_err":
			e, err := r.closureResult(file, call)
			return rustStd(t.name, t.arg(0), e), err
		case "map", "map_ok":
			out, err := r.closureResult(file, call)
			return rustStd(t.name, out, t.arg(1)), err
		case "and_then":
			return r.closureResult(file, call)
		case "ok":
			return rustStd("Option", t.arg(0)), nil
		case "err":
			return rustStd("Option", t.arg(1)), nil
		}
	case "Mutex", "RwLock", "RefCell", "Guard":
		switch name {
		case "lock", "read", "write", "borrow", "borrow_mut", "try_lock", "blocking_lock", "get_mut", "into_inner", "try_read", "try_write":
			return rustStd("Guard", t.arg(0)), nil
		case "unwrap", "expect", "unwrap_or_else":
			return t, nil
		}
	case "Cell", "OnceCell", "OnceLock", "Pin", "Box", "Arc", "Rc", "UnsafeCell", "Lazy", "LazyLock":
		switch name {
		case "get", "take", "as_ref", "as_mut", "get_mut", "into_inner", "get_unchecked_mut", "deref", "deref_mut", "borrow", "get_or_init", "project":
			return t.arg(0), nil
		case "clone":
			return t, nil
		}
	case "Vec", "VecDeque", "HashSet", "BTreeSet", "BinaryHeap", "SmallVec", "LinkedList", "IndexSet":
		switch name {
		case "iter", "iter_mut", "into_iter", "drain":
			return rustStd("Iter", t.arg(0)), nil
		case "first", "last", "get", "get_mut", "pop", "pop_front", "pop_back", "front", "back", "first_mut", "last_mut", "peek", "front_mut", "back_mut", "take":
			return rustStd("Option", t.arg(0)), nil
		case "remove", "swap_remove":
			return t.arg(0), nil
		case "clone", "as_slice", "as_mut_slice", "to_vec", "split_off", "as_ref", "as_mut":
			return t, nil
		}
	case "HashMap", "BTreeMap", "IndexMap":
		switch name {
		case "get", "get_mut", "remove", "insert":
			return rustStd("Option", t.arg(1)), nil
		case "values", "values_mut", "into_values":
			return rustStd("Iter", t.arg(1)), nil
		case "keys", "into_keys":
			return rustStd("Iter", t.arg(0)), nil
		case "iter", "iter_mut", "into_iter", "drain":
			return rustStd("Iter", &rustType{kind: rustTuple, list: t.list}), nil
		case "entry":
			return rustStd("Entry", t.arg(1)), nil
		case "clone":
			return t, nil
		}
	case "Entry":
		switch name {
		case "or_insert", "or_insert_with", "or_default":
			return t.arg(0), nil
		}
	case "Iter":
		switch name {
		case "next", "find", "last", "nth", "min", "max", "min_by_key", "max_by_key", "peek", "next_back", "reduce", "position":
			return rustStd("Option", t.arg(0)), nil
		case "rev", "skip", "take", "filter", "by_ref", "peekable", "chain", "cloned", "copied", "step_by", "take_while", "skip_while", "inspect", "fuse", "cycle", "into_iter", "clone":
			return t, nil
		case "map":
			return wrap("Iter")
		case "filter_map", "flat_map":
			out, err := r.closureResult(file, call)
			if err != nil {
				return nil, err
			}
			e, err := r.elem(out)
			return rustStd("Iter", e), err
		case "enumerate":
			return rustStd("Iter", &rustType{kind: rustTuple, list: []*rustType{{kind: rustBasic, name: "usize"}, t.arg(0)}}), nil
		case "zip":
			other := rustNothing
			if len(call.List) > 0 {
				o, err := r.expr(file, call.List[0])
				if err != nil {
					return nil, err
				}
				if other, err = r.elem(o); err != nil {
					return nil, err
				}
			}
			return rustStd("Iter", &rustType{kind: rustTuple, list: []*rustType{t.arg(0), other}}), nil
		}
	}
	return nil, nil
}

// closureArg is the type of a closure's parameter, from the call that the
// closure is an argument of.
func (r *rustTypes) closureArg(file int, n *sketch.Node) (*rustType, error) {
	lit := n.X
	if lit == nil || lit.X == nil || lit.X.Kind != sketch.Call {
		return rustNothing, nil
	}
	call := lit.X
	i, _ := strconv.Atoi(n.Name)
	callee := call.X
	if callee != nil && callee.Kind == sketch.Index && callee.Sep == ':' {
		callee = callee.X
	}
	var f *rustType
	method := callee != nil && callee.Kind == sketch.Member && callee.Sep == '.'
	if method {
		t, err := r.expr(file, callee.X)
		if err != nil {
			return nil, err
		}
		found, env, _, err := r.find(t, callee.Name, true)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			for t.kind == rustRef && t.elem != nil {
				t = t.elem
			}
			if t.kind == rustArray {
				return t.elem, nil
			}
			if t.kind != rustOutside {
				return r.elem(t)
			}
			switch callee.Name {
			case "map_err", "unwrap_or_else", "or_else", "inspect_err":
				return t.arg(1), nil
			case "fold":
				if i == 0 {
					return rustNothing, nil
				}
				i = 0
			}
			if i > 0 {
				return rustNothing, nil
			}
			return t.arg(0), nil
		}
		if f, err = r.typeOfThing(found[0], env); err != nil {
			return nil, err
		}
	} else {
		var err error
		if f, err = r.expr(file, call.X); err != nil {
			return nil, err
		}
	}
	if f.kind != rustFn || f.node == nil || f.node.Fn == nil {
		return rustNothing, nil
	}
	params := f.node.Fn.Params
	if method && len(params) > 0 && params[0].Name == "self" {
		params = params[1:]
	}
	at := slices.Index(call.List, lit)
	if at < 0 || at >= len(params) || params[at].Type == nil {
		return rustNothing, nil
	}
	bounds := []*sketch.Node{params[at].Type}
	switch p := params[at].Type; p.Kind {
	case sketch.InterfaceType:
		bounds = p.List
	case sketch.Name:
		for _, tp := range f.node.Fn.TypeParams {
			if tp.Name == p.Name {
				bounds = tp.Bases
			}
		}
	}
	for _, b := range bounds {
		if b.Kind == sketch.FuncType && b.Fn != nil && i < len(b.Fn.Params) {
			return r.typeOf(f.file, b.Fn.Params[i].Type, f.env)
		}
	}
	return rustNothing, nil
}
