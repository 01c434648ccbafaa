package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/pindex-dev/pindex/bundle"
	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/fail"
)

// budgets are the sizes at which bundles are compared, in tokens.
var budgets = []int{4_000, 13_800, 27_100, 80_000}

// bundleMeasure is how good one bundle is for one issue.
type bundleMeasure struct {
	ID     string
	Policy string
	Budget int
	Tokens int     // by the one counter
	Missed float64 // 1 when it shows no file of the fix
	Lines  float64 // share of its lines that lie in files of the fix
	Runs   float64 // share of the fix's changed runs that it shows a line of; NaN where there are none
	Whole  float64 // 1 when every changed line and the three on each side stand in it; NaN where there are none
	Paired bool    // within the tolerance of the tokens of files' bundle
}

func sortBy[T any](s []T, less func(a, b T) bool) {
	sort.SliceStable(s, func(i, j int) bool { return less(s[i], s[j]) })
}

// patchContext is the number of lines on each side of a change that a patch
// quotes.
const patchContext = 3

// judgeBundle measures what a bundle shows. lines returns the number of lines
// of a file.
func judgeBundle(t *task, s []shown, lines func(path string) int) bundleMeasure {
	m := bundleMeasure{ID: t.ID, Missed: 1, Runs: math.NaN(), Whole: math.NaN()}
	all, gold := 0, 0
	has := map[string][]bundle.Span{}
	for _, f := range s {
		wanted := slices.Contains(t.Files, f.Path)
		for _, sp := range f.Spans {
			n := sp.End - sp.Start + 1
			all += n
			if wanted {
				gold += n
			}
		}
		if wanted {
			m.Missed = 0
			has[f.Path] = append(has[f.Path], f.Spans...)
		}
	}
	if all > 0 {
		m.Lines = float64(gold) / float64(all)
	}
	if len(t.Targets) == 0 {
		return m
	}
	m.Runs, m.Whole = 0, 1
	for i := range t.Targets {
		r := &t.Targets[i]
		if slices.ContainsFunc(has[r.Path], func(sp bundle.Span) bool { return r.overlaps(r.Path, sp.Start, sp.End) }) {
			m.Runs += 1 / float64(len(t.Targets))
		}
		for n := max(1, r.Start-patchContext); n <= min(r.End+patchContext, lines(r.Path)); n++ {
			if !slices.ContainsFunc(has[r.Path], func(sp bundle.Span) bool { return sp.Start <= n && n <= sp.End }) {
				m.Whole = 0
			}
		}
	}
	return m
}

// bundles measures the bundles of every task, commit by commit, and keeps what
// came out.
func bundles(ctx context.Context, groups [][]task, mirrors, work string, fresh bool) error {
	return eachGroup(groups, func(ts []task) error {
		name := filepath.Join(work, "bundles", ts[0].Commit+".gob")
		if _, err := os.Stat(name); err == nil && !fresh {
			return nil
		}
		start := time.Now()
		var out []bundleMeasure
		for i := range ts {
			ms, err := bundlesOf(ctx, &ts[i], mirrors, work)
			if err != nil {
				return fmt.Errorf("%s: %w", ts[i].ID, err)
			}
			out = append(out, ms...)
		}
		fmt.Fprintln(os.Stderr, ts[0].Mirror, ts[0].Commit, len(ts), "tasks", time.Since(start).Round(time.Millisecond))
		return writeGob(name, out)
	})
}

// eachGroup works on groups of tasks, as many at a time as there are
// processors. What fails is told and takes nothing else with it.
func eachGroup(groups [][]task, do func([]task) error) error {
	jobs := make(chan []task)
	var wg sync.WaitGroup
	var mu sync.Mutex
	failed := 0
	for range max(1, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for ts := range jobs {
				if err := do(ts); err != nil {
					fmt.Fprintln(os.Stderr, "FAILED", ts[0].Mirror, ts[0].Commit, err)
					mu.Lock()
					failed++
					mu.Unlock()
				}
			}
		})
	}
	for _, ts := range groups {
		jobs <- ts
	}
	close(jobs)
	wg.Wait()
	if failed > 0 {
		return fmt.Errorf("%d of %d commits failed", failed, len(groups))
	}
	return nil
}

func writeGob(name string, v any) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return durable.WriteBytes(name, 0o644, b.Bytes())
}

