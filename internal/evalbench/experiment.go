package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/pindex-dev/pindex/internal/stats"
	"github.com/pindex-dev/pindex/query"
)

// weights are what is tried for query.Weights.Links, in thousandths.
var weights = []int64{0, 250, 500, 1000, 1500, 2000, 3000, 4000, 6000}

// paired is one query under two orders.
type paired struct {
	t             *task
	before, after measure
}

// experiment compares the structural route with the route that its seeds come
// from, on the same index and with as many candidates: what the edges of the
// first ten units change. The weight of edges is the one that is best on the
// repositories of the other folds.
func experiment(samples []sample, set settings) {
	var use []*sample
	for i := range samples {
		if s := &samples[i]; s.Route == query.RouteStructural && !s.Free {
			use = append(use, s)
		}
	}
	seeds := func(s *sample) []place {
		var out []place
		for _, p := range s.Seeded {
			out = append(out, place{Path: p, Start: unitOf(s, p).Start, End: unitOf(s, p).End})
		}
		return out
	}
	var all []paired
	for f := range numFolds {
		best, most := int64(0), -1.0
		for _, w := range weights {
			var ms []measure
			for _, s := range use {
				if foldOf(s.Task.Mirror, numFolds) != f && s.Task.Set == "loc" {
					ms = append(ms, judge(&s.Task, withLinks(s, w)))
				}
			}
			if v := mean(ms, func(m *measure) float64 { return m.S10 }).Query; v > most {
				best, most = w, v
			}
		}
		fmt.Printf("fold %d: weight %d of the other folds\n", f, best)
		for _, s := range use {
			if foldOf(s.Task.Mirror, numFolds) == f {
				all = append(all, paired{&s.Task, judge(&s.Task, seeds(s)), judge(&s.Task, withLinks(s, best))})
			}
		}
	}
	pairs("structural against its seeds", all)
	for _, w := range weights {
		var ps []paired
		for _, s := range use {
			ps = append(ps, paired{&s.Task, judge(&s.Task, withLinks(s, 0)), judge(&s.Task, withLinks(s, w))})
		}
		pairs(fmt.Sprintf("in sample, weight %d against 0", w), ps)
	}

	// The same edges as one more feature of the hybrid route's learned ranker.
	var hybrid []paired
	_, without := heldOut(samples, query.RouteHybrid, set)
	linked := slices.Clone(samples)
	for i := range linked {
		linked[i].Files = slices.Clone(linked[i].Files)
		for k := range linked[i].Files {
			f := &linked[i].Files[k]
			f.Features = append(slices.Clip(slices.Clone(f.Features)), int32(f.Links))
		}
	}
	_, with := heldOut(linked, query.RouteHybrid, set)
	for i := range without {
		hybrid = append(hybrid, paired{without[i].Task, without[i], with[i]})
	}
	pairs("hybrid with links as a feature, held out", hybrid)
}

func unitOf(s *sample, path string) query.StudiedUnit {
	for i := range s.Files {
		if s.Files[i].Path == path && len(s.Files[i].Units) > 0 {
			return s.Files[i].Units[0]
		}
	}
	return query.StudiedUnit{}
}

// withLinks orders a sample's files with a weight of links.
func withLinks(s *sample, w int64) []place {
	idx := make([]int, len(s.Files))
	for i := range idx {
		idx[i] = i
	}
	score := func(i int) int64 { return s.Files[i].Score + w*s.Files[i].Links/1000 }
	slices.SortStableFunc(idx, func(a, b int) int {
		return cmp.Or(cmp.Compare(score(b), score(a)), cmp.Compare(s.Files[a].Path, s.Files[b].Path))
	})
	out := make([]place, len(idx))
	for r, i := range idx {
		out[r] = place{Path: s.Files[i].Path}
		if us := s.Files[i].Units; len(us) > 0 {
			out[r].Start, out[r].End = us[0].Start, us[0].End
		}
	}
	return out
}

// pairs prints how a number changes, with an interval by drawing repositories.
func pairs(title string, ps []paired) {
	for _, c := range []struct {
		name string
		keep func(*task) bool
		of   func(*measure) float64
	}{
		{"loc S@10", func(t *task) bool { return t.Set == "loc" }, func(m *measure) float64 { return m.S10 }},
		{"swebench S@10", func(t *task) bool { return t.Category == "swebench" }, func(m *measure) float64 { return m.S10 }},
		{"git S@10", func(t *task) bool { return t.Category == "git" }, func(m *measure) float64 { return m.S10 }},
		{"loc R@10", func(t *task) bool { return t.Set == "loc" }, func(m *measure) float64 { return m.R10 }},
		{"loc R@1", func(t *task) bool { return t.Set == "loc" }, func(m *measure) float64 { return m.R1 }},
		{"semble NDCG@10", func(t *task) bool { return t.Set == "semble" }, func(m *measure) float64 { return m.NDCG }},
	} {
		by := map[string][][2]float64{}
		n, better, worse := 0, 0, 0
		var before, after float64
		for i := range ps {
			if !c.keep(ps[i].t) {
				continue
			}
			a, b := c.of(&ps[i].before), c.of(&ps[i].after)
			by[ps[i].t.Repo] = append(by[ps[i].t.Repo], [2]float64{a, b})
			n++
			before, after = before+a, after+b
			switch {
			case b > a:
				better++
			case b < a:
				worse++
			}
		}
		if n == 0 {
			continue
		}
		names := make([]string, 0, len(by))
		for r := range by {
			names = append(names, r)
		}
		sort.Strings(names)
		macro := 0.0
		for _, r := range names {
			var d float64
			for _, v := range by[r] {
				d += v[1] - v[0]
			}
			macro += d / float64(len(by[r])) / float64(len(names))
		}
		low, high := stats.Interval(stats.Bootstrap(len(names), rand.New(rand.NewPCG(3, 4)), func(drawn []int) (float64, bool) {
			var d float64
			k := 0
			for _, i := range drawn {
				for _, v := range by[names[i]] {
					d += v[1] - v[0]
					k++
				}
			}
			return d / float64(k), true
		}))
		fmt.Printf("%s: %s %.4f -> %.4f, change %+.4f [%+.4f, %+.4f] by query, %+.4f by repository, %d better, %d worse, of %d in %d, resolution %.4f\n",
			title, c.name, before/float64(n), after/float64(n), (after-before)/float64(n), low, high, macro, better, worse, n, len(names), 1/float64(n))
	}
}
