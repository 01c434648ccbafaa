package query

import (
	"slices"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/sketch"
)

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
