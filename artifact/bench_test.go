package artifact

import (
	"testing"
)

// benchSample is a partition of the size that django's have: 30 files, about
// 500 units.
func benchSample(b *testing.B) (*sample, Digest) {
	b.Helper()
	s := newSample(newRand(1), 30, 22)
	b.Logf("%d units, %d docs, %d symbols, %d occurrences", len(s.units.Units), len(s.units.Docs),
		len(s.structural.Symbols), len(s.structural.Occurrences))
	return s, DigestOf([]byte("bench"))
}

func BenchmarkEncodeUnits(b *testing.B) {
	s, key := benchSample(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := EncodeUnits(key, &s.units); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenUnits(b *testing.B) {
	s, key := benchSample(b)
	seg, err := EncodeUnits(key, &s.units)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := OpenUnits(seg); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenSource(b *testing.B) {
	s, key := benchSample(b)
	seg, err := EncodeSource(key, s.contents)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(seg)))
	for b.Loop() {
		if _, err := OpenSource(seg); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeStructural(b *testing.B) {
	s, key := benchSample(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := EncodeStructural(key, &s.structural); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenStructural(b *testing.B) {
	s, key := benchSample(b)
	seg, err := EncodeStructural(key, &s.structural)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := OpenStructural(seg); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOccurrences(b *testing.B) {
	s, key := benchSample(b)
	seg, err := EncodeStructural(key, &s.structural)
	if err != nil {
		b.Fatal(err)
	}
	r, err := OpenStructural(seg)
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		if err := r.Occurrences("url_for", func(Occurrence) bool { n++; return true }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)/float64(b.N), "hits")
}

func BenchmarkEncodePack(b *testing.B) {
	s, key := benchSample(b)
	segs := s.encode(b, key)
	size := 0
	for _, p := range segs {
		size += len(p.Bytes)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		if _, err := EncodePack(segs); err != nil {
			b.Fatal(err)
		}
	}
}
