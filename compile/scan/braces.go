package scan

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/syntax"
)

func syntaxDescriptor(kind artifact.Kind, name string) string { return syntax.Descriptor(kind, name) }

// walk is the way of the scanner through a language with braces.
type walk struct {
	*scanner
	blocks  []openBlock
	paren   int
	pending int32 // the declaration whose head or value the walk is in
	body    bodyForm
}

type openBlock struct {
	decl    int32 // that it is the body of; none for others
	around  int32 // the declaration that it lies in
	paren   int
	pending int32 // of the statement that it is part of
	body    bodyForm
	value   bool // it is part of a statement that goes on behind it
}

// around returns the declaration that the walk is in.
func (w *walk) around() int32 {
	if n := len(w.blocks); n > 0 {
		b := &w.blocks[n-1]
		if b.decl >= 0 {
			return b.decl
		}
		return b.around
	}
	return none
}

// direct reports whether the walk is directly in the body of a declaration, or
// at file level, and not in some other block.
func (w *walk) direct() bool {
	n := len(w.blocks)
	return n == 0 || w.blocks[n-1].decl >= 0
}

func readBraces(s *scanner) {
	t := s.table
	s.start(&t.lexis)
	w := &walk{scanner: s, pending: none}
	code := s.code
	fresh := true // a statement may begin here
	for i := 0; i < len(code); {
		c := code[i]
		if c == '\n' {
			if w.paren == 0 && t.newlines && !w.continues(i) {
				w.endStatement(i)
				fresh = true
			} else if w.paren == 0 && w.pending < 0 {
				fresh = true
			}
			i++
			continue
		}
		if isBlank(c) {
			i++
			continue
		}
		if t.resync && (i == 0 || code[i-1] == '\n') && len(w.blocks) > 0 && isLetter(c) {
			if _, ok := s.ruleAt(i, s.word(i)); ok {
				w.closeAll(i)
				fresh = true
			}
		}
		if fresh && w.paren == 0 {
			if next, ok := w.statement(i); ok {
				fresh = false
				i = max(next, i+1)
				continue
			}
		}
		switch c {
		case '(', '[':
			w.paren++
			fresh = false
		case ')', ']':
			w.paren = max(w.paren-1, 0)
			fresh = false
		case '{':
			w.open(i)
			fresh = true
		case '}':
			w.shut(i)
			fresh = true
		case ';':
			if w.paren == 0 {
				w.endStatement(i + 1)
			}
			fresh = w.paren == 0
		case ',':
			fresh = t.comma && w.paren == 0 && w.inEnumBody()
			if fresh && w.pending >= 0 {
				w.endStatement(i)
			}
		default:
			fresh = false
			if isLetter(c) || isDigit(c) {
				i = max(s.word(i), i+1)
				continue
			}
		}
		i++
	}
	w.closeAll(len(code))
	s.readUses()
}

func (w *walk) inEnumBody() bool {
	n := len(w.blocks)
	return n > 0 && w.blocks[n-1].decl >= 0 && w.kind(w.blocks[n-1].decl) == artifact.KindEnum
}

// statement looks for a declaration at the start of a statement.
func (w *walk) statement(i int) (next int, ok bool) {
	s, t := w.scanner, w.table
	around := w.around()
	if w.pending >= 0 && t.newlines {
		w.endStatement(i)
	}
	if t.hook != nil {
		if next, ok := t.hook(w, i); ok {
			return next, true
		}
	}
	if f, ok := s.match(i); ok {
		if s.inCallable(around) && !w.direct() && !callable(f.rule.kind) && !f.rule.kind.Container() {
			return 0, false
		}
		d := s.add(&f, around, i, f.after)
		if d < 0 {
			return 0, false
		}
		w.pending, w.body = d, f.rule.body
		return f.after, true
	}
	if t.cLike && !s.inCallable(around) && w.direct() {
		if next, ok := w.cFunction(i, around); ok {
			return next, true
		}
	}
	if w.inEnumBody() && t.comma {
		if e := s.word(i); e > i {
			k := s.skipLines(e)
			if k >= len(s.code) || strings.IndexByte(",;=({}", s.code[k]) >= 0 {
				if d := s.declare(artifact.KindEnumMember, around, i, i, e, e); d >= 0 {
					w.pending, w.body = d, stmt
					return e, true
				}
			}
		}
	}
	for k := range t.assigned {
		if next, ok := w.assignment(i, around, &t.assigned[k]); ok {
			return next, true
		}
	}
	return 0, false
}

