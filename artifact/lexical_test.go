package artifact

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// occurrence is what the naive model of a lexical segment holds.
type occurrence struct {
	doc  uint32
	f    Field
	term string
	pos  uint32
}

// randomOccurrences returns occurrences over a small alphabet, so that terms
// share beginnings and documents share terms.
func randomOccurrences(r *rand.Rand, docs, n int) []occurrence {
	var out []occurrence
	for range n {
		term := strings.Repeat("ab", r.IntN(9)) + string(rune('a'+r.IntN(4)))
		switch r.IntN(12) {
		case 0:
			term += strings.Repeat("x", r.IntN(MaxLexicalTerm-len(term)))
		case 1:
			term = fmt.Sprintf("t%d", r.IntN(2000))
		case 2:
			term = "\xff\x00" + term
		}
		o := occurrence{uint32(r.IntN(docs)), Field(r.IntN(NumFields)), term, uint32(r.IntN(300))}
		switch r.IntN(10) {
		case 0:
			o.pos = NoPosition
		case 1:
			o.pos = maxLexPosition - uint32(r.IntN(2))
		case 2, 3, 4:
			o.f = FieldBody
		}
		if strings.HasPrefix(term, "abab") {
			o.pos = NoPosition
		}
		out = append(out, o)
	}
	return out
}

func buildLexical(t testing.TB, docs int, occ []occurrence) []byte {
	t.Helper()
	b := NewLexicalBuilder(docs)
	for _, o := range occ {
		b.Add(o.doc, o.f, []byte(o.term), o.pos)
	}
	for d := range docs {
		for f := range Field(NumFields) {
			b.SetLength(uint32(d), f, uint32(d)*7+uint32(f)*30000)
		}
	}
	seg, err := b.Encode(DigestOf([]byte("key")))
	if err != nil {
		t.Fatal(err)
	}
	return seg
}

// model groups the occurrences as a reader should give them.
type modelTerm struct {
	docs map[uint32]*modelPosting
}

type modelPosting struct {
	tf  [NumFields]int
	pos [NumFields][]uint32
}

func modelOf(occ []occurrence) map[string]*modelTerm {
	m := map[string]*modelTerm{}
	for _, o := range occ {
		mt := m[o.term]
		if mt == nil {
			mt = &modelTerm{map[uint32]*modelPosting{}}
			m[o.term] = mt
		}
		p := mt.docs[o.doc]
		if p == nil {
			p = &modelPosting{}
			mt.docs[o.doc] = p
		}
		p.tf[o.f]++
		if o.pos != NoPosition {
			p.pos[o.f] = append(p.pos[o.f], o.pos)
			slices.Sort(p.pos[o.f])
		}
	}
	return m
}

func checkLexical(t *testing.T, r *LexicalReader, docs int, occ []occurrence) {
	t.Helper()
	m := modelOf(occ)
	if r.NumDocs() != docs || r.NumTerms() != len(m) {
		t.Fatalf("%d documents, %d terms; want %d, %d", r.NumDocs(), r.NumTerms(), docs, len(m))
	}
	for f := range Field(NumFields) {
		var total uint64
		for d := range docs {
			want := uint32(d)*7 + uint32(f)*30000
			total += uint64(want)
			if got := r.FieldLength(d, f); got != min(want, 65535) {
				t.Fatalf("length of field %d of document %d is %d, want %d", f, d, got, want)
			}
		}
		if r.TotalLength(f) != total {
			t.Fatalf("total length of field %d is %d, want %d", f, r.TotalLength(f), total)
		}
	}
	var names []string
	for term, mt := range m {
		names = append(names, term)
		got, ok, err := r.Lookup(term)
		if err != nil || !ok {
			t.Fatalf("Lookup(%q) = %v, %v", term, ok, err)
		}
		checkTerm(t, r, term, got, mt)
		for _, near := range []string{term + "\x00", term[:len(term)-1], term + "zzz"} {
			if _, ok, err := r.Lookup(near); err != nil || ok != (m[near] != nil) {
				t.Fatalf("Lookup(%q) = %v, %v", near, ok, err)
			}
		}
	}
	slices.Sort(names)
	for _, prefix := range []string{"", "a", "ab", "abab", "t1", "zz", "\xff", "abababababababababababab", "c"} {
		var want, got []string
		for _, n := range names {
			if strings.HasPrefix(n, prefix) {
				want = append(want, n)
			}
		}
		err := r.WalkPrefix(prefix, func(term []byte, tm Term) bool {
			got = append(got, string(term))
			if int(tm.DocFreq) != len(m[string(term)].docs) {
				t.Fatalf("WalkPrefix: %q has document frequency %d", term, tm.DocFreq)
			}
			return true
		})
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("WalkPrefix(%q) gives %d terms, %v; want %d", prefix, len(got), err, len(want))
		}
	}
}

