package main

import (
	"encoding/gob"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/embed"
)

// clouds makes n vectors around so many directions.
func clouds(n, around int, seed uint64) vectors {
	r := rand.New(rand.NewPCG(seed, 7))
	centres := make([][dims]float64, around)
	for i := range centres {
		for d := range dims {
			centres[i][d] = r.NormFloat64()
		}
	}
	var out vectors
	for range n {
		c := &centres[r.IntN(around)]
		var v [dims]float64
		sq := 0.0
		for d := range dims {
			v[d] = c[d] + r.NormFloat64()
			sq += v[d] * v[d]
		}
		for d := range dims {
			out = append(out, int8(math.Round(max(-127, min(127, v[d]*embed.Norm/math.Sqrt(sq))))))
		}
	}
	return out
}

// sorted is the plain way to the k best.
func sorted(set vectors, q []int8, k int) []hit {
	var out []hit
	for i := range set.len() {
		out = append(out, hit{embed.Dot(q, set.row(i)), int32(i)})
	}
	slices.SortFunc(out, func(a, b hit) int {
		if a.score != b.score {
			return int(b.score - a.score)
		}
		return int(a.id - b.id)
	})
	return out[:min(k, len(out))]
}

func TestFlatFindsTheBest(t *testing.T) {
	set := clouds(700, 9, 1)
	set = append(set, set[:100*dims]...) // ties
	for len(set) < 3*block*dims {
		set = append(set, set...)
	}
	f, h := newFlat(set), newHalves(set)
	for _, k := range []int{1, 10, 250, 20000} {
		q := clouds(1, 1, uint64(k))
		if k == 10 {
			q = set.row(3) // parallel to a row
		}
		if got, want := h.search(q, k), f.search(q, k); !slices.Equal(got, want) {
			t.Errorf("the %d best in two steps: %v, not %v", k, got, want)
		}
		if got, want := f.search(q, k), sorted(set, q, k); !slices.Equal(got, want) {
			t.Errorf("the %d best: %v, not %v", k, got, want)
		}
	}
}

func TestLists(t *testing.T) {
	set := clouds(2000, 30, 2)
	l := newLists(set, 0)
	if got := l.centres.len(); got != 44 {
		t.Errorf("%d lists of 2000 vectors", got)
	}
	seen := make([]bool, set.len())
	for i, id := range l.ids {
		if seen[id] || !slices.Equal(l.rows.row(i), set.row(int(id))) {
			t.Fatalf("vector %d is in two lists, or another one stands there", id)
		}
		seen[id] = true
	}
	if len(l.ids) != set.len() || l.at[len(l.at)-1] != set.len() {
		t.Errorf("%d vectors in the lists", len(l.ids))
	}
	asked := clouds(20, 30, 2)
	before := 0
	for _, probes := range []int{1, 4, 16, 44} {
		same := 0
		for i := range asked.len() {
			want := sorted(set, asked.row(i), 10)
			got := l.search(asked.row(i), 10, probes)
			same += overlap(got, want)
			if probes == 44 && !slices.Equal(got, want) {
				t.Errorf("all lists give %v, the scan %v", got, want)
			}
		}
		if same < before {
			t.Errorf("%d lists find %d of 200, fewer lists %d", probes, same, before)
		}
		before = same
	}
	again := newLists(set, 0)
	if !slices.Equal(l.centres, again.centres) || !slices.Equal(l.ids, again.ids) {
		t.Error("the same set gives other lists")
	}
	if few := newLists(set[:3*dims], 8); few.centres.len() != 3 {
		t.Errorf("%d lists of three vectors", few.centres.len())
	}
}

func TestGraphAnswersExactScores(t *testing.T) {
	set := clouds(300, 5, 3)
	g, n := newGraph(set, time.Hour)
	if n != 300 {
		t.Fatalf("%d vectors were added", n)
	}
	q := set.row(17)
	got := g.search(q, 10, 100)
	if len(got) != 10 || got[0] != (hit{embed.Dot(q, q), 17}) {
		t.Errorf("a vector's nearest is %v", got)
	}
	for _, h := range got {
		if h.score != embed.Dot(q, set.row(int(h.id))) {
			t.Errorf("%v has not the score of its vector", h)
		}
	}
	if _, n := newGraph(set, -1); n != 0 {
		t.Errorf("without a budget %d vectors were added", n)
	}
}

func TestOverlap(t *testing.T) {
	want := []hit{{9, 1}, {8, 2}, {7, 3}}
	for _, c := range []struct {
		name string
		got  []hit
		n    int
	}{
		{"the same", want, 3},
		{"none", nil, 0},
		{"one is worse", []hit{{9, 1}, {8, 2}, {6, 4}}, 2},
		{"another of equal score", []hit{{9, 1}, {8, 2}, {7, 5}}, 3},
		{"longer", []hit{{9, 1}, {8, 2}, {7, 3}, {7, 5}}, 3},
	} {
		if n := overlap(c.got, want); n != c.n {
			t.Errorf("%s: %d, not %d", c.name, n, c.n)
		}
	}
	if overlap(want, nil) != 0 {
		t.Error("something in common with nothing")
	}
}

