package query

import (
	"cmp"
	"slices"
)

// candidate is one document on its way to becoming a result.
type candidate struct {
	doc  int // over all partitions
	part int
	unit int // number in its partition
	file int // number in its partition

	lex     int64 // BM25 in millionths
	sem     int64 // dot product
	lexRank int   // from 1 on its route; 0 when it was not among the best
	semRank int
	base    int64 // fused score, at most micro
	score   int64 // final
	seeded  bool  // added because its symbol is what was asked for
	name    nameMatch
	path    string
	class   pathClass
	bonuses []Part
	parts   int // documents of the unit that were candidates too
	again   int // better results of the same file

	support, fileCover, cover int64 // see fileEvidence; in thousandths
}

// topDocs returns the k documents with the highest positive scores, best
// first, ties in document order (which is path order, then position). keep
// says which documents may be returned and is asked only for documents that
// would be among the best. total counts the documents with a positive score,
// before keep.
func topDocs[T cmp.Ordered](score []T, k int, keep func(doc int) bool) (docs []int, total int) {
	var zero T
	// h is a heap with the worst of the best on top: lower score, or equal
	// score and later document.
	var h []int
	worse := func(a, b int) bool {
		if score[a] != score[b] {
			return score[a] < score[b]
		}
		return a > b
	}
	down := func(i int) {
		for {
			c := 2*i + 1
			if c >= len(h) {
				return
			}
			if c+1 < len(h) && worse(h[c+1], h[c]) {
				c++
			}
			if !worse(h[c], h[i]) {
				return
			}
			h[c], h[i] = h[i], h[c]
			i = c
		}
	}
	for d, s := range score {
		if s <= zero {
			continue
		}
		total++
		if len(h) == k {
			if k == 0 || !worse(h[0], d) || !keep(d) {
				continue
			}
			h[0] = d
			down(0)
			continue
		}
		if !keep(d) {
			continue
		}
		h = append(h, d)
		for i := len(h) - 1; i > 0; {
			up := (i - 1) / 2
			if !worse(h[i], h[up]) {
				break
			}
			h[i], h[up] = h[up], h[i]
			i = up
		}
	}
	slices.SortFunc(h, func(a, b int) int {
		if worse(a, b) {
			return 1
		}
		return -1
	})
	return h, total
}

// pool joins the best documents of the routes. Either list may be nil. Each
// candidate has its exact score on both routes, also where only one of them
// found it.
func (e *Engine) pool(lex, sem []int, sc *searchScratch, w *Weights, useLex, useSem bool) []candidate {
	byDoc := make(map[int]int, len(lex)+len(sem))
	out := make([]candidate, 0, len(lex)+len(sem))
	add := func(d int) *candidate {
		i, ok := byDoc[d]
		if !ok {
			i = len(out)
			byDoc[d] = i
			c := candidate{doc: d}
			if useLex {
				c.lex = toMicro(sc.score[d])
			}
			if useSem && sc.rowed[d] {
				c.sem = int64(sc.dots[d])
			}
			out = append(out, c)
		}
		return &out[i]
	}
	for i, d := range lex {
		add(d).lexRank = i + 1
	}
	for i, d := range sem {
		add(d).semRank = i + 1
	}
	var topLex, topSem, lowSem int64
	if len(lex) > 0 {
		topLex = toMicro(sc.score[lex[0]])
	}
	if len(sem) > 0 {
		topSem = int64(sc.dots[sem[0]])
		lowSem = int64(sc.dots[sem[len(sem)-1]])
	}
	for i := range out {
		out[i].base = fuse(&out[i], w, topLex, topSem, lowSem, useLex, useSem)
	}
	return out
}

// fuse puts a candidate's scores on both routes on one scale, each relative to
// the route's best, and weighs them. A semantic score counts by how far it
// lies above the weakest retrieved one, because dot products have no natural
// zero.
func fuse(c *candidate, w *Weights, topLex, topSem, lowSem int64, useLex, useSem bool) int64 {
	var l, s int64
	if topLex > 0 {
		l = c.lex * micro / topLex
	}
	switch {
	case topSem > lowSem:
		s = max(0, c.sem-lowSem) * micro / (topSem - lowSem)
	case c.semRank > 0:
		s = micro
	}
	switch {
	case !useSem:
		return l
	case !useLex:
		return s
	}
	return (l*w.Lexical + s*w.Semantic) / (w.Lexical + w.Semantic)
}
