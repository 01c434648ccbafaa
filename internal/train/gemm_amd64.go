package main

import "golang.org/x/sys/cpu"

//go:noescape
func kern8x32AVX512(k int, a, b, c *float32, ldc int)

//go:noescape
func axpyAVX512(c float32, x, y *float32, n int)

//go:noescape
func dotAVX512(x, y *float32, n int) float32

var fast = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ

func kernel(k int, a, b, c []float32, ldc int) {
	if fast {
		kern8x32AVX512(k, &a[0], &b[0], &c[0], ldc)
		return
	}
	kernelPortable(k, a, b, c, ldc)
}

// axpy adds c × x to y. The length is a multiple of 16.
func axpy(c float32, x, y []float32) {
	if fast {
		axpyAVX512(c, &x[0], &y[0], len(x))
		return
	}
	axpyPortable(c, x, y)
}

// dot returns the dot product. The length is a multiple of 16.
func dot(x, y []float32) float32 {
	if fast {
		return dotAVX512(&x[0], &y[0], len(x))
	}
	return dotPortable(x, y)
}
