package query

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// maxBases bounds the walk through base types.
const maxBases = 32

// memberOfSelf binds self.name, this.name, super().name and, in Go, a use of
// the method's own receiver.
func (b *binder) memberOfSelf(u use) (outcome, error) {
	comps, ok := splitReceiver(u.occ.Receiver)
	if super, err := b.pythonSuper(u); err != nil {
		return undecided, err
	} else if super {
		comps, ok = []string{"super"}, true
	}
	if !ok || len(comps) != 1 || u.in == nil {
		return undecided, nil
	}
	tr := traitsOf(b.t.files[u.file].lang)
	self, super := slices.Contains(tr.self, comps[0]), slices.Contains(tr.super, comps[0])
	rule := comps[0] + " within the type"
	if b.t.files[u.file].lang == "go" {
		name, err := b.goReceiver(u.in)
		if err != nil {
			return undecided, err
		}
		if self = name != "" && name == comps[0]; self {
			rule = "the method's own receiver"
		}
	}
	if !self && !super {
		return undecided, nil
	}
	class, err := b.classOf(u.in)
	if err != nil || class == nil {
		return undecided, err
	}
	return b.memberOf(u, class, rule, super)
}

// pythonSuper reports whether the receiver is a call of super, which is no
// plain chain of names.
func (b *binder) pythonSuper(u use) (bool, error) {
	if u.occ.Receiver != "…" || b.t.files[u.file].lang != "python" {
		return false, nil
	}
	t, err := b.text(u.file)
	if err != nil || t == nil {
		return false, err
	}
	line := t.line(int(u.occ.Pos.Line))
	before := bytes.TrimRight(line[:min(int(u.occ.Pos.Col)-1, len(line))], " \t")
	before, ok := bytes.CutSuffix(before, []byte("."))
	if !ok {
		return false, nil
	}
	i := bytes.LastIndex(before, []byte("super("))
	return i >= 0 && bytes.IndexByte(before[i:], ')') == len(before[i:])-1, nil
}

// memberOf binds to the member u.occ.Name of a type or of its bases. A member
// that is nowhere there is unresolved: it may come from a base outside.
func (b *binder) memberOf(u use, class *decl, rule string, skipOwn bool) (outcome, error) {
	var ds []*decl
	var at *decl
	var err error
	if skipOwn {
		ds, at, err = b.inherited(class, u.occ.Name)
	} else {
		ds, at, err = b.member(class, u.occ.Name)
	}
	if err != nil {
		return undecided, err
	}
	if at != nil && at != class {
		rule += ", inherited from " + at.symbol()
	}
	if o := b.decide(b.pick(u, ds, true), rule); o.binding != "" {
		return o, nil
	}
	return unresolved("the type has no such member in the index"), nil
}

// goReceiver returns the name of the receiver of the Go method around d.
func (b *binder) goReceiver(d *decl) (string, error) {
	for d != nil && d.sym.Kind != artifact.KindMethod {
		var err error
		if d, err = b.parent(d); err != nil {
			return "", err
		}
	}
	if d == nil {
		return "", nil
	}
	sig, err := b.signature(d)
	if err != nil {
		return "", err
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(sig), "func")
	if !ok {
		return "", nil
	}
	rest, ok = strings.CutPrefix(strings.TrimSpace(rest), "(")
	if !ok {
		return "", nil
	}
	name, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if !plainName(name) {
		return "", nil
	}
	return name, nil
}

func plainName(s string) bool {
	for i := range len(s) {
		if !wordByte(s[i]) && s[i] < 0x80 && s[i] != '$' {
			return false
		}
	}
	return s != ""
}

// maxSignature bounds the text that is read as a signature, in lines.
const maxSignature = 24

