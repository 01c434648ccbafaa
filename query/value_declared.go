package query

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// hintOf returns what the index says of a declaration's type.
func (b *binder) hintOf(d *decl) (string, error) {
	l, err := b.localsOf(d.file)
	if err != nil {
		return "", err
	}
	if d.row > 0 {
		return l.list[d.row-1].Type, nil
	}
	return l.hints[d.sym.NamePos], nil
}

// placeOfDecl is where a declaration's own expressions stand.
func (b *binder) placeOfDecl(d *decl) (place, error) {
	in, err := b.parent(d)
	if err != nil {
		return place{}, err
	}
	if d.row > 0 {
		if in, err = b.enclosing(d.file, d.sym.NamePos); err != nil {
			return place{}, err
		}
	}
	return place{d.file, d.sym.NamePos, in}, nil
}

// typeOf finds the value of a declaration: for a variable that of what it
// holds, for a type or a callable itself.
func (b *binder) typeOf(d *decl) (value, error) {
	if v, ok := b.types[d.id]; ok {
		return v, nil
	}
	if b.depth >= maxInfer {
		return value{}, nil
	}
	b.types[d.id] = value{} // ends a cycle
	b.depth++
	v, err := b.typeFresh(d)
	b.depth--
	if err != nil {
		return value{}, err
	}
	b.types[d.id] = v
	return v, nil
}

func (b *binder) typeFresh(d *decl) (value, error) {
	switch {
	case d.sym.Kind == artifact.KindType:
		h, err := b.hintOf(d)
		if err != nil || h == "" || h[0] != artifact.HintWritten {
			return value{decls: []*decl{d}}, err
		}
		pl, err := b.placeOfDecl(d)
		if err != nil {
			return value{}, err
		}
		v, err := b.typed(typeText{text: h[1:], pl: pl})
		if err != nil || v.known() {
			return v, err
		}
		return value{of: []*decl{d}}, nil
	case d.container():
		return value{decls: []*decl{d}}, nil
	case d.sym.Kind == artifact.KindEnumMember:
		parent, err := b.parent(d)
		if err != nil || parent == nil {
			return value{}, err
		}
		return value{of: []*decl{parent}, rule: "member of the enumeration"}, nil
	case d.sym.Kind == artifact.KindProperty && d.row == 0:
		return b.resultOf(d, nil)
	case callableKind(d.sym.Kind):
		return value{decls: []*decl{d}}, nil
	}
	h, err := b.hintOf(d)
	if err != nil {
		return value{}, err
	}
	at := d
	if h == "" && d.row == 0 {
		// "x = None" and later "x = Foo()".
		l, err := b.localsOf(d.file)
		if err != nil {
			return value{}, err
		}
		for _, i := range l.again[d.sym.Name] {
			if l.list[i].Type == "" {
				continue
			}
			if at, err = b.localDecl(d.file, i); err != nil {
				return value{}, err
			}
			h = l.list[i].Type
			break
		}
	}
	if h == "" {
		return value{}, nil
	}
	pl, err := b.placeOfDecl(at)
	if err != nil {
		return value{}, err
	}
	if h[0] == artifact.HintAlias {
		v, err := b.typed(typeText{text: h[1:], pl: pl})
		return value{decls: v.of, external: v.external && len(v.of) == 0, generic: v.generic, args: v.args, params: v.params}, err
	}
	if h[0] == artifact.HintWritten {
		self, err := b.selfOf(pl.in)
		if err != nil {
			return value{}, err
		}
		v, err := b.typed(typeText{text: h[1:], pl: pl, self: self})
		v.rule = "the receiver's written type"
		if strings.HasPrefix(h, ":Self") || h == ":type[Self]" {
			v.rule = d.sym.Name + " within the type"
		}
		return v, err
	}
	v, err := b.evaluate(pl, h[1:])
	if err != nil {
		return value{}, err
	}
	return b.settled(v, "what the receiver is assigned from")
}

// selfOf returns the type around a place, nil for none.
func (b *binder) selfOf(in *decl) ([]*decl, error) {
	if in == nil {
		return nil, nil
	}
	class, err := b.classOf(in)
	if err != nil || class == nil {
		return nil, err
	}
	return []*decl{class}, nil
}

// settled replaces the variables that a value refers to by what they hold.
func (b *binder) settled(v value, rule string) (value, error) {
	out := value{of: v.of, files: v.files, external: v.external, elem: v.elem, generic: v.generic, args: v.args, params: v.params, recv: v.recv, super: v.super, rule: rule}
	for _, d := range v.decls {
		t, err := b.typeOf(d)
		if err != nil {
			return value{}, err
		}
		out.decls = append(out.decls, t.decls...)
		for _, c := range t.of {
			if !slices.Contains(out.of, c) {
				out.of = append(out.of[:len(out.of):len(out.of)], c)
			}
		}
		out.files = append(out.files, t.files...)
		if t.external {
			out.external, out.generic, out.args, out.elem, out.params = true, t.generic, t.args, t.elem, t.params
		}
	}
	return out, nil
}

// narrowed returns the innermost range around a place in which a test gives a
// name a type, -1 for none.
func (l *fileLocals) narrowed(at artifact.Position, name string) int32 {
	best := int32(-1)
	for _, i := range l.narrow[name] {
		if l.holds(i, at) && (best < 0 || l.list[best].Start.Before(l.list[i].Start)) {
			best = i
		}
	}
	return best
}

// holding returns the declaration of a local that tells what it holds at a
// place: one whose type is written, else the last in front of the place. It is
// -1 when the name means no local there.
func (l *fileLocals) holding(at artifact.Position, name string) int32 {
	rows := l.at(at, name)
	if len(rows) == 0 {
		return -1
	}
	row := rows[0]
	for _, i := range rows {
		if strings.HasPrefix(l.list[i].Type, ":") {
			return i
		}
		if !at.Before(l.list[i].Pos) {
			row = i
		}
	}
	// "x = x.next()": the value comes from the assignment before.
	if l.list[row].Pos.Line == at.Line && strings.HasPrefix(l.list[row].Type, "="+name) {
		for k := len(rows) - 1; k > 0; k-- {
			if rows[k] == row {
				row = rows[k-1]
			}
		}
	}
	return row
}
