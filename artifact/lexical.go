package artifact

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// The lexical segment: fielded posting lists of one partition.
//
//	section 1  header, 56 bytes
//	    0  4  documents
//	    4  4  terms
//	    8  1  terms in a block: 16
//	    9  1  fields: 5
//	    10 1  bit f set: positions are kept for field f
//	    11 5  zero
//	    16 8 × fields  total length of each field, saturated lengths counted in full
//	section 2  field lengths: a table of documents × fields, 16 bits, saturating
//	section 3  blocks: for each block of the dictionary three varints, its
//	           bytes in sections 4, 5 and 6
//	section 4  dictionary: blocks of 16 terms in byte order, front-coded
//	section 5  postings, in the order of the terms
//	section 6  positions, in the order of the postings
//	section 7  reserved for a filter for exact search
//	section 8  filter of the terms, see termFilter; optional
//
// A block of the dictionary holds first its terms and then their numbers. One
// term:
//
//	1  high 4 bits: bytes shared with the term before (0..15, 0 at the
//	   head of a block); low 4 bits: length of the rest less 1, 15 = a varint
//	   follows and holds the length less 16
//	.. the rest
//
// The numbers of one term have one of two forms:
//
//	1ppxxxxx   one posting; pp: bytes of postings less 1; xxxxx: bytes of
//	           positions, which are as many as the frequencies say
//	0ddddddd   ddddddd: postings less 1 (127: a varint follows and holds the
//	           postings less 128), then two varints: bytes of postings less
//	           the number of postings; bytes of positions times 2, plus 1 when
//	           each group of positions begins with its number
//
// One posting: a varint of (document - previous document - 1) × 4 + code, the
// previous document of the first being -1, and what the code asks for:
//
//	0  nothing: once in the body
//	1  varint frequency - 2: more than once in the body alone
//	2  a byte: bits 0..4 name the fields; bit 5 set: once in each; else a
//	   varint frequency - 1 for each named field
//	3  nothing: once in the path
//
// The positions of one posting are those of each of its fields in turn that
// positions are kept for; in each as many ascending positions as the frequency says (or as the
// varint in front says), each as a varint of the difference to the one
// before, the first to 0. A term without positions has 0 bytes of them.
//
// Frequencies saturate at 65535.
const (
	lexHeader    = 1
	lexLengths   = 2
	lexBlocks    = 3
	lexDict      = 4
	lexPostings  = 5
	lexPositions = 6
	lexFilter    = 8

	lexHeaderSize = 16 + 8*NumFields
	lexBlockTerms = 16

	lexCodeBody     = 0
	lexCodeBodyMany = 1
	lexCodeFields   = 2
	lexCodePath     = 3

	lexMaskOnce = 1 << NumFields
	lexMaskAll  = 1<<NumFields - 1

	lexMaxTF = 1<<16 - 1
)

// MaxLexicalTerm is the length of the longest term that a lexical segment
// takes, in bytes.
const MaxLexicalTerm = 255

// NoPosition stands for a place in a field that has no position.
const NoPosition = ^uint32(0)

// Term is a term's entry in one lexical segment. It is only good for the
// reader that it came from.
type Term struct {
	DocFreq uint32 // documents that hold the term in any field; 0 for the zero Term

	post, postEnd uint32 // bytes in the postings section
	pos, posEnd   uint32 // bytes in the positions section
	counted       bool   // each group of positions begins with its number
}

// HasPositions reports whether positions are stored for the term.
func (t Term) HasPositions() bool { return t.posEnd > t.pos }

// Posting says how often a document holds a term, by field.
type Posting struct {
	Doc    uint32
	TF     [NumFields]uint16 // saturating at 65535
	Fields uint8             // bit f is set where TF[f] is not 0
}

// blockRow is where a block begins in the dictionary, the postings and the
// positions.
type blockRow struct{ dict, post, pos uint32 }

// LexicalReader reads a lexical segment in place. It is safe for concurrent
// use.
type LexicalReader struct {
	seg      *segment
	docs     int
	terms    int
	blocks   int
	posMask  byte // fields that positions are kept for
	totals   [NumFields]uint64
	lengths  []column
	heads    []uint64   // the first bytes of each block's first term
	rows     []blockRow // where each block begins; one more for the ends
	dict     []byte
	postings []byte
	filter   []byte // of the terms; empty where the segment has none

	posOnce   sync.Once
	positions []byte
	posErr    error
}

