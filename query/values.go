package query

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// Types of expressions, as far as they are written: from hints that the
// compiler kept (see artifact.Local) and the declarations of the tree. Nothing
// is executed or guessed; what cannot be told has no value.

// place is where an expression stands.
type place struct {
	file int
	at   artifact.Position
	in   *decl // innermost declaration around it
}

// value is what an expression means or is known to be an instance of. The zero
// value is unknown.
type value struct {
	decls    []*decl // what a name refers to
	of       []*decl // types that it is an instance of
	files    []int   // a module
	external bool    // something outside the tree
	generic  string  // external: the type's own name
	args     []typeText
	params   []typeText // of a callable
	elem     *value     // what iterating gives, where no type argument says it
	super    bool       // members of the bases only
	recv     []*decl    // types of the receiver through which decls were reached
	rule     string
}

// typeText is a written type and where it stands.
type typeText struct {
	text string
	pl   place
	self []*decl
}

func (v *value) known() bool {
	return len(v.decls) > 0 || len(v.of) > 0 || len(v.files) > 0 || v.external
}

// told is what a binder remembers of values.
type told struct {
	locals    map[int]*fileLocals
	types     map[declID]value   // see typeOf
	lineages  map[declID][]*decl // see lineage
	openBases map[declID]bool    // types with a base that is not in the tree
	active    map[declID]bool    // callables whose results are being found
	depth     int
}

func newTold() told {
	return told{
		locals: map[int]*fileLocals{}, types: map[declID]value{}, lineages: map[declID][]*decl{},
		openBases: map[declID]bool{}, active: map[declID]bool{},
	}
}

// maxInfer bounds how deep types are followed.
const maxInfer = 24

// evaluate finds what a chain (see artifact.HintValue) means at a place.
func (b *binder) evaluate(pl place, chain string) (value, error) {
	if b.depth >= maxInfer {
		return value{}, nil
	}
	b.depth++
	defer func() { b.depth-- }()
	chain = strings.ReplaceAll(chain, "?.", ".")
	chain = strings.ReplaceAll(chain, "!.", ".")
	if rest, ok := strings.CutPrefix(chain, "module.exports"); ok {
		chain = "exports" + rest
	}
	n := chainName(chain)
	if n == 0 {
		return value{}, nil
	}
	if v, rest, err := b.dottedModule(pl, chain); err != nil || v.known() {
		if err != nil {
			return v, err
		}
		return b.follow(v, rest)
	}
	v, err := b.nameValue(pl, chain[:n])
	if err != nil {
		return value{}, err
	}
	return b.follow(v, chain[n:])
}

// follow applies the steps of a chain to a value.
func (b *binder) follow(v value, chain string) (value, error) {
	var err error
	for chain != "" && v.known() {
		switch c := chain[0]; c {
		case '.':
			n := chainName(chain[1:])
			if n == 0 {
				return value{}, nil
			}
			v, err = b.memberValue(v, chain[1:1+n])
			chain = chain[1+n:]
		case '(':
			if len(chain) >= 5 && chain[1] != ')' && chain[2] == ',' && chain[4] == ')' {
				v, err = b.passed(v, int(chain[1]-'0'), int(chain[3]-'0'))
				chain = chain[5:]
				break
			}
			if !strings.HasPrefix(chain, "()") {
				return value{}, nil
			}
			v, err = b.called(v)
			chain = chain[2:]
		case '[':
			end := strings.IndexByte(chain, ']')
			if end < 0 {
				return value{}, nil
			}
			v, err = b.subscripted(v, chain[1:end])
			chain = chain[end+1:]
		case '*':
			v, err = b.element(v)
			chain = chain[1:]
		case '^':
			v, err = b.entered(v)
			chain = chain[1:]
		case '~':
			var el value
			if el, err = b.element(v); err == nil {
				v = value{external: true, elem: &value{external: true, generic: "pair", elem: &el}}
			}
			chain = chain[1:]
		case '!', '?':
			chain = chain[1:]
		default:
			return value{}, nil
		}
		if err != nil {
			return value{}, err
		}
	}
	if chain != "" {
		return value{}, nil
	}
	return v, nil
}

