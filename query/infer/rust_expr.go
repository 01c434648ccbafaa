package infer

import (
	"strconv"

	"github.com/pindex-dev/pindex/query/sketch"
)

// expr is the type of an expression.
func (r *rustTypes) expr(file int, n *sketch.Node) (*rustType, error) {
	if n == nil {
		return rustNothing, nil
	}
	if t, ok := r.memo[n]; ok {
		return t, nil
	}
	r.depth++
	defer func() { r.depth-- }()
	if r.tooMuch() {
		return rustNothing, nil
	}
	r.memo[n] = rustNothing // ends a cycle
	outer := r.begin()
	t, err := r.fresh(file, n)
	if t == nil {
		t = rustNothing
	}
	if r.end(outer) && err == nil {
		r.memo[n] = t
	} else {
		delete(r.memo, n)
	}
	return t, err
}

func (r *rustTypes) fresh(file int, n *sketch.Node) (*rustType, error) {
	switch n.Kind {
	case sketch.Lit:
		if n.Name == "string" {
			return &rustType{kind: rustRef, elem: &rustType{kind: rustBasic, name: "str"}}, nil
		}
		return &rustType{kind: rustBasic, name: n.Name}, nil
	case sketch.Name:
		return r.value(file, n)
	case sketch.Member:
		if n.Sep != '.' {
			return r.value(file, n)
		}
		t, err := r.expr(file, n.X)
		if err != nil {
			return nil, err
		}
		return r.fieldType(t, n.Name)
	case sketch.Index:
		if n.Sep == ':' {
			return r.value(file, n)
		}
		t, err := r.expr(file, n.X)
		if err != nil {
			return nil, err
		}
		for t.kind == rustRef && t.elem != nil {
			t = t.elem
		}
		switch {
		case len(n.List) == 1 && n.List[0] != nil && n.List[0].Kind == sketch.Range:
			return t, nil
		case t.kind == rustArray:
			return t.elem, nil
		case t.kind == rustOutside && len(t.list) > 0:
			return t.list[len(t.list)-1], nil
		}
		return rustNothing, nil
	case sketch.Call:
		return r.call(file, n)
	case sketch.Addr:
		t, err := r.expr(file, n.X)
		return &rustType{kind: rustRef, elem: t}, err
	case sketch.Star:
		t, err := r.expr(file, n.X)
		if err != nil {
			return nil, err
		}
		d, err := r.deref(t)
		if d == nil {
			d = t // a pattern "&x" of what is known no better
		}
		return d, err
	case sketch.Unary:
		return r.expr(file, n.X)
	case sketch.Binary:
		switch n.Name {
		case "==", "&&", "||", "!=", "<=":
			return &rustType{kind: rustBasic, name: "bool"}, nil
		}
		return r.expr(file, n.X)
	case sketch.Typed:
		if n.Y != nil {
			t, err := r.typeOf(file, n.Y, nil)
			if err != nil || t.kind != rustUnknown {
				return t, err
			}
		}
		return r.expr(file, n.X)
	case sketch.Block:
		return r.expr(file, n.X)
	case sketch.Cond:
		for _, x := range n.List {
			if t, err := r.expr(file, x); err != nil || t.kind != rustUnknown {
				return t, err
			}
		}
		return rustNothing, nil
	case sketch.Assert:
		return r.typeOf(file, n.Y, nil)
	case sketch.Try:
		t, err := r.expr(file, n.X)
		if err != nil {
			return nil, err
		}
		if t.kind == rustOutside && (t.name == "Guard" || t.name == "Poll") {
			return t, nil
		}
		return t.arg(0), nil
	case sketch.Await:
		t, err := r.expr(file, n.X)
		if err != nil {
			return nil, err
		}
		if t.kind == rustOutside && t.name == "Future" {
			return t.arg(0), nil
		}
		if t.kind == rustOutside && t.name == "Guard" {
			return t, nil
		}
		out, err := r.assoc(t, "Output")
		if out == nil {
			out = rustNothing
		}
		return out, err
	case sketch.Composite:
		if n.X == nil {
			t := &rustType{kind: rustArray, elem: rustNothing}
			if len(n.List) > 0 {
				e, err := r.expr(file, n.List[0])
				if err != nil {
					return nil, err
				}
				t.elem = e
			}
			return t, nil
		}
		t, err := r.typeOf(file, n.X, nil)
		if err != nil || t.kind != rustUnknown {
			return t, err
		}
		return r.value(file, n.X)
	case sketch.Tuple:
		t := &rustType{kind: rustTuple}
		for _, x := range n.List {
			e, err := r.expr(file, x)
			if err != nil {
				return nil, err
			}
			t.list = append(t.list, e)
		}
		return t, nil
	case sketch.FuncLit:
		return &rustType{kind: rustFn, node: n, file: file}, nil
	case sketch.AsyncBlock:
		t, err := r.expr(file, n.X)
		return rustStd("Future", t), err
	case sketch.Macro:
		switch n.Name {
		case "vec":
			e := rustNothing
			if len(n.List) > 0 {
				var err error
				if e, err = r.expr(file, n.List[0]); err != nil {
					return nil, err
				}
			}
			return rustStd("Vec", e), nil
		case "format":
			return rustStd("String"), nil
		case "matches":
			return &rustType{kind: rustBasic, name: "bool"}, nil
		case "ready":
			if len(n.List) > 0 {
				t, err := r.expr(file, n.List[0])
				return t.arg(0), err
			}
		}
		return rustNothing, nil
	case sketch.Receive:
		t, err := r.expr(file, n.X)
		if err != nil {
			return nil, err
		}
		return r.elem(t)
	case sketch.VariantPart:
		return r.variantPart(file, n)
	case sketch.ClosureArg:
		return r.closureArg(file, n)
	}
	return rustNothing, nil
}

