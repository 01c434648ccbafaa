package embed

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"

	"github.com/pindex-dev/pindex/analysis"
)

// StaticName is the name of the method whose vectors of words were trained.
const StaticName = "static-words"

// The model blob of the trained method, little-endian:
//
//	0   8  magic "PINDEXMD"
//	8   1  version: 0
//	9   1  kind: 2 = static vectors of words
//	10  2  dimensions, a multiple of 32
//	12  2  words
//	14  1  number of fields: 5
//	15  1  steps of the frequency table that make one occurrence
//	16  2  entries in the frequency table
//	18  1  binary logarithm of the number of slots
//	19  1  shortest piece of an unknown word, in bytes
//	20  4  bytes of all words
//	24  8  zero
//	32  2 × fields     what one occurrence in path, symbol, signature,
//	                   documentation, body counts, in steps
//	..  2 × entries    the weight of a word that counts 1, 2, ... steps
//	..  2 × words      each word's own weight
//	..  4 × (words+1)  where each word's text begins, and where the last ends
//	..  2 × slots      hash table: the number of a word plus one; 0 is free
//	..  bytes          the words' text
//	..                 zero up to a multiple of 4
//	..  4              CRC-32C of everything before
//	..  dims × words   the vectors, signed bytes
//
// A word's slot is the first free one from the lowest bits of its hash
// upwards, in the order of the words. Vectors may hold anything, so that
// opening a blob need not read them.
const (
	kindStatic = 2

	staticHeader   = 32
	maxStaticWords = 1<<16 - 1
	maxStaticText  = 1 << 22
	maxStaticSlots = 18
	// maxSegment bounds the bytes of an unknown word that are looked at.
	maxSegment = 32
	// maxMemo bounds what an embedder remembers of unknown words.
	maxMemo = 1 << 14
)

// static is a bag of words: a text's vector is the sum of its words' vectors,
// each times the word's own weight and the logarithm of its number. A word
// that has no vector is made of words that do.
type static struct {
	model   []byte
	dims    int
	words   int
	fields  [hashedFields]uint32
	unit    uint32 // steps of one occurrence
	freq    []byte // uint16s
	weights []byte // uint16s
	offsets []byte // uint32s
	slots   []byte // uint16s
	mask    uint32
	text    []byte
	vectors []byte
	piece   int

	scan  analysis.Analyzer
	memo  map[string][]uint16
	count []uint32 // steps of each word
	used  []uint16 // words that have any, in the order of their first use
	sum   []int64
}

// StaticModel is what EncodeStatic writes.
type StaticModel struct {
	Dims    int
	Fields  [5]uint16 // steps that one occurrence counts in path, symbol, signature, documentation, body
	Unit    int       // steps of one occurrence in a question
	Freq    []uint16  // weight of 1, 2, ... steps
	Piece   int       // bytes of the shortest piece of an unknown word
	Words   []string  // each one an analysis term
	Weights []uint16  // of the words
	Vectors []int8    // Dims for each word
}

