package artifact

import (
	"encoding/binary"
	"math/bits"
)

// The filter of a lexical segment tells at the cost of one memory access that
// the dictionary lacks a term: a blocked Bloom filter of 64-bit words, about
// one word for 8 terms. Of a term's hash the upper 32 bits choose the word and
// the lower 24 name 4 bits of it, all of which are set when the dictionary has
// the term, and in 3 of 100 cases when it has not.
const termsPerWord = 8

// TermHash is a term's hash, by which every segment's filter is asked.
type TermHash uint64

// HashTerm returns a term's hash: FNV-1a, then mixed.
func HashTerm[T string | []byte](term T) TermHash {
	h := uint64(14695981039346656037)
	for i := range len(term) {
		h = (h ^ uint64(term[i])) * 1099511628211
	}
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	h ^= h >> 29
	return TermHash(h)
}

// mask has the term's bits set.
func (h TermHash) mask() uint64 {
	return 1<<(h&63) | 1<<(h>>6&63) | 1<<(h>>12&63) | 1<<(h>>18&63)
}

// word returns the number of the term's word, of n.
func (h TermHash) word(n int) int {
	hi, _ := bits.Mul64(uint64(h)&^(1<<32-1), uint64(n))
	return int(hi)
}

// termFilter returns the filter of n terms.
func termFilter(n int, term func(i int) []byte) []byte {
	words := (n + termsPerWord - 1) / termsPerWord
	b := make([]byte, 8*words)
	for i := range n {
		h := HashTerm(term(i))
		w := b[8*h.word(words):]
		binary.LittleEndian.PutUint64(w, binary.LittleEndian.Uint64(w)|h.mask())
	}
	return b
}

// openFilter opens the filter, where the segment has one.
func (r *LexicalReader) openFilter() error {
	b, ok, err := r.seg.section(lexFilter)
	if err != nil || !ok {
		return err
	}
	if len(b)%8 != 0 || (len(b) == 0) != (r.terms == 0) {
		return damaged("filter of %d bytes for %d terms", len(b), r.terms)
	}
	r.filter = b
	return nil
}

// MayHold reports whether the segment may hold a term, given its hash. False
// is certain. A segment without a filter may hold anything.
func (r *LexicalReader) MayHold(h TermHash) bool {
	if len(r.filter) < 8 {
		return true
	}
	m := h.mask()
	return binary.LittleEndian.Uint64(r.filter[8*h.word(len(r.filter)/8):])&m == m
}
