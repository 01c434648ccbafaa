// Langdoc writes docs/LANGUAGES.md from what the readers of compile/languages
// say of themselves:
//
//	go run ./internal/langdoc > docs/LANGUAGES.md
//
// A test fails when the file does not say what the code does.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/pindex-dev/pindex/compile/languages"
	"github.com/pindex-dev/pindex/compile/scan"
	"github.com/pindex-dev/pindex/compile/syntax"
)

func main() { fmt.Fprint(os.Stdout, document()) }

const intro = `# Languages

<!-- Written by go run ./internal/langdoc; edit that, not this. -->

What pindex can do with each language, and what its answers can be trusted with:

- **precise**: what a compiler's index said. Only with a SCIP index of the project.
- **syntactic**: read by the language's grammar, or by the structure that a format gives away. What the text says is there; what needs a build is not.
- **approximate**: read without the grammar, by a scanner that knows comments, strings, blocks and the words that declare. Most of it is right, and nothing marks what is not.
- **absent**: there is none, and nothing weaker stands in for it.

*Units* are what search returns: declarations, or statements, stages, rules and blocks. *Symbols* are declared names, *occurrences* their uses with a role. *Binding* is which rules turn a use into an edge when a question is asked: by **names** alone (what the file declares, or the tree declares once), by **imports** and the language's rule for **modules**, by the **types** of receivers where the text tells them. *SCIP* names the indexer whose output makes a document's occurrences precise, *live* whether ` + "`--live`" + ` knows a language server to ask. A manifest states the same, for each language that is in the index, and ` + "`pindex status`" + ` prints it.

An incremental compile and the overlay read changed files with the same readers, and binding happens at query time, so there is no column for them: they have what the cold index has.
`

func document() string {
	var b strings.Builder
	b.WriteString(intro)
	for _, g := range []struct {
		title, text string
		in          func(lang string) bool
	}{
		{"Read by a grammar", "tree-sitter parses them; each has an extractor of its own.", syntax.Supports},
		{"Read in parts", "The file's own structure is scanned, the source in it is parsed by its language's reader. Positions are the outer file's. A notebook's units and positions are the bytes of the `.ipynb` file, escapes and all: what pindex shows is verbatim, and a name that is spelled with escapes has no symbol.", func(l string) bool { return !syntax.Supports(l) && !scan.Supports(l) }},
		{"Read by structure", "Formats whose lines or brackets give their structure away.", func(l string) bool { i, ok := scan.Describe(l); return ok && i.Depth == scan.Structured }},
		{"Read approximately", "One scanner, driven by a table for each language.", func(l string) bool { i, ok := scan.Describe(l); return ok && i.Depth == scan.Approximate }},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| language | units | symbols | occurrences | imports | binding | SCIP | live | reader |\n|---|---|---|---|---|---|---|---|---|\n", g.title, g.text)
		for _, lang := range languages.Names() {
			if !g.in(lang) {
				continue
			}
			c, _ := languages.Describe(lang)
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", lang, c.Units, c.Symbols, c.Occurrences, c.Imports, c.Binding, orDash(c.SCIP), yes(c.Live), c.Backend)
		}
	}
	b.WriteString(rest)
	return b.String()
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "–"
}

const rest = `
## Read by lines, headings or keys

Markdown, MDX, reStructuredText, AsciiDoc and Org have one unit for each heading. YAML, JSON, TOML and INI have one for each top-level key, table or section of at least four lines. Every other text file is cut at blank lines. These files have no symbols and no occurrences.

## What gets neither an edge nor a flag

Nothing is said of these, not even that something is unresolved:

- Names in comments, strings and documentation. Search and grep find them.
- Uses of names that a callable binds for itself: its parameters and locals.
- What a macro expands to, what a template instantiates, what is generated at build time, and what is looked up by a name that the program computes (` + "`getattr`" + `, reflection, dependency injection).
- Files that are not parsed: above the size limit, minified, binary, secret or excluded. ` + "`pindex status`" + ` counts them with the reason.
- In approximate languages: uses other than calls, inherited types and imports; calls without parentheses where the language allows them (Perl, Elixir, Crystal, F#, OCaml and Elm: only names behind a module's); fields and variables of Groovy, R's locals, Perl's variables; declarations that a macro makes.
- In HTML: classes, and elements without an id. In CSS: which elements a selector matches. In SQL: columns where they are used. In Makefiles: what a pattern rule makes. In Dockerfiles: what a command runs.
- In a component's template and a notebook's output: everything.

What is a use, but cannot be bound, is listed as unresolved with the answers where it could matter, in every language that has occurrences.
`
