package query

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/order"
)

// argument binds the name of an argument to the parameter of what is called:
// of a function, of a type's constructor, or to the field that a constructor
// made for the type takes it for.
func (b *binder) argumentName(u use) (outcome, error) {
	v, err := b.evaluate(place{u.file, u.occ.Pos, u.in}, u.occ.Receiver)
	if err != nil {
		return undecided, err
	}
	var found []*decl
	outside := v.external
	for n := 0; len(found) == 0 && n < 2; n++ {
		for _, d := range v.decls {
			ds, out, err := b.parametersOf(d, u.occ.Name)
			if err != nil {
				return undecided, err
			}
			found, outside = append(found, ds...), outside || out
		}
		for _, c := range v.of {
			call, _, err := b.memberFor(c, "__call__", false)
			if err != nil {
				return undecided, err
			}
			for _, d := range call {
				ds, _, err := b.parametersOf(d, u.occ.Name)
				if err != nil {
					return undecided, err
				}
				found = append(found, ds...)
			}
		}
		if v, err = b.settled(v, ""); err != nil {
			return undecided, err
		}
	}
	switch {
	case len(found) > 0:
		return b.decide(found, "parameter of what is called"), nil
	case outside:
		return external("a parameter of something outside the tree"), nil
	}
	return unresolved("what is called is not known to have such a parameter"), nil
}

// parametersOf returns the parameter of a callable, or of the constructor of a
// type, that has a name.
func (b *binder) parametersOf(d *decl, name string) (ds []*decl, outside bool, err error) {
	if d.container() {
		for _, ctor := range []string{"__init__", "__new__"} {
			inits, _, err := b.memberFor(d, ctor, false)
			if err != nil {
				return nil, false, err
			}
			for _, i := range inits {
				found, _, err := b.parametersOf(i, name)
				if err != nil {
					return nil, false, err
				}
				ds = append(ds, found...)
			}
			if len(inits) > 0 {
				return ds, false, nil
			}
		}
		// A dataclass or named tuple: a field with a written type.
		fields, _, err := b.memberFor(d, name, false)
		if err != nil {
			return nil, false, err
		}
		for _, f := range fields {
			if h, err := b.hintOf(f); err != nil {
				return nil, false, err
			} else if strings.HasPrefix(h, ":") && variableKind(f.sym.Kind) {
				ds = append(ds, f)
			}
		}
		open, err := b.openEnded(d)
		return ds, open, err
	}
	if d.row > 0 || !callableKind(d.sym.Kind) {
		return nil, false, nil
	}
	l, err := b.localsOf(d.file)
	if err != nil {
		return nil, false, err
	}
	for _, i := range l.byName[name] {
		x := &l.list[i]
		if x.Kind != artifact.KindParameter || x.Pos.Before(d.sym.Start) || d.sym.End.Before(x.Pos) {
			continue
		}
		// Not one of a function in it.
		if p, err := b.localDecl(d.file, i); err != nil {
			return nil, false, err
		} else if int(p.sym.Parent) == d.id.sym && d.sym.NamePos.Before(x.Start) && l.outermost(i, d) {
			ds = append(ds, p)
		}
	}
	return ds, false, nil
}

// outermost reports whether a local's scope is that of the callable d, and not
// one of a lambda or comprehension in it.
func (l *fileLocals) outermost(i int32, d *decl) bool {
	x := &l.list[i]
	return int(x.End.Line) >= int(d.sym.End.Line)
}

// nameInText binds a name that the facts leave out, by what stands there: a
// part of an imported module's name, the new name of an import, a module in
// front of a member.
func (b *binder) nameInText(file, line, col int) (*target, error) {
	t, err := b.text(file)
	if err != nil || t == nil {
		return nil, err
	}
	text := t.line(line)
	if col > len(text) || !identByte(text[col-1]) {
		return nil, nil
	}
	lo, hi := col-1, col-1
	for lo > 0 && identByte(text[lo-1]) {
		lo--
	}
	for hi < len(text) && identByte(text[hi]) {
		hi++
	}
	name, pos := string(text[lo:hi]), artifact.Position{Line: uint32(line), Col: uint32(lo) + 1}
	imports, err := b.fileImports(file)
	if err != nil {
		return nil, err
	}
	if b.t.files[file].lang == "python" {
		if t, err := b.moduleInText(file, line, text, lo, hi, imports); err != nil || t != nil {
			return t, err
		}
	}
	member := lo > 0 && text[lo-1] == '.'
	for i := range imports {
		im := &imports[i]
		if im.Alias != name || member || im.Alias == "" {
			continue
		}
		in, err := b.enclosing(file, pos)
		if err != nil {
			return nil, err
		}
		o, err := b.bind(use{file: file, in: in, occ: artifact.Occurrence{Name: name, Role: artifact.RoleRead, Pos: pos}})
		if err != nil {
			return nil, err
		}
		return &target{decls: o.decls, files: o.files, binding: o.binding, provenance: o.provenance, rule: o.rule}, nil
	}
	return nil, nil
}

