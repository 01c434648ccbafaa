package query

import (
	"strings"

	"github.com/pindex-dev/pindex/query/treepath"
)

// jvmModule: a.b.C is a file C below folders a/b, or a package whose folder
// ends in a/b.
func (b *binder) jvmModule(_ *fileEntry, name string) module {
	rel := strings.ReplaceAll(name, ".", "/")
	for try := rel; try != ""; try = treepath.Dir(try) {
		var found []int
		for _, x := range []string{".java", ".kt", ".scala", ".groovy"} {
			found = append(found, b.t.withSuffix(try+x)...)
		}
		if len(found) > 0 {
			return module{files: found}
		}
		if strings.Count(try, "/") < 1 {
			break
		}
	}
	var files []int
	for try := rel; strings.Count(try, "/") >= 1; try = treepath.Dir(try) {
		for dir, in := range b.t.byDir() {
			if dir == try || strings.HasSuffix(dir, "/"+try) {
				for _, i := range in {
					switch b.t.files[i].lang {
					case "java", "kotlin", "scala", "groovy":
						files = append(files, int(i))
					}
				}
			}
		}
		if len(files) > 0 {
			break
		}
	}
	sortInts(files)
	return module{files: files, external: len(files) == 0}
}

// includeFile: beside the file, or the only file of the tree that ends so.
func (b *binder) includeFile(f *fileEntry, name string) module {
	name = strings.Trim(name, `"<>`)
	if p, ok := treepath.Join(treepath.Dir(f.path), name); ok {
		if files := b.at(p); len(files) > 0 {
			return module{files: files}
		}
	}
	clean, ok := treepath.Join("", name)
	if !ok {
		return module{}
	}
	found := b.t.withSuffix(clean)
	switch len(found) {
	case 0:
		return module{external: true}
	case 1:
		return module{files: found}
	}
	// The usual include folders, else the one that shares most of the path.
	for _, root := range []string{"include", "src", ""} {
		if files := b.at(treepath.Under(root, clean)); len(files) > 0 {
			return module{files: files}
		}
	}
	best, shared := found[0], -1
	for _, i := range found {
		if n := treepath.Shared(b.t.files[i].path, f.path); n > shared {
			best, shared = i, n
		}
	}
	return module{files: []int{best}}
}

func (b *binder) rubyFile(f *fileEntry, name string) module {
	if p, ok := treepath.Join(treepath.Dir(f.path), name); ok {
		if files := b.at(p, p+".rb"); len(files) > 0 {
			return module{files: files}
		}
	}
	for _, i := range b.t.withSuffix(strings.TrimSuffix(name, ".rb") + ".rb") {
		p := b.t.files[i].path
		if root := strings.TrimSuffix(p, strings.TrimSuffix(name, ".rb")+".rb"); root == "" || treepath.Base(strings.TrimSuffix(root, "/")) == "lib" {
			return module{files: []int{i}}
		}
	}
	return module{external: true}
}

// phpClass: PSR-4 maps a prefix of the namespace to a folder, so the file
// whose path shares the longest tail with the name is it.
func (b *binder) phpClass(_ *fileEntry, name string) module {
	rel := strings.Trim(strings.ReplaceAll(name, `\`, "/"), "/")
	for try := rel; try != ""; {
		if found := b.t.withSuffix(try + ".php"); len(found) == 1 || len(found) > 1 && try == rel {
			return module{files: found[:1]}
		}
		_, rest, ok := strings.Cut(try, "/")
		if !ok || !strings.Contains(rest, "/") && strings.Count(rel, "/") > 1 {
			break
		}
		try = rest
	}
	return module{external: true}
}

func (b *binder) zigFile(f *fileEntry, name string) module {
	if !strings.HasSuffix(name, ".zig") {
		return module{external: true}
	}
	return b.relativeFile(f, name)
}