// chainName returns the length of the name at the start of a chain.
func chainName(s string) int {
	i := 0
	for i < len(s) && (wordByte(s[i]) || s[i] >= 0x80 || s[i] == '$' || s[i] == '#' && i == 0 || s[i] == '@' && i == 0) {
		i++
	}
	return i
}

// nameValue finds what a bare name means at a place.
func (b *binder) nameValue(pl place, name string) (value, error) {
	lang := family(b.t.files[pl.file].lang)
	l, err := b.localsOf(pl.file)
	if err != nil {
		return value{}, err
	}
	tr := traitsOf(b.t.files[pl.file].lang)
	if lang == "python" && name == "super" || lang != "python" && (slices.Contains(tr.self, name) || slices.Contains(tr.super, name)) {
		if pl.in == nil {
			return value{}, nil
		}
		class, err := b.classOf(pl.in)
		if err != nil || class == nil {
			return value{}, err
		}
		return value{of: []*decl{class}, super: slices.Contains(tr.super, name), rule: name + " within the type"}, nil
	}
	if best := l.narrowed(pl.at, name); best >= 0 {
		x := &l.list[best]
		in, err := b.enclosing(pl.file, x.Pos)
		if err != nil {
			return value{}, err
		}
		v, err := b.typed(typeText{text: x.Type[1:], pl: place{pl.file, x.Pos, in}})
		v.rule = "the type that a test gives the receiver"
		return v, err
	}
	if row := l.holding(pl.at, name); row >= 0 {
		d, err := b.localDecl(pl.file, row)
		if err != nil {
			return value{}, err
		}
		return value{decls: []*decl{d}}, nil
	}
	o, err := b.bind(use{file: pl.file, in: pl.in, occ: artifact.Occurrence{Name: name, Role: artifact.RoleRead, Pos: pl.at}})
	if err != nil {
		return value{}, err
	}
	switch {
	case o.binding == External && !(lang == "script" && name == "exports"):
		return value{external: true, generic: name}, nil
	case o.provenance == Heuristic:
		return value{}, nil
	case len(o.files) > 0:
		return value{files: o.files, decls: o.decls}, nil
	case o.binding == Bound || o.binding == Ambiguous:
		return value{decls: o.decls}, nil
	}
	if lang == "script" && name == "exports" {
		return value{files: []int{pl.file}}, nil
	}
	if builtinType(lang, name) {
		return value{external: true, generic: name}, nil
	}
	return value{}, nil
}

// dottedModule finds the module that a dotted name means because "import
// a.b.c" binds its first component, and what of the chain is left.
func (b *binder) dottedModule(pl place, chain string) (value, string, error) {
	if b.t.files[pl.file].lang != "python" {
		return value{}, "", nil
	}
	n := chainName(chain)
	imports, err := b.fileImports(pl.file)
	if err != nil {
		return value{}, "", err
	}
	head, best, rest := chain[:n], "", ""
	for i := range imports {
		im := &imports[i]
		if im.Name != "" || im.Alias != head || !strings.HasPrefix(im.Module, head+".") {
			continue
		}
		// As much of the chain as is part of the imported module's name.
		k := 0
		for k < len(chain) && k < len(im.Module) && chain[k] == im.Module[k] {
			k++
		}
		for k > 0 && (k < len(chain) && chain[k] != '.' && chain[k] != '(' && chain[k] != '[' || k < len(im.Module) && im.Module[k] != '.') {
			k--
		}
		if k > len(best) {
			best, rest = chain[:k], chain[k:]
		}
	}
	if best == "" {
		return value{}, "", nil
	}
	m, err := b.resolveModule(pl.file, best)
	if err != nil {
		return value{}, "", err
	}
	return value{files: m.files, external: m.external}, rest, nil
}

