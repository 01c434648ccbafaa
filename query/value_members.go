package query

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// memberValue finds what value.name means.
func (b *binder) memberValue(v value, name string) (value, error) {
	switch {
	case len(v.files) > 0:
		m, err := b.moduleMember(v.files, name)
		if err != nil || m.known() || len(v.decls) == 0 {
			return m, err
		}
		v.files = nil
		return b.memberValue(v, name)
	case v.external:
		return value{external: true, generic: v.generic + "." + name, args: v.args}, nil
	}
	of := v.of
	var out value
	for _, d := range v.decls {
		if d.container() {
			ds, at, err := b.memberFor(d, name, false)
			if err != nil {
				return value{}, err
			}
			if len(ds) == 0 && d.sym.Kind == artifact.KindType {
				// A member of what an alias stands for.
				t, err := b.typeOf(d)
				if err != nil {
					return value{}, err
				}
				of = append(of[:len(of):len(of)], t.of...)
				continue
			}
			out.add(ds, d, at, "member of the type that qualifies it")
			if len(ds) == 0 {
				if out.external, err = b.openEnded(d); err != nil {
					return value{}, err
				}
			}
			continue
		}
		t, err := b.typeOf(d)
		if err != nil {
			return value{}, err
		}
		if t.external && len(t.of)+len(t.decls) == 0 {
			out.external, out.generic, out.args = true, t.generic+"."+name, t.args
			continue
		}
		if len(t.decls) > 0 && !slices.Contains(t.decls, d) || len(t.files) > 0 {
			m, err := b.memberValue(t, name)
			if err != nil {
				return value{}, err
			}
			for _, x := range m.decls {
				if !slices.Contains(out.decls, x) {
					out.decls = append(out.decls, x)
				}
			}
			out.external = out.external || m.external
			out.files = append(out.files, m.files...)
			out.recv = append(out.recv, m.recv...)
			if out.rule == "" {
				out.rule = m.rule
			}
			continue
		}
		of = append(of[:len(of):len(of)], t.of...)
		if t.rule != "" {
			v.rule = t.rule
		}
		ds, err := b.literalMember(d, name)
		if err != nil {
			return value{}, err
		}
		out.add(ds, nil, nil, "member of the object literal")
	}
	for _, class := range of {
		ds, at, err := b.memberFor(class, name, v.super)
		if err != nil {
			return value{}, err
		}
		rule := v.rule
		if rule == "" {
			rule = "member of the receiver's type"
		}
		out.add(ds, class, at, rule)
		if len(ds) == 0 {
			open, err := b.openEnded(class)
			if err != nil {
				return value{}, err
			}
			out.external = out.external || open
		}
	}
	if len(out.decls) > 0 {
		out.external = false
	}
	return out, nil
}

// add adds members that were found in type at, through type recv.
func (v *value) add(ds []*decl, recv, at *decl, rule string) {
	for _, d := range ds {
		if !slices.Contains(v.decls, d) {
			v.decls = append(v.decls, d)
		}
	}
	if len(ds) == 0 || recv == nil {
		if len(ds) > 0 && v.rule == "" {
			v.rule = rule
		}
		return
	}
	v.recv = append(v.recv, recv)
	if v.rule == "" {
		v.rule = rule
		if at != nil && at != recv {
			v.rule += ", inherited from " + at.symbol()
		}
	}
}

// memberFor finds a member of a type, with those that are set through self, in
// the type itself and then in its bases.
func (b *binder) memberFor(class *decl, name string, skipOwn bool) (ds []*decl, at *decl, err error) {
	line, err := b.lineage(class)
	if err != nil {
		return nil, nil, err
	}
	if skipOwn {
		line = line[1:]
	}
	for _, c := range line {
		if ds, err = b.ownMembers(c, name); err != nil {
			return nil, nil, err
		}
		var fs []*decl
		if len(ds) == 0 || b.t.files[c.file].lang == "python" {
			if fs, err = b.ownFields(c, name); err != nil {
				return nil, nil, err
			}
		}
		if ds = b.preferTyped(append(ds, fs...)); len(ds) > 0 {
			return ds, c, nil
		}
	}
	return nil, nil, nil
}

