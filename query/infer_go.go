package query

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
	for _, i := range b.goFiles(treepath.Dir(b.t.files[file].path), true) {
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