// OpenLexical opens a lexical segment over b, which must not change as long as
// the reader is used. Headers and tables are checked here; what the dictionary,
// the postings and the positions hold is checked when it is decoded.
func OpenLexical(b []byte) (*LexicalReader, error) {
	seg, err := openSegment(b, Lexical, lexHeader, lexLengths, lexBlocks, lexDict, lexPostings, lexPositions, lexFilter)
	if err != nil {
		return nil, err
	}
	r := &LexicalReader{seg: seg}
	if err := r.open(); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *LexicalReader) open() error {
	h, err := r.seg.need(lexHeader)
	if err != nil {
		return err
	}
	le := binary.LittleEndian
	if len(h) != lexHeaderSize || h[8] != lexBlockTerms || h[9] != NumFields || h[10] > lexMaskAll || !allZero(h[11:16]) {
		return damaged("lexical header")
	}
	docs, terms := le.Uint32(h), le.Uint32(h[4:])
	if docs > maxRows || terms > maxRows {
		return damaged("lexical header: %d documents, %d terms", docs, terms)
	}
	r.docs, r.terms, r.posMask = int(docs), int(terms), h[10]
	r.blocks = (r.terms + lexBlockTerms - 1) / lexBlockTerms
	for f := range r.totals {
		r.totals[f] = le.Uint64(h[16+8*f:])
	}

	b, err := r.seg.need(lexLengths)
	if err != nil {
		return err
	}
	rows, cols, err := openTable(b, "field lengths", 2, 2, 2, 2, 2)
	if err != nil {
		return err
	}
	if rows != r.docs {
		return damaged("lengths of %d documents, not %d", rows, r.docs)
	}
	r.lengths = cols

	if r.dict, err = r.seg.need(lexDict); err != nil {
		return err
	}
	if r.postings, err = r.seg.need(lexPostings); err != nil {
		return err
	}
	if err := r.openFilter(); err != nil {
		return err
	}
	return r.openBlocks()
}

// openBlocks reads the lengths of the blocks and the heads of the dictionary.
func (r *LexicalReader) openBlocks() error {
	b, err := r.seg.need(lexBlocks)
	if err != nil {
		return err
	}
	if uint64(len(b)) < 3*uint64(r.blocks) {
		return damaged("%d bytes for %d term blocks", len(b), r.blocks)
	}
	r.heads = make([]uint64, r.blocks)
	r.rows = make([]blockRow, r.blocks+1)
	var at [3]uint64
	for i := range r.blocks {
		r.rows[i] = blockRow{uint32(at[0]), uint32(at[1]), uint32(at[2])}
		if at[0] >= uint64(len(r.dict)) {
			return damaged("term block %d lies outside the dictionary", i)
		}
		head, err := headTerm(r.dict[at[0]:])
		if err != nil {
			return err
		}
		r.heads[i] = lexHeadKey(head)
		for k := range at {
			v, w := uvarint(b)
			if w <= 0 || v > maxRows-at[k] {
				return damaged("length of term block %d", i)
			}
			at[k] += v
			b = b[w:]
		}
	}
	if len(b) > 0 || at[0] != uint64(len(r.dict)) || at[1] != uint64(len(r.postings)) {
		return damaged("the lengths of the term blocks")
	}
	r.rows[r.blocks] = blockRow{uint32(at[0]), uint32(at[1]), uint32(at[2])}
	return nil
}

// Key returns the segment's key.
func (r *LexicalReader) Key() Digest { return r.seg.key }

// NumDocs returns the number of search documents in the partition.
func (r *LexicalReader) NumDocs() int { return r.docs }

// NumTerms returns the number of distinct terms.
func (r *LexicalReader) NumTerms() int { return r.terms }

// FieldLength returns the length of a document's field in positions,
// saturating at 65535. doc must lie in [0, NumDocs()).
func (r *LexicalReader) FieldLength(doc int, f Field) uint32 { return r.lengths[f].u32(doc) }

// TotalLength returns the sum of the lengths of a field over all documents.
func (r *LexicalReader) TotalLength(f Field) uint64 { return r.totals[f] }

