package artifact

import (
	"bytes"
	"sort"
)

// Sections of a source segment; both are required.
const (
	secSourceEnds = 1 // table: end of each file's content in the text
	secSourceText = 2 // contents back to back
)

// EncodeSource returns the source segment that holds the given contents, one
// for each file of the partition in path order; nil for skipped ones.
func EncodeSource(key Digest, contents [][]byte) ([]byte, error) {
	if len(contents) > maxRows {
		return nil, damaged("source: %d files are too many", len(contents))
	}
	t := newTableWriter(len(contents), 1)
	end := 0
	for i, c := range contents {
		end += len(c)
		t.set(i, 0, uint64(end))
	}
	text := make([]byte, 0, end)
	for _, c := range contents {
		text = append(text, c...)
	}
	w := newSegmentWriter(Source, key)
	w.add(secSourceEnds, sectionRequired, t.bytes())
	w.add(secSourceText, sectionRequired, text)
	b := w.bytes()
	r, err := OpenSource(b)
	if err != nil {
		return nil, err
	}
	for i, c := range contents {
		if !bytes.Equal(r.Content(i), c) {
			return nil, damaged("source: file %d differs when read back", i)
		}
	}
	return b, nil
}

// SourceReader reads a source segment in place. OpenSource has checked all of
// it, so no method fails; a number out of range panics as a slice index would.
// Byte slices alias the segment and must not be written to. It is safe for
// concurrent use.
type SourceReader struct {
	key  Digest
	ends column
	text []byte
}

// OpenSource opens a source segment and validates it, the text's checksum
// included. Errors wrap ErrNotPindex, ErrTooNew or ErrDamaged.
func OpenSource(b []byte) (*SourceReader, error) {
	s, err := openSegment(b, Source, secSourceEnds, secSourceText)
	if err != nil {
		return nil, err
	}
	_, cols, err := s.table(secSourceEnds, "source", 8)
	if err != nil {
		return nil, err
	}
	r := &SourceReader{key: s.key, ends: cols[0]}
	if r.text, err = s.need(secSourceText); err != nil {
		return nil, err
	}
	end := uint64(0)
	for i := range r.ends.rows {
		e := r.ends.at(i)
		if e < end || e > uint64(len(r.text)) {
			return nil, damaged("content of file %d reaches out of the text", i)
		}
		end = e
	}
	if end != uint64(len(r.text)) {
		return nil, damaged("%d bytes of text belong to no file", uint64(len(r.text))-end)
	}
	return r, nil
}

// Key returns the segment key.
func (r *SourceReader) Key() Digest { return r.key }

// NumFiles returns the number of files, skipped ones included.
func (r *SourceReader) NumFiles() int { return r.ends.rows }

// Text returns all contents back to back.
func (r *SourceReader) Text() []byte { return r.text }

// FileRange returns where in Text the content of file f stands: [lo, hi).
func (r *SourceReader) FileRange(f int) (lo, hi int) {
	if f > 0 {
		lo = int(r.ends.at(f - 1))
	}
	return lo, int(r.ends.at(f))
}

// Content returns the content of file f; empty for a skipped one.
func (r *SourceReader) Content(f int) []byte {
	lo, hi := r.FileRange(f)
	return r.text[lo:hi:hi]
}

// FileAt returns the file that holds byte off of Text, which must lie in
// [0, len(Text())).
func (r *SourceReader) FileAt(off int) int {
	return sort.Search(r.ends.rows, func(i int) bool { return int(r.ends.at(i)) > off })
}
