package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/pindex-dev/pindex/compile"
)

func main() {
	if compile.IsWorker(os.Args) {
		os.Exit(compile.WorkerMain(context.Background()))
	}
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "evalbench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("say what to do: eval, ablate, worst, experiment, export, peer, rerank, bundles, explore, verbatim, vectors or latency")
	}
	fs := flag.NewFlagSet(args[0], flag.ContinueOnError)
	data := fs.String("data", "", "`folder` of the evaluation data")
	mirrors := fs.String("mirrors", "", "`folder` of bare clones")
	work := fs.String("work", "", "`folder` that keeps packs and features")
	which := fs.String("set", "all", "semble, loc or all")
	ids := fs.String("ids", "", "`file` of the loc instances to take, one id a line")
	fresh := fs.Bool("fresh", false, "study again what is there already")
	fs.StringVar(&foldSeed, "folds", "", "any `word` deals the repositories out to other folds")
	table := fs.String("table", "query/model_table.go", "where export writes")
	n := fs.Int("n", 30, "queries that worst prints, issues that explore walks through or latency times, bundles that verbatim makes, issues that vectors takes with -per, queries that rerank takes")
	per := fs.Int("per", 0, "issues of one repository that bundles, vectors and rerank take at most; 0 for all")
	var by peerFlags
	by.add(fs)
	var rr rerankFlags
	rr.add(fs)
	if err := fs.Parse(args[1:]); err != nil {
		return err
	}
	if *data == "" || *work == "" {
		return errors.New("-data and -work are needed")
	}
	tasks, err := readTasks(*data, *which)
	if err != nil {
		return err
	}
	if *ids != "" {
		if tasks, err = only(tasks, *ids); err != nil {
			return err
		}
	}
	switch args[0] {
	case "peer":
		return by.run(ctx, tasks, *data, *mirrors, *work)
	case "rerank":
		return rr.run(ctx, tasks, *mirrors, *work, *n, *per, by.within)
	case "latency":
		return latency(ctx, hashed(tasks, *n, len(tasks)), *mirrors, *work)
	case "vectors":
		if *per > 0 {
			tasks = hashed(tasks, *n, *per)
		}
		return writeVectors(ctx, commits(tasks), *mirrors, *work, *fresh)
	case "verbatim":
		return verbatim(ctx, tasks, *mirrors, *work, *n, 20)
	case "explore":
		return explore(ctx, hashed(tasks, *n, 5), *mirrors, *work, *fresh)
	case "bundles":
		if *per > 0 {
			tasks = hashed(tasks, len(tasks), *per)
		}
		if err := bundles(ctx, commits(tasks), *mirrors, *work, *fresh); err != nil {
			fmt.Fprintln(os.Stderr, "evalbench:", err)
		}
		return bundleTables(commits(tasks), *work)
	case "eval":
		if err := dump(ctx, commits(tasks), *mirrors, *work, *fresh); err != nil {
			return err
		}
	}
	samples, missing, err := load(commits(tasks), *work)
	if err != nil {
		return err
	}
	fmt.Printf("%d queries, %d of them without an index\n", len(tasks), missing)
	set := standard()
	switch args[0] {
	case "eval":
		eval(samples, set)
	case "ablate":
		ablate(samples, set)
	case "worst":
		worst(samples, set, *n)
	case "experiment":
		experiment(samples, set)
	case "export":
		return export(samples, *table, set)
	default:
		return fmt.Errorf("there is no command %q", args[0])
	}
	return nil
}

// only keeps the tasks of semble and the named ones of loc.
func only(tasks []task, file string) ([]task, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	want := map[string]bool{}
	for _, id := range strings.Fields(string(b)) {
		want["loc/"+id] = true
	}
	var out []task
	for _, t := range tasks {
		if t.Set == "semble" || want[t.ID] {
			out = append(out, t)
		}
	}
	return out, nil
}
