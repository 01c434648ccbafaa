package artifact

import (
	"cmp"
	"slices"
)

// addPrecise adds the sections of the precise part to w; none without files.
func addPrecise(w *segmentWriter, d *StructuralData) error {
	p := &d.Precise
	if len(p.Files) == 0 {
		if len(p.Occurrences)+len(p.Relations)+len(p.Infos) > 0 {
			return damaged("structural: precise rows without files")
		}
		return nil
	}
	files := newTableWriter(d.Files, preciseFileColumns)
	for i, f := range p.Files {
		if int(f) >= d.Files || i > 0 && p.Files[i-1] >= f {
			return damaged("structural: precise file %d is out of order", f)
		}
		files.set(int(f), preciseFlag, 1)
	}
	symbols := newStringBuilder()
	ids := make([]uint32, 0, len(p.Occurrences)+2*len(p.Relations)+len(p.Infos))
	for i := range p.Occurrences {
		ids = append(ids, symbols.id(p.Occurrences[i].Symbol))
	}
	for i := range p.Relations {
		ids = append(ids, symbols.id(p.Relations[i].Symbol), symbols.id(p.Relations[i].Target))
	}
	for i := range p.Infos {
		ids = append(ids, symbols.id(p.Infos[i].Symbol))
	}
	renumbered := symbols.sort()
	next := func() uint64 {
		id := renumbered[ids[0]]
		ids = ids[1:]
		return uint64(id)
	}
	rows, extents, err := encodePreciseRows(d, files, next)
	if err != nil {
		return err
	}
	if err := setEnds(files, preciseEndRelated, len(p.Relations), func(i int) uint32 { return p.Relations[i].File }); err != nil {
		return err
	}
	relations := newTableWriter(len(p.Relations), relColumns)
	for i := range p.Relations {
		relations.set(i, relSymbol, next())
		relations.set(i, relTarget, next())
		relations.set(i, relFlags, uint64(p.Relations[i].Flags))
	}
	if err := setEnds(files, preciseEndInfos, len(p.Infos), func(i int) uint32 { return p.Infos[i].File }); err != nil {
		return err
	}
	infos := newTableWriter(len(p.Infos), infoColumns)
	for i := range p.Infos {
		infos.set(i, infoSymbol, next())
		infos.set(i, infoKind, uint64(p.Infos[i].Kind))
	}
	strs, err := encodeStrings(symbols.list)
	if err != nil {
		return err
	}
	w.add(secPreciseFiles, sectionRequired, files.bytes())
	w.add(secPreciseSymbols, sectionRequired, strs)
	w.add(secPreciseOccurrences, sectionRequired, rows.bytes())
	w.add(secPreciseExtents, sectionRequired, extents.bytes())
	w.add(secPreciseRelations, sectionRequired, relations.bytes())
	w.add(secPreciseInfos, sectionRequired, infos.bytes())
	return nil
}

func encodePreciseRows(d *StructuralData, files *tableWriter, next func() uint64) (rows, extents *tableWriter, err error) {
	p := &d.Precise
	if err := setEnds(files, preciseEndRows, len(p.Occurrences), func(i int) uint32 { return p.Occurrences[i].File }); err != nil {
		return nil, nil, err
	}
	n := 0
	for i := range p.Occurrences {
		if o := &p.Occurrences[i]; o.Decl >= 0 || o.Enclosing[0].Line > 0 {
			n++
		}
	}
	rows, extents = newTableWriter(len(p.Occurrences), preColumns), newTableWriter(n, extColumns)
	n = 0
	for i := range p.Occurrences {
		o := &p.Occurrences[i]
		if o.Start.Line < 1 || o.Start.Col < 1 || o.End.Col < 1 || o.End.Before(o.Start) {
			return nil, nil, damaged("structural: precise occurrence %d has no valid position", i)
		}
		if i > 0 && comparePrecise(&p.Occurrences[i-1], o) > 0 {
			return nil, nil, damaged("structural: precise occurrence %d is out of order", i)
		}
		rows.set(i, preSymbol, next())
		rows.set(i, preRoles, uint64(o.Roles))
		rows.set(i, preLine, uint64(o.Start.Line-1))
		rows.set(i, preCol, uint64(o.Start.Col-1))
		rows.set(i, preMore, uint64(o.End.Line-o.Start.Line))
		if o.End.Line == o.Start.Line {
			rows.set(i, preLength, uint64(o.End.Col-o.Start.Col))
		} else {
			rows.set(i, preLength, uint64(o.End.Col-1))
		}
		if o.Decl < 0 && o.Enclosing[0].Line == 0 {
			continue
		}
		extents.set(n, extRow, uint64(i))
		extents.set(n, extDecl, uint64(o.Decl+1))
		if e := o.Enclosing; e[0].Line > 0 {
			if e[0].Col < 1 || e[1].Col < 1 || e[1].Before(e[0]) {
				return nil, nil, damaged("structural: precise occurrence %d has no valid enclosing range", i)
			}
			extents.set(n, extStartLine, uint64(e[0].Line))
			extents.set(n, extStartCol, uint64(e[0].Col-1))
			extents.set(n, extEndLine, uint64(e[1].Line))
			extents.set(n, extEndCol, uint64(e[1].Col-1))
		}
		n++
	}
	return rows, extents, nil
}

// comparePrecise is the order of precise occurrences.
func comparePrecise(a, b *PreciseOccurrence) int {
	return cmp.Or(cmp.Compare(a.File, b.File), a.Start.compare(b.Start), a.End.compare(b.End), cmp.Compare(a.Symbol, b.Symbol))
}

func (p Position) compare(q Position) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
}

// checkPrecise compares the precise part of r with d.
func checkPrecise(r *StructuralReader, d *StructuralData) error {
	p := &d.Precise
	if r.HasPrecise() != (len(p.Files) > 0) || r.NumPreciseOccurrences() != len(p.Occurrences) {
		return damaged("structural: the precise part differs when read back")
	}
	var files []uint32
	for f := range d.Files {
		if r.Precise(f) {
			files = append(files, uint32(f))
		}
	}
	if !slices.Equal(files, p.Files) {
		return damaged("structural: the precise files differ when read back")
	}
	for i := range p.Occurrences {
		if o, err := r.PreciseOccurrence(i); err != nil || o != p.Occurrences[i] {
			return damaged("structural: precise occurrence %d differs when read back (%v)", i, err)
		}
	}
	i := 0
	if err := r.PreciseRelations("", "", func(x PreciseRelation) bool {
		if i++; i > len(p.Relations) || x != p.Relations[i-1] {
			i = -1
			return false
		}
		return true
	}); err != nil {
		return err
	}
	if i != len(p.Relations) {
		return damaged("structural: precise relations differ when read back")
	}
	i = 0
	for _, f := range p.Files {
		if err := r.PreciseInfos(int(f), func(x PreciseInfo) bool {
			if i++; i > len(p.Infos) || x != p.Infos[i-1] {
				i = -1
				return false
			}
			return true
		}); err != nil {
			return err
		}
		if i < 0 {
			break
		}
	}
	if i != len(p.Infos) {
		return damaged("structural: precise infos differ when read back")
	}
	return nil
}
