package query

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/treepath"
)

// maxReexports bounds how many modules a re-exported name is followed through.
const maxReexports = 8

// imported binds a bare name to what an import of its file binds it to.
func (b *binder) imported(u use) (outcome, error) {
	imports, err := b.fileImports(u.file)
	if err != nil {
		return undecided, err
	}
	var wild []artifact.Import
	tr := traitsOf(b.t.files[u.file].lang)
	for i := range imports {
		im := imports[i]
		switch {
		case im.Module == "":
			// An export under another name binds nothing here.
		case im.Name == "*" || im.Name == "" && tr.wildInclude:
			wild = append(wild, im)
		case im.Alias == u.occ.Name:
			o, err := b.through(u, im)
			return b.orBinding(u, im, o), err
		}
	}
	for _, im := range wild {
		m, err := b.resolveModule(u.file, im.Module)
		if err != nil {
			return undecided, err
		}
		ds, _, err := b.exportedBy(m.files, u.occ.Name, 0, map[int]bool{u.file: true})
		if err != nil {
			return undecided, err
		}
		if ds = b.pick(u, ds, true); len(ds) > 0 {
			if tr.wildInclude && ds[0].forward() {
				return b.definitionOf(u, ds)
			}
			return b.decide(ds, "import of all names of the defining module"), nil
		}
	}
	return undecided, nil
}

// definitionOf follows a prototype in an included header to the definition:
// the only one of that name.
func (b *binder) definitionOf(u use, protos []*decl) (outcome, error) {
	all, err := b.declared(u.occ.Name)
	if err != nil {
		return undecided, err
	}
	var defs []*decl
	for _, d := range b.pick(u, all, false) {
		if !d.forward() && b.open(d) {
			defs = append(defs, d)
		}
	}
	if b.oneSet(defs) {
		return bound(Syntactic, "included declaration, and its only definition", defs), nil
	}
	return b.decide(protos, "included declaration"), nil
}

// through binds a name that an import binds by name.
func (b *binder) through(u use, im artifact.Import) (outcome, error) {
	if im.Name == "" {
		return b.moduleItself(u.file, im)
	}
	m, err := b.resolveModule(u.file, im.Module)
	if err != nil {
		return undecided, err
	}
	return b.member1(u, m, im)
}

// moduleItself is the outcome of a name that means a module.
func (b *binder) moduleItself(file int, im artifact.Import) (outcome, error) {
	name := im.Module
	if strings.HasPrefix(name, im.Alias+".") && b.t.files[file].lang == "python" {
		name = im.Alias // "import a.b" binds a
	}
	m, err := b.resolveModule(file, name)
	if err == nil && len(m.files) > 0 && family(b.t.files[file].lang) == "script" {
		// "require" gives what the module exports as a whole.
		ds, _, err := b.exportedBy(m.files, "default", 0, map[int]bool{})
		if err != nil {
			return undecided, err
		}
		if len(ds) == 0 {
			if ds, err = b.wholeExports(m.files); err != nil {
				return undecided, err
			}
		}
		if required, err := b.required(file, im); err != nil {
			return undecided, err
		} else if required && len(ds) > 0 {
			o := b.decide(ds, "what the required module exports")
			o.files = m.files
			return o, nil
		}
	}
	switch {
	case err != nil:
		return undecided, err
	case len(m.files) > 0:
		return outcome{binding: Bound, provenance: Syntactic, rule: "import of the module", files: m.files}, nil
	case m.external:
		return external("the import leads outside the tree"), nil
	}
	return unresolved("the imported module is not in the index"), nil
}

