package scan

import (
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// readUses finds calls, inherited types and imports.
func (s *scanner) readUses() {
	t := s.table
	if s.depth == Structured {
		s.readHeads()
		return
	}
	code := s.code
	declared := make(map[uint32]bool, len(s.decls))
	for i := range s.decls {
		declared[s.decls[i].NameAt] = true
	}
	stmt := true // the first word of a statement follows
	for i := 0; i < len(code); {
		c := code[i]
		if !isLetter(c) || i > 0 && (isDigit(code[i-1]) || isLetter(code[i-1])) {
			if c == '\n' || c == ';' || c == '{' || c == '}' {
				stmt = true
			} else if !isBlank(c) && c != '@' && c != '#' && c != '-' {
				stmt = false
			}
			i++
			continue
		}
		e := s.word(i)
		if e == i {
			i++
			continue
		}
		word := s.key(i, e)
		if stmt {
			if form, ok := t.imports[word]; ok && !declared[uint32(i)] {
				if next := s.importAt(form, i, e); next > i {
					i, stmt = next, false
					continue
				}
			}
		}
		stmt = false
		open := e
		if open < len(code) && code[open] == '!' && t.nameTail == "" {
			open++
		}
		if t.loose {
			open = s.skip(open)
		}
		if open < len(code) && code[open] == '(' && !declared[uint32(i)] && !s.table.isKeyword[word] && !s.table.isModifier[word] {
			_, declares := t.rules[word]
			if !declares {
				role := artifact.RoleCall
				from, name := i, e
				// A name that holds dots is a chain of its own.
				if k := strings.LastIndexAny(string(code[i:e]), ".:#"); k > 0 && k+1 < e-i {
					from = i + k + 1
				}
				if s.newBefore(i) || t.upperNew && code[from] >= 'A' && code[from] <= 'Z' {
					role = artifact.RoleInstantiate
				}
				s.use(role, from, name, s.chain(from))
			}
		}
		if t.qualified && e < len(code) && code[e] == '.' && code[i] >= 'A' && code[i] <= 'Z' {
			// Module.name, where calls have no parentheses.
			for e+1 < len(code) && code[e] == '.' {
				n := s.word(e + 1)
				if n == e+1 {
					break
				}
				i, e = e+1, n
			}
			if code[i] >= 'a' && code[i] <= 'z' || code[i] == '_' {
				s.use(artifact.RoleRead, i, e, s.chain(i))
			}
		}
		i = e
	}
	s.readHeads()
}

// newBefore reports whether the word "new" stands in front of i.
func (s *scanner) newBefore(i int) bool {
	j := i
	for j > 0 && isBlank(s.code[j-1]) {
		j--
	}
	return j < i && j >= 3 && string(s.code[j-3:j]) == "new" && (j == 3 || !s.table.isName(s.code[j-4]))
}

// chain returns the receiver of the name at i: the names and the dots, arrows
// and colons in front of it; "" for none, "…" for what is no plain chain.
func (s *scanner) chain(i int) string {
	sep := func(j int) int {
		switch {
		case j >= 2 && (string(s.code[j-2:j]) == "->" || string(s.code[j-2:j]) == "::" || string(s.code[j-2:j]) == "?."):
			return 2
		case j >= 1 && (s.code[j-1] == '.' || s.code[j-1] == ':' && strings.IndexByte(s.table.nameBytes, ':') >= 0 || s.code[j-1] == '#' && strings.IndexByte(s.table.nameBytes, '#') >= 0):
			return 1
		}
		return 0
	}
	n := sep(i)
	if n == 0 {
		return ""
	}
	end := i - n
	j := end
	for {
		k := j
		for k > 0 && (isLetter(s.code[k-1]) || isDigit(s.code[k-1]) || s.code[k-1] == '@' || s.code[k-1] == '$') && end-k < maxReceiver {
			k--
		}
		if k == j {
			return ellipsis
		}
		j = k
		m := sep(j)
		if m == 0 {
			break
		}
		j -= m
		if end-j >= maxReceiver {
			return ellipsis
		}
	}
	if end-j > maxReceiver {
		return ellipsis
	}
	return s.intern(s.src[j:end])
}

// importAt reads an import statement whose word is [i, e). It returns where it
// ends, i for what is none.
func (s *scanner) importAt(form importForm, i, e int) int {
	end := e + lineLen(s.code[e:])
	if n := strings.IndexByte(string(s.code[e:end]), ';'); n >= 0 {
		end = e + n
	}
	k := s.skip(e)
	if form == stringPath {
		for k < end && s.code[k] != stringByte && s.code[k] != '<' {
			k++
		}
		if k >= end {
			return i
		}
		j := k + 1
		for j < end && (s.code[k] == '<' && s.src[j] != '>' || s.code[k] != '<' && s.code[j] == stringByte) {
			j++
		}
		module := strings.Trim(string(s.src[k:j]), "\"'<>")
		if module == "" || len(module) > maxName {
			return i
		}
		alias := ""
		if a := strings.Fields(string(s.code[j:end])); len(a) > 1 && a[0] == "as" {
			alias = a[1]
		}
		s.addImport(k+1, module, "", alias)
		return end
	}
	found := false
	for k < end {
		j := k
		for j < end && (s.table.isName(s.code[j]) || s.code[j] == '.' || s.code[j] == ':' && hasPrefix(s.code[j:], "::") || j > k && s.code[j] == ':' && s.code[j-1] == ':' || s.code[j] == '/' || s.code[j] == '*') {
			j++
		}
		if j == k {
			if found || k > s.skip(e) {
				break
			}
			return i
		}
		module := strings.TrimRight(string(s.src[k:j]), ".:")
		switch word := s.key(k, j); {
		case form == wholePath && !found && (s.table.isModifier[word] || s.table.isKeyword[word]):
			k = s.skip(j)
			continue
		case module == "" || isDigit(module[0]):
			return i
		}
		alias := module
		if n := strings.LastIndexAny(module, ".:/"); n >= 0 {
			alias = module[n+1:]
		}
		name := ""
		if m, ok := strings.CutSuffix(module, ".*"); ok {
			module, name, alias = m, "*", ""
		}
		rest := strings.Fields(string(s.code[j:end]))
		if len(rest) > 1 && (rest[0] == "as" || rest[0] == "as:") {
			alias = strings.TrimRight(rest[1], ",;")
		} else if len(rest) > 2 && rest[1] == "as:" {
			alias = rest[2]
		}
		s.addImport(k, module, name, alias)
		found = true
		k = s.skip(j)
		if form != pathList || k >= end || s.code[k] != ',' {
			break
		}
		k = s.skip(k + 1)
	}
	if !found {
		return i
	}
	return end
}

// readHeads finds the types that the heads of containers name.
func (s *scanner) readHeads() {
	t := s.table
	if len(t.inherit) == 0 {
		return
	}
	for d := range s.decls {
		decl := &s.decls[d]
		if !decl.Kind.Container() || decl.NameAt >= decl.SigEnd {
			continue
		}
		role, on := artifact.RoleInherit, false
		i := int(decl.NameAt) + len(decl.Name)
		end := min(int(decl.SigEnd), i+maxAhead)
		for i < end {
			c := s.code[i]
			if r, ok := t.inherit[string(c)]; ok && !isLetter(c) {
				if c == '<' && !on && s.angleIsParameter(i) {
					i = max(s.angle(i), i+1)
					continue
				}
				role, on = r, true
				i++
				continue
			}
			switch {
			case c == '<' || c == '(' || c == '[':
				if c == '<' {
					i = max(s.angle(i), i+1)
				} else {
					i = max(s.pair(i), i+1)
				}
				continue
			case !isLetter(c):
				i++
				continue
			}
			e := s.word(i)
			if e == i {
				i++
				continue
			}
			word := s.key(i, e)
			if r, ok := t.inherit[word]; ok {
				role, on = r, true
			} else if word == "where" {
				break
			} else if on && !s.table.isKeyword[word] && !s.table.isModifier[word] {
				from := i
				for e < end && s.code[e] == '.' {
					n := s.word(e + 1)
					if n == e+1 {
						break
					}
					from, e = e+1, n
				}
				s.use(role, from, e, s.chain(from))
			}
			i = e
		}
	}
}

// angleIsParameter reports whether "<" at i touches a name in front of it.
func (s *scanner) angleIsParameter(i int) bool {
	return i > 0 && s.table.isName(s.code[i-1])
}
