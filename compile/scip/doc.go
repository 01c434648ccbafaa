// Package scip takes SCIP indexes in: what a compiler's indexer said of the
// files of a commit.
//
// The way of the data:
//
//	index files, streamed -> documents (read.go)
//	  -> positions as byte columns of the commit's text, or why not (fit.go)
//	  -> one Document a file, spooled to disk (collect.go)
//	  -> the project's own version taken out, locals renumbered (normal.go)
//	  -> bytes whose digest enters the segment key (document.go), kept by file
//	     for the workers (input.go)
//	worker: Document + units -> precise occurrences (join.go)
//
// An index is untrusted and may be of any size. It is read document by
// document, a document occurrence by occurrence. What does not fit the
// commit's text is refused and counted; a document of which much is refused
// was made from other text and is left out as a whole.
package scip

// Version changes whenever the same index gives other documents, or the same
// documents other occurrences; it is part of the profile.
const Version = "1"

const (
	// MaxDocument bounds one document of an index, in bytes.
	MaxDocument = 1 << 30
	// MaxSymbol bounds a symbol, in bytes. Longer ones no human named.
	MaxSymbol = 16 << 10
	// maxMetadata bounds the other parts of an index that are read whole.
	maxMetadata = 16 << 20
	// maxRefusalsKept bounds the examples that a report lists.
	maxRefusalsKept = 200
)
