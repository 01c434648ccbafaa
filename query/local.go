package query

import (
	"slices"
	"sort"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// fileLocals is what the callables and blocks of one file bind.
type fileLocals struct {
	first  int // number of the first in its partition
	list   []artifact.Local
	byName map[string][]int32           // locals in scopes, by name
	byPos  map[artifact.Position]int32  // every entry that declares, by the place of its name
	fields map[string][]int32           // members set through self or this, keys of literals
	hints  map[artifact.Position]string // what is known of a symbol's type
	again  map[string][]int32           // later assignments to a symbol
	blocks map[string][]int32           // functions and classes that blocks declare: symbols
	narrow map[string][]int32           // ranges in which a name's type is narrower

	uses     []artifact.LocalUse
	usesRead bool
}

// localsOf reads the locals of a file.
func (b *binder) localsOf(file int) (*fileLocals, error) {
	if l, ok := b.locals[file]; ok {
		return l, nil
	}
	f := &b.t.files[file]
	st, err := b.e.ix.Structural(f.p)
	if err != nil {
		return nil, err
	}
	l := &fileLocals{}
	l.first, _ = st.LocalRows(f.f)
	if l.list, err = st.FileLocals(f.f); err != nil {
		return nil, err
	}
	b.locals[file] = l
	if len(l.list) == 0 {
		return l, nil
	}
	l.byName, l.byPos, l.fields = map[string][]int32{}, map[artifact.Position]int32{}, map[string][]int32{}
	l.hints, l.again, l.narrow = map[artifact.Position]string{}, map[string][]int32{}, map[string][]int32{}
	l.blocks = map[string][]int32{}
	symbols := map[artifact.Position]bool{}
	lo, hi := st.FileSymbols(f.f)
	for i := lo; i < hi; i++ {
		symbols[st.SymbolNamePos(i)] = true
	}
	for i := range l.list {
		x, n := &l.list[i], int32(i)
		switch {
		case x.Kind == artifact.KindUnknown && x.Start != x.End:
			l.narrow[x.Name] = append(l.narrow[x.Name], n)
			continue
		case x.Kind == artifact.KindUnknown && symbols[x.Pos]:
			l.hints[x.Pos] = x.Type
			continue
		case symbols[x.Pos] && (x.Kind == artifact.KindFunction || x.Kind == artifact.KindClass):
			l.blocks[x.Name] = append(l.blocks[x.Name], n)
			continue
		case x.Kind == artifact.KindUnknown:
			l.again[x.Name] = append(l.again[x.Name], n)
		case x.Kind == artifact.KindField:
			l.fields[x.Name] = append(l.fields[x.Name], n)
		default:
			l.byName[x.Name] = append(l.byName[x.Name], n)
		}
		l.byPos[x.Pos] = n
	}
	return l, nil
}

func (l *fileLocals) holds(i int32, at artifact.Position) bool {
	x := &l.list[i]
	return !at.Before(x.Start) && at.Before(x.End)
}

// at returns the locals that a name means at a place: those of the innermost
// scope around it that binds the name, in source order.
func (l *fileLocals) at(at artifact.Position, name string) []int32 {
	best := int32(-1)
	for _, i := range l.byName[name] {
		if !l.holds(i, at) {
			continue
		}
		if best < 0 || l.list[best].Start.Before(l.list[i].Start) ||
			l.list[best].Start == l.list[i].Start && l.list[i].End.Before(l.list[best].End) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	return l.group(best)
}

// group returns the declarations of one local: a name may be bound several
// times in its scope.
func (l *fileLocals) group(i int32) []int32 {
	x := &l.list[i]
	var out []int32
	for _, k := range l.byName[x.Name] {
		if y := &l.list[k]; y.Start == x.Start && y.End == x.End {
			out = append(out, k)
		}
	}
	return out
}

// localUses returns the uses of a file's locals.
func (b *binder) localUses(file int) ([]artifact.LocalUse, error) {
	l, err := b.localsOf(file)
	if err != nil || l.usesRead {
		return l.uses, err
	}
	f := &b.t.files[file]
	st, err := b.e.ix.Structural(f.p)
	if err != nil {
		return nil, err
	}
	l.usesRead = true
	return l.uses, st.FileLocalUses(f.f, func(u artifact.LocalUse) bool {
		l.uses = append(l.uses, u)
		return true
	})
}

// localDecl returns local i of a file as a declaration. Its number continues
// those of the partition's symbols.
func (b *binder) localDecl(file int, i int32) (*decl, error) {
	l, err := b.localsOf(file)
	if err != nil {
		return nil, err
	}
	f := &b.t.files[file]
	st, err := b.e.ix.Structural(f.p)
	if err != nil {
		return nil, err
	}
	id := declID{f.p, st.NumSymbols() + l.first + int(i)}
	if d := b.decls[id]; d != nil {
		return d, nil
	}
	x := &l.list[i]
	s := artifact.Symbol{
		Name: x.Name, Kind: x.Kind, Flags: artifact.SymbolLocal, File: uint32(f.f), Parent: -1,
		NamePos: x.Pos, Start: x.Pos, End: artifact.Position{Line: x.Pos.Line, Col: x.Pos.Col + uint32(max(1, len(x.Name))) - 1},
	}
	if x.Kind == artifact.KindUnknown {
		s.Kind, s.Flags = artifact.KindVariable, 0
	}
	around, err := b.enclosing(file, x.Pos)
	if err != nil {
		return nil, err
	}
	if x.Kind == artifact.KindField || x.Kind == artifact.KindUnknown {
		s.Flags = 0
		for around != nil && (!around.container() || around.sym.Kind == artifact.KindNamespace || around.sym.Kind == artifact.KindModule) {
			if around, err = b.parent(around); err != nil {
				return nil, err
			}
		}
	}
	d := &decl{id: id, file: file, names: []string{x.Name}, row: i + 1}
	if around != nil {
		s.Parent, s.Unit = int32(around.id.sym), around.sym.Unit
		s.Descriptor = around.sym.Descriptor
		d.names = append(slices.Clone(around.names), x.Name)
	} else {
		u, err := b.e.ix.Units(f.p)
		if err != nil {
			return nil, err
		}
		lo, _ := u.FileUnits(f.f)
		s.Unit = uint32(lo)
	}
	switch x.Kind {
	case artifact.KindParameter:
		s.Descriptor += "(" + x.Name + ")"
	case artifact.KindTypeParameter:
		s.Descriptor += "[" + x.Name + "]"
	default:
		s.Descriptor += x.Name + "."
	}
	d.sym = s
	b.decls[id] = d
	return d, nil
}

// localByID returns the local whose number continues the symbols of a
// partition.
func (b *binder) localByID(p, row int) (*decl, error) {
	st, err := b.e.ix.Structural(p)
	if err != nil {
		return nil, err
	}
	f := sort.Search(st.NumFiles(), func(f int) bool { _, hi := st.LocalRows(f); return hi > row })
	lo, _ := st.LocalRows(f)
	return b.localDecl(b.t.number[p][f], int32(row-lo))
}

// localDecls returns several locals of a file as declarations.
func (b *binder) localDecls(file int, rows []int32) ([]*decl, error) {
	out := make([]*decl, 0, len(rows))
	for _, i := range rows {
		d, err := b.localDecl(file, i)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// localTarget returns what stands at a place when it is a local's declaration
// or use; nil when it is not.
func (b *binder) localTarget(file, line, col int) (*target, error) {
	l, err := b.localsOf(file)
	if err != nil || len(l.list) == 0 {
		return nil, err
	}
	covers := func(pos artifact.Position, name string) bool {
		return int(pos.Line) == line && int(pos.Col) <= col && col < int(pos.Col)+len(name)
	}
	lo := sort.Search(len(l.list), func(i int) bool { return int(l.list[i].Pos.Line) >= line })
	for i := lo; i < len(l.list) && int(l.list[i].Pos.Line) == line; i++ {
		x := &l.list[i]
		if !covers(x.Pos, x.Name) || x.Start != x.End && x.Kind == artifact.KindUnknown {
			continue
		}
		if at, ok := l.byPos[x.Pos]; !ok || at != int32(i) {
			continue
		}
		if strings.HasPrefix(x.Type, string(artifact.HintContext)) && b.t.files[file].lang != "javascript" {
			return b.contextTarget(file, x)
		}
		var ds []*decl
		var err error
		if x.Kind == artifact.KindField || x.Kind == artifact.KindUnknown {
			var d *decl
			if d, err = b.localDecl(file, int32(i)); err == nil {
				ds, err = b.everyDeclaration([]*decl{d})
			}
		} else {
			ds, err = b.localDecls(file, l.group(int32(i)))
		}
		if err != nil {
			return nil, err
		}
		return &target{decls: ds, binding: Bound, provenance: Syntactic, rule: "declared there"}, nil
	}
	uses, err := b.localUses(file)
	if err != nil {
		return nil, err
	}
	lo = sort.Search(len(uses), func(i int) bool { return int(uses[i].Pos.Line) >= line })
	for _, u := range uses[lo:] {
		if int(u.Pos.Line) != line {
			break
		}
		if !covers(u.Pos, l.list[u.Local].Name) {
			continue
		}
		ds, err := b.localDecls(file, l.group(int32(u.Local)))
		if err != nil {
			return nil, err
		}
		return &target{decls: ds, binding: Bound, provenance: Syntactic, rule: localRule(ds)}, nil
	}
	return nil, nil
}

func localRule(ds []*decl) string {
	if len(ds) > 0 && ds[0].sym.Kind == artifact.KindParameter {
		return "parameter of the enclosing callable"
	}
	return "declared in the enclosing scope"
}

// usesOfLocals lists the uses of a target that is local.
func (c *collector) usesOfLocals(t *target, role func(artifact.Role) bool) error {
	b := c.b
	done := map[int]map[int32]bool{}
	for _, d := range t.decls {
		if d.row == 0 {
			continue
		}
		l, err := b.localsOf(d.file)
		if err != nil {
			return err
		}
		if x := &l.list[d.row-1]; x.Kind == artifact.KindField || x.Kind == artifact.KindUnknown {
			continue
		}
		if done[d.file] == nil {
			done[d.file] = map[int32]bool{}
		}
		for _, i := range l.group(d.row - 1) {
			done[d.file][i] = true
		}
	}
	if err := c.usesAsArgument(t, role); err != nil {
		return err
	}
	for _, file := range sortedFiles(done) {
		uses, err := b.localUses(file)
		if err != nil {
			return err
		}
		l := b.locals[file]
		for _, u := range uses {
			if !done[file][int32(u.Local)] || !role(u.Role) {
				continue
			}
			ds, err := b.localDecls(file, l.group(int32(u.Local)))
			if err != nil {
				return err
			}
			use := use{file: file, occ: artifact.Occurrence{Pos: u.Pos, Role: u.Role, Name: l.list[u.Local].Name}}
			if use.in, err = b.enclosing(file, u.Pos); err != nil {
				return err
			}
			ok, err := c.passes(file)
			if err != nil {
				return err
			}
			if ok && overlaps(ds, t.decls) {
				if err := c.file(use, bound(Syntactic, localRule(ds), ds)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// usesAsArgument lists the calls that name a parameter.
func (c *collector) usesAsArgument(t *target, role func(artifact.Role) bool) error {
	b := c.b
	names := map[string]bool{}
	for _, d := range t.decls {
		if d.sym.Kind == artifact.KindParameter && b.t.files[d.file].lang == "python" {
			names[d.sym.Name] = true
		}
	}
	if len(names) == 0 || !role(artifact.RoleArgument) {
		return nil
	}
	for p := range b.e.parts() {
		st, err := b.e.ix.Structural(p)
		if err != nil {
			return err
		}
		var found []use
		for _, name := range sortedKeys(names) {
			if err := st.Occurrences(name, func(o artifact.Occurrence) bool {
				if o.Role == artifact.RoleArgument && b.t.number[p][o.File] >= 0 {
					found = append(found, use{file: b.t.number[p][o.File], occ: o})
				}
				return true
			}); err != nil {
				return err
			}
		}
		for _, u := range found {
			if err := c.add(u, t); err != nil {
				return err
			}
		}
	}
	return nil
}

func sortedFiles(m map[int]map[int32]bool) []int {
	out := make([]int, 0, len(m))
	for f := range m {
		out = append(out, f)
	}
	slices.Sort(out)
	return out
}

// passes reports whether the filter keeps uses in a file.
func (c *collector) passes(file int) (bool, error) {
	if c.filter.all {
		return true, nil
	}
	f := &c.b.t.files[file]
	units, err := c.b.e.ix.Units(f.p)
	if err != nil {
		return false, err
	}
	return c.filter.file(units, f.f), nil
}
