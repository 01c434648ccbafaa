package query

import (
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/artifact"
)

// transcoded is a UTF-16 file as UTF-8, with the way back: for the start of
// each character of text, orig has the offset in the original bytes. The byte
// order mark is not part of text.
type transcoded struct {
	text []byte
	orig []uint32 // len(text)+1 entries; inside a character, that of its start
}

// transcode decodes raw, which begins with a byte order mark when the file
// was recognised by one. An unpaired surrogate becomes U+FFFD; an odd last
// byte becomes U+FFFD too.
func transcode(raw []byte, enc artifact.Encoding) transcoded {
	unit := func(i int) uint16 {
		if enc == artifact.EncodingUTF16BE {
			return uint16(raw[i])<<8 | uint16(raw[i+1])
		}
		return uint16(raw[i+1])<<8 | uint16(raw[i])
	}
	var t transcoded
	t.text = make([]byte, 0, len(raw)/2+len(raw)/8)
	t.orig = make([]uint32, 0, cap(t.text)+1)
	i := 0
	if len(raw) >= 2 && unit(0) == 0xFEFF {
		i = 2
	}
	for i+1 < len(raw) {
		r, size := rune(unit(i)), 2
		if utf16.IsSurrogate(r) {
			pair := utf8.RuneError
			if i+3 < len(raw) {
				pair = utf16.DecodeRune(r, rune(unit(i+2)))
			}
			if pair != utf8.RuneError {
				size = 4
			}
			r = pair
		}
		t.push(r, i)
		i += size
	}
	if i < len(raw) {
		t.push(utf8.RuneError, i)
	}
	t.orig = append(t.orig, uint32(len(raw)))
	return t
}

func (t *transcoded) push(r rune, at int) {
	t.text = utf8.AppendRune(t.text, r)
	for len(t.orig) < len(t.text) {
		t.orig = append(t.orig, uint32(at))
	}
}

// originalLineStart returns where the line that begins at offset start of the
// transcoded text begins in the original; the byte order mark belongs to the
// first line.
func (t *transcoded) originalLineStart(start int) int {
	if start == 0 {
		return 0
	}
	return int(t.orig[start])
}
