package main

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"github.com/pindex-dev/pindex/query"
)

// list is one query's candidates, ready for training.
type list struct {
	s      *sample
	x      [][]float32 // features by candidate, in units
	gain   []bool
	good   int
	weight float64
	fold   int
	sp     []sparse

	nearSp   []sparse
	nearGain []bool
}

// featuresOf is the number of features of a candidate.
func featuresOf(ls []*list) int {
	for _, l := range ls {
		if len(l.x) > 0 {
			return len(l.x[0])
		}
	}
	return len(query.FeatureNames())
}

// foldSeed deals the repositories out to other folds.
var foldSeed string

// foldOf assigns a repository to one of n folds, by its name alone.
func foldOf(mirror string, n int) int {
	h := fnv.New32a()
	h.Write([]byte(foldSeed + strings.ToLower(mirror)))
	return int(h.Sum32()>>3) % n
}

func (t *task) wanted(path string) bool {
	if t.Set == "semble" {
		for i := range t.Targets {
			if samePath(path, t.Targets[i].Path) {
				return true
			}
		}
		return false
	}
	for _, f := range t.Files {
		if f == path {
			return true
		}
	}
	return false
}

func lists(samples []sample, folds int, keep func(*sample) bool) []*list {
	perRepo := map[string]float64{}
	var out []*list
	for i := range samples {
		s := &samples[i]
		if !keep(s) {
			continue
		}
		l := &list{s: s, fold: foldOf(s.Task.Mirror, folds)}
		for k := range s.Files {
			x := make([]float32, len(s.Files[k].Features))
			for j, v := range s.Files[k].Features {
				x[j] = float32(v) / 1000
			}
			g := s.Task.wanted(s.Files[k].Path)
			if g {
				l.good++
			}
			l.x = append(l.x, x)
			l.gain = append(l.gain, g)
		}
		perRepo[s.Task.Mirror]++
		out = append(out, l)
	}
	prior := priorOf(featuresOf(out))
	for _, l := range out {
		l.near(prior)
		// A repository weighs by the root of its queries.
		l.weight = 1 / math.Sqrt(perRepo[l.s.Task.Mirror])
	}
	return out
}

// trained is a trained model.
type trained struct {
	linear []float64 // by feature
	trees  []*tree

	placing []float64 // of the second order of the first files; nil without one
	units   []float64 // weights of a unit's features, by which it sees units
}

func (m *trained) score(x []float32) float64 {
	var s float64
	for j, w := range m.linear {
		s += w * float64(x[j])
	}
	for _, t := range m.trees {
		s += t.value(x)
	}
	return s
}

// sparse is a candidate's features that are not zero.
type sparse struct {
	j []uint8
	v []float32
}

func (l *list) sparse() []sparse {
	if l.sp == nil {
		l.sp = make([]sparse, len(l.x))
		for i, x := range l.x {
			for j, v := range x {
				if v != 0 {
					l.sp[i].j = append(l.sp[i].j, uint8(j))
					l.sp[i].v = append(l.sp[i].v, v)
				}
			}
		}
	}
	return l.sp
}

// trainedOn is the number of candidates of a list that training looks at: those
// that the prior puts first, and the wanted ones.
const trainedOn = 60

// near returns those candidates. The first call must not be on two goroutines.
func (l *list) near(prior []float64) ([]sparse, []bool) {
	if l.nearSp != nil {
		return l.nearSp, l.nearGain
	}
	sp := l.sparse()
	idx := make([]int, len(sp))
	score := make([]float64, len(sp))
	for i := range sp {
		idx[i] = i
		for k, j := range sp[i].j {
			score[i] += prior[j] * float64(sp[i].v[k])
		}
	}
	sort.SliceStable(idx, func(a, b int) bool { return score[idx[a]] > score[idx[b]] })
	for r, i := range idx {
		if r < trainedOn || l.gain[i] {
			l.nearSp, l.nearGain = append(l.nearSp, sp[i]), append(l.nearGain, l.gain[i])
		}
	}
	return l.nearSp, l.nearGain
}

