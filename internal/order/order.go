// Package order sorts slices whose sorting costs nothing that matters, with one
// copy of the algorithm in the program: the functions of package slices bring a
// copy for each type of element, of 25 kB, and a dozen types made the client 3%
// larger. Where a query sorts long lists, use package slices.
package order

import "sort"

// Sort orders s by cmp, which returns less than 0 where a comes before b.
// Elements that compare as equal may end in any order.
func Sort[T any](s []T, cmp func(a, b T) int) {
	sort.Slice(s, func(i, j int) bool { return cmp(s[i], s[j]) < 0 })
}

// Stable orders s by cmp and leaves elements that compare as equal in their
// order.
func Stable[T any](s []T, cmp func(a, b T) int) {
	sort.SliceStable(s, func(i, j int) bool { return cmp(s[i], s[j]) < 0 })
}
