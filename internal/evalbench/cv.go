package main

import (
	"fmt"

	"github.com/pindex-dev/pindex/query"
)

// settings are how a model is trained and checked.
type settings struct {
	folds         int
	l2            float64 // pull towards the prior
	l2Issue       float64 // the same where the questions are issues
	steps         int     // epochs
	trees         bool    // small trees behind the sum
	boost         boost
	off, unitsOff map[int]bool // features that are left out
	unplaced      bool         // the first files are not put in order once more
}

// numFolds is the number of parts that the repositories are divided into.
const numFolds = 5

// standard are the settings that the built-in models are trained with.
func standard() settings {
	return settings{folds: numFolds, l2: 3e-4, l2Issue: 1e-3, steps: 20, boost: boost{Trees: 25, Depth: 3, Rate: 0.1, MinLeaf: 1.5, L2: 4}}
}

// crossValidate returns each list's order under a model that has not seen its
// repository.
func crossValidate(ls []*list, set settings) map[*list][]place {
	nf := featuresOf(ls)
	out := map[*list][]place{}
	type result struct {
		l *list
		p []place
	}
	ch := make(chan []result)
	sem := make(chan bool, 2)
	for f := range set.folds {
		go func() {
			sem <- true
			defer func() { <-sem }()
			var train, test []*list
			for _, l := range ls {
				if l.fold == f {
					test = append(test, l)
				} else {
					train = append(train, l)
				}
			}
			var rs []result
			if len(test) > 0 {
				m := fit(train, nf, set, nil)
				for _, l := range test {
					rs = append(rs, result{l, placesOf(l.s, m.ranked(l))})
				}
			}
			ch <- rs
		}()
	}
	for range set.folds {
		for _, r := range <-ch {
			out[r.l] = r.p
		}
	}
	return out
}

// priorOf is the prior of nf features; it knows nothing of those behind the
// ranker's own.
func priorOf(nf int) []float64 {
	p := prior()
	return append(p, make([]float64, nf-len(p))...)
}

// fit trains a model. That of issues on the hybrid route sees units by the given weights or, where
// they are nil, by those that it trains itself.
func fit(train []*list, nf int, set settings, units []float64) *trained {
	l2 := set.l2
	if len(train) > 0 && train[0].s.Class == "issue" {
		l2 = set.l2Issue
	}
	m := &trained{linear: fitLinear(train, priorOf(nf), l2, set.steps, set.off)}
	if set.trees {
		m.trees = fitTrees(train, m.linear, nf, set.boost, set.off)
	}
	if !set.unplaced && !set.trees && len(train) > 0 && train[0].s.Class == "issue" && train[0].s.Route == query.RouteHybrid {
		if units == nil {
			units = fitUnits(unitsOf(train), set)
		}
		m.place(train, units, set, l2)
	}
	return m
}

func (s stat) String() string {
	return fmt.Sprintf("%.4f [%.3f, %.3f] query %.4f (%d in %d)", s.Repo, s.Low, s.High, s.Query, s.N, s.Repos)
}

// report prints the tables of a set of measures.
func report(title string, ms []measure) {
	pick := func(f func(*measure) bool) (out []measure) {
		for i := range ms {
			if f(&ms[i]) {
				out = append(out, ms[i])
			}
		}
		return out
	}
	semble := pick(func(m *measure) bool { return m.Task.Set == "semble" })
	if len(semble) > 0 {
		fmt.Printf("%s semble NDCG@10 %v", title, mean(semble, func(m *measure) float64 { return m.NDCG }))
		for _, c := range []string{"symbol", "semantic", "architecture"} {
			s := mean(pick(func(m *measure) bool { return m.Task.Set == "semble" && m.Task.Category == c }), func(m *measure) float64 { return m.NDCG })
			fmt.Printf(" | %s %.4f/%.4f", c, s.Repo, s.Query)
		}
		fmt.Println()
	}
	for _, c := range []string{"swebench", "git"} {
		loc := pick(func(m *measure) bool { return m.Task.Set == "loc" && m.Task.Category == c })
		if len(loc) == 0 {
			continue
		}
		r10, r1 := mean(loc, func(m *measure) float64 { return m.R10 }), mean(loc, func(m *measure) float64 { return m.R1 })
		fmt.Printf("%s %s R@10 %v | R@1 %.4f/%.4f", title, c, r10, r1.Repo, r1.Query)
		un := mean(pick(func(m *measure) bool { return m.Task.Set == "loc" && m.Task.Category == c && !m.Task.Named }), func(m *measure) float64 { return m.R10 })
		r20 := mean(loc, func(m *measure) float64 { return m.R20 })
		fmt.Printf(" | unnamed %.4f/%.4f | R@20 %.4f/%.4f\n", un.Repo, un.Query, r20.Repo, r20.Query)
	}
}
