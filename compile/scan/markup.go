package scan

import (
	"bytes"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/syntax"
)

func cssTable(line bool) *table {
	t := &table{lexis: lexis{block: []bracket{{"/*", "*/", false}}, quotes: cQuotes()}, nameBytes: "-", rules: map[string]rule{}}
	if line {
		t.lexis.line, t.lexis.spaced = []string{"//"}, true
	}
	return t
}

const maxSelector = 120

// readCSS walks rules. A rule's selector is its name; what @ names is declared
// under its own.
func readCSS(s *scanner) {
	s.start(&s.table.lexis)
	code := s.code
	var open []int32
	around := func() int32 {
		for n := len(open) - 1; n >= 0; n-- {
			if open[n] >= 0 {
				return open[n]
			}
		}
		return none
	}
	start, paren := 0, 0
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '(':
			paren++
		case ')':
			paren = max(0, paren-1)
		case '#':
			if i+1 < len(code) && code[i+1] == '{' { // interpolation
				if n := bytes.IndexByte(code[i:min(len(code), i+maxAhead)], '}'); n > 0 {
					i += n
				}
			}
		case '{':
			open = append(open, s.cssBlock(start, i, around()))
			start, paren = i+1, 0
		case '}':
			s.cssStatement(start, i, around())
			if n := len(open); n > 0 {
				s.close(open[n-1], i+1)
				open = open[:n-1]
			}
			start, paren = i+1, 0
		case ';':
			if paren == 0 {
				s.cssStatement(start, i, around())
				start = i + 1
			}
		}
	}
	s.cssStatement(start, len(code), around())
	for n := len(open) - 1; n >= 0; n-- {
		s.close(open[n], len(code))
	}
}

func (s *scanner) cssBlock(from, to int, around int32) int32 {
	i := s.skipLines(from)
	if i >= to {
		return none
	}
	head := s.src[i:to]
	kind := artifact.KindEntry
	at, end := i, to
	if head[0] == '@' {
		e := s.word(i + 1)
		k := s.skip(e)
		switch string(s.code[i+1 : e]) {
		case "mixin", "function":
			kind = artifact.KindFunction
			at, end = k, s.word(k)
			d := s.declare(kind, around, i, at, end, to)
			s.signature(d, to)
			return d
		case "include":
			s.use(artifact.RoleCall, k, s.word(k), "")
			return none
		case "if", "else", "each", "for", "while":
			return none
		}
	}
	name := strings.Join(strings.Fields(string(s.code[at:end])), " ")
	if name == "" || strings.IndexByte(name, stringByte) >= 0 {
		name = strings.Join(strings.Fields(string(s.src[at:end])), " ")
	}
	if len(name) > maxSelector {
		name = strings.ToValidUTF8(name[:maxSelector], "") + ellipsis
	}
	d := s.declareNamed(kind, around, i, i, name, to)
	s.signature(d, to)
	return d
}

func (s *scanner) cssStatement(from, to int, around int32) {
	i := s.skipLines(from)
	if i >= to {
		return
	}
	switch c := s.code[i]; {
	case c == '$' || c == '@' || c == '-' && i+1 < to && s.code[i+1] == '-':
		e := s.word(i + 1)
		k := s.skip(e)
		if k < to && s.code[k] == ':' {
			s.declare(artifact.KindVariable, around, i, i, e, to)
			break
		}
		switch string(s.code[i+1 : min(e, to)]) {
		case "import", "use", "forward":
			for k < to && s.code[k] != stringByte {
				k++
			}
			m := k
			for m < to && s.code[m] == stringByte {
				m++
			}
			if m > k+2 {
				s.addImport(k+1, string(s.src[k+1:m-1]), "", "")
			}
		case "include", "extend":
			s.use(artifact.RoleCall, k, s.word(k), "")
		}
	}
	for k := i; k < to; k++ {
		switch {
		case s.code[k] == '$' && k > i:
			e := s.word(k + 1)
			s.use(artifact.RoleRead, k, e, "")
			k = max(k, e-1)
		case hasPrefix(s.code[k:], "var(--"):
			e := s.word(k + 4)
			s.use(artifact.RoleRead, k+4, e, "")
			k = max(k, e-1)
		}
	}
}

// Block is a part of a markup file in another language.
type Block struct {
	Tag        string            // "script", "style" or "template"
	Attrs      map[string]string // of its start tag, without quotes
	Start, End int               // the whole element
	From, To   int               // its text
}

