package units

import (
	"cmp"
	"slices"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/syntax"
)

// position returns where off stands in the original file.
func (b *builder) position(off uint32) artifact.Position {
	l := b.pos.at(off)
	return artifact.Position{
		Line: uint32(l) + 1,
		Col:  b.text.Original(off) - b.text.RangeStart(b.lt.starts[l]) + 1,
	}
}

// endPosition returns where the last byte before end stands.
func (b *builder) endPosition(end uint32) artifact.Position {
	l := b.lt.last(0, end)
	return artifact.Position{
		Line: uint32(l) + 1,
		Col:  b.text.Original(end) - b.text.RangeStart(b.lt.starts[l]),
	}
}

// symbols writes one symbol for each declaration with a name.
func (b *builder) symbols(decls []syntax.Decl) {
	order := make([]int32, 0, len(decls))
	for i := range decls {
		if d := &decls[i]; d.Name != "" && d.Start < d.End && d.Start < b.size {
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(x, y int32) int {
		return cmp.Or(cmp.Compare(decls[x].Start, decls[y].Start), cmp.Compare(decls[y].End, decls[x].End))
	})
	number := make([]int32, len(decls))
	for i := range number {
		number[i] = -1
	}
	b.res.Symbols = make([]artifact.Symbol, 0, len(order))
	for _, i := range order {
		d, info := &decls[i], &b.decls[i]
		start, end := d.Start, min(d.End, b.size)
		at := d.NameAt
		if at < start || at >= end {
			at = start
		}
		s := artifact.Symbol{
			Name: clip(d.Name, maxName), Descriptor: info.descriptor, Kind: d.Kind, Flags: d.Flags,
			Unit: uint32(info.unit), Parent: -1,
			NamePos: b.position(at), Start: b.position(start), End: b.endPosition(end),
		}
		if info.local {
			s.Flags |= artifact.SymbolLocal
		}
		if info.unit == 0 {
			s.Unit = uint32(b.unitAt(at))
		}
		// Parents come first, or the facts are wrong; those without a symbol
		// are passed over.
		for c, p := i, d.Parent; p >= 0 && p < c; c, p = p, decls[p].Parent {
			if number[p] >= 0 {
				s.Parent = number[p]
				break
			}
		}
		number[i] = int32(len(b.res.Symbols))
		b.res.Symbols = append(b.res.Symbols, s)
	}
}

// uses writes occurrences and imports.
func (b *builder) uses(f *syntax.Facts) {
	b.res.Occurrences = make([]artifact.Occurrence, 0, len(f.Occurrences))
	for i := range f.Occurrences {
		o := &f.Occurrences[i]
		if o.At >= b.size || o.Name == "" || len(o.Name) > maxName {
			continue
		}
		b.res.Occurrences = append(b.res.Occurrences, artifact.Occurrence{
			Pos: b.position(o.At), Role: o.Role, Name: o.Name, Receiver: o.Receiver})
	}
	if !slices.IsSortedFunc(b.res.Occurrences, byPosition) {
		slices.SortStableFunc(b.res.Occurrences, byPosition)
	}
	for i := range f.Imports {
		m := &f.Imports[i]
		if m.At >= b.size {
			continue
		}
		b.res.Imports = append(b.res.Imports, artifact.Import{
			Pos: b.position(m.At), Module: clip(m.Module, maxSymbol), Name: clip(m.Name, maxName), Alias: clip(m.Alias, maxName)})
	}
	slices.SortStableFunc(b.res.Imports, func(x, y artifact.Import) int {
		return cmp.Or(cmp.Compare(x.Pos.Line, y.Pos.Line), cmp.Compare(x.Pos.Col, y.Pos.Col))
	})
}

// locals writes what callables and blocks bind, and where that is used.
func (b *builder) locals(f *syntax.Facts) {
	if len(f.Locals) == 0 {
		return
	}
	order := make([]int32, 0, len(f.Locals))
	for i := range f.Locals {
		if l := &f.Locals[i]; l.At < b.size && l.Name != "" && len(l.Name) <= maxName && l.Start <= l.End {
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(f.Locals[x].At, f.Locals[y].At) })
	number := make([]int32, len(f.Locals))
	for i := range number {
		number[i] = -1
	}
	b.res.Locals = make([]artifact.Local, 0, len(order))
	for _, i := range order {
		l := &f.Locals[i]
		number[i] = int32(len(b.res.Locals))
		out := artifact.Local{Name: l.Name, Kind: l.Kind, Pos: b.position(l.At), Type: l.Type}
		out.Start, out.End = b.position(min(l.Start, b.size)), b.position(min(l.End, b.size))
		b.res.Locals = append(b.res.Locals, out)
	}
	b.res.LocalUses = make([]artifact.LocalUse, 0, len(f.LocalUses))
	for i := range f.LocalUses {
		u := &f.LocalUses[i]
		if u.At >= b.size || number[u.Local] < 0 {
			continue
		}
		b.res.LocalUses = append(b.res.LocalUses, artifact.LocalUse{Pos: b.position(u.At), Role: u.Role, Local: uint32(number[u.Local])})
	}
	slices.SortStableFunc(b.res.LocalUses, func(x, y artifact.LocalUse) int {
		return cmp.Or(cmp.Compare(x.Pos.Line, y.Pos.Line), cmp.Compare(x.Pos.Col, y.Pos.Col))
	})
}

func byPosition(x, y artifact.Occurrence) int {
	return cmp.Or(cmp.Compare(x.Pos.Line, y.Pos.Line), cmp.Compare(x.Pos.Col, y.Pos.Col))
}
