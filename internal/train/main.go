// Command train makes the built-in embedder's model: it mines pairs of words
// and code from packages, trains vectors of words on them, writes the model
// file, and measures it. docs/MODEL.md is the model's card.
//
//	internal/train/fetch.sh DATA                     packages of packages.txt, by their registries' clients
//	train exclude --mirrors DIR --eval DIR DATA      what must not be trained on
//	train mine DATA                                  packages -> texts (DATA/texts.bin, DATA/packages.tsv)
//	train pairs DATA                                 texts -> vocabulary and pairs
//	train distil DATA TEACHER                        a sentence transformer's vectors of words, to start from
//	train fit DATA                                   pairs -> float vectors (DATA/fit.bin)
//	train export DATA OUT                            float vectors -> the model file
//	train eval --mirrors DIR --eval DIR MODEL        how well it finds, on the development side
//
// DATA is a folder outside of the repository. Every step is deterministic
// but for fit, whose sums depend on the number of processors.
package main

import (
	"flag"
	"fmt"
	"os"
)

var commands = map[string]func(args []string) error{
	"exclude": exclude,
	"mine":    mine,
	"pairs":   makePairs,
	"distil":  distil,
	"fit":     fit,
	"export":  export,
	"eval":    evaluate,
}

func main() {
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: train exclude|mine|pairs|distil|fit|export|eval [flags] DATA; see the package comment")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "train "+os.Args[1]+":", err)
		os.Exit(1)
	}
}

// parseFlags parses a step's flags and returns its n other arguments.
func parseFlags(f *flag.FlagSet, args []string, n int) ([]string, error) {
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() != n {
		return nil, fmt.Errorf("%d arguments, not %d", f.NArg(), n)
	}
	return f.Args(), nil
}
