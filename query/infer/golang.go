package infer

import (
	"bytes"

	"github.com/pindex-dev/pindex/query/sketch"
	"github.com/pindex-dev/pindex/query/treepath"
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
	def       Thing
	node      *sketch.Node
	env       *goEnv
	list      []*goType // tuple; arguments of a named type
}

type goEnv = bound[goType]

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
	in    Thing  // the function or method that the value is, for its type parameters
}

// goTypes infers the types of Go expressions. It serves one Reader.
type goTypes struct {
	tree  Tree
	memo  map[*sketch.Node]goExpr
	busy  map[*sketch.Def]bool
	types map[*sketch.Def]*goType
	limits
}

func newGoTypes(tree Tree) *goTypes {
	return &goTypes{tree: tree, memo: map[*sketch.Node]goExpr{}, busy: map[*sketch.Def]bool{}, types: map[*sketch.Def]*goType{}}
}

// meaning says what the name at the token at an offset of a Go file means.
func (g *goTypes) meaning(file int, s *sketch.File, at uint32) (Result, error) {
	if d := s.LocalAt(at); d != nil && d.Kind != sketch.Embedded {
		return boundTo("declared there", Thing{file, d}), nil
	}
	if d := s.At(at); d != nil && d.Kind != sketch.Embedded {
		return boundTo("declared there", Thing{file, d}), nil
	}
	if at == s.PackAt && s.Package != "" {
		return g.packageClause(file, s)
	}
	u, ok := s.UseAt(at)
	if !ok {
		return g.importAt(file, s, at)
	}
	switch {
	case u.Label:
		if l := s.Label(at, u.Node.Name); l != nil {
			return boundTo("a label of the function", Thing{file, l}), nil
		}
		return Result{State: Unknown, Rule: "no such label"}, nil
	case u.Of != nil:
		return g.key(file, u)
	case u.Node.Kind == sketch.Member:
		return g.member(file, u.Node)
	}
	return g.bare(file, u.Node.At, u.Node.Name)
}

// packageClause finds the clause of the package that has its documentation;
// this file's own where none has.
func (g *goTypes) packageClause(file int, s *sketch.File) (Result, error) {
	clause := func(i int, s *sketch.File) Result {
		d := &sketch.Def{Kind: sketch.Namespace, Name: s.Package, At: s.PackAt}
		return boundTo("the package's clause", Thing{i, d})
	}
	for _, i := range g.tree.GoFiles(treepath.Dir(g.tree.Path(file))) {
		o, err := g.tree.Sketch(i)
		if err != nil {
			return Result{}, err
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
	if !ok || !bytes.HasSuffix(head, []byte{'\n'}) {
		return false
	}
	head = head[:len(head)-1]
	line := head[bytes.LastIndexByte(head, '\n')+1:]
	return bytes.HasPrefix(line, []byte("//")) && !bytes.HasPrefix(line, []byte("//go:")) || bytes.HasSuffix(bytes.TrimSpace(line), []byte("*/"))
}

// importAt handles the path of an import.
func (g *goTypes) importAt(file int, s *sketch.File, at uint32) (Result, error) {
	for _, d := range s.Top {
		if d.Kind == sketch.Import && d.Start <= at && at < d.End {
			m, err := g.tree.Module(file, d.Path)
			if err != nil {
				return Result{}, err
			}
			if m.Outside {
				return Result{State: Outside, Rule: "the import leads outside the tree"}, nil
			}
			if len(m.Files) > 0 {
				return Result{Files: m.Files, State: Bound, Rule: "import of the package"}, nil
			}
		}
	}
	return Result{}, nil
}
