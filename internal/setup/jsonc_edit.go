package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// pair is a member that is to be written, and pairs an object's in their order.
type (
	pair struct {
		key   string
		value any // string, bool, []string or pairs
	}
	pairs []pair
)

// style is how a text is laid out.
type style struct {
	nl, unit string
	flat     bool // on one line
}

// render writes a value whose line is indented by indent.
func (s style) render(b *strings.Builder, v any, indent string) {
	switch v := v.(type) {
	case string:
		b.Write(quote(v))
	case bool:
		fmt.Fprint(b, v)
	case []string:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			b.Write(quote(e))
		}
		b.WriteByte(']')
	case pairs:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
				if s.flat {
					b.WriteByte(' ')
				}
			}
			if !s.flat {
				b.WriteString(s.nl + indent + s.unit)
			}
			s.renderMember(b, m, indent+s.unit)
		}
		if !s.flat && len(v) > 0 {
			b.WriteString(s.nl + indent)
		}
		b.WriteByte('}')
	}
}

func (s style) renderMember(b *strings.Builder, m pair, indent string) {
	b.Write(quote(m.key))
	b.WriteString(": ")
	s.render(b, m.value, indent)
}

func quote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s) // a string cannot fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// lineIndent returns the white space at the start of the line that holds pos.
func lineIndent(doc []byte, pos int) string {
	start := bytes.LastIndexByte(doc[:pos], '\n') + 1
	end := start
	for end < pos && (doc[end] == ' ' || doc[end] == '\t') {
		end++
	}
	return string(doc[start:end])
}

// sameText compares texts but for their line ends.
func sameText(x, y []byte) bool {
	cr := []byte("\r")
	return bytes.Equal(bytes.ReplaceAll(x, cr, nil), bytes.ReplaceAll(y, cr, nil))
}

