// Package analysis turns text into terms. The compiler and the query side use
// the same rules, so that a word typed in a question meets the identifier it
// was cut from.
//
// The rules, in short:
//
//   - A run of letters, digits and underscores is an identifier. Everything
//     else separates; so do bytes that are not UTF-8.
//   - An identifier is cut into parts at underscores, at camelCase and acronym
//     boundaries and between letters and digits: parseHTTPHeader2 gives parse,
//     http, header and 2. A run that begins with a digit (0xff, 10px, 2to3) is
//     not cut between digits and letters at its beginning.
//   - An identifier of several parts gives its whole as one more term, in lower
//     case and without underscores, so that url_for, urlFor and URLFor are
//     one. An identifier of one part gives one term, its underscores removed.
//   - Han, Hiragana, Katakana and Hangul text gives overlapping pairs of
//     characters, and one single character where it stands alone.
//   - Terms are in lower case and at most MaxTerm bytes. What looks like data
//     and not like a name (a hash, base64, a run above maxRun bytes) gives one
//     term of at most opaqueTerm bytes: its beginning. So does a number.
//   - Nothing is dropped and nothing is stemmed. The query side adds inflected
//     forms of a word (see Variants), which costs an index no bytes and works
//     on identifiers as on prose.
package analysis

import (
	"unicode"
	"unicode/utf8"
)

// Version names the rules of this package and the character tables they rest
// on. It belongs to θ: any change of a term or position changes it.
const Version = "1+unicode" + unicode.Version

const (
	// MaxTerm is the length of the longest term, in bytes.
	MaxTerm = 64
	// NoPosition is the position of a token that has none.
	NoPosition = ^uint32(0)

	maxRun     = 256 // bytes; longer runs are opaque
	opaqueTerm = 16  // bytes kept of an opaque run

	// A run of at least opaqueParts parts with fewer than opaqueLength bytes
	// a part is opaque: a name is not made of such crumbs, a hash is.
	opaqueParts  = 6
	opaqueLength = 3
)

// Kind says how a token was made.
type Kind uint8

const (
	Word   Kind = iota // an identifier of one part, whole and part at once
	Part               // a part of an identifier of several parts
	Whole              // an identifier of several parts, in one piece
	Bigram             // two characters of Chinese, Japanese or Korean, or a lone one
)

// String returns the kind's name.
func (k Kind) String() string {
	switch k {
	case Word:
		return "word"
	case Part:
		return "part"
	case Whole:
		return "whole"
	case Bigram:
		return "bigram"
	}
	return "unknown"
}

// Token is one term at one place.
type Token struct {
	// Term is in lower case, 1 to MaxTerm bytes, valid UTF-8. It may alias
	// the text or the analyzer's buffer: it is valid until emit returns.
	Term []byte
	// Pos counts words, parts and bigrams from 0; a Whole has NoPosition.
	Pos uint32
	// Start and End bound what the term was made from: text[Start:End]. A
	// Whole is emitted behind its parts.
	Start, End int
	Kind       Kind
}

// Analyzer cuts text into tokens. The zero value is ready. An Analyzer keeps
// buffers and serves one goroutine at a time.
type Analyzer struct {
	n   int                  // characters in the run
	cls [maxRun]uint8        // class of each character
	off [maxRun + 1]uint16   // where its lower-case form begins in low
	src [maxRun + 1]uint32   // where it begins in the text
	low [2*maxRun + 8]byte   // the run in lower case, underscores included
	cut [maxRun + 1]partSpan // the parts
	buf [2*maxRun + 8]byte   // the whole, underscores removed
}

// partSpan is a part as a range of character numbers.
type partSpan struct{ lo, hi uint16 }

// Character classes. They are bits so that a run's classes can be joined.
const (
	lower uint8 = 1 << iota // also letters without case, and marks
	upper
	digit
	under
	high // the byte begins something that is not ASCII
)

var classes = func() (t [256]uint8) {
	for c := 'a'; c <= 'z'; c++ {
		t[c] = lower
		t[c-'a'+'A'] = upper
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = digit
	}
	t['_'] = under
	for c := 0x80; c < 0x100; c++ {
		t[c] = high
	}
	return t
}()

