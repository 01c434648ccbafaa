package scan

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/syntax"
)

// frameworkVersion changes whenever what all scanners share changes what Scan
// returns.
const frameworkVersion = 1

// maxAhead is how many bytes a scanner looks ahead of, or behind, one place;
// in all places together they are at most scanner.maxLooks.
const maxAhead = 4096

const (
	maxName     = 256
	maxReceiver = 64
	ellipsis    = "…"
	none        = int32(-1)
)

// Depth says what a language's scanner can be trusted with.
type Depth int

const (
	// Structured: the format gives its structure away, and the reader follows
	// it.
	Structured Depth = iota
	// Approximate: a programming language, read without its grammar.
	Approximate
)

// reader is how one language is read.
type reader struct {
	depth   Depth
	version int
	uses    bool // it gives occurrences
	imports bool // and imports
	read    func(s *scanner)
	table   *table // of an approximate language
}

// Supports reports whether Scan knows the language.
func Supports(lang string) bool { _, ok := readers()[lang]; return ok }

// Languages returns the languages that Scan knows, sorted.
func Languages() []string { return slices.Sorted(maps.Keys(readers())) }

// Backend names what reads the language: "statements" for a structured format,
// "approximate" for a programming language, "" for one that Scan does not know.
func Backend(lang string) string {
	r, ok := readers()[lang]
	switch {
	case !ok:
		return ""
	case r.depth == Approximate:
		return "approximate declaration scanner"
	}
	return "structure scanner"
}

// Info is what a language's scanner gives.
type Info struct {
	Depth       Depth
	Occurrences bool
	Imports     bool
}

// Describe says what the scanner of a language gives.
func Describe(lang string) (Info, bool) {
	r, ok := readers()[lang]
	if !ok {
		return Info{}, false
	}
	return Info{Depth: r.depth, Occurrences: r.uses, Imports: r.imports}, true
}

// Versions returns, for each language, what besides the bytes can change what
// Scan returns. It belongs in the profile.
func Versions() map[string]string {
	m := make(map[string]string, len(readers()))
	for name, r := range readers() {
		m[name] = fmt.Sprintf("%s %d.%d", Backend(name), frameworkVersion, r.version)
	}
	return m
}

// Scan returns the facts of one file. It cannot fail: what a scanner does not
// understand gives no facts. src must be shorter than 2 GiB. A language that
// Scan does not know has nil.
func Scan(lang string, src []byte) *syntax.Facts {
	r, ok := readers()[lang]
	if !ok || len(src) > 1<<31-1 {
		return nil
	}
	if !isText(src) {
		return &syntax.Facts{Degraded: artifact.DegradedNotText}
	}
	s := &scanner{lang: lang, src: src, table: r.table, maxLooks: 1<<20 + 64*len(src), depth: r.depth, names: map[string]string{}}
	r.read(s)
	return s.finish()
}

// scanner is the state of one scan.
type scanner struct {
	lang string
	src  []byte
	*masked
	table *table
	// looks counts the bytes that were looked at ahead of a place; no more
	// than maxLooks are.
	looks, maxLooks int
	depth           Depth
	decls           []syntax.Decl
	occs            []syntax.Occurrence
	imports         []syntax.Import
	names           map[string]string
	leads           []span // statements that belong to the declaration behind them
}

func (s *scanner) intern(b []byte) string {
	if n, ok := s.names[string(b)]; ok {
		return n
	}
	n := string(b)
	s.names[n] = n
	return n
}

// start masks the source.
func (s *scanner) start(l *lexis) {
	s.masked = mask(s.src, l)
}

// declare adds a declaration that reaches from start, with its documentation
// in front, to end; the caller may move End later. It returns -1 for a name
// that cannot be one.
func (s *scanner) declare(kind artifact.Kind, parent int32, start, nameAt, nameEnd, end int) int32 {
	if nameAt >= nameEnd || nameEnd-nameAt > maxName || nameEnd > len(s.src) {
		return none
	}
	return s.declareNamed(kind, parent, start, nameAt, s.intern(s.src[nameAt:nameEnd]), end)
}

// declareNamed is declare for a name that need not stand in the source as it
// is.
func (s *scanner) declareNamed(kind artifact.Kind, parent int32, start, nameAt int, name string, end int) int32 {
	if name == "" || len(name) > maxName || strings.ContainsAny(name, "\n\r\x00") || !utf8.ValidString(name) {
		return none
	}
	d := syntax.Decl{
		Kind: kind, Name: name, Descriptor: syntax.Descriptor(kind, name), Parent: parent,
		NameAt: uint32(nameAt), Start: uint32(start), End: uint32(end),
		SigStart: uint32(start), SigEnd: uint32(end),
	}
	if from, docFrom, docTo, ok := s.lead(start); ok {
		d.Start, d.DocStart, d.DocEnd = uint32(from), uint32(docFrom), uint32(docTo)
	}
	s.decls = append(s.decls, d)
	return int32(len(s.decls) - 1)
}

// lead returns the comments, and the statements in s.leads, that stand
// directly in front of a place, without a blank line in between.
func (s *scanner) lead(at int) (from, docFrom, docTo int, ok bool) {
	from = at
	if s.masked == nil {
		return from, 0, 0, false
	}
	c := sort.Search(len(s.comments), func(i int) bool { return s.comments[i].end > at })
	l := sort.Search(len(s.leads), func(i int) bool { return s.leads[i].end > at })
	for {
		switch {
		case c > 0 && s.touches(s.comments[c-1].end, from) && s.startsLine(s.comments[c-1].start):
			c--
			if docTo == 0 {
				docTo = s.comments[c].end
				for docTo > s.comments[c].start && isSpace(s.src[docTo-1]) {
					docTo--
				}
			}
			from, docFrom = s.comments[c].start, s.comments[c].start
		case l > 0 && s.touches(s.leads[l-1].end, from):
			l--
			from = s.leads[l].start
			// What documents a lead statement documents the declaration.
		default:
			return from, docFrom, docTo, from < at
		}
	}
}

