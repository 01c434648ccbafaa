package query

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/pindex-dev/pindex/analysis"
	"github.com/pindex-dev/pindex/artifact"
)

// What stands verbatim in a unit is evidence beside the ranker's features: a
// message that a program printed, a quoted phrase, a line that a frame names.

// Bonuses in thousandths of a score: what a text is worth that stands word by
// word in a unit.
const (
	plainRun  = 4500
	markedRun = 6500 // the text is quoted or is what an exception says
	placed    = 60_000
	perFrame  = 1500 // what each further place gets less
)

const (
	maxRunTokens = 48  // of a text that is looked for
	leastPlain   = 650 // of a text's weight, in thousandths, that counts
	leastMarked  = 300
	allOfIt      = 900
	runDocs      = 24 // documents that are read for a marked text
	plainDocs    = 8  // and for a plain one, which every question is
	maxRunScan   = 64 << 10
	phraseSeeds  = 64 // documents that a phrase adds to the candidates
	exceptionCut = 0.4
)

// A run is a text of the question that may stand in a unit word by word.
type run struct {
	tokens []string
	marked bool
}

// runsOf returns the texts of a question that are looked for word by word.
func runsOf(q *queryTerms) []run {
	text := strings.TrimSpace(q.clean)
	if q.single || q.issue && strings.Contains(text, "\n") || looksLikePath(text) {
		return nil
	}
	var out []run
	add := func(text string, least int, marked bool) {
		if t := tokensOf(text); len(t) >= least && len(t) <= maxRunTokens {
			out = append(out, run{t, marked})
		}
	}
	for _, p := range q.phrases {
		add(p.Text, 2, true)
	}
	if _, said, ok := exception(text); ok {
		add(said, 3, true)
	} else {
		add(text, 4, false)
	}
	return out
}

func tokensOf(text string) []string {
	var a analysis.Analyzer
	var out []string
	a.Scan([]byte(text), func(t analysis.Token) {
		if t.Kind != analysis.Whole {
			out = append(out, string(t.Term))
		}
	})
	return out
}

// exception cuts a message at the name of what was thrown, as in
// "ValueError: no such file".
func exception(text string) (name, said string, ok bool) {
	for at, word := range wordsOf(text, 8) {
		name, ends := strings.CutSuffix(word, ":")
		if !ends || name == "" {
			continue
		}
		thrown := at == 0 && strings.IndexFunc(name, unicode.IsUpper) >= 0
		for _, end := range []string{"Error", "Exception", "Warning", "error", "panic", "Panic", "Fault", "fatal"} {
			thrown = thrown || strings.HasSuffix(name, end)
		}
		if _, single := singleIdentifier(name); !thrown || !single {
			continue
		}
		i := strings.Index(text, word) + len(word)
		if said := strings.TrimSpace(text[i:]); strings.Count(said, " ") >= 2 {
			return name, said, true
		}
	}
	return "", "", false
}

// thrownTerms returns the terms that stand in the name of what was thrown and not
// in what it says.
func thrownTerms(text string, issue bool) map[string]bool {
	if issue {
		return nil
	}
	name, said, ok := exception(strings.TrimSpace(text))
	if !ok {
		return nil
	}
	out := map[string]bool{}
	for _, t := range analysis.ParseQuery(name).Terms {
		out[t.Term] = true
	}
	for _, t := range analysis.ParseQuery(said).Terms {
		delete(out, t.Term)
	}
	return out
}

func wordsOf(text string, most int) []string {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	w := strings.Fields(text[:min(len(text), 512)])
	return w[:min(len(w), most)]
}

// slotRun is a run by the slots of its tokens.
type slotRun struct {
	*run
	slots []int    // number of the slot; anyWord for a stop word, noWord for what no unit holds
	all   int64    // weight of all slots
	pairs []uint64 // slots of each two words in a row
}

const (
	anyWord = -1
	noWord  = -2
)

func (g *gauge) slotRuns(runs []run) (out []slotRun) {
	for i := range runs {
		s := slotRun{run: &runs[i], slots: make([]int, len(runs[i].tokens))}
		words, last := 0, noWord
		for k, t := range s.tokens {
			n, ok := g.termSlot[t]
			switch {
			case ok:
				s.all += g.r.slots[n]
				words++
			case analysis.StopWord(t):
				n = anyWord
			default:
				n = noWord
			}
			s.slots[k] = n
			switch {
			case n == noWord:
				last = noWord
			case n >= 0:
				if last >= 0 && n != last {
					s.pairs = append(s.pairs, 1<<n|1<<last)
				}
				last = n
			}
		}
		if words > 1 && s.all > 0 {
			out = append(out, s)
		}
	}
	return out
}

// least is the number of tokens from which a row of them counts.
func (s *slotRun) least() int {
	if s.marked {
		return min(3, len(s.tokens))
	}
	return 3
}

