// Command annbench measures approximate nearest neighbours beside the flat scan
// of package embed, on vectors of real units:
//
//	cd internal/annbench
//	go run . gather -store DIR -o FILE HASH|FILE.gob ...
//	    writes the distinct vectors of indexed commits, or of what `evalbench
//	    vectors` wrote, in an order drawn by a fixed seed
//	go run . study -n 100000 -only lists [-budget 15m] FILE
//	    takes the first n vectors as the set and the last 200 as questions, and
//	    compares flat, halves (the exact scan in two steps), lists or graph with the
//	    flat scan: overlap of the best, processor time, build, bytes, memory,
//	    searches until the build is paid
//	go run . exact -n 100000 FILE
//	    how much of the flat scan bounds that change no result would spare
//	go run . study|exact FILE.gob
//	    the same on one index with real questions, of what `evalbench vectors` wrote
//	go run . gold [-graph 20000] FILE ...
//	    how often a wanted file is among those of the best units, by the flat
//	    scan and by lists and graph, on what `evalbench vectors` wrote
//
// A structure's peak of memory is the process's, so that -only makes the row of
// one structure. Processor times are the least of several passes, of one thread
// and, for the graph, the collector's besides.
//
// It is a module of its own, so that the product depends on no graph library.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "annbench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("say what to do: gather, study, exact or gold")
	}
	fs := flag.NewFlagSet(args[0], flag.ContinueOnError)
	store := fs.String("store", "", "gather: a local store, as `DIR`")
	out := fs.String("o", "", "gather: the `FILE` to write")
	n := fs.Int("n", 10000, "study, exact: vectors of the set, where the file is one that gather wrote")
	only := fs.String("only", "flat,halves,lists,graph", "study: which structures")
	lists := fs.Int("lists", 0, "study, exact: how many lists; 0 for √n")
	budget := fs.Duration("budget", 10*time.Minute, "study: processor time after which the build of a graph is given up")
	most := fs.Int("graph", 20000, "gold: the most vectors that a graph is built of")
	if err := fs.Parse(args[1:]); err != nil {
		return err
	}
	switch args[0] {
	case "gather":
		if *out == "" || fs.NArg() == 0 {
			return errors.New("gather needs -o, and full hashes of commits that -store has indexes of, or files of vectors")
		}
		return gather(ctx, *store, *out, fs.Args())
	case "study", "exact":
		if fs.NArg() != 1 {
			return errors.New("name one file of vectors")
		}
		set, asked, err := load(fs.Arg(0), *n)
		if err != nil {
			return err
		}
		if args[0] == "exact" {
			return exact(os.Stdout, set, asked, *lists)
		}
		return study(os.Stdout, set, asked, settings{
			only: strings.Split(*only, ","), lists: *lists, budget: *budget, steady: 300 * time.Millisecond,
		})
	case "gold":
		if fs.NArg() == 0 {
			return errors.New("name files that `evalbench vectors` wrote")
		}
		return gold(os.Stdout, fs.Args(), *most)
	}
	return fmt.Errorf("there is no command %q", args[0])
}
