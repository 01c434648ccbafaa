package units

import (
	"bytes"
	"strings"
)

// yaml finds the keys in the first column.
func (b *builder) yaml() []entry {
	var es []entry
	n := b.lt.count()
	floor := 0
	for i := 0; i < n; i++ {
		l := b.line(i)
		if len(l) == 0 || isSpace(l[0]) || l[0] == '#' || l[0] == '-' && (len(l) == 1 || l[1] == ' ') {
			continue
		}
		if bytes.HasPrefix(l, []byte("---")) || bytes.HasPrefix(l, []byte("...")) {
			b.closeEntry(es, i)
			floor = i + 1
			continue
		}
		key, width := yamlKey(l)
		if width == 0 {
			continue
		}
		from := b.comments(i, floor, "#")
		b.closeEntry(es, from)
		at := b.lt.starts[i]
		es = append(es, entry{from: from, at: at, sigEnd: at + uint32(width), name: key})
		floor = i + 1
	}
	b.closeEntry(es, n)
	return es
}

// closeEntry ends the last entry before line i unless it has ended already.
func (b *builder) closeEntry(es []entry, i int) {
	if k := len(es) - 1; k >= 0 && es[k].to == 0 {
		es[k].to = max(i, es[k].from+1)
	}
}

// yamlKey returns the key that a line starts with and its width in bytes.
func yamlKey(l []byte) (key string, width int) {
	if l[0] == '"' || l[0] == '\'' {
		end := bytes.IndexByte(l[1:], l[0])
		if end < 0 {
			return "", 0
		}
		rest := bytes.TrimLeft(l[end+2:], " \t")
		if len(rest) == 0 || rest[0] != ':' {
			return "", 0
		}
		return string(l[1 : end+1]), end + 2
	}
	if bytes.IndexByte([]byte("{}[]&*!|>%@`,?"), l[0]) >= 0 {
		return "", 0
	}
	for i, c := range l {
		if c == ':' && (i+1 == len(l) || isSpace(l[i+1])) {
			return string(bytes.TrimSpace(l[:i])), i
		}
		if c == '#' && i > 0 && isSpace(l[i-1]) {
			break
		}
	}
	return "", 0
}

// json finds the keys of the one object that the file holds. Comments are
// passed over; more than one value, or brackets that do not match, give
// nothing.
func (b *builder) json() []entry {
	text := b.lt.text
	var es []entry
	var stack []byte
	roots := 0
	key, keyEnd, colon := -1, -1, -1 // of the key that is being read at depth 1
	finish := func(end int) {
		if key >= 0 && colon >= 0 {
			from, to := b.cur.at(uint32(key)), b.cur.at(uint32(max(end-1, key)))+1
			if k := len(es) - 1; k >= 0 && es[k].to > from {
				from = es[k].to // a line belongs to the entry that ends there
			}
			if from < to {
				es = append(es, entry{from: from, to: to, at: uint32(key), sigEnd: uint32(keyEnd), name: string(text[key+1 : keyEnd-1])})
			}
		}
		key, colon = -1, -1
	}
	last := 0 // behind the last token
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"', '\'':
			from := i
			for i++; i < len(text) && text[i] != c && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if i >= len(text) || text[i] != c {
				return nil
			}
			if len(stack) == 1 && stack[0] == '{' && key < 0 {
				key, keyEnd = from, i+1
			}
			last = i + 1
		case '/':
			if i+1 < len(text) && text[i+1] == '/' {
				for i < len(text) && text[i] != '\n' {
					i++
				}
			} else if i+1 < len(text) && text[i+1] == '*' {
				end := bytes.Index(text[i+2:], []byte("*/"))
				if end < 0 {
					return nil
				}
				i += end + 3
			}
		case '{', '[':
			if len(stack) == 0 {
				if roots++; roots > 1 {
					return nil
				}
			}
			stack = append(stack, c)
			last = i + 1
		case '}', ']':
			if len(stack) == 0 || stack[len(stack)-1] != c-2 {
				return nil
			}
			if len(stack) == 1 {
				finish(last)
			}
			stack = stack[:len(stack)-1]
			last = i + 1
		case ':':
			if len(stack) == 1 {
				colon = i
			}
		case ',':
			if len(stack) == 1 {
				finish(last)
			}
		default:
			if !isSpace(c) && c != '\n' {
				last = i + 1
			}
		}
	}
	if len(stack) > 0 {
		return nil
	}
	return es
}

// toml finds tables, and the values before the first one.
func (b *builder) toml() []entry {
	var es []entry
	n := b.lt.count()
	floor, inTable := 0, false
	for i := 0; i < n; i++ {
		l := bytes.TrimSpace(b.line(i))
		if len(l) == 0 || l[0] == '#' {
			continue
		}
		at := b.lt.starts[i] + uint32(indentBytes(b.line(i)))
		if l[0] == '[' {
			name, _, _ := bytes.Cut(bytes.TrimLeft(l, "["), []byte("]"))
			from := b.comments(i, floor, "#")
			b.closeEntry(es, from)
			es = append(es, entry{from: from, at: at, sigEnd: at + uint32(len(l)), name: string(bytes.TrimSpace(name))})
			floor, inTable = i+1, true
			continue
		}
		last := b.tomlValue(i)
		if !inTable {
			if key, _, ok := bytes.Cut(l, []byte("=")); ok {
				from := b.comments(i, floor, "#")
				key = bytes.TrimSpace(key)
				es = append(es, entry{from: from, to: last + 1, at: at, sigEnd: at + uint32(len(key)), name: string(key)})
			}
		}
		i = last
		floor = i + 1
	}
	b.closeEntry(es, n)
	return es
}

