package query

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/query/sketch"
)

// The types of Go, as far as members depend on them.

type goKind uint8

const (
	goUnknown   goKind = iota
	goOutside          // declared outside of the tree
	goBasic            // of the language: name
	goNamed            // def, with args
	goPointer          // elem
	goArray            // elem
	goMap              // key, elem
	goChan             // elem
	goFunc             // node
	goStruct           // node
	goInterface        // node
	goParam            // a type parameter: def
	goTuple            // list
)

// goType is a type. node is where a func, struct or interface type is
// written; env says what the type parameters there stand for.
type goType struct {
	kind      goKind
	name      string
	elem, key *goType
	def       thing
	node      *sketch.Node
	env       *goEnv
	list      []*goType // tuple; arguments of a named type
}

// goEnv binds type parameters.
type goEnv struct {
	up    *goEnv
	param *sketch.Def
	typ   *goType
}

func (e *goEnv) get(p *sketch.Def) *goType {
	for ; e != nil; e = e.up {
		if e.param == p {
			return e.typ
		}
	}
	return nil
}

var (
	goNothing   = &goType{}
	goElsewhere = &goType{kind: goOutside}
)

// goMode says what an expression is.
type goMode uint8

const (
	goNone goMode = iota
	goValue
	goTypeName
	goPackageName // files, or outside
	goBuiltinFunc // name
)

// goExpr is what an expression comes to.
type goExpr struct {
	mode  goMode
	typ   *goType
	files []int  // of a package
	name  string // of a builtin
	in    thing  // the function or method that the value is, for its type parameters
}

// maxGoSteps bounds the work of one inference.
const maxGoSteps = 20_000

// goReader infers the types of Go expressions. It serves one binder.
type goTypes struct {
	b     *binder
	memo  map[*sketch.Node]goExpr
	busy  map[*sketch.Def]bool
	types map[*sketch.Def]*goType
	steps int
	depth int
}

func (b *binder) goTypes() *goTypes {
	if b.golang == nil {
		b.golang = &goTypes{b: b, memo: map[*sketch.Node]goExpr{}, busy: map[*sketch.Def]bool{}, types: map[*sketch.Def]*goType{}}
	}
	b.golang.steps, b.golang.depth = 0, 0
	return b.golang
}

// tooMuch counts a step and reports whether the inference should end.
func (g *goTypes) tooMuch() bool {
	g.steps++
	return g.steps > maxGoSteps || g.depth > 100
}

// inferGo says what the name at an offset of a Go file means.
func (b *binder) inferGo(file int, s *sketch.File, at uint32) (inferred, error) {
	at = s.Token(at)
	if d := s.LocalAt(at); d != nil && d.Kind != sketch.Embedded {
		return inferred{things: []thing{{file, d}}, state: isBound, rule: "declared there"}, nil
	}
	if d := s.At(at); d != nil && d.Kind != sketch.Embedded {
		return inferred{things: []thing{{file, d}}, state: isBound, rule: "declared there"}, nil
	}
	if at == s.PackAt && s.Package != "" {
		return b.goPackageClause(file, s)
	}
	u, ok := s.UseAt(at)
	if !ok {
		return b.goImportAt(file, s, at)
	}
	g := b.goTypes()
	switch {
	case u.Label:
		if l := s.Label(at, u.Node.Name); l != nil {
			return inferred{things: []thing{{file, l}}, state: isBound, rule: "a label of the function"}, nil
		}
		return inferred{state: isUnknown, rule: "no such label"}, nil
	case u.Of != nil:
		return g.key(file, u)
	case u.Node.Kind == sketch.Member:
		return g.member(file, u.Node)
	}
	return g.bare(file, u.Node.At, u.Node.Name)
}

// goPackageClause finds the clause of the package that has its documentation;
// this file's own where none has.
func (b *binder) goPackageClause(file int, s *sketch.File) (inferred, error) {
	clause := func(i int, s *sketch.File) inferred {
		d := &sketch.Def{Kind: sketch.Namespace, Name: s.Package, At: s.PackAt}
		return inferred{things: []thing{{i, d}}, state: isBound, rule: "the package's clause"}
	}
	for _, i := range b.goFiles(dirName(b.t.files[file].path), true) {
		o, err := b.sketch(i)
		if err != nil {
			return inferred{}, err
		}
		if o != nil && o.Package == s.Package && o.PackAt > 8 && goDocumented(o.Text[:o.PackAt]) {
			return clause(i, o), nil
		}
	}
	return clause(file, s), nil
}