// signature returns a callable's declaration from the line of its name up to
// its body, "" without the source view.
func (b *binder) signature(d *decl) (string, error) {
	t, err := b.text(d.file)
	if err != nil || t == nil {
		return "", err
	}
	var sig []byte
	depth := 0
	for n := int(d.sym.NamePos.Line); n <= min(int(d.sym.End.Line), int(d.sym.NamePos.Line)+maxSignature); n++ {
		for _, c := range t.line(n) {
			switch c {
			case '(', '[':
				depth++
			case ')', ']':
				depth--
			case '{', ';':
				if depth <= 0 {
					return string(sig), nil
				}
			}
			sig = append(sig, c)
		}
		sig = append(sig, ' ')
		if s := bytes.TrimRight(sig, " "); depth <= 0 && len(s) > 0 && s[len(s)-1] == ':' {
			break // Python's body begins
		}
	}
	return string(sig), nil
}

// memberOfImport binds module.name through the import that binds the
// receiver's first name, and Class.name through an imported class.
func (b *binder) memberOfImport(u use) (outcome, error) {
	comps, ok := splitReceiver(u.occ.Receiver)
	if !ok {
		return undecided, nil
	}
	imports, err := b.fileImports(u.file)
	if err != nil {
		return undecided, err
	}
	lang := b.t.files[u.file].lang
	if o, err := b.dottedImport(u, imports, comps); err != nil || o.binding != "" {
		return o, err
	}
	for _, im := range imports {
		if im.Alias != comps[0] || im.Alias == "" {
			continue
		}
		if im.Name == "" || im.Name == "*" {
			return b.inModule(u, im.Module, comps[1:], lang)
		}
		// from x import y; y.name — y is a class, an object or a module.
		o, err := b.through(use{file: u.file, occ: artifact.Occurrence{Name: im.Alias, Role: artifact.RoleRead}, in: u.in}, im)
		if err != nil {
			return undecided, err
		}
		switch {
		case o.binding == External:
			return external("the import leads outside the tree"), nil
		case len(o.files) > 0:
			return b.inFiles(u, o.files, comps[1:])
		case o.binding == Bound:
			return b.qualified(u, o.decls, comps[1:], "member of an imported type")
		}
		return undecided, nil
	}
	if lang == "rust" {
		return b.rustPath(u, comps)
	}
	return undecided, nil
}

// rustPath binds a path that begins with crate, self or super, or with the
// name of a crate, which needs no import.
func (b *binder) rustPath(u use, comps []string) (outcome, error) {
	switch comps[0] {
	case "crate", "super":
	case "self":
		if !strings.Contains(u.occ.Receiver, "::") {
			return undecided, nil
		}
	default:
		if err := b.loadProjects(); err != nil {
			return undecided, err
		}
		if !slices.ContainsFunc(b.projects.crates, func(c project) bool { return c.name == comps[0] }) {
			return undecided, nil
		}
		if ds, err := b.typesInScope(u, comps[0]); err != nil || len(ds) > 0 {
			return undecided, err // a module of the same name stands nearer
		}
	}
	return b.inModule(u, comps[0], comps[1:], "rust")
}

// dottedImport handles "import a.b.c" in Python, which binds a and makes
// a.b.c.name a member of that module.
func (b *binder) dottedImport(u use, imports []artifact.Import, comps []string) (outcome, error) {
	if b.t.files[u.file].lang != "python" {
		return undecided, nil
	}
	dotted := strings.Join(comps, ".")
	for _, im := range imports {
		if im.Name == "" && strings.HasPrefix(im.Module, comps[0]) && im.Alias == comps[0] {
			// The alias stands for the first component, or for the whole
			// module when it was written with "as".
			if im.Module == comps[0] || strings.HasPrefix(im.Module, comps[0]+".") {
				m, err := b.resolveModule(u.file, dotted)
				if err != nil {
					return undecided, err
				}
				if len(m.files) > 0 {
					return b.inFiles(u, m.files, nil)
				}
				return b.inModule(u, comps[0], comps[1:], "python")
			}
		}
	}
	return undecided, nil
}

