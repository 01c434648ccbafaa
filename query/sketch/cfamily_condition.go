package sketch

import (
	"strconv"
	"strings"
)

// truth is what a condition of the preprocessor comes to, as far as it can be
// told: for a Unix system and a compiler like GCC, and with nothing defined
// that the file does not define.
type truth uint8

const (
	perhaps truth = iota
	never
	always
)

func noteMacro(known map[string]string, rest []byte) {
	s := strings.TrimSpace(string(rest))
	i := 0
	for i < len(s) && (letter(s[i]) || digit(s[i])) {
		i++
	}
	if i == 0 {
		return
	}
	value := strings.TrimSpace(s[i:])
	if strings.HasPrefix(value, "(") && i < len(s) && s[i] == '(' {
		value = "?"
	}
	known[s[:i]] = value
}

// predefined says what the compiler itself defines.
func predefined(name string, cpp bool) truth {
	switch name {
	case "__GNUC__", "__clang__", "__unix__", "__linux__", "__linux", "linux", "__x86_64__", "__STDC__", "__STDC_VERSION__", "__LP64__", "__SIZEOF_POINTER__", "unix", "__unix", "__ELF__":
		return always
	case "__cplusplus":
		if cpp {
			return always
		}
		return never
	case "_WIN32", "_WIN64", "WIN32", "__WIN32__", "_MSC_VER", "__APPLE__", "__MINGW32__", "__CYGWIN__", "__FreeBSD__", "__OpenBSD__", "__NetBSD__", "__sun", "__hpux", "_AIX", "__BORLANDC__", "__INTEL_COMPILER", "__ANDROID__", "__TINYC__":
		return never
	}
	return perhaps
}

func (r *cReader) isDefined(name string, known map[string]string) truth {
	if _, ok := known[name]; ok {
		return always
	}
	if t := predefined(name, r.cpp); t != perhaps {
		return t
	}
	return perhaps
}

// holds evaluates a directive's condition. What nothing defines is rather not
// defined.
func (r *cReader) holds(name string, rest []byte, known map[string]string) truth {
	word := strings.TrimSpace(string(rest))
	switch name {
	case "ifdef", "ifndef":
		i := 0
		for i < len(word) && (letter(word[i]) || digit(word[i])) {
			i++
		}
		t := r.isDefined(word[:i], known)
		switch {
		case name == "ifdef" && t == perhaps:
			return never
		case name == "ifdef":
			return t
		case t == always:
			return never
		}
		return always
	}
	ts := scan(r.f.Lang, rest, nil)
	e := &condition{r: r, text: rest, t: ts, known: known}
	v, ok := e.or()
	switch {
	case !ok || e.t[e.p].k != tEOF:
		return perhaps
	case v != 0:
		return always
	}
	return never
}

// condition evaluates an expression of the preprocessor.
type condition struct {
	r     *cReader
	text  []byte
	t     []token
	p     int
	depth int
	known map[string]string
}

func (c *condition) k() uint8 { return c.t[c.p].k }

func (c *condition) or() (int64, bool) {
	v, ok := c.and()
	for c.k() == tOrOr {
		c.p++
		w, ok2 := c.and()
		switch {
		case ok && v != 0 || ok2 && w != 0:
			v, ok = 1, true
		default:
			v, ok = 0, ok && ok2
		}
	}
	return v, ok
}

func (c *condition) and() (int64, bool) {
	v, ok := c.compare()
	for c.k() == tAndAnd {
		c.p++
		w, ok2 := c.compare()
		switch {
		case ok && v == 0 || ok2 && w == 0:
			v, ok = 0, true
		default:
			v, ok = 1, ok && ok2
		}
	}
	return v, ok
}

func (c *condition) compare() (int64, bool) {
	v, ok := c.unary()
	for {
		op := string(c.text[c.t[c.p].at:c.t[c.p].end])
		switch c.k() {
		case tCompare, '<', '>':
			c.p++
			if op == ">" && c.k() == '=' {
				op = ">="
				c.p++
			}
		default:
			return v, ok
		}
		w, ok2 := c.unary()
		ok = ok && ok2
		yes := false
		switch op {
		case "==":
			yes = v == w
		case "!=":
			yes = v != w
		case "<":
			yes = v < w
		case ">":
			yes = v > w
		case "<=":
			yes = v <= w
		case ">=":
			yes = v >= w
		}
		v = 0
		if yes {
			v = 1
		}
	}
}

func (c *condition) unary() (int64, bool) {
	if c.depth++; c.depth > 200 {
		return 0, false
	}
	t := c.t[c.p]
	switch t.k {
	case '!':
		c.p++
		v, ok := c.unary()
		if v == 0 {
			return 1, ok
		}
		return 0, ok
	case '(':
		c.p++
		v, ok := c.or()
		if c.k() == ')' {
			c.p++
		}
		return v, ok
	case tInt:
		c.p++
		return number(string(c.text[t.at:t.end]))
	case tIdent:
		c.p++
		name := string(c.text[t.at:t.end])
		if name == "defined" {
			paren := c.k() == '('
			if paren {
				c.p++
			}
			arg := c.t[c.p]
			if arg.k == tIdent {
				c.p++
			}
			if paren && c.k() == ')' {
				c.p++
			}
			if c.r.isDefined(string(c.text[arg.at:arg.end]), c.known) == always {
				return 1, true
			}
			return 0, true
		}
		if c.k() == '(' {
			for depth := 0; c.k() != tEOF; c.p++ {
				if c.k() == '(' {
					depth++
				} else if c.k() == ')' {
					if depth--; depth == 0 {
						c.p++
						break
					}
				}
			}
			return 0, false
		}
		return c.value(name, 0)
	}
	return 0, false
}

func (c *condition) value(name string, depth int) (int64, bool) {
	v, ok := c.known[name]
	switch {
	case !ok && predefined(name, c.r.cpp) == always:
		return 1 << 30, true
	case !ok:
		return 0, predefined(name, c.r.cpp) == never
	case depth > 8:
		return 0, false
	}
	v = strings.Trim(v, "() \t")
	if i := strings.Index(v, "/*"); i >= 0 {
		v = strings.TrimSpace(v[:i])
	}
	if n, ok := number(v); ok {
		return n, true
	}
	if _, ok := c.known[v]; ok {
		return c.value(v, depth+1)
	}
	return 0, false
}

func number(s string) (int64, bool) {
	s = strings.TrimRight(s, "uUlL")
	n, err := strconv.ParseInt(s, 0, 64)
	return n, err == nil
}