func checkTerm(t *testing.T, r *LexicalReader, term string, got Term, mt *modelTerm) {
	t.Helper()
	postings, err := r.Postings(got, nil)
	if err != nil || len(postings) != len(mt.docs) || int(got.DocFreq) != len(mt.docs) {
		t.Fatalf("%q: %d postings, document frequency %d, %v; want %d", term, len(postings), got.DocFreq, err, len(mt.docs))
	}
	var any bool
	for i, p := range postings {
		if i > 0 && p.Doc <= postings[i-1].Doc {
			t.Fatalf("%q: postings out of order", term)
		}
		want := mt.docs[p.Doc]
		if want == nil {
			t.Fatalf("%q: document %d does not hold it", term, p.Doc)
		}
		for f, n := range want.tf {
			if int(p.TF[f]) != min(n, 65535) {
				t.Fatalf("%q in document %d, field %d: frequency %d, want %d", term, p.Doc, f, p.TF[f], n)
			}
			any = any || len(want.pos[f]) > 0
		}
	}
	scale := Scale{Field: [NumFields]float64{1, 2, 3, 5, 7}, Long: func(f Field, n uint32) float64 { return 1 / float64(int(f)+1+int(n)) }}
	for f := range scale.Norm {
		scale.Norm[f] = []float64{1, 0.5, 0.25}[:f%4]
	}
	weighed, err := r.Weigh(got, &scale, nil)
	if err != nil || len(weighed) != len(postings) {
		t.Fatalf("%q: %d weighed postings, %v; want %d", term, len(weighed), err, len(postings))
	}
	for i, p := range postings {
		want := Weighed{Doc: p.Doc, Fields: p.Fields}
		for f, n := range p.TF {
			if (n > 0) != (p.Fields&(1<<f) != 0) {
				t.Fatalf("%q in document %d: fields %b, frequencies %v", term, p.Doc, p.Fields, p.TF)
			}
			if n > 0 {
				want.Weight += scale.weigh(f, n, r.FieldLength(int(p.Doc), Field(f)))
			}
		}
		if weighed[i] != want {
			t.Fatalf("%q: weighed %v, want %v", term, weighed[i], want)
		}
	}
	var list PositionList
	for f := range Field(NumFields) {
		ok, err := r.Positions(got, f, &list)
		if err != nil || ok != any || got.HasPositions() != any {
			t.Fatalf("%q: Positions = %v, %v; want %v", term, ok, err, any)
		}
		if !ok {
			continue
		}
		if list.Len() != len(postings) {
			t.Fatalf("%q: positions of %d postings, want %d", term, list.Len(), len(postings))
		}
		for i, p := range postings {
			if !slices.Equal(list.At(i), mt.docs[p.Doc].pos[f]) && len(list.At(i))+len(mt.docs[p.Doc].pos[f]) > 0 {
				t.Fatalf("%q in document %d, field %d: positions %v, want %v", term, p.Doc, f, list.At(i), mt.docs[p.Doc].pos[f])
			}
		}
	}
}

