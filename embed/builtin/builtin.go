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

// New returns the built-in embedder. An error means that the program was
// built with a damaged model.
func New() (embed.Embedder, error) { return embed.OpenModel(model) }