// member1 binds the imported member im.Name of a module.
func (b *binder) member1(u use, m module, im artifact.Import) (outcome, error) {
	if m.external {
		return external("the import leads outside the tree"), nil
	}
	ds, outside, err := b.exportedBy(m.files, im.Name, 0, map[int]bool{})
	if err != nil {
		return undecided, err
	}
	if len(ds) == 0 && im.Name == "default" {
		if ds, err = b.defaultExport(m.files, im.Alias); err != nil {
			return undecided, err
		}
	}
	if len(ds) == 0 && b.t.files[u.file].lang == "rust" {
		if ds, err = b.exportedMacro(m.files, im.Name); err != nil {
			return undecided, err
		}
	}
	if b.t.files[u.file].lang == "python" {
		ds = b.lastDeclared(ds)
	}
	if o := b.decide(b.pick(u, ds, true), "import that names the defining module"); o.binding != "" {
		return o, nil
	}
	if outside {
		return external("re-exported from outside the tree"), nil
	}
	if im.Name == "default" && len(m.files) > 0 && family(b.t.files[u.file].lang) == "script" {
		return outcome{binding: Bound, provenance: Syntactic, rule: "import of the module", files: m.files}, nil
	}
	// The member may be a module itself.
	sub, err := b.submodule(u.file, im.Module, im.Name)
	if err != nil {
		return undecided, err
	}
	if len(sub.files) > 0 {
		return outcome{binding: Bound, provenance: Syntactic, rule: "import of the module", files: sub.files}, nil
	}
	if len(m.files) == 0 && sub.external {
		return external("the import leads outside the tree"), nil
	}
	return unresolved("the imported module does not declare it"), nil
}

