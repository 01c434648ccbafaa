package scan

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// readEnds walks a language whose blocks an end word closes. Every word that
// opens such a block counts, so that each end finds its own.
func readEnds(s *scanner) {
	t := s.table
	s.start(&t.lexis)
	if t.stringDocs {
		s.stringLeads()
	}
	code := s.code
	var blocks []openBlock // decl and around
	var brackets []byte
	pending, pendingAt := none, 0 // a declaration whose opener has not come
	fresh := true
	around := func() int32 {
		if n := len(blocks); n > 0 {
			return blocks[n-1].around
		}
		return none
	}
	settle := func(end int) { // a declaration without a block
		if pending >= 0 {
			s.close(pending, end)
			if d := &s.decls[pending]; d.SigEnd <= d.NameAt+uint32(len(d.Name)) {
				d.SigEnd = d.End
			}
			pending = none
		}
	}
	for i := 0; i < len(code); {
		c := code[i]
		switch {
		case c == '\n' || c == ';':
			if len(brackets) == 0 && pending >= 0 && !s.goesOn(i) {
				settle(i)
			}
			fresh = true
			i++
			continue
		case isBlank(c):
			i++
			continue
		case c == '(' || c == '[' || c == '{':
			brackets = append(brackets, c)
			if c == '{' && i+1 < len(code) && code[i+1] == '%' {
				i++
			}
			i++
			fresh = c == '(' || c == '{'
			continue
		case c == ')' || c == ']' || c == '}':
			if len(brackets) > 0 {
				brackets = brackets[:len(brackets)-1]
			}
			i++
			fresh = false
			continue
		}
		if t.resync && (i == 0 || code[i-1] == '\n') && len(blocks) > 0 {
			if r, ok := s.ruleAt(i, s.word(i)); ok && !r.nested && (r.kind.Container() || callable(r.kind)) {
				// A block was opened that nothing closed.
				for len(blocks) > 0 {
					s.close(blocks[len(blocks)-1].decl, i)
					blocks = blocks[:len(blocks)-1]
				}
				brackets, pending = brackets[:0], none
			}
		}
		e := s.word(i)
		if e == i {
			fresh = c == '=' || c == '|'
			if c == ':' {
				// The name behind it is no keyword: ":end".
				if n := s.word(i + 1); n > i+1 {
					i = n
					continue
				}
			}
			if c == '@' && len(t.leadWords) > 0 && s.startsLine(i) {
				n := s.word(i + 1)
				word := s.key(i+1, n)
				if k, ok := t.attributes[word]; ok {
					from := s.skip(n)
					if e := s.word(from); e > from {
						s.declare(k, around(), i, from, e, s.statementEnd(e))
					}
				}
				if slices.Contains(t.leadWords, word) {
					s.leads = append(s.leads, span{i, s.statementEnd(n)})
				}
			}
			if c == '@' {
				fresh = true
			}
			i++
			continue
		}
		word := s.key(i, e)
		if e < len(code) && code[e] == ':' && (e+1 == len(code) || code[e+1] != ':') && !t.fold && t.nameTail != "" {
			// A key, such as "do:" or "end:".
			if word == "do" && pending >= 0 {
				// The value is the body.
				end := s.statementEnd(e)
				s.signature(pending, i)
				s.close(pending, end)
				pending = none
				i = e
				continue
			}
			i, fresh = e+1, true
			continue
		}
		if i > 0 && (code[i-1] == '.' || code[i-1] == ':' && t.nameTail != "") {
			i, fresh = e, false
			continue
		}
		inSquare := len(brackets) > 0 && brackets[len(brackets)-1] == '['
		if slices.Contains(t.closers, word) && !inSquare {
			if t.fold {
				// end function, end if: only what declares was opened.
				k := s.skip(e)
				n := s.word(k)
				if n > k && code[k] != '\n' {
					if r, ok := s.ruleAt(k, n); !ok || !r.kind.Container() && !callable(r.kind) {
						i = n
						continue
					}
				}
			}
			settle(i)
			if n := len(blocks); n > 0 {
				end := e
				if t.fold {
					end = i + lineLen(code[i:])
				}
				s.close(blocks[n-1].decl, end)
				blocks = blocks[:n-1]
				if t.fold {
					e = end
				}
			}
			i, fresh = e, false
			continue
		}
		if fresh && (len(brackets) == 0 || brackets[len(brackets)-1] == '(') {
			if f, ok := s.match(i); ok {
				if next, done := s.endsDeclare(&f, around(), i, &blocks, &pending, &pendingAt); done {
					i, fresh = next, false
					continue
				}
			}
			if t.colons && len(brackets) == 0 && s.startsLine(i) && s.kind(around()).Container() && s.kind(around()) != artifact.KindInterface {
				if end := s.colonNames(i, around()); end > i {
					i, fresh = end, false
					continue
				}
			}
			if t.equations && s.kind(around()) == artifact.KindStruct && len(brackets) == 0 && s.startsLine(i) && len(blocks) > 0 && blocks[len(blocks)-1].decl >= 0 {
				// A field: "name::Type" or "name" alone.
				if k := s.skip(e); hasPrefix(s.code[k:], "::") || k >= len(code) || code[k] == '\n' || code[k] == ';' {
					end := i + lineLen(code[i:])
					s.declare(artifact.KindField, around(), i, i, e, end)
					i, fresh = end, false
					continue
				}
			}
			if t.equations && !s.inCallable(around()) && len(brackets) == 0 && pending < 0 && s.startsLine(i) {
				if d, next := s.equation(i, around()); d >= 0 {
					pending = d
					i, fresh = next, false
					continue
				}
			}
		}
		if how, ok := t.openers[word]; ok && !inSquare {
			opens := how == always || fresh && (how == lineStart)
			if how == lineStart && len(brackets) > 0 && !fresh {
				opens = false
			}
			if how == notColon {
				opens = e >= len(code) || code[e] != ':'
			}
			if opens {
				b := openBlock{decl: none, around: around()}
				if pending >= 0 {
					b.decl, b.around = pending, pending
					s.signature(pending, i)
					pending = none
				}
				blocks = append(blocks, b)
			}
		}
		i, fresh = e, false
	}
	settle(len(code))
	for n := len(blocks) - 1; n >= 0; n-- {
		s.close(blocks[n].decl, len(code))
	}
	s.readUses()
}

