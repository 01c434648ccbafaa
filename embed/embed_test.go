package embed

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

func randomBytes(r *rand.Rand, n int, edges bool) []int8 {
	b := make([]int8, n)
	for i := range b {
		b[i] = int8(r.Uint32())
		if edges {
			b[i] = []int8{-128, 127, 0, -128}[r.IntN(4)]
		}
	}
	return b
}

// TestKernelsAgree compares every implementation with the definition.
func TestKernelsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	fast := false
	for _, dims := range []int{1, 3, 4, 31, 32, 33, 64, 96, 256, 384, 1000, 1024, 3072, MaxScanDims, MaxScanDims + 32} {
		for _, n := range []int{0, 1, 2, 3, 7, 50} {
			for _, edges := range []bool{false, true} {
				q, rows := randomBytes(r, dims, edges), randomBytes(r, dims*n, edges)
				want := make([]int32, n)
				for i := range want {
					want[i] = Dot(q, rows[i*dims:(i+1)*dims])
				}
				got := make([]int32, n)
				Scan(q, rows, dims, got)
				if !slices.Equal(got, want) {
					t.Fatalf("Scan of %d rows of %d: %v, want %v", n, dims, got, want)
				}
				scanPortable(q, rows, got)
				if !slices.Equal(got, want) {
					t.Fatalf("portable scan of %d rows of %d: %v, want %v", n, dims, got, want)
				}
				if n > 0 {
					clear(got)
					if scanFast(q, rows, got) {
						fast = true
						if !slices.Equal(got, want) {
							t.Fatalf("fast scan of %d rows of %d: %v, want %v", n, dims, got, want)
						}
					}
				}
			}
		}
	}
	if fast != fastExpected() {
		t.Fatalf("the fast kernel ran: %v, want %v", fast, fastExpected())
	}
}

func doc(body string) Document {
	return Document{Path: "src/flask/app.py", Symbol: []byte("Flask.url_for"), Signature: [][]byte{[]byte("def url_for(self, endpoint)")}, Body: [][]byte{[]byte(body)}}
}

func embed(e Embedder, d Document) []int8 {
	v := make([]int8, e.Dims())
	e.Embed(d, v)
	return v
}

func TestEmbedIsSimilarWhereWordsAre(t *testing.T) {
	e := NewHashed()
	q := make([]int8, e.Dims())
	e.EmbedQuery("build the url for an endpoint", q)
	near := embed(e, doc("return adapter.build(endpoint, values, url_scheme=scheme)"))
	far := embed(e, Document{Path: "lib/matrix.c", Body: [][]byte{[]byte("for (row = 0; row < height; row++) transpose(matrix, row)")}})
	if Dot(q, near) < Dot(q, far)+Norm*Norm/4 {
		t.Fatalf("a document with the question's words scores %d, another %d", Dot(q, near), Dot(q, far))
	}
	for _, v := range [][]int8{q, near, far} {
		if d := Dot(v, v); d < Norm*Norm*95/100 || d > Norm*Norm*105/100 {
			t.Errorf("a vector's length squared is %d, want about %d", d, Norm*Norm)
		}
	}
	if v := embed(e, Document{}); !slices.Equal(v, make([]int8, e.Dims())) {
		t.Error("an empty document's vector is not zero")
	}
}

// TestEmbedGolden pins the bytes: a change here is a change of θ and needs
// another model version.
func TestEmbedGolden(t *testing.T) {
	e := NewHashed()
	v := embed(e, doc("return adapter.build(endpoint, values)"))
	const want uint64 = 0x31856eac51b3eaca
	if got := fingerprint(v); got != want {
		t.Errorf("vector has fingerprint %#x, want %#x", got, want)
	}
	const wantModel uint64 = 0x876d1b3888159dc4
	m := make([]int8, len(e.Model()))
	for i, b := range e.Model() {
		m[i] = int8(b)
	}
	if got := fingerprint(m); got != wantModel {
		t.Errorf("model has fingerprint %#x, want %#x", got, wantModel)
	}
}

