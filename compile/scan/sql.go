package scan

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

func sqlTable() *table {
	return &table{
		lexis: lexis{
			line: []string{"--"}, block: []bracket{{"/*", "*/", true}},
			quotes: []quote{{open: "'", close: "'", lines: true}}, special: dollarQuoted,
		},
		nameBytes: "$", fold: true, rules: map[string]rule{},
	}
}

// dollarQuoted recognizes $tag$text$tag$ and MySQL's "# comment".
func dollarQuoted(src []byte, i int) (int, bool) {
	switch {
	case src[i] == '#' && (i == 0 || src[i-1] == '\n'):
		return i + lineLen(src[i:]), true
	case src[i] != '$':
		return 0, false
	}
	j := i + 1
	for j < len(src) && j-i < 64 && (isLetter(src[j]) || j > i+1 && isDigit(src[j])) {
		j++
	}
	if j >= len(src) || src[j] != '$' {
		return 0, false
	}
	if n := bytes.Index(src[j+1:], src[i:j+1]); n >= 0 {
		return j + 1 + n + (j + 1 - i), false
	}
	return miss, false
}

// readSQL walks statements. Those that create something are declarations.
func readSQL(s *scanner) {
	s.start(&s.table.lexis)
	code := s.code
	for i := 0; i < len(code); {
		i = s.skipLines(i)
		if i >= len(code) {
			break
		}
		end := s.sqlEnd(i)
		s.sqlStatement(i, end)
		i = max(end, i+1)
	}
	s.sqlUses()
}

// sqlEnd returns where the statement at i ends, behind its semicolon. A body
// between BEGIN and END is part of its statement.
func (s *scanner) sqlEnd(i int) int {
	routine, depth, first := false, 0, -1
	words := 0
	for j := i; j < len(s.code); {
		c := s.code[j]
		if c == ';' {
			if depth <= 0 {
				return j + 1
			}
			if first < 0 {
				first = j + 1
			}
			j++
			continue
		}
		if !isLetter(c) {
			j++
			continue
		}
		e := s.word(j)
		if e == j {
			j++
			continue
		}
		if words == 0 && s.key(j, e) != "create" && s.key(j, e) != "alter" {
			if n := bytes.IndexByte(s.code[j:], ';'); n >= 0 {
				return j + n + 1
			}
			return len(s.code)
		}
		words++
		if e-j <= 9 {
			switch s.key(j, e) {
			case "function", "procedure", "trigger", "event", "package":
				routine = routine || words < 12
			case "begin":
				if routine {
					depth++
				}
			case "case", "loop":
				if depth > 0 {
					depth++
				}
			case "if":
				if depth > 0 && s.sqlStartsStatement(j) {
					depth++
				}
			case "end":
				depth--
				// END IF, END LOOP, END CASE
				if n := s.skip(e); n < len(s.code) {
					switch m := s.word(n); s.key(n, m) {
					case "if", "loop", "case":
						e = m
					}
				}
			}
		}
		j = e
	}
	if first > 0 {
		return first // never closed
	}
	return len(s.code)
}

func (s *scanner) sqlStartsStatement(i int) bool {
	j := i
	for j > 0 && isSpace(s.code[j-1]) {
		j--
	}
	if j == 0 || s.code[j-1] == ';' {
		return true
	}
	k := j
	for k > 0 && isLetter(s.code[k-1]) {
		k--
	}
	switch s.key(k, j) {
	case "begin", "then", "else", "loop":
		return true
	}
	return false
}

// sqlName reads a name with its schema and quotes. It returns the range of the
// last part without quotes, and where the name ends.
func (s *scanner) sqlName(i int) (from, to, end int) {
	for {
		from, to, end = i, i, i
		if i >= len(s.src) {
			return
		}
		switch c := s.src[i]; c {
		case '"', '`', '[':
			closing := c
			if c == '[' {
				closing = ']'
			}
			n := bytes.IndexByte(s.src[i+1:min(len(s.src), i+maxName)], closing)
			if n < 1 {
				return i, i, i
			}
			from, to, end = i+1, i+1+n, i+2+n
		default:
			to = s.word(i)
			end = to
		}
		if end == i {
			return
		}
		if end < len(s.src) && s.src[end] == '.' {
			i = end + 1
			continue
		}
		return
	}
}

