package query

import (
	"unicode/utf8"
)

// Schema names the JSON form of every answer of this package.
const Schema = "pindex.answer/0"

// Header stands in front of every answer.
type Header struct {
	Schema    string    `json:"schema"`
	Commit    string    `json:"commit"`
	Digest    string    `json:"digest"` // the index digest
	Freshness Freshness `json:"freshness"`
	TookUS    int64     `json:"took_us"` // microseconds spent in this package
	// Omitted says what an answer about names lacks where changed files are
	// hidden that may have a part in it, see Options.Hidden.
	Omitted string `json:"omitted,omitempty"`
}

// Freshness says how an answer relates to what the user has in front of them.
// This package always answers for exactly the index's commit; a caller that
// lays an overlay over it overwrites the value.
type Freshness struct {
	State    string `json:"state"`    // "exact", "overlay", "base" or "partial"
	Distance int    `json:"distance"` // commits between the index and the asked commit
	Files    int    `json:"files"`    // files that differ
	// Lacks names the views that files have not which differ, where they are
	// read by lines: there are no vectors and no symbols of them.
	Lacks string `json:"lacks,omitempty"`
}

// Place is a run of lines in a file. Lines count from 1 and end inclusively.
// Path is empty and PathB64 set where the path is not valid UTF-8.
type Place struct {
	Path      string `json:"path,omitempty"`
	PathB64   []byte `json:"path_b64,omitempty"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
}

func placeOf(path string, start, end int) Place {
	p := Place{StartLine: start, EndLine: end}
	if utf8.ValidString(path) {
		p.Path = path
	} else {
		p.PathB64 = []byte(path)
	}
	return p
}

// FilePath returns the path's raw bytes, whether or not they are UTF-8.
func (p Place) FilePath() string {
	if p.PathB64 != nil {
		return string(p.PathB64)
	}
	return p.Path
}

// SourceText is verbatim text of the commit. Text is empty and TextB64 set
// where the text is not valid UTF-8.
type SourceText struct {
	Text    string `json:"text,omitempty"`
	TextB64 []byte `json:"text_b64,omitempty"`
}

func sourceText(b []byte) SourceText {
	if utf8.Valid(b) {
		return SourceText{Text: string(b)}
	}
	return SourceText{TextB64: append([]byte(nil), b...)}
}

// Bytes returns the text's raw bytes.
func (t SourceText) Bytes() []byte {
	if t.TextB64 != nil {
		return t.TextB64
	}
	return []byte(t.Text)
}

// Origin says where a result's bytes come from.
const (
	OriginArtifact = "artifact"
	OriginWorkTree = "worktree" // of Options.Over: a file that differs, read by lines
)

// SearchResult is the answer of Engine.Search.
type SearchResult struct {
	Header
	Query    string `json:"query"`
	Route    string `json:"route"`               // the route that answered: lexical, semantic or hybrid
	RouteWhy string `json:"route_why,omitempty"` // why auto picked it, or what it degraded from
	// Reranked names the reranker that ordered the best results anew, "" for
	// none.
	Reranked string `json:"reranked_by,omitempty"`
	// Unmatched says that no word of the question stands in the index: what
	// was found, if anything, only resembles it.
	Unmatched bool `json:"unmatched,omitempty"`
	// PhrasesNotFound are the quoted phrases of the question that stand nowhere
	// in the index. What else it says was searched for.
	PhrasesNotFound []string `json:"phrases_not_found,omitempty"`
	// UnknownName is the name that the question consists of when nothing in the
	// index is called that as a whole: what was found has some of its words.
	UnknownName string `json:"unknown_name,omitempty"`
	// NoFile says that no file of the index matches SearchOptions.PathGlob.
	NoFile  bool        `json:"no_file,omitempty"`
	Total   int         `json:"total"` // units that were ranked, before k cut them
	Results []SearchHit `json:"results"`
	Explain *Explain    `json:"explain,omitempty"`
}

// SearchHit is one ranked source unit, or one file at level "file".
type SearchHit struct {
	Place
	Level  string `json:"level"` // "L0", "L1", "L2"
	Kind   string `json:"kind"`
	Symbol string `json:"symbol,omitempty"`
	ID     string `json:"id,omitempty"` // stable unit id
	Score  int64  `json:"score"`        // millionths; comparable within one answer only

	// Snippet holds whole lines of the commit around the best match inside
	// the unit, beginning at line SnippetLine; "" and 0 where the source view
	// is absent. SnippetB64 stands in for it where the bytes are not UTF-8.
	Snippet     string `json:"snippet"`
	SnippetB64  []byte `json:"snippet_b64,omitempty"`
	SnippetLine int    `json:"snippet_line,omitempty"`

	Origin string `json:"origin"`
	Why    string `json:"why"` // in words: ranks on each route, fields matched, what the ranker added

	Explain []Part `json:"explain,omitempty"` // the score's parts, with SearchOptions.Explain
}

// Part is one named contribution, in millionths; for a factor, the factor.
type Part struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

// Explain shows how a search was carried out.
type Explain struct {
	KRet      int           `json:"k_ret"` // candidates kept of each route before the final ranker
	KOut      int           `json:"k_out"` // results returned at most
	Documents int           `json:"documents"`
	Terms     []ExplainTerm `json:"terms"`
	Dropped   []string      `json:"dropped,omitempty"` // terms left out to bound the work
	Phrases   []string      `json:"phrases,omitempty"`
	Weights   Weights       `json:"weights"`
	Lexical   int           `json:"lexical_matches"`
	Semantic  int           `json:"semantic_rows"`
	Embedder  string        `json:"embedder,omitempty"`
	Seeds     int           `json:"seeds,omitempty"`   // structural route: units whose edges were followed
	Links     int           `json:"links,omitempty"`   // edges to units of other files
	Reached   int           `json:"reached,omitempty"` // candidates that only edges lead to
	Reranker  string        `json:"reranker,omitempty"`
	KPrime    int           `json:"k_prime,omitempty"` // candidates that the reranker saw
}

// ExplainTerm is one term of the query as it was searched.
type ExplainTerm struct {
	Term    string `json:"term"`
	Role    string `json:"role"`   // what the analyser took it for
	DocFreq int    `json:"df"`     // documents that hold it, over all partitions
	Weight  int64  `json:"weight"` // millionths: role weight × inverse document frequency
}

// GrepResult is the answer of Engine.Grep.
type GrepResult struct {
	Header
	Pattern     string         `json:"pattern"`
	Total       int            `json:"total"`        // matching lines
	Matches     int            `json:"matches"`      // matches on those lines
	Files       int            `json:"files"`        // files with a matching line
	Searched    int            `json:"searched"`     // files searched
	NotSearched map[string]int `json:"not_searched"` // reason -> files that pass the filters and have no content in the index
	Truncated   bool           `json:"truncated"`    // results holds fewer lines than total
	Results     []GrepHit      `json:"results"`
}

// GrepHit is one matching line.
type GrepHit struct {
	Place
	SourceText
	// Spans are the matches on the line: first and last byte column, from 1,
	// inclusive, in the original bytes; an empty match has last = first - 1.
	Spans  [][2]int     `json:"spans"`
	Before []SourceText `json:"before,omitempty"` // lines directly before, nearest last
	After  []SourceText `json:"after,omitempty"`
	Origin string       `json:"origin"`
}

// Provenance says how much a binding can be trusted.
type Provenance string

const (
	// Precise bindings come from a compiler's own index.
	Precise Provenance = "precise"
	// Syntactic bindings follow from the text alone: a scope, an import that
	// names the defining module, a written type.
	Syntactic Provenance = "syntactic"
	// Heuristic bindings are likely and not proven: the only declaration of
	// that name.
	Heuristic Provenance = "heuristic"
)

// Binding is the outcome of binding one use of a name.
type Binding string

const (
	Bound      Binding = "bound"      // to exactly one declaration (or one overload set)
	Ambiguous  Binding = "ambiguous"  // several candidates; none was chosen
	External   Binding = "external"   // an import leads outside the tree, or a builtin
	Unresolved Binding = "unresolved" // no rule binds it
)

// SymbolHit is one declaration.
type SymbolHit struct {
	Place
	Col        int        `json:"col"` // of the name on its line NameLine
	NameLine   int        `json:"name_line"`
	Level      string     `json:"level,omitempty"`
	Kind       string     `json:"kind"`
	Name       string     `json:"name"`
	Symbol     string     `json:"symbol"` // qualified within the file
	ID         string     `json:"id,omitempty"`
	Provenance Provenance `json:"provenance,omitempty"` // of the answer "this is what the target means"
	Rule       string     `json:"rule,omitempty"`
	SourceText            // the line of the name, without its line end
	Origin     string     `json:"origin"`
}

// SymbolsResult is the answer of Engine.Symbols.
type SymbolsResult struct {
	Header
	Name    string      `json:"name"`
	Total   int         `json:"total"`
	Results []SymbolHit `json:"results"`
}

// DefResult is the answer of Engine.Def.
type DefResult struct {
	Header
	Target  string      `json:"target"`
	Binding Binding     `json:"binding"` // of the target: bound, ambiguous, external or unresolved
	Note    string      `json:"note,omitempty"`
	Total   int         `json:"total"`
	Results []SymbolHit `json:"results"`
}

// UseHit is one use of a name at its own line.
type UseHit struct {
	Place
	Col        int        `json:"col"`
	Role       string     `json:"role"`
	Name       string     `json:"name"` // as used
	Receiver   string     `json:"receiver,omitempty"`
	Binding    Binding    `json:"binding"`
	Provenance Provenance `json:"provenance,omitempty"`
	Rule       string     `json:"rule,omitempty"`
	SourceText            // the line, without its line end
	Symbol     string     `json:"symbol,omitempty"` // the enclosing declaration
	Kind       string     `json:"kind,omitempty"`   // its kind
	ID         string     `json:"id,omitempty"`     // its unit's stable id
	// Targets are the declarations that the use is bound to, or its
	// candidates when Binding is ambiguous (at most five; TargetTotal counts
	// all).
	Targets     []SymbolHit `json:"targets,omitempty"`
	TargetTotal int         `json:"target_total,omitempty"`
	Origin      string      `json:"origin"`
}

// UsesResult is the answer of Engine.Refs, Engine.Callers and Engine.Callees.
type UsesResult struct {
	Header
	Target  string      `json:"target"`
	Targets []SymbolHit `json:"targets"` // what the target means; several when the name is ambiguous
	Note    string      `json:"note,omitempty"`

	Total   int      `json:"total"` // bound uses
	Results []UseHit `json:"results"`

	// AmbiguousTotal counts uses that may mean the target or something else.
	AmbiguousTotal int      `json:"ambiguous_total"`
	Ambiguous      []UseHit `json:"ambiguous,omitempty"`
	// External and Unresolved count uses of the same name (for callees: calls
	// inside the target) that lead outside the tree or that no rule binds.
	External       int      `json:"external"`
	Unresolved     int      `json:"unresolved"`
	UnresolvedUses []UseHit `json:"unresolved_uses,omitempty"` // with UsesOptions.All, external ones too
}

// OutlineResult is the answer of Engine.Outline.
type OutlineResult struct {
	Header
	Path    string         `json:"path"`
	Total   int            `json:"total"`
	Results []OutlineEntry `json:"results"`
}

// OutlineEntry is one file, or one declaration, section or key of a file.
type OutlineEntry struct {
	Place
	Depth    int    `json:"depth"` // 0 for a file
	Level    string `json:"level"`
	Kind     string `json:"kind"`
	Name     string `json:"name,omitempty"`
	Symbol   string `json:"symbol,omitempty"`
	ID       string `json:"id,omitempty"`       // of its unit, where it has one
	Lang     string `json:"lang,omitempty"`     // files only
	Skipped  string `json:"skipped,omitempty"`  // files only: why its content is not in the index
	Degraded string `json:"degraded,omitempty"` // files only: why its units are by lines
}

// ShowResult is the answer of Engine.Show: whole lines, verbatim, with their
// line ends.
type ShowResult struct {
	Header
	Place
	SourceText
	Lines  int    `json:"lines"` // of the whole file
	Lang   string `json:"lang,omitempty"`
	Origin string `json:"origin"`
}
