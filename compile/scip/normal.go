package scip

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

const localPrefix = "local "

// IsLocal reports whether a symbol is one of its document alone.
func IsLocal(symbol string) bool { return strings.HasPrefix(symbol, localPrefix) }

// splitSymbol cuts a global symbol in front of its package's version and
// behind it. ok is false for a local symbol and for what is no symbol.
func splitSymbol(s string) (head, version, rest string, ok bool) {
	if IsLocal(s) {
		return "", "", "", false
	}
	at := 0
	for field := range 4 {
		if field == 3 {
			head = s[:at]
		}
		start := at
		for {
			i := strings.IndexByte(s[at:], ' ')
			if i < 0 {
				return "", "", "", false
			}
			at += i
			if at+1 < len(s) && s[at+1] == ' ' { // a blank inside is written twice
				at += 2
				continue
			}
			break
		}
		if field == 3 {
			version = s[start:at]
		}
		at++
	}
	return head, version, s[at-1:], true
}

// unversioned returns a symbol of one of the project's own packages without
// the version, and any other as it is.
func unversioned(s string, own map[string]bool) string {
	head, version, rest, ok := splitSymbol(s)
	if !ok || version == "." || !own[head] {
		return s
	}
	return head + "." + rest
}

// normalise takes the versions of the project's own packages out of a
// document's symbols and numbers its local ones by their first mention, so
// that neither a release nor another file's locals change it.
func (d *Document) normalise(own map[string]bool) {
	for i, s := range d.Symbols {
		d.Symbols[i] = unversioned(s, own)
	}
	first := make([]int, len(d.Symbols)) // 1 + number of the first occurrence
	for i, o := range d.Occurrences {
		if first[o.Symbol] == 0 {
			first[o.Symbol] = i + 1
		}
	}
	var locals []int
	for i, s := range d.Symbols {
		if IsLocal(s) {
			if first[i] == 0 {
				first[i] = len(d.Occurrences) + 1
			}
			locals = append(locals, i)
		}
	}
	slices.SortFunc(locals, func(a, b int) int {
		// Shorter names first, so that numbers keep their order.
		return cmp.Or(cmp.Compare(first[a], first[b]), cmp.Compare(len(d.Symbols[a]), len(d.Symbols[b])), cmp.Compare(d.Symbols[a], d.Symbols[b]))
	})
	for n, i := range locals {
		d.Symbols[i] = localPrefix + strconv.Itoa(n)
	}
	d.settle()
}

// descriptorOf returns the name and the suffix of the last descriptor of a
// global symbol: '/' namespace, '#' type, '.' term, '(' method, '!' macro,
// ':' meta, ']' type parameter, ')' parameter; 0 where there is none.
func descriptorOf(symbol string) (name string, suffix byte) {
	_, _, rest, ok := splitSymbol(symbol)
	if !ok {
		return "", 0
	}
	rest = strings.TrimPrefix(rest, " ")
	for rest != "" {
		open := byte(0)
		if rest[0] == '[' || rest[0] == '(' {
			open = rest[0]
			rest = rest[1:]
		}
		var n string
		if n, rest, ok = identifier(rest); !ok || rest == "" {
			return "", 0
		}
		name, suffix = n, rest[0]
		rest = rest[1:]
		switch {
		case open == '[' && suffix == ']', open == '(' && suffix == ')':
		case open != 0:
			return "", 0
		case suffix == '(':
			i := strings.Index(rest, ").")
			if i < 0 {
				return "", 0
			}
			rest = rest[i+2:]
		case strings.IndexByte("/#.!:", suffix) < 0:
			return "", 0
		}
	}
	return name, suffix
}

// identifier cuts one identifier off: a plain one, or one between backticks in
// which a backtick is written twice.
func identifier(s string) (name, rest string, ok bool) {
	if !strings.HasPrefix(s, "`") {
		i := 0
		for i < len(s) && (s[i] == '_' || s[i] == '+' || s[i] == '-' || s[i] == '$' ||
			'0' <= s[i] && s[i] <= '9' || 'a' <= s[i] && s[i] <= 'z' || 'A' <= s[i] && s[i] <= 'Z' || s[i] >= 0x80) {
			i++
		}
		return s[:i], s[i:], i > 0
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != '`' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '`' {
			b.WriteByte('`')
			i++
			continue
		}
		return b.String(), s[i+1:], true
	}
	return "", "", false
}

// symbolNames remembers the names of symbols.
type symbolNames struct{ known map[string]string }

// name returns what the text of an occurrence is expected to hold, "" where
// nothing is: local symbols, modules, and names that compilers make up.
func (n *symbolNames) name(symbol string) string {
	if s, ok := n.known[symbol]; ok {
		return s
	}
	name, suffix := descriptorOf(symbol)
	if suffix == '/' || suffix == 0 || suffix == ':' || strings.ContainsAny(name, "<>`. /$@") || strings.HasPrefix(name, "__") {
		name = ""
	}
	if n.known == nil || len(n.known) > 1<<16 {
		n.known = map[string]string{}
	}
	n.known[strings.Clone(symbol)] = name
	return name
}
