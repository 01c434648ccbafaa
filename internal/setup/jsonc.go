package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// node is one value of a JSON text that may have comments and trailing commas,
// and where it stands. Only objects keep what is in them.
type node struct {
	start, end int
	kind       byte // '{', '[', '"' or 0 for the rest
	members    []jsonMember
}

// jsonMember is one member of an object.
type jsonMember struct {
	key   string
	start int // of the key
	value node
	comma int // behind the value; -1 for none
}

// maxDepth bounds how deep values nest: more than any configuration does, and
// less than a stack holds.
const maxDepth = 256

// member returns an object's last member of a name, which is the one that
// counts.
func (n *node) member(key string) (int, bool) {
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].key == key {
			return i, true
		}
	}
	return 0, false
}

// jsonText is a parsed text: its root, and the text with comments and trailing
// commas blanked, which is plain JSON of the same length.
type jsonText struct {
	doc   []byte
	root  node
	empty bool // nothing but space and comments
	plain []byte
}

type jsonParser struct {
	doc   []byte
	plain []byte
	pos   int
}

var bom = []byte("\xef\xbb\xbf")

// parseJSONC reads JSON with comments (// and /* */) and trailing commas, with a
// byte order mark or without.
func parseJSONC(doc []byte) (*jsonText, error) {
	p := &jsonParser{doc: doc, plain: bytes.Clone(doc)}
	if bytes.HasPrefix(doc, bom) {
		p.blank(0, len(bom))
		p.pos = len(bom)
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	t := &jsonText{doc: doc, plain: p.plain}
	if p.pos == len(doc) {
		t.empty = true
		return t, nil
	}
	root, err := p.value(0)
	if err == nil {
		err = p.space()
	}
	if err == nil && p.pos < len(doc) {
		err = p.errorf("text after the end")
	}
	if err != nil {
		return nil, err
	}
	t.root = root
	return t, nil
}

func (p *jsonParser) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %s", 1+bytes.Count(p.doc[:min(p.pos, len(p.doc))], []byte("\n")), fmt.Sprintf(format, args...))
}

func (p *jsonParser) blank(from, to int) {
	for i := from; i < to; i++ {
		if c := p.plain[i]; c != '\n' && c != '\r' {
			p.plain[i] = ' '
		}
	}
}

// space passes over white space and comments.
func (p *jsonParser) space() error {
	for p.pos < len(p.doc) {
		switch c := p.doc[p.pos]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			p.pos++
		case c == '/':
			n := commentLength(p.doc[p.pos:])
			if n == 0 {
				return p.errorf("a comment that does not end, or a lone slash")
			}
			p.blank(p.pos, p.pos+n)
			p.pos += n
		default:
			return nil
		}
	}
	return nil
}

// commentLength returns the length of the comment at the start of b, without
// the line's end; 0 for none.
func commentLength(b []byte) int {
	switch {
	case bytes.HasPrefix(b, []byte("//")):
		if n := bytes.IndexAny(b, "\r\n"); n >= 0 {
			return n
		}
		return len(b)
	case bytes.HasPrefix(b, []byte("/*")):
		if n := bytes.Index(b[2:], []byte("*/")); n >= 0 {
			return n + 4
		}
	}
	return 0
}

func (p *jsonParser) value(depth int) (node, error) {
	n := node{start: p.pos}
	if depth > maxDepth {
		return n, p.errorf("values nest deeper than %d", maxDepth)
	}
	if p.pos == len(p.doc) {
		return n, p.errorf("a value is missing")
	}
	var err error
	switch c := p.doc[p.pos]; c {
	case '{', '[':
		n.kind = c
		err = p.collection(&n, depth)
	case '"':
		n.kind = c
		_, err = p.str()
	default:
		for p.pos < len(p.doc) && !bytes.ContainsRune([]byte(" \t\r\n,:{}[]\"/"), rune(p.doc[p.pos])) {
			p.pos++
		}
		if word := p.doc[n.start:p.pos]; !json.Valid(word) {
			p.pos = n.start
			err = p.errorf("%.20q is no value", word)
		}
	}
	n.end = p.pos
	return n, err
}

// collection reads an object or an array.
func (p *jsonParser) collection(n *node, depth int) error {
	closing := byte('}')
	if n.kind == '[' {
		closing = ']'
	}
	p.pos++
	comma := -1 // the last one
	for first := true; ; first = false {
		if err := p.space(); err != nil {
			return err
		}
		if p.pos == len(p.doc) {
			return p.errorf("%q is missing", closing)
		}
		if p.doc[p.pos] == closing {
			if comma >= 0 {
				p.blank(comma, comma+1)
			}
			p.pos++
			return nil
		}
		if !first && comma < 0 {
			return p.errorf("a comma or %q is missing", closing)
		}
		m := jsonMember{start: p.pos, comma: -1}
		var err error
		if n.kind == '{' {
			if m.key, err = p.key(); err != nil {
				return err
			}
		}
		if m.value, err = p.value(depth + 1); err != nil {
			return err
		}
		if err := p.space(); err != nil {
			return err
		}
		comma = -1
		if p.pos < len(p.doc) && p.doc[p.pos] == ',' {
			comma = p.pos
			m.comma = comma
			p.pos++
		}
		if n.kind == '{' {
			n.members = append(n.members, m)
		}
	}
}

// key reads a member's name and the colon.
func (p *jsonParser) key() (string, error) {
	if p.doc[p.pos] != '"' {
		return "", p.errorf("a name in quotes is missing")
	}
	key, err := p.str()
	if err == nil {
		err = p.space()
	}
	if err == nil && (p.pos == len(p.doc) || p.doc[p.pos] != ':') {
		err = p.errorf("a colon is missing")
	}
	if err != nil {
		return "", err
	}
	p.pos++
	return key, p.space()
}

func (p *jsonParser) str() (string, error) {
	start := p.pos
	for p.pos++; p.pos < len(p.doc); p.pos++ {
		switch p.doc[p.pos] {
		case '\\':
			p.pos++
		case '"':
			p.pos++
			var s string
			if json.Unmarshal(p.doc[start:p.pos], &s) != nil {
				p.pos = start
				return "", p.errorf("a string that is none")
			}
			return s, nil
		}
	}
	p.pos = start
	return "", p.errorf("a string that does not end")
}

// at follows names from the root and returns the object there; found says how
// many names exist. A value on the way that is no object is an error.
func (t *jsonText) at(path []string) (n *node, found int, err error) {
	n = &t.root
	if n.kind != '{' {
		return nil, 0, errors.New("the text is not an object")
	}
	for found < len(path) {
		i, ok := n.member(path[found])
		if !ok {
			return n, found, nil
		}
		if n = &n.members[i].value; n.kind != '{' {
			return nil, found, fmt.Errorf("%s is not an object", strings.Join(path[:found+1], "."))
		}
		found++
	}
	return n, found, nil
}
