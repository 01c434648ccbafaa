package query

import (
	"slices"

	"github.com/pindex-dev/pindex/artifact"
)

// called finds what calling a value gives.
func (b *binder) called(v value) (value, error) {
	if v.super {
		return v, nil // super()
	}
	if v.external && len(v.decls)+len(v.of) == 0 {
		return b.calledOutside(v)
	}
	if len(v.files) > 0 && len(v.decls) == 0 {
		ds, err := b.defaultExport(v.files, "")
		if err != nil {
			return value{}, err
		}
		v.decls = ds
	}
	var out value
	merge := func(r value) {
		for _, c := range r.of {
			if !slices.Contains(out.of, c) {
				out.of = append(out.of, c)
			}
		}
		out.decls = append(out.decls, r.decls...)
		out.files = append(out.files, r.files...)
		if r.external {
			out.external, out.generic, out.args = true, r.generic, r.args
		}
	}
	out.rule = "returned by what is called"
	for _, d := range v.decls {
		switch {
		case d.container() && d.sym.Kind != artifact.KindObject:
			merge(value{of: []*decl{d}})
			out.rule = "constructed from the type"
		case callableKind(d.sym.Kind) && d.sym.Kind != artifact.KindProperty:
			r, err := b.resultOf(d, v.recv)
			if err != nil {
				return value{}, err
			}
			merge(r)
		default:
			t, err := b.typeOf(d)
			if err != nil {
				return value{}, err
			}
			if slices.Contains(t.decls, d) {
				continue
			}
			r, err := b.called(t)
			if err != nil {
				return value{}, err
			}
			merge(r)
		}
	}
	for _, c := range v.of {
		ds, _, err := b.memberFor(c, "__call__", false)
		if err != nil {
			return value{}, err
		}
		for _, d := range ds {
			r, err := b.resultOf(d, []*decl{c})
			if err != nil {
				return value{}, err
			}
			merge(r)
		}
	}
	return out, nil
}

// resultOf finds what a callable returns. recv is the type through which it
// was reached.
func (b *binder) resultOf(d *decl, recv []*decl) (value, error) {
	h, err := b.hintOf(d)
	if err != nil || h == "" {
		return value{}, err
	}
	if len(recv) == 0 {
		if recv, err = b.selfOf(d); err != nil {
			return value{}, err
		}
	}
	if h[0] == artifact.HintWritten {
		if generic, err := b.givesSelf(d, h); err != nil || generic {
			return value{of: recv, rule: "returned by what is called"}, err
		}
		v, err := b.typed(typeText{text: h[1:], pl: place{d.file, d.sym.NamePos, d}, self: recv})
		v.rule = "returned by what is called"
		return v, err
	}
	if b.active[d.id] || b.depth >= maxInfer {
		return value{}, nil
	}
	b.active[d.id] = true
	v, err := b.evaluate(place{d.file, d.sym.End, d}, h[1:])
	delete(b.active, d.id)
	if err != nil {
		return value{}, err
	}
	return b.settled(v, "returned by what is called")
}

// givesSelf reports whether a method's result has the type variable that its
// first parameter has: "def m(self: T) -> T".
func (b *binder) givesSelf(d *decl, hint string) (bool, error) {
	if !plainName(hint[1:]) || d.sym.Kind == artifact.KindFunction {
		return false, nil
	}
	l, err := b.localsOf(d.file)
	if err != nil {
		return false, err
	}
	for i := range l.list {
		x := &l.list[i]
		if x.Kind == artifact.KindParameter && !x.Pos.Before(d.sym.NamePos) && !d.sym.End.Before(x.Pos) {
			return x.Type == hint, nil
		}
	}
	return false, nil
}

// subscripted finds what value[index] gives.
func (b *binder) subscripted(v value, index string) (value, error) {
	if v.generic == "pair" && v.elem != nil {
		if index == "1" {
			return *v.elem, nil
		}
		return value{external: true}, nil
	}
	v, err := b.settled(v, v.rule)
	if err != nil {
		return value{}, err
	}
	for _, c := range v.of {
		ds, _, err := b.memberFor(c, "__getitem__", false)
		if err != nil {
			return value{}, err
		}
		for _, d := range ds {
			return b.resultOf(d, []*decl{c})
		}
	}
	for _, c := range v.decls {
		if c.container() {
			return value{decls: []*decl{c}}, nil // Generic[T]
		}
	}
	return b.argument(v, subscriptOf(v.generic, len(v.args), index))
}

// element finds what iterating over a value gives.
func (b *binder) element(v value) (value, error) {
	if v.elem != nil {
		return *v.elem, nil
	}
	v, err := b.settled(v, v.rule)
	if err != nil {
		return value{}, err
	}
	for _, c := range v.of {
		for _, name := range []string{"__iter__", "__aiter__", "__getitem__"} {
			ds, _, err := b.memberFor(c, name, false)
			if err != nil {
				return value{}, err
			}
			for _, d := range ds {
				r, err := b.resultOf(d, []*decl{c})
				if err != nil || name == "__getitem__" {
					return r, err
				}
				if slices.Equal(r.of, v.of) {
					continue
				}
				return b.element(r)
			}
		}
	}
	for _, c := range v.decls {
		if c.sym.Kind == artifact.KindEnum {
			return value{of: []*decl{c}}, nil
		}
	}
	return b.argument(v, elementOf(v.generic, len(v.args)))
}

// entered finds what "with value as" gives.
func (b *binder) entered(v value) (value, error) {
	v, err := b.settled(v, v.rule)
	if err != nil {
		return value{}, err
	}
	for _, c := range v.of {
		for _, name := range []string{"__enter__", "__aenter__"} {
			ds, _, err := b.memberFor(c, name, false)
			if err != nil {
				return value{}, err
			}
			for _, d := range ds {
				r, err := b.resultOf(d, []*decl{c})
				r.rule = "what the context manager gives"
				return r, err
			}
		}
	}
	if len(v.args) > 0 {
		return b.argument(v, 0)
	}
	return value{}, nil
}

// argument is the type argument with the given number, unknown for none.
func (b *binder) argument(v value, n int) (value, error) {
	if n < 0 || n >= len(v.args) {
		if v.external {
			return value{external: true}, nil
		}
		return value{}, nil
	}
	return b.typed(v.args[n])
}
