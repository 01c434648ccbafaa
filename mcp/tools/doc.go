// Package tools holds the five MCP tools over one commit's index (search,
// symbol, read, context and status) and everything about them that is independent of
// the protocol: their definitions, the checks of their arguments, the opening
// of the index behind the first call, and replies that are bounded in size.
// Package mcp serves them by the protocol's SDK, package mcp/stdio without it.
//
// # Replies
//
// A reply has two forms that say the same: text, and structured content that
// fits the tool's output schema. Both together have at most max_tokens tokens,
// counted as bytes/3. No line is ever cut: what does not fit is left out, and
// both forms say how much that is. The text's first line names the commit and
// how fresh the answer is.
//
// # Trust
//
// Definitions and instructions are constants of this package. Text of the
// repository appears in results alone; where there is no answer, the sentence
// that says so may name paths and is a result as well, not an error.
package tools
