package syntax

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"

	kotlin "github.com/tree-sitter-grammars/tree-sitter-kotlin/bindings/go"
	lua "github.com/tree-sitter-grammars/tree-sitter-lua/bindings/go"
	zig "github.com/tree-sitter-grammars/tree-sitter-zig/bindings/go"
	bash "github.com/tree-sitter/tree-sitter-bash/bindings/go"
	csharp "github.com/tree-sitter/tree-sitter-c-sharp/bindings/go"
	c "github.com/tree-sitter/tree-sitter-c/bindings/go"
	cpp "github.com/tree-sitter/tree-sitter-cpp/bindings/go"
	golang "github.com/tree-sitter/tree-sitter-go/bindings/go"
	haskell "github.com/tree-sitter/tree-sitter-haskell/bindings/go"
	java "github.com/tree-sitter/tree-sitter-java/bindings/go"
	javascript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
	php "github.com/tree-sitter/tree-sitter-php/bindings/go"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
	ruby "github.com/tree-sitter/tree-sitter-ruby/bindings/go"
	rust "github.com/tree-sitter/tree-sitter-rust/bindings/go"
	scala "github.com/tree-sitter/tree-sitter-scala/bindings/go"
	typescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"
)

// runtimeVersion is the version of go-tree-sitter in go.mod; a test compares
// it and the grammars' versions with the module file.
const runtimeVersion = "0.25.0"

// language ties a grammar to an extractor.
type language struct {
	backend   string // "tree-sitter-NAME VERSION"
	version   int    // of the extractor; changes whenever its results do
	load      func() unsafe.Pointer
	kinds     []string // the node kinds that the extractor names, by its numbers
	extract   func(*extraction)
	universe  []string // names that the language itself binds: their use is no occurrence
	overloads bool     // methods of one name and parent are different symbols

	// effort is how often the default work limit the language's files may
	// need; 0 is once.
	effort int

	// boundary reports whether a line, which begins in the first column and
	// follows the line prev, plainly begins a declaration at file level. Where
	// a syntax error hides such a line, what follows is parsed on its own.
	// nil where lines do not tell.
	boundary func(line, prev []byte) bool
	// member reports whether a line, without the white space in front, plainly
	// begins a member of a container. nil where lines do not tell.
	member func(line []byte) bool
	// embedded returns nodes between whose first and last byte lies source
	// that the grammar left unparsed, in order. It looks at the nodes from
	// index from on.
	embedded func(x *extraction, from int32) []int32

	// endsInSpace says that the grammar's scanner looks for white space without
	// looking out for the end of the text, so that one must be there.
	endsInSpace bool

	once sync.Once
	g    *grammar
	err  error
}

