package embed

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func toyVector(seed uint64, dims int) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

func toyRemote(tb testing.TB) *Remote {
	tb.Helper()
	m, err := NewRemote(Remote{ModelName: "toy", ServedDims: 100, QueryPrefix: "query: ", TextPrefix: "", Print: PrintOf(toyVector(1, 100))})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func TestRemoteModelRoundTrip(t *testing.T) {
	m := toyRemote(t)
	e, err := OpenModel(bytes.Clone(m.Model()))
	if err != nil {
		t.Fatal(err)
	}
	r := e.(*Remote)
	if r.ModelName != "toy" || r.ServedDims != 100 || r.Dims() != 128 || r.QueryPrefix != "query: " || r.TextPrefix != "" || r.Print != m.Print {
		t.Errorf("read back: %+v", r)
	}
	for i := range m.Model() {
		b := bytes.Clone(m.Model())
		b[i] ^= 0x41
		if _, err := OpenModel(b); !errors.Is(err, ErrModel) && !errors.Is(err, ErrModelTooNew) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
		if _, err := OpenModel(m.Model()[:i]); !errors.Is(err, ErrModel) {
			t.Fatalf("cut to %d bytes: %v", i, err)
		}
	}
	for name, bad := range map[string]Remote{
		"no name":      {ServedDims: 100},
		"control":      {ModelName: "a\x1bb", ServedDims: 100},
		"too few":      {ModelName: "a", ServedDims: 3},
		"too many":     {ModelName: "a", ServedDims: MaxRemoteDims + 1},
		"print":        {ModelName: "a", ServedDims: 8, Print: Print{100}},
		"long":         {ModelName: "a", ServedDims: 100, Print: m.Print, TextPrefix: string(make([]byte, 2000))},
		"print twice":  {ModelName: "a", ServedDims: 100, Print: Print{0, 1, 4, 6, 8, 10, 12, 14}},
		"prefix bytes": {ModelName: "a", ServedDims: 100, Print: m.Print, TextPrefix: "\xff"},
	} {
		if _, err := NewRemote(bad); !errors.Is(err, ErrModel) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPrint: what differs between processors is one model, another model is not.
func TestPrint(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	same := 0
	for seed := range uint64(200) {
		v := toyVector(seed, 384)
		near := slices.Clone(v)
		for i := range near {
			near[i] *= 1 + float32(r.NormFloat64())*1e-5
		}
		if PrintOf(v) == PrintOf(near) {
			same++
		}
		if !PrintOf(v).Like(PrintOf(near)) {
			t.Errorf("seed %d: a vector is not like itself with noise", seed)
		}
		if PrintOf(v).Like(PrintOf(toyVector(seed+1000, 384))) {
			t.Errorf("seed %d: two models are alike", seed)
		}
	}
	if same < 195 {
		t.Errorf("noise of 1e-5 changed %d prints of 200", 200-same)
	}
}

func TestQuantise(t *testing.T) {
	m := toyRemote(t)
	row := make([]int8, m.Dims())
	v := toyVector(3, 100)
	if !m.Quantise(v, row) {
		t.Fatal("refused")
	}
	if d := Dot(row, row); d < Norm*Norm*95/100 || d > Norm*Norm*105/100 {
		t.Errorf("the length squared is %d", d)
	}
	for i := range v {
		v[i] *= 1e-3
	}
	small := make([]int8, m.Dims())
	if !m.Quantise(v, small) || !slices.Equal(row, small) {
		t.Error("the length of what the server gives matters")
	}
	spike := make([]float32, 100)
	spike[4] = -2
	if !m.Quantise(spike, row) || row[4] != -127 {
		t.Errorf("one coordinate gives %d", row[4])
	}
	if !m.Quantise(make([]float32, 100), row) || !slices.Equal(row, make([]int8, m.Dims())) {
		t.Error("zero is not zero")
	}
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		spike[9] = bad
		if m.Quantise(spike, row) {
			t.Errorf("%v was taken", bad)
		}
	}
	if m.Quantise(spike[:99], row) {
		t.Error("other dimensions were taken")
	}
}
