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

	lex      int64 // BM25 in millionths
	sem      int64 // dot product
	lexRank  int   // from 1 on its route; 0 when it was not among the best
	semRank  int
	base     int64 // fused score, at most micro
	score    int64 // final
	seeded   bool  // added because its symbol is what was asked for
	exact    bool  // and the qualified name that was asked for means it
	x        unitFeatures
	path     string
	bonuses  []Part
	reranked bool  // its score is that of its place
	parts    int   // documents of the unit that were candidates too
	again    int   // better results of the same file
	from     int   // place of its file
	inFile   int64 // thousandths, among the units of its file
	links    int64 // see fileCand.links
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

// fusion puts the scores of both routes on one scale.
type fusion struct {
	sc             *searchScratch
	w              *Weights
	useLex, useSem bool
	topLex         int64 // best lexical score
	topSem, lowSem int64 // best and weakest retrieved semantic scores
}

// candidate makes a candidate of a document, with its exact score on both
// routes, whether or not they retrieved it.
func (f *fusion) candidate(d int) candidate {
	c := candidate{doc: d}
	if f.useLex {
		c.lex = toMicro(f.sc.score[d])
	}
	if f.useSem && f.sc.rowed[d] {
		c.sem = int64(f.sc.dots[d])
	}
	c.base = f.fuse(&c)
	return c
}

// pool joins the best documents of the routes. Either list may be nil.
func (f *fusion) pool(lex, sem []int) []candidate {
	if len(lex) > 0 {
		f.topLex = toMicro(f.sc.score[lex[0]])
	}
	if len(sem) > 0 {
		f.topSem = int64(f.sc.dots[sem[0]])
		f.lowSem = f.topSem
		for _, d := range sem {
			f.lowSem = min(f.lowSem, int64(f.sc.dots[d]))
		}
	}
	byDoc := make(map[int]int, len(lex)+len(sem))
	out := make([]candidate, 0, len(lex)+len(sem))
	add := func(d int) *candidate {
		i, ok := byDoc[d]
		if !ok {
			i = len(out)
			byDoc[d] = i
			out = append(out, f.candidate(d))
		}
		return &out[i]
	}
	for i, d := range lex {
		add(d).lexRank = i + 1
	}
	for i, d := range sem {
		add(d).semRank = i + 1
	}
	return out
}

// fuse weighs a candidate's scores, each relative to the route's best. A
// semantic score counts by how far it lies above the weakest retrieved one,
// because dot products have no natural zero.
func (f *fusion) fuse(c *candidate) int64 {
	var l, s int64
	if f.topLex > 0 {
		l = c.lex * micro / f.topLex
	}
	switch {
	case f.topSem > f.lowSem:
		s = max(0, c.sem-f.lowSem) * micro / (f.topSem - f.lowSem)
	case f.topSem > 0 && c.sem == f.topSem:
		s = micro
	}
	switch {
	case !f.useSem:
		return l
	case !f.useLex:
		return s
	}
	return (l*f.w.Lexical + s*f.w.Semantic) / (f.w.Lexical + f.w.Semantic)
}
