package infer

import (
	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/sketch"
)

// find finds a field or, for calls, a method: of the type, of what it leads
// to, and of traits.
func (r *rustTypes) find(t *rustType, name string, call bool) (found []Thing, env *rustEnv, outside bool, err error) {
	for n := 0; t != nil && n < 12; n++ {
		if r.tooMuch() {
			return nil, nil, false, nil
		}
		if t.kind == rustAdt && !call {
			for _, f := range fieldsOfType(t) {
				if f.Def.Name == name {
					return []Thing{f}, r.bindParams(t.def.Def, t.list), false, nil
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
	all, err := r.tree.Symbols(name)
	if err != nil {
		return false
	}
	for _, d := range all {
		if r.tree.Lang(d.File) == "rust" && len(d.Names) > 1 {
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
	} else if t.def.Def != nil {
		list, file = t.def.Def.Bases, t.def.File
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

func fieldsOfType(t *rustType) []Thing {
	var out []Thing
	d := t.def.Def
	if d.Type != nil && d.Type.Kind == sketch.StructType {
		for _, f := range d.Type.Fields {
			out = append(out, Thing{t.def.File, f})
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
			if im.Def.Via == nil || pathName(im.Def.Via) != "Deref" {
				continue
			}
			for _, m := range im.Def.Members {
				if m.Name == "Target" && m.Type != nil {
					return r.typeOf(im.File, m.Type, r.implEnv(im, t))
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
func (r *rustTypes) methods(t *rustType, name string) ([]Thing, *rustEnv, error) {
	if t.kind == rustUnknown {
		return nil, nil, nil
	}
	if t.kind == rustParam && t.def.Def.Kind == sketch.Trait {
		return r.inTrait(t.def, name, t, 0)
	}
	if t.kind == rustParam || t.kind == rustBound {
		var bounds []*sketch.Node
		file := t.file
		if t.kind == rustBound {
			bounds = t.node.List
		} else {
			bounds, file = t.def.Def.Bases, t.def.File
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
				if tr.Def.Kind == sketch.Trait {
					if found, env, err := r.inTrait(tr, name, t, 0); err != nil || len(found) > 0 {
						return found, env, err
					}
				}
			}
		}
	}
	all, err := r.tree.Symbols(name)
	if err != nil {
		return nil, nil, err
	}
	var byTrait, byDefault []Thing
	var envTrait, envDefault *rustEnv
	for _, d := range all {
		if d.Kind == artifact.KindField || d.Kind == artifact.KindEnumMember || r.tree.Lang(d.File) != "rust" || len(d.Names) < 2 {
			continue
		}
		x, ok, err := Locate(r.tree, d)
		if err != nil {
			return nil, nil, err
		}
		if !ok || x.Def.Parent == nil {
			continue
		}
		h := Thing{x.File, x.Def.Parent}
		switch h.Def.Kind {
		case sketch.Impl:
			self, err := r.selfOf(h)
			if err != nil {
				return nil, nil, err
			}
			if !sameRustType(self, t) {
				continue
			}
			if h.Def.Via == nil {
				return []Thing{x}, r.implEnv(h, t), nil
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
			for _, m := range im.Def.Members {
				if m.Kind == sketch.Generated && m.Name == name {
					return []Thing{{im.File, m}}, nil, nil
				}
			}
		}
	}
	// Several traits with such a method: the first to be implemented for the
	// type by name, not for all types.
	return nil, nil, nil
}
