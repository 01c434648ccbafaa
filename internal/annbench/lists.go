package main

import (
	"math"

	"github.com/pindex-dev/pindex/embed"
)

// perList is how many vectors of the set a list's centre is trained on: more
// move the centres little and cost as much time as they are.
const perList = 64

// lists are a deterministic inverted file: each vector stands in the list of
// the nearest of some centres, and a search scans the lists whose centres are
// nearest to the question exactly.
type lists struct {
	centres vectors
	rows    vectors // list by list
	ids     []int32 // numbers of the rows in the set
	at      []int   // where each list begins in ids, and the end

	near []int32 // scratch
	dots []int32
	top  top
	far  top
}

// newLists makes count lists of the set, √n when count is 0: four rounds of
// k-means, from seeds and on a sample that are spread evenly over the set.
func newLists(set vectors, count int) *lists {
	n := set.len()
	if count <= 0 {
		count = int(math.Sqrt(float64(n)))
	}
	count = max(1, min(count, n))
	l := &lists{near: make([]int32, count)}
	for i := range count {
		l.centres = append(l.centres, set.row(i*(n/count))...)
	}
	step := max(1, n/(count*perList))
	sums := make([]int64, count*dims)
	for range 4 {
		clear(sums)
		for i := 0; i < n; i += step {
			sum := sums[l.nearest(set.row(i))*dims:][:dims]
			for d, x := range set.row(i) {
				sum[d] += int64(x)
			}
		}
		for c := range count {
			scale(sums[c*dims:(c+1)*dims], l.centres.row(c))
		}
	}
	of := make([]int32, n)
	size := make([]int, count+1)
	for i := range n {
		c := l.nearest(set.row(i))
		of[i] = int32(c)
		size[c+1]++
	}
	longest := 0
	for c := range count {
		longest = max(longest, size[c+1])
		size[c+1] += size[c]
	}
	l.at = size
	l.rows, l.ids, l.dots = make(vectors, len(set)), make([]int32, n), make([]int32, longest)
	next := append([]int(nil), size...)
	for i := range n {
		to := next[of[i]]
		next[of[i]]++
		copy(l.rows.row(to), set.row(i))
		l.ids[to] = int32(i)
	}
	return l
}

// nearest is the number of the centre with the highest dot product, the first
// of several.
func (l *lists) nearest(v []int8) int {
	embed.Scan(v, l.centres, dims, l.near)
	b := 0
	for i, s := range l.near {
		if s > l.near[b] {
			b = i
		}
	}
	return b
}

// scale writes the sum of vectors, scaled to embed.Norm. A sum of zero leaves
// the centre where it was.
func scale(sum []int64, into []int8) {
	sq := 0.0
	for _, x := range sum {
		sq += float64(x) * float64(x)
	}
	if sq == 0 {
		return
	}
	f := embed.Norm / math.Sqrt(sq)
	for d, x := range sum {
		into[d] = int8(max(-127, min(127, math.Round(float64(x)*f))))
	}
}

// search scans the probes nearest lists and returns the k best, which the next
// search overwrites.
func (l *lists) search(q []int8, k, probes int) []hit {
	embed.Scan(q, l.centres, dims, l.near)
	l.far.reset(probes)
	for c, s := range l.near {
		l.far.offer(hit{s, int32(c)})
	}
	l.top.reset(k)
	for _, c := range l.far.hits {
		from, to := l.at[c.id], l.at[c.id+1]
		dots := l.dots[:to-from]
		embed.Scan(q, l.rows[from*dims:to*dims], dims, dots)
		least := l.top.least()
		for i, s := range dots {
			if s >= least {
				l.top.offer(hit{s, l.ids[from+i]})
				least = l.top.least()
			}
		}
	}
	return l.top.best()
}

func (l *lists) bytes() int { return len(l.rows) + len(l.centres) + 4*len(l.ids) + 8*len(l.at) }
