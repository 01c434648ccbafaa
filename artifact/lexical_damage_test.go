package artifact

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// mendChecksums rewrites the checksums of a segment in place where its table
// can be read at all.
func mendChecksums(b []byte) []byte {
	return resealSegment(b)
}

// TestLexicalDamage flips bytes behind mended checksums: a reader may give
// wrong answers then, but it must not panic, loop or read outside.
func TestLexicalDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	seg := buildLexical(t, 30, randomOccurrences(r, 30, 600))
	for range 3000 {
		b := slices.Clone(seg)
		for range 1 + r.IntN(3) {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
		if reader, err := OpenLexical(mendChecksums(b)); err == nil {
			_ = walkAll(reader)
			_, _, _ = reader.Lookup("abab")
		}
	}
	for n := range len(seg) {
		if n > 300 && n%97 != 0 {
			continue
		}
		if _, err := OpenLexical(seg[:n]); err == nil {
			t.Fatalf("a segment cut to %d bytes opens", n)
		}
	}
}
