package infer

import "github.com/pindex-dev/pindex/query/sketch"

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
	if found[0].Def.Kind == sketch.Impl && env != nil {
		return r.typeOf(found[0].File, found[0].Def.Type, env)
	}
	return r.holderType(found[0])
}

// holderType is the type that Self means in what x is.
func (r *rustTypes) holderType(x Thing) (*rustType, error) {
	switch x.Def.Kind {
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
	switch x.Def.Kind {
	case sketch.TypeParam:
		if t := env.get(x.Def); t != nil {
			return t, nil
		}
		return &rustType{kind: rustParam, def: x}, nil
	case sketch.Trait:
		return &rustType{kind: rustParam, def: x}, nil
	case sketch.TypeName:
		if x.Def.Alias {
			if x.Def.Type == nil || r.busy[x.Def] {
				return rustNothing, nil
			}
			r.busy[x.Def] = true
			t, err := r.typeOf(x.File, x.Def.Type, r.bindParams(x.Def, args))
			delete(r.busy, x.Def)
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

func (r *rustTypes) variantType(x Thing) *rustType {
	if x.Def.Parent == nil {
		return rustNothing
	}
	return &rustType{kind: rustAdt, def: Thing{x.File, x.Def.Parent}}
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
			for _, m := range im.Def.Members {
				if m.Name == name && m.Kind == sketch.TypeName && m.Type != nil {
					return r.typeOf(im.File, m.Type, r.implEnv(im, t))
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
		for _, b := range t.def.Def.Bases {
			if b.Kind != sketch.Index {
				continue
			}
			for _, a := range b.List {
				if a != nil && a.Kind == sketch.KeyValue && a.Name == name {
					return r.typeOf(t.def.File, a.Y, nil)
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

// typeOfThing is the type of what a definition is as a value.
func (r *rustTypes) typeOfThing(x Thing, env *rustEnv) (*rustType, error) {
	d := x.Def
	if env == nil {
		if t := r.types[d]; t != nil && d.Kind != sketch.Impl {
			return t, nil
		}
	}
	if r.busy[d] {
		return rustNothing, nil
	}
	r.busy[d] = true
	outer := r.begin()
	t, err := r.freshType(x, env)
	delete(r.busy, d)
	if t == nil {
		t = rustNothing
	}
	if r.end(outer) && err == nil && env == nil && d.Kind != sketch.Impl {
		r.types[d] = t
	}
	return t, err
}

func (r *rustTypes) freshType(x Thing, env *rustEnv) (*rustType, error) {
	d := x.Def
	switch d.Kind {
	case sketch.Function, sketch.Method:
		return &rustType{kind: rustFn, node: d.Type, file: x.File, env: env, def: x}, nil
	case sketch.TypeName:
		if d.Alias {
			return r.typeOf(x.File, d.Type, env)
		}
		return &rustType{kind: rustAdt, def: x}, nil
	case sketch.Variant:
		return r.variantType(x), nil
	case sketch.Impl:
		return r.selfOf(x)
	}
	if d.Type != nil {
		return r.typeOf(x.File, d.Type, env)
	}
	return r.expr(x.File, d.Init)
}
