package query

import (
	"context"
	"slices"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/treepath"
)

// Def finds the declaration of a target.
func (e *Engine) Def(ctx context.Context, text string) (*DefResult, error) {
	begun := time.Now()
	res := &DefResult{Target: text, Results: []SymbolHit{}}
	err := e.answer(func() error {
		b, err := e.newBinderFor(ctx, "def")
		if err != nil {
			return err
		}
		t, err := b.target(text)
		if err != nil {
			return e.missing(ctx, err, text)
		}
		if err := b.unhide(t); err != nil {
			return err
		}
		t.decls = append(slices.Clip(t.decls), t.also...)
		res.Binding = t.binding
		if t.binding == External || t.binding == Unresolved {
			res.Note = t.rule
		}
		if res.Results, err = b.targets(t, maxUses); err != nil {
			return err
		}
		res.Total = len(res.Results)
		return nil
	})
	if err != nil {
		return nil, err
	}
	res.Header, err = e.navHeader(ctx, begun, namesOf(text, res.Results)...)
	return res, err
}

// targets turns a target into results.
func (b *binder) targets(t *target, limit int) ([]SymbolHit, error) {
	out := []SymbolHit{}
	for _, d := range t.decls[:min(limit, len(t.decls))] {
		h, err := b.hit(d, t.provenance, t.rule)
		if err != nil {
			return nil, err
		}
		out = append(out, h)
	}
	for _, i := range t.files {
		if len(t.decls) > 0 {
			break // what a module exports as a whole
		}
		f := &b.t.files[i]
		u, err := b.e.ix.Units(f.p)
		if err != nil {
			return nil, err
		}
		first, err := b.firstLine(i)
		if err != nil {
			return nil, err
		}
		out = append(out, SymbolHit{
			Place: placeOf(f.path, first, int(max(1, u.File(f.f).Lines))), Level: levelName(artifact.L0), Kind: artifact.KindFile.String(),
			Name: treepath.Stem(f.path), Symbol: treepath.Stem(f.path), Provenance: t.provenance, Rule: t.rule, Origin: OriginArtifact,
		})
	}
	return out, nil
}

// unhide takes declarations in hidden files out of a target. A target that has
// no other is an error.
func (b *binder) unhide(t *target) error {
	if len(b.e.hidden) == 0 || len(t.decls) == 0 {
		return nil
	}
	first := t.decls[0]
	t.decls = slices.DeleteFunc(slices.Clone(t.decls), b.hides)
	if len(t.decls) == 0 {
		return b.e.hiddenFile(b.t.files[first.file].path)
	}
	return nil // one that is left of several is no more certain than it was
}

// hides reports whether a declaration lies in a hidden file.
func (b *binder) hides(d *decl) bool { return b.e.hidden[b.t.files[d.file].path] }

// Callees lists the calls inside a target, each with what it is bound to.
func (e *Engine) Callees(ctx context.Context, o UsesOptions) (*UsesResult, error) {
	begun := time.Now()
	var c *collector
	err := e.answer(func() error {
		b, t, filter, err := e.beginUses(ctx, "callees", &o)
		if err != nil {
			return err
		}
		if c, err = b.collect(t, o, filter); err != nil {
			return err
		}
		for _, d := range t.decls {
			uses, err := b.fileUses(d.file)
			if err != nil {
				return err
			}
			for _, occ := range uses {
				if !isCall(occ.Role) || occ.Pos.Before(d.sym.Start) || d.sym.End.Before(occ.Pos) {
					continue
				}
				if err := c.add(use{file: d.file, occ: occ}, nil); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil && err != errLooked {
		return nil, err
	}
	c.res.Header, err = e.navHeader(ctx, begun)
	return c.res, err
}
