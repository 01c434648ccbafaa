package artifact

// ImportsReader reads what a structural segment says of imported modules, and
// touches nothing else of it: opening it costs a tenth of opening the segment.
// It is safe for concurrent use.
type ImportsReader struct {
	key     Digest
	files   int
	strings *stringTable
	ends    column // of each file's imports
	modules column // number of each import's module
}

// OpenImports opens a structural segment for its imported modules. What it
// reads is checked, the segment's other sections are not. Errors wrap
// ErrNotPindex, ErrTooNew or ErrDamaged.
func OpenImports(b []byte) (*ImportsReader, error) {
	s, err := openSegment(b, Structural, structuralSections...)
	if err != nil {
		return nil, err
	}
	r := &ImportsReader{key: s.key}
	files, ends, err := s.table(secStructFiles, "files", 4, 4, 4)
	if err != nil {
		return nil, err
	}
	if r.strings, err = s.strings(secStructStrings, "strings"); err != nil {
		return nil, err
	}
	rows, imports, err := s.table(secStructImports, "imports", 4, 4, 4, 4, 4)
	if err != nil {
		return nil, err
	}
	r.files, r.ends, r.modules = files, ends[2], imports[impModule]
	if err := checkEnds(&r.ends, files, rows); err != nil {
		return nil, err
	}
	for i := range rows {
		if m := r.modules.at(i); m >= uint64(r.strings.n) {
			return nil, damaged("import %d is of module %d of %d", i, m, r.strings.n)
		}
	}
	return r, nil
}

// checkEnds checks that the rows of files follow each other and are all.
func checkEnds(ends *column, files, rows int) error {
	end := uint64(0)
	for f := range files {
		e := ends.at(f)
		if e < end || e > uint64(rows) {
			return damaged("rows of file %d do not follow those of the file before", f)
		}
		end = e
	}
	if end != uint64(rows) {
		return damaged("%d rows belong to no file", uint64(rows)-end)
	}
	return nil
}

// EachModule calls fn with every imported module, as written, and the number
// of files that import from it. The slice aliases the segment.
func (r *ImportsReader) EachModule(fn func(module []byte, files int)) {
	type seen struct{ last, files int32 }
	by := make([]seen, r.strings.n)
	var used []int32 // modules in the order of their first import
	lo := 0
	for f := range r.files {
		hi := int(r.ends.at(f))
		for i := lo; i < hi; i++ {
			m := &by[r.modules.at(i)]
			if m.files == 0 {
				used = append(used, int32(r.modules.at(i)))
			} else if m.last == int32(f) {
				continue
			}
			m.last = int32(f)
			m.files++
		}
		lo = hi
	}
	for _, m := range used {
		fn(r.strings.bytes(int(m)), int(by[m].files))
	}
}

// Imports returns the imported modules of partition p. They are part of its
// structural segment, the rest of which is not opened.
func (ix *Index) Imports(p int) (*ImportsReader, error) {
	return openView(ix, ix.imports, p, Structural, func(b []byte, info *PartitionInfo) (*ImportsReader, Digest, error) {
		r, err := OpenImports(b)
		if err != nil {
			return nil, Digest{}, err
		}
		return r, r.key, counts("files", r.files, info.Files)
	})
}
