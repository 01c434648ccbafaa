package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
)

// The routes of a search.
const (
	RouteAuto     = "auto"
	RouteLexical  = "lexical"
	RouteSemantic = "semantic"
	RouteHybrid   = "hybrid"
	// RouteStructural ranks what the lexical or the semantic route finds
	// together with what the best units there use and are used by.
	RouteStructural = "structural"
)

// route decides how to answer: the route and, where it was not simply asked
// for, why. An explicit route on an absent view is an error with the
// manifest's reason; auto and hybrid use what is there and say so.
func (e *Engine) route(asked string, q *queryTerms) (route, why string, err error) {
	lex, dense := e.need(artifact.Lexical, "the lexical route"), e.need(artifact.Dense, "the semantic route")
	switch asked {
	case RouteLexical:
		return asked, "", lex
	case RouteSemantic:
		return asked, "", dense
	case RouteHybrid:
		route = RouteHybrid
	case RouteStructural:
		return asked, "", e.need(artifact.Structural, "the structural route")
	case RouteAuto, "":
		route, why = pick(q)
	default:
		return "", "", fail.New(fail.Usage, "use auto, lexical, semantic, hybrid or structural", "there is no route %s", quote(asked))
	}
	switch {
	case lex != nil && dense != nil:
		return "", "", lex
	case lex != nil:
		return RouteSemantic, because(why, "the lexical view is absent: "+e.reason(artifact.Lexical)), nil
	case dense != nil && route == RouteHybrid:
		return RouteLexical, because(why, "the dense view is absent: "+e.reason(artifact.Dense)), nil
	}
	return route, why, nil
}

func because(why, more string) string {
	if why == "" {
		return more
	}
	return why + "; " + more
}

func (e *Engine) reason(v artifact.View) string {
	if r := e.ix.Manifest().Views[v.String()].Reason; r != "" {
		return r
	}
	return "it was not built"
}

// seedRoute picks the one route whose best units the structural one goes out
// from: vectors for a text, words for a name, a path, quotes and code.
func (e *Engine) seedRoute(q *queryTerms) (route string, err error) {
	lex, dense := e.need(artifact.Lexical, "the structural route"), e.need(artifact.Dense, "the structural route")
	best, _ := pick(q)
	switch {
	case lex != nil && dense != nil:
		return "", lex
	case dense != nil, lex == nil && best == RouteLexical:
		return RouteLexical, nil
	}
	return RouteSemantic, nil
}

// pick chooses by the question's form.
func pick(q *queryTerms) (route, why string) {
	text := strings.TrimSpace(q.text)
	switch {
	case looksLikePath(text):
		return RouteLexical, "the query looks like a path"
	case q.single:
		return RouteLexical, "the query looks like a symbol"
	case len(q.phrases) > 0 && !q.issue:
		return RouteLexical, "the query quotes text"
	case q.issue:
		return RouteHybrid, "the query is written like an issue"
	case looksLikeCode(text):
		return RouteLexical, "the query looks like code or an error message"
	case isQuestion(text):
		return RouteHybrid, "the query is a question"
	}
	return RouteHybrid, "the query is in prose"
}

// singleIdentifier reports whether the text is one name, possibly qualified,
// and returns it without a call's parentheses.
func singleIdentifier(text string) (string, bool) {
	s := strings.TrimSpace(text)
	s = strings.TrimSuffix(s, "()")
	if s == "" || len(s) > 256 {
		return "", false
	}
	letters := false
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '_' || r == '$' || r == '@' || unicode.IsDigit(r):
		case unicode.IsLetter(r):
			letters = true
		case r == '.' || r == ':' || r == '#' || r == '!' || r == '?' || r == '-' && i+1 < len(s) && s[i+1] == '>' || r == '>' && i > 0 && s[i-1] == '-':
		default:
			return "", false
		}
		i += n
	}
	return s, letters && !looksLikePath(s)
}

// looksLikePath reports whether the text is one word that names a file or a
// folder.
func looksLikePath(s string) bool {
	if s == "" || len(s) > 4096 || strings.ContainsAny(s, " \t\n\"'(){}<>|*") || strings.Contains(s, "::") || strings.Contains(s, "//") {
		return false
	}
	if i := strings.IndexByte(s, '/'); i >= 0 {
		return len(s) > 1
	}
	base, ext, ok := cutLast(s, ".")
	return ok && base != "" && fileExtensions[ext]
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

var fileExtensions = func() map[string]bool {
	m := map[string]bool{}
	for _, x := range strings.Fields(`py pyi go rs c h cc cpp cxx hpp hh java js jsx mjs cjs ts tsx mts cts cs rb php kt kts scala
		lua sh bash hs zig md rst txt json yaml yml toml ini cfg xml html css scss sql proto swift dart ex exs erl ml mli vue svelte`) {
		m[x] = true
	}
	return m
}()

// looksLikeCode reports whether the text has the marks of code or of a
// message that a program printed.
func looksLikeCode(s string) bool {
	if strings.HasPrefix(s, "Traceback") || strings.HasPrefix(s, "panic:") || strings.HasPrefix(s, "fatal error:") {
		return true
	}
	marks := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{', '}', ';', '=', '<', '>', '[', ']', '(', ')', '|', '&', '\\', '`', '%', '$':
			marks++
		}
	}
	if marks >= 2 && marks*12 >= len(s) {
		return true
	}
	for _, w := range strings.Fields(s) {
		w = strings.TrimSuffix(w, ":")
		if w != "Error" && w != "Exception" && len(w) > 6 && (strings.HasSuffix(w, "Error") || strings.HasSuffix(w, "Exception")) &&
			strings.Contains(s, w+":") {
			return true
		}
	}
	return false
}

var questionWords = map[string]bool{
	"how": true, "where": true, "what": true, "which": true, "why": true, "when": true, "who": true,
	"does": true, "do": true, "is": true, "are": true, "can": true, "should": true, "find": true, "show": true, "explain": true,
}

func isQuestion(s string) bool {
	first, _, _ := strings.Cut(s, " ")
	return questionWords[lowerName(first)] || strings.HasSuffix(s, "?")
}
