package query

import (
	"cmp"
	"context"
	"sort"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/order"
)

// Outline lists what a file declares, or the files below a folder ("" or "."
// for all). Skipped files are listed with the reason. An index without the
// structural view knows only of declarations that are units of their own.
func (e *Engine) Outline(ctx context.Context, path string) (*OutlineResult, error) {
	begun := time.Now()
	res := &OutlineResult{Path: cleanPath(path), Results: []OutlineEntry{}}
	err := e.answer(func() error { return e.outline(ctx, res) })
	if err != nil {
		return nil, err
	}
	res.Total = len(res.Results)
	res.Header = e.header(begun)
	return res, nil
}

func (e *Engine) outline(ctx context.Context, res *OutlineResult) error {
	path := res.Path
	if from, err := e.holding(path); err != nil {
		return err
	} else if from == e.over && from != nil {
		return changedOutline(path)
	}
	if path != "" {
		p, f, ok, err := e.ix.FindFile(path)
		if err != nil {
			return err
		}
		if ok {
			u, err := e.ix.Units(p)
			if err != nil {
				return err
			}
			res.Results = append(res.Results, fileOutline(u, f))
			return e.fileDeclares(p, f, u, res)
		}
	}
	prefix := path + "/"
	if path == "" {
		prefix = ""
	}
	for p := range e.parts() {
		u, err := e.ix.Units(p)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		n := u.NumFiles()
		lo := sort.Search(n, func(i int) bool { return string(u.PathBytes(i)) >= prefix })
		for f := lo; f < n && strings.HasPrefix(string(u.PathBytes(f)), prefix); f++ {
			if !e.hidden[u.Path(f)] {
				res.Results = append(res.Results, fileOutline(u, f))
			}
		}
	}
	if e.over != nil {
		if err := e.addChanged(prefix, res); err != nil {
			return err
		}
	}
	if len(res.Results) == 0 && path != "" {
		t, err := e.fileTable(ctx)
		if err != nil {
			return err
		}
		return t.noSuchPath(path)
	}
	return nil
}

func fileOutline(u *artifact.UnitsReader, f int) OutlineEntry {
	rec := u.File(f)
	return OutlineEntry{
		Place: placeOf(rec.Path, 1, int(max(1, rec.Lines))), Level: levelName(artifact.L0), Kind: artifact.KindFile.String(),
		Lang: rec.Lang, Skipped: rec.Skip.String(), Degraded: rec.Degraded.String(),
	}
}

// outlineNode is an entry with those inside it. Entries are nested as the
// declarations are, which need not stand inside each other in the text.
type outlineNode struct {
	entry    OutlineEntry
	start    artifact.Position
	children []*outlineNode
}

// fileDeclares adds the file's units and the declarations that have no unit of
// their own: variables, fields, and what else stands in a remainder. The text
// between declarations declares nothing, and what is local to a callable is no
// one's business outside of it.
func (e *Engine) fileDeclares(p, f int, u *artifact.UnitsReader, res *OutlineResult) error {
	lo, hi := u.FileUnits(f)
	ids := u.FileUnitIDs(f)
	var top outlineNode
	ofUnit := make([]*outlineNode, hi-lo)
	for i := lo; i < hi; i++ {
		unit := u.Unit(i)
		switch {
		case unit.Level == artifact.L0:
			res.Results[0].ID = ids[i-lo]
			ofUnit[i-lo] = &top
			continue
		case unit.Kind == artifact.KindRemainder:
			ofUnit[i-lo] = ofUnit[int(unit.Parent)-lo] // what it holds is the parent's
			continue
		}
		n := &outlineNode{start: artifact.Position{Line: unit.StartLine}, entry: OutlineEntry{
			Place: placeOf(u.Path(f), int(unit.StartLine), int(unit.EndLine)),
			Level: levelName(unit.Level), Kind: unit.Kind.String(), Name: unit.Name, Symbol: unit.Symbol, ID: ids[i-lo],
		}}
		ofUnit[i-lo] = n
		up := ofUnit[int(unit.Parent)-lo]
		up.children = append(up.children, n)
	}
	if e.has(artifact.Structural) {
		if err := e.addSymbols(p, f, u, ofUnit); err != nil {
			return err
		}
	}
	res.Results = top.list(res.Results, 0)
	return nil
}

// addSymbols puts the declarations of a file without a unit of their own below
// what encloses them.
func (e *Engine) addSymbols(p, f int, u *artifact.UnitsReader, ofUnit []*outlineNode) error {
	r, err := e.ix.Structural(p)
	if err != nil {
		return err
	}
	lo, hi := r.FileSymbols(f)
	first, _ := u.FileUnits(f)
	nodes := make([]*outlineNode, hi-lo)
	taken := make([]bool, len(ofUnit))
	for i := lo; i < hi; i++ {
		s := r.Symbol(i)
		own := int(s.Unit) - first
		var up *outlineNode
		if parent := int(s.Parent) - lo; s.Parent >= 0 && parent >= 0 && parent < i-lo {
			if up = nodes[parent]; up == nil {
				continue // inside what is not listed
			}
		}
		switch unit := u.Unit(int(s.Unit)); {
		case s.Flags&artifact.SymbolLocal != 0, s.Name == "", s.Kind == artifact.KindParameter, s.Kind == artifact.KindTypeParameter:
			continue
		case !taken[own] && unit.Level != artifact.L0 && unit.Name == s.Name:
			taken[own] = true
			nodes[i-lo], ofUnit[own].start = ofUnit[own], s.Start
			continue
		case up == nil:
			up = ofUnit[own]
		}
		n := &outlineNode{start: s.Start, entry: OutlineEntry{
			Place: placeOf(u.Path(f), int(s.Start.Line), int(max(s.Start.Line, s.End.Line))),
			Level: levelName(artifact.L2), Kind: s.Kind.String(), Name: s.Name, Symbol: s.Name,
		}}
		if up.entry.Symbol != "" {
			n.entry.Symbol = up.entry.Symbol + "." + s.Name
		}
		nodes[i-lo] = n
		up.children = append(up.children, n)
	}
	return nil
}

// list appends what is inside n, each entry before what is inside it.
func (n *outlineNode) list(out []OutlineEntry, depth int) []OutlineEntry {
	order.Stable(n.children, func(a, b *outlineNode) int {
		return cmp.Or(cmp.Compare(a.start.Line, b.start.Line), cmp.Compare(a.start.Col, b.start.Col))
	})
	for _, c := range n.children {
		c.entry.Depth = depth + 1
		out = c.list(append(out, c.entry), depth+1)
	}
	return out
}
