// Package stdio serves the tools of package tools by the Model Context
// Protocol over a pair of streams, with the standard library alone. It is what
// the client links, which the protocol's SDK would make a fifth larger than
// it may be; package mcp does the same with the SDK, and both pass one suite
// that drives them with the SDK's own client.
//
// Of the protocol it speaks what a server of tools needs: the handshake, ping,
// tools/list and tools/call, cancellation and progress; one JSON object a line.
// What it promises about peers that die, cancel or do not read is the same as
// package mcp's.
package stdio
