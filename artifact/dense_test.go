package artifact

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func randomDense(r *rand.Rand, n, dims int, gaps bool) *DenseData {
	d := &DenseData{Model: DigestOf([]byte("model")), Dims: dims}
	doc := uint32(0)
	for range n {
		if gaps {
			doc += uint32(r.IntN(300))
		}
		d.Docs = append(d.Docs, doc)
		doc++
		var k [16]byte
		for i := range k {
			k[i] = byte(r.Uint32())
		}
		d.Keys = append(d.Keys, k)
		for range dims {
			d.Rows = append(d.Rows, int8(r.Uint32()))
		}
	}
	return d
}

func TestDenseRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 2, 17, 300} {
		for _, gaps := range []bool{false, true} {
			d := randomDense(r, n, 1+r.IntN(70), gaps)
			b, err := EncodeDense(DigestOf([]byte("key")), d)
			if err != nil {
				t.Fatal(err)
			}
			got, err := OpenDense(b)
			if err != nil {
				t.Fatal(err)
			}
			if got.Len() != n || got.Dims() != d.Dims || got.Model() != d.Model || got.SegmentKey() != DigestOf([]byte("key")) || !slices.Equal(got.Rows(), d.Rows) {
				t.Fatalf("%d rows: header or rows differ", n)
			}
			for i := range n {
				if got.Doc(i) != d.Docs[i] || got.Key(i) != d.Keys[i] {
					t.Fatalf("row %d differs", i)
				}
			}
		}
	}
}

func TestDenseRefuses(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for name, change := range map[string]func(d *DenseData){
		"no dimensions": func(d *DenseData) { d.Dims = 0 },
		"dimensions":    func(d *DenseData) { d.Dims = maxDenseDims + 1 },
		"keys":          func(d *DenseData) { d.Keys = d.Keys[1:] },
		"rows":          func(d *DenseData) { d.Rows = d.Rows[1:] },
		"order":         func(d *DenseData) { d.Docs[3] = d.Docs[2] },
	} {
		d := randomDense(r, 5, 8, true)
		change(d)
		if _, err := EncodeDense(Digest{}, d); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzOpenDense(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, gaps := range []bool{false, true} {
		b, err := EncodeDense(Digest{}, randomDense(r, 9, 8, gaps))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := OpenDense(mendChecksums(slices.Clone(b)))
		if err != nil {
			return
		}
		for i := range d.Len() {
			_, _ = d.Doc(i), d.Key(i)
		}
		if len(d.Rows()) != d.Len()*d.Dims() {
			t.Fatal("rows do not fit")
		}
	})
}

func TestDenseGolden(t *testing.T) {
	d := &DenseData{Model: DigestOf([]byte("model")), Dims: 4}
	for i := range 5 {
		d.Docs = append(d.Docs, uint32(i*300))
		d.Keys = append(d.Keys, [16]byte(make([]byte, 16)))
		d.Keys[i][i] = byte(i + 1)
		d.Rows = append(d.Rows, int8(i), int8(-i), 127, -127)
	}
	b, err := EncodeDense(DigestOf([]byte("key")), d)
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenDense(goldenSegment(t, "dense.v0.seg", b))
	if err != nil {
		t.Fatal(err)
	}
	if r.Len() != 5 || r.Doc(4) != 1200 || r.Key(2) != d.Keys[2] || !slices.Equal(r.Rows(), d.Rows) || r.Model() != d.Model {
		t.Error("the golden segment reads otherwise than it was written")
	}
}
