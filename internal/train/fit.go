package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// table is the model while it is trained: a vector and the logarithm of a
// weight for each word.
type table struct {
	dims   int
	vec    []float32 // words × dims
	weight []float32 // logarithms
}

func (t *table) row(id uint16) []float32 {
	return t.vec[int(id)*t.dims : (int(id)+1)*t.dims : (int(id)+1)*t.dims]
}

func (t *table) write(file string) error {
	b := binary.LittleEndian.AppendUint32(nil, uint32(t.dims))
	for _, s := range [][]float32{t.weight, t.vec} {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
		for _, v := range s {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
	}
	return os.WriteFile(file, b, 0o644)
}

func readTable(file string) (*table, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t := &table{dims: int(binary.LittleEndian.Uint32(b))}
	b = b[4:]
	for _, s := range []*[]float32{&t.weight, &t.vec} {
		n := int(binary.LittleEndian.Uint32(b))
		b = b[4:]
		for i := range n {
			*s = append(*s, math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		}
		b = b[4*n:]
	}
	return t, nil
}

type options struct {
	batch, dims, passes int
	scale, rate, rateW  float64
	neighbour, path     float64 // shares of code sides
	balance             float64 // batches of a group are in proportion to its pairs to this power
	seed                uint64
	limit               time.Duration
	block               int
}

// trainer holds what one step needs.
type trainer struct {
	options
	t        *table
	acc      []float32 // sums of squared gradients, a word
	accW     []float32
	start    time.Time
	r        *rand.Rand
	sides    [2][]bag // of the batch
	coef     [2][][]float32
	unit     [2][]float32 // batch × dims, of length 1
	length   [2][]float32
	grad     [2][]float32
	logits   []float32
	packed   [2][]float32
	rowSum   []float32
	colSum   []float32
	slot     []int32 // of a word in gsum, -1 where it has none
	used     []uint16
	gsum     []float32
	gw       [workers][]float32
	tfWeight [256]float32
}

const workers = 2

func fit(args []string) error {
	f := flag.NewFlagSet("fit", flag.ContinueOnError)
	var o options
	f.IntVar(&o.batch, "batch", 1024, "pairs in a batch, a multiple of 64")
	f.IntVar(&o.dims, "dims", 256, "numbers in a vector, a multiple of 32")
	f.IntVar(&o.passes, "passes", 5, "times that every pair is seen")
	f.Float64Var(&o.scale, "scale", 13, "inverse temperature")
	f.Float64Var(&o.rate, "rate", 0.25, "learning rate of vectors")
	f.Float64Var(&o.rateW, "rate-weights", 0.05, "learning rate of weights")
	f.Float64Var(&o.neighbour, "neighbour", 0.3, "share of code sides with a neighbour's text")
	f.Float64Var(&o.path, "path", 0.5, "share of code sides with path words")
	f.Float64Var(&o.balance, "balance", 0.6, "power of a group's size that batches are drawn by")
	f.Uint64Var(&o.seed, "seed", 1, "of the order and the first vectors")
	f.DurationVar(&o.limit, "limit", 20*time.Minute, "stop then")
	f.IntVar(&o.block, "block", 16, "neighbours that stay in one batch")
	start := f.String("init", "", "`name` of a table in DATA to start from")
	name := f.String("out", "fit.bin", "`name` of the result in DATA")
	rest, err := parseFlags(f, args, 1)
	if err != nil {
		return err
	}
	v, err := readVocabulary(filepath.Join(rest[0], "vocab.tsv"))
	if err != nil {
		return err
	}
	pairs, err := readPairs(filepath.Join(rest[0], "pairs.bin"))
	if err != nil {
		return err
	}
	tr := newTrainer(o, v)
	if *start != "" {
		first, err := readTable(filepath.Join(rest[0], *start))
		if err != nil {
			return err
		}
		if first.dims != o.dims || len(first.vec) != len(tr.t.vec) {
			return fmt.Errorf("%s is of another vocabulary or size", *start)
		}
		copy(tr.t.vec, first.vec)
	}
	tr.run(pairs, func() error { return tr.t.write(filepath.Join(rest[0], *name)) })
	return tr.t.write(filepath.Join(rest[0], *name))
}

func newTrainer(o options, v *vocabulary) *trainer {
	n := len(v.words)
	tr := &trainer{
		options: o, start: time.Now(), r: rand.New(rand.NewPCG(o.seed, 7)),
		t:   &table{dims: o.dims, vec: make([]float32, n*o.dims), weight: make([]float32, n)},
		acc: make([]float32, n), accW: make([]float32, n),
		logits: make([]float32, o.batch*o.batch),
		rowSum: make([]float32, o.batch), colSum: make([]float32, o.batch),
		slot: make([]int32, n),
	}
	for i := range tr.slot {
		tr.slot[i] = -1
	}
	for i := range tr.t.vec {
		tr.t.vec[i] = float32(tr.r.NormFloat64() / math.Sqrt(float64(o.dims)))
	}
	// Rare words weigh more from the start.
	for i, df := range v.df {
		tr.t.weight[i] = float32(math.Log(0.15 + math.Log(1/max(df, 1e-6))/8))
	}
	for i := range 2 {
		tr.unit[i] = make([]float32, o.batch*o.dims)
		tr.grad[i] = make([]float32, o.batch*o.dims)
		tr.length[i] = make([]float32, o.batch)
		tr.sides[i] = make([]bag, o.batch)
		tr.coef[i] = make([][]float32, o.batch)
		tr.packed[i] = make([]float32, o.batch*max(o.batch, o.dims))
	}
	for i := range tr.tfWeight {
		tr.tfWeight[i] = float32(1 + math.Log(max(float64(i), 1)))
	}
	return tr
}

// run trains on all pairs that are not held back.
func (tr *trainer) run(pairs []pair, save func() error) {
	var groups [groupCount][]int32
	var held []int32
	for i := range pairs {
		if pairs[i].held {
			held = append(held, int32(i))
		} else {
			groups[pairs[i].group] = append(groups[pairs[i].group], int32(i))
		}
	}
	total := 0
	var share [groupCount]float64
	sum := 0.0
	for g := range groups {
		if len(groups[g]) < tr.batch {
			// Too few for a batch of their own.
			groups[0] = append(groups[0], groups[g]...)
			groups[g] = nil
		}
	}
	for g := range groups {
		total += len(groups[g])
		share[g] = math.Pow(float64(len(groups[g])), tr.balance)
		sum += share[g]
	}
	steps := total * tr.passes / tr.batch
	var at [groupCount]int
	fmt.Printf("%d pairs, %d held back, %d steps\n", total, len(held), steps)
	var loss, n float64
	for step := range steps {
		x := tr.r.Float64() * sum
		g := 0
		for ; g < groupCount-1 && x >= share[g]; g++ {
			x -= share[g]
		}
		list := groups[g]
		if len(list) < tr.batch {
			continue
		}
		if at[g] == 0 || at[g]+tr.batch > len(list) {
			at[g] = 0
			// Neighbours in the list stay near each other in blocks, so that a
			// batch has negatives of the same package.
			shuffleBlocks(tr.r, list, tr.block)
		}
		batch := list[at[g] : at[g]+tr.batch]
		at[g] += tr.batch
		tr.fill(pairs, batch, true)
		// A run that will not see every pair slows down all the same.
		progress := max(float64(step)/float64(steps), float64(time.Since(tr.start))/float64(tr.limit))
		loss += tr.step(float32(max(0.02, 1-progress)))
		n++
		if (step+1)%200 == 0 || step+1 == steps {
			fmt.Printf("%5d of %d, %4.0f s: loss %.4f, held back %.4f\n", step+1, steps, time.Since(tr.start).Seconds(), loss/n, tr.measure(pairs, held))
			loss, n = 0, 0
			if (step+1)%1000 == 0 {
				_ = save()
			}
		}
		if time.Since(tr.start) > tr.limit {
			fmt.Println("out of time")
			return
		}
	}
}

func shuffleBlocks(r *rand.Rand, list []int32, size int) {
	if size <= 1 {
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return
	}
	slices.Sort(list)
	r.Shuffle(len(list)/size, func(i, j int) {
		for k := range size {
			list[i*size+k], list[j*size+k] = list[j*size+k], list[i*size+k]
		}
	})
	off := r.IntN(len(list))
	slices.Reverse(list[:off])
	slices.Reverse(list[off:])
	slices.Reverse(list)
}

// fill chooses the two sides of a batch.
func (tr *trainer) fill(pairs []pair, batch []int32, vary bool) {
	for i, n := range batch {
		p := &pairs[n]
		code := p.code
		if vary {
			if p.kind != pathToCode && tr.r.Float64() < tr.path || p.kind == commentToCode && tr.r.Float64() < 0.5 {
				code = merge(merge(code, p.path), p.path) // path words count twice
			}
			if tr.r.Float64() < tr.neighbour {
				if o := int(n) + 1 - 2*tr.r.IntN(2); o >= 0 && o < len(pairs) && pairs[o].group == p.group {
					code = merge(code, pairs[o].code)
				}
			}
		} else if p.kind != pathToCode {
			code = merge(merge(code, p.path), p.path)
		}
		tr.sides[0][i], tr.sides[1][i] = p.words, code
	}
}

// merge adds two bags.
func merge(a, b bag) bag {
	out := make(bag, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].id < b[0].id:
			out, a = append(out, a[0]), a[1:]
		case a[0].id > b[0].id:
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, wordN{a[0].id, uint8(min(int(a[0].n)+int(b[0].n), 255))})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// parallel splits [0, n) between the workers.
func parallel(n int, f func(w, lo, hi int)) {
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { f(w, w*n/workers, (w+1)*n/workers) })
	}
	wg.Wait()
}

