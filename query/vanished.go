package query

import (
	"bytes"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/lateregexp"
	"github.com/pindex-dev/pindex/query/treepath"
)

// VanishedName is a declaration of the earlier tree that its file no longer
// has: it was deleted, renamed, or moved to another file.
type VanishedName struct {
	Name string `json:"name"`
	Path string `json:"path"` // of its file in the earlier tree
	Line int    `json:"line"` // in the earlier text, from 1
	// Uses are the uses of the name that nothing in the index binds any more;
	// they were followed, as what probably meant it.
	Uses int    `json:"uses"`
	Note string `json:"note,omitempty"` // why nothing was followed
}

// goneRule is the rule of an edge to what vanished.
const goneRule = "names a declaration that vanished, and nothing binds it now"

// The shapes of declarations in a line of text. The earlier tree may have no
// index, and the reading side no parser; what is taken for a declaration by
// mistake has no unbound uses, or is one of a name that no longer is.
var (
	keywordDecl = lateregexp.Regexp{Expr: `^\s*(?:(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|abstract|async|open|sealed|data|override|inline|unsafe|extern|declare|partial|local)\s+)*(?:def|class|func|function\*?|fn|struct|enum|trait|interface|union|type|protocol|object|record|module|mod|macro_rules!|fun|typealias|namespace|#\s*define|sub)\s+(?:\([^)]*\)\s*)?(?:self\.)?\*?([\pL_$][\pL\pN_$]*)`}
	valueDecl   = lateregexp.Regexp{Expr: `^(?:export\s+|default\s+|pub\s+|static\s+)*(?:const|let|var|val|static)\s+(?:mut\s+)?([\pL_$][\pL\pN_$]*)`}
	assignDecl  = lateregexp.Regexp{Expr: `^([\pL_][\pL\pN_]*)\s*(?::[^=]+)?=(?:[^=]|$)`}
	typedDecl   = lateregexp.Regexp{Expr: `^\s*((?:[\pL_@~][\pL\pN_<>\[\],.:*&?]*\s+)+)[*&]*(?:[\pL_]\w*::)*([\pL_~][\pL\pN_]*)\s*\([^;]*$`}
	methodDecl  = lateregexp.Regexp{Expr: `^\s+(?:(?:async|static|get|set|public|private|protected|readonly|override|abstract)\s+)*[*#]?([\pL_$][\pL\pN_$]*)\s*(?:<[^()]*>)?\(.*\)\s*(?::[^;]*)?\{\s*$`}
)

// notTypes are words before a name and a parenthesis that make it no
// declaration.
var notTypes = map[string]bool{
	"return": true, "new": true, "else": true, "throw": true, "await": true, "yield": true, "case": true, "goto": true, "delete": true,
	"if": true, "while": true, "for": true, "switch": true, "catch": true, "in": true, "not": true, "and": true, "or": true, "do": true,
	"go": true, "defer": true, "assert": true, "import": true, "from": true, "raise": true, "del": true, "typeof": true, "function": true,
	"def": true, "func": true, "fn": true, "elif": true, "match": true, "with": true, "try": true,
}

// controls are words that begin a block and are followed by a parenthesis.
var controls = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "catch": true, "function": true, "with": true}

// gone is a name that a line of a text seems to declare.
type gone struct {
	name string
	line int
}

