// Package infer tells from the sketches of a tree's files what a name in Go,
// Rust, C or C++ means: scopes, the types of expressions as far as members
// depend on them, and each language's rules of names across files. Nothing is
// built or executed, and what the text leaves open stays unknown.
package infer

import (
	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/sketch"
)

// Thing is a definition in a file's text: what a symbol of the index is, and
// what no symbol is, such as a parameter or a label.
type Thing struct {
	File int
	Def  *sketch.Def
}

// Result is what reading the text says that a name means.
type Result struct {
	Things []Thing
	Files  []int // the name means these files
	State  State
	Rule   string // by which it was found, in words
	Guess  bool   // unknown; the only member of that name may be meant
	Unsure bool   // it stands where the compiler may not look, or in a macro
}

// State says what a Result came to.
type State uint8

const (
	NotRead State = iota // the text says nothing; other rules may
	Bound                // to things or files
	Outside              // something outside the tree
	Unknown              // it is a member of something unknown, or nothing that is there
)

func boundTo(rule string, things ...Thing) Result {
	return Result{Things: things, State: Bound, Rule: rule}
}

// Symbol is a declaration that the index has.
type Symbol struct {
	File  int
	Kind  artifact.Kind
	Names []string // qualified: enclosing names and its own
	Local bool
	At    artifact.Position // of its name
}

// Module is what an import's module name means: files of the tree, or
// something outside of it, or neither is known.
type Module struct {
	Files   []int // in path order
	Outside bool
}

// Tree is what is asked of the files of an index. They are numbered in the
// order of their paths; errors are those of reading the index.
type Tree interface {
	Path(file int) string
	Lang(file int) string
	Test(file int) bool // the file is test code

	// Sketch returns what a file's text says; nil for none.
	Sketch(file int) (*sketch.File, error)
	// Offset returns the byte offset of a position; ok is false where the file
	// has no text or does not reach there.
	Offset(file int, at artifact.Position) (offset uint32, ok bool, err error)
	// Symbols returns the declarations of exactly the given name, in path order.
	Symbols(name string) ([]Symbol, error)
	// Imports returns the module names that a file imports.
	Imports(file int) ([]string, error)
	// Module finds what a module name in a file refers to.
	Module(from int, name string) (Module, error)

	// Find returns the first of the paths that is a file, none where none is.
	Find(paths ...string) []int
	// GoFiles returns the Go files of a folder, tests too.
	GoFiles(dir string) []int
	// Crate returns the source folder of the tree's crate of that name.
	Crate(name string) (dir string, ok bool, err error)
	// Builtin reports whether a bare name belongs to the language's own globals.
	Builtin(lang, name string) bool
}

// Reader infers what names mean. It remembers what it found and serves one
// goroutine.
type Reader struct {
	tree    Tree
	golang  *goTypes
	rust    *rustTypes
	cfamily *cTypes
}

// New returns a reader of a tree.
func New(tree Tree) *Reader { return &Reader{tree: tree} }

// Meaning says what the name at a byte offset of a file means. A file in
// another language, or without a sketch, is NotRead.
func (r *Reader) Meaning(file int, at uint32) (Result, error) {
	s, err := r.tree.Sketch(file)
	if err != nil || s == nil {
		return Result{}, err
	}
	at = s.Token(at)
	switch r.tree.Lang(file) {
	case "go":
		if r.golang == nil {
			r.golang = newGoTypes(r.tree)
		}
		r.golang.limits = limits{}
		return r.golang.meaning(file, s, at)
	case "rust":
		if r.rust == nil {
			r.rust = newRustTypes(r.tree)
		}
		r.rust.limits = limits{}
		return r.rust.meaning(file, s, at)
	case "c", "cpp":
		if r.cfamily == nil {
			r.cfamily = newCTypes(r.tree)
		}
		r.cfamily.limits = limits{}
		return r.cfamily.meaning(file, s, at)
	}
	return Result{}, nil
}

// bound binds a type parameter, and what up binds.
type bound[T any] struct {
	up    *bound[T]
	param *sketch.Def
	typ   *T
}

func (e *bound[T]) get(p *sketch.Def) *T {
	for ; e != nil; e = e.up {
		if e.param == p {
			return e.typ
		}
	}
	return nil
}

// Locate finds a symbol's definition in the text; ok is false when the text is
// not read as the parser read it.
func Locate(t Tree, d Symbol) (x Thing, ok bool, err error) {
	s, err := t.Sketch(d.File)
	if err != nil || s == nil {
		return Thing{}, false, err
	}
	at, ok, err := t.Offset(d.File, d.At)
	if err != nil || !ok {
		return Thing{}, false, err
	}
	def := s.At(at)
	return Thing{d.File, def}, def != nil, nil
}

// want says what kind of definition a place can mean.
type want uint8

const (
	wantAny want = iota
	wantHolder
	wantValue
	wantType
)

// choose keeps the definitions that fit, or all where none does.
func choose(all []Thing, w want) []Thing {
	if len(all) < 2 {
		return all
	}
	fits := func(k sketch.DefKind) bool {
		switch w {
		case wantHolder:
			return k == sketch.Namespace || k == sketch.TypeName || k == sketch.Trait || k == sketch.TypeParam
		case wantType:
			return k == sketch.TypeName || k == sketch.Trait || k == sketch.TypeParam
		case wantValue:
			return k != sketch.Namespace && k != sketch.Trait && k != sketch.TypeParam && k != sketch.MacroName
		}
		return k != sketch.MacroName
	}
	var out []Thing
	for _, x := range all {
		if fits(x.Def.Kind) {
			out = append(out, x)
		}
	}
	if len(out) == 0 {
		return all
	}
	if w == wantValue {
		// A function before a type of the same name.
		for _, x := range out {
			if x.Def.Kind == sketch.Function {
				return []Thing{x}
			}
		}
	}
	return out
}
