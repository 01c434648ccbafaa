package query

import (
	"github.com/pindex-dev/pindex/artifact"
)

// anonymousClass is what the compiler calls a class without a name.
const anonymousClass = "class@anonymous"

// maxAhead bounds the text between the type that new names and the body of an
// anonymous class, in bytes.
const maxAhead = 4 << 10

// maxNear bounds the types in front of a body that are looked at.
const maxNear = 16

// anonymousAt returns the anonymous class that new Type(...) { makes at a use of
// Type, nil where there is none: in Java the class is its body, and the type
// that it extends or implements stands in front of it.
func (b *binder) anonymousAt(file int, occ artifact.Occurrence) (*decl, error) {
	if occ.Role != artifact.RoleInstantiate || b.t.files[file].lang != "java" {
		return nil, nil
	}
	t, at, err := b.textAt(file, occ.Pos)
	if t == nil {
		return nil, err
	}
	at += uint32(len(occ.Name))
	n := bodyBehind(t.text[min(int(at), len(t.text)):min(int(at)+maxAhead, len(t.text))])
	if n < 0 {
		return nil, nil
	}
	pos := t.position(at + uint32(n))
	d, err := b.enclosing(file, pos)
	if err != nil || d == nil || d.sym.Name != anonymousClass || d.sym.Start != pos {
		return nil, err
	}
	return d, nil
}

// bodyBehind returns where the brace stands that follows type arguments and
// arguments in parentheses; -1 where none does.
func bodyBehind(s []byte) int {
	parens, angles, args := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\'':
			for i++; i < len(s) && s[i] != c && s[i] != '\n'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		case c == '/' && i+1 < len(s) && s[i+1] == '/':
			for i < len(s) && s[i] != '\n' {
				i++
			}
		case c == '/' && i+1 < len(s) && s[i+1] == '*':
			for i += 3; i < len(s) && (s[i-1] != '*' || s[i] != '/'); i++ {
			}
		case c == '(':
			if parens == 0 && args {
				return -1 // new Type().call(...)
			}
			parens++
		case c == ')':
			if parens--; parens < 0 {
				return -1
			}
			args = args || parens == 0
		case parens > 0:
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		case args:
			if c == '{' {
				return i
			}
			return -1
		case c == '<':
			angles++
		case c == '>':
			angles--
		case angles == 0:
			return -1
		}
	}
	return -1
}

// anonymousBase calls fn with the type that an anonymous class of Java is made
// from.
func (b *binder) anonymousBase(class *decl, fn func(occ artifact.Occurrence, o outcome)) error {
	uses, err := b.fileUses(class.file)
	if err != nil {
		return err
	}
	outer, err := b.parent(class)
	if err != nil {
		return err
	}
	tried := 0
	for i := len(uses) - 1; i >= 0 && tried < maxNear; i-- {
		occ := uses[i]
		if occ.Role != artifact.RoleInstantiate || !occ.Pos.Before(class.sym.Start) {
			continue
		}
		tried++
		d, err := b.anonymousAt(class.file, occ)
		if err != nil {
			return err
		}
		if d == nil || d.id != class.id {
			continue
		}
		o, err := b.bind(use{file: class.file, occ: occ, in: outer})
		if err != nil {
			return err
		}
		occ.Role = artifact.RoleInherit
		fn(occ, o)
		return nil
	}
	return nil
}

// anonymousBelow returns the anonymous classes that are made from a type.
func (b *binder) anonymousBelow(class *decl) ([]related, error) {
	if family(b.t.files[class.file].lang) != "jvm" {
		return nil, nil
	}
	edges, _, err := b.incoming([]*decl{class}, func(r artifact.Role) bool { return r == artifact.RoleInstantiate })
	if err != nil {
		return nil, err
	}
	how := artifact.RoleInherit
	if class.sym.Kind == artifact.KindInterface {
		how = artifact.RoleImplement
	}
	var out []related
	for _, e := range edges {
		d, err := b.anonymousAt(e.use.file, e.use.occ)
		if err != nil {
			return nil, err
		}
		if d != nil {
			out = append(out, related{decl: d, how: how.String(), provenance: e.out.provenance, rule: e.out.rule})
		}
	}
	return out, nil
}
