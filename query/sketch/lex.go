package sketch

// token is one token: k is the byte of an operator of one byte, or one of the
// codes below.
type token struct {
	k       uint8
	nl      bool // a line ends between it and the token before
	at, end uint32
}

const (
	tEOF = iota
	tIdent
	tInt
	tFloat
	tChar
	tString
	tLifetime
	tDirective // a preprocessor's line
)

// Operators of several bytes; above the ASCII range, below the keywords.
const (
	tDefine = 128 + iota // :=
	tArrow               // <- in Go, -> elsewhere
	tDots                // ...
	tAndAnd
	tOrOr
	tCompare // == != <= >=
	tShift   // << >>; elsewhere than in Go only <<
	tAndNot
	tInc
	tDec
	tOpAssign
	tScope    // ::
	tFatArrow // =>
	tRange    // .. ..=
	tMemPtr   // ->* .*
	tKeyword  // the first keyword
)

// scanner cuts a text into tokens.
type scanner struct {
	text     []byte
	at       int
	out      []token
	keywords map[string]uint8
	lang     string
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func (s *scanner) peek(n int) byte {
	if s.at+n < len(s.text) {
		return s.text[s.at+n]
	}
	return 0
}

// scan returns all tokens, the last one tEOF. Comments and white space are
// none.
func scan(lang string, text []byte, keywords map[string]uint8) []token {
	s := &scanner{text: text, lang: lang, keywords: keywords, out: make([]token, 0, len(text)/5+1)}
	nl := true
	for {
		start := s.at
		k := s.next(&nl)
		if k == 0 {
			break
		}
		_ = start
	}
	s.out = append(s.out, token{k: tEOF, nl: true, at: uint32(len(text)), end: uint32(len(text))})
	return s.out
}

// next adds one token, or skips white space or a comment; 0 at the end.
func (s *scanner) next(nl *bool) uint8 {
	if s.at >= len(s.text) {
		return 0
	}
	c := s.text[s.at]
	start := s.at
	switch {
	case c == '\n':
		*nl = true
		s.at++
		return 1
	case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
		s.at++
		return 1
	case c == '/' && s.peek(1) == '/':
		for s.at < len(s.text) && s.text[s.at] != '\n' {
			s.at++
		}
		return 1
	case c == '/' && s.peek(1) == '*':
		if s.blockComment() {
			*nl = true
		}
		return 1
	case c == '\\' && s.c() && (s.peek(1) == '\n' || s.peek(1) == '\r'):
		s.at += 2
		return 1
	case c == '#' && s.c() && *nl:
		s.directive()
		s.add(tDirective, start, nl)
		*nl = true
		return 1
	case letter(c):
		if s.prefixedString(nl) {
			return 1
		}
		for s.at < len(s.text) && (letter(s.text[s.at]) || digit(s.text[s.at])) {
			s.at++
		}
		if k, ok := s.keywords[string(s.text[start:s.at])]; ok {
			s.add(k, start, nl)
		} else {
			s.add(tIdent, start, nl)
		}
		return 1
	case digit(c) || c == '.' && digit(s.peek(1)) && s.lang != "rust":
		s.number(nl)
		return 1
	case c == '"':
		s.quoted('"')
		s.add(tString, start, nl)
		return 1
	case c == '`' && s.lang == "go":
		s.at++
		for s.at < len(s.text) && s.text[s.at] != '`' {
			s.at++
		}
		s.at = min(s.at+1, len(s.text))
		s.add(tString, start, nl)
		return 1
	case c == '\'':
		s.char(nl)
		return 1
	}
	s.operator(nl)
	return 1
}

func (s *scanner) c() bool { return s.lang == "c" || s.lang == "cpp" }

func (s *scanner) add(k uint8, start int, nl *bool) {
	s.out = append(s.out, token{k: k, nl: *nl, at: uint32(start), end: uint32(s.at)})
	*nl = false
}

// blockComment skips a comment and reports whether a line ends in it.
func (s *scanner) blockComment() (lines bool) {
	depth := 0
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '/' && s.peek(1) == '*' && (depth == 0 || s.lang == "rust"):
			depth++
			s.at += 2
			continue
		case c == '*' && s.peek(1) == '/':
			s.at += 2
			if depth--; depth == 0 {
				return lines
			}
			continue
		case c == '\n':
			lines = true
		}
		s.at++
	}
	return lines
}

