package main

import "slices"

// hit is a vector's number with its dot product.
type hit struct {
	score int32
	id    int32
}

// top keeps the k best that it is offered: higher scores first, then lower
// numbers.
type top struct {
	k    int
	hits []hit // a heap with the worst of them at 0
}

func worse(a, b hit) bool { return a.score < b.score || a.score == b.score && a.id > b.id }

func (t *top) reset(k int) { t.k, t.hits = k, t.hits[:0] }

// least is the score that a hit must reach.
func (t *top) least() int32 {
	if len(t.hits) < t.k {
		return -1 << 31
	}
	return t.hits[0].score
}

func (t *top) offer(h hit) {
	if len(t.hits) < t.k {
		t.hits = append(t.hits, h)
		for i := len(t.hits) - 1; i > 0; {
			up := (i - 1) / 2
			if !worse(t.hits[i], t.hits[up]) {
				return
			}
			t.hits[i], t.hits[up] = t.hits[up], t.hits[i]
			i = up
		}
		return
	}
	if !worse(t.hits[0], h) {
		return
	}
	t.hits[0] = h
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(t.hits) {
			return
		}
		if c+1 < len(t.hits) && worse(t.hits[c+1], t.hits[c]) {
			c++
		}
		if !worse(t.hits[c], t.hits[i]) {
			return
		}
		t.hits[i], t.hits[c] = t.hits[c], t.hits[i]
		i = c
	}
}

// best returns the hits, best first. It leaves them sorted, so that the next
// use must reset.
func (t *top) best() []hit {
	slices.SortFunc(t.hits, func(a, b hit) int {
		switch {
		case worse(b, a):
			return -1
		case worse(a, b):
			return 1
		}
		return 0
	})
	return t.hits
}

// overlap counts the vectors that both lists have. Where scores are equal any
// of them is as good: what reaches the lowest wanted score counts, as many
// times as the list is long.
func overlap(got, want []hit) int {
	if len(want) == 0 {
		return 0
	}
	n, least := 0, want[len(want)-1].score
	for _, h := range got {
		if h.score >= least {
			n++
		}
	}
	return min(n, len(want))
}
