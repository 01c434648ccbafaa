package units

import (
	"bytes"
	"unicode/utf8"
)

// markdown finds ATX and setext headings outside fenced code, comments and
// front matter.
func (b *builder) markdown() []heading {
	var hs []heading
	n := b.lt.count()
	i := b.frontMatter()
	b.code(0, i)
	plain := false // the line before is one line of plain text, alone so far
	for ; i < n; i++ {
		l := b.line(i)
		t := bytes.TrimLeft(l, " \t")
		in := len(l) - len(t)
		wasPlain := plain
		plain = false
		if fence, count := fenceOf(t); count > 0 {
			from := i
			for i++; i < n; i++ {
				c := bytes.TrimSpace(b.line(i))
				if f, k := fenceOf(c); f == fence && k >= count && k == len(c) {
					break
				}
			}
			i = min(i, n-1)
			b.code(from, i+1)
			continue
		}
		if bytes.HasPrefix(t, []byte("<!--")) {
			for !bytes.Contains(b.line(i), []byte("-->")) && i+1 < n {
				i++
			}
			continue
		}
		if in > 3 || len(t) == 0 {
			continue
		}
		if t[0] == '#' {
			level := len(t) - len(bytes.TrimLeft(t, "#"))
			if level <= 6 && (len(t) == level || t[level] == ' ' || t[level] == '\t') {
				hs = append(hs, heading{i, i + 1, level, atxText(t[level:])})
			}
			continue
		}
		if (t[0] == '=' || t[0] == '-') && only(t, t[0]) && wasPlain {
			level := 1
			if t[0] == '-' {
				level = 2
			}
			hs = append(hs, heading{i - 1, i + 1, level, string(bytes.TrimSpace(b.line(i - 1)))})
			continue
		}
		before := i == 0 || len(bytes.TrimSpace(b.line(i-1))) == 0 || len(hs) > 0 && hs[len(hs)-1].body == i
		plain = before && bytes.IndexByte([]byte(">|-*+#<="), t[0]) < 0
	}
	return hs
}

// frontMatter returns the line behind a leading block between "---" lines.
func (b *builder) frontMatter() int {
	n := b.lt.count()
	if n == 0 || string(bytes.TrimSpace(b.line(0))) != "---" {
		return 0
	}
	for i := 1; i < min(n, 400); i++ {
		if l := string(bytes.TrimSpace(b.line(i))); l == "---" || l == "..." {
			return i + 1
		}
	}
	return 0
}

// fenceOf returns the fence character that t starts with and how often.
func fenceOf(t []byte) (byte, int) {
	if len(t) < 3 || t[0] != '`' && t[0] != '~' {
		return 0, 0
	}
	n := len(t) - len(bytes.TrimLeft(t, string(t[:1])))
	if n < 3 || t[0] == '`' && bytes.IndexByte(t[n:], '`') >= 0 {
		return 0, 0
	}
	return t[0], n
}

// atxText returns a heading's words without closing marks and attributes.
func atxText(t []byte) string {
	t = bytes.TrimSpace(t)
	if i := bytes.LastIndex(t, []byte("{#")); i > 0 && t[len(t)-1] == '}' {
		t = bytes.TrimSpace(t[:i])
	}
	if s := bytes.TrimRight(t, "#"); len(s) == 0 || s[len(s)-1] == ' ' || s[len(s)-1] == '\t' {
		t = bytes.TrimSpace(s)
	}
	return string(t)
}

// only reports whether a line is one character repeated.
func only(t []byte, c byte) bool {
	t = bytes.TrimRight(t, " \t")
	for _, x := range t {
		if x != c {
			return false
		}
	}
	return len(t) > 0
}

// adornment returns the punctuation that a line repeats, 0 for others.
func adornment(l []byte) byte {
	l = bytes.TrimRight(l, " \t")
	if len(l) < 3 || isWord(l[0]) || isSpace(l[0]) || l[0] < '!' || !only(l, l[0]) {
		return 0
	}
	return l[0]
}

