package query

import (
	"cmp"
	"context"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/order"
)

// origin says where the bytes of this engine's index come from.
func (e *Engine) origin() string {
	if e.under != nil {
		return OriginWorkTree
	}
	return OriginArtifact
}

// holding returns the engine whose index has the file as it is to be shown.
func (e *Engine) holding(path string) (*Engine, error) {
	if e.over != nil {
		_, _, ok, err := e.over.ix.FindFile(path)
		if err != nil {
			return nil, err
		}
		if ok {
			return e.over, nil
		}
	}
	if e.hidden[path] {
		return nil, e.hiddenFile(path)
	}
	return e, nil
}

// changedOutline is the answer to a question for the units of a file that was
// read by lines.
func changedOutline(path string) error {
	return fail.New(fail.NotFound, "read it with show, or search it with grep; the full program knows what it declares",
		"%s differs from the commit that is indexed, and there is no parser here to tell what it declares", quote(path))
}

// addChanged puts the files of the other index below a folder among those of
// this one.
func (e *Engine) addChanged(prefix string, res *OutlineResult) error {
	for p := range e.over.parts() {
		u, err := e.over.ix.Units(p)
		if err != nil {
			return err
		}
		for f := range u.NumFiles() {
			if strings.HasPrefix(u.Path(f), prefix) {
				res.Results = append(res.Results, fileOutline(u, f))
			}
		}
	}
	order.Sort(res.Results, func(a, b OutlineEntry) int { return strings.Compare(a.FilePath(), b.FilePath()) })
	return nil
}

