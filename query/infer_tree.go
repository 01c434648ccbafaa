package query

import (
	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/infer"
	"github.com/pindex-dev/pindex/query/sketch"
)

// inferTree gives infer what it asks of the index.
type inferTree binder

func (t *inferTree) binder() *binder { return (*binder)(t) }

func (t *inferTree) Path(file int) string { return t.t.files[file].path }
func (t *inferTree) Lang(file int) string { return t.t.files[file].lang }
func (t *inferTree) Test(file int) bool   { return t.t.files[file].test }

func (t *inferTree) Sketch(file int) (*sketch.File, error) { return t.binder().sketch(file) }

func (t *inferTree) Offset(file int, at artifact.Position) (uint32, bool, error) {
	text, err := t.binder().text(file)
	if err != nil || text == nil {
		return 0, false, err
	}
	off, ok := text.offset(at)
	return off, ok, nil
}

func (t *inferTree) Symbols(name string) ([]infer.Symbol, error) {
	if s, ok := t.symbolsNamed[name]; ok {
		return s, nil
	}
	ds, err := t.binder().declared(name)
	if err != nil {
		return nil, err
	}
	out := make([]infer.Symbol, len(ds))
	for i, d := range ds {
		out[i] = infer.Symbol{File: d.file, Kind: d.sym.Kind, Names: d.names, Local: d.local(), At: d.sym.NamePos}
	}
	t.symbolsNamed[name] = out
	return out, nil
}

func (t *inferTree) Imports(file int) ([]string, error) {
	imports, err := t.binder().fileImports(file)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(imports))
	for i, im := range imports {
		out[i] = im.Module
	}
	return out, nil
}

func (t *inferTree) Module(from int, name string) (infer.Module, error) {
	m, err := t.binder().resolveModule(from, name)
	return infer.Module{Files: m.files, Outside: m.external}, err
}

func (t *inferTree) Find(paths ...string) []int { return t.binder().at(paths...) }

func (t *inferTree) GoFiles(dir string) []int { return t.binder().goFiles(dir, true) }

func (t *inferTree) Crate(name string) (string, bool, error) {
	if err := t.binder().loadProjects(); err != nil {
		return "", false, err
	}
	for _, c := range t.projects.crates {
		if c.name == name {
			return c.dir, true, nil
		}
	}
	return "", false, nil
}

func (t *inferTree) Builtin(lang, name string) bool { return builtin(lang, name) }