// assignment matches "name <- function(...)".
func (w *walk) assignment(i int, around int32, a *assigned) (int, bool) {
	s := w.scanner
	if s.inCallable(around) && len(a.words) == 0 || !w.direct() {
		return 0, false
	}
	e := s.word(i)
	from := i
	if e == i && i < len(s.code) && (s.code[i] == '`' || s.code[i] == stringByte) {
		n := bytes.IndexByte(s.src[i+1:min(len(s.src), i+maxName)], s.src[i])
		if n < 1 {
			return 0, false
		}
		from, e = i+1, i+1+n
	}
	if e == from {
		return 0, false
	}
	k := e
	if from > i {
		k++
	}
	k = s.skip(k)
	if !hasPrefix(s.code[k:], a.sign) {
		return 0, false
	}
	k = s.skipLines(k + len(a.sign))
	if len(a.words) > 0 {
		n := s.word(k)
		if !slices.Contains(a.words, s.key(k, n)) {
			if k >= len(s.code) || s.code[k] != '\\' || !slices.Contains(a.words, "\\") {
				return 0, false
			}
		}
	} else if k < len(s.code) && s.code[k] == '=' {
		return 0, false
	}
	d := s.declare(a.kind, around, i, from, e, e)
	if d < 0 {
		return 0, false
	}
	if s.inCallable(around) {
		s.decls[d].Flags |= artifact.SymbolLocal
	}
	w.pending, w.body = d, stmt
	return k, true
}

// cFunction matches "type name(parameters) {", and where the language has
// fields, "type name;".
func (w *walk) cFunction(i int, around int32) (int, bool) {
	s, t := w.scanner, w.table
	inside := s.kind(around).Container()
	words := 0
	from, to := i, i // the last word
	j := i
	for j < len(s.code) && j-i < maxAhead && s.looks < s.maxLooks {
		j = s.skipLines(j)
		s.looks += j - i + 1
		if j >= len(s.code) {
			return 0, false
		}
		c := s.code[j]
		switch {
		case t.attribute == "@" && c == '@':
			e := s.word(j + 1)
			for e < len(s.code) && s.code[e] == '.' {
				e = s.word(e + 1)
			}
			if e == j+1 {
				return 0, false
			}
			if e < len(s.code) && s.code[e] == '(' {
				p := s.pair(e)
				if p == e {
					return 0, false
				}
				e = p
			}
			j = e
		case isLetter(c) || c == '$':
			e := s.word(j)
			if e == j {
				return 0, false
			}
			word := s.key(j, e)
			switch {
			case word == "operator" && t.fields:
				k := s.skip(e)
				if o := s.operator(k); o > k {
					return w.cBody(i, around, k, o, o, words, inside)
				}
			case (word == "get" || word == "set") && t.fields:
				k := s.skip(e)
				if n := s.word(k); n > k && n-k < maxName {
					after := s.skip(n)
					if word == "get" && after < len(s.code) && s.code[after] != '(' && s.code[after] != ';' && s.code[after] != '=' ||
						word == "get" && after < len(s.code) && (s.code[after] == '{' || hasPrefix(s.code[after:], "=>") || s.code[after] == ';' && inside && words > 0) ||
						word == "set" && after < len(s.code) && s.code[after] == '(' {
						kind := artifact.KindProperty
						d := s.declare(kind, around, i, k, n, n)
						if d >= 0 {
							w.pending, w.body = d, block
							return n, true
						}
					}
				}
			case s.table.isKeyword[word]:
				return 0, false
			}
			words++
			from, to = j, e
			// Named constructors: Type.name(...)
			for to < len(s.code) && s.code[to] == '.' && t.fields {
				n := s.word(to + 1)
				if n == to+1 {
					break
				}
				from, to = to+1, n
			}
			j = to
		case c == '<':
			e := s.angle(j)
			if e == j {
				return 0, false
			}
			j = e
		case c == '[' && words > 0:
			e := s.pair(j)
			if e == j {
				return 0, false
			}
			j = e
		case c == '*' || c == '&' || c == '?' || c == '.':
			j++
		case c == '(':
			if words == 0 {
				return 0, false
			}
			return w.cBody(i, around, from, to, j, words, inside)
		case (c == '=' || c == ';' || c == ',') && t.fields && words > 1 && !hasPrefix(s.code[j:], "=="):
			kind := artifact.KindField
			if !inside {
				kind = artifact.KindVariable
			}
			if s.key(i, s.word(i)) == "const" {
				kind = artifact.KindConstant
			}
			d := s.declare(kind, around, i, from, to, to)
			if d < 0 {
				return 0, false
			}
			w.pending, w.body = d, stmt
			return j, true
		default:
			return 0, false
		}
	}
	return 0, false
}

