package infer

import (
	"slices"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/sketch"
)

// implsOf returns the implementations that are written for a type.
func (r *rustTypes) implsOf(x Thing) ([]Thing, error) {
	all, err := r.tree.Symbols(x.Def.Name)
	if err != nil {
		return nil, err
	}
	var out []Thing
	for _, d := range all {
		if d.Kind != artifact.KindImpl {
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

func (r *rustTypes) implAt(d Symbol) (Thing, bool, error) {
	s, err := r.tree.Sketch(d.File)
	if err != nil || s == nil {
		return Thing{}, false, err
	}
	at, ok, err := r.tree.Offset(d.File, d.At)
	if err != nil || !ok {
		return Thing{}, false, err
	}
	h := s.Holder(at)
	for ; h != nil && h.Kind != sketch.Impl; h = h.Parent {
	}
	if h == nil {
		if h = s.At(at); h == nil || h.Kind != sketch.Impl {
			return Thing{}, false, nil
		}
	}
	return Thing{d.File, h}, true, nil
}

// implEnv binds an implementation's parameters so that it is one for t.
func (r *rustTypes) implEnv(im Thing, t *rustType) *rustEnv {
	env := &rustEnv{nil, nil, t}
	n := im.Def.Type
	for n != nil && n.Kind == sketch.Addr {
		n = n.X
	}
	if n != nil && n.Kind == sketch.Index {
		for i, a := range n.List {
			if a == nil || a.Kind != sketch.Name || i >= len(t.list) {
				continue
			}
			for _, p := range im.Def.Params {
				if p.Name == a.Name {
					env = &rustEnv{env, p, t.list[i]}
				}
			}
		}
	}
	if n != nil && n.Kind == sketch.Name {
		for _, p := range im.Def.Params {
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
func (r *rustTypes) implements(t *rustType, trait Thing) (bool, error) {
	name := t.name
	if t.kind == rustAdt {
		key := [2]*sketch.Def{t.def.Def, trait.Def}
		if ok, done := r.trait[key]; done {
			return ok, nil
		}
		r.trait[key] = false
		impls, err := r.implsOf(t.def)
		if err != nil {
			return false, err
		}
		for _, im := range impls {
			if im.Def.Via == nil || pathName(im.Def.Via) != trait.Def.Name {
				continue
			}
			found, _, err := r.path(im.File, im.Def.Via, wantHolder)
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
		all, err := r.tree.Symbols(name)
		if err != nil {
			return false, err
		}
		for _, d := range all {
			if d.Kind != artifact.KindImpl {
				continue
			}
			im, ok, err := r.implAt(d)
			if err != nil {
				return false, err
			}
			if ok && im.Def.Via != nil && pathName(im.Def.Via) == trait.Def.Name {
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
func (r *rustTypes) blanket(trait Thing) (bool, error) {
	key := [2]*sketch.Def{nil, trait.Def}
	if ok, done := r.trait[key]; done {
		return ok, nil
	}
	s, err := r.tree.Sketch(trait.File)
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
			if d.Kind != sketch.Impl || d.Via == nil || pathName(d.Via) != trait.Def.Name || d.Type == nil {
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
func (r *rustTypes) inTrait(x Thing, name string, self *rustType, depth int) ([]Thing, *rustEnv, error) {
	for _, m := range x.Def.Members {
		if m.Name == name {
			var env *rustEnv
			if self != nil {
				env = &rustEnv{nil, nil, self}
			}
			return []Thing{{x.File, m}}, env, nil
		}
	}
	if depth > 8 {
		return nil, nil, nil
	}
	for _, b := range x.Def.Bases {
		found, _, err := r.path(x.File, b, wantHolder)
		if err != nil {
			return nil, nil, err
		}
		for _, t := range found {
			if t.Def.Kind == sketch.Trait && t.Def != x.Def {
				if ms, env, err := r.inTrait(t, name, self, depth+1); err != nil || len(ms) > 0 {
					return ms, env, err
				}
			}
		}
	}
	return nil, nil, nil
}