// Scan calls emit for every token of text, in order. The number of positions
// that text takes is returned: the field's length.
func (a *Analyzer) Scan(text []byte, emit func(Token)) (positions uint32) {
	var pos uint32
	n := len(text)
	for i := 0; i < n; {
		c := classes[text[i]]
		if c == 0 {
			i++
			continue
		}
		start := i
		mask := c
		for i++; i < n; i++ {
			c = classes[text[i]]
			if c == 0 {
				break
			}
			mask |= c
		}
		if mask&high != 0 {
			pos = a.scanUnicode(text[:i], start, pos, emit)
			continue
		}
		switch {
		case mask == lower || mask == digit:
			end := i
			if mask == digit || i-start > maxRun {
				end = min(end, start+opaqueTerm)
			} else {
				end = min(end, start+MaxTerm)
			}
			emit(Token{Term: text[start:end:end], Pos: pos, Start: start, End: i, Kind: Word})
			pos++
		case mask == under:
		case i-start > maxRun:
			t := a.low[:0]
			for _, b := range text[start:i] {
				if b != '_' && len(t) < opaqueTerm {
					t = append(t, lowerASCII(b))
				}
			}
			emit(Token{Term: t, Pos: pos, Start: start, End: i, Kind: Word})
			pos++
		default:
			a.n = i - start
			for k, b := range text[start:i] {
				a.cls[k] = classes[b]
				a.off[k] = uint16(k)
				a.src[k] = uint32(start + k)
				a.low[k] = lowerASCII(b)
			}
			a.off[a.n] = uint16(a.n)
			a.src[a.n] = uint32(i)
			pos = a.split(pos, emit)
		}
	}
	return pos
}

func lowerASCII(b byte) byte {
	if b-'A' < 26 {
		b += 'a' - 'A'
	}
	return b
}

// scanUnicode scans text[i:], a stretch of word characters and bytes above
// ASCII, which may hold several runs and separators among the latter.
func (a *Analyzer) scanUnicode(text []byte, i int, pos uint32, emit func(Token)) uint32 {
	n := len(text)
	for i < n {
		r, size := decode(text, i)
		switch c := classOf(r, size); {
		case c == 0 || unicode.IsMark(r):
			i += size
		case c == high:
			i, pos = scanPairs(text, i, pos, emit)
		default:
			i, pos = a.scanRun(text, i, pos, emit)
		}
	}
	return pos
}

func decode(text []byte, i int) (rune, int) {
	if b := text[i]; b < utf8.RuneSelf {
		return rune(b), 1
	}
	return utf8.DecodeRune(text[i:])
}

// classOf returns the class of a character; high for those that are indexed
// in pairs, 0 for separators and for what is not UTF-8.
func classOf(r rune, size int) uint8 {
	switch {
	case r < utf8.RuneSelf:
		return classes[r]
	case r == utf8.RuneError && size <= 1:
		return 0
	case isPaired(r):
		return high
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return upper
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return lower
	case unicode.IsDigit(r):
		return digit
	}
	return 0
}

// isPaired reports whether r belongs to a script that is written without
// spaces between short words.
func isPaired(r rune) bool {
	if r < 0x1100 {
		return false
	}
	return r >= 0x4e00 && r <= 0x9fff || r == 0x30fc || // the prolonged sound mark has no script of its own
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) && (unicode.IsLetter(r) || unicode.IsMark(r))
}

// scanPairs emits the overlapping pairs of the paired run at text[i].
func scanPairs(text []byte, i int, pos uint32, emit func(Token)) (int, uint32) {
	first := i
	prev := -1
	for i < len(text) {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size <= 1 || !isPaired(r) {
			break
		}
		if prev >= 0 {
			emit(Token{Term: text[prev : i+size : i+size], Pos: pos, Start: prev, End: i + size, Kind: Bigram})
			pos++
		}
		prev = i
		i += size
	}
	if prev == first {
		emit(Token{Term: text[first:i:i], Pos: pos, Start: first, End: i, Kind: Bigram})
		pos++
	}
	return i, pos
}

