// Command navbench measures navigation, definitions and references, against
// language servers.
//
//	go run ./internal/navbench oracle -lang go -out gin.jsonl [-n 250] [-seed 1] REPO
//	    asks a language server at sampled positions of a checkout and writes its answers
//	go run ./internal/navbench compare A.jsonl B.jsonl
//	    how far two runs of an oracle agree with each other
//	go run ./internal/navbench score [-show 40] [-filter TEXT] DIR=FILE.jsonl ...
//	    compiles the commit of each checkout DIR and compares the answers with the oracle's
//
// The positions are sampled from two populations, half each: the names that
// the server itself sees (its semantic tokens), and all identifier tokens of
// the language's files. Neither knows of pindex's own symbols. The checkout
// must be clean. bin/pindex compiles; PINDEX names another binary.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "navbench:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("say what to do: oracle, compare or score")
	}
	fs := flag.NewFlagSet(args[0], flag.ContinueOnError)
	switch args[0] {
	case "oracle":
		var o oracleOptions
		fs.StringVar(&o.Lang, "lang", "", "go, python, typescript, javascript, rust, c or cpp")
		fs.StringVar(&o.Out, "out", "", "file to write")
		fs.IntVar(&o.N, "n", 250, "positions of each of the two samples")
		fs.IntVar(&o.Files, "files", 1000, "ask for the server's occurrences in this many files at most, drawn")
		fs.Uint64Var(&o.Seed, "seed", 1, "of the samples")
		fs.StringVar(&o.Name, "name", "", "the repository's name in the file (default: the checkout's folder)")
		fs.StringVar(&o.Under, "under", "", "sample only files whose path begins so")
		fs.StringVar(&o.At, "at", "", "ask at the positions of this file again instead of sampling")
		fs.DurationVar(&o.Wait, "wait", 10*time.Minute, "for the server to be ready")
		fs.DurationVar(&o.Each, "each", time.Minute, "for one answer")
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		if fs.NArg() != 1 || o.Lang == "" || o.Out == "" {
			return errors.New("oracle needs -lang, -out and one checkout")
		}
		o.Repo = fs.Arg(0)
		return oracle(ctx, o)
	case "compare":
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		if fs.NArg() != 2 {
			return errors.New("compare needs two files")
		}
		return compare(os.Stdout, fs.Arg(0), fs.Arg(1))
	case "score":
		var o scoreOptions
		fs.IntVar(&o.Show, "show", 0, "misses to print of each class")
		fs.StringVar(&o.Filter, "filter", "", "print only misses whose class, rule or name contains this")
		fs.BoolVar(&o.NoRefs, "norefs", false, "definitions only")
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		for _, a := range fs.Args() {
			dir, file, ok := strings.Cut(a, "=")
			if !ok {
				return fmt.Errorf("%q is not CHECKOUT=FILE", a)
			}
			o.Inputs = append(o.Inputs, input{dir, file})
		}
		if len(o.Inputs) == 0 {
			return errors.New("score needs CHECKOUT=FILE")
		}
		return score(ctx, os.Stdout, o)
	}
	return fmt.Errorf("unknown measurement %q", args[0])
}

// program is the pindex binary that compiles.
func program() string {
	if p := os.Getenv("PINDEX"); p != "" {
		return p
	}
	return "bin/pindex"
}
