package main

import (
	"context"
	"encoding/gob"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"github.com/pindex-dev/pindex/internal/stats"
)

// explore walks through every task and prints what it cost.
func explore(ctx context.Context, tasks []task, mirrors, work string, fresh bool) error {
	groups := commits(tasks)
	failed := eachGroup(groups, func(ts []task) error {
		name := filepath.Join(work, "walks", ts[0].Commit+".gob")
		if _, err := os.Stat(name); err == nil && !fresh {
			return nil
		}
		start := time.Now()
		e, err := engine(ctx, mirrors, ts[0].Mirror, ts[0].Commit, work)
		if err != nil {
			return err
		}
		var out explored
		for i := range ts {
			c, err := readCorpus(e, ts[i].Query)
			if err != nil {
				return err
			}
			ws, err := exploreTask(ctx, &ts[i], e, c)
			if err != nil {
				return err
			}
			ms, err := variantsOf(ctx, &ts[i], e, c)
			if err != nil {
				return err
			}
			out.Walks = append(out.Walks, ws...)
			out.Bundles = append(out.Bundles, ms...)
		}
		fmt.Fprintln(os.Stderr, ts[0].Mirror, ts[0].Commit, len(ts), "tasks", time.Since(start).Round(time.Millisecond))
		return writeGob(name, out)
	})
	var all []walk
	var ms []bundleMeasure
	byID := map[string]*task{}
	for _, ts := range groups {
		f, err := os.Open(filepath.Join(work, "walks", ts[0].Commit+".gob"))
		if err != nil {
			continue
		}
		var one explored
		err = gob.NewDecoder(f).Decode(&one)
		f.Close()
		if err != nil {
			return err
		}
		all, ms = append(all, one.Walks...), append(ms, one.Bundles...)
		for i := range ts {
			byID[ts[i].ID] = &ts[i]
		}
	}
	walkTables(all)
	printBundles(ms, byID)
	return failed
}

// sizes are the classes of repositories, by lines of source.
var sizes = []struct {
	name  string
	limit int
}{{"below 20,000 lines", 20_000}, {"20,000 to 100,000", 100_000}, {"above 100,000", math.MaxInt}}

func walkTables(all []walk) {
	fmt.Println("| repositories | issues | explorer | found | tokens, mean | tokens, median | calls, mean | tokens against grep, by issue |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	grep := map[string]*walk{}
	for i := range all {
		if all[i].Explorer == grepExplorer {
			grep[all[i].ID] = &all[i]
		}
	}
	least := 0
	for _, size := range sizes {
		for _, name := range []string{grepExplorer, searchExplorer, contextExplorer} {
			var tokens, calls, ratio []float64
			found := 0
			for i := range all {
				w := &all[i]
				if w.Explorer != name || w.Lines < least || w.Lines >= size.limit {
					continue
				}
				tokens, calls = append(tokens, float64(w.Tokens)), append(calls, float64(w.Calls))
				ratio = append(ratio, math.Log(float64(w.Tokens)/float64(grep[w.ID].Tokens)))
				if w.Found {
					found++
				}
			}
			if len(tokens) == 0 {
				continue
			}
			fmt.Printf("| %s | %d | %s | %d | %.0f | %.0f | %.1f | %.2f |\n", size.name, len(tokens), name, found, stats.Mean(tokens), median(tokens), stats.Mean(calls), math.Exp(stats.Mean(ratio)))
		}
		least = size.limit
	}
	for _, name := range []string{searchExplorer, contextExplorer} {
		fmt.Println(name + ": " + crossing(all, grep, name))
	}
}

// crossing tells from which size of a repository on an explorer takes fewer
// tokens than grep: where the line through the logarithms of the ratio, a mean
// for each repository, against the logarithm of its lines meets 1; with a 95%
// interval from 2000 draws of repositories.
func crossing(all []walk, grep map[string]*walk, name string) string {
	type point struct{ x, y, n float64 }
	by := map[string]*point{}
	var repos []string
	for i := range all {
		w := &all[i]
		if w.Explorer != name {
			continue
		}
		p := by[w.Repo]
		if p == nil {
			p = &point{}
			by[w.Repo] = p
			repos = append(repos, w.Repo)
		}
		p.x += math.Log(float64(w.Lines))
		p.y += math.Log(float64(w.Tokens) / float64(grep[w.ID].Tokens))
		p.n++
	}
	sort.Strings(repos)
	line := func(repos []string) (slope, at float64) {
		var sx, sy, sxx, sxy, n float64
		for _, r := range repos {
			x, y := by[r].x/by[r].n, by[r].y/by[r].n
			sx, sy, sxx, sxy, n = sx+x, sy+y, sxx+x*x, sxy+x*y, n+1
		}
		slope = (n*sxy - sx*sy) / (n*sxx - sx*sx)
		return slope, math.Exp(-(sy - slope*sx) / n / slope)
	}
	slope, at := line(repos)
	ats := stats.Bootstrap(len(repos), rand.New(rand.NewPCG(1, 2)), func(drawn []int) (float64, bool) {
		of := make([]string, len(drawn))
		for i, d := range drawn {
			of[i] = repos[d]
		}
		slope, at := line(of)
		return at, slope < 0
	})
	if slope >= 0 || len(ats) == 0 {
		return fmt.Sprintf("no size shows at which it begins to pay (slope %.2f over %d repositories)", slope, len(repos))
	}
	low, high := stats.Interval(ats)
	return fmt.Sprintf("pays from %.0f lines on [%.0f, %.0f; %d of %d draws slope down], tokens change by a factor of %.2f for each tenfold size, %d repositories",
		at, low, high, len(ats), stats.Draws, math.Pow(10, slope), len(repos))
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[len(s)/2]
}
