package syntax

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"

	golang "github.com/tree-sitter/tree-sitter-go/bindings/go"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
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

	once sync.Once
	g    *grammar
	err  error
}

// languages is every language that Parse knows, by the name that the rest of
// pindex uses for it.
var languages = map[string]*language{
	"go": {
		backend: "tree-sitter-go 0.23.4", version: 1,
		load: golang.Language, kinds: goKinds[:], extract: extractGo, universe: goUniverse[:],
	},
	"python": {
		backend: "tree-sitter-python 0.23.6", version: 1,
		load: python.Language, kinds: pythonKinds[:], extract: extractPython,
	},
}

// grammar loads the language's grammar at the first call.
func (l *language) grammar() (*grammar, error) {
	l.once.Do(func() {
		g, missing := loadGrammar(l.load(), l.kinds)
		if len(missing) > 0 {
			l.err = fmt.Errorf("%s has no node kinds %s", l.backend, strings.Join(missing, ", "))
			return
		}
		l.g = g
	})
	return l.g, l.err
}
