package query

import (
	"slices"

	"github.com/pindex-dev/pindex/artifact"
)

// preciseUses returns the references to SCIP symbols in one partition, each
// place once, in order.
func (b *binder) preciseUses(p int, symbols []scipSymbol, known map[scipPlace]artifact.Occurrence) ([]use, error) {
	st, err := b.e.ix.Structural(p)
	if err != nil || !st.HasPrecise() {
		return nil, err
	}
	type mention struct {
		file int
		o    artifact.PreciseOccurrence
	}
	var found []mention
	for _, s := range symbols {
		file := -1
		if s.file >= 0 {
			if b.t.files[s.file].p != p {
				continue
			}
			file = b.t.files[s.file].f
		}
		if err := st.PreciseUses(s.name, file, func(o artifact.PreciseOccurrence) bool {
			if n := b.t.number[p][o.File]; n >= 0 && o.Roles&artifact.RolesDefinition == 0 {
				found = append(found, mention{n, o})
			}
			return true
		}); err != nil {
			return nil, err
		}
	}
	var out []use
	seen := map[scipPlace]bool{}
	for i := range found {
		m := &found[i]
		at := scipPlace{m.file, m.o.Start}
		if seen[at] {
			continue
		}
		seen[at] = true
		if occ, ok := known[at]; ok {
			out = append(out, use{file: m.file, occ: occ})
			continue
		}
		u, err := b.useAt(m.file, m.o.Start, &m.o)
		if err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, nil
}

// scipPlace is where something stands.
type scipPlace struct {
	file int
	at   artifact.Position
}

// dispatching returns the symbols by which a call may reach one of symbols: what
// they implement or override.
func (b *binder) dispatching(symbols []scipSymbol) ([]scipSymbol, error) {
	var out []scipSymbol
	for p := range b.e.parts() {
		st, err := b.e.ix.Structural(p)
		if err != nil {
			return nil, err
		}
		for _, s := range symbols {
			if s.file >= 0 {
				continue
			}
			if err := st.PreciseRelations(s.name, "", func(r artifact.PreciseRelation) bool {
				x := scipSymbol{r.Target, -1}
				if r.Flags&(artifact.RelationReference|artifact.RelationImplementation) != 0 && !isLocalSymbol(r.Target) &&
					!slices.Contains(out, x) && !slices.Contains(symbols, x) {
					out = append(out, x)
				}
				return true
			}); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// preciselyUsed adds the uses of a target in one partition that SCIP documents
// state to those that were found by name, and takes out what a document binds
// by itself.
func (b *binder) preciselyUsed(p int, t *target, symbols, through []scipSymbol, role func(artifact.Role) bool, found []use) (all []use, err error) {
	st, err := b.e.ix.Structural(p)
	if err != nil || !st.HasPrecise() {
		return found, err
	}
	known := map[scipPlace]artifact.Occurrence{}
	for _, u := range found {
		f := &b.t.files[u.file]
		if !st.Precise(f.f) {
			all = append(all, u)
			continue
		}
		if u.in, err = b.enclosing(u.file, u.occ.Pos); err != nil {
			return nil, err
		}
		o, err := b.precisely(u)
		if err != nil {
			return nil, err
		}
		if o.provenance != Precise {
			all = append(all, u) // unresolved, or found by its syntax
			continue
		}
		known[scipPlace{u.file, u.occ.Pos}] = u.occ
	}
	for k, list := range [][]scipSymbol{symbols, through} {
		uses, err := b.preciseUses(p, list, known)
		if err != nil {
			return nil, err
		}
		for _, u := range uses {
			if !role(u.occ.Role) {
				continue
			}
			o := &outcome{binding: Bound, provenance: Precise, rule: ruleSCIP, decls: t.decls}
			switch {
			case k == 1:
				o.binding, o.rule = Ambiguous, ruleSCIP+": through what it implements or overrides"
			case len(t.decls) == 0:
				o.binding, o.rule = External, t.rule
			}
			u.said = o
			all = append(all, u)
		}
	}
	return all, nil
}

// preciseImplementations returns what SCIP documents say implements or
// overrides a declaration.
func (b *binder) preciseImplementations(d *decl) ([]related, error) {
	symbols, err := b.symbolsOf(&target{decls: []*decl{d}})
	if err != nil || len(symbols) == 0 {
		return nil, err
	}
	how := "override"
	if d.container() {
		how = "implement"
	}
	var found []scipSymbol
	for p := range b.e.parts() {
		st, err := b.e.ix.Structural(p)
		if err != nil {
			return nil, err
		}
		for _, s := range symbols {
			if s.file >= 0 {
				continue
			}
			if err := st.PreciseRelations("", s.name, func(r artifact.PreciseRelation) bool {
				if x := symbolIn(b.t.number[p][r.File], r.Symbol); r.Flags&artifact.RelationImplementation != 0 && !slices.Contains(found, x) {
					found = append(found, x)
				}
				return true
			}); err != nil {
				return nil, err
			}
		}
	}
	var out []related
	for _, x := range found {
		ds, err := b.defined(x)
		if err != nil {
			return nil, err
		}
		for _, m := range ds {
			out = append(out, related{decl: m, how: how, provenance: Precise, rule: ruleSCIP, of: d, depth: 1})
		}
	}
	return out, nil
}
