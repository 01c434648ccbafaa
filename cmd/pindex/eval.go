package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"text/tabwriter"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/embed/builtin"
	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/internal/selfeval"
	"github.com/pindex-dev/pindex/overlay"
	"github.com/pindex-dev/pindex/query"
)

func evalCmd(a *cli.App) *command.Command {
	var n int
	c := &command.Command{
		Use:   "eval",
		Short: "Measure retrieval on the repository's own history, offline",
		Long: `Measure how well searches find what a change has to touch, on the repository's
own history: commits that look like mended bugs ask, with their message, for the
files that they changed, in the index of their parent. Indexes of those parents
are built on top of the commit's own and of each other, and are not published.

Recall@k is the share of a commit's files among the first k, unresolved the
share of commits none of whose files is among the first 10; both with 95%
intervals by bootstrap over the commits; with --json in millionths.`,
		Example: `  pindex eval
  pindex eval --commits 200 --json`,
		RunE: func(c *command.Command, _ []string) error { return runEval(c.Context(), a, n) },
	}
	c.Flags().IntVar(&n, "commits", 50, "mended bugs to ask about at most")
	return c
}

// evalAnswer is what 'eval' prints.
type evalAnswer struct {
	Schema  string           `json:"schema"`
	Commit  string           `json:"commit"`
	Walked  int              `json:"walked"`  // commits looked at
	Commits int              `json:"commits"` // of them asked about
	Routes  []selfeval.Score `json:"routes"`
	Built   int              `json:"partitions_built"` // over all snapshots
	InAll   int              `json:"partitions"`       // over all snapshots
	Tasks   []evalTask       `json:"tasks"`
}

type evalTask struct {
	Commit string         `json:"commit"`
	Query  string         `json:"query"`
	Files  []string       `json:"files"`
	Ranks  map[string]int `json:"ranks"` // route -> place of the first of the files, 0 for none in the first 10
}

const (
	schemaEval = "pindex.eval/0"
	evalDepth  = 10
	maxEval    = 5000
)

var evalRoutes = []string{query.RouteLexical, query.RouteSemantic, query.RouteHybrid}

func runEval(ctx context.Context, a *cli.App, n int) error {
	if n < 1 || n > maxEval {
		return fail.New(fail.Usage, fmt.Sprintf("give --commits from 1 to %d", maxEval), "there are no %d commits to ask about", n)
	}
	repo, err := a.Repo(ctx)
	if err != nil {
		return err
	}
	base, err := a.Index(ctx)
	if err != nil {
		return err
	}
	defer base.Close()
	head, err := gitobj.ParseID(base.Manifest().Commit)
	if err != nil {
		return err
	}
	tasks, walked, err := selfeval.Mine(ctx, repo, head, n)
	if err != nil {
		return err
	}
	if len(tasks) == 0 {
		return fail.New(fail.NotFound, "run it in a full clone of a repository whose messages say what they mend",
			"none of %d commits looks like a mended bug", walked)
	}
	dir, err := os.MkdirTemp("", "pindex-eval-")
	if err != nil {
		return fail.Wrap(fail.Usage, err, "make the folder for temporary files writable", "the packs of old commits have nowhere to go")
	}
	defer os.RemoveAll(dir)
	known := &countedPacks{Packs: overlay.Packs{Dir: dir, Max: 1 << 14}}
	ans := evalAnswer{Schema: schemaEval, Commit: head.String(), Walked: walked, Commits: len(tasks), Tasks: []evalTask{}}
	values := map[string][][3]float64{}
	lost := map[string][]float64{}
	for i, t := range tasks {
		if i%10 == 0 {
			a.Note("%d of %d commits", i, len(tasks))
		}
		ix, err := overlay.Build(ctx, overlay.Request{Base: base, Repo: repo, Commit: t.Snapshot, Known: known})
		if err != nil {
			return err
		}
		ans.InAll += len(ix.Manifest().Partitions)
		e := query.New(ix, query.Options{Model: builtinModel})
		task := evalTask{Commit: t.Commit.String(), Query: t.Query, Files: t.Files, Ranks: map[string]int{}}
		for _, route := range evalRoutes {
			r, err := e.Search(ctx, query.SearchOptions{Query: t.Query, Route: route, K: evalDepth, Level: "file"})
			if err != nil {
				return err
			}
			var ranked []string
			for place, h := range r.Results {
				ranked = append(ranked, h.FilePath())
				if task.Ranks[route] == 0 && selfeval.Recall(ranked[place:], t.Files, 1) > 0 {
					task.Ranks[route] = place + 1
				}
			}
			values[route] = append(values[route], [3]float64{
				selfeval.Recall(ranked, t.Files, 1), selfeval.Recall(ranked, t.Files, 5), selfeval.Recall(ranked, t.Files, 10),
			})
			miss := 0.0
			if task.Ranks[route] == 0 {
				miss = 1
			}
			lost[route] = append(lost[route], miss)
		}
		ans.Tasks = append(ans.Tasks, task)
		if err := ix.Close(); err != nil {
			return err
		}
	}
	ans.Built = known.built()
	for _, route := range evalRoutes {
		s := selfeval.Score{Route: route, Recall: map[string]selfeval.Estimate{}, Unresolved: selfeval.Mean(lost[route])}
		for k, name := range []string{"1", "5", "10"} {
			column := make([]float64, len(tasks))
			for i, v := range values[route] {
				column[i] = v[k]
			}
			s.Recall[name] = selfeval.Mean(column)
		}
		ans.Routes = append(ans.Routes, s)
	}
	return a.Print(ans, func(w io.Writer) { writeEval(w, &ans) })
}

func writeEval(w io.Writer, ans *evalAnswer) {
	fmt.Fprintf(w, "%d commits that mend bugs, of %d before %s; %d of %d partitions were built\n", ans.Commits, ans.Walked, ans.Commit, ans.Built, ans.InAll)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ROUTE\tRECALL@1\tRECALL@5\tRECALL@10\tUNRESOLVED")
	show := func(e selfeval.Estimate) string {
		return fmt.Sprintf("%.3f (%.3f to %.3f)", float64(e.Mean)/1e6, float64(e.Low)/1e6, float64(e.High)/1e6)
	}
	for _, r := range ans.Routes {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", r.Route, show(r.Recall["1"]), show(r.Recall["5"]), show(r.Recall["10"]), show(r.Unresolved))
	}
	_ = t.Flush() // what it writes to tells
}

// countedPacks counts what had to be built.
type countedPacks struct {
	overlay.Packs
	n atomic.Int64
}

func (c *countedPacks) Built(key artifact.Digest, pack []byte) {
	c.n.Add(1)
	c.Packs.Built(key, pack)
}

func (c *countedPacks) built() int { return int(c.n.Load()) }

// builtinModel reads the model of an index that this program made.
func builtinModel(m artifact.ModelInfo) ([]byte, error) {
	e, err := builtin.New()
	if err != nil {
		return nil, err
	}
	if artifact.DigestOf(e.Model()) != m.Digest {
		return nil, fail.New(fail.NoIndex, "compile the commit with this version of pindex", "the index was made with another model, %q", m.Name)
	}
	return e.Model(), nil
}
