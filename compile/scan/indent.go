package scan

import (
	"bytes"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// indented is a declaration that is open, and how deep its line is indented.
type indented struct {
	decl   int32
	indent int
	// section is the rule of "type", "const" and the like when their names
	// stand on the lines below; the rule declares at indentation members.
	section *rule
	members int
	// opaque says that what lies in it is local, though it declares nothing:
	// "let () =".
	opaque bool
}

// hidden stands for the declaration around what lies in none that has a name.
const hidden = int32(-2)

// readIndent walks a language whose blocks end with their indentation.
func readIndent(s *scanner) {
	t := s.table
	s.start(&t.lexis)
	code := s.code
	var open []indented
	depth := 0 // of brackets over lines
	last := 0  // the end of the last line with code
	lines(code, func(from, to int) bool {
		i := s.skip(from)
		if i >= to {
			return false
		}
		width := columns(code[from:i])
		if depth == 0 && !s.closesLine(i, to) {
			for len(open) > 0 && open[len(open)-1].indent >= width && !(s.goesOnLine(i) && open[len(open)-1].indent == width) {
				s.close(open[len(open)-1].decl, last)
				open = open[:len(open)-1]
			}
		}
		if depth == 1 && len(open) > 0 {
			if k := s.kind(open[len(open)-1].decl); k == artifact.KindType || k == artifact.KindStruct || k == artifact.KindClass {
				s.recordFields(i, to, open[len(open)-1].decl)
			}
		}
		if depth == 0 {
			around, section, opaque := none, (*rule)(nil), false
			for n := len(open) - 1; n >= 0; n-- {
				if open[n].section != nil && section == nil && around == none {
					if open[n].members < 0 {
						open[n].members = width
					}
					if open[n].members == width {
						section = open[n].section
					}
				}
				if around == none {
					around = open[n].decl
				}
				opaque = opaque || open[n].opaque
			}
			if opaque {
				around = hidden
			}
			open = s.indentLine(open, i, to, width, around, section)
		}
		for j := from; j < to; j++ {
			switch code[j] {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth = max(depth-1, 0)
			}
		}
		// Nothing at file level lies in brackets.
		if n := lineLen(code[min(to+1, len(code)):]); depth > 0 && to+1 < len(code) && n > 0 && isLetter(code[to+1]) {
			if _, ok := s.ruleAt(to+1, s.word(to+1)); ok {
				depth = 0
			}
		}
		last = to
		return false
	})
	for n := len(open) - 1; n >= 0; n-- {
		s.close(open[n].decl, last)
	}
	s.readUses()
}

// indentLine looks for declarations on the line [i, to).
func (s *scanner) indentLine(open []indented, i, to, width int, around int32, section *rule) []indented {
	t := s.table
	if around == hidden {
		return open
	}
	push := func(d int32) {
		if d >= 0 {
			at := width
			if k := s.kind(d); t.wholeFile && (k == artifact.KindModule || k == artifact.KindNamespace) && bytes.IndexByte(s.code[i:to], '=') < 0 {
				at = -1 // the rest of the file is in it
			}
			open = append(open, indented{decl: d, indent: at})
			s.signature(d, min(to, s.headEnd(int(s.decls[d].NameAt), to)))
		}
	}
	if f, ok := s.match(i); ok && f.after <= to {
		if f.rule.kind == artifact.KindVariable && around == none && width > 0 {
			return append(open, indented{decl: none, indent: width, opaque: true}) // in a block that has no name
		}
		d := s.add(&f, around, i, f.after)
		push(d)
		if d >= 0 && (f.rule.kind == artifact.KindType || f.rule.kind == artifact.KindClass) {
			if k := bytes.IndexByte(s.code[f.after:to], '='); k >= 0 {
				k = s.skip(f.after + k + 1)
				if k < to && s.code[k] >= 'A' && s.code[k] <= 'Z' && bytes.IndexByte(s.code[k:to], '|') > 0 {
					s.declare(artifact.KindEnumMember, d, k, k, s.word(k), s.word(k))
					if m := bytes.IndexByte(s.code[k:to], '|'); m > 0 {
						k += m
					}
				}
				s.variants(k, to, d)
				if k < to && s.code[k] == '{' {
					s.recordFields(k, to, d)
				}
			}
		}
		if d < 0 && !s.inCallable(around) && callable(f.rule.kind) {
			open = append(open, indented{decl: none, indent: width, opaque: true})
		}
		return open
	}
	e := s.word(i)
	word := s.key(i, e)
	if word == "let" || word == "module" || word == "do" {
		return append(open, indented{decl: none, indent: width, opaque: true})
	}
	if r, ok := t.rules[word]; ok && s.skip(e) >= to && (!r.kind.Container() || r.kind == artifact.KindType) && !callable(r.kind) && r.name != itself {
		// A section: "type" or "const" with its names on the lines below.
		return append(open, indented{decl: none, indent: width, section: &r, members: -1})
	}
	if section != nil && e > i && !s.table.isKeyword[word] {
		f := found{rule: *section, word: span{i, i}, nameAt: i, nameEnd: e, after: e}
		f.rule.kind = s.sectionKind(section, e, to)
		push(s.add(&f, around, i, e))
		return open
	}
	if s.kind(around) == artifact.KindEnum || s.kind(around) == artifact.KindType || s.kind(around) == artifact.KindStruct || s.kind(around) == artifact.KindClass {
		s.variants(i, to, around)
		s.recordFields(i, to, around)
		if s.kind(around) == artifact.KindEnum {
			s.enumNames(i, to, around)
		}
	}
	if t.equations && around == none && width == 0 && e > i && !s.table.isKeyword[word] {
		k := s.skip(e)
		rest := code(s, k, to)
		typed := strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, "::")
		if typed {
			// A type annotation stands in front of its definition.
			s.leads = append(s.leads, span{i, s.annotationEnd(to)})
			return open
		}
		if strings.Contains(rest, "=") || strings.HasSuffix(strings.TrimSpace(rest), "=") {
			kind := artifact.KindFunction
			if strings.HasPrefix(rest, "=") {
				kind = artifact.KindConstant
			}
			push(s.declare(kind, around, i, i, e, e))
		}
	}
	return open
}