// fitLinear minimises the softmax loss of the wanted files against the other
// candidates that are near, with a quadratic penalty, by Adam over batches of 16 lists.
func fitLinear(ls []*list, at0 []float64, l2 float64, epochs int, off map[int]bool) []float64 {
	nf := len(at0)
	at0 = slices.Clone(at0)
	w := slices.Clone(at0)
	for j := range off {
		w[j], at0[j] = 0, 0
	}
	m, v := make([]float64, nf), make([]float64, nf)
	grad := make([]float64, nf)
	avg := make([]float64, nf)
	navg := 0
	var use []*list
	var total float64
	for _, l := range ls {
		if l.good > 0 {
			use = append(use, l)
			total += l.weight
		}
	}
	scale := total / float64(max(1, len(use)))
	rng := rand.New(rand.NewPCG(7, 11))
	const batch = 16
	step := 0
	var scores []float64
	for ep := range epochs {
		rng.Shuffle(len(use), func(a, b int) { use[a], use[b] = use[b], use[a] })
		lr := 0.1 / (1 + 0.35*float64(ep))
		for at := 0; at < len(use); at += batch {
			clear(grad)
			part := use[at:min(at+batch, len(use))]
			for _, l := range part {
				sp, gain := l.near(at0)
				scores = scores[:0]
				top := math.Inf(-1)
				for i := range sp {
					var s float64
					for k, j := range sp[i].j {
						s += w[j] * float64(sp[i].v[k])
					}
					scores = append(scores, s)
					top = max(top, s)
				}
				var z float64
				for i := range scores {
					scores[i] = math.Exp(scores[i] - top)
					z += scores[i]
				}
				for i := range sp {
					d := scores[i] / z
					if gain[i] {
						d -= 1 / float64(l.good)
					}
					if d > -1e-5 && d < 1e-5 {
						continue
					}
					d *= l.weight / scale / float64(len(part))
					for k, j := range sp[i].j {
						grad[j] += d * float64(sp[i].v[k])
					}
				}
			}
			step++
			for j := range w {
				if off[j] {
					continue
				}
				g := grad[j] + l2*(w[j]-at0[j])
				m[j] = 0.9*m[j] + 0.1*g
				v[j] = 0.99*v[j] + 0.01*g*g
				w[j] -= lr * (m[j] / (1 - math.Pow(0.9, float64(step)))) / (math.Sqrt(v[j]/(1-math.Pow(0.99, float64(step)))) + 1e-8)
			}
			if ep >= epochs*2/3 {
				navg++
				for j := range w {
					avg[j] += w[j]
				}
			}
		}
	}
	if navg == 0 {
		return w
	}
	for j := range avg {
		avg[j] /= float64(max(1, navg))
	}
	return avg
}

// tree is a regression tree.
type tree struct {
	feature     int // -1 for a leaf
	at          float32
	left, right *tree
	leaf        float64
}

func (t *tree) value(x []float32) float64 {
	for t.feature >= 0 {
		if x[t.feature] <= t.at {
			t = t.left
		} else {
			t = t.right
		}
	}
	return t.leaf
}

// boost adds trees to a linear start by the gradients of the pairwise loss,
// each pair weighted by what exchanging it would change in NDCG@10.
type boost struct {
	Trees, Depth int
	Rate         float64
	MinLeaf      float64
	L2           float64
}

func fitTrees(ls []*list, start []float64, nf int, b boost, off map[int]bool) []*tree {
	scores := make([][]float64, len(ls))
	for i, l := range ls {
		scores[i] = make([]float64, len(l.x))
		for k, x := range l.x {
			for j, w := range start {
				scores[i][k] += w * float64(x[j])
			}
		}
	}
	edges := binEdges(ls, nf)
	bins := make([][][]uint8, len(ls))
	for i, l := range ls {
		bins[i] = make([][]uint8, len(l.x))
		for k, x := range l.x {
			bins[i][k] = make([]uint8, nf)
			for j := range x {
				bins[i][k][j] = uint8(sort.Search(len(edges[j]), func(e int) bool { return x[j] <= edges[j][e] }))
			}
		}
	}
	var out []*tree
	for range b.Trees {
		var rows []brow
		for i, l := range ls {
			if l.good == 0 {
				continue
			}
			g, h := lambdas(l, scores[i])
			for k := range l.x {
				if h[k] > 0 {
					rows = append(rows, brow{bins[i][k], g[k] * l.weight, h[k] * l.weight})
				}
			}
		}
		t := grow(rows, edges, nf, b.Depth, b, off)
		scaleTree(t, b.Rate)
		out = append(out, t)
		for i, l := range ls {
			for k, x := range l.x {
				scores[i][k] += t.value(x)
			}
		}
	}
	return out
}

