package infer

import (
	"strings"

	"github.com/pindex-dev/pindex/query/sketch"
)

// expr is the type of an expression.
func (c *cTypes) expr(file int, n *sketch.Node) (*cType, error) {
	if n == nil {
		return cNothing, nil
	}
	if t, ok := c.memo[n]; ok {
		return t, nil
	}
	c.depth++
	defer func() { c.depth-- }()
	if c.tooMuch() {
		return cNothing, nil
	}
	c.memo[n] = cNothing // ends a cycle
	outer := c.begin()
	t, err := c.fresh(file, n)
	if t == nil {
		t = cNothing
	}
	if c.end(outer) && err == nil {
		c.memo[n] = t
	} else {
		delete(c.memo, n)
	}
	return t, err
}

func (c *cTypes) fresh(file int, n *sketch.Node) (*cType, error) {
	switch n.Kind {
	case sketch.Lit:
		return &cType{kind: cBasic, name: n.Name}, nil
	case sketch.Name:
		return c.value(file, n)
	case sketch.Member:
		if n.Sep == ':' {
			return c.value(file, n)
		}
		t, err := c.expr(file, n.X)
		if err != nil {
			return nil, err
		}
		t = c.record(t, n.Sep == '>')
		if t.kind == cOutside {
			return &cType{kind: cOutside, name: "?"}, nil
		}
		if t.kind != cRecord {
			// The only field of that name says it as well.
			return c.onlyField(n.Name)
		}
		found, _, err := c.find(t, n.Name)
		if err != nil || len(found) == 0 {
			return cNothing, err
		}
		m, err := c.typeOfThing(c.overload(file, n, t, found)[0])
		if err == nil && t.constant {
			m = m.unchanging()
		}
		return m, err
	case sketch.Index:
		if n.Sep == ':' {
			return c.value(file, n)
		}
		t, err := c.expr(file, n.X)
		if err != nil {
			return nil, err
		}
		switch {
		case t.kind == cPointer || t.kind == cArray:
			return t.elem, nil
		case t.kind == cOutside:
			if len(t.list) == 0 {
				return t, nil
			}
			return t.arg(len(t.list) - 1), nil
		}
		return c.method(file, t, "operator[]")
	case sketch.Call:
		return c.call(file, n)
	case sketch.Star:
		t, err := c.expr(file, n.X)
		if err != nil {
			return nil, err
		}
		switch {
		case t.kind == cPointer || t.kind == cArray:
			return t.elem, nil
		case t.kind == cFunc:
			return t, nil
		case t.kind == cOutside && len(t.list) > 0:
			return t.list[0], nil
		}
		return c.method(file, t, "operator*")
	case sketch.Addr:
		t, err := c.expr(file, n.X)
		return &cType{kind: cPointer, elem: t}, err
	case sketch.Unary:
		if n.Name == "!" {
			return &cType{kind: cBasic, name: c.truth(file)}, nil
		}
		return c.expr(file, n.X)
	case sketch.Binary:
		switch n.Name {
		case "==", "&&", "||", "!=":
			return &cType{kind: cBasic, name: c.truth(file)}, nil
		}
		x, err := c.expr(file, n.X)
		if err != nil || x.kind != cBasic && x.kind != cUnknown {
			return x, err
		}
		y, err := c.expr(file, n.Y)
		if err != nil || y.kind == cPointer || y.kind == cArray {
			return y, err
		}
		return x, nil
	case sketch.Cond:
		for _, x := range n.List {
			if t, err := c.expr(file, x); err != nil || t.kind == cPointer || t.kind == cRecord || t.kind == cArray {
				return t, err
			}
		}
		return cNothing, nil
	case sketch.Assert:
		return c.typeOf(file, n.Y)
	case sketch.Composite:
		return c.literal(file, n, 0)
	case sketch.Self:
		s, err := c.tree.Sketch(file)
		if err != nil || s == nil {
			return nil, err
		}
		ks, err := c.classesAt(file, s, n.At)
		if err != nil || len(ks) == 0 {
			return cNothing, err
		}
		return &cType{kind: cPointer, elem: ks[0]}, nil
	case sketch.FuncLit:
		return &cType{kind: cFunc, node: n, file: file}, nil
	case sketch.Typed:
		return c.typeOf(file, n)
	}
	return cNothing, nil
}

// truth is the name of a comparison's type.
func (c *cTypes) truth(file int) string {
	if c.tree.Lang(file) == "cpp" {
		return "bool"
	}
	return "int"
}

func (c *cTypes) method(file int, t *cType, name string) (*cType, error) {
	if t.kind != cRecord {
		return cNothing, nil
	}
	found, _, err := c.find(t, name)
	if err != nil || len(found) == 0 {
		return cNothing, err
	}
	f, err := c.typeOfThing(found[0])
	if err != nil {
		return nil, err
	}
	return c.result(f)
}

func (c *cTypes) value(file int, n *sketch.Node) (*cType, error) {
	if n.Sep == 'p' {
		return cNothing, nil // a macro's parameter
	}
	found, outside, err := c.path(file, n, wantAny)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		if outside {
			name := ""
			if p := n; p.Kind == sketch.Index {
				return c.pathType(file, p)
			}
			name = n.Name
			return &cType{kind: cOutside, name: name}, nil
		}
		return cNothing, nil
	}
	return c.typeOfThing(found[0])
}

// result is what calling a value of type f gives.
func (c *cTypes) result(f *cType) (*cType, error) {
	for f.kind == cPointer && f.elem != nil {
		f = f.elem
	}
	if f.kind != cFunc || f.node.Fn == nil || len(f.node.Fn.Results) == 0 {
		return cNothing, nil
	}
	return c.typeOf(f.file, f.node.Fn.Results[0].Type)
}

func (c *cTypes) call(file int, n *sketch.Node) (*cType, error) {
	callee := n.X
	for callee != nil && callee.Kind == sketch.Index && callee.Sep == ':' {
		callee = callee.X
	}
	if callee != nil && (callee.Kind == sketch.Name || callee.Kind == sketch.Member && callee.Sep == ':') {
		found, outside, err := c.path(file, callee, wantAny)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			if !outside {
				return cNothing, nil
			}
			if len(n.X.List) > 0 && n.X.Kind == sketch.Index {
				t, err := c.pathType(file, n.X)
				if err == nil && t.kind == cOutside && strings.HasPrefix(t.name, "make_") {
					t.name = "unique_ptr" // whoever has made it leads to it
				}
				return t, err
			}
			return &cType{kind: cOutside, name: "?"}, nil
		}
		switch d := found[0].Def; d.Kind {
		case sketch.TypeName: // a construction, or a cast
			return c.typeOf(file, n.X)
		case sketch.MacroName:
			return c.typeOfThing(found[0])
		}
		f, err := c.typeOfThing(found[0])
		if err != nil {
			return nil, err
		}
		if f.kind == cRecord {
			return c.method(file, f, "operator()")
		}
		return c.result(f)
	}
	f, err := c.expr(file, n.X)
	if err != nil {
		return nil, err
	}
	if f.kind == cOutside {
		return f, nil
	}
	return c.result(f)
}
