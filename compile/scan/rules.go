package scan

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// isName reports whether c can be inside a name.
func (t *table) isName(c byte) bool {
	return t.nameSet[c]
}

// word returns the end of the name at i; i when there is none.
func (s *scanner) word(i int) int {
	code := s.code
	if i >= len(code) || !s.table.nameSet[code[i]] || isDigit(code[i]) {
		return i
	}
	j := i
	for j < len(code) && s.table.nameSet[code[j]] {
		j++
	}
	if len(s.table.nameTail) == 0 && len(s.table.nameBytes) == 0 || s.table.keepEnds {
		return j
	}
	// A dot or dash at the end is punctuation.
	for j > i && (code[j-1] == '.' || code[j-1] == '-' || code[j-1] == ':') {
		j--
	}
	for j < len(code) && strings.IndexByte(s.table.nameTail, code[j]) >= 0 && (j+1 == len(code) || code[j+1] != '=' || code[j] == '\'') {
		j++
	}
	return j
}

// key returns a word as the tables have it.
func (s *scanner) key(from, to int) string {
	if s.table.fold {
		return string(bytes.ToLower(s.code[from:to]))
	}
	return string(s.code[from:to])
}

// listed reports whether a word is in a set.
func (s *scanner) listed(set map[string]bool, from, to int) bool {
	if from >= to || to-from > maxName {
		return false
	}
	if s.table.fold {
		return set[s.key(from, to)]
	}
	return set[string(s.code[from:to])]
}

// ruleAt returns the rule that a word begins.
func (s *scanner) ruleAt(from, to int) (rule, bool) {
	if from >= to || to-from > maxName {
		return rule{}, false
	}
	if s.table.fold {
		r, ok := s.table.rules[s.key(from, to)]
		return r, ok
	}
	r, ok := s.table.rules[string(s.code[from:to])]
	return r, ok
}

// skip returns the next place that is no white space in a line.
func (s *scanner) skip(i int) int {
	for i < len(s.code) && isBlank(s.code[i]) {
		i++
	}
	return i
}

// skipLines is skip over line ends too.
func (s *scanner) skipLines(i int) int {
	for i < len(s.code) && isSpace(s.code[i]) {
		i++
	}
	return i
}

// pair returns where the bracket that opens at i closes, behind it, within
// maxAhead; i when it does not.
func (s *scanner) pair(i int) int {
	depth := 0
	for j := i; j < len(s.code) && j-i < maxAhead && s.looks < s.maxLooks; j++ {
		s.looks++
		switch s.code[j] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return j + 1
			}
		}
	}
	return i
}

// angle is pair for "<": operators and line ends in it mean that it is none.
func (s *scanner) angle(i int) int {
	depth := 0
	for j := i; j < len(s.code) && j-i < maxAhead && s.looks < s.maxLooks; j++ {
		s.looks++
		switch c := s.code[j]; c {
		case '<':
			depth++
		case '>':
			if j > 0 && (s.code[j-1] == '-' || s.code[j-1] == '=') {
				continue
			}
			if depth--; depth == 0 {
				return j + 1
			}
		case ';', '{', '}':
			return i
		}
	}
	return i
}

// prefix skips attributes and modifiers. It returns where the word that may
// declare begins.
func (s *scanner) prefix(at int) int {
	t := s.table
	i := at
	for i < len(s.code) && i-at < maxAhead {
		if t.attribute != "" && hasPrefix(s.code[i:], t.attribute) {
			if t.attribute[len(t.attribute)-1] == '[' || len(t.attribute) > 1 {
				end := s.pair(i + strings.IndexByte(t.attribute, '['))
				if end <= i+1 {
					return i
				}
				i = s.skipLines(end)
				continue
			}
			j := s.word(i + 1)
			if j == i+1 {
				return i
			}
			if _, declares := s.ruleAt(i, j); declares {
				return i
			}
			for j < len(s.code) && s.code[j] == '.' {
				j = s.word(j + 1)
			}
			if k := s.skip(j); k < len(s.code) && s.code[k] == '(' && k == j {
				end := s.pair(k)
				if end == k {
					return i
				}
				j = end
			}
			i = s.skipLines(j)
			continue
		}
		j := s.word(i)
		if t.attribute == "@" && j > i && hasPrefix(s.code[j:], ".@") {
			i = j + 1 // Base.@kwdef
			continue
		}
		if j == i || !s.listed(s.table.isModifier, i, j) {
			return i
		}
		if r, ok := s.ruleAt(i, j); ok {
			// A word that is both, such as Swift's class, declares where no
			// other declaring word follows.
			k := s.skip(j)
			e := s.word(k)
			if _, more := s.ruleAt(k, e); !more || r.only != "" {
				return i
			}
		}
		if j < len(s.code) && s.code[j] == '(' {
			end := s.pair(j)
			if end == j {
				return i
			}
			j = end
		}
		next := s.skipLines(j)
		if next == j && next < len(s.code) && s.code[next] != '@' {
			return i
		}
		i = next
	}
	return i
}

