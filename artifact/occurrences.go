package artifact

import "math"

// FileOccurrences calls fn with the occurrences of file f in their order until
// fn returns false. It fails on damaged rows.
func (r *StructuralReader) FileOccurrences(f int, fn func(Occurrence) bool) error {
	return r.fileOccurrences(f, r.strings.str, fn)
}

func (r *StructuralReader) fileOccurrences(f int, text func(i int) string, fn func(Occurrence) bool) error {
	lo, hi := r.fileRows(1, f)
	line := uint64(1)
	for i := lo; i < hi; i++ {
		line += r.occCols[occLine].at(i)
		name := r.occCols[occName].at(i)
		if name >= uint64(r.strings.n) {
			return damaged("occurrence %d has name %d of %d", i, name, r.strings.n)
		}
		o, err := r.occurrence(i, f, line, text)
		if err != nil {
			return err
		}
		o.Name = text(int(name))
		if !fn(o) {
			return nil
		}
	}
	return nil
}

// occurrence returns row i of file f, which stands in the given line, without
// its name.
func (r *StructuralReader) occurrence(i, f int, line uint64, text func(i int) string) (Occurrence, error) {
	col, receiver := r.occCols[occCol].cell(i)+1, r.occCols[occReceiver].cell(i)
	if receiver >= uint64(r.strings.n) || line > math.MaxUint32 || col > math.MaxUint32 {
		return Occurrence{}, damaged("occurrence %d has a number out of range", i)
	}
	return Occurrence{
		File:     uint32(f),
		Pos:      Position{uint32(line), uint32(col)},
		Role:     Role(r.occCols[occRole].cell(i)),
		Receiver: text(int(receiver)),
	}, nil
}

// named returns the number of the string name if occurrences use it.
func (r *StructuralReader) named(name string) (uint64, bool) {
	id, ok := r.strings.find(name)
	return uint64(id), ok && r.uses.at(id)&useName != 0
}

// FilesUsing returns the files with an occurrence of name, ascending.
func (r *StructuralReader) FilesUsing(name string) []uint32 {
	id, ok := r.named(name)
	if !ok {
		return nil
	}
	var out []uint32
	for i := 0; ; {
		i = r.occCols[occName].next(id, i, r.occurrences)
		if i == r.occurrences {
			return out
		}
		f := r.fileOf(1, i)
		out = append(out, uint32(f))
		_, i = r.fileRows(1, f)
	}
}

// Occurrences calls fn with every occurrence of name in order until fn
// returns false. It fails on damaged rows.
func (r *StructuralReader) Occurrences(name string, fn func(Occurrence) bool) error {
	id, ok := r.named(name)
	if !ok {
		return nil
	}
	c := &r.occCols[occName]
	f, hi := -1, 0 // current file and the end of its rows
	next, line := 0, uint64(1)
	for i := c.next(id, 0, r.occurrences); i < r.occurrences; i = c.next(id, i+1, r.occurrences) {
		if i >= hi {
			f = r.fileOf(1, i)
			next, hi = r.fileRows(1, f)
			line = 1
		}
		for ; next <= i; next++ {
			line += r.occCols[occLine].at(next)
		}
		o, err := r.occurrence(i, f, line, r.strings.str)
		if err != nil {
			return err
		}
		o.Name = name
		if !fn(o) {
			return nil
		}
	}
	return nil
}

// NumImports returns the number of import bindings.
func (r *StructuralReader) NumImports() int { return r.imports }

// FileImports returns the imports of file f in their order. It fails on
// damaged rows.
func (r *StructuralReader) FileImports(f int) ([]Import, error) {
	lo, hi := r.fileRows(2, f)
	if lo == hi {
		return nil, nil
	}
	out := make([]Import, 0, hi-lo)
	line := uint64(1)
	for i := lo; i < hi; i++ {
		line += r.impCols[impLine].at(i)
		m, err := r.importRow(i, f, line)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

func (r *StructuralReader) importRow(i, f int, line uint64) (Import, error) {
	module, name, alias := r.impCols[impModule].cell(i), r.impCols[impName].cell(i), r.impCols[impAlias].cell(i)
	col := r.impCols[impCol].cell(i) + 1
	if max(module, name, alias) >= uint64(r.strings.n) || line > math.MaxUint32 || col > math.MaxUint32 {
		return Import{}, damaged("import %d has a number out of range", i)
	}
	return Import{
		File:   uint32(f),
		Pos:    Position{uint32(line), uint32(col)},
		Module: r.strings.str(int(module)),
		Name:   r.strings.str(int(name)),
		Alias:  r.strings.str(int(alias)),
	}, nil
}

// FilesImporting returns the files that import from exactly the given module
// (as written), ascending.
func (r *StructuralReader) FilesImporting(module string) []uint32 {
	id, ok := r.strings.find(module)
	if !ok || r.uses.at(id)&useModule == 0 {
		return nil
	}
	var out []uint32
	for i := 0; ; {
		i = r.impCols[impModule].next(uint64(id), i, r.imports)
		if i == r.imports {
			return out
		}
		f := r.fileOf(2, i)
		out = append(out, uint32(f))
		_, i = r.fileRows(2, f)
	}
}

// WalkModules calls fn with every imported module, as written, that starts
// with prefix, in byte order, until fn returns false. The slice aliases the
// segment.
func (r *StructuralReader) WalkModules(prefix string, fn func(module []byte) bool) {
	r.strings.walk(r.strings.lower(prefix), func(i int, s []byte) bool {
		if len(s) < len(prefix) || string(s[:len(prefix)]) != prefix {
			return false
		}
		return r.uses.at(i)&useModule == 0 || fn(s)
	})
}

// WalkImports calls fn with every import of the partition in order until fn
// returns false. It fails on damaged rows.
func (r *StructuralReader) WalkImports(fn func(Import) bool) error {
	for f := range r.files {
		lo, hi := r.fileRows(2, f)
		line := uint64(1)
		for i := lo; i < hi; i++ {
			line += r.impCols[impLine].at(i)
			m, err := r.importRow(i, f, line)
			if err != nil {
				return err
			}
			if !fn(m) {
				return nil
			}
		}
	}
	return nil
}
