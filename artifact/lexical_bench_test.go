package artifact

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchTerms returns n distinct terms that share beginnings as identifiers do.
func benchTerms(n int) [][]byte {
	syllables := []string{"get", "set", "re", "con", "ver", "quest", "tion", "query", "file", "name", "er", "path", "ing", "in", "dex", "view", "map", "list", "un", "de"}
	r := rand.New(rand.NewPCG(1, 1))
	seen := map[string]bool{}
	var out [][]byte
	for len(out) < n {
		s := ""
		for range 1 + r.IntN(4) {
			s += syllables[r.IntN(len(syllables))]
		}
		if r.IntN(8) == 0 {
			s += fmt.Sprint(r.IntN(100))
		}
		if !seen[s] {
			seen[s] = true
			out = append(out, []byte(s))
		}
	}
	return out
}

const benchDocs = 300

// fillBench adds about 40,000 occurrences, skewed as words are, and returns
// the number of bytes of text that they stand for.
func fillBench(b *LexicalBuilder, terms [][]byte) int {
	r := rand.New(rand.NewPCG(2, 2))
	bytes := 0
	for d := range uint32(benchDocs) {
		for p := range uint32(130) {
			i := int(float64(len(terms)) * r.Float64() * r.Float64() * r.Float64() * r.Float64())
			b.Add(d, FieldBody, terms[i], p)
			bytes += len(terms[i]) + 2
		}
		b.SetLength(d, FieldBody, 130)
	}
	return bytes
}

func BenchmarkLexicalBuilder(b *testing.B) {
	terms := benchTerms(8000)
	builder := NewLexicalBuilder(benchDocs)
	b.SetBytes(int64(fillBench(builder, terms)))
	b.ReportAllocs()
	for b.Loop() {
		builder.Reset(benchDocs)
		fillBench(builder, terms)
		if _, err := builder.Encode(Digest{}); err != nil {
			b.Fatal(err)
		}
	}
}

func benchReader(b *testing.B) (*LexicalReader, []string) {
	terms := benchTerms(8000)
	builder := NewLexicalBuilder(benchDocs)
	fillBench(builder, terms)
	seg, err := builder.Encode(Digest{})
	if err != nil {
		b.Fatal(err)
	}
	r, err := OpenLexical(seg)
	if err != nil {
		b.Fatal(err)
	}
	var names []string
	for _, t := range terms {
		names = append(names, string(t)) // some of them are not in the segment
	}
	return r, names
}

func BenchmarkLexicalOpen(b *testing.B) {
	r, _ := benchReader(b)
	seg := r.seg.raw
	b.SetBytes(int64(len(seg)))
	for b.Loop() {
		if _, err := OpenLexical(seg); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLexicalLookup(b *testing.B) {
	r, names := benchReader(b)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, _, err := r.Lookup(names[i%len(names)]); err != nil {
			b.Fatal(err)
		}
		i += 7
	}
}

func BenchmarkLexicalPostings(b *testing.B) {
	r, names := benchReader(b)
	t, _, err := r.Lookup(names[0])
	if err != nil {
		b.Fatal(err)
	}
	var dst []Posting
	b.ReportAllocs()
	for b.Loop() {
		if dst, err = r.Postings(t, dst[:0]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(dst)), "ns/posting")
}