// forward fills unit vectors of both sides.
func (tr *trainer) forward() {
	d := tr.dims
	parallel(2*tr.batch, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			s, i := k/tr.batch, k%tr.batch
			b := tr.sides[s][i]
			v := tr.unit[s][i*d : (i+1)*d]
			clear(v)
			c := tr.coef[s][i][:0]
			for _, w := range b {
				x := tr.tfWeight[w.n] * float32(math.Exp(float64(tr.t.weight[w.id])))
				c = append(c, x)
				axpy(x, tr.t.row(w.id), v)
			}
			tr.coef[s][i] = c
			l := float32(math.Sqrt(float64(dot(v, v)))) + 1e-9
			tr.length[s][i] = l
			for j := range v {
				v[j] /= l
			}
		}
	})
}

// similarities fills the logits with the cosines of all pairs of sides.
func (tr *trainer) similarities() {
	n, d := tr.batch, tr.dims
	parallel(n/panelRows, func(_, lo, hi int) { packByRow(tr.packed[0], tr.unit[0], d, panelRows, lo, hi) })
	parallel(n/panelCols, func(_, lo, hi int) { packByRow(tr.packed[1], tr.unit[1], d, panelCols, lo, hi) })
	parallel(n/panelRows, func(_, lo, hi int) { product(tr.logits, tr.packed[0], tr.packed[1], n, d, lo, hi) })
}

