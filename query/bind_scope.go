package query

import (
	"bytes"
	"slices"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/treepath"
)

// inScope binds a bare name to a declaration of its own file that is visible
// where it stands; the innermost one wins.
func (b *binder) inScope(u use) (outcome, error) {
	ds, err := b.inFile(u.file, u.occ.Name)
	if err != nil || len(ds) == 0 {
		return undecided, err
	}
	tr := traitsOf(b.t.files[u.file].lang)
	if family(b.t.files[u.file].lang) == "script" {
		if in, err := b.inBlock(u); err != nil || len(in) > 0 {
			return b.decide(b.pick(u, in, true), "declared in the enclosing function"), err
		}
	}
	// chain holds the declarations around the use, innermost first.
	var chain []*decl
	for d := u.in; d != nil; {
		// A decorator of Python stands in the scope around what it decorates.
		if !(d == u.in && u.occ.Pos.Before(d.sym.NamePos) && b.t.files[u.file].lang == "python") {
			chain = append(chain, d)
		}
		if d, err = b.parent(d); err != nil {
			return undecided, err
		}
	}
	for i, around := range chain {
		var found []*decl
		for _, d := range ds {
			if int(d.sym.Parent) == around.id.sym && d.id.p == around.id.p {
				found = append(found, d)
			}
		}
		if len(found) == 0 {
			continue
		}
		switch {
		case around.sym.Kind == artifact.KindNamespace || around.sym.Kind == artifact.KindModule || around.sym.Kind == artifact.KindPackage:
			return b.decide(b.pick(u, found, true), "declared in the enclosing "+around.sym.Kind.String()), nil
		case around.container():
			// A class body sees its own names; a method of it sees them bare
			// only in some languages.
			if i == 0 || tr.bareMembers {
				if found, err = b.everyDeclaration(found); err != nil {
					return undecided, err
				}
				return b.decide(b.pick(u, found, true), "member of the enclosing type"), nil
			}
		default:
			return b.decide(b.pick(u, found, true), "declared in the enclosing function"), nil
		}
	}
	if tr.bareMembers {
		if o, err := b.bareMember(u, chain); err != nil || o.binding != "" {
			return o, err
		}
	}
	var top []*decl
	for _, d := range ds {
		if d.sym.Parent < 0 && len(d.names) <= 1 && !d.local() {
			top = append(top, d)
		}
	}
	if top, err = b.everyDeclaration(top); err != nil {
		return undecided, err
	}
	return b.decide(b.pick(u, top, true), "declared in the same file"), nil
}

// bareMember binds a bare name to a member of the enclosing type that is
// declared elsewhere: outside of the type's body, or in a base.
func (b *binder) bareMember(u use, chain []*decl) (outcome, error) {
	for _, d := range chain {
		class, err := b.classOf(d)
		if err != nil {
			return undecided, err
		}
		if class == nil {
			continue
		}
		ds, base, err := b.member(class, u.occ.Name)
		if err != nil {
			return undecided, err
		}
		if len(ds) > 0 {
			rule := "member of the enclosing type"
			if base != class {
				rule = "member of a base of the enclosing type"
			}
			return b.decide(b.pick(u, ds, true), rule), nil
		}
		return undecided, nil
	}
	return undecided, nil
}

// inPackage binds a bare name to a top-level declaration of the same folder,
// in languages whose packages are folders.
func (b *binder) inPackage(u use) (outcome, error) {
	f := &b.t.files[u.file]
	if !traitsOf(f.lang).folderScope {
		return undecided, nil
	}
	all, err := b.declared(u.occ.Name)
	if err != nil {
		return undecided, err
	}
	dir := treepath.Dir(f.path)
	var found []*decl
	for _, d := range all {
		if treepath.Dir(b.t.files[d.file].path) == dir && !d.local() && b.open(d) {
			found = append(found, d)
		}
	}
	return b.decide(b.pick(u, found, false), "declared in the same package"), nil
}

// onlyDeclaration binds a bare name to the only declaration of that name that
// could be meant. It is a guess, marked as one.
func (b *binder) onlyDeclaration(u use) (outcome, error) {
	lang := b.t.files[u.file].lang
	if builtin(lang, u.occ.Name) {
		return external("a name of the language"), nil
	}
	if importsDecide(lang) {
		// Every name that is not declared here must be imported, so a guess
		// would be wrong.
		return unresolved("neither declared in the file nor imported"), nil
	}
	if common(u.occ.Name) {
		return unresolved("a common name"), nil
	}
	all, err := b.declared(u.occ.Name)
	if err != nil {
		return undecided, err
	}
	tr := traitsOf(lang)
	var found []*decl
	for _, d := range b.pick(u, all, false) {
		if !d.local() && (tr.bareMembers || b.open(d)) {
			found = append(found, d)
		}
	}
	// A type and its constructors are one.
	found = slices.DeleteFunc(found, func(d *decl) bool {
		return d.sym.Kind == artifact.KindConstructor && slices.ContainsFunc(all, func(of *decl) bool {
			return of.id == declID{d.id.p, int(d.sym.Parent)}
		})
	})
	return b.guess(found, "the only declaration of that name"), nil
}

// guess binds to the only candidate, and lists a few.
func (b *binder) guess(ds []*decl, rule string) outcome {
	switch {
	case len(ds) == 0:
		return undecided
	case b.oneSet(ds):
		return bound(Heuristic, rule, ds)
	case len(ds) <= maxCandidates:
		return outcome{binding: Ambiguous, provenance: Heuristic, rule: "several declarations of that name", decls: ds}
	}
	return unresolved("too many declarations of that name")
}

// importsDecide reports whether, in a language, a bare name that is neither
// declared in its file nor imported by name or by wildcard can only be a
// global of the runtime.
func importsDecide(lang string) bool {
	switch lang {
	case "python", "go", "javascript", "typescript", "tsx", "rust", "haskell", "zig":
		return true
	}
	return false
}

// literalKey reports whether a bare name that is written to in Go is the key of
// a composite literal: a field of a type that is not known here.
func (b *binder) literalKey(u use) (bool, error) {
	if u.occ.Role != artifact.RoleWrite || b.t.files[u.file].lang != "go" {
		return false, nil
	}
	t, err := b.text(u.file)
	if err != nil || t == nil {
		return false, err
	}
	line := t.line(int(u.occ.Pos.Line))
	at := int(u.occ.Pos.Col) - 1 + len(u.occ.Name)
	if at > len(line) {
		return false, nil
	}
	rest := bytes.TrimLeft(line[at:], " \t")
	return len(rest) > 0 && rest[0] == ':' && (len(rest) == 1 || rest[1] != '='), nil
}
