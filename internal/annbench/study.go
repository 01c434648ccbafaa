package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/pindex-dev/pindex/internal/stats"
)

// sizes of the lists of the best that are compared: what a user sees, and what
// a query takes from its semantic route before ranking.
var sizes = []int{10, 250}

// settings say what study measures.
type settings struct {
	only   []string      // flat, halves, lists, graph
	lists  int           // 0 for √n
	budget time.Duration // processor time after which a graph is given up
	steady time.Duration // processor time that each figure is taken from, at least
}

// study prints a row for each structure and setting.
func study(out io.Writer, set, asked vectors, o settings) error {
	f := newFlat(set)
	want := make([][]hit, asked.len())
	for i := range want {
		want[i] = slices.Clone(f.search(asked.row(i), slices.Max(sizes)))
	}
	for _, name := range o.only {
		if !slices.Contains([]string{"flat", "halves", "lists", "graph"}, name) {
			return fmt.Errorf("there is no structure %q", name)
		}
	}
	exact := measured(asked, o.steady, func(q []int8) []hit { return f.search(q, sizes[0]) })
	r := &report{out: out, asked: asked, want: want, flat: exact, steady: o.steady}
	fmt.Fprintf(out, "%d vectors, %d questions\n", set.len(), asked.len())
	fmt.Fprintln(out, "| structure | overlap of 10 | of 250 | per search | for 250 | build | bytes | pays after |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|")
	if slices.Contains(o.only, "flat") {
		r.row("flat", f.search, 0, f.bytes())
	}
	if slices.Contains(o.only, "halves") {
		begun := stats.CPU()
		h := newHalves(set)
		r.row("flat, in two halves", h.search, stats.CPU()-begun, h.bytes())
	}
	if slices.Contains(o.only, "lists") {
		begun := stats.CPU()
		l := newLists(set, o.lists)
		build := stats.CPU() - begun
		for p := 1; p <= min(256, l.centres.len()); p *= 2 {
			r.row(fmt.Sprintf("lists, %d of %d", p, l.centres.len()), func(q []int8, k int) []hit { return l.search(q, k, p) }, build, l.bytes())
		}
	}
	if slices.Contains(o.only, "graph") {
		before := heap()
		begun := stats.CPU()
		g, n := newGraph(set, o.budget)
		build := stats.CPU() - begun
		size := heap() - before
		if n < set.len() {
			fmt.Fprintf(out, "graph: %d of %d vectors in %v of processor time, %d MB, and given up\n", n, set.len(), build.Round(time.Second), size>>20)
		} else {
			for _, w := range []int{10, 50, 100, 200, 400, 800, 1600} {
				r.row(fmt.Sprintf("graph, %d answers", w), func(q []int8, k int) []hit { return g.search(q, k, w) }, build, int(size)+len(set))
			}
		}
		runtime.KeepAlive(g)
	}
	fmt.Fprintf(out, "peak of resident memory %d MB\n", peak()>>20)
	return nil
}

// heap is what lives on the heap.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// measured is the processor time of one search: the least mean of several
// passes over the questions.
func measured(asked vectors, steady time.Duration, search func(q []int8) []hit) time.Duration {
	var least, all time.Duration
	for pass := 0; pass < 3 || all < steady && pass < 50; pass++ {
		begun := stats.CPU()
		for i := range asked.len() {
			search(asked.row(i))
		}
		took := stats.CPU() - begun
		all += took
		if pass == 0 || took < least {
			least = took
		}
	}
	return least / time.Duration(asked.len())
}

// report writes rows, relative to the flat scan.
type report struct {
	out          io.Writer
	asked        vectors
	want         [][]hit
	flat, steady time.Duration
}

func (r *report) row(name string, search func(q []int8, k int) []hit, build time.Duration, bytes int) {
	var share [2]float64
	var took [2]time.Duration
	for s, k := range sizes {
		n, of := 0, 0
		for i, want := range r.want {
			want = want[:min(k, len(want))]
			n += overlap(search(r.asked.row(i), k), want)
			of += len(want)
		}
		share[s] = float64(n) / float64(of)
		took[s] = measured(r.asked, r.steady, func(q []int8) []hit { return search(q, k) })
	}
	fmt.Fprintf(r.out, "| %s | %.3f | %.3f | %v | %v | %v | %d | %s |\n", name, share[0], share[1],
		took[0].Round(time.Microsecond), took[1].Round(time.Microsecond), build.Round(10*time.Millisecond), bytes, even(build, r.flat, took[0]))
}

// even is after how many searches a build is paid by what each saves.
func even(build, flat, took time.Duration) string {
	switch {
	case build == 0:
		return "–"
	case took >= flat:
		return "never"
	}
	return fmt.Sprint(int64((build + flat - took - 1) / (flat - took)))
}
