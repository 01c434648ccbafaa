package query

import (
	"strings"

	"github.com/pindex-dev/pindex/query/treepath"
)

// rustModule: paths from crate, self and super, or from a crate of the tree.
// The last components may be items of a module and not modules, so the
// longest path that is a file wins.
func (b *binder) rustModule(f *fileEntry, name string) module {
	comps := strings.Split(name, "::")
	root, rest := b.rustRoot(f.path)
	mod := rustModPath(strings.TrimPrefix(strings.TrimPrefix(f.path, root), "/"))
	switch comps[0] {
	case "crate":
		return module{files: b.rustAt(root, comps[1:])}
	case "self", "super":
		for len(comps) > 0 && (comps[0] == "self" || comps[0] == "super") {
			if comps[0] == "super" {
				if len(mod) == 0 {
					return module{}
				}
				mod = mod[:len(mod)-1]
			}
			comps = comps[1:]
		}
		return module{files: b.rustAt(root, append(append([]string{}, mod...), comps...))}
	case "std", "core", "alloc", "proc_macro", "test":
		return module{external: true}
	}
	if rest {
		// A module declared beside this one, or in it.
		if files := b.rustAt(root, append(append([]string{}, mod...), comps...)); len(files) > 0 && b.rustNames(files[0], comps[0]) {
			return module{files: files}
		}
	}
	for _, c := range b.projects.crates {
		if c.name == comps[0] {
			return module{files: b.rustAt(c.dir, comps[1:])}
		}
	}
	return module{external: true}
}

// rustNames reports whether a file's path has the module as its stem or
// folder.
func (b *binder) rustNames(file int, mod string) bool {
	p := b.t.files[file].path
	return treepath.Stem(p) == mod || strings.Contains("/"+p, "/"+mod+"/")
}

// rustRoot returns the source folder of the crate that a file belongs to.
func (b *binder) rustRoot(path string) (root string, ok bool) {
	for dir := treepath.Dir(path); ; dir = treepath.Dir(dir) {
		if len(b.at(treepath.Under(dir, "lib.rs"), treepath.Under(dir, "main.rs"))) > 0 {
			return dir, true
		}
		if dir == "" {
			return treepath.Dir(path), false
		}
	}
}

// rustModPath returns the module path of a file below its crate's source
// folder.
func rustModPath(rel string) []string {
	rel = strings.TrimSuffix(rel, ".rs")
	switch rel {
	case "lib", "main", "":
		return nil
	}
	comps := strings.Split(rel, "/")
	if comps[len(comps)-1] == "mod" {
		comps = comps[:len(comps)-1]
	}
	return comps
}

func (b *binder) rustAt(root string, comps []string) []int {
	for n := len(comps); n > 0; n-- {
		p := treepath.Under(root, strings.Join(comps[:n], "/"))
		if files := b.at(p+".rs", p+"/mod.rs"); len(files) > 0 {
			return files
		}
	}
	return b.at(treepath.Under(root, "lib.rs"), treepath.Under(root, "main.rs"))
}
