package embed

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/bits"
	"slices"

	"github.com/pindex-dev/pindex/analysis"
	"github.com/pindex-dev/pindex/internal/order"
)

// HashedName is the name of the built-in method.
const HashedName = "hashed-projection"

// The model blob of the built-in method, little-endian:
//
//	0   8  magic "PINDEXMD"
//	8   1  version: 0
//	9   1  kind: 1 = hashed projection
//	10  2  dimensions
//	12  1  coordinates of a term
//	13  1  number of fields: 5
//	14  2  number of entries in the frequency table
//	16  8  seed
//	24  4  number of damped terms
//	28  1  weight of a damped term, in 256ths
//	29  1  weight of a whole identifier, in 16ths
//	30  2  zero
//	32  2 × fields   weight of path, symbol, signature, documentation, body
//	..  2 × entries  the weight of a term that stands 1, 2, ... times
//	..  4 × damped   the upper half of each damped term's hash, ascending
//	..  4  CRC-32C of everything before
const (
	modelMagic   = "PINDEXMD"
	modelVersion = 0
	kindHashed   = 1

	hashedHeader = 32
	hashedFields = 5
	maxDims      = 1024
	maxCoords    = 16
	maxFrequency = 256
	maxDamped    = 1 << 16
)

const (
	fieldPath = iota
	fieldSymbol
	fieldSignature
	fieldDoc
	fieldBody
)

// hashed is a sparse random projection of the terms of a text: each term's
// hash picks a few coordinates and signs, and a text's vector is the weighted
// sum over its terms.
//
// It is a placeholder for semantic similarity: it measures how much of the
// words two texts share and knows nothing of what words mean. Two texts about
// one thing in different words are as far apart as any two.
type hashed struct {
	hashedParams
	model []byte

	scan  analysis.Analyzer
	sum   []int32
	table termTable
}

// hashedParams is what a model blob says.
type hashedParams struct {
	dims   int
	coords int // of a term
	seed   uint64
	fields [hashedFields]int32
	freq   []int32  // weight of a term that stands 1, 2, ... times
	damped []uint32 // upper halves of hashes, ascending
	damp   int32    // weight of a damped term, in 256ths
	whole  int32    // weight of a whole identifier, in 16ths
}

// NewHashed returns the built-in hashed-token projection of 256 dimensions. It
// is a placeholder for semantic similarity: it measures how much of their
// words two texts share, not what they mean.
func NewHashed() Embedder {
	p := defaultParams()
	return newHashed(p, p.encode())
}

func newHashed(p hashedParams, model []byte) *hashed {
	return &hashed{hashedParams: p, model: model, sum: make([]int32, p.dims)}
}

// frequencyWeights holds 256 × (1 + ln n) for n = 1, 2, ..., 32, rounded; a
// table, because logarithms differ in their last bits between machines.
var frequencyWeights = [...]uint16{
	256, 433, 537, 611, 668, 715, 754, 788, 818, 845, 870, 892, 913, 932, 949,
	966, 981, 996, 1010, 1023, 1035, 1047, 1059, 1070, 1080, 1090, 1100, 1109,
	1118, 1127, 1135, 1143,
}

// dampedTerms are words that stand in nearly every piece of code or prose,
// whatever it is about.
var dampedTerms = []string{
	"0", "1", "2", "a", "an", "and", "any", "are", "args", "as", "at", "async",
	"auto", "await", "b", "be", "bool", "boolean", "break", "but", "by", "byte",
	"c", "can", "case", "catch", "char", "class", "const", "continue", "d",
	"def", "default", "del", "do", "does", "double", "e", "elif", "else", "end",
	"enum", "err", "except", "export", "extends", "f", "false", "final",
	"finally", "float", "fn", "for", "foreach", "from", "fun", "func",
	"function", "has", "have", "i", "if", "impl", "implements", "import", "in",
	"include", "int", "interface", "into", "is", "it", "its", "j", "k", "kwargs",
	"l", "lambda", "let", "long", "m", "match", "mod", "module", "mut", "n",
	"namespace", "new", "nil", "no", "none", "not", "null", "o", "of", "on",
	"or", "override", "p", "package", "param", "pass", "private", "protected",
	"pub", "public", "r", "raise", "ref", "return", "returns", "s", "self",
	"should", "short", "sizeof", "some", "static", "str", "string", "struct",
	"super", "switch", "t", "template", "that", "the", "then", "these", "this",
	"throw", "throws", "to", "trait", "true", "try", "type", "typedef", "typeof",
	"u", "union", "unsigned", "use", "using", "v", "val", "var", "virtual",
	"void", "was", "we", "when", "where", "which", "while", "will", "with", "x",
	"y", "yield", "you",
}