// declaredByText lists the names that the lines of a file's text seem to
// declare, without those that are local to a function, as far as indentation
// tells.
func declaredByText(path string, text []byte) []gone {
	var out []gone
	ext := extOf(path)
	script := false
	for _, x := range scriptExtensions {
		script = script || strings.HasSuffix(path, x)
	}
	python := ext == ".py" || ext == ".pyi"
	typed := false
	switch ext {
	case ".java", ".cs", ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".groovy", ".m", ".mm", ".dart":
		typed = true
	}
	body := -1 // indentation of the function that the line lies in
	for n := 1; len(text) > 0; n++ {
		line, rest, _ := bytes.Cut(text, lf)
		text = rest
		bare := bytes.TrimLeft(line, " \t")
		if len(bytes.TrimSpace(bare)) == 0 {
			continue
		}
		indent := len(line) - len(bare)
		if python && body >= 0 {
			if indent > body {
				continue
			}
			body = -1
		}
		name := ""
		if m := keywordDecl.Get().FindSubmatch(line); m != nil {
			name = string(m[1])
			if bytes.HasPrefix(bare, []byte("def ")) || bytes.HasPrefix(bare, []byte("async def ")) {
				body = indent
			}
		} else if m := valueDecl.Get().FindSubmatch(line); m != nil && !typed {
			name = string(m[1])
		} else if m := assignDecl.Get().FindSubmatch(line); m != nil && python {
			name = string(m[1])
		} else if m := methodDecl.Get().FindSubmatch(line); m != nil && script {
			if name = string(m[1]); controls[name] {
				name = ""
			}
		} else if m := typedDecl.Get().FindSubmatch(line); m != nil && typed {
			if words := strings.Fields(string(m[1])); !notTypes[words[0]] && !notTypes[string(m[2])] {
				name = string(m[2])
			}
		}
		if name != "" && name != "_" {
			out = append(out, gone{name, n})
		}
	}
	return out
}

// vanished lists what a changed file declared in lines that are gone and
// declares no more.
func (b *binder) vanished(f ChangedFile) ([]VanishedName, error) {
	if len(f.Old) == 0 {
		return nil, nil
	}
	have := map[string]int{}
	if i, ok := b.t.find(f.Path); ok && !f.Deleted {
		t, err := b.text(i)
		if err != nil {
			return nil, err
		}
		if t != nil {
			for _, g := range declaredByText(f.Path, t.text) {
				have[g.name]++
			}
		}
	}
	had := declaredByText(f.Path, f.Old)
	for _, g := range had {
		have[g.name]--
	}
	var out []VanishedName
	for _, g := range had {
		if have[g.name] < 0 && (f.Deleted || inRuns(f.Gone, g.line)) {
			have[g.name]++
			out = append(out, VanishedName{Name: g.name, Path: f.Path, Line: g.line})
		}
	}
	return out, nil
}

func inRuns(runs [][2]int, line int) bool {
	for _, r := range runs {
		if r[0] <= line && line <= r[1] {
			return true
		}
	}
	return false
}

