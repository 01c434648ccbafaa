package artifact

import (
	"bytes"
	"sort"

	"github.com/pindex-dev/pindex/internal/gitobj"
)

// Sections of a units segment; all are required (see FORMAT.md).
const (
	secUnitsFiles   = 1 // table: skip, mode, size, lang, degraded, encoding, lines
	secUnitsPaths   = 2 // strings, ascending
	secUnitsBlobs   = 3 // files × 20 or 32 bytes
	secUnitsLangs   = 4 // strings, ascending
	secUnitsUnits   = 5 // table: kind, level, file, parent+1, start, length, first line, lines-1, symbol, name
	secUnitsSymbols = 6 // strings in the order of first use
	secUnitsDocs    = 7 // table: part, unit-doc (zigzag), and the distances of start, end, first and last line to the unit's
)

const (
	fileSkip = iota
	fileMode
	fileSize
	fileLang // 0 for none, else 1 + number in the language strings
	fileDegraded
	fileEncoding
	fileLines
	fileColumns
)

const (
	unitKind = iota
	unitLevel
	unitFile
	unitParent // 0 for none, else 1 + unit
	unitStart
	unitLength
	unitStartLine
	unitMoreLines // EndLine - StartLine
	unitSymbol
	unitName // length<<1 where the name ends the symbol, else symbol string<<1 | 1
	unitColumns
)

const (
	docPart = iota
	docUnit // zigzag(Unit - number of the doc)
	docStart
	docEnd
	docStartLine
	docEndLine
	docColumns
)

// UnitsReader reads a units segment in place. OpenUnits has checked all of
// it, so no method fails; a number out of range is the caller's defect and
// panics as a slice index would. Strings are copies, byte slices alias the
// segment. It is safe for concurrent use.
type UnitsReader struct {
	key                       Digest
	files, units, docs        int
	idSize                    int
	blobs                     []byte
	paths, symbols            *stringTable
	langs                     []string
	fileCols, unitCols, dCols []column
}

// OpenUnits opens a units segment and validates all of it. Errors wrap
// ErrNotPindex, ErrTooNew or ErrDamaged.
func OpenUnits(b []byte) (*UnitsReader, error) {
	s, err := openSegment(b, Units, secUnitsFiles, secUnitsPaths, secUnitsBlobs,
		secUnitsLangs, secUnitsUnits, secUnitsSymbols, secUnitsDocs)
	if err != nil {
		return nil, err
	}
	r := &UnitsReader{key: s.key}
	if r.files, r.fileCols, err = s.table(secUnitsFiles, "files", 1, 4, 8, 4, 1, 1, 4); err != nil {
		return nil, err
	}
	if r.units, r.unitCols, err = s.table(secUnitsUnits, "units", 1, 1, 4, 4, 4, 4, 4, 4, 4, 4); err != nil {
		return nil, err
	}
	if r.docs, r.dCols, err = s.table(secUnitsDocs, "docs", 4, 4, 4, 4, 4, 4); err != nil {
		return nil, err
	}
	if r.paths, err = s.strings(secUnitsPaths, "paths"); err != nil {
		return nil, err
	}
	if r.symbols, err = s.strings(secUnitsSymbols, "symbols"); err != nil {
		return nil, err
	}
	langs, err := s.strings(secUnitsLangs, "languages")
	if err != nil {
		return nil, err
	}
	if r.blobs, err = s.need(secUnitsBlobs); err != nil {
		return nil, err
	}
	if err := r.validateFiles(langs); err != nil {
		return nil, err
	}
	if err := r.validateUnits(); err != nil {
		return nil, err
	}
	return r, r.validateDocs()
}

func (r *UnitsReader) validateFiles(langs *stringTable) error {
	if r.paths.n != r.files {
		return damaged("%d paths for %d files", r.paths.n, r.files)
	}
	switch len(r.blobs) {
	case r.files * 20:
		r.idSize = 20
	case r.files * 32:
		r.idSize = 32
	default:
		return damaged("%d bytes of object ids for %d files", len(r.blobs), r.files)
	}
	if !r.paths.sorted() {
		return damaged("paths do not ascend")
	}
	if !langs.sorted() || langs.n > r.files {
		return damaged("languages do not ascend")
	}
	r.langs = make([]string, langs.n)
	for i := range r.langs {
		r.langs[i] = langs.str(i)
	}
	for i := range r.files {
		if !validPath(r.paths.bytes(i)) {
			return damaged("file %d has no valid path", i)
		}
		if r.fileCols[fileLang].at(i) > uint64(len(r.langs)) {
			return damaged("file %d has no valid language", i)
		}
	}
	return nil
}

