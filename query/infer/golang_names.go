package infer

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/query/sketch"
	"github.com/pindex-dev/pindex/query/treepath"
)

// bare says what a name without a qualifier means.
func (g *goTypes) bare(file int, at uint32, name string) (Result, error) {
	if name == "_" {
		return Result{}, nil
	}
	found, rule, err := g.lookup(file, at, name)
	if err != nil {
		return Result{}, err
	}
	if len(found) > 0 {
		return Result{Things: found, State: Bound, Rule: rule}, nil
	}
	if rule != "" {
		return Result{State: Outside, Rule: rule}, nil
	}
	return Result{State: Unknown, Rule: "not declared in the package"}, nil
}

// lookup finds what a name means at a place of a file: innermost scope first,
// then the package, then imports, then the language's own names, for which
// nothing but a rule is returned.
func (g *goTypes) lookup(file int, at uint32, name string) ([]Thing, string, error) {
	s, err := g.tree.Sketch(file)
	if err != nil || s == nil {
		return nil, "", err
	}
	if d := s.Local(at, name); d != nil {
		rule := "declared in the enclosing function"
		if d.Kind == sketch.TypeParam {
			rule = "a type parameter in scope"
		}
		return []Thing{{file, d}}, rule, nil
	}
	found, err := g.inPackage(file, name)
	if err != nil || len(found) > 0 {
		return found, "declared in the same package", err
	}
	if d, err := g.importNamed(file, name); err != nil || d != nil {
		return []Thing{{file, d}}, "import of the file", err
	}
	outside := false
	for _, d := range s.Top {
		if d.Kind != sketch.Import || d.Name != "." {
			continue
		}
		m, err := g.tree.Module(file, d.Path)
		if err != nil {
			return nil, "", err
		}
		outside = outside || m.Outside
		if found, err := g.exported(m.Files, name); err != nil || len(found) > 0 {
			return found, "import of all names of the package", err
		}
	}
	if goUniverse(name) {
		return nil, "a name of the language", nil
	}
	if outside {
		return nil, "a package outside the tree, all of whose names are imported", nil
	}
	return nil, "", nil
}

// inPackage finds the declarations of a name at the top level of the package
// that a file belongs to. What its build needs not have counts only where
// nothing else does.
func (g *goTypes) inPackage(file int, name string) ([]Thing, error) {
	s, err := g.tree.Sketch(file)
	if err != nil || s == nil {
		return nil, err
	}
	path := g.tree.Path(file)
	dir, test := treepath.Dir(path), strings.HasSuffix(path, "_test.go")
	return g.topLevel(name, func(i int) bool {
		p := g.tree.Path(i)
		return treepath.Dir(p) == dir && (test || !strings.HasSuffix(p, "_test.go"))
	}, s.Package, file)
}

// topLevel finds the top-level declarations of a name in the files of a
// package that in accepts. Among several, those of the reader's own file or
// of files without build constraints are meant.
func (g *goTypes) topLevel(name string, in func(file int) bool, pkg string, from int) ([]Thing, error) {
	all, err := g.tree.Symbols(name)
	if err != nil {
		return nil, err
	}
	var out []Thing
	for _, d := range all {
		if g.tree.Lang(d.File) != "go" || len(d.Names) > 1 || d.Local || !in(d.File) {
			continue
		}
		s, err := g.tree.Sketch(d.File)
		if err != nil {
			return nil, err
		}
		if s == nil || pkg != "" && s.Package != pkg {
			continue
		}
		x, ok, err := Locate(g.tree, d)
		if err != nil {
			return nil, err
		}
		if ok && !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return g.buildable(out, from), nil
}

// exported finds a name in the files of an imported package.
func (g *goTypes) exported(files []int, name string) ([]Thing, error) {
	if len(files) == 0 {
		return nil, nil
	}
	pkg, err := g.packageOf(files)
	if err != nil {
		return nil, err
	}
	return g.topLevel(name, func(i int) bool { return slices.Contains(files, i) }, pkg, -1)
}

// packageOf returns the name of the package that files make up.
func (g *goTypes) packageOf(files []int) (string, error) {
	first := ""
	for _, i := range files {
		s, err := g.tree.Sketch(i)
		if err != nil {
			return "", err
		}
		if s == nil || s.Package == "" {
			continue
		}
		if goFits(g.tree.Path(i), s.Text) {
			return s.Package, nil
		}
		if first == "" {
			first = s.Package
		}
	}
	return first, nil
}

// importNamed finds the import that binds a name in a file.
func (g *goTypes) importNamed(file int, name string) (*sketch.Def, error) {
	s, err := g.tree.Sketch(file)
	if err != nil || s == nil {
		return nil, err
	}
	var likely *sketch.Def
	for _, d := range s.Top {
		if d.Kind != sketch.Import {
			continue
		}
		if d.Name != "" {
			if d.Name == name {
				return d, nil
			}
			continue
		}
		m, err := g.tree.Module(file, d.Path)
		if err != nil {
			return nil, err
		}
		if pkg, err := g.packageOf(m.Files); err != nil {
			return nil, err
		} else if pkg != "" {
			if pkg == name {
				return d, nil
			}
			continue
		}
		if GoPackage(d.Path) == name {
			return d, nil
		}
		// A package of the standard library bears its path's last element, so
		// "strings" says nothing of string.
		if first, _, _ := strings.Cut(d.Path, "/"); !strings.Contains(first, ".") || goUniverse(name) {
			continue
		}
		if likely == nil && strings.Contains(strings.ReplaceAll(lastElements(d.Path), "-", ""), name) {
			likely = d
		}
	}
	if goUniverse(name) {
		return nil, nil
	}
	return likely, nil
}

// lastElements returns the last two elements of an import path.
func lastElements(path string) string {
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		if j := strings.LastIndexByte(path[:i], '/'); j >= 0 {
			return path[j+1:]
		}
	}
	return path
}

// GoPackage guesses the name of a package from its path: the last element
// that is no version, without what packages' names do not have.
func GoPackage(path string) string {
	last := treepath.Base(path)
	if len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" && treepath.Dir(path) != "" {
		last = treepath.Base(treepath.Dir(path))
	}
	if i := strings.LastIndex(last, ".v"); i > 0 && strings.Trim(last[i+2:], "0123456789") == "" {
		last = last[:i]
	}
	last = strings.TrimPrefix(last, "go-")
	last = strings.TrimSuffix(last, "-go")
	last = strings.TrimSuffix(last, ".go")
	return last
}

func goUniverse(name string) bool {
	switch name {
	case "any", "bool", "byte", "comparable", "complex64", "complex128", "error", "float32", "float64", "int", "int8", "int16",
		"int32", "int64", "rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "true", "false", "iota",
		"nil", "append", "cap", "clear", "close", "complex", "copy", "delete", "imag", "len", "make", "max", "min", "new",
		"panic", "print", "println", "real", "recover":
		return true
	}
	return false
}

func goTypeOfUniverse(name string) bool {
	switch name {
	case "any", "bool", "byte", "comparable", "complex64", "complex128", "error", "float32", "float64", "int", "int8", "int16",
		"int32", "int64", "rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr":
		return true
	}
	return false
}
