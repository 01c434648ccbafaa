package main

import "github.com/pindex-dev/pindex/embed"

// flat is the exact scan of every vector.
type flat struct {
	rows vectors
	dots []int32
	top  top
}

func newFlat(rows vectors) *flat { return &flat{rows: rows, dots: make([]int32, rows.len())} }

// search returns the k best, which the next search overwrites.
func (f *flat) search(q []int8, k int) []hit {
	embed.Scan(q, f.rows, dims, f.dots)
	f.top.reset(k)
	least := f.top.least()
	for i, s := range f.dots {
		if s > least || len(f.top.hits) < k {
			f.top.offer(hit{s, int32(i)})
			least = f.top.least()
		}
	}
	return f.top.best()
}

func (f *flat) bytes() int { return len(f.rows) }