// directive skips to the end of a preprocessor's line.
func (s *scanner) directive() {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '\\' && s.peek(1) == '\n':
			s.at++
		case c == '\\' && s.peek(1) == '\r' && s.peek(2) == '\n':
			s.at += 2
		case c == '\n':
			return
		case c == '/' && s.peek(1) == '*':
			s.blockComment()
			continue
		case c == '/' && s.peek(1) == '/':
			for s.at < len(s.text) && s.text[s.at] != '\n' {
				s.at++
			}
			return
		}
		s.at++
	}
}

func (s *scanner) quoted(q byte) {
	s.at++
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '\\':
			s.at++
		case c == q:
			s.at++
			return
		case c == '\n' && s.lang != "rust":
			return
		}
		s.at++
	}
	s.at = min(s.at, len(s.text))
}

// prefixedString reads string literals that begin with letters, and raw names.
func (s *scanner) prefixedString(nl *bool) bool {
	start := s.at
	switch {
	case s.lang == "rust":
		i := s.at
		for i < len(s.text) && i < s.at+2 && (s.text[i] == 'b' || s.text[i] == 'r' || s.text[i] == 'c') {
			i++
		}
		if i == s.at || i >= len(s.text) {
			return false
		}
		raw := s.text[i-1] == 'r'
		hashes := 0
		for raw && i < len(s.text) && s.text[i] == '#' {
			hashes++
			i++
		}
		if i >= len(s.text) {
			return false
		}
		if s.text[i] == '\'' && !raw && s.text[s.at] == 'b' {
			s.at = i
			s.quoted('\'')
			s.add(tInt, start, nl)
			return true
		}
		if s.text[i] != '"' {
			if hashes == 1 && s.at+1 == i-1 && letter(s.text[i]) { // r#name
				s.at = i
				for s.at < len(s.text) && (letter(s.text[s.at]) || digit(s.text[s.at])) {
					s.at++
				}
				s.out = append(s.out, token{k: tIdent, nl: *nl, at: uint32(i), end: uint32(s.at)})
				*nl = false
				return true
			}
			return false
		}
		s.at = i
		if !raw {
			s.quoted('"')
		} else {
			s.rawString(hashes)
		}
		s.add(tString, start, nl)
		return true
	case s.c():
		i := s.at
		for i < len(s.text) && i < s.at+3 && (s.text[i] == 'u' || s.text[i] == 'U' || s.text[i] == 'L' || s.text[i] == '8') {
			i++
		}
		raw := i < len(s.text) && s.text[i] == 'R'
		if raw {
			i++
		}
		if i == s.at || i >= len(s.text) {
			return false
		}
		switch s.text[i] {
		case '\'':
			if raw {
				return false
			}
			s.at = i
			s.quoted('\'')
			s.add(tChar, start, nl)
			return true
		case '"':
			s.at = i
			if !raw {
				s.quoted('"')
			} else {
				s.cRawString()
			}
			s.add(tString, start, nl)
			return true
		}
	}
	return false
}

// rawString reads a Rust raw string from its quote on.
func (s *scanner) rawString(hashes int) {
	s.at++
	for s.at < len(s.text) {
		if s.text[s.at] == '"' {
			n := 0
			for n < hashes && s.peek(1+n) == '#' {
				n++
			}
			if n == hashes {
				s.at += 1 + n
				return
			}
		}
		s.at++
	}
}

// cRawString reads a C++ raw string from its quote on.
func (s *scanner) cRawString() {
	i := s.at + 1
	for i < len(s.text) && i < s.at+18 && s.text[i] != '(' {
		i++
	}
	if i >= len(s.text) || s.text[i] != '(' {
		s.quoted('"')
		return
	}
	end := ")" + string(s.text[s.at+1:i]) + "\""
	for i++; i < len(s.text); i++ {
		if s.text[i] == ')' && i+len(end) <= len(s.text) && string(s.text[i:i+len(end)]) == end {
			s.at = i + len(end)
			return
		}
	}
	s.at = len(s.text)
}

