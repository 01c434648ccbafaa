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

// bestDocs keeps the k best that it is given: a heap with the worst
// of them on top.
type bestDocs struct {
	k int
	h []scored
}

func (b *bestDocs) reset(k int) { b.k, b.h = k, b.h[:0] }

// takes reports whether add would keep it.
func (b *bestDocs) takes(s scored) bool {
	return len(b.h) < b.k || b.k > 0 && b.h[0].worse(s)
}

// add keeps what takes was true for.
func (b *bestDocs) add(s scored) {
	if len(b.h) == b.k {
		b.h[0] = s
		b.down(0)
		return
	}
	b.h = append(b.h, s)
	for i := len(b.h) - 1; i > 0; {
		up := (i - 1) / 2
		if !b.h[i].worse(b.h[up]) {
			break
		}
		b.h[i], b.h[up] = b.h[up], b.h[i]
		i = up
	}
}

func (b *bestDocs) down(i int) {
	h := b.h
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && h[c+1].worse(h[c]) {
			c++
		}
		if !h[c].worse(h[i]) {
			return
		}
		h[c], h[i] = h[i], h[c]
		i = c
	}
}

// sorted returns the numbers, best first, and leaves b empty.
func (b *bestDocs) sorted() []int {
	out := make([]int, len(b.h))
	for n := len(b.h) - 1; n >= 0; n-- {
		out[n] = int(b.h[0].doc)
		b.h[0] = b.h[n]
		b.h = b.h[:n]
		b.down(0)
	}
	return out
}

// floor is a score below which add keeps nothing.
func (b *bestDocs) floor() int64 {
	if len(b.h) < b.k {
		return math.MinInt64
	}
	return b.h[0].score
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
	if inPlain && c.s.e.classOf(p, u.DocFile(int(v.doc)-c.s.e.docBase[p]), u)&c.refused == 0 {
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

func (b *bestDocs) join(o *bestDocs) {
	for _, v := range o.h {
		if b.takes(v) {
			b.add(v)
		}
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
