package query

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// Where a file has a SCIP document, that document alone says what its names
// mean: bind asks it first, and a use of which it says nothing is unresolved.
// Uses of a target are found by its SCIP symbol, whatever name they bear.
// Files without a document are bound by their syntax, as ever; both kinds of
// file meet in the declarations, which are the same for both.

// ruleSCIP names bindings that a SCIP index states.
const ruleSCIP = "scip"

// scipSymbol is a SCIP symbol; file is where a local one is at home, else -1.
type scipSymbol struct {
	name string
	file int
}

func isLocalSymbol(s string) bool { return strings.HasPrefix(s, "local ") }

func symbolIn(file int, name string) scipSymbol {
	if !isLocalSymbol(name) {
		file = -1
	}
	return scipSymbol{name, file}
}

// hasDocument reports whether a file has a SCIP document.
func (b *binder) hasDocument(file int) (bool, error) {
	f := &b.t.files[file]
	st, err := b.e.ix.Structural(f.p)
	if err != nil {
		return false, err
	}
	return st.Precise(f.f), nil
}

// precisely binds a use by the SCIP document of its file; undecided where the
// file has none.
func (b *binder) precisely(u use) (outcome, error) {
	f := &b.t.files[u.file]
	st, err := b.e.ix.Structural(f.p)
	if err != nil || !st.Precise(f.f) {
		return undecided, err
	}
	symbols, err := b.mentioned(st, u.file, u.occ.Pos, false)
	if err != nil {
		return undecided, err
	}
	if len(symbols) == 0 {
		if symbols, err = b.mentioned(st, u.file, u.occ.Pos, true); err != nil {
			return undecided, err
		}
	}
	if len(symbols) == 0 {
		return unresolved("the file's SCIP document says nothing of it"), nil
	}
	return b.meaning(&u, symbols)
}

// mentioned returns the SCIP symbols that a document mentions at a place, as
// definitions or as references.
func (b *binder) mentioned(st *artifact.StructuralReader, file int, at artifact.Position, definitions bool) ([]scipSymbol, error) {
	f := b.t.files[file].f
	_, hi := st.PreciseRows(f)
	var out []scipSymbol
	for i := st.PreciseFrom(f, at); i < hi; i++ {
		o, err := st.PreciseOccurrence(i)
		if err != nil {
			return nil, err
		}
		if o.Start != at {
			break
		}
		if s := symbolIn(file, o.Symbol); (o.Roles&artifact.RolesDefinition != 0) == definitions && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out, nil
}

// meaning is what symbols that are mentioned at one place come to. u is nil
// where no use is bound.
func (b *binder) meaning(u *use, symbols []scipSymbol) (outcome, error) {
	var ds []*decl
	own := false
	for _, s := range symbols {
		found, err := b.defined(s)
		if err != nil {
			return undecided, err
		}
		for _, d := range found {
			if !slices.Contains(ds, d) {
				ds = append(ds, d)
			}
		}
		own = own || s.file >= 0 || ownSymbol(s.name)
	}
	if len(ds) > 0 {
		return bound(Precise, ruleSCIP, ds), nil
	}
	if !own {
		return outcome{binding: External, provenance: Precise, rule: ruleSCIP + ": outside the tree: " + symbols[0].name}, nil
	}
	// The project's own, and defined in no document: in a file without one,
	// which only syntax can find.
	if u != nil && len(symbols) == 1 && symbols[0].file < 0 {
		o, err := b.bindSyntax(*u)
		if err != nil {
			return undecided, err
		}
		if o.binding == Bound || o.binding == Ambiguous {
			var elsewhere []*decl
			for _, d := range o.decls {
				has, err := b.hasDocument(d.file)
				if err != nil {
					return undecided, err
				}
				if !has {
					elsewhere = append(elsewhere, d)
				}
			}
			if len(elsewhere) > 0 {
				o.decls = elsewhere
				return o, nil
			}
		}
	}
	return unresolved(ruleSCIP + ": no document defines " + symbols[0].name), nil
}

// ownSymbol reports whether a global symbol is of the project itself, whose
// version is not kept.
func ownSymbol(s string) bool {
	at := 0
	for range 3 {
		for {
			i := strings.IndexByte(s[at:], ' ')
			if i < 0 {
				return false
			}
			at += i + 1
			if at == len(s) || s[at] != ' ' { // a blank inside is written twice
				break
			}
			at++
		}
	}
	return strings.HasPrefix(s[at:], ". ")
}

// defined returns the declarations of a SCIP symbol, in path order: its
// definitions, or, without any, the declarations ahead of one.
func (b *binder) defined(s scipSymbol) ([]*decl, error) {
	if ds, ok := b.scip[s]; ok {
		return ds, nil
	}
	var ds, ahead []*decl
	look := func(p, file int) error {
		st, err := b.e.ix.Structural(p)
		if err != nil {
			return err
		}
		var failed error
		err = st.PreciseDefinitions(s.name, file, func(row int, o artifact.PreciseOccurrence) bool {
			n := b.t.number[p][o.File]
			if n < 0 {
				return true
			}
			var d *decl
			if d, failed = b.declOf(n, row, &o); failed != nil {
				return false
			}
			to := &ahead
			if o.Roles&artifact.RolesDefinition != 0 {
				to = &ds
			}
			if !slices.Contains(*to, d) {
				*to = append(*to, d)
			}
			return true
		})
		if err == nil {
			err = failed
		}
		return err
	}
	if s.file >= 0 {
		f := &b.t.files[s.file]
		if err := look(f.p, f.f); err != nil {
			return nil, err
		}
	} else {
		for p := range b.e.parts() {
			if err := look(p, -1); err != nil {
				return nil, err
			}
		}
	}
	if len(ds) == 0 {
		ds = ahead
	}
	b.scip[s] = ds
	return ds, nil
}

// declOf returns the declaration that a precise definition stands for. A
// module or a package is one that the index does not list.
func (b *binder) declOf(file, row int, o *artifact.PreciseOccurrence) (*decl, error) {
	if o.Decl >= 0 {
		return b.decl(declID{b.t.files[file].p, int(o.Decl)})
	}
	id := declID{-1 - file, -1 - row}
	if d := b.decls[id]; d != nil {
		return d, nil
	}
	names := descriptorNames(descriptorsOf(o.Symbol))
	name := fileStem(b.t.files[file].path)
	if len(names) > 0 {
		name = names[len(names)-1]
	}
	end := o.End
	if end.Col > 1 && o.Start.Before(end) {
		end.Col--
	} else {
		end = o.Start
	}
	d := &decl{id: id, file: file, names: []string{name}, sym: artifact.Symbol{
		Name: name, Kind: artifact.KindModule, Parent: -1, NamePos: o.Start, Start: o.Start, End: end,
	}}
	b.decls[id] = d
	return d, nil
}

// descriptorsOf returns the descriptors of a global SCIP symbol.
func descriptorsOf(s string) string {
	if isLocalSymbol(s) {
		return ""
	}
	at := 0
	for range 4 {
		for {
			i := strings.IndexByte(s[at:], ' ')
			if i < 0 {
				return ""
			}
			at += i + 1
			if at == len(s) || s[at] != ' ' {
				break
			}
			at++
		}
	}
	return s[at:]
}

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