// tomlValue returns the last line of the value that starts on line i:
// brackets and multi-line strings may stay open over lines.
func (b *builder) tomlValue(i int) int {
	depth, quote := 0, ""
	for ; i < b.lt.count(); i++ {
		l := b.line(i)
	line:
		for j := 0; j < len(l); j++ {
			rest := l[j:]
			switch {
			case quote != "":
				if l[j] == '\\' && quote[0] == '"' {
					j++
				} else if bytes.HasPrefix(rest, []byte(quote)) {
					j += len(quote) - 1
					quote = ""
				}
			case bytes.HasPrefix(rest, []byte(`"""`)) || bytes.HasPrefix(rest, []byte("'''")):
				quote = string(rest[:3])
				j += 2
			case l[j] == '"' || l[j] == '\'':
				quote = string(rest[:1])
			case l[j] == '#':
				break line
			case l[j] == '[' || l[j] == '{':
				depth++
			case l[j] == ']' || l[j] == '}':
				depth--
			}
		}
		if len(quote) == 1 {
			quote = "" // such a string ends with its line
		}
		if depth <= 0 && quote == "" {
			return i
		}
	}
	return b.lt.count() - 1
}

func indentBytes(l []byte) int { return len(l) - len(bytes.TrimLeft(l, " \t")) }

// ini finds sections.
func (b *builder) ini() []entry {
	var es []entry
	n := b.lt.count()
	floor := 0
	for i := 0; i < n; i++ {
		raw := b.line(i)
		l := bytes.TrimSpace(raw)
		if len(l) < 3 || l[0] != '[' {
			continue
		}
		end := bytes.LastIndexByte(l, ']')
		if end < 2 {
			continue
		}
		from := b.comments(i, floor, "#;")
		b.closeEntry(es, from)
		at := b.lt.starts[i] + uint32(indentBytes(raw))
		es = append(es, entry{from: from, at: at, sigEnd: at + uint32(len(l)), name: string(bytes.TrimSpace(l[1:end]))})
		floor = i + 1
	}
	b.closeEntry(es, n)
	return es
}

// blocks finds what stands between a line in the first column that ends in
// "{" and the next line that starts with "}".
func (b *builder) blocks(lang string) []entry {
	var es []entry
	n := b.lt.count()
	floor := 0
	for i := 0; i < n; i++ {
		l := bytes.TrimRight(b.line(i), " \t")
		if len(l) < 2 || !isWord(l[0]) || l[len(l)-1] != '{' {
			continue
		}
		end := i + 1
		for heredoc := ""; end < n; end++ {
			m := b.line(end)
			switch {
			case heredoc != "":
				if string(bytes.TrimSpace(m)) == heredoc {
					heredoc = ""
				}
				continue
			case lang == "hcl":
				if k := bytes.Index(m, []byte("<<")); k >= 0 {
					if id := bytes.TrimSpace(bytes.TrimPrefix(m[k+2:], []byte("-"))); len(id) > 0 && isWord(id[0]) {
						heredoc = string(id)
						continue
					}
				}
			}
			if len(m) > 0 && m[0] == '}' {
				break
			}
		}
		if end == n {
			return es // never closed: the rest is lines
		}
		head := strings.TrimSpace(string(l[:len(l)-1]))
		from := b.comments(i, floor, "#/*")
		at := b.lt.starts[i]
		es = append(es, entry{from: from, to: end + 1, at: at, sigEnd: at + uint32(len(head)), name: blockName(lang, head)})
		i = end
		floor = end + 1
	}
	return es
}

// blockName returns `resource.aws_instance.web` for the head
// `resource "aws_instance" "web"`, and `Order` for `message Order`.
func blockName(lang, head string) string {
	words := strings.FieldsFunc(head, func(r rune) bool { return r == ' ' || r == '\t' || r == '"' || r == '=' })
	if lang == "hcl" {
		return strings.Join(words, ".")
	}
	if len(words) > 1 {
		return strings.TrimRight(words[1], "(:")
	}
	return words[0]
}

// rules finds the targets of a makefile.
func (b *builder) rules() []entry {
	var es []entry
	n := b.lt.count()
	floor := 0
	for i := 0; i < n; i++ {
		l := b.line(i)
		if len(l) == 0 || !isWord(l[0]) && l[0] != '.' && l[0] != '$' && l[0] != '_' {
			continue
		}
		colon := bytes.IndexByte(l, ':')
		if colon <= 0 || colon+1 < len(l) && l[colon+1] == '=' || bytes.IndexByte(l[:colon], '=') >= 0 {
			continue
		}
		end := i + 1
		for end < n {
			m := b.line(end)
			if len(bytes.TrimSpace(m)) > 0 && !isSpace(m[0]) && !bytes.HasSuffix(b.line(end-1), []byte(`\`)) {
				break
			}
			end++
		}
		from := b.comments(i, floor, "#")
		at := b.lt.starts[i]
		es = append(es, entry{from: from, to: end, at: at, sigEnd: at + uint32(len(l)), name: string(bytes.TrimSpace(l[:colon]))})
		i = end - 1
		floor = end
	}
	return es
}
