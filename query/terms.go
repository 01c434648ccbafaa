package query

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/analysis"
	"github.com/pindex-dev/pindex/internal/order"
)

// Bounds on the work of one query.
const (
	maxQueryBytes = 64 << 10 // what is read of a question
	maxSlots      = 64       // terms that are scored
	maxLookups    = 384      // terms that are looked up
	longQuery     = 24       // distinct terms from which a question counts as long
	multiLine     = 5        // and from which one of several lines counts as an issue
	parseWindow   = 32       // words that are analysed at a time when a question is long
)

// A slot is one thing that the query asks for: a term with the forms that may
// stand for it.
type slot struct {
	term   string
	role   string // word, part, whole, bigram, join or stop
	weight float64
	word   int // number of the word it comes from
	alts   []alt
	title  bool // it stands in the first line of a long question
	ident  bool // it comes from an identifier

	df    uint64 // sum of the forms' document frequencies
	score float64
}

// alt is one form: an index into queryTerms.terms and its weight.
type alt struct {
	term   int
	weight float64
}

// queryTerms is an analysed question.
type queryTerms struct {
	text    string
	clean   string // without addresses of the web
	parsed  analysis.Query
	long    bool
	issue   bool // written like an issue: long, or of several lines
	slots   []slot
	terms   []string // distinct terms to look up
	index   map[string]int
	dropped []string

	words  []string  // distinct words in lower case, without stop words
	single bool      // the question is one identifier
	ident  string    // that identifier as typed, qualified
	said   *mentions // see mentions

	phrases []analysis.Phrase // what it quotes
	pure    bool              // and it says nothing else
	thrown  map[string]bool   // terms of the name of what was thrown, which count less
}

// analyse turns a question into slots.
func analyse(text string, w *Weights) *queryTerms {
	if len(text) > maxQueryBytes {
		text = text[:maxQueryBytes]
	}
	text = withoutComments(text)
	q := &queryTerms{text: text, index: map[string]int{}}
	q.clean = readable(text)
	q.parsed = parse(q.clean)
	q.ident, q.single = singleIdentifier(text)
	content := 0
	for _, t := range q.parsed.Terms {
		if !t.Stop {
			content++
		}
	}
	q.long = content > longQuery
	q.issue = q.long || content > multiLine && strings.Contains(strings.TrimSpace(text), "\n")
	title := titleTerms(q.text, q.issue)
	q.phrases, q.pure = phrasesOf(q.parsed.Phrases, q.clean)
	q.thrown = thrownTerms(q.clean, q.issue)
	wholes := map[int]bool{} // words whose whole is searched too
	for _, t := range q.parsed.Terms {
		if t.Kind == analysis.Whole {
			wholes[t.Word] = true
		}
	}
	for _, t := range q.parsed.Terms {
		s := slot{term: t.Term, role: t.Kind.String(), weight: 1, word: t.Word, title: title[t.Term], ident: t.Identifier}
		switch {
		case t.Stop && content > 0:
			q.dropped = append(q.dropped, t.Term)
			continue
		case t.Stop:
			s.role, s.weight = "stop", w.Stop
		case t.Kind == analysis.Part && wholes[t.Word]:
			s.weight = w.Part
		}
		s.weight = float64(s.weight * w.Repeat[min(t.Count, len(w.Repeat))-1])
		if title[t.Term] {
			s.weight = float64(s.weight * w.Title)
		}
		if q.thrown[t.Term] {
			s.weight *= exceptionCut
		}
		q.addForm(&s, t.Term, 1)
		if !t.Stop && t.Kind != analysis.Part {
			q.word(t)
		}
		q.slots = append(q.slots, s)
	}
	// Inflected forms come behind all words as typed: a form that the question
	// holds too is its own term.
	if !q.long {
		forms := map[string][]string{}
		for _, t := range q.parsed.Terms {
			forms[t.Term] = t.Variants
		}
		for i := range q.slots {
			for _, v := range forms[q.slots[i].term] {
				q.addForm(&q.slots[i], v, w.Var)
			}
		}
	}
	q.addJoins(w)
	return q
}

// titled reports whether the question has a first line that stands for it.
func (q *queryTerms) titled() bool {
	for i := range q.slots {
		if q.slots[i].title {
			return true
		}
	}
	return false
}

// mentions returns what the question names literally.
func (q *queryTerms) mentions() *mentions {
	if q.said == nil {
		q.said = mentionsOf(q.text)
		if len(q.thrown) > 0 {
			name, _, _ := exception(q.clean)
			for _, part := range nameComponents(name) {
				q.said.names[part] = min(q.said.names[part], mentionCoded)
			}
		}
	}
	return q.said
}

// parse analyses text; the analyser bounds the terms of one call, so a long
// question is read window by window.
func parse(text string) analysis.Query {
	all := analysis.ParseQuery(text)
	words := strings.Fields(text)
	if len(words) <= parseWindow {
		return all
	}
	all.Terms = nil
	seen := map[string]int{}
	base := 0
	for len(words) > 0 && len(all.Terms) < maxLookups {
		n := min(parseWindow, len(words))
		part := analysis.ParseQuery(strings.ReplaceAll(strings.Join(words[:n], " "), `"`, " "))
		words = words[n:]
		for _, t := range part.Terms {
			t.Word += base
			if i, ok := seen[t.Term]; ok {
				all.Terms[i].Count += t.Count
				all.Terms[i].Identifier = all.Terms[i].Identifier || t.Identifier
				all.Terms[i].Stop = all.Terms[i].Stop && t.Stop
				continue
			}
			seen[t.Term] = len(all.Terms)
			all.Terms = append(all.Terms, t)
		}
		base += n
	}
	return all
}