// rst finds titles: a line over, or between, lines of punctuation. Levels
// follow the order in which the styles first appear.
func (b *builder) rst() []heading {
	var hs []heading
	type style struct {
		c    byte
		over bool
	}
	var styles []style
	n := b.lt.count()
	blankAt := func(i int) bool { return i < 0 || len(bytes.TrimSpace(b.line(i))) == 0 }
	for i := 1; i < n; i++ {
		if end, ok := b.rstLiteral(i - 1); ok {
			b.code(i, end)
			i = max(i, end)
			continue
		}
		c := adornment(b.line(i))
		if c == 0 || blankAt(i-1) {
			continue
		}
		title := bytes.TrimRight(b.line(i-1), " \t")
		width := utf8.RuneCount(bytes.TrimSpace(title))
		if long := len(bytes.TrimSpace(b.line(i))); adornment(title) != 0 || long < 4 && long < width {
			continue
		}
		s, from := style{c: c}, i-1
		if i >= 2 && adornment(b.line(i-2)) == c && blankAt(i-3) {
			s.over, from = true, i-2
		} else if !blankAt(i-2) || isSpace(title[0]) {
			continue
		}
		level := 0
		for level < len(styles) && styles[level] != s {
			level++
		}
		if level == len(styles) {
			styles = append(styles, s)
		}
		hs = append(hs, heading{from, i + 1, level, string(bytes.TrimSpace(title))})
	}
	return hs
}

// rstLiteral reports whether line i opens a literal block or code directive,
// and the line behind it.
func (b *builder) rstLiteral(i int) (end int, ok bool) {
	l := bytes.TrimRight(b.line(i), " \t")
	in := indent(l)
	t := bytes.TrimSpace(l)
	if d, isDirective := bytes.CutPrefix(t, []byte(".. ")); isDirective {
		name, _, found := bytes.Cut(d, []byte("::"))
		if !found {
			return 0, false
		}
		switch string(name) {
		case "code-block", "code", "sourcecode", "parsed-literal", "testcode", "testsetup", "testoutput", "doctest", "math", "console", "highlight":
		default:
			return 0, false
		}
	} else if !bytes.HasSuffix(t, []byte("::")) {
		return 0, false
	}
	end = i + 1
	for j := i + 1; j < b.lt.count(); j++ {
		m := b.line(j)
		if len(bytes.TrimSpace(m)) == 0 {
			continue
		}
		if indent(m) <= in {
			break
		}
		end = j + 1
	}
	return end, end > i+1
}

// asciidoc finds "== Title" outside delimited blocks.
func (b *builder) asciidoc() []heading {
	var hs []heading
	n := b.lt.count()
	for i := 0; i < n; i++ {
		l := bytes.TrimRight(b.line(i), " \t")
		if len(l) >= 4 && (only(l, '-') || only(l, '.') || only(l, '/')) {
			from := i
			for i++; i < n && !bytes.Equal(bytes.TrimRight(b.line(i), " \t"), l); i++ {
			}
			i = min(i, n-1)
			b.code(from, i+1)
			continue
		}
		level := len(l) - len(bytes.TrimLeft(l, "="))
		if level > 0 && level <= 6 && len(l) > level && l[level] == ' ' {
			hs = append(hs, heading{i, i + 1, level, string(bytes.TrimSpace(l[level:]))})
		}
	}
	return hs
}

// org finds "* Title" outside blocks.
func (b *builder) org() []heading {
	var hs []heading
	n := b.lt.count()
	for i := 0; i < n; i++ {
		l := b.line(i)
		if t := bytes.ToLower(bytes.TrimSpace(l)); bytes.HasPrefix(t, []byte("#+begin_src")) || bytes.HasPrefix(t, []byte("#+begin_example")) {
			from := i
			for i++; i < n && !bytes.HasPrefix(bytes.ToLower(bytes.TrimSpace(b.line(i))), []byte("#+end_")); i++ {
			}
			i = min(i, n-1)
			b.code(from, i+1)
			continue
		}
		level := len(l) - len(bytes.TrimLeft(l, "*"))
		if level > 0 && len(l) > level && l[level] == ' ' {
			hs = append(hs, heading{i, i + 1, level, string(bytes.TrimSpace(l[level:]))})
		}
	}
	return hs
}
