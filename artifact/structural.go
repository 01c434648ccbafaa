package artifact

import (
	"sort"
	"sync"
)

// Sections of a structural segment; all are required (see FORMAT.md).
const (
	secStructFiles       = 1 // table: ends of each file's symbols, occurrences and imports
	secStructUnits       = 2 // table of one row: number of units
	secStructStrings     = 3 // strings, ascending: names, receivers, modules, aliases
	secStructUses        = 4 // table: what each string is used for
	secStructSymbols     = 5 // table
	secStructTemplates   = 6 // strings: shapes of descriptors
	secStructOccurrences = 7 // table
	secStructImports     = 8 // table
)

const (
	symKind = iota
	symFlags
	symName
	symUnit   // zigzag(unit - number of the symbol)
	symParent // 0 for none, else the distance back to the parent
	symStartLine
	symStartCol // column - 1, as all columns here
	symNameLine // zigzag of the distance to the start line
	symNameCol  // zigzag of the distance to the start column
	symMoreLines
	symEndCol
	symTemplate
	symColumns
)

const (
	occName = iota
	occRole
	occLine // lines down from the file's previous occurrence, from line 1 for the first
	occCol
	occReceiver
	occColumns
)

const (
	impModule = iota
	impName
	impAlias
	impLine // as for occurrences
	impCol
	impColumns
)

// What a string of a structural segment is used for.
const (
	useDeclared = 1 << iota // some symbol's name
	useName                 // some occurrence's name
	useModule               // some import's module
)

// MaxDescriptor is the longest descriptor of a symbol, in bytes.
const MaxDescriptor = 1 << 20

// A template says how to make a descriptor from the parent's descriptor, the
// symbol's name and literal bytes: byte 0 holds the flags, byte 1 where in
// the literal the name goes, the rest is the literal.
const (
	templateParent = 1 // starts with the parent's descriptor
	templateName   = 2 // holds the name
)

// StructuralReader reads a structural segment in place. OpenStructural has
// checked every table that its methods without an error read; occurrences and
// imports are checked while they are decoded. It is safe for concurrent use.
type StructuralReader struct {
	key                             Digest
	files, units                    int
	symbols, occurrences, imports   int
	strings, templates              *stringTable
	ends, symCols, occCols, impCols []column
	uses                            column
	precise                         *preciseReader // nil where no file has a SCIP document

	locals, localUses        int
	locEnds, locCols, luCols []column // nil without locals

	enclosingOnce sync.Once
	enclosing     []int32 // for each symbol, the one before it that was open at its start
}

// structuralSections are the sections that this package knows.
var structuralSections = []uint16{
	secStructFiles, secStructUnits, secStructStrings, secStructUses,
	secStructSymbols, secStructTemplates, secStructOccurrences, secStructImports,
	secStructLocalFiles, secStructLocals, secStructLocalUses,
	secPreciseFiles, secPreciseSymbols, secPreciseOccurrences, secPreciseExtents, secPreciseRelations, secPreciseInfos,
}

// OpenStructural opens a structural segment. Errors wrap ErrNotPindex,
// ErrTooNew or ErrDamaged.
func OpenStructural(b []byte) (*StructuralReader, error) {
	s, err := openSegment(b, Structural, structuralSections...)
	if err != nil {
		return nil, err
	}
	r := &StructuralReader{key: s.key}
	if r.files, r.ends, err = s.table(secStructFiles, "files", 4, 4, 4); err != nil {
		return nil, err
	}
	rows, units, err := s.table(secStructUnits, "units", 4)
	if err != nil {
		return nil, err
	}
	if rows != 1 || units[0].at(0) > maxRows {
		return nil, damaged("number of units")
	}
	r.units = int(units[0].at(0))
	if r.strings, err = s.strings(secStructStrings, "strings"); err != nil {
		return nil, err
	}
	rows, uses, err := s.table(secStructUses, "uses", 1)
	if err != nil {
		return nil, err
	}
	if rows != r.strings.n || !r.strings.sorted() {
		return nil, damaged("strings do not ascend, or %d uses of %d strings", rows, r.strings.n)
	}
	r.uses = uses[0]
	if r.symbols, r.symCols, err = s.table(secStructSymbols, "symbols", 1, 1, 4, 4, 4, 4, 4, 5, 5, 4, 4, 4); err != nil {
		return nil, err
	}
	if r.templates, err = s.strings(secStructTemplates, "templates"); err != nil {
		return nil, err
	}
	if r.occurrences, r.occCols, err = s.table(secStructOccurrences, "occurrences", 4, 1, 4, 4, 4); err != nil {
		return nil, err
	}
	if r.imports, r.impCols, err = s.table(secStructImports, "imports", 4, 4, 4, 4, 4); err != nil {
		return nil, err
	}
	for i, n := range []int{r.symbols, r.occurrences, r.imports} {
		if err := checkEnds(&r.ends[i], r.files, n); err != nil {
			return nil, err
		}
	}
	if err := r.openLocals(s); err != nil {
		return nil, err
	}
	if err := r.openPrecise(s); err != nil {
		return nil, err
	}
	return r, r.validateSymbols()
}

