package main

import (
	"math/rand"
	"time"

	"github.com/coder/hnsw"

	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/internal/stats"
)

// graph is coder/hnsw over the set. Its search of a layer ends at the first
// step that finds nothing nearer than the nearest so far, once it has as many
// results as were asked for: not EfSearch but the number of results says how
// far it looks. So a search asks for width of them, and the exact dot products
// of the answers give the k best.
type graph struct {
	set vectors
	g   *hnsw.Graph[int32]
	top top
}

// newGraph adds the set's vectors, for so much processor time at most, and
// returns how many it added.
func newGraph(set vectors, budget time.Duration) (*graph, int) {
	g := hnsw.NewGraph[int32]()
	g.M, g.Ml, g.Distance, g.EfSearch = 32, 0.25, hnsw.CosineDistance, 200
	g.Rng = rand.New(rand.NewSource(1))
	begun := stats.CPU()
	for i := range set.len() {
		if i%1000 == 0 && stats.CPU()-begun > budget {
			return &graph{set: set, g: g}, i
		}
		g.Add(hnsw.MakeNode(int32(i), floats(set.row(i))))
	}
	return &graph{set: set, g: g}, set.len()
}

func floats(v []int8) []float32 {
	out := make([]float32, dims)
	for i, x := range v {
		out[i] = float32(x) / embed.Norm
	}
	return out
}

// search returns the k best of width answers, which the next search
// overwrites.
func (g *graph) search(q []int8, k, width int) []hit {
	g.g.EfSearch = max(200, width)
	g.top.reset(k)
	for _, n := range g.g.Search(floats(q), max(k, width)) {
		g.top.offer(hit{embed.Dot(q, g.set.row(int(n.Key))), n.Key})
	}
	return g.top.best()
}
