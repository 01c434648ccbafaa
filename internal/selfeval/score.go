package selfeval

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Score is the measure of one route over all tasks.
type Score struct {
	Route      string              `json:"route"`
	Recall     map[string]Estimate `json:"recall"`     // at "1", "5", "10": share of a task's files among the first k, mean over tasks
	Unresolved Estimate            `json:"unresolved"` // share of tasks with no file among the first 10
}

// Estimate is a mean with its 95% interval.
type Estimate struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
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

// resamples of the bootstrap, drawn with a fixed seed: the same history gives
// the same interval.
const resamples = 2000

// Mean estimates the mean of values, with an interval by bootstrap over them.
func Mean(values []float64) Estimate {
	n := len(values)
	if n == 0 {
		return Estimate{}
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	r := rand.New(rand.NewPCG(1, uint64(n)))
	means := make([]float64, resamples)
	for i := range means {
		s := 0.0
		for range n {
			s += values[r.IntN(n)]
		}
		means[i] = s / float64(n)
	}
	slices.Sort(means)
	round := func(x float64) float64 { return math.Round(x*1e4) / 1e4 }
	return Estimate{round(sum / float64(n)), round(means[resamples*25/1000]), round(means[resamples*975/1000-1])}
}
