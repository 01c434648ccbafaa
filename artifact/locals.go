package artifact

import "math"

// Sections of a structural segment that hold what callables and blocks bind.
// They are optional and come together; a segment without locals has none.
const (
	secStructLocalFiles = 20 // table: ends of each file's locals and of their uses
	secStructLocals     = 21 // table
	secStructLocalUses  = 22 // table
)

const (
	locName = iota
	locKind
	locLine // lines down from the file's previous local, from line 1 for the first
	locCol
	locType
	locStartLine // zigzag of the scope's first line less the name's
	locStartCol
	locMoreLines // lines from the scope's first to its last
	locEndCol
	locColumns
)

const (
	luLine = iota // as for locals
	luCol
	luRole
	luLocal
	luColumns
)

// useLocal marks strings that are some local's name.
const useLocal = 8

// Local is a name that a callable or a block binds: a parameter, a variable, a
// type parameter. Locals are sorted by (File, Pos). Some kinds say more:
//
//   - KindField: a member that its type gets by assignment through self or
//     this, or a key of an object literal; the scope is the range of the type
//     or literal.
//   - KindFunction, KindClass: a symbol, whose name stands at Pos, that is local
//     to a block.
//   - KindUnknown: no name of its own. With an empty scope it gives the Type of
//     the symbol whose name stands at Pos or, where none does, it is a later
//     assignment to a symbol of the file. With a scope it says that there the
//     type of the name is narrower than declared.
type Local struct {
	File       uint32
	Name       string
	Kind       Kind
	Pos        Position // where the name stands
	Start, End Position // where it means this: [Start, End)
	Type       string   // what its type can be told from, see TypeHint; "" for nothing
}

// A type hint is one byte that says how to read the rest.
const (
	// HintWritten: the type as the source writes it, without white space. Of a
	// callable it is the type of what it returns.
	HintWritten = ':'
	// HintValue: an expression that gives the value, as a chain: names, "."
	// in front of a member, "()" for a call without its arguments, "[]" or
	// "[n]" for a subscript, "*" for an element of what can be iterated, "^"
	// for what a context manager gives, "~" for pairs of a number and an
	// element. Of a callable it is what it returns.
	HintValue = '='
	// HintAlias: the name stands for the type that is written.
	HintAlias = '~'
	// HintContext: of a key of an object literal that is an argument, the call
	// and the argument's number: "callee(k,0)"; nothing when it is no chain.
	HintContext = '@'
)

// MaxTypeHint is the longest type hint, in bytes.
const MaxTypeHint = 96

// LocalUse is one use of a local. Uses are sorted by (File, Pos).
type LocalUse struct {
	File  uint32
	Pos   Position
	Role  Role
	Local uint32 // number among the locals of the file, from 0
}

// openLocals opens the sections of locals, which may all be missing.
func (r *StructuralReader) openLocals(s *segment) error {
	if _, ok, err := s.section(secStructLocalFiles); !ok || err != nil {
		return err
	}
	rows, ends, err := s.table(secStructLocalFiles, "files of locals", 4, 4)
	if err != nil {
		return err
	}
	if rows != r.files {
		return damaged("locals of %d files, not %d", rows, r.files)
	}
	r.locEnds = ends
	if r.locals, r.locCols, err = s.table(secStructLocals, "locals", 4, 1, 4, 4, 4, 5, 4, 4, 4); err != nil {
		return err
	}
	if r.localUses, r.luCols, err = s.table(secStructLocalUses, "uses of locals", 4, 4, 1, 4); err != nil {
		return err
	}
	for i, n := range []int{r.locals, r.localUses} {
		end := uint64(0)
		for f := range r.files {
			e := ends[i].cell(f)
			if e < end || e > uint64(n) {
				return damaged("local rows of file %d do not follow those of the file before", f)
			}
			end = e
		}
		if end != uint64(n) {
			return damaged("%d local rows belong to no file", uint64(n)-end)
		}
	}
	return nil
}

func (r *StructuralReader) localRows(column, f int) (lo, hi int) {
	if r.locEnds == nil {
		return 0, 0
	}
	if f > 0 {
		lo = int(r.locEnds[column].at(f - 1))
	}
	return lo, int(r.locEnds[column].at(f))
}

// NumLocals returns the number of locals.
func (r *StructuralReader) NumLocals() int { return r.locals }

// LocalRows returns the locals [lo, hi) of file f, numbered over the partition.
func (r *StructuralReader) LocalRows(f int) (lo, hi int) { return r.localRows(0, f) }

// FileLocals returns the locals of file f in their order. It fails on damaged
// rows.
func (r *StructuralReader) FileLocals(f int) ([]Local, error) {
	lo, hi := r.localRows(0, f)
	if lo == hi {
		return nil, nil
	}
	out := make([]Local, 0, hi-lo)
	line := uint64(1)
	for i := lo; i < hi; i++ {
		line += r.locCols[locLine].at(i)
		l, err := r.local(i, f, line)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// local returns row i of file f, whose name stands in the given line.
func (r *StructuralReader) local(i, f int, line uint64) (Local, error) {
	c := r.locCols
	name, typ := c[locName].cell(i), c[locType].cell(i)
	start := int64(line) + unzigzag(c[locStartLine].cell(i))
	end := start + int64(c[locMoreLines].cell(i))
	col, startCol, endCol := c[locCol].cell(i)+1, c[locStartCol].cell(i)+1, c[locEndCol].cell(i)+1
	if max(name, typ) >= uint64(r.strings.n) || line > math.MaxUint32 || start < 1 || end > math.MaxUint32 ||
		max(col, startCol, endCol) > math.MaxUint32 {
		return Local{}, damaged("local %d has a number out of range", i)
	}
	return Local{
		File: uint32(f), Name: r.strings.str(int(name)), Kind: Kind(c[locKind].cell(i)), Type: r.strings.str(int(typ)),
		Pos:   Position{uint32(line), uint32(col)},
		Start: Position{uint32(start), uint32(startCol)}, End: Position{uint32(end), uint32(endCol)},
	}, nil
}

// LocalsNamed returns the files that have a local of the name, ascending.
func (r *StructuralReader) LocalsNamed(name string) []uint32 {
	id, ok := r.strings.find(name)
	if !ok || r.locals == 0 || r.uses.at(id)&useLocal == 0 {
		return nil
	}
	var out []uint32
	f := 0
	for i := 0; ; {
		i = r.locCols[locName].next(uint64(id), i, r.locals)
		if i == r.locals {
			return out
		}
		for int(r.locEnds[0].at(f)) <= i {
			f++
		}
		out = append(out, uint32(f))
		i = int(r.locEnds[0].at(f))
	}
}

// FileLocalUses calls fn with the uses of the locals of file f in their order
// until fn returns false. It fails on damaged rows.
func (r *StructuralReader) FileLocalUses(f int, fn func(LocalUse) bool) error {
	lo, hi := r.localRows(1, f)
	first, last := r.localRows(0, f)
	line := uint64(1)
	for i := lo; i < hi; i++ {
		line += r.luCols[luLine].cell(i)
		col, local := r.luCols[luCol].cell(i)+1, r.luCols[luLocal].cell(i)
		if local >= uint64(last-first) || line > math.MaxUint32 || col > math.MaxUint32 {
			return damaged("use %d of a local has a number out of range", i)
		}
		if !fn(LocalUse{
			File: uint32(f), Pos: Position{uint32(line), uint32(col)}, Role: Role(r.luCols[luRole].cell(i)), Local: uint32(local),
		}) {
			return nil
		}
	}
	return nil
}
