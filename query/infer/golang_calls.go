package infer

import "github.com/pindex-dev/pindex/query/sketch"

func (g *goTypes) call(file int, n *sketch.Node, env *goEnv) (goExpr, error) {
	f, err := g.expr(file, n.X, env)
	if err != nil {
		return goExpr{}, err
	}
	switch f.mode {
	case goTypeName:
		return valueOf(f.typ), nil
	case goBuiltinFunc:
		return g.builtin(file, f.name, n, env)
	case goValue:
	default:
		return goExpr{}, nil
	}
	u, err := g.underlying(f.typ)
	if err != nil {
		return goExpr{}, err
	}
	switch {
	case u == nil:
		return goExpr{}, nil
	case u.kind == goOutside:
		return valueOf(goElsewhere), nil
	case u.kind != goFunc:
		return goExpr{}, nil
	}
	e := u.env
	if f.in.Def != nil && len(u.node.Fn.TypeParams) > 0 {
		if e, err = g.inferArgs(file, n, u, env); err != nil {
			return goExpr{}, err
		}
	}
	t, err := g.results(u, e)
	return valueOf(t), err
}

// results is the type of a call: a tuple for several results.
func (g *goTypes) results(u *goType, env *goEnv) (*goType, error) {
	rs := u.node.Fn.Results
	if len(rs) == 1 {
		return g.typeOf(u.def.File, rs[0].Type, env)
	}
	t := &goType{kind: goTuple}
	for _, r := range rs {
		rt, err := g.typeOf(u.def.File, r.Type, env)
		if err != nil {
			return nil, err
		}
		t.list = append(t.list, rt)
	}
	return t, nil
}

func (g *goTypes) builtin(file int, name string, n *sketch.Node, env *goEnv) (goExpr, error) {
	if len(n.List) == 0 {
		return goExpr{mode: goValue, typ: goNothing}, nil
	}
	switch name {
	case "new":
		x, err := g.expr(file, n.List[0], env)
		return valueOf(&goType{kind: goPointer, elem: x.typ}), err
	case "make":
		t, err := g.typeOf(file, n.List[0], env)
		return valueOf(t), err
	case "append", "min", "max":
		x, err := g.expr(file, n.List[0], env)
		return valueOf(x.typ), err
	case "len", "cap", "copy":
		return valueOf(basic("int")), nil
	}
	return valueOf(goNothing), nil
}

// inferArgs binds a generic function's type parameters by its arguments.
func (g *goTypes) inferArgs(file int, call *sketch.Node, u *goType, env *goEnv) (*goEnv, error) {
	fn := u.node.Fn
	in := &goUnifier{g: g, file: u.def.File, env: u.env, params: fn.TypeParams}
	var args []*goType
	for _, a := range call.List {
		x, err := g.expr(file, a, env)
		if err != nil {
			return nil, err
		}
		if x.typ != nil && x.typ.kind == goTuple && len(call.List) == 1 {
			args = x.typ.list
			break
		}
		args = append(args, x.typ)
	}
	for i, a := range args {
		j := min(i, len(fn.Params)-1)
		if j < 0 || a == nil {
			continue
		}
		if i >= len(fn.Params) && !fn.Params[j].Alias {
			break
		}
		if fn.Params[j].Alias && call.Name == "..." {
			if v, err := g.underlying(a); err != nil {
				return nil, err
			} else if v.elem != nil {
				a = v.elem
			}
		}
		if err := in.unify(fn.Params[j].Type, a, 0); err != nil {
			return nil, err
		}
	}
	for _, p := range fn.TypeParams {
		if t := in.env.get(p); t != nil && p.Type != nil && p.Type.Kind != sketch.Name && p.Type.Kind != sketch.Member {
			v, err := g.underlying(t)
			if err != nil {
				return nil, err
			}
			if err := in.unify(p.Type, v, 0); err != nil {
				return nil, err
			}
		}
	}
	return in.env, nil
}

// goUnifier binds type parameters so that a written type becomes a known one.
type goUnifier struct {
	g      *goTypes
	file   int
	env    *goEnv
	params []*sketch.Def
}

func (u *goUnifier) unify(n *sketch.Node, t *goType, depth int) error {
	if n == nil || t == nil || depth > 20 || t.kind == goUnknown {
		return nil
	}
	if n.Kind == sketch.Name {
		for _, p := range u.params {
			if p.Name == n.Name && u.env.get(p) == nil {
				u.env = &goEnv{u.env, p, t}
			}
		}
		return nil
	}
	if n.Kind == sketch.Index {
		if t.kind == goNamed && receiverName(n) == t.def.Def.Name {
			for i, a := range n.List {
				if i < len(t.list) {
					if err := u.unify(a, t.list[i], depth+1); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
	v := t
	if t.kind == goNamed || t.kind == goParam {
		var err error
		if v, err = u.g.underlying(t); err != nil {
			return err
		}
	}
	switch {
	case n.Kind == sketch.Star && v.kind == goPointer, n.Kind == sketch.ArrayType && v.kind == goArray, n.Kind == sketch.ChanType && v.kind == goChan:
		return u.unify(n.X, v.elem, depth+1)
	case n.Kind == sketch.MapType && v.kind == goMap:
		if err := u.unify(n.X, v.key, depth+1); err != nil {
			return err
		}
		return u.unify(n.Y, v.elem, depth+1)
	case n.Kind == sketch.FuncType && v.kind == goFunc:
		for k, want := range [2][]*sketch.Def{n.Fn.Params, n.Fn.Results} {
			have := v.node.Fn.Params
			if k == 1 {
				have = v.node.Fn.Results
			}
			for i, p := range want {
				if i >= len(have) {
					break
				}
				t, err := u.g.typeOf(v.def.File, have[i].Type, v.env)
				if err != nil {
					return err
				}
				if err := u.unify(p.Type, t, depth+1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