// inModule binds a name that is qualified by a module and, behind it, by path.
func (b *binder) inModule(u use, mod string, path []string, lang string) (outcome, error) {
	m, err := b.resolveModule(u.file, mod)
	if err != nil {
		return undecided, err
	}
	if m.external {
		return external("the import leads outside the tree"), nil
	}
	for len(path) > 0 {
		sub, err := b.submodule(u.file, mod, path[0])
		if err != nil {
			return undecided, err
		}
		if len(sub.files) == 0 {
			break
		}
		m = sub
		if lang == "python" {
			mod += "." + path[0]
		} else {
			mod += "::" + path[0]
		}
		path = path[1:]
	}
	if len(m.files) == 0 {
		return unresolved("the imported module is not in the index"), nil
	}
	return b.inFiles(u, m.files, path)
}

// inFiles binds a name to a top-level declaration of a module's files, or to a
// member of one.
func (b *binder) inFiles(u use, files []int, path []string) (outcome, error) {
	name := u.occ.Name
	if len(path) > 0 {
		name = path[0]
	}
	ds, outside, err := b.exportedBy(files, name, 0, map[int]bool{})
	if err != nil {
		return undecided, err
	}
	if len(path) > 0 {
		if len(ds) == 0 {
			if outside {
				return external("re-exported from outside the tree"), nil
			}
			return unresolved("the imported module does not declare it"), nil
		}
		return b.qualified(u, ds, path[1:], "member of a type of an imported module")
	}
	if o := b.decide(b.pick(u, ds, true), "import that names the defining module"); o.binding != "" {
		return o, nil
	}
	if outside {
		return external("re-exported from outside the tree"), nil
	}
	return unresolved("the imported module does not declare it"), nil
}

// memberOfType binds Type.name where the receiver is the name of a type,
// namespace or module that is in scope.
func (b *binder) memberOfType(u use) (outcome, error) {
	comps, ok := splitReceiver(u.occ.Receiver)
	if !ok {
		return undecided, nil
	}
	ds, err := b.typesInScope(u, comps[0])
	if err != nil || len(ds) == 0 {
		return undecided, err
	}
	return b.qualified(u, ds, comps[1:], "member of the type that qualifies it")
}

// typesInScope returns the types, namespaces and modules that a bare name
// means where u stands, by syntactic rules alone.
func (b *binder) typesInScope(u use, name string) ([]*decl, error) {
	probe := use{file: u.file, in: u.in, occ: artifact.Occurrence{Name: name, Role: artifact.RoleRead, Pos: u.occ.Pos}}
	for _, rule := range []func(use) (outcome, error){b.inScope, b.imported, b.inPackage} {
		o, err := rule(probe)
		if err != nil {
			return nil, err
		}
		if o.binding == "" {
			continue
		}
		var out []*decl
		for _, d := range o.decls {
			if d.container() {
				out = append(out, d)
			}
		}
		return out, nil
	}
	return nil, nil
}

// qualified walks from types along path and binds the name to a member of
// what it arrives at.
func (b *binder) qualified(u use, from []*decl, path []string, rule string) (outcome, error) {
	for _, step := range path {
		var next []*decl
		for _, d := range from {
			ds, err := b.inside(d, step)
			if err != nil {
				return undecided, err
			}
			next = append(next, ds...)
		}
		if from = next; len(from) == 0 {
			return undecided, nil
		}
	}
	var found []*decl
	types := 0
	for _, d := range from {
		if !d.container() {
			continue
		}
		types++
		ds, err := b.inside(d, u.occ.Name)
		if err != nil {
			return undecided, err
		}
		for _, x := range ds {
			if !slices.Contains(found, x) {
				found = append(found, x)
			}
		}
	}
	if o := b.decide(b.pick(u, found, true), rule); o.binding != "" {
		return o, nil
	}
	if types > 0 {
		return unresolved("the type has no such member in the index"), nil
	}
	return undecided, nil // an object whose type is not written here
}