func scaleTree(t *tree, f float64) {
	if t.feature < 0 {
		t.leaf *= f
		return
	}
	scaleTree(t.left, f)
	scaleTree(t.right, f)
}

type brow struct {
	b    []uint8
	g, h float64
}

// lambdas returns each candidate's gradient (upwards) and curvature.
func lambdas(l *list, s []float64) (g, h []float64) {
	n := len(s)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return s[order[a]] > s[order[b]] })
	rank := make([]int, n)
	for r, i := range order {
		rank[i] = r
	}
	disc := func(r int) float64 { return 1 / math.Log2(float64(r)+2) }
	var ideal float64
	for r := range min(10, l.good) {
		ideal += disc(r)
	}
	g, h = make([]float64, n), make([]float64, n)
	for i := range n {
		if !l.gain[i] {
			continue
		}
		for k := range n {
			if l.gain[k] || rank[k] > 40 && rank[k] > rank[i] {
				continue
			}
			delta := math.Abs(disc(rank[i])-disc(rank[k])) / ideal
			p := 1 / (1 + math.Exp(s[i]-s[k]))
			g[i] += delta * p
			g[k] -= delta * p
			c := delta * p * (1 - p)
			h[i] += c
			h[k] += c
		}
	}
	return g, h
}

func binEdges(ls []*list, nf int) [][]float32 {
	out := make([][]float32, nf)
	for j := range nf {
		var v []float32
		for n, l := range ls {
			for k, x := range l.x {
				if l.gain[k] || (n*31+k)%7 == 0 {
					v = append(v, x[j])
				}
			}
		}
		sort.Slice(v, func(a, b int) bool { return v[a] < v[b] })
		const bins = 48
		for q := 1; q < bins; q++ {
			e := v[len(v)*q/bins]
			if len(out[j]) == 0 || e > out[j][len(out[j])-1] {
				out[j] = append(out[j], e)
			}
		}
	}
	return out
}

func grow(rows []brow, edges [][]float32, nf, depth int, b boost, off map[int]bool) *tree {
	var G, H float64
	for i := range rows {
		G += rows[i].g
		H += rows[i].h
	}
	leaf := &tree{feature: -1, leaf: G / (H + b.L2)}
	if depth == 0 || H < 2*b.MinLeaf {
		return leaf
	}
	bestGain, bestF, bestE := 1e-6, -1, 0
	base := G * G / (H + b.L2)
	var hg, hh [64]float64
	for j := range nf {
		if off[j] || len(edges[j]) == 0 {
			continue
		}
		clear(hg[:])
		clear(hh[:])
		for i := range rows {
			k := rows[i].b[j]
			hg[k] += rows[i].g
			hh[k] += rows[i].h
		}
		var g, h float64
		for e := range edges[j] {
			g += hg[e]
			h += hh[e]
			if h < b.MinLeaf || H-h < b.MinLeaf {
				continue
			}
			gain := g*g/(h+b.L2) + (G-g)*(G-g)/(H-h+b.L2) - base
			if gain > bestGain {
				bestGain, bestF, bestE = gain, j, e
			}
		}
	}
	if bestF < 0 {
		return leaf
	}
	var left, right []brow
	for i := range rows {
		if int(rows[i].b[bestF]) <= bestE {
			left = append(left, rows[i])
		} else {
			right = append(right, rows[i])
		}
	}
	return &tree{
		feature: bestF, at: edges[bestF][bestE], leaf: leaf.leaf,
		left:  grow(left, edges, nf, depth-1, b, off),
		right: grow(right, edges, nf, depth-1, b, off),
	}
}

// order returns the candidates by falling score, ties as they came.
func order(l *list, score func(i int) float64) []place {
	out := make([]scored, len(l.x))
	for i := range out {
		out[i] = scored{i, score(i)}
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].score > out[b].score })
	return placesOf(l.s, out)
}
