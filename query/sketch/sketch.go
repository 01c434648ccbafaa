// Package sketch reads program text for what binding names needs and an index
// does not hold: which names a function binds and where they can be seen, and
// the expressions and types from which a member's owner can be told.
//
// A sketch is made from one file's text alone, without building anything and
// without a grammar: a scanner and a small recursive reader for each language.
// It accepts what compilers reject, skips what it does not understand, and
// never fails; what it did not read has no names in it. Its work and its
// memory are linear in the text, and nesting is bounded (see maxDepth).
// Functions' bodies are read when they are first asked for.
//
// Offsets are in bytes of the text that New was given.
package sketch

import (
	"bytes"
	"sort"
	"sync"
)

// Kind says what a Node is.
type Kind uint8

// Kinds of nodes. Types and values share them, as their syntax does.
const (
	Bad           Kind = iota
	Name               // Name
	Member             // X.Name, X->Name or X::Name; see Sep
	Call               // X(List)
	Index              // X[List], or type arguments of X
	Slice              // X[List] with a colon
	Star               // *X: what a pointer leads to, or a pointer's type
	Addr               // &X: an address, or a reference's type
	Unary              // any other operator before X, in Name
	Binary             // X, an operator in Name, Y
	Lit                // a literal: Name is "int", "float", "string", "rune", "bool"
	Composite          // X{List}; X is nil where the type is left out, then Y is the literal around it
	KeyValue           // X: Y
	FuncLit            // a function literal; Fn
	Assert             // X.(Y), a cast of X to Y
	Receive            // <-X
	ArrayType          // elements of type X
	MapType            // keys X, values Y
	ChanType           // elements of type X
	FuncType           // Fn
	StructType         // Fields
	InterfaceType      // Fields: methods, and embedded types
	Tuple              // List
	Variadic           // any number of X
	Macro              // X!(List)
	Block              // the value of the last of List
	Cond               // either of List
	Try                // X? in Rust
	Await              // X.await
	Self               // the enclosing type, Self in Rust
	Range              // X..Y in Rust
	Typed              // of type Y, whatever X is
	VariantPart        // the part Name of X, which has the form of the path Y
	ClosureArg         // the parameter numbered Name of the function literal X
	AsyncBlock         // a future of X
)

// Node is one expression or type.
type Node struct {
	Kind   Kind
	At     uint32 // where its name stands; for nameless nodes where it starts
	Name   string
	Sep    byte    // Member: '.', ':' for "::", '>' for "->"
	Flag   bool    // Name, Member: it is called. Composite without a type: it is a map's key
	Args   int     // Name, Member in C: arguments it is called with, and one
	Const  bool    // a type in C: what it names is not to be changed
	With   []*Node // Name, Member in C: the arguments
	X, Y   *Node
	List   []*Node
	Fn     *Func
	Fields []*Def
}

// Func is a function's signature.
type Func struct {
	TypeParams []*Def
	Params     []*Def // a nameless one has Name ""
	Results    []*Def
	Const      bool // C++: it can be called on what is not to be changed
}

// DefKind says what a Def declares.
type DefKind uint8

// Kinds of definitions.
const (
	Var DefKind = iota
	Const
	TypeName
	Function
	Method
	Param
	Field
	Embedded // a field without a name, an embedded interface, a base
	TypeParam
	Label
	Import
	Variant
	Namespace
	MacroName
	Trait
	Impl      // Type: for what; Via: of which trait
	Generated // a name given to a macro that stands among declarations
)

// Proj says how the value of a definition follows from its Init.
type Proj uint8

// Projections.
const (
	Whole     Proj = iota // the value itself
	Nth                   // the N-th of several
	RangeKey              // what ranging over it gives first
	RangeElem             // what ranging over it gives second
	Deref                 // what is behind it
	OfField               // its field named Sub
	OfVariant             // the N-th part of the enum variant in Via
	Case                  // its dynamic type, written in Type; Init's own where Type is nil
)

// Def is a definition: of the file, or of a name that is local.
type Def struct {
	Kind  DefKind
	Proj  Proj
	Alias bool // TypeName: only another name. Param: variadic
	Fwd   bool // a declaration without a body
	N     int
	Name  string
	At    uint32 // where the name stands
	// From and To bound where a local name can be seen: [From, To).
	From, To uint32
	// Start and End bound the whole definition where it holds others.
	Start, End uint32
	Type       *Node // as it is written; of a function a FuncType
	Init       *Node
	Via        *Node  // see OfVariant
	Sub        string // see OfField
	Recv       *Def   // of a method that names its owner
	Body       *Body
	Parent     *Def   // the type, namespace or function around it
	Members    []*Def // of a type, namespace or module
	Bases      []*Node
	Path       string  // Import: the module
	Params     []*Def  // Impl: its type parameters
	Same       *Def    // the definition that this one repeats
	Async      bool    // Function: its value is to be awaited
	Macros     []*Def  // C: macros that stand among the members
	Static     bool    // C: it is not seen in other files. Import in Rust: it is not public
	Args       []*Node // C++: what it is made of, in parentheses
}

