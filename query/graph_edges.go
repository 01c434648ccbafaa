package query

import (
	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/treepath"
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
		Place: placeOf(f.path, 1, last), Col: 1, NameLine: 1, Kind: "file", Name: treepath.Base(f.path), Symbol: f.path,
		Provenance: prov, Rule: rule, SourceText: text, Origin: OriginArtifact,
	}, nil
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
