package query

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// withConstructor adds the constructor of a type to what "new Type" means.
func (b *binder) withConstructor(o outcome) (outcome, error) {
	if o.binding != Bound || len(o.decls) != 1 || o.decls[0].sym.Kind != artifact.KindClass {
		return o, nil
	}
	ds, _, err := b.memberFor(o.decls[0], "constructor", false)
	if err != nil {
		return o, err
	}
	ds = slices.DeleteFunc(slices.Clone(ds), func(d *decl) bool { return d.sym.Kind != artifact.KindConstructor })
	if len(ds) > 0 {
		o.decls = append(slices.Clone(o.decls), ds...)
	}
	return o, nil
}

// importedFrom is the binding that an import makes, as a declaration: what a
// name from outside the tree leads to within it.
func (b *binder) importedFrom(file int, im artifact.Import) *decl {
	id := declID{-2_000_000 - file, int(im.Pos.Line)<<12 | int(im.Pos.Col)}
	if d := b.decls[id]; d != nil {
		return d
	}
	d := &decl{id: id, file: file, names: []string{im.Alias}, sym: artifact.Symbol{
		Name: im.Alias, Kind: artifact.KindModule, Flags: artifact.SymbolLocal, Parent: -1, NamePos: im.Pos, Start: im.Pos, End: im.Pos,
	}}
	b.decls[id] = d
	return d
}

// orBinding adds to the outcome of a script's name from outside the tree the
// import that binds it.
func (b *binder) orBinding(u use, im artifact.Import, o outcome) outcome {
	if o.binding == External && len(o.decls) == 0 && im.Alias != "" && im.Module != "" && family(b.t.files[u.file].lang) == "script" {
		o.decls, o.provenance = []*decl{b.importedFrom(u.file, im)}, Syntactic
	}
	return o
}

// calledToo adds, to what a script's called name means, the function that it
// holds when it is no function itself.
func (b *binder) calledToo(o outcome, bare bool) (outcome, error) {
	if o.binding != Bound || len(o.decls) != 1 {
		return o, nil
	}
	d := o.decls[0]
	if d.container() || d.sym.Kind != artifact.KindProperty && callableKind(d.sym.Kind) || d.unlisted() {
		return o, nil
	}
	v, err := b.typeOf(d)
	if err != nil {
		return o, err
	}
	if len(o.files) > 0 && len(v.decls) == 0 {
		// What a required module has from another one.
		imports, err := b.fileImports(o.files[0])
		if err != nil {
			return o, err
		}
		for _, im := range imports {
			if im.Name == "*" {
				m, err := b.resolveModule(o.files[0], im.Module)
				if err != nil {
					return o, err
				}
				v.files = append(v.files, m.files...)
			}
		}
	}
	if len(v.files) > 0 {
		ds, _, err := b.exportedBy(v.files, "default", 0, map[int]bool{})
		if err != nil {
			return o, err
		}
		v.decls = ds
	}
	if len(v.of) == 1 && len(v.decls) == 0 {
		sig, err := b.callSignature(v.of[0], bare)
		if err != nil || sig == nil {
			return o, err
		}
		o.decls = []*decl{d, sig}
		return o, nil
	}
	if len(v.decls) == 1 && v.decls[0] != d && callableKind(v.decls[0].sym.Kind) {
		o.decls = []*decl{d, v.decls[0]}
	}
	return o, nil
}

// required reports whether an import is a call of require.
func (b *binder) required(file int, im artifact.Import) (bool, error) {
	t, err := b.text(file)
	if err != nil || t == nil {
		return false, err
	}
	return bytes.Contains(t.line(int(im.Pos.Line)), []byte("require(")), nil
}

// firstLine returns the line in which a file's code begins: in scripts behind
// the comments, elsewhere the first.
func (b *binder) firstLine(file int) (int, error) {
	if family(b.t.files[file].lang) != "script" {
		return 1, nil
	}
	t, err := b.text(file)
	if err != nil || t == nil {
		return 1, err
	}
	comment := false
	for n := 1; n <= len(t.starts); n++ {
		line := bytes.TrimSpace(t.line(n))
		for comment || bytes.HasPrefix(line, []byte("/*")) {
			end := bytes.Index(line, []byte("*/"))
			if comment = end < 0; comment {
				break
			}
			line = bytes.TrimSpace(line[end+2:])
		}
		if !comment && len(line) > 0 && !bytes.HasPrefix(line, []byte("//")) && !bytes.HasPrefix(line, []byte("#!")) {
			return n, nil
		}
	}
	return 1, nil
}