func fingerprint(v []int8) uint64 {
	h := uint64(14695981039346656037)
	for _, x := range v {
		h = (h ^ uint64(uint8(x))) * 1099511628211
	}
	return h
}

func TestEmbedTerms(t *testing.T) {
	e := NewHashed()
	a, b := make([]int8, e.Dims()), make([]int8, e.Dims())
	e.EmbedTerms([]WeightedTerm{{"alpha", 3}, {"beta", 1}, {"gamma", 0}}, a)
	e.EmbedTerms([]WeightedTerm{{"alpha", 3 << 20}, {"beta", 1 << 20}}, b)
	if !slices.Equal(a, b) {
		t.Error("only the ratio of weights should matter")
	}
	e.EmbedTerms([]WeightedTerm{{"alpha", 1}}, a)
	e.EmbedQuery("alpha", b)
	if !slices.Equal(a, b) {
		t.Error("one term and a question of one word differ")
	}
	e.EmbedTerms(nil, a)
	if !slices.Equal(a, make([]int8, e.Dims())) {
		t.Error("no terms should give the zero vector")
	}
}

func TestEmbedDoesNotDependOnHistory(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	used := NewHashed()
	for range 300 {
		b := make([]byte, r.IntN(4000))
		for i := range b {
			b[i] = "abcde fgh_IJ\n.(0"[r.IntN(16)]
		}
		d := doc(string(b))
		got := embed(used, d)
		if !slices.Equal(got, embed(NewHashed(), d)) || !slices.Equal(got, embed(used.Clone(), d)) {
			t.Fatal("a used embedder gives another vector than a fresh one")
		}
	}
}

func TestModelRoundTrip(t *testing.T) {
	e := NewHashed()
	o, err := OpenModel(bytes.Clone(e.Model()))
	if err != nil {
		t.Fatal(err)
	}
	d := doc("open(path) and read a model")
	if o.Name() != e.Name() || o.Dims() != e.Dims() || !bytes.Equal(o.Model(), e.Model()) || !slices.Equal(embed(e, d), embed(o, d)) {
		t.Error("the model read back differs")
	}
}

func TestOpenModelRefuses(t *testing.T) {
	m := NewHashed().Model()
	for i := range m {
		b := bytes.Clone(m)
		b[i] ^= 0x41
		_, err := OpenModel(b)
		if !errors.Is(err, ErrModel) && !errors.Is(err, ErrModelTooNew) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
	}
	for n := range m {
		if _, err := OpenModel(m[:n]); !errors.Is(err, ErrModel) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
}

func FuzzOpenModel(f *testing.F) {
	f.Add(NewHashed().Model(), []byte("parseHTTPHeader2 of a request"))
	f.Add(smallModel(f).Model(), []byte("routepath of a request, matrixlock"))
	f.Add(toyRemote(f).Model(), []byte("a question"))
	f.Fuzz(func(t *testing.T, b, text []byte) {
		e, err := OpenModel(mend(bytes.Clone(b)))
		if err != nil {
			return
		}
		v := make([]int8, e.Dims())
		e.Embed(Document{Body: [][]byte{text}}, v)
		for _, x := range v {
			if x == -128 {
				t.Fatal("a vector holds -128")
			}
		}
		e.EmbedQuery(string(text), v)
	})
}

func BenchmarkScan(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const dims, n = 256, 4096
	q, rows, dst := randomBytes(r, dims, false), randomBytes(r, dims*n, false), make([]int32, n)
	b.Run("fast", func(b *testing.B) {
		b.SetBytes(dims * n)
		for b.Loop() {
			Scan(q, rows, dims, dst)
		}
	})
	b.Run("portable", func(b *testing.B) {
		b.SetBytes(dims * n)
		for b.Loop() {
			scanPortable(q, rows, dst)
		}
	})
}
