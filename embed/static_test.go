package embed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// smallModel has a few words with vectors that look trained: those of one
// subject point one way.
func smallModel(tb testing.TB) Embedder {
	tb.Helper()
	b, err := EncodeStatic(smallStatic())
	if err != nil {
		tb.Fatal(err)
	}
	e, err := OpenModel(b)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func smallStatic() *StaticModel {
	subjects := [][]string{
		{"url", "route", "path", "endpoint", "request", "adapter"},
		{"matrix", "row", "column", "transpose", "vector", "scale"},
		{"lock", "mutex", "thread", "wait", "signal", "atomic"},
		{"the", "of", "self", "return", "for"},
	}
	m := &StaticModel{Dims: 64, Fields: [5]uint16{4, 8, 4, 4, 4}, Unit: 4, Freq: StaticFrequency(4, 256), Piece: 3}
	r := rand.New(rand.NewPCG(7, 7))
	for i, words := range subjects {
		way := randomBytes(r, m.Dims, false)
		for _, w := range words {
			m.Words = append(m.Words, w)
			m.Weights = append(m.Weights, []uint16{60000, 50000, 65535, 900}[i])
			for _, x := range way {
				m.Vectors = append(m.Vectors, int8((int(x)*3+int(int8(r.Uint32())))/4))
			}
		}
	}
	return m
}

func query(e Embedder, q string) []int8 {
	v := make([]int8, e.Dims())
	e.EmbedQuery(q, v)
	return v
}

func TestStaticMeaning(t *testing.T) {
	e := smallModel(t)
	q := query(e, "how is the route of a request found")
	near := embed(e, Document{Body: [][]byte{[]byte("return self.adapter(endpoint)")}})
	far := embed(e, Document{Body: [][]byte{[]byte("for row in matrix: transpose(row)")}})
	if Dot(q, near) < Dot(q, far)+Norm*Norm/4 {
		t.Fatalf("a document on the question's subject scores %d, another %d", Dot(q, near), Dot(q, far))
	}
	for _, v := range [][]int8{q, near, far} {
		if d := Dot(v, v); d < Norm*Norm*95/100 || d > Norm*Norm*105/100 {
			t.Errorf("a vector's length squared is %d, want about %d", d, Norm*Norm)
		}
	}
}

func TestStaticWords(t *testing.T) {
	e := smallModel(t)
	same := func(a, b string) {
		t.Helper()
		if !slices.Equal(query(e, a), query(e, b)) {
			t.Errorf("%q and %q differ", a, b)
		}
	}
	same("routePath", "route path")
	same("route_path", "path route")
	same("ROUTE", "route")
	same("routepath", "route path")      // an unknown word is cut into known ones
	same("xxroutexxpathx", "route path") // what is left over has no share
	same("0xroute", "")                  // but not a number
	same("quux", "")
	same("", " \xff")
	if v := query(e, "quux"); !slices.Equal(v, make([]int8, e.Dims())) {
		t.Error("a text without a known word has a vector")
	}
	// The logarithm of their number.
	a, b := query(e, "lock lock lock matrix"), query(e, "lock matrix")
	lock := query(e, "lock")
	if Dot(a, lock) <= Dot(b, lock) {
		t.Error("more of a word does not count more")
	}
}

func TestStaticFieldsCount(t *testing.T) {
	e := smallModel(t)
	lock := query(e, "lock")
	body := embed(e, Document{Body: [][]byte{[]byte("lock matrix")}})
	symbol := embed(e, Document{Symbol: []byte("lock"), Body: [][]byte{[]byte("matrix")}})
	if Dot(symbol, lock) <= Dot(body, lock) {
		t.Error("a field of twice the steps counts no more")
	}
	all := embed(e, Document{Path: "lock", Signature: [][]byte{[]byte("mutex")}, Doc: [][]byte{[]byte("wait")}, Body: [][]byte{[]byte("thread")}})
	if !slices.Equal(all, query(e, "lock mutex wait thread")) {
		t.Error("fields of one weight are not one text")
	}
}

func TestStaticTerms(t *testing.T) {
	e := smallModel(t)
	a, b := make([]int8, e.Dims()), make([]int8, e.Dims())
	e.EmbedTerms([]WeightedTerm{{"route", 3}, {"lock", 1}, {"matrix", 0}}, a)
	e.EmbedTerms([]WeightedTerm{{"route", 3 << 20}, {"lock", 1 << 20}}, b)
	if d := Dot(a, b); d < Norm*Norm*99/100 {
		t.Error("only the ratio of weights should matter")
	}
	e.EmbedTerms([]WeightedTerm{{"route", 1}}, a)
	if !slices.Equal(a, query(e, "route")) {
		t.Error("one term and a question of one word differ")
	}
	e.EmbedTerms([]WeightedTerm{{"route", math.MaxUint32}, {"quux", 5}}, b)
	if !slices.Equal(a, b) {
		t.Error("an unknown term has a share")
	}
	e.EmbedTerms(nil, a)
	if !slices.Equal(a, make([]int8, e.Dims())) {
		t.Error("no terms should give the zero vector")
	}
}

// TestStaticExtremes has sums that 32 bits do not hold.
func TestStaticExtremes(t *testing.T) {
	m := &StaticModel{Dims: 32, Fields: [5]uint16{1024, 1024, 1024, 1024, 1024}, Unit: 1, Freq: slices.Repeat([]uint16{math.MaxUint16}, 300), Piece: 1}
	var text []byte
	for i := range 3000 {
		w := string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
		m.Words, m.Weights = append(m.Words, w), append(m.Weights, math.MaxUint16)
		for d := range 32 {
			m.Vectors = append(m.Vectors, []int8{-128, 127}[d%2])
		}
		text = append(append(text, w...), ' ')
	}
	b, err := EncodeStatic(m)
	if err != nil {
		t.Fatal(err)
	}
	e, err := OpenModel(b)
	if err != nil {
		t.Fatal(err)
	}
	v := embed(e, Document{Body: [][]byte{text}})
	for d, x := range v {
		if (d%2 == 0) != (x < 0) || x > -60 && x < 60 {
			t.Fatalf("vector %v", v)
		}
	}
}

func TestStaticDoesNotDependOnHistory(t *testing.T) {
	e := smallModel(t)
	used := e.Clone()
	r := rand.New(rand.NewPCG(5, 5))
	for range 300 {
		b := make([]byte, r.IntN(2000))
		for i := range b {
			b[i] = "rowutelckmatix_ \n.(0"[r.IntN(20)]
		}
		d := doc(string(b))
		got := embed(used, d)
		if !slices.Equal(got, embed(e.Clone(), d)) {
			t.Fatal("a used embedder gives another vector than a fresh one")
		}
	}
}

// TestStaticGolden pins the bytes of vectors: a change here is a change of θ
// and needs another model version.
func TestStaticGolden(t *testing.T) {
	e := smallModel(t)
	v := embed(e, doc("return adapter.build(endpoint, routepath, thread)"))
	const want uint64 = 0xaff4c91f80b09119
	if got := fingerprint(v); got != want {
		t.Errorf("vector has fingerprint %#x, want %#x", got, want)
	}
}

func TestStaticRoundTrip(t *testing.T) {
	e := smallModel(t)
	o, err := OpenModel(bytes.Clone(e.Model()))
	if err != nil {
		t.Fatal(err)
	}
	d := doc("wait for the route")
	if o.Name() != StaticName || o.Dims() != e.Dims() || !bytes.Equal(o.Model(), e.Model()) || !slices.Equal(embed(e, d), embed(o, d)) {
		t.Error("the model read back differs")
	}
}

func TestEncodeStaticRefuses(t *testing.T) {
	for name, change := range map[string]func(m *StaticModel){
		"dimensions": func(m *StaticModel) { m.Dims, m.Vectors = 33, append(m.Vectors, make([]int8, len(m.Words))...) },
		"weights":    func(m *StaticModel) { m.Weights = m.Weights[1:] },
		"numbers":    func(m *StaticModel) { m.Vectors = m.Vectors[1:] },
		"words":      func(m *StaticModel) { m.Words, m.Weights, m.Vectors = nil, nil, nil },
		"long word":  func(m *StaticModel) { m.Words[3] = string(bytes.Repeat([]byte("x"), 65)) },
		"field":      func(m *StaticModel) { m.Fields[2] = 5000 },
		"unit":       func(m *StaticModel) { m.Unit = 0 },
		"table":      func(m *StaticModel) { m.Freq = nil },
		"piece":      func(m *StaticModel) { m.Piece = 0 },
	} {
		m := smallStatic()
		change(m)
		if _, err := EncodeStatic(m); !errors.Is(err, ErrModel) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOpenStaticRefuses changes every byte before the vectors, which may hold
// anything.
func TestOpenStaticRefuses(t *testing.T) {
	m := smallStatic()
	b := smallModel(t).Model()
	tables := len(b) - len(m.Vectors)
	for i := range tables {
		c := bytes.Clone(b)
		c[i] ^= 0x41
		if _, err := OpenModel(c); !errors.Is(err, ErrModel) && !errors.Is(err, ErrModelTooNew) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
		// With a checksum that fits, it is refused or usable.
		if e, err := OpenModel(mend(c)); err == nil {
			embed(e, doc("route routes matrixlock wait"))
		}
	}
	for n := range len(b) {
		if _, err := OpenModel(b[:n]); !errors.Is(err, ErrModel) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
	full := bytes.Clone(b)
	log := int(full[18])
	slots := staticHeader + 2*hashedFields + 2*len(m.Freq) + 2*len(m.Words) + 4*(len(m.Words)+1)
	for i := range 1 << log {
		binary.LittleEndian.PutUint16(full[slots+2*i:], 1)
	}
	if _, err := OpenModel(mend(full)); !errors.Is(err, ErrModel) {
		t.Fatalf("a table without a free slot: %v", err)
	}
}

func BenchmarkOpenStatic(b *testing.B) {
	m := smallModel(b).Model()
	for b.Loop() {
		if _, err := OpenModel(m); err != nil {
			b.Fatal(err)
		}
	}
}