// Lookup finds a term. It allocates nothing. An error means that the segment
// is damaged.
func (r *LexicalReader) Lookup(term string) (Term, bool, error) {
	b, err := r.findBlock(term)
	if err != nil || b < 0 {
		return Term{}, false, err
	}
	c := r.block(b)
	place, d, err := c.find(term)
	if err != nil || place < 0 {
		return Term{}, false, err
	}
	c.dict, c.left = d, 0
	t, err := c.numbersOf(place + 1)
	return t, err == nil, err
}

// find returns the place of a term in the block that c stands in front of, -1
// when it is not there, and what follows the block's terms. It is nextTerm in a
// loop, written out: half of a query's look-ups are spent here.
func (c *termCursor) find(term string) (place int, numbers []byte, err error) {
	d, at, place := c.dict, 0, -1
	// known is how many bytes the term before shares with the one looked for,
	// which is greater.
	known := 0
	for i := range c.terms {
		if at >= len(d) {
			return 0, nil, damaged("term entry")
		}
		shared, n := int(d[at]>>4), int(d[at]&15)+1
		at++
		if n == 16 {
			v, w := uvarint(d[at:])
			if w <= 0 || v > MaxLexicalTerm-16 {
				return 0, nil, damaged("term entry")
			}
			n += int(v)
			at += w
		}
		if n > len(d)-at {
			return 0, nil, damaged("term entry")
		}
		rest := d[at : at+n]
		at += n
		if place >= 0 || shared > known {
			continue // behind it, or smaller for the same reason as the one before
		}
		want := term[shared:]
		same := commonPrefix(rest, want)
		switch {
		case same == len(rest) && same == len(want):
			place = i
		case same < len(rest) && (same == len(want) || rest[same] > want[same]):
			return -1, nil, nil
		}
		known = shared + same
	}
	return place, d[at:], nil
}

// findBlock returns the last block whose first term is not greater than term,
// -1 when there is none.
func (r *LexicalReader) findBlock(term string) (int, error) {
	key := lexHeadKey(term)
	at := -1 // the heads up to here are not greater by their first bytes
	for n := r.blocks; n > 0; {
		half := (n + 1) / 2
		if r.heads[at+half] <= key {
			at += half
		}
		n -= half
	}
	for at >= 0 && r.heads[at] == key {
		head, err := headTerm(r.dict[r.rows[at].dict:])
		if err != nil {
			return 0, err
		}
		if string(head) <= term {
			break
		}
		at--
	}
	return at, nil
}

// lexHeadKey returns the first 8 bytes of a term as a number that sorts as
// they do.
func lexHeadKey[T string | []byte](term T) uint64 {
	var k uint64
	for i := range min(len(term), 8) {
		k |= uint64(term[i]) << (56 - 8*i)
	}
	return k
}

// headTerm returns the first term of the block that d begins with; d is not
// empty.
func headTerm(d []byte) ([]byte, error) {
	n, size := int(d[0])+1, 1
	if n >= 16 {
		if n > 16 {
			return nil, damaged("the first term of a block shares bytes")
		}
		v, w := binary.Uvarint(d[1:])
		if w <= 0 || v > MaxLexicalTerm-16 {
			return nil, damaged("length of the first term of a block")
		}
		n, size = 16+int(v), 1+w
	}
	if n > len(d)-size {
		return nil, damaged("first term of a block")
	}
	return d[size : size+n], nil
}

// termCursor walks the terms of one block.
type termCursor struct {
	dict  []byte // what is left of the block
	terms int    // in the block
	left  int    // of them
	at    blockRow
	end   blockRow
}

// block returns a cursor in front of the first term of a block.
func (r *LexicalReader) block(b int) termCursor {
	at, end := r.rows[b], r.rows[b+1]
	n := min(lexBlockTerms, r.terms-b*lexBlockTerms)
	return termCursor{dict: r.dict[at.dict:end.dict], terms: n, left: n, at: at, end: end}
}

// nextTerm returns how many bytes the next term shares with the one before,
// and the rest; nil when the block is damaged. c.left must be positive.
func (c *termCursor) nextTerm() (shared int, rest []byte) {
	d := c.dict
	if len(d) == 0 {
		return 0, nil
	}
	shared, n := int(d[0]>>4), int(d[0]&15)+1
	d = d[1:]
	if n == 16 {
		v, w := uvarint(d)
		if w <= 0 || v > MaxLexicalTerm-16 {
			return 0, nil
		}
		n += int(v)
		d = d[w:]
	}
	if n > len(d) {
		return 0, nil
	}
	c.dict = d[n:]
	c.left--
	return shared, d[:n]
}

