package artifact

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"sort"
)

// maxLexPosition is the highest position that is stored; a place behind it is
// counted and has none.
const maxLexPosition = 1<<29 - 2

// An occurrence of a term is kept as document << 32 | field << 29 | position,
// so that sorting numbers sorts occurrences.
const (
	occFieldShift = 29
	occNoPosition = 1<<occFieldShift - 1
)

// LexicalBuilder collects the terms of one partition's search documents. What
// Encode returns depends on what was added and not on the order of the calls.
// Reset makes a builder ready for another partition and keeps its memory. It
// serves one goroutine at a time.
type LexicalBuilder struct {
	docs    int
	lengths [NumFields][]uint32
	err     error

	// Terms: an open hash table over an arena.
	slots []uint32 // term number + 1; 0 is free
	sums  []uint32 // by term number: upper half of the hash
	ends  []uint32 // by term number: end in arena
	arena []byte

	// Occurrences, in the order of the calls.
	terms []uint32
	occ   []uint64

	// Scratch of Encode.
	posMask byte // fields with positions
	order   []termOrder
	starts  []uint32
	sorted  []uint64
	dict    []byte
	nums    []byte // numbers of the block's terms
	post    []byte
	pos     []byte
	group   []byte
}

// termOrder is a term number with the term's first 8 bytes, big-endian.
type termOrder struct {
	head uint64
	term uint32
}

// NewLexicalBuilder returns a builder for a partition of docs documents.
func NewLexicalBuilder(docs int) *LexicalBuilder {
	b := &LexicalBuilder{}
	b.Reset(docs)
	return b
}

// Reset forgets everything that was added and sets the number of documents.
func (b *LexicalBuilder) Reset(docs int) {
	b.docs, b.err = docs, nil
	if docs < 0 || docs > maxRows {
		b.docs, b.err = 0, fmt.Errorf("lexical segment of %d documents", docs)
	}
	for f := range b.lengths {
		b.lengths[f] = slices.Grow(b.lengths[f][:0], b.docs)[:b.docs]
		clear(b.lengths[f])
	}
	if b.slots == nil {
		b.slots = make([]uint32, 1<<12)
	}
	clear(b.slots)
	b.sums, b.ends, b.arena = b.sums[:0], b.ends[:0], b.arena[:0]
	b.terms, b.occ = b.terms[:0], b.occ[:0]
}

// Add records one occurrence of a term (1 to MaxLexicalTerm bytes) in a field
// of a document, at a position or at NoPosition. A bad argument fails Encode.
func (b *LexicalBuilder) Add(doc uint32, f Field, term []byte, pos uint32) {
	if int64(doc) >= int64(b.docs) || f >= NumFields || len(term) == 0 || len(term) > MaxLexicalTerm {
		if b.err == nil {
			b.err = fmt.Errorf("lexical segment: bad occurrence: document %d of %d, field %d, term of %d bytes", doc, b.docs, f, len(term))
		}
		return
	}
	if pos > maxLexPosition {
		pos = occNoPosition
	}
	b.terms = append(b.terms, b.termID(term))
	b.occ = append(b.occ, uint64(doc)<<32|uint64(f)<<occFieldShift|uint64(pos))
}

// SetLength sets the length of a field of a document, in positions.
func (b *LexicalBuilder) SetLength(doc uint32, f Field, n uint32) {
	if int64(doc) >= int64(b.docs) || f >= NumFields {
		if b.err == nil {
			b.err = fmt.Errorf("lexical segment: length of document %d of %d, field %d", doc, b.docs, f)
		}
		return
	}
	b.lengths[f][doc] = n
}