func TestBoundsLoseNothing(t *testing.T) {
	set := clouds(1500, 20, 4)
	asked := append(clouds(10, 20, 4)[:5*dims], clouds(5, 20, 6)...) // the first stand in the set
	l := newLists(set, 0)
	b, h, c := balls(l), prefix(set, dims/2), coarsen(set)
	for i := range asked.len() {
		q := asked.row(i)
		for _, k := range []int{1, 10, 250} {
			best := sorted(set, q, k)
			least := best[k-1].score
			for name, n := range map[string]int{"lists": b.left(l, q, least), "halves": h.left(q, least), "four bits": c.left(q, least)} {
				if n < k || n > set.len() {
					t.Errorf("%s leave %d vectors of the %d best", name, n, k)
				}
			}
		}
	}
}

func TestEven(t *testing.T) {
	for _, c := range []struct {
		build, flat, took time.Duration
		want              string
	}{
		{0, 5, 5, "–"}, {10, 5, 5, "never"}, {10, 5, 6, "never"}, {10, 5, 4, "10"}, {10, 5, 2, "4"},
	} {
		if got := even(c.build, c.flat, c.took); got != c.want {
			t.Errorf("%v against %v, built in %v: %s, not %s", c.took, c.flat, c.build, got, c.want)
		}
	}
}

func TestWanted(t *testing.T) {
	files := []int32{0, 0, 1, 2}
	a := &asked{Gold: []int32{1, -1}}
	exact := []hit{{9, 2}, {8, 0}, {7, 1}}
	w := &wanted{}
	w.count(a, files, exact, exact)
	w.count(a, files, []hit{{8, 0}, {7, 1}, {6, 3}}, exact)
	w.count(a, files, exact, []hit{{8, 0}, {7, 1}})
	if w.n != 3 || w.found != [2]int{2, 2} || w.lost != [2]int{1, 1} || w.won != [2]int{1, 1} || w.same != 7 || w.of != 8 {
		t.Errorf("%+v", w)
	}
	if among([]int32{1}, files, []hit{{8, 0}, {7, 2}}, 1) {
		t.Error("the second hit is among the first one")
	}
}

func TestFromVectorsToTables(t *testing.T) {
	dir := t.TempDir()
	set := clouds(500, 10, 5)
	set = append(set, set.row(3)...)
	g := gathered{Commit: "c", Dims: dims, Rows: set, Files: make([]int32, set.len())}
	g.Files[7] = 1
	g.Asked = []asked{{ID: "1", Set: "s", Repo: "r", Query: set.row(7), Gold: []int32{1}}}
	file := filepath.Join(dir, "x.gob")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := gob.NewEncoder(f).Encode(g); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "x.bin")
	if err := gather(t.Context(), "", bin, []string{file}); err != nil {
		t.Fatal(err)
	}
	got, last, err := readSet(bin, 480, 20)
	if err != nil {
		t.Fatal(err)
	}
	if both := distinct(append(slices.Clone(got), last...)); both.len() != 500 {
		t.Errorf("%d distinct vectors came back", both.len())
	}
	if _, _, err := readSet(bin, 481, 20); err == nil {
		t.Error("a question may be in the set")
	}
	if all, one, err := load(file, 0); err != nil || all.len() != 501 || !slices.Equal(one, set.row(7)) {
		t.Errorf("%d vectors and the question %v: %v", all.len(), one, err)
	}
	var out strings.Builder
	if err := study(&out, got, last, settings{only: []string{"flat", "lists", "graph"}, budget: time.Hour}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| flat | 1.000 | 1.000 |", "| lists, 16 of 21 |", "| graph, 1600 answers |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, &out)
		}
	}
	if err := study(&out, got, last, settings{only: []string{"tree"}}); err == nil {
		t.Error("an unknown structure is passed over")
	}
	out.Reset()
	if err := exact(&out, got, last, 0); err != nil || strings.Count(out.String(), "\n") != 5 {
		t.Errorf("%v:\n%s", err, &out)
	}
	out.Reset()
	if err := gold(&out, []string{file}, 1000); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"s, all indexes: 1 questions", "s, indexes of at most 1000 vectors", "| flat | 1.000 | 1.000 | 0, 0 |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the tables have no %q:\n%s", want, &out)
		}
	}
	if err := gold(&out, []string{bin}, 0); err == nil {
		t.Error("a file of another kind is read")
	}
}