// EncodeStatic writes the blob of a model of static vectors. It returns an
// error when OpenModel would refuse it.
func EncodeStatic(m *StaticModel) ([]byte, error) {
	le := binary.LittleEndian
	n := len(m.Words)
	if n > maxStaticWords || len(m.Weights) != n || len(m.Vectors) != n*m.Dims {
		return nil, fmt.Errorf("%w: %d words with %d weights and %d numbers", ErrModel, n, len(m.Weights), len(m.Vectors))
	}
	log := bits.Len(uint(2 * n))
	slots := make([]uint16, 1<<log)
	mask := uint32(len(slots) - 1)
	var text []byte
	offsets := []uint32{0}
	for i, w := range m.Words {
		text = append(text, w...)
		offsets = append(offsets, uint32(len(text)))
		s := uint32(hashTerm(0, []byte(w))) & mask
		for slots[s] != 0 {
			s = (s + 1) & mask
		}
		slots[s] = uint16(i + 1)
	}
	b := make([]byte, staticHeader)
	copy(b, modelMagic)
	b[8], b[9] = modelVersion, kindStatic
	le.PutUint16(b[10:], uint16(m.Dims))
	le.PutUint16(b[12:], uint16(n))
	b[14], b[15] = hashedFields, byte(m.Unit)
	le.PutUint16(b[16:], uint16(len(m.Freq)))
	b[18], b[19] = byte(log), byte(m.Piece)
	le.PutUint32(b[20:], uint32(len(text)))
	for _, s := range [][]uint16{m.Fields[:], m.Freq, m.Weights} {
		for _, v := range s {
			b = le.AppendUint16(b, v)
		}
	}
	for _, v := range offsets {
		b = le.AppendUint32(b, v)
	}
	for _, v := range slots {
		b = le.AppendUint16(b, v)
	}
	b = append(b, text...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	b = le.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
	for _, v := range m.Vectors {
		b = append(b, byte(v))
	}
	_, err := openStatic(b)
	return b, err
}

func openStatic(b []byte) (Embedder, error) {
	bad := func(format string, args ...any) (Embedder, error) {
		return nil, fmt.Errorf("%w: %s", ErrModel, fmt.Sprintf(format, args...))
	}
	le := binary.LittleEndian
	if len(b) < staticHeader+4 {
		return bad("%d bytes", len(b))
	}
	m := &static{
		model: b,
		dims:  int(le.Uint16(b[10:])),
		words: int(le.Uint16(b[12:])),
		unit:  uint32(b[15]),
		piece: int(b[19]),
	}
	freq, log, text := int(le.Uint16(b[16:])), int(b[18]), int(le.Uint32(b[20:]))
	if m.dims < 32 || m.dims > maxDims || m.dims%32 != 0 || m.words < 1 || b[14] != hashedFields || m.unit < 1 ||
		freq < 1 || freq > 1<<12 || log > maxStaticSlots || 1<<log <= m.words || m.piece < 1 || text > maxStaticText ||
		le.Uint64(b[24:]) != 0 {
		return bad("header")
	}
	tables := staticHeader + 2*hashedFields + 2*freq + 2*m.words + 4*(m.words+1) + 2<<log + text
	tables += -tables & 3
	if len(b) != tables+4+m.dims*m.words {
		return bad("%d bytes do not fit its header", len(b))
	}
	if crc32.Checksum(b[:tables], crc32.MakeTable(crc32.Castagnoli)) != le.Uint32(b[tables:]) {
		return bad("checksum")
	}
	rest := b[staticHeader:]
	take := func(n int) []byte {
		part := rest[:n:n]
		rest = rest[n:]
		return part
	}
	for f, part := 0, take(2*hashedFields); f < hashedFields; f++ {
		m.fields[f] = uint32(le.Uint16(part[2*f:]))
		if m.fields[f] > 1<<10 {
			return bad("a field counts %d steps", m.fields[f])
		}
	}
	m.freq, m.weights, m.offsets = take(2*freq), take(2*m.words), take(4*(m.words+1))
	m.slots, m.mask = take(2<<log), 1<<log-1
	m.text, m.vectors = take(text), b[tables+4:]
	last := uint32(0)
	for i := range m.words + 1 {
		at := le.Uint32(m.offsets[4*i:])
		if at < last || i == 0 && at != 0 || i == m.words && int(at) != text || at-last > analysis.MaxTerm {
			return bad("word %d begins at %d of %d", i, at, text)
		}
		last = at
	}
	free := 0
	for i := range 1 << log {
		s := int(le.Uint16(m.slots[2*i:]))
		if s > m.words {
			return bad("slot %d holds word %d of %d", i, s, m.words)
		}
		if s == 0 {
			free++
		}
	}
	if free == 0 {
		return bad("no slot is free")
	}
	return m, nil
}

func (m *static) Name() string  { return StaticName }
func (m *static) Dims() int     { return m.dims }
func (m *static) Model() []byte { return m.model }

func (m *static) Clone() Embedder {
	c := *m
	c.scan = analysis.Analyzer{}
	c.memo, c.count, c.used, c.sum = nil, nil, nil, nil
	return &c
}

// Embed implements Embedder.
func (m *static) Embed(d Document, dst []int8) {
	m.reset()
	m.add(m.fields[fieldPath], []byte(d.Path))
	m.add(m.fields[fieldSymbol], d.Symbol)
	for _, t := range d.Signature {
		m.add(m.fields[fieldSignature], t)
	}
	for _, t := range d.Doc {
		m.add(m.fields[fieldDoc], t)
	}
	for _, t := range d.Body {
		m.add(m.fields[fieldBody], t)
	}
	m.finish(dst)
}

// EmbedQuery implements Embedder.
func (m *static) EmbedQuery(q string, dst []int8) {
	m.reset()
	m.add(m.unit, []byte(q))
	m.finish(dst)
}

// EmbedTerms implements Embedder. A term's weight multiplies its word's own;
// whole identifiers are taken apart like any unknown word.
func (m *static) EmbedTerms(terms []WeightedTerm, dst []int8) {
	m.reset()
	var highest uint32
	for _, t := range terms {
		highest = max(highest, t.Weight)
	}
	shift := max(bits.Len32(highest)-12, 0)
	for i, t := range terms {
		if i == maxQueryTerms {
			break
		}
		if t.Weight == 0 {
			continue
		}
		for _, w := range m.ids([]byte(t.Term)) {
			m.accumulate(w, int64(max(t.Weight>>shift, 1))*int64(m.weight(w)))
		}
	}
	m.normalise(dst)
}

func (m *static) reset() {
	if m.count == nil {
		m.count = make([]uint32, m.words)
		m.sum = make([]int64, m.dims)
		m.memo = map[string][]uint16{}
	}
	clear(m.sum)
}

// add counts the words of a text.
func (m *static) add(steps uint32, text []byte) {
	if steps == 0 {
		return
	}
	m.scan.Scan(text, func(t analysis.Token) {
		if t.Kind == analysis.Whole {
			return // its parts say the same
		}
		if w, ok := m.find(t.Term); ok {
			m.see(w, steps)
			return
		}
		for _, w := range m.ids(t.Term) {
			m.see(w, steps)
		}
	})
}

func (m *static) see(w uint16, steps uint32) {
	if m.count[w] == 0 {
		m.used = append(m.used, w)
	}
	m.count[w] += steps
}

// finish turns the counts into a vector, and forgets them.
func (m *static) finish(dst []int8) {
	n := uint32(len(m.freq) / 2)
	for _, w := range m.used {
		steps := min(m.count[w], n)
		m.count[w] = 0
		f := binary.LittleEndian.Uint16(m.freq[2*(steps-1):])
		m.accumulate(w, int64(f)*int64(m.weight(w)))
	}
	m.used = m.used[:0]
	m.normalise(dst)
}

func (m *static) weight(w uint16) uint16 {
	return binary.LittleEndian.Uint16(m.weights[2*int(w):])
}

// accumulate adds c times a word's vector. A term's share is below 2^39, so
// that 2^24 of them fit.
func (m *static) accumulate(w uint16, c int64) {
	row := m.vectors[int(w)*m.dims : (int(w)+1)*m.dims]
	sum := m.sum[:len(row)]
	for i, v := range row {
		sum[i] += c * int64(int8(v))
	}
}

// normalise scales the sums to the length Norm.
func (m *static) normalise(dst []int8) {
	dst = dst[:m.dims]
	var highest uint64
	for _, v := range m.sum {
		highest = max(highest, uint64(max(v, -v)))
	}
	// 24 bits a number: their squares and their sum fit.
	shift := max(bits.Len64(highest)-24, 0)
	var sq uint64
	for i, v := range m.sum {
		v >>= shift
		m.sum[i] = v
		sq += uint64(v * v)
	}
	scaleTo(m.sum, sq, dst)
}

// scaleTo fills dst with the numbers of sum, whose squares add up to sq, scaled
// to the length Norm.
func scaleTo(sum []int64, sq uint64, dst []int8) {
	if sq == 0 {
		clear(dst)
		return
	}
	length := int64(isqrt(sq))
	for i, v := range sum {
		n := v * (2 * Norm)
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

// find looks a word up.
func (m *static) find(term []byte) (uint16, bool) {
	le := binary.LittleEndian
	for s := uint32(hashTerm(0, term)); ; s++ {
		n := int(le.Uint16(m.slots[2*(s&m.mask):]))
		if n == 0 {
			return 0, false
		}
		lo, hi := le.Uint32(m.offsets[4*(n-1):]), le.Uint32(m.offsets[4*n:])
		if string(m.text[lo:hi]) == string(term) {
			return uint16(n - 1), true
		}
	}
}

// ids returns the words that make up a term: itself, or the pieces of an
// unknown one.
func (m *static) ids(term []byte) []uint16 {
	if ids, ok := m.memo[string(term)]; ok {
		return ids
	}
	var ids []uint16
	if w, ok := m.find(term); ok {
		ids = []uint16{w}
	} else {
		ids = m.segment(term)
	}
	if len(m.memo) >= maxMemo {
		clear(m.memo)
	}
	m.memo[string(term)] = ids
	return ids
}

// segment covers an unknown term with words such that the sum of their squared
// lengths is the highest. What is left over has no share; a number has none at
// all.
func (m *static) segment(term []byte) []uint16 {
	if len(term) == 0 || term[0] >= '0' && term[0] <= '9' {
		return nil
	}
	n := min(len(term), maxSegment)
	var best, from [maxSegment + 1]int
	var word [maxSegment + 1]uint16
	for end := 1; end <= n; end++ {
		best[end], from[end] = best[end-1], -1
		for start := 0; start+m.piece <= end; start++ {
			s := best[start] + (end-start)*(end-start)
			if s <= best[end] {
				continue
			}
			if w, ok := m.find(term[start:end]); ok {
				best[end], from[end], word[end] = s, start, w
			}
		}
	}
	var out []uint16
	for end := n; end > 0; {
		if from[end] < 0 {
			end--
			continue
		}
		out = append(out, word[end])
		end = from[end]
	}
	return out
}

// StaticFrequency returns a frequency table: the weight of a word that counts
// 1, 2, ..., n steps of which unit make one occurrence: 1 + ln of the
// occurrences in 256ths, and in proportion below one occurrence.
func StaticFrequency(unit, n int) []uint16 {
	out := make([]uint16, n)
	for i := range out {
		x := float64(i+1) / float64(unit)
		if x < 1 {
			out[i] = uint16(math.Round(256 * x))
		} else {
			out[i] = uint16(math.Round(256 * (1 + math.Log(x))))
		}
	}
	return out
}
