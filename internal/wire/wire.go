// Package wire writes and reads numbers and texts back to back, for what the
// program keeps for itself: numbers are varints, and a text is preceded by its
// length. Formats that others read are described where they are made.
package wire

import "encoding/binary"

// AppendText appends a text.
func AppendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// Reader reads what was written, in the same order. What is not there, or
// cannot be, is zero; Whole tells in the end.
type Reader struct {
	text string
	at   int
	bad  bool
}

// NewReader returns a reader of b.
func NewReader(b []byte) *Reader { return &Reader{text: string(b)} }

// Left returns the number of bytes that are left.
func (r *Reader) Left() int { return len(r.text) - r.at }

// Whole reports whether all that was read was there, and nothing is left.
func (r *Reader) Whole() bool { return !r.bad && r.Left() == 0 }

// Number reads a number.
func (r *Reader) Number() (v uint64) {
	for shift := 0; shift < 64 && r.at < len(r.text); shift += 7 {
		c := r.text[r.at]
		r.at++
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
	r.fail()
	return 0
}

// Count reads a number of things of at least size bytes each, as many as can be
// left.
func (r *Reader) Count(size int) int {
	n := r.Number()
	if n > uint64(r.Left()/size) {
		r.fail()
		return 0
	}
	return int(n)
}

// Text reads a text. All texts are parts of one copy of what is read.
func (r *Reader) Text() string { return r.Take(r.Count(1)) }

// Take reads n bytes that stand there without their number.
func (r *Reader) Take(n int) string {
	if n > r.Left() {
		r.fail()
		return ""
	}
	r.at += n
	return r.text[r.at-n : r.at]
}

func (r *Reader) fail() { r.bad, r.at = true, len(r.text) }
