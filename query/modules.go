package query

import (
	"strings"

	"github.com/pindex-dev/pindex/artifact"
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

// joinPath joins a folder and a relative path and resolves "." and "..". A
// path that leaves the tree gives false.
func joinPath(dir, rel string) (string, bool) {
	var out []string
	if dir != "" {
		out = strings.Split(dir, "/")
	}
	for _, c := range strings.Split(rel, "/") {
		switch c {
		case "", ".":
		case "..":
			if len(out) == 0 {
				return "", false
			}
			out = out[:len(out)-1]
		default:
			out = append(out, c)
		}
	}
	return strings.Join(out, "/"), true
}

func under(dir, path string) string {
	if dir == "" {
		return path
	}
	return dir + "/" + path
}

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
		dir := strings.Trim(under(g.dir, strings.TrimPrefix(strings.TrimPrefix(name, g.name), "/")), "/")
		if files := b.goFiles(dir, false); len(files) > 0 {
			return module{files: files}
		}
		return module{}
	}
	for dir := dirName(f.path); ; dir = dirName(dir) {
		if files := b.goFiles(under(dir, "vendor/"+name), false); len(files) > 0 {
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
	for _, i := range b.t.byDir[dir] {
		f := &b.t.files[i]
		if f.lang == "go" && (tests || !strings.HasSuffix(f.path, "_test.go")) {
			out = append(out, int(i))
		}
	}
	return out
}

var scriptExtensions = []string{".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts", ".vue", ".svelte"}

// scriptModule: relative paths with the extensions left out; packages of the
// same tree by the name in their package.json; "@/" and "~/" for the source
// folder above.
func (b *binder) scriptModule(f *fileEntry, name string) module {
	if name == "." || name == ".." || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
		path, ok := joinPath(dirName(f.path), name)
		if !ok {
			return module{external: true}
		}
		return module{files: b.scriptAt(path)}
	}
	for _, alias := range []string{"@/", "~/"} {
		if rest, ok := strings.CutPrefix(name, alias); ok {
			for dir := dirName(f.path); ; dir = dirName(dir) {
				if files := b.scriptAt(under(dir, "src/"+rest)); len(files) > 0 {
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
		if name != p.name && !strings.HasPrefix(name, p.name+"/") {
			continue
		}
		rest := strings.TrimPrefix(strings.TrimPrefix(name, p.name), "/")
		tries := []string{under(p.dir, "src/index"), under(p.dir, "index"), under(p.dir, "lib/index"), under(p.dir, "src/main")}
		if rest != "" {
			tries = []string{under(p.dir, rest), under(p.dir, "src/"+rest), under(p.dir, "lib/"+rest)}
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
	return fileStem(p) == mod || strings.Contains("/"+p, "/"+mod+"/")
}

// rustRoot returns the source folder of the crate that a file belongs to.
func (b *binder) rustRoot(path string) (root string, ok bool) {
	for dir := dirName(path); ; dir = dirName(dir) {
		if len(b.at(under(dir, "lib.rs"), under(dir, "main.rs"))) > 0 {
			return dir, true
		}
		if dir == "" {
			return dirName(path), false
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
		p := under(root, strings.Join(comps[:n], "/"))
		if files := b.at(p+".rs", p+"/mod.rs"); len(files) > 0 {
			return files
		}
	}
	return b.at(under(root, "lib.rs"), under(root, "main.rs"))
}

// jvmModule: a.b.C is a file C below folders a/b, or a package whose folder
// ends in a/b.
func (b *binder) jvmModule(_ *fileEntry, name string) module {
	rel := strings.ReplaceAll(name, ".", "/")
	for try := rel; try != ""; try = dirName(try) {
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
	for try := rel; strings.Count(try, "/") >= 1; try = dirName(try) {
		for dir, in := range b.t.byDir {
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
	if p, ok := joinPath(dirName(f.path), name); ok {
		if files := b.at(p); len(files) > 0 {
			return module{files: files}
		}
	}
	clean, ok := joinPath("", name)
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
		if files := b.at(under(root, clean)); len(files) > 0 {
			return module{files: files}
		}
	}
	best, shared := found[0], -1
	for _, i := range found {
		if n := sharedDirs(b.t.files[i].path, f.path); n > shared {
			best, shared = i, n
		}
	}
	return module{files: []int{best}}
}

// sharedDirs counts the leading folders that two paths share.
func sharedDirs(a, b string) int {
	n := 0
	for {
		x, ra, ok1 := strings.Cut(a, "/")
		y, rb, ok2 := strings.Cut(b, "/")
		if !ok1 || !ok2 || x != y {
			return n
		}
		a, b, n = ra, rb, n+1
	}
}

func (b *binder) rubyFile(f *fileEntry, name string) module {
	if p, ok := joinPath(dirName(f.path), name); ok {
		if files := b.at(p, p+".rb"); len(files) > 0 {
			return module{files: files}
		}
	}
	for _, i := range b.t.withSuffix(strings.TrimSuffix(name, ".rb") + ".rb") {
		p := b.t.files[i].path
		if root := strings.TrimSuffix(p, strings.TrimSuffix(name, ".rb")+".rb"); root == "" || baseName(strings.TrimSuffix(root, "/")) == "lib" {
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
		if n := sharedDirs(b.t.files[i].path, f.path); n > shared {
			best, shared = i, n
		}
	}
	return module{files: []int{best}}
}

func (b *binder) zigFile(f *fileEntry, name string) module {
	if !strings.HasSuffix(name, ".zig") {
		return module{external: true}
	}
	return b.relativeFile(f, name)
}

func (b *binder) relativeFile(f *fileEntry, name string) module {
	if p, ok := joinPath(dirName(f.path), name); ok {
		return module{files: b.at(p)}
	}
	return module{}
}

// projects is what the tree's own project files say about module names.
type projects struct {
	goMods   []project // go.mod: module path
	packages []project // package.json: name
	crates   []project // Cargo.toml: crate name and the folder with lib.rs
}

type project struct{ name, dir string }

// loadProjects reads the project files; without the source view there are
// none, and names resolve by paths alone.
func (b *binder) loadProjects() error {
	if b.projects != nil {
		return nil
	}
	p, err := b.e.projects.get(func() (*projects, error) {
		p := &projects{}
		if !b.e.has(artifact.Source) {
			return p, nil
		}
		read := func(i int32) ([]byte, error) {
			f := &b.t.files[i]
			src, err := b.e.ix.Source(f.p)
			if err != nil {
				return nil, err
			}
			c := src.Content(f.f)
			return c[:min(len(c), 64<<10)], nil
		}
		for _, i := range b.t.byBase["go.mod"] {
			text, err := read(i)
			if err != nil {
				return nil, err
			}
			if name := goModName(text); name != "" {
				p.goMods = append(p.goMods, project{name, dirName(b.t.files[i].path)})
			}
		}
		for _, i := range b.t.byBase["package.json"] {
			if classify(b.t.files[i].path)&classVendored != 0 {
				continue
			}
			text, err := read(i)
			if err != nil {
				return nil, err
			}
			if name := jsonName(text); name != "" {
				p.packages = append(p.packages, project{name, dirName(b.t.files[i].path)})
			}
		}
		for _, i := range b.t.byBase["Cargo.toml"] {
			text, err := read(i)
			if err != nil {
				return nil, err
			}
			dir := under(dirName(b.t.files[i].path), "src")
			if dirName(b.t.files[i].path) == "" {
				dir = "src"
			}
			if name := cargoName(text); name != "" && len(b.at(dir+"/lib.rs")) > 0 {
				p.crates = append(p.crates, project{strings.ReplaceAll(name, "-", "_"), dir})
			}
		}
		return p, nil
	})
	b.projects = p
	return err
}
