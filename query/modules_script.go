package query

import (
	"strings"

	"github.com/pindex-dev/pindex/query/treepath"
)

var scriptExtensions = []string{".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts", ".vue", ".svelte"}

// scriptModule: relative paths with the extensions left out; packages of the
// same tree by the name in their package.json; "@/" and "~/" for the source
// folder above.
func (b *binder) scriptModule(f *fileEntry, name string) module {
	if name == "." || name == ".." || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
		path, ok := treepath.Join(treepath.Dir(f.path), name)
		if !ok {
			return module{external: true}
		}
		if files := b.scriptAt(path); len(files) > 0 {
			return module{files: files}
		}
		return module{files: b.scriptMain(path)}
	}
	for _, alias := range []string{"@/", "~/"} {
		if rest, ok := strings.CutPrefix(name, alias); ok {
			for dir := treepath.Dir(f.path); ; dir = treepath.Dir(dir) {
				if files := b.scriptAt(treepath.Under(dir, "src/"+rest)); len(files) > 0 {
					return module{files: files}
				}
				if dir == "" {
					break
				}
			}
			return module{}
		}
	}
	for _, p := range b.projects.packages {
		if p.name == "" || name != p.name && !strings.HasPrefix(name, p.name+"/") {
			continue
		}
		rest := strings.TrimPrefix(strings.TrimPrefix(name, p.name), "/")
		tries := []string{treepath.Under(p.dir, "src/index"), treepath.Under(p.dir, "index"), treepath.Under(p.dir, "lib/index"), treepath.Under(p.dir, "src/main")}
		if rest != "" {
			tries = []string{treepath.Under(p.dir, rest), treepath.Under(p.dir, "src/"+rest), treepath.Under(p.dir, "lib/"+rest)}
		}
		if rest == "" {
			if files := b.scriptMain(p.dir); len(files) > 0 {
				return module{files: files}
			}
		}
		for _, t := range tries {
			if files := b.scriptAt(t); len(files) > 0 {
				return module{files: files}
			}
		}
		return module{}
	}
	return module{external: true}
}

// scriptMain finds the file that the package.json in a folder says stands for
// it.
func (b *binder) scriptMain(dir string) []int {
	for _, p := range b.projects.packages {
		if p.dir != dir || p.main == "" {
			continue
		}
		if path, ok := treepath.Join(dir, p.main); ok {
			return b.scriptAt(path)
		}
	}
	return nil
}

func (b *binder) scriptAt(path string) []int {
	tries := []string{}
	if extOf(path) != "" {
		tries = append(tries, path)
		// "./x.js" is written where x.ts stands.
		if stem, ok := strings.CutSuffix(path, ".js"); ok {
			tries = append(tries, stem+".ts", stem+".tsx")
		} else if stem, ok := strings.CutSuffix(path, ".mjs"); ok {
			tries = append(tries, stem+".mts")
		} else if stem, ok := strings.CutSuffix(path, ".jsx"); ok {
			tries = append(tries, stem+".tsx")
		}
	}
	for _, x := range scriptExtensions {
		tries = append(tries, path+x)
	}
	for _, x := range scriptExtensions {
		tries = append(tries, strings.TrimPrefix(path+"/index"+x, "/"))
	}
	return b.at(tries...)
}
