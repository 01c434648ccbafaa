package scip

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/scip-code/scip/bindings/go/scip"
)

// text is a file's text with its lines. A byte order mark is no part of the
// first line's columns.
type text struct {
	b      []byte
	starts []int // of each line, and len(b)
	bom    int
}

const utf8BOM = "\xef\xbb\xbf"

func newText(b []byte) *text {
	t := &text{b: b, starts: make([]int, 1, 1+bytes.Count(b, []byte{'\n'})+1)}
	if bytes.HasPrefix(b, []byte(utf8BOM)) {
		t.bom = len(utf8BOM)
	}
	for i, c := range b {
		if c == '\n' {
			t.starts = append(t.starts, i+1)
		}
	}
	t.starts = append(t.starts, len(b))
	return t
}

// line returns a line without its end, and the column at which it starts.
func (t *text) line(n uint32) (line []byte, from int, ok bool) {
	if int64(n) >= int64(len(t.starts)-1) {
		return nil, 0, false
	}
	lo, hi := t.starts[n], t.starts[n+1]
	if n == 0 {
		from = t.bom
	}
	return bytes.TrimSuffix(t.b[lo+from:hi], []byte{'\n'}), from, true
}

// column turns a column in an encoding's code units into one in bytes.
func (t *text) column(n uint32, c int32, enc scip.PositionEncoding) (uint32, bool) {
	line, from, ok := t.line(n)
	if !ok || c < 0 {
		return 0, false
	}
	if enc == scip.PositionEncoding_UTF8CodeUnitOffsetFromLineStart {
		return uint32(from) + uint32(c), int64(c) <= int64(len(line))
	}
	at := 0
	for left := c; left > 0; left-- {
		if at == len(line) {
			return 0, false
		}
		if line[at] < utf8.RuneSelf {
			at++
			continue
		}
		r, size := utf8.DecodeRune(line[at:])
		at += size
		if r > 0xffff && enc == scip.PositionEncoding_UTF16CodeUnitOffsetFromLineStart {
			if left--; left == 0 {
				return 0, false // in the middle of a pair
			}
		}
	}
	return uint32(from + at), true
}

// locate turns a range of an index into one in bytes; false where it does not
// lie on the text.
func (t *text) locate(r scip.Range, enc scip.PositionEncoding) (Range, bool) {
	if r.Start.Line < 0 || r.End.Line < r.Start.Line {
		return Range{}, false
	}
	out := Range{StartLine: uint32(r.Start.Line), EndLine: uint32(r.End.Line)}
	var ok bool
	if out.StartCol, ok = t.column(out.StartLine, r.Start.Character, enc); !ok {
		return Range{}, false
	}
	if out.EndCol, ok = t.column(out.EndLine, r.End.Character, enc); !ok {
		// An enclosing range may end with the text, on the line behind it.
		return Range{}, false
	}
	return out, out.valid()
}

func (t *text) slice(r Range) []byte {
	return t.b[t.starts[r.StartLine]+int(r.StartCol) : t.starts[r.EndLine]+int(r.EndCol)]
}

// whole reports whether a range holds whole words: no indexer points at a part
// of an identifier, and positions of another text nearly always do.
func (t *text) whole(r Range) bool {
	lo, hi := t.starts[r.StartLine]+int(r.StartCol), t.starts[r.EndLine]+int(r.EndCol)
	if lo == hi {
		return true
	}
	if s := bytes.TrimSpace(t.b[lo:hi]); len(s) == 0 {
		return false
	}
	return !joined(t.b, lo) && !joined(t.b, hi)
}

// joined reports whether the characters on both sides of a place are of one
// word.
func joined(b []byte, at int) bool {
	if at == 0 || at == len(b) {
		return false
	}
	before, _ := utf8.DecodeLastRune(b[:at])
	behind, _ := utf8.DecodeRune(b[at:])
	return wordRune(before) && wordRune(behind)
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// The verdicts on one occurrence.
const (
	fits = iota
	outside
	cutsWord
	misnamed // lies well, but its text is not the symbol's name
)

// judge places one occurrence. name is the symbol's own, "" where nothing can
// be expected of the text.
func (t *text) judge(r scip.Range, enc scip.PositionEncoding, name string) (Range, int) {
	at, ok := t.locate(r, enc)
	switch {
	case !ok:
		return at, outside
	case !t.whole(at):
		return at, cutsWord
	case name != "" && at.StartLine == at.EndLine && at.StartCol < at.EndCol && !names(t.slice(at), name):
		return at, misnamed
	}
	return at, fits
}

// names reports whether a text can be the name of a symbol: it is, holds or is
// held by it. Quotes, sigils, module paths and generated parts fall under that.
func names(s []byte, name string) bool {
	return bytes.Contains(s, []byte(name)) || strings.Contains(name, string(bytes.Trim(s, "\"'`")))
}

// encodings are what is tried for a document that does not say its own, in
// this order where all fit equally well.
var encodings = []scip.PositionEncoding{
	scip.PositionEncoding_UTF8CodeUnitOffsetFromLineStart,
	scip.PositionEncoding_UTF16CodeUnitOffsetFromLineStart,
	scip.PositionEncoding_UTF32CodeUnitOffsetFromLineStart,
}

// encodingOf returns the encoding of a document's positions: what it says, or
// what fits the text best.
func (t *text) encodingOf(d *rawDocument, symbols *symbolNames) (scip.PositionEncoding, error) {
	if slices.Contains(encodings, d.encoding) {
		return d.encoding, nil
	}
	if isASCII(t.b) {
		return encodings[0], nil
	}
	bad := make([]int, len(encodings))
	err := d.each(func(o *scip.Occurrence) error {
		r, ok := o.SourceRange()
		if !ok || o.Symbol == "" || len(o.Symbol) > MaxSymbol {
			return nil
		}
		for i, enc := range encodings {
			if _, verdict := t.judge(r, enc, symbols.name(o.Symbol)); verdict != fits {
				bad[i]++
			}
		}
		return nil
	}, nil)
	return encodings[slices.Index(bad, slices.Min(bad))], err
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
