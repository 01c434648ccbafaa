package query

import (
	"strings"

	"github.com/pindex-dev/pindex/query/treepath"
)

// module is what an import's module name means: files of the tree, or
// something outside of it, or neither is known.
type module struct {
	files    []int // entries of the file table, in path order
	external bool  // it leads outside the tree
}

// resolveModule finds the files that a module name in a file refers to. Each
// language has its own rule; a language without one resolves nothing.
func (b *binder) resolveModule(from int, name string) (module, error) {
	key := moduleKey{from, name}
	if m, ok := b.modules[key]; ok {
		return m, nil
	}
	if err := b.loadProjects(); err != nil {
		return module{}, err
	}
	f := &b.t.files[from]
	var m module
	switch f.lang {
	case "python":
		m = b.pythonModule(f, name)
	case "go":
		m = b.goModule(f, name)
	case "javascript", "typescript", "tsx", "vue", "svelte":
		m = b.scriptModule(f, name)
	case "rust":
		m = b.rustModule(f, name)
	case "java", "kotlin", "scala", "groovy":
		m = b.jvmModule(f, name)
	case "c", "cpp", "objective-c", "objective-cpp":
		m = b.includeFile(f, name)
	case "ruby":
		m = b.rubyFile(f, name)
	case "php":
		m = b.phpClass(f, name)
	case "lua":
		m = b.dottedFile(f, name, []string{".lua", "/init.lua"})
	case "haskell":
		m = b.dottedFile(f, name, []string{".hs", ".lhs"})
	case "zig":
		m = b.zigFile(f, name)
	case "bash", "zsh":
		m = b.relativeFile(f, name)
	}
	b.modules[key] = m
	return m, nil
}

// at returns the files among the given paths that are there.
func (b *binder) at(paths ...string) []int {
	for _, p := range paths {
		if i, ok := b.t.find(p); ok {
			return []int{i}
		}
	}
	return nil
}

func (b *binder) dottedFile(f *fileEntry, name string, suffixes []string) module {
	rel := strings.ReplaceAll(name, ".", "/")
	var found []int
	for _, s := range suffixes {
		found = append(found, b.t.withSuffix(rel+s)...)
	}
	switch len(found) {
	case 0:
		return module{external: true}
	case 1:
		return module{files: found}
	}
	best, shared := found[0], -1
	for _, i := range found {
		if n := treepath.Shared(b.t.files[i].path, f.path); n > shared {
			best, shared = i, n
		}
	}
	return module{files: []int{best}}
}

func (b *binder) relativeFile(f *fileEntry, name string) module {
	if p, ok := treepath.Join(treepath.Dir(f.path), name); ok {
		return module{files: b.at(p)}
	}
	return module{}
}
