package main

import (
	"fmt"
	"io"
	"math"

	"github.com/pindex-dev/pindex/embed"
)

// exact prints how much of the flat scan bounds would spare that leave the best
// as they are. Each bound is given the score of the last of the best beforehand,
// which a search has to find first, so that the shares are the least that it
// could reach.
func exact(out io.Writer, set, asked vectors, count int) error {
	asked = asked[:min(len(asked), 50*dims)]
	l := newLists(set, count)
	radii := balls(l)
	quarter, half, four := prefix(set, dims/4), prefix(set, dims/2), coarsen(set)
	f := newFlat(set)
	fmt.Fprintf(out, "%d vectors, %d questions; the share of the vectors that a bound leaves\n", set.len(), asked.len())
	fmt.Fprintln(out, "| for the best | lists' centres and radii | a quarter of the numbers | half of them | four bits of each |")
	fmt.Fprintln(out, "|---|---|---|---|---|")
	for _, k := range sizes {
		var left [4]int
		for i := range asked.len() {
			q := asked.row(i)
			best := f.search(q, k)
			least := best[len(best)-1].score
			left[0] += radii.left(l, q, least)
			left[1] += quarter.left(q, least)
			left[2] += half.left(q, least)
			left[3] += four.left(q, least)
		}
		fmt.Fprintf(out, "| %d |", k)
		for _, n := range left {
			fmt.Fprintf(out, " %.4f |", float64(n)/float64(set.len()*asked.len()))
		}
		fmt.Fprintln(out)
	}
	return nil
}

// slack is more than what rounding takes from a bound; dot products are whole
// numbers.
const slack = 1e-3

func length(v []int8) float64 { return math.Sqrt(float64(embed.Dot(v, v))) }

// radii are the greatest distances of lists' vectors from their centres.
type radii []float64

func balls(l *lists) radii {
	out := make(radii, l.centres.len())
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
func (r radii) left(l *lists, q []int8, least int32) (n int) {
	embed.Scan(q, l.centres, dims, l.near)
	for c, s := range l.near {
		if float64(s)+length(q)*r[c]+slack >= float64(least) {
			n += l.at[c+1] - l.at[c]
		}
	}
	return n
}

// prefixes have the first numbers of each row, and the length of the others.
type prefixes struct {
	width int
	rows  []int8
	rest  []float64
	dots  []int32
}

func prefix(set vectors, width int) *prefixes {
	p := &prefixes{width: width, rest: make([]float64, set.len()), dots: make([]int32, set.len())}
	p.rows = make([]int8, 0, set.len()*width)
	for i := range set.len() {
		r := set.row(i)
		p.rows = append(p.rows, r[:width]...)
		p.rest[i] = length(r[width:])
	}
	return p
}

// left counts the rows whose other numbers may lift them to the score.
func (p *prefixes) left(q []int8, least int32) (n int) {
	embed.Scan(q[:p.width], p.rows, p.width, p.dots)
	rest := length(q[p.width:])
	for i, s := range p.dots {
		if float64(s)+rest*p.rest[i]+slack >= float64(least) {
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
		if float64(s)+size*c.lost[i]+slack >= float64(least) {
			n++
		}
	}
	return n
}