// validPath reports whether p can be the path of a tree entry: components
// that are not empty, between single slashes, without NUL.
func validPath(p []byte) bool {
	if len(p) == 0 || p[0] == '/' || p[len(p)-1] == '/' {
		return false
	}
	return bytes.IndexByte(p, 0) < 0 && !bytes.Contains(p, []byte("//"))
}

// validateUnits checks that each indexed file starts with its L0 unit, and
// that units are sorted, nest properly and name their innermost enclosing
// unit as the parent.
func (r *UnitsReader) validateUnits() error {
	w := getWorkspace()
	defer w.put()
	column := func(i int) []uint32 { return w.all(&r.unitCols[i]) }
	files, parents := column(unitFile), column(unitParent)
	starts, lengths := column(unitStart), column(unitLength)
	lines, mores := column(unitStartLine), column(unitMoreLines)
	symbols, names := column(unitSymbol), column(unitName)
	levels := &r.unitCols[unitLevel]
	ends, lasts := w.take(r.units), w.take(r.units)
	next := 0 // file that may start next
	file := uint32(0)
	for i := range r.units {
		start, line := starts[i], lines[i]
		end, last := uint64(start)+uint64(lengths[i]), uint64(line)+uint64(mores[i])
		ends[i], lasts[i] = uint32(end), uint32(last) // cut short only where a check below fails
		if !r.validName(symbols[i], names[i]) {
			return damaged("unit %d has no valid name", i)
		}
		level := Level(levels.at(i))
		if level == L0 {
			next = r.indexedFrom(next)
			if file = files[i]; uint64(file) != uint64(next) || next >= r.files {
				return damaged("unit %d starts file %d out of turn", i, file)
			}
			next++
			if parents[i] != 0 || start != 0 || end != r.Size(int(file)) || line != 1 || last != uint64(max(1, r.Lines(int(file)))) {
				return damaged("unit %d is not the whole of file %d", i, file)
			}
			continue
		}
		if i == 0 || level > L2 || files[i] != file {
			return damaged("unit %d stands outside a file", i)
		}
		if start < starts[i-1] || start == starts[i-1] && lengths[i] > lengths[i-1] || line < lines[i-1] {
			return damaged("unit %d is out of order", i)
		}
		// The innermost unit that has not ended; the file's L0 unit holds
		// everything, so this ends there at the latest.
		open := uint32(i - 1)
		for ends[open] <= start && parents[open] != 0 {
			open = parents[open] - 1
		}
		if parents[i] != open+1 || lengths[i] == 0 || end > uint64(ends[open]) || last > uint64(lasts[open]) {
			return damaged("unit %d does not lie inside its parent", i)
		}
	}
	if next = r.indexedFrom(next); next != r.files {
		return damaged("file %d has no units", next)
	}
	return nil
}

// indexedFrom returns the first indexed file from number f on.
func (r *UnitsReader) indexedFrom(f int) int {
	for f < r.files && r.Skip(f) != SkipNone {
		f++
	}
	return f
}

func (r *UnitsReader) validName(symbol, name uint32) bool {
	if uint64(symbol) >= uint64(r.symbols.n) {
		return false
	}
	if name&1 == 1 {
		return uint64(name>>1) < uint64(r.symbols.n)
	}
	return uint64(name>>1) <= r.symbols.lens.at(int(symbol))
}

