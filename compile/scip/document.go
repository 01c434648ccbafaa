package scip

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Document is what SCIP says of one file, in byte columns of its text.
type Document struct {
	Symbols     []string // ascending, each used below
	Occurrences []Occurrence
	Infos       []Info
	Relations   []Relation
}

// Range is [Start, End): lines from 0, columns in bytes from 0.
type Range struct{ StartLine, StartCol, EndLine, EndCol uint32 }

// Occurrence is one mention of a symbol, sorted by Compare.
type Occurrence struct {
	Range     Range
	Symbol    uint32 // number in Symbols
	Roles     uint32 // SCIP's bits
	Enclosing Range  // zero for none
}

// Info is what the document says of a symbol itself; one a symbol, ascending.
type Info struct {
	Symbol uint32
	Kind   uint32 // SCIP's SymbolInformation.Kind
}

// Relation says how Symbol is related to Target; sorted by (Symbol, Target).
type Relation struct {
	Symbol, Target uint32
	Flags          uint8 // artifact.RelationFlags
}

const (
	roleDefinition = 1
	roleImport     = 2
	roleWrite      = 4
	roleRead       = 8
	roleForward    = 64
)

func (r Range) compare(o Range) int {
	return cmp.Or(cmp.Compare(r.StartLine, o.StartLine), cmp.Compare(r.StartCol, o.StartCol),
		cmp.Compare(r.EndLine, o.EndLine), cmp.Compare(r.EndCol, o.EndCol))
}

// valid reports whether r does not end before it starts.
func (r Range) valid() bool {
	return r.StartLine < r.EndLine || r.StartLine == r.EndLine && r.StartCol <= r.EndCol
}

func compareOccurrences(a, b Occurrence) int {
	return cmp.Or(a.Range.compare(b.Range), cmp.Compare(a.Symbol, b.Symbol), cmp.Compare(a.Roles, b.Roles), a.Enclosing.compare(b.Enclosing))
}

// settle sorts the symbols, renumbers what refers to them, sorts everything
// and drops what stands twice. Occurrences of one symbol at one place become
// one with the roles of all.
func (d *Document) settle() {
	used := make([]bool, len(d.Symbols))
	for _, o := range d.Occurrences {
		used[o.Symbol] = true
	}
	for _, i := range d.Infos {
		used[i.Symbol] = true
	}
	for _, r := range d.Relations {
		used[r.Symbol], used[r.Target] = true, true
	}
	order := make([]uint32, 0, len(d.Symbols))
	for i := range d.Symbols {
		if used[i] {
			order = append(order, uint32(i))
		}
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(d.Symbols[a], d.Symbols[b]) })
	renumber := make([]uint32, len(d.Symbols))
	symbols := make([]string, 0, len(order))
	for _, i := range order {
		if n := len(symbols); n == 0 || symbols[n-1] != d.Symbols[i] {
			symbols = append(symbols, d.Symbols[i])
		}
		renumber[i] = uint32(len(symbols) - 1)
	}
	d.Symbols = symbols
	for i := range d.Occurrences {
		d.Occurrences[i].Symbol = renumber[d.Occurrences[i].Symbol]
	}
	slices.SortFunc(d.Occurrences, compareOccurrences)
	d.Occurrences = mergeRuns(d.Occurrences, func(a *Occurrence, b Occurrence) bool {
		if a.Range != b.Range || a.Symbol != b.Symbol {
			return false
		}
		a.Roles |= b.Roles
		if a.Enclosing == (Range{}) {
			a.Enclosing = b.Enclosing
		}
		return true
	})
	for i := range d.Infos {
		d.Infos[i].Symbol = renumber[d.Infos[i].Symbol]
	}
	slices.SortFunc(d.Infos, func(a, b Info) int { return cmp.Or(cmp.Compare(a.Symbol, b.Symbol), cmp.Compare(a.Kind, b.Kind)) })
	d.Infos = mergeRuns(d.Infos, func(a *Info, b Info) bool {
		if a.Symbol != b.Symbol {
			return false
		}
		a.Kind = max(a.Kind, b.Kind)
		return true
	})
	for i := range d.Relations {
		r := &d.Relations[i]
		r.Symbol, r.Target = renumber[r.Symbol], renumber[r.Target]
	}
	slices.SortFunc(d.Relations, func(a, b Relation) int {
		return cmp.Or(cmp.Compare(a.Symbol, b.Symbol), cmp.Compare(a.Target, b.Target), cmp.Compare(a.Flags, b.Flags))
	})
	d.Relations = mergeRuns(d.Relations, func(a *Relation, b Relation) bool {
		if a.Symbol != b.Symbol || a.Target != b.Target {
			return false
		}
		a.Flags |= b.Flags
		return true
	})
}

// mergeRuns merges neighbours where merge, which changes the first, agrees.
func mergeRuns[T any](s []T, merge func(a *T, b T) bool) []T {
	out := s[:0]
	for _, x := range s {
		if n := len(out); n == 0 || !merge(&out[n-1], x) {
			out = append(out, x)
		}
	}
	return out
}

// documentVersion is that of the encoding below.
const documentVersion = 1

