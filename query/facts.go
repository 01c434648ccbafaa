package query

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// FileFacts is what an index says of one file's structure, in SCIP's terms.
type FileFacts struct {
	Path     string
	Lang     string
	Precise  bool // from a SCIP document, and nothing but that
	Declared []DeclaredFact
	Used     []UsedFact
	Relates  []artifact.PreciseRelation // of precise files
}

// DeclaredFact is one declaration.
type DeclaredFact struct {
	ID         string // SCIP symbol; "local N" for what no other file can name
	Name       string
	Kind       artifact.Kind
	Start, End artifact.Position    // of the name; the end is one byte behind it
	Around     [2]artifact.Position // of the whole declaration, likewise; zero where it is not known
	Roles      artifact.SymbolRoles
	Line       SourceText // the line of the name
}

// UsedFact is one use that is bound.
type UsedFact struct {
	ID         string
	Start, End artifact.Position
	Role       artifact.Role
	Roles      artifact.SymbolRoles
	Provenance Provenance
	Rule       string
	In         string // declaration around it; "" at the top level and for locals
}

// idScheme begins the symbols that pindex gives out: SCIP's grammar with the
// file's path as a namespace, and no package, so that they stay when lines
// move and when a version is released.
const idScheme = "pindex . . . "

// SymbolID returns the SCIP symbol of a declaration by the path of its file
// and its descriptors within it.
func SymbolID(path, descriptor string) string {
	return idScheme + "`" + strings.ReplaceAll(path, "`", "``") + "`/" + descriptor
}

