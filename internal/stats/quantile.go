// Package stats has what the programs that measure pindex share.
package stats

import "slices"

// Quantile is the smallest of the values, which need not be sorted, that at
// least the share q (0 to 1) of them does not exceed; 0 for none.
func Quantile(v []float64, q float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	i := int(q*float64(len(v))+0.999999) - 1
	return v[max(0, min(i, len(v)-1))]
}