// inBlock binds a bare name of a script to a function or class that a block
// around it declares.
func (b *binder) inBlock(u use) ([]*decl, error) {
	l, err := b.localsOf(u.file)
	if err != nil {
		return nil, err
	}
	best := int32(-1)
	for _, i := range l.blocks[u.occ.Name] {
		if l.holds(i, u.occ.Pos) && (best < 0 || l.list[best].Start.Before(l.list[i].Start)) {
			best = i
		}
	}
	if best < 0 {
		return nil, nil
	}
	ds, err := b.inFile(u.file, u.occ.Name)
	if err != nil {
		return nil, err
	}
	for _, d := range ds {
		if d.sym.NamePos == l.list[best].Pos {
			return []*decl{d}, nil
		}
	}
	return nil, nil
}

// wholeExports returns the places where modules export another module as
// their own: "module.exports = require('x')".
func (b *binder) wholeExports(files []int) ([]*decl, error) {
	for _, f := range files {
		l, err := b.localsOf(f)
		if err != nil {
			return nil, err
		}
		for _, i := range l.fields["exports"] {
			if l.list[i].Start == (artifact.Position{Line: 1, Col: 1}) {
				d, err := b.localDecl(f, i)
				return []*decl{d}, err
			}
		}
	}
	return nil, nil
}

// contextTarget returns what a key of an argument means: the member of the
// parameter's type, or itself.
func (b *binder) contextTarget(file int, x *artifact.Local) (*target, error) {
	// Where no type has such a member, the key means itself.
	all, err := b.declared(x.Name)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(all, func(d *decl) bool { return memberKind(d.sym.Kind) && len(d.names) > 1 && !d.local() }) {
		for i, k := range b.locals[file].list {
			if k == *x {
				d, err := b.localDecl(file, int32(i))
				return &target{decls: []*decl{d}, binding: Bound, provenance: Syntactic, rule: "declared there"}, err
			}
		}
	}
	unknown := &target{binding: Unresolved, rule: "a key of an argument whose parameter's type is not known"}
	callee, arg, ok := strings.Cut(strings.TrimSuffix(x.Type[1:], ",0)"), "(")
	for {
		head, tail, more := strings.Cut(arg, "(")
		if !more {
			break
		}
		callee, arg = callee+"("+head, tail
	}
	if !ok || len(arg) != 1 {
		return unknown, nil
	}
	in, err := b.enclosing(file, x.Pos)
	if err != nil {
		return nil, err
	}
	v, err := b.evaluate(place{file, x.Pos, in}, callee)
	if err != nil {
		return nil, err
	}
	for _, d := range v.decls {
		if d.container() {
			ds, _, err := b.memberFor(d, "constructor", false)
			if err != nil {
				return nil, err
			}
			if len(ds) == 0 {
				continue
			}
			d = ds[0]
		}
		p, err := b.parameterOf(d, int(arg[0]-'0'))
		if err != nil || p == nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		m, err := b.memberValue(value{decls: []*decl{p}}, x.Name)
		if err != nil {
			return nil, err
		}
		if len(m.decls) > 0 {
			return &target{decls: m.decls, binding: Bound, provenance: Syntactic, rule: "member of the parameter's type"}, nil
		}
	}
	return unknown, nil
}

// callSignature returns the signature by which a value of a type is called: the
// first with parameters, or for a bare call the first without any. A type with
// one signature has no choice.
func (b *binder) callSignature(class *decl, bare bool) (*decl, error) {
	l, err := b.localsOf(class.file)
	if err != nil {
		return nil, err
	}
	var all, fit []*decl
	for _, name := range []string{"(", "<"} {
		sigs, err := b.ownFields(class, name)
		if err != nil {
			return nil, err
		}
		for _, s := range sigs {
			x := &l.list[s.row-1]
			parameters := slices.ContainsFunc(l.list, func(p artifact.Local) bool {
				return p.Kind == artifact.KindParameter && p.Start == x.Start && p.End == x.End
			})
			all = append(all, s)
			if parameters != bare {
				fit = append(fit, s)
			}
		}
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(fit) > 0:
		return slices.MinFunc(fit, func(x, y *decl) int {
			if x.sym.NamePos.Before(y.sym.NamePos) {
				return -1
			}
			return 1
		}), nil
	}
	return nil, nil
}

// bareCall reports whether a call in a script has no arguments: "f()" or
// "f<T>()".
func (b *binder) bareCall(u use) (bool, error) {
	t, err := b.text(u.file)
	if err != nil || t == nil {
		return false, err
	}
	line := t.line(int(u.occ.Pos.Line))
	rest := line[min(len(line), int(u.occ.Pos.Col)-1+len(u.occ.Name)):]
	if len(rest) > 0 && rest[0] == '<' {
		depth := 0
		for i, c := range rest {
			if c == '<' {
				depth++
			} else if c == '>' && rest[i-1] != '=' {
				if depth--; depth == 0 {
					rest = rest[i+1:]
					break
				}
			}
		}
	}
	return bytes.HasPrefix(rest, []byte("()")), nil
}