func (r *UnitsReader) validateDocs() error {
	w := getWorkspace()
	defer w.put()
	column := func(i int) []uint32 { return w.all(&r.dCols[i]) }
	unitOf, parts := column(docUnit), column(docPart)
	froms, tos := column(docStart), column(docEnd)
	firsts, lasts := column(docStartLine), column(docEndLine)
	prevUnit, prevEnd, prevLine := int64(-1), uint64(0), uint64(0)
	part := uint32(0)
	for i := range r.docs {
		unit := int64(i) + unzigzag(uint64(unitOf[i]))
		if unit < prevUnit || unit < 0 || unit >= int64(r.units) {
			return damaged("doc %d is of unit %d", i, unit)
		}
		if unit != prevUnit {
			part, prevEnd, prevLine = 0, 0, 0
		}
		length, more := r.unitCols[unitLength].at(int(unit)), r.unitCols[unitMoreLines].at(int(unit))
		from, to := uint64(froms[i]), uint64(tos[i])
		first, last := uint64(firsts[i]), uint64(lasts[i])
		if from+to > length || from+to == length && length != 0 || first+last > more {
			return damaged("doc %d reaches out of its unit", i)
		}
		if parts[i] != part || from < prevEnd || first < prevLine {
			return damaged("doc %d is out of order", i)
		}
		part++
		prevUnit, prevEnd, prevLine = unit, length-to, more-last
	}
	return nil
}

// Key returns the segment key.
func (r *UnitsReader) Key() Digest { return r.key }

// NumFiles returns the number of tree entries, skipped ones included.
func (r *UnitsReader) NumFiles() int { return r.files }

// File returns file i.
func (r *UnitsReader) File(i int) File {
	return File{
		Path:     r.Path(i),
		Mode:     r.Mode(i),
		Blob:     r.Blob(i),
		Size:     r.Size(i),
		Lang:     r.Lang(i),
		Skip:     r.Skip(i),
		Degraded: Degraded(r.fileCols[fileDegraded].cell(i)),
		Encoding: Encoding(r.fileCols[fileEncoding].cell(i)),
		Lines:    r.Lines(i),
	}
}

// Path returns the path of file i.
func (r *UnitsReader) Path(i int) string { return r.paths.str(i) }

// PathBytes returns the path of file i without copying it.
func (r *UnitsReader) PathBytes(i int) []byte { return r.paths.bytes(i) }

// Lang returns the language of file i, "" when none is known. It does not
// allocate.
func (r *UnitsReader) Lang(i int) string {
	if l := r.fileCols[fileLang].at(i); l > 0 {
		return r.langs[l-1]
	}
	return ""
}

// Skip returns why file i is not indexed, SkipNone when it is.
func (r *UnitsReader) Skip(i int) Skip { return Skip(r.fileCols[fileSkip].at(i)) }

// Mode returns the mode of file i's tree entry.
func (r *UnitsReader) Mode(i int) uint32 { return r.fileCols[fileMode].u32(i) }

// Size returns the number of bytes of file i.
func (r *UnitsReader) Size(i int) uint64 { return r.fileCols[fileSize].at(i) }

// Lines returns the number of lines of file i.
func (r *UnitsReader) Lines(i int) uint32 { return r.fileCols[fileLines].u32(i) }

// Encoding returns how file i was read as text.
func (r *UnitsReader) Encoding(i int) Encoding { return Encoding(r.fileCols[fileEncoding].at(i)) }

// Degraded returns why file i has line units or gaps, DegradedNone when it
// has neither.
func (r *UnitsReader) Degraded(i int) Degraded { return Degraded(r.fileCols[fileDegraded].at(i)) }

// Blob returns the object id of file i.
func (r *UnitsReader) Blob(i int) gitobj.ID {
	id, err := gitobj.IDFromBytes(r.blobs[i*r.idSize : (i+1)*r.idSize])
	if err != nil {
		panic(err) // idSize is 20 or 32
	}
	return id
}

// FindFile returns the number of the file with the given path.
func (r *UnitsReader) FindFile(path string) (int, bool) { return r.paths.find(path) }

// NumUnits returns the number of units.
func (r *UnitsReader) NumUnits() int { return r.units }

// Unit returns unit i.
func (r *UnitsReader) Unit(i int) Unit {
	c := r.unitCols
	start, line := uint32(c[unitStart].cell(i)), uint32(c[unitStartLine].cell(i))
	return Unit{
		File:      uint32(c[unitFile].cell(i)),
		Level:     r.UnitLevel(i),
		Kind:      r.UnitKind(i),
		Parent:    int32(c[unitParent].cell(i)) - 1,
		Start:     start,
		End:       start + uint32(c[unitLength].cell(i)),
		StartLine: line,
		EndLine:   line + uint32(c[unitMoreLines].cell(i)),
		Name:      r.UnitName(i),
		Symbol:    r.UnitSymbol(i),
	}
}