func defaultParams() hashedParams {
	p := hashedParams{
		dims:   256,
		coords: 8,
		seed:   0x70696e6465783031,
		fields: [hashedFields]int32{fieldPath: 6, fieldSymbol: 12, fieldSignature: 6, fieldDoc: 6, fieldBody: 4},
		damp:   32, // an eighth
		whole:  12, // three quarters
	}
	for _, w := range frequencyWeights {
		p.freq = append(p.freq, int32(w))
	}
	for _, t := range dampedTerms {
		p.damped = append(p.damped, uint32(hashTerm(p.seed, []byte(t))>>32))
	}
	order.Sort(p.damped, cmp.Compare)
	p.damped = slices.Compact(p.damped)
	return p
}

// encode returns the model blob.
func (p *hashedParams) encode() []byte {
	le := binary.LittleEndian
	b := make([]byte, hashedHeader)
	copy(b, modelMagic)
	b[8], b[9] = modelVersion, kindHashed
	le.PutUint16(b[10:], uint16(p.dims))
	b[12], b[13] = byte(p.coords), hashedFields
	le.PutUint16(b[14:], uint16(len(p.freq)))
	le.PutUint64(b[16:], p.seed)
	le.PutUint32(b[24:], uint32(len(p.damped)))
	b[28], b[29] = byte(p.damp), byte(p.whole)
	for _, w := range p.fields {
		b = le.AppendUint16(b, uint16(w))
	}
	for _, w := range p.freq {
		b = le.AppendUint16(b, uint16(w))
	}
	for _, h := range p.damped {
		b = le.AppendUint32(b, h)
	}
	return le.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

func openHashed(b []byte) (Embedder, error) {
	bad := func(format string, args ...any) (Embedder, error) {
		return nil, fmt.Errorf("%w: %s", ErrModel, fmt.Sprintf(format, args...))
	}
	le := binary.LittleEndian
	if len(b) < hashedHeader+4 {
		return bad("%d bytes", len(b))
	}
	p := hashedParams{
		dims:   int(le.Uint16(b[10:])),
		coords: int(b[12]),
		seed:   le.Uint64(b[16:]),
		damp:   int32(b[28]),
		whole:  int32(b[29]),
	}
	freq, damped := int(le.Uint16(b[14:])), le.Uint32(b[24:])
	if p.dims < 32 || p.dims > maxDims || p.dims&(p.dims-1) != 0 || p.coords < 1 || p.coords > maxCoords ||
		b[13] != hashedFields || freq < 1 || freq > maxFrequency || damped > maxDamped || b[30] != 0 || b[31] != 0 {
		return bad("header")
	}
	if len(b) != hashedHeader+2*hashedFields+2*freq+4*int(damped)+4 {
		return bad("%d bytes do not fit its header", len(b))
	}
	body := b[:len(b)-4]
	if crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)) != le.Uint32(b[len(body):]) {
		return bad("checksum")
	}
	rest := body[hashedHeader:]
	for f := range p.fields {
		p.fields[f] = int32(le.Uint16(rest[2*f:]))
		if p.fields[f] > 256 {
			return bad("field weight %d", p.fields[f])
		}
	}
	rest = rest[2*hashedFields:]
	for i := range freq {
		w := int32(le.Uint16(rest[2*i:]))
		if w > 1<<12 {
			return bad("frequency weight %d", w)
		}
		p.freq = append(p.freq, w)
	}
	rest = rest[2*freq:]
	for i := range int(damped) {
		h := le.Uint32(rest[4*i:])
		if i > 0 && h <= p.damped[i-1] {
			return bad("damped terms out of order")
		}
		p.damped = append(p.damped, h)
	}
	return newHashed(p, b), nil
}

func (m *hashed) Name() string  { return HashedName }
func (m *hashed) Dims() int     { return m.dims }
func (m *hashed) Model() []byte { return m.model }

func (m *hashed) Clone() Embedder {
	c := *m
	c.scan = analysis.Analyzer{}
	c.sum = make([]int32, m.dims)
	c.table = termTable{}
	return &c
}

// Embed implements Embedder.
func (m *hashed) Embed(d Document, dst []int8) {
	m.table.reset()
	m.count(fieldPath, []byte(d.Path))
	m.count(fieldSymbol, d.Symbol)
	for _, t := range d.Signature {
		m.count(fieldSignature, t)
	}
	for _, t := range d.Doc {
		m.count(fieldDoc, t)
	}
	for _, t := range d.Body {
		m.count(fieldBody, t)
	}
	m.project(dst)
}

// EmbedQuery implements Embedder.
func (m *hashed) EmbedQuery(q string, dst []int8) {
	m.table.reset()
	m.count(fieldBody, []byte(q))
	m.project(dst)
}