// bundlesOf measures the bundles of one task.
func bundlesOf(ctx context.Context, t *task, mirrors, work string) ([]bundleMeasure, error) {
	e, err := engine(ctx, mirrors, t.Mirror, t.Commit, work)
	if err != nil {
		return nil, err
	}
	c, err := readCorpus(e, t.Query)
	if err != nil {
		return nil, err
	}
	meter := bundle.NewMeter()
	ws := words(t.Query)
	chunks, files, grepped := c.chunk(ws, 50).bm25(len(ws)), c.chunk(ws, 0).bm25(len(ws)), c.grepped(t.Query)
	files = c.whole(files)
	plans := map[string]*bundle.Plan{}
	for _, o := range []bundle.Options{{Query: t.Query, Policy: bundle.Files}, {Query: t.Query, Policy: bundle.Eager}} {
		if plans[o.Policy], err = bundle.NewPlan(ctx, e, o); err != nil && fail.CodeOf(err) != fail.NotFound {
			return nil, err
		}
	}
	var out []bundleMeasure
	for _, budget := range budgets {
		want := budget
		var first []shown
		put := func(policy string, s []shown, tokens int) {
			m := judgeBundle(t, s, c.length)
			m.Policy, m.Budget, m.Tokens = policy, budget, tokens
			m.Paired = tokens*100 >= want*(100-tolerance) && tokens*100 <= want*(100+tolerance)
			out = append(out, m)
		}
		for _, policy := range []string{bundle.Files, bundle.Eager} {
			var s []shown
			tokens := 0
			if p := plans[policy]; p != nil {
				b, text, err := p.Fit(ctx, budget, bundle.Markdown)
				if err != nil {
					return nil, err
				}
				tokens = meter.Count(text)
				s = shownBy(b)
			}
			if policy == bundle.Files {
				want, first = tokens, s
			}
			put(policy, s, tokens)
		}
		for _, base := range []struct {
			name  string
			parts []part
		}{{"chunk BM25", chunks}, {"file BM25", files}, {"grep", grepped}, {"lines of the same files", c.bestLines(ws, c.numbers(first))}} {
			s, tokens := spend(c, meter, base.parts, want)
			put(base.name, s, tokens)
		}
	}
	return out, nil
}

func shownBy(b *bundle.Bundle) (out []shown) {
	for _, f := range b.Files {
		out = append(out, shown{f.Path, f.Spans})
	}
	return out
}

// length is the number of lines of a file; that of one which the corpus does
// not have is not known.
func (c *corpus) length(path string) int {
	if i, ok := c.at[path]; ok {
		return len(c.files[i].lines)
	}
	return math.MaxInt32
}

// numbers are the files of a bundle that the corpus has.
func (c *corpus) numbers(s []shown) (out []int) {
	for _, f := range s {
		if i, ok := c.at[f.Path]; ok {
			out = append(out, i)
		}
	}
	return out
}

// whole makes parts of whole files.
func (c *corpus) whole(parts []part) []part {
	for i := range parts {
		parts[i].start, parts[i].end = 1, len(c.files[parts[i].file].lines)
	}
	return parts
}

// bundleTables prints what was measured.
func bundleTables(groups [][]task, work string) error {
	byID := map[string]*task{}
	var ms []bundleMeasure
	missing := 0
	for _, ts := range groups {
		f, err := os.Open(filepath.Join(work, "bundles", ts[0].Commit+".gob"))
		if err != nil {
			missing += len(ts)
			continue
		}
		var more []bundleMeasure
		err = gob.NewDecoder(f).Decode(&more)
		f.Close()
		if err != nil {
			return err
		}
		for i := range ts {
			byID[ts[i].ID] = &ts[i]
		}
		ms = append(ms, more...)
	}
	fmt.Printf("%d issues, %d more without figures\n", len(byID), missing)
	printBundles(ms, byID)
	return nil
}

func printBundles(ms []bundleMeasure, byID map[string]*task) {
	for _, g := range []struct {
		name string
		of   func(*task) bool
	}{
		{"all issues", func(*task) bool { return true }},
		{"issues whose text names the path of a file of the fix", func(t *task) bool { return t.Named }},
		{"issues whose text names none", func(t *task) bool { return !t.Named }},
	} {
		for _, budget := range budgets {
			fmt.Printf("\n%s, %d tokens: by repository [95%%], by query\n", g.name, budget)
			fmt.Println("| policy | missed | lines | runs | whole fixes | tokens | paired |")
			fmt.Println("|---|---|---|---|---|---|---|")
			var policies []string
			for i := range ms {
				if !slices.Contains(policies, ms[i].Policy) {
					policies = append(policies, ms[i].Policy)
				}
			}
			for _, policy := range policies {
				var repos []string
				var of []*bundleMeasure
				for i := range ms {
					if m := &ms[i]; m.Policy == policy && m.Budget == budget && byID[m.ID] != nil && g.of(byID[m.ID]) {
						of, repos = append(of, m), append(repos, byID[m.ID].Repo)
					}
				}
				if len(of) == 0 {
					continue
				}
				fmt.Printf("| %s |", policy)
				for _, value := range []func(*bundleMeasure) float64{
					func(m *bundleMeasure) float64 { return m.Missed },
					func(m *bundleMeasure) float64 { return m.Lines },
					func(m *bundleMeasure) float64 { return m.Runs },
					func(m *bundleMeasure) float64 { return m.Whole },
				} {
					s := meanOf(repos, valuesOf(of, value))
					fmt.Printf(" %.1f%% [%.1f, %.1f], %.1f%% |", 100*s.Repo, 100*s.Low, 100*s.High, 100*s.Query)
				}
				tokens := meanOf(repos, valuesOf(of, func(m *bundleMeasure) float64 { return float64(m.Tokens) }))
				paired := 0
				for _, m := range of {
					if m.Paired {
						paired++
					}
				}
				fmt.Printf(" %.0f | %d of %d |\n", tokens.Query, paired, len(of))
			}
		}
	}
}

func valuesOf(ms []*bundleMeasure, of func(*bundleMeasure) float64) []float64 {
	out := make([]float64, len(ms))
	for i, m := range ms {
		out[i] = of(m)
	}
	return out
}
