package main

import (
	"math"

	"github.com/pindex-dev/pindex/embed"
)

// block is how many rows a search of halves looks at before it raises the score
// that a row must be able to reach.
const block = 4096

// halves is the exact scan in two steps: the first halves of all rows, and the
// second halves of those that may reach the best so far. What the second half
// adds is at most the product of both lengths.
type halves struct {
	first, second []int8
	rest          []uint16 // lengths of the second halves, rounded up

	dots, more []int32 // scratch
	ids        []int32
	part       []int8
	top        top
}

func newHalves(set vectors) *halves {
	h := &halves{rest: make([]uint16, set.len()), dots: make([]int32, block), more: make([]int32, block)}
	h.first, h.second = make([]int8, 0, len(set)/2), make([]int8, 0, len(set)/2)
	for i := range set.len() {
		r := set.row(i)
		h.first = append(h.first, r[:dims/2]...)
		h.second = append(h.second, r[dims/2:]...)
		h.rest[i] = uint16(math.Ceil(length(r[dims/2:])))
	}
	return h
}

// search returns the k best, those of the flat scan, which the next search
// overwrites.
func (h *halves) search(q []int8, k int) []hit {
	const half = dims / 2
	h.top.reset(k)
	rest := int32(math.Ceil(length(q[half:])))
	for from := 0; from < len(h.rest); from += block {
		lengths := h.rest[from:min(from+block, len(h.rest))]
		dots := h.dots[:len(lengths)]
		embed.Scan(q[:half], h.first[from*half:(from+len(dots))*half], half, dots)
		least := int64(h.top.least())
		h.ids, h.part = h.ids[:0], h.part[:0]
		for i, s := range dots {
			if int64(s+rest*int32(lengths[i])) >= least {
				h.ids = append(h.ids, int32(i))
				h.part = append(h.part, h.second[(from+i)*half:(from+i+1)*half]...)
			}
		}
		more := h.more[:len(h.ids)]
		embed.Scan(q[half:], h.part, half, more)
		for n, i := range h.ids {
			h.top.offer(hit{dots[i] + more[n], int32(from) + i})
		}
	}
	return h.top.best()
}

func (h *halves) bytes() int { return len(h.first) + len(h.second) + 2*len(h.rest) }
