package query

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
)

// SearchOptions say what to search for and how.
type SearchOptions struct {
	Query    string
	Route    string    // "auto" (or ""), "lexical", "semantic", "hybrid" or "structural"
	K        int       // results, 1 to MaxK; 0 means DefaultK. The results of a smaller K are the first of those of a larger one
	Level    string    // "unit" (or "") or "file"
	PathGlob string    // see Globs in the package's documentation; "" for all
	Lang     string    // language name; "" for all
	Kind     string    // unit kind such as "function"; "" for all
	Explain  bool      // fill in Explain
	Reranker *Reranker // nil for none
	// Candidates is how many documents of each route the final ranker orders,
	// 1 to MaxCandidates; 0 means DefaultCandidates. Other candidates may have
	// another order.
	Candidates int
}

const (
	// DefaultK is the number of results when none is asked for.
	DefaultK = 10
	// MaxK bounds the results of one search.
	MaxK = 1000
	// DefaultCandidates is the number of documents of each route that the
	// final ranker orders when no other is asked for. It does not depend on K,
	// so that K only cuts the order.
	DefaultCandidates = 250
	// MaxCandidates bounds them. As many are ordered where fewer do not give
	// the results that are asked for.
	MaxCandidates = 8 * MaxK

	maxSeeds = 200
)

// Search answers a ranked search. A query that finds nothing gives an empty
// list and no error.
func (e *Engine) Search(ctx context.Context, o SearchOptions) (*SearchResult, error) {
	begun := time.Now()
	s, err := e.newSearch(o)
	if err != nil {
		return nil, err
	}
	var res *SearchResult
	err = e.answer(func() error {
		var err error
		if res, err = s.run(ctx); err != nil {
			return err
		}
		if s.exhausted(res) {
			if err := s.further(ctx, res); err != nil {
				return err
			}
		}
		if e.over != nil && s.useLex {
			return s.mergeChanged(ctx, res)
		}
		return nil
	})
	if err != nil {
		return nil, err // with what the scratch memory holds, nobody knows
	}
	e.scratch.Put(s.sc)
	res.Header = e.header(begun)
	return res, nil
}

// exhausted reports whether the order ends before the results that were asked
// for, and more candidates would make it longer.
func (s *search) exhausted(res *SearchResult) bool {
	return len(res.Results) < s.o.K && s.full && s.o.Candidates == 0 && !s.structural
}

// further puts what an order of more candidates has behind the results.
func (s *search) further(ctx context.Context, res *SearchResult) error {
	o := s.o
	o.Candidates, o.Reranker = MaxCandidates, nil
	wide, err := s.e.newSearch(o)
	if err != nil {
		return err
	}
	more, err := wide.run(ctx)
	if err != nil {
		return err
	}
	s.e.scratch.Put(wide.sc)
	key := func(h *SearchHit) string {
		if o.Level == "file" {
			return h.FilePath()
		}
		return h.FilePath() + "\x00" + h.ID
	}
	have := make(map[string]bool, len(res.Results))
	for i := range res.Results {
		have[key(&res.Results[i])] = true
	}
	for i := range more.Results {
		h := &more.Results[i]
		if len(res.Results) == o.K {
			break
		}
		if have[key(h)] {
			continue
		}
		if n := len(res.Results); n > 0 {
			h.Score = min(h.Score, res.Results[n-1].Score)
		}
		res.Results = append(res.Results, *h)
	}
	res.Total = max(more.Total, len(res.Results))
	return nil
}

// search is one search on its way.
type search struct {
	e      *Engine
	o      SearchOptions
	w      *Weights
	q      *queryTerms
	route  string
	why    string
	filter *filter
	sc     *searchScratch
	kRet   int  // candidates of each route
	full   bool // a route had more

	useLex, useSem, usePhrases bool
	structural                 bool     // the edges of the best units are followed
	seeded                     []string // files in the order that they had before that, for Study
	whole                      bool     // the whole order is wanted
	explain                    Explain
	phraseDocs                 [][]int  // of each rare phrase of a mixed question
	noPhrase                   []string // phrases that stand nowhere
}

