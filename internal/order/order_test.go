package order

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

type pair struct{ key, at int }

func TestAsPackageSlices(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	byKey := func(a, b pair) int { return cmp.Compare(a.key, b.key) }
	for n := range 100 {
		in := make([]pair, n)
		for i := range in {
			in[i] = pair{r.IntN(n/3 + 1), i}
		}
		got, want := slices.Clone(in), slices.Clone(in)
		Stable(got, byKey)
		slices.SortStableFunc(want, byKey)
		if !slices.Equal(got, want) {
			t.Fatalf("Stable of %v is %v", in, got)
		}
		Sort(got, byKey)
		if !slices.IsSortedFunc(got, byKey) {
			t.Fatalf("Sort of %v is %v", in, got)
		}
	}
}
