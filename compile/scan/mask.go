package scan

import "bytes"

// lexis says what a language's comments and strings look like.
type lexis struct {
	line   []string  // what begins a comment up to the end of the line
	spaced bool      // line comments begin only at a line's start or behind white space
	block  []bracket // block comments
	quotes []quote
	// special recognizes what the lists cannot say, such as a here document.
	// It returns where it ends and whether it is a comment; 0 for nothing, and
	// miss for what looked like one and has no end.
	special func(src []byte, i int) (end int, comment bool)
}

type bracket struct {
	open, close string
	nested      bool
}

// quote is one form of string or character literal.
type quote struct {
	open, close string
	escape      byte   // 0 for none
	lines       bool   // may go over several lines
	char        bool   // a single character: 'a' or '\n', or else no literal at all
	interp      string // opens code inside, such as "${"
}

// span is a range of bytes.
type span struct{ start, end int }

// Bytes that stand for what was masked. White space and line ends stay.
const (
	blankByte  = ' '
	stringByte = '"'
)

// miss is the end of a literal that was looked for in vain, which costs up to
// the whole file; after maxMisses of them none is looked for.
const (
	miss      = -1
	maxMisses = 64
)

// maxInterp is how deep strings may lie in strings.
const maxInterp = 8

// masked is a source without its comments and strings.
type masked struct {
	misses   int // how often a literal had no end
	src      []byte
	code     []byte // as src; comments are blanks, strings stringByte
	comments []span // in order
}

// mask replaces comments and strings. The result has the length of src.
func mask(src []byte, l *lexis) *masked {
	m := &masked{src: src, code: bytes.Clone(src)}
	var hot [256]bool
	add := func(s string) {
		if s != "" {
			hot[s[0]] = true
		}
	}
	for _, s := range l.line {
		add(s)
	}
	for _, b := range l.block {
		add(b.open)
	}
	for _, q := range l.quotes {
		add(q.open)
	}
	for i := 0; i < len(src); {
		if !hot[src[i]] && l.special == nil {
			i++
			continue
		}
		end, comment := m.literal(l, i, 0)
		if end <= i {
			i++
			continue
		}
		fill := byte(stringByte)
		if comment {
			fill = blankByte
			m.comments = append(m.comments, span{i, end})
		}
		for j := i; j < end; j++ {
			if c := src[j]; c != '\n' && c != '\r' {
				m.code[j] = fill
			}
		}
		i = end
	}
	return m
}

// literal returns where the comment or string at i ends; 0 when none is there.
func (m *masked) literal(l *lexis, i, depth int) (end int, comment bool) {
	src := m.src
	if l.special != nil && m.misses < maxMisses {
		end, comment := l.special(src, i)
		if end > i {
			return min(end, len(src)), comment
		}
		if end == miss {
			m.misses++
		}
	}
	rest := src[i:]
	for _, b := range l.block {
		if hasPrefix(rest, b.open) {
			return blockEnd(src, i, b), true
		}
	}
	for _, s := range l.line {
		if hasPrefix(rest, s) && (!l.spaced || i == 0 || isBlank(src[i-1]) || src[i-1] == '\n' || src[i-1] == ';') {
			return i + lineLen(rest), true
		}
	}
	for k := range l.quotes {
		if q := &l.quotes[k]; hasPrefix(rest, q.open) {
			if end := m.quoted(l, i, q, depth); end > i {
				return end, false
			}
		}
	}
	return 0, false
}

// quoted returns where the string at i ends: behind its close, at the line's
// end, or 0 for what is no character literal.
func (m *masked) quoted(l *lexis, i int, q *quote, depth int) int {
	src := m.src
	j := i + len(q.open)
	if q.char {
		switch {
		case j >= len(src) || src[j] == '\n':
			return 0
		case src[j] == '\\':
			for k := j + 2; k < len(src) && k < j+12 && src[k] != '\n'; k++ {
				if hasPrefix(src[k:], q.close) {
					return k + len(q.close)
				}
			}
			return 0
		}
		for k := j + 1; k < len(src) && k <= j+4; k++ {
			if hasPrefix(src[k:], q.close) {
				return k + len(q.close)
			}
			if src[j] < 0x80 {
				break
			}
		}
		return 0
	}
	for j < len(src) {
		c := src[j]
		switch {
		case q.interp != "" && depth < maxInterp && hasPrefix(src[j:], q.interp):
			j = m.interpolated(l, j+len(q.interp), q, depth+1)
			continue
		case q.escape != 0 && c == q.escape:
			j++
			if j < len(src) && src[j] == '\n' && !q.lines {
				return j
			}
		case hasPrefix(src[j:], q.close):
			return j + len(q.close)
		case c == '\n' && !q.lines:
			return j
		}
		j++
	}
	return len(src)
}

// interpolated returns where the code in a string ends, behind its bracket.
func (m *masked) interpolated(l *lexis, j int, q *quote, depth int) int {
	open, closing := byte('('), byte(')')
	if q.interp[len(q.interp)-1] == '{' {
		open, closing = '{', '}'
	}
	for n := 1; j < len(m.src); {
		c := m.src[j]
		switch {
		case c == open:
			n++
		case c == closing:
			if n--; n == 0 {
				return j + 1
			}
		case c == '\n' && !q.lines:
			return j
		default:
			for k := range l.quotes {
				if in := &l.quotes[k]; hasPrefix(m.src[j:], in.open) && depth < maxInterp {
					if end := m.quoted(l, j, in, depth); end > j {
						j = end - 1
						break
					}
				}
			}
		}
		j++
	}
	return len(m.src)
}

func blockEnd(src []byte, i int, b bracket) int {
	j := i + len(b.open)
	if !b.nested {
		if n := bytes.Index(src[j:], []byte(b.close)); n >= 0 {
			return j + n + len(b.close)
		}
		return len(src)
	}
	for depth := 1; j < len(src); {
		switch {
		case hasPrefix(src[j:], b.close):
			j += len(b.close)
			if depth--; depth == 0 {
				return j
			}
		case hasPrefix(src[j:], b.open):
			depth++
			j += len(b.open)
		default:
			j++
		}
	}
	return len(src)
}

func hasPrefix(b []byte, s string) bool { return len(b) >= len(s) && string(b[:len(s)]) == s }

// lineLen returns the length of the first line without its end.
func lineLen(b []byte) int {
	if n := bytes.IndexByte(b, '\n'); n >= 0 {
		return n
	}
	return len(b)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' }

func isSpace(c byte) bool { return c == '\n' || isBlank(c) }

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
