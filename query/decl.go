package query

import (
	"context"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/infer"
)

// declID names one declaration: a symbol number in a partition.
type declID struct{ p, sym int }

// decl is a declaration with what the rules ask of it.
type decl struct {
	id    declID
	sym   artifact.Symbol
	file  int      // entry in the file table
	names []string // qualified: enclosing names and its own
	row   int32    // 1 + its number among the file's locals; 0 for a symbol
}

// owner is the qualified name without the last component.
func (d *decl) owner() []string { return d.names[:max(0, len(d.names)-1)] }

// symbol is the qualified name, joined by dots.
func (d *decl) symbol() string { return strings.Join(d.names, ".") }

func (d *decl) local() bool { return d.sym.Flags&artifact.SymbolLocal != 0 }

// inScope reports whether the declaration is one that only its scope sees.
func (d *decl) inScope() bool { return d.row > 0 && d.local() }

func (d *decl) forward() bool { return d.sym.Flags&artifact.SymbolForward != 0 }

// container reports whether the declaration has members.
func (d *decl) container() bool { return d.sym.Kind.Container() || d.sym.Kind == artifact.KindType }

// callable reports whether the declaration can be called.
func callableKind(k artifact.Kind) bool {
	switch k {
	case artifact.KindFunction, artifact.KindMethod, artifact.KindConstructor, artifact.KindMacro, artifact.KindProperty:
		return true
	}
	return false
}

// fitsRole reports whether a use in the given role can mean a declaration of
// the given kind. Calls may mean classes (their constructors), and values may
// be called.
func fitsRole(role artifact.Role, k artifact.Kind) bool {
	switch role {
	case artifact.RoleType, artifact.RoleInherit, artifact.RoleImplement:
		return k.Container() || k == artifact.KindType || k == artifact.KindVariable || k == artifact.KindConstant ||
			k == artifact.KindEnumMember || k == artifact.KindFunction
	case artifact.RoleCall, artifact.RoleInstantiate:
		return k != artifact.KindNamespace && k != artifact.KindPackage
	}
	return true
}

// binder binds uses of names to declarations. It remembers what it has read
// and serves one query on one goroutine.
type binder struct {
	e   *Engine
	ctx context.Context
	t   *fileTable

	imports      map[int][]artifact.Import
	renames      *[]artifact.Import // all that rename; nil before they are asked for
	uses         map[int][]artifact.Occurrence
	named        map[string][]*decl
	decls        map[declID]*decl
	modules      map[moduleKey]module
	memo         map[memoKey]outcome
	bases        map[declID]baseList
	lines        map[int]*lineTable
	places       map[int]map[artifact.Position]int
	projects     *projects
	meanings     *infer.Reader             // nil before it is asked
	symbolsNamed map[string][]infer.Symbol // as infer asks for them
	unlisted     map[placeKey]*decl
	told
	scip map[scipSymbol][]*decl
}

type moduleKey struct {
	from int
	name string
}

func (e *Engine) newBinder(ctx context.Context) (*binder, error) {
	t, err := e.fileTable(ctx)
	if err != nil {
		return nil, err
	}
	return &binder{
		e: e, ctx: ctx, t: t,
		imports: map[int][]artifact.Import{}, uses: map[int][]artifact.Occurrence{}, named: map[string][]*decl{},
		decls: map[declID]*decl{}, modules: map[moduleKey]module{}, memo: map[memoKey]outcome{},
		bases: map[declID]baseList{}, lines: map[int]*lineTable{}, places: map[int]map[artifact.Position]int{},
		symbolsNamed: map[string][]infer.Symbol{},
		unlisted:     map[placeKey]*decl{},
		told:         newTold(),
		scip:         map[scipSymbol][]*decl{},
	}, nil
}

// decl reads one declaration.
func (b *binder) decl(id declID) (*decl, error) {
	if d := b.decls[id]; d != nil {
		return d, nil
	}
	st, err := b.e.ix.Structural(id.p)
	if err != nil {
		return nil, err
	}
	if n := st.NumSymbols(); id.sym >= n {
		return b.localByID(id.p, id.sym-n)
	}
	s := st.Symbol(id.sym)
	d := &decl{id: id, sym: s, file: b.t.number[id.p][s.File], names: descriptorNames(s.Descriptor)}
	if len(d.names) == 0 {
		d.names = []string{s.Name}
	}
	b.decls[id] = d
	return d, nil
}

// declared returns every declaration with exactly the given name, in path
// order.
func (b *binder) declared(name string) ([]*decl, error) {
	if ds, ok := b.named[name]; ok {
		return ds, nil
	}
	parts, err := b.e.declaring(b.ctx, name)
	if err != nil {
		return nil, err
	}
	var out []*decl
	for _, p := range parts {
		st, err := b.e.ix.Structural(p)
		if err != nil {
			return nil, err
		}
		for _, s := range st.SymbolsNamed(name) {
			d, err := b.decl(declID{p, int(s)})
			if err != nil {
				return nil, err
			}
			if d.file >= 0 {
				out = append(out, d)
			}
		}
	}
	b.named[name] = out
	return out, nil
}

// inFile returns the declarations of a name in one file.
func (b *binder) inFile(file int, name string) ([]*decl, error) {
	all, err := b.declared(name)
	if err != nil {
		return nil, err
	}
	var out []*decl
	for _, d := range all {
		if d.file == file {
			out = append(out, d)
		}
	}
	return out, nil
}

