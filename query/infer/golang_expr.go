package infer

import "github.com/pindex-dev/pindex/query/sketch"

// expr says what an expression is. env binds the type parameters that are
// written in it.
func (g *goTypes) expr(file int, n *sketch.Node, env *goEnv) (goExpr, error) {
	if n == nil {
		return goExpr{}, nil
	}
	if env == nil {
		if e, ok := g.memo[n]; ok {
			return e, nil
		}
	}
	g.depth++
	defer func() { g.depth-- }()
	if g.tooMuch() {
		return goExpr{}, nil
	}
	outer := g.begin()
	e, err := g.fresh(file, n, env)
	if g.end(outer) && err == nil && env == nil {
		g.memo[n] = e
	}
	return e, err
}

func valueOf(t *goType) goExpr { return goExpr{mode: goValue, typ: t} }

func basic(name string) *goType { return &goType{kind: goBasic, name: name} }

func (g *goTypes) fresh(file int, n *sketch.Node, env *goEnv) (goExpr, error) {
	switch n.Kind {
	case sketch.Name:
		return g.name(file, n, env)
	case sketch.Member:
		return g.memberExpr(file, n, env)
	case sketch.Lit:
		return valueOf(basic(n.Name)), nil
	case sketch.Call:
		return g.call(file, n, env)
	case sketch.Index:
		return g.index(file, n, env)
	case sketch.Slice:
		x, err := g.expr(file, n.X, env)
		if err != nil || x.typ == nil {
			return goExpr{}, err
		}
		if u, err := g.underlying(x.typ); err != nil {
			return goExpr{}, err
		} else if u.kind == goPointer {
			return valueOf(u.elem), nil
		}
		return valueOf(x.typ), nil
	case sketch.Star:
		x, err := g.expr(file, n.X, env)
		if err != nil {
			return goExpr{}, err
		}
		if x.mode == goTypeName {
			return goExpr{mode: goTypeName, typ: &goType{kind: goPointer, elem: x.typ}}, nil
		}
		u, err := g.underlying(x.typ)
		if err != nil || u == nil {
			return goExpr{}, err
		}
		switch u.kind {
		case goPointer:
			return valueOf(u.elem), nil
		case goOutside:
			return valueOf(goElsewhere), nil
		}
		return goExpr{}, nil
	case sketch.Addr:
		x, err := g.expr(file, n.X, env)
		if err != nil || x.typ == nil {
			return goExpr{}, err
		}
		return valueOf(&goType{kind: goPointer, elem: x.typ}), nil
	case sketch.Unary:
		x, err := g.expr(file, n.X, env)
		return valueOf(x.typ), err
	case sketch.Binary:
		switch n.Name {
		case "==", "!=", "<", ">", "<=", ">=", "&&", "||":
			return valueOf(basic("bool")), nil
		}
		x, err := g.expr(file, n.X, env)
		if err != nil {
			return goExpr{}, err
		}
		if n.X != nil && n.X.Kind == sketch.Lit && n.Name != "<<" && n.Name != ">>" {
			y, err := g.expr(file, n.Y, env)
			return valueOf(y.typ), err
		}
		return valueOf(x.typ), nil
	case sketch.Composite:
		t, err := g.literalType(file, n)
		return valueOf(t), err
	case sketch.FuncLit:
		return valueOf(&goType{kind: goFunc, node: n, env: env, def: Thing{File: file}}), nil
	case sketch.Assert:
		t, err := g.typeOf(file, n.Y, env)
		return valueOf(t), err
	case sketch.Receive:
		x, err := g.expr(file, n.X, env)
		if err != nil {
			return goExpr{}, err
		}
		u, err := g.underlying(x.typ)
		if err != nil || u == nil {
			return goExpr{}, err
		}
		if u.kind == goOutside {
			return valueOf(goElsewhere), nil
		}
		return valueOf(u.elem), nil
	case sketch.ArrayType, sketch.MapType, sketch.ChanType, sketch.FuncType, sketch.StructType, sketch.InterfaceType:
		t, err := g.typeOf(file, n, env)
		return goExpr{mode: goTypeName, typ: t}, err
	}
	return goExpr{}, nil
}

func (g *goTypes) name(file int, n *sketch.Node, env *goEnv) (goExpr, error) {
	found, rule, err := g.lookup(file, n.At, n.Name)
	if err != nil {
		return goExpr{}, err
	}
	if len(found) > 0 {
		return g.thing(found[0], env)
	}
	switch {
	case goTypeOfUniverse(n.Name):
		return goExpr{mode: goTypeName, typ: basic(n.Name)}, nil
	case n.Name == "true" || n.Name == "false":
		return valueOf(basic("bool")), nil
	case n.Name == "iota":
		return valueOf(basic("int")), nil
	case n.Name == "nil":
		return valueOf(goNothing), nil
	case goUniverse(n.Name):
		return goExpr{mode: goBuiltinFunc, name: n.Name}, nil
	case rule != "":
		return valueOf(goElsewhere), nil
	}
	return goExpr{}, nil
}