// Use is one use of a name.
type Use struct {
	At   uint32
	Node *Node // Name or Member
	// Of is the literal whose field the name is, when it is a key of one.
	Of *Node
	// Label says that the name is a label's.
	Label bool
	// In is the definition around it; nil at the top.
	In *Def
	// Macro says that the name is a macro's, Import that it stands in an
	// import, Short that a field's name is a variable's as well.
	Macro, Import, Short bool
}

// Body is the inside of a function, or the file's own level.
type Body struct {
	Start, End uint32
	once       sync.Once
	read       func(*Body)
	defs       map[string][]*Def // in order of From
	uses       []Use             // in order of At
	all        []*Def
	labels     map[string]*Def
}

// File is the sketch of one file.
type File struct {
	Lang    string
	Text    []byte
	Package string // Go: the package's name
	PackAt  uint32
	Top     []*Def
	Level   *Body // what is used outside of all bodies
	byAt    map[uint32]*Def
	names   map[string][]*Def
	bodies  []*Def // definitions that have bodies, by start
	tokens  []token
	idle    [][2]uint32 // see Idle; in order
	holders []*Def      // definitions that hold others, by start
	mu      sync.Mutex
	impls   []*Def // implementations written in bodies
}

// addImpl notes an implementation that is written in a body.
func (f *File) addImpl(d *Def) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.impls = append(f.impls, d)
}

// Holder returns the innermost definition with members around an offset.
func (f *File) Holder(at uint32) *Def {
	i := sort.Search(len(f.holders), func(i int) bool { return f.holders[i].Start > at })
	if i == 0 {
		return nil
	}
	for d := f.holders[i-1]; d != nil; d = d.Parent {
		if at < d.End && d.Start <= at {
			return d
		}
	}
	return nil
}

// maxText is the longest text that is read.
const maxText = 4 << 20

// maxDepth bounds how deep expressions, types and statements may nest; what
// lies deeper is skipped.
const maxDepth = 200

// New reads a file of the given language; nil for a language without a reader
// and for texts that are too long.
func New(lang string, text []byte) *File {
	if len(text) > maxText {
		return nil
	}
	f := &File{Lang: lang, Text: text, Level: &Body{}, byAt: map[uint32]*Def{}, names: map[string][]*Def{}}
	switch lang {
	case "go":
		f.readGo()
	case "rust":
		f.readRust()
	case "c", "cpp":
		f.readC()
	default:
		return nil
	}
	f.finish()
	return f
}

// Supports reports whether New reads a language.
func Supports(lang string) bool {
	switch lang {
	case "go", "rust", "c", "cpp":
		return true
	}
	return false
}

func (f *File) finish() {
	f.Level.read = nil
	f.Level.sort()
	var add func(ds []*Def, parent *Def)
	add = func(ds []*Def, parent *Def) {
		for _, d := range ds {
			f.note(d)
			if d.Parent == nil {
				d.Parent = parent
			}
			if d.Body != nil {
				f.bodies = append(f.bodies, d)
			}
			if len(d.Members) > 0 && d.End > d.Start {
				f.holders = append(f.holders, d)
			}
			if d.Type != nil && (d.Type.Kind == StructType || d.Type.Kind == InterfaceType) {
				add(d.Type.Fields, d)
			}
			add(d.Members, d)
		}
	}
	add(f.Top, nil)
	for _, d := range f.Top {
		f.names[d.Name] = append(f.names[d.Name], d)
	}
	sort.SliceStable(f.holders, func(i, j int) bool { return f.holders[i].Start < f.holders[j].Start })
	sort.SliceStable(f.bodies, func(i, j int) bool { return f.bodies[i].Body.Start < f.bodies[j].Body.Start })
}

func (f *File) note(d *Def) {
	if d.Name != "" && d.Kind != Generated {
		if _, ok := f.byAt[d.At]; !ok {
			f.byAt[d.At] = d
		}
	}
}

// At returns the definition whose name stands at an offset, outside of bodies.
func (f *File) At(at uint32) *Def { return f.byAt[at] }

// Named returns the top definitions of a name.
func (f *File) Named(name string) []*Def { return f.names[name] }