// memberValue finds what value.name means.
func (b *binder) memberValue(v value, name string) (value, error) {
	switch {
	case len(v.files) > 0:
		m, err := b.moduleMember(v.files, name)
		if err != nil || m.known() || len(v.decls) == 0 {
			return m, err
		}
		v.files = nil
		return b.memberValue(v, name)
	case v.external:
		return value{external: true, generic: v.generic + "." + name, args: v.args}, nil
	}
	of := v.of
	var out value
	for _, d := range v.decls {
		if d.container() {
			ds, at, err := b.memberFor(d, name, false)
			if err != nil {
				return value{}, err
			}
			if len(ds) == 0 && d.sym.Kind == artifact.KindType {
				// A member of what an alias stands for.
				t, err := b.typeOf(d)
				if err != nil {
					return value{}, err
				}
				of = append(of[:len(of):len(of)], t.of...)
				continue
			}
			out.add(ds, d, at, "member of the type that qualifies it")
			if len(ds) == 0 {
				if out.external, err = b.openEnded(d); err != nil {
					return value{}, err
				}
			}
			continue
		}
		t, err := b.typeOf(d)
		if err != nil {
			return value{}, err
		}
		if t.external && len(t.of)+len(t.decls) == 0 {
			out.external, out.generic, out.args = true, t.generic+"."+name, t.args
			continue
		}
		if len(t.decls) > 0 && !slices.Contains(t.decls, d) || len(t.files) > 0 {
			m, err := b.memberValue(t, name)
			if err != nil {
				return value{}, err
			}
			for _, x := range m.decls {
				if !slices.Contains(out.decls, x) {
					out.decls = append(out.decls, x)
				}
			}
			out.external = out.external || m.external
			out.files = append(out.files, m.files...)
			out.recv = append(out.recv, m.recv...)
			if out.rule == "" {
				out.rule = m.rule
			}
			continue
		}
		of = append(of[:len(of):len(of)], t.of...)
		if t.rule != "" {
			v.rule = t.rule
		}
		ds, err := b.literalMember(d, name)
		if err != nil {
			return value{}, err
		}
		out.add(ds, nil, nil, "member of the object literal")
	}
	for _, class := range of {
		ds, at, err := b.memberFor(class, name, v.super)
		if err != nil {
			return value{}, err
		}
		rule := v.rule
		if rule == "" {
			rule = "member of the receiver's type"
		}
		out.add(ds, class, at, rule)
		if len(ds) == 0 {
			open, err := b.openEnded(class)
			if err != nil {
				return value{}, err
			}
			out.external = out.external || open
		}
	}
	if len(out.decls) > 0 {
		out.external = false
	}
	return out, nil
}

// add adds members that were found in type at, through type recv.
func (v *value) add(ds []*decl, recv, at *decl, rule string) {
	for _, d := range ds {
		if !slices.Contains(v.decls, d) {
			v.decls = append(v.decls, d)
		}
	}
	if len(ds) == 0 || recv == nil {
		if len(ds) > 0 && v.rule == "" {
			v.rule = rule
		}
		return
	}
	v.recv = append(v.recv, recv)
	if v.rule == "" {
		v.rule = rule
		if at != nil && at != recv {
			v.rule += ", inherited from " + at.symbol()
		}
	}
}

// memberFor finds a member of a type, with those that are set through self, in
// the type itself and then in its bases.
func (b *binder) memberFor(class *decl, name string, skipOwn bool) (ds []*decl, at *decl, err error) {
	line, err := b.lineage(class)
	if err != nil {
		return nil, nil, err
	}
	if skipOwn {
		line = line[1:]
	}
	for _, c := range line {
		if ds, err = b.ownMembers(c, name); err != nil {
			return nil, nil, err
		}
		var fs []*decl
		if len(ds) == 0 || b.t.files[c.file].lang == "python" {
			if fs, err = b.ownFields(c, name); err != nil {
				return nil, nil, err
			}
		}
		if ds = b.preferTyped(append(ds, fs...)); len(ds) > 0 {
			return ds, c, nil
		}
	}
	return nil, nil, nil
}