// grepBoth searches this index and the one over it, and hands hits over in
// path order.
func (e *Engine) grepBoth(ctx context.Context, o GrepOptions, pat *pattern, f *filter, each func(*GrepHit) error) ([]grepPart, int, error) {
	if e.over == nil {
		return e.grepStream(ctx, o, pat, f, each)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type searched struct {
		parts []grepPart
		err   error
	}
	changed := make(chan GrepHit, grepBatch)
	done := make(chan searched, 1)
	go func() {
		of := *f
		of.e = e.over
		of.all = false
		parts, _, err := e.over.grepStream(ctx, o, pat, &of, func(h *GrepHit) error {
			select {
			case changed <- *h:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		close(changed)
		done <- searched{parts, err}
	}()
	given := 0
	hand := func(h *GrepHit) error {
		if o.MaxResults > 0 && given >= o.MaxResults {
			return nil
		}
		given++
		return each(h)
	}
	next, more := <-changed
	// until hands over what stands before a path, "" for all.
	until := func(path string) error {
		for more && (path == "" || next.FilePath() < path) {
			if err := hand(&next); err != nil {
				return err
			}
			next, more = <-changed
		}
		return nil
	}
	parts, _, err := e.grepStream(ctx, o, pat, f, func(h *GrepHit) error {
		if err := until(h.FilePath()); err != nil {
			return err
		}
		return hand(h)
	})
	if err == nil {
		err = until("")
	}
	if err != nil {
		cancel()
	}
	other := <-done
	if err == nil {
		err = other.err
	}
	return append(parts, other.parts...), given, err
}

// addFrequencies adds in how many of this index's documents each term stands.
func (e *Engine) addFrequencies(ctx context.Context, q *queryTerms, df []uint64) error {
	for p := range e.parts() {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := e.ix.Lexical(p)
		if err != nil {
			return err
		}
		for i, t := range q.terms {
			term, ok, err := r.Lookup(t)
			if err != nil {
				return err
			}
			if ok {
				df[i] += uint64(term.DocFreq)
			}
		}
	}
	return nil
}

// mergeChanged puts what the index over this one has for the question's words
// among the results. A file takes the place that the words alone would give it:
// behind as many results as there are files with a better lexical score. Further
// runs of lines of a file stand at the end.
func (s *search) mergeChanged(ctx context.Context, res *SearchResult) error {
	o := s.o
	o.Route, o.Reranker = RouteLexical, nil
	over, err := s.e.over.newSearch(o)
	if err != nil {
		return err
	}
	defer over.e.scratch.Put(over.sc)
	docs, err := over.lexicalOnly(ctx)
	if err != nil {
		return err
	}
	if err := over.foundPhrases(ctx, res); err != nil {
		return err
	}
	better := s.lexicalScores()
	weights := snippetWeights(over.q)
	var first, further []SearchHit
	var at []int
	type key struct{ part, file int }
	seen := map[key]bool{}
	for _, d := range docs {
		c := candidate{doc: d}
		if err := over.place(&c); err != nil {
			return err
		}
		h, err := over.changedHit(&c, weights)
		if err != nil {
			return err
		}
		k := key{c.part, c.file}
		switch {
		case !seen[k]:
			seen[k] = true
			n := len(better)
			for n > 0 && better[n-1] < over.sc.score[d] {
				n--
			}
			first, at = append(first, h), append(at, n)
		case s.o.Level != "file":
			further = append(further, h)
		}
	}
	res.Total += len(first) + len(further)
	if len(docs) > 0 {
		res.Unmatched = false
		if over.q.unknownName() == "" {
			res.UnknownName = ""
		}
	}
	merged := make([]SearchHit, 0, len(res.Results)+len(first))
	from := res.Results
	for i := range first {
		for len(from) > 0 && len(merged) < at[i]+i {
			merged, from = append(merged, from[0]), from[1:]
		}
		switch {
		case len(from) > 0:
			first[i].Score = from[0].Score
		case len(merged) > 0:
			first[i].Score = merged[len(merged)-1].Score
		}
		merged = append(merged, first[i])
	}
	merged = append(merged, from...)
	merged = append(merged, further...)
	res.Results = merged[:min(len(merged), s.o.K)]
	return nil
}

// lexicalScores returns the best lexical score of each file that the question's
// words stand in, the highest first.
func (s *search) lexicalScores() []float64 {
	var out []float64
	top, file := 0.0, -1
	part, u := -1, (*artifact.UnitsReader)(nil)
	for d, score := range s.sc.score {
		if score == 0 || !s.filter.all && !s.sc.pass[d] {
			continue
		}
		if p := s.e.partOfDoc(d); p != part {
			out, top, part, file = addScore(out, top), 0, p, -1
			u, _ = s.e.ix.Units(p) // it was open a moment ago
		}
		if u == nil {
			continue
		}
		if f := u.UnitFile(u.DocUnit(d - s.e.docBase[part])); f != file {
			out, top, file = addScore(out, top), 0, f
		}
		top = max(top, score)
	}
	out = addScore(out, top)
	order.Sort(out, func(a, b float64) int { return cmp.Compare(b, a) })
	return out
}

func addScore(out []float64, score float64) []float64 {
	if score > 0 {
		out = append(out, score)
	}
	return out
}

// lexicalOnly returns the documents that the question's words stand in, best
// first.
func (s *search) lexicalOnly(ctx context.Context) ([]int, error) {
	e := s.e
	if err := e.lookUp(ctx, s.q, s.sc); err != nil {
		return nil, err
	}
	if err := e.scoreLexical(ctx, s.q, s.w, s.sc); err != nil {
		return nil, err
	}
	if s.usePhrases && s.q.pure {
		if err := e.markPhrases(ctx, s.q.phrases, s.sc); err != nil {
			return nil, err
		}
	}
	if !s.filter.all {
		s.sc.pass = grow(s.sc.pass, e.docs)
		if err := s.filter.documents(ctx, s.sc.pass); err != nil {
			return nil, err
		}
	}
	best := bestDocs{k: s.kRet}
	for d, score := range s.sc.score {
		if score <= 0 || s.usePhrases && s.q.pure && !s.sc.allowed[d] || !s.filter.all && !s.sc.pass[d] {
			continue
		}
		if v := (scored{sortable(score), int32(d)}); best.takes(v) {
			best.add(v)
		}
	}
	return best.sorted(), nil
}

// place fills in where a candidate stands.
func (s *search) place(c *candidate) error { return (&ranker{e: s.e}).locate(c) }

func (s *search) changedHit(c *candidate, weights map[string]int64) (SearchHit, error) {
	u, err := s.e.ix.Units(c.part)
	if err != nil {
		return SearchHit{}, err
	}
	n := c.unit
	if s.o.Level == "file" {
		n, _ = u.FileUnits(c.file)
	}
	unit := u.Unit(n)
	h := SearchHit{
		Place: placeOf(u.Path(c.file), int(unit.StartLine), int(unit.EndLine)),
		Level: levelName(unit.Level), Kind: unit.Kind.String(), ID: u.UnitID(n),
		Origin: s.e.origin(), Why: "words of the question in a changed file, read by lines",
	}
	if s.o.Explain {
		h.Explain = []Part{{"lexical", toMicro(s.sc.score[c.doc])}}
	}
	return h, s.e.snippet(&h, c, weights)
}