// termID returns the number of a term, a new one for a new term.
func (b *LexicalBuilder) termID(term []byte) uint32 {
	h := hashTerm(term)
	sum := uint32(h >> 32)
	mask := uint32(len(b.slots) - 1)
	for i := uint32(h) & mask; ; i = (i + 1) & mask {
		s := b.slots[i]
		if s == 0 {
			id := uint32(len(b.ends))
			b.slots[i] = id + 1
			b.sums = append(b.sums, sum)
			b.arena = append(b.arena, term...)
			b.ends = append(b.ends, uint32(len(b.arena)))
			if len(b.ends)*4 > len(b.slots)*3 {
				b.grow()
			}
			return id
		}
		if b.sums[s-1] == sum && string(b.term(s-1)) == string(term) {
			return s - 1
		}
	}
}

func (b *LexicalBuilder) term(id uint32) []byte {
	lo := uint32(0)
	if id > 0 {
		lo = b.ends[id-1]
	}
	return b.arena[lo:b.ends[id]]
}

func (b *LexicalBuilder) grow() {
	b.slots = make([]uint32, 2*len(b.slots))
	mask := uint32(len(b.slots) - 1)
	for id := range b.ends {
		i := uint32(hashTerm(b.term(uint32(id)))) & mask
		for b.slots[i] != 0 {
			i = (i + 1) & mask
		}
		b.slots[i] = uint32(id) + 1
	}
}

// hashTerm mixes 8 bytes at a time. No stored byte depends on it.
func hashTerm(b []byte) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	h := uint64(len(b)) * k0
	for len(b) >= 8 {
		hi, lo := bits.Mul64(h^binary.LittleEndian.Uint64(b), k1)
		h = hi ^ lo
		b = b[8:]
	}
	var tail uint64
	if len(b) >= 4 {
		tail = uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[len(b)-4:]))<<32
	} else if len(b) > 0 {
		tail = uint64(b[0]) | uint64(b[len(b)/2])<<8 | uint64(b[len(b)-1])<<16
	}
	hi, lo := bits.Mul64(h^tail^k0, k1)
	return hi ^ lo
}

// Encode returns the segment with everything that was added.
func (b *LexicalBuilder) Encode(key Digest) ([]byte, error) {
	if b.err != nil {
		return nil, b.err
	}
	b.sortTerms()
	b.sortOccurrences()

	terms := len(b.order)
	b.posMask = 0
	for _, o := range b.occ {
		if o&occNoPosition != occNoPosition {
			b.posMask |= 1 << (o >> occFieldShift & 7)
		}
	}
	var lengths []byte // of the blocks
	var done [3]int    // lengths of the sections so far
	endBlock := func() {
		b.dict = append(b.dict, b.nums...)
		b.nums = b.nums[:0]
		for k, section := range [][]byte{b.dict, b.post, b.pos} {
			lengths = appendUvarint(lengths, uint64(len(section)-done[k]))
			done[k] = len(section)
		}
	}
	b.nums = b.nums[:0]
	b.dict, b.post, b.pos = b.dict[:0], b.post[:0], b.pos[:0]
	var prev []byte
	for i, o := range b.order {
		if i > 0 && i%lexBlockTerms == 0 {
			endBlock()
			prev = nil
		}
		term := b.term(o.term)
		b.encodeTerm(prev, term, b.sorted[b.starts[i]:b.starts[i+1]])
		prev = term
	}
	if terms > 0 {
		endBlock()
	}
	if len(b.dict) > maxRows || len(b.post) > maxRows || len(b.pos) > maxRows {
		return nil, fmt.Errorf("lexical segment: sections of %d, %d and %d bytes are too large", len(b.dict), len(b.post), len(b.pos))
	}

	header := make([]byte, lexHeaderSize)
	le := binary.LittleEndian
	le.PutUint32(header, uint32(b.docs))
	le.PutUint32(header[4:], uint32(terms))
	header[8], header[9], header[10] = lexBlockTerms, NumFields, b.posMask
	fields := newTableWriter(b.docs, NumFields)
	for f := range b.lengths {
		var total uint64
		for doc, n := range b.lengths[f] {
			total += uint64(n)
			fields.set(doc, f, uint64(min(n, 1<<16-1)))
		}
		le.PutUint64(header[16+8*f:], total)
	}

	w := newSegmentWriter(Lexical, key)
	w.add(lexHeader, sectionRequired, header)
	w.add(lexLengths, sectionRequired, fields.bytes())
	w.add(lexBlocks, sectionRequired, lengths)
	w.add(lexDict, sectionRequired, b.dict)
	w.add(lexPostings, sectionRequired, b.post)
	w.add(lexPositions, 0, b.pos)
	w.add(lexFilter, 0, termFilter(terms, func(i int) []byte { return b.term(b.order[i].term) }))
	out := w.bytes()
	r, err := OpenLexical(out)
	if err == nil {
		err = r.Verify()
	}
	if err != nil {
		return nil, fmt.Errorf("reading back a lexical segment: %w", err)
	}
	return out, nil
}