// goDocumented reports whether what stands before a package's name ends with
// a comment directly in front of the clause.
func goDocumented(head []byte) bool {
	head = bytes.TrimSpace(head)
	head, ok := bytes.CutSuffix(head, []byte("package"))
	if !ok || !bytes.HasSuffix(head, lf) {
		return false
	}
	head = head[:len(head)-1]
	line := head[bytes.LastIndexByte(head, '\n')+1:]
	return bytes.HasPrefix(line, []byte("//")) && !bytes.HasPrefix(line, []byte("//go:")) || bytes.HasSuffix(bytes.TrimSpace(line), []byte("*/"))
}

// goImportAt handles the path of an import.
func (b *binder) goImportAt(file int, s *sketch.File, at uint32) (inferred, error) {
	for _, d := range s.Top {
		if d.Kind == sketch.Import && d.Start <= at && at < d.End {
			m, err := b.resolveModule(file, d.Path)
			if err != nil {
				return inferred{}, err
			}
			if m.external {
				return inferred{state: isOutside, rule: "the import leads outside the tree"}, nil
			}
			if len(m.files) > 0 {
				return inferred{files: m.files, state: isBound, rule: "import of the package"}, nil
			}
		}
	}
	return inferred{}, nil
}

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
	dir, test := dirName(f.path), strings.HasSuffix(f.path, "_test.go")
	return g.topLevel(name, func(i int) bool {
		p := g.b.t.files[i].path
		return dirName(p) == dir && (test || !strings.HasSuffix(p, "_test.go"))
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
	last := baseName(path)
	if len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" && dirName(path) != "" {
		last = baseName(dirName(path))
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

// member says what x.Name means.
func (g *goTypes) member(file int, n *sketch.Node) (inferred, error) {
	x, err := g.expr(file, n.X, nil)
	if err != nil {
		return inferred{}, err
	}
	switch x.mode {
	case goPackageName:
		if len(x.files) == 0 {
			return inferred{state: isOutside, rule: "the import leads outside the tree"}, nil
		}
		found, err := g.exported(x.files, n.Name)
		if err != nil {
			return inferred{}, err
		}
		if len(found) > 0 {
			return inferred{things: found, state: isBound, rule: "member of the imported package"}, nil
		}
		return inferred{state: isUnknown, rule: "the imported package does not declare it"}, nil
	case goValue, goTypeName:
		found, _, outside, err := g.find(x.typ, n.Name)
		if err != nil {
			return inferred{}, err
		}
		switch {
		case len(found) > 0:
			rule := "member of the receiver's type"
			if x.mode == goTypeName {
				rule = "member of the type that qualifies it"
			}
			return inferred{things: found, state: isBound, rule: rule}, nil
		case outside:
			return inferred{state: isOutside, rule: "the receiver's type is outside the tree"}, nil
		case x.typ == nil || x.typ.kind == goUnknown:
			return inferred{state: isUnknown, rule: "the receiver's type is not known", guess: true}, nil
		}
		return inferred{state: isUnknown, rule: "the receiver's type has no such member in the index"}, nil
	}
	return inferred{state: isUnknown, rule: "the receiver is not known", guess: true}, nil
}

// key says what the key of a composite literal means.
func (g *goTypes) key(file int, u sketch.Use) (inferred, error) {
	t, err := g.literalType(file, u.Of)
	if err != nil {
		return inferred{}, err
	}
	under, err := g.underlying(t)
	if err != nil {
		return inferred{}, err
	}
	switch under.kind {
	case goStruct:
		for _, d := range under.node.Fields {
			if d.Name == u.Node.Name {
				return inferred{things: []thing{{under.def.file, d}}, state: isBound, rule: "field of the literal's type"}, nil
			}
		}
		return inferred{state: isUnknown, rule: "the literal's type has no such field"}, nil
	case goOutside:
		return inferred{state: isOutside, rule: "the literal's type is outside the tree"}, nil
	case goUnknown:
		return inferred{state: isUnknown, rule: "a field of a literal whose type is not known"}, nil
	}
	return g.bare(file, u.Node.At, u.Node.Name)
}

// literalType is the type of a composite literal.
func (g *goTypes) literalType(file int, n *sketch.Node) (*goType, error) {
	if g.depth++; g.tooMuch() {
		g.depth--
		return goNothing, nil
	}
	defer func() { g.depth-- }()
	if n.X != nil {
		return g.typeOf(file, n.X, nil)
	}
	if n.Y == nil {
		return goNothing, nil
	}
	around, err := g.literalType(file, n.Y)
	if err != nil {
		return nil, err
	}
	if around, err = g.underlying(around); err != nil {
		return nil, err
	}
	t := around.elem
	switch {
	case around.kind == goOutside:
		return goElsewhere, nil
	case n.Flag:
		t = around.key
	}
	if t == nil {
		return goNothing, nil
	}
	if t.kind == goPointer {
		return t.elem, nil
	}
	return t, nil
}

// typeOf reads a type expression.
func (g *goTypes) typeOf(file int, n *sketch.Node, env *goEnv) (*goType, error) {
	if n == nil {
		return goNothing, nil
	}
	g.depth++
	defer func() { g.depth-- }()
	if g.tooMuch() {
		return goNothing, nil
	}
	of := func(k goKind) (*goType, error) {
		elem, err := g.typeOf(file, n.X, env)
		return &goType{kind: k, elem: elem}, err
	}
	switch n.Kind {
	case sketch.Star:
		return of(goPointer)
	case sketch.ArrayType:
		return of(goArray)
	case sketch.ChanType:
		return of(goChan)
	case sketch.MapType:
		key, err := g.typeOf(file, n.X, env)
		if err != nil {
			return nil, err
		}
		elem, err := g.typeOf(file, n.Y, env)
		return &goType{kind: goMap, key: key, elem: elem}, err
	case sketch.FuncType, sketch.FuncLit:
		return &goType{kind: goFunc, node: n, env: env, def: thing{file: file}}, nil
	case sketch.StructType:
		return &goType{kind: goStruct, node: n, env: env, def: thing{file: file}}, nil
	case sketch.InterfaceType:
		return &goType{kind: goInterface, node: n, env: env, def: thing{file: file}}, nil
	case sketch.Name, sketch.Member, sketch.Index:
		e, err := g.expr(file, n, env)
		if err != nil || e.mode != goTypeName {
			return goNothing, err
		}
		return e.typ, nil
	}
	return goNothing, nil
}

// underlying follows a named type to what it is made of.
func (g *goTypes) underlying(t *goType) (*goType, error) {
	for n := 0; t != nil && n < 64; n++ {
		switch t.kind {
		case goNamed:
			next, err := g.typeOf(t.def.file, t.def.def.Type, g.argsEnv(t))
			if err != nil {
				return nil, err
			}
			t = next
		case goParam:
			if t.def.def.Type == nil {
				return goNothing, nil
			}
			next, err := g.typeOf(t.def.file, t.def.def.Type, nil)
			if err != nil {
				return nil, err
			}
			t = next
		default:
			return t, nil
		}
	}
	return goNothing, nil
}

// argsEnv binds the parameters of a generic type to its arguments.
func (g *goTypes) argsEnv(t *goType) *goEnv {
	var env *goEnv
	if v := t.def.def.Via; v != nil && v.Fn != nil {
		for i, p := range v.Fn.TypeParams {
			if i < len(t.list) {
				env = &goEnv{env, p, t.list[i]}
			}
		}
	}
	return env
}

// expr says what an expression is. env binds the type parameters that are
// written in it.
func (g *goTypes) expr(file int, n *sketch.Node, env *goEnv) (goExpr, error) {
	if n == nil {
		return goExpr{}, nil
	}
	if env == nil {
		if e, ok := g.memo[n]; ok {
			return e, nil
		}
	}
	g.depth++
	defer func() { g.depth-- }()
	if g.tooMuch() {
		return goExpr{}, nil
	}
	e, err := g.fresh(file, n, env)
	if err == nil && env == nil && g.steps <= maxGoSteps {
		g.memo[n] = e
	}
	return e, err
}

func valueOf(t *goType) goExpr { return goExpr{mode: goValue, typ: t} }

func basic(name string) *goType { return &goType{kind: goBasic, name: name} }

func (g *goTypes) fresh(file int, n *sketch.Node, env *goEnv) (goExpr, error) {
	switch n.Kind {
	case sketch.Name:
		return g.name(file, n, env)
	case sketch.Member:
		return g.memberExpr(file, n, env)
	case sketch.Lit:
		return valueOf(basic(n.Name)), nil
	case sketch.Call:
		return g.call(file, n, env)
	case sketch.Index:
		return g.index(file, n, env)
	case sketch.Slice:
		x, err := g.expr(file, n.X, env)
		if err != nil || x.typ == nil {
			return goExpr{}, err
		}
		if u, err := g.underlying(x.typ); err != nil {
			return goExpr{}, err
		} else if u.kind == goPointer {
			return valueOf(u.elem), nil
		}
		return valueOf(x.typ), nil
	case sketch.Star:
		x, err := g.expr(file, n.X, env)
		if err != nil {
			return goExpr{}, err
		}
		if x.mode == goTypeName {
			return goExpr{mode: goTypeName, typ: &goType{kind: goPointer, elem: x.typ}}, nil
		}
		u, err := g.underlying(x.typ)
		if err != nil || u == nil {
			return goExpr{}, err
		}
		switch u.kind {
		case goPointer:
			return valueOf(u.elem), nil
		case goOutside:
			return valueOf(goElsewhere), nil
		}
		return goExpr{}, nil
	case sketch.Addr:
		x, err := g.expr(file, n.X, env)
		if err != nil || x.typ == nil {
			return goExpr{}, err
		}
		return valueOf(&goType{kind: goPointer, elem: x.typ}), nil
	case sketch.Unary:
		x, err := g.expr(file, n.X, env)
		return valueOf(x.typ), err
	case sketch.Binary:
		switch n.Name {
		case "==", "!=", "<", ">", "<=", ">=", "&&", "||":
			return valueOf(basic("bool")), nil
		}
		x, err := g.expr(file, n.X, env)
		if err != nil {
			return goExpr{}, err
		}
		if n.X != nil && n.X.Kind == sketch.Lit && n.Name != "<<" && n.Name != ">>" {
			y, err := g.expr(file, n.Y, env)
			return valueOf(y.typ), err
		}
		return valueOf(x.typ), nil
	case sketch.Composite:
		t, err := g.literalType(file, n)
		return valueOf(t), err
	case sketch.FuncLit:
		return valueOf(&goType{kind: goFunc, node: n, env: env, def: thing{file: file}}), nil
	case sketch.Assert:
		t, err := g.typeOf(file, n.Y, env)
		return valueOf(t), err
	case sketch.Receive:
		x, err := g.expr(file, n.X, env)
		if err != nil {
			return goExpr{}, err
		}
		u, err := g.underlying(x.typ)
		if err != nil || u == nil {
			return goExpr{}, err
		}
		if u.kind == goOutside {
			return valueOf(goElsewhere), nil
		}
		return valueOf(u.elem), nil
	case sketch.ArrayType, sketch.MapType, sketch.ChanType, sketch.FuncType, sketch.StructType, sketch.InterfaceType:
		t, err := g.typeOf(file, n, env)
		return goExpr{mode: goTypeName, typ: t}, err
	}
	return goExpr{}, nil
}

func (g *goTypes) name(file int, n *sketch.Node, env *goEnv) (goExpr, error) {
	found, rule, err := g.lookup(file, n.At, n.Name)
	if err != nil {
		return goExpr{}, err
	}
	if len(found) > 0 {
		return g.thing(found[0], env)
	}
	switch {
	case goTypeOfUniverse(n.Name):
		return goExpr{mode: goTypeName, typ: basic(n.Name)}, nil
	case n.Name == "true" || n.Name == "false":
		return valueOf(basic("bool")), nil
	case n.Name == "iota":
		return valueOf(basic("int")), nil
	case n.Name == "nil":
		return valueOf(goNothing), nil
	case goUniverse(n.Name):
		return goExpr{mode: goBuiltinFunc, name: n.Name}, nil
	case rule != "":
		return valueOf(goElsewhere), nil
	}
	return goExpr{}, nil
}

// thing says what a definition is as an expression.
func (g *goTypes) thing(x thing, env *goEnv) (goExpr, error) {
	d := x.def
	switch d.Kind {
	case sketch.Import:
		m, err := g.b.resolveModule(x.file, d.Path)
		return goExpr{mode: goPackageName, files: m.files}, err
	case sketch.TypeName:
		if d.Alias {
			if g.busy[d] {
				return goExpr{}, nil
			}
			g.busy[d] = true
			t, err := g.typeOf(x.file, d.Type, nil)
			delete(g.busy, d)
			return goExpr{mode: goTypeName, typ: t}, err
		}
		return goExpr{mode: goTypeName, typ: &goType{kind: goNamed, def: x}}, nil
	case sketch.TypeParam:
		if t := env.get(d); t != nil {
			return goExpr{mode: goTypeName, typ: t}, nil
		}
		if d.Type == nil && d.N > 0 {
			c, err := g.receiverConstraint(x)
			if err != nil || c == nil {
				return goExpr{mode: goTypeName, typ: goNothing}, err
			}
			x.def = c
		}
		return goExpr{mode: goTypeName, typ: &goType{kind: goParam, def: x}}, nil
	}
	t, err := g.typeOfThing(x, env)
	e := valueOf(t)
	if d.Kind == sketch.Function || d.Kind == sketch.Method {
		e.in = x
	}
	return e, err
}

// receiverConstraint finds the type parameter that one of a receiver stands
// for. It is declared in the same package.
func (g *goTypes) receiverConstraint(x thing) (*sketch.Def, error) {
	s, err := g.b.sketch(x.file)
	if err != nil || s == nil {
		return nil, err
	}
	for _, m := range s.Top {
		if m.Recv == nil || !slices.Contains(m.Type.Fn.TypeParams, x.def) {
			continue
		}
		owners, err := g.inPackage(x.file, receiverName(m.Recv.Type))
		if err != nil || len(owners) == 0 {
			return nil, err
		}
		if v := owners[0].def.Via; v != nil && v.Fn != nil && x.def.N <= len(v.Fn.TypeParams) {
			return v.Fn.TypeParams[x.def.N-1], nil
		}
	}
	return nil, nil
}

func receiverName(t *sketch.Node) string {
	for t != nil && (t.Kind == sketch.Star || t.Kind == sketch.Index) {
		t = t.X
	}
	if t == nil {
		return ""
	}
	return t.Name
}

// typeOfThing is the type of a variable, constant, function or field.
func (g *goTypes) typeOfThing(x thing, env *goEnv) (*goType, error) {
	d := x.def
	if env == nil {
		if t := g.types[d]; t != nil {
			return t, nil
		}
	}
	if g.busy[d] {
		return goNothing, nil
	}
	g.busy[d] = true
	t, err := g.freshType(x, env)
	delete(g.busy, d)
	if err == nil && env == nil && t != nil && g.steps <= maxGoSteps {
		g.types[d] = t
	}
	return t, err
}

func (g *goTypes) freshType(x thing, env *goEnv) (*goType, error) {
	d := x.def
	if d.Type != nil {
		t, err := g.typeOf(x.file, d.Type, env)
		if d.Kind == sketch.Param && d.Alias && err == nil {
			t = &goType{kind: goArray, elem: t}
		}
		return t, err
	}
	if d.Init == nil {
		return goNothing, nil
	}
	e, err := g.expr(x.file, d.Init, env)
	if err != nil || e.mode != goValue && e.mode != goTypeName || e.typ == nil {
		return goNothing, err
	}
	t := e.typ
	switch d.Proj {
	case sketch.Nth:
		switch {
		case t.kind == goTuple:
			if d.N < len(t.list) {
				return t.list[d.N], nil
			}
			return goNothing, nil
		case t.kind == goOutside || d.N == 0:
			return t, nil
		}
		return basic("bool"), nil
	case sketch.RangeKey, sketch.RangeElem:
		return g.ranged(t, d.Proj == sketch.RangeElem)
	}
	return t, nil
}

// ranged is the type of what ranging over a value gives.
func (g *goTypes) ranged(t *goType, second bool) (*goType, error) {
	u, err := g.underlying(t)
	if err != nil {
		return nil, err
	}
	if u.kind == goPointer {
		if u, err = g.underlying(u.elem); err != nil {
			return nil, err
		}
	}
	switch u.kind {
	case goOutside:
		return goElsewhere, nil
	case goArray:
		if second {
			return u.elem, nil
		}
		return basic("int"), nil
	case goMap:
		if second {
			return u.elem, nil
		}
		return u.key, nil
	case goChan:
		return u.elem, nil
	case goBasic:
		if second {
			return basic("rune"), nil
		}
		return basic("int"), nil
	case goFunc:
		// func(yield func(K, V) bool)
		if ps := u.node.Fn.Params; len(ps) == 1 {
			yield, err := g.typeOf(u.def.file, ps[0].Type, u.env)
			if err != nil {
				return nil, err
			}
			if yield, err = g.underlying(yield); err != nil || yield.kind != goFunc {
				return goNothing, err
			}
			i := 0
			if second {
				i = 1
			}
			if in := yield.node.Fn.Params; i < len(in) {
				return g.typeOf(yield.def.file, in[i].Type, yield.env)
			}
		}
	}
	return goNothing, nil
}

func (g *goTypes) memberExpr(file int, n *sketch.Node, env *goEnv) (goExpr, error) {
	x, err := g.expr(file, n.X, env)
	if err != nil {
		return goExpr{}, err
	}
	switch x.mode {
	case goPackageName:
		if len(x.files) == 0 {
			// A type or a value: what is made of either is outside.
			return goExpr{mode: goTypeName, typ: goElsewhere}, nil
		}
		found, err := g.exported(x.files, n.Name)
		if err != nil || len(found) == 0 {
			return goExpr{}, err
		}
		return g.thing(found[0], env)
	case goValue, goTypeName:
		found, menv, outside, err := g.find(x.typ, n.Name)
		if err != nil {
			return goExpr{}, err
		}
		if len(found) == 0 {
			if outside {
				return valueOf(goElsewhere), nil
			}
			return goExpr{}, nil
		}
		t, err := g.typeOfThing(found[0], menv)
		e := valueOf(t)
		if d := found[0].def; d.Kind == sketch.Method {
			e.in = found[0]
		}
		return e, err
	}
	return goExpr{}, nil
}

// find finds a field or method of a type, promoted ones too: at the least
// depth of embedding. outside says that what is not found may be declared by
// an embedded type outside of the tree.
func (g *goTypes) find(t *goType, name string) (found []thing, env *goEnv, outside bool, err error) {
	if t == nil {
		return nil, nil, false, nil
	}
	level := []*goType{t}
	seen := map[*sketch.Def]bool{}
	for depth := 0; len(level) > 0 && depth < 16; depth++ {
		var next []*goType
		for _, t := range level {
			if t == nil || g.tooMuch() {
				continue
			}
			if t.kind == goPointer {
				t = t.elem
			}
			if t == nil {
				continue
			}
			switch t.kind {
			case goOutside:
				outside = true
				continue
			case goBasic:
				outside = outside || t.name == "error"
				continue
			case goNamed:
				if seen[t.def.def] {
					continue
				}
				seen[t.def.def] = true
				ms, err := g.methods(t, name)
				if err != nil {
					return nil, nil, false, err
				}
				if len(ms) > 0 {
					return ms, g.methodEnv(t, ms[0].def), false, nil
				}
			}
			u, err := g.underlying(t)
			if err != nil {
				return nil, nil, false, err
			}
			switch u.kind {
			case goOutside:
				outside = true
			case goBasic:
				outside = outside || u.name == "error"
			case goPointer:
				// type P *T has the fields of T, and the bound of a type
				// parameter may be one.
				next = append(next, u)
			case goStruct, goInterface:
				for _, d := range u.node.Fields {
					if d.Name == name {
						return []thing{{u.def.file, d}}, u.env, false, nil
					}
				}
				for _, d := range u.node.Fields {
					if d.Kind == sketch.Embedded {
						e, err := g.typeOf(u.def.file, d.Type, u.env)
						if err != nil {
							return nil, nil, false, err
						}
						next = append(next, e)
					}
				}
			}
		}
		level = next
	}
	return nil, nil, outside, nil
}

// methodEnv binds the type parameters that a method's receiver names.
func (g *goTypes) methodEnv(t *goType, m *sketch.Def) *goEnv {
	var env *goEnv
	if m.Type == nil || m.Type.Fn == nil {
		return nil
	}
	for _, p := range m.Type.Fn.TypeParams {
		if p.N > 0 && p.N <= len(t.list) {
			env = &goEnv{env, p, t.list[p.N-1]}
		}
	}
	return env
}

// methods finds the methods of a name that are declared for a named type.
func (g *goTypes) methods(t *goType, name string) ([]thing, error) {
	all, err := g.b.declared(name)
	if err != nil {
		return nil, err
	}
	owner := t.def.def.Name
	dir := dirName(g.b.t.files[t.def.file].path)
	var out []thing
	for _, d := range all {
		if len(d.names) != 2 || d.names[0] != owner || g.b.t.files[d.file].lang != "go" || dirName(g.b.t.files[d.file].path) != dir {
			continue
		}
		x, ok, err := g.b.thingOf(d)
		if err != nil {
			return nil, err
		}
		if ok && x.def.Recv != nil {
			same, err := g.samePackage(d.file, t.def.file)
			if err != nil {
				return nil, err
			}
			if same {
				out = append(out, x)
			}
		}
	}
	return g.buildable(out, t.def.file), nil
}

func (g *goTypes) samePackage(a, b int) (bool, error) {
	if a == b {
		return true, nil
	}
	x, err := g.b.sketch(a)
	if err != nil || x == nil {
		return false, err
	}
	y, err := g.b.sketch(b)
	if err != nil || y == nil {
		return false, err
	}
	return x.Package == y.Package, nil
}

func (g *goTypes) index(file int, n *sketch.Node, env *goEnv) (goExpr, error) {
	x, err := g.expr(file, n.X, env)
	if err != nil || x.typ == nil {
		return goExpr{}, err
	}
	if x.mode == goTypeName {
		if x.typ.kind != goNamed {
			return x, nil
		}
		t := &goType{kind: goNamed, def: x.typ.def}
		for _, a := range n.List {
			at, err := g.typeOf(file, a, env)
			if err != nil {
				return goExpr{}, err
			}
			t.list = append(t.list, at)
		}
		return goExpr{mode: goTypeName, typ: t}, nil
	}
	u, err := g.underlying(x.typ)
	if err != nil {
		return goExpr{}, err
	}
	if u.kind == goPointer {
		if u, err = g.underlying(u.elem); err != nil {
			return goExpr{}, err
		}
	}
	switch u.kind {
	case goOutside:
		return valueOf(goElsewhere), nil
	case goArray, goMap:
		return valueOf(u.elem), nil
	case goBasic:
		return valueOf(basic("byte")), nil
	case goFunc:
		if x.in.def == nil {
			return x, nil
		}
		e := u.env
		i := 0
		for _, p := range u.node.Fn.TypeParams {
			if p.N > 0 {
				continue
			}
			if i < len(n.List) {
				at, err := g.typeOf(file, n.List[i], env)
				if err != nil {
					return goExpr{}, err
				}
				e = &goEnv{e, p, at}
			}
			i++
		}
		return goExpr{mode: goValue, in: x.in, typ: &goType{kind: goFunc, node: u.node, env: e, def: u.def}}, nil
	}
	return goExpr{}, nil
}

func (g *goTypes) call(file int, n *sketch.Node, env *goEnv) (goExpr, error) {
	f, err := g.expr(file, n.X, env)
	if err != nil {
		return goExpr{}, err
	}
	switch f.mode {
	case goTypeName:
		return valueOf(f.typ), nil
	case goBuiltinFunc:
		return g.builtin(file, f.name, n, env)
	case goValue:
	default:
		return goExpr{}, nil
	}
	u, err := g.underlying(f.typ)
	if err != nil {
		return goExpr{}, err
	}
	switch {
	case u == nil:
		return goExpr{}, nil
	case u.kind == goOutside:
		return valueOf(goElsewhere), nil
	case u.kind != goFunc:
		return goExpr{}, nil
	}
	e := u.env
	if f.in.def != nil && len(u.node.Fn.TypeParams) > 0 {
		if e, err = g.inferArgs(file, n, u, env); err != nil {
			return goExpr{}, err
		}
	}
	t, err := g.results(u, e)
	return valueOf(t), err
}

// results is the type of a call: a tuple for several results.
func (g *goTypes) results(u *goType, env *goEnv) (*goType, error) {
	rs := u.node.Fn.Results
	if len(rs) == 1 {
		return g.typeOf(u.def.file, rs[0].Type, env)
	}
	t := &goType{kind: goTuple}
	for _, r := range rs {
		rt, err := g.typeOf(u.def.file, r.Type, env)
		if err != nil {
			return nil, err
		}
		t.list = append(t.list, rt)
	}
	return t, nil
}

func (g *goTypes) builtin(file int, name string, n *sketch.Node, env *goEnv) (goExpr, error) {
	if len(n.List) == 0 {
		return goExpr{mode: goValue, typ: goNothing}, nil
	}
	switch name {
	case "new":
		x, err := g.expr(file, n.List[0], env)
		return valueOf(&goType{kind: goPointer, elem: x.typ}), err
	case "make":
		t, err := g.typeOf(file, n.List[0], env)
		return valueOf(t), err
	case "append", "min", "max":
		x, err := g.expr(file, n.List[0], env)
		return valueOf(x.typ), err
	case "len", "cap", "copy":
		return valueOf(basic("int")), nil
	}
	return valueOf(goNothing), nil
}

// inferArgs binds a generic function's type parameters by its arguments.
func (g *goTypes) inferArgs(file int, call *sketch.Node, u *goType, env *goEnv) (*goEnv, error) {
	fn := u.node.Fn
	in := &goUnifier{g: g, file: u.def.file, env: u.env, params: fn.TypeParams}
	var args []*goType
	for _, a := range call.List {
		x, err := g.expr(file, a, env)
		if err != nil {
			return nil, err
		}
		if x.typ != nil && x.typ.kind == goTuple && len(call.List) == 1 {
			args = x.typ.list
			break
		}
		args = append(args, x.typ)
	}
	for i, a := range args {
		j := min(i, len(fn.Params)-1)
		if j < 0 || a == nil {
			continue
		}
		if i >= len(fn.Params) && !fn.Params[j].Alias {
			break
		}
		if fn.Params[j].Alias && call.Name == "..." {
			if v, err := g.underlying(a); err != nil {
				return nil, err
			} else if v.elem != nil {
				a = v.elem
			}
		}
		if err := in.unify(fn.Params[j].Type, a, 0); err != nil {
			return nil, err
		}
	}
	for _, p := range fn.TypeParams {
		if t := in.env.get(p); t != nil && p.Type != nil && p.Type.Kind != sketch.Name && p.Type.Kind != sketch.Member {
			v, err := g.underlying(t)
			if err != nil {
				return nil, err
			}
			if err := in.unify(p.Type, v, 0); err != nil {
				return nil, err
			}
		}
	}
	return in.env, nil
}

// goUnifier binds type parameters so that a written type becomes a known one.
type goUnifier struct {
	g      *goTypes
	file   int
	env    *goEnv
	params []*sketch.Def
}

func (u *goUnifier) unify(n *sketch.Node, t *goType, depth int) error {
	if n == nil || t == nil || depth > 20 || t.kind == goUnknown {
		return nil
	}
	if n.Kind == sketch.Name {
		for _, p := range u.params {
			if p.Name == n.Name && u.env.get(p) == nil {
				u.env = &goEnv{u.env, p, t}
			}
		}
		return nil
	}
	if n.Kind == sketch.Index {
		if t.kind == goNamed && receiverName(n) == t.def.def.Name {
			for i, a := range n.List {
				if i < len(t.list) {
					if err := u.unify(a, t.list[i], depth+1); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
	v := t
	if t.kind == goNamed || t.kind == goParam {
		var err error
		if v, err = u.g.underlying(t); err != nil {
			return err
		}
	}
	switch {
	case n.Kind == sketch.Star && v.kind == goPointer, n.Kind == sketch.ArrayType && v.kind == goArray, n.Kind == sketch.ChanType && v.kind == goChan:
		return u.unify(n.X, v.elem, depth+1)
	case n.Kind == sketch.MapType && v.kind == goMap:
		if err := u.unify(n.X, v.key, depth+1); err != nil {
			return err
		}
		return u.unify(n.Y, v.elem, depth+1)
	case n.Kind == sketch.FuncType && v.kind == goFunc:
		for k, want := range [2][]*sketch.Def{n.Fn.Params, n.Fn.Results} {
			have := v.node.Fn.Params
			if k == 1 {
				have = v.node.Fn.Results
			}
			for i, p := range want {
				if i >= len(have) {
					break
				}
				t, err := u.g.typeOf(v.def.file, have[i].Type, v.env)
				if err != nil {
					return err
				}
				if err := u.unify(p.Type, t, depth+1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
