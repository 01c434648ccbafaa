// Package bundle chooses, for a question and a budget of tokens, the lines of a
// commit that an agent should see, and writes them out: verbatim, bounded,
// pinned to blobs and repeatable.
//
// The way of a bundle: NewPlan asks package query which files and units matter
// (rank.go); Plan.Fit spends a budget on them, each file by its odds, by whole
// units and whole lines (fit.go, cut.go), and on evidence beside them, which is
// looked for as far as there is room (evidence.go), counted by the one counter
// of both programs (tokens.go); Render writes Markdown, tagged text or JSON (render.go). A Receipt
// (receipt.go) names every span by path, lines and blob, and Replay makes the
// same bytes from it without ranking anything. Rewrite (compact.go) is the
// policy that knows no index: a deterministic cut of a session's history.
//
// # Promises
//
// A line is given whole or not at all, byte for byte as the blob has it, behind
// its number. What is left out is said with line numbers, outside of the text.
// Count(Render(b)) is at most the budget, and Count is never below what the
// tokenizer would say. One index, question and options give one bundle.
package bundle
