package bundle

import "strconv"

// spanCost is what a further run of lines adds beside its lines: the marker of
// what is left out and the fence, in tokens.
const spanCost = 24

// joinGap is the largest gap, in lines, that is closed rather than marked.
const joinGap = 3

// cut chooses lines of one file within a number of tokens.
type cut struct {
	src  *source
	room int
	keep []bool // by line, from 1
}

func (p *Plan) newCut(src *source, room int) *cut {
	p.measure(src)
	return &cut{src: src, room: room, keep: make([]bool, src.lines.count()+2)}
}

// measure counts the lines of a file, once.
func (p *Plan) measure(src *source) {
	if src.cost != nil {
		return
	}
	src.cost = make([]int, src.lines.count()+1)
	var b []byte
	for n := 1; n < len(src.cost); n++ {
		b = appendLine(b[:0], n, src.lines.line(n))
		src.cost[n] = p.counter.count(b)
	}
}

// appendLine writes a line behind its number.
func appendLine(b []byte, n int, line []byte) []byte {
	b = strconv.AppendInt(b, int64(n), 10)
	b = append(b, '\t')
	b = append(b, line...)
	return append(b, '\n')
}

// price is what lines would add.
func (c *cut) price(s Span) int {
	sum := 0
	for n := s.Start; n <= s.End; n++ {
		if !c.keep[n] {
			sum += c.src.cost[n]
		}
	}
	if sum > 0 && !c.keep[s.Start-1] && !c.keep[s.End+1] {
		sum += spanCost
	}
	return sum
}

// add takes lines where all of them fit, with a small gap to what was taken
// before.
func (c *cut) add(s Span) bool {
	price := c.price(s)
	if price > c.room {
		return false
	}
	c.take(s, price)
	for n := s.Start - 1; n >= max(1, s.Start-joinGap-1); n-- {
		if c.keep[n] {
			c.fill(Span{n + 1, s.Start - 1})
			break
		}
	}
	for n := s.End + 1; n <= min(c.src.lines.count(), s.End+joinGap+1); n++ {
		if c.keep[n] {
			c.fill(Span{s.End + 1, n - 1})
			break
		}
	}
	return true
}

// fill closes a gap, which saves a marker.
func (c *cut) fill(s Span) {
	if s.End < s.Start {
		return
	}
	if price := c.price(s) - spanCost; price <= c.room {
		c.take(s, price)
	}
}

func (c *cut) take(s Span, price int) {
	c.room -= price
	for n := s.Start; n <= s.End; n++ {
		c.keep[n] = true
	}
}

// near takes as many whole lines around a place as fit, within bounds: upwards
// and downwards in turn.
func (c *cut) near(at, within Span) {
	at.Start, at.End = max(at.Start, within.Start), min(at.End, within.End)
	if at.End < at.Start {
		return
	}
	if !c.add(at) {
		first := Span{at.Start, at.Start}
		if !c.add(first) {
			return
		}
		for n := at.Start + 1; n <= at.End && c.add(Span{n, n}); n++ {
		}
		return
	}
	up, down := at.Start-1, at.End+1
	for up >= within.Start || down <= within.End {
		moved := false
		if down <= within.End && c.add(Span{down, down}) {
			down++
			moved = true
		}
		if up >= within.Start && c.add(Span{up, up}) {
			up--
			moved = true
		}
		if !moved {
			return
		}
	}
}

// unit takes a unit: whole where it fits, else its first line and whole lines
// around what answers.
func (c *cut) unit(whole, match Span) {
	if c.add(whole) {
		return
	}
	c.add(Span{whole.Start, whole.Start})
	c.near(match, whole)
}

// spans returns what was taken.
func (c *cut) spans() []Span {
	var out []Span
	for n := 1; n <= c.src.lines.count(); n++ {
		if !c.keep[n] {
			continue
		}
		if k := len(out); k > 0 && out[k-1].End == n-1 {
			out[k-1].End = n
		} else {
			out = append(out, Span{n, n})
		}
	}
	return out
}