// measure returns the mean reciprocal rank of the right code among batch
// others, over the pairs held back.
func (tr *trainer) measure(pairs []pair, held []int32) float64 {
	sum, n := 0.0, 0
	for at := 0; at+tr.batch <= len(held) && at < 4*tr.batch; at += tr.batch {
		tr.fill(pairs, held[at:at+tr.batch], false)
		tr.forward()
		tr.similarities()
		for i := range tr.batch {
			row := tr.logits[i*tr.batch : (i+1)*tr.batch]
			rank := 1
			for j, x := range row {
				if j != i && x >= row[i] {
					rank++
				}
			}
			sum += 1 / float64(rank)
			n++
		}
	}
	return sum / max(float64(n), 1)
}

// step trains on the batch and returns its loss.
func (tr *trainer) step(decay float32) float64 {
	n, d := tr.batch, tr.dims
	tr.forward()
	tr.similarities()
	scale := float32(tr.scale)
	// exp of each logit; a cosine is at most 1, so nothing overflows.
	var cols [workers][]float32
	var diag [workers]float64
	parallel(n, func(w, lo, hi int) {
		col := make([]float32, n)
		for i := lo; i < hi; i++ {
			row := tr.logits[i*n : (i+1)*n]
			diag[w] += float64(scale * (row[i] - 1))
			var s float32
			for j, x := range row {
				e := fastExp(scale * (x - 1))
				row[j] = e
				s += e
				col[j] += e
			}
			tr.rowSum[i] = s
		}
		cols[w] = col
	})
	loss := -2 * (diag[0] + diag[1])
	for j := range n {
		tr.colSum[j] = cols[0][j] + cols[1][j]
		loss += math.Log(float64(tr.colSum[j])) + math.Log(float64(tr.rowSum[j]))
		tr.colSum[j] = 1 / tr.colSum[j]
		tr.rowSum[j] = 1 / tr.rowSum[j]
	}
	k := scale / float32(2*n)
	parallel(n, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := tr.logits[i*n : (i+1)*n]
			r := tr.rowSum[i]
			for j, e := range row {
				row[j] = k * e * (r + tr.colSum[j])
			}
			row[i] -= 2 * k
		}
	})
	// Gradients of the unit vectors: logits × other side, and the transpose.
	parallel(n/panelRows, func(_, lo, hi int) { packByRow(tr.packed[0], tr.logits, n, panelRows, lo, hi) })
	parallel(d/panelCols, func(_, lo, hi int) { packByColumn(tr.packed[1], tr.unit[1], n, d, panelCols, lo, hi) })
	parallel(n/panelRows, func(_, lo, hi int) { product(tr.grad[0], tr.packed[0], tr.packed[1], d, n, lo, hi) })
	parallel(n/panelRows, func(_, lo, hi int) { packByColumn(tr.packed[0], tr.logits, n, n, panelRows, lo, hi) })
	parallel(d/panelCols, func(_, lo, hi int) { packByColumn(tr.packed[1], tr.unit[0], n, d, panelCols, lo, hi) })
	parallel(n/panelRows, func(_, lo, hi int) { product(tr.grad[1], tr.packed[0], tr.packed[1], d, n, lo, hi) })
	tr.update(decay)
	return loss / float64(2*n)
}

