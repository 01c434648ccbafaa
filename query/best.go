package query

import (
	"math"

	"github.com/pindex-dev/pindex/artifact"
)

// scored is a numbered thing, mostly a document, with its score.
type scored struct {
	score int64
	doc   int32
}

// sortable returns a positive number as an integer that sorts as it does.
func sortable(v float64) int64 { return int64(math.Float64bits(v)) }

// worse reports whether a comes behind b: lower score, or an equal one and a
// later number. Documents stand in the order of paths, then positions.
func (a scored) worse(b scored) bool {
	if a.score != b.score {
		return a.score < b.score
	}
	return a.doc > b.doc
}

// bestDocs keeps the k best that it is given: it takes up to twice as many and
// then drops the worse half.
type bestDocs struct {
	k     int
	h     []scored
	full  bool
	worst scored // of the k best when last they were told apart, once full
}

func (b *bestDocs) reset(k int) { *b = bestDocs{k: k, h: b.h[:0]} }

// takes reports whether add may keep it.
func (b *bestDocs) takes(s scored) bool { return b.k > 0 && !(b.full && s.worse(b.worst)) }

// floor is a score below which nothing is taken.
func (b *bestDocs) floor() int64 {
	if !b.full {
		return math.MinInt64
	}
	return b.worst.score
}

// add takes what takes was true for.
func (b *bestDocs) add(s scored) {
	b.h = append(b.h, s)
	if len(b.h) == 2*b.k {
		b.prune()
	}
}

// prune drops all but the k best.
func (b *bestDocs) prune() {
	bestFirst(b.h, b.k)
	b.h = b.h[:b.k]
	b.worst, b.full = b.h[b.k-1], true
}

func (b *bestDocs) join(o *bestDocs) {
	for _, v := range o.h {
		if b.takes(v) {
			b.add(v)
		}
	}
}

// sorted returns the numbers, best first, and leaves b empty.
func (b *bestDocs) sorted() []int {
	if len(b.h) > b.k {
		b.prune()
	}
	sortBest(b.h)
	out := make([]int, len(b.h))
	for i, s := range b.h {
		out[i] = int(s.doc)
	}
	b.reset(b.k)
	return out
}

// bestFirst puts the k best of h in front, the worst of them last. k must lie
// in 1 to len(h).
func bestFirst(h []scored, k int) {
	for len(h) > 1 {
		switch n := splitBest(h); {
		case n == k-1:
			return
		case n > k-1:
			h = h[:n]
		default:
			h, k = h[n+1:], k-n-1
		}
	}
}

// sortBest sorts h, best first.
func sortBest(h []scored) {
	for len(h) > 12 {
		n := splitBest(h)
		sortBest(h[:n])
		h = h[n+1:]
	}
	for i := 1; i < len(h); i++ {
		for k := i; k > 0 && h[k-1].worse(h[k]); k-- {
			h[k-1], h[k] = h[k], h[k-1]
		}
	}
}

// splitBest puts what is better than some middling element in front of it and
// the rest behind, and returns its place. h must not be empty.
func splitBest(h []scored) int {
	first, mid, last := &h[0], &h[len(h)/2], &h[len(h)-1]
	if first.worse(*mid) {
		*first, *mid = *mid, *first
	}
	if first.worse(*last) {
		*first, *last = *last, *first
	}
	if last.worse(*mid) { // the median of the three comes last
		*mid, *last = *last, *mid
	}
	pivot, n := *last, 0
	for i := range h[:len(h)-1] {
		if pivot.worse(h[i]) {
			h[i], h[n] = h[n], h[i]
			n++
		}
	}
	h[n], *last = pivot, h[n]
	return n
}

// selection is what the routes found: the best documents of each, best first,
// among all and among those of plain files.
type selection struct {
	lex, sem, lexPlain, semPlain []int
	matches                      int // documents with a lexical score
}