// ownFields returns the members that a type gets by assignment through self or
// this.
func (b *binder) ownFields(class *decl, name string) ([]*decl, error) {
	l, err := b.localsOf(class.file)
	if err != nil {
		return nil, err
	}
	var out []*decl
	for _, rows := range [][]int32{l.fields[name], l.again[name]} {
		for _, i := range rows {
			x := &l.list[i]
			if x.Pos.Before(class.sym.Start) || class.sym.End.Before(x.Pos) {
				continue
			}
			d, err := b.localDecl(class.file, i)
			if err != nil {
				return nil, err
			}
			if int(d.sym.Parent) == class.id.sym {
				out = append(out, d)
			}
		}
	}
	return out, nil
}

// preferTyped keeps the declarations whose type is written, or that are no
// variables, where there are such.
func (b *binder) preferTyped(ds []*decl) []*decl {
	if len(ds) < 2 {
		return ds
	}
	var out []*decl
	for _, d := range ds {
		if d.row == 0 && (!variableKind(d.sym.Kind) || d.sym.Kind == artifact.KindProperty) {
			out = append(out, d)
			continue
		}
		if h, err := b.hintOf(d); err == nil && strings.HasPrefix(h, ":") {
			out = append(out, d)
		}
	}
	if len(out) == 0 {
		return ds
	}
	return out
}

func variableKind(k artifact.Kind) bool {
	switch k {
	case artifact.KindVariable, artifact.KindConstant, artifact.KindField, artifact.KindParameter, artifact.KindProperty, artifact.KindEnumMember:
		return true
	}
	return false
}

// lineage returns a type and its bases in the order in which members are
// looked up.
func (b *binder) lineage(class *decl) ([]*decl, error) {
	if l, ok := b.lineages[class.id]; ok {
		return l, nil
	}
	b.lineages[class.id] = []*decl{class} // ends a cycle
	bases, err := b.basesOf(class)
	if err != nil {
		return nil, err
	}
	seqs := [][]*decl{}
	for _, base := range bases[:min(len(bases), maxBases)] {
		l, err := b.lineage(base)
		if err != nil {
			return nil, err
		}
		seqs = append(seqs, l)
	}
	seqs = append(seqs, bases)
	out := append([]*decl{class}, linearize(seqs, class)...)
	b.lineages[class.id] = out
	return out, nil
}

// linearize merges the lineages of bases so that each type comes before its
// own bases and the order of the bases is kept (C3). Where that cannot be, the
// first of them wins.
func linearize(seqs [][]*decl, class *decl) []*decl {
	var out []*decl
	for n := 0; n < 256; n++ {
		var next *decl
		for _, s := range seqs {
			if len(s) == 0 {
				continue
			}
			inTail := slices.ContainsFunc(seqs, func(o []*decl) bool { return len(o) > 1 && slices.Contains(o[1:], s[0]) })
			if next == nil || !inTail {
				next = s[0]
				if !inTail {
					break
				}
			}
		}
		if next == nil {
			break
		}
		if next != class && !slices.Contains(out, next) {
			out = append(out, next)
		}
		for i, s := range seqs {
			if k := slices.Index(s, next); k >= 0 {
				seqs[i] = slices.Delete(slices.Clone(s), k, k+1)
			}
		}
	}
	return out
}

// openEnded reports whether a type has a base that is outside of the tree or
// not known, from which any member may come.
func (b *binder) openEnded(class *decl) (bool, error) {
	line, err := b.lineage(class)
	if err != nil {
		return false, err
	}
	for _, c := range line {
		if _, err := b.basesOf(c); err != nil {
			return false, err
		}
		if b.openBases[c.id] {
			return true, nil
		}
	}
	return false, nil
}

