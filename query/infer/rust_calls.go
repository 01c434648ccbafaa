package infer

import (
	"slices"

	"github.com/pindex-dev/pindex/query/sketch"
)

// result is what calling a function gives.
func (r *rustTypes) resultOf(f *rustType, file int, call *sketch.Node, skipSelf bool) (*rustType, error) {
	fn := f.node
	if fn == nil || fn.Fn == nil {
		return rustNothing, nil
	}
	if fn.Kind == sketch.FuncLit {
		if len(fn.Fn.Results) > 0 {
			return r.typeOf(f.file, fn.Fn.Results[0].Type, f.env)
		}
		return r.expr(f.file, fn.Y)
	}
	if len(fn.Fn.Results) == 0 {
		return &rustType{kind: rustTuple}, nil
	}
	env := f.env
	generic := fn.Fn.TypeParams
	if d := f.def.Def; d != nil && d.Parent != nil && d.Parent.Kind == sketch.Impl && env.get(nil) == nil {
		generic = append(slices.Clone(generic), d.Parent.Params...)
	}
	if len(generic) > 0 {
		params := fn.Fn.Params
		if skipSelf && len(params) > 0 && params[0].Name == "self" {
			params = params[1:]
		}
		for i, a := range call.List {
			if i >= len(params) {
				break
			}
			t, err := r.expr(file, a)
			if err != nil {
				return nil, err
			}
			env = r.unify(params[i].Type, t, generic, env, 0)
		}
		callee := call.X
		if callee != nil && callee.Kind == sketch.Index && callee.Sep == ':' {
			for i, p := range fn.Fn.TypeParams {
				if i < len(callee.List) && callee.List[i] != nil {
					t, err := r.typeOf(file, callee.List[i], nil)
					if err != nil {
						return nil, err
					}
					env = &rustEnv{env, p, t}
				}
			}
		}
		// F: Fn(A) -> B gives B.
		for _, p := range fn.Fn.TypeParams {
			for _, bound := range p.Bases {
				if bound.Kind != sketch.FuncType || len(bound.Fn.Results) == 0 {
					continue
				}
				if c := env.get(p); c != nil && c.kind == rustFn && c.node != nil {
					out, err := r.resultOf(c, c.file, &sketch.Node{}, false)
					if err != nil {
						return nil, err
					}
					env = r.unify(bound.Fn.Results[0].Type, out, fn.Fn.TypeParams, env, 0)
				}
			}
		}
	}
	t, err := r.typeOf(f.file, fn.Fn.Results[0].Type, env)
	if err == nil && f.def.Def != nil && f.def.Def.Async {
		t = rustStd("Future", t)
	}
	return t, err
}

func (r *rustTypes) unify(n *sketch.Node, t *rustType, params []*sketch.Def, env *rustEnv, depth int) *rustEnv {
	if n == nil || t == nil || depth > 12 || t.kind == rustUnknown {
		return env
	}
	switch n.Kind {
	case sketch.Name:
		for _, p := range params {
			if p.Name == n.Name && env.get(p) == nil {
				return &rustEnv{env, p, t}
			}
		}
	case sketch.Addr:
		if t.kind == rustRef {
			t = t.elem
		}
		return r.unify(n.X, t, params, env, depth+1)
	case sketch.ArrayType:
		if t.kind == rustArray {
			return r.unify(n.X, t.elem, params, env, depth+1)
		}
	case sketch.Tuple:
		for i, x := range n.List {
			env = r.unify(x, t.arg(i), params, env, depth+1)
		}
	case sketch.Index:
		if t.kind == rustAdt && t.def.Def.Name == pathName(n) || t.kind == rustOutside && t.name == pathName(n) {
			for i, x := range n.List {
				env = r.unify(x, t.arg(i), params, env, depth+1)
			}
		}
	}
	return env
}

func (r *rustTypes) call(file int, n *sketch.Node) (*rustType, error) {
	callee := n.X
	if callee != nil && callee.Kind == sketch.Index && callee.Sep == ':' {
		callee = callee.X
	}
	if callee != nil && callee.Kind == sketch.Member && callee.Sep == '.' {
		return r.methodCall(file, n, callee)
	}
	f, err := r.expr(file, n.X)
	if err != nil {
		return nil, err
	}
	switch f.kind {
	case rustFn:
		return r.resultOf(f, file, n, false)
	case rustAdt: // a tuple struct or variant
		if len(f.list) == 0 && f.def.Def.Via != nil && len(f.def.Def.Via.Fn.TypeParams) > 0 && f.def.Def.Type != nil && len(f.def.Def.Type.Fields) > 0 {
			var env *rustEnv
			for i, a := range n.List {
				if i < len(f.def.Def.Type.Fields) {
					t, err := r.expr(file, a)
					if err != nil {
						return nil, err
					}
					env = r.unify(f.def.Def.Type.Fields[i].Type, t, f.def.Def.Via.Fn.TypeParams, env, 0)
				}
			}
			out := &rustType{kind: rustAdt, def: f.def}
			for _, p := range f.def.Def.Via.Fn.TypeParams {
				out.list = append(out.list, env.get(p))
			}
			return out, nil
		}
		return f, nil
	case rustOutside:
		return r.outsideCall(file, n, callee, f)
	case rustParam, rustBound:
		// A value of a type that can be called.
		bounds, bfile := f.def.Def, f.def.File
		var list []*sketch.Node
		if f.kind == rustBound {
			list, bfile = f.node.List, f.file
		} else {
			list = bounds.Bases
		}
		for _, b := range list {
			if b.Kind == sketch.FuncType && len(b.Fn.Results) > 0 {
				return r.typeOf(bfile, b.Fn.Results[0].Type, f.env)
			}
		}
	}
	return rustNothing, nil
}

func (r *rustTypes) methodCall(file int, n, callee *sketch.Node) (*rustType, error) {
	t, err := r.expr(file, callee.X)
	if err != nil {
		return nil, err
	}
	found, env, _, err := r.find(t, callee.Name, true)
	if err != nil {
		return nil, err
	}
	if len(found) > 0 {
		f, err := r.typeOfThing(found[0], env)
		if err != nil {
			return nil, err
		}
		if f.kind == rustFn {
			return r.resultOf(f, file, n, true)
		}
	}
	// A field that can be called, as in (self.f)(x).
	return r.wellKnown(file, t, callee.Name, n)
}

func (r *rustTypes) closureResult(file int, call *sketch.Node) (*rustType, error) {
	for i := len(call.List) - 1; i >= 0; i-- {
		f, err := r.expr(file, call.List[i])
		if err != nil {
			return nil, err
		}
		switch f.kind {
		case rustFn:
			return r.resultOf(f, file, &sketch.Node{}, false)
		case rustAdt:
			return f, nil
		}
	}
	return rustNothing, nil
}
