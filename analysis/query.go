package analysis

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// QueryTerm is one distinct term of a question.
type QueryTerm struct {
	Term string
	Kind Kind
	// Word numbers the white-space-separated word of the question that the
	// term comes from, from 0; the parts and the whole of one identifier
	// share it.
	Word int
	// Identifier says that the word looks like code and not like prose: it
	// holds an underscore, a capital behind a small letter, a digit behind a
	// letter, a dot, "::" or "->" between names, or a "(" behind one.
	Identifier bool
	// Stop says that the term is one of the most frequent English words and
	// stands in no identifier.
	Stop bool
	// Count is how often the term stands in the question.
	Count int
	// Variants are inflected forms of the term, sorted, without the term
	// itself; nil for anything but English words. Many of them are no words
	// at all, and then an index does not hold them.
	Variants []string
}

// Phrase is a quoted run of terms which stand side by side in a match.
type Phrase struct {
	// Terms are in order; each stands one position behind the one before.
	// They are parts and words: a whole has no position.
	Terms []string
	// Text is what stood between the quotes.
	Text string
}

// Query is an analysed question.
type Query struct {
	// Terms are distinct, in the order in which they first stand in the
	// question, quoted text included.
	Terms []QueryTerm
	// Phrases are the quoted parts of at least two terms.
	Phrases []Phrase
}

// maxQueryTerms bounds the distinct terms of a question, so that a pasted
// file costs no more than a long sentence. Later terms are left out.
const maxQueryTerms = 64

// ParseQuery analyses a question. A double quote begins a phrase that reaches
// to the next one; a last quote without a partner is ignored.
func ParseQuery(q string) Query {
	p := queryParser{seen: map[string]int{}}
	rest := []byte(q)
	for {
		i := bytes.IndexByte(rest, '"')
		if i < 0 {
			break
		}
		j := bytes.IndexByte(rest[i+1:], '"')
		if j < 0 {
			break
		}
		p.text(rest[:i])
		p.phrase(rest[i+1 : i+1+j])
		rest = rest[i+1+j+1:]
	}
	p.text(rest)
	return p.q
}

type queryParser struct {
	a    Analyzer
	q    Query
	seen map[string]int // term -> index in q.Terms
	word int
}

// text adds the terms of a piece of the question.
func (p *queryParser) text(b []byte) {
	for _, w := range bytes.Fields(b) {
		ident := looksLikeCode(w)
		n := len(p.q.Terms)
		p.a.Scan(w, func(t Token) { p.add(t, ident) })
		if len(p.q.Terms) > n {
			p.word++
		}
	}
}

// phrase adds the terms of quoted text and, if there are at least two, the
// phrase.
func (p *queryParser) phrase(b []byte) {
	ph := Phrase{Text: string(b)}
	p.a.Scan(b, func(t Token) {
		if t.Kind != Whole {
			ph.Terms = append(ph.Terms, string(t.Term))
		}
	})
	if len(ph.Terms) > 1 && len(ph.Terms) <= maxQueryTerms {
		p.q.Phrases = append(p.q.Phrases, ph)
	}
	p.text(b)
}

func (p *queryParser) add(t Token, ident bool) {
	if i, ok := p.seen[string(t.Term)]; ok {
		p.q.Terms[i].Count++
		p.q.Terms[i].Identifier = p.q.Terms[i].Identifier || ident
		return
	}
	if len(p.q.Terms) == maxQueryTerms {
		return
	}
	qt := QueryTerm{Term: string(t.Term), Kind: t.Kind, Word: p.word, Identifier: ident, Count: 1}
	if t.Kind == Word || t.Kind == Part {
		qt.Stop = !ident && StopWord(qt.Term)
		if !qt.Stop {
			qt.Variants = Variants(qt.Term)
		}
	}
	p.seen[qt.Term] = len(p.q.Terms)
	p.q.Terms = append(p.q.Terms, qt)
}

// looksLikeCode reports whether a white-space-separated word is written as
// code is and prose is not.
func looksLikeCode(w []byte) bool {
	var prev, prev2 rune = -1, -1
	for i := 0; i < len(w); {
		r, size := utf8.DecodeRune(w[i:])
		i += size
		next, _ := utf8.DecodeRune(w[i:])
		named := prev >= 0 && isName(prev)
		switch {
		case r == '_':
			return true
		case unicode.IsUpper(r) && unicode.IsLower(prev):
			return true
		case unicode.IsDigit(r) && unicode.IsLetter(prev):
			return true
		case r == '.' && named && isName(next) && !(unicode.IsDigit(prev) && unicode.IsDigit(next)):
			return true
		case r == '(' && named:
			return true
		case r == ':' && prev == ':' && isName(next) && prev2 >= 0 && isName(prev2),
			r == '>' && prev == '-' && isName(next) && prev2 >= 0 && isName(prev2):
			return true
		}
		prev, prev2 = r, prev
	}
	return false
}

func isName(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)) && !isPaired(r)
}

// StopWord reports whether term is among the most frequent words of English
// questions and prose. An index holds these words like any other; a ranker
// may give them less weight.
func StopWord(term string) bool {
	switch term {
	case "a", "about", "all", "an", "and", "any", "are", "as", "at", "be",
		"been", "but", "by", "can", "could", "did", "do", "does", "each",
		"for", "from", "had", "has", "have", "how", "i", "if", "in", "into",
		"is", "it", "its", "me", "my", "no", "not", "of", "on", "or", "our",
		"should", "so", "some", "such", "than", "that", "the", "their",
		"them", "then", "there", "these", "they", "this", "those", "to",
		"up", "us", "was", "we", "were", "what", "when", "where", "which",
		"while", "who", "why", "will", "with", "would", "you", "your":
		return true
	}
	return false
}
