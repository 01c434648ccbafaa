package git

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// setting is one line of a configuration file. Section and key are in lower
// case; the subsection and the value are as written.
type setting struct {
	section, sub, key string
	value             string
	bare              bool // "key" without "=", which means true
}

// config is what git's configuration files say, in their order. Files that
// they include are not read.
type config []setting

// maxConfig is the size in bytes of the largest configuration file that is
// read.
const maxConfig = 16 << 20

// readConfig reads a configuration file. A file that does not exist is empty.
func readConfig(path string) (config, error) {
	b, err := readLimited(path, maxConfig)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c, err := parseConfig(string(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// readLimited reads a file of at most max bytes.
func readLimited(path string, max int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readUpTo(f, path, max)
}

// last returns the last setting of a variable that has no subsection.
func (c config) last(section, key string) (value string, ok bool) {
	for i := len(c) - 1; i >= 0; i-- {
		if s := c[i]; s.section == section && s.key == key && s.sub == "" {
			if s.bare {
				return "true", true
			}
			return s.value, true
		}
	}
	return "", false
}

// first returns the first setting of a variable in a subsection.
func (c config) first(section, sub, key string) string {
	for _, s := range c {
		if s.section == section && s.key == key && s.sub == sub {
			return s.value
		}
	}
	return ""
}

// isTrue reads a variable as git reads truth values, with a default.
func (c config) isTrue(section, key string, def bool) bool {
	v, ok := c.last(section, key)
	if !ok {
		return def
	}
	switch strings.ToLower(v) {
	case "", "false", "no", "off", "0":
		return false
	}
	return true
}

// parseConfig reads the syntax of git-config(1).
func parseConfig(text string) (config, error) {
	p := configParser{text: strings.TrimPrefix(text, "\uFEFF"), line: 1}
	var c config
	var section, sub string
	for {
		p.space(true)
		ch := p.next()
		switch {
		case ch == 0:
			if p.err == nil && p.pos <= len(p.text) {
				p.err = errors.New("a NUL byte")
			}
			if p.pos > len(p.text) {
				return c, nil
			}
		case ch == '#' || ch == ';':
			p.comment()
		case ch == '[':
			section, sub = p.header()
		case isAlpha(ch):
			s := setting{section: section, sub: sub}
			s.key, s.value, s.bare = p.variable(ch)
			if section == "" && p.err == nil {
				p.err = errors.New("a variable in front of the first section")
			}
			c = append(c, s)
		default:
			p.err = fmt.Errorf("unexpected character %q", ch)
		}
		if p.err != nil {
			return nil, fmt.Errorf("bad config line %d: %w", p.line, p.err)
		}
	}
}

type configParser struct {
	text string
	pos  int
	line int
	err  error
}

// next returns the next character, with CR LF as LF; 0 at the end, and then
// pos is beyond the end.
func (p *configParser) next() byte {
	if p.pos >= len(p.text) {
		p.pos = len(p.text) + 1
		return 0
	}
	ch := p.text[p.pos]
	p.pos++
	if ch == '\r' && p.pos < len(p.text) && p.text[p.pos] == '\n' {
		p.pos++
		ch = '\n'
	}
	if ch == '\n' {
		p.line++
	}
	return ch
}

func (p *configParser) peek() byte {
	if p.pos >= len(p.text) {
		return 0
	}
	if p.text[p.pos] == '\r' && p.pos+1 < len(p.text) && p.text[p.pos+1] == '\n' {
		return '\n'
	}
	return p.text[p.pos]
}

func (p *configParser) space(lines bool) {
	for {
		switch ch := p.peek(); {
		case ch == ' ' || ch == '\t' || ch == '\v' || ch == '\f' || ch == '\r', ch == '\n' && lines:
			p.next()
		default:
			return
		}
	}
}

func (p *configParser) comment() {
	for {
		if ch := p.next(); ch == '\n' || ch == 0 && p.pos > len(p.text) {
			return
		}
	}
}

// header reads a section's header behind its '['.
func (p *configParser) header() (section, sub string) {
	var b strings.Builder
	for {
		ch := p.next()
		switch {
		case ch == ']':
			name := strings.ToLower(b.String())
			section, sub, _ = strings.Cut(name, ".") // the old form [section.sub]
			return section, sub
		case ch == ' ' || ch == '\t':
			section = strings.ToLower(b.String())
			p.space(false)
			if p.next() != '"' {
				p.err = errors.New("a subsection that is not quoted")
				return "", ""
			}
			return section, p.subsection()
		case isAlpha(ch), ch >= '0' && ch <= '9', ch == '-', ch == '.':
			b.WriteByte(ch)
		default:
			p.err = errors.New("a section header that does not end")
			return "", ""
		}
	}
}

func (p *configParser) subsection() string {
	var b strings.Builder
	for {
		ch := p.next()
		switch ch {
		case '"':
			if p.next() != ']' {
				p.err = errors.New("a section header that does not end")
			}
			return b.String()
		case '\\':
			ch = p.next()
		}
		if ch == '\n' || ch == 0 {
			p.err = errors.New("a subsection that does not end")
			return ""
		}
		b.WriteByte(ch)
	}
}

// variable reads "key = value" behind the key's first character.
func (p *configParser) variable(first byte) (key, value string, bare bool) {
	b := []byte{first}
	for ch := p.peek(); isAlpha(ch) || ch >= '0' && ch <= '9' || ch == '-'; ch = p.peek() {
		b = append(b, p.next())
	}
	key = strings.ToLower(string(b))
	p.space(false)
	switch p.peek() {
	case '\n':
		return key, "", true
	case '=':
		p.next()
		return key, p.value(), false
	case '#', ';':
		return key, "", true
	case 0:
		if p.pos >= len(p.text) {
			return key, "", true
		}
	}
	p.err = fmt.Errorf("the variable %q without a value", key)
	return "", "", false
}

func (p *configParser) value() string {
	p.space(false)
	var b []byte
	quoted := false
	trim := 0 // length up to the last character that is not trailing space
	for {
		ch := p.next()
		switch {
		case ch == '\n' || ch == 0 && p.pos > len(p.text):
			if quoted {
				p.err = errors.New("a quote that does not end")
			}
			return string(b[:trim])
		case ch == 0:
			p.err = errors.New("a NUL byte")
			return ""
		case ch == '"':
			quoted = !quoted
			trim = len(b)
			continue
		case ch == '\\':
			switch ch = p.next(); ch {
			case '\n':
				continue
			case 'n':
				ch = '\n'
			case 't':
				ch = '\t'
			case 'b':
				ch = '\b'
			case '"', '\\':
			default:
				p.err = errors.New("an unknown escape")
				return ""
			}
			b = append(b, ch)
			trim = len(b)
			continue
		case (ch == '#' || ch == ';') && !quoted:
			p.comment()
			return string(b[:trim])
		}
		b = append(b, ch)
		if quoted || ch != ' ' && ch != '\t' && ch != '\v' && ch != '\f' && ch != '\r' {
			trim = len(b)
		}
	}
}

func isAlpha(ch byte) bool { return ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z' }
