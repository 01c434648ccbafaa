package query

import (
	"bytes"
)

// finder finds one literal in a text. It looks for the literal's rarest byte
// with the vectorised byte search and compares around each hit; where that
// byte turns out to be common it changes to bytes.Index, which is vectorised
// over the first bytes of the needle.
type finder struct {
	lit    []byte // lower-case when fold
	fold   bool
	rare   int  // offset of the rarest byte
	c, d   byte // that byte, and its other case (equal when it has none)
	nc, nd int  // next places of c and d as far as known, when fold
}

// nowhere is the place of a byte that does not come any more.
const nowhere = int(^uint(0) >> 1)

// reset prepares for another text. Within one text, calls of next must not go
// back.
func (f *finder) reset() { f.nc, f.nd = -1, -1 }

func newFinder(lit string, fold bool) *finder {
	f := &finder{lit: []byte(lit), fold: fold}
	for i := range f.lit {
		if rank[f.lit[i]] < rank[f.lit[f.rare]] {
			f.rare = i
		}
	}
	f.c = f.lit[f.rare]
	f.d = f.c
	if fold && 'a' <= f.c && f.c <= 'z' {
		f.d = f.c - 'a' + 'A'
	}
	return f
}

// next returns the offset of the first occurrence at or after from, or -1.
func (f *finder) next(text []byte, from int) int {
	if len(f.lit) > len(text)-from {
		return -1
	}
	if f.fold {
		return f.nextFold(text, from)
	}
	if len(f.lit) == 1 {
		return offset(bytes.IndexByte(text[from:], f.c), from)
	}
	last := len(text) - len(f.lit) + f.rare // last place of the rare byte
	misses := 0
	for at := from + f.rare; at <= last; {
		i := bytes.IndexByte(text[at:last+1], f.c)
		if i < 0 {
			return -1
		}
		at += i
		if start := at - f.rare; bytes.Equal(text[start:start+len(f.lit)], f.lit) {
			return start
		}
		at++
		if misses++; misses > 32 && misses > (at-from)>>5 {
			from = at - f.rare
			return offset(bytes.Index(text[from:], f.lit), from)
		}
	}
	return -1
}

func offset(i, from int) int {
	if i < 0 {
		return -1
	}
	return i + from
}

func (f *finder) nextFold(text []byte, from int) int {
	last := len(text) - len(f.lit) + f.rare
	seek := func(b byte, at int) int {
		if i := bytes.IndexByte(text[at:last+1], b); i >= 0 {
			return at + i
		}
		return nowhere
	}
	if f.d == f.c {
		f.nd = nowhere
	}
	for at := from + f.rare; at <= last; at++ {
		if f.nc < at {
			f.nc = seek(f.c, at)
		}
		if f.nd < at {
			f.nd = seek(f.d, at)
		}
		if at = min(f.nc, f.nd); at > last {
			return -1
		}
		if start := at - f.rare; equalFold(text[start:start+len(f.lit)], f.lit) {
			return start
		}
	}
	return -1
}

// equalFold compares text with lower-case lit, ignoring ASCII case.
func equalFold(text, lit []byte) bool {
	for i, b := range lit {
		t := text[i]
		if 'A' <= t && t <= 'Z' {
			t += 'a' - 'A'
		}
		if t != b {
			return false
		}
	}
	return true
}

// rank orders bytes by how common they are in source text, most common
// highest. Only the order matters, and only for speed.
var rank = func() (r [256]uint8) {
	const common = " etrainsocl\nd_pumfhg.,()yb\"v=':wx-/k0*1T;SECA>IR{}NPD<ML[]j2OqFU#3zB@458G\tV6H97\\W+|!?XK`Y&$%QJZ^~"
	for i := range len(common) {
		r[common[i]] = uint8(255 - i)
	}
	return r
}()

// scanner finds candidate offsets for a set of literals, in order.
type scanner struct {
	finders []*finder
	next    []int // next occurrence of each, -1 for none, or a stale one
}

func newScanner(set literalSet) *scanner {
	s := &scanner{}
	for _, l := range set.lits {
		s.finders = append(s.finders, newFinder(l, set.fold))
	}
	s.next = make([]int, len(s.finders))
	return s
}

// reset prepares for another text.
func (s *scanner) reset() {
	for i, f := range s.finders {
		s.next[i] = -2
		f.reset()
	}
}

// seek returns the first offset at or after from where one of the literals
// stands, or -1. Offsets must not go back between resets.
func (s *scanner) seek(text []byte, from int) int {
	best := -1
	for i, f := range s.finders {
		n := s.next[i]
		if n != -1 && n < from {
			n = f.next(text, from)
			s.next[i] = n
		}
		if n >= 0 && (best < 0 || n < best) {
			best = n
		}
	}
	return best
}
