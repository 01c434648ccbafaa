package artifact

// addLocals adds the sections of locals, none where there are none.
func addLocals(w *segmentWriter, d *StructuralData, ids [][2]uint32) error {
	if len(d.Locals) == 0 {
		if len(d.LocalUses) > 0 {
			return damaged("structural: uses of locals without locals")
		}
		return nil
	}
	files := newTableWriter(d.Files, 2)
	if err := setEnds(files, 0, len(d.Locals), func(i int) uint32 { return d.Locals[i].File }); err != nil {
		return err
	}
	if err := setEnds(files, 1, len(d.LocalUses), func(i int) uint32 { return d.LocalUses[i].File }); err != nil {
		return err
	}
	t := newTableWriter(len(d.Locals), locColumns)
	prev := Position{1, 1}
	for i := range d.Locals {
		l := &d.Locals[i]
		if i == 0 || l.File != d.Locals[i-1].File {
			prev = Position{1, 1}
		}
		if l.Pos.Before(prev) || l.Pos.Col < 1 || l.Start.Line < 1 || l.Start.Col < 1 || l.End.Col < 1 ||
			l.End.Before(l.Start) || len(l.Type) > MaxTypeHint {
			return damaged("structural: local %d is out of order or has no valid scope", i)
		}
		t.set(i, locName, uint64(ids[i][0]))
		t.set(i, locKind, uint64(l.Kind))
		t.set(i, locLine, uint64(l.Pos.Line-prev.Line))
		t.set(i, locCol, uint64(l.Pos.Col-1))
		t.set(i, locType, uint64(ids[i][1]))
		t.set(i, locStartLine, zigzag(int64(l.Start.Line)-int64(l.Pos.Line)))
		t.set(i, locStartCol, uint64(l.Start.Col-1))
		t.set(i, locMoreLines, uint64(l.End.Line-l.Start.Line))
		t.set(i, locEndCol, uint64(l.End.Col-1))
		prev = l.Pos
	}
	u := newTableWriter(len(d.LocalUses), luColumns)
	for i := range d.LocalUses {
		l := &d.LocalUses[i]
		if i == 0 || l.File != d.LocalUses[i-1].File {
			prev = Position{1, 1}
		}
		if l.Pos.Before(prev) || l.Pos.Col < 1 {
			return damaged("structural: use %d of a local is out of order", i)
		}
		u.set(i, luLine, uint64(l.Pos.Line-prev.Line))
		u.set(i, luCol, uint64(l.Pos.Col-1))
		u.set(i, luRole, uint64(l.Role))
		u.set(i, luLocal, uint64(l.Local))
		prev = l.Pos
	}
	w.add(secStructLocalFiles, 0, files.bytes())
	w.add(secStructLocals, 0, t.bytes())
	w.add(secStructLocalUses, 0, u.bytes())
	return nil
}

// checkLocals compares the locals that r holds with those of d.
func checkLocals(r *StructuralReader, d *StructuralData) error {
	if r.locals != len(d.Locals) || r.localUses != len(d.LocalUses) {
		return damaged("structural: counts of locals differ when read back")
	}
	i, k := 0, 0
	for f := range d.Files {
		list, err := r.FileLocals(f)
		if err != nil {
			return err
		}
		for _, l := range list {
			if l != d.Locals[i] {
				return damaged("structural: local %d differs when read back", i)
			}
			i++
		}
		same := true
		if err := r.FileLocalUses(f, func(u LocalUse) bool {
			same = u == d.LocalUses[k]
			k++
			return same
		}); err != nil {
			return err
		}
		if !same {
			return damaged("structural: use %d of a local differs when read back", k-1)
		}
	}
	return nil
}