// EmbedTerms implements Embedder.
func (m *hashed) EmbedTerms(terms []WeightedTerm, dst []int8) {
	// The highest weight is scaled to 16 bits: sums fit, small ones stay exact.
	var highest uint32
	for _, t := range terms {
		highest = max(highest, t.Weight)
	}
	clear(m.sum)
	for i, t := range terms {
		if i == maxQueryTerms {
			break
		}
		if t.Weight > 0 {
			w := uint64(t.Weight) << 16 >> bits.Len32(highest)
			m.add(hashTerm(m.seed, []byte(t.Term)), int32(max(w, 1)))
		}
	}
	m.normalise(dst)
}

// maxQueryTerms times 2^16 fits the 32-bit sums.
const maxQueryTerms = 1 << 14

// count adds the terms of a text to the table.
func (m *hashed) count(field int, text []byte) {
	m.scan.Scan(text, func(t analysis.Token) {
		m.table.add(hashTerm(m.seed, t.Term)&^15 | uint64(field)<<1 | isWhole(t.Kind))
	})
}

func isWhole(k analysis.Kind) uint64 {
	if k == analysis.Whole {
		return 1
	}
	return 0
}

// project turns the table into a vector.
func (m *hashed) project(dst []int8) {
	clear(m.sum)
	for _, e := range m.table.entries {
		w := m.fields[e.hash>>1&7] * m.freq[min(int(e.count), len(m.freq))-1]
		if e.hash&1 != 0 {
			w = w * m.whole / 16
		}
		h := e.hash &^ 15
		if _, ok := slices.BinarySearch(m.damped, uint32(h>>32)); ok {
			w = w * m.damp / 256
		}
		m.add(h, w)
	}
	m.normalise(dst)
}

// add adds a term's coordinates.
func (m *hashed) add(h uint64, w int32) {
	h &^= 15
	mask := uint32(m.dims - 1)
	var r uint64
	for i := range m.coords {
		if i%4 == 0 {
			r = mix(h + uint64(i))
		}
		sign := int32(r>>15&1)*2 - 1
		m.sum[uint32(r)&mask] += sign * w
		r >>= 16
	}
}

// normalise scales the sums to the length Norm.
func (m *hashed) normalise(dst []int8) {
	var sq uint64
	for _, v := range m.sum {
		sq += uint64(int64(v) * int64(v))
	}
	dst = dst[:m.dims]
	if sq == 0 {
		clear(dst)
		return
	}
	length := int64(isqrt(sq))
	for i, v := range m.sum {
		n := int64(v) * (2 * Norm)
		// Round half away from zero.
		if n >= 0 {
			n += length
		} else {
			n -= length
		}
		n /= 2 * length
		dst[i] = int8(min(max(n, -127), 127))
	}
}

// isqrt returns the integer square root of v, rounded to the nearest, at
// least 1 for v > 0.
func isqrt(v uint64) uint64 {
	if v == 0 {
		return 0
	}
	x := uint64(1) << ((bits.Len64(v) + 1) / 2)
	for {
		y := (x + v/x) / 2
		if y >= x {
			break
		}
		x = y
	}
	if v-x*x > x {
		x++
	}
	return x
}

// hashTerm is the hash that the format fixes: 64 bits of FNV-1a over the
// term, started from the seed, then mixed.
func hashTerm(seed uint64, term []byte) uint64 {
	h := seed ^ 0xcbf29ce484222325
	for _, b := range term {
		h = (h ^ uint64(b)) * 0x100000001b3
	}
	return mix(h)
}

// mix spreads every bit of h over all bits.
func mix(h uint64) uint64 {
	h ^= h >> 30
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 27
	h *= 0x94d049bb133111eb
	return h ^ h>>31
}

// termTable counts hashes in the order of their first use.
type termTable struct {
	entries []termCount
	slots   []uint32 // entry number + 1 + base; lower values are free
	base    uint32
}

type termCount struct {
	hash  uint64
	count uint32
}

func (t *termTable) reset() {
	if t.slots == nil {
		t.slots = make([]uint32, 1024)
	}
	// Raising the base frees every slot at once.
	if t.base > 1<<31 {
		clear(t.slots)
		t.base = 0
	} else {
		t.base += uint32(len(t.entries))
	}
	t.entries = t.entries[:0]
}

func (t *termTable) add(h uint64) {
	mask := uint32(len(t.slots) - 1)
	for i := uint32(h>>8) & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s <= t.base {
			t.entries = append(t.entries, termCount{h, 1})
			t.slots[i] = t.base + uint32(len(t.entries))
			if len(t.entries)*2 > len(t.slots) {
				t.grow()
			}
			return
		}
		if e := &t.entries[s-t.base-1]; e.hash == h {
			e.count++
			return
		}
	}
}

func (t *termTable) grow() {
	t.slots = make([]uint32, 2*len(t.slots))
	t.base = 0
	mask := uint32(len(t.slots) - 1)
	for n, e := range t.entries {
		i := uint32(e.hash>>8) & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = uint32(n) + 1
	}
}
