package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns s with everything that could steer a terminal written as a
// visible escape: control characters, bytes that are no UTF-8, and the Unicode
// characters that reorder or hide text. Repository text is data; it must not
// move the cursor, recolour the screen or pass for another text.
func Visible(s string) string {
	if !steers(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\t':
			b.WriteByte('\t')
		case unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case hides(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

func steers(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 && c != '\t' || c >= 0x7f {
			return !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
				return r != '\t' && unicode.IsControl(r) || hides(r)
			})
		}
	}
	return false
}

// hides reports whether r changes how its neighbours are shown without being
// seen: bidirectional controls, zero-width characters, separators of lines
// that are none in git, tags and the byte order mark.
func hides(r rune) bool {
	switch {
	case r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f,
		r == 0x061c, r == 0x00ad, r == 0xfeff, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}