// moduleMember finds what a module has under a name.
func (b *binder) moduleMember(files []int, name string) (value, error) {
	ds, outside, err := b.exportedBy(files, name, 0, map[int]bool{})
	if err != nil {
		return value{}, err
	}
	if len(ds) > 0 {
		return value{decls: b.lastDeclared(ds), rule: "import that names the defining module"}, nil
	}
	if outside {
		return value{external: true, generic: name}, nil
	}
	if b.t.files[files[0]].lang == "python" {
		if m, err := b.importedModule(files, name); err != nil || len(m) > 0 {
			return value{files: m}, err
		}
		if base := baseName(b.t.files[files[0]].path); strings.HasPrefix(base, "__init__.") {
			if sub := b.pythonAt(dirName(b.t.files[files[0]].path), name); len(sub) > 0 {
				return value{files: sub, rule: "import of the module"}, nil
			}
		}
	}
	return value{}, nil
}

// importedModule finds a module that files import under a name.
func (b *binder) importedModule(files []int, name string) ([]int, error) {
	for _, f := range files {
		imports, err := b.fileImports(f)
		if err != nil {
			return nil, err
		}
		for _, im := range imports {
			if im.Alias != name || im.Name == "*" {
				continue
			}
			mod := im.Module
			if im.Name == "" && strings.HasPrefix(mod, name+".") {
				mod = name
			}
			var m module
			if im.Name == "" {
				m, err = b.resolveModule(f, mod)
			} else {
				m, err = b.submodule(f, im.Module, im.Name)
			}
			if err != nil || len(m.files) > 0 {
				return m.files, err
			}
		}
	}
	return nil, nil
}

// hintOf returns what the index says of a declaration's type.
func (b *binder) hintOf(d *decl) (string, error) {
	l, err := b.localsOf(d.file)
	if err != nil {
		return "", err
	}
	if d.row > 0 {
		return l.list[d.row-1].Type, nil
	}
	return l.hints[d.sym.NamePos], nil
}

// placeOfDecl is where a declaration's own expressions stand.
func (b *binder) placeOfDecl(d *decl) (place, error) {
	in, err := b.parent(d)
	if err != nil {
		return place{}, err
	}
	if d.row > 0 {
		if in, err = b.enclosing(d.file, d.sym.NamePos); err != nil {
			return place{}, err
		}
	}
	return place{d.file, d.sym.NamePos, in}, nil
}

// typeOf finds the value of a declaration: for a variable that of what it
// holds, for a type or a callable itself.
func (b *binder) typeOf(d *decl) (value, error) {
	if v, ok := b.types[d.id]; ok {
		return v, nil
	}
	if b.depth >= maxInfer {
		return value{}, nil
	}
	b.types[d.id] = value{} // ends a cycle
	b.depth++
	v, err := b.typeFresh(d)
	b.depth--
	if err != nil {
		return value{}, err
	}
	b.types[d.id] = v
	return v, nil
}