func TestLexicalAgainstModel(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		docs := 1 + r.IntN(400)
		occ := randomOccurrences(r, docs, r.IntN(4000))
		seg := buildLexical(t, docs, occ)
		reader, err := OpenLexical(seg)
		if err != nil {
			t.Fatal(err)
		}
		checkLexical(t, reader, docs, occ)

		r.Shuffle(len(occ), func(i, j int) { occ[i], occ[j] = occ[j], occ[i] })
		if !bytes.Equal(seg, buildLexical(t, docs, occ)) {
			t.Fatalf("seed %d: the order of insertion changes the segment", seed)
		}
	}
}

func TestLexicalSaturates(t *testing.T) {
	var occ []occurrence
	for i := range uint32(70000) {
		occ = append(occ, occurrence{1, FieldBody, "many", i}, occurrence{1, FieldDoc, "none", NoPosition})
	}
	occ = append(occ, occurrence{0, FieldPath, "many", NoPosition}, occurrence{0, FieldPath, "p", 3})
	r, err := OpenLexical(buildLexical(t, 3, occ))
	if err != nil {
		t.Fatal(err)
	}
	checkLexical(t, r, 3, occ)
}

func TestLexicalEmpty(t *testing.T) {
	for _, docs := range []int{0, 1, 5} {
		r, err := OpenLexical(buildLexical(t, docs, nil))
		if err != nil {
			t.Fatal(err)
		}
		checkLexical(t, r, docs, nil)
	}
}

func TestLexicalBuilderReuse(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	b := NewLexicalBuilder(0)
	for range 5 {
		docs := 1 + r.IntN(100)
		occ := randomOccurrences(r, docs, 9000)
		b.Reset(docs)
		for _, o := range occ {
			b.Add(o.doc, o.f, []byte(o.term), o.pos)
		}
		got, err := b.Encode(Digest{})
		if err != nil {
			t.Fatal(err)
		}
		fresh := NewLexicalBuilder(docs)
		for _, o := range occ {
			fresh.Add(o.doc, o.f, []byte(o.term), o.pos)
		}
		want, err := fresh.Encode(Digest{})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatal("a reused builder writes other bytes than a fresh one")
		}
	}
}

func TestLexicalBuilderRefuses(t *testing.T) {
	for name, add := range map[string]func(b *LexicalBuilder){
		"document":        func(b *LexicalBuilder) { b.Add(2, FieldBody, []byte("x"), 0) },
		"field":           func(b *LexicalBuilder) { b.Add(0, NumFields, []byte("x"), 0) },
		"empty term":      func(b *LexicalBuilder) { b.Add(0, FieldBody, nil, 0) },
		"long term":       func(b *LexicalBuilder) { b.Add(0, FieldBody, make([]byte, MaxLexicalTerm+1), 0) },
		"length document": func(b *LexicalBuilder) { b.SetLength(9, FieldBody, 1) },
		"documents":       func(b *LexicalBuilder) { b.Reset(-1) },
	} {
		b := NewLexicalBuilder(2)
		add(b)
		if _, err := b.Encode(Digest{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// walkAll touches everything that a reader can decode.
func walkAll(r *LexicalReader) error {
	if err := r.Verify(); err != nil {
		return err
	}
	var list PositionList
	return r.WalkPrefix("", func(term []byte, t Term) bool {
		for f := range Field(NumFields) {
			_, _ = r.Positions(t, f, &list)
		}
		_, _, err := r.Lookup(string(term))
		return err == nil
	})
}

func FuzzOpenLexical(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	f.Add(buildLexical(f, 20, randomOccurrences(r, 20, 300)))
	f.Add(buildLexical(f, 0, nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		// The fuzzer cannot guess checksums: mend them, so that what lies
		// behind them is tried.
		b = mendChecksums(slices.Clone(b))
		r, err := OpenLexical(b)
		if err != nil {
			return
		}
		_ = walkAll(r)
		for _, term := range []string{"", "a", "abab", "t100", "zzzzzzzzzzzzzzzzzzzzzzz"} {
			if tm, ok, err := r.Lookup(term); ok && err == nil {
				_, _ = r.Postings(tm, nil)
			}
		}
		for d := range r.NumDocs() {
			_ = r.FieldLength(d, FieldBody)
		}
	})
}
