package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/pindex-dev/pindex/internal/stats"
)

// measure is what one query scored.
type measure struct {
	Task *task
	NDCG float64 // semble: NDCG@10
	R1   float64 // loc: share of the wanted files among the first
	R10  float64
	R20  float64
	S10  float64
	U10  float64 // share of the changed runs that the first ten units touch; NaN where there are none
	UTop float64
}

// ranked is a result list: files in order, each with its best unit's lines.
type place struct {
	Path       string
	Start, End int
}

// judge scores a result list of one place a file.
func judge(t *task, files []place) measure {
	m := measure{Task: t, U10: math.NaN()}
	if t.Set == "semble" {
		gains := map[int]bool{}
		for i := range t.Targets {
			for r, f := range files[:min(10, len(files))] {
				if t.Targets[i].overlaps(f.Path, f.Start, f.End) {
					gains[r] = true
					break
				}
			}
		}
		var got, ideal float64
		for r := range 10 {
			if gains[r] {
				got += 1 / math.Log2(float64(r)+2)
			}
		}
		for r := range min(10, len(t.Targets)) {
			ideal += 1 / math.Log2(float64(r)+2)
		}
		if ideal > 0 {
			m.NDCG = got / ideal
		}
		return m
	}
	for r, f := range files {
		if slices.Contains(t.Files, f.Path) {
			v := 1 / float64(len(t.Files))
			if r < 1 {
				m.R1 += v
			}
			if r < 10 {
				m.R10 += v
			}
			if r < 20 {
				m.R20 += v
			}
		}
	}
	if m.R10 > 0.999 {
		m.S10 = 1
	}
	return m
}

// touched is the share of the changed runs that one of the units touches.
func touched(t *task, units []place) float64 {
	if len(t.Targets) == 0 {
		return math.NaN()
	}
	n := 0
	for i := range t.Targets {
		for _, u := range units {
			if t.Targets[i].Path == u.Path && t.Targets[i].overlaps(u.Path, u.Start, u.End) {
				n++
				break
			}
		}
	}
	return float64(n) / float64(len(t.Targets))
}

// stat is a mean over repositories of the mean over queries, the plain mean,
// and the interval of the former.
type stat struct {
	Repo, Query float64
	Low, High   float64
	N, Repos    int
}

// mean averages a number over measures; NaN does not count.
func mean(ms []measure, of func(*measure) float64) stat {
	repos, values := make([]string, len(ms)), make([]float64, len(ms))
	for i := range ms {
		repos[i], values[i] = ms[i].Task.Repo, of(&ms[i])
	}
	return meanOf(repos, values)
}

// meanOf averages values that belong to repositories; NaN does not count.
func meanOf(repos []string, values []float64) stat {
	by := map[string][]float64{}
	var s stat
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		by[repos[i]] = append(by[repos[i]], v)
		s.Query += v
		s.N++
	}
	if s.N == 0 {
		return s
	}
	s.Query /= float64(s.N)
	names := make([]string, 0, len(by))
	for n := range by {
		names = append(names, n)
	}
	sort.Strings(names)
	var per []float64
	for _, n := range names {
		var sum float64
		for _, v := range by[n] {
			sum += v
		}
		per = append(per, sum/float64(len(by[n])))
	}
	s.Repo, s.Repos = stats.Mean(per), len(per)
	s.Low, s.High = stats.Interval(stats.Bootstrap(len(per), rand.New(rand.NewPCG(1, 2)), func(drawn []int) (float64, bool) {
		var sum float64
		for _, i := range drawn {
			sum += per[i]
		}
		return sum / float64(len(per)), true
	}))
	return s
}
