package query

import (
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/treepath"
)

// outcome is what binding one use of a name came to.
type outcome struct {
	binding    Binding
	provenance Provenance
	rule       string
	decls      []*decl
	files      []int // the name means a whole module: its files
}

// use is one use of a name in a file.
type use struct {
	file int
	occ  artifact.Occurrence
	in   *decl // innermost declaration around it; nil at the top level
	// renamed says that it is looked at for the sake of a name under which a
	// module exports what is declared under another.
	renamed bool
	said    *outcome // what a SCIP document says of it, where that was asked already
}

// memoKey holds what the outcome of a use depends on besides the index.
type memoKey struct {
	file     int
	in       declID
	name     string
	receiver string
	role     artifact.Role
	bare     bool  // a script's call without arguments
	local    int32 // what its receiver's first name means there, 0 for no local
}

// maxCandidates is the number of declarations up to which an unbound name
// counts as ambiguous; with more of them nothing is said but "unresolved".
const maxCandidates = 8

func bound(p Provenance, rule string, ds []*decl) outcome {
	return outcome{binding: Bound, provenance: p, rule: rule, decls: ds}
}

func external(rule string) outcome { return outcome{binding: External, rule: rule} }

func unresolved(rule string) outcome { return outcome{binding: Unresolved, rule: rule} }

// undecided is returned by a rule that does not apply.
var undecided = outcome{}

// bind binds one use: by the first rule that applies, from what is written
// nearest to what is only likely.
func (b *binder) bind(u use) (outcome, error) {
	if o, err := b.precisely(u); err != nil || o.binding != "" {
		return o, err
	}
	return b.bindSyntax(u)
}

// bindSyntax is bind by what the text says alone.
func (b *binder) bindSyntax(u use) (outcome, error) {
	// What the text around it says depends on the place.
	if o, err := b.inferUse(u); err != nil || o.binding != "" {
		return o, err
	}
	if o, err := b.memberOfNew(u); err != nil || o.binding != "" {
		return o, err
	}
	if u.occ.Role == artifact.RoleImport || u.occ.Role == artifact.RoleExport {
		if o, err := b.bindImportName(u); err != nil || o.binding != "" {
			return o, err
		}
	}
	key := memoKey{u.file, declID{-1, -1}, u.occ.Name, u.occ.Receiver, u.occ.Role, false, 0}
	if u.occ.Receiver != "" {
		l, err := b.localsOf(u.file)
		if err != nil {
			return outcome{}, err
		}
		if name := u.occ.Receiver[:chainName(u.occ.Receiver)]; len(l.list) > 0 && name != "" {
			key.local = l.holding(u.occ.Pos, name) + 1
			if n := l.narrowed(u.occ.Pos, name); n >= 0 {
				key.local = n + 1
			}
		}
	}
	if u.in != nil {
		key.in = u.in.id
	}
	if u.occ.Role == artifact.RoleCall && family(b.t.files[u.file].lang) == "script" {
		bare, err := b.bareCall(u)
		if err != nil {
			return outcome{}, err
		}
		key.bare = bare
	}
	if o, ok := b.memo[key]; ok {
		return o, nil
	}
	o, err := b.bindFresh(u)
	if err != nil {
		return outcome{}, err
	}
	if u.occ.Role == artifact.RoleCall && family(b.t.files[u.file].lang) == "script" {
		if o, err = b.calledToo(o, key.bare); err != nil {
			return outcome{}, err
		}
	}
	if u.occ.Role == artifact.RoleInstantiate && family(b.t.files[u.file].lang) == "script" {
		if o, err = b.withConstructor(o); err != nil {
			return outcome{}, err
		}
	}
	b.memo[key] = o
	return o, nil
}

func (b *binder) bindFresh(u use) (outcome, error) {
	if u.occ.Role == artifact.RoleArgument {
		return b.argumentName(u)
	}
	var rules []func(use) (outcome, error)
	if u.occ.Receiver == "" {
		if moduleName(b.t.files[u.file].lang, u.occ.Name) {
			return outcome{binding: Bound, provenance: Syntactic, rule: "a name of the module itself", files: []int{u.file}}, nil
		}
		if key, err := b.literalKey(u); err != nil || key {
			return unresolved("a field of a literal whose type is not known"), err
		}
		rules = []func(use) (outcome, error){b.inScope, b.imported, b.inPackage, b.onlyDeclaration}
	} else {
		rules = []func(use) (outcome, error){b.memberOfSelf, b.memberOfImport, b.memberOfType, b.memberOfTyped, b.onlyMember}
		if ok, err := b.infers(u.file); err != nil {
			return undecided, err
		} else if ok {
			rules = []func(use) (outcome, error){b.memberOfChain, b.onlyMember}
		}
	}
	for _, rule := range rules {
		o, err := rule(u)
		if err != nil || o.binding != "" {
			return o, err
		}
	}
	return unresolved("no rule binds it"), nil
}

