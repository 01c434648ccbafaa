package artifact

import (
	"sort"
	"strings"
)

// Symbol returns symbol i.
func (r *StructuralReader) Symbol(i int) Symbol {
	return Symbol{
		Name:       r.SymbolName(i),
		Descriptor: r.SymbolDescriptor(i),
		Kind:       r.SymbolKind(i),
		Flags:      SymbolFlags(r.symCols[symFlags].cell(i)),
		File:       uint32(r.fileOf(0, i)),
		Unit:       uint32(r.SymbolUnit(i)),
		Parent:     int32(r.SymbolParent(i)),
		NamePos:    r.SymbolNamePos(i),
		Start:      r.start(i),
		End:        r.end(i),
	}
}

// SymbolName returns the name of symbol i.
func (r *StructuralReader) SymbolName(i int) string {
	return r.strings.str(int(r.symCols[symName].at(i)))
}

// SymbolKind returns the kind of symbol i.
func (r *StructuralReader) SymbolKind(i int) Kind { return Kind(r.symCols[symKind].at(i)) }

// SymbolUnit returns the unit that declares or encloses symbol i.
func (r *StructuralReader) SymbolUnit(i int) int { return i + int(unzigzag(r.symCols[symUnit].at(i))) }

// SymbolParent returns the symbol around symbol i, -1 at top level.
func (r *StructuralReader) SymbolParent(i int) int {
	if back := int(r.symCols[symParent].at(i)); back > 0 {
		return i - back
	}
	return -1
}

// SymbolNamePos returns where the name of symbol i stands.
func (r *StructuralReader) SymbolNamePos(i int) Position {
	p := r.start(i)
	p.Line = uint32(int64(p.Line) + unzigzag(r.symCols[symNameLine].at(i)))
	p.Col = uint32(int64(p.Col) + unzigzag(r.symCols[symNameCol].at(i)))
	return p
}

// SymbolDescriptor returns the descriptors of symbol i within its file.
func (r *StructuralReader) SymbolDescriptor(i int) string {
	var chain []int
	for {
		chain = append(chain, i)
		if r.templates.bytes(int(r.symCols[symTemplate].cell(i)))[0]&templateParent == 0 {
			break
		}
		i = r.SymbolParent(i)
	}
	var b strings.Builder
	for k := len(chain) - 1; k >= 0; k-- {
		t := r.templates.bytes(int(r.symCols[symTemplate].cell(chain[k])))
		literal := t[2:]
		if t[0]&templateName != 0 {
			b.Write(literal[:t[1]])
			b.Write(r.strings.bytes(int(r.symCols[symName].cell(chain[k]))))
			literal = literal[t[1]:]
		}
		b.Write(literal)
	}
	return b.String()
}

func (r *StructuralReader) start(i int) Position {
	return Position{r.symCols[symStartLine].u32(i) + 1, r.symCols[symStartCol].u32(i) + 1}
}

func (r *StructuralReader) end(i int) Position {
	line := r.symCols[symStartLine].u32(i) + 1 + r.symCols[symMoreLines].u32(i)
	return Position{line, r.symCols[symEndCol].u32(i) + 1}
}

// FileSymbols returns the symbols [lo, hi) of file f.
func (r *StructuralReader) FileSymbols(f int) (lo, hi int) { return r.fileRows(0, f) }

// SymbolsNamed returns the symbols with exactly the given name, in order.
func (r *StructuralReader) SymbolsNamed(name string) []uint32 {
	id, ok := r.strings.find(name)
	if !ok || r.uses.at(id)&useDeclared == 0 {
		return nil
	}
	var out []uint32
	c := &r.symCols[symName]
	for i := c.next(uint64(id), 0, r.symbols); i < r.symbols; i = c.next(uint64(id), i+1, r.symbols) {
		out = append(out, uint32(i))
	}
	return out
}

// WalkNames calls fn with every declared name that starts with prefix, in
// byte order, until fn returns false. The slice aliases the segment.
func (r *StructuralReader) WalkNames(prefix string, fn func(name []byte) bool) {
	r.strings.walk(r.strings.lower(prefix), func(i int, s []byte) bool {
		if len(s) < len(prefix) || string(s[:len(prefix)]) != prefix {
			return false
		}
		return r.uses.at(i)&useDeclared == 0 || fn(s)
	})
}

// UnitSymbol returns the first symbol of unit u that is not local to a
// callable: where u is the unit of a declaration, that declaration. A file or
// remainder may enclose symbols that have no unit of their own; compare the
// kinds where that matters.
func (r *StructuralReader) UnitSymbol(u int) (int, bool) {
	// Symbols and units are numbered in almost the same order, so no column
	// ascends; a partition has few enough symbols to look at all of them.
	for i := range r.symbols {
		if r.SymbolUnit(i) == u && SymbolFlags(r.symCols[symFlags].at(i))&SymbolLocal == 0 {
			return i, true
		}
	}
	return 0, false
}

// SymbolAt returns the innermost symbol of file f whose [Start, End] holds p.
func (r *StructuralReader) SymbolAt(f int, p Position) (int, bool) {
	r.enclosingOnce.Do(r.findEnclosing)
	lo, hi := r.FileSymbols(f)
	i := lo - 1 + sort.Search(hi-lo, func(k int) bool { return p.Before(r.start(lo + k)) })
	for i >= lo && r.end(i).Before(p) {
		i = int(r.enclosing[i])
	}
	return i, i >= lo
}

// findEnclosing links each symbol to the last one before it in its file that
// had not ended at its start. Following the links from the last symbol that
// starts at or before a position meets every symbol that holds the position,
// innermost first, whether or not symbols nest as their parents say.
func (r *StructuralReader) findEnclosing() {
	links := make([]int32, r.symbols)
	for f := range r.files {
		lo, hi := r.FileSymbols(f)
		for i := lo; i < hi; i++ {
			j, start := i-1, r.start(i)
			for j >= lo && r.end(j).Before(start) {
				j = int(links[j])
			}
			if j < lo {
				j = -1
			}
			links[i] = int32(j)
		}
	}
	r.enclosing = links
}
