package artifact

import (
	"strings"
)

// StructuralData is the content of one partition's structural segment, in the
// orders that Symbol, Occurrence and Import document.
type StructuralData struct {
	Files, Units int // of the partition
	Symbols      []Symbol
	Occurrences  []Occurrence
	Imports      []Import
	Locals       []Local
	LocalUses    []LocalUse
	Precise      PreciseData // what SCIP documents say; nothing without Files
}

// EncodeStructural returns the structural segment for d. It reads back what
// it wrote and fails where d breaks a rule of FORMAT.md.
func EncodeStructural(key Digest, d *StructuralData) ([]byte, error) {
	for _, n := range []int{d.Files, d.Units, len(d.Symbols), len(d.Occurrences), len(d.Imports), len(d.Locals), len(d.LocalUses)} {
		if n < 0 || n > maxRows {
			return nil, damaged("structural: a count of %d is out of range", n)
		}
	}
	files := newTableWriter(d.Files, 3)
	units := newTableWriter(1, 1)
	units.set(0, 0, uint64(d.Units))
	strs := numberStrings(d)
	templates := newStringBuilder()
	symbols, err := encodeSymbols(d, strs.symbols, templates, files)
	if err != nil {
		return nil, err
	}
	occurrences, err := encodeOccurrences(d, strs.occurrences, files)
	if err != nil {
		return nil, err
	}
	imports, err := encodeImports(d, strs.imports, files)
	if err != nil {
		return nil, err
	}
	w := newSegmentWriter(Structural, key)
	w.add(secStructFiles, sectionRequired, files.bytes())
	w.add(secStructUnits, sectionRequired, units.bytes())
	b, err := encodeStrings(strs.list)
	if err != nil {
		return nil, err
	}
	w.add(secStructStrings, sectionRequired, b)
	w.add(secStructUses, sectionRequired, strs.uses.bytes())
	w.add(secStructSymbols, sectionRequired, symbols.bytes())
	if b, err = encodeStrings(templates.list); err != nil {
		return nil, err
	}
	w.add(secStructTemplates, sectionRequired, b)
	w.add(secStructOccurrences, sectionRequired, occurrences.bytes())
	w.add(secStructImports, sectionRequired, imports.bytes())
	if err := addLocals(w, d, strs.locals); err != nil {
		return nil, err
	}
	if err := addPrecise(w, d); err != nil {
		return nil, err
	}
	out := w.bytes()
	return out, checkStructural(out, d)
}

// numbered holds the sorted strings of a segment and the numbers of those that
// each row names, in the order of the rows.
type numbered struct {
	list        []string
	uses        *tableWriter
	symbols     []uint32    // name
	occurrences [][2]uint32 // name, receiver
	imports     [][3]uint32 // module, name, alias
	locals      [][2]uint32 // name, type
}

func numberStrings(d *StructuralData) *numbered {
	n := &numbered{
		symbols:     make([]uint32, len(d.Symbols)),
		occurrences: make([][2]uint32, len(d.Occurrences)),
		imports:     make([][3]uint32, len(d.Imports)),
		locals:      make([][2]uint32, len(d.Locals)),
	}
	strs := newStringBuilder()
	for i := range d.Symbols {
		n.symbols[i] = strs.id(d.Symbols[i].Name)
	}
	for i := range d.Occurrences {
		o := &d.Occurrences[i]
		n.occurrences[i] = [2]uint32{strs.id(o.Name), strs.id(o.Receiver)}
	}
	for i := range d.Imports {
		m := &d.Imports[i]
		n.imports[i] = [3]uint32{strs.id(m.Module), strs.id(m.Name), strs.id(m.Alias)}
	}
	for i := range d.Locals {
		n.locals[i] = [2]uint32{strs.id(d.Locals[i].Name), strs.id(d.Locals[i].Type)}
	}
	renumbered := strs.sort()
	n.list = strs.list
	n.uses = newTableWriter(len(n.list), 1)
	use := func(id *uint32, bit uint64) {
		*id = renumbered[*id]
		n.uses.columns[0][*id] |= bit
	}
	for i := range n.symbols {
		use(&n.symbols[i], useDeclared)
	}
	for i := range n.occurrences {
		use(&n.occurrences[i][0], useName)
		use(&n.occurrences[i][1], 0)
	}
	for i := range n.imports {
		use(&n.imports[i][0], useModule)
		use(&n.imports[i][1], 0)
		use(&n.imports[i][2], 0)
	}
	for i := range n.locals {
		use(&n.locals[i][0], useLocal)
		use(&n.locals[i][1], 0)
	}
	return n
}

// setEnds fills one column of the files table with the ends of the runs that
// fileOf describes.
func setEnds(files *tableWriter, column, n int, fileOf func(i int) uint32) error {
	f := 0
	for i := range n {
		g := int(fileOf(i))
		if g >= files.rows || g < f {
			return damaged("structural: entry %d of column %d is of file %d, out of order", i, column, g)
		}
		for ; f < g; f++ {
			files.set(f, column, uint64(i))
		}
	}
	for ; f < files.rows; f++ {
		files.set(f, column, uint64(n))
	}
	return nil
}

