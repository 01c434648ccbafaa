package bundle

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"io"
	"sync"
	"unicode/utf8"
)

// Counter names the way tokens are counted. It enters receipts, so that a
// count can be compared with the right one.
const Counter = "o200k-bound/1"

// The table holds some 8,500 tokens of the o200k vocabulary, all of them
// ASCII: the commonest words, indentations and runs of signs of source code,
// and short pieces of words. Each stands behind a byte with its length; the
// whole is deflated. The full vocabulary would cost the small client a
// megabyte.
//
//go:embed o200k.bin
var packedTable []byte

var table = sync.OnceValue(func() map[string]struct{} {
	raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(packedTable)))
	if err != nil {
		panic("bundle: the table of tokens is damaged: " + err.Error())
	}
	m := make(map[string]struct{}, 9000)
	for s := string(raw); s != ""; {
		n := int(s[0]) + 1
		m[s[1:n]] = struct{}{}
		s = s[n:]
	}
	return m
})

// Count returns an upper bound on the number of o200k tokens of a text.
//
// The tokenizer first cuts a text into pieces by a regular expression, which
// nextPiece follows exactly for ASCII, and then merges the bytes of each piece.
// A piece that is itself in the vocabulary is one token. Of any other piece
// it is known that merging has ended: no two neighbouring tokens make a token
// together. So it has at most as many tokens as the longest way of cutting it
// in which no two neighbours make an entry of the table, whatever else the
// vocabulary holds. Where other characters than ASCII decide about the pieces,
// every byte counts as a token, and a byte that is no UTF-8 as the three of
// the replacement character.
func Count(text []byte) int {
	c := counter{table: table(), known: map[string]int{}}
	return c.count(text)
}

// Meter counts many texts as Count does and remembers what it met, which makes
// the later ones cheap. It serves one goroutine.
type Meter struct{ c counter }

// NewMeter returns a meter that has met nothing.
func NewMeter() *Meter { return &Meter{counter{table: table(), known: map[string]int{}}} }

// Count is Count.
func (m *Meter) Count(text []byte) int { return m.c.count(text) }

type counter struct {
	table map[string]struct{}
	known map[string]int // of pieces met before
	best  [][]int        // scratch of bound
}

// Bounds of what the counter looks at closely: a piece, in bytes, and the
// pieces that it remembers.
const (
	maxPiece = 128
	maxKnown = 1 << 16
)

func (c *counter) count(text []byte) int {
	n := 0
	for len(text) > 0 {
		end, ascii := nextPiece(text)
		if ascii {
			n += c.piece(text[:end])
		} else {
			n += byteTokens(text[:end])
		}
		text = text[end:]
	}
	return n
}

func (c *counter) piece(p []byte) int {
	if len(p) == 1 || isDigit(p[0]) {
		return 1
	}
	if len(p) > maxPiece {
		return len(p)
	}
	if _, ok := c.table[string(p)]; ok {
		return 1
	}
	if n, ok := c.known[string(p)]; ok {
		return n
	}
	n := c.bound(p)
	if len(c.known) < maxKnown {
		c.known[string(p)] = n
	}
	return n
}

// reach is the length from which on a token is taken to fit beside any other.
const reach = 10

// bound returns the largest number of parts that a piece can be cut into so
// that no two neighbours make an entry of the table.
func (c *counter) bound(p []byte) int {
	// best[end][n] is the number of parts of p[:end], the last of which has n
	// bytes; for n = reach that or more; -1 for none.
	for len(c.best) <= len(p) {
		c.best = append(c.best, make([]int, reach+1))
	}
	best := c.best
	most := 0 // of any best[end-reach]
	var joined [2 * reach]bool
	for end := 1; end <= len(p); end++ {
		for n := 2; n < 2*reach; n++ {
			joined[n] = false
			if n <= end {
				_, joined[n] = c.table[string(p[end-n:end])]
			}
		}
		for n := 1; n < reach; n++ {
			b := -1
			switch start := end - n; {
			case start == 0:
				b = 1
			case start > 0:
				for before := 1; before < reach; before++ {
					if best[start][before] >= b && best[start][before] > 0 && !joined[n+before] {
						b = best[start][before] + 1
					}
				}
				if best[start][reach] > 0 {
					b = max(b, best[start][reach]+1)
				}
			}
			best[end][n] = b
		}
		best[end][reach] = -1
		if start := end - reach; start >= 0 {
			for _, b := range best[start] {
				if start > 0 {
					most = max(most, b)
				}
			}
			best[end][reach] = most + 1
		}
	}
	n := 1
	for _, b := range best[len(p)] {
		n = max(n, b)
	}
	return n
}

