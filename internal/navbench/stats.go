package main

import (
	"math/rand/v2"
	"slices"
)

// rounds of the bootstrap.
const rounds = 1000

// interval returns the 95% interval of a ratio over positions, by a bootstrap
// in two stages: repositories are drawn with replacement, then positions of
// each. Positions of one repository are alike, so drawing positions alone
// would make the interval too narrow. The draws have a fixed seed.
func interval(vs []*verdict, of func([]*verdict) (num, den float64)) (lo, hi float64) {
	var clusters [][]*verdict
	at := map[string]int{}
	for _, v := range vs {
		i, ok := at[v.Repo]
		if !ok {
			i = len(clusters)
			at[v.Repo] = i
			clusters = append(clusters, nil)
		}
		clusters[i] = append(clusters[i], v)
	}
	rng := rand.New(rand.NewPCG(1, 95))
	var means []float64
	drawn := make([]*verdict, 0, 2*len(vs))
	for range rounds {
		drawn = drawn[:0]
		for range clusters {
			c := clusters[rng.IntN(len(clusters))]
			for range c {
				drawn = append(drawn, c[rng.IntN(len(c))])
			}
		}
		if num, den := of(drawn); den > 0 {
			means = append(means, num/den)
		}
	}
	if len(means) == 0 {
		return 0, 0
	}
	slices.Sort(means)
	return means[len(means)*25/1000], means[len(means)*975/1000]
}
