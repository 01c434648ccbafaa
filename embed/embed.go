// Package embed turns search documents and questions into vectors of signed
// bytes, and compares such vectors.
//
// Every vector is scaled to the length Norm, so that the dot product of two
// is Norm² times the cosine of their angle, whatever the documents' lengths.
// All arithmetic is on integers: the same text gives the same bytes on every
// machine.
package embed

import (
	"errors"
	"fmt"
)

// Norm is the length that vectors are scaled to, up to rounding; the dot
// product of a vector with itself is about Norm². The zero vector stands for a
// text without any term.
const Norm = 359

var (
	// ErrModel means that a model blob is none, or is damaged.
	ErrModel = errors.New("not a model that pindex can read")
	// ErrModelTooNew means that a model blob is of a later version or of a
	// kind that this program does not know.
	ErrModelTooNew = errors.New("a model of a later version of pindex")
)

// Document is what is embedded of a search document. Fields may be empty.
type Document struct {
	Path      string // of the file, from the root
	Symbol    []byte // names: the unit's qualified name and those of small declarations in it
	Signature [][]byte
	Doc       [][]byte // documentation
	Body      [][]byte // everything else
}

// WeightedTerm is one term of a question. Terms are as package analysis gives
// them.
type WeightedTerm struct {
	Term   string
	Weight uint32 // relative to the others; 0 leaves the term out
}

// Embedder makes vectors. An Embedder is not safe for concurrent use; Clone
// returns another one over the same tables.
type Embedder interface {
	// Name names the method, such as "hashed-projection".
	Name() string
	// Dims is the number of dimensions, a multiple of 32.
	Dims() int
	// Model returns the model blob, never empty; OpenModel turns it back into
	// an equal Embedder. The caller must not change it.
	Model() []byte
	// Embed fills dst, Dims() long, with the document's vector.
	Embed(d Document, dst []int8)
	// EmbedQuery fills dst with the vector of a question, all of whose terms
	// weigh as they do in a document.
	EmbedQuery(q string, dst []int8)
	// EmbedTerms fills dst with the vector of weighted terms, for callers who
	// know how rare each term is.
	EmbedTerms(terms []WeightedTerm, dst []int8)
	// Clone returns an Embedder for use by another goroutine.
	Clone() Embedder
}

// OpenModel opens a model blob. The blob is kept, not copied. Every number in
// it is checked.
func OpenModel(b []byte) (Embedder, error) {
	if len(b) < 16 || string(b[:8]) != modelMagic {
		return nil, fmt.Errorf("%w: no model header", ErrModel)
	}
	version, kind := b[8], b[9]
	switch {
	case version == modelVersion && kind == kindHashed:
		return openHashed(b)
	case version == modelVersion && kind == kindStatic:
		return openStatic(b)
	case version == modelVersion && kind == kindRemote:
		return openRemote(b)
	}
	return nil, fmt.Errorf("%w: version %d, kind %d", ErrModelTooNew, version, kind)
}