func encodeSymbols(d *StructuralData, names []uint32, templates *stringBuilder, files *tableWriter) (*tableWriter, error) {
	if err := setEnds(files, 0, len(d.Symbols), func(i int) uint32 { return d.Symbols[i].File }); err != nil {
		return nil, err
	}
	t := newTableWriter(len(d.Symbols), symColumns)
	for i := range d.Symbols {
		s := &d.Symbols[i]
		if s.Start.Line < 1 || s.Start.Col < 1 || s.End.Before(s.Start) || s.NamePos.Line < 1 || s.NamePos.Col < 1 || s.End.Col < 1 {
			return nil, damaged("structural: symbol %d has no valid position", i)
		}
		if s.Parent < -1 || int(s.Parent) >= i {
			return nil, damaged("structural: symbol %d has parent %d", i, s.Parent)
		}
		t.set(i, symKind, uint64(s.Kind))
		t.set(i, symFlags, uint64(s.Flags))
		t.set(i, symName, uint64(names[i]))
		t.set(i, symUnit, zigzag(int64(s.Unit)-int64(i)))
		parent := ""
		if s.Parent >= 0 {
			t.set(i, symParent, uint64(i-int(s.Parent)))
			parent = d.Symbols[s.Parent].Descriptor
		}
		t.set(i, symStartLine, uint64(s.Start.Line-1))
		t.set(i, symStartCol, uint64(s.Start.Col-1))
		t.set(i, symNameLine, zigzag(int64(s.NamePos.Line)-int64(s.Start.Line)))
		t.set(i, symNameCol, zigzag(int64(s.NamePos.Col)-int64(s.Start.Col)))
		t.set(i, symMoreLines, uint64(s.End.Line-s.Start.Line))
		t.set(i, symEndCol, uint64(s.End.Col-1))
		t.set(i, symTemplate, uint64(templates.id(descriptorTemplate(s, parent))))
	}
	return t, nil
}

// descriptorTemplate returns the template that makes s.Descriptor.
func descriptorTemplate(s *Symbol, parent string) string {
	flags, at, rest := byte(0), 0, s.Descriptor
	if s.Parent >= 0 && strings.HasPrefix(rest, parent) {
		flags |= templateParent
		rest = rest[len(parent):]
	}
	if k := strings.Index(rest, s.Name); s.Name != "" && k >= 0 && k < 256 {
		flags |= templateName
		at = k
		rest = rest[:k] + rest[k+len(s.Name):]
	}
	return string([]byte{flags, byte(at)}) + rest
}

func encodeOccurrences(d *StructuralData, ids [][2]uint32, files *tableWriter) (*tableWriter, error) {
	if err := setEnds(files, 1, len(d.Occurrences), func(i int) uint32 { return d.Occurrences[i].File }); err != nil {
		return nil, err
	}
	t := newTableWriter(len(d.Occurrences), occColumns)
	prev := Position{1, 1}
	for i := range d.Occurrences {
		o := &d.Occurrences[i]
		if i == 0 || o.File != d.Occurrences[i-1].File {
			prev = Position{1, 1}
		}
		if o.Pos.Before(prev) || o.Pos.Col < 1 {
			return nil, damaged("structural: occurrence %d is out of order", i)
		}
		t.set(i, occName, uint64(ids[i][0]))
		t.set(i, occRole, uint64(o.Role))
		t.set(i, occLine, uint64(o.Pos.Line-prev.Line))
		t.set(i, occCol, uint64(o.Pos.Col-1))
		t.set(i, occReceiver, uint64(ids[i][1]))
		prev = o.Pos
	}
	return t, nil
}

func encodeImports(d *StructuralData, ids [][3]uint32, files *tableWriter) (*tableWriter, error) {
	if err := setEnds(files, 2, len(d.Imports), func(i int) uint32 { return d.Imports[i].File }); err != nil {
		return nil, err
	}
	t := newTableWriter(len(d.Imports), impColumns)
	prev := Position{1, 1}
	for i := range d.Imports {
		m := &d.Imports[i]
		if i == 0 || m.File != d.Imports[i-1].File {
			prev = Position{1, 1}
		}
		if m.Pos.Before(prev) || m.Pos.Col < 1 {
			return nil, damaged("structural: import %d is out of order", i)
		}
		t.set(i, impModule, uint64(ids[i][0]))
		t.set(i, impName, uint64(ids[i][1]))
		t.set(i, impAlias, uint64(ids[i][2]))
		t.set(i, impLine, uint64(m.Pos.Line-prev.Line))
		t.set(i, impCol, uint64(m.Pos.Col-1))
		prev = m.Pos
	}
	return t, nil
}

// checkStructural reads back what EncodeStructural wrote.
func checkStructural(b []byte, d *StructuralData) error {
	r, err := OpenStructural(b)
	if err != nil {
		return err
	}
	return checkStructuralReader(r, d)
}

// checkStructuralReader compares all that r holds with d.
func checkStructuralReader(r *StructuralReader, d *StructuralData) error {
	if r.NumFiles() != d.Files || r.NumUnits() != d.Units || r.NumSymbols() != len(d.Symbols) ||
		r.NumOccurrences() != len(d.Occurrences) || r.imports != len(d.Imports) {
		return damaged("structural: counts differ when read back")
	}
	for i := range d.Symbols {
		if r.Symbol(i) != d.Symbols[i] {
			return damaged("structural: symbol %d differs when read back", i)
		}
	}
	i := 0
	texts := r.strings.all()
	text := func(i int) string { return texts[i] }
	for f := range d.Files {
		same := true
		err := r.fileOccurrences(f, text, func(o Occurrence) bool {
			same = o == d.Occurrences[i]
			i++
			return same
		})
		if err != nil {
			return err
		}
		if !same {
			return damaged("structural: occurrence %d differs when read back", i-1)
		}
	}
	i = 0
	for f := range d.Files {
		list, err := r.FileImports(f)
		if err != nil {
			return err
		}
		for _, m := range list {
			if m != d.Imports[i] {
				return damaged("structural: import %d differs when read back", i)
			}
			i++
		}
	}
	if err := checkLocals(r, d); err != nil {
		return err
	}
	return checkPrecise(r, d)
}