// cBody is cFunction from the parameters on.
func (w *walk) cBody(i int, around int32, from, to, paren, words int, inside bool) (int, bool) {
	s, t := w.scanner, w.table
	open := s.skipLines(paren)
	if open < len(s.code) && s.code[open] == '<' {
		if e := s.angle(open); e > open {
			open = s.skipLines(e)
		}
	}
	if open >= len(s.code) || s.code[open] != '(' {
		return 0, false
	}
	end := s.pair(open)
	if end == open {
		return 0, false
	}
	k := s.skipLines(end)
	if k >= len(s.code) {
		return 0, false
	}
	container := ""
	if inside {
		container = s.decls[around].Name
	}
	kind := artifact.KindFunction
	name := string(s.src[from:to])
	if inside {
		kind = artifact.KindMethod
		if name == container || from > i && s.code[from-1] == '.' && (words == 1 || strings.HasSuffix(string(s.code[i:from-1]), container)) || string(s.code[i:s.word(i)]) == "factory" {
			kind = artifact.KindConstructor
		}
	}
	forward := false
	switch next := s.key(k, s.word(k)); {
	case s.code[k] == '{', hasPrefix(s.code[k:], "=>"), next == "async", next == "sync", next == "throws":
		if words == 1 && !inside {
			// A call with a block looks like this in some languages.
			if !t.fields {
				return 0, false
			}
		}
		if words == 1 && inside && !t.fields && kind != artifact.KindConstructor {
			return 0, false
		}
	case s.code[k] == ';':
		if !inside && t.fields || words == 1 && kind != artifact.KindConstructor || words < 2 && !inside {
			return 0, false
		}
		forward = kind != artifact.KindConstructor
	case s.code[k] == ':' && kind == artifact.KindConstructor:
	default:
		return 0, false
	}
	d := s.declare(kind, around, i, from, to, end)
	if d < 0 {
		return 0, false
	}
	if forward {
		s.decls[d].Flags |= artifact.SymbolForward
	}
	w.pending, w.body = d, block
	return end, true
}

// open begins a block at the brace at i.
func (w *walk) open(i int) {
	b := openBlock{decl: none, around: w.around(), paren: w.paren, pending: w.pending, body: w.body}
	if w.pending >= 0 && w.paren == 0 && w.body == block {
		b.decl, b.pending = w.pending, none
		w.signature(w.pending, i)
	} else if w.pending >= 0 {
		b.around, b.value = w.pending, true
		if d := &w.decls[w.pending]; w.paren == 0 && d.SigEnd <= d.NameAt+uint32(len(d.Name)) {
			w.signature(w.pending, i)
		}
	}
	w.blocks = append(w.blocks, b)
	w.paren, w.pending = 0, none
}

// shut ends the block at the brace at i.
func (w *walk) shut(i int) {
	n := len(w.blocks)
	if n == 0 {
		w.pending, w.paren = none, 0
		return
	}
	if w.table.resync && (i == 0 || w.code[i-1] == '\n') {
		for n > 1 {
			w.pop(i)
			n--
		}
	}
	w.pop(i + 1)
}

// pop closes the innermost block, whose last byte is before end.
func (w *walk) pop(end int) {
	if w.pending >= 0 {
		w.endStatement(end - 1)
	}
	b := w.blocks[len(w.blocks)-1]
	w.blocks = w.blocks[:len(w.blocks)-1]
	w.close(b.decl, end)
	w.paren, w.pending, w.body = b.paren, b.pending, b.body
	if b.value && w.pending >= 0 {
		w.decls[w.pending].End = uint32(max(int(w.decls[w.pending].End), end))
	}
}

func (w *walk) closeAll(end int) {
	for len(w.blocks) > 0 {
		w.pop(end)
	}
	w.endStatement(end)
	w.paren = 0
}

// endStatement closes the declaration whose statement ends before end.
func (w *walk) endStatement(end int) {
	if w.pending < 0 {
		return
	}
	d := &w.decls[w.pending]
	w.close(w.pending, end)
	if d.SigEnd <= d.NameAt+uint32(len(d.Name)) {
		d.SigEnd = d.End
	}
	if callable(d.Kind) && w.body == block && !bytes.Contains(w.code[d.NameAt:d.End], []byte("=>")) || w.table.classes && d.Kind.Container() {
		d.Flags |= artifact.SymbolForward
	}
	w.pending = none
}

// continues reports whether the statement goes on behind the line end at i.
func (w *walk) continues(i int) bool {
	if w.pending < 0 {
		return false
	}
	code := w.code
	j := i
	for j > 0 && isSpace(code[j-1]) && i-j < maxAhead {
		j--
	}
	if j > 0 && strings.IndexByte(",=:&|+(.", code[j-1]) >= 0 || j > 1 && (code[j-2] == '-' || code[j-2] == '<') && (code[j-1] == '>' || code[j-1] == '-') {
		return true
	}
	k := i
	for k < len(code) && isSpace(code[k]) && k-i < maxAhead {
		k++
	}
	if k >= len(code) {
		return false
	}
	switch code[k] {
	case '{':
		return w.body == block
	case '.', '?', '&', '|', '=', ':':
		return true
	case '-':
		return k+1 < len(code) && code[k+1] == '>'
	}
	return slices.Contains(w.table.joins, w.key(k, w.word(k)))
}
