package query

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/lateregexp"
	"github.com/pindex-dev/pindex/internal/order"
	"github.com/pindex-dev/pindex/query/infer"
	"github.com/pindex-dev/pindex/query/treepath"
)

// target is what the user asked about: the declarations that it may mean.
type target struct {
	decls      []*decl
	files      []int // the target is a module
	binding    Binding
	provenance Provenance
	rule       string
	also       []*decl      // what a name that declares one thing refers to besides, such as { a } in JavaScript
	symbols    []scipSymbol // what SCIP calls it, where a document says; nil where that is still to be asked
}

var (
	idForm       = lateregexp.Regexp{Expr: `^[0-9a-f]{16}$`}
	positionForm = lateregexp.Regexp{Expr: `^(.+?):([0-9]{1,9})(?::([0-9]{1,9}))?$`}
)

// target finds what text means: a symbol id, PATH:LINE[:COL], PATH:NAME, or a
// name, qualified or not. Nothing found is an error with code NotFound.
func (b *binder) target(text string) (*target, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, fail.New(fail.Usage, "give a name, PATH:LINE[:COL], PATH:NAME or a symbol id", "the target is empty")
	}
	if idForm.Get().MatchString(text) {
		if t, err := b.byID(text); err != nil || t != nil {
			return t, err
		}
	}
	if i := strings.LastIndexByte(text, ':'); i > 0 && idForm.Get().MatchString(text[i+1:]) {
		if f, ok := b.t.find(text[:i]); ok && !b.e.hidden[text[:i]] {
			if t, err := b.byIDIn(f, text[i+1:]); err != nil || t != nil {
				return t, err
			}
		}
	}
	if m := positionForm.Get().FindStringSubmatch(text); m != nil {
		path := cleanPath(m[1])
		line, _ := strconv.Atoi(m[2])
		col, _ := strconv.Atoi(m[3])
		if b.e.hidden[path] {
			return nil, b.e.hiddenFile(path)
		}
		if i, ok := b.t.find(path); ok {
			return b.byPosition(i, line, col)
		}
		if strings.ContainsAny(path, "/.") && !strings.Contains(path, "::") {
			return nil, b.t.noSuchPath(path)
		}
	}
	if t, err := b.bySCIP(text); err != nil || t != nil {
		return t, err
	}
	if i := strings.LastIndexByte(text, ':'); i > 0 && i+1 < len(text) && text[i-1] != ':' {
		path := cleanPath(text[:i])
		if b.e.hidden[path] {
			return nil, b.e.hiddenFile(path)
		}
		if f, ok := b.t.find(path); ok {
			return b.byName(text[i+1:], f)
		}
		if strings.ContainsRune(path, '/') {
			return nil, b.t.noSuchPath(path)
		}
	}
	return b.byName(text, -1)
}