// Around returns the definition whose body holds an offset, nil when none
// does.
func (f *File) Around(at uint32) *Def {
	i := sort.Search(len(f.bodies), func(i int) bool { return f.bodies[i].Body.Start > at })
	if i--; i >= 0 && at < f.bodies[i].Body.End {
		return f.bodies[i]
	}
	return nil
}

// body returns what holds an offset.
func (f *File) body(at uint32) *Body {
	if d := f.Around(at); d != nil {
		return d.Body.ready()
	}
	return f.Level
}

func (b *Body) ready() *Body {
	b.once.Do(func() {
		if b.read != nil {
			b.read(b)
			b.read = nil
		}
		b.sort()
	})
	return b
}

func (b *Body) sort() {
	sort.SliceStable(b.uses, func(i, j int) bool { return b.uses[i].At < b.uses[j].At })
	b.defs = make(map[string][]*Def, len(b.all))
	sort.SliceStable(b.all, func(i, j int) bool { return b.all[i].From < b.all[j].From })
	for _, d := range b.all {
		b.defs[d.Name] = append(b.defs[d.Name], d)
	}
}

// UseAt returns the use of a name that holds an offset.
func (f *File) UseAt(at uint32) (Use, bool) {
	u, ok := f.body(at).useAt(at)
	if !ok {
		u, ok = f.Level.useAt(at) // in a directive
	}
	return u, ok
}

func (b *Body) useAt(at uint32) (Use, bool) {
	uses := b.uses
	i := sort.Search(len(uses), func(i int) bool { return uses[i].At > at }) - 1
	// Several may stand at one place; the first was noted by what is outermost.
	for ; i >= 0; i-- {
		u := uses[i]
		if at < u.At+uint32(len(u.Node.Name)) {
			return u, true
		}
		if u.At < at {
			break
		}
	}
	return Use{}, false
}

// Uses calls fn for each use of a name in the body that holds an offset, or
// at the file's own level.
func (f *File) Uses(at uint32, name string, fn func(Use)) {
	f.body(at).each(name, fn)
}

// AllUses calls fn for each use of a name in the file.
func (f *File) AllUses(name string, fn func(Use)) {
	f.Level.each(name, fn)
	for _, d := range f.bodies {
		if bytes.Contains(f.Text[d.Body.Start:d.Body.End], []byte(name)) {
			d.Body.ready().each(name, fn)
		}
	}
}

func (b *Body) each(name string, fn func(Use)) {
	for _, u := range b.uses {
		if u.Node.Name == name {
			fn(u)
		}
	}
}

// Local returns the definition of a name that can be seen from an offset
// among those that are not the file's own: parameters, variables of blocks,
// type parameters.
func (f *File) Local(at uint32, name string) *Def {
	if d := f.body(at).lookup(at, name); d != nil {
		return d
	}
	return f.Level.lookup(at, name)
}

// maxShadows bounds how many definitions of one name are looked at.
const maxShadows = 512

func (b *Body) lookup(at uint32, name string) *Def {
	ds := b.defs[name]
	i := sort.Search(len(ds), func(i int) bool { return ds[i].From > at })
	for n := 0; i > 0 && n < maxShadows; n++ {
		i--
		if d := ds[i]; at < d.To {
			return d
		}
	}
	return nil
}

// Token returns where the token that holds an offset starts.
func (f *File) Token(at uint32) uint32 {
	i := sort.Search(len(f.tokens), func(i int) bool { return f.tokens[i].at > at }) - 1
	if i >= 0 && at < f.tokens[i].end && f.tokens[i].k != tDirective {
		return f.tokens[i].at
	}
	for i >= 0 && at > 0 && int(at) < len(f.Text) && f.tokens[i].k == tDirective && (letter(f.Text[at-1]) || digit(f.Text[at-1])) && (letter(f.Text[at]) || digit(f.Text[at])) {
		at--
	}
	return at
}

// Idle reports whether an offset lies in a branch of the preprocessor that is
// rather not taken.
func (f *File) Idle(at uint32) bool {
	i := sort.Search(len(f.idle), func(i int) bool { return f.idle[i][0] > at })
	return i > 0 && at < f.idle[i-1][1]
}

// Label returns the label of a name in the body around an offset.
func (f *File) Label(at uint32, name string) *Def { return f.body(at).labels[name] }

// LocalAt returns the local definition whose name holds an offset.
func (f *File) LocalAt(at uint32) *Def {
	for _, b := range []*Body{f.body(at), f.Level} {
		for _, d := range b.all {
			if d.At <= at && at < d.At+uint32(len(d.Name)) {
				return d
			}
		}
		for _, d := range b.labels {
			if d.At <= at && at < d.At+uint32(len(d.Name)) {
				return d
			}
		}
	}
	return nil
}
