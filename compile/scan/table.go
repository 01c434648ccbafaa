package scan

import (
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// blockStyle is how a language closes what a declaration opens.
type blockStyle int

const (
	byBraces blockStyle = iota
	byEnds              // an end word closes
	byIndent            // the next line that is indented no deeper
)

// table describes one programming language to the scanner.
type table struct {
	lexis
	style blockStyle

	nameBytes string // what names hold besides letters, digits and _
	keepEnds  bool   // a dot, dash or colon at a name's end is part of it
	nameTail  string // what may end a name, such as "?!"
	fold      bool   // keywords in any case

	rules     map[string]rule // by the word that begins the declaration
	modifiers []string        // words that may stand in front of it
	attribute string          // what begins an attribute: "@", "#[", "[<"
	keywords  []string        // other words that are no call

	cLike      bool // functions are "type name(parameters) {"
	fields     bool // fields are "type name;" in a container
	newlines   bool // a line's end ends a statement, where nothing is open
	resync     bool // a brace or a declaring word in the first column is at file level
	comma      bool // entries of enums are separated by commas
	loose      bool // a blank may stand between a callee and its parenthesis
	upperNew   bool // a call of an upper-case name makes an object
	assigned   []assigned
	openers    map[string]opener // words that an end word closes
	closers    []string
	inherit    map[string]artifact.Role // words and signs in a head that name types
	imports    map[string]importForm
	classes    bool                     // "class X" without a body is a forward declaration
	leadWords  []string                 // statements that belong to the declaration behind them
	attributes map[string]artifact.Kind // "@type name" declares
	qualified  bool                     // names behind a module's are uses, for calls have no parentheses
	wholeFile  bool                     // "module X" without "=" holds the rest of the file
	colons     bool                     // "type, attribute :: names" declares
	equations  bool                     // "name arguments =" at file level declares
	hook       func(w *walk, at int) (next int, ok bool)
	joins      []string // words that continue a statement on the next line
	stringDocs bool     // a string in front of a declaration documents it

	isModifier, isKeyword map[string]bool // see prepare
	nameSet               [256]bool
}

// prepare makes the lists that every word is looked up in quick to ask.
func (t *table) prepare() {
	t.isModifier, t.isKeyword = map[string]bool{}, map[string]bool{}
	for _, w := range t.modifiers {
		t.isModifier[w] = true
	}
	for _, w := range t.keywords {
		t.isKeyword[w] = true
	}
	for c := range t.nameSet {
		t.nameSet[c] = isLetter(byte(c)) || isDigit(byte(c)) || strings.IndexByte(t.nameBytes, byte(c)) >= 0
	}
}

// assigned is a declaration of the form "name <- function".
type assigned struct {
	sign  string
	words []string // any of them must follow; none for any value
	kind  artifact.Kind
}

// opener says how a word opens what an end word closes.
type opener int

const (
	always    opener = iota
	lineStart        // only where a statement or an expression begins
	notColon         // not as "do:"
)

// nameForm is how a declaration's name follows its word.
type nameForm int

const (
	ident       nameForm = iota
	dotted               // a.b.C, a::b
	operator             // or an operator
	itself               // the word is the name
	list                 // several, separated by commas: enum cases
	quoted               // a string
	receiver             // Type.name or name
	param                // (name, behind a parenthesis
	afterColons          // the first name behind "::" on the line, or else the next
)

// bodyForm is what ends a declaration.
type bodyForm int

const (
	block bodyForm = iota // its block, or its statement where it has none
	stmt                  // its statement
)

// rule is one way to declare.
type rule struct {
	kind   artifact.Kind
	member artifact.Kind // instead, inside a container
	name   nameForm
	body   bodyForm
	flags  artifact.SymbolFlags
	nested bool   // also inside callables
	only   string // the word that must follow first: "type" in "abstract type"
	not    string // what must not follow, such as "(" or "="
	fn     bool   // a value with arguments or a function literal is a function
	fnKind artifact.Kind
}

// importForm is how an import statement names its module.
type importForm int

const (
	wholePath  importForm = iota // import a.b.C
	stringPath                   // import "a/b"
	pathList                     // use a, b
)