func (b *binder) typeFresh(d *decl) (value, error) {
	switch {
	case d.sym.Kind == artifact.KindType:
		h, err := b.hintOf(d)
		if err != nil || h == "" || h[0] != artifact.HintWritten {
			return value{decls: []*decl{d}}, err
		}
		pl, err := b.placeOfDecl(d)
		if err != nil {
			return value{}, err
		}
		v, err := b.typed(typeText{text: h[1:], pl: pl})
		if err != nil || v.known() {
			return v, err
		}
		return value{of: []*decl{d}}, nil
	case d.container():
		return value{decls: []*decl{d}}, nil
	case d.sym.Kind == artifact.KindEnumMember:
		parent, err := b.parent(d)
		if err != nil || parent == nil {
			return value{}, err
		}
		return value{of: []*decl{parent}, rule: "member of the enumeration"}, nil
	case d.sym.Kind == artifact.KindProperty && d.row == 0:
		return b.resultOf(d, nil)
	case callableKind(d.sym.Kind):
		return value{decls: []*decl{d}}, nil
	}
	h, err := b.hintOf(d)
	if err != nil {
		return value{}, err
	}
	at := d
	if h == "" && d.row == 0 {
		// "x = None" and later "x = Foo()".
		l, err := b.localsOf(d.file)
		if err != nil {
			return value{}, err
		}
		for _, i := range l.again[d.sym.Name] {
			if l.list[i].Type == "" {
				continue
			}
			if at, err = b.localDecl(d.file, i); err != nil {
				return value{}, err
			}
			h = l.list[i].Type
			break
		}
	}
	if h == "" {
		return value{}, nil
	}
	pl, err := b.placeOfDecl(at)
	if err != nil {
		return value{}, err
	}
	if h[0] == artifact.HintAlias {
		v, err := b.typed(typeText{text: h[1:], pl: pl})
		return value{decls: v.of, external: v.external && len(v.of) == 0, generic: v.generic, args: v.args, params: v.params}, err
	}
	if h[0] == artifact.HintWritten {
		self, err := b.selfOf(pl.in)
		if err != nil {
			return value{}, err
		}
		v, err := b.typed(typeText{text: h[1:], pl: pl, self: self})
		v.rule = "the receiver's written type"
		if strings.HasPrefix(h, ":Self") || h == ":type[Self]" {
			v.rule = d.sym.Name + " within the type"
		}
		return v, err
	}
	v, err := b.evaluate(pl, h[1:])
	if err != nil {
		return value{}, err
	}
	return b.settled(v, "what the receiver is assigned from")
}

// selfOf returns the type around a place, nil for none.
func (b *binder) selfOf(in *decl) ([]*decl, error) {
	if in == nil {
		return nil, nil
	}
	class, err := b.classOf(in)
	if err != nil || class == nil {
		return nil, err
	}
	return []*decl{class}, nil
}

// settled replaces the variables that a value refers to by what they hold.
func (b *binder) settled(v value, rule string) (value, error) {
	out := value{of: v.of, files: v.files, external: v.external, elem: v.elem, generic: v.generic, args: v.args, params: v.params, recv: v.recv, super: v.super, rule: rule}
	for _, d := range v.decls {
		t, err := b.typeOf(d)
		if err != nil {
			return value{}, err
		}
		out.decls = append(out.decls, t.decls...)
		for _, c := range t.of {
			if !slices.Contains(out.of, c) {
				out.of = append(out.of[:len(out.of):len(out.of)], c)
			}
		}
		out.files = append(out.files, t.files...)
		if t.external {
			out.external, out.generic, out.args, out.elem, out.params = true, t.generic, t.args, t.elem, t.params
		}
	}
	return out, nil
}

// called finds what calling a value gives.
func (b *binder) called(v value) (value, error) {
	if v.super {
		return v, nil // super()
	}
	if v.external && len(v.decls)+len(v.of) == 0 {
		return b.calledOutside(v)
	}
	if len(v.files) > 0 && len(v.decls) == 0 {
		ds, err := b.defaultExport(v.files, "")
		if err != nil {
			return value{}, err
		}
		v.decls = ds
	}
	var out value
	merge := func(r value) {
		for _, c := range r.of {
			if !slices.Contains(out.of, c) {
				out.of = append(out.of, c)
			}
		}
		out.decls = append(out.decls, r.decls...)
		out.files = append(out.files, r.files...)
		if r.external {
			out.external, out.generic, out.args = true, r.generic, r.args
		}
	}
	out.rule = "returned by what is called"
	for _, d := range v.decls {
		switch {
		case d.container() && d.sym.Kind != artifact.KindObject:
			merge(value{of: []*decl{d}})
			out.rule = "constructed from the type"
		case callableKind(d.sym.Kind) && d.sym.Kind != artifact.KindProperty:
			r, err := b.resultOf(d, v.recv)
			if err != nil {
				return value{}, err
			}
			merge(r)
		default:
			t, err := b.typeOf(d)
			if err != nil {
				return value{}, err
			}
			if slices.Contains(t.decls, d) {
				continue
			}
			r, err := b.called(t)
			if err != nil {
				return value{}, err
			}
			merge(r)
		}
	}
	for _, c := range v.of {
		ds, _, err := b.memberFor(c, "__call__", false)
		if err != nil {
			return value{}, err
		}
		for _, d := range ds {
			r, err := b.resultOf(d, []*decl{c})
			if err != nil {
				return value{}, err
			}
			merge(r)
		}
	}
	return out, nil
}

