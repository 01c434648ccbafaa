package main

import (
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"slices"
)

// gathered is what `evalbench vectors` writes of one commit.
type gathered struct {
	Commit string
	Dims   int
	Rows   []int8
	Files  []int32 // the file of each row
	Asked  []asked
}

// asked is one question with the numbers of the files that a good answer names;
// -1 stands for one that is not in the index.
type asked struct {
	ID, Set, Repo string
	Query         []int8
	Gold          []int32
}

// wanted counts, for one structure, how often a wanted file is among those of
// the best 10 and 100 vectors.
type wanted struct {
	name  string
	n     int
	found [2]int
	lost  [2]int // found by the flat scan, not here
	won   [2]int
	same  int // of the best ten
	of    int
}

var depths = [2]int{10, 100}

// gold prints the shares for each set, of all indexes and of those small enough
// for a graph.
func gold(out io.Writer, files []string, most int) error {
	type key struct {
		set   string
		small bool
	}
	tables := map[key][]*wanted{}
	repos := map[key]map[string]bool{}
	rows := map[key][]int{}
	var order []key
	for _, name := range files {
		g, err := readGathered(name)
		if err != nil {
			return err
		}
		set := vectors(g.Rows)
		f, l := newFlat(set), newLists(set, 0)
		kinds := []struct {
			name   string
			search func(q []int8, k int) []hit
		}{{"flat", f.search}}
		for _, p := range []int{1, 4, 8, 16} {
			kinds = append(kinds, struct {
				name   string
				search func(q []int8, k int) []hit
			}{fmt.Sprintf("lists, %d of √n", p), func(q []int8, k int) []hit { return l.search(q, k, p) }})
		}
		plain := len(kinds)
		if set.len() <= most {
			gr, _ := newGraph(set, 1<<62)
			for _, w := range []int{100, 400} {
				kinds = append(kinds, struct {
					name   string
					search func(q []int8, k int) []hit
				}{fmt.Sprintf("graph, %d answers", w), func(q []int8, k int) []hit { return gr.search(q, k, w) }})
			}
		}
		for _, a := range g.Asked {
			exact := slices.Clone(f.search(a.Query, depths[1]))
			into := []key{{a.Set, false}}
			if len(kinds) > plain {
				into = append(into, key{a.Set, true})
			}
			for _, k := range into {
				if tables[k] == nil {
					order = append(order, k)
					repos[k] = map[string]bool{}
				}
				repos[k][a.Repo] = true
				rows[k] = append(rows[k], set.len())
				of := kinds
				if !k.small {
					of = kinds[:plain]
				}
				for i, kind := range of {
					if len(tables[k]) == i {
						tables[k] = append(tables[k], &wanted{name: kind.name})
					}
					tables[k][i].count(&a, g.Files, kind.search(a.Query, depths[1]), exact)
				}
			}
		}
	}
	slices.SortStableFunc(order, func(a, b key) int {
		switch {
		case a.small == b.small:
			return 0
		case b.small:
			return -1
		}
		return 1
	})
	for _, k := range order {
		of := "all indexes"
		if k.small {
			of = fmt.Sprintf("indexes of at most %d vectors", most)
		}
		slices.Sort(rows[k])
		fmt.Fprintf(out, "\n%s, %s: %d questions, %d repositories, %d to %d vectors, median %d\n", k.set, of,
			tables[k][0].n, len(repos[k]), rows[k][0], rows[k][len(rows[k])-1], rows[k][len(rows[k])/2])
		fmt.Fprintln(out, "| structure | overlap of 10 | wanted file in 10 | lost, won | in 100 | lost, won |")
		fmt.Fprintln(out, "|---|---|---|---|---|---|")
		for _, w := range tables[k] {
			fmt.Fprintf(out, "| %s | %.3f | %.3f | %d, %d | %.3f | %d, %d |\n", w.name, float64(w.same)/float64(max(1, w.of)),
				float64(w.found[0])/float64(w.n), w.lost[0], w.won[0], float64(w.found[1])/float64(w.n), w.lost[1], w.won[1])
		}
	}
	return nil
}

// count adds one question's answer. Both lists have depths[1] hits, or all
// that there are.
func (w *wanted) count(a *asked, files []int32, got, exact []hit) {
	w.n++
	for i, k := range depths {
		here, there := among(a.Gold, files, got, k), among(a.Gold, files, exact, k)
		switch {
		case here && !there:
			w.won[i]++
		case there && !here:
			w.lost[i]++
		}
		if here {
			w.found[i]++
		}
	}
	want := exact[:min(depths[0], len(exact))]
	w.same += overlap(got[:min(depths[0], len(got))], want)
	w.of += len(want)
}

// among reports whether one of the first k hits lies in a wanted file.
func among(gold, files []int32, hits []hit, k int) bool {
	return slices.ContainsFunc(hits[:min(k, len(hits))], func(h hit) bool { return slices.Contains(gold, files[h.id]) })
}

func readGathered(name string) (*gathered, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var g gathered
	if err := gob.NewDecoder(f).Decode(&g); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if g.Dims != dims || len(g.Rows) != dims*len(g.Files) || len(g.Rows) == 0 {
		return nil, fmt.Errorf("%s has no vectors of %d dimensions, each of a file", name, dims)
	}
	for _, a := range g.Asked {
		if len(a.Query) != dims {
			return nil, fmt.Errorf("%s: the question %s has %d dimensions", name, a.ID, len(a.Query))
		}
	}
	return &g, nil
}
