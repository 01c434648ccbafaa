package artifact

import (
	"math"
	"sort"
)

// Sections of a structural segment that hold what a SCIP index says of files;
// all or none are there, and they are required where they are (see FORMAT.md).
const (
	secPreciseFiles       = 9  // table: whether a file has a document, and the ends of its rows below
	secPreciseSymbols     = 10 // strings, ascending: SCIP symbols
	secPreciseOccurrences = 11 // table
	secPreciseExtents     = 12 // table: declarations and enclosing ranges of some occurrences
	secPreciseRelations   = 13 // table
	secPreciseInfos       = 14 // table
)

const (
	preciseFlag       = iota // of a file: 1 with a document, 0 without
	preciseEndRows           // ends in the occurrences
	preciseEndRelated        // ends in the relations
	preciseEndInfos          // ends in the infos
	preciseFileColumns
)

const (
	preSymbol = iota
	preRoles
	preLine   // - 1
	preCol    // - 1
	preMore   // lines
	preLength // bytes on one line, else the column of the end - 1
	preColumns
)

const (
	extRow       = iota // of an occurrence, ascending
	extDecl             // 0 for none, else 1 + symbol number
	extStartLine        // 0 without an enclosing range, else its first line
	extStartCol         // - 1
	extEndLine
	extEndCol // - 1
	extColumns
)

const (
	relSymbol = iota
	relTarget
	relFlags
	relColumns
)

const (
	infoSymbol = iota
	infoKind
	infoColumns
)

// SymbolRoles are the bits of SCIP's SymbolRole.
type SymbolRoles uint32

const (
	RolesDefinition SymbolRoles = 1 << iota
	RolesImport
	RolesWrite
	RolesRead
	RolesGenerated
	RolesTest
	RolesForward // a declaration whose definition is elsewhere
)

// PreciseOccurrence is one occurrence of a SCIP document, in byte columns of
// the commit's text. They are sorted by (File, Start, End, Symbol).
type PreciseOccurrence struct {
	File   uint32
	Start  Position
	End    Position // one byte behind the last
	Symbol string   // SCIP's; "local N" is one of its own file
	Roles  SymbolRoles
	Decl   int32 // of a definition: the symbol that it declares; -1 for none
	// Enclosing is the range of the whole declaration or expression, its end
	// one byte behind the last; zero where the index does not say.
	Enclosing [2]Position
}

// RelationFlags say how two symbols are related, as SCIP's Relationship does.
type RelationFlags uint8

const (
	RelationReference RelationFlags = 1 << iota
	RelationImplementation
	RelationTypeDefinition
	RelationDefinition
)

// PreciseRelation says that Symbol, of a file's document, is related to
// Target. They are sorted by (File, Symbol, Target).
type PreciseRelation struct {
	File           uint32
	Symbol, Target string
	Flags          RelationFlags
}

// PreciseInfo is what a file's document says of a symbol itself. They are
// sorted by (File, Symbol).
type PreciseInfo struct {
	File   uint32
	Symbol string
	Kind   uint32 // SCIP's SymbolInformation.Kind; 0 where it is not said
}

// PreciseData is what SCIP documents say of one partition's files.
type PreciseData struct {
	Files       []uint32 // files with a document, ascending
	Occurrences []PreciseOccurrence
	Relations   []PreciseRelation
	Infos       []PreciseInfo
}

// preciseReader is the precise part of an open structural segment.
type preciseReader struct {
	files                  []column
	symbols                *stringTable
	rows, extents          int
	rowCols, extCols       []column
	relations, infos       int
	relationCols, infoCols []column
}

// openPrecise opens the sections of the precise part; nil without them.
func (r *StructuralReader) openPrecise(s *segment) error {
	if _, ok, err := s.section(secPreciseFiles); err != nil || !ok {
		return err
	}
	p := &preciseReader{}
	n, files, err := s.table(secPreciseFiles, "precise files", 1, 4, 4, 4)
	if err != nil {
		return err
	}
	if n != r.files {
		return damaged("%d precise rows for %d files", n, r.files)
	}
	p.files = files
	if p.symbols, err = s.strings(secPreciseSymbols, "precise symbols"); err != nil {
		return err
	}
	if !p.symbols.sorted() {
		return damaged("precise symbols do not ascend")
	}
	if p.rows, p.rowCols, err = s.table(secPreciseOccurrences, "precise occurrences", 4, 4, 4, 4, 4, 4); err != nil {
		return err
	}
	if p.extents, p.extCols, err = s.table(secPreciseExtents, "precise extents", 4, 4, 4, 4, 4, 4); err != nil {
		return err
	}
	if p.relations, p.relationCols, err = s.table(secPreciseRelations, "precise relations", 4, 4, 1); err != nil {
		return err
	}
	if p.infos, p.infoCols, err = s.table(secPreciseInfos, "precise infos", 4, 4); err != nil {
		return err
	}
	for k, rows := range []int{p.rows, p.relations, p.infos} {
		end := uint64(0)
		for f := range r.files {
			e := files[preciseEndRows+k].cell(f)
			if e < end || e > uint64(rows) || e > end && files[preciseFlag].cell(f) == 0 {
				return damaged("precise rows of file %d do not follow those of the file before", f)
			}
			end = e
		}
		if end != uint64(rows) {
			return damaged("%d precise rows belong to no file", uint64(rows)-end)
		}
	}
	for i := 1; i < p.extents; i++ {
		if p.extCols[extRow].cell(i-1) >= p.extCols[extRow].cell(i) {
			return damaged("precise extents do not ascend")
		}
	}
	r.precise = p
	return nil
}

