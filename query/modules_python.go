package query

import (
	"strings"

	"github.com/pindex-dev/pindex/query/treepath"
)

// pythonModule: dots in front are relative to the package; an absolute name
// starts at an import root, a folder that is no package itself and that lies
// above the importing file or is one of the usual ones.
func (b *binder) pythonModule(f *fileEntry, name string) module {
	tail := strings.TrimLeft(name, ".")
	if level := len(name) - len(tail); level > 0 {
		dir := treepath.Dir(f.path)
		for range level - 1 {
			dir = treepath.Dir(dir)
		}
		return module{files: b.pythonAt(dir, tail)}
	}
	roots := []string{}
	for dir := treepath.Dir(f.path); ; dir = treepath.Dir(dir) {
		roots = append(roots, dir)
		if dir == "" {
			break
		}
	}
	for _, r := range append(roots, "src", "lib", "python") {
		if b.isPackage(r) {
			continue
		}
		if files := b.pythonAt(r, tail); len(files) > 0 {
			return module{files: files}
		}
	}
	// Any other root, when only one fits.
	rel := strings.ReplaceAll(tail, ".", "/")
	var found []int
	for _, suffix := range []string{rel + ".py", rel + "/__init__.py"} {
		for _, i := range b.t.withSuffix(suffix) {
			root := strings.TrimSuffix(strings.TrimSuffix(b.t.files[i].path, suffix), "/")
			if !b.isPackage(root) && (!b.t.files[i].test || f.test) {
				found = append(found, i)
			}
		}
	}
	if len(found) == 1 {
		return module{files: found}
	}
	head, _, _ := strings.Cut(tail, ".")
	for _, r := range append(roots, "src", "lib", "python") {
		if !b.isPackage(r) && (b.isPackage(treepath.Under(r, head)) || b.t.hasDir(treepath.Under(r, head)) && b.hasPython(treepath.Under(r, head))) {
			return module{} // a package of the tree that lacks this module
		}
	}
	return module{external: len(found) == 0}
}

func (b *binder) isPackage(dir string) bool {
	return len(b.at(treepath.Under(dir, "__init__.py"), treepath.Under(dir, "__init__.pyi"))) > 0
}

func (b *binder) hasPython(dir string) bool {
	for _, i := range b.t.byDir()[dir] {
		if b.t.files[i].lang == "python" {
			return true
		}
	}
	return false
}

func (b *binder) pythonAt(dir, dotted string) []int {
	path := strings.Trim(treepath.Under(dir, strings.ReplaceAll(dotted, ".", "/")), "/")
	if dotted == "" {
		return b.at(treepath.Under(path, "__init__.py"), treepath.Under(path, "__init__.pyi"))
	}
	return b.at(path+".py", path+"/__init__.py", path+".pyi", path+"/__init__.pyi")
}
