// Package scan finds declarations, calls and imports without a parser, for
// languages that have no grammar worth its price. It is pure Go, knows no git,
// no segment and no file system, and its results, in the form of
// compile/syntax, are a pure function of (language, bytes).
//
// Two kinds of reader are here, and Depth tells which one a language has:
//
//   - Structured: formats whose structure their lines or brackets give away,
//     such as SQL statements, Dockerfile stages, Makefile rules, HCL blocks,
//     protobuf messages, GraphQL types, CSS rules and HTML elements. Each has
//     a reader of its own, and what it finds is what the text says.
//   - Approximate: programming languages, read by one scanner that is driven
//     by a table (tables.go and tables_*.go). It knows comments and strings,
//     how blocks open and close, and which words begin a declaration. It does
//     not know the grammar: macros, operators that look like declarations and
//     code in unusual layouts may mislead it, so everything that it finds is
//     called approximate.
//
// # How the table-driven scanner works
//
//   - mask.go: comments and string contents become blanks of the same length,
//     so that what follows never mistakes them for code. Comments are kept as
//     documentation.
//   - braces.go, ends.go, indent.go, forms.go: one walk for each way in which
//     a language closes its blocks: braces, end words, indentation,
//     parentheses. All of them ask rules.go whether a declaration begins.
//   - uses.go: calls, inherited types and imports.
//
// # What callers can rely on
//
// The promises of compile/syntax hold here too: parents precede and enclose
// their children, siblings do not overlap, names stand at their offsets. Work
// is linear in the file: looking ahead and behind is bounded by maxAhead.
package scan
