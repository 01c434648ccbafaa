package query

import (
	"cmp"
	"context"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/order"
)

// HierarchyResult is the answer of Engine.Hierarchy: what a type is made from,
// and what is made from it.
type HierarchyResult struct {
	Header
	Target     string      `json:"target"`
	Targets    []SymbolHit `json:"targets"`
	Total      int         `json:"total"` // supertypes and subtypes
	Supertypes []TypeStep  `json:"supertypes"`
	Subtypes   []TypeStep  `json:"subtypes"`
	Above      int         `json:"above"`      // supertypes, listed or not
	Below      int         `json:"below"`      // subtypes, listed or not
	External   int         `json:"external"`   // bases outside the tree
	Unresolved int         `json:"unresolved"` // bases that no rule binds
}

// TypeStep is a type above or below another.
type TypeStep struct {
	SymbolHit
	Depth int    `json:"depth"`         // steps from the target
	Of    string `json:"of"`            // qualified name of the type one step nearer
	How   string `json:"how,omitempty"` // "inherit" or "implement"
}

// Hierarchy lists the types that a type inherits from or implements, and those
// that inherit from or implement it, nearest first.
func (e *Engine) Hierarchy(ctx context.Context, o UsesOptions) (*HierarchyResult, error) {
	begun := time.Now()
	res := &HierarchyResult{Target: o.Target, Supertypes: []TypeStep{}, Subtypes: []TypeStep{}}
	err := e.answer(func() error {
		b, t, _, err := e.beginUses(ctx, "hierarchy", &o)
		if err != nil {
			return err
		}
		types, err := typesOf(t, o.Target)
		if err != nil {
			return err
		}
		if res.Targets, err = b.targets(&target{decls: types, binding: t.binding, provenance: t.provenance, rule: t.rule}, maxTargetsListed); err != nil {
			return err
		}
		up, l, err := b.typeWalk(types, b.supertypes)
		if err != nil {
			return err
		}
		res.External, res.Unresolved = l.external, l.unresolved
		down, _, err := b.typeWalk(types, b.derived)
		if err != nil {
			return err
		}
		res.Above, res.Below = len(up), len(down)
		res.Total = len(up) + len(down)
		if res.Supertypes, err = b.typeSteps(up, o.K); err != nil {
			return err
		}
		res.Subtypes, err = b.typeSteps(down, o.K)
		return err
	})
	if err != nil {
		return nil, err
	}
	res.Header, err = e.navHeader(ctx, begun)
	return res, err
}

func typesOf(t *target, name string) ([]*decl, error) {
	var out []*decl
	for _, d := range t.decls {
		if d.container() {
			out = append(out, d)
		}
	}
	if len(out) == 0 {
		return nil, fail.New(fail.NotFound, "name a class, struct, interface or trait", "%s is no type", quote(name))
	}
	return out, nil
}

// related is a type next to another.
type related struct {
	decl       *decl
	how        string
	provenance Provenance
	rule       string
	of         *decl
	depth      int
}

// typeWalk follows next from the given types, breadth first.
func (b *binder) typeWalk(from []*decl, next func(*decl) ([]related, loose, error)) ([]related, loose, error) {
	var out []related
	var sum loose
	seen := map[declID]bool{}
	type task struct {
		d     *decl
		depth int
	}
	var queue []task
	started := map[declID]bool{}
	for _, d := range from {
		started[d.id] = true
		queue = append(queue, task{d, 0})
	}
	for len(queue) > 0 && len(out) < maxVisited {
		t := queue[0]
		queue = queue[1:]
		rs, l, err := next(t.d)
		if err != nil {
			return nil, sum, err
		}
		sum.external += l.external
		sum.unresolved += l.unresolved
		for _, r := range rs {
			if seen[r.decl.id] || r.decl.id == t.d.id || len(from) == 1 && started[r.decl.id] || b.hides(r.decl) {
				continue
			}
			seen[r.decl.id] = true
			r.of, r.depth = t.d, t.depth+1
			out = append(out, r)
			if !started[r.decl.id] { // else it is on its way already
				queue = append(queue, task{r.decl, t.depth + 1})
			}
		}
	}
	order.Stable(out, func(x, y related) int {
		return cmp.Or(cmp.Compare(x.depth, y.depth), cmp.Compare(x.decl.file, y.decl.file))
	})
	return out, sum, nil
}

func (b *binder) typeSteps(rs []related, k int) ([]TypeStep, error) {
	out := []TypeStep{}
	for _, r := range rs[:min(k, len(rs))] {
		h, err := b.hit(r.decl, r.provenance, r.rule)
		if err != nil {
			return nil, err
		}
		out = append(out, TypeStep{SymbolHit: h, Depth: r.depth, Of: r.of.symbol(), How: r.how})
	}
	return out, nil
}

func isBase(r artifact.Role) bool { return r == artifact.RoleInherit || r == artifact.RoleImplement }

// supertypes returns the types that a type names as its bases, those that bind.
func (b *binder) supertypes(class *decl) ([]related, loose, error) {
	var l loose
	var out []related
	var failed error
	err := b.eachBase(class, func(occ artifact.Occurrence, o outcome) {
		if o.binding != Bound {
			l.add(o.binding)
			return
		}
		for _, d := range o.decls {
			rule := o.rule
			for range maxBases {
				next, err := b.aliased(d)
				if err != nil {
					failed = err
					return
				}
				if next == nil {
					break
				}
				d, rule = next, "another name of the type"
			}
			if d.container() && d.id != class.id {
				out = append(out, related{decl: d, how: occ.Role.String(), provenance: o.provenance, rule: rule})
			}
		}
	})
	return out, l, cmp.Or(err, failed)
}

// derived returns the types that name a type as a base, and in Go those that
// have the methods of an interface.
func (b *binder) derived(class *decl) ([]related, loose, error) {
	edges, l, err := b.incoming([]*decl{class}, isBase)
	if err != nil {
		return nil, l, err
	}
	if names, err := b.otherNames(class); err != nil {
		return nil, l, err
	} else if len(names) > 0 {
		more, loose, err := b.incoming(names, isBase)
		if err != nil {
			return nil, l, err
		}
		edges = append(edges, more...)
		l.ambiguous += loose.ambiguous
		l.external += loose.external
		l.unresolved += loose.unresolved
	}
	var out []related
	for _, e := range edges {
		d := e.use.in
		object := b.t.files[e.use.file].lang == "kotlin" && d != nil && !d.local() // a property's
		for d != nil && !d.container() && !object {
			if d, err = b.parent(d); err != nil {
				return nil, l, err
			}
		}
		if d == nil || d.id == class.id {
			continue
		}
		out = append(out, related{decl: d, how: e.use.occ.Role.String(), provenance: e.out.provenance, rule: e.out.rule})
	}
	more, err := b.anonymousBelow(class)
	if err != nil {
		return nil, l, err
	}
	out = append(out, more...)
	if b.t.files[class.file].lang == "go" && class.sym.Kind == artifact.KindInterface {
		more, err := b.goImplementers(class)
		if err != nil {
			return nil, l, err
		}
		out = append(out, more...)
	}
	return out, l, nil
}