// UnitFile returns the file of unit i.
func (r *UnitsReader) UnitFile(i int) int { return int(r.unitCols[unitFile].at(i)) }

// UnitKind returns the kind of unit i.
func (r *UnitsReader) UnitKind(i int) Kind { return Kind(r.unitCols[unitKind].at(i)) }

// UnitLevel returns the level of unit i.
func (r *UnitsReader) UnitLevel(i int) Level { return Level(r.unitCols[unitLevel].at(i)) }

// UnitParent returns the innermost unit around unit i, -1 for an L0 unit.
func (r *UnitsReader) UnitParent(i int) int { return int(r.unitCols[unitParent].at(i)) - 1 }

// UnitLines returns the first and the last line of unit i.
func (r *UnitsReader) UnitLines(i int) (first, last uint32) {
	first = uint32(r.unitCols[unitStartLine].cell(i))
	return first, first + uint32(r.unitCols[unitMoreLines].cell(i))
}

// UnitName returns the last component of the unit's symbol, "" for a
// remainder.
func (r *UnitsReader) UnitName(i int) string { return string(r.UnitNameBytes(i)) }

// UnitNameBytes is UnitName without a copy.
func (r *UnitsReader) UnitNameBytes(i int) []byte {
	v := r.unitCols[unitName].at(i)
	if v&1 == 1 {
		return r.symbols.bytes(int(v >> 1))
	}
	symbol := r.UnitSymbolBytes(i)
	return symbol[len(symbol)-int(v>>1):]
}

// UnitSymbol returns the unit's name as qualified within the file, "" for a
// remainder.
func (r *UnitsReader) UnitSymbol(i int) string { return string(r.UnitSymbolBytes(i)) }

// UnitSymbolBytes is UnitSymbol without a copy.
func (r *UnitsReader) UnitSymbolBytes(i int) []byte {
	return r.symbols.bytes(int(r.unitCols[unitSymbol].at(i)))
}

// FileUnits returns the units [lo, hi) of file f: its L0 unit first. A
// skipped file has none.
func (r *UnitsReader) FileUnits(f int) (lo, hi int) {
	c := &r.unitCols[unitFile]
	lo = sort.Search(r.units, func(i int) bool { return int(c.at(i)) >= f })
	hi = lo + sort.Search(r.units-lo, func(i int) bool { return int(c.at(lo+i)) > f })
	return lo, hi
}

// NumDocs returns the number of search documents.
func (r *UnitsReader) NumDocs() int { return r.docs }

// Doc returns search document i.
func (r *UnitsReader) Doc(i int) Doc {
	u := r.DocUnit(i)
	c, uc := r.dCols, r.unitCols
	start, line := uint32(uc[unitStart].cell(u)), uint32(uc[unitStartLine].cell(u))
	return Doc{
		Unit:      uint32(u),
		Part:      uint32(c[docPart].cell(i)),
		Start:     start + uint32(c[docStart].cell(i)),
		End:       start + uint32(uc[unitLength].cell(u)) - uint32(c[docEnd].cell(i)),
		StartLine: line + uint32(c[docStartLine].cell(i)),
		EndLine:   line + uint32(uc[unitMoreLines].cell(u)) - uint32(c[docEndLine].cell(i)),
	}
}

// DocUnit returns the unit of doc i.
func (r *UnitsReader) DocUnit(i int) int { return i + int(unzigzag(r.dCols[docUnit].at(i))) }

// DocFile returns the file of doc i.
func (r *UnitsReader) DocFile(i int) int { return r.UnitFile(r.DocUnit(i)) }

// UnitDocs returns the docs [lo, hi) of unit u.
func (r *UnitsReader) UnitDocs(u int) (lo, hi int) {
	return r.firstDoc(u), r.firstDoc(u + 1)
}

// FileDocs returns the docs [lo, hi) of file f.
func (r *UnitsReader) FileDocs(f int) (lo, hi int) {
	a, z := r.FileUnits(f)
	return r.firstDoc(a), r.firstDoc(z)
}

// firstDoc returns the first doc whose unit is u or a later one.
func (r *UnitsReader) firstDoc(u int) int {
	return sort.Search(r.docs, func(i int) bool { return r.DocUnit(i) >= u })
}
