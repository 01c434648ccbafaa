package query

import "strings"

// pythonModule: dots in front are relative to the package; an absolute name
// starts at an import root, a folder that is no package itself and that lies
// above the importing file or is one of the usual ones.
func (b *binder) pythonModule(f *fileEntry, name string) module {
	tail := strings.TrimLeft(name, ".")
	if level := len(name) - len(tail); level > 0 {
		dir := dirName(f.path)
		for range level - 1 {
			dir = dirName(dir)
		}
		return module{files: b.pythonAt(dir, tail)}
	}
	roots := []string{}
	for dir := dirName(f.path); ; dir = dirName(dir) {
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
		if !b.isPackage(r) && (b.isPackage(under(r, head)) || b.t.hasDir(under(r, head)) && b.hasPython(under(r, head))) {
			return module{} // a package of the tree that lacks this module
		}
	}
	return module{external: len(found) == 0}
}

func (b *binder) isPackage(dir string) bool {
	return len(b.at(under(dir, "__init__.py"), under(dir, "__init__.pyi"))) > 0
}

func (b *binder) hasPython(dir string) bool {
	for _, i := range b.t.byDir[dir] {
		if b.t.files[i].lang == "python" {
			return true
		}
	}
	return false
}

func (b *binder) pythonAt(dir, dotted string) []int {
	path := strings.Trim(under(dir, strings.ReplaceAll(dotted, ".", "/")), "/")
	if dotted == "" {
		return b.at(under(path, "__init__.py"), under(path, "__init__.pyi"))
	}
	return b.at(path+".py", path+"/__init__.py", path+".pyi", path+"/__init__.pyi")
}
