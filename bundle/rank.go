package bundle

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/order"
	"github.com/pindex-dev/pindex/query"
)

// Widths of the plan, in results.
const (
	rankedFiles = 60  // of each ranker of files
	rankedUnits = 300 // of the search for units
	eagerUnits  = 10  // of a bundle under Eager
	maxEdits    = 8   // files to edit
	maxEvidence = 8   // files with evidence
)

// Plan is what a question brings up, before a budget is spent on it. It serves
// one goroutine.
type Plan struct {
	e       *query.Engine
	o       Options
	head    Head
	aside   func(path string) string
	edits   []candidate // files to edit, best first
	units   []found     // best first; under Files those of all files
	proofs  []proof     // evidence, best first
	files   map[string]*source
	counter counter
}

// candidate is a file that may have to be edited.
type candidate struct {
	path  string
	score int64
	by    []string // rankers that name it
}

// why says in words what speaks for a file.
func (c *candidate) why() string {
	if len(c.by) == 1 {
		return "named by " + c.by[0]
	}
	return fmt.Sprintf("%d of %d rankings agree", len(c.by), rankings)
}

// found is one unit that a search found.
type found struct {
	path   string
	whole  Span // the unit
	match  Span // its lines that answer best
	symbol string
	kind   string
	id     string
	leaf   bool // a callable or another leaf declaration
}

// NewPlan ranks files and units for a question. It gives an error of code
// NotFound when nothing answers.
//
// With lists of the caller's own, files are not ranked: of at most three lists,
// put in order by their hash with the question, the files that stand in the
// first two are taken in the order of the first; when those lists share
// nothing the third is taken, or without one the first.
func NewPlan(ctx context.Context, e *query.Engine, o Options) (p *Plan, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	err = artifact.Guard(func() error {
		p, err = newPlan(ctx, e, o)
		return err
	})
	if errors.Is(err, artifact.ErrViewAbsent) {
		err = fail.Wrap(fail.NotFound, err, "compile the commit again with the source view", "there is no text to make a bundle of")
	}
	return p, err
}

func newPlan(ctx context.Context, e *query.Engine, o Options) (*Plan, error) {
	p := &Plan{e: e, o: o, aside: e.Aside(o.Query), files: map[string]*source{}}
	p.counter = counter{table: table(), known: map[string]int{}}
	if err := p.searchUnits(ctx); err != nil {
		return nil, err
	}
	if o.Policy == Eager {
		if len(p.units) == 0 {
			return nil, nothing()
		}
		return p, nil
	}
	if err := p.rankFiles(ctx); err != nil {
		return nil, err
	}
	if len(p.edits) == 0 {
		return nil, nothing()
	}
	return p, p.findEvidence(ctx)
}

func nothing() error {
	return fail.New(fail.NotFound, "use words, names or paths that the code has", "nothing in the commit answers the question")
}

// Edits are the paths of the files that probably have to be edited, best first.
func (p *Plan) Edits() []string {
	out := make([]string, len(p.edits))
	for i := range p.edits {
		out[i] = p.edits[i].path
	}
	return out
}

// Head returns what the bundle will say of itself, for a caller that knows
// more about how fresh it is.
func (p *Plan) Head() *Head { return &p.head }

func (p *Plan) search(ctx context.Context, route, level string, k int) (*query.SearchResult, error) {
	r, err := p.e.Search(ctx, query.SearchOptions{Query: p.o.Query, Route: route, Level: level, K: k})
	if err == nil {
		hits := r.Results[:0]
		for _, h := range r.Results {
			if !p.o.Leave[h.FilePath()] {
				hits = append(hits, h)
			}
		}
		r.Results = hits
	}
	return r, err
}

// searchUnits asks for units by the route that fits the question.
func (p *Plan) searchUnits(ctx context.Context) error {
	r, err := p.search(ctx, p.o.Route, "unit", rankedUnits)
	if err != nil {
		return err
	}
	p.head = Head{Commit: r.Commit, Digest: r.Digest, State: r.Freshness.State, Policy: p.o.Policy, Route: r.Route}
	for i := range r.Results {
		h := &r.Results[i]
		f := found{path: h.FilePath(), whole: Span{h.StartLine, h.EndLine}, symbol: h.Symbol, kind: h.Kind, id: h.ID, leaf: h.Level == "L2" && h.Kind != artifact.KindRemainder.String()}
		if f.match = f.whole; h.SnippetLine > 0 {
			n := strings.Count(h.Snippet, "\n") + strings.Count(string(h.SnippetB64), "\n")
			f.match = Span{h.SnippetLine, h.SnippetLine + max(n, 1) - 1}
		}
		src, err := p.source(ctx, f.path)
		if err != nil {
			return err
		}
		if src == nil {
			continue
		}
		if u, ok := src.unit(f.id); ok {
			f.whole = u
		}
		p.units = append(p.units, f)
	}
	return nil
}

