// Command scalesim plays a repository's history through the compiler and
// measures what a registry would get of it. docs/SCALE.md has its figures.
//
//	go run ./internal/scalesim run -work DIR [-n 1000] [-k 3,4,5] REPO ...
//	    compiles the last n first-parent transitions of each repository, each on
//	    top of the one before, cut into partitions of 2^k files in the mean for
//	    each k, with every view, and pushes them to a registry that counts
//	    and keeps nothing. What was done before in DIR is not done again.
//	go run ./internal/scalesim check -work DIR [-n 20] REPO
//	    pushes and pulls transitions by the program itself and compares requests
//	    and bytes with what run has counted for them
//	go run ./internal/scalesim report -work DIR [-plots DIR]
//	    prints the tables and draws the plots
//	go run ./internal/scalesim synthesize -files 200000 -out DIR REPO ...
//	    makes a repository of that many files from those of others
//
// check needs bin/pindex; PINDEX names another binary.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/pindex-dev/pindex/compile"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if compile.IsWorker(os.Args) {
		os.Exit(compile.WorkerMain(ctx))
	}
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "scalesim:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("say what to do: run, check, report or synthesize")
	}
	fs := flag.NewFlagSet(args[0], flag.ContinueOnError)
	work := fs.String("work", "", "folder of what was measured")
	switch args[0] {
	case "run":
		n := fs.Int("n", 1000, "transitions")
		list := fs.String("k", "5", "k's, separated by commas")
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		if *work == "" || fs.NArg() == 0 {
			return errors.New("run needs -work and a repository")
		}
		ks, err := parseBits(*list)
		if err != nil {
			return err
		}
		for _, repo := range fs.Args() {
			for _, k := range ks {
				if err := simulate(ctx, *work, repo, k, *n); err != nil {
					return fmt.Errorf("%s, k = %d: %w", repo, k, err)
				}
			}
		}
		return nil
	case "check":
		n := fs.Int("n", 20, "transitions")
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		if *work == "" || fs.NArg() != 1 {
			return errors.New("check needs -work and one repository")
		}
		return check(*work, fs.Arg(0), *n)
	case "report":
		plots := fs.String("plots", "", "folder for the plots")
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		if *work == "" {
			return errors.New("report needs -work")
		}
		return report(*work, *plots)
	case "synthesize":
		files := fs.Int("files", 200_000, "files to make")
		out := fs.String("out", "", "folder of the repository, which must not exist")
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		if *out == "" || fs.NArg() == 0 {
			return errors.New("synthesize needs -out and a repository to make it from")
		}
		return synthesize(*out, *files, fs.Args())
	}
	return fmt.Errorf("unknown command %q", args[0])
}
