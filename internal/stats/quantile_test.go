package stats

import (
	"slices"
	"testing"
)

func TestQuantile(t *testing.T) {
	v := []float64{4, 1, 3, 2}
	for q, want := range map[float64]float64{0: 1, 0.25: 1, 0.26: 2, 0.5: 2, 0.95: 4, 1: 4} {
		if got := Quantile(v, q); got != want {
			t.Errorf("%v: %v, not %v", q, got, want)
		}
	}
	if !slices.Equal(v, []float64{4, 1, 3, 2}) {
		t.Errorf("the values were moved: %v", v)
	}
	if Quantile(nil, 0.5) != 0 {
		t.Error("of none")
	}
}
