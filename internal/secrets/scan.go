package secrets

import (
	"bytes"
	"sync"
)

// window is how many bytes of each prefix the scan looks for; every prefix
// has as many, from its rule's skip on.
const window = 4

// scanner finds the windows of all rules in one pass, by Wu and Manber's
// method: the two bytes under the end of the window tell how far the next
// possible end is, which is three bytes on for most.
type scanner struct {
	shift [1 << 16]uint8
	ends  map[[2]byte][]*rule // by the last two bytes of the window
}

// theScanner returns the scanner, which is made once and never written to.
var theScanner = sync.OnceValue(func() *scanner {
	s := &scanner{ends: map[[2]byte][]*rule{}}
	for i := range s.shift {
		s.shift[i] = window - 1
	}
	for _, r := range rules() {
		w := r.prefix[r.skip : r.skip+window]
		for i := range window - 1 {
			pair := uint16(w[i]) | uint16(w[i+1])<<8
			s.shift[pair] = min(s.shift[pair], uint8(window-2-i))
		}
		end := [2]byte{w[window-2], w[window-1]}
		s.ends[end] = append(s.ends[end], &r)
	}
	return s
})

// find returns the first rule that holds, in the order of the text.
func (s *scanner) find(text []byte) string {
	for i := window - 1; i < len(text); {
		if n := s.shift[uint16(text[i-1])|uint16(text[i])<<8]; n > 0 {
			i += int(n)
			continue
		}
		for _, r := range s.ends[[2]byte{text[i-1], text[i]}] {
			start := i + 1 - window - r.skip
			if start >= 0 && bytes.HasPrefix(text[start:], []byte(r.prefix)) && r.holds(text, start) {
				return r.name
			}
		}
		i++
	}
	return ""
}

// alphabet is a set of bytes.
type alphabet [256]bool

func newAlphabet(chars string) *alphabet {
	a := &alphabet{}
	for _, c := range []byte(chars) {
		a[c] = true
	}
	return a
}

func (a *alphabet) has(c byte) bool { return a[c] }

// run returns the length of the longest prefix of b in the alphabet, at most
// limit.
func (a *alphabet) run(b []byte, limit int) int {
	n := 0
	for n < len(b) && n < limit && a[b[n]] {
		n++
	}
	return n
}

const (
	digitChars = "0123456789"
	upperChars = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lowerChars = "abcdefghijklmnopqrstuvwxyz"
)

var (
	digits    = newAlphabet(digitChars)
	upper     = newAlphabet(upperChars)
	lower     = newAlphabet(lowerChars)
	hexDigits = newAlphabet(digitChars + "abcdefABCDEF")
	upperNum  = newAlphabet(digitChars + upperChars)
	alnum     = newAlphabet(digitChars + upperChars + lowerChars)
	base64Std = newAlphabet(digitChars + upperChars + lowerChars + "+/=")
	base64URL = newAlphabet(digitChars + upperChars + lowerChars + "-_")
)

// random reports whether the characters are as mixed as those of a random
// token are all but always: no placeholder such as XXXX or 1234567890 is.
func random(b []byte) bool {
	var seen [256]bool
	kinds, nUpper, nLower, nDigit := 0, 0, 0, 0
	for _, c := range b {
		if !seen[c] {
			seen[c] = true
			kinds++
		}
		switch {
		case digits[c]:
			nDigit++
		case upper[c]:
			nUpper++
		case lower[c]:
			nLower++
		}
	}
	// 20 random characters of 62 have 17 kinds on average and hardly ever
	// fewer than 11; 32 hexadecimal ones have 14 of 16, hardly ever below 9.
	want := min(len(b)/2, 20)
	if nUpper == 0 || nLower == 0 {
		want = min(want, 9)
	}
	return kinds >= want && nDigit > 0 && nUpper+nLower > 0 && !ascending(b)
}

// ascending reports whether most characters follow their predecessor in the
// alphabet, as in abcdef0123456789.
func ascending(b []byte) bool {
	n := 0
	for i := 1; i < len(b); i++ {
		if b[i] == b[i-1]+1 || b[i] == b[i-1] {
			n++
		}
	}
	return 2*n > len(b)
}