// update carries the gradients to the words. The workers share the dimensions
// between them, so that none waits for another.
func (tr *trainer) update(decay float32) {
	n, d := tr.batch, tr.dims
	// Through the normalisation.
	parallel(2*n, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			s, i := k/n, k%n
			u, g := tr.unit[s][i*d:(i+1)*d], tr.grad[s][i*d:(i+1)*d]
			axpy(-dot(u, g), u, g)
			l := 1 / tr.length[s][i]
			for j := range g {
				g[j] *= l
			}
		}
	})
	tr.used = tr.used[:0]
	for s := range 2 {
		for _, b := range tr.sides[s] {
			for _, w := range b {
				if tr.slot[w.id] < 0 {
					tr.slot[w.id] = int32(len(tr.used))
					tr.used = append(tr.used, w.id)
				}
			}
		}
	}
	m := len(tr.used)
	if cap(tr.gsum) < m*d {
		tr.gsum = make([]float32, m*d*5/4)
	}
	tr.gsum = tr.gsum[:m*d]
	half := d / workers
	parallel(workers, func(w, _, _ int) {
		lo := w * half
		gw := slices.Grow(tr.gw[w][:0], m)[:m]
		clear(gw)
		for k := range m {
			clear(tr.gsum[k*d+lo : k*d+lo+half])
		}
		for s := range 2 {
			for i, b := range tr.sides[s] {
				g := tr.grad[s][i*d+lo : i*d+lo+half]
				for x, word := range b {
					k := int(tr.slot[word.id])
					c := tr.coef[s][i][x]
					axpy(c, g, tr.gsum[k*d+lo:k*d+lo+half])
					gw[k] += c * dot(g, tr.t.row(word.id)[lo:lo+half])
				}
			}
		}
		tr.gw[w] = gw
	})
	parallel(m, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			id := tr.used[k]
			tr.slot[id] = -1
			g := tr.gsum[k*d : (k+1)*d]
			tr.acc[id] += dot(g, g)
			axpy(-float32(tr.rate)*decay/(float32(math.Sqrt(float64(tr.acc[id])))+1e-10), g, tr.t.row(id))
			gw := tr.gw[0][k] + tr.gw[1][k]
			tr.accW[id] += gw * gw
			tr.t.weight[id] -= float32(tr.rateW) * decay * gw / (float32(math.Sqrt(float64(tr.accW[id]))) + 1e-10)
		}
	})
}

// fastExp is e^x for x ≤ 0 to about seven digits.
func fastExp(x float32) float32 {
	if x < -80 {
		return 0
	}
	y := x * 1.4426950408889634
	n := float32(int32(y - 0.5))
	f := y - n
	p := float32(1) + f*(0.6931472+f*(0.24022651+f*(0.05550411+f*(0.009618129+f*0.0013333558))))
	return math.Float32frombits(math.Float32bits(p) + uint32(int32(n))<<23)
}
