package query

import (
	"context"
	"time"

	"github.com/pindex-dev/pindex/internal/fail"
)

// TraceResult is the answer of Engine.Trace: the shortest chain of calls.
type TraceResult struct {
	Header
	From       string       `json:"from"`
	To         string       `json:"to"`
	Total      int          `json:"total"`   // steps of the chain; 0 when there is none
	Results    []SymbolStep `json:"results"` // from From to To; Via is the call that leads to the next one
	Cut        bool         `json:"cut"`     // more than could be followed, so that a chain may have been missed
	Ambiguous  int          `json:"ambiguous"`
	Unresolved int          `json:"unresolved"`
	Note       string       `json:"note,omitempty"`
}

// Trace finds the shortest chain of calls from one declaration to another.
func (e *Engine) Trace(ctx context.Context, from, to string, depth int) (*TraceResult, error) {
	begun := time.Now()
	res := &TraceResult{From: from, To: to, Results: []SymbolStep{}}
	err := e.answer(func() error {
		b, end, _, err := e.beginUses(ctx, "trace", &UsesOptions{Target: to})
		if err != nil {
			return err
		}
		start, err := b.target(from)
		if err != nil {
			return err
		}
		if len(start.decls) == 0 {
			return fail.New(fail.NotFound, "name a declaration of this tree", "%s means no declaration in the index: %s", quote(from), start.rule)
		}
		if depth == 0 {
			depth = MaxDepth
		}
		if depth, err = depthOf(depth); err != nil {
			return err
		}
		starts := map[spotKey]bool{}
		for _, d := range start.decls {
			n, err := b.node(d.file, d)
			if err != nil {
				return err
			}
			starts[spot{d.file, d}.key()] = true
			if n.decl != nil && n.decl.id == d.id {
				starts[n.key()] = true
			}
		}
		w := &walk{b: b, depth: depth, stop: func(n spot) bool { return starts[n.key()] || insideAny(b, n, start.decls) }}
		if err := w.backward(end.decls, isCall); err != nil {
			return err
		}
		res.Cut, res.Ambiguous, res.Unresolved = w.cut, w.loose.ambiguous, w.loose.unresolved
		if w.found < 0 {
			return nil
		}
		for i := w.found; i >= 0; i = w.list[i].prev {
			r := w.list[i]
			r.depth = len(res.Results)
			s, err := b.step(r)
			if err != nil {
				return err
			}
			res.Results = append(res.Results, s)
		}
		last, err := b.targets(end, 1)
		if err != nil {
			return err
		}
		if len(last) > 0 {
			res.Results = append(res.Results, SymbolStep{SymbolHit: last[0], Depth: len(res.Results)})
		}
		res.Total = len(res.Results) - 1
		return nil
	})
	if err != nil {
		return nil, err
	}
	if res.Total == 0 {
		res.Note = "no chain of calls that syntax can follow"
	}
	res.Header, err = e.navHeader(ctx, begun)
	return res, err
}

// insideAny reports whether a node lies in one of the declarations, such as a
// method in a class.
func insideAny(b *binder, n spot, ds []*decl) bool {
	if n.decl == nil {
		return false
	}
	for _, d := range ds {
		if d.container() && d.file == n.file && !n.decl.sym.Start.Before(d.sym.Start) && !d.sym.End.Before(n.decl.sym.End) {
			return true
		}
	}
	return false
}
