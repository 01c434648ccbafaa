// Package builtin holds the embedder that compiles use when nobody chooses
// another: static vectors of words, trained as docs/MODEL.md tells. The model
// is ten megabytes of the program that links this package, so only the
// compiling side does; whoever answers reads the model that came with the
// index.
package builtin

import (
	_ "embed" // the model file

	"github.com/pindex-dev/pindex/embed"
)

//go:embed model.bin
var model []byte

// Digest is the SHA-256 of the model file in hexadecimal. It stands here so
// that no start of a program has to read ten megabytes for it. It is in every
// profile, so a new model needs a line in CHANGELOG.md: indexes made with
// another are told apart by it.
const Digest = "e5a0f9cf143ea92badd77b2cca4be1e8b3e8f01c47dd1eea5a94d962f7c22b93"

// Is reports whether e is what New returns, or a clone of that.
func Is(e embed.Embedder) bool {
	b := e.Model()
	return len(b) == len(model) && &b[0] == &model[0]
}

// New returns the built-in embedder. An error means that the program was
// built with a damaged model.
func New() (embed.Embedder, error) { return embed.OpenModel(model) }