// HasPrecise reports whether some file has a SCIP document.
func (r *StructuralReader) HasPrecise() bool { return r.precise != nil }

// Precise reports whether file f has a SCIP document.
func (r *StructuralReader) Precise(f int) bool {
	return r.precise != nil && r.precise.files[preciseFlag].at(f) != 0
}

// NumPreciseOccurrences returns the number of rows that PreciseOccurrence
// knows.
func (r *StructuralReader) NumPreciseOccurrences() int {
	if r.precise == nil {
		return 0
	}
	return r.precise.rows
}

func (p *preciseReader) fileRows(column, f int) (lo, hi int) {
	if f > 0 {
		lo = int(p.files[column].at(f - 1))
	}
	return lo, int(p.files[column].at(f))
}

func (p *preciseReader) fileOf(column, i int) int {
	return sort.Search(p.files[column].rows, func(f int) bool { return int(p.files[column].at(f)) > i })
}

// PreciseRows returns the precise occurrences [lo, hi) of file f.
func (r *StructuralReader) PreciseRows(f int) (lo, hi int) {
	if r.precise == nil {
		return 0, 0
	}
	return r.precise.fileRows(preciseEndRows, f)
}

// PreciseOccurrence returns precise occurrence i. It fails on damaged rows.
func (r *StructuralReader) PreciseOccurrence(i int) (PreciseOccurrence, error) {
	o, symbol, err := r.preciseRow(i)
	if err != nil {
		return PreciseOccurrence{}, err
	}
	o.Symbol = r.precise.symbols.str(symbol)
	return o, nil
}

// preciseRow returns row i without the text of its symbol.
func (r *StructuralReader) preciseRow(i int) (o PreciseOccurrence, symbol int, err error) {
	p := r.precise
	c := p.rowCols
	id := c[preSymbol].cell(i)
	line, col := c[preLine].cell(i)+1, c[preCol].cell(i)+1
	endLine, endCol := line+c[preMore].cell(i), c[preLength].cell(i)+1
	if endLine == line {
		endCol += col - 1
	}
	if id >= uint64(p.symbols.n) || max(line, col, endLine, endCol) > math.MaxUint32 {
		return o, 0, damaged("precise occurrence %d has a number out of range", i)
	}
	o = PreciseOccurrence{
		File:  uint32(p.fileOf(preciseEndRows, i)),
		Start: Position{uint32(line), uint32(col)}, End: Position{uint32(endLine), uint32(endCol)},
		Roles: SymbolRoles(c[preRoles].cell(i)), Decl: -1,
	}
	at := sort.Search(p.extents, func(k int) bool { return p.extCols[extRow].at(k) >= uint64(i) })
	if at == p.extents || p.extCols[extRow].cell(at) != uint64(i) {
		return o, int(id), nil
	}
	e := p.extCols
	if decl := e[extDecl].cell(at); decl > 0 {
		if lo, hi := r.FileSymbols(int(o.File)); decl-1 < uint64(lo) || decl-1 >= uint64(hi) {
			return o, 0, damaged("precise occurrence %d declares a symbol of another file", i)
		}
		o.Decl = int32(decl - 1)
	}
	if first := e[extStartLine].cell(at); first > 0 {
		startCol, last, lastCol := e[extStartCol].cell(at)+1, e[extEndLine].cell(at), e[extEndCol].cell(at)+1
		if max(startCol, lastCol) > math.MaxUint32 {
			return o, 0, damaged("precise occurrence %d has a column out of range", i)
		}
		o.Enclosing = [2]Position{{uint32(first), uint32(startCol)}, {uint32(last), uint32(lastCol)}}
		if o.Enclosing[1].Before(o.Enclosing[0]) {
			return o, 0, damaged("precise occurrence %d has an enclosing range that ends before it starts", i)
		}
	}
	return o, int(id), nil
}

// FilePrecise calls fn with the precise occurrences of file f in order until
// fn returns false. It fails on damaged rows.
func (r *StructuralReader) FilePrecise(f int, fn func(PreciseOccurrence) bool) error {
	lo, hi := r.PreciseRows(f)
	for i := lo; i < hi; i++ {
		o, err := r.PreciseOccurrence(i)
		if err != nil {
			return err
		}
		if !fn(o) {
			return nil
		}
	}
	return nil
}

