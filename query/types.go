package query

import (
	"regexp"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/treepath"
)

// classOf returns the type whose members a callable shares: the innermost type
// around it, or the type that it names as its owner when it is written outside
// of it (Go methods, Rust impl blocks, C++ definitions).
func (b *binder) classOf(d *decl) (*decl, error) {
	for at := d; at != nil; {
		if at.sym.Kind == artifact.KindImpl {
			return b.typeNamed(at, at.sym.Name)
		}
		if at.container() && at.sym.Kind != artifact.KindNamespace && at.sym.Kind != artifact.KindModule {
			return at, nil
		}
		next, err := b.parent(at)
		if err != nil {
			return nil, err
		}
		if next == nil && len(at.names) > 1 {
			return b.typeNamed(at, at.names[len(at.names)-2])
		}
		at = next
	}
	return nil, nil
}

// typeNamed finds the type of that name which a declaration in the same file,
// folder or, where only one exists, tree belongs to.
func (b *binder) typeNamed(from *decl, name string) (*decl, error) {
	all, err := b.declared(name)
	if err != nil {
		return nil, err
	}
	var same, dir, any *decl
	n := 0
	for _, d := range all {
		if !d.container() || d.sym.Kind == artifact.KindImpl || d.local() || !sameFamily(b.t.files[d.file].lang, b.t.files[from.file].lang) {
			continue
		}
		n++
		any = d
		if d.file == from.file && same == nil {
			same = d
		}
		if dir == nil && treepath.Dir(b.t.files[d.file].path) == treepath.Dir(b.t.files[from.file].path) {
			dir = d
		}
	}
	switch {
	case same != nil:
		return same, nil
	case dir != nil:
		return dir, nil
	case n == 1:
		return any, nil
	}
	return nil, nil
}

// ownMembers returns the members of a type that have the given name: those
// inside its declaration, and those written outside that name it as their
// owner, in the same file or folder.
func (b *binder) ownMembers(class *decl, name string) ([]*decl, error) {
	all, err := b.declared(name)
	if err != nil {
		return nil, err
	}
	var out []*decl
	dir := treepath.Dir(b.t.files[class.file].path)
	for _, d := range all {
		if d.id == class.id {
			continue
		}
		if d.id.p == class.id.p && int(d.sym.Parent) == class.id.sym {
			out = append(out, d)
			continue
		}
		owner := d.owner()
		if len(owner) == 0 || owner[len(owner)-1] != class.sym.Name || d.local() {
			continue
		}
		if d.file == class.file && strings.Join(owner, ".") == class.symbol() && d.sym.Parent < 0 {
			out = append(out, d)
			continue
		}
		outside := d.sym.Parent < 0
		if !outside {
			parent, err := b.parent(d)
			if err != nil {
				return nil, err
			}
			outside = parent.sym.Kind == artifact.KindImpl
		}
		if outside && strings.Join(owner, ".") == class.symbol() &&
			(treepath.Dir(b.t.files[d.file].path) == dir || outOfLine(b.t.files[d.file].lang)) {
			out = append(out, d)
		}
	}
	return out, nil
}

// outOfLine reports whether members may be defined in another folder than
// their type.
func outOfLine(lang string) bool { return lang == "rust" || family(lang) == "c" }

// member finds a member in a type or, going up, in its bases. at is the type
// that has it.
func (b *binder) member(class *decl, name string) (ds []*decl, at *decl, err error) {
	if ds, err = b.ownMembers(class, name); err != nil || len(ds) > 0 {
		return ds, class, err
	}
	return b.inherited(class, name)
}

// inherited finds a member in the bases of a type, breadth first.
func (b *binder) inherited(class *decl, name string) (ds []*decl, at *decl, err error) {
	seen := map[declID]bool{class.id: true}
	queue := []*decl{class}
	for n := 0; len(queue) > 0 && n < maxBases; n++ {
		bases, err := b.basesOf(queue[0])
		if err != nil {
			return nil, nil, err
		}
		queue = queue[1:]
		for _, base := range bases {
			if seen[base.id] {
				continue
			}
			seen[base.id] = true
			if ds, err = b.ownMembers(base, name); err != nil {
				return nil, nil, err
			}
			if len(ds) > 0 {
				return ds, base, nil
			}
			queue = append(queue, base)
		}
	}
	return nil, nil, nil
}

type baseList struct{ decls []*decl }

// eachBase calls fn with the outcome of every base that a type names.
func (b *binder) eachBase(class *decl, fn func(occ artifact.Occurrence, o outcome)) error {
	uses, err := b.fileUses(class.file)
	if err != nil {
		return err
	}
	outer, err := b.parent(class)
	if err != nil {
		return err
	}
	for _, occ := range uses {
		if !isBase(occ.Role) || occ.Pos.Before(class.sym.Start) || class.sym.End.Before(occ.Pos) {
			continue
		}
		in, err := b.enclosing(class.file, occ.Pos)
		if err != nil {
			return err
		}
		if in == nil || in.id != class.id {
			continue
		}
		// A base is named in the scope around the type.
		o, err := b.bind(use{file: class.file, occ: occ, in: outer})
		if err != nil {
			return err
		}
		fn(occ, o)
	}
	if class.sym.Name == anonymousClass {
		return b.anonymousBase(class, fn)
	}
	return nil
}

// basesOf returns the types that a type names as its bases and that bind
// syntactically.
func (b *binder) basesOf(class *decl) ([]*decl, error) {
	if l, ok := b.bases[class.id]; ok {
		return l.decls, nil
	}
	b.bases[class.id] = baseList{} // ends a cycle
	var out []*decl
	err := b.eachBase(class, func(_ artifact.Occurrence, o outcome) {
		if len(o.decls) == 0 || o.provenance == Heuristic {
			b.openBases[class.id] = true
		}
		if o.binding != Bound || o.provenance == Heuristic {
			return
		}
		for _, d := range o.decls {
			if d.container() && d.id != class.id {
				out = append(out, d)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	b.bases[class.id] = baseList{out}
	return out, nil
}

// writtenType returns the type that a signature writes for a parameter, "" for
// none or one that is more than a plain name behind pointers and references.
func writtenType(lang, sig, param string) string {
	if !plainName(param) || len(param) > 64 {
		return ""
	}
	p := regexp.QuoteMeta(param)
	var pattern string
	switch lang {
	case "python":
		pattern = `[(,*]\s*` + p + `\s*:\s*["']?([A-Za-z_][\w.]*)["']?\s*(?:[,)=]|\|\s*None)`
	case "typescript", "tsx", "kotlin", "scala", "rust", "swift":
		pattern = `[(,]\s*(?:mut\s+|private\s+|public\s+|readonly\s+|val\s+|var\s+)*` + p + `\??\s*:\s*(?:&(?:'\w+\s+)?(?:mut\s+)?)?([A-Za-z_][\w.:]*)\s*\??\s*[,)=<]`
	case "go":
		pattern = `[(,]\s*` + p + `(?:\s*,\s*\w+)*\s+\*?([A-Za-z_][\w.]*)\s*[,)\[]`
	case "java", "csharp", "c", "cpp", "php":
		pattern = `[(,]\s*(?:final\s+|const\s+|ref\s+|in\s+|out\s+)*([A-Za-z_\\][\w.:\\]*)(?:<[^<>]*>)?(?:\s*[*&]+\s*|\s+)(?:const\s+)?` + p + `\s*[,)=]`
	default:
		return ""
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return ""
	}
	m := re.FindStringSubmatch(sig)
	if m == nil {
		return ""
	}
	return strings.TrimRight(m[1], ".:")
}
