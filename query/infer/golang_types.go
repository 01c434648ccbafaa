package infer

import (
	"slices"

	"github.com/pindex-dev/pindex/query/sketch"
)

// typeOf reads a type expression.
func (g *goTypes) typeOf(file int, n *sketch.Node, env *goEnv) (*goType, error) {
	if n == nil {
		return goNothing, nil
	}
	g.depth++
	defer func() { g.depth-- }()
	if g.tooMuch() {
		return goNothing, nil
	}
	of := func(k goKind) (*goType, error) {
		elem, err := g.typeOf(file, n.X, env)
		return &goType{kind: k, elem: elem}, err
	}
	switch n.Kind {
	case sketch.Star:
		return of(goPointer)
	case sketch.ArrayType:
		return of(goArray)
	case sketch.ChanType:
		return of(goChan)
	case sketch.MapType:
		key, err := g.typeOf(file, n.X, env)
		if err != nil {
			return nil, err
		}
		elem, err := g.typeOf(file, n.Y, env)
		return &goType{kind: goMap, key: key, elem: elem}, err
	case sketch.FuncType, sketch.FuncLit:
		return &goType{kind: goFunc, node: n, env: env, def: Thing{File: file}}, nil
	case sketch.StructType:
		return &goType{kind: goStruct, node: n, env: env, def: Thing{File: file}}, nil
	case sketch.InterfaceType:
		return &goType{kind: goInterface, node: n, env: env, def: Thing{File: file}}, nil
	case sketch.Name, sketch.Member, sketch.Index:
		e, err := g.expr(file, n, env)
		if err != nil || e.mode != goTypeName {
			return goNothing, err
		}
		return e.typ, nil
	}
	return goNothing, nil
}

// underlying follows a named type to what it is made of.
func (g *goTypes) underlying(t *goType) (*goType, error) {
	for n := 0; t != nil && n < 64; n++ {
		switch t.kind {
		case goNamed:
			next, err := g.typeOf(t.def.File, t.def.Def.Type, g.argsEnv(t))
			if err != nil {
				return nil, err
			}
			t = next
		case goParam:
			if t.def.Def.Type == nil {
				return goNothing, nil
			}
			next, err := g.typeOf(t.def.File, t.def.Def.Type, nil)
			if err != nil {
				return nil, err
			}
			t = next
		default:
			return t, nil
		}
	}
	return goNothing, nil
}

// argsEnv binds the parameters of a generic type to its arguments.
func (g *goTypes) argsEnv(t *goType) *goEnv {
	var env *goEnv
	if v := t.def.Def.Via; v != nil && v.Fn != nil {
		for i, p := range v.Fn.TypeParams {
			if i < len(t.list) {
				env = &goEnv{env, p, t.list[i]}
			}
		}
	}
	return env
}

// receiverConstraint finds the type parameter that one of a receiver stands
// for. It is declared in the same package.
func (g *goTypes) receiverConstraint(x Thing) (*sketch.Def, error) {
	s, err := g.tree.Sketch(x.File)
	if err != nil || s == nil {
		return nil, err
	}
	for _, m := range s.Top {
		if m.Recv == nil || !slices.Contains(m.Type.Fn.TypeParams, x.Def) {
			continue
		}
		owners, err := g.inPackage(x.File, receiverName(m.Recv.Type))
		if err != nil || len(owners) == 0 {
			return nil, err
		}
		if v := owners[0].Def.Via; v != nil && v.Fn != nil && x.Def.N <= len(v.Fn.TypeParams) {
			return v.Fn.TypeParams[x.Def.N-1], nil
		}
	}
	return nil, nil
}

func receiverName(t *sketch.Node) string {
	for t != nil && (t.Kind == sketch.Star || t.Kind == sketch.Index) {
		t = t.X
	}
	if t == nil {
		return ""
	}
	return t.Name
}

// typeOfThing is the type of a variable, constant, function or field.
func (g *goTypes) typeOfThing(x Thing, env *goEnv) (*goType, error) {
	d := x.Def
	if env == nil {
		if t := g.types[d]; t != nil {
			return t, nil
		}
	}
	if g.busy[d] {
		return goNothing, nil
	}
	g.busy[d] = true
	outer := g.begin()
	t, err := g.freshType(x, env)
	delete(g.busy, d)
	if g.end(outer) && err == nil && env == nil && t != nil {
		g.types[d] = t
	}
	return t, err
}

func (g *goTypes) freshType(x Thing, env *goEnv) (*goType, error) {
	d := x.Def
	if d.Type != nil {
		t, err := g.typeOf(x.File, d.Type, env)
		if d.Kind == sketch.Param && d.Alias && err == nil {
			t = &goType{kind: goArray, elem: t}
		}
		return t, err
	}
	if d.Init == nil {
		return goNothing, nil
	}
	e, err := g.expr(x.File, d.Init, env)
	if err != nil || e.mode != goValue && e.mode != goTypeName || e.typ == nil {
		return goNothing, err
	}
	t := e.typ
	switch d.Proj {
	case sketch.Nth:
		switch {
		case t.kind == goTuple:
			if d.N < len(t.list) {
				return t.list[d.N], nil
			}
			return goNothing, nil
		case t.kind == goOutside || d.N == 0:
			return t, nil
		}
		return basic("bool"), nil
	case sketch.RangeKey, sketch.RangeElem:
		return g.ranged(t, d.Proj == sketch.RangeElem)
	}
	return t, nil
}