// sortTerms puts the term numbers into the byte order of their terms.
func (b *LexicalBuilder) sortTerms() {
	b.order = b.order[:0]
	for id := range b.ends {
		var head [8]byte
		copy(head[:], b.term(uint32(id)))
		b.order = append(b.order, termOrder{binary.BigEndian.Uint64(head[:]), uint32(id)})
	}
	sort.Sort((*termSort)(b))
}

// termSort orders a builder's terms. A copy of package slices' algorithm for
// this type would be 25 kB of every program that lays changed files over an
// index.
type termSort LexicalBuilder

func (b *termSort) Len() int      { return len(b.order) }
func (b *termSort) Swap(i, j int) { b.order[i], b.order[j] = b.order[j], b.order[i] }

func (b *termSort) Less(i, j int) bool {
	x, y := &b.order[i], &b.order[j]
	if x.head != y.head {
		return x.head < y.head
	}
	lb := (*LexicalBuilder)(b)
	return bytes.Compare(lb.term(x.term), lb.term(y.term)) < 0
}

// sortOccurrences groups the occurrences by term, in the order of the terms,
// and sorts each group. The group of the i-th term is
// sorted[starts[i]:starts[i+1]].
func (b *LexicalBuilder) sortOccurrences() {
	rank := slices.Grow(b.sums[:0], len(b.order))[:len(b.order)] // the hashes are no longer needed
	b.starts = slices.Grow(b.starts[:0], len(b.order)+2)[:len(b.order)+2]
	clear(b.starts)
	for i, o := range b.order {
		rank[o.term] = uint32(i)
	}
	for _, t := range b.terms {
		b.starts[rank[t]+2]++
	}
	for i := 2; i < len(b.starts); i++ {
		b.starts[i] += b.starts[i-1]
	}
	b.sorted = slices.Grow(b.sorted[:0], len(b.occ))[:len(b.occ)]
	for i, t := range b.terms {
		at := &b.starts[rank[t]+1]
		b.sorted[*at] = b.occ[i]
		*at++
	}
	b.starts = b.starts[:len(b.order)+1]
	for i := range b.order {
		if g := b.sorted[b.starts[i]:b.starts[i+1]]; !slices.IsSorted(g) {
			sort.Sort(uint64s(g))
		}
	}
}

type uint64s []uint64

func (s uint64s) Len() int           { return len(s) }
func (s uint64s) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s uint64s) Less(i, j int) bool { return s[i] < s[j] }

// appendUvarint is binary.AppendUvarint in one place.
//
//go:noinline
func appendUvarint(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }

// encodeTerm appends a term with its occurrences, which are sorted.
func (b *LexicalBuilder) encodeTerm(prev, term []byte, occ []uint64) {
	shared := 0
	for shared < min(len(prev), len(term)-1, 15) && prev[shared] == term[shared] {
		shared++
	}
	rest := term[shared:]
	if len(rest) < 16 {
		b.dict = append(b.dict, byte(shared<<4|(len(rest)-1)))
	} else {
		b.dict = append(b.dict, byte(shared<<4|15))
		b.dict = appendUvarint(b.dict, uint64(len(rest)-16))
	}
	b.dict = append(b.dict, rest...)

	post, pos := len(b.post), len(b.pos)
	counted, any := b.positionForm(occ)
	df, last := uint64(0), uint64(0) // last document + 1
	for len(occ) > 0 {
		doc := occ[0] >> 32
		n := 1
		for n < len(occ) && occ[n]>>32 == doc {
			n++
		}
		b.encodePosting(doc-last, occ[:n], any, counted)
		last = doc + 1
		df++
		occ = occ[n:]
	}
	nPost, nPos := uint64(len(b.post)-post), uint64(len(b.pos)-pos)
	if df == 1 && nPost <= 4 && nPos < 32 && !counted {
		b.nums = append(b.nums, byte(0x80|(nPost-1)<<5|nPos))
		return
	}
	if df < 128 {
		b.nums = append(b.nums, byte(df-1))
	} else {
		b.nums = appendUvarint(append(b.nums, 127), df-128)
	}
	b.nums = appendUvarint(b.nums, nPost-df)
	nPos *= 2
	if counted {
		nPos++
	}
	b.nums = appendUvarint(b.nums, nPos)
}

// positionForm says whether any of a term's occurrences has a position, and
// whether the number of positions in a field can differ from the stored
// frequency, so that it has to be stored too.
func (b *LexicalBuilder) positionForm(occ []uint64) (counted, any bool) {
	run := 0 // occurrences in one field of one document
	for i, o := range occ {
		if o&occNoPosition != occNoPosition {
			any = true
		} else if b.posMask&(1<<(o>>occFieldShift&7)) != 0 {
			counted = true
		}
		if i > 0 && occ[i-1]>>occFieldShift == o>>occFieldShift {
			run++
		} else {
			run = 1
		}
		if run > lexMaxTF {
			counted = true
		}
	}
	return counted && any, any
}

// encodePosting appends one document's occurrences of a term.
func (b *LexicalBuilder) encodePosting(gap uint64, occ []uint64, positions, counted bool) {
	var tf [NumFields]uint64
	for i := 0; i < len(occ); {
		f := occ[i] >> occFieldShift & 7
		n, last := 0, uint64(0)
		b.group = b.group[:0]
		for ; i < len(occ) && occ[i]>>occFieldShift&7 == f; i++ {
			tf[f]++
			if p := occ[i] & occNoPosition; positions && p != occNoPosition {
				b.group = appendUvarint(b.group, p-last)
				last = p
				n++
			}
		}
		if counted && b.posMask&(1<<f) != 0 {
			b.pos = appendUvarint(b.pos, uint64(n))
		}
		b.pos = append(b.pos, b.group...)
	}

	mask, once := byte(0), true
	for f := range tf {
		tf[f] = min(tf[f], lexMaxTF)
		if tf[f] > 0 {
			mask |= 1 << f
			once = once && tf[f] == 1
		}
	}
	switch {
	case mask == 1<<FieldBody && once:
		b.post = appendUvarint(b.post, gap<<2|lexCodeBody)
	case mask == 1<<FieldPath && once:
		b.post = appendUvarint(b.post, gap<<2|lexCodePath)
	case mask == 1<<FieldBody:
		b.post = appendUvarint(b.post, gap<<2|lexCodeBodyMany)
		b.post = appendUvarint(b.post, tf[FieldBody]-2)
	default:
		b.post = appendUvarint(b.post, gap<<2|lexCodeFields)
		if once {
			b.post = append(b.post, mask|lexMaskOnce)
			break
		}
		b.post = append(b.post, mask)
		for _, n := range tf {
			if n > 0 {
				b.post = appendUvarint(b.post, n-1)
			}
		}
	}
}
