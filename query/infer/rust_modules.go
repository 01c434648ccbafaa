package infer

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/query/sketch"
	"github.com/pindex-dev/pindex/query/treepath"
)

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
	s, err := r.tree.Sketch(m.file)
	if err != nil || s == nil {
		return nil, err
	}
	return s.Top, nil
}

// moduleOf enters a module.
func (r *rustTypes) moduleOf(x Thing) (rustModule, bool) {
	if x.Def.Name == "" {
		return rustModule{x.File, nil}, true
	}
	if !x.Def.Fwd {
		return x.module(), true
	}
	p := r.tree.Path(x.File)
	dir, stem := treepath.Dir(p), treepath.Stem(p)
	if stem != "mod" && stem != "lib" && stem != "main" && !r.isRoot(x.File) {
		dir = treepath.Under(dir, stem)
	}
	var outer []string
	for d := x.Def.Parent; d != nil; d = d.Parent {
		if d.Kind == sketch.Namespace {
			outer = append([]string{d.Name}, outer...)
		}
	}
	dir = treepath.Under(dir, strings.Join(append(outer, x.Def.Name), "/"))
	if files := r.tree.Find(strings.Trim(dir, "/")+".rs", strings.Trim(dir, "/")+"/mod.rs"); len(files) > 0 {
		return rustModule{files[0], nil}, true
	}
	return rustModule{}, false
}

func (x Thing) module() rustModule { return rustModule{x.File, x.Def} }

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
	p := r.tree.Path(m.file)
	dir, stem := treepath.Dir(p), treepath.Stem(p)
	switch stem {
	case "lib", "main":
		return rustModule{}, false
	case "mod":
		stem, dir = treepath.Base(dir), treepath.Dir(dir)
	}
	for _, c := range []string{treepath.Under(dir, "mod.rs"), treepath.Under(dir, "lib.rs"), treepath.Under(dir, "main.rs"), dir + ".rs"} {
		for _, f := range r.tree.Find(c) {
			if f == m.file {
				continue
			}
			s, err := r.tree.Sketch(f)
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
func (r *rustTypes) inModule(m rustModule, name string, depth int) (found []Thing, outside bool, err error) {
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
	var made []Thing
	for _, d := range items {
		if d.Name == name && d.Kind == sketch.Generated {
			made = append(made, Thing{m.file, d})
		} else if d.Name == name && d.Kind != sketch.Import && d.Kind != sketch.Impl {
			found = append(found, Thing{m.file, d})
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
func (r *rustTypes) resolve(m rustModule, comps []string, w want, depth int, im *sketch.Def) (found []Thing, outside bool, err error) {
	if depth > maxRustDepth || len(comps) == 0 {
		return nil, false, nil
	}
	holder := func(m rustModule) []Thing {
		if m.ns != nil {
			return []Thing{{m.file, m.ns}}
		}
		return []Thing{{m.file, &sketch.Def{Kind: sketch.Namespace}}}
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
			dir, ok, err := r.tree.Crate(comps[0])
			if err != nil {
				return nil, false, err
			}
			if ok {
				saved := r.foreign
				r.foreign = true
				defer func() { r.foreign = saved }()
				for _, f := range r.tree.Find(treepath.Under(dir, "lib.rs"), treepath.Under(dir, "main.rs")) {
					found = holder(rustModule{f, nil})
				}
			}
			if len(found) == 0 {
				return nil, im != nil || len(comps) > 1, nil
			}
		}
	}
	for ; i < len(comps); i++ {
		var next []Thing
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
func membersNamed(x Thing, name string) []Thing {
	for _, m := range x.Def.Members {
		if m.Name == name {
			return []Thing{{x.File, m}}
		}
	}
	return nil
}

// step finds a name behind "::" in what x is.
func (r *rustTypes) step(x Thing, name string, depth int) (found []Thing, outside bool, err error) {
	switch x.Def.Kind {
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
		if x.Def.Alias {
			if t, err = r.typeOf(x.File, x.Def.Type, nil); err != nil {
				return nil, false, err
			}
		}
		return r.inType(t, name)
	case sketch.Trait:
		found, _, err := r.inTrait(x, name, nil, 0)
		return found, false, err
	case sketch.TypeParam:
		found, _, outside, err := r.find(&rustType{kind: rustParam, def: x}, name, true)
		return found, outside, err
	case sketch.Impl:
		for _, m := range x.Def.Members {
			if m.Name == name && m.Kind != sketch.Generated {
				return []Thing{{x.File, m}}, false, nil
			}
		}
		t, err := r.selfOf(x)
		if err != nil {
			return nil, false, err
		}
		return r.inType(t, name)
	}
	return nil, false, nil
}

// inType looks a name up in a type: its own variants and fields, then what is
// implemented for it.
func (r *rustTypes) inType(t *rustType, name string) (found []Thing, outside bool, err error) {
	if t.kind == rustAdt {
		if found := membersNamed(t.def, name); found != nil {
			return found, false, nil
		}
	}
	found, _, outside, err = r.find(t, name, true)
	return found, outside, err
}