// PreciseFrom returns the first precise occurrence of file f that starts at or
// behind p, or the end of the file's rows.
func (r *StructuralReader) PreciseFrom(f int, p Position) int {
	lo, hi := r.PreciseRows(f)
	return lo + sort.Search(hi-lo, func(k int) bool {
		c := r.precise.rowCols
		line, col := c[preLine].at(lo+k)+1, c[preCol].at(lo+k)+1
		return line > uint64(p.Line) || line == uint64(p.Line) && col >= uint64(p.Col)
	})
}

// preciseRange returns the number of a SCIP symbol, and the rows of a file, or
// of all files when that is below 0.
func (r *StructuralReader) preciseRange(symbol string, file int) (id uint64, lo, hi int, ok bool) {
	if r.precise == nil {
		return 0, 0, 0, false
	}
	n, ok := r.precise.symbols.find(symbol)
	lo, hi = 0, r.precise.rows
	if file >= 0 {
		lo, hi = r.PreciseRows(file)
	}
	return uint64(n), lo, hi, ok
}

// PreciseUses calls fn with the precise occurrences of a SCIP symbol, in
// order, until fn returns false: in all files of the partition, or, with file
// 0 or more, in that one. It fails on damaged rows.
func (r *StructuralReader) PreciseUses(symbol string, file int, fn func(PreciseOccurrence) bool) error {
	id, lo, hi, ok := r.preciseRange(symbol, file)
	if !ok {
		return nil
	}
	c := &r.precise.rowCols[preSymbol]
	for i := c.next(id, lo, hi); i < hi; i = c.next(id, i+1, hi) {
		o, _, err := r.preciseRow(i)
		if err != nil {
			return err
		}
		o.Symbol = symbol
		if !fn(o) {
			return nil
		}
	}
	return nil
}

// WalkPreciseSymbols calls fn with every SCIP symbol that the partition's
// documents mention and that starts with prefix, in byte order, until fn
// returns false. The slice aliases the segment.
func (r *StructuralReader) WalkPreciseSymbols(prefix string, fn func(symbol []byte) bool) {
	if r.precise == nil {
		return
	}
	t := r.precise.symbols
	t.walk(t.lower(prefix), func(_ int, s []byte) bool {
		return len(s) >= len(prefix) && string(s[:len(prefix)]) == prefix && fn(s)
	})
}

// PreciseRelations calls fn with every relation of the partition, in order,
// until fn returns false; with a symbol or a target other than "", only with
// those that have it. It fails on damaged rows.
func (r *StructuralReader) PreciseRelations(symbol, target string, fn func(PreciseRelation) bool) error {
	p := r.precise
	if p == nil {
		return nil
	}
	want := [2]uint64{math.MaxUint64, math.MaxUint64}
	for k, s := range []string{symbol, target} {
		if s == "" {
			continue
		}
		id, ok := p.symbols.find(s)
		if !ok {
			return nil
		}
		want[k] = uint64(id)
	}
	for i := range p.relations {
		a, b := p.relationCols[relSymbol].cell(i), p.relationCols[relTarget].cell(i)
		if want[0] != math.MaxUint64 && a != want[0] || want[1] != math.MaxUint64 && b != want[1] {
			continue
		}
		if max(a, b) >= uint64(p.symbols.n) {
			return damaged("precise relation %d has a number out of range", i)
		}
		if !fn(PreciseRelation{
			File: uint32(p.fileOf(preciseEndRelated, i)), Symbol: p.symbols.str(int(a)), Target: p.symbols.str(int(b)),
			Flags: RelationFlags(p.relationCols[relFlags].cell(i)),
		}) {
			return nil
		}
	}
	return nil
}

// PreciseInfos calls fn with what the document of file f says of symbols, in
// order, until fn returns false. It fails on damaged rows.
func (r *StructuralReader) PreciseInfos(f int, fn func(PreciseInfo) bool) error {
	p := r.precise
	if p == nil {
		return nil
	}
	lo, hi := p.fileRows(preciseEndInfos, f)
	for i := lo; i < hi; i++ {
		id := p.infoCols[infoSymbol].at(i)
		if id >= uint64(p.symbols.n) {
			return damaged("precise info %d has a number out of range", i)
		}
		if !fn(PreciseInfo{File: uint32(f), Symbol: p.symbols.str(int(id)), Kind: p.infoCols[infoKind].u32(i)}) {
			return nil
		}
	}
	return nil
}

// PreciseDefinitions is PreciseUses for those occurrences that define the
// symbol, or that declare it ahead of its definition.
func (r *StructuralReader) PreciseDefinitions(symbol string, file int, fn func(row int, o PreciseOccurrence) bool) error {
	id, lo, hi, ok := r.preciseRange(symbol, file)
	if !ok {
		return nil
	}
	symbols, roles := &r.precise.rowCols[preSymbol], &r.precise.rowCols[preRoles]
	for i := symbols.next(id, lo, hi); i < hi; i = symbols.next(id, i+1, hi) {
		if SymbolRoles(roles.at(i))&(RolesDefinition|RolesForward) == 0 {
			continue
		}
		o, _, err := r.preciseRow(i)
		if err != nil {
			return err
		}
		o.Symbol = symbol
		if !fn(i, o) {
			return nil
		}
	}
	return nil
}