// found is a declaration's head.
type found struct {
	rule            rule
	word            span // the declaring word
	nameAt, nameEnd int
	name            string // when it is not what stands there
	more            []span // further names
	after           int    // where the head goes on
}

// match reports whether a declaration begins at the statement at. inside is
// the kind of the declaration around it.
func (s *scanner) match(at int) (f found, ok bool) {
	i := s.prefix(at)
	j := s.word(i)
	if j == i {
		return f, false
	}
	r, ok := s.ruleAt(i, j)
	if !ok {
		return f, false
	}
	f = found{rule: r, word: span{i, j}}
	k := s.skip(j)
	if r.only != "" {
		e := s.word(k)
		if !slices.Contains(strings.Fields(r.only), s.key(k, e)) {
			return f, false
		}
		f.word.end = e
		k = s.skip(e)
	}
	if r.not != "" && k < len(s.code) && strings.IndexByte(r.not, s.code[k]) >= 0 {
		return f, false
	}
	switch r.name {
	case itself:
		f.nameAt, f.nameEnd, f.after = f.word.start, f.word.end, f.word.end
		return f, true
	case quoted:
		if k >= len(s.src) || s.code[k] != stringByte {
			return f, false
		}
		e := k
		for e < len(s.code) && s.code[e] == stringByte {
			e++
		}
		if e-k < 3 {
			return f, false
		}
		f.nameAt, f.nameEnd, f.after = k+1, e-1, e
		return f, true
	case afterColons:
		if n := bytes.Index(s.code[k:k+lineLen(s.code[k:])], []byte("::")); n >= 0 {
			k = s.skip(k + n + 2)
		} else if k < len(s.code) && s.code[k] == '(' {
			k = s.skip(s.pair(k))
		}
	case param:
		if k >= len(s.code) || s.code[k] != '(' {
			return f, false
		}
		k = s.skip(k + 1)
	case operator:
		if hasPrefix(s.code[k:], "self.") {
			k += len("self.")
		}
		if e := s.operator(k); e > k {
			f.nameAt, f.nameEnd, f.after = k, e, e
			if s.code[k] == '(' {
				f.nameAt, f.nameEnd = s.skip(k+1), e-1
				for f.nameEnd > f.nameAt && isBlank(s.code[f.nameEnd-1]) {
					f.nameEnd--
				}
			}
			return f, f.nameAt < f.nameEnd
		}
	}
	if k < len(s.code) && s.code[k] == '`' {
		e := bytes.IndexByte(s.code[k+1:min(len(s.code), k+1+maxName)], '`')
		if e < 1 {
			return f, false
		}
		f.nameAt, f.nameEnd, f.after = k+1, k+1+e, k+2+e
		return f, true
	}
	if (r.kind == artifact.KindType || r.kind == artifact.KindClass) && s.table.style == byIndent {
		k = s.typeParameters(k)
	}
	// Words in front of a name, as in "let rec".
	e := s.word(k)
	for e > k && s.listed(s.table.isModifier, k, e) && s.skip(e) > e {
		k = s.skip(e)
		if r.kind == artifact.KindType && s.table.style == byIndent {
			k = s.typeParameters(k)
		}
		e = s.word(k)
	}
	if e == k {
		return f, false
	}
	switch r.name {
	case dotted, receiver:
		last := k
		for e+1 < len(s.code) {
			sep := 0
			switch {
			case s.code[e] == '.':
				sep = 1
			case hasPrefix(s.code[e:], "::"):
				sep = 2
			}
			n := s.word(e + sep)
			if sep == 0 || n == e+sep {
				break
			}
			if r.name == receiver {
				last = e + sep // this.Name
			}
			e = n
		}
		f.nameAt, f.nameEnd, f.after = last, e, e
		return f, true
	case list:
		f.nameAt, f.nameEnd, f.after = k, e, e
		for n := 0; n < 64; n++ {
			i := s.skip(e)
			if i < len(s.code) && s.code[i] == '(' {
				p := s.pair(i)
				if p == i {
					break
				}
				i = s.skip(p)
			}
			if i < len(s.code) && s.code[i] == '=' {
				for i < len(s.code) && s.code[i] != ',' && s.code[i] != '\n' && s.code[i] != ';' && s.code[i] != '}' {
					i++
				}
			}
			if i >= len(s.code) || s.code[i] != ',' {
				break
			}
			k = s.skipLines(i + 1)
			if e = s.word(k); e == k {
				break
			}
			f.more = append(f.more, span{k, e})
			f.after = e
		}
		return f, true
	}
	if s.listed(s.table.isKeyword, k, e) && !s.listed(s.table.isModifier, k, e) {
		return f, false
	}
	f.nameAt, f.nameEnd, f.after = k, e, e
	return f, true
}

