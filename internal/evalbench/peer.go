package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/internal/peers"
	"github.com/pindex-dev/pindex/query"
)

// Results that a peer is asked for: as many as its own command shows, and so
// many that ten files are among them where there are ten.
const (
	peerShown = 10
	peerWide  = 100
)

// Settings of a peer's two orders in the tables.
const (
	asShown  = "as it shows them"
	oneAFile = "one a file"
)

// peerFlags say which peer is asked, and for how long.
type peerFlags struct {
	name, program, model string
	alpha                float64
	within               time.Duration
}

func (f *peerFlags) add(fs *flag.FlagSet) {
	fs.StringVar(&f.name, "peer", "codegraph", "codegraph or semble")
	fs.StringVar(&f.program, "program", "", "the peer's `command` (codegraph) or a Python that has it (semble)")
	fs.StringVar(&f.model, "model", "", "`folder` of a model2vec model for semble")
	fs.Float64Var(&f.alpha, "alpha", -1, "share of vectors in semble's order, 0 to 1; below 0 as it chooses")
	fs.DurationVar(&f.within, "within", 24*time.Hour, "start no further repository after this time")
}

// run asks the peer what it has not answered yet, and prints the tables.
func (f *peerFlags) run(ctx context.Context, tasks []task, data, mirrors, work string) error {
	var p peers.Peer
	switch f.name {
	case "codegraph":
		p = peers.CodeGraph{Program: cmp.Or(f.program, "codegraph")}
	case "semble":
		p = peers.Semble{Python: cmp.Or(f.program, "python3"), Model: f.model, Alpha: f.alpha}
	default:
		return fmt.Errorf("there is no peer %q", f.name)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	answers, err := peer(ctx, p, commits(tasks), mirrors, work, time.Now().Add(f.within))
	if err != nil {
		return err
	}
	// pindex's models are trained on the other repositories of both sets.
	every, err := readTasks(data, "all")
	if err != nil {
		return err
	}
	samples, missing, err := load(commits(every), work)
	if err != nil {
		return err
	}
	fmt.Printf("%d queries, %d of them not studied by 'eval'\n", len(every), missing)
	peerTables(answers, samples)
	return nil
}

// peerAnswers is what a peer said about one commit; a file for each is kept.
type peerAnswers struct {
	Label   string          `json:"label"`
	Failed  string          `json:"failed,omitempty"`
	Lacking int             `json:"lacking"` // files that the clone does not have
	Files   int             `json:"files"`   // that the peer was given
	Index   float64         `json:"index_s"` // seconds of wall time
	Ask     float64         `json:"ask_s"`   // of all questions, and of indexing where that is part of it
	Shown   [][]peers.Place `json:"shown"`   // by query: the first ten results
	Wide    [][]peers.Place `json:"wide"`    // by query: the first hundred
	Queries []string        `json:"queries"`
	folder  []git.Entry     // what is to be checked out
	bytes   int64           // of it
	tasks   []task
}

// peer asks a peer the queries of each commit that it has not answered yet,
// the smallest folder first, and starts none after the deadline.
func peer(ctx context.Context, p peers.Peer, groups [][]task, mirrors, work string, deadline time.Time) ([]peerAnswers, error) {
	label, err := p.Label(ctx)
	if err != nil {
		return nil, err
	}
	kept := filepath.Join(work, "peers", strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, strings.ToLower(label)))
	if err := os.MkdirAll(kept, 0o755); err != nil {
		return nil, err
	}
	var all []peerAnswers
	for _, ts := range groups {
		a := peerAnswers{Label: label, tasks: ts}
		a.folder, a.bytes, err = folderOf(ctx, mirrors, &ts[0])
		if err != nil {
			a.Failed = err.Error()
		}
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b peerAnswers) int { return int(a.bytes - b.bytes) })
	for i := range all {
		a := &all[i]
		name := filepath.Join(kept, a.tasks[0].Set+"-"+a.tasks[0].Commit+".json")
		var old peerAnswers
		if readJSON(name, &old) == nil && old.answers(a.tasks) {
			old.tasks = a.tasks
			*a = old
			continue
		}
		switch {
		case a.Failed != "":
			continue
		case ctx.Err() != nil:
			a.Failed = "interrupted"
			continue
		case time.Now().After(deadline):
			a.Failed = "not asked in the time"
			continue
		}
		if err := a.ask(ctx, p, mirrors, work); err != nil {
			a.Failed = err.Error()
		}
		fmt.Fprintf(os.Stderr, "%s: %d files (%d lacking), index %.1f s, %d queries %.1f s %s\n", a.tasks[0].Repo, a.Files, a.Lacking, a.Index, len(a.tasks), a.Ask, a.Failed)
		if ctx.Err() != nil {
			continue // it may have failed by that
		}
		b, err := json.Marshal(a)
		if err != nil {
			return nil, err
		}
		if err := durable.WriteBytes(name, 0o644, b); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// answers reports whether the answers are to these tasks.
func (a *peerAnswers) answers(ts []task) bool {
	if a.Failed != "" || len(a.Shown) != len(ts) || len(a.Wide) != len(ts) || len(a.Queries) != len(ts) {
		return false
	}
	for i := range ts {
		if ts[i].Query != a.Queries[i] {
			return false
		}
	}
	return true
}

// folderOf lists the files that the queries of a task's commit are about.
func folderOf(ctx context.Context, mirrors string, t *task) ([]git.Entry, int64, error) {
	dir := clone(mirrors, t.Mirror)
	if dir == "" {
		return nil, 0, errors.New("there is no clone of " + t.Mirror)
	}
	repo, err := git.Open(ctx, dir, git.Options{})
	if err != nil {
		return nil, 0, err
	}
	defer repo.Close()
	id, err := repo.Resolve(ctx, t.Commit)
	if err != nil {
		return nil, 0, err
	}
	tree, err := repo.Tree(ctx, id)
	if err != nil {
		return nil, 0, err
	}
	prefix := strings.TrimSuffix(t.Glob, "**")
	var out []git.Entry
	var size int64
	for _, e := range tree {
		if (e.Mode == 0o100644 || e.Mode == 0o100755) && strings.HasPrefix(e.Path, prefix) && filepath.IsLocal(e.Path) {
			out = append(out, e)
			size += max(0, e.Size)
		}
	}
	if len(out) == 0 {
		return nil, 0, fmt.Errorf("%s has no files", prefix)
	}
	return out, size, nil
}

// ask checks the folder out, lets the peer index it, and asks.
func (a *peerAnswers) ask(ctx context.Context, p peers.Peer, mirrors, work string) error {
	dir, err := os.MkdirTemp(work, "peer-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := a.checkOut(ctx, mirrors, dir); err != nil {
		return err
	}
	begun := time.Now()
	if argv := p.Index(); argv != nil {
		if _, err := peers.Run(ctx, dir, argv, nil); err != nil {
			return err
		}
	}
	a.Index = time.Since(begun).Seconds()
	var qs []peers.Question
	a.Queries = nil
	for _, t := range a.tasks {
		a.Queries = append(a.Queries, t.Query)
		qs = append(qs, peers.Question{Text: t.Query, Limit: peerShown}, peers.Question{Text: t.Query, Limit: peerWide})
	}
	begun = time.Now()
	got, err := p.Ask(ctx, dir, qs)
	if err != nil {
		return err
	}
	a.Ask = time.Since(begun).Seconds()
	a.Shown, a.Wide = nil, nil
	for i := 0; i < len(got); i += 2 {
		a.Shown, a.Wide = append(a.Shown, got[i]), append(a.Wide, got[i+1])
	}
	return nil
}

// checkOut writes the folder's files as git has them. Links are left out, and
// what a partial clone lacks is counted.
func (a *peerAnswers) checkOut(ctx context.Context, mirrors, dir string) error {
	repo, err := git.Open(ctx, clone(mirrors, a.tasks[0].Mirror), git.Options{})
	if err != nil {
		return err
	}
	defer repo.Close()
	blobs, err := repo.Blobs(ctx)
	if err != nil {
		return err
	}
	defer blobs.Close()
	ids := make([]gitobj.ID, len(a.folder))
	for i, e := range a.folder {
		ids[i] = e.ID
	}
	git.Expect(blobs, ids)
	a.Files, a.Lacking = 0, 0
	for _, e := range a.folder {
		content, err := blobs.Read(e.ID, nil)
		if errors.Is(err, git.ErrMissing) {
			a.Lacking++
			continue
		}
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(e.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
		a.Files++
	}
	return nil
}

// measures scores an order of the peer's answers.
func (a *peerAnswers) measures(order string) (out []measure) {
	for i := range a.tasks {
		got := a.Shown[i]
		// An issue is answered by files; a second result of one is none.
		if order == oneAFile || a.tasks[i].Set == "loc" {
			got = peers.OneAFile(a.Wide[i], 20)
		}
		places := make([]place, len(got))
		for j, p := range got {
			places[j] = place(p)
		}
		out = append(out, judge(&a.tasks[i], places))
	}
	return out
}

// peerTables prints what a peer reaches beside pindex with the repository
// held out, over the queries that all of them answered.
func peerTables(answers []peerAnswers, samples []sample) {
	c := contest{score: scoreOf}
	var missing []string
	lacking := 0
	for i := range answers {
		a := &answers[i]
		if a.Failed != "" {
			missing = append(missing, fmt.Sprintf("%s (%s)", a.tasks[0].Repo, a.Failed))
			continue
		}
		lacking += a.Lacking
		c.add(a.Label+", "+asShown, a.measures(asShown))
		c.add(a.Label+", "+oneAFile, a.measures(oneAFile))
	}
	if len(c.names) > 0 {
		set := standard()
		for _, route := range []string{query.RouteLexical, query.RouteHybrid} {
			_, ms := heldOut(samples, route, set)
			c.add("pindex, "+route, ms)
		}
		c.print()
		for _, n := range c.names[:2] {
			c.paired("pindex, "+query.RouteLexical, n)
			c.paired("pindex, "+query.RouteHybrid, n)
		}
	}
	fmt.Printf("\nFiles that clones lack: %d. Repositories without answers: %d\n", lacking, len(missing))
	for _, m := range missing {
		fmt.Println(" ", m)
	}
}