func (r *StructuralReader) validateSymbols() error {
	for i := range r.templates.n {
		t := r.templates.bytes(i)
		if len(t) < 2 || t[0]&^(templateParent|templateName) != 0 || t[0]&templateName != 0 && int(t[1]) > len(t)-2 {
			return damaged("descriptor template %d", i)
		}
	}
	c := r.symCols
	w := getWorkspace()
	defer w.put()
	lengths := w.take(r.symbols)
	for f := range r.files {
		lo, hi := r.FileSymbols(f)
		for i := lo; i < hi; i++ {
			name, template := c[symName].at(i), c[symTemplate].at(i)
			unit := int64(i) + unzigzag(c[symUnit].at(i))
			if name >= uint64(r.strings.n) || template >= uint64(r.templates.n) || unit < 0 || unit >= int64(r.units) {
				return damaged("symbol %d has a number out of range", i)
			}
			back := c[symParent].at(i)
			if back > uint64(i-lo) {
				return damaged("symbol %d has a parent in another file", i)
			}
			line, col := int64(c[symStartLine].at(i))+1, int64(c[symStartCol].at(i))+1
			nameLine, nameCol := line+unzigzag(c[symNameLine].at(i)), col+unzigzag(c[symNameCol].at(i))
			endLine, endCol := line+int64(c[symMoreLines].at(i)), int64(c[symEndCol].at(i))+1
			for _, v := range [...]int64{line, col, nameLine, nameCol, endLine, endCol} {
				if v < 1 || v > 1<<32-1 {
					return damaged("symbol %d has no valid position", i)
				}
			}
			if endLine == line && endCol < col {
				return damaged("symbol %d ends before it starts", i)
			}
			if i > lo {
				a, b := r.start(i-1), Position{uint32(line), uint32(col)}
				if b.Before(a) || a == b && r.end(i-1).Before(Position{uint32(endLine), uint32(endCol)}) {
					return damaged("symbol %d is out of order", i)
				}
			}
			t := r.templates.bytes(int(template))
			length := uint64(len(t) - 2)
			if t[0]&templateParent != 0 {
				if back == 0 {
					return damaged("symbol %d has no parent to take a descriptor from", i)
				}
				length += uint64(lengths[i-int(back)])
			}
			if t[0]&templateName != 0 {
				length += r.strings.lens.at(int(name))
			}
			if length > MaxDescriptor {
				return damaged("symbol %d has a descriptor of %d bytes", i, length)
			}
			lengths[i] = uint32(length)
		}
	}
	return nil
}

// Key returns the segment key.
func (r *StructuralReader) Key() Digest { return r.key }

// NumFiles returns the number of files of the partition.
func (r *StructuralReader) NumFiles() int { return r.files }

// NumUnits returns the number of units of the partition.
func (r *StructuralReader) NumUnits() int { return r.units }

// NumSymbols returns the number of declarations.
func (r *StructuralReader) NumSymbols() int { return r.symbols }

// NumOccurrences returns the number of uses of names.
func (r *StructuralReader) NumOccurrences() int { return r.occurrences }

// fileRows returns the rows [lo, hi) of file f in the table whose ends are in
// the given column.
func (r *StructuralReader) fileRows(column, f int) (lo, hi int) {
	if f > 0 {
		lo = int(r.ends[column].at(f - 1))
	}
	return lo, int(r.ends[column].at(f))
}

// fileOf returns the file of row i of that table.
func (r *StructuralReader) fileOf(column, i int) int {
	return sort.Search(r.files, func(f int) bool { return int(r.ends[column].at(f)) > i })
}
