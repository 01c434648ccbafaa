// Command agentbench lets a chat model find the files that questions are about,
// in three ways, and says what each costs and how well it answers.
//
//	go run ./internal/agentbench -endpoint http://localhost:11434/v1#MODEL -queries FILE -store STORE -out runs.jsonl
//
// FILE has one question a line: {"id", "repo", "commit", "query", "gold": [paths]}.
// repo is any name, and together with commit the snapshot; the store must have
// an index of the commit ('pindex compile COMMIT --repo DIR --store STORE'). The
// endpoint's key comes from PINDEX_AGENTBENCH_KEY. What was run is kept in the
// -out file: the same command goes on where it was stopped.
//
// # Arms
//
//   - grep: the model has the tools grep and read, and the question.
//   - eager: the same, and before the first turn the ten best units for the
//     question, whole, as 'pindex context --policy eager' gives them.
//   - compact: the same as eager; after the first successful read its history
//     is rewritten by rule, once, as 'pindex context --policy compact' does.
//
// Tools, budgets and the limit of turns are the same for all. eager and compact
// differ in what is retained and in nothing else, so theirs is the only contrast
// that says something about retention.
//
// # Figures
//
// AnswerRecall@5 is the share of a question's gold files among the first five of
// the answer. Tokens are those of the whole trajectory: of every request and
// answer, those before a rewrite and the last one that asks for the form of the
// answer among them, as the server counts them, or where it does not by
// the bound that package bundle counts with. Intervals are the 2.5th and the
// 97.5th percentile of 2,000 bootstrap samples of whole snapshots: questions of
// one snapshot are not independent. An arm passes the gate when the lower end of
// its recall's difference from grep's is not below -0.05; of those that pass, the
// cheapest is named, beside the arm of the best recall.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/embed/remote"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/query"
	"github.com/pindex-dev/pindex/registry"
)

// envKey is the variable with the endpoint's key.
const envKey = "PINDEX_AGENTBENCH_KEY"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "agentbench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (err error) {
	fs := flag.NewFlagSet("agentbench", flag.ContinueOnError)
	endpoint := fs.String("endpoint", "", "URL#MODEL of a server with OpenAI's /v1/chat/completions")
	queries := fs.String("queries", "", "the questions, one JSON object a line")
	storeRef := fs.String("store", "", "a folder or registry repository with the indexes")
	out := fs.String("out", "", "file for the trajectories, one JSON object a line")
	l := defaultLimits
	fs.IntVar(&l.Turns, "turns", l.Turns, "answers of the model at most, before the one that is asked for the form")
	fs.IntVar(&l.Tokens, "tokens", l.Tokens, "tokens of a trajectory, above which no further turn is begun")
	fs.IntVar(&l.Bundle, "bundle", l.Bundle, "tokens of the evidence of eager and compact")
	fs.IntVar(&l.Result, "result", l.Result, "tokens of one tool's result")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *endpoint == "" || *queries == "" || *storeRef == "" || *out == "" {
		return errors.New("give -endpoint, -queries, -store and -out")
	}
	qs, err := readQuestions(*queries)
	if err != nil {
		return err
	}
	e, err := remote.ParseEndpoint(*endpoint, "chat/completions", envKey, os.Getenv(envKey))
	if err != nil {
		return err
	}
	w, err := openStore(*storeRef)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	b := &bench{chat: remote.NewChat(e, remote.Limits{}), open: w.engine, limits: l}
	all, err := b.runAll(ctx, qs, *out, os.Stderr)
	if err != nil {
		return err
	}
	return report(os.Stdout, qs, all)
}

// world keeps the index of one commit open at a time: questions are sorted by
// snapshot.
type world struct {
	store  registry.Store
	cache  *fetch.Cache
	commit string
	ix     *artifact.Index
	e      *query.Engine
}

func openStore(ref string) (*world, error) {
	w := &world{cache: fetch.OpenCache("")}
	var err error
	if registry.IsRemote(ref) {
		w.store, err = registry.OpenRemote(ref, registry.RemoteOptions{})
	} else {
		w.store, err = registry.OpenLocal(ref)
	}
	return w, err
}

// engine answers for a commit, until it is asked for another one's.
func (w *world) engine(ctx context.Context, commit string) (*query.Engine, error) {
	if w.e != nil && w.commit == commit {
		return w.e, nil
	}
	if err := w.close(); err != nil {
		return nil, err
	}
	ix, err := fetch.Open(ctx, w.store, w.cache, commit, fetch.OpenOptions{})
	if err != nil {
		return nil, err
	}
	w.ix, w.commit = ix, commit
	w.e = query.New(ix, query.Options{Model: func(m artifact.ModelInfo) ([]byte, error) { return fetch.Model(ctx, w.store, w.cache, m) }})
	return w.e, nil
}

func (w *world) close() error {
	if w.ix == nil {
		return nil
	}
	err := w.ix.Close()
	w.ix, w.e = nil, nil
	return err
}
