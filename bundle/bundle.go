package bundle

import (
	"fmt"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// The policies that need an index.
const (
	Files = "files" // the files to edit, as whole as they fit, and evidence beside them
	Eager = "eager" // the best units, whole
)

// DefaultBudget is the number of tokens of a bundle when none is given. Of it
// three quarters are for the files to edit and three twentieths for evidence.
const DefaultBudget = 80_000

// MaxBudget bounds a budget, in tokens.
const MaxBudget = 10_000_000

// Options say what a bundle is for.
type Options struct {
	Query  string   `json:"query"`
	Policy string   `json:"policy"`               // Files (or "") or Eager
	Route  string   `json:"route"`                // of the search, see query.SearchOptions; "" for auto
	Lines  int      `json:"eager_lines,omitzero"` // of a unit at most under Eager; 0 for whole units
	Lists  []string `json:"lists,omitempty"`      // the caller's own ranked lists, one path a line; see Plan
	// Searches are questions whose best answers are evidence, under Files: at
	// most MaxSearches.
	Searches []string `json:"searches,omitempty"`
	// Selector names the model that Lists and Searches come from; for readers
	// of receipts alone.
	Selector string `json:"selector,omitempty"`

	// Leave are paths that must not be in the bundle, since the user has
	// something else in front of them.
	Leave map[string]bool `json:"-"`
}

// MaxSearches bounds Options.Searches.
const MaxSearches = 4

// maxQuery bounds a question, in bytes.
const maxQuery = 1 << 20

func (o *Options) check() error {
	if o.Policy == "" {
		o.Policy = Files
	}
	switch {
	case o.Policy != Files && o.Policy != Eager:
		return fail.New(fail.Usage, "use files, eager or compact", "there is no policy %.40q", o.Policy)
	case len(o.Searches) > MaxSearches:
		return fail.New(fail.Usage, fmt.Sprintf("give at most %d", MaxSearches), "there are %d further searches", len(o.Searches))
	case o.Lines < 0:
		return fail.New(fail.Usage, "give a number of lines, or 0 for whole units", "units cannot be cut to %d lines", o.Lines)
	case len(o.Query) > maxQuery:
		return fail.New(fail.Usage, "shorten the question", "the question has %d bytes, more than %d", len(o.Query), maxQuery)
	}
	return nil
}

// CheckBudget returns an error for a number of tokens that is no budget.
func CheckBudget(n int) error {
	if n < 0 || n > MaxBudget {
		return fail.New(fail.Usage, fmt.Sprintf("give a number of tokens from 0 to %d", MaxBudget), "%d is no budget", n)
	}
	return nil
}

// The parts that a file plays in a bundle.
const (
	Edit     = "edit"     // a change probably has to be made there
	Evidence = "evidence" // it shows what the files to edit use, or what uses them
	Unit     = "unit"     // it holds one of the best units
)

// Head is what stands in front of a bundle.
type Head struct {
	Commit   string `json:"commit"`
	Digest   string `json:"digest"` // of the index
	State    string `json:"state"`  // of freshness, see query.Freshness
	Distance int    `json:"distance"`
	Changed  int    `json:"changed_files"` // of the working tree
	Policy   string `json:"policy"`
	Route    string `json:"route"` // that the search took
}

// Bundle is what a budget was spent on.
type Bundle struct {
	Head
	Budget int    // tokens that Render may take
	Files  []File // best first
}

// File is one file of a bundle.
type File struct {
	Path  string
	Blob  gitobj.ID
	Role  string // Edit, Evidence or Unit
	Why   string // in words, with names from the repository
	Lang  string
	Lines int // of the whole file
	Spans []Span

	text []byte // the whole blob
}

// SpanText returns lines of the file with their line feeds.
func (f *File) SpanText(s Span) []byte { return newLines(f.text).span(s) }

// Span is a run of lines, from 1, both ends included.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// lineTable finds the lines of a text. Lines end at LF alone.
type lineTable struct {
	text   []byte
	starts []int // of each line, and the end of the text
}

func newLines(text []byte) *lineTable {
	t := &lineTable{text: text}
	at := 0
	for i, b := range text {
		if b == '\n' {
			t.starts = append(t.starts, at)
			at = i + 1
		}
	}
	if at < len(text) {
		t.starts = append(t.starts, at)
	}
	t.starts = append(t.starts, len(text))
	return t
}

func (t *lineTable) count() int { return len(t.starts) - 1 }

// line returns line n without its line feed.
func (t *lineTable) line(n int) []byte {
	l := t.text[t.starts[n-1]:t.starts[n]]
	if k := len(l); k > 0 && l[k-1] == '\n' {
		l = l[:k-1]
	}
	return l
}

// span returns the bytes of lines a to b with their line feeds.
func (t *lineTable) span(s Span) []byte { return t.text[t.starts[s.Start-1]:t.starts[s.End]] }