// numbersOf goes to the end of the terms and returns the entry of the n-th
// one, from 1.
func (c *termCursor) numbersOf(n int) (Term, error) {
	for c.left > 0 {
		if _, rest := c.nextTerm(); rest == nil {
			return Term{}, damaged("term entry")
		}
	}
	t := Term{postEnd: c.at.post, posEnd: c.at.pos}
	for range n {
		if err := c.nextNumbers(&t); err != nil {
			return Term{}, err
		}
	}
	return t, nil
}

// nextNumbers replaces t by the entry of the term behind it. c stands behind
// the terms of the block.
func (c *termCursor) nextNumbers(t *Term) error {
	d := c.dict
	if len(d) == 0 {
		return damaged("term numbers")
	}
	t.post, t.pos = t.postEnd, t.posEnd
	x := d[0]
	d = d[1:]
	var df, post, pos uint64
	if x >= 0x80 {
		df, post, pos = 1, uint64(x>>5&3)+1, uint64(x&31)*2
	} else {
		df = uint64(x) + 1
		if df == 128 {
			v, w := binary.Uvarint(d)
			if w <= 0 || v > maxRows {
				return damaged("document frequency")
			}
			df += v
			d = d[w:]
		}
		var w1, w2 int
		post, w1 = uvarint(d)
		if w1 > 0 {
			pos, w2 = uvarint(d[w1:])
		}
		if w1 <= 0 || w2 <= 0 || df > maxRows || post > maxRows {
			return damaged("term numbers")
		}
		d = d[w1+w2:]
		post += df
	}
	if post > uint64(c.end.post-t.post) || pos>>1 > uint64(c.end.pos-t.pos) {
		return damaged("term numbers exceed their block")
	}
	t.DocFreq, t.counted = uint32(df), pos&1 != 0
	t.postEnd, t.posEnd = t.post+uint32(post), t.pos+uint32(pos>>1)
	c.dict = d
	return nil
}

// uvarint is binary.Uvarint with a short way for one byte.
func uvarint(b []byte) (uint64, int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return binary.Uvarint(b)
}

