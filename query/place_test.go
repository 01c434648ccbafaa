package query

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBestUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for n := range 12 {
		var b bestUnits
		var all []int64
		for range n {
			s := int64(rng.IntN(40)) - 20
			b.add(s)
			all = append(all, s)
		}
		slices.Sort(all)
		slices.Reverse(all)
		want := make([]int64, placedUnits)
		copy(want, all)
		if !slices.Equal(b.scores[:], want) {
			t.Errorf("best of %v: %v, want %v", all, b.scores, want)
		}
	}
}

func TestPlaceFirst(t *testing.T) {
	const n = placedFiles + 3
	files := make([]fileCand, n)
	for i := range files {
		files[i] = fileCand{file: i, score: int64(1000 * (n - i)), rank: int64(1000 - i)}
		files[i].best.add(0)
	}
	files[4].best.add(7000)
	files[7].best.add(2000)  // as good as the file before it: stays behind it
	files[11].best.add(9000) // not among the first
	r := &ranker{model: &model{placing: placing{1000, 500}}, files: files}
	r.placeFirst()
	var got []int
	for i := range files {
		got = append(got, files[i].file)
		if files[i].rank != int64(1000-i) {
			t.Errorf("place %d has rank %d", i, files[i].rank)
		}
	}
	if want := []int{0, 4, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	r.model = &model{}
	before := slices.Clone(got)
	r.placeFirst()
	for i := range files {
		if files[i].file != before[i] {
			t.Fatal("files moved without weights")
		}
	}
}
