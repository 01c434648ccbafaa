package fetch

import (
	"cmp"
	"math/bits"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/order"
)

// viewSet is a set of views, one bit for each number below 8.
type viewSet uint8

func viewsOf(views []artifact.View) viewSet {
	var s viewSet
	for _, v := range views {
		s = s.with(v)
	}
	return s
}

func (s viewSet) with(v artifact.View) viewSet  { return s | 1<<v }
func (s viewSet) contains(v artifact.View) bool { return s&(1<<v) != 0 }
func (s viewSet) includes(other viewSet) bool   { return other&^s == 0 }
func (s viewSet) len() int                      { return bits.OnesCount8(uint8(s)) }

// subsets returns the sets of views out of of that have the units, those with
// the most views first.
func subsets(of viewSet) []viewSet {
	var list []viewSet
	for s := of; s != 0; s = (s - 1) & of {
		if s.contains(artifact.Units) {
			list = append(list, s)
		}
	}
	order.Stable(list, func(a, b viewSet) int { return cmp.Compare(b.len(), a.len()) })
	return list
}
