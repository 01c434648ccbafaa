package tools

import "testing"

// Behind what did not fit, or what was one too many, goes the next page.
func TestPage(t *testing.T) {
	for _, c := range []struct {
		offset, k, results, fit, next int
	}{
		{0, 3, 2, 2, 0},
		{0, 3, 3, 3, 0},
		{0, 3, 4, 3, 3},
		{3, 3, 4, 1, 0},
		{2, 3, 9, 3, 5},
		{2, 3, 9, 1, 3},
		{0, 3, 3, 0, 0}, // nothing fits: going on would be the same again
		{9, 3, 4, 0, 0},
	} {
		p := page{offset: c.offset, k: c.k}
		for range c.results {
			if p.wants() {
				p.items = append(p.items, item{})
			}
		}
		if got := p.next(c.fit); got != c.next {
			t.Errorf("%+v: the next page is at %d", c, got)
		}
		if p.offset+len(p.items) >= p.ask(false) || p.ask(true) <= p.ask(false) {
			t.Errorf("%+v: %d and %d results are asked for", c, p.ask(false), p.ask(true))
		}
	}
}