func (r *rustTypes) value(file int, n *sketch.Node) (*rustType, error) {
	w := wantValue
	if n.Kind == sketch.Name && n.Name == "Self" {
		return r.selfType(file, n.At, nil)
	}
	found, outside, err := r.path(file, n, w)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		if outside {
			return &rustType{kind: rustOutside, name: pathName(n)}, nil
		}
		return rustNothing, nil
	}
	// What is reached through a type is a member of it.
	var env *rustEnv
	if n.Kind == sketch.Index {
		n = n.X
	}
	if n.Kind == sketch.Member && n.X != nil && (found[0].Def.Kind == sketch.Method || found[0].Def.Kind == sketch.Const) {
		t, err := r.typeOf(file, n.X, nil)
		if n.X.Kind == sketch.Assert {
			t, err = r.typeOf(file, n.X.X, nil)
		}
		if err != nil {
			return nil, err
		}
		if p := found[0].Def.Parent; p != nil && p.Kind == sketch.Impl && t.kind == rustAdt && len(t.list) == 0 && len(p.Params) > 0 {
			env = nil // told by the arguments
		} else if p != nil && p.Kind == sketch.Impl {
			env = r.implEnv(Thing{found[0].File, p}, t)
		} else if t.kind == rustAdt {
			env = &rustEnv{nil, nil, t}
		}
	}
	return r.typeOfThing(found[0], env)
}

func (r *rustTypes) fieldType(t *rustType, name string) (*rustType, error) {
	for n := 0; t != nil && n < 12; n++ {
		if t.kind == rustTuple {
			if i, err := strconv.Atoi(name); err == nil {
				return t.arg(i), nil
			}
		}
		if t.kind == rustAdt {
			for _, f := range fieldsOfType(t) {
				if f.Def.Name == name {
					return r.typeOf(f.File, f.Def.Type, r.bindParams(t.def.Def, t.list))
				}
			}
		}
		next, err := r.deref(t)
		if err != nil {
			return nil, err
		}
		t = next
	}
	return rustNothing, nil
}

// elem is what iterating over a value gives.
func (r *rustTypes) elem(t *rustType) (*rustType, error) {
	for t != nil && t.kind == rustRef {
		t = t.elem
	}
	switch {
	case t == nil:
	case t.kind == rustArray:
		return t.elem, nil
	case t.kind == rustOutside:
		switch t.name {
		case "HashMap", "BTreeMap", "IndexMap":
			return &rustType{kind: rustTuple, list: t.list}, nil
		}
		return t.arg(0), nil
	case t.kind == rustAdt, t.kind == rustBound, t.kind == rustParam:
		if e, err := r.assoc(t, "Item"); err != nil || e != nil {
			return e, err
		}
	}
	return rustNothing, nil
}

// variantPart is the type of one part of a struct or variant in a pattern.
func (r *rustTypes) variantPart(file int, n *sketch.Node) (*rustType, error) {
	of, err := r.expr(file, n.X)
	if err != nil {
		return nil, err
	}
	for of.kind == rustRef && of.elem != nil {
		of = of.elem
	}
	found, _, err := r.path(file, n.Y, wantAny)
	if err != nil {
		return nil, err
	}
	for _, x := range found {
		fs, err := r.fieldsOf(x)
		if err != nil {
			return nil, err
		}
		for _, f := range fs {
			if f.Def.Name == n.Name {
				owner := x.Def
				if owner.Kind == sketch.Variant && owner.Parent != nil {
					owner = owner.Parent
				}
				var env *rustEnv
				if of.kind == rustAdt && of.def.Def == owner {
					env = r.bindParams(owner, of.list)
				}
				return r.typeOf(f.File, f.Def.Type, env)
			}
		}
	}
	if len(found) == 0 && of.kind == rustOutside {
		switch pathName(n.Y) {
		case "Some", "Ok", "Ready":
			return of.arg(0), nil
		case "Err":
			return of.arg(1), nil
		}
	}
	return rustNothing, nil
}