func (s *slotRun) leastShare() int64 {
	if s.marked {
		return leastMarked
	}
	return leastPlain
}

// atMost is the share of a run's weight, in thousandths, that a document with
// the slots of mask may hold in rows.
func (s *slotRun) atMost(g *gauge, mask uint64) int64 {
	if !slices.ContainsFunc(s.pairs, func(p uint64) bool { return mask&p == p }) {
		return 0
	}
	var sum, row int64
	tokens, words := 0, 0
	end := func() {
		if words > 1 && tokens >= s.least() {
			sum += row
		}
		row, tokens, words = 0, 0, 0
	}
	for _, n := range s.slots {
		switch {
		case n == anyWord:
			tokens++
		case n >= 0 && mask>>n&1 != 0:
			tokens++
			words++
			row += g.r.slots[n]
		default:
			end()
		}
	}
	end()
	return min(sum*1000/s.all, 1000)
}

// weighRuns finds the documents of the candidates' files that hold long runs of
// the question's words, and says in r.told what that is worth. Which may is told
// by the words that they hold; only the best of these are read.
func (r *ranker) weighRuns(g *gauge) error {
	if !r.useLex || !r.e.has(artifact.Source) {
		return nil
	}
	runs := g.slotRuns(runsOf(r.q))
	if len(runs) == 0 {
		return nil
	}
	best := bestDocs{k: plainDocs}
	if slices.ContainsFunc(runs, func(s slotRun) bool { return s.marked }) {
		best.k = runDocs
	}
	for i := range r.files {
		f := &r.files[i]
		for d := f.lo; d < f.hi; d++ {
			m := r.sc.matched[d].any
			if m&(m-1) == 0 {
				continue
			}
			var most int64
			for k := range runs {
				if share := runs[k].atMost(g, m); share >= runs[k].leastShare() {
					most = max(most, share)
				}
			}
			if most == 0 {
				continue
			}
			if v := (scored{most<<32 + min(toMicro(r.sc.score[d]), 1<<32-1), int32(d)}); best.takes(v) && r.keep(d) {
				best.add(v)
			}
		}
	}
	var w runScan
	for _, d := range best.sorted() {
		for i := range r.files {
			f := &r.files[i]
			if d < f.lo || d >= f.hi {
				continue
			}
			v, err := r.readRuns(g, &w, runs, f, d)
			if err != nil {
				return err
			}
			if v > 0 {
				r.tell(d, v)
				f.told = max(f.told, v)
			}
			break
		}
	}
	return nil
}

func (r *ranker) tell(doc int, v int64) {
	if r.told == nil {
		r.told = map[int]int64{}
	}
	r.told[doc] = max(r.told[doc], v)
}

// readRuns returns what the runs in a document's text are worth.
func (r *ranker) readRuns(g *gauge, w *runScan, runs []slotRun, f *fileCand, d int) (int64, error) {
	text, err := r.e.docText(f.part, d)
	if err != nil {
		return 0, err
	}
	text = text[:min(len(text), maxRunScan)]
	var best int64
	for i := range runs {
		s := &runs[i]
		if s.atMost(g, r.sc.matched[d].any) < s.leastShare() {
			continue
		}
		covered, longest := w.scan(text, s.tokens, s.least())
		best = max(best, worth(s.share(g, covered), longest, s.marked))
	}
	return best, nil
}

// share is the share of a run's weight, in thousandths, that rows hold which
// have two of its words or more.
func (s *slotRun) share(g *gauge, covered []bool) int64 {
	var sum, row int64
	words := 0
	for k, in := range append(covered, false) {
		switch {
		case !in:
			if words > 1 {
				sum += row
			}
			row, words = 0, 0
		case s.slots[k] >= 0:
			row += g.r.slots[s.slots[k]]
			words++
		}
	}
	return min(sum*1000/s.all, 1000)
}

// worth says what rows of words are worth that hold a share of a text's weight,
// in thousandths, when the longest has so many words.
func worth(share int64, longest int, marked bool) int64 {
	most, least := int64(plainRun), int64(leastPlain)
	if marked {
		most, least = markedRun, leastMarked
	}
	if share < least {
		return 0
	}
	length := min(max(longest-1, 1), 5)
	if share >= allOfIt {
		length = max(length, 4)
	}
	return most * (share - leastMarked/2) / (1000 - leastMarked/2) * int64(length) / 5
}

// docText returns the text of a document.
func (e *Engine) docText(p, d int) ([]byte, error) {
	u, err := e.ix.Units(p)
	if err != nil {
		return nil, err
	}
	src, err := e.ix.Source(p)
	if err != nil {
		return nil, err
	}
	return documentText(u, src, d-e.docBase[p]), nil
}

