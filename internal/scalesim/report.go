package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/stats"
	"github.com/pindex-dev/pindex/query"
)

// played is one repository's history under one k.
type played struct {
	repo string
	k    int
	rows []row // transitions alone: the first commit's full compile is left out
	end  *ending
}

var resultName = regexp.MustCompile(`^(.+)-k([0-9]+)\.jsonl$`)

func readWork(work string) ([]*played, error) {
	files, err := os.ReadDir(work) // sorted by name
	if err != nil {
		return nil, err
	}
	var out []*played
	for _, f := range files {
		m := resultName.FindStringSubmatch(f.Name())
		if m == nil {
			continue
		}
		p := &played{repo: m[1]}
		if p.k, err = strconv.Atoi(m[2]); err != nil {
			return nil, err
		}
		rows, err := readRows(filepath.Join(work, f.Name()))
		if err != nil {
			return nil, err
		}
		if len(rows) < 2 {
			continue
		}
		p.rows = rows[1:]
		b, err := os.ReadFile(filepath.Join(work, fmt.Sprintf("%s-k%d.end", p.repo, p.k)))
		if err == nil {
			p.end = &ending{}
			err = json.Unmarshal(b, p.end)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b *played) int {
		if a.repo != b.repo {
			return 0
		}
		return a.k - b.k
	})
	return out, nil
}

// common returns, for each run of a repository, the rows of commits that all
// its runs have got to, so that k's are compared on the same history.
func common(all []*played, repo string) map[*played][]row {
	seen := map[string]int{}
	runs := 0
	for _, p := range all {
		if p.repo == repo {
			runs++
			for _, r := range p.rows {
				seen[r.Commit]++
			}
		}
	}
	out := map[*played][]row{}
	for _, p := range all {
		if p.repo == repo {
			for _, r := range p.rows {
				if seen[r.Commit] == runs {
					out[p] = append(out[p], r)
				}
			}
		}
	}
	return out
}

func values(rows []row, f func(r row) float64) []float64 {
	out := make([]float64, len(rows))
	for i, r := range rows {
		out[i] = f(r)
	}
	return out
}

func total(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}

// What a row says, by name.
func sentBytes(r row) float64 { return float64(r.Sent) }
func packBytes(r row) float64 { return float64(r.Packs) }
func segments(r row) float64  { return float64(r.Segments) }
func requests(r row) float64  { return float64(r.Requests) }
func ownBytes(r row) float64  { return float64(r.Artifact - r.Model) } // the index without the model

// pullRequests is what a pull of the commit costs a cache that has the one
// before: the OCI manifest by its tag, config, manifest, and the new packs.
// check compares it with what the program does.
func pullRequests(r row) float64 { return float64(pullFixed + r.Built) }

const pullFixed = 3

