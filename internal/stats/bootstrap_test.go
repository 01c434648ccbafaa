package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBootstrap(t *testing.T) {
	v := []float64{1, 2, 3, 4, 5}
	mean := func(drawn []int) (float64, bool) {
		sum := 0.0
		for _, i := range drawn {
			sum += v[i]
		}
		return sum / float64(len(drawn)), true
	}
	got := Bootstrap(len(v), rand.New(rand.NewPCG(1, 2)), mean)
	if len(got) != Draws || !slices.IsSorted(got) {
		t.Fatalf("%d figures, sorted: %v", len(got), slices.IsSorted(got))
	}
	low, high := Interval(got)
	if low >= Mean(v) || high <= Mean(v) || low < 1 || high > 5 {
		t.Errorf("the mean 3 of 1 to 5 is said to lie between %v and %v", low, high)
	}
	if !slices.Equal(got, Bootstrap(len(v), rand.New(rand.NewPCG(1, 2)), mean)) {
		t.Error("one seed drew two samples")
	}
	if got := Bootstrap(3, rand.New(rand.NewPCG(1, 2)), func([]int) (float64, bool) { return 0, false }); len(got) != 0 {
		t.Errorf("%d figures of draws without one", len(got))
	}
}

func TestInterval(t *testing.T) {
	v := make([]float64, Draws)
	for i := range v {
		v[i] = float64(i)
	}
	if low, high := Interval(v); low != 50 || high != 1949 {
		t.Errorf("%v to %v of 0 to 1999", low, high)
	}
	if low, high := Interval([]float64{7}); low != 7 || high != 7 {
		t.Errorf("%v to %v of one value", low, high)
	}
	if low, high := Interval(nil); low != 0 || high != 0 || Mean(nil) != 0 {
		t.Error("of none")
	}
}
