package infer

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/sketch"
)

// path finds what a path in code means.
func (r *rustTypes) path(file int, n *sketch.Node, w want) (found []Thing, outside bool, err error) {
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
			return []Thing{t.def}, false, nil
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
		var all []Thing
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
func (r *rustTypes) name(file int, at uint32, name string, w want) (found []Thing, outside bool, err error) {
	s, err := r.tree.Sketch(file)
	if err != nil || s == nil {
		return nil, false, err
	}
	m := r.moduleAt(file, s, at)
	switch name {
	case "Self":
		if d := s.Local(at, name); d != nil {
			return []Thing{{file, d}}, false, nil
		}
		for d := s.Holder(at); d != nil; d = d.Parent {
			if d.Kind == sketch.Impl || d.Kind == sketch.Trait || d.Kind == sketch.TypeName {
				return []Thing{{file, d}}, false, nil
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
		return []Thing{{file, d}}, false, nil
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
func (r *rustTypes) macro(file int, n *sketch.Node) (Result, error) {
	if n.Kind == sketch.Member {
		found, outside, err := r.path(file, n, wantAny)
		if err != nil {
			return Result{}, err
		}
		found = slices.DeleteFunc(slices.Clone(found), func(x Thing) bool { return x.Def.Kind != sketch.MacroName })
		if len(found) > 0 || outside {
			return r.result(found, outside, n), nil
		}
	}
	found, err := r.macrosNamed(file, n.Name, false)
	if err != nil {
		return Result{}, err
	}
	if len(found) > 0 {
		return boundTo("the macro in scope", found...), nil
	}
	return Result{State: Outside, Rule: "no macro of the tree"}, nil
}

// macrosNamed finds the macros of a name that a file can use: its own before
// those of its crate. One that stands before the use in the file is nearest.
func (r *rustTypes) macrosNamed(file int, name string, crate bool) ([]Thing, error) {
	all, err := r.tree.Symbols(name)
	if err != nil {
		return nil, err
	}
	var same, near, rest []Thing
	root := r.root(rustModule{file, nil}).file
	for _, d := range all {
		if d.Kind != artifact.KindMacro || r.tree.Lang(d.File) != "rust" {
			continue
		}
		x, ok, err := Locate(r.tree, d)
		if err != nil {
			return nil, err
		}
		if !ok || x.Def.Kind != sketch.MacroName {
			continue
		}
		switch {
		case d.File == file:
			same = append(same, x)
		case r.root(rustModule{d.File, nil}).file == root:
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
func (r *rustTypes) field(file int, s *sketch.File, u sketch.Use) (Result, error) {
	found, outside, err := r.path(file, u.Of.X, wantAny)
	if err != nil {
		return Result{}, err
	}
	var things []Thing
	for _, x := range found {
		fs, err := r.fieldsOf(x)
		if err != nil {
			return Result{}, err
		}
		for _, f := range fs {
			if f.Def.Name == u.Node.Name {
				things = append(things, f)
			}
		}
	}
	if u.Short {
		if d := s.LocalAt(u.At); d != nil && d.At == u.At {
			if d.Same != nil {
				d = d.Same
			}
			things = append(things, Thing{file, d})
		} else {
			local, _, err := r.name(file, u.At, u.Node.Name, wantValue)
			if err != nil {
				return Result{}, err
			}
			things = append(things, local...)
		}
	}
	switch {
	case len(things) > 0:
		return Result{Things: things, State: Bound, Rule: "field of the type that is written"}, nil
	case outside:
		return Result{State: Outside, Rule: "the type is outside the tree"}, nil
	}
	return Result{State: Unknown, Rule: "a field of a type that is not known"}, nil
}

// fieldsOf returns the fields of a struct or variant, through aliases and Self.
func (r *rustTypes) fieldsOf(x Thing) ([]Thing, error) {
	switch x.Def.Kind {
	case sketch.Impl:
		t, err := r.selfOf(x)
		if err != nil || t.kind != rustAdt {
			return nil, err
		}
		x = t.def
	case sketch.TypeName:
		if x.Def.Alias {
			t, err := r.typeOf(x.File, x.Def.Type, nil)
			if err != nil || t.kind != rustAdt {
				return nil, err
			}
			x = t.def
		}
	}
	var out []Thing
	if x.Def.Type != nil && x.Def.Type.Kind == sketch.StructType {
		for _, f := range x.Def.Type.Fields {
			out = append(out, Thing{x.File, f})
		}
	}
	return out, nil
}

// selfOf is the type that an implementation is for.
func (r *rustTypes) selfOf(impl Thing) (*rustType, error) {
	if r.busy[impl.Def] {
		return rustNothing, nil
	}
	if t := r.types[impl.Def]; t != nil {
		return t, nil
	}
	r.busy[impl.Def] = true
	t, err := r.typeOf(impl.File, impl.Def.Type, nil)
	delete(r.busy, impl.Def)
	if err == nil {
		r.types[impl.Def] = t
	}
	return t, err
}

// member says what x.name means.
func (r *rustTypes) member(file int, n *sketch.Node) (Result, error) {
	t, err := r.expr(file, n.X)
	if err != nil {
		return Result{}, err
	}
	found, _, outside, err := r.find(t, n.Name, n.Flag)
	if err != nil {
		return Result{}, err
	}
	switch {
	case len(found) > 0:
		return Result{Things: found, State: Bound, Rule: "member of the receiver's type"}, nil
	case outside:
		return Result{State: Outside, Rule: "the receiver's type is outside the tree"}, nil
	}
	return Result{State: Unknown, Rule: "the receiver's type is not known", Guess: t.kind == rustUnknown}, nil
}