func (s *scanner) sqlStatement(i, end int) {
	e := s.word(i)
	if s.key(i, e) != "create" {
		return
	}
	kind, what := artifact.KindUnknown, ""
	k := s.skipLines(e)
	for n := 0; n < 16 && k < end && kind == artifact.KindUnknown; n++ {
		m := s.word(k)
		if m == k {
			if s.code[k] == '=' || s.code[k] == '@' || s.code[k] == stringByte || s.code[k] == '`' {
				k++
				k = s.skipLines(k)
				continue
			}
			return
		}
		switch what = s.key(k, m); what {
		case "table", "view":
			kind = artifact.KindStruct
		case "function", "procedure", "aggregate":
			kind = artifact.KindFunction
		case "type", "domain":
			kind = artifact.KindType
		case "schema", "database", "package":
			kind = artifact.KindNamespace
		case "index", "trigger", "sequence", "extension", "role", "user", "policy", "rule", "event", "publication", "subscription", "collation", "server", "operator", "cast":
			kind = artifact.KindEntry
		}
		k = s.skipLines(m)
	}
	if kind == artifact.KindUnknown {
		return
	}
	for n := 0; n < 5; n++ {
		m := s.word(k)
		switch s.key(k, m) {
		case "if", "not", "exists", "concurrently", "body":
			k = s.skipLines(m)
			continue
		}
		break
	}
	from, to, after := s.sqlName(k)
	if from == to || s.key(from, to) == "on" && what == "index" {
		return
	}
	d := s.declare(kind, none, i, from, to, end)
	if d < 0 {
		return
	}
	s.close(d, end)
	open := s.skipLines(after)
	s.signature(d, min(end, after+lineLen(s.code[after:])))
	if what == "table" && open < end && s.code[open] == '(' {
		s.sqlColumns(d, open+1, end)
	}
}

// sqlColumns declares the columns of a table whose list begins at i.
func (s *scanner) sqlColumns(table int32, i, end int) {
	depth := 0
	fresh := true
	for i < end {
		c := s.code[i]
		switch {
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth < 0 {
				return
			}
		case c == ',' && depth == 0:
			fresh = true
		case isSpace(c):
		case fresh:
			fresh = false
			from, to, after := s.sqlName(i)
			if from == to {
				break
			}
			switch s.key(from, to) {
			case "constraint", "primary", "foreign", "unique", "check", "key", "index", "like", "exclude", "period", "fulltext", "spatial":
			default:
				stop, d := after, 0
				for stop < end && (d > 0 || s.code[stop] != ',') {
					switch s.code[stop] {
					case '(':
						d++
					case ')':
						d--
					}
					if d < 0 {
						break
					}
					stop++
				}
				if x := s.declare(artifact.KindField, table, i, from, to, stop); x >= 0 {
					s.close(x, stop)
				}
				i = after
				continue
			}
		}
		i++
	}
}

// sqlUses finds the tables that statements read and write, and the routines
// that they call.
func (s *scanner) sqlUses() {
	declared := make(map[uint32]bool, len(s.decls))
	for i := range s.decls {
		declared[s.decls[i].NameAt] = true
	}
	for i := 0; i < len(s.code); {
		if !isLetter(s.code[i]) {
			i++
			continue
		}
		e := s.word(i)
		if e == i {
			i++
			continue
		}
		role := artifact.RoleRead
		ok := true
		switch s.key(i, e) {
		case "from", "join", "references":
		case "into", "update", "table":
			role = artifact.RoleWrite
		case "call", "exec", "execute", "perform":
			role = artifact.RoleCall
		default:
			ok = false
		}
		if ok {
			k := s.skipLines(e)
			from, to, end := s.sqlName(k)
			switch s.key(from, to) {
			case "if", "only", "select", "lateral", "set", "values", "exists", "function", "procedure", "not", "of":
				ok = false
			}
			if ok && from < to && !declared[uint32(from)] && !isDigit(s.src[from]) {
				s.use(role, from, to, "")
			}
			if end > e && ok {
				e = end
			}
		}
		i = e
	}
}
