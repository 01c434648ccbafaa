package artifact

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

// The dense segment: embeddings of one partition's search documents.
//
//	section 1  header, 48 bytes
//	    0  4  rows
//	    4  4  dimensions, 1..4096
//	    8  4  flags: 1 = row i belongs to document i, and section 2 is missing
//	    12 4  zero
//	    16 32 sha256 of the model blob
//	section 2  documents: a table of rows × document number, ascending
//	section 3  vectors: rows × dimensions signed bytes, row by row
//	section 4  keys: rows × 16 bytes, the begin of a digest of what was embedded
const (
	denseHeader = 1
	denseDocs   = 2
	denseRows   = 3
	denseKeys   = 4

	denseHeaderSize = 48
	denseAllDocs    = 1

	maxDenseDims = 4096
)

// DenseData is the content of a dense segment.
type DenseData struct {
	Model Digest // of the model blob that made the rows
	Dims  int    // 1..4096
	// Docs holds the document number of each row, ascending.
	Docs []uint32
	// Keys holds for each row the begin of a digest of (model, what was
	// embedded): equal keys mean equal rows, so that a later compile need not
	// embed again what an earlier one has.
	Keys [][16]byte
	Rows []int8 // len(Docs) × Dims, row by row
}

// EncodeDense returns the segment for d.
func EncodeDense(key Digest, d *DenseData) ([]byte, error) {
	n := len(d.Docs)
	if d.Dims < 1 || d.Dims > maxDenseDims {
		return nil, fmt.Errorf("dense segment of %d dimensions", d.Dims)
	}
	if n > maxRows/d.Dims || len(d.Keys) != n || len(d.Rows) != n*d.Dims {
		return nil, fmt.Errorf("dense segment: %d documents, %d keys, %d numbers of %d dimensions", n, len(d.Keys), len(d.Rows), d.Dims)
	}
	all := true
	for i, doc := range d.Docs {
		if i > 0 && doc <= d.Docs[i-1] || doc > maxRows {
			return nil, fmt.Errorf("dense segment: row %d belongs to document %d", i, doc)
		}
		all = all && doc == uint32(i)
	}
	h := make([]byte, denseHeaderSize)
	le := binary.LittleEndian
	le.PutUint32(h, uint32(n))
	le.PutUint32(h[4:], uint32(d.Dims))
	copy(h[16:], d.Model[:])
	w := newSegmentWriter(Dense, key)
	w.add(denseHeader, sectionRequired, h)
	if all {
		le.PutUint32(h[8:], denseAllDocs)
	} else {
		t := newTableWriter(n, 1)
		for i, doc := range d.Docs {
			t.set(i, 0, uint64(doc))
		}
		w.add(denseDocs, sectionRequired, t.bytes())
	}
	w.add(denseRows, sectionRequired, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(d.Rows))), len(d.Rows)))
	keys := make([]byte, 0, 16*n)
	for _, k := range d.Keys {
		keys = append(keys, k[:]...)
	}
	w.add(denseKeys, sectionRequired, keys)
	b := w.bytes()
	if _, err := OpenDense(b); err != nil {
		return nil, fmt.Errorf("reading back a dense segment: %w", err)
	}
	return b, nil
}

// DenseReader reads a dense segment in place. It is safe for concurrent use.
type DenseReader struct {
	seg   *segment
	model Digest
	n     int
	dims  int
	docs  []column // empty when row i belongs to document i
	rows  []int8
	keys  []byte
}

// OpenDense opens a dense segment over b, which must not change as long as the
// reader is used, and checks it fully.
func OpenDense(b []byte) (*DenseReader, error) {
	seg, err := openSegment(b, Dense, denseHeader, denseDocs, denseRows, denseKeys)
	if err != nil {
		return nil, err
	}
	r := &DenseReader{seg: seg}
	h, err := seg.need(denseHeader)
	if err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	if len(h) != denseHeaderSize || !allZero(h[12:16]) {
		return nil, damaged("dense header")
	}
	n, dims, flags := le.Uint32(h), le.Uint32(h[4:]), le.Uint32(h[8:])
	if dims < 1 || dims > maxDenseDims || uint64(n)*uint64(dims) > maxRows {
		return nil, damaged("dense header: %d rows of %d dimensions", n, dims)
	}
	if flags&^denseAllDocs != 0 {
		return nil, fmt.Errorf("%w: flags %#x of a dense segment", ErrTooNew, flags)
	}
	r.n, r.dims = int(n), int(dims)
	copy(r.model[:], h[16:])
	if flags&denseAllDocs == 0 {
		if err := r.openDocs(); err != nil {
			return nil, err
		}
	}
	rows, err := seg.need(denseRows)
	if err != nil {
		return nil, err
	}
	if r.keys, err = seg.need(denseKeys); err != nil {
		return nil, err
	}
	if len(rows) != r.n*r.dims || len(r.keys) != 16*r.n {
		return nil, damaged("%d bytes of vectors and %d of keys for %d rows of %d dimensions", len(rows), len(r.keys), r.n, r.dims)
	}
	r.rows = unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(rows))), len(rows))
	return r, nil
}

func (r *DenseReader) openDocs() error {
	b, err := r.seg.need(denseDocs)
	if err != nil {
		return err
	}
	rows, cols, err := openTable(b, "documents of vectors", 4)
	if err != nil {
		return err
	}
	if rows != r.n {
		return damaged("documents of %d rows, not %d", rows, r.n)
	}
	for i := range rows {
		if i > 0 && cols[0].at(i) <= cols[0].at(i-1) || cols[0].at(i) > maxRows {
			return damaged("vectors out of the order of their documents")
		}
	}
	r.docs = cols
	return nil
}

// SegmentKey returns the segment's key.
func (r *DenseReader) SegmentKey() Digest { return r.seg.key }

// Model returns the digest of the model blob that made the rows.
func (r *DenseReader) Model() Digest { return r.model }

// Dims returns the number of dimensions of a row.
func (r *DenseReader) Dims() int { return r.dims }

// Len returns the number of rows.
func (r *DenseReader) Len() int { return r.n }

// Rows returns all rows back to back. It aliases the segment.
func (r *DenseReader) Rows() []int8 { return r.rows }

// Doc returns the document of row i, which must lie in [0, Len()).
func (r *DenseReader) Doc(i int) uint32 {
	if r.docs == nil {
		return uint32(i)
	}
	return r.docs[0].u32(i)
}

// EachDoc reports whether row i belongs to document i throughout.
func (r *DenseReader) EachDoc() bool { return r.docs == nil }

// Key returns the embedding key of row i, which must lie in [0, Len()).
func (r *DenseReader) Key(i int) [16]byte { return [16]byte(r.keys[16*i:]) }
