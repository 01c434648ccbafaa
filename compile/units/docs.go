package units

import (
	"cmp"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/artifact"
)

// settleMarks orders the marks and takes from each what an earlier one has.
func (b *builder) settleMarks() {
	slices.SortStableFunc(b.marks, func(x, y mark) int { return cmp.Compare(x.start, y.start) })
	out, at := b.marks[:0], uint32(0)
	for _, m := range b.marks {
		if m.start = max(m.start, at); m.start < m.end {
			out, at = append(out, m), m.end
		}
	}
	b.marks = out
}

// documents writes the search documents of every unit, with their fields.
func (b *builder) documents() {
	b.settleMarks()
	var ps []piece
	var cuts []int
	leafs := b.leafs
	for u := range b.nodes {
		var own []leaf
		own, leafs = takeUnit(leafs, int32(u))
		ps = b.owned(int32(u), ps[:0])
		if len(ps) == 0 {
			continue
		}
		cuts = cuts[:0]
		if len(ps) > MaxRemainderLines {
			cuts = cut(ps, MaxPartLines, cuts)
		}
		from, part := 0, uint32(0)
		for i := 0; i <= len(cuts); i++ {
			to := len(ps)
			if i < len(cuts) {
				to = cuts[i]
			}
			run := trim(ps[from:to])
			from = to
			if !anyWord(run) {
				continue
			}
			upTo := b.size
			if to < len(ps) {
				upTo = ps[to].start
			}
			n := 0
			for n < len(own) && own[n].at < upTo {
				n++
			}
			b.document(int32(u), part, run, own[:n])
			own = own[n:]
			part++
		}
	}
	if len(b.res.Docs) == 0 {
		b.document(0, 0, nil, nil)
	}
}

func takeUnit(leafs []leaf, u int32) (own, rest []leaf) {
	n := 0
	for n < len(leafs) && leafs[n].unit == u {
		n++
	}
	return leafs[:n], leafs[n:]
}

// owned appends the lines that unit u owns, without runs between children
// that have no word.
func (b *builder) owned(u int32, dst []piece) []piece {
	n := b.nodes[u]
	at, gap := n.start, false
	take := func(end uint32) {
		if at < end && hasWord(b.lt.text[at:end]) {
			from := len(dst)
			dst = b.lt.pieces(at, end, &b.cur, gap, dst)
			kept := trim(dst[from:])
			dst = append(dst[:from], kept...)
			dst[from].gap = gap && from > 0
		}
	}
	for c := u + 1; c < n.behind; c = b.nodes[c].behind {
		take(b.nodes[c].start)
		at, gap = b.nodes[c].end, true
	}
	take(n.end)
	return dst
}

// document writes one document made of the lines in run; no lines make it the
// whole unit's.
func (b *builder) document(u int32, part uint32, run []piece, leafs []leaf) {
	n := b.nodes[u]
	start, end := n.start, n.end
	if len(run) > 0 {
		start, end = run[0].start, run[len(run)-1].end
	}
	d := artifact.Doc{Unit: uint32(u), Part: part, Start: b.text.RangeStart(start), End: b.text.Original(end)}
	d.StartLine, d.EndLine = b.lineRange(start, end)
	b.res.Docs = append(b.res.Docs, d)

	f := DocFields{Symbol: n.symbol, SpansLo: uint32(len(b.res.Spans)), NamesLo: uint32(len(b.res.Names))}
	for _, l := range leafs {
		b.res.Names = append(b.res.Names, l.name)
	}
	room := uint32(MaxDocBytes)
	for i := 0; i < len(run) && room > 0; {
		s := run[i].start
		for i++; i < len(run) && run[i].start == run[i-1].end; i++ {
		}
		room = b.spans(s, run[i-1].end, room)
	}
	f.SpansHi, f.NamesHi = uint32(len(b.res.Spans)), uint32(len(b.res.Names))
	b.res.Fields = append(b.res.Fields, f)
}

// spans writes the spans of a contiguous range, at most room bytes, and
// returns the room that is left.
func (b *builder) spans(start, end, room uint32) uint32 {
	if end-start > room {
		end = b.wordEnd(start, start+room)
		room = 0
	} else {
		room -= end - start
	}
	m := sort.Search(len(b.marks), func(i int) bool { return b.marks[i].end > start })
	for start < end {
		s := Span{Start: start, End: end, Field: artifact.FieldBody, Prose: b.prose}
		if m < len(b.marks) {
			switch k := b.marks[m]; {
			case k.start > start:
				s.End = min(end, k.start)
			default:
				s.End, s.Field, s.Prose = min(end, k.end), k.field, k.prose
				m++
			}
		}
		b.res.Spans = append(b.res.Spans, s)
		start = s.End
	}
	return room
}

// wordEnd returns a place at or a little before end where no word is cut, or
// at least no character.
func (b *builder) wordEnd(start, end uint32) uint32 {
	text := b.lt.text
	for e := end; e > start && end-e < maxName; e-- {
		if !isWord(text[e-1]) || !isWord(text[e]) {
			return e
		}
	}
	for end > start && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}