// topLevel returns the declarations of a name at the top level of a file, or
// in namespaces and modules of it.
func (b *binder) topLevel(file int, name string) ([]*decl, error) {
	ds, err := b.inFile(file, name)
	if err != nil {
		return nil, err
	}
	var out []*decl
	for _, d := range ds {
		if !d.local() && b.open(d) {
			out = append(out, d)
		}
	}
	return out, nil
}

// open reports whether nothing but namespaces and modules encloses d.
func (b *binder) open(d *decl) bool {
	for p := d.sym.Parent; p >= 0; {
		parent, err := b.decl(declID{d.id.p, int(p)})
		if err != nil {
			return false
		}
		switch parent.sym.Kind {
		case artifact.KindNamespace, artifact.KindModule, artifact.KindPackage:
		default:
			return false
		}
		p = parent.sym.Parent
	}
	// A method that is written outside of its type has an owner and no parent.
	return d.sym.Parent >= 0 || len(d.names) <= 1
}

// fileImports returns the imports of a file.
func (b *binder) fileImports(file int) ([]artifact.Import, error) {
	if im, ok := b.imports[file]; ok {
		return im, nil
	}
	f := &b.t.files[file]
	st, err := b.e.ix.Structural(f.p)
	if err != nil {
		return nil, err
	}
	im, err := st.FileImports(f.f)
	if err != nil {
		return nil, err
	}
	b.imports[file] = im
	return im, nil
}

// fileUses returns the occurrences of a file.
func (b *binder) fileUses(file int) ([]artifact.Occurrence, error) {
	if u, ok := b.uses[file]; ok {
		return u, nil
	}
	f := &b.t.files[file]
	st, err := b.e.ix.Structural(f.p)
	if err != nil {
		return nil, err
	}
	var out []artifact.Occurrence
	if err := st.FileOccurrences(f.f, func(o artifact.Occurrence) bool {
		out = append(out, o)
		return true
	}); err != nil {
		return nil, err
	}
	b.uses[file] = out
	return out, nil
}

// enclosing returns the innermost declaration around a place, nil at the top
// level of a file.
func (b *binder) enclosing(file int, at artifact.Position) (*decl, error) {
	f := &b.t.files[file]
	st, err := b.e.ix.Structural(f.p)
	if err != nil {
		return nil, err
	}
	i, ok := st.SymbolAt(f.f, at)
	if !ok {
		return nil, nil
	}
	return b.decl(declID{f.p, i})
}

// parent returns the declaration around d, nil at the top level.
func (b *binder) parent(d *decl) (*decl, error) {
	if d.sym.Parent < 0 || d.unlisted() {
		return nil, nil
	}
	return b.decl(declID{d.id.p, int(d.sym.Parent)})
}

// text returns a file's lines, nil without the source view. UTF-16 files are
// transcoded.
func (b *binder) text(file int) (*lineTable, error) {
	if t, ok := b.lines[file]; ok {
		return t, nil
	}
	var t *lineTable
	if b.e.has(artifact.Source) {
		f := &b.t.files[file]
		src, err := b.e.ix.Source(f.p)
		if err != nil {
			return nil, err
		}
		u, err := b.e.ix.Units(f.p)
		if err != nil {
			return nil, err
		}
		content := src.Content(f.f)
		if enc := u.Encoding(f.f); isUTF16(enc) {
			content = transcode(content, enc).text
		}
		t = newLineTable(content)
	}
	b.lines[file] = t
	return t, nil
}

// textAt is text with the offset of a position; nil where either is unknown.
func (b *binder) textAt(file int, pos artifact.Position) (*lineTable, uint32, error) {
	t, err := b.text(file)
	if err != nil || t == nil {
		return nil, 0, err
	}
	at, ok := t.offset(pos)
	if !ok {
		return nil, 0, nil
	}
	return t, at, nil
}

// line returns one line's text.
func (b *binder) line(file, n int) (SourceText, error) {
	t, err := b.text(file)
	if err != nil || t == nil {
		return SourceText{}, err
	}
	return sourceText(t.line(n)), nil
}

// hit turns a declaration into a result.
func (b *binder) hit(d *decl, prov Provenance, rule string) (SymbolHit, error) {
	f := &b.t.files[d.file]
	u, err := b.e.ix.Units(f.p)
	if err != nil {
		return SymbolHit{}, err
	}
	text, err := b.line(d.file, int(d.sym.NamePos.Line))
	if err != nil {
		return SymbolHit{}, err
	}
	h := SymbolHit{
		Place: placeOf(f.path, int(d.sym.Start.Line), int(d.sym.End.Line)),
		Col:   int(d.sym.NamePos.Col), NameLine: int(d.sym.NamePos.Line),
		Kind: d.sym.Kind.String(), Name: d.sym.Name, Symbol: d.symbol(),
		Provenance: prov, Rule: rule, SourceText: text, Origin: OriginArtifact,
	}
	unit := int(d.sym.Unit)
	if d.unlisted() {
		return h, nil
	}
	if u.UnitName(unit) == d.sym.Name && u.UnitKind(unit) == d.sym.Kind {
		h.Level, h.ID = levelName(u.UnitLevel(unit)), u.UnitID(unit)
	}
	return h, nil
}