// Blocks returns the script, style and template elements at the top of a
// markup file, in order; in HTML, the scripts and styles wherever they are.
func Blocks(src []byte, html bool) []Block {
	var out []Block
	for i := 0; i < len(src); {
		n := bytes.IndexByte(src[i:], '<')
		if n < 0 {
			break
		}
		i += n
		if hasPrefix(src[i:], "<!--") {
			e := bytes.Index(src[i:], []byte("-->"))
			if e < 0 {
				break
			}
			i += e + 3
			continue
		}
		tag, attrs, end, selfClosing := startTag(src, i)
		if tag == "" {
			i++
			continue
		}
		lower := strings.ToLower(tag)
		if lower != "script" && lower != "style" && (lower != "template" || html) || selfClosing {
			i = end
			continue
		}
		closeAt, behind := closingTag(src, end, lower, lower == "template")
		out = append(out, Block{Tag: lower, Attrs: attrs, Start: i, End: behind, From: end, To: closeAt})
		i = behind
	}
	return out
}

// closingTag returns where the closing tag of an element begins and ends.
func closingTag(src []byte, i int, tag string, nested bool) (at, behind int) {
	depth := 1
	for j := i; j < len(src); {
		n := bytes.IndexByte(src[j:], '<')
		if n < 0 {
			break
		}
		j += n
		switch rest := src[j+1:]; {
		case len(rest) > len(tag) && rest[0] == '/' && strings.EqualFold(string(rest[1:min(len(rest), len(tag)+1)]), tag):
			if depth--; depth == 0 {
				e := bytes.IndexByte(src[j:], '>')
				if e < 0 {
					return j, len(src)
				}
				return j, j + e + 1
			}
		case nested && len(rest) > len(tag) && strings.EqualFold(string(rest[:len(tag)]), tag) && (isSpace(rest[len(tag)]) || rest[len(tag)] == '>'):
			if _, _, end, selfClosing := startTag(src, j); !selfClosing && end > j {
				depth++
			}
		}
		j++
	}
	return len(src), len(src)
}

const maxTag = 1 << 12

// startTag reads the start tag at i; an empty name means that none is there.
func startTag(src []byte, i int) (tag string, attrs map[string]string, end int, selfClosing bool) {
	j := i + 1
	for j < len(src) && (isLetter(src[j]) || isDigit(src[j]) || src[j] == '-' || src[j] == ':' || src[j] == '.') {
		j++
	}
	if j == i+1 || !isLetter(src[i+1]) {
		return "", nil, i, false
	}
	tag = string(src[i+1 : j])
	limit := min(len(src), i+maxTag)
	for j < limit {
		switch c := src[j]; {
		case c == '>':
			return tag, attrs, j + 1, selfClosing
		case isSpace(c):
			j++
		case c == '/':
			selfClosing = true
			j++
		default:
			selfClosing = false
			k := j
			for k < limit && !isSpace(src[k]) && src[k] != '=' && src[k] != '>' && !(src[k] == '/' && k+1 < limit && src[k+1] == '>') {
				k++
			}
			name, value := string(src[j:k]), ""
			for k < limit && isSpace(src[k]) {
				k++
			}
			if k < limit && src[k] == '=' {
				k++
				for k < limit && isSpace(src[k]) {
					k++
				}
				v := k
				if k < limit && (src[k] == '"' || src[k] == '\'') {
					n := bytes.IndexByte(src[k+1:limit], src[k])
					if n < 0 {
						return "", nil, i, false
					}
					value = string(src[k+1 : k+1+n])
					k += n + 2
				} else {
					depth := 0
					for k < limit && (depth > 0 || !isSpace(src[k]) && src[k] != '>') {
						switch src[k] {
						case '{':
							depth++
						case '}':
							depth--
						}
						k++
					}
					value = string(src[v:k])
				}
			}
			if attrs == nil {
				attrs = map[string]string{}
			}
			if _, ok := attrs[name]; !ok && len(attrs) < 64 {
				attrs[name] = value
			}
			j = max(k, j+1)
		}
	}
	return "", nil, i, false
}