// Encode returns the document's bytes, which are a function of its content.
//
//	u8 version
//	varint symbols, and for each: varint bytes shared with the one before, varint length of the rest, the rest
//	varint occurrences, and for each: varint lines behind the start of the one before,
//	    varint column, varint more lines, varint length (on one line) or end column,
//	    varint symbol, varint roles × 2 (+ 1 with an enclosing range: four varints)
//	varint infos, and for each: varint symbol, varint kind
//	varint relations, and for each: varint symbol, varint target, varint flags
func (d *Document) Encode() []byte {
	b := []byte{documentVersion}
	put := func(v uint64) { b = binary.AppendUvarint(b, v) }
	put(uint64(len(d.Symbols)))
	prev := ""
	for _, s := range d.Symbols {
		n := 0
		for n < len(prev) && n < len(s) && prev[n] == s[n] {
			n++
		}
		put(uint64(n))
		put(uint64(len(s) - n))
		b = append(b, s[n:]...)
		prev = s
	}
	put(uint64(len(d.Occurrences)))
	line := uint32(0)
	for _, o := range d.Occurrences {
		r := o.Range
		put(uint64(r.StartLine - line))
		line = r.StartLine
		put(uint64(r.StartCol))
		put(uint64(r.EndLine - r.StartLine))
		if r.EndLine == r.StartLine {
			put(uint64(r.EndCol - r.StartCol))
		} else {
			put(uint64(r.EndCol))
		}
		put(uint64(o.Symbol))
		if o.Enclosing == (Range{}) {
			put(uint64(o.Roles) << 1)
			continue
		}
		put(uint64(o.Roles)<<1 | 1)
		e := o.Enclosing
		put(uint64(e.StartLine))
		put(uint64(e.StartCol))
		put(uint64(e.EndLine))
		put(uint64(e.EndCol))
	}
	put(uint64(len(d.Infos)))
	for _, i := range d.Infos {
		put(uint64(i.Symbol))
		put(uint64(i.Kind))
	}
	put(uint64(len(d.Relations)))
	for _, r := range d.Relations {
		put(uint64(r.Symbol))
		put(uint64(r.Target))
		put(uint64(r.Flags))
	}
	return b
}

var errDocument = errors.New("the bytes are no normalised document")

// DecodeDocument reads what Encode wrote, from bytes that may be hostile: it
// refuses everything that settle would change.
func DecodeDocument(b []byte) (*Document, error) {
	if len(b) == 0 || b[0] != documentVersion {
		return nil, fmt.Errorf("%w of version %d", errDocument, documentVersion)
	}
	r := reader{b: b[1:]}
	d := &Document{}
	n := r.count(2)
	d.Symbols = make([]string, 0, n)
	prev := ""
	total := 0
	for range n {
		shared, rest := r.number(), r.bytes()
		if r.bad || shared > uint64(len(prev)) || int(shared)+len(rest) > MaxSymbol {
			return nil, errDocument
		}
		s := prev[:shared] + string(rest)
		// Shared beginnings must not make much of little.
		if total += len(s); total > MaxDocument || len(d.Symbols) > 0 && s <= prev || s == "" {
			return nil, errDocument
		}
		d.Symbols = append(d.Symbols, s)
		prev = s
	}
	n = r.count(6)
	d.Occurrences = make([]Occurrence, 0, n)
	line := uint32(0)
	for range n {
		var o Occurrence
		o.Range.StartLine = r.add(line, r.u32())
		line = o.Range.StartLine
		o.Range.StartCol = r.u32()
		more := r.u32()
		o.Range.EndLine = r.add(line, more)
		if o.Range.EndCol = r.u32(); more == 0 {
			o.Range.EndCol = r.add(o.Range.EndCol, o.Range.StartCol)
		}
		o.Symbol = r.below(len(d.Symbols))
		roles := r.number()
		if o.Roles = uint32(roles >> 1); roles>>1 > math.MaxUint32 {
			return nil, errDocument
		}
		if roles&1 != 0 {
			if o.Enclosing = (Range{r.u32(), r.u32(), r.u32(), r.u32()}); o.Enclosing == (Range{}) || !o.Enclosing.valid() {
				return nil, errDocument
			}
		}
		if k := len(d.Occurrences); r.bad || k > 0 && compareOccurrences(d.Occurrences[k-1], o) >= 0 {
			return nil, errDocument
		}
		d.Occurrences = append(d.Occurrences, o)
	}
	n = r.count(2)
	for range n {
		i := Info{r.below(len(d.Symbols)), r.u32()}
		if k := len(d.Infos); r.bad || k > 0 && d.Infos[k-1].Symbol >= i.Symbol {
			return nil, errDocument
		}
		d.Infos = append(d.Infos, i)
	}
	n = r.count(3)
	for range n {
		x := Relation{Symbol: r.below(len(d.Symbols)), Target: r.below(len(d.Symbols))}
		flags := r.number()
		x.Flags = uint8(flags)
		if k := len(d.Relations); r.bad || flags > math.MaxUint8 || k > 0 &&
			cmp.Or(cmp.Compare(d.Relations[k-1].Symbol, x.Symbol), cmp.Compare(d.Relations[k-1].Target, x.Target)) >= 0 {
			return nil, errDocument
		}
		d.Relations = append(d.Relations, x)
	}
	if r.bad || len(r.b) > 0 {
		return nil, errDocument
	}
	return d, nil
}

// reader reads varints; bad stays set after the first that is not there.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads how many records of at least size bytes follow.
func (r *reader) count(size int) int {
	v := r.number()
	if v > uint64(len(r.b)/size) {
		r.bad, r.b = true, nil
		return 0
	}
	return int(v)
}

// maxNumber keeps lines and columns, counted from 1, within 32 bits.
const maxNumber = math.MaxInt32

func (r *reader) u32() uint32 {
	v := r.number()
	if v > maxNumber {
		r.bad = true
		return 0
	}
	return uint32(v)
}

func (r *reader) add(a, b uint32) uint32 {
	if a+b > maxNumber {
		r.bad = true
		return 0
	}
	return a + b
}

func (r *reader) below(n int) uint32 {
	v := r.u32()
	if int64(v) >= int64(n) {
		r.bad = true
		return 0
	}
	return v
}

func (r *reader) bytes() []byte {
	n := r.number()
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return nil
	}
	s := r.b[:n]
	r.b = r.b[n:]
	return s
}