// infers reports whether the facts of a file say enough of its names' types
// for the receivers' values to be told.
func (b *binder) infers(file int) (bool, error) {
	switch family(b.t.files[file].lang) {
	case "python", "script":
		l, err := b.localsOf(file)
		return len(l.list) > 0, err
	}
	return false, nil
}

// traits are what the rules need to know of a language.
type traits struct {
	// bareMembers says that members of the enclosing type are in scope without
	// a receiver.
	bareMembers bool
	// folderScope says that the files of one folder share their top-level
	// names.
	folderScope bool
	// wildInclude says that an import without a name brings all names.
	wildInclude bool
	self        []string // receivers that mean the enclosing type
	super       []string // receivers that mean its bases
}

func traitsOf(lang string) traits {
	switch lang {
	case "python":
		return traits{self: []string{"self", "cls"}, super: []string{"super"}}
	case "go":
		return traits{folderScope: true}
	case "javascript", "typescript", "tsx", "vue", "svelte":
		return traits{self: []string{"this"}, super: []string{"super"}}
	case "rust":
		return traits{self: []string{"self", "Self"}}
	case "java":
		return traits{bareMembers: true, folderScope: true, self: []string{"this"}, super: []string{"super"}}
	case "kotlin", "scala", "groovy":
		return traits{bareMembers: true, folderScope: true, self: []string{"this"}, super: []string{"super"}}
	case "csharp":
		return traits{bareMembers: true, folderScope: true, self: []string{"this"}, super: []string{"base"}}
	case "cpp", "objective-cpp":
		return traits{bareMembers: true, wildInclude: true, self: []string{"this"}}
	case "c", "objective-c":
		return traits{wildInclude: true}
	case "ruby":
		return traits{bareMembers: true, wildInclude: true, self: []string{"self"}}
	case "php":
		return traits{self: []string{"$this", "self", "static"}, super: []string{"parent"}}
	case "lua":
		return traits{self: []string{"self"}}
	case "swift":
		return traits{bareMembers: true, folderScope: true, self: []string{"self"}, super: []string{"super"}}
	case "bash", "zsh":
		return traits{wildInclude: true}
	}
	return traits{}
}

// pick keeps the declarations that the use can mean: of a fitting kind, in the
// same language family, and not test code when the use is in production code
// and no import says otherwise.
func (b *binder) pick(u use, ds []*decl, imported bool) []*decl {
	var out []*decl
	for _, d := range ds {
		f := &b.t.files[d.file]
		if !fitsRole(u.occ.Role, d.sym.Kind) || !sameFamily(f.lang, b.t.files[u.file].lang) {
			continue
		}
		if !imported && f.test && !b.t.files[u.file].test {
			continue
		}
		out = append(out, d)
	}
	return preferDefinitions(out)
}

// preferDefinitions drops declarations without a body where there are some
// with one.
func preferDefinitions(ds []*decl) []*decl {
	with := 0
	for _, d := range ds {
		if !d.forward() {
			with++
		}
	}
	if with == 0 || with == len(ds) {
		return ds
	}
	out := make([]*decl, 0, with)
	for _, d := range ds {
		if !d.forward() {
			out = append(out, d)
		}
	}
	return out
}

// sameFamily reports whether code in two languages can refer to each other by
// name.
func sameFamily(a, b string) bool { return family(a) == family(b) }

func family(lang string) string {
	switch lang {
	case "javascript", "typescript", "tsx", "vue", "svelte":
		return "script"
	case "java", "kotlin", "scala", "groovy":
		return "jvm"
	case "c", "cpp", "objective-c", "objective-cpp":
		return "c"
	}
	return lang
}

// oneSet reports whether the declarations are one thing to a reader: a single
// one, or overloads, repeated definitions and parts of the same qualified name
// in the same file or folder.
func (b *binder) oneSet(ds []*decl) bool {
	for _, d := range ds[min(1, len(ds)):] {
		if d.symbol() != ds[0].symbol() || treepath.Dir(b.t.files[d.file].path) != treepath.Dir(b.t.files[ds[0].file].path) {
			return false
		}
	}
	return len(ds) > 0
}

// decide turns what a syntactic rule found into an outcome.
func (b *binder) decide(ds []*decl, rule string) outcome {
	switch {
	case len(ds) == 0:
		return undecided
	case b.oneSet(ds):
		return bound(Syntactic, rule, ds)
	}
	return outcome{binding: Ambiguous, provenance: Syntactic, rule: rule, decls: ds}
}

// splitReceiver cuts a receiver at its separators; ok is false when it is
// not a plain chain of names.
func splitReceiver(r string) (comps []string, ok bool) {
	if r == "" || strings.Contains(r, "…") {
		return nil, false
	}
	r = strings.NewReplacer("::", ".", "->", ".", "?.", ".", "!.", ".", `\`, ".", "#", ".").Replace(r)
	r = strings.TrimPrefix(r, ".") // ::name or \name, from the root
	r = strings.TrimRight(r, ".?!:")
	comps = strings.Split(r, ".")
	for _, c := range comps {
		if c == "" || c[0] >= '0' && c[0] <= '9' {
			return nil, false
		}
	}
	return comps, true
}