// selector selects the s.kRet best documents of each route with a positive
// score that keep allows, and as many among those whose file is code that the
// question may be about.
type selector struct {
	s       *search
	keep    func(doc int) bool
	refused pathClass
	found   []workerBest
}

// workerBest is what one worker has found.
type workerBest struct {
	lex, sem routeBest
	matches  int
}

// routeBest is what it has found on one route.
type routeBest struct{ all, plain bestDocs }

// floor is a score below which nothing is kept.
func (b *routeBest) floor() int64 { return min(b.all.floor(), b.plain.floor()) }

func (s *search) newSelector(keep func(doc int) bool) *selector {
	c := &selector{s: s, keep: keep, refused: ^(waivedClasses(s.q) | classLegacy | classStub), found: make([]workerBest, s.e.workers)}
	for i := range c.found {
		w := &c.found[i]
		for _, b := range []*bestDocs{&w.lex.all, &w.lex.plain, &w.sem.all, &w.sem.plain} {
			b.reset(s.kRet)
		}
	}
	return c
}

// part selects among the documents of partition p, whose scores must be there.
func (c *selector) part(wk, p int) error {
	e, sc, w := c.s.e, c.s.sc, &c.found[wk]
	u, err := e.ix.Units(p)
	if err != nil {
		return err
	}
	base := e.docBase[p]
	if c.s.useLex {
		floor := w.lex.floor()
		for _, d := range sc.touched[p] {
			v := sc.score[base+int(d)]
			if v <= 0 {
				continue
			}
			w.matches++
			if score := sortable(v); score >= floor {
				c.offer(&w.lex, scored{score, int32(base) + int32(d)}, p, u)
				floor = w.lex.floor()
			}
		}
	}
	if c.s.useSem {
		floor := max(1, w.sem.floor())
		for d, v := range sc.dots[base:e.docBase[p+1]] {
			if int64(v) >= floor {
				c.offer(&w.sem, scored{int64(v), int32(base + d)}, p, u)
				floor = max(1, w.sem.floor())
			}
		}
	}
	return nil
}

// offer keeps a document of partition p where it is among the best.
func (c *selector) offer(b *routeBest, v scored, p int, u *artifact.UnitsReader) {
	inAll, inPlain := b.all.takes(v), b.plain.takes(v)
	if !inAll && !inPlain || !c.keep(int(v.doc)) {
		return
	}
	if inAll {
		b.all.add(v)
	}
	if inPlain && c.s.e.classOf(int(v.doc), p, u)&c.refused == 0 {
		b.plain.add(v)
	}
}

// selected joins what the workers have found.
func (c *selector) selected() *selection {
	all := &c.found[0]
	for i := 1; i < len(c.found); i++ {
		w := &c.found[i]
		all.matches += w.matches
		all.lex.all.join(&w.lex.all)
		all.sem.all.join(&w.sem.all)
		all.lex.plain.join(&w.lex.plain)
		all.sem.plain.join(&w.sem.plain)
	}
	return &selection{
		lex: all.lex.all.sorted(), lexPlain: all.lex.plain.sorted(),
		sem: all.sem.all.sorted(), semPlain: all.sem.plain.sorted(),
		matches: all.matches,
	}
}

// docSet numbers documents. It is emptied without touching its memory.
type docSet struct {
	round uint32
	in    []uint32 // the round in which a document was numbered
	at    []int32
}

// reset empties the set and makes room for n documents.
func (s *docSet) reset(n int) {
	if len(s.in) < n || s.round == ^uint32(0) {
		s.in, s.at, s.round = make([]uint32, n), make([]int32, n), 0
	}
	s.round++
}

// number returns the document's number, and whether it had one; else it gets n.
func (s *docSet) number(doc, n int) (int, bool) {
	if s.in[doc] == s.round {
		return int(s.at[doc]), true
	}
	s.in[doc], s.at[doc] = s.round, int32(n)
	return n, false
}
