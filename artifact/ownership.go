package artifact

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"sort"
)

// OwnedRanges appends to dst the byte ranges [start, end) of the file that
// doc's text consists of: the doc's range less the ranges of its unit's child
// units. They ascend and are not empty; an empty file's doc has none.
func (r *UnitsReader) OwnedRanges(doc int, dst [][2]uint32) [][2]uint32 {
	d := r.Doc(doc)
	return r.ownedRanges(int(d.Unit), d.Start, d.End, dst)
}

// UnitOwnedRanges is OwnedRanges for a whole unit.
func (r *UnitsReader) UnitOwnedRanges(unit int, dst [][2]uint32) [][2]uint32 {
	u := r.Unit(unit)
	return r.ownedRanges(unit, u.Start, u.End, dst)
}

func (r *UnitsReader) ownedRanges(u int, from, to uint32, dst [][2]uint32) [][2]uint32 {
	starts, lengths := &r.unitCols[unitStart], &r.unitCols[unitLength]
	_, hi := r.FileUnits(r.UnitFile(u))
	// j is the first unit behind u that starts at or behind from. What was
	// open before it may cover from, so its ancestors are looked at.
	j := u + 1 + sort.Search(hi-u-1, func(i int) bool { return starts.u32(u+1+i) >= from })
	at := from
	for i := j - 1; i > u; i = r.UnitParent(i) {
		if end := starts.u32(i) + lengths.u32(i); end > at {
			at = end
		}
	}
	for ; j < hi; j++ {
		start := starts.u32(j)
		if start >= to {
			break
		}
		if start > at {
			dst = append(dst, [2]uint32{at, start})
		}
		at = max(at, start+lengths.u32(j))
	}
	if at < to {
		dst = append(dst, [2]uint32{at, to})
	}
	return dst
}

// UnitID returns the stable id of unit u: 16 hexadecimal digits that do not
// change when the unit moves within its file. It is a hash of the path, the
// kind, the symbol, and the number of earlier units of the file with the same
// kind and symbol. It takes time proportional to the file's units; use
// FileUnitIDs for all of a file.
func (r *UnitsReader) UnitID(u int) string {
	f := r.UnitFile(u)
	lo, _ := r.FileUnits(f)
	kind, symbol := r.unitCols[unitKind].at(u), r.unitCols[unitSymbol].at(u)
	ordinal := uint64(0)
	for i := lo; i < u; i++ {
		if r.unitCols[unitSymbol].at(i) == symbol && r.unitCols[unitKind].at(i) == kind {
			ordinal++
		}
	}
	return unitID(r.paths.bytes(f), Kind(kind), r.symbols.bytes(int(symbol)), ordinal)
}

// FileUnitIDs returns the ids of the units of file f in their order.
func (r *UnitsReader) FileUnitIDs(f int) []string {
	lo, hi := r.FileUnits(f)
	ids := make([]string, 0, hi-lo)
	seen := map[[2]uint64]uint64{}
	for u := lo; u < hi; u++ {
		k := [2]uint64{r.unitCols[unitKind].at(u), r.unitCols[unitSymbol].at(u)}
		ids = append(ids, unitID(r.paths.bytes(f), Kind(k[0]), r.symbols.bytes(int(k[1])), seen[k]))
		seen[k]++
	}
	return ids
}

func unitID(path []byte, kind Kind, symbol []byte, ordinal uint64) string {
	b := make([]byte, 0, 64+len(path)+len(symbol))
	b = append(b, "pindex.unit/0"...)
	for _, field := range [][]byte{path, symbol} {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(field)))
		b = append(b, field...)
	}
	b = append(b, byte(kind))
	b = binary.LittleEndian.AppendUint64(b, ordinal)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}