// thing says what a definition is as an expression.
func (g *goTypes) thing(x Thing, env *goEnv) (goExpr, error) {
	d := x.Def
	switch d.Kind {
	case sketch.Import:
		m, err := g.tree.Module(x.File, d.Path)
		return goExpr{mode: goPackageName, files: m.Files}, err
	case sketch.TypeName:
		if d.Alias {
			if g.busy[d] {
				return goExpr{}, nil
			}
			g.busy[d] = true
			t, err := g.typeOf(x.File, d.Type, nil)
			delete(g.busy, d)
			return goExpr{mode: goTypeName, typ: t}, err
		}
		return goExpr{mode: goTypeName, typ: &goType{kind: goNamed, def: x}}, nil
	case sketch.TypeParam:
		if t := env.get(d); t != nil {
			return goExpr{mode: goTypeName, typ: t}, nil
		}
		if d.Type == nil && d.N > 0 {
			c, err := g.receiverConstraint(x)
			if err != nil || c == nil {
				return goExpr{mode: goTypeName, typ: goNothing}, err
			}
			x.Def = c
		}
		return goExpr{mode: goTypeName, typ: &goType{kind: goParam, def: x}}, nil
	}
	t, err := g.typeOfThing(x, env)
	e := valueOf(t)
	if d.Kind == sketch.Function || d.Kind == sketch.Method {
		e.in = x
	}
	return e, err
}

// ranged is the type of what ranging over a value gives.
func (g *goTypes) ranged(t *goType, second bool) (*goType, error) {
	u, err := g.underlying(t)
	if err != nil {
		return nil, err
	}
	if u.kind == goPointer {
		if u, err = g.underlying(u.elem); err != nil {
			return nil, err
		}
	}
	switch u.kind {
	case goOutside:
		return goElsewhere, nil
	case goArray:
		if second {
			return u.elem, nil
		}
		return basic("int"), nil
	case goMap:
		if second {
			return u.elem, nil
		}
		return u.key, nil
	case goChan:
		return u.elem, nil
	case goBasic:
		if second {
			return basic("rune"), nil
		}
		return basic("int"), nil
	case goFunc:
		// func(yield func(K, V) bool)
		if ps := u.node.Fn.Params; len(ps) == 1 {
			yield, err := g.typeOf(u.def.File, ps[0].Type, u.env)
			if err != nil {
				return nil, err
			}
			if yield, err = g.underlying(yield); err != nil || yield.kind != goFunc {
				return goNothing, err
			}
			i := 0
			if second {
				i = 1
			}
			if in := yield.node.Fn.Params; i < len(in) {
				return g.typeOf(yield.def.File, in[i].Type, yield.env)
			}
		}
	}
	return goNothing, nil
}

func (g *goTypes) index(file int, n *sketch.Node, env *goEnv) (goExpr, error) {
	x, err := g.expr(file, n.X, env)
	if err != nil || x.typ == nil {
		return goExpr{}, err
	}
	if x.mode == goTypeName {
		if x.typ.kind != goNamed {
			return x, nil
		}
		t := &goType{kind: goNamed, def: x.typ.def}
		for _, a := range n.List {
			at, err := g.typeOf(file, a, env)
			if err != nil {
				return goExpr{}, err
			}
			t.list = append(t.list, at)
		}
		return goExpr{mode: goTypeName, typ: t}, nil
	}
	u, err := g.underlying(x.typ)
	if err != nil {
		return goExpr{}, err
	}
	if u.kind == goPointer {
		if u, err = g.underlying(u.elem); err != nil {
			return goExpr{}, err
		}
	}
	switch u.kind {
	case goOutside:
		return valueOf(goElsewhere), nil
	case goArray, goMap:
		return valueOf(u.elem), nil
	case goBasic:
		return valueOf(basic("byte")), nil
	case goFunc:
		if x.in.Def == nil {
			return x, nil
		}
		e := u.env
		i := 0
		for _, p := range u.node.Fn.TypeParams {
			if p.N > 0 {
				continue
			}
			if i < len(n.List) {
				at, err := g.typeOf(file, n.List[i], env)
				if err != nil {
					return goExpr{}, err
				}
				e = &goEnv{e, p, at}
			}
			i++
		}
		return goExpr{mode: goValue, in: x.in, typ: &goType{kind: goFunc, node: u.node, env: e, def: u.def}}, nil
	}
	return goExpr{}, nil
}