// touches reports whether only white space without a blank line lies between.
func (s *scanner) touches(from, to int) bool {
	if from > to || to-from > maxAhead {
		return false
	}
	lines := 0
	for _, c := range s.src[from:to] {
		if c == '\n' {
			lines++
		} else if !isBlank(c) {
			return false
		}
	}
	return lines <= 1
}

// startsLine reports whether only white space stands before at on its line.
func (s *scanner) startsLine(at int) bool {
	for at > 0 && isBlank(s.src[at-1]) {
		at--
	}
	return at == 0 || s.src[at-1] == '\n' || at == 3 && hasPrefix(s.src, "\xEF\xBB\xBF")
}

// close ends a declaration at end, without the white space before it.
func (s *scanner) close(d int32, end int) {
	if d < 0 {
		return
	}
	decl := &s.decls[d]
	for end > int(decl.NameAt) && isSpace(s.src[end-1]) {
		end--
	}
	decl.End = uint32(max(end, int(decl.NameAt)+1))
	decl.SigEnd = min(decl.SigEnd, decl.End)
}

// signature ends a declaration's signature.
func (s *scanner) signature(d int32, end int) {
	if d >= 0 {
		for end > int(s.decls[d].SigStart) && isSpace(s.src[end-1]) {
			end--
		}
		s.decls[d].SigEnd = uint32(end)
	}
}

func (s *scanner) kind(d int32) artifact.Kind {
	if d < 0 {
		return artifact.KindUnknown
	}
	return s.decls[d].Kind
}

// inCallable reports whether what is declared inside of a declaration is
// local: it is a callable or a value, or local itself.
func (s *scanner) inCallable(d int32) bool {
	return d >= 0 && (!s.decls[d].Kind.Container() || s.decls[d].Flags&artifact.SymbolLocal != 0)
}

func callable(k artifact.Kind) bool {
	return k == artifact.KindFunction || k == artifact.KindMethod || k == artifact.KindConstructor || k == artifact.KindMacro
}

func (s *scanner) use(role artifact.Role, at, end int, receiver string) {
	if at < end && end-at <= maxName {
		s.occs = append(s.occs, syntax.Occurrence{At: uint32(at), Role: role, Name: s.intern(s.src[at:end]), Receiver: receiver})
	}
}

func (s *scanner) addImport(at int, module, name, alias string) {
	if module != "" || name != "" {
		s.imports = append(s.imports, syntax.Import{At: uint32(at), Module: module, Name: name, Alias: alias})
	}
}

// finish orders the facts and makes the ranges fit.
func (s *scanner) finish() *syntax.Facts {
	f := &syntax.Facts{Decls: s.order(), Occurrences: s.occs, Imports: s.imports}
	syntax.Separate(f.Decls)
	syntax.Disambiguate(f.Decls)
	slices.SortStableFunc(f.Occurrences, func(a, b syntax.Occurrence) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Role, b.Role))
	})
	f.Occurrences = slices.Compact(f.Occurrences)
	slices.SortStableFunc(f.Imports, func(a, b syntax.Import) int { return cmp.Compare(a.At, b.At) })
	return f
}

// order sorts the declarations by where they start, parents first.
func (s *scanner) order() []syntax.Decl {
	n := len(s.decls)
	old := make([]int32, n)
	for i := range old {
		old[i] = int32(i)
	}
	less := func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.decls[a].Start, s.decls[b].Start), cmp.Compare(a, b))
	}
	if slices.IsSortedFunc(old, less) {
		return s.decls
	}
	// A child may not come before its parent: its documentation cannot reach
	// out of it.
	for i := range s.decls {
		if p := s.decls[i].Parent; p >= 0 {
			s.decls[i].Start = max(s.decls[i].Start, s.decls[p].Start)
		}
	}
	slices.SortStableFunc(old, less)
	number := make([]int32, n)
	for i, o := range old {
		number[o] = int32(i)
	}
	out := make([]syntax.Decl, n)
	for i, o := range old {
		out[i] = s.decls[o]
		if out[i].Parent >= 0 {
			out[i].Parent = number[out[i].Parent]
		}
	}
	return out
}

// isText reports whether src can be text: few control bytes.
func isText(src []byte) bool {
	controls := 0
	for _, c := range src {
		if c < ' ' && (c < '\t' || c > '\r') && c != 0x1b || c == 0x7f {
			controls++
		}
	}
	return controls <= 2+len(src)/64
}

// lines calls fn with the range of each line, without its end.
func lines(src []byte, fn func(from, to int) (stop bool)) {
	for at := 0; at < len(src); {
		n := bytes.IndexByte(src[at:], '\n')
		to := at + n
		if n < 0 {
			to = len(src)
		}
		end := to
		if end > at && src[end-1] == '\r' {
			end--
		}
		if fn(at, end) {
			return
		}
		at = to + 1
	}
}

func occurrence(at int, role artifact.Role, name, receiver string) syntax.Occurrence {
	return syntax.Occurrence{At: uint32(at), Role: role, Name: name, Receiver: receiver}
}