func (e *Engine) newSearch(o SearchOptions) (*search, error) {
	if strings.TrimSpace(o.Query) == "" {
		return nil, fail.New(fail.Usage, "give some words, a name or a path", "the query is empty")
	}
	if o.K == 0 {
		o.K = DefaultK
	}
	if o.K < 1 || o.K > MaxK {
		return nil, fail.New(fail.Usage, "ask for fewer results", "k is %d, not in 1 to %d", o.K, MaxK)
	}
	if o.Level != "" && o.Level != "unit" && o.Level != "file" {
		return nil, fail.New(fail.Usage, "use unit or file", "there is no level %s", quote(o.Level))
	}
	f, err := e.newFilter(o.PathGlob, o.Lang, o.Kind)
	if err != nil {
		return nil, err
	}
	s := &search{e: e, o: o, w: &e.weights, filter: f}
	s.q = analyse(o.Query, s.w)
	if s.route, s.why, err = e.route(o.Route, s.q); err != nil {
		return nil, err
	}
	base := s.route
	if s.structural = s.route == RouteStructural; s.structural {
		if base, err = e.seedRoute(s.q); err != nil {
			return nil, err
		}
		s.why = because(s.why, "from the best units of the "+base+" route")
	}
	s.useLex = base != RouteSemantic
	s.useSem = base != RouteLexical
	s.usePhrases = len(s.q.phrases) > 0 && !s.q.issue && e.has(artifact.Lexical)
	s.kRet = DefaultCandidates
	if o.Candidates > 0 {
		s.kRet = min(o.Candidates, MaxCandidates)
	}
	if s.structural {
		s.kRet = structuralCandidates / 2 // and as many that no test or document crowds out
	}
	s.sc = e.getScratch()
	return s, nil
}

