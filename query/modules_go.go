package query

import (
	"strings"

	"github.com/pindex-dev/pindex/query/treepath"
)

// goModule: the longest module path of a go.mod of the tree that is a prefix;
// then a vendored copy.
func (b *binder) goModule(f *fileEntry, name string) module {
	best := -1
	for i, g := range b.projects.goMods {
		if (name == g.name || strings.HasPrefix(name, g.name+"/")) && (best < 0 || len(g.name) > len(b.projects.goMods[best].name)) {
			best = i
		}
	}
	if best >= 0 {
		g := b.projects.goMods[best]
		dir := strings.Trim(treepath.Under(g.dir, strings.TrimPrefix(strings.TrimPrefix(name, g.name), "/")), "/")
		if files := b.goFiles(dir, false); len(files) > 0 {
			return module{files: files}
		}
		return module{}
	}
	for dir := treepath.Dir(f.path); ; dir = treepath.Dir(dir) {
		if files := b.goFiles(treepath.Under(dir, "vendor/"+name), false); len(files) > 0 {
			return module{files: files}
		}
		if dir == "" {
			break
		}
	}
	if len(b.projects.goMods) == 0 && strings.Contains(name, "/") {
		// Old trees without go.mod: the only folder that ends like the path.
		for tail := name; ; {
			_, rest, ok := strings.Cut(tail, "/")
			if !ok {
				break
			}
			if tail = rest; b.t.hasDir(tail) {
				if files := b.goFiles(tail, false); len(files) > 0 {
					return module{files: files}
				}
			}
		}
	}
	return module{external: true}
}

// goFiles returns the Go files of a folder, its tests only when asked for.
func (b *binder) goFiles(dir string, tests bool) []int {
	var out []int
	for _, i := range b.t.byDir()[dir] {
		f := &b.t.files[i]
		if f.lang == "go" && (tests || !strings.HasSuffix(f.path, "_test.go")) {
			out = append(out, int(i))
		}
	}
	return out
}