// runScan finds rows of a text's tokens in another. It keeps its memory.
type runScan struct {
	a         analysis.Analyzer
	at        map[string][]int // places of a token
	of        []string         // that at was made from
	row, next []int            // by place: length of the row that ends there
	covered   []bool
}

// scan says which of the tokens stand in text in rows of least or more, and how
// long the longest row is.
func (w *runScan) scan(text []byte, tokens []string, least int) (covered []bool, longest int) {
	n := len(tokens)
	if len(w.of) == 0 || &w.of[0] != &tokens[0] {
		w.at, w.of = make(map[string][]int, n), tokens
		for i, t := range tokens {
			w.at[t] = append(w.at[t], i)
		}
	}
	w.row, w.next, w.covered = grow(w.row, n+1), grow(w.next, n+1), grow(w.covered, n)
	open := false // some row is
	w.a.Scan(text, func(t analysis.Token) {
		if t.Kind == analysis.Whole {
			return
		}
		at := w.at[string(t.Term)]
		if len(at) == 0 {
			if open {
				clear(w.row)
				open = false
			}
			return
		}
		clear(w.next)
		for _, i := range at {
			k := w.row[i] + 1
			w.next[i+1] = k
			longest = max(longest, k)
			if k >= least {
				for j := i; j > i-k && !(w.covered[j] && k > least); j-- {
					w.covered[j] = true
				}
			}
		}
		w.row, w.next, open = w.next, w.row, true
	})
	return w.covered, longest
}

// seedPhrases adds the documents that hold a phrase of a mixed question, where
// the phrase is rare and the routes missed them.
func (s *search) seedPhrases(f *fusion, cands []candidate, keep func(int) bool) []candidate {
	have := make(map[int]bool, len(cands))
	for i := range cands {
		have[cands[i].doc] = true
	}
	for _, docs := range s.phraseDocs {
		for _, d := range docs {
			if !have[d] && keep(d) {
				have[d] = true
				cands = append(cands, f.candidate(d))
			}
		}
	}
	return cands
}

// findPhrases looks for each phrase of a mixed question by itself.
func (s *search) findPhrases(ctx context.Context) error {
	for i := range s.q.phrases {
		p := s.q.phrases[i : i+1]
		if err := s.e.markPhrases(ctx, p, s.sc); err != nil {
			return err
		}
		n := 0
		var docs []int
		for d, ok := range s.sc.allowed {
			if !ok {
				continue
			}
			if n++; n <= phraseSeeds {
				docs = append(docs, d)
			}
		}
		if n == 0 {
			s.noPhrase = append(s.noPhrase, p[0].Text)
		} else if n <= phraseSeeds {
			s.phraseDocs = append(s.phraseDocs, docs)
		}
	}
	return nil
}

// foundPhrases takes from those that stand nowhere the phrases that this index
// holds, which lies over the one that was searched.
func (s *search) foundPhrases(ctx context.Context, res *SearchResult) error {
	for i := range s.q.phrases {
		p := s.q.phrases[i : i+1]
		if !slices.Contains(res.PhrasesNotFound, p[0].Text) {
			continue
		}
		if err := s.e.markPhrases(ctx, p, s.sc); err != nil {
			return err
		}
		if slices.Contains(s.sc.allowed, true) {
			res.PhrasesNotFound = slices.DeleteFunc(res.PhrasesNotFound, func(t string) bool { return t == p[0].Text })
		}
	}
	return nil
}

// unknownName returns the name that a question consists of when nothing in the
// index has it as a whole, though it may have its words. The terms must have
// been looked up.
func (q *queryTerms) unknownName() string {
	comps := nameComponents(q.ident)
	if !q.single || len(comps) == 0 {
		return ""
	}
	name := comps[len(comps)-1]
	var whole string // the last term is the whole, where there are parts
	for _, t := range analysis.ParseQuery(name).Terms {
		if whole == "" || t.Kind == analysis.Whole {
			whole = t.Term
		}
	}
	if len(comps) == 1 && shapeOf(name) != shapeMixed || whole == "" || !slices.Contains(q.dropped, whole) {
		return ""
	}
	return name
}

// testsAlone is the share of the question's weight, in thousandths, that a test
// must hold beyond every plain file for not being held back.
const testsAlone = 500

// liftTests takes back what tests lose where they alone hold the rare words of a
// question.
func (r *ranker) liftTests() {
	if !r.useLex || r.q.issue {
		return
	}
	var plain int32
	for i := range r.files {
		if f := &r.files[i]; f.class == 0 {
			plain = max(plain, f.x[fCover])
		}
	}
	for i := range r.files {
		if f := &r.files[i]; f.x[fTest] > 0 && f.x[fCover] >= plain+testsAlone {
			f.told += max(0, -int64(r.model.weights[fTest]))
		}
	}
}