// endsDeclare adds a declaration and opens its block where its own word does.
func (s *scanner) endsDeclare(f *found, around int32, at int, blocks *[]openBlock, pending *int32, pendingAt *int) (next int, done bool) {
	t := s.table
	word := s.key(f.word.start, f.word.end)
	first := strings.Fields(word)[0]
	if first == "procedure" && s.kind(around) == artifact.KindInterface {
		return f.after, true // it names what is elsewhere
	}
	d := s.add(f, around, at, f.after)
	_, opens := t.openers[first]
	if f.rule.only != "" {
		if _, ok := t.openers[strings.Fields(f.rule.only)[0]]; ok && !opens {
			opens = true
		}
	}
	switch {
	case f.rule.body == stmt:
		if d >= 0 {
			*pending = d
		}
		return f.after, d >= 0
	case opens:
		// A head alone, as in "abstract def", has no block.
		if d >= 0 && f.rule.flags&artifact.SymbolForward != 0 {
			*pending = d
			return f.after, true
		}
		if d >= 0 {
			s.signature(d, at+lineLen(s.code[at:]))
		}
		b := openBlock{decl: d, around: d}
		if d < 0 {
			b.around = around
		}
		*blocks = append(*blocks, b)
		return f.after, true
	case d >= 0:
		*pending, *pendingAt = d, at
		return f.after, true
	}
	return 0, false
}

// goesOn reports whether a head goes on behind the line end at i.
func (s *scanner) goesOn(i int) bool {
	j := i
	for j > 0 && isBlank(s.code[j-1]) {
		j--
	}
	if j > 0 && strings.IndexByte(",=|&\\", s.code[j-1]) >= 0 {
		return true
	}
	k := s.skipLines(i)
	if k >= len(s.code) || k-i > maxAhead {
		return false
	}
	if hasPrefix(s.code[k:], "do:") {
		return true
	}
	e := s.word(k)
	w := s.key(k, e)
	return w == "when" || w == "where" || w == "do" && e > k
}

