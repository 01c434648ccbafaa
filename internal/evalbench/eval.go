package main

import (
	"fmt"
	"sort"
	"strings"

	"github.com/pindex-dev/pindex/query"
)

var queryClasses = []string{"symbol", "prose", "issue"}

// answered is one query with the order that a held-out model gives.
type answered struct {
	m     measure
	l     *list
	files []place
}

// heldOut answers every query of a route by models that have not seen its
// repository.
func heldOut(samples []sample, route string, set settings) (out []answered, ms []measure) {
	for _, class := range queryClasses {
		ls := lists(samples, numFolds, func(s *sample) bool { return s.Route == route && s.Class == class })
		for l, files := range crossValidate(ls, set) {
			if !l.s.Free {
				out = append(out, answered{judge(&l.s.Task, files), l, files})
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].m.Task.ID < out[j].m.Task.ID })
	for i := range out {
		ms = append(ms, out[i].m)
	}
	return out, ms
}

// eval prints the tables of both routes.
func eval(samples []sample, set settings) {
	for _, route := range []string{query.RouteLexical, query.RouteHybrid} {
		var pool []measure
		for _, l := range lists(samples, numFolds, func(s *sample) bool { return s.Route == route && !s.Free }) {
			pool = append(pool, judge(&l.s.Task, order(l, func(i int) float64 {
				if l.gain[i] {
					return 1
				}
				return 0
			})))
		}
		report(route+", candidates in the best order:", pool)
		_, ms := heldOut(samples, route, set)
		report(route+", held out:", ms)
		byLanguage(route, ms)
		placeTable(samples, route, set)
	}
}

func byLanguage(route string, ms []measure) {
	by := map[string][]measure{}
	for i := range ms {
		if ms[i].Task.Set == "semble" {
			by[ms[i].Task.Language] = append(by[ms[i].Task.Language], ms[i])
		}
	}
	var names []string
	for n := range by {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		fmt.Printf("%s, semble, %s: %v\n", route, n, mean(by[n], func(m *measure) float64 { return m.NDCG }))
	}
}

// groups are the features that ablate leaves out together.
var groups = []struct {
	name     string
	features []string
}{
	{"path words", []string{"file name", "terms in the file name", "whole file name", "file name, beginning", "folder name", "terms in folder names", "terms in the path", "file name, both ways", "path, both ways"}},
	{"declared names", []string{"terms in names", "terms in one unit's names", "identifiers in names", "declared name", "whole name", "declared names", "declared name, all of it", "exact symbol"}},
	{"vectors", []string{"best semantic", "semantic of its file", "cosine", "fused", "semantic rank", "first line, semantic", "first line, cosine"}},
	{"first line", []string{"terms of the first line", "first line, lexical", "first line, semantic", "first line, cosine"}},
	{"literal mentions", []string{"named in the query", "names in the query", "path in the query", "frame of the traceback"}},
	{"coverage", []string{"terms in its file", "terms in one unit", "terms in its file, relative", "identifiers in its file", "terms in signatures", "terms in documentation"}},
	{"kinds of files", []string{"test", "example", "vendored", "generated", "minified", "docs", "data", "declaration stub", "build", "legacy", "mirror of another", "facade"}},
	{"size and depth", []string{"depth", "size", "no declarations"}},
	{"folder mates and imports", []string{"folder", "imported", "imported by the best"}},
	{"imported by the best", []string{"imported by the best"}},
}

// ablate prints what held-out models reach without each group of features.
func ablate(samples []sample, set settings) {
	_, ms := heldOut(samples, query.RouteHybrid, set)
	report("all:", ms)
	names := query.FeatureNames()
	for _, g := range groups {
		set.off = map[int]bool{}
		for i, n := range names {
			for _, f := range g.features {
				if f == n {
					set.off[i] = true
				}
			}
		}
		_, ms := heldOut(samples, query.RouteHybrid, set)
		report("without "+g.name+":", ms)
	}
	set.off, set.unplaced = nil, true
	_, ms = heldOut(samples, query.RouteHybrid, set)
	report("without the second order:", ms)
	set.trees = true
	_, ms = heldOut(samples, query.RouteHybrid, set)
	report("with trees behind the sum:", ms)
}

// worst prints the queries that held-out models answer worst.
func worst(samples []sample, set settings, n int) {
	all, _ := heldOut(samples, query.RouteHybrid, set)
	value := func(m *measure) float64 {
		if m.Task.Set == "semble" {
			return m.NDCG
		}
		return m.R10
	}
	sort.SliceStable(all, func(i, j int) bool { return value(&all[i].m) < value(&all[j].m) })
	for _, a := range all[:min(n, len(all))] {
		t := a.m.Task
		text, _, _ := strings.Cut(t.Query, "\n")
		fmt.Printf("%.2f %s %q\n", value(&a.m), t.ID, text[:min(len(text), 100)])
		for r, p := range a.files {
			if r < 2 || t.wanted(p.Path) {
				mark := " "
				if t.wanted(p.Path) {
					mark = "*"
				}
				fmt.Printf("   %s %3d %s\n", mark, r+1, p.Path)
			}
		}
	}
}

// placeTable tries how soon further units of a file come, on localisation.
func placeTable(samples []sample, route string, set settings) {
	ul := unitLists(samples, func(s *sample) bool { return s.Route == route })
	if len(ul) == 0 {
		return
	}
	byFold := map[int][]float64{}
	top, n := 0.0, 0.0
	for f := range numFolds {
		var train []*list
		for _, l := range ul {
			if l.fold != f {
				train = append(train, l)
			}
		}
		byFold[f] = fitLinear(train, unitPrior(), 2e-3, 12, nil)
	}
	for _, l := range ul {
		if l.good == 0 {
			continue
		}
		best, at := -1e18, -1
		for i, x := range l.x {
			var v float64
			for j, w := range byFold[l.fold] {
				v += w * float64(x[j])
			}
			if v > best {
				best, at = v, i
			}
		}
		n++
		if l.gain[at] {
			top++
		}
	}
	fmt.Printf("%s first unit of a wanted file touches a change: %.3f of %.0f\n", route, top/n, n)
	for _, class := range []string{"prose", "issue"} {
		ls := lists(samples, numFolds, func(s *sample) bool { return s.Route == route && s.Class == class })
		models := map[int]*trained{}
		for f := range numFolds {
			var train []*list
			for _, l := range ls {
				if l.fold != f {
					train = append(train, l)
				}
			}
			models[f] = fit(train, len(query.FeatureNames()), set, nil)
		}
		for _, again := range []float64{0.001, 0.3, 0.5, 0.7, 0.8, 0.9} {
			var ms []measure
			for _, l := range ls {
				if l.s.Task.Set != "loc" || len(l.s.Files) == 0 {
					continue
				}
				files := models[l.fold].ranked(l)
				w := byFold[l.fold]
				units := func(file int) []int {
					us := l.s.Files[file].Units
					sc := make([]float64, len(us))
					idx := make([]int, len(us))
					for k := range us {
						idx[k] = k
						for j, v := range us[k].Features {
							sc[k] += w[j] * float64(v) / 1000
						}
					}
					sort.SliceStable(idx, func(a, b int) bool { return sc[idx[a]] > sc[idx[b]] })
					return idx
				}
				m := measure{Task: &l.s.Task}
				m.U10 = touched(&l.s.Task, mix(l.s, files, units, again, 1, 10))
				ms = append(ms, m)
			}
			fmt.Printf("%s %s again %.3f U@10 %v\n", route, class, again, mean(ms, func(m *measure) float64 { return m.U10 }))
		}
	}
}