// typeParameters skips the parameters in front of a type's name: "'a", "+'a",
// "('a, 'b)".
func (s *scanner) typeParameters(k int) int {
	for k < len(s.code) {
		switch c := s.code[k]; {
		case c == '(':
			e := s.pair(k)
			if e == k {
				return k
			}
			k = s.skip(e)
		case c == '\'':
			k = s.skip(max(s.word(k+1), k+1))
		case (c == '+' || c == '-' || c == '!') && k+1 < len(s.code) && (s.code[k+1] == '\'' || s.code[k+1] == '!' || s.code[k+1] == '+'):
			k++
		default:
			return k
		}
	}
	return k
}

// operator returns the end of an operator's name at i, which may stand in
// parentheses; i when there is none.
func (s *scanner) operator(i int) int {
	const signs = "=<>!+-*/%&|^~?$@.:#\\"
	j := i
	if j < len(s.code) && s.code[j] == '(' {
		j = s.skip(j + 1)
		k := j
		for k < len(s.code) && (strings.IndexByte(signs, s.code[k]) >= 0 || s.code[k] == '[' || s.code[k] == ']') {
			k++
		}
		e := s.skip(k)
		if k > j && e < len(s.code) && s.code[e] == ')' {
			return e + 1
		}
		return i
	}
	for j < len(s.code) && (strings.IndexByte(signs, s.code[j]) >= 0 || j > i && (s.code[j] == '[' || s.code[j] == ']')) {
		j++
	}
	if j == i && hasPrefix(s.code[i:], "[]") {
		j += 2
		for j < len(s.code) && s.code[j] == '=' {
			j++
		}
	}
	return j
}

// add makes a declaration of a head. The kind depends on what is around it.
func (s *scanner) add(f *found, parent int32, start, end int) int32 {
	r := &f.rule
	kind := r.kind
	up := s.kind(parent)
	if r.member != artifact.KindUnknown && (up.Container() && up != artifact.KindModule && up != artifact.KindNamespace) {
		kind = r.member
	}
	if r.fn && s.takesArguments(f) {
		kind = r.fnKind
	}
	if s.inCallable(parent) && !r.nested && !callable(kind) && !kind.Container() {
		return none
	}
	name := f.name
	if name == "" {
		name = s.intern(s.src[f.nameAt:f.nameEnd])
	}
	d := s.declareNamed(kind, parent, start, f.nameAt, name, end)
	if d < 0 {
		return d
	}
	s.decls[d].Flags |= r.flags
	if s.inCallable(parent) {
		s.decls[d].Flags |= artifact.SymbolLocal
	}
	for _, m := range f.more {
		x := s.declare(kind, parent, m.start, m.start, m.end, m.end)
		if x >= 0 {
			s.decls[x].Flags |= r.flags
		}
	}
	return d
}

// takesArguments reports whether something stands between a name and its "=",
// or a function behind it: "let f x =", "let f = fun".
func (s *scanner) takesArguments(f *found) bool {
	i := s.skip(f.after)
	if i >= len(s.code) {
		return false
	}
	switch c := s.code[i]; {
	case c == '=':
		i = s.skipLines(i + 1)
		w := s.key(i, s.word(i))
		return w == "fun" || w == "function"
	case c == ':':
		// A type with an arrow in it: "val f : int -> int".
		return bytes.Contains(s.code[i:min(len(s.code), i+lineLen(s.code[i:]))], []byte("->"))
	case c == ',' || c == '\n':
		return false
	}
	return true
}
