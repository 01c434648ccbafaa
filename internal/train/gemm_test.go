package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

func random(n int) []float32 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	out := make([]float32, n)
	for i := range out {
		out[i] = r.Float32()*2 - 1
	}
	return out
}

func near(t *testing.T, what string, got, want float32) {
	t.Helper()
	if math.Abs(float64(got-want)) > 1e-3 {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

func TestProduct(t *testing.T) {
	const m, n, k = 16, 64, 48
	a, b := random(m*k), random(n*k)
	pa, pb, c := make([]float32, m*k), make([]float32, n*k), make([]float32, m*n)
	packByRow(pa, a, k, panelRows, 0, m/panelRows)
	packByRow(pb, b, k, panelCols, 0, n/panelCols)
	product(c, pa, pb, n, k, 0, m/panelRows)
	for i := range m {
		for j := range n {
			near(t, "product", c[i*n+j], dotPortable(a[i*k:(i+1)*k], b[j*k:(j+1)*k]))
		}
	}
	// The transposes, column by column.
	at := make([]float32, m*k)
	for i := range m {
		for s := range k {
			at[s*m+i] = a[i*k+s]
		}
	}
	clear(pa)
	packByColumn(pa, at, k, m, panelRows, 0, m/panelRows)
	product(c, pa, pb, n, k, 0, m/panelRows)
	near(t, "transposed product", c[5*n+7], dotPortable(a[5*k:6*k], b[7*k:8*k]))
	kernelPortable(k, pa, pb, c, n)
	near(t, "portable kernel", c[3*n+4], dotPortable(a[3*k:4*k], b[4*k:5*k]))
}

func TestAxpyAndDot(t *testing.T) {
	x, y := random(128), random(144)[:128]
	want := append([]float32(nil), y...)
	near(t, "dot", dot(x, y), dotPortable(x, y))
	axpyPortable(0.5, x, want)
	axpy(0.5, x, y)
	for i := range y {
		near(t, "axpy", y[i], want[i])
	}
}

func TestFastExp(t *testing.T) {
	for x := float32(-30); x <= 0; x += 0.37 {
		if got, want := float64(fastExp(x)), math.Exp(float64(x)); math.Abs(got-want) > 1e-5*want {
			t.Errorf("fastExp(%v) = %v, want %v", x, got, want)
		}
	}
}

// TestStepDescends compares the gradient's effect with the loss: steps on one
// batch must lower it.
func TestStepDescends(t *testing.T) {
	v := &vocabulary{words: make([]string, 500), df: make([]float64, 500)}
	for i := range v.df {
		v.df[i] = 0.01
	}
	tr := newTrainer(options{batch: 64, dims: 64, scale: 10, rate: 0.2, rateW: 0.05, seed: 1}, v)
	r := rand.New(rand.NewPCG(3, 3))
	for i := range 64 {
		for s := range 2 {
			b := bag{}
			for id := r.IntN(50); id < 500; id += 1 + r.IntN(90) {
				b = append(b, wordN{uint16(id), uint8(1 + r.IntN(4))})
			}
			tr.sides[s][i] = b
		}
	}
	first := tr.step(1)
	last := first
	for range 60 {
		last = tr.step(1)
	}
	if !(last < first/2) {
		t.Errorf("loss went from %v to %v", first, last)
	}
}