// A ranker gives files, best first.
type ranker struct {
	name   string
	weight int64
	files  func(ctx context.Context) ([]string, error)
}

// settle is the constant of reciprocal ranks: how many places count about as
// much as the first.
const settle = 6

// rankings is the number of independent rankers.
const rankings = 5

// rankFiles lets independent rankers agree on the files to edit. What the
// learned ranking of files says weighs most: it knows the features that the
// others rank by alone, and their agreement decides where it is close.
func (p *Plan) rankFiles(ctx context.Context) error {
	if len(p.o.Lists) > 0 {
		return p.takeLists(ctx)
	}
	rankers := [rankings]ranker{
		{"files", 40, func(ctx context.Context) ([]string, error) { return p.filesBy(ctx, p.o.Route, "file") }},
		{"words", 8, func(ctx context.Context) ([]string, error) { return p.filesBy(ctx, query.RouteLexical, "file") }},
		{"meaning", 8, func(ctx context.Context) ([]string, error) { return p.filesBy(ctx, query.RouteSemantic, "unit") }},
		{"names", 6, p.filesByName},
		{"structure", 6, p.filesByStructure},
	}
	at := map[string]int{}
	var all []candidate
	for _, r := range rankers {
		files, err := r.files(ctx)
		if err != nil && fail.CodeOf(err) != fail.NotFound {
			return err // a view that is not there takes its ranker with it
		}
		if len(files) == 0 && r.name == rankers[0].name {
			return nil // what the search finds nothing for, nothing else may answer
		}
		for i, path := range files {
			n, ok := at[path]
			if !ok {
				n = len(all)
				at[path] = n
				all = append(all, candidate{path: path})
			}
			all[n].score += r.weight * 1_000_000 / int64(settle+i)
			all[n].by = append(all[n].by, r.name)
		}
	}
	order.Sort(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.path, b.path))
	})
	for _, held := range []bool{false, true} {
		for _, c := range all {
			if (p.aside(c.path) != "") == held && len(p.edits) < maxEdits {
				src, err := p.source(ctx, c.path)
				if err != nil {
					return err
				}
				if src != nil {
					p.edits = append(p.edits, c)
				}
			}
		}
		if len(p.edits) > 0 {
			break // tests and documents only where there is nothing else
		}
	}
	return nil
}

// filesBy returns the files of a search in the order of their best result.
func (p *Plan) filesBy(ctx context.Context, route, level string) ([]string, error) {
	k := rankedFiles
	if level == "unit" {
		k *= 3
	}
	r, err := p.search(ctx, route, level, k)
	if err != nil {
		return nil, err
	}
	var out []string
	seen := map[string]bool{}
	for i := range r.Results {
		path := r.Results[i].FilePath()
		if !seen[path] && len(out) < rankedFiles {
			seen[path] = true
			out = append(out, path)
		}
	}
	return out, nil
}

// takeLists takes the files to edit from the caller's lists.
func (p *Plan) takeLists(ctx context.Context) error {
	type list struct {
		sum   [sha256.Size]byte
		paths []string
	}
	var lists []list
	for _, text := range p.o.Lists {
		h := sha256.New()
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(p.o.Query)))
		h.Write(n[:])
		h.Write([]byte(p.o.Query + text))
		l := list{paths: strings.Split(strings.TrimRight(text, "\n"), "\n")}
		h.Sum(l.sum[:0])
		lists = append(lists, l)
	}
	order.Stable(lists, func(a, b list) int { return slices.Compare(a.sum[:], b.sum[:]) })
	chosen := lists[0].paths
	if len(lists) > 1 {
		var both []string
		for _, path := range lists[0].paths {
			if slices.Contains(lists[1].paths, path) {
				both = append(both, path)
			}
		}
		switch {
		case len(both) > 0:
			chosen = both
		case len(lists) > 2:
			chosen = lists[2].paths
		}
	}
	seen := map[string]bool{}
	for _, path := range chosen {
		if seen[path] || p.o.Leave[path] || len(p.edits) == maxEdits {
			continue
		}
		seen[path] = true
		src, err := p.source(ctx, path)
		if err != nil {
			return err
		}
		if src != nil {
			p.edits = append(p.edits, candidate{path: path, by: []string{"the given lists"}})
		}
	}
	return nil
}

// isNotFound tells an error that means "no answer".
func isNotFound(err error) bool {
	var e *fail.Error
	return errors.As(err, &e) && e.Code == fail.NotFound
}
