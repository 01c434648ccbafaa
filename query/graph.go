package query

import (
	"context"
	"time"

	"github.com/pindex-dev/pindex/artifact"
)

// Bounds of the queries that follow references from one declaration to the
// next. They count declarations and steps, never time, and what they cut off is
// said.
const (
	DefaultDepth = 3
	MaxDepth     = 12
	maxVisited   = 5000 // declarations looked at
)

// GraphOptions say which part of the graph of calls to give.
type GraphOptions struct {
	Target string
	Depth  int // steps at most in each direction; 0 means 1
	K      int // nodes at most; 0 means DefaultUses
}

// GraphResult is the answer of Engine.Graph: the declarations around a target
// and the calls between them.
type GraphResult struct {
	Header
	Target     string      `json:"target"`
	Nodes      []SymbolHit `json:"nodes"` // the target's declarations first
	Edges      []GraphEdge `json:"edges"`
	Cut        bool        `json:"cut"`
	Ambiguous  int         `json:"ambiguous"`
	External   int         `json:"external"`
	Unresolved int         `json:"unresolved"`
}

// GraphEdge is one or more calls between two nodes.
type GraphEdge struct {
	From       int        `json:"from"` // number of the node
	To         int        `json:"to"`
	Line       int        `json:"line"` // of the first call, in From's file
	Calls      int        `json:"calls"`
	Provenance Provenance `json:"provenance"`
	Rule       string     `json:"rule"`
}

// Graph returns the calls around a target.
func (e *Engine) Graph(ctx context.Context, o GraphOptions) (*GraphResult, error) {
	begun := time.Now()
	res := &GraphResult{Target: o.Target, Nodes: []SymbolHit{}, Edges: []GraphEdge{}}
	err := e.answer(func() error {
		b, t, _, err := e.beginUses(ctx, "graph", &UsesOptions{Target: o.Target, K: o.K})
		if err != nil {
			return err
		}
		depth := 1
		if o.Depth != 0 {
			if depth, err = depthOf(o.Depth); err != nil {
				return err
			}
		}
		k := o.K
		if k == 0 {
			k = DefaultUses
		}
		g := &grapher{b: b, res: res, k: k, number: map[spotKey]int{}, edges: map[[2]int]int{}, met: map[callKey]bool{}}
		return g.around(t.decls, depth)
	})
	if err != nil {
		return nil, err
	}
	res.Header, err = e.navHeader(ctx, begun)
	return res, err
}

type grapher struct {
	b      *binder
	res    *GraphResult
	k      int
	number map[spotKey]int
	edges  map[[2]int]int
	met    map[callKey]bool // a call is met from both of its ends
}

type callKey struct {
	file int
	pos  artifact.Position
	to   int
}

// node numbers a node; -1 when there are enough of them.
func (g *grapher) node(n spot) (int, bool, error) {
	if i, ok := g.number[n.key()]; ok {
		return i, false, nil
	}
	if len(g.res.Nodes) >= g.k {
		g.res.Cut = true
		return -1, false, nil
	}
	h, err := g.b.nodeHit(n, "", "")
	if err != nil {
		return -1, false, err
	}
	g.number[n.key()] = len(g.res.Nodes)
	g.res.Nodes = append(g.res.Nodes, h)
	return len(g.res.Nodes) - 1, true, nil
}

func (g *grapher) around(ds []*decl, depth int) error {
	var now []spot
	for _, d := range ds {
		n := spot{d.file, d}
		if _, _, err := g.node(n); err != nil {
			return err
		}
		now = append(now, n)
	}
	up, down := now, now
	for range depth {
		var err error
		if up, err = g.step(up, true); err != nil {
			return err
		}
		if down, err = g.step(down, false); err != nil {
			return err
		}
	}
	return nil
}

// step adds the edges into or out of the given nodes and returns the new nodes.
func (g *grapher) step(nodes []spot, in bool) ([]spot, error) {
	var fresh []spot
	for _, n := range nodes {
		if n.decl == nil {
			continue
		}
		var edges []edge
		var l loose
		var err error
		if in {
			edges, l, err = g.b.incoming([]*decl{n.decl}, isCall)
		} else {
			edges, l, err = g.b.outgoing(n.decl)
		}
		if err != nil {
			return nil, err
		}
		g.res.Ambiguous += l.ambiguous
		g.res.External += l.external
		g.res.Unresolved += l.unresolved
		for _, e := range edges {
			from, to := e.from, n
			other := from
			if !in {
				from = n
				d := e.out.decls[0]
				if g.b.hides(d) {
					continue
				}
				to = spot{d.file, d}
				other = to
			}
			i, isNew, err := g.node(other)
			if err != nil {
				return nil, err
			}
			if i < 0 {
				continue
			}
			if isNew {
				fresh = append(fresh, other)
			}
			g.link(g.number[from.key()], g.number[to.key()], e)
		}
	}
	return fresh, nil
}

func (g *grapher) link(from, to int, e edge) {
	call := callKey{e.use.file, e.use.occ.Pos, to}
	if g.met[call] {
		return
	}
	g.met[call] = true
	if i, ok := g.edges[[2]int{from, to}]; ok {
		g.res.Edges[i].Calls++
		return
	}
	g.edges[[2]int{from, to}] = len(g.res.Edges)
	g.res.Edges = append(g.res.Edges, GraphEdge{
		From: from, To: to, Line: int(e.use.occ.Pos.Line), Calls: 1, Provenance: e.out.provenance, Rule: e.out.rule,
	})
}