func (s *scanner) number(nl *bool) {
	start := s.at
	k := uint8(tInt)
	hex := s.text[s.at] == '0' && (s.peek(1) == 'x' || s.peek(1) == 'X')
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case digit(c) || c == '_':
		case c == '\'' && s.lang == "cpp" && s.at > start && (digit(s.peek(1)) || letter(s.peek(1))):
		case c == '.':
			if s.lang == "rust" && (s.peek(1) == '.' || letter(s.peek(1))) {
				s.add(k, start, nl)
				return
			}
			k = tFloat
		case (c == '+' || c == '-') && s.at > start && !hex && (s.text[s.at-1] == 'e' || s.text[s.at-1] == 'E'),
			(c == '+' || c == '-') && s.at > start && hex && (s.text[s.at-1] == 'p' || s.text[s.at-1] == 'P'):
		case letter(c):
			if !hex && (c == 'e' || c == 'E') || hex && (c == 'p' || c == 'P') || !hex && c == 'f' {
				k = tFloat
			}
		default:
			s.add(k, start, nl)
			return
		}
		s.at++
	}
	s.add(k, start, nl)
}

// char reads a character literal, or a lifetime in Rust.
func (s *scanner) char(nl *bool) {
	start := s.at
	if s.lang == "rust" && letter(s.peek(1)) {
		i := s.at + 1
		for i < len(s.text) && (letter(s.text[i]) || digit(s.text[i])) {
			i++
		}
		if i >= len(s.text) || s.text[i] != '\'' {
			s.at = i
			s.add(tLifetime, start, nl)
			return
		}
	}
	s.quoted('\'')
	s.add(tChar, start, nl)
}

func (s *scanner) operator(nl *bool) {
	start := s.at
	c, d, e := s.text[s.at], s.peek(1), s.peek(2)
	k, n := c, 1
	switch {
	case c >= 0x80:
		k = ' '
	case c == ':' && d == '=' && s.lang == "go":
		k, n = tDefine, 2
	case c == ':' && d == ':' && s.lang != "go":
		k, n = tScope, 2
	case c == '<' && d == '-' && s.lang == "go", c == '-' && d == '>' && s.lang != "go":
		k, n = tArrow, 2
		if c == '-' && e == '*' && s.lang == "cpp" {
			k, n = tMemPtr, 3
		}
	case c == '.' && d == '.' && e == '.':
		k, n = tDots, 3
	case c == '.' && d == '.' && e == '=' && s.lang == "rust":
		k, n = tRange, 3
	case c == '.' && d == '.' && s.lang == "rust":
		k, n = tRange, 2
	case c == '.' && d == '*' && s.lang == "cpp":
		k, n = tMemPtr, 2
	case c == '=' && d == '>' && s.lang == "rust":
		k, n = tFatArrow, 2
	case c == '&' && d == '^' && s.lang == "go":
		k, n = tAndNot, 2
		if e == '=' {
			k, n = tOpAssign, 3
		}
	case c == '&' && d == '&':
		k, n = tAndAnd, 2
	case c == '|' && d == '|':
		k, n = tOrOr, 2
	case (c == '=' || c == '!' || c == '<') && d == '=' || c == '>' && d == '=' && s.lang == "go":
		k, n = tCompare, 2
		if c == '<' && e == '>' && s.lang == "cpp" {
			n = 3
		}
	case c == '<' && d == '<':
		k, n = tShift, 2
		if e == '=' {
			k, n = tOpAssign, 3
		}
	case c == '>' && d == '>' && s.lang == "go":
		k, n = tShift, 2
		if e == '=' {
			k, n = tOpAssign, 3
		}
	case c == '>' && d == '>' && e == '=':
		k, n = tOpAssign, 3
	case c == '+' && d == '+' && s.lang != "rust":
		k, n = tInc, 2
	case c == '-' && d == '-' && s.lang != "rust":
		k, n = tDec, 2
	case d == '=' && (c == '+' || c == '-' || c == '*' || c == '/' || c == '%' || c == '&' || c == '|' || c == '^'):
		k, n = tOpAssign, 2
	}
	s.at += n
	s.add(k, start, nl)
}
