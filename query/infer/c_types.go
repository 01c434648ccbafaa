package infer

import (
	"strings"

	"github.com/pindex-dev/pindex/query/sketch"
)

// record follows pointers and arrays to what they lead to, and smart pointers
// where "->" asks for it.
func (c *cTypes) record(t *cType, arrow bool) *cType {
	for n := 0; t != nil && n < 8; n++ {
		switch {
		case t.kind == cPointer || t.kind == cArray:
			t = t.elem
			continue
		case t.kind == cOutside && arrow && len(t.list) > 0 && (strings.HasSuffix(t.name, "_ptr") || t.name == "optional"):
			t = t.list[0]
			continue
		}
		break
	}
	if t == nil {
		return cNothing
	}
	return t
}

// typeOf reads a type.
func (c *cTypes) typeOf(file int, n *sketch.Node) (*cType, error) {
	if n == nil {
		return cNothing, nil
	}
	t, err := c.readType(file, n)
	if n.Const {
		t = t.unchanging()
	}
	return t, err
}

func (c *cTypes) readType(file int, n *sketch.Node) (*cType, error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.tooMuch() {
		return cNothing, nil
	}
	switch n.Kind {
	case sketch.Lit:
		return &cType{kind: cBasic, name: n.Name}, nil
	case sketch.Star:
		e, err := c.typeOf(file, n.X)
		return &cType{kind: cPointer, elem: e}, err
	case sketch.Addr:
		return c.typeOf(file, n.X)
	case sketch.ArrayType:
		e, err := c.typeOf(file, n.X)
		return &cType{kind: cArray, elem: e}, err
	case sketch.FuncType:
		return &cType{kind: cFunc, node: n, file: file}, nil
	case sketch.Typed:
		if len(n.Fields) > 0 {
			return &cType{kind: cRecord, def: Thing{file, n.Fields[0]}}, nil
		}
		return c.expr(file, n.X)
	case sketch.Name, sketch.Member, sketch.Index:
		return c.pathType(file, n)
	}
	return cNothing, nil
}

func (c *cTypes) pathType(file int, n *sketch.Node) (*cType, error) {
	var args []*cType
	path := n
	if n.Kind == sketch.Index {
		path = n.X
		for _, a := range n.List {
			t, err := c.typeOf(file, a)
			if err != nil {
				return nil, err
			}
			args = append(args, t)
		}
	}
	found, _, err := c.path(file, path, wantAny)
	if err != nil {
		return nil, err
	}
	for _, x := range found {
		switch x.Def.Kind {
		case sketch.TypeParam:
			return &cType{kind: cParam, name: x.Def.Name}, nil
		case sketch.TypeName:
			if !x.Def.Alias {
				return &cType{kind: cRecord, def: x, list: args}, nil
			}
			if c.busy[x.Def] {
				return cNothing, nil
			}
			c.busy[x.Def] = true
			t, err := c.typeOf(x.File, x.Def.Type)
			delete(c.busy, x.Def)
			return t, err
		case sketch.MacroName:
			if x.Def.Init != nil && !c.busy[x.Def] {
				c.busy[x.Def] = true
				t, err := c.typeOf(x.File, x.Def.Init)
				delete(c.busy, x.Def)
				return t, err
			}
		}
	}
	if len(found) == 0 && path != nil {
		// A type that the tree does not declare.
		return &cType{kind: cOutside, name: path.Name, list: args}, nil
	}
	return cNothing, nil
}

func (c *cTypes) typeOfThing(x Thing) (*cType, error) {
	d := x.Def
	if t := c.types[d]; t != nil {
		return t, nil
	}
	if c.busy[d] {
		return cNothing, nil
	}
	c.busy[d] = true
	outer := c.begin()
	t, err := c.freshType(x)
	delete(c.busy, d)
	if t == nil {
		t = cNothing
	}
	if c.end(outer) && err == nil {
		c.types[d] = t
	}
	return t, err
}

func (c *cTypes) freshType(x Thing) (*cType, error) {
	d := x.Def
	switch d.Kind {
	case sketch.MacroName:
		return c.expr(x.File, d.Init)
	case sketch.TypeName:
		if d.Alias {
			return c.typeOf(x.File, d.Type)
		}
		return &cType{kind: cRecord, def: x}, nil
	case sketch.Variant:
		if d.Parent != nil && d.Parent.Kind == sketch.TypeName && d.Parent.Name != "" && c.tree.Lang(x.File) == "cpp" {
			return &cType{kind: cRecord, def: Thing{x.File, d.Parent}}, nil
		}
		return &cType{kind: cBasic, name: "int"}, nil
	}
	auto := d.Type == nil
	for t := d.Type; t != nil; t = t.X {
		if t.Kind == sketch.Lit && t.Name == "auto" {
			auto = true
		}
		if t.Kind != sketch.Star && t.Kind != sketch.Addr {
			break
		}
	}
	if auto && d.Init != nil {
		t, err := c.expr(x.File, d.Init)
		if err != nil {
			return nil, err
		}
		if d.Proj == sketch.RangeElem {
			switch {
			case t.kind == cArray:
				return t.elem, nil
			case t.kind == cOutside:
				return t.arg(len(t.list) - 1), nil
			}
			return cNothing, nil
		}
		return t, nil
	}
	return c.typeOf(x.File, d.Type)
}