// report prints what was measured and draws it.
func report(work, plots string) error {
	all, err := readWork(work)
	if err != nil {
		return err
	}
	var repos []string
	for _, p := range all {
		if !slices.Contains(repos, p.repo) {
			repos = append(repos, p.repo)
		}
	}
	fmt.Println("The longest run of each repository:")
	fmt.Println()
	fmt.Println("| repository | k | transitions | files changed, p50 / p95 | segments rebuilt, p50 / p95 | bytes added, p50 / p95 | of the index, p50 / p95 | all bytes added | of the sum of full indexes | with the model counted | push requests, p50 / p95 | next pull's requests, p50 / p95 |")
	fmt.Println("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	var long []*played
	for _, repo := range repos {
		var p *played
		for _, q := range all {
			if q.repo == repo && (p == nil || len(q.rows) > len(p.rows)) {
				p = q
			}
		}
		if len(p.rows) >= longRun {
			long = append(long, p)
		}
		share := values(p.rows, func(r row) float64 { return 100 * sentBytes(r) / ownBytes(r) })
		sent := values(p.rows, sentBytes)
		changed := values(p.rows, func(r row) float64 { return float64(r.Changed) })
		seg, req, pull := values(p.rows, segments), values(p.rows, requests), values(p.rows, pullRequests)
		fmt.Printf("| %s | %d | %d | %.0f / %.0f | %.0f / %.0f | %.2f / %.2f MB | %.2f / %.2f%% | %.0f MB | %.2f%% | %.2f%% | %.0f / %.0f | %.0f / %.0f |\n", repo, p.k, len(p.rows),
			stats.Quantile(changed, .5), stats.Quantile(changed, .95), stats.Quantile(seg, .5), stats.Quantile(seg, .95),
			stats.Quantile(sent, .5)/1e6, stats.Quantile(sent, .95)/1e6, stats.Quantile(share, .5), stats.Quantile(share, .95),
			total(sent)/1e6, 100*total(sent)/total(values(p.rows, ownBytes)), 100*total(sent)/total(values(p.rows, func(r row) float64 { return float64(r.Artifact) })),
			stats.Quantile(req, .5), stats.Quantile(req, .95), stats.Quantile(pull, .5), stats.Quantile(pull, .95))
	}
	fmt.Println()
	fmt.Println("k against k, on the commits that all runs of a repository have:")
	fmt.Println()
	fmt.Println("| repository | files | k | partitions | transitions | index | manifests a push | packs, p50 / p95 | added, p50 / p95 | all bytes added | cold pull's requests | full compile CPU | lexical, hybrid CPU | k + 1 would send |")
	fmt.Println("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	for _, repo := range repos {
		rows := common(all, repo)
		for _, p := range all {
			r := rows[p]
			if p.repo != repo || len(r) == 0 {
				continue
			}
			last := r[len(r)-1]
			sent, packs := values(r, sentBytes), values(r, packBytes)
			fmt.Printf("| %s | %d | %d | %d | %d | %.2f MB | %.0f kB | %.0f / %.0f kB | %.0f / %.0f kB | %.1f MB | %d |", repo, last.Files, p.k, last.Partitions, len(r),
				ownBytes(last)/1e6, float64(last.Manifest+last.OCI)/1e3, stats.Quantile(packs, .5)/1e3, stats.Quantile(packs, .95)/1e3,
				stats.Quantile(sent, .5)/1e3, stats.Quantile(sent, .95)/1e3, total(sent)/1e6, pullFixed+1+last.Partitions)
			if e := p.end; e != nil {
				fmt.Printf(" %.2f s | %.1f, %.1f ms | %.2f of %.2f MB |\n", float64(e.FullCPU)/1e3, stats.Quantile(e.Queries[query.RouteLexical], .5), stats.Quantile(e.Queries[query.RouteHybrid], .5), float64(e.Next.Bytes)/1e6, float64(e.Next.Artifact)/1e6)
				if !e.Equal {
					fmt.Printf("UNEQUAL: %s, k = %d: the last index is not that of a compile from nothing\n", repo, p.k)
				}
			} else {
				fmt.Println(" | | |")
			}
		}
	}
	if plots == "" {
		return nil
	}
	return draw(plots, all, repos, long)
}

// longRun is how many transitions a run must have to be drawn by itself.
const longRun = 500

// draw writes the plots.
func draw(dir string, all []*played, repos []string, long []*played) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	distribution := func(title, y string, fs ...func(r row) float64) *plot {
		p := &plot{title: title, x: "share of the commits, %", y: y, logY: true}
		for _, l := range long {
			for i, f := range fs {
				v := slices.Sorted(slices.Values(values(l.rows, f)))
				name := l.repo
				if len(fs) > 1 {
					name += []string{", push", ", next pull"}[i]
				}
				ln := line{name: name}
				for n := range 201 {
					q := float64(n) / 200
					ln.points = append(ln.points, [2]float64{100 * q, stats.Quantile(v, q)})
				}
				p.lines = append(p.lines, ln)
			}
		}
		return p
	}
	growth := &plot{title: "What a registry holds, against every index kept whole", x: "commits", y: "bytes", logY: true}
	for _, l := range long {
		added, whole := line{name: l.repo + ", added"}, line{name: l.repo + ", sum of full indexes"}
		a, w := 0.0, 0.0
		for i, r := range l.rows {
			a, w = a+sentBytes(r), w+ownBytes(r)
			if i%5 == 0 || i == len(l.rows)-1 {
				x := float64(i + 1)
				added.points, whole.points = append(added.points, [2]float64{x, a}), append(whole.points, [2]float64{x, w})
			}
		}
		growth.lines = append(growth.lines, added, whole)
	}
	against := func(title, y string, f func(p *played, rows []row) float64) *plot {
		p := &plot{title: title, x: "partitions", y: y, logX: true}
		for _, repo := range repos {
			rows := common(all, repo)
			ln := line{name: repo, dots: true}
			for _, q := range all {
				if q.repo == repo && len(rows[q]) > 0 {
					if v := f(q, rows[q]); v > 0 {
						ln.points = append(ln.points, [2]float64{float64(rows[q][len(rows[q])-1].Partitions), v})
					}
				}
			}
			if len(ln.points) > 1 {
				slices.SortFunc(ln.points, func(a, b [2]float64) int { return int(a[0] - b[0]) })
				p.lines = append(p.lines, ln)
			}
		}
		return p
	}
	least := func(repo string, f func(rows []row) float64) float64 {
		m := 0.0
		for _, rows := range common(all, repo) {
			if v := f(rows); len(rows) > 0 && (m == 0 || v < m) {
				m = v
			}
		}
		return m
	}
	added := func(rows []row) float64 { return total(values(rows, sentBytes)) }
	own := func(rows []row) float64 {
		if len(rows) == 0 {
			return 0
		}
		return ownBytes(rows[len(rows)-1])
	}
	for name, p := range map[string]*plot{ // each goes to a file of its own
		"bytes":    distribution("Bytes added to the registry by a commit", "bytes", sentBytes),
		"segments": distribution("Segments rebuilt by a commit", "segments", segments),
		"requests": distribution("Requests of a push, and of the pull of the next commit", "requests", requests, pullRequests),
		"growth":   growth,
		"partitions-added": against("All bytes added, by the number of partitions", "times the least", func(p *played, rows []row) float64 {
			return added(rows) / least(p.repo, added)
		}),
		"partitions-index": against("Size of the index, by the number of partitions", "times the least", func(p *played, rows []row) float64 {
			return own(rows) / least(p.repo, own)
		}),
		"partitions-query": against("Processor time of a warm lexical question, by the number of partitions", "ms, median", func(p *played, _ []row) float64 {
			if p.end == nil {
				return 0
			}
			return stats.Quantile(p.end.Queries[query.RouteLexical], .5)
		}),
	} {
		if err := durable.WriteBytes(filepath.Join(dir, name+".svg"), 0o644, p.svg()); err != nil {
			return err
		}
	}
	return nil
}
