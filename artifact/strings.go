package artifact

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sort"
)

// A string table is a section of numbered byte strings:
//
//	0   4  count
//	4   4  bytes of the heap
//	8   1  width of the lengths, 1..4
//	9   7  zero
//	16  count × width  lengths, plane by plane as in a table
//	..  heap: the strings back to back
//
// Lengths compress better than offsets. The reader keeps the offset of every
// sixteenth string, so finding one costs at most fifteen additions.
const (
	stringHeader = 16
	stringBlock  = 16
)

// stringBuilder numbers distinct strings in the order of their first use.
type stringBuilder struct {
	ids  map[string]uint32
	list []string
}

//go:noinline
func newStringBuilder() *stringBuilder { return &stringBuilder{ids: map[string]uint32{}} }

//go:noinline
func (s *stringBuilder) id(v string) uint32 {
	id, ok := s.ids[v]
	if !ok {
		id = uint32(len(s.list))
		s.ids[v] = id
		s.list = append(s.list, v)
	}
	return id
}

// sort puts the strings in byte order and returns the new number of each old
// one.
func (s *stringBuilder) sort() []uint32 {
	slices.Sort(s.list)
	renumbered := make([]uint32, len(s.list))
	for i, v := range s.list {
		renumbered[s.ids[v]] = uint32(i)
		s.ids[v] = uint32(i)
	}
	return renumbered
}

// encodeStrings returns the section for list.
func encodeStrings(list []string) ([]byte, error) {
	total := 0
	lens := make([]uint64, len(list))
	for i, v := range list {
		lens[i] = uint64(len(v))
		total += len(v)
	}
	if len(list) > maxRows || total > maxRows {
		return nil, damaged("a string table of %d strings and %d bytes is too large", len(list), total)
	}
	w := max(1, byteWidth(lens))
	b := make([]byte, stringHeader, stringHeader+len(list)*w+total)
	binary.LittleEndian.PutUint32(b, uint32(len(list)))
	binary.LittleEndian.PutUint32(b[4:], uint32(total))
	b[8] = byte(w)
	for k := range w {
		for _, v := range lens {
			b = append(b, byte(v>>(8*k)))
		}
	}
	for _, v := range list {
		b = append(b, v...)
	}
	return b, nil
}

// stringTable is an open string table. Its strings alias the section.
type stringTable struct {
	n     int
	lens  column
	heap  []byte
	bases []uint32 // offset of every stringBlock-th string
}

func openStrings(b []byte, what string) (*stringTable, error) {
	if len(b) < stringHeader {
		return nil, damaged("%s: string table of %d bytes", what, len(b))
	}
	n, size, w := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), int(b[8])
	if !allZero(b[9:stringHeader]) || w < 1 || w > 4 {
		return nil, damaged("%s: header of the string table", what)
	}
	if n > maxRows || size > maxRows || uint64(n)*uint64(w)+uint64(size) != uint64(len(b)-stringHeader) {
		return nil, damaged("%s: %d strings of %d bytes in %d bytes", what, n, size, len(b))
	}
	t := &stringTable{n: int(n), heap: b[stringHeader+int(n)*w:]}
	t.lens = column{data: b[stringHeader : stringHeader+int(n)*w], rows: int(n), w: w}
	t.bases = make([]uint32, 0, (t.n+stringBlock-1)/stringBlock)
	var off uint64
	if w == 1 {
		for block := range slices.Chunk(t.lens.data, stringBlock) {
			t.bases = append(t.bases, uint32(off))
			for _, l := range block {
				off += uint64(l)
			}
		}
	} else {
		for i := range t.n {
			if i%stringBlock == 0 {
				if off > uint64(size) {
					break
				}
				t.bases = append(t.bases, uint32(off))
			}
			off += t.lens.at(i)
		}
	}
	if off != uint64(size) {
		return nil, damaged("%s: the strings' lengths do not fill the heap", what)
	}
	return t, nil
}

// offset returns where string i starts in the heap.
func (t *stringTable) offset(i int) int {
	block := i / stringBlock
	off := int(t.bases[block])
	if t.lens.w == 1 {
		for _, l := range t.lens.data[block*stringBlock : i] {
			off += int(l)
		}
		return off
	}
	for j := block * stringBlock; j < i; j++ {
		off += int(t.lens.at(j))
	}
	return off
}

// bytes returns string i, which must lie in [0, n).
func (t *stringTable) bytes(i int) []byte {
	off := t.offset(i)
	end := off + int(t.lens.at(i))
	return t.heap[off:end:end]
}

// all returns copies of all strings, which share one piece of memory.
func (t *stringTable) all() []string {
	heap, off := string(t.heap), 0
	out := make([]string, t.n)
	for i := range out {
		end := off + int(t.lens.at(i))
		out[i], off = heap[off:end], end
	}
	return out
}

// str returns a copy of string i.
func (t *stringTable) str(i int) string { return string(t.bytes(i)) }

// sorted reports whether the strings ascend strictly in byte order.
func (t *stringTable) sorted() bool {
	off := 0
	var prev []byte
	for i := range t.n {
		l := int(t.lens.at(i))
		cur := t.heap[off : off+l]
		if i > 0 && bytes.Compare(prev, cur) >= 0 {
			return false
		}
		prev, off = cur, off+l
	}
	return true
}

// lower returns the number of strings that sort before s; the table must be
// sorted.
func (t *stringTable) lower(s string) int {
	return sort.Search(t.n, func(i int) bool { return string(t.bytes(i)) >= s })
}

// find returns the number of s in a sorted table.
func (t *stringTable) find(s string) (int, bool) {
	i := t.lower(s)
	return i, i < t.n && string(t.bytes(i)) == s
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// walk calls fn with the strings from number i on until it returns false.
func (t *stringTable) walk(i int, fn func(i int, s []byte) bool) {
	if i >= t.n {
		return
	}
	off := t.offset(i)
	for ; i < t.n; i++ {
		end := off + int(t.lens.at(i))
		if !fn(i, t.heap[off:end:end]) {
			return
		}
		off = end
	}
}
