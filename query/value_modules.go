package query

import (
	"strings"

	"github.com/pindex-dev/pindex/query/treepath"
)

// dottedModule finds the module that a dotted name means because "import
// a.b.c" binds its first component, and what of the chain is left.
func (b *binder) dottedModule(pl place, chain string) (value, string, error) {
	if b.t.files[pl.file].lang != "python" {
		return value{}, "", nil
	}
	n := chainName(chain)
	imports, err := b.fileImports(pl.file)
	if err != nil {
		return value{}, "", err
	}
	head, best, rest := chain[:n], "", ""
	for i := range imports {
		im := &imports[i]
		if im.Name != "" || im.Alias != head || !strings.HasPrefix(im.Module, head+".") {
			continue
		}
		// As much of the chain as is part of the imported module's name.
		k := 0
		for k < len(chain) && k < len(im.Module) && chain[k] == im.Module[k] {
			k++
		}
		for k > 0 && (k < len(chain) && chain[k] != '.' && chain[k] != '(' && chain[k] != '[' || k < len(im.Module) && im.Module[k] != '.') {
			k--
		}
		if k > len(best) {
			best, rest = chain[:k], chain[k:]
		}
	}
	if best == "" {
		return value{}, "", nil
	}
	m, err := b.resolveModule(pl.file, best)
	if err != nil {
		return value{}, "", err
	}
	return value{files: m.files, external: m.external}, rest, nil
}

// moduleMember finds what a module has under a name.
func (b *binder) moduleMember(files []int, name string) (value, error) {
	ds, outside, err := b.exportedBy(files, name, 0, map[int]bool{})
	if err != nil {
		return value{}, err
	}
	if len(ds) > 0 {
		return value{decls: b.lastDeclared(ds), rule: "import that names the defining module"}, nil
	}
	if outside {
		return value{external: true, generic: name}, nil
	}
	if b.t.files[files[0]].lang == "python" {
		if m, err := b.importedModule(files, name); err != nil || len(m) > 0 {
			return value{files: m}, err
		}
		if base := treepath.Base(b.t.files[files[0]].path); strings.HasPrefix(base, "__init__.") {
			if sub := b.pythonAt(treepath.Dir(b.t.files[files[0]].path), name); len(sub) > 0 {
				return value{files: sub, rule: "import of the module"}, nil
			}
		}
	}
	return value{}, nil
}

// importedModule finds a module that files import under a name.
func (b *binder) importedModule(files []int, name string) ([]int, error) {
	for _, f := range files {
		imports, err := b.fileImports(f)
		if err != nil {
			return nil, err
		}
		for _, im := range imports {
			if im.Alias != name || im.Name == "*" {
				continue
			}
			mod := im.Module
			if im.Name == "" && strings.HasPrefix(mod, name+".") {
				mod = name
			}
			var m module
			if im.Name == "" {
				m, err = b.resolveModule(f, mod)
			} else {
				m, err = b.submodule(f, im.Module, im.Name)
			}
			if err != nil || len(m.files) > 0 {
				return m.files, err
			}
		}
	}
	return nil, nil
}

// lastDeclared keeps, of the declarations of a Python module's name, the one
// that importers get: the last one, with the overloads in front of it.
func (b *binder) lastDeclared(ds []*decl) []*decl {
	if len(ds) < 2 || b.t.files[ds[0].file].lang != "python" {
		return ds
	}
	ds = b.preferTyped(ds)
	last := ds[len(ds)-1]
	var out []*decl
	for _, d := range ds {
		if d == last || d.forward() && d.file == last.file && callableKind(d.sym.Kind) {
			out = append(out, d)
		}
	}
	return out
}
