package query

import (
	"cmp"
	"context"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/order"
)

// Bounds of the queries that follow references from one declaration to the
// next. They count declarations and steps, never time, and what they cut off is
// said.
const (
	DefaultDepth = 3
	MaxDepth     = 12
	maxVisited   = 5000 // declarations looked at
)

// node is a place in the graph of calls: a declaration that can be called or
// has members, or the top level of a file (decl nil).
type spot struct {
	file int
	decl *decl
}

type spotKey struct {
	file int
	id   declID
}

func (n spot) key() spotKey {
	if n.decl == nil {
		return spotKey{file: n.file, id: declID{-1, -1}}
	}
	return spotKey{file: n.file, id: n.decl.id}
}

// edge is one use that leads from a node to a declaration.
type edge struct {
	from spot
	use  use
	out  outcome
}

// loose counts the uses that may be edges and are not known to be.
type loose struct{ ambiguous, external, unresolved int }

func (l *loose) add(b Binding) {
	switch b {
	case Ambiguous:
		l.ambiguous++
	case External:
		l.external++
	case Unresolved:
		l.unresolved++
	}
}

// node returns the node that a use stands in: the innermost declaration around
// it that can be called, else the outermost one, else the file.
func (b *binder) node(file int, in *decl) (spot, error) {
	n := spot{file: file}
	for d := in; d != nil; {
		n.decl = d
		if callableKind(d.sym.Kind) && !d.local() {
			break
		}
		up, err := b.parent(d)
		if err != nil {
			return n, err
		}
		d = up
	}
	return n, nil
}

// incoming returns the uses of a declaration in the given roles, in the order
// of files and lines.
func (b *binder) incoming(ds []*decl, role func(artifact.Role) bool) ([]edge, loose, error) {
	var out []edge
	var l loose
	everywhere, err := b.e.newFilter("", "", "")
	if err != nil {
		return nil, l, err
	}
	c := &collector{b: b, filter: everywhere, res: &UsesResult{}}
	c.each = func(u use, o outcome) error {
		if o.binding != Bound {
			l.add(o.binding)
			return nil
		}
		if len(o.decls) == 0 || b.e.hidden[b.t.files[u.file].path] {
			return nil
		}
		n, err := b.node(u.file, u.in)
		if err != nil {
			return err
		}
		out = append(out, edge{from: n, use: u, out: o})
		return nil
	}
	err = c.usesOfTarget(&target{decls: ds, binding: Bound}, role)
	return out, l, err
}

// outgoing returns the calls inside a declaration, in order.
func (b *binder) outgoing(d *decl) ([]edge, loose, error) {
	var out []edge
	var l loose
	uses, err := b.fileUses(d.file)
	if err != nil {
		return nil, l, err
	}
	for _, occ := range uses {
		if !isCall(occ.Role) || occ.Pos.Before(d.sym.Start) || d.sym.End.Before(occ.Pos) {
			continue
		}
		u := use{file: d.file, occ: occ}
		if u.in, err = b.enclosing(u.file, occ.Pos); err != nil {
			return nil, l, err
		}
		o, err := b.bind(u)
		if err != nil {
			return nil, l, err
		}
		if o.binding != Bound {
			l.add(o.binding)
			continue
		}
		if len(o.decls) > 0 {
			out = append(out, edge{from: spot{d.file, d}, use: u, out: o})
		}
	}
	return out, l, nil
}

// SymbolStep is a declaration that was reached, and the use that led there.
type SymbolStep struct {
	SymbolHit
	Depth int     `json:"depth"` // steps from the target
	Test  bool    `json:"test"`  // test or example code
	Via   *UseHit `json:"via,omitempty"`
}

// useHit turns an edge's use into a result, without targets.
func (b *binder) useHit(u use, o outcome) (*UseHit, error) {
	c := &collector{b: b, o: UsesOptions{K: 1}}
	var to []UseHit
	if err := c.list(&to, u, outcome{binding: o.binding, provenance: o.provenance, rule: o.rule}); err != nil {
		return nil, err
	}
	return &to[0], nil
}

// nodeHit turns a node into a result; a file's top level is the file.
func (b *binder) nodeHit(n spot, prov Provenance, rule string) (SymbolHit, error) {
	if n.decl != nil {
		return b.hit(n.decl, prov, rule)
	}
	f := &b.t.files[n.file]
	u, err := b.e.ix.Units(f.p)
	if err != nil {
		return SymbolHit{}, err
	}
	last := max(1, int(u.Lines(f.f)))
	text, err := b.line(n.file, 1)
	if err != nil {
		return SymbolHit{}, err
	}
	return SymbolHit{
		Place: placeOf(f.path, 1, last), Col: 1, NameLine: 1, Kind: "file", Name: baseName(f.path), Symbol: f.path,
		Provenance: prov, Rule: rule, SourceText: text, Origin: OriginArtifact,
	}, nil
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

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (b *binder) step(r reached) (SymbolStep, error) {
	s := SymbolStep{Depth: r.depth, Test: b.t.files[r.node.file].test}
	var err error
	if s.SymbolHit, err = b.nodeHit(r.node, r.by.out.provenance, r.by.out.rule); err != nil {
		return s, err
	}
	s.Via, err = b.useHit(r.by.use, r.by.out)
	return s, err
}

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
