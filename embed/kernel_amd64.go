package embed

import "golang.org/x/sys/cpu"

var (
	hasAVX2 = cpu.X86.HasAVX2
	hasVNNI = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VNNI
)

// scanAVX2 is Scan for dims a multiple of 32, with q widened to 16 bits. n
// must be positive.
//
//go:noescape
func scanAVX2(q *int16, rows *int8, dims, n int, dst *int32)

// scanVNNI is Scan for dims a multiple of 64. less is -128 times the sum of q,
// n must be positive.
//
//go:noescape
func scanVNNI(q, rows *int8, dims, n int, less int32, dst *int32)

// scanFast scans with vector instructions where it can and reports whether it
// did.
func scanFast(q, rows []int8, dst []int32) bool {
	switch {
	case len(q) > MaxScanDims:
		return false
	case hasVNNI && len(q)%64 == 0:
		var sum int32
		for _, v := range q {
			sum += int32(v)
		}
		scanVNNI(&q[0], &rows[0], len(q), len(dst), -128*sum, &dst[0])
		return true
	case hasAVX2 && len(q)%32 == 0:
		scanWide(q, rows, dst)
		return true
	}
	return false
}

// scanWide scans with AVX2.
func scanWide(q, rows []int8, dst []int32) {
	var wide [MaxScanDims]int16
	for i, v := range q {
		wide[i] = int16(v)
	}
	scanAVX2(&wide[0], &rows[0], len(q), len(dst), &dst[0])
}
