package infer

import (
	"github.com/pindex-dev/pindex/query/sketch"
	"github.com/pindex-dev/pindex/query/treepath"
)

// member says what x.Name means.
func (g *goTypes) member(file int, n *sketch.Node) (Result, error) {
	x, err := g.expr(file, n.X, nil)
	if err != nil {
		return Result{}, err
	}
	switch x.mode {
	case goPackageName:
		if len(x.files) == 0 {
			return Result{State: Outside, Rule: "the import leads outside the tree"}, nil
		}
		found, err := g.exported(x.files, n.Name)
		if err != nil {
			return Result{}, err
		}
		if len(found) > 0 {
			return Result{Things: found, State: Bound, Rule: "member of the imported package"}, nil
		}
		return Result{State: Unknown, Rule: "the imported package does not declare it"}, nil
	case goValue, goTypeName:
		found, _, outside, err := g.find(x.typ, n.Name)
		if err != nil {
			return Result{}, err
		}
		switch {
		case len(found) > 0:
			rule := "member of the receiver's type"
			if x.mode == goTypeName {
				rule = "member of the type that qualifies it"
			}
			return Result{Things: found, State: Bound, Rule: rule}, nil
		case outside:
			return Result{State: Outside, Rule: "the receiver's type is outside the tree"}, nil
		case x.typ == nil || x.typ.kind == goUnknown:
			return Result{State: Unknown, Rule: "the receiver's type is not known", Guess: true}, nil
		}
		return Result{State: Unknown, Rule: "the receiver's type has no such member in the index"}, nil
	}
	return Result{State: Unknown, Rule: "the receiver is not known", Guess: true}, nil
}

// key says what the key of a composite literal means.
func (g *goTypes) key(file int, u sketch.Use) (Result, error) {
	t, err := g.literalType(file, u.Of)
	if err != nil {
		return Result{}, err
	}
	under, err := g.underlying(t)
	if err != nil {
		return Result{}, err
	}
	switch under.kind {
	case goStruct:
		for _, d := range under.node.Fields {
			if d.Name == u.Node.Name {
				return Result{Things: []Thing{{under.def.File, d}}, State: Bound, Rule: "field of the literal's type"}, nil
			}
		}
		return Result{State: Unknown, Rule: "the literal's type has no such field"}, nil
	case goOutside:
		return Result{State: Outside, Rule: "the literal's type is outside the tree"}, nil
	case goUnknown:
		return Result{State: Unknown, Rule: "a field of a literal whose type is not known"}, nil
	}
	return g.bare(file, u.Node.At, u.Node.Name)
}

// literalType is the type of a composite literal.
func (g *goTypes) literalType(file int, n *sketch.Node) (*goType, error) {
	if g.depth++; g.tooMuch() {
		g.depth--
		return goNothing, nil
	}
	defer func() { g.depth-- }()
	if n.X != nil {
		return g.typeOf(file, n.X, nil)
	}
	if n.Y == nil {
		return goNothing, nil
	}
	around, err := g.literalType(file, n.Y)
	if err != nil {
		return nil, err
	}
	if around, err = g.underlying(around); err != nil {
		return nil, err
	}
	t := around.elem
	switch {
	case around.kind == goOutside:
		return goElsewhere, nil
	case n.Flag:
		t = around.key
	}
	if t == nil {
		return goNothing, nil
	}
	if t.kind == goPointer {
		return t.elem, nil
	}
	return t, nil
}

func (g *goTypes) memberExpr(file int, n *sketch.Node, env *goEnv) (goExpr, error) {
	x, err := g.expr(file, n.X, env)
	if err != nil {
		return goExpr{}, err
	}
	switch x.mode {
	case goPackageName:
		if len(x.files) == 0 {
			// A type or a value: what is made of either is outside.
			return goExpr{mode: goTypeName, typ: goElsewhere}, nil
		}
		found, err := g.exported(x.files, n.Name)
		if err != nil || len(found) == 0 {
			return goExpr{}, err
		}
		return g.thing(found[0], env)
	case goValue, goTypeName:
		found, menv, outside, err := g.find(x.typ, n.Name)
		if err != nil {
			return goExpr{}, err
		}
		if len(found) == 0 {
			if outside {
				return valueOf(goElsewhere), nil
			}
			return goExpr{}, nil
		}
		t, err := g.typeOfThing(found[0], menv)
		e := valueOf(t)
		if d := found[0].Def; d.Kind == sketch.Method {
			e.in = found[0]
		}
		return e, err
	}
	return goExpr{}, nil
}

