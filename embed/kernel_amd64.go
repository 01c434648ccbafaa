package embed

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// scanAVX2 is Scan for dims a multiple of 32, with q widened to 16 bits. n
// must be positive.
//
//go:noescape
func scanAVX2(q *int16, rows *int8, dims, n int, dst *int32)

// scanFast scans with AVX2 where it can and reports whether it did.
func scanFast(q, rows []int8, dst []int32) bool {
	if !hasAVX2 || len(q)%32 != 0 || len(q) > MaxScanDims {
		return false
	}
	var wide [MaxScanDims]int16
	for i, v := range q {
		wide[i] = int16(v)
	}
	scanAVX2(&wide[0], &rows[0], len(q), len(dst), &dst[0])
	return true
}
