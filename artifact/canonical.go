package artifact

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/internal/order"
)

// The canonical form is RFC 8785 without floats: no white space, keys sorted
// by UTF-16 code units, the shortest escapes, integers within ±(2^53-1).
//
// The code is our own because the library for it (gowebpki/jcs) can only
// rewrite: it cannot tell whether bytes that came from outside are canonical
// without a second copy, and it takes every number through a float64. The
// strict reader below refuses whatever is not canonical while it decodes, in
// one pass without reflection, which is what a cold start waits for. The
// library is the oracle in this package's tests.

// maxInteger is the largest integer that every JSON reader keeps exactly.
const maxInteger = 1<<53 - 1

// Canonical returns the canonical JSON of v, whose json tags apply. It fails
// on floats, on larger integers and on strings that are not UTF-8.
func Canonical(v any) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	if replaced(buf.Bytes()) {
		return nil, errors.New("canonical JSON: a string is not UTF-8")
	}
	d := json.NewDecoder(&buf)
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	return appendCanonical(nil, tree)
}

// replaced reports whether the encoder of the standard library wrote the
// escape that it puts in the place of bytes that are not UTF-8.
func replaced(b []byte) bool {
	for i := 0; i < len(b); i++ {
		if b[i] == '\\' {
			if bytes.HasPrefix(b[i:], []byte(`\ufffd`)) {
				return true
			}
			i++ // what follows a backslash is no backslash of its own
		}
	}
	return false
}

func appendCanonical(b []byte, v any) ([]byte, error) {
	var err error
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case string:
		return appendCanonicalString(b, v), nil
	case json.Number:
		n, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil || n > maxInteger || n < -maxInteger {
			return nil, fmt.Errorf("canonical JSON: number %s is not an integer within ±(2^53-1)", v)
		}
		return strconv.AppendInt(b, n, 10), nil
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendCanonical(b, e); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		order.Sort(keys, compareUTF16)
		b = append(b, '{')
		for i, k := range keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendCanonicalString(b, k), ':')
			if b, err = appendCanonical(b, v[k]); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	}
	return nil, fmt.Errorf("canonical JSON: %T", v)
}

// shortEscapes holds the letter of each two-byte escape.
var shortEscapes = [128]byte{'"': '"', '\\': '\\', '\b': 'b', '\t': 't', '\n': 'n', '\f': 'f', '\r': 'r'}

func appendCanonicalString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c < 128 && shortEscapes[c] != 0:
			b = append(b, '\\', shortEscapes[c])
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', '0'+c>>4, "0123456789abcdef"[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// compareUTF16 orders UTF-8 strings by the code units of their UTF-16 form.
func compareUTF16[T string | []byte](a, b T) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n == len(a) || n == len(b) || a[n] < 0xee && b[n] < 0xee {
		// Below the lead byte of U+E000, byte order is the same order.
		if n < len(a) && n < len(b) {
			return cmp.Compare(a[n], b[n])
		}
		return cmp.Compare(len(a), len(b))
	}
	for n > 0 && !utf8.RuneStart(a[n]) {
		n--
	}
	return cmp.Compare(firstUnits(string(a[n:])), firstUnits(string(b[n:])))
}

// firstUnits returns the UTF-16 code units of the first rune of s, the first
// one in the high half.
func firstUnits(s string) uint32 {
	r, _ := utf8.DecodeRuneInString(s)
	if hi, lo := utf16.EncodeRune(r); hi != utf8.RuneError {
		return uint32(hi)<<16 | uint32(lo)
	}
	return uint32(r) << 16
}

// canonicalReader decodes canonical JSON and refuses everything else. The
// first error sticks; after it every method returns zero values.
type canonicalReader struct {
	b   []byte
	i   int
	err error
}

// maxDepth bounds the nesting of values that the reader skips.
const maxDepth = 32

func (r *canonicalReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = damaged("JSON at byte %d: %s", r.i, fmt.Sprintf(format, args...))
		r.i = len(r.b)
	}
}

// peek returns the next byte, 0 at the end.
func (r *canonicalReader) peek() byte {
	if r.i < len(r.b) {
		return r.b[r.i]
	}
	return 0
}

func (r *canonicalReader) expect(c byte) {
	if r.peek() != c {
		r.fail("%q is missing", c)
		return
	}
	r.i++
}