// resultOf finds what a callable returns. recv is the type through which it
// was reached.
func (b *binder) resultOf(d *decl, recv []*decl) (value, error) {
	h, err := b.hintOf(d)
	if err != nil || h == "" {
		return value{}, err
	}
	if len(recv) == 0 {
		if recv, err = b.selfOf(d); err != nil {
			return value{}, err
		}
	}
	if h[0] == artifact.HintWritten {
		if generic, err := b.givesSelf(d, h); err != nil || generic {
			return value{of: recv, rule: "returned by what is called"}, err
		}
		v, err := b.typed(typeText{text: h[1:], pl: place{d.file, d.sym.NamePos, d}, self: recv})
		v.rule = "returned by what is called"
		return v, err
	}
	if b.active[d.id] || b.depth >= maxInfer {
		return value{}, nil
	}
	b.active[d.id] = true
	v, err := b.evaluate(place{d.file, d.sym.End, d}, h[1:])
	delete(b.active, d.id)
	if err != nil {
		return value{}, err
	}
	return b.settled(v, "returned by what is called")
}

// givesSelf reports whether a method's result has the type variable that its
// first parameter has: "def m(self: T) -> T".
func (b *binder) givesSelf(d *decl, hint string) (bool, error) {
	if !plainName(hint[1:]) || d.sym.Kind == artifact.KindFunction {
		return false, nil
	}
	l, err := b.localsOf(d.file)
	if err != nil {
		return false, err
	}
	for i := range l.list {
		x := &l.list[i]
		if x.Kind == artifact.KindParameter && !x.Pos.Before(d.sym.NamePos) && !d.sym.End.Before(x.Pos) {
			return x.Type == hint, nil
		}
	}
	return false, nil
}

// subscripted finds what value[index] gives.
func (b *binder) subscripted(v value, index string) (value, error) {
	if v.generic == "pair" && v.elem != nil {
		if index == "1" {
			return *v.elem, nil
		}
		return value{external: true}, nil
	}
	v, err := b.settled(v, v.rule)
	if err != nil {
		return value{}, err
	}
	for _, c := range v.of {
		ds, _, err := b.memberFor(c, "__getitem__", false)
		if err != nil {
			return value{}, err
		}
		for _, d := range ds {
			return b.resultOf(d, []*decl{c})
		}
	}
	for _, c := range v.decls {
		if c.container() {
			return value{decls: []*decl{c}}, nil // Generic[T]
		}
	}
	return b.argument(v, subscriptOf(v.generic, len(v.args), index))
}

// element finds what iterating over a value gives.
func (b *binder) element(v value) (value, error) {
	if v.elem != nil {
		return *v.elem, nil
	}
	v, err := b.settled(v, v.rule)
	if err != nil {
		return value{}, err
	}
	for _, c := range v.of {
		for _, name := range []string{"__iter__", "__aiter__", "__getitem__"} {
			ds, _, err := b.memberFor(c, name, false)
			if err != nil {
				return value{}, err
			}
			for _, d := range ds {
				r, err := b.resultOf(d, []*decl{c})
				if err != nil || name == "__getitem__" {
					return r, err
				}
				if slices.Equal(r.of, v.of) {
					continue
				}
				return b.element(r)
			}
		}
	}
	for _, c := range v.decls {
		if c.sym.Kind == artifact.KindEnum {
			return value{of: []*decl{c}}, nil
		}
	}
	return b.argument(v, elementOf(v.generic, len(v.args)))
}

