package query

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/internal/fail"
)

// maxPattern bounds a pattern's length in bytes.
const maxPattern = 64 << 10

// A pattern is a compiled grep pattern. It is applied to each line without its
// line feed, so `^` and `$` are the line's ends.
type pattern struct {
	re    *regexp.Regexp
	exact []byte     // the pattern is this literal and nothing else; else nil
	need  literalSet // condition on every matching line
}

// compilePattern compiles what the user wrote, or returns a usage error.
func compilePattern(o GrepOptions) (*pattern, error) {
	text := o.Pattern
	if len(text) > maxPattern {
		return nil, fail.New(fail.Usage, "shorten the pattern", "the pattern has %d bytes, more than %d", len(text), maxPattern)
	}
	if !utf8.ValidString(text) {
		return nil, fail.New(fail.Usage, `write bytes that are not UTF-8 as \x{..} classes`, "the pattern is not valid UTF-8")
	}
	if o.Literal {
		if strings.Contains(text, "\n") {
			return nil, fail.New(fail.Usage, "search for one line", "the pattern holds a line break, and matches lie within one line")
		}
		edges := text
		text = regexp.QuoteMeta(text)
		if o.Word && edges != "" {
			if wordByte(edges[0]) {
				text = `\b` + text
			}
			if wordByte(edges[len(edges)-1]) {
				text += `\b`
			}
		}
	} else {
		if _, err := syntax.Parse(text, syntax.Perl); err != nil {
			return nil, fail.Wrap(fail.Usage, err, "see the RE2 syntax, or search literally with -F", "the pattern cannot be read")
		}
		if o.Word {
			text = `\b(?:` + text + `)\b`
		}
	}
	if o.IgnoreCase {
		text = `(?i:` + text + `)`
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fail.Wrap(fail.Usage, err, "see the RE2 syntax, or search literally with -F", "the pattern cannot be read")
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fail.Wrap(fail.Usage, err, "see the RE2 syntax, or search literally with -F", "the pattern cannot be read")
	}
	p := &pattern{re: re, need: requiredLiterals(tree)}
	switch {
	case o.Literal && !o.IgnoreCase && !o.Word && o.Pattern != "":
		p.exact = []byte(o.Pattern)
	case tree.Op == syntax.OpLiteral && tree.Flags&syntax.FoldCase == 0 && !hasRune(tree.Rune, utf8.RuneError):
		p.exact = []byte(string(tree.Rune))
	}
	return p, nil
}

func hasRune(rs []rune, r rune) bool {
	for _, x := range rs {
		if x == r {
			return true
		}
	}
	return false
}

func wordByte(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// matches reports whether the line matches.
func (p *pattern) matches(line []byte) bool {
	if p.exact != nil {
		return bytes.Contains(line, p.exact)
	}
	return p.re.Match(line)
}

// count returns the number of matches on the line that do not overlap.
func (p *pattern) count(line []byte) int {
	if p.exact != nil {
		return bytes.Count(line, p.exact)
	}
	return len(p.re.FindAllIndex(line, maxLineMatches))
}

// maxLineMatches bounds the matches of a regular expression that are counted
// on one line: a line may have millions of bytes, and each match costs memory.
const maxLineMatches = 1 << 20

// spans returns the byte ranges of the first maxSpans matches on the line, and
// how many there are.
func (p *pattern) spans(line []byte) (spans [][]int, n int) {
	if p.exact == nil {
		spans = p.re.FindAllIndex(line, maxSpans+1)
		if n = len(spans); n > maxSpans {
			return spans[:maxSpans], p.count(line)
		}
		return spans, n
	}
	for from := 0; len(spans) < maxSpans; {
		i := bytes.Index(line[from:], p.exact)
		if i < 0 {
			return spans, len(spans)
		}
		spans = append(spans, []int{from + i, from + i + len(p.exact)})
		from += i + len(p.exact)
	}
	return spans, p.count(line)
}

// A lineScan finds the matching lines of texts. It belongs to one goroutine.
type lineScan struct {
	p    *pattern
	scan *scanner // nil when the pattern has no required literal
}

func newLineScan(p *pattern) *lineScan {
	s := &lineScan{p: p}
	if len(p.need.lits) > 0 {
		s.scan = newScanner(p.need)
	}
	return s
}

// run calls emit for each matching line of text, in order, with the line's
// bounds without its line feed. blocks are the offsets at which text is
// divided into files: a line never crosses one. The last block must be
// len(text). emit returns false to stop.
func (s *lineScan) run(text []byte, blocks []int, emit func(start, end int) bool) {
	if s.scan == nil {
		lo := 0
		for _, hi := range blocks {
			if !s.every(text, lo, hi, emit) {
				return
			}
			lo = hi
		}
		return
	}
	s.scan.reset()
	b, lo := 0, 0
	for pos := 0; ; {
		pos = s.scan.seek(text, pos)
		if pos < 0 {
			return
		}
		for b < len(blocks) && blocks[b] <= pos {
			lo = blocks[b]
			b++
		}
		if b == len(blocks) {
			return
		}
		start, end := lineBounds(text[lo:blocks[b]], pos-lo)
		start, end = start+lo, end+lo
		if s.p.matches(text[start:end]) && !emit(start, end) {
			return
		}
		pos = end + 1
		if pos > blocks[b] {
			pos = blocks[b] // the last line has no line feed
		}
		if pos >= len(text) {
			return
		}
	}
}

func (s *lineScan) every(text []byte, lo, hi int, emit func(start, end int) bool) bool {
	for lo < hi {
		end, next := hi, hi
		if i := bytes.IndexByte(text[lo:hi], '\n'); i >= 0 {
			end, next = lo+i, lo+i+1
		}
		if s.p.matches(text[lo:end]) && !emit(lo, end) {
			return false
		}
		lo = next
	}
	return true
}
