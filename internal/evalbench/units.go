package main

import (
	"math"
	"sort"
)

// unitLists are the units of wanted files; good are those that touch a changed
// run.
func unitLists(samples []sample, keep func(*sample) bool) []*list {
	var of []*sample
	for i := range samples {
		if keep(&samples[i]) {
			of = append(of, &samples[i])
		}
	}
	return unitsIn(of)
}

// unitsOf are the same of the samples of lists.
func unitsOf(ls []*list) []*list {
	of := make([]*sample, len(ls))
	for i, l := range ls {
		of[i] = l.s
	}
	return unitsIn(of)
}

func fitUnits(ls []*list, set settings) []float64 {
	return fitLinear(ls, unitPrior(), set.l2, set.steps, set.unitsOff)
}

func unitsIn(samples []*sample) []*list {
	perRepo := map[string]float64{}
	var out []*list
	for _, s := range samples {
		if s.Task.Set != "loc" {
			continue
		}
		for k := range s.Files {
			f := &s.Files[k]
			if !s.Task.wanted(f.Path) || len(f.Units) < 2 || len(f.Units[0].Features) == 0 {
				continue
			}
			l := &list{s: s, fold: foldOf(s.Task.Mirror, numFolds)}
			for _, u := range f.Units {
				x := make([]float32, len(u.Features))
				for j, v := range u.Features {
					x[j] = float32(v) / 1000
				}
				g := touched(&task{Targets: onlyOf(s.Task.Targets, f.Path)}, []place{{f.Path, u.Start, u.End}}) > 0
				if g {
					l.good++
				}
				l.x = append(l.x, x)
				l.gain = append(l.gain, g)
			}
			l.near(unitPrior())
			perRepo[s.Task.Mirror]++
			out = append(out, l)
		}
	}
	for _, l := range out {
		l.weight = 1 / math.Sqrt(perRepo[l.s.Task.Mirror])
	}
	return out
}

func onlyOf(ts []target, path string) (out []target) {
	for _, t := range ts {
		if t.Path == path {
			out = append(out, t)
		}
	}
	return out
}

// scored is a file with its score and its units in order.
type scored struct {
	file  int
	score float64
}

// mix lays out units: further units of a file get again times what the one
// before got.
func mix(s *sample, files []scored, units func(file int) []int, again, scale float64, n int) []place {
	type item struct {
		p place
		v float64
	}
	var items []item
	for i, f := range files {
		if i >= 20 {
			break
		}
		v := scale / (scale + files[0].score - f.score)
		for _, u := range units(f.file) {
			x := &s.Files[f.file].Units[u]
			items = append(items, item{place{s.Files[f.file].Path, x.Start, x.End}, v})
			v *= again
		}
	}
	sort.SliceStable(items, func(a, b int) bool { return items[a].v > items[b].v })
	var out []place
	for _, it := range items[:min(n, len(items))] {
		out = append(out, it.p)
	}
	return out
}
