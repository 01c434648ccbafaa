package stats

import (
	"math/rand/v2"
	"slices"
)

// Draws is how many samples Bootstrap draws.
const Draws = 2000

// Bootstrap tells how far a figure of n things may be from what others of
// their kind would give: it draws n of them with replacement, Draws times, and
// returns the figures of the draws, sorted. figure is given the numbers of the
// things drawn, from 0, which it must not keep; a draw for which ok is false
// has no figure. Draws by a generator with a fixed seed are the same each time.
func Bootstrap(n int, r *rand.Rand, figure func(drawn []int) (v float64, ok bool)) []float64 {
	var out []float64
	drawn := make([]int, n)
	for range Draws {
		for i := range drawn {
			drawn[i] = r.IntN(n)
		}
		if v, ok := figure(drawn); ok {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}

// Interval returns the bounds of the middle 95% of sorted values; zeros for
// none.
func Interval(sorted []float64) (low, high float64) {
	if len(sorted) == 0 {
		return 0, 0
	}
	cut := len(sorted) * 25 / 1000
	return sorted[cut], sorted[len(sorted)-1-cut]
}

// Mean is the arithmetic mean; 0 for none.
func Mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / max(float64(len(v)), 1)
}
