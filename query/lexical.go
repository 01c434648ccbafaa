package query

import (
	"context"

	"github.com/pindex-dev/pindex/analysis"
	"github.com/pindex-dev/pindex/artifact"
)

// lexicalStats are the corpus-wide numbers of BM25F, summed over partitions.
type lexicalStats struct {
	docs  uint64
	scale artifact.Scale // 1/(1-b+b·length/average) for each length of a field
}

// normTable is the number of field lengths whose normalisation is computed in
// advance.
const normTable = 512

func newLexicalStats(docs uint64, total [artifact.NumFields]uint64, w *Weights) *lexicalStats {
	var avg [artifact.NumFields]float64
	s := &lexicalStats{docs: docs, scale: artifact.Scale{Field: w.Field}}
	s.scale.Long = func(f artifact.Field, length uint32) float64 { return lengthNorm(w.LenB[f], length, avg[f]) }
	for f := range avg {
		avg[f] = 1
		if docs > 0 && total[f] > 0 {
			avg[f] = float64(total[f]) / float64(docs)
		}
		norm := make([]float64, normTable)
		for n := range norm {
			norm[n] = lengthNorm(w.LenB[f], uint32(n), avg[f])
		}
		s.scale.Norm[f] = norm
	}
	return s
}

func lengthNorm(b float64, n uint32, avg float64) float64 {
	return 1 / (1 - b + float64(float64(b*float64(n))/avg))
}

