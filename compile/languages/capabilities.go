package languages

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/compile/scan"
	"github.com/pindex-dev/pindex/compile/syntax"
)

// Level says what the answers of a capability can be trusted with.
type Level int

const (
	// Absent: there is none; nothing stands in for it.
	Absent Level = iota
	// Approximate: read without the grammar. Most of it is right, and nothing
	// says which part is not.
	Approximate
	// Syntactic: read by the grammar, or by the structure that the format
	// gives away. What the text says is there; what needs types is not.
	Syntactic
	// Precise: what a compiler or a language server said.
	Precise
)

// String returns the level's name as documentation and manifests have it.
func (l Level) String() string {
	switch l {
	case Approximate:
		return "approximate"
	case Syntactic:
		return "syntactic"
	case Precise:
		return "precise"
	}
	return "absent"
}

// Binding says by which rules query time binds a language's uses.
type Binding int

const (
	// BindNothing: uses have no edges.
	BindNothing Binding = iota
	// BindNames: a use binds to what its own file declares, and nothing else
	// unless the tree declares the name once.
	BindNames
	// BindModules: scopes, imports and the language's module rule too.
	BindModules
	// BindTypes: the types of receivers too, where the text tells them.
	BindTypes
)

// String names the rules.
func (b Binding) String() string {
	switch b {
	case BindNames:
		return "names"
	case BindModules:
		return "names, imports, modules"
	case BindTypes:
		return "names, imports, modules, types of receivers"
	}
	return "absent"
}

// Capabilities is what pindex can do with one language.
type Capabilities struct {
	Units       Level // chunking: Approximate or Syntactic, never absent
	Symbols     Level
	Occurrences Level
	Imports     Level
	Binding     Binding
	// SCIP names the indexers whose output replaces occurrences and binding
	// with precise ones; "" for none.
	SCIP string
	// Live reports whether a language server is known that --live asks.
	Live    bool
	Backend string // what reads the language
}

// Describe returns a language's capabilities. A language without a reader has
// units by lines, headings or keys, and nothing else; ok is false then.
func Describe(lang string) (c Capabilities, ok bool) {
	backend, ok := Backends()[lang]
	if !ok {
		return Capabilities{Units: Syntactic}, false
	}
	c.Backend = backend
	c.SCIP, c.Live = scipIndexer(lang), hasServer(lang)
	switch {
	case syntax.Supports(lang):
		c.Units, c.Symbols, c.Occurrences, c.Imports = Syntactic, Syntactic, Syntactic, Syntactic
	case slices.Contains(embedded, lang):
		c.Units, c.Symbols, c.Occurrences, c.Imports = Syntactic, Syntactic, Syntactic, Syntactic
	default:
		info, _ := scan.Describe(lang)
		level := Syntactic
		if info.Depth == scan.Approximate {
			level = Approximate
		}
		c.Units, c.Symbols = level, level
		if info.Occurrences {
			c.Occurrences = level
		}
		if info.Imports {
			c.Imports = level
		}
	}
	c.Binding = bindingOf(lang)
	if c.Binding == BindNothing && c.Occurrences != Absent {
		c.Binding = BindNames
	}
	return c, true
}

// bindingOf returns the rules that the query has for a language.
func bindingOf(lang string) Binding {
	switch lang {
	case "go", "python", "rust", "javascript", "typescript", "tsx", "vue", "svelte":
		return BindTypes
	case "java", "kotlin", "scala", "groovy", "c", "cpp", "objective-c", "objective-cpp", "ruby", "php", "lua", "haskell", "zig", "bash":
		return BindModules
	}
	return BindNothing
}

func scipIndexer(lang string) string {
	switch lang {
	case "go":
		return "scip-go"
	case "python":
		return "scip-python"
	case "javascript", "typescript", "tsx":
		return "scip-typescript"
	case "java", "scala", "kotlin":
		return "scip-java"
	case "c", "cpp":
		return "scip-clang"
	case "rust":
		return "rust-analyzer"
	case "ruby":
		return "scip-ruby"
	case "csharp":
		return "scip-dotnet"
	}
	return ""
}

// LiveLanguages are the languages that a known language server answers for.
var LiveLanguages = []string{"c", "cpp", "go", "javascript", "python", "rust", "tsx", "typescript"}

func hasServer(lang string) bool { return slices.Contains(LiveLanguages, lang) }

// Manifest returns what provides each capability for one language, as a
// manifest states it: "chunking", "symbols", "occurrences", "imports",
// "graph.cold", "graph.incremental" and "live", each with its own backend, and
// none that is absent. structural says whether the index has that view;
// lines is what cuts a file that no reader reads.
func Manifest(lang, lines string, structural bool) map[string]string {
	c, ok := Describe(lang)
	if !ok {
		return map[string]string{"units": lines, "chunking": lines}
	}
	m := map[string]string{"units": c.Backend, "chunking": c.Backend}
	if c.Live {
		m["live"] = "language server, on request"
	}
	if !structural {
		return m
	}
	for name, l := range map[string]Level{"symbols": c.Symbols, "occurrences": c.Occurrences, "imports": c.Imports} {
		if l == Absent {
			continue
		}
		m[name] = c.Backend
		if l == Approximate && !strings.Contains(c.Backend, "approximate") {
			m[name] += " (approximate)"
		}
	}
	if c.Binding != BindNothing {
		m["graph.cold"] = "binding at query time: " + c.Binding.String()
		// What changed is read again by the same reader, and bound by the same
		// rules: an incremental index and an overlay lack nothing.
		m["graph.incremental"] = m["graph.cold"]
	}
	return m
}
