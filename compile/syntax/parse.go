package syntax

import (
	"fmt"
	"sync"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/artifact"
)

// Limits bounds what one file may cost. They count work, never time, so that
// the same file has the same result on every machine. The zero value means
// the defaults.
type Limits struct {
	// Work is the most parser work allowed: one for each character read,
	// again for each time that it is read again, and 64 and a quarter of its
	// size in bytes for each block of memory that the parser asks for.
	// Ordinary source needs 30 to 150 for each byte. What is parsed again, in
	// pieces around syntax errors, may cost as much once more. 0 means
	// DefaultWork(len(src)).
	Work uint64
	// Depth is the deepest nesting of syntax nodes allowed; 0 means
	// DefaultDepth.
	Depth int
}

// DefaultDepth is the default of Limits.Depth. Generated source chains
// operators and method calls some thousands deep; every level costs the
// extractor a stack frame.
const DefaultDepth = 8000

// DefaultWork is the default of Limits.Work for a file of n bytes.
func DefaultWork(n int) uint64 { return 2_000_000 + 150*uint64(max(n, 0)) }

// maxSource is the longest input that positions of 32 bits can describe.
const maxSource = 1<<31 - 1

// Supports reports whether Parse knows the language.
func Supports(lang string) bool { return languages[lang] != nil }

// Backends returns the grammar that parses each language, such as
// "tree-sitter-python 0.23.6".
func Backends() map[string]string {
	m := make(map[string]string, len(languages))
	for name, l := range languages {
		m[name] = l.backend
	}
	return m
}

// Versions returns, for each language, everything besides the bytes that can
// change what Parse returns: the grammar, the runtime and this package's own
// extractor. It belongs in the profile.
func Versions() map[string]string {
	m := make(map[string]string, len(languages))
	for name, l := range languages {
		m[name] = fmt.Sprintf("%s; runtime %s; extractor %d.%d", l.backend, runtimeVersion, frameworkVersion, l.version)
	}
	return m
}

var extractions = sync.Pool{New: func() any { return new(extraction) }}

// Parse extracts the facts of one file in the given language. The result is a
// pure function of its arguments and does not refer to src. Input that cannot
// be parsed within the limits, or is no text at all, gives Facts that hold
// nothing but the reason; an error means that the language is unknown, src is
// 2 GiB or longer, or the grammar is broken. Parse is safe for concurrent
// use.
func Parse(lang string, src []byte, limits Limits) (*Facts, error) {
	l := languages[lang]
	if l == nil {
		return nil, fmt.Errorf("no syntax support for language %q", lang)
	}
	if len(src) > maxSource {
		return nil, fmt.Errorf("source of %d bytes is longer than 2 GiB", len(src))
	}
	if !isText(src) {
		return &Facts{Degraded: artifact.DegradedNotText}, nil
	}
	if limits.Work == 0 {
		limits.Work = DefaultWork(len(src)) * uint64(max(l.effort, 1))
	}
	if limits.Depth <= 0 {
		limits.Depth = DefaultDepth
	}
	g, err := l.grammar()
	if err != nil {
		return nil, err
	}
	if l.endsInSpace && len(src) > 0 && src[len(src)-1] != '\n' {
		src = append(src[:len(src):len(src)], '\n')
	}
	x := extractions.Get().(*extraction)
	defer extractions.Put(x)
	defer x.release()
	p := parsing{grammar: g, part: &x.part, work: limits.Work, depth: uint32(limits.Depth)}
	nodes, hasError, status, err := p.parse(src, &x.buffers)
	if err != nil {
		return nil, fmt.Errorf("parsing %s: %w", lang, err)
	}
	switch status {
	case statusBudget:
		return &Facts{Degraded: artifact.DegradedBudget}, nil
	case statusDepth:
		return &Facts{Degraded: artifact.DegradedDepth}, nil
	}
	f := p.extract(x, l, src, nodes)
	if hasError {
		if l.boundary != nil && len(nodes) > 0 {
			// What is still broken once the first pieces stand alone may be cut
			// more finely.
			var cuts []uint32
			p.work = limits.Work
			for range 2 {
				x.reset(l, src, nodes)
				more := hidden(x, cuts)
				if len(more) == len(cuts) {
					break
				}
				cuts = more
				nodes = p.pieces(src, cuts)
				if again := p.extract(x, l, src, nodes); global(again) >= global(f) {
					f = again
				}
			}
		}
		f.Degraded = artifact.DegradedSyntax
	}
	return f, nil
}

// isText reports whether src can be a programming language's text: few
// control bytes, and not mostly bytes that are no UTF-8. Source in an older
// 8-bit encoding passes.
func isText(src []byte) bool {
	controls, invalid := 0, 0
	for i := 0; i < len(src); {
		c := src[i]
		if c < utf8.RuneSelf {
			if c < ' ' && (c < '\t' || c > '\r') && c != 0x1b || c == 0x7f {
				controls++
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			invalid++
		}
		i += n
	}
	return controls <= 2+len(src)/64 && invalid <= len(src)/2
}