// languages is every language that Parse knows, by the name that the rest of
// pindex uses for it.
var languages = map[string]*language{
	"haskell": {
		backend: "tree-sitter-haskell 0.23.1", version: 1,
		effort: 2, load: haskell.Language, kinds: haskellKinds[:], extract: extractHaskell,
		universe: haskellUniverse[:], boundary: haskellBoundary,
	},
	"scala": {
		backend: "tree-sitter-scala 0.23.4", version: 1,
		load: scala.Language, kinds: scalaKinds[:], extract: extractScala,
		member:   memberOf(scalaModifiers[:], []string{"def", "class", "trait", "object"}),
		universe: scalaUniverse[:], boundary: scalaBoundary, overloads: true,
	},
	"zig": {
		backend: "tree-sitter-zig 1.1.2", version: 1,
		load: zig.Language, kinds: zigKinds[:], extract: extractZig,
		universe: zigUniverse[:], boundary: beginsWith("pub ", "const ", "var ", "fn ", "test ", "export ", "inline fn ", "extern "),
	},
	"bash": {
		backend: "tree-sitter-bash 0.23.3", version: 1,
		load: bash.Language, kinds: bashKinds[:], extract: extractBash,
		universe: bashUniverse[:], boundary: bashBoundary,
	},
	"lua": {
		backend: "tree-sitter-lua 0.3.0", version: 1,
		load: lua.Language, kinds: luaKinds[:], extract: extractLua,
		universe: luaUniverse[:], boundary: beginsWith("function ", "local function "),
	},
	"kotlin": {
		backend: "tree-sitter-kotlin 1.1.0", version: 2,
		load: kotlin.Language, kinds: kotlinKinds[:], extract: extractKotlin,
		member:   memberOf(kotlinModifiers[:], []string{"fun", "class", "interface", "object", "enum"}),
		universe: kotlinUniverse[:], boundary: kotlinBoundary, overloads: true, endsInSpace: true,
	},
	"php": {
		backend: "tree-sitter-php 0.23.11", version: 1,
		load: php.LanguagePHP, kinds: phpKinds[:], extract: extractPhp,
		member:   memberOf([]string{"public", "protected", "private", "static", "abstract", "final"}, []string{"function"}),
		universe: phpUniverse[:], boundary: beginsWith("function ", "class ", "abstract ", "final ", "interface ", "trait ", "enum ", "namespace ", "use "),
	},
	"ruby": {
		backend: "tree-sitter-ruby 0.23.1", version: 1,
		load: ruby.Language, kinds: rubyKinds[:], extract: extractRuby,
		member:   memberOf(nil, []string{"def", "class", "module"}),
		boundary: beginsWith("def ", "class ", "module "),
	},
	"c": {
		backend: "tree-sitter-c 0.23.4", version: 1,
		load: c.Language, kinds: cKinds[:], extract: extractC, boundary: cBoundary,
	},
	"cpp": {
		backend: "tree-sitter-cpp 0.23.4", version: 1,
		load: cpp.Language, kinds: cKinds[:], extract: extractC, boundary: cBoundary, overloads: true,
	},
	"csharp": {
		backend: "tree-sitter-c-sharp 0.23.1", version: 1,
		load: csharp.Language, kinds: csharpKinds[:], extract: extractCSharp, universe: csharpUniverse[:],
		member:    memberOf([]string{"public", "protected", "private", "internal"}, []string{"static", "async", "override", "virtual", "abstract", "sealed", "readonly", "const", "class", "struct", "interface", "enum", "void", "int", "string", "bool"}),
		overloads: true,
	},
	"go": {
		backend: "tree-sitter-go 0.23.4", version: 1,
		load: golang.Language, kinds: goKinds[:], extract: extractGo, universe: goUniverse[:],
		boundary: beginsWith("func ", "type ", "var ", "const ", "import "),
	},
	"java": {
		backend: "tree-sitter-java 0.23.5", version: 2,
		load: java.Language, kinds: javaKinds[:], extract: extractJava, universe: javaUniverse[:],
		boundary:  beginsWith("public ", "class ", "interface ", "enum ", "abstract ", "final ", "record ", "@", "import "),
		overloads: true,
	},
	"javascript": { // with JSX
		backend: "tree-sitter-javascript 0.23.1", version: 2,
		load: javascript.Language, kinds: jsKinds[:], extract: extractJS, universe: jsUniverse[:], boundary: jsBoundary,
	},
	"python": {
		backend: "tree-sitter-python 0.23.6", version: 2,
		load: python.Language, kinds: pythonKinds[:], extract: extractPython,
		boundary: beginsWith("def ", "class ", "async def ", "@"),
	},
	"rust": {
		backend: "tree-sitter-rust 0.23.2", version: 1,
		load: rust.Language, kinds: rustKinds[:], extract: extractRust, universe: rustUniverse[:],
		boundary: beginsWith("fn ", "pub ", "pub(", "impl ", "impl<", "struct ", "enum ", "trait ", "mod ", "use ",
			"unsafe ", "async fn ", "const ", "static ", "type ", "macro_rules!", "#["),
		embedded: rustItems,
	},
	"tsx": {
		backend: "tree-sitter-typescript 0.23.2", version: 2,
		load: typescript.LanguageTSX, kinds: jsKinds[:], extract: extractJS, universe: jsUniverse[:], boundary: jsBoundary,
	},
	"typescript": {
		backend: "tree-sitter-typescript 0.23.2", version: 2,
		load: typescript.LanguageTypescript, kinds: jsKinds[:], extract: extractJS, universe: jsUniverse[:], boundary: jsBoundary,
	},
}

var jsBoundary = beginsWith("export ", "function ", "async function ", "class ", "abstract class ", "interface ",
	"type ", "enum ", "namespace ", "declare ", "const ", "let ", "var ", "import ", "module.exports", "exports.")

// grammar loads the language's grammar at the first call.
func (l *language) grammar() (*grammar, error) {
	l.once.Do(func() {
		g, missing := loadGrammar(l.load(), l.kinds)
		if g == nil {
			l.err = fmt.Errorf("%s does not fit the runtime %s", l.backend, runtimeVersion)
			return
		}
		if len(missing) > 0 {
			l.err = fmt.Errorf("%s has no node kinds %s", l.backend, strings.Join(missing, ", "))
			return
		}
		l.g = g
	})
	return l.g, l.err
}
