package filetext

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/artifact"
)

// Text is a file's text as UTF-8 (or as whatever bytes it has, for
// EncodingOther) with the way back to original byte offsets. A byte order
// mark is no part of the text.
type Text struct {
	Bytes    []byte
	Encoding artifact.Encoding

	size int // of the original
	bom  int // bytes before the text
	// For UTF-16: marks[i] is the original offset, without the byte order
	// mark, of the first character that starts at or behind text offset
	// i<<markShift.
	marks []uint32
}

const markShift = 10

const utf8BOM = "\xef\xbb\xbf"

// Decode reads a file's bytes as text. It never fails: bytes that are not
// valid UTF-8 stay as they are, and code units of UTF-16 that pair with
// nothing become U+FFFD. For anything but UTF-16 the result shares raw's
// memory.
func Decode(raw []byte) Text {
	t := Text{Bytes: raw, size: len(raw)}
	switch {
	case isUTF16(raw):
		t.Encoding = artifact.EncodingUTF16LE
		if raw[0] == 0xfe {
			t.Encoding = artifact.EncodingUTF16BE
		}
		t.bom = 2
		t.Bytes, t.marks = decodeUTF16(raw[2:], raw[0] == 0xfe)
	case bytes.HasPrefix(raw, []byte(utf8BOM)):
		t.Encoding, t.bom = artifact.EncodingUTF8BOM, len(utf8BOM)
		t.Bytes = raw[len(utf8BOM):]
	case !utf8.Valid(raw):
		t.Encoding = artifact.EncodingOther
	}
	return t
}

// isUTF16 reports whether raw starts with a byte order mark of UTF-16. The
// little-endian mark followed by a zero unit is UTF-32's and does not count.
func isUTF16(raw []byte) bool {
	if len(raw) < 2 {
		return false
	}
	if raw[0] == 0xfe && raw[1] == 0xff {
		return true
	}
	return raw[0] == 0xff && raw[1] == 0xfe && (len(raw) < 4 || raw[2] != 0 || raw[3] != 0)
}

func decodeUTF16(raw []byte, big bool) (text []byte, marks []uint32) {
	lo, hi := 0, 1
	if big {
		lo, hi = 1, 0
	}
	text = make([]byte, 0, len(raw)+len(raw)/8)
	for i := 0; i < len(raw); {
		for len(marks)<<markShift <= len(text) {
			marks = append(marks, uint32(i))
		}
		if i+1 == len(raw) {
			text = utf8.AppendRune(text, utf8.RuneError)
			break
		}
		r := rune(raw[i+lo]) | rune(raw[i+hi])<<8
		i += 2
		if utf16.IsSurrogate(r) {
			pair := utf8.RuneError
			if i+1 < len(raw) {
				pair = utf16.DecodeRune(r, rune(raw[i+lo])|rune(raw[i+hi])<<8)
			}
			if r = pair; pair != utf8.RuneError {
				i += 2
			}
		}
		text = utf8.AppendRune(text, r)
	}
	return text, marks
}

// Original returns the offset in the original file of the character that
// stands at off in the text. An offset inside a character is the
// character's; one at or behind the end is the file's size.
func (t Text) Original(off uint32) uint32 {
	if int(off) >= len(t.Bytes) {
		return uint32(t.size)
	}
	if t.marks == nil {
		return off + uint32(t.bom)
	}
	for off > 0 && !utf8.RuneStart(t.Bytes[off]) {
		off--
	}
	i := off >> markShift
	orig := t.marks[i]
	p := i << markShift
	for p < off && !utf8.RuneStart(t.Bytes[p]) {
		p++ // the mark counts from the first whole character
	}
	for _, c := range t.Bytes[p:off] {
		if utf8.RuneStart(c) {
			orig += 2
			if c >= 0xf0 {
				orig += 2 // a surrogate pair
			}
		}
	}
	return orig + uint32(t.bom)
}

// RangeStart is Original for the start of a range: the byte order mark
// belongs to the range that starts the text.
func (t Text) RangeStart(off uint32) uint32 {
	if off == 0 {
		return 0
	}
	return t.Original(off)
}
