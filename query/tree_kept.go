package query

import (
	"encoding/binary"

	"github.com/pindex-dev/pindex/internal/wire"
)

// The file table as it is kept, in the form of package wire: for each partition
// the number of its indexed files, and for each of them its number in the
// partition times 2, plus 1 for test or example code, and texts for its language
// and its path.

// encodeFileTable returns the bytes of a file table, given by partition.
func encodeFileTable(parts [][]fileEntry) []byte {
	var b []byte
	for _, files := range parts {
		b = binary.AppendUvarint(b, uint64(len(files)))
		for i := range files {
			f := &files[i]
			n := uint64(f.f) << 1
			if f.test {
				n |= 1
			}
			b = wire.AppendText(wire.AppendText(binary.AppendUvarint(b, n), f.lang), f.path)
		}
	}
	return b
}

// openFileTable is the opposite for a table of this index; ok is false where b
// is something else.
func (e *Engine) openFileTable(b []byte) (t *fileTable, ok bool) {
	r := wire.NewReader(b)
	var files []fileEntry
	for p := range e.parts() {
		for range r.Count(3) {
			n := r.Number()
			if n>>1 >= uint64(e.fileBase[p+1]-e.fileBase[p]) {
				return nil, false
			}
			files = append(files, fileEntry{p: p, f: int(n >> 1), test: n&1 == 1, lang: r.Text(), path: r.Text()})
		}
	}
	return e.newFileTable(files), r.Whole()
}
