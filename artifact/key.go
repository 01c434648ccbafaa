package artifact

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/pindex-dev/pindex/internal/gitobj"
)

// KeyFile is what one file of a partition contributes to a segment key.
type KeyFile struct {
	Path     string
	Mode     uint32
	Blob     gitobj.ID
	Decision string // the effective decision about it, such as "indexed" or "excluded: vendor/"
	Input    Digest // of whatever outside the tree its part was built from; zero for nothing
}

// SegmentKey returns the key of one segment: a digest, framed field by field,
// of the format version, the view, θ of the view and of the languages present
// (in a fixed order), and the partition's files in path order. Equal keys mean
// equal bytes, so the key is known before the segment is built.
func SegmentKey(v View, viewTheta string, langThetas []string, files []KeyFile) Digest {
	w := keyWriter{h: sha256.New()}
	w.field("pindex.segment-key")
	w.number(FormatVersion)
	w.number(uint64(v))
	w.field(viewTheta)
	w.number(uint64(len(langThetas)))
	for _, t := range langThetas {
		w.field(t)
	}
	w.number(uint64(len(files)))
	for i := range files {
		f := &files[i]
		w.field(f.Path)
		w.number(uint64(f.Mode))
		w.field(string(f.Blob.Bytes()))
		w.field(f.Decision)
		w.field(string(f.Input[:]))
	}
	w.flush()
	var d Digest
	w.h.Sum(d[:0])
	return d
}

// keyWriter frames fields: a number is 8 bytes, little-endian; a string is its
// length as a number and its bytes.
type keyWriter struct {
	h   hash.Hash
	buf []byte
}

func (w *keyWriter) number(v uint64) { w.buf = binary.LittleEndian.AppendUint64(w.buf, v) }

func (w *keyWriter) field(s string) {
	w.number(uint64(len(s)))
	w.buf = append(w.buf, s...)
	if len(w.buf) > 4096 {
		w.flush()
	}
}

func (w *keyWriter) flush() {
	w.h.Write(w.buf)
	w.buf = w.buf[:0]
}
