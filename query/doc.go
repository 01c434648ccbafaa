// Package query answers questions from one open index: ranked search, exact
// search, declarations, references and calls, outlines and source lines. It
// reads an artifact.Index and nothing else: no repository, no network, no
// parser.
//
// An Engine is made once for an index and serves any number of concurrent
// queries; it keeps the totals that every query needs (document counts, term
// statistics, the table of paths). All answers are typed values whose JSON
// form is the command line's; formatting for people happens elsewhere.
//
// The way of a search: the query's form picks the route (route.go); the
// analyser turns the text into weighted terms (terms.go); the lexical
// (lexical.go) and semantic (semantic.go) routes score every document into
// small accumulators of each partition; fuse.go joins them; rank.go is the one
// final ranker behind every route; snippet.go cuts the lines to show.
//
// The way of a navigation query: target.go turns what the user wrote into
// declarations; bind.go binds uses of a name to declarations by the rules in
// bind_scope.go (scopes), bind_import.go (imports, with one resolver of module
// names to files in modules.go) and bind_member.go (receivers). Nothing is
// bound by guess: what no rule binds is counted as unresolved.
//
// # Globs
//
// In a path pattern `*` matches within one component, `**` as a whole component
// any number of them, `?` one character, `[a-z]` and `[!a-z]` a class, `{a,b}`
// either alternative, and a backslash takes the next character literally. A
// pattern without a slash matches any component, as in .gitignore; a pattern
// that matches a folder matches everything below it.
//
// # Determinism
//
// For one index and one set of options every answer is the same
// on every machine. Scores are integers in millionths. Floating point is used
// only for additions, products and quotients that are rounded one by one (an
// explicit conversion keeps the compiler from fusing them), and every order
// ends in the tie-break path, start line.
package query