func code(s *scanner, from, to int) string {
	if from >= to {
		return ""
	}
	return string(s.code[from:to])
}

// annotationEnd returns the end of a type annotation whose first line ends at
// to: the lines that are indented belong to it.
func (s *scanner) annotationEnd(to int) int {
	for to < len(s.code) && to+1 < len(s.code) && isBlank(s.code[to+1]) {
		n := to + 1 + lineLen(s.code[to+1:])
		if s.skip(to+1) >= n {
			break
		}
		to = n
	}
	return to
}

// sectionKind refines the kind of a name in a section by what follows it.
func (s *scanner) sectionKind(r *rule, e, to int) artifact.Kind {
	if r.kind != artifact.KindType {
		return r.kind
	}
	rest := code(s, e, to)
	_, rest, _ = strings.Cut(rest, "=")
	for _, w := range strings.Fields(rest) {
		switch strings.TrimRight(w, "({") {
		case "object":
			return artifact.KindClass
		case "enum":
			return artifact.KindEnum
		case "tuple":
			return artifact.KindStruct
		case "concept":
			return artifact.KindInterface
		case "ref", "ptr":
		default:
			return r.kind
		}
	}
	return r.kind
}

// variants finds the constructors of a sum type on a line, "| Name".
func (s *scanner) variants(i, to int, around int32) {
	for i < to && (s.code[i] == '|' || s.code[i] == '=') {
		k := s.skip(i + 1)
		e := s.word(k)
		if e == k || s.code[k] < 'A' || s.code[k] > 'Z' {
			return
		}
		s.declare(artifact.KindEnumMember, around, k, k, e, e)
		depth := 0
		for i = e; i < to && (depth > 0 || s.code[i] != '|'); i++ {
			switch s.code[i] {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			}
		}
	}
}

// enumNames finds the names of an enum on a line, separated by commas.
func (s *scanner) enumNames(i, to int, around int32) {
	for i < to {
		e := s.word(i)
		if e == i || s.listed(s.table.isKeyword, i, e) {
			return
		}
		s.declare(artifact.KindEnumMember, around, i, i, e, e)
		n := bytes.IndexByte(s.code[e:to], ',')
		if n < 0 {
			return
		}
		i = s.skip(e + n + 1)
	}
}

// recordFields finds the fields of a record type on a line: "{ name : type",
// "; name : type", "mutable name : type", "name: type".
func (s *scanner) recordFields(i, to int, around int32) {
	if s.code[i] == '{' || s.code[i] == ';' || s.code[i] == ',' {
		i = s.skip(i + 1)
	}
	for n := 0; n < 32 && i < to; n++ {
		e := s.word(i)
		if w := s.key(i, e); w == "mutable" {
			i = s.skip(e)
			e = s.word(i)
		}
		k := s.skip(e)
		if k < to && s.code[k] == '*' {
			k = s.skip(k + 1)
		}
		if e == i || k >= to || s.code[k] != ':' || hasPrefix(s.code[k:], "::") || s.listed(s.table.isKeyword, i, e) {
			return
		}
		s.declare(artifact.KindField, around, i, i, e, e)
		depth := 0
		for i = k; i < to && (depth > 0 || s.code[i] != ';' && s.code[i] != ','); i++ {
			switch s.code[i] {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			}
		}
		i = s.skip(i + 1)
	}
}

// headEnd returns where a declaration's head ends on its line: at "=" or
// "{", or the end.
func (s *scanner) headEnd(at, to int) int {
	depth := 0
	for j := at; j < to; j++ {
		switch s.code[j] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '=':
			if depth <= 0 && j > at && j+1 < len(s.code) && isSpace(s.code[j-1]) && isSpace(s.code[j+1]) {
				return j
			}
		}
	}
	return to
}

// closesLine reports whether a line only closes what stands above it.
func (s *scanner) closesLine(i, to int) bool {
	switch s.code[i] {
	case ')', ']', '}', '|':
		return true
	}
	e := s.word(i)
	switch s.key(i, e) {
	case "end", "in", "done", "then", "else", "elif", "of", "with", "constraint":
		return s.table.rules[s.key(i, e)].kind == artifact.KindUnknown
	}
	return false
}

// goesOnLine reports whether a line at the same indentation belongs to the
// declaration above it.
func (s *scanner) goesOnLine(i int) bool {
	return hasPrefix(s.code[i:], "=") || hasPrefix(s.code[i:], "->")
}

func columns(b []byte) int {
	n := 0
	for _, c := range b {
		if c == '\t' {
			n += 8 - n%8
		} else {
			n++
		}
	}
	return n
}
