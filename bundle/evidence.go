package bundle

import (
	"context"
	"strconv"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/query"
)

// Bounds of looking around: the units that are looked around, and of each the
// uses that are listed and that are looked at.
const (
	maxSeeds  = 6
	maxUses   = 40
	maxLooked = 400
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
	edit := map[string]bool{}
	for i := range p.edits {
		edit[p.edits[i].path] = true
	}
	var out []found
	for _, f := range p.units {
		if edit[f.path] && f.leaf && f.symbol != "" && p.aside(f.path) == "" && len(out) < maxSeeds {
			out = append(out, f)
		}
	}
	return out
}

// maxOfKind is how many definitions, callers and tests each unit that is looked
// around may bring in at most.
const maxOfKind = 6

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

// proofsOf returns the evidence around one of the best units, best first: in
// turn what it uses, what calls it and what tests it, with the first of them
// what further searches find. It is looked for when it
// is first needed, since a small budget has room for the first few alone. more
// is false behind the last unit.
func (p *Plan) proofsOf(ctx context.Context, i int) (_ []proof, more bool, err error) {
	seeds := p.seeds()
	if i >= max(1, len(seeds)) {
		return nil, false, nil
	}
	if i < len(p.proofs) {
		return p.proofs[i], true, nil
	}
	var kinds [4][]proof // definitions, callers, tests, answers of searches
	if i == 0 {
		if kinds[3], err = p.searchEvidence(ctx); err != nil {
			return nil, false, err
		}
		// Tests that answer the question themselves come before those that
		// only call something.
		for _, f := range p.units {
			if p.aside(f.path) == "test" && len(kinds[2]) < 3 {
				kinds[2] = append(kinds[2], proof{f.path, f.whole, f.match.Start, "a test that speaks of it"})
			}
		}
	}
	if i < len(seeds) {
		if err := p.lookAround(ctx, &seeds[i], kinds[:]); err != nil {
			return nil, false, err
		}
	}
	var out []proof
	type place struct {
		path string
		span Span
	}
	seen := map[place]bool{}
	for n := range max(maxOfKind, len(kinds[3])) {
		for k, kind := range kinds {
			if n >= len(kind) || n >= maxOfKind && k < 3 {
				continue
			}
			pr := kind[n]
			src, err := p.source(ctx, pr.path)
			if err != nil {
				return nil, false, err
			}
			if src == nil || p.o.Leave[pr.path] {
				continue
			}
			if pr.span.Start == pr.span.End {
				if u := src.around(pr.line); u >= 0 {
					pr.span = src.span(u)
				}
			}
			if at := (place{pr.path, pr.span}); !seen[at] {
				seen[at] = true
				out = append(out, pr)
			}
		}
	}
	p.proofs = append(p.proofs, out)
	return out, true, nil
}

// lookAround gathers what a unit uses, what calls it and what tests it.
func (p *Plan) lookAround(ctx context.Context, f *found, kinds [][]proof) error {
	name := label(f.symbol)
	o := query.UsesOptions{Target: f.target(), K: maxUses, Look: maxLooked}
	r, err := p.e.Callees(ctx, o)
	if err != nil && !isNotFound(err) {
		return err
	}
	if err == nil {
		for i := range r.Results {
			for _, t := range r.Results[i].Targets {
				kinds[0] = append(kinds[0], proof{t.FilePath(), Span{t.StartLine, t.EndLine}, t.NameLine, "defines " + label(t.Symbol) + ", which " + name + " uses"})
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
			kind := 1
			if p.aside(pr.path) == "test" {
				pr.why, kind = "tests "+name, 2
			}
			kinds[kind] = append(kinds[kind], pr)
		}
	}
	return nil
}
