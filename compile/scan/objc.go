package scan

import (
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

func objectiveC() *table {
	t := &table{
		lexis: cLexis(), newlines: false, cLike: true, comma: true,
		rules: map[string]rule{
			"struct": {kind: artifact.KindStruct, not: "{"},
			"union":  {kind: artifact.KindUnion, not: "{"},
			"enum":   {kind: artifact.KindEnum, not: "{"},
		},
		modifiers: []string{"static", "inline", "extern", "typedef", "const", "FOUNDATION_EXPORT", "NS_INLINE", "UIKIT_EXTERN", "NS_ASSUME_NONNULL_BEGIN", "NS_ASSUME_NONNULL_END"},
		keywords: []string{"if", "while", "for", "switch", "return", "else", "do", "case", "default", "sizeof", "in", "goto", "typeof", "__typeof__", "defined",
			"NS_ENUM", "NS_OPTIONS", "API_AVAILABLE", "NS_AVAILABLE", "__attribute__", "NS_SWIFT_NAME", "selector"},
		hook: objcStatement,
	}
	t.lexis.quotes = append([]quote{{open: `@"`, close: `"`, escape: '\\'}}, t.lexis.quotes...)
	t.imports = map[string]importForm{}
	return t
}

// objcStatement matches what begins with a sign: @interface and its like,
// methods, properties, and the preprocessor's lines.
func objcStatement(w *walk, i int) (int, bool) {
	s := w.scanner
	switch s.code[i] {
	case '@':
		e := s.word(i + 1)
		switch word := string(s.code[i+1 : e]); word {
		case "interface", "implementation", "protocol":
			k := s.skipLines(e)
			n := s.word(k)
			if n == k {
				return 0, false
			}
			rest := s.skip(n)
			if rest < len(s.code) && (s.code[rest] == ';' || s.code[rest] == ',' || s.code[rest] == ')') {
				return 0, false // @protocol X;
			}
			kind := artifact.KindClass
			switch {
			case word == "protocol":
				kind = artifact.KindProtocol
			case word == "implementation" || rest < len(s.code) && s.code[rest] == '(':
				kind = artifact.KindImpl
			}
			for len(w.blocks) > 0 {
				w.pop(i)
			}
			w.pending = none
			end := n + lineLen(s.code[n:])
			d := s.declare(kind, none, i, k, n, end)
			if d < 0 {
				return 0, false
			}
			w.blocks = append(w.blocks, openBlock{decl: d, around: d, pending: none})
			s.objcHead(rest, end)
			return min(max(rest, n), end), true
		case "end":
			end := e
			for len(w.blocks) > 0 {
				w.pop(end)
			}
			w.pending = none
			return e, true
		case "property":
			return s.objcProperty(w, i, e)
		case "class", "optional", "required", "synthesize", "dynamic", "import", "public", "private", "protected":
			return e, true
		}
		return 0, false
	case '-', '+':
		if len(w.blocks) == 0 || !w.direct() || s.inCallable(w.around()) {
			return 0, false
		}
		return s.objcMethod(w, i)
	case '#':
		end := i + lineLen(s.code[i:])
		for end > i && end < len(s.code) && s.src[end-1] == '\\' {
			end += 1 + lineLen(s.code[end+1:])
		}
		k := s.skip(i + 1)
		e := s.word(k)
		switch string(s.code[k:e]) {
		case "import", "include":
			s.importAt(stringPath, i, e)
		case "define":
			n := s.skip(e)
			m := s.word(n)
			if m > n {
				kind := artifact.KindConstant
				if m < len(s.code) && s.code[m] == '(' {
					kind = artifact.KindMacro
				}
				if d := s.declare(kind, w.around(), i, n, m, end); d >= 0 && s.inCallable(w.around()) {
					s.decls[d].Flags |= artifact.SymbolLocal
				}
			}
		}
		return end, true
	case 't', 'N':
		if hasPrefix(s.code[i:], "typedef") || hasPrefix(s.code[i:], "NS_ENUM") || hasPrefix(s.code[i:], "NS_OPTIONS") {
			end := i + lineLen(s.code[i:])
			line := string(s.code[i:end])
			for _, m := range []string{"NS_ENUM(", "NS_OPTIONS(", "NS_CLOSED_ENUM(", "NS_ERROR_ENUM("} {
				n := strings.Index(line, m)
				if n < 0 {
					continue
				}
				k := i + n + strings.IndexByte(line[n:], ',') + 1
				if k <= i+n {
					break
				}
				k = s.skip(k)
				e := s.word(k)
				if d := s.declare(artifact.KindEnum, none, i, k, e, e); d >= 0 {
					w.pending, w.body = d, block
					return s.pair(i + n + len(m) - 1), true
				}
			}
			return s.objcTypedef(w, i)
		}
	}
	return 0, false
}

// objcTypedef matches "typedef ... name;": the name in front of the semicolon,
// or that of a function or block type.
func (s *scanner) objcTypedef(w *walk, i int) (int, bool) {
	depth := 0
	for j := i; j < len(s.code) && j-i < maxAhead; j++ {
		switch s.code[j] {
		case '{', '(':
			depth++
		case '}', ')':
			depth--
		case '^', '*':
			if depth == 1 && j > i && s.code[j-1] == '(' {
				k := s.skip(j + 1)
				if e := s.word(k); e > k {
					if d := s.declare(artifact.KindType, w.around(), i, k, e, e); d >= 0 {
						w.pending, w.body = d, stmt
						return e, true
					}
				}
			}
		case ';':
			if depth > 0 {
				continue
			}
			e := j
			for e > i && isSpace(s.code[e-1]) {
				e--
			}
			k := e
			for k > i && s.table.isName(s.code[k-1]) {
				k--
			}
			if d := s.declare(artifact.KindType, w.around(), i, k, e, j+1); d >= 0 {
				return j + 1, true
			}
			return 0, false
		}
	}
	return 0, false
}

// objcHead finds the superclass and the protocols of a head.
func (s *scanner) objcHead(i, end int) {
	role := artifact.RoleInherit
	for i < end {
		switch c := s.code[i]; {
		case c == '<':
			role = artifact.RoleImplement
		case c == '(':
			i = max(s.pair(i), i+1)
			continue
		case c == '{':
			return
		case isLetter(c):
			e := s.word(i)
			s.use(role, i, e, "")
			i = e
			continue
		}
		i++
	}
}

// objcProperty matches "@property (attributes) Type *name;".
func (s *scanner) objcProperty(w *walk, i, e int) (int, bool) {
	end := e
	for end < len(s.code) && s.code[end] != ';' && end-i < maxAhead {
		end++
	}
	k := s.skip(e)
	if k < len(s.code) && s.code[k] == '(' {
		k = max(s.pair(k), k+1)
	}
	from, to := 0, 0
	for j := k; j < end; {
		if s.code[j] == '^' {
			if n := s.word(j + 1); n > j+1 {
				from, to = j+1, n
				break
			}
		}
		if n := s.word(j); n > j {
			word := string(s.code[j:n])
			if n < end && s.code[n] == '(' && to > from && strings.ToUpper(word) == word {
				break // an attribute macro
			}
			if strings.ToUpper(word) != word || to == 0 || len(word) < 4 {
				from, to = j, n
			}
			j = n
			continue
		}
		j++
	}
	if from >= to {
		return 0, false
	}
	s.declare(artifact.KindProperty, w.around(), i, from, to, min(end+1, len(s.code)))
	return min(end+1, len(s.code)), true
}

// objcMethod matches "- (type)part:(type)name part:(type)name". The method's
// name is its selector.
func (s *scanner) objcMethod(w *walk, i int) (int, bool) {
	k := s.skip(i + 1)
	if k < len(s.code) && s.code[k] == '(' {
		e := s.pair(k)
		if e == k {
			return 0, false
		}
		k = s.skipLines(e)
	}
	first := k
	var selector strings.Builder
	for j := k; j < len(s.code) && j-i < maxAhead; {
		j = s.skipLines(j)
		e := s.word(j)
		if e == j && (j >= len(s.code) || s.code[j] != ':') {
			break
		}
		if n := s.skip(e); n < len(s.code) && s.code[n] == ':' {
			selector.Write(s.src[j:e])
			selector.WriteByte(':')
			j = s.skipLines(n + 1)
			if j < len(s.code) && s.code[j] == '(' {
				p := s.pair(j)
				if p == j {
					return 0, false
				}
				j = s.skipLines(p)
			}
			j = s.word(j)
			if c := s.skip(j); c < len(s.code) && s.code[c] == ',' {
				break // variadic
			}
			k = j
			continue
		}
		if selector.Len() == 0 {
			selector.Write(s.src[j:e])
			k = e
		}
		break
	}
	if selector.Len() == 0 {
		return 0, false
	}
	kind, flags := artifact.KindMethod, artifact.SymbolFlags(0)
	if s.code[i] == '+' {
		flags = artifact.SymbolStatic
	}
	d := s.declareNamed(kind, w.around(), i, first, selector.String(), k)
	if d < 0 {
		return 0, false
	}
	s.decls[d].Flags |= flags
	w.pending, w.body = d, block
	return k, true
}

func readObjC(s *scanner) {
	readBraces(s)
	s.objcMessages()
}

// objcMessages finds the messages that are sent: "[receiver part:x part:y]".
func (s *scanner) objcMessages() {
	type message struct {
		square   bool
		part     int // where the selector begins; -1 before the receiver ended
		partEnd  int
		selector []byte
		receiver span
		words    int
	}
	var open []message
	for i := 0; i < len(s.code); {
		c := s.code[i]
		switch {
		case c == '[' || c == '(' || c == '{':
			if n := len(open); n > 0 && open[n-1].words == 0 {
				open[n-1].words, open[n-1].receiver = 1, span{}
			}
			open = append(open, message{square: c == '[', part: -1})
		case c == ']' || c == ')' || c == '}':
			n := len(open)
			if n == 0 {
				break
			}
			m := open[n-1]
			open = open[:n-1]
			if !m.square || c != ']' || m.part < 0 {
				break
			}
			name := m.selector
			if len(name) == 0 {
				name = s.src[m.part:m.partEnd]
			}
			receiver := ellipsis
			if m.receiver.end > m.receiver.start && m.receiver.end-m.receiver.start <= maxReceiver {
				receiver = s.intern(s.src[m.receiver.start:m.receiver.end])
			}
			if len(name) <= maxName {
				s.occs = append(s.occs, occurrence(m.part, artifact.RoleCall, s.intern(name), receiver))
			}
		case isLetter(c):
			e := s.word(i)
			if e == i {
				break
			}
			if n := len(open); n > 0 && open[n-1].square {
				m := &open[n-1]
				colon := e < len(s.code) && s.code[e] == ':' && !hasPrefix(s.code[e:], "::")
				switch {
				case m.words == 0:
					for e < len(s.code) && s.code[e] == '.' {
						x := s.word(e + 1)
						if x == e+1 {
							break
						}
						e = x
					}
					m.receiver = span{i, e}
				case m.part < 0:
					m.part, m.partEnd = i, e
					if colon {
						m.selector = append(append(m.selector, s.src[i:e]...), ':')
					}
				case colon && len(m.selector) > 0 && len(m.selector) < maxName:
					m.selector = append(append(m.selector, s.src[i:e]...), ':')
				}
				m.words++
			}
			i = e
			continue
		}
		i++
	}
}
