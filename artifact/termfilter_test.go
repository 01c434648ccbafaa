package artifact

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestTermFilter(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, 300, 5000} {
		b := NewLexicalBuilder(1)
		for i := range n {
			b.Add(0, FieldBody, fmt.Appendf(nil, "term%d", i), NoPosition)
		}
		seg, err := b.Encode(Digest{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := OpenLexical(seg)
		if err != nil {
			t.Fatal(err)
		}
		if want := (n + 7) / 8 * 8; len(r.filter) != want {
			t.Fatalf("filter of %d terms has %d bytes, not %d", n, len(r.filter), want)
		}
		if n == 0 {
			continue
		}
		wrong := 0
		for i := range 20000 {
			term := fmt.Sprintf("term%d", i)
			_, ok, err := r.Lookup(term)
			if err != nil || ok != (i < n) {
				t.Fatalf("%s of %d: %v, %v", term, n, ok, err)
			}
			switch may := r.MayHold(HashTerm(term)); {
			case ok && !may:
				t.Fatalf("the filter lacks %s", term)
			case !ok && may:
				wrong++
			}
		}
		if wrong > 20000*8/100 {
			t.Errorf("of %d terms: %d of %d others pass", n, wrong, 20000-n)
		}
	}
}

// TestTermHash keeps the hash, on which stored bytes depend.
func TestTermHash(t *testing.T) {
	for term, want := range map[string]TermHash{"": 0x8570e250fe4c2473, "a": 0x82b19d9859a61322, "model": 0x29ab9953d017d249} {
		h := HashTerm(term)
		if h != HashTerm([]byte(term)) {
			t.Errorf("two hashes of %q", term)
		}
		if h != want {
			t.Errorf("hash of %q is %#x, not %#x", term, uint64(h), uint64(want))
		}
	}
}

// TestLexicalWithoutFilter reads a segment from before there was a filter.
func TestLexicalWithoutFilter(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "lexical.v0.plain.seg"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenLexical(b)
	if err != nil {
		t.Fatal(err)
	}
	if r.filter != nil || !r.MayHold(HashTerm("no such term")) {
		t.Error("the segment seems to have a filter")
	}
	checkLexical(t, r, 200, goldenOccurrences())
}

// TestDamagedFilter: a filter of a wrong size is refused, one that lacks a
// term fails to verify.
func TestDamagedFilter(t *testing.T) {
	seg := func(filter []byte, terms bool) []byte {
		b := NewLexicalBuilder(1)
		if terms {
			b.Add(0, FieldBody, []byte("word"), 0)
		}
		whole, err := b.Encode(Digest{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := openSegment(whole, Lexical, lexHeader, lexLengths, lexBlocks, lexDict, lexPostings, lexPositions, lexFilter)
		if err != nil {
			t.Fatal(err)
		}
		w := newSegmentWriter(Lexical, Digest{})
		for i := range s.sections {
			in := &s.sections[i]
			data := in.data
			if in.id == lexFilter {
				data = filter
			}
			w.add(in.id, in.flags, data)
		}
		return w.bytes()
	}
	for _, c := range []struct {
		filter []byte
		terms  bool
	}{{nil, true}, {make([]byte, 7), true}, {make([]byte, 9), true}, {make([]byte, 8), false}} {
		if _, err := OpenLexical(seg(c.filter, c.terms)); err == nil {
			t.Errorf("a filter of %d bytes is accepted, terms: %v", len(c.filter), c.terms)
		}
	}
	r, err := OpenLexical(seg(make([]byte, 8), true))
	if err != nil {
		t.Fatal(err)
	}
	if r.Verify() == nil {
		t.Error("a filter that lacks a term is verified")
	}
	full := binary.LittleEndian.AppendUint64(nil, ^uint64(0))
	for range 3 {
		full = append(full, full[:8]...) // another number of words is no defect
	}
	if r, err = OpenLexical(seg(full, true)); err != nil || r.Verify() != nil {
		t.Errorf("a filter that lets all pass: %v", err)
	}
}