// lexical returns the corpus-wide statistics, opening every lexical segment at
// the first call.
func (e *Engine) lexical(ctx context.Context) (*lexicalStats, error) {
	if e.under != nil && e.under.docs > 0 {
		return e.under.lexical(ctx) // a few changed files say nothing of the whole
	}
	return e.stats.get(func() (*lexicalStats, error) {
		type sums struct {
			docs  uint64
			total [artifact.NumFields]uint64
		}
		part := make([]sums, e.workers)
		err := e.each(ctx, func(w, p int) error {
			r, err := e.ix.Lexical(p)
			if err != nil {
				return err
			}
			part[w].docs += uint64(r.NumDocs())
			for f := range artifact.NumFields {
				part[w].total[f] += r.TotalLength(artifact.Field(f))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		var all sums
		for _, s := range part {
			all.docs += s.docs
			for f := range all.total {
				all.total[f] += s.total[f]
			}
		}
		return newLexicalStats(all.docs, all.total, &e.weights), nil
	})
}

// searchScratch is the reusable memory of one search. Slices over documents
// are indexed by the document's number over all partitions.
type searchScratch struct {
	terms    []artifact.Term // partition × term
	score    []float64
	fields   []uint8 // fields that a term matched in
	matched  []docMatch
	title    []float64 // BM25F of the first line of a long question, when titled
	titled   bool
	touched  [][]uint32 // by partition: its documents that hold a term
	set      docSet
	titleVec []int8  // of the first line of a long question; empty without one
	dots     []int32 // semantic score, 0 for a document without an embedding
	allowed  []bool  // the document holds every phrase
	pass     []bool  // the document passes the filter
	worker   []workerScratch

	// Of the final ranker.
	pool     []candidate
	files    []fileCand
	units    []candidate // of the files, one file behind the other
	opened   []candidate // of the file that is looked at
	shown    []candidate // of the files that are shown, in order
	measures []unitFeatures
}

// docMatch says which slots a document holds: anywhere, in names, in its
// signature, in its documentation.
type docMatch struct{ any, name, sig, doc uint64 }

type workerScratch struct {
	postings []artifact.Posting
	weighed  []artifact.Weighed
	tf       []float64 // term weight of one slot, by document of the partition; zero between slots
	slot     []uint32  // documents that hold the slot
	df       []uint64
	rows     []int32
	scan     analysis.Analyzer
	slotOf   []int16 // see gauge.slot
	lists    [artifact.NumFields]artifact.PositionList
}

func (e *Engine) getScratch() *searchScratch {
	s, _ := e.scratch.Get().(*searchScratch)
	if s == nil {
		s = &searchScratch{worker: make([]workerScratch, e.workers)}
	}
	return s
}

// grow returns s with n zero elements.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// lookUp looks the terms up in every partition and weighs the slots by their
// corpus-wide frequencies.
func (e *Engine) lookUp(ctx context.Context, q *queryTerms, sc *searchScratch) error {
	st, err := e.lexical(ctx)
	if err != nil {
		return err
	}
	n := len(q.terms)
	hashes := make([]artifact.TermHash, n)
	for i, t := range q.terms {
		hashes[i] = artifact.HashTerm(t)
	}
	sc.terms = grow(sc.terms, e.parts()*n)
	for i := range sc.worker {
		sc.worker[i].df = grow(sc.worker[i].df, n)
	}
	err = e.each(ctx, func(wk, p int) error {
		r, err := e.ix.Lexical(p)
		if err != nil {
			return err
		}
		ws := &sc.worker[wk]
		terms := sc.terms[p*n : (p+1)*n]
		for i, t := range q.terms {
			if !r.MayHold(hashes[i]) {
				continue
			}
			term, ok, err := r.Lookup(t)
			if err != nil {
				return err
			}
			if ok {
				terms[i] = term
				ws.df[i] += uint64(term.DocFreq)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	df := make([]uint64, n)
	for i := range sc.worker {
		for t, d := range sc.worker[i].df {
			df[t] += d
		}
	}
	if e.under != nil && e.under.docs > 0 {
		if err := e.under.addFrequencies(ctx, q, df); err != nil {
			return err
		}
	}
	q.choose(st.docs, df)
	return nil
}

// lexicalScorer leaves the BM25F score of every document in sc.score, partition
// by partition. The terms must have been looked up.
type lexicalScorer struct {
	e      *Engine
	q      *queryTerms
	w      *Weights
	sc     *searchScratch
	st     *lexicalStats
	titled bool
}

func (e *Engine) newLexicalScorer(ctx context.Context, q *queryTerms, w *Weights, sc *searchScratch) (*lexicalScorer, error) {
	st, err := e.lexical(ctx)
	if err != nil {
		return nil, err
	}
	l := &lexicalScorer{e: e, q: q, w: w, sc: sc, st: st, titled: q.titled()}
	sc.prepare(e, l.titled)
	return l, nil
}

// scoreLexical scores all partitions.
func (e *Engine) scoreLexical(ctx context.Context, q *queryTerms, w *Weights, sc *searchScratch) error {
	l, err := e.newLexicalScorer(ctx, q, w, sc)
	if err != nil {
		return err
	}
	return e.each(ctx, l.part)
}

// part scores the documents of partition p.
func (l *lexicalScorer) part(wk, p int) error {
	e, sc, n := l.e, l.sc, len(l.q.terms)
	r, err := e.ix.Lexical(p)
	if err != nil {
		return err
	}
	lo, hi := e.docBase[p], e.docBase[p+1]
	part := partScore{
		r: r, st: l.st, w: l.w, ws: &sc.worker[wk], terms: sc.terms[p*n : (p+1)*n],
		score: sc.score[lo:hi], fields: sc.fields[lo:hi], matched: sc.matched[lo:hi], touched: &sc.touched[p],
	}
	if len(sc.title) > 0 {
		part.title = sc.title[lo:hi]
	}
	part.forget()
	if !l.titled {
		part.title = nil
	}
	if len(part.ws.tf) < hi-lo {
		part.ws.tf = make([]float64, hi-lo)
	}
	for i := range l.q.slots {
		if err := part.add(i, &l.q.slots[i]); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes room for the lexical scores of every document. What an earlier
// search left is cleared where it lies, see partScore.forget.
func (sc *searchScratch) prepare(e *Engine, titled bool) {
	if sc.touched == nil {
		sc.touched = make([][]uint32, e.parts())
		sc.score = make([]float64, e.docs)
		sc.fields = make([]uint8, e.docs)
		sc.matched = make([]docMatch, e.docs)
	}
	if titled && sc.title == nil {
		sc.title = make([]float64, e.docs)
	}
	sc.titled = titled
}

// partScore scores one partition.
type partScore struct {
	r       *artifact.LexicalReader
	st      *lexicalStats
	w       *Weights
	ws      *workerScratch
	terms   []artifact.Term
	score   []float64
	title   []float64 // empty when the question has no first line of its own
	fields  []uint8
	matched []docMatch
	touched *[]uint32 // documents that hold a term, in the order of their first one
}

// forget clears what an earlier search has left of the partition.
func (p *partScore) forget() {
	for _, d := range *p.touched {
		p.score[d], p.fields[d], p.matched[d] = 0, 0, docMatch{}
		if len(p.title) > 0 {
			p.title[d] = 0
		}
	}
	*p.touched = (*p.touched)[:0]
}

// add adds what slot number i contributes to each document.
func (p *partScore) add(i int, s *slot) error {
	ws := p.ws
	here := 0 // forms that the partition holds
	for _, a := range s.alts {
		if p.terms[a.term].DocFreq > 0 {
			here++
		}
	}
	if here == 0 {
		return nil
	}
	gain := slotGain{k1: p.w.K1, most: float64(s.score * (p.w.K1 + 1)), title: s.title && len(p.title) > 0}
	bit := uint64(1) << (i & 63)
	ws.slot = ws.slot[:0]
	for _, a := range s.alts {
		t := p.terms[a.term]
		if t.DocFreq == 0 {
			continue
		}
		var err error
		if ws.weighed, err = p.r.Weigh(t, &p.st.scale, ws.weighed[:0]); err != nil {
			return err
		}
		for k := range ws.weighed {
			po := &ws.weighed[k]
			p.mark(po, bit)
			tf := float64(a.weight * po.Weight)
			if here == 1 { // nothing is to be added to the frequency
				p.gain(po.Doc, tf, &gain)
				continue
			}
			if ws.tf[po.Doc] == 0 {
				ws.slot = append(ws.slot, po.Doc)
			}
			ws.tf[po.Doc] += tf
		}
	}
	for _, d := range ws.slot {
		p.gain(d, ws.tf[d], &gain)
		ws.tf[d] = 0
	}
	return nil
}

// slotGain is what a slot gives for the frequency of its forms.
type slotGain struct {
	k1, most float64
	title    bool
}

// gain adds what a document gets for a slot.
func (p *partScore) gain(d uint32, tf float64, g *slotGain) {
	v := float64(g.most*tf) / (g.k1 + tf)
	p.score[d] += v
	if g.title {
		p.title[d] += v
	}
}

// mark notes down which slot a document holds, and where.
func (p *partScore) mark(po *artifact.Weighed, bit uint64) {
	m := &p.matched[po.Doc]
	if m.any == 0 {
		*p.touched = append(*p.touched, po.Doc)
	}
	m.any |= bit
	p.fields[po.Doc] |= po.Fields
	if po.Fields&(1<<artifact.FieldSymbol) != 0 {
		m.name |= bit
	}
	if po.Fields&(1<<artifact.FieldSignature) != 0 {
		m.sig |= bit
	}
	if po.Fields&(1<<artifact.FieldDoc) != 0 {
		m.doc |= bit
	}
}