// scanRun emits the tokens of the identifier at text[i], which holds at least
// one character above ASCII or stands beside one.
func (a *Analyzer) scanRun(text []byte, i int, pos uint32, emit func(Token)) (int, uint32) {
	start, w := i, 0
	a.n = 0
	for i < len(text) {
		r, size := decode(text, i)
		c := classOf(r, size)
		if c == 0 || c == high {
			break
		}
		if i-start+size <= maxRun {
			a.cls[a.n] = c
			a.off[a.n] = uint16(w)
			a.src[a.n] = uint32(i)
			w += utf8.EncodeRune(a.low[w:], unicode.ToLower(r))
			a.n++
		}
		i += size
	}
	a.off[a.n] = uint16(w)
	a.src[a.n] = uint32(i)
	if i-start > maxRun {
		t := a.buf[:0]
		for _, b := range a.low[:w] {
			if b != '_' {
				t = append(t, b)
			}
		}
		if t = prefix(t, opaqueTerm); len(t) == 0 {
			return i, pos
		}
		emit(Token{Term: t, Pos: pos, Start: start, End: i, Kind: Word})
		return i, pos + 1
	}
	return i, a.split(pos, emit)
}

// prefix returns at most n bytes of b, cut between characters.
func prefix(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n:n]
}

// split emits the tokens of the run in a.
func (a *Analyzer) split(pos uint32, emit func(Token)) uint32 {
	parts := a.parts()
	if len(parts) == 0 {
		return pos
	}
	first, last := parts[0], parts[len(parts)-1]
	start, end := int(a.src[first.lo]), int(a.src[last.hi])
	if len(parts) == 1 {
		emit(Token{Term: a.term(first), Pos: pos, Start: start, End: end, Kind: Word})
		return pos + 1
	}
	whole := a.buf[:0]
	for _, p := range parts {
		whole = append(whole, a.low[a.off[p.lo]:a.off[p.hi]]...)
	}
	if len(parts) >= opaqueParts && len(whole) < opaqueLength*len(parts) {
		emit(Token{Term: prefix(whole, opaqueTerm), Pos: pos, Start: start, End: end, Kind: Word})
		return pos + 1
	}
	for _, p := range parts {
		emit(Token{Term: a.term(p), Pos: pos, Start: int(a.src[p.lo]), End: int(a.src[p.hi]), Kind: Part})
		pos++
	}
	emit(Token{Term: prefix(whole, MaxTerm), Pos: NoPosition, Start: start, End: end, Kind: Whole})
	return pos
}

// term returns the term of one part. One that begins with a digit is a number
// or a piece of data: its beginning is enough.
func (a *Analyzer) term(p partSpan) []byte {
	limit := MaxTerm
	if a.cls[p.lo] == digit {
		limit = opaqueTerm
	}
	return prefix(a.low[a.off[p.lo]:a.off[p.hi]], limit)
}

// parts cuts the run in a.
func (a *Analyzer) parts() []partSpan {
	cls := a.cls[:a.n]
	parts := a.cut[:0]
	i := 0
	for i < len(cls) && cls[i] == under {
		i++
	}
	// A part that begins the run with a digit keeps its letters.
	literal := i < len(cls) && cls[i] == digit
	for i < len(cls) {
		if cls[i] == under {
			i++
			continue
		}
		j := i + 1
		switch {
		case literal:
			j = a.literalEnd(i)
			literal = false
		case cls[i] == digit:
			for j < len(cls) && cls[j] == digit {
				j++
			}
		case cls[i] == lower:
			for j < len(cls) && cls[j] == lower {
				j++
			}
		default: // upper: Word or ACRONYM
			for j < len(cls) && cls[j] == upper {
				j++
			}
			if j < len(cls) && cls[j] == lower {
				switch {
				case j-i == 1:
					for j < len(cls) && cls[j] == lower {
						j++
					}
				case a.low[a.off[j]] == 's' && (j+1 == len(cls) || cls[j+1] != lower):
					j++ // the plural of an acronym: URLs
				default:
					j-- // the last capital begins the next word: HTTPServer
				}
			}
		}
		parts = append(parts, partSpan{uint16(i), uint16(j)})
		i = j
	}
	return parts
}

// literalEnd returns where the part that begins with the digit at i ends: at
// an underscore, or before the capital that begins a new word (3DView), which
// a number with a base (0xFa) does not hold.
func (a *Analyzer) literalEnd(i int) int {
	cls := a.cls[:a.n]
	based := i+1 < len(cls) && a.low[a.off[i]] == '0' && a.low[a.off[i+1]] == 'x'
	j := i + 1
	for j < len(cls) && cls[j] != under {
		if !based && cls[j] == upper && j+1 < len(cls) && cls[j+1] == lower && cls[j-1] != digit {
			break
		}
		j++
	}
	return j
}
