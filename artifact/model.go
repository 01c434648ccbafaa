package artifact

import (
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// View is one kind of segment. The number is part of the format.
type View uint8

const (
	// Units is the table of tree entries, files, units and search documents
	// of a partition. It is not a view that a user chooses: it is the spine
	// that the four views refer to by number, and is always present.
	Units      View = 1
	Source     View = 2 // the verbatim bytes of every indexed file
	Lexical    View = 3 // fielded posting lists
	Dense      View = 4 // embeddings of search documents
	Structural View = 5 // symbols, occurrences, imports
)

// Views lists every view in the order in which packs hold them.
var Views = []View{Units, Source, Lexical, Dense, Structural}

// Level is a unit's place in the hierarchy file > container > leaf.
type Level uint8

const (
	L0 Level = 0 // file
	L1 Level = 1 // container: class, struct, trait, interface, module, impl, namespace, type
	L2 Level = 2 // leaf declaration, or a remainder between declarations
)

// Kind says what a unit or symbol is. The number is part of the format; new
// kinds are appended. KindNames gives the names that people type and read.
type Kind uint8

const (
	KindUnknown Kind = iota
	KindFile
	KindRemainder // the text between declarations
	KindSection   // a heading and what follows it, in prose
	KindEntry     // a top-level key of a configuration file
	KindModule
	KindNamespace
	KindPackage
	KindClass
	KindStruct
	KindEnum
	KindUnion
	KindTrait
	KindInterface
	KindProtocol
	KindImpl
	KindObject
	KindType // type alias or other named type
	KindFunction
	KindMethod
	KindConstructor
	KindProperty
	KindField
	KindConstant
	KindVariable
	KindMacro
	KindEnumMember
	KindParameter
	KindTypeParameter
	kindEnd
)

var kindNames = [kindEnd]string{
	"unknown", "file", "remainder", "section", "entry", "module", "namespace",
	"package", "class", "struct", "enum", "union", "trait", "interface",
	"protocol", "impl", "object", "type", "function", "method", "constructor",
	"property", "field", "constant", "variable", "macro", "enum_member",
	"parameter", "type_parameter",
}

// String returns the kind's name, "unknown" for a number from a later format.
func (k Kind) String() string {
	if k < kindEnd {
		return kindNames[k]
	}
	return "unknown"
}

// ParseKind returns the kind with the given name.
func ParseKind(name string) (Kind, bool) {
	for i, n := range kindNames {
		if n == name {
			return Kind(i), true
		}
	}
	return KindUnknown, false
}

// Container reports whether units of this kind are containers (level L1).
func (k Kind) Container() bool {
	return k >= KindModule && k <= KindObject && k != KindPackage
}

// Role says how an occurrence uses a name. The number is part of the format.
type Role uint8

const (
	RoleRead Role = iota
	RoleWrite
	RoleCall
	RoleType // a type is named
	RoleImport
	RoleExport
	RoleInherit
	RoleImplement
	RoleOverride
	RoleDecorate
	RoleInstantiate
	RoleArgument // a parameter is named by a call of the receiver
	roleEnd
)

var roleNames = [roleEnd]string{
	"read", "write", "call", "type", "import", "export", "inherit",
	"implement", "override", "decorate", "instantiate", "argument",
}

// String returns the role's name, "read" for a number from a later format.
func (r Role) String() string {
	if r < roleEnd {
		return roleNames[r]
	}
	return "read"
}

// Field is a part of a search document that is weighted on its own.
type Field uint8

const (
	FieldPath      Field = iota // the file's path
	FieldSymbol                 // the unit's qualified name
	FieldSignature              // the declaration up to its body
	FieldDoc                    // its documentation comment
	FieldBody                   // everything else
	NumFields      = 5
)

// Skip is the reason why a tree entry's content is in no view. The number is
// part of the format; SkipNone means that the file is indexed.
type Skip uint8

const (
	SkipNone      Skip = iota
	SkipExcluded       // by configuration
	SkipSubmodule      // another repository's commit
	SkipBinary         // a NUL byte or too many control bytes near the start
	SkipTooLarge       // above the size limit
	SkipLFS            // a Git LFS pointer; the pointer is not the content
	SkipMissing        // the blob is not in this (partial) clone
	SkipSecret         // a secret by name or content
	skipEnd
)

var skipNames = [skipEnd]string{
	"", "excluded", "submodule", "binary", "too large", "lfs pointer",
	"missing blob", "secret",
}

// String returns the reason in words, "" for SkipNone.
func (s Skip) String() string {
	if s < skipEnd {
		return skipNames[s]
	}
	return "unknown reason"
}

// Degraded is the reason why an indexed file has line units instead of parsed
// ones, or parsed ones with gaps. The number is part of the format.
type Degraded uint8

const (
	DegradedNone     Degraded = iota
	DegradedTooLarge          // above the parse limit
	DegradedSyntax            // the parse has errors; what parsed is there
	DegradedCrash             // the parser crashed on it, twice
	DegradedBudget            // the parser exceeded its work limit
	DegradedMinified          // lines too long to be read as code
	DegradedNotText           // bytes that are not this language's text
	DegradedDepth             // nested deeper than the recursion limit
	degradedEnd
)

var degradedNames = [degradedEnd]string{
	"", "too large to parse", "syntax errors", "parser crash",
	"parser work limit", "minified", "not text of its language",
	"nesting too deep",
}

// String returns the reason in words, "" for DegradedNone.
func (d Degraded) String() string {
	if d < degradedEnd {
		return degradedNames[d]
	}
	return "unknown reason"
}

// Encoding is how a file's bytes were read as text. Positions always refer to
// the original bytes.
type Encoding uint8

const (
	EncodingUTF8    Encoding = iota
	EncodingUTF8BOM          // UTF-8 behind a byte order mark
	EncodingUTF16LE          // little-endian with a byte order mark
	EncodingUTF16BE          // big-endian with a byte order mark
	EncodingOther            // not valid UTF-8; read byte by byte
)

// File is one tree entry of a partition, in path order. Skipped entries and
// submodules are there too: the commit proof needs them.
type File struct {
	Path     string // from the root, '/'-separated, raw bytes
	Mode     uint32
	Blob     gitobj.ID
	Size     uint64 // bytes
	Lang     string // language name such as "go"; "" when none is known
	Skip     Skip
	Degraded Degraded
	Encoding Encoding
	Lines    uint32 // number of lines; a last line without LF counts
}

// Indexed reports whether the file's content is in the views.
func (f File) Indexed() bool { return f.Skip == SkipNone }

// Unit is one source unit. Units are sorted by (File, Start, -End): a parent
// precedes its children. The first unit of each indexed file is its L0 unit,
// which spans all bytes and lines; that of an empty file has lines 1 to 1. All
// other units are not empty and lie inside their parent, which is the
// innermost unit around them.
type Unit struct {
	File      uint32 // index into the partition's files
	Level     Level
	Kind      Kind
	Parent    int32  // unit number in the same partition; -1 for L0
	Start     uint32 // byte range [Start, End) in the original file
	End       uint32
	StartLine uint32 // from 1
	EndLine   uint32 // inclusive
	Name      string // last component, such as "url_for"; "" for a remainder
	Symbol    string // qualified within the file, such as "Flask.url_for"; "" for a remainder
}

// Doc is one search document: a unit, or one numbered part of a long unit. Its
// text is the byte range less the ranges of the unit's child units. Docs are
// sorted by (Unit, Part).
type Doc struct {
	Unit      uint32
	Part      uint32 // from 0
	Start     uint32 // byte range [Start, End) in the original file
	End       uint32
	StartLine uint32 // from 1
	EndLine   uint32 // inclusive
}

// Position is a place in a file: line from 1, column as a byte offset from 1
// in the original line.
type Position struct{ Line, Col uint32 }

// Before reports whether p comes before q.
func (p Position) Before(q Position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Col < q.Col
}

// SymbolFlags describe a symbol.
type SymbolFlags uint8

const (
	SymbolExported SymbolFlags = 1 << iota // visible outside its file or package, by the language's rule
	SymbolLocal                            // declared inside a callable; no unit of its own
	SymbolStatic                           // a static or class-level member
	SymbolForward                          // a declaration without a body (prototype, extern, abstract)
)

// Symbol is one declaration. Symbols are sorted by (File, Start, -End).
type Symbol struct {
	Name       string // such as "url_for"
	Descriptor string // SCIP descriptors within the file, such as "Flask#url_for()."
	Kind       Kind
	Flags      SymbolFlags
	File       uint32
	Unit       uint32   // the unit that declares or encloses it
	Parent     int32    // enclosing symbol; -1 at top level
	NamePos    Position // where the name stands
	Start      Position // of the whole declaration
	End        Position // of its last byte, inclusive
}

// Occurrence is one use of a name that is not a declaration. Occurrences are
// sorted by (File, Line, Col).
type Occurrence struct {
	File     uint32
	Pos      Position
	Role     Role
	Name     string // the name used, such as "url_for"
	Receiver string // the text before the last dot, arrow or '::', such as "flask"; "" for a bare name; at most 64 bytes, "…" stands for anything longer or not a plain chain of names
}

// Import is one binding that an import statement makes in a file.
type Import struct {
	File   uint32
	Pos    Position
	Module string // as written, such as "flask.helpers", "./util", "github.com/a/b", "crate::x"
	Name   string // the imported member; "" when the module itself is imported; "*" for all
	Alias  string // the local name; equal to what the language binds when none is written
}