// find finds a field or method of a type, promoted ones too: at the least
// depth of embedding. outside says that what is not found may be declared by
// an embedded type outside of the tree.
func (g *goTypes) find(t *goType, name string) (found []Thing, env *goEnv, outside bool, err error) {
	if t == nil {
		return nil, nil, false, nil
	}
	level := []*goType{t}
	seen := map[*sketch.Def]bool{}
	for depth := 0; len(level) > 0 && depth < 16; depth++ {
		var next []*goType
		for _, t := range level {
			if t == nil || g.tooMuch() {
				continue
			}
			if t.kind == goPointer {
				t = t.elem
			}
			if t == nil {
				continue
			}
			switch t.kind {
			case goOutside:
				outside = true
				continue
			case goBasic:
				outside = outside || t.name == "error"
				continue
			case goNamed:
				if seen[t.def.Def] {
					continue
				}
				seen[t.def.Def] = true
				ms, err := g.methods(t, name)
				if err != nil {
					return nil, nil, false, err
				}
				if len(ms) > 0 {
					return ms, g.methodEnv(t, ms[0].Def), false, nil
				}
			}
			u, err := g.underlying(t)
			if err != nil {
				return nil, nil, false, err
			}
			switch u.kind {
			case goOutside:
				outside = true
			case goBasic:
				outside = outside || u.name == "error"
			case goPointer:
				// type P *T has the fields of T, and the bound of a type
				// parameter may be one.
				next = append(next, u)
			case goStruct, goInterface:
				for _, d := range u.node.Fields {
					if d.Name == name {
						return []Thing{{u.def.File, d}}, u.env, false, nil
					}
				}
				for _, d := range u.node.Fields {
					if d.Kind == sketch.Embedded {
						e, err := g.typeOf(u.def.File, d.Type, u.env)
						if err != nil {
							return nil, nil, false, err
						}
						next = append(next, e)
					}
				}
			}
		}
		level = next
	}
	return nil, nil, outside, nil
}

// methodEnv binds the type parameters that a method's receiver names.
func (g *goTypes) methodEnv(t *goType, m *sketch.Def) *goEnv {
	var env *goEnv
	if m.Type == nil || m.Type.Fn == nil {
		return nil
	}
	for _, p := range m.Type.Fn.TypeParams {
		if p.N > 0 && p.N <= len(t.list) {
			env = &goEnv{env, p, t.list[p.N-1]}
		}
	}
	return env
}

// methods finds the methods of a name that are declared for a named type.
func (g *goTypes) methods(t *goType, name string) ([]Thing, error) {
	all, err := g.tree.Symbols(name)
	if err != nil {
		return nil, err
	}
	owner := t.def.Def.Name
	dir := treepath.Dir(g.tree.Path(t.def.File))
	var out []Thing
	for _, d := range all {
		if len(d.Names) != 2 || d.Names[0] != owner || g.tree.Lang(d.File) != "go" || treepath.Dir(g.tree.Path(d.File)) != dir {
			continue
		}
		x, ok, err := Locate(g.tree, d)
		if err != nil {
			return nil, err
		}
		if ok && x.Def.Recv != nil {
			same, err := g.samePackage(d.File, t.def.File)
			if err != nil {
				return nil, err
			}
			if same {
				out = append(out, x)
			}
		}
	}
	return g.buildable(out, t.def.File), nil
}

func (g *goTypes) samePackage(a, b int) (bool, error) {
	if a == b {
		return true, nil
	}
	x, err := g.tree.Sketch(a)
	if err != nil || x == nil {
		return false, err
	}
	y, err := g.tree.Sketch(b)
	if err != nil || y == nil {
		return false, err
	}
	return x.Package == y.Package, nil
}