func commonPrefix(a []byte, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// WalkPrefix calls fn for every term that begins with prefix, in byte order,
// until fn returns false. term is valid until fn returns.
func (r *LexicalReader) WalkPrefix(prefix string, fn func(term []byte, t Term) bool) error {
	b, err := r.findBlock(prefix)
	if err != nil {
		return err
	}
	var buf [15 + MaxLexicalTerm]byte
	for b = max(b, 0); b < r.blocks; b++ {
		c := r.block(b)
		nums := c
		if _, err := nums.numbersOf(0); err != nil { // go to the numbers
			return err
		}
		t := Term{postEnd: c.at.post, posEnd: c.at.pos}
		n := 0
		for c.left > 0 {
			shared, rest := c.nextTerm()
			if rest == nil || shared > n {
				return damaged("term entry")
			}
			if err := nums.nextNumbers(&t); err != nil {
				return err
			}
			n = shared + copy(buf[shared:], rest)
			if n > MaxLexicalTerm {
				return damaged("term of %d bytes", n)
			}
			term := buf[:n:n]
			if !strings.HasPrefix(string(term), prefix) {
				if string(term) < prefix {
					continue
				}
				return nil
			}
			if !fn(term, t) {
				return nil
			}
		}
		if len(nums.dict) > 0 || t.postEnd != c.end.post || t.posEnd != c.end.pos {
			return damaged("the terms of a block do not fill it")
		}
	}
	return nil
}

// postingBytes returns the encoded postings of t.
func (r *LexicalReader) postingBytes(t Term) ([]byte, error) {
	if uint64(t.postEnd) > uint64(len(r.postings)) || t.post > t.postEnd {
		return nil, damaged("postings lie outside their section")
	}
	b := r.postings[t.post:t.postEnd]
	if uint64(t.DocFreq) > uint64(len(b)) {
		return nil, damaged("%d postings in %d bytes", t.DocFreq, len(b))
	}
	return b, nil
}

// Postings appends the postings of t to dst, in the order of the documents.
func (r *LexicalReader) Postings(t Term, dst []Posting) ([]Posting, error) {
	b, err := r.postingBytes(t)
	if err != nil {
		return dst, err
	}
	dst = slices.Grow(dst, int(t.DocFreq))
	doc := -1
	for range t.DocFreq {
		var p Posting
		n, gap := decodePosting(b, &p)
		if n == 0 || gap >= uint64(r.docs-1-doc) {
			return dst, damaged("posting")
		}
		b = b[n:]
		doc += 1 + int(gap)
		p.Doc = uint32(doc)
		dst = append(dst, p)
	}
	if len(b) > 0 {
		return dst, damaged("bytes behind the last posting")
	}
	return dst, nil
}

// Scale says what a posting weighs: in each of its fields the frequency times
// the field's weight times what the field's length gives, added up in the order
// of the fields.
type Scale struct {
	Field [NumFields]float64
	Norm  [NumFields][]float64                 // by length
	Long  func(f Field, length uint32) float64 // for what is longer
}

func (s *Scale) weigh(f int, tf uint16, length uint32) float64 {
	var norm float64
	if by := s.Norm[f]; uint64(length) < uint64(len(by)) {
		norm = by[length]
	} else {
		norm = s.Long(Field(f), length)
	}
	return float64(float64(s.Field[f]*float64(tf)) * norm)
}

// Weighed is a posting that was weighed.
type Weighed struct {
	Doc    uint32
	Fields uint8 // bit f is set where the term stands in field f
	Weight float64
}

// Weigh appends the postings of t to dst as Postings does, weighed where they
// are decoded.
func (r *LexicalReader) Weigh(t Term, s *Scale, dst []Weighed) ([]Weighed, error) {
	b, err := r.postingBytes(t)
	if err != nil {
		return dst, err
	}
	dst = slices.Grow(dst, int(t.DocFreq))
	doc := -1
	for range t.DocFreq {
		if len(b) > 0 && b[0]&0x83 == lexCodeBody && int(b[0]>>2) < r.docs-1-doc { // the most frequent form
			doc += 1 + int(b[0]>>2)
			b = b[1:]
			dst = append(dst, Weighed{uint32(doc), 1 << FieldBody, s.weigh(int(FieldBody), 1, r.lengths[FieldBody].u32(doc))})
			continue
		}
		var p Posting
		n, gap := decodePosting(b, &p)
		if n == 0 || gap >= uint64(r.docs-1-doc) {
			return dst, damaged("posting")
		}
		b = b[n:]
		doc += 1 + int(gap)
		weight := 0.0
		for left := p.Fields; left != 0; left &= left - 1 {
			f := bits.TrailingZeros8(left) % NumFields
			weight += s.weigh(f, p.TF[f], r.lengths[f].u32(doc))
		}
		dst = append(dst, Weighed{uint32(doc), p.Fields, weight})
	}
	if len(b) > 0 {
		return dst, damaged("bytes behind the last posting")
	}
	return dst, nil
}

func (p *Posting) once(f Field) { p.TF[f], p.Fields = 1, 1<<f }

// decodePosting decodes one posting's frequencies into p, which is zero, and
// returns its length in bytes, 0 when it is damaged, and the gap to the document
// before.
func decodePosting(b []byte, p *Posting) (n int, gap uint64) {
	v, n := uvarint(b)
	if n <= 0 {
		return 0, 0
	}
	switch v & 3 {
	case lexCodeBody:
		p.once(FieldBody)
	case lexCodePath:
		p.once(FieldPath)
	case lexCodeBodyMany:
		tf, w := uvarint(b[n:])
		if w <= 0 || tf > lexMaxTF-2 {
			return 0, 0
		}
		n += w
		p.TF[FieldBody], p.Fields = uint16(tf)+2, 1<<FieldBody
	case lexCodeFields:
		w := decodeFields(b[n:], p)
		if w == 0 {
			return 0, 0
		}
		n += w
	}
	return n, v >> 2
}

// decodeFields decodes what follows lexCodeFields and returns its length, 0
// when it is damaged.
func decodeFields(b []byte, p *Posting) (n int) {
	if len(b) == 0 {
		return 0
	}
	mask := b[0]
	n = 1
	if mask&lexMaskAll == 0 || mask >= lexMaskOnce<<1 {
		return 0
	}
	p.Fields = mask & lexMaskAll
	for left := p.Fields; left != 0; left &= left - 1 {
		f := bits.TrailingZeros8(left) % NumFields
		p.TF[f] = 1
		if mask&lexMaskOnce == 0 {
			tf, w := uvarint(b[n:])
			if w <= 0 || tf > lexMaxTF-1 {
				return 0
			}
			n += w
			p.TF[f] = uint16(tf) + 1
		}
	}
	return n
}

// PositionList holds, for each posting of a term, its positions in one field.
type PositionList struct {
	ends []uint32
	pos  []uint32
}

// Len returns the number of postings.
func (l *PositionList) Len() int { return len(l.ends) }

// At returns the ascending positions of the i-th posting; empty when the term
// does not stand in the field there, or stands there only without a position.
func (l *PositionList) At(i int) []uint32 {
	lo := uint32(0)
	if i > 0 {
		lo = l.ends[i-1]
	}
	return l.pos[lo:l.ends[i]]
}

// Positions fills dst with the positions of t in one field, for the same
// postings in the same order as Postings gives. It returns false when the
// segment has none for t: then only the text can tell.
func (r *LexicalReader) Positions(t Term, f Field, dst *PositionList) (bool, error) {
	dst.ends, dst.pos = dst.ends[:0], dst.pos[:0]
	if !t.HasPositions() {
		return false, nil
	}
	all, err := r.positionBytes()
	if err != nil {
		return false, err
	}
	if uint64(t.posEnd) > uint64(len(all)) || uint64(t.postEnd) > uint64(len(r.postings)) || t.post > t.postEnd {
		return false, damaged("positions lie outside their section")
	}
	post, b := r.postings[t.post:t.postEnd], all[t.pos:t.posEnd]
	for range t.DocFreq {
		var p Posting
		n, _ := decodePosting(post, &p)
		if n == 0 {
			return false, damaged("posting")
		}
		post = post[n:]
		for g, tf := range p.TF {
			if tf == 0 || r.posMask&(1<<g) == 0 {
				continue
			}
			count := uint64(tf)
			if t.counted {
				v, w := uvarint(b)
				if w <= 0 {
					return false, damaged("number of positions")
				}
				count, b = v, b[w:]
			}
			if count > uint64(len(b)) {
				return false, damaged("%d positions in %d bytes", count, len(b))
			}
			at := uint64(0)
			for range count {
				v, w := uvarint(b)
				if w <= 0 || v > maxLexPosition {
					return false, damaged("position")
				}
				b = b[w:]
				if at += v; at > maxLexPosition {
					return false, damaged("position %d", at)
				}
				if Field(g) == f {
					dst.pos = append(dst.pos, uint32(at))
				}
			}
		}
		dst.ends = append(dst.ends, uint32(len(dst.pos)))
	}
	if len(b) > 0 {
		return false, damaged("bytes behind the last position")
	}
	return true, nil
}

// positionBytes returns the positions section, checked at the first call.
func (r *LexicalReader) positionBytes() ([]byte, error) {
	r.posOnce.Do(func() {
		b, _, err := r.seg.section(lexPositions)
		if err == nil && uint64(len(b)) != uint64(r.rows[r.blocks].pos) {
			err = damaged("positions section of %d bytes", len(b))
		}
		r.positions, r.posErr = b, err
	})
	return r.positions, r.posErr
}

// Verify decodes everything that the segment holds and reports the first
// contradiction: terms out of order, postings or positions that do not decode.
func (r *LexicalReader) Verify() error {
	var (
		prev     []byte
		postings []Posting
		list     PositionList
		failed   error
		seen     int
	)
	err := r.WalkPrefix("", func(term []byte, t Term) bool {
		if string(term) <= string(prev) {
			failed = damaged("term %q stands behind %q", term, prev)
			return false
		}
		prev = append(prev[:0], term...)
		seen++
		if !r.MayHold(HashTerm(term)) {
			failed = damaged("the filter lacks term %q", term)
			return false
		}
		if postings, failed = r.Postings(t, postings[:0]); failed == nil {
			_, failed = r.Positions(t, FieldBody, &list)
		}
		return failed == nil
	})
	if err == nil {
		err = failed
	}
	if err == nil && seen != r.terms {
		err = damaged("%d terms, not %d", seen, r.terms)
	}
	return err
}