// statementEnd returns where the statement that i is in ends: at the first
// line end outside of brackets behind which it cannot go on.
func (s *scanner) statementEnd(i int) int {
	depth := 0
	for j := i; j < len(s.code); j++ {
		switch s.code[j] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return j
			}
		case '\n':
			if depth > 0 {
				break
			}
			if !s.goesOn(j) && s.code[s.lastCode(j)] != ':' && !hasPrefix(s.code[s.skipLines(j):], "|>") {
				return j
			}
		}
	}
	return len(s.code)
}

// lastCode returns the last place before i, on its line, that is no blank.
func (s *scanner) lastCode(i int) int {
	for i > 0 && isBlank(s.code[i-1]) {
		i--
	}
	return max(i-1, 0)
}

// equation matches "name(arguments) = value" at the start of a line.
func (s *scanner) equation(i int, around int32) (d int32, next int) {
	e := s.word(i)
	if e == i || s.listed(s.table.isKeyword, i, e) {
		return none, 0
	}
	// Julia: Base.show(io, x) = ...
	from := i
	for e < len(s.code) && s.code[e] == '.' {
		n := s.word(e + 1)
		if n == e+1 {
			return none, 0
		}
		from, e = e+1, n
	}
	k := e
	if k < len(s.code) && s.code[k] == '{' {
		k = s.pair(k)
	}
	if k >= len(s.code) || s.code[k] != '(' {
		return none, 0
	}
	end := s.pair(k)
	if end == k {
		return none, 0
	}
	k = s.skip(end)
	if hasPrefix(s.code[k:], "::") {
		k = s.skip(s.word(k + 2))
	}
	if hasPrefix(s.code[k:], "where") {
		for k < len(s.code) && s.code[k] != '=' && s.code[k] != '\n' {
			k++
		}
	}
	if k >= len(s.code) || s.code[k] != '=' || hasPrefix(s.code[k:], "==") || hasPrefix(s.code[k:], "=>") {
		return none, 0
	}
	d = s.declare(artifact.KindFunction, around, i, from, e, end)
	if d >= 0 {
		s.signature(d, end)
	}
	return d, k
}

// colonNames reads a line of the form "type, attribute :: a = 1, b(3)", in
// which each name is declared. It returns the line's end, i for another line.
func (s *scanner) colonNames(i int, around int32) int {
	end := i + lineLen(s.code[i:])
	n := bytes.Index(s.code[i:end], []byte("::"))
	if n < 0 {
		return i
	}
	head := s.key(i, i+n)
	kind := artifact.KindVariable
	switch first := s.key(i, s.word(i)); {
	case first == "procedure" || first == "generic" || first == "final":
		kind = artifact.KindMethod
	case strings.Contains(head, "parameter") || first == "enumerator":
		kind = artifact.KindConstant
	case first == "public" || first == "private" || first == "import" || first == "use":
		return end
	case s.kind(around) == artifact.KindStruct:
		kind = artifact.KindField
	}
	from := i
	for k := s.skip(i + n + 2); k < end; {
		e := s.word(k)
		if e == k {
			break
		}
		if d := s.declare(kind, around, from, k, e, end); d >= 0 && kind == artifact.KindMethod {
			s.decls[d].Flags |= artifact.SymbolForward
		}
		depth := 0
		for k = e; k < end && (depth > 0 || s.code[k] != ','); k++ {
			switch s.code[k] {
			case '(', '[':
				depth++
			case ')', ']':
				depth--
			}
		}
		k = s.skip(k + 1)
		from = k
	}
	return end
}

// stringLeads notes the strings that stand on lines of their own: a string in
// front of a declaration documents it.
func (s *scanner) stringLeads() {
	for i := 0; i < len(s.code); {
		if s.code[i] == stringByte && s.startsLine(i) {
			e := i
			for e < len(s.code) && (s.code[e] == stringByte || s.code[e] == '\n' && e+1 < len(s.code) && (s.code[e+1] == stringByte || s.code[e+1] == '\n')) {
				e++
			}
			if k := s.skip(e); k >= len(s.code) || s.code[k] == '\n' {
				s.comments = append(s.comments, span{i, e})
			}
			i = e
		}
		n := lineLen(s.code[i:])
		i += n + 1
	}
	slices.SortFunc(s.comments, func(a, b span) int { return a.start - b.start })
}
