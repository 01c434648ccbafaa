package query

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/treepath"
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
	name := treepath.Stem(b.t.files[file].path)
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
