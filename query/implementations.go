package query

import (
	"context"
	"time"
)

// ImplementationsResult is the answer of Engine.Implementations.
type ImplementationsResult struct {
	Header
	Target  string      `json:"target"`
	Targets []SymbolHit `json:"targets"`
	Total   int         `json:"total"`
	Results []TypeStep  `json:"results"`
}

// Implementations lists the types below a type, or the methods that implement
// or override a method in the types below its own.
func (e *Engine) Implementations(ctx context.Context, o UsesOptions) (*ImplementationsResult, error) {
	begun := time.Now()
	res := &ImplementationsResult{Target: o.Target, Results: []TypeStep{}}
	err := e.answer(func() error {
		b, t, f, err := e.beginUses(ctx, "implementations", &o)
		if err != nil {
			return err
		}
		if res.Targets, err = b.targets(t, maxTargetsListed); err != nil {
			return err
		}
		found, err := b.implementations(t.decls)
		if err != nil {
			return err
		}
		c := &collector{b: b, filter: f}
		var kept []related
		for _, r := range found {
			if ok, err := c.passes(r.decl.file); err != nil {
				return err
			} else if ok {
				kept = append(kept, r)
			}
		}
		res.Total = len(kept)
		res.Results, err = b.typeSteps(kept, o.K)
		return err
	})
	if err != nil {
		return nil, err
	}
	res.Header, err = e.navHeader(ctx, begun, namesOf(o.Target, nil)...)
	return res, err
}

func (b *binder) implementations(ds []*decl) ([]related, error) {
	var out []related
	seen := map[declID]bool{}
	add := func(r related) {
		if !seen[r.decl.id] {
			seen[r.decl.id] = true
			out = append(out, r)
		}
	}
	for _, d := range ds {
		seen[d.id] = true
	}
	for _, d := range ds {
		stated, err := b.preciseImplementations(d)
		if err != nil {
			return nil, err
		}
		for _, r := range stated {
			add(r)
		}
	}
	for _, d := range ds {
		if d.container() {
			down, _, err := b.typeWalk([]*decl{d}, b.derived)
			if err != nil {
				return nil, err
			}
			for _, r := range down {
				add(r)
			}
			continue
		}
		class, err := b.classOf(d)
		if err != nil {
			return nil, err
		}
		if class == nil {
			continue
		}
		down, _, err := b.typeWalk([]*decl{class}, b.derived)
		if err != nil {
			return nil, err
		}
		for _, r := range down {
			own, err := b.ownMembers(r.decl, d.sym.Name)
			if err != nil {
				return nil, err
			}
			for _, m := range own {
				if callableKind(m.sym.Kind) == callableKind(d.sym.Kind) && !m.forward() {
					add(related{decl: m, how: "override", provenance: r.provenance, rule: r.rule, of: d, depth: r.depth})
				}
			}
		}
	}
	return out, nil
}