func (s *search) run(ctx context.Context) (*SearchResult, error) {
	r, cands, err := s.rank(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.rerank(ctx, r, cands); err != nil {
		return nil, err
	}
	return s.result(ctx, r, cands)
}

// rank finds candidates on the routes and puts them in order.
func (s *search) rank(ctx context.Context) (*ranker, []candidate, error) {
	e := s.e
	// The semantic route too weighs its terms by how rare they are, where the
	// lexical view can tell.
	if e.has(artifact.Lexical) {
		if err := e.lookUp(ctx, s.q, s.sc); err != nil {
			return nil, nil, err
		}
	}
	var scan *denseScan
	if s.useSem {
		var err error
		if scan, err = s.newDenseScan(ctx); err != nil {
			words := s.useLex || s.structural && e.has(artifact.Lexical)
			if s.o.Route == RouteSemantic || !words || fail.CodeOf(err) != fail.NotFound {
				return nil, nil, err
			}
			s.useSem, s.useLex = false, true
			s.why = because(s.why, "the semantic route cannot answer: "+fail.Brief(err))
			if !s.structural {
				s.route = RouteLexical
			}
		}
	}
	if s.usePhrases {
		if err := s.findPhrases(ctx); err != nil {
			return nil, nil, err
		}
		if s.q.pure && len(s.q.phrases) > 1 {
			if err := e.markPhrases(ctx, s.q.phrases, s.sc); err != nil {
				return nil, nil, err
			}
		}
	}
	if !s.filter.all {
		s.sc.pass = grow(s.sc.pass, e.docs)
		if err := s.filter.documents(ctx, s.sc.pass); err != nil {
			return nil, nil, err
		}
	}
	keep := func(d int) bool {
		return (!s.usePhrases || !s.q.pure || s.sc.allowed[d]) && (s.filter.all || s.sc.pass[d])
	}
	found, err := s.score(ctx, scan, keep)
	if err != nil {
		return nil, nil, err
	}
	s.explain.Lexical = found.matches
	s.full = len(found.lex) == s.kRet || len(found.sem) == s.kRet
	f := fusion{sc: s.sc, w: s.w, useLex: s.useLex, useSem: s.useSem}
	cands, err := s.seed(ctx, &f, f.pool(found, e.docs), keep)
	if err != nil {
		return nil, nil, err
	}
	cands = s.seedPhrases(&f, cands, keep)
	if cands, err = s.seedPlaces(&f, cands, keep); err != nil {
		return nil, nil, err
	}
	r := s.newRanker()
	r.fuse, r.keep = &f, keep
	if e.has(artifact.Structural) {
		if r.imported, err = e.imported(ctx); err != nil {
			return nil, nil, err
		}
	}
	if s.structural {
		cands, err = s.rankLinked(ctx, r, cands)
		return r, cands, err
	}
	cands, err = r.rank(ctx, cands)
	return r, cands, err
}

// score scores the documents on the routes and selects the best, one partition
// after another: what a partition's scores touched is still at hand when they
// are read.
func (s *search) score(ctx context.Context, scan *denseScan, keep func(doc int) bool) (*selection, error) {
	var steps []func(worker, p int) error
	if s.useLex {
		l, err := s.e.newLexicalScorer(ctx, s.q, s.w, s.sc)
		if err != nil {
			return nil, err
		}
		steps = append(steps, l.part)
	}
	if s.useSem {
		steps = append(steps, scan.part)
	}
	if err := s.e.loadClasses(ctx); err != nil {
		return nil, err
	}
	best := s.newSelector(keep)
	steps = append(steps, best.part)
	err := s.e.each(ctx, func(wk, p int) error {
		for _, step := range steps {
			if err := step(wk, p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if s.useSem {
		s.explain.Semantic = scan.rows()
	}
	return best.selected(), nil
}

// classOf returns the class of the file of a document of partition p, which it
// notes down.
func (e *Engine) classOf(doc, p int, u *artifact.UnitsReader) pathClass {
	known := &e.class[doc]
	if c := known.Load(); c != 0 {
		return pathClass(c)
	}
	file := u.DocFile(doc - e.docBase[p])
	c := classify(u.Path(file))
	lo, hi := u.FileDocs(file)
	for d := lo; d < hi; d++ { // each of them will be asked for, and a path takes its time
		e.class[e.docBase[p]+d].Store(uint32(c) | classKnown)
	}
	return c
}

// seed adds the units that declare the name which the question consists of,
// where the routes missed them.
func (s *search) seed(ctx context.Context, f *fusion, cands []candidate, keep func(int) bool) ([]candidate, error) {
	e := s.e
	if !s.q.single || !e.has(artifact.Structural) {
		return cands, nil
	}
	comps := nameComponents(s.q.ident)
	if len(comps) == 0 {
		return cands, nil
	}
	b, err := e.newBinder(ctx)
	if err != nil {
		return nil, err
	}
	all, err := b.declared(comps[len(comps)-1])
	if err != nil {
		return nil, err
	}
	// What the name means as a whole, when it is qualified.
	var exact []*decl
	if len(comps) > 1 && len(all) > 0 {
		if exact, err = b.exportedAs(comps); err != nil {
			return nil, err
		}
	}
	have := make(map[int]int, len(cands))
	for i := range cands {
		have[cands[i].doc] = i
	}
	for n, d := range append(exact, all...) {
		if n == maxSeeds {
			break
		}
		doc, err := s.declaringDoc(d)
		if err != nil {
			return nil, err
		}
		if doc < 0 || d.local() {
			continue
		}
		i, ok := have[doc]
		if !ok {
			if !keep(doc) {
				continue
			}
			i = len(cands)
			have[doc] = i
			cands = append(cands, f.candidate(doc))
		}
		cands[i].seeded = true
		cands[i].told = max(cands[i].told, 1) // of a long unit's parts, the one with the name
		cands[i].exact = cands[i].exact || n < len(exact)
	}
	return cands, nil
}

// declaringDoc returns the document that holds a declaration's name, -1 when
// there is none.
func (s *search) declaringDoc(d *decl) (int, error) {
	u, err := s.e.ix.Units(d.id.p)
	if err != nil {
		return 0, err
	}
	lo, hi := u.UnitDocs(int(d.sym.Unit))
	if lo == hi {
		return -1, nil
	}
	doc := lo
	for i := lo + 1; i < hi && u.Doc(i).StartLine <= d.sym.NamePos.Line; i++ {
		doc = i
	}
	return s.e.docBase[d.id.p] + doc, nil
}

// need is the number of places of the final order that are looked at.
func (s *search) need() int {
	switch {
	case s.whole:
		return math.MaxInt
	case s.o.Reranker != nil:
		return max(s.o.K, s.o.Reranker.K, structuralSeeds)
	}
	return max(s.o.K, structuralSeeds)
}

func (s *search) result(ctx context.Context, r *ranker, cands []candidate) (*SearchResult, error) {
	res := &SearchResult{Query: s.o.Query, Route: s.route, RouteWhy: s.why, Reranked: s.explain.Reranker, Total: r.total}
	res.Unmatched = s.e.has(artifact.Lexical) && len(s.q.slots) == 0
	res.PhrasesNotFound = s.noPhrase
	if s.e.has(artifact.Lexical) && !res.Unmatched {
		res.UnknownName = s.q.unknownName()
	}
	res.NoFile = r.total == 0 && s.filter.glob != nil && s.noFile()
	if s.o.Level == "file" {
		type key struct{ part, file int }
		files := map[key]bool{}
		first := cands[:0]
		for _, c := range cands {
			if k := (key{c.part, c.file}); !files[k] {
				files[k] = true
				first = append(first, c)
			}
		}
		cands = first
	}
	res.Results = make([]SearchHit, min(len(cands), s.o.K))
	weights := snippetWeights(s.q)
	err := s.e.share(ctx, len(res.Results), func(_, i int) (err error) {
		res.Results[i], err = s.shown(&cands[i], r, weights)
		return err
	})
	if err != nil {
		return nil, err
	}
	if s.o.Explain {
		res.Explain = s.explained()
	}
	return res, nil
}

// shown makes a result of a candidate.
func (s *search) shown(c *candidate, r *ranker, weights map[string]int64) (SearchHit, error) {
	if s.o.Explain && !c.reranked {
		r.account(c)
	}
	h, err := s.hit(c, r)
	if err != nil || !s.e.has(artifact.Source) {
		return h, err
	}
	if err := s.e.snippet(&h, c, weights); err != nil {
		return h, err
	}
	return h, s.around(&h, c)
}

func (s *search) hit(c *candidate, r *ranker) (SearchHit, error) {
	u, err := s.e.ix.Units(c.part)
	if err != nil {
		return SearchHit{}, err
	}
	n := c.unit
	if s.o.Level == "file" {
		n, _ = u.FileUnits(c.file)
	}
	unit := u.Unit(n)
	first, last := int(unit.StartLine), int(unit.EndLine)
	if s.o.Level != "file" {
		first, last = s.e.lines(u, c)
	}
	h := SearchHit{
		Place: placeOf(u.Path(c.file), first, last),
		Level: levelName(unit.Level), Kind: unit.Kind.String(), Symbol: unit.Symbol,
		ID: u.UnitID(n), Score: c.score, Origin: OriginArtifact, Why: s.reasons(c, r),
	}
	if s.o.Explain {
		h.Explain = append([]Part{{"lexical", c.lex}, {"semantic", c.sem}, {"fused", c.base}}, c.bonuses...)
	}
	return h, nil
}

// noFile reports whether no file of the index passes the filter of paths.
func (s *search) noFile() bool {
	for _, e := range []*Engine{s.e, s.e.over} {
		for p := 0; e != nil && p < e.parts(); p++ {
			u, err := e.ix.Units(p)
			if err != nil {
				return false
			}
			for file := range u.NumFiles() {
				if s.filter.glob.match(u.Path(file)) {
					return false
				}
			}
		}
	}
	return true
}

func levelName(l artifact.Level) string { return fmt.Sprintf("L%d", l) }

var fieldNames = [artifact.NumFields]string{"path", "symbol", "signature", "doc", "body"}

// reasons says in words why the candidate is there.
func (s *search) reasons(c *candidate, r *ranker) string {
	var b strings.Builder
	sep := func() {
		if b.Len() > 0 {
			b.WriteString("; ")
		}
	}
	if c.lexRank > 0 {
		fmt.Fprintf(&b, "lexical %d", c.lexRank)
		mask := s.sc.fields[c.doc]
		if mask != 0 {
			b.WriteString(" in ")
			for f, first := 0, true; f < artifact.NumFields; f++ {
				if mask&(1<<f) == 0 {
					continue
				}
				if !first {
					b.WriteString(", ")
				}
				first = false
				b.WriteString(fieldNames[f])
			}
		}
		if n := bits.OnesCount64(s.sc.matched[c.doc].any); len(s.q.slots) > 1 {
			fmt.Fprintf(&b, ", %d of %d terms", n, len(s.q.slots))
		}
	}
	if c.semRank > 0 {
		sep()
		fmt.Fprintf(&b, "semantic %d", c.semRank)
	}
	for _, name := range r.why(c) {
		sep()
		b.WriteString(name)
	}
	return b.String()
}

func (s *search) explained() *Explain {
	x := s.explain
	x.KRet, x.KOut, x.Documents, x.Weights = s.kRet, s.o.K, s.e.docs, *s.w
	x.Terms = []ExplainTerm{}
	for i := range s.q.slots {
		sl := &s.q.slots[i]
		x.Terms = append(x.Terms, ExplainTerm{Term: sl.term, Role: sl.role, DocFreq: int(sl.df), Weight: toMicro(sl.score)})
	}
	x.Dropped = s.q.dropped
	if s.usePhrases {
		for _, p := range s.q.phrases {
			x.Phrases = append(x.Phrases, p.Text)
		}
	}
	return &x
}