// readHTML makes a declaration of every element with an id.
func readHTML(s *scanner) {
	type element struct {
		tag  string
		decl int32
	}
	var open []element
	around := func() int32 {
		for n := len(open) - 1; n >= 0; n-- {
			if open[n].decl >= 0 {
				return open[n].decl
			}
		}
		return none
	}
	ids := 0
	for i := 0; i < len(s.src); {
		n := bytes.IndexByte(s.src[i:], '<')
		if n < 0 {
			break
		}
		i += n
		switch {
		case hasPrefix(s.src[i:], "<!--"):
			e := bytes.Index(s.src[i:], []byte("-->"))
			if e < 0 {
				i = len(s.src)
				continue
			}
			i += e + 3
			continue
		case hasPrefix(s.src[i:], "</"):
			j := i + 2
			for j < len(s.src) && (isLetter(s.src[j]) || isDigit(s.src[j]) || s.src[j] == '-' || s.src[j] == ':') {
				j++
			}
			tag := strings.ToLower(string(s.src[i+2 : j]))
			end := j
			if e := bytes.IndexByte(s.src[j:min(len(s.src), j+maxAhead)], '>'); e >= 0 {
				end = j + e + 1
			}
			for n := len(open) - 1; n >= 0 && n >= len(open)-64; n-- {
				if open[n].tag == tag {
					for k := len(open) - 1; k >= n; k-- {
						at := i
						if k == n {
							at = end
						}
						s.closeHTML(open[k].decl, at)
					}
					open = open[:n]
					break
				}
			}
			i = end
			continue
		}
		tag, attrs, end, selfClosing := startTag(s.src, i)
		if tag == "" {
			i++
			continue
		}
		lower := strings.ToLower(tag)
		d := none
		if id := attrs["id"]; id != "" && !strings.ContainsAny(id, "{}<>\n") {
			if at := bytes.Index(s.src[i:end], []byte(id)); at >= 0 {
				d = s.declareNamed(artifact.KindEntry, around(), i, s.htmlID(i, end, id), id, end)
				ids++
			}
		}
		switch lower {
		case "script":
			if m := attrs["src"]; m != "" {
				s.addImport(i+max(0, bytes.Index(s.src[i:end], []byte(m))), m, "", "")
			}
		case "link":
			if m := attrs["href"]; m != "" && strings.Contains(attrs["rel"], "stylesheet") {
				s.addImport(i+max(0, bytes.Index(s.src[i:end], []byte(m))), m, "", "")
			}
		case "a":
			if m := attrs["href"]; len(m) > 1 && m[0] == '#' {
				if at := bytes.Index(s.src[i:end], []byte(m)); at >= 0 {
					s.use(artifact.RoleRead, i+at+1, i+at+len(m), "")
				}
			}
		}
		i = end
		switch {
		case lower == "script" || lower == "style":
			_, i = closingTag(s.src, end, lower, false)
			s.closeHTML(d, i)
		case selfClosing || isVoid(lower):
			s.closeHTML(d, end)
		case len(open) < 1<<12:
			open = append(open, element{lower, d})
		}
	}
	for n := len(open) - 1; n >= 0; n-- {
		// What was never closed ends with its tag.
		s.closeHTML(open[n].decl, 0)
	}
}

func (s *scanner) closeHTML(d int32, end int) {
	if d >= 0 && end > int(s.decls[d].End) {
		s.decls[d].End = uint32(end)
	}
}

// htmlID returns where an id stands in its tag.
func (s *scanner) htmlID(i, end int, id string) int {
	for _, q := range []string{`id="`, "id='", "id="} {
		if n := bytes.Index(s.src[i:end], []byte(q+id)); n >= 0 {
			return i + n + len(q)
		}
	}
	return i + bytes.Index(s.src[i:end], []byte(id))
}

func isVoid(tag string) bool {
	switch tag {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr", "p", "li":
		return true // p and li are closed by what follows them as often as not
	}
	return false
}

// Markup returns the facts of a markup file's own elements: the ids of HTML,
// or the template and style blocks of a component.
func Markup(src []byte, html bool) *syntax.Facts {
	if !isText(src) {
		return &syntax.Facts{Degraded: artifact.DegradedNotText}
	}
	s := &scanner{src: src, names: map[string]string{}}
	if html {
		readHTML(s)
	} else {
		for _, b := range Blocks(src, false) {
			if b.Tag != "script" {
				s.declareNamed(artifact.KindEntry, none, b.Start, b.Start+1, b.Tag, b.End)
			}
		}
	}
	return s.finish()
}