// inside returns what a type, namespace or module has under a name. A Rust
// module without a body is a file of its own.
func (b *binder) inside(d *decl, name string) ([]*decl, error) {
	ds, _, err := b.member(d, name)
	if err != nil || len(ds) > 0 || d.sym.Kind != artifact.KindModule || b.t.files[d.file].lang != "rust" {
		return ds, err
	}
	m, err := b.resolveModule(d.file, "self::"+strings.Join(d.names, "::"))
	if err != nil || len(m.files) == 0 || m.files[0] == d.file {
		return nil, err
	}
	ds, _, err = b.exportedBy(m.files, name, 0, map[int]bool{})
	return ds, err
}

// memberOfTyped binds param.name where the enclosing callable's signature
// writes the parameter's type.
func (b *binder) memberOfTyped(u use) (outcome, error) {
	comps, ok := splitReceiver(u.occ.Receiver)
	if !ok || len(comps) != 1 {
		return undecided, nil
	}
	for d := u.in; d != nil; {
		if callableKind(d.sym.Kind) {
			sig, err := b.signature(d)
			if err != nil {
				return undecided, err
			}
			if typ := writtenType(b.t.files[u.file].lang, sig, comps[0]); typ != "" {
				return b.memberOfWritten(u, typ, "the receiver's written type")
			}
		}
		var err error
		if d, err = b.parent(d); err != nil {
			return undecided, err
		}
	}
	return undecided, nil
}

func (b *binder) memberOfWritten(u use, typ, rule string) (outcome, error) {
	comps, ok := splitReceiver(typ)
	if !ok {
		return undecided, nil
	}
	probe := use{file: u.file, in: u.in, occ: artifact.Occurrence{Name: comps[len(comps)-1], Receiver: strings.Join(comps[:len(comps)-1], "."), Role: artifact.RoleType, Pos: u.occ.Pos}}
	o, err := b.bind(probe)
	if err != nil {
		return undecided, err
	}
	if o.binding == External {
		return external("its written type is outside the tree"), nil
	}
	if o.binding != Bound || o.provenance == Heuristic {
		return undecided, nil
	}
	return b.qualified(u, o.decls, nil, rule)
}

// onlyMember binds a member of an unknown receiver to the only member of that
// name in the index (for production code: outside tests), unless the name is
// common among methods.
func (b *binder) onlyMember(u use) (outcome, error) {
	if classLiteral(b.t.files[u.file].lang, u.occ.Receiver) {
		return external(ofClasses), nil
	}
	if common(u.occ.Name) {
		return unresolved("a common name, and the receiver's type is not known"), nil
	}
	all, err := b.declared(u.occ.Name)
	if err != nil {
		return undecided, err
	}
	var found []*decl
	for _, d := range b.pick(u, all, false) {
		if !d.local() && len(d.names) > 1 && memberKind(d.sym.Kind) {
			found = append(found, d)
		}
	}
	if ok, err := b.infers(u.file); err != nil || ok && len(found) > 0 && !b.oneSet(found) {
		return unresolved("several members have that name, and the receiver's type is not known"), err
	}
	return b.guess(found, "the only member of that name; the receiver's type is not known"), nil
}

const ofClasses = "a member of the language's own type of classes"

// classLiteral reports whether a receiver is a class literal, such as
// String.class, whose type is java.lang.Class.
func classLiteral(lang, receiver string) bool {
	switch lang {
	case "java", "groovy":
		return receiver == "class" || strings.HasSuffix(receiver, ".class")
	case "kotlin":
		return strings.HasSuffix(receiver, "::class") || strings.HasSuffix(receiver, "::class.java")
	}
	return false
}

func memberKind(k artifact.Kind) bool {
	switch k {
	case artifact.KindMethod, artifact.KindFunction, artifact.KindProperty, artifact.KindField, artifact.KindConstructor, artifact.KindEnumMember,
		artifact.KindVariable, artifact.KindConstant:
		return true
	}
	return false
}
