//go:build !amd64

package main

func kernel(k int, a, b, c []float32, ldc int) { kernelPortable(k, a, b, c, ldc) }
func axpy(c float32, x, y []float32)           { axpyPortable(c, x, y) }
func dot(x, y []float32) float32               { return dotPortable(x, y) }
