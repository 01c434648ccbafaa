package query

import (
	"slices"

	"github.com/pindex-dev/pindex/artifact"
)

// preciselyAt finds what stands at a place of a file with a document; nil
// where there is none, or where it says nothing.
func (b *binder) preciselyAt(file int, at artifact.Position) (*target, error) {
	f := &b.t.files[file]
	st, err := b.e.ix.Structural(f.p)
	if err != nil || !st.Precise(f.f) {
		return nil, err
	}
	// The narrowest range around the place counts.
	var best []artifact.PreciseOccurrence
	var rows []int
	_, hi := st.PreciseRows(f.f)
	for i := st.PreciseFrom(f.f, artifact.Position{Line: at.Line, Col: 1}); i < hi; i++ {
		o, err := st.PreciseOccurrence(i)
		if err != nil {
			return nil, err
		}
		if at.Before(o.Start) {
			break
		}
		if !at.Before(o.End) && at != o.Start || o.End.Line != o.Start.Line {
			continue
		}
		if len(best) > 0 {
			was, is := best[0].End.Col-best[0].Start.Col, o.End.Col-o.Start.Col
			if is > was && was > 0 {
				continue
			}
			if o.Start != best[0].Start || o.End != best[0].End {
				best, rows = nil, nil
			}
		}
		best, rows = append(best, o), append(rows, i)
	}
	if len(best) == 0 {
		return nil, nil
	}
	t := &target{binding: Bound, provenance: Precise, rule: ruleSCIP}
	for i := range best {
		o := &best[i]
		if o.Roles&artifact.RolesDefinition == 0 {
			continue
		}
		s := symbolIn(file, o.Symbol)
		d, err := b.declOf(file, rows[i], o)
		if err != nil {
			return nil, err
		}
		t.symbols = append(t.symbols, s)
		// Others may define it too: overloads, parts, conditional ones.
		all, err := b.defined(s)
		if err != nil {
			return nil, err
		}
		for _, d := range append([]*decl{d}, all...) {
			if !slices.Contains(t.decls, d) {
				t.decls = append(t.decls, d)
			}
		}
	}
	var used []scipSymbol
	for i := range best {
		if s := symbolIn(file, best[i].Symbol); best[i].Roles&artifact.RolesDefinition == 0 && !slices.Contains(used, s) {
			used = append(used, s)
		}
	}
	if len(used) == 0 {
		return t, nil
	}
	u, err := b.useAt(file, best[0].Start, &best[0])
	if err != nil {
		return nil, err
	}
	o, err := b.meaning(&u, used)
	if err != nil {
		return nil, err
	}
	if len(t.decls) > 0 {
		t.also = o.decls
		return t, nil
	}
	t.symbols = used
	t.decls, t.files, t.binding, t.provenance, t.rule = o.decls, o.files, o.binding, o.provenance, o.rule
	return t, nil
}

// useAt returns the use at a place, as the index lists it or, where it does
// not, as the document has it.
func (b *binder) useAt(file int, at artifact.Position, o *artifact.PreciseOccurrence) (use, error) {
	u := use{file: file}
	uses, err := b.fileUses(file)
	if err != nil {
		return u, err
	}
	i, ok := slices.BinarySearchFunc(uses, at, func(o artifact.Occurrence, p artifact.Position) int {
		switch {
		case o.Pos.Before(p):
			return -1
		case p.Before(o.Pos):
			return 1
		}
		return 0
	})
	if ok {
		u.occ = uses[i]
	} else {
		u.occ = artifact.Occurrence{File: uint32(b.t.files[file].f), Pos: at, Role: roleOf(o.Roles)}
		if names := descriptorNames(descriptorsOf(o.Symbol)); len(names) > 0 {
			u.occ.Name = names[len(names)-1]
		}
	}
	u.in, err = b.enclosing(file, at)
	return u, err
}

func roleOf(r artifact.SymbolRoles) artifact.Role {
	switch {
	case r&artifact.RolesImport != 0:
		return artifact.RoleImport
	case r&artifact.RolesWrite != 0:
		return artifact.RoleWrite
	}
	return artifact.RoleRead
}

// bySCIP finds a SCIP symbol, written out in full; nil where text is none or
// no document mentions it.
func (b *binder) bySCIP(text string) (*target, error) {
	if isLocalSymbol(text) || descriptorsOf(text) == "" {
		return nil, nil
	}
	s := scipSymbol{text, -1}
	o, err := b.meaning(nil, []scipSymbol{s})
	if err != nil {
		return nil, err
	}
	t := &target{decls: o.decls, binding: o.binding, provenance: o.provenance, rule: o.rule, symbols: []scipSymbol{s}}
	if len(t.decls) > 0 {
		return t, nil
	}
	for p := range b.e.parts() {
		st, err := b.e.ix.Structural(p)
		if err != nil {
			return nil, err
		}
		found := false
		if err := st.PreciseUses(text, -1, func(artifact.PreciseOccurrence) bool { found = true; return false }); err != nil || found {
			return t, err
		}
	}
	return nil, nil
}

// symbolsOf returns the SCIP symbols of a target.
func (b *binder) symbolsOf(t *target) ([]scipSymbol, error) {
	if t.symbols != nil {
		return t.symbols, nil
	}
	var out []scipSymbol
	for _, d := range t.decls {
		f := &b.t.files[d.file]
		st, err := b.e.ix.Structural(f.p)
		if err != nil {
			return nil, err
		}
		if !st.Precise(f.f) {
			continue
		}
		symbols, err := b.mentioned(st, d.file, d.sym.NamePos, true)
		if err != nil {
			return nil, err
		}
		for _, s := range symbols {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out, nil
}