// object reads an object. value is called with each key and must read the
// value behind it; the key is valid until value returns.
func (r *canonicalReader) object(value func(key []byte)) {
	r.expect('{')
	if r.peek() == '}' {
		r.i++
		return
	}
	var prev []byte
	for first := true; r.err == nil; first = false {
		key := r.rawString()
		if !first && compareUTF16(prev, key) >= 0 {
			r.fail("key %q is out of order or stands twice", key)
			return
		}
		r.expect(':')
		if r.err != nil {
			return
		}
		value(key)
		prev = key
		if r.peek() != ',' {
			break
		}
		r.i++
	}
	r.expect('}')
}

// array reads an array; value is called for each element and must read it.
func (r *canonicalReader) array(value func()) {
	r.expect('[')
	if r.peek() == ']' {
		r.i++
		return
	}
	for r.err == nil {
		value()
		if r.peek() != ',' {
			break
		}
		r.i++
	}
	r.expect(']')
}

// string reads a string.
func (r *canonicalReader) string() string { return string(r.rawString()) }

// rawString reads a string. It aliases the input where nothing is escaped.
func (r *canonicalReader) rawString() []byte {
	r.expect('"')
	from := r.i
	var unescaped []byte
	for r.i < len(r.b) {
		switch c := r.b[r.i]; {
		case c == '"':
			s := r.b[from:r.i]
			r.i++
			if unescaped != nil {
				s = append(unescaped, s...)
			}
			if !utf8.Valid(s) {
				r.fail("a string is not UTF-8")
				return nil
			}
			return s
		case c == '\\':
			unescaped = append(unescaped, r.b[from:r.i]...)
			unescaped = append(unescaped, r.escape())
			from = r.i
		case c < ' ':
			r.fail("a control character is not escaped")
			return nil
		default:
			r.i++
		}
	}
	r.fail("a string has no end")
	return nil
}

// escape reads one escape sequence in its only canonical spelling.
func (r *canonicalReader) escape() byte {
	rest := r.b[r.i:]
	if len(rest) >= 2 {
		for c, e := range shortEscapes {
			if e != 0 && e == rest[1] {
				r.i += 2
				return byte(c)
			}
		}
	}
	if len(rest) >= 6 && string(rest[1:4]) == "u00" && (rest[4] == '0' || rest[4] == '1') {
		if k := bytes.IndexByte([]byte("0123456789abcdef"), rest[5]); k >= 0 {
			if c := (rest[4]-'0')<<4 | byte(k); shortEscapes[c] == 0 {
				r.i += 6
				return c
			}
		}
	}
	r.fail("an escape is not canonical")
	return 0
}

// integer reads an integer within ±(2^53-1).
func (r *canonicalReader) integer() int64 {
	neg := r.peek() == '-'
	if neg {
		r.i++
	}
	from := r.i
	var v int64
	for ; r.i < len(r.b) && r.b[r.i] >= '0' && r.b[r.i] <= '9'; r.i++ {
		v = v*10 + int64(r.b[r.i]-'0')
		if v > maxInteger {
			r.fail("an integer is too large")
			return 0
		}
	}
	digits := r.i - from
	if digits == 0 || digits > 1 && r.b[from] == '0' || neg && v == 0 {
		r.fail("an integer is missing or not canonical")
		return 0
	}
	if neg {
		return -v
	}
	return v
}

// count reads an integer that is not negative and fits an int32.
func (r *canonicalReader) count() int {
	v := r.integer()
	if v < 0 || v > maxRows {
		r.fail("a count of %d is out of range", v)
		return 0
	}
	return int(v)
}

// size reads a number of bytes.
func (r *canonicalReader) size() int64 {
	v := r.integer()
	if v < 0 {
		r.fail("a size of %d is negative", v)
		return 0
	}
	return v
}

// skip reads any value.
func (r *canonicalReader) skip(depth int) {
	if depth > maxDepth {
		r.fail("nested more than %d deep", maxDepth)
		return
	}
	switch c := r.peek(); c {
	case '{':
		r.object(func([]byte) { r.skip(depth + 1) })
	case '[':
		r.array(func() { r.skip(depth + 1) })
	case '"':
		r.rawString()
	case 't':
		r.literal("true")
	case 'f':
		r.literal("false")
	case 'n':
		r.literal("null")
	default:
		r.integer()
	}
}

func (r *canonicalReader) literal(s string) {
	if !bytes.HasPrefix(r.b[r.i:], []byte(s)) {
		r.fail("a value is missing")
		return
	}
	r.i += len(s)
}

// end requires that nothing follows.
func (r *canonicalReader) end() {
	if r.err == nil && r.i != len(r.b) {
		r.fail("bytes follow the value")
	}
}
