package units

import (
	"bytes"
	"sort"
)

// lineTable holds where each line of a text starts. Lines end at LF alone.
type lineTable struct {
	text   []byte
	starts []uint32 // of each line; the first is 0
}

func newLineTable(text []byte) lineTable {
	starts := make([]uint32, 1, bytes.Count(text, []byte{'\n'})+1)
	for i := 0; ; {
		n := bytes.IndexByte(text[i:], '\n')
		if n < 0 || i+n+1 == len(text) {
			break
		}
		i += n + 1
		starts = append(starts, uint32(i))
	}
	return lineTable{text, starts}
}

// count returns the number of lines; an empty text has none.
func (t lineTable) count() int {
	if len(t.text) == 0 {
		return 0
	}
	return len(t.starts)
}

// end returns where line i ends, behind its LF.
func (t lineTable) end(i int) uint32 {
	if i+1 < len(t.starts) {
		return t.starts[i+1]
	}
	return uint32(len(t.text))
}

// at returns the line, from 0, that holds off.
func (t lineTable) at(off uint32) int {
	return sort.Search(len(t.starts), func(i int) bool { return t.starts[i] > off }) - 1
}

// last returns the line, from 0, of the last byte before end, which is behind
// start.
func (t lineTable) last(start, end uint32) int {
	if end > start {
		end--
	}
	return t.at(end)
}

// lineCursor finds lines for offsets that mostly grow, in constant time.
type lineCursor struct {
	t lineTable
	i int
}

func (c *lineCursor) at(off uint32) int {
	s := c.t.starts
	if off < s[c.i] || c.i+8 < len(s) && s[c.i+8] <= off {
		c.i = c.t.at(off)
		return c.i
	}
	for c.i+1 < len(s) && s[c.i+1] <= off {
		c.i++
	}
	return c.i
}

// isSpace reports white space other than LF.
func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'
}

// isWord reports whether c can be part of a word: a letter, a digit, or a
// byte of a character beyond ASCII.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

func hasWord(b []byte) bool {
	for _, c := range b {
		if isWord(c) {
			return true
		}
	}
	return false
}

func blank(b []byte) bool {
	for _, c := range b {
		if !isSpace(c) && c != '\n' {
			return false
		}
	}
	return true
}

// indent returns the width of a line's leading white space.
func indent(line []byte) int {
	n := 0
	for _, c := range line {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// piece is a stretch of text without a line end inside: a line, or what a
// unit owns of one.
type piece struct {
	start, end uint32
	indent     uint16
	blank      bool // white space alone
	word       bool // holds a letter or digit
	gap        bool // something that others own stands before it
}

// pieces appends the lines of text[start:end] to dst; gap is the first one's.
func (t lineTable) pieces(start, end uint32, c *lineCursor, gap bool, dst []piece) []piece {
	for start < end {
		e := min(t.end(c.at(start)), end)
		line := t.text[start:e]
		p := piece{start: start, end: e, blank: blank(line), gap: gap}
		if !p.blank {
			p.indent, p.word = uint16(min(indent(line), 1<<15)), hasWord(line)
		}
		dst = append(dst, p)
		start, gap = e, false
	}
	return dst
}

// cut divides pieces into runs of at most limit and appends the index where
// each run but the first begins. It balances the runs and prefers, within the
// room that this leaves, places where others' text intervenes, then a blank
// line before low indentation, then low indentation alone.
func cut(ps []piece, limit int, dst []int) []int {
	from := 0
	for len(ps)-from > limit {
		rest := len(ps) - from
		runs := (rest + limit - 1) / limit
		target := rest / runs
		// A cut at c leaves ps[from:c] and the rest.
		lo, hi := from+max(1, target/2), from+limit
		best, bestCost := hi, int(^uint(0)>>1)
		for c := lo; c <= hi; c++ {
			cost := cutCost(ps, c)*1000 + abs(c-from-target)
			if cost < bestCost {
				best, bestCost = c, cost
			}
		}
		from = best
		dst = append(dst, from)
	}
	return dst
}

// cutCost rates a cut before ps[c], lower being better.
func cutCost(ps []piece, c int) int {
	p := ps[c]
	switch {
	case p.gap:
		return 0
	case p.blank:
		return 60 // the blank line would start the run
	case !p.word:
		return 55 // a closing bracket would
	case ps[c-1].blank:
		return min(int(p.indent), 24)
	}
	return 25 + min(int(p.indent), 24)
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// trim drops blank pieces at both ends.
func trim(ps []piece) []piece {
	for len(ps) > 0 && ps[0].blank {
		ps = ps[1:]
	}
	for len(ps) > 0 && ps[len(ps)-1].blank {
		ps = ps[:len(ps)-1]
	}
	return ps
}

func anyWord(ps []piece) bool {
	for _, p := range ps {
		if p.word {
			return true
		}
	}
	return false
}