// byID finds a symbol by its unit's stable id; nil when there is none.
func (b *binder) byID(id string) (*target, error) {
	found := make([]*decl, b.e.parts())
	err := b.e.each(b.ctx, func(_, p int) error {
		u, err := b.e.ix.Units(p)
		if err != nil {
			return err
		}
		for f := range u.NumFiles() {
			lo, _ := u.FileUnits(f)
			for i, have := range u.FileUnitIDs(f) {
				if have != id {
					continue
				}
				st, err := b.e.ix.Structural(p)
				if err != nil {
					return err
				}
				sym, ok := st.UnitSymbol(lo + i)
				if !ok {
					return nil
				}
				// The binder's memory is not for several goroutines.
				s := st.Symbol(sym)
				d := &decl{id: declID{p, sym}, sym: s, file: b.t.number[p][s.File], names: descriptorNames(s.Descriptor)}
				found[p] = d
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, d := range found {
		if d == nil {
			continue
		}
		d, err := b.decl(d.id)
		if err != nil {
			return nil, err
		}
		return &target{decls: []*decl{d}, binding: Bound, provenance: Syntactic, rule: "its id"}, nil
	}
	return nil, nil
}

// byIDIn finds the symbol with a unit's stable id in one file, which spares
// reading every file's; nil when it has none.
func (b *binder) byIDIn(file int, id string) (*target, error) {
	f := &b.t.files[file]
	u, err := b.e.ix.Units(f.p)
	if err != nil {
		return nil, err
	}
	i := slices.Index(u.FileUnitIDs(f.f), id)
	if i < 0 {
		return nil, nil
	}
	st, err := b.e.ix.Structural(f.p)
	if err != nil {
		return nil, err
	}
	lo, _ := u.FileUnits(f.f)
	sym, ok := st.UnitSymbol(lo + i)
	if !ok {
		return nil, nil
	}
	d, err := b.decl(declID{f.p, sym})
	if err != nil {
		return nil, err
	}
	return &target{decls: []*decl{d}, binding: Bound, provenance: Syntactic, rule: "its id"}, nil
}

// byPosition finds what stands at a place: the declaration whose name it is,
// what the name used there is bound to, or, by line alone, the declaration on
// that line or around it.
func (b *binder) byPosition(file, line, col int) (*target, error) {
	f := &b.t.files[file]
	st, err := b.e.ix.Structural(f.p)
	if err != nil {
		return nil, err
	}
	at := artifact.Position{Line: uint32(line), Col: uint32(col)}
	if col > 0 {
		if t, err := b.preciselyAt(file, at); err != nil || t != nil {
			return t, err
		}
	}
	if fam := family(f.lang); col > 0 && (fam == "c" || fam == "rust") {
		// A declaration without a body leads to the definition, an
		// implementation is a use of its type's name, and macros may have
		// misled the parser.
		if t, err := b.byText(file, at); err != nil || t != nil && len(t.decls)+len(t.files) > 0 {
			return t, err
		}
	}
	lo, hi := st.FileSymbols(f.f)
	var named []*decl
	for i := lo; i < hi; i++ {
		pos := st.SymbolNamePos(i)
		if int(pos.Line) != line {
			continue
		}
		d, err := b.decl(declID{f.p, i})
		if err != nil {
			return nil, err
		}
		if col == 0 || pos.Col <= at.Col && at.Col < pos.Col+uint32(len(d.sym.Name)) {
			named = append(named, d)
		}
	}
	if len(named) > 0 {
		if named, err = b.everyDeclaration(named[:1]); err != nil {
			return nil, err
		}
		return &target{decls: named, binding: Bound, provenance: Syntactic, rule: "declared there"}, nil
	}
	if col > 0 {
		if t, err := b.byText(file, at); err != nil || t != nil {
			return t, err
		}
		if t, err := b.localTarget(file, line, col); err != nil || t != nil {
			return t, err
		}
		uses, err := b.fileUses(file)
		if err != nil {
			return nil, err
		}
		for _, o := range uses {
			if int(o.Pos.Line) != line || o.Pos.Col > at.Col || at.Col >= o.Pos.Col+uint32(len(o.Name)) {
				continue
			}
			in, err := b.enclosing(file, o.Pos)
			if err != nil {
				return nil, err
			}
			got, err := b.bind(use{file: file, occ: o, in: in})
			if err != nil {
				return nil, err
			}
			return &target{decls: got.decls, files: got.files, binding: got.binding, provenance: got.provenance, rule: got.rule}, nil
		}
		if t, err := b.nameInText(file, line, col); err != nil || t != nil {
			return t, err
		}
		return nil, fail.New(fail.NotFound, "point at a name; the language's own names are not in the index",
			"no declaration and no use of one stands at %s:%d:%d", quote(f.path), line, col)
	}
	u, err := b.e.ix.Units(f.p)
	if err != nil {
		return nil, err
	}
	if n := int(u.File(f.f).Lines); line < 1 || line > n {
		return nil, fail.New(fail.NotFound, "give a line of the file", "%s has %s, not %d", quote(f.path), lineCount(n), line)
	}
	at.Col = 1
	if t, err := b.text(file); err != nil {
		return nil, err
	} else if t != nil {
		l := t.line(line)
		at.Col = uint32(len(l) - len(strings.TrimLeft(string(l), " \t")) + 1)
	}
	d, err := b.enclosing(file, at)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, fail.New(fail.NotFound, "outline the file to see its declarations", "no declaration stands at or around %s:%d", quote(f.path), line)
	}
	return &target{decls: []*decl{d}, binding: Bound, provenance: Syntactic, rule: "declared around that line"}, nil
}

// byText finds what the name at a place means by reading the text around it;
// nil when that says nothing.
func (b *binder) byText(file int, at artifact.Position) (*target, error) {
	t, err := b.text(file)
	if err != nil || t == nil {
		return nil, err
	}
	off, ok := t.offset(at)
	if !ok {
		return nil, nil
	}
	in, err := b.infer(file, off)
	if err != nil || in.State == infer.NotRead || in.Guess {
		return nil, err
	}
	got, err := b.outcome(in)
	if err != nil || got.binding == "" {
		return nil, err
	}
	return &target{decls: got.decls, files: got.files, binding: got.binding, provenance: got.provenance, rule: got.rule}, nil
}

// byName finds the declarations with a name, in one file or (-1) anywhere. In
// front of the name may stand the names of what encloses it and of the module
// that it is in.
func (b *binder) byName(text string, file int) (*target, error) {
	comps := nameComponents(text)
	if len(comps) == 0 {
		return nil, fail.New(fail.Usage, "give a name, PATH:LINE[:COL], PATH:NAME or a symbol id", "%s is no name", quote(text))
	}
	all, err := b.declared(comps[len(comps)-1])
	if err == nil && len(all) == 0 && withoutSharp(comps) {
		all, err = b.declared(comps[len(comps)-1])
	}
	if err != nil {
		return nil, err
	}
	var found []*decl
	if file < 0 && len(comps) > 1 && len(all) > 0 {
		if found, err = b.exportedAs(comps); err != nil {
			return nil, err
		}
	}
	if len(found) == 0 {
		for _, d := range all {
			if (file < 0 || d.file == file) && b.qualifies(d, comps[:len(comps)-1]) {
				found = append(found, d)
			}
		}
	}
	if len(found) == 0 {
		where := "in the index"
		if file >= 0 {
			where = "in " + quote(b.t.files[file].path)
		}
		return nil, fail.New(fail.NotFound, "look for it with symbols or grep", "no declaration of %s is %s", quote(text), where)
	}
	if nonLocal := slices.DeleteFunc(slices.Clone(found), func(d *decl) bool { return d.local() }); len(nonLocal) > 0 {
		found = nonLocal
	}
	found = preferDefinitions(found)
	// Production code before tests, types and functions before members, then
	// path order.
	order.Stable(found, func(x, y *decl) int { return b.weightOf(x) - b.weightOf(y) })
	t := &target{decls: found, binding: Bound, provenance: Syntactic, rule: "declared under that name"}
	if !b.oneSet(found) {
		t.binding = Ambiguous
	}
	return t, nil
}

// exportedAs resolves a name that is qualified by the module from which others
// import it, wherever it is declared: flask.url_for, tokio::spawn.
func (b *binder) exportedAs(comps []string) ([]*decl, error) {
	if err := b.loadProjects(); err != nil {
		return nil, err
	}
	quals, name := comps[:len(comps)-1], comps[len(comps)-1]
	files := b.pythonModule(&fileEntry{lang: "python"}, strings.Join(quals, ".")).files
	for _, c := range b.projects.crates {
		if len(files) == 0 && c.name == quals[0] {
			files = b.rustAt(c.dir, quals[1:])
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	ds, _, err := b.exportedBy(files, name, 0, map[int]bool{})
	return ds, err
}

func (b *binder) weightOf(d *decl) int {
	w := min(len(d.names), 9)
	if classify(b.t.files[d.file].path) != 0 {
		w += 10
	}
	return w
}

// nameComponents cuts a qualified name at its separators. A # in front of a
// name belongs to it, as a private member's does in JavaScript; one between two
// names separates them.
func nameComponents(text string) []string {
	text = strings.TrimSuffix(text, "()")
	text = strings.NewReplacer("::", "\x00", "->", "\x00", ".", "\x00", "#", "\x00#", "/", "\x00", `\`, "\x00").Replace(text)
	var out []string
	private := true // where a name of its own would begin
	for _, c := range strings.Split(text, "\x00") {
		name, sharp := strings.CutPrefix(c, "#")
		if sharp && private && name != "" {
			name = c
		}
		if private = name == ""; !private {
			out = append(out, name)
		}
	}
	return out
}

// withoutSharp takes the # off a name that is nobody's private one: some write
// it in front of any method.
func withoutSharp(comps []string) bool {
	last := &comps[len(comps)-1]
	name, ok := strings.CutPrefix(*last, "#")
	*last = name
	return ok
}

// qualifies reports whether the components in front of a name fit what
// encloses the declaration: a tail of the names around it, and before those a
// tail of its module's path, as in flask.helpers.url_for.
func (b *binder) qualifies(d *decl, quals []string) bool {
	if len(quals) == 0 {
		return true
	}
	mod := modulePath(b.t.files[d.file].path)
	if hasTail(append(slices.Clone(mod), d.owner()...), quals) {
		return true
	}
	mod = slices.DeleteFunc(mod, func(c string) bool { return c == "src" || c == "lib" })
	if hasTail(append(slices.Clone(mod), d.owner()...), quals) {
		return true
	}
	// The file's own name may be left out: flask.url_for for
	// flask/helpers.py, when the package has it under that name.
	owner := d.owner()
	if len(quals) > len(owner) && hasTail(quals, owner) {
		rest := quals[:len(quals)-len(owner)]
		if len(mod) > 1 && hasTail(mod[:len(mod)-1], rest) {
			return true
		}
	}
	return false
}

func hasTail(s, tail []string) bool {
	return len(tail) <= len(s) && slices.Equal(s[len(s)-len(tail):], tail)
}

// modulePath returns a file's path as a module name's components: without its
// extension, and without the file's name where that stands for its folder.
func modulePath(path string) []string {
	dir := treepath.Dir(path)
	var out []string
	if dir != "" {
		out = strings.Split(dir, "/")
	}
	switch stem := strings.TrimSuffix(treepath.Base(path), extOf(path)); stem {
	case "__init__", "index", "mod", "lib", "main":
		return out
	default:
		return append(out, stem)
	}
}

// newBinderFor checks that the structural view is there.
func (e *Engine) newBinderFor(ctx context.Context, what string) (*binder, error) {
	if err := e.need(artifact.Structural, what); err != nil {
		return nil, err
	}
	return e.newBinder(ctx)
}
