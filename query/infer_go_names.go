package query

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/query/sketch"
	"github.com/pindex-dev/pindex/query/treepath"
)

// bare says what a name without a qualifier means.
func (g *goTypes) bare(file int, at uint32, name string) (inferred, error) {
	if name == "_" {
		return inferred{}, nil
	}
	found, rule, err := g.lookup(file, at, name)
	if err != nil {
		return inferred{}, err
	}
	if len(found) > 0 {
		return inferred{things: found, state: isBound, rule: rule}, nil
	}
	if rule != "" {
		return inferred{state: isOutside, rule: rule}, nil
	}
	return inferred{state: isUnknown, rule: "not declared in the package"}, nil
}

// lookup finds what a name means at a place of a file: innermost scope first,
// then the package, then imports, then the language's own names, for which
// nothing but a rule is returned.
func (g *goTypes) lookup(file int, at uint32, name string) ([]thing, string, error) {
	s, err := g.b.sketch(file)
	if err != nil || s == nil {
		return nil, "", err
	}
	if d := s.Local(at, name); d != nil {
		rule := "declared in the enclosing function"
		if d.Kind == sketch.TypeParam {
			rule = "a type parameter in scope"
		}
		return []thing{{file, d}}, rule, nil
	}
	found, err := g.inPackage(file, name)
	if err != nil || len(found) > 0 {
		return found, "declared in the same package", err
	}
	if d, err := g.importNamed(file, name); err != nil || d != nil {
		return []thing{{file, d}}, "import of the file", err
	}
	outside := false
	for _, d := range s.Top {
		if d.Kind != sketch.Import || d.Name != "." {
			continue
		}
		m, err := g.b.resolveModule(file, d.Path)
		if err != nil {
			return nil, "", err
		}
		outside = outside || m.external
		if found, err := g.exported(m.files, name); err != nil || len(found) > 0 {
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
func (g *goTypes) inPackage(file int, name string) ([]thing, error) {
	s, err := g.b.sketch(file)
	if err != nil || s == nil {
		return nil, err
	}
	f := &g.b.t.files[file]
	dir, test := treepath.Dir(f.path), strings.HasSuffix(f.path, "_test.go")
	return g.topLevel(name, func(i int) bool {
		p := g.b.t.files[i].path
		return treepath.Dir(p) == dir && (test || !strings.HasSuffix(p, "_test.go"))
	}, s.Package, file)
}

// topLevel finds the top-level declarations of a name in the files of a
// package that in accepts. Among several, those of the reader's own file or
// of files without build constraints are meant.
func (g *goTypes) topLevel(name string, in func(file int) bool, pkg string, from int) ([]thing, error) {
	all, err := g.b.declared(name)
	if err != nil {
		return nil, err
	}
	var out []thing
	for _, d := range all {
		if g.b.t.files[d.file].lang != "go" || len(d.names) > 1 || d.local() || !in(d.file) {
			continue
		}
		s, err := g.b.sketch(d.file)
		if err != nil {
			return nil, err
		}
		if s == nil || pkg != "" && s.Package != pkg {
			continue
		}
		x, ok, err := g.b.thingOf(d)
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
func (g *goTypes) exported(files []int, name string) ([]thing, error) {
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
		s, err := g.b.sketch(i)
		if err != nil {
			return "", err
		}
		if s == nil || s.Package == "" {
			continue
		}
		if goFits(g.b.t.files[i].path, s.Text) {
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
	s, err := g.b.sketch(file)
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
		m, err := g.b.resolveModule(file, d.Path)
		if err != nil {
			return nil, err
		}
		if pkg, err := g.packageOf(m.files); err != nil {
			return nil, err
		} else if pkg != "" {
			if pkg == name {
				return d, nil
			}
			continue
		}
		if goPackageGuess(d.Path) == name {
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

// goPackageGuess guesses the name of a package from its path: the last element
// that is no version, without what packages' names do not have.
func goPackageGuess(path string) string {
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
