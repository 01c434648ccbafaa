package main

import (
	"fmt"
	"io"
	"math"

	"github.com/pindex-dev/pindex/embed"
)

// exact prints how much of the flat scan bounds would spare that leave the best
// as they are. Each bound is given the score of the last of the best beforehand,
// which a search would have to find first, so that the shares are the least
// that it could read.
func exact(out io.Writer, set, asked vectors, count int) error {
	asked = asked[:min(len(asked), 50*dims)]
	l := newLists(set, count)
	b := blocks(l)
	h := halves(set)
	c := coarsen(set)
	f := newFlat(set)
	fmt.Fprintf(out, "%d vectors, %d questions\n", set.len(), asked.len())
	fmt.Fprintf(out, "| for the best | vectors in lists that the bound of centre and radius leaves | vectors that the first half's bound leaves | vectors that the bound of four bits leaves |\n|---|---|---|---|\n")
	for _, k := range sizes {
		var read [3]int
		for i := range asked.len() {
			q := asked.row(i)
			best := f.search(q, k)
			least := best[len(best)-1].score
			read[0] += b.left(l, q, least)
			read[1] += h.left(q, least)
			read[2] += c.left(q, least)
		}
		all := float64(set.len() * asked.len())
		fmt.Fprintf(out, "| %d | %.3f | %.3f | %.4f |\n", k, float64(read[0])/all, float64(read[1])/all, float64(read[2])/all)
	}
	return nil
}

// slack is more than what rounding takes from a bound; dot products are whole
// numbers.
const slack = 1e-3

func length(v []int8) float64 { return math.Sqrt(float64(embed.Dot(v, v))) }

// balls are the radii of lists around their centres.
type balls []float64

func blocks(l *lists) balls {
	out := make(balls, l.centres.len())
	for c := range out {
		most := 0.0
		for i := l.at[c]; i < l.at[c+1]; i++ {
			sq := 0
			for d, x := range l.rows.row(i) {
				e := int(x) - int(l.centres.row(c)[d])
				sq += e * e
			}
			most = max(most, float64(sq))
		}
		out[c] = math.Sqrt(most)
	}
	return out
}

// left counts the vectors of the lists in which one may reach the score: no dot
// product with a row exceeds that with its centre by more than the question's
// length times the radius.
func (b balls) left(l *lists, q []int8, least int32) (n int) {
	embed.Scan(q, l.centres, dims, l.near)
	for c, s := range l.near {
		if float64(s)+length(q)*b[c] +slack >= float64(least) {
			n += l.at[c+1] - l.at[c]
		}
	}
	return n
}

// halved has the first half of each row, and the length of the second.
type halved struct {
	rows []int8
	rest []float64
	dots []int32
}

func halves(set vectors) *halved {
	h := &halved{rest: make([]float64, set.len()), dots: make([]int32, set.len())}
	for i := range set.len() {
		r := set.row(i)
		h.rows = append(h.rows, r[:dims/2]...)
		h.rest[i] = length(r[dims/2:])
	}
	return h
}

// left counts the rows whose second half may lift them to the score.
func (h *halved) left(q []int8, least int32) (n int) {
	embed.Scan(q[:dims/2], h.rows, dims/2, h.dots)
	rest := length(q[dims/2:])
	for i, s := range h.dots {
		if float64(s)+rest*h.rest[i] +slack >= float64(least) {
			n++
		}
	}
	return n
}

// coarse has each row rounded to multiples of 16, which four bits hold, and the
// length of what rounding took.
type coarse struct {
	rows vectors
	lost []float64
	dots []int32
}

func coarsen(set vectors) *coarse {
	c := &coarse{rows: make(vectors, len(set)), lost: make([]float64, set.len()), dots: make([]int32, set.len())}
	var e [dims]int8
	for i := range set.len() {
		for d, x := range set.row(i) {
			r := max(-112, min(112, int(math.Round(float64(x)/16))*16))
			c.rows.row(i)[d] = int8(r)
			e[d] = int8(int(x) - r)
		}
		c.lost[i] = length(e[:])
	}
	return c
}

// left counts the rows that may reach the score with what rounding took.
func (c *coarse) left(q []int8, least int32) (n int) {
	embed.Scan(q, c.rows, dims, c.dots)
	size := length(q)
	for i, s := range c.dots {
		if float64(s)+size*c.lost[i] +slack >= float64(least) {
			n++
		}
	}
	return n
}
