package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// contest is what several programs scored on the same queries.
type contest struct {
	score func(*measure) float64
	names []string
	by    map[string]map[string]measure // program and query
}

func (c *contest) add(name string, ms []measure) {
	if c.by == nil {
		c.by = map[string]map[string]measure{}
	}
	if c.by[name] == nil {
		c.names = append(c.names, name)
		c.by[name] = map[string]measure{}
	}
	for _, m := range ms {
		c.by[name][m.Task.ID] = m
	}
}

// common are the queries that every program answered, by id.
func (c *contest) common() (out []*task) {
	for _, id := range slices.Sorted(maps.Keys(c.by[c.names[0]])) {
		all := true
		for _, n := range c.names {
			_, ok := c.by[n][id]
			all = all && ok
		}
		if all {
			out = append(out, c.by[c.names[0]][id].Task)
		}
	}
	return out
}

// scoreOf is the first score of a query: NDCG@10, or Recall@10 of an issue.
func scoreOf(m *measure) float64 {
	if m.Task.Set == "semble" {
		return m.NDCG
	}
	return m.R10
}

// of are the scores of one program on some tasks.
func (c *contest) of(name string, ts []*task) (repos []string, values []float64) {
	for _, t := range ts {
		m := c.by[name][t.ID]
		repos, values = append(repos, t.Repo), append(values, c.score(&m))
	}
	return repos, values
}

// print writes the tables, in Markdown.
func (c *contest) print() {
	all := c.common()
	columns := strings.Repeat("---|", len(c.names))
	fmt.Printf("\n| queries | n | repositories | %s |\n|---|---|---|%s\n", strings.Join(c.names, " | "), columns)
	line := func(name string, ts []*task) {
		if len(ts) == 0 {
			return
		}
		cells := make([]string, len(c.names))
		var s stat
		for i, n := range c.names {
			s = meanOf(c.of(n, ts))
			cells[i] = fmt.Sprintf("%.3f", s.Repo)
			if name == "all" {
				cells[i] += fmt.Sprintf(" (%.3f to %.3f)", s.Low, s.High)
			}
		}
		fmt.Printf("| %s | %d | %d | %s |\n", name, s.N, s.Repos, strings.Join(cells, " | "))
	}
	pick := func(f func(*task) string) {
		by := map[string][]*task{}
		for _, t := range all {
			by[f(t)] = append(by[f(t)], t)
		}
		for _, k := range slices.Sorted(maps.Keys(by)) {
			line(k, by[k])
		}
	}
	line("all", all)
	// A peer that cannot read a language finds nothing there.
	by := map[string][]*task{}
	for _, t := range all {
		by[t.Repo] = append(by[t.Repo], t)
	}
	var answered []*task
	for _, t := range all {
		if !slices.ContainsFunc(c.names, func(n string) bool { return meanOf(c.of(n, by[t.Repo])).Query == 0 }) {
			answered = append(answered, t)
		}
	}
	if len(answered) < len(all) {
		line("repositories in which each scores", answered)
	}
	pick(func(t *task) string { return t.Category })
	pick(func(t *task) string { return t.Language })
	fmt.Printf("\n| repository | language | n | %s |\n|---|---|---|%s\n", strings.Join(c.names, " | "), columns)
	for _, r := range slices.Sorted(maps.Keys(by)) {
		cells := make([]string, len(c.names))
		for i, n := range c.names {
			cells[i] = fmt.Sprintf("%.3f", meanOf(c.of(n, by[r])).Repo)
		}
		fmt.Printf("| %s | %s | %d | %s |\n", r, by[r][0].Language, len(by[r]), strings.Join(cells, " | "))
	}
}

// paired prints how one program's score differs from another's, query by query.
func (c *contest) paired(name, from string) {
	all := c.common()
	repos, to := c.of(name, all)
	_, was := c.of(from, all)
	change := make([]float64, len(to))
	var better, worse int
	for i := range to {
		change[i] = to[i] - was[i]
		if change[i] > 0 {
			better++
		} else if change[i] < 0 {
			worse++
		}
	}
	s := meanOf(repos, change)
	fmt.Printf("%s against %s, paired: %+.3f (%+.3f to %+.3f), by query %+.3f, better on %d, worse on %d of %d\n",
		name, from, s.Repo, s.Low, s.High, s.Query, better, worse, s.N)
}
