package main

// Panels of the matrix product: 8 rows of the left matrix and 32 columns of
// the right one, stored step by step.
const (
	panelRows = 8
	panelCols = 32
)

func kernelPortable(k int, a, b, c []float32, ldc int) {
	var sum [panelRows * panelCols]float32
	for s := range k {
		br := b[s*panelCols : (s+1)*panelCols]
		for i := range panelRows {
			x := a[s*panelRows+i]
			row := sum[i*panelCols : (i+1)*panelCols]
			for j, y := range br {
				row[j] += x * y
			}
		}
	}
	for i := range panelRows {
		copy(c[i*ldc:i*ldc+panelCols], sum[i*panelCols:])
	}
}

func axpyPortable(c float32, x, y []float32) {
	for i, v := range x {
		y[i] += c * v
	}
}

func dotPortable(x, y []float32) (s float32) {
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

// packByRow packs the rows of a row-major m × k matrix into panels.
func packByRow(dst, src []float32, k, width, lo, hi int) {
	for p := lo; p < hi; p++ {
		out := dst[p*width*k : (p+1)*width*k]
		for i := range width {
			row := src[(p*width+i)*k : (p*width+i+1)*k]
			for s, v := range row {
				out[s*width+i] = v
			}
		}
	}
}

// packByColumn packs the columns of a row-major k × m matrix into panels.
func packByColumn(dst, src []float32, k, m, width, lo, hi int) {
	for p := lo; p < hi; p++ {
		out := dst[p*width*k : (p+1)*width*k]
		for s := range k {
			copy(out[s*width:(s+1)*width], src[s*m+p*width:])
		}
	}
}

// product fills rows [lo, hi) × panelRows of c, m × n, with the product of
// packed panels.
func product(c, a, b []float32, n, k, lo, hi int) {
	for q := range n / panelCols {
		for p := lo; p < hi; p++ {
			kernel(k, a[p*panelRows*k:], b[q*panelCols*k:], c[p*panelRows*n+q*panelCols:], n)
		}
	}
}
