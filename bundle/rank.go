package bundle

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/order"
	"github.com/pindex-dev/pindex/query"
)

// Widths of the plan, in results.
const (
	rankedUnits = 300 // of the search
	candidates  = 8 * rankedUnits
	eagerUnits  = 10 // of a bundle under Eager
	maxEdits    = 12 // files to edit
	maxEvidence = 8  // files with evidence
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
	proofs  [][]proof   // evidence: of each seed that was looked around so far
	files   map[string]*source
	counter counter
}

// candidate is a file that may have to be edited.
type candidate struct {
	path string
	odds int64 // how likely, against the first of the ranking, in millionths
	why  string
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
	score  int64
}

// target names the unit for a question about its uses.
func (f *found) target() string { return f.path + ":" + f.id }

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
	return p, nil
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

// searchUnits asks for units by the route that fits the question.
func (p *Plan) searchUnits(ctx context.Context) error {
	r, err := p.e.Search(ctx, query.SearchOptions{Query: p.o.Query, Route: p.o.Route, Level: "unit", K: rankedUnits, Candidates: candidates})
	if err != nil {
		return err
	}
	p.head = Head{Commit: r.Commit, Digest: r.Digest, State: r.Freshness.State, Policy: p.o.Policy, Route: r.Route}
	for i := range r.Results {
		h := &r.Results[i]
		f := found{path: h.FilePath(), whole: Span{h.StartLine, h.EndLine}, symbol: h.Symbol, kind: h.Kind, id: h.ID, leaf: h.Level == "L2" && h.Kind != artifact.KindRemainder.String(), score: h.Score}
		if f.match = f.whole; h.SnippetLine > 0 {
			n := strings.Count(h.Snippet, "\n") + strings.Count(string(h.SnippetB64), "\n")
			f.match = Span{h.SnippetLine, h.SnippetLine + max(n, 1) - 1}
		}
		if p.o.Leave[f.path] {
			continue
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

// rankFiles takes the files to edit from the order in which the search meets
// them: the learned ranking knows the words of paths and names, meaning,
// references and history-free marks of a file, so that letting further rankings
// vote on its answer gains nothing (docs/BENCHMARKS.md has the figures).
func (p *Plan) rankFiles(ctx context.Context) error {
	if len(p.o.Lists) > 0 {
		return p.takeLists(ctx)
	}
	var all []candidate
	seen := map[string]bool{}
	for i := range p.units {
		f := &p.units[i]
		if !seen[f.path] {
			seen[f.path] = true
			all = append(all, candidate{path: f.path, odds: query.Likelihood(f.score, p.units[0].score), why: "rank " + strconv.Itoa(len(all)+1) + " of the search"})
		}
	}
	for _, held := range []bool{false, true} {
		for _, c := range all {
			if (p.aside(c.path) != "") == held && len(p.edits) < maxEdits {
				p.edits = append(p.edits, c)
			}
		}
		if len(p.edits) > 0 {
			break // tests and documents only where there is nothing else
		}
	}
	return nil
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
			p.edits = append(p.edits, candidate{path: path, odds: 1_000_000 / int64(len(p.edits)+1), why: "named by the given lists"})
		}
	}
	return nil
}

// isNotFound tells an error that means "no answer".
func isNotFound(err error) bool {
	var e *fail.Error
	return errors.As(err, &e) && e.Code == fail.NotFound
}