// submodule resolves a member of a module as a module.
func (b *binder) submodule(file int, mod, name string) (module, error) {
	switch b.t.files[file].lang {
	case "python":
		if mod == "" || mod[len(mod)-1] == '.' {
			return b.resolveModule(file, mod+name)
		}
		return b.resolveModule(file, mod+"."+name)
	case "rust":
		m, err := b.resolveModule(file, mod+"::"+name)
		if err != nil || len(m.files) == 0 || !b.rustNames(m.files[0], name) {
			return module{}, err
		}
		return m, nil
	case "java", "kotlin", "scala", "groovy":
		return b.resolveModule(file, mod+"."+name)
	case "php":
		return b.resolveModule(file, mod+`\`+name)
	}
	return module{}, nil
}

// exportedBy returns the declarations of a name at the top level of the given
// files, or what they re-export under that name. outside says that one of
// them re-exports it from outside the tree.
func (b *binder) exportedBy(files []int, name string, depth int, seen map[int]bool) (ds []*decl, outside bool, err error) {
	for _, f := range files {
		if seen[f] {
			continue
		}
		top, err := b.topLevel(f, name)
		if err != nil {
			return nil, false, err
		}
		ds = append(ds, top...)
	}
	// "mod spawn; pub use spawn::spawn;": a module does not hide what is
	// re-exported under the same name.
	if len(ds) > 0 && !onlyModules(ds) || depth >= maxReexports {
		return ds, false, nil
	}
	for _, f := range files {
		if seen[f] {
			continue
		}
		seen[f] = true
		found, out, err := b.reexported(f, name, depth, seen)
		if err != nil {
			return nil, false, err
		}
		outside = outside || out
		if len(found) > 0 {
			return found, false, nil
		}
	}
	return ds, outside && len(ds) == 0, nil
}

func onlyModules(ds []*decl) bool {
	for _, d := range ds {
		if d.sym.Kind != artifact.KindModule {
			return false
		}
	}
	return true
}

func (b *binder) reexported(f int, name string, depth int, seen map[int]bool) (ds []*decl, outside bool, err error) {
	if b.t.files[f].lang == "go" {
		return nil, false, nil // Go re-exports nothing
	}
	imports, err := b.fileImports(f)
	if err != nil {
		return nil, false, err
	}
	for _, im := range imports {
		if im.Alias != name || im.Name == "" || im.Name == "*" {
			continue
		}
		if im.Module == "" { // export { a as b }
			if im.Name == name {
				continue // found at the top level, or nowhere
			}
			if ds, err = b.topLevel(f, im.Name); err != nil || len(ds) > 0 {
				return ds, false, err
			}
			if depth < maxReexports {
				if ds, outside, err = b.reexported(f, im.Name, depth+1, seen); err != nil || len(ds) > 0 || outside {
					return ds, outside, err
				}
			}
			continue
		}
		m, err := b.resolveModule(f, im.Module)
		if err != nil {
			return nil, false, err
		}
		outside = outside || m.external
		found, out, err := b.exportedBy(m.files, im.Name, depth+1, seen)
		if err != nil || len(found) > 0 {
			return found, false, err
		}
		outside = outside || out
	}
	for _, im := range imports {
		if im.Name != "*" || im.Alias != "*" && im.Alias != "" || name == "default" {
			continue
		}
		m, err := b.resolveModule(f, im.Module)
		if err != nil {
			return nil, false, err
		}
		found, _, err := b.exportedBy(m.files, name, depth+1, seen)
		if err != nil || len(found) > 0 {
			return found, false, err
		}
	}
	return nil, outside, nil
}

// defaultExport finds what a script file exports by default: the declaration
// with the name that the importer gave it or with the file's own name, else
// the only exported one.
func (b *binder) defaultExport(files []int, alias string) ([]*decl, error) {
	for _, f := range files {
		for _, name := range []string{alias, treepath.Stem(b.t.files[f].path)} {
			if ds, err := b.topLevel(f, name); err != nil || len(ds) > 0 {
				return ds, err
			}
		}
		st, err := b.e.ix.Structural(b.t.files[f].p)
		if err != nil {
			return nil, err
		}
		var only []*decl
		lo, hi := st.FileSymbols(b.t.files[f].f)
		for i := lo; i < hi; i++ {
			d, err := b.decl(declID{b.t.files[f].p, i})
			if err != nil {
				return nil, err
			}
			if d.sym.Flags&artifact.SymbolExported != 0 && d.sym.Parent < 0 {
				only = append(only, d)
			}
		}
		if len(only) == 1 {
			return only, nil
		}
	}
	return nil, nil
}

// exportedMacro finds a Rust macro of the crate whose root is among files: an
// exported macro belongs to the root, wherever it is written.
func (b *binder) exportedMacro(files []int, name string) ([]*decl, error) {
	all, err := b.declared(name)
	if err != nil {
		return nil, err
	}
	var out []*decl
	for _, f := range files {
		root := treepath.Dir(b.t.files[f].path) + "/"
		for _, d := range all {
			if d.sym.Kind == artifact.KindMacro && treepath.Stem(b.t.files[f].path) == "lib" && strings.HasPrefix(b.t.files[d.file].path, root) {
				out = append(out, d)
			}
		}
	}
	return out, nil
}

// bindImportName binds a name inside an import statement.
func (b *binder) bindImportName(u use) (outcome, error) {
	imports, err := b.fileImports(u.file)
	if err != nil {
		return undecided, err
	}
	imports = slices.DeleteFunc(slices.Clone(imports), func(im artifact.Import) bool { return im.Module == "" })
	i := slices.IndexFunc(imports, func(im artifact.Import) bool {
		return im.Pos == u.occ.Pos && (im.Name == u.occ.Name || im.Name == "" || im.Name == "default")
	})
	if i < 0 {
		i = slices.IndexFunc(imports, func(im artifact.Import) bool {
			return im.Pos.Line == u.occ.Pos.Line && im.Name == u.occ.Name
		})
	}
	if i < 0 {
		if u.occ.Role == artifact.RoleImport {
			i = slices.IndexFunc(imports, func(im artifact.Import) bool { return im.Pos.Line == u.occ.Pos.Line && im.Name == "" })
		}
		if i < 0 {
			return undecided, nil
		}
	}
	o, err := b.through(u, imports[i])
	return b.orBinding(u, imports[i], o), err
}