// followVanished returns the uses of a vanished name that nothing binds now.
func (b *binder) followVanished(v *VanishedName) ([]edge, error) {
	if common(v.Name) {
		v.Note = "not followed: too common a name"
		return nil, nil
	}
	var found []use
	seen := map[int]bool{} // files with a use besides the import
	add := func(file int, occ artifact.Occurrence) error {
		u := use{file: file, occ: occ}
		var err error
		if u.in, err = b.enclosing(file, occ.Pos); err != nil {
			return err
		}
		o, err := b.bind(u)
		if err != nil {
			return err
		}
		if o.binding == External {
			if ok, err := b.namesModule(u, v.Path); err != nil || !ok {
				return err
			}
		} else if o.binding != Unresolved {
			return nil
		}
		found = append(found, u)
		seen[file] = seen[file] || anyRole(occ.Role)
		return nil
	}
	lang := ""
	for i := range b.t.files {
		if extOf(b.t.files[i].path) == extOf(v.Path) {
			lang = b.t.files[i].lang
			break
		}
	}
	fits := func(file int) bool {
		f := &b.t.files[file]
		return !b.e.hidden[f.path] && (lang == "" || sameFamily(f.lang, lang))
	}
	for p := range b.e.parts() {
		if err := b.ctx.Err(); err != nil {
			return nil, err
		}
		st, err := b.e.ix.Structural(p)
		if err != nil {
			return nil, err
		}
		var list []use
		if err := st.Occurrences(v.Name, func(o artifact.Occurrence) bool {
			if n := b.t.number[p][o.File]; n >= 0 && fits(n) {
				list = append(list, use{file: n, occ: o})
			}
			return len(list) < maxVisited
		}); err != nil {
			return nil, err
		}
		renamed := map[int]string{}
		if err := st.WalkImports(func(im artifact.Import) bool {
			if n := b.t.number[p][im.File]; n >= 0 && im.Name == v.Name && im.Alias != im.Name && im.Alias != "" && im.Alias != "*" && fits(n) {
				renamed[n] = im.Alias
			}
			return true
		}); err != nil {
			return nil, err
		}
		for n := b.t.first[p]; n < b.t.first[p+1]; n++ {
			if renamed[n] == "" {
				continue
			}
			uses, err := b.fileUses(n)
			if err != nil {
				return nil, err
			}
			for _, o := range uses {
				if o.Name == renamed[n] && o.Receiver == "" {
					list = append(list, use{file: n, occ: o})
				}
			}
		}
		for _, u := range list {
			if err := add(u.file, u.occ); err != nil {
				return nil, err
			}
		}
	}
	var out []edge
	for _, u := range found {
		if !anyRole(u.occ.Role) && seen[u.file] {
			continue
		}
		n, err := b.node(u.file, u.in)
		if err != nil {
			return nil, err
		}
		out = append(out, edge{from: n, use: u, out: outcome{binding: Bound, provenance: Heuristic, rule: goneRule}})
	}
	if v.Uses = len(out); v.Uses == 0 {
		v.Note = "no unbound use of the name is left to follow"
	}
	return out, nil
}

// namesModule reports whether the import that a use goes through may be one of
// the file at path: its module names the file or the folder that it was in.
func (b *binder) namesModule(u use, path string) (bool, error) {
	imports, err := b.fileImports(u.file)
	if err != nil {
		return false, err
	}
	first := u.occ.Name
	if comps, ok := splitReceiver(u.occ.Receiver); ok {
		first = comps[0]
	}
	for _, im := range imports {
		if im.Alias != first && im.Name != first {
			continue
		}
		for _, word := range nameComponents(strings.ReplaceAll(im.Module, "/", ".")) {
			if word == treepath.Stem(path) || word == treepath.Base(treepath.Dir(path)) {
				return true, nil
			}
		}
	}
	return false, nil
}

// deletedIn returns the declaration that lines were deleted from, the node
// of the file where they stood outside of any: the run of removed lines stood
// before line first of the new text and began with an indentation of indent.
func (b *binder) deletedIn(file, first, indent int) (spot, error) {
	if first <= 1 {
		return spot{file: file}, nil
	}
	in, err := b.enclosing(file, artifact.Position{Line: uint32(first - 1), Col: 1 << 20})
	if err != nil {
		return spot{}, err
	}
	if in == nil {
		if in, err = b.enclosing(file, artifact.Position{Line: uint32(first - 1), Col: 1}); err != nil {
			return spot{}, err
		}
	}
	for in != nil && int(in.sym.End.Line) < first && indent <= int(in.sym.Start.Col)-1 {
		if in, err = b.parent(in); err != nil {
			return spot{}, err
		}
	}
	return b.node(file, in)
}

// deletion describes the removed lines of a run: the indentation of the first
// that is not blank, -1 when all are, and whether they declared something.
func (f *ChangedFile) deletion(run [2]int, names []VanishedName) (indent int, declares bool) {
	indent = -1
	text := f.Old
	for n := 1; len(text) > 0 && n <= run[1]; n++ {
		line, rest, _ := bytes.Cut(text, lf)
		text = rest
		bare := bytes.TrimLeft(line, " \t")
		if n >= run[0] && indent < 0 && len(bytes.TrimSpace(bare)) > 0 {
			indent = len(line) - len(bare)
		}
	}
	for _, v := range names {
		declares = declares || run[0] <= v.Line && v.Line <= run[1]
	}
	return indent, declares
}