func newline(doc []byte) string {
	if n := bytes.IndexByte(doc, '\n'); n > 0 && doc[n-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// unitOf returns by how much a line is indented more than the one that encloses
// it: from the first member that tells, else two spaces.
func unitOf(doc []byte, n *node) string {
	if len(n.members) > 0 {
		outer, inner := lineIndent(doc, n.start), lineIndent(doc, n.members[0].start)
		if unit, ok := strings.CutPrefix(inner, outer); ok && unit != "" {
			return unit
		}
		for _, m := range n.members {
			if m.value.kind == '{' && len(m.value.members) > 0 {
				return unitOf(doc, &m.value)
			}
		}
	}
	return "  "
}

// setJSON puts a member into the object at path, which is made where it is
// missing. replace says what happens to a member of that name that is there:
// its value is replaced, or nothing is done. It returns the text as it was when
// there is nothing to do.
func setJSON(doc []byte, path []string, m pair, first []pair, replace bool) (splice, error) {
	t, err := parseJSONC(doc)
	if err != nil {
		return splice{}, err
	}
	s := style{nl: newline(doc), unit: "  "}
	if t.empty {
		all := append(append(pairs{}, first...), nest(path, m))
		var b strings.Builder
		if at := len(bytes.TrimPrefix(doc, bom)); at > 0 && doc[len(doc)-1] != '\n' {
			b.WriteString(s.nl)
		}
		s.render(&b, all, "")
		b.WriteString(s.nl)
		return splice{off: len(doc), ins: []byte(b.String())}, nil
	}
	n, found, err := t.at(path)
	if err != nil {
		return splice{}, err
	}
	s.unit = unitOf(doc, &t.root)
	if found == len(path) {
		if i, ok := n.member(m.key); ok {
			if !replace {
				return splice{}, nil
			}
			v := n.members[i].value
			s.flat = !bytes.Contains(doc[n.start:v.end], []byte("\n"))
			var b strings.Builder
			s.render(&b, m.value, lineIndent(doc, n.members[i].start))
			if sameText(doc[v.start:v.end], []byte(b.String())) {
				return splice{}, nil
			}
			return splice{v.start, doc[v.start:v.end], []byte(b.String())}, nil
		}
	} else {
		m = nest(path[found:], m)
	}
	sp := s.insert(doc, n, m)
	return sp, checkJSON(doc, sp.apply(doc))
}

// nest wraps a member into objects of the names of a path.
func nest(path []string, m pair) pair {
	for i := len(path) - 1; i >= 0; i-- {
		m = pair{path[i], pairs{m}}
	}
	return m
}

// insert adds a member at the end of an object.
func (s style) insert(doc []byte, n *node, m pair) splice {
	var b strings.Builder
	outer := lineIndent(doc, n.start)
	if len(n.members) == 0 {
		// What is inside is white space and comments, which stay in front.
		end := n.end - 1
		at := end
		for at > n.start+1 && isSpace(doc[at-1]) {
			at--
		}
		b.WriteString(s.nl + outer + s.unit)
		s.renderMember(&b, m, outer+s.unit)
		b.WriteString(s.nl + outer)
		return splice{at, doc[at:end], []byte(b.String())}
	}
	last := n.members[len(n.members)-1]
	indent := lineIndent(doc, last.start)
	s.flat = !bytes.Contains(doc[n.start:last.start], []byte("\n"))
	at, trailing := last.value.end, last.comma >= 0
	if trailing {
		at = last.comma + 1
	}
	// A comment on the last member's line belongs to it.
	rest := doc[at:restOfLine(doc, at, n.end-1)]
	if s.flat {
		rest = nil
	}
	if !trailing {
		b.WriteByte(',')
	}
	b.Write(rest)
	if s.flat {
		b.WriteByte(' ')
	} else {
		b.WriteString(s.nl + indent)
	}
	s.renderMember(&b, m, indent)
	if trailing {
		b.WriteByte(',')
	}
	return splice{at, rest, []byte(b.String())}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// restOfLine returns where the comments end that stand behind pos on its line.
func restOfLine(doc []byte, pos, limit int) int {
	end := pos
	for i := pos; i < limit; {
		switch c := doc[i]; {
		case c == ' ' || c == '\t':
			i++
		case c == '/':
			n := commentLength(doc[i:])
			if n == 0 {
				return end
			}
			i += n
			end = i
		default:
			return end
		}
	}
	return end
}

// removeJSON takes a member out of the object at path, and objects that are
// empty after that. It reports whether there was one.
func removeJSON(doc []byte, path []string, key string) ([]byte, bool, error) {
	t, err := parseJSONC(doc)
	if err != nil || t.empty {
		return doc, false, err
	}
	n, found, err := t.at(path)
	if err != nil || found < len(path) {
		return doc, false, err
	}
	i, ok := n.member(key)
	if !ok {
		return doc, false, nil
	}
	if len(n.members) == 1 && len(path) > 0 {
		return removeJSON(doc, path[:len(path)-1], path[len(path)-1])
	}
	m := n.members[i]
	start, end := m.start, m.value.end
	if m.comma >= 0 {
		end = m.comma + 1
	}
	for start > 0 && (doc[start-1] == ' ' || doc[start-1] == '\t') {
		start--
	}
	if start > 0 && doc[start-1] == '\n' {
		start--
		if start > 0 && doc[start-1] == '\r' {
			start--
		}
	}
	out := bytes.Clone(doc[:start])
	if before := i - 1; before >= 0 && i == len(n.members)-1 && m.comma < 0 {
		c := n.members[before].comma
		out = append(out[:c], out[c+1:]...)
	}
	out = append(out, doc[end:]...)
	if _, err := parseJSONC(out); err != nil {
		return doc, false, err
	}
	return out, true, nil
}

// checkJSON makes sure that an edited text can be read, and has everything that
// was there before with the same values.
func checkJSON(before, after []byte) error {
	old, err := plainJSON(before)
	if err != nil {
		return err
	}
	now, err := plainJSON(after)
	if err != nil {
		return fmt.Errorf("the edited text could not be read: %w", err)
	}
	if !contains(now, old) {
		return errors.New("the edited text would lose something")
	}
	return nil
}

func plainJSON(doc []byte) (any, error) {
	t, err := parseJSONC(doc)
	if err != nil || t.empty {
		return nil, err
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(t.plain))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// contains reports whether now has all that old has, objects being allowed to
// have more.
func contains(now, old any) bool {
	o, ok := old.(map[string]any)
	if !ok {
		return old == nil || fmt.Sprint(now) == fmt.Sprint(old)
	}
	n, ok := now.(map[string]any)
	if !ok {
		return false
	}
	for k, v := range o {
		if !contains(n[k], v) {
			return false
		}
	}
	return true
}
