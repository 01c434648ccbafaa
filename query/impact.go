package query

import (
	"cmp"
	"context"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/order"
)

// SymbolStep is a declaration that was reached, and the use that led there.
type SymbolStep struct {
	SymbolHit
	Depth int     `json:"depth"` // steps from the target
	Test  bool    `json:"test"`  // test or example code
	Via   *UseHit `json:"via,omitempty"`
}

// ImpactOptions say what a change reaches.
type ImpactOptions struct {
	Target   string
	Depth    int    // steps at most; 0 means DefaultDepth
	K        int    // results at most; 0 means DefaultUses
	PathGlob string // only what lies in these files; the way there may lead anywhere
}

// ImpactResult is the answer of Engine.Impact: what uses the target, what uses
// that, and so on, the nearest first.
type ImpactResult struct {
	Header
	Target     string       `json:"target"`
	Targets    []SymbolHit  `json:"targets"`
	Depth      int          `json:"depth"`
	Total      int          `json:"total"` // declarations and files reached
	Tests      int          `json:"tests"` // of those
	Results    []SymbolStep `json:"results"`
	Cut        bool         `json:"cut"` // more than could be followed
	Ambiguous  int          `json:"ambiguous"`
	Unresolved int          `json:"unresolved"` // uses of the names on the way that no rule binds
}

// Impact lists what a change of the target may reach.
func (e *Engine) Impact(ctx context.Context, o ImpactOptions) (*ImpactResult, error) {
	begun := time.Now()
	res := &ImpactResult{Target: o.Target, Results: []SymbolStep{}}
	err := e.answer(func() error {
		u := UsesOptions{Target: o.Target, K: o.K, PathGlob: o.PathGlob}
		b, t, f, err := e.beginUses(ctx, "impact", &u)
		if err != nil {
			return err
		}
		if res.Depth, err = depthOf(o.Depth); err != nil {
			return err
		}
		if res.Targets, err = b.targets(t, maxTargetsListed); err != nil {
			return err
		}
		w := &walk{b: b, depth: res.Depth}
		if err := w.backward(t.decls, anyRole); err != nil {
			return err
		}
		res.Cut, res.Ambiguous, res.Unresolved = w.cut, w.loose.ambiguous, w.loose.unresolved
		return w.results(f, u.K, res)
	})
	if err != nil {
		return nil, err
	}
	res.Header, err = e.navHeader(ctx, begun)
	return res, err
}

func anyRole(r artifact.Role) bool { return r != artifact.RoleImport && r != artifact.RoleExport }

func depthOf(n int) (int, error) {
	switch {
	case n == 0:
		return DefaultDepth, nil
	case n < 1 || n > MaxDepth:
		return 0, fail.New(fail.Usage, "ask for fewer steps", "the depth is %d, not in 1 to %d", n, MaxDepth)
	}
	return n, nil
}

// reached is a node that a walk met, and the first edge that led there.
type reached struct {
	node  spot
	depth int
	by    edge
	prev  int // entry of the walk that the edge leads to; -1 for a target
}

// walk follows edges breadth first.
type walk struct {
	b     *binder
	depth int
	stop  func(spot) bool // ends the walk when it is met; may be nil

	seen  map[spotKey]bool
	used  map[spotKey]bool // nodes that something is known to use
	list  []reached
	loose loose
	cut   bool
	found int // entry that stop was true for; -1
}

// backward follows uses from the targets to who makes them.
func (w *walk) backward(targets []*decl, role func(artifact.Role) bool) error {
	w.found = -1
	if w.seen == nil {
		w.seen, w.used = map[spotKey]bool{}, map[spotKey]bool{}
	}
	type task struct {
		decls []*decl
		depth int
		at    int
	}
	queue := []task{{targets, 0, -1}}
	for _, d := range targets {
		w.seen[spot{d.file, d}.key()] = true
	}
	for len(queue) > 0 {
		t := queue[0]
		queue = queue[1:]
		if t.depth == w.depth {
			continue
		}
		edges, l, err := w.uses(t.decls, role)
		if err != nil {
			return err
		}
		w.loose.ambiguous += l.ambiguous
		w.loose.external += l.external
		w.loose.unresolved += l.unresolved
		for _, e := range edges {
			k := e.from.key()
			w.used[spot{t.decls[0].file, t.decls[0]}.key()] = true
			if w.seen[k] {
				continue
			}
			if len(w.list) == maxVisited {
				w.cut = true
				return nil
			}
			w.seen[k] = true
			w.list = append(w.list, reached{e.from, t.depth + 1, e, t.at})
			if w.stop != nil && w.stop(e.from) {
				w.found = len(w.list) - 1
				return nil
			}
			// What stands at the top level of a file has no name to be used by.
			if e.from.decl != nil && !e.from.decl.local() {
				queue = append(queue, task{[]*decl{e.from.decl}, t.depth + 1, len(w.list) - 1})
			}
		}
	}
	return nil
}

// from follows all uses of one declaration, in any role.
func (w *walk) from(d *decl) error { return w.backward([]*decl{d}, anyRole) }

// results lists what was reached: the nearest first, code before tests, in the
// order of paths and lines.
func (w *walk) results(f *filter, k int, res *ImpactResult) error {
	b := w.b
	order.Stable(w.list, func(x, y reached) int {
		return cmp.Or(cmp.Compare(x.depth, y.depth), compareBool(b.t.files[x.node.file].test, b.t.files[y.node.file].test),
			cmp.Compare(x.node.file, y.node.file))
	})
	c := &collector{b: b, filter: f}
	for _, r := range w.list {
		ok, err := c.passes(r.node.file)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		res.Total++
		if b.t.files[r.node.file].test {
			res.Tests++
		}
		if len(res.Results) >= k {
			continue
		}
		s, err := b.step(r)
		if err != nil {
			return err
		}
		res.Results = append(res.Results, s)
	}
	return nil
}
