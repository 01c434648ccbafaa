package query

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
	base     int64         // fused score, at most micro
	score    int64         // final
	seeded   bool          // added because its symbol is what was asked for
	exact    bool          // and the qualified name that was asked for means it
	x        *unitFeatures // of one that is shown
	bonuses  []Part
	reranked bool  // its score is that of its place
	parts    int   // documents of the unit that were candidates too
	again    int   // better results of the same file
	from     int   // place of its file
	inFile   int64 // thousandths, among the units of its file
	idle     bool  // imports, comments and the like alone, and held back for it
	links    int64 // see fileCand.links
	told     int64 // what stands in it verbatim is worth, in thousandths
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
	if f.useSem {
		c.sem = int64(f.sc.dots[d])
	}
	c.base = f.fuse(&c)
	return c
}

// pool makes candidates of the best documents of the routes: those of plain
// files come behind the others of their route, which crowd them out where tests
// and documents speak of everything. docs is the number of documents.
func (f *fusion) pool(found *selection, docs int) []candidate {
	set := &f.sc.set
	lex, sem := f.joined(found.lex, found.lexPlain, docs), f.joined(found.sem, found.semPlain, docs)
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
	set.reset(docs)
	out := f.sc.pool[:0]
	add := func(d int) *candidate {
		i, ok := set.number(d, len(out))
		if !ok {
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
	f.sc.pool = out
	return out
}

// joined appends to a what b has and a has not.
func (f *fusion) joined(a, b []int, docs int) []int {
	set := &f.sc.set
	set.reset(docs)
	for _, d := range a {
		set.number(d, 0)
	}
	for _, d := range b {
		if _, ok := set.number(d, 0); !ok {
			a = append(a, d)
		}
	}
	return a
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