// EachFile calls fn with the structure of every file, in path order. heuristic
// includes bindings that are likely and not proven.
func (e *Engine) EachFile(ctx context.Context, heuristic bool, fn func(*FileFacts) error) error {
	return e.answer(func() error {
		b, err := e.newBinderFor(ctx, "export")
		if err != nil {
			return err
		}
		for i := range b.t.files {
			if err := ctx.Err(); err != nil {
				return err
			}
			x := &exporter{b: b, file: i, locals: map[declID]string{}}
			f, err := x.facts(heuristic)
			if err != nil {
				return err
			}
			if f != nil {
				if err := fn(f); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// exporter collects the facts of one file.
type exporter struct {
	b      *binder
	file   int
	locals map[declID]string
	out    *FileFacts
}

func (x *exporter) facts(heuristic bool) (*FileFacts, error) {
	b := x.b
	f := &b.t.files[x.file]
	st, err := b.e.ix.Structural(f.p)
	if err != nil {
		return nil, err
	}
	u, err := b.e.ix.Units(f.p)
	if err != nil {
		return nil, err
	}
	if isUTF16(u.Encoding(f.f)) {
		return nil, nil // its columns are none of the text that SCIP speaks of
	}
	x.out = &FileFacts{Path: f.path, Lang: f.lang, Precise: st.Precise(f.f)}
	if x.out.Precise {
		err = x.precise(st, f.f)
	} else {
		err = x.syntactic(st, f.f, heuristic)
	}
	if err != nil || len(x.out.Declared)+len(x.out.Used) == 0 {
		return nil, err
	}
	return x.out, nil
}

// id returns the SCIP symbol of a declaration as another file names it; "" for
// one that it cannot name.
func (x *exporter) id(d *decl) (string, error) {
	if has, err := x.b.hasDocument(d.file); err != nil {
		return "", err
	} else if has {
		symbols, err := x.b.symbolsOf(&target{decls: []*decl{d}})
		if err != nil {
			return "", err
		}
		for _, s := range symbols {
			if s.file < 0 || s.file == x.file {
				return s.name, nil
			}
		}
		return "", nil
	}
	if !d.unlisted() && !d.local() && d.sym.Descriptor != "" {
		return SymbolID(x.b.t.files[d.file].path, d.sym.Descriptor), nil
	}
	if d.file != x.file {
		return "", nil
	}
	if s, ok := x.locals[d.id]; ok {
		return s, nil
	}
	s := "local " + strconv.Itoa(len(x.locals))
	x.locals[d.id] = s
	if d.unlisted() {
		return s, x.declare(d, s)
	}
	return s, nil
}

// declare adds a declaration whose name stands where the index says.
func (x *exporter) declare(d *decl, id string) error {
	end, ok, err := x.stands(d.sym.NamePos, d.sym.Name)
	if err != nil || !ok {
		return err
	}
	line, err := x.b.line(x.file, int(d.sym.NamePos.Line))
	if err != nil {
		return err
	}
	f := DeclaredFact{ID: id, Name: d.sym.Name, Kind: d.sym.Kind, Start: d.sym.NamePos, End: end, Roles: artifact.RolesDefinition, Line: line}
	if !d.unlisted() {
		last := d.sym.End
		last.Col++
		f.Around = [2]artifact.Position{d.sym.Start, last}
	}
	if d.forward() {
		f.Roles = artifact.RolesForward
	}
	x.out.Declared = append(x.out.Declared, f)
	return nil
}

// stands reports whether a name stands in the text at a place, and where it
// ends. Without the source view it is taken on trust.
func (x *exporter) stands(at artifact.Position, name string) (end artifact.Position, ok bool, err error) {
	end = artifact.Position{Line: at.Line, Col: at.Col + uint32(len(name))}
	t, err := x.b.text(x.file)
	if err != nil || name == "" {
		return end, false, err
	}
	if t == nil {
		return end, true, nil
	}
	if int(at.Line) > len(t.starts) {
		return end, false, nil
	}
	line := t.line(int(at.Line))
	from := min(int(at.Col)-1, len(line))
	return end, bytes.HasPrefix(line[from:], []byte(name)), nil
}

func (x *exporter) syntactic(st *artifact.StructuralReader, f int, heuristic bool) error {
	b := x.b
	lo, hi := st.FileSymbols(f)
	for i := lo; i < hi; i++ {
		d, err := b.decl(declID{b.t.files[x.file].p, i})
		if err != nil {
			return err
		}
		id, err := x.id(d)
		if err != nil {
			return err
		}
		if id != "" {
			if err := x.declare(d, id); err != nil {
				return err
			}
		}
	}
	uses, err := b.fileUses(x.file)
	if err != nil {
		return err
	}
	for _, o := range uses {
		u := use{file: x.file, occ: o}
		if u.in, err = b.enclosing(x.file, o.Pos); err != nil {
			return err
		}
		got, err := b.bind(u)
		if err != nil {
			return err
		}
		if got.binding != Bound || got.provenance == Heuristic && !heuristic {
			continue
		}
		end, ok, err := x.stands(o.Pos, o.Name)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		in := ""
		if u.in != nil && !u.in.local() {
			if in, err = x.id(u.in); err != nil {
				return err
			}
		}
		seen := map[string]bool{}
		for _, d := range got.decls {
			id, err := x.id(d)
			if err != nil {
				return err
			}
			if id == "" || seen[id] {
				continue
			}
			seen[id] = true
			x.out.Used = append(x.out.Used, UsedFact{ID: id, Start: o.Pos, End: end, Role: o.Role, Provenance: got.provenance, Rule: got.rule, In: in})
		}
	}
	return nil
}

// precise gives back what the document said.
func (x *exporter) precise(st *artifact.StructuralReader, f int) error {
	b := x.b
	uses, err := b.fileUses(x.file)
	if err != nil {
		return err
	}
	roles := make(map[artifact.Position]artifact.Role, len(uses))
	for _, o := range uses {
		roles[o.Pos] = o.Role
	}
	var failed error
	err = st.FilePrecise(f, func(o artifact.PreciseOccurrence) bool {
		if o.Roles&artifact.RolesDefinition != 0 {
			d := DeclaredFact{ID: o.Symbol, Start: o.Start, End: o.End, Around: o.Enclosing, Roles: o.Roles}
			if o.Decl >= 0 {
				decl, err := b.decl(declID{b.t.files[x.file].p, int(o.Decl)})
				if failed = err; err != nil {
					return false
				}
				d.Name, d.Kind = decl.sym.Name, decl.sym.Kind
			}
			if d.Line, failed = b.line(x.file, int(o.Start.Line)); failed != nil {
				return false
			}
			x.out.Declared = append(x.out.Declared, d)
			return true
		}
		role, ok := roles[o.Start]
		if !ok {
			role = roleOf(o.Roles)
		}
		var in *decl
		if in, failed = b.enclosing(x.file, o.Start); failed != nil {
			return false
		}
		used := UsedFact{ID: o.Symbol, Start: o.Start, End: o.End, Role: role, Roles: o.Roles, Provenance: Precise, Rule: ruleSCIP}
		if in != nil && !in.local() {
			if used.In, failed = x.id(in); failed != nil {
				return false
			}
		}
		x.out.Used = append(x.out.Used, used)
		return true
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	return st.PreciseRelations("", "", func(r artifact.PreciseRelation) bool {
		if int(r.File) == f {
			x.out.Relates = append(x.out.Relates, r)
		}
		return true
	})
}
