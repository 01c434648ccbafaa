package embed

// Dot returns the dot product of two vectors of equal length. The result is
// exact for up to 131,071 dimensions.
func Dot(a, b []int8) int32 {
	b = b[:len(a)]
	var s int32
	for i, v := range a {
		s += int32(v) * int32(b[i])
	}
	return s
}

// Scan fills dst with the dot product of q with each of the rows, which lie
// back to back: rows holds len(dst) × dims numbers, q holds dims, and dims is
// at most MaxScanDims. Too short a slice panics like any index out of range.
// The results are those of Dot, whatever instructions the processor has.
func Scan(q, rows []int8, dims int, dst []int32) {
	q, rows = q[:dims], rows[:len(dst)*dims]
	if len(rows) == 0 {
		clear(dst)
		return
	}
	if !scanFast(q, rows, dst) {
		scanPortable(q, rows, dst)
	}
}

// MaxScanDims is the length of the longest vector that Scan takes.
const MaxScanDims = 4096

func scanPortable(q, rows []int8, dst []int32) {
	dims := len(q)
	for i := range dst {
		row := rows[i*dims : (i+1)*dims : (i+1)*dims]
		var s0, s1, s2, s3 int32
		j := 0
		for ; j+4 <= len(row) && j+4 <= len(q); j += 4 {
			s0 += int32(row[j]) * int32(q[j])
			s1 += int32(row[j+1]) * int32(q[j+1])
			s2 += int32(row[j+2]) * int32(q[j+2])
			s3 += int32(row[j+3]) * int32(q[j+3])
		}
		for ; j < len(row); j++ {
			s0 += int32(row[j]) * int32(q[j])
		}
		dst[i] = s0 + s1 + s2 + s3
	}
}