func byteTokens(p []byte) int {
	n := len(p)
	for len(p) > 0 {
		r, size := utf8.DecodeRune(p)
		if r == utf8.RuneError && size == 1 {
			n += 2
		}
		p = p[size:]
	}
	return n
}

func isLower(b byte) bool  { return 'a' <= b && b <= 'z' }
func isUpper(b byte) bool  { return 'A' <= b && b <= 'Z' }
func isLetter(b byte) bool { return isLower(b | 0x20) }
func isDigit(b byte) bool  { return '0' <= b && b <= '9' }
func isSpace(b byte) bool  { return b == ' ' || '\t' <= b && b <= '\r' }
func isBreak(b byte) bool  { return b == '\n' || b == '\r' }
func isSign(b byte) bool {
	return b < utf8.RuneSelf && !isLetter(b) && !isDigit(b) && !isSpace(b)
}

// nextPiece returns the length of the first piece of a text that is not empty.
// ascii is false where other characters have a say in it; the length then leads
// to the next place where a piece is sure to begin.
func nextPiece(t []byte) (end int, ascii bool) {
	at := func(i int) byte {
		if i < len(t) {
			return t[i]
		}
		return '\n' // stands for the end where that makes no difference
	}
	first := t[0]
	second := at(1)
	switch {
	case first >= utf8.RuneSelf:
		return wild(t)
	case isDigit(first):
		for end < 3 && isDigit(at(end)) {
			end++
		}
	case isLetter(first) || !isBreak(first) && isLetter(second):
		end = 1
		if isLetter(first) {
			end = 0
		}
		for isUpper(at(end)) {
			end++
		}
		for isLower(at(end)) {
			end++
		}
		if at(end) == '\'' {
			if at(end+1) >= utf8.RuneSelf || at(end+2) >= utf8.RuneSelf {
				return wild(t)
			}
			end += contraction(t[end:])
		}
	case isSign(first) || first == ' ' && isSign(second):
		end = 1
		for isSign(at(end)) && end < len(t) {
			end++
		}
		if at(end) < utf8.RuneSelf {
			for end < len(t) && (isBreak(t[end]) || t[end] == '/') {
				end++
			}
		}
	default:
		end = 1
		for end < len(t) && isSpace(t[end]) {
			end++
		}
		if end < len(t) && t[end] >= utf8.RuneSelf {
			return wild(t)
		}
		if i := bytes.LastIndexAny(t[:end], "\r\n"); i >= 0 {
			return i + 1, true
		}
		if end < len(t) && end > 1 {
			end--
		}
		return end, true
	}
	if end < len(t) && t[end] >= utf8.RuneSelf || second >= utf8.RuneSelf {
		return wild(t)
	}
	return end, true
}

// contraction returns the length of an English ending such as 'll.
func contraction(t []byte) int {
	if len(t) < 2 {
		return 0
	}
	switch t[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return 2
	case 'r', 'v':
		if len(t) > 2 && t[2]|0x20 == 'e' {
			return 3
		}
	case 'l':
		if len(t) > 2 && t[2]|0x20 == 'l' {
			return 3
		}
	}
	return 0
}

// wild returns the length up to a place where a piece begins whatever class the
// characters beyond ASCII have: before a space that follows a visible ASCII
// character.
func wild(t []byte) (end int, ascii bool) {
	seen := t[0] >= utf8.RuneSelf
	for end = 1; end < len(t); end++ {
		switch b := t[end]; {
		case b >= utf8.RuneSelf:
			seen = true
		case seen && b == ' ' && t[end-1] > ' ' && t[end-1] < 0x7f:
			return end, false
		}
	}
	return end, false
}