// titleTerms returns the terms of the first line of an issue.
func titleTerms(text string, issue bool) map[string]bool {
	first, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if !issue || !more {
		return nil
	}
	out := map[string]bool{}
	for _, t := range analysis.ParseQuery(first).Terms {
		out[t.Term] = true
	}
	return out
}

// addForm gives the slot one more form to look up, unless another slot has
// it already.
func (q *queryTerms) addForm(s *slot, term string, weight float64) {
	if _, ok := q.index[term]; ok || len(q.terms) >= maxLookups {
		return
	}
	q.index[term] = len(q.terms)
	q.terms = append(q.terms, term)
	s.alts = append(s.alts, alt{len(q.terms) - 1, weight})
}

// word records a term of the question as one of its words.
func (q *queryTerms) word(t analysis.QueryTerm) {
	if !slices.Contains(q.words, t.Term) {
		q.words = append(q.words, t.Term)
	}
}

// addJoins adds neighbouring words written as one identifier: "request
// context" may be RequestContext.
func (q *queryTerms) addJoins(w *Weights) {
	if q.long || q.single {
		return
	}
	var prev, prev2 *analysis.QueryTerm
	for i := range q.parsed.Terms {
		t := &q.parsed.Terms[i]
		if t.Kind != analysis.Word || t.Identifier {
			prev, prev2 = nil, nil
			continue
		}
		if t.Stop {
			// "list of users" joins nothing across "of".
			prev, prev2 = nil, nil
			continue
		}
		if prev != nil {
			q.join(w, prev.Word, prev, t)
		}
		if prev2 != nil {
			q.join(w, prev2.Word, prev2, prev, t)
		}
		prev, prev2 = t, prev
	}
}

func (q *queryTerms) join(w *Weights, word int, ts ...*analysis.QueryTerm) {
	var b strings.Builder
	for _, t := range ts {
		b.WriteString(t.Term)
	}
	term := b.String()
	if len(term) > analysis.MaxTerm {
		return
	}
	s := slot{term: term, role: "join", weight: w.Join, word: word}
	q.addForm(&s, term, 1)
	// The last word's singular or plural: "error handlers" is ErrorHandler.
	for _, v := range ts[len(ts)-1].Variants {
		if len(v) >= 3 && (v+"s" == ts[len(ts)-1].Term || ts[len(ts)-1].Term+"s" == v) {
			j := term[:len(term)-len(ts[len(ts)-1].Term)] + v
			q.addForm(&s, j, w.Var)
		}
	}
	if len(s.alts) > 0 {
		q.slots = append(q.slots, s)
	}
}

// choose computes each slot's weight from the document frequencies of the
// terms and drops what is too common or too much. n is the number of
// documents.
func (q *queryTerms) choose(n uint64, df []uint64) {
	kept := q.slots[:0]
	for _, s := range q.slots {
		for _, a := range s.alts {
			s.df += df[a.term]
		}
		if s.df == 0 {
			if s.role != "join" {
				q.dropped = append(q.dropped, s.term)
			}
			continue
		}
		s.df = min(s.df, n)
		s.score = float64(s.weight * idf(n, s.df))
		kept = append(kept, s)
	}
	q.slots = kept
	if len(q.slots) <= maxSlots {
		return
	}
	best := make([]int, len(q.slots))
	for i := range best {
		best[i] = i
	}
	order.Stable(best, func(a, b int) int {
		switch x, y := q.slots[a].score, q.slots[b].score; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	for _, i := range best[maxSlots:] {
		q.dropped = append(q.dropped, q.slots[i].term)
	}
	keep := best[:maxSlots]
	slices.Sort(keep)
	out := make([]slot, 0, maxSlots)
	for _, i := range keep {
		out = append(out, q.slots[i])
	}
	q.slots = out
}

// withoutComments drops what an issue's form tells its writer and the writer
// did not write: HTML comments. A text of nothing else stays as it is.
func withoutComments(text string) string {
	if !strings.Contains(text, "<!--") {
		return text
	}
	var b strings.Builder
	for rest := text; ; {
		before, after, found := strings.Cut(rest, "<!--")
		b.WriteString(before)
		if !found {
			break
		}
		_, rest, found = strings.Cut(after, "-->")
		if !found {
			break
		}
	}
	if out := b.String(); strings.TrimSpace(out) != "" {
		return out
	}
	return text
}

// readable replaces each address of the web in a text by what follows its
// branch, when it shows a file, and by nothing else: hosts and owners are no
// words of the question.
func readable(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	words := strings.FieldsFunc(text, func(r rune) bool {
		return r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '(' || r == ')' || r == '<' || r == '>' || r == '[' || r == ']'
	})
	for _, w := range words {
		if !strings.HasPrefix(w, "http://") && !strings.HasPrefix(w, "https://") {
			continue
		}
		shown := " "
		if _, path, ok := strings.Cut(w, "/blob/"); ok {
			if _, path, ok = strings.Cut(path, "/"); ok {
				path, _, _ = strings.Cut(path, "#")
				shown = " " + path + " "
			}
		}
		text = strings.Replace(text, w, shown, 1)
	}
	if strings.TrimSpace(text) == "" {
		return words[0]
	}
	return text
}
