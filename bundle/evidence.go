package bundle

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/order"
	"github.com/pindex-dev/pindex/query"
)

// Bounds of looking around: the units that are looked around, and the uses
// of each that are looked at.
const (
	maxSeeds = 6
	maxUses  = 40
)

// proof is evidence: lines of a file and what they show.
type proof struct {
	path string
	span Span // the unit around it
	line int  // what matters most
	why  string
}

// seeds are the best leaf units of files to edit.
func (p *Plan) seeds() []found {
	var out []found
	for _, f := range p.units {
		if f.leaf && f.symbol != "" && p.aside(f.path) == "" && len(out) < maxSeeds {
			out = append(out, f)
		}
	}
	return out
}

// filesByStructure ranks the files that the best units call, and that call
// them, by how many such steps lead there.
func (p *Plan) filesByStructure(ctx context.Context) ([]string, error) {
	steps := map[string]int{}
	for i, f := range p.seeds() {
		worth := maxSeeds - i
		steps[f.path] += worth
		r, err := p.e.Graph(ctx, query.GraphOptions{Target: f.id, K: maxUses})
		if isNotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, n := range r.Nodes {
			if path := n.FilePath(); path != f.path && !p.o.Leave[path] && p.aside(path) == "" {
				steps[path] += worth
			}
		}
	}
	out := make([]string, 0, len(steps))
	for path := range steps {
		out = append(out, path)
	}
	order.Sort(out, func(a, b string) int { return cmp.Or(cmp.Compare(steps[b], steps[a]), strings.Compare(a, b)) })
	return out[:min(len(out), rankedFiles)], nil
}

// searchHits is how many answers of each further search are evidence.
const searchHits = 5

// searchEvidence asks the further searches. One that finds nothing, or is none,
// proves nothing.
func (p *Plan) searchEvidence(ctx context.Context) (out []proof, err error) {
	for _, q := range p.o.Searches {
		r, err := p.e.Search(ctx, query.SearchOptions{Query: q, Level: "unit", K: searchHits})
		if code := fail.CodeOf(err); err != nil && (code == fail.NotFound || code == fail.Usage) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for i := range r.Results {
			h := &r.Results[i]
			line := h.StartLine
			if h.SnippetLine > 0 {
				line = h.SnippetLine
			}
			out = append(out, proof{h.FilePath(), Span{h.StartLine, h.EndLine}, line, "found by the search " + strconv.Quote(label(q))})
		}
	}
	return out, nil
}

// findEvidence gathers what further searches find, what the best units use,
// what uses them and what tests them, in turn for each of them.
func (p *Plan) findEvidence(ctx context.Context) error {
	var rounds [4][]proof // definitions, callers, tests, searches
	var err error
	if rounds[3], err = p.searchEvidence(ctx); err != nil {
		return err
	}
	edit := map[string]bool{}
	for _, c := range p.edits {
		edit[c.path] = true
	}
	for _, f := range p.seeds() {
		if !edit[f.path] {
			continue
		}
		name := label(f.symbol)
		o := query.UsesOptions{Target: f.id, K: maxUses}
		r, err := p.e.Callees(ctx, o)
		if err != nil && !isNotFound(err) {
			return err
		}
		if err == nil {
			for i := range r.Results {
				for _, t := range r.Results[i].Targets {
					rounds[0] = append(rounds[0], proof{t.FilePath(), Span{t.StartLine, t.EndLine}, t.NameLine, "defines " + label(t.Symbol) + ", which " + name + " uses"})
				}
			}
		}
		r, err = p.e.Callers(ctx, o)
		if err != nil && !isNotFound(err) {
			return err
		}
		if err == nil {
			for i := range r.Results {
				u := &r.Results[i]
				pr := proof{u.FilePath(), Span{u.StartLine, u.StartLine}, u.StartLine, "calls " + name}
				round := 1
				if p.aside(pr.path) == "test" {
					pr.why, round = "tests "+name, 2
				}
				rounds[round] = append(rounds[round], pr)
			}
		}
	}
	// Tests that answer the question themselves come before those that only
	// call something.
	var tests []proof
	for _, f := range p.units {
		if p.aside(f.path) == "test" && len(tests) < 3 {
			tests = append(tests, proof{f.path, f.whole, f.match.Start, "a test that speaks of it"})
		}
	}
	rounds[2] = append(tests, rounds[2]...)
	seen := map[proof]bool{}
	for i := 0; ; i++ {
		more := false
		for _, r := range rounds {
			if i >= len(r) {
				continue
			}
			more = true
			pr := r[i]
			src, err := p.source(ctx, pr.path)
			if err != nil {
				return err
			}
			if src == nil || p.o.Leave[pr.path] {
				continue
			}
			if pr.span.Start == pr.span.End {
				if u := src.around(pr.line); u >= 0 {
					pr.span = src.span(u)
				}
			}
			key := pr
			key.line, key.why = 0, ""
			if !seen[key] {
				seen[key] = true
				p.proofs = append(p.proofs, pr)
			}
		}
		if !more {
			break
		}
	}
	return nil
}