// ownFields returns the members that a type gets by assignment through self or
// this.
func (b *binder) ownFields(class *decl, name string) ([]*decl, error) {
	l, err := b.localsOf(class.file)
	if err != nil {
		return nil, err
	}
	var out []*decl
	for _, rows := range [][]int32{l.fields[name], l.again[name]} {
		for _, i := range rows {
			x := &l.list[i]
			if x.Pos.Before(class.sym.Start) || class.sym.End.Before(x.Pos) {
				continue
			}
			d, err := b.localDecl(class.file, i)
			if err != nil {
				return nil, err
			}
			if int(d.sym.Parent) == class.id.sym {
				out = append(out, d)
			}
		}
	}
	return out, nil
}

// preferTyped keeps the declarations whose type is written, or that are no
// variables, where there are such.
func (b *binder) preferTyped(ds []*decl) []*decl {
	if len(ds) < 2 {
		return ds
	}
	var out []*decl
	for _, d := range ds {
		if d.row == 0 && (!variableKind(d.sym.Kind) || d.sym.Kind == artifact.KindProperty) {
			out = append(out, d)
			continue
		}
		if h, err := b.hintOf(d); err == nil && strings.HasPrefix(h, ":") {
			out = append(out, d)
		}
	}
	if len(out) == 0 {
		return ds
	}
	return out
}

func variableKind(k artifact.Kind) bool {
	switch k {
	case artifact.KindVariable, artifact.KindConstant, artifact.KindField, artifact.KindParameter, artifact.KindProperty, artifact.KindEnumMember:
		return true
	}
	return false
}

// lineage returns a type and its bases in the order in which members are
// looked up.
func (b *binder) lineage(class *decl) ([]*decl, error) {
	if l, ok := b.lineages[class.id]; ok {
		return l, nil
	}
	b.lineages[class.id] = []*decl{class} // ends a cycle
	bases, err := b.basesOf(class)
	if err != nil {
		return nil, err
	}
	seqs := [][]*decl{}
	for _, base := range bases[:min(len(bases), maxBases)] {
		l, err := b.lineage(base)
		if err != nil {
			return nil, err
		}
		seqs = append(seqs, l)
	}
	seqs = append(seqs, bases)
	out := append([]*decl{class}, linearize(seqs, class)...)
	b.lineages[class.id] = out
	return out, nil
}

// linearize merges the lineages of bases so that each type comes before its
// own bases and the order of the bases is kept (C3). Where that cannot be, the
// first of them wins.
func linearize(seqs [][]*decl, class *decl) []*decl {
	var out []*decl
	for n := 0; n < 256; n++ {
		var next *decl
		for _, s := range seqs {
			if len(s) == 0 {
				continue
			}
			inTail := slices.ContainsFunc(seqs, func(o []*decl) bool { return len(o) > 1 && slices.Contains(o[1:], s[0]) })
			if next == nil || !inTail {
				next = s[0]
				if !inTail {
					break
				}
			}
		}
		if next == nil {
			break
		}
		if next != class && !slices.Contains(out, next) {
			out = append(out, next)
		}
		for i, s := range seqs {
			if k := slices.Index(s, next); k >= 0 {
				seqs[i] = slices.Delete(slices.Clone(s), k, k+1)
			}
		}
	}
	return out
}

// openEnded reports whether a type has a base that is outside of the tree or
// not known, from which any member may come.
func (b *binder) openEnded(class *decl) (bool, error) {
	line, err := b.lineage(class)
	if err != nil {
		return false, err
	}
	for _, c := range line {
		if _, err := b.basesOf(c); err != nil {
			return false, err
		}
		if b.openBases[c.id] {
			return true, nil
		}
	}
	return false, nil
}

// memberOfChain binds receiver.name where the receiver's value can be told.
func (b *binder) memberOfChain(u use) (outcome, error) {
	v, err := b.evaluate(place{u.file, u.occ.Pos, u.in}, u.occ.Receiver)
	if err != nil || !v.known() {
		return undecided, err
	}
	m, err := b.memberValue(v, u.occ.Name)
	if err != nil {
		return undecided, err
	}
	if ds := b.pick(u, m.decls, true); len(ds) > 0 {
		rule := m.rule
		if rule == "" {
			rule = "member of the receiver's type"
		}
		return b.decide(ds, rule), nil
	}
	if len(m.files) > 0 {
		return outcome{binding: Bound, provenance: Syntactic, rule: "import of the module", files: m.files}, nil
	}
	if m.external {
		return external("its receiver's type is outside the tree"), nil
	}
	if len(v.decls) > 0 && len(v.of) == 0 && !slices.ContainsFunc(v.decls, func(d *decl) bool { return d.container() }) {
		t, err := b.settled(v, "")
		if err != nil || !t.known() {
			return undecided, err
		}
	}
	return unresolved("the receiver has no such member in the index"), nil
}
