// Package views turns what is known of a partition's files into its segments:
// one builder for each view. The builders share their input and nothing else:
// one that fails takes no other with it.
package views

import (
	"fmt"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/units"
	"github.com/pindex-dev/pindex/embed"
)

// Version changes whenever a builder makes other bytes of the same input; it
// is part of the profile.
const Version = "1"

// LexicalVersion is that of the lexical view: 2 since its segments have a
// filter of their terms.
const LexicalVersion = "2"

// Partition is what a builder works on. Builders do not change it.
type Partition struct {
	*units.Batch // what reading the files gave

	// Contents holds each file's verbatim bytes, in the order of Batch.Files;
	// nil for a file whose content is in no view.
	Contents [][]byte
	// Embedder makes the vectors of the dense view.
	Embedder embed.Embedder
	// Model is the digest of the embedder's model; zero means that it is yet
	// to be computed.
	Model artifact.Digest
	// Key is the segment key of the segment to build.
	Key artifact.Digest
}

// Builder builds one segment. The result is a function of the partition alone.
type Builder func(in *Partition) ([]byte, error)

// Builders holds the builder of each view.
var Builders = map[artifact.View]Builder{
	artifact.Units:      Units,
	artifact.Source:     Source,
	artifact.Lexical:    Lexical,
	artifact.Dense:      Dense,
	artifact.Structural: Structural,
}

// Units builds the segment of files, units and search documents.
func Units(in *Partition) ([]byte, error) {
	return artifact.EncodeUnits(in.Key, &artifact.UnitsData{Files: in.Files, Units: in.Batch.Units, Docs: in.Docs})
}

// Source builds the segment of the files' verbatim bytes.
func Source(in *Partition) ([]byte, error) {
	if len(in.Contents) != len(in.Files) {
		return nil, fmt.Errorf("source view: contents of %d files, not %d", len(in.Contents), len(in.Files))
	}
	return artifact.EncodeSource(in.Key, in.Contents)
}

// Structural builds the segment of symbols, occurrences and imports.
func Structural(in *Partition) ([]byte, error) {
	return artifact.EncodeStructural(in.Key, &artifact.StructuralData{
		Files:       len(in.Files),
		Units:       len(in.Batch.Units),
		Symbols:     in.Symbols,
		Occurrences: in.Occurrences,
		Imports:     in.Imports,
		Locals:      in.Locals,
		LocalUses:   in.LocalUses,
		Precise:     in.Precise,
	})
}

// docPath returns the path of the file that holds a document.
func (in *Partition) docPath(d int) string {
	return in.Files[in.Batch.Units[in.Docs[d].Unit].File].Path
}