// moduleName reports whether a bare name is one that every Python module has.
func moduleName(lang, name string) bool {
	if lang != "python" {
		return false
	}
	switch name {
	case "__name__", "__file__", "__doc__", "__path__", "__package__":
		return true
	}
	return false
}

func identByte(c byte) bool { return wordByte(c) || c >= 0x80 || c == '$' }

// moduleInText binds a part of a module's name in an import statement of
// Python.
func (b *binder) moduleInText(file, line int, text []byte, lo, hi int, imports []artifact.Import) (*target, error) {
	// The dotted name around it, and what is in front.
	from, to := lo, hi
	for from > 0 && (identByte(text[from-1]) || text[from-1] == '.') {
		from--
	}
	for to < len(text) && (identByte(text[to]) || text[to] == '.') {
		to++
	}
	dotted, prefix := string(text[from:to]), string(text[from:hi])
	before := strings.TrimSpace(string(text[:from]))
	keyword := before[strings.LastIndexAny(before, " \t;")+1:]
	for i := range imports {
		im := &imports[i]
		if int(im.Pos.Line) < line || int(im.Pos.Line) > line+64 {
			continue
		}
		if keyword == "from" && im.Module == dotted && (im.Name != "" || im.Alias == "") ||
			keyword != "from" && int(im.Pos.Line) == line && im.Name == "" && im.Module == dotted && int(im.Pos.Col) == from+1 {
			m, err := b.resolveModule(file, prefix)
			if err != nil {
				return nil, err
			}
			switch {
			case len(m.files) > 0:
				return &target{files: m.files, binding: Bound, provenance: Syntactic, rule: "import of the module"}, nil
			case m.external:
				return &target{binding: External, rule: "the import leads outside the tree"}, nil
			}
			return &target{binding: Unresolved, rule: "the imported module is not in the index"}, nil
		}
	}
	return nil, nil
}

// everyDeclaration adds, in Python, the other declarations of the same names:
// whatever assigns to a name of a module or type declares it.
func (b *binder) everyDeclaration(ds []*decl) ([]*decl, error) {
	if len(ds) == 0 {
		return ds, nil
	}
	switch lang := b.t.files[ds[0].file].lang; {
	case lang == "python":
	case family(lang) == "script" && ds[0].row == 0 && ds[0].sym.Kind == artifact.KindProperty:
		// A getter and a setter are one.
	default:
		return ds, nil
	}
	var out []*decl
	for _, d := range ds {
		if slices.Contains(out, d) {
			continue
		}
		all := []*decl{d}
		if !d.local() {
			same, err := b.inFile(d.file, d.sym.Name)
			if err != nil {
				return nil, err
			}
			for _, x := range same {
				if x != d && x.sym.Parent == d.sym.Parent && !x.local() {
					all = append(all, x)
				}
			}
			l, err := b.localsOf(d.file)
			if err != nil {
				return nil, err
			}
			for _, rows := range [][]int32{l.again[d.sym.Name], l.fields[d.sym.Name]} {
				for _, i := range rows {
					x, err := b.localDecl(d.file, i)
					if err != nil {
						return nil, err
					}
					if x != d && x.sym.Parent == d.sym.Parent {
						all = append(all, x)
					}
				}
			}
		}
		if d.container() || len(all) > 1 && b.memberish(d) {
			all = b.preferTyped(all)
		}
		for _, x := range all {
			if !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	order.Stable(out, func(x, y *decl) int {
		switch {
		case x.file != y.file:
			return x.file - y.file
		case x.sym.NamePos.Before(y.sym.NamePos):
			return -1
		case y.sym.NamePos.Before(x.sym.NamePos):
			return 1
		}
		return 0
	})
	return out, nil
}

// memberish reports whether a declaration is a member of a type.
func (b *binder) memberish(d *decl) bool {
	p, err := b.parent(d)
	return err == nil && p != nil && p.container()
}
