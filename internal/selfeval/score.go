package selfeval

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pindex-dev/pindex/internal/stats"
)

// Score is the measure of one route over all tasks.
type Score struct {
	Route      string              `json:"route"`
	Recall     map[string]Estimate `json:"recall"`     // at "1", "5", "10": share of a task's files among the first k, mean over tasks
	Unresolved Estimate            `json:"unresolved"` // share of tasks with no file among the first 10
}

// Estimate is a mean with its 95% interval, in millionths: answers in JSON have
// no other numbers than whole ones.
type Estimate struct {
	Mean int64 `json:"mean"`
	Low  int64 `json:"low"`
	High int64 `json:"high"`
}

// Recall is the share of the wanted files among the first k of the ranked.
func Recall(ranked, wanted []string, k int) float64 {
	n := 0
	for _, f := range ranked[:min(k, len(ranked))] {
		if slices.Contains(wanted, f) {
			n++
		}
	}
	return float64(n) / float64(len(wanted))
}

// Mean estimates the mean of values, with an interval by bootstrap over them.
// The seed is fixed: the same history gives the same interval.
func Mean(values []float64) Estimate {
	n := len(values)
	if n == 0 {
		return Estimate{}
	}
	low, high := stats.Interval(stats.Bootstrap(n, rand.New(rand.NewPCG(1, uint64(n))), func(drawn []int) (float64, bool) {
		sum := 0.0
		for _, i := range drawn {
			sum += values[i]
		}
		return sum / float64(n), true
	}))
	micro := func(x float64) int64 { return int64(math.Round(x * 1e6)) }
	return Estimate{micro(stats.Mean(values)), micro(low), micro(high)}
}
