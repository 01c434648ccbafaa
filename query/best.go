package query

import (
	"context"
	"math"
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

// selection is what the routes found: the best documents of each, best first,
// among all and among those of plain files.
type selection struct {
	lex, sem, lexPlain, semPlain []int
	matches                      int // documents with a lexical score
}

// workerBest is what one worker has found.
type workerBest struct {
	lex, sem, lexPlain, semPlain bestDocs
	matches                      int
}

// choose selects the s.kRet best documents of each route with a positive score
// that keep allows, and as many among those whose file is code that the
// question may be about.
func (s *search) choose(ctx context.Context, keep func(doc int) bool) (*selection, error) {
	e, sc := s.e, s.sc
	part := make([]workerBest, e.workers)
	for i := range part {
		for _, b := range []*bestDocs{&part[i].lex, &part[i].sem, &part[i].lexPlain, &part[i].semPlain} {
			b.reset(s.kRet)
		}
	}
	refused := ^(waivedClasses(s.q) | classLegacy | classStub)
	offer := func(all, plain *bestDocs, v scored, p int) error {
		inAll, inPlain := all.takes(v), plain.takes(v)
		if !inAll && !inPlain || !keep(int(v.doc)) {
			return nil
		}
		if inAll {
			all.add(v)
		}
		if !inPlain {
			return nil
		}
		u, err := e.ix.Units(p)
		if err != nil {
			return err
		}
		if e.classOf(p, u.DocFile(int(v.doc)-e.docBase[p]), u)&refused == 0 {
			plain.add(v)
		}
		return nil
	}
	err := e.each(ctx, func(wk, p int) error {
		w := &part[wk]
		base := e.docBase[p]
		if s.useLex {
			for _, d := range sc.touched[p] {
				d := base + int(d)
				if v := sc.score[d]; v > 0 {
					w.matches++
					if err := offer(&w.lex, &w.lexPlain, scored{sortable(v), int32(d)}, p); err != nil {
						return err
					}
				}
			}
		}
		if s.useSem {
			for d, v := range sc.dots[base:e.docBase[p+1]] {
				if v > 0 {
					if err := offer(&w.sem, &w.semPlain, scored{int64(v), int32(base + d)}, p); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := &part[0]
	for i := 1; i < len(part); i++ {
		w := &part[i]
		all.matches += w.matches
		all.lex.join(&w.lex)
		all.sem.join(&w.sem)
		all.lexPlain.join(&w.lexPlain)
		all.semPlain.join(&w.semPlain)
	}
	return &selection{
		lex: all.lex.sorted(), sem: all.sem.sorted(), lexPlain: all.lexPlain.sorted(), semPlain: all.semPlain.sorted(),
		matches: all.matches,
	}, nil
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