// entered finds what "with value as" gives.
func (b *binder) entered(v value) (value, error) {
	v, err := b.settled(v, v.rule)
	if err != nil {
		return value{}, err
	}
	for _, c := range v.of {
		for _, name := range []string{"__enter__", "__aenter__"} {
			ds, _, err := b.memberFor(c, name, false)
			if err != nil {
				return value{}, err
			}
			for _, d := range ds {
				r, err := b.resultOf(d, []*decl{c})
				r.rule = "what the context manager gives"
				return r, err
			}
		}
	}
	if len(v.args) > 0 {
		return b.argument(v, 0)
	}
	return value{}, nil
}

// argument is the type argument with the given number, unknown for none.
func (b *binder) argument(v value, n int) (value, error) {
	if n < 0 || n >= len(v.args) {
		if v.external {
			return value{external: true}, nil
		}
		return value{}, nil
	}
	return b.typed(v.args[n])
}

// memberOfChain binds receiver.name where the receiver's value can be told.
func (b *binder) memberOfChain(u use) (outcome, error) {
	v, err := b.evaluate(place{u.file, u.occ.Pos, u.in}, u.occ.Receiver)
	if err != nil || !v.known() {
		return undecided, err
	}
	m, err := b.memberValue(v, u.occ.Name)
	if err != nil {
		return undecided, err
	}
	if ds := b.pick(u, m.decls, true); len(ds) > 0 {
		rule := m.rule
		if rule == "" {
			rule = "member of the receiver's type"
		}
		return b.decide(ds, rule), nil
	}
	if len(m.files) > 0 {
		return outcome{binding: Bound, provenance: Syntactic, rule: "import of the module", files: m.files}, nil
	}
	if m.external {
		return external("its receiver's type is outside the tree"), nil
	}
	if len(v.decls) > 0 && len(v.of) == 0 && !slices.ContainsFunc(v.decls, func(d *decl) bool { return d.container() }) {
		t, err := b.settled(v, "")
		if err != nil || !t.known() {
			return undecided, err
		}
	}
	return unresolved("the receiver has no such member in the index"), nil
}

// lastDeclared keeps, of the declarations of a Python module's name, the one
// that importers get: the last one, with the overloads in front of it.
func (b *binder) lastDeclared(ds []*decl) []*decl {
	if len(ds) < 2 || b.t.files[ds[0].file].lang != "python" {
		return ds
	}
	ds = b.preferTyped(ds)
	last := ds[len(ds)-1]
	var out []*decl
	for _, d := range ds {
		if d == last || d.forward() && d.file == last.file && callableKind(d.sym.Kind) {
			out = append(out, d)
		}
	}
	return out
}

// narrowed returns the innermost range around a place in which a test gives a
// name a type, -1 for none.
func (l *fileLocals) narrowed(at artifact.Position, name string) int32 {
	best := int32(-1)
	for _, i := range l.narrow[name] {
		if l.holds(i, at) && (best < 0 || l.list[best].Start.Before(l.list[i].Start)) {
			best = i
		}
	}
	return best
}

// holding returns the declaration of a local that tells what it holds at a
// place: one whose type is written, else the last in front of the place. It is
// -1 when the name means no local there.
func (l *fileLocals) holding(at artifact.Position, name string) int32 {
	rows := l.at(at, name)
	if len(rows) == 0 {
		return -1
	}
	row := rows[0]
	for _, i := range rows {
		if strings.HasPrefix(l.list[i].Type, ":") {
			return i
		}
		if !at.Before(l.list[i].Pos) {
			row = i
		}
	}
	// "x = x.next()": the value comes from the assignment before.
	if l.list[row].Pos.Line == at.Line && strings.HasPrefix(l.list[row].Type, "="+name) {
		for k := len(rows) - 1; k > 0; k-- {
			if rows[k] == row {
				row = rows[k-1]
			}
		}
	}
	return row
}
