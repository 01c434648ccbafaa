package scan

import (
	"bytes"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

func plain(line string, nameBytes string) *table {
	return &table{lexis: lexis{line: []string{line}, spaced: true}, nameBytes: nameBytes, rules: map[string]rule{}}
}

func cmakeTable() *table {
	t := plain("#", "")
	t.fold = true
	t.block = []bracket{{"#[[", "]]", false}}
	t.quotes = []quote{{open: `"`, close: `"`, escape: '\\', lines: true}}
	return t
}

// logicalLines calls fn with each line of the code, together with those that a
// sign at its end joins to it.
func (s *scanner) logicalLines(join byte, fn func(from, to int)) {
	for at := 0; at < len(s.code); {
		to := at
		for {
			to += lineLen(s.code[to:])
			e := to
			for e > at && isBlank(s.code[e-1]) {
				e--
			}
			if e == at || s.code[e-1] != join || to >= len(s.code) {
				break
			}
			to++
		}
		fn(at, to)
		at = to + 1
	}
}

// readDockerfile makes a declaration of each stage, from its FROM to the next,
// and of what ARG and ENV name.
func readDockerfile(s *scanner) {
	s.start(&s.table.lexis)
	stage, last := none, 0
	stages := map[string]bool{}
	s.logicalLines('\\', func(from, to int) {
		i := s.skip(from)
		e := s.word(i)
		if e == i || e > to {
			return
		}
		words := strings.Fields(string(s.code[e:to]))
		find := func(w string, at int) int { return at + max(0, bytes.Index(s.code[at:to], []byte(w))) }
		switch strings.ToUpper(string(s.code[i:e])) {
		case "FROM":
			s.close(stage, last)
			image, name := "", ""
			for n, w := range words {
				switch {
				case strings.HasPrefix(w, "--") || w == "\\":
				case image == "":
					image = w
				case strings.EqualFold(w, "as") && n+1 < len(words):
					name = words[n+1]
				}
			}
			if image == "" {
				stage = none
				return
			}
			at := find(image, e)
			if stages[strings.ToLower(image)] {
				s.use(artifact.RoleInherit, at, at+len(image), "")
			} else if !strings.ContainsAny(image, "$") && image != "scratch" {
				s.addImport(at, image, "", "")
			}
			nameAt := at
			if name != "" {
				nameAt = at + len(image) + max(0, bytes.LastIndex(s.code[at+len(image):to], []byte(name)))
				stages[strings.ToLower(name)] = true
			} else {
				name = image
			}
			stage = s.declareNamed(artifact.KindEntry, none, i, nameAt, name, to)
		case "ARG", "ENV":
			at := e
			for _, w := range words {
				name, _, pair := strings.Cut(w, "=")
				at = find(w, at)
				if n := len(name); n > 0 && isLetter(name[0]) {
					s.declare(artifact.KindVariable, stage, at, at, at+n, at+len(w))
				}
				if !pair {
					break
				}
				at += len(w)
			}
		case "COPY", "ADD", "RUN":
			at := e
			for {
				n := bytes.Index(s.code[at:to], []byte("from="))
				if n < 0 {
					break
				}
				at += n + len("from=")
				m := at
				for m < to && !isSpace(s.code[m]) && s.code[m] != ',' {
					m++
				}
				s.use(artifact.RoleRead, at, m, "")
			}
		}
		last = to
	})
	s.close(stage, len(s.code))
}

// readMake makes a declaration of each rule with its recipe, of variables and
// of what define defines.
func readMake(s *scanner) {
	s.start(&s.table.lexis)
	open, last, define := none, 0, none
	seen := map[string]bool{}
	just := s.lang == "just"
	s.logicalLines('\\', func(from, to int) {
		line := s.code[from:to]
		if define >= 0 {
			if t := bytes.TrimSpace(line); hasPrefix(t, "endef") {
				s.close(define, to)
				define = none
			}
			return
		}
		if len(bytes.TrimSpace(line)) == 0 {
			return
		}
		if line[0] == '\t' || just && line[0] == ' ' {
			last = to
			return
		}
		i := s.skip(from)
		e := s.word(i)
		word := string(s.code[i:e])
		if line[0] != ' ' || open < 0 {
			if isConditional(word) {
				last = to // it may stand between the lines of a recipe
				return
			}
		}
		s.close(open, last)
		open = none
		switch word {
		case "include", "-include", "sinclude", "import", "mod":
			for _, m := range strings.Fields(string(s.src[e:to])) {
				if m = strings.Trim(m, `"'`); !strings.ContainsAny(m, "$\\") {
					s.addImport(e+max(0, bytes.Index(s.src[e:to], []byte(m))), m, "", "")
				}
			}
			return
		case "define":
			k := s.skip(e)
			define = s.declare(artifact.KindFunction, none, i, k, s.word(k), to)
			return
		case "export", "override", "private", "unexport", "set", "alias":
			i = s.skip(e)
			e = s.word(i)
		}
		rest := string(s.code[i:to])
		assign := strings.IndexByte(rest, '=')
		if just {
			assign = strings.Index(rest, ":=")
			if assign > 0 {
				assign++
			}
		}
		colon := targetColon(rest)
		if assign >= 0 && (colon < 0 || colon+1 >= assign || strings.TrimRight(rest[colon:assign], ":") == "") {
			if e > i && !seen[string(s.code[i:e])] && strings.Trim(rest[e-i:assign], " \t:?+!") == "" {
				seen[string(s.code[i:e])] = true
				s.declare(artifact.KindVariable, none, i, i, e, to)
			}
			return
		}
		if colon <= 0 {
			return
		}
		targets := strings.Fields(rest[:colon])
		if just {
			targets = strings.Fields(strings.TrimPrefix(rest[:colon], "@"))[:1]
		}
		if len(targets) == 0 {
			return
		}
		at := i + max(0, strings.Index(rest, targets[0]))
		if !strings.HasPrefix(targets[0], ".") || strings.ContainsAny(targets[0], "/%") {
			open = s.declareNamed(artifact.KindEntry, none, i, at, targets[0], to)
			s.signature(open, to)
			for _, more := range targets[1:] {
				at = i + max(0, strings.Index(rest, " "+more)+1)
				if open >= 0 {
					s.declareNamed(artifact.KindEntry, open, at, at, more, at+len(more))
				}
			}
		}
		last = to
		for _, dep := range strings.Fields(rest[colon+1:]) {
			dep = strings.TrimLeft(dep, ":")
			if strings.HasPrefix(dep, ";") {
				break
			}
			if dep == "" || dep == "\\" || strings.ContainsAny(dep, "$|=()\"'{}&") || dep == "|" {
				continue
			}
			if n := strings.Index(rest[colon:], dep); n >= 0 {
				s.use(artifact.RoleRead, i+colon+n, i+colon+n+len(dep), "")
			}
		}
	})
	s.close(open, last)
	s.close(define, len(s.code))
	if !just {
		s.makeVariables()
	}
}

func isConditional(w string) bool {
	switch w {
	case "ifeq", "ifneq", "ifdef", "ifndef", "else", "endif":
		return true
	}
	return false
}

// targetColon returns the place of the colon that ends a rule's targets; -1
// where there is none.
func targetColon(rest string) int {
	depth := 0
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '(', '{':
			depth++
		case ')', '}':
			depth--
		case ':':
			if depth > 0 {
				continue
			}
			if i+1 < len(rest) && rest[i+1] == '=' || strings.HasPrefix(rest[i:], "::=") {
				return -1
			}
			return i
		}
	}
	return -1
}

// makeVariables notes the variables and functions that $(...) names.
func (s *scanner) makeVariables() {
	for i := 0; i+2 < len(s.code); i++ {
		if s.code[i] != '$' || s.code[i+1] != '(' && s.code[i+1] != '{' {
			continue
		}
		k := i + 2
		e := s.word(k)
		role := artifact.RoleRead
		if string(s.code[k:e]) == "call" {
			k = s.skip(e)
			e = s.word(k)
			role = artifact.RoleCall
		}
		if e > k && e < len(s.code) && strings.IndexByte("):,}", s.code[e]) >= 0 {
			s.use(role, k, e, "")
		}
	}
}

// readCMake walks commands.
func readCMake(s *scanner) {
	s.start(&s.table.lexis)
	var open []int32
	around := func() int32 {
		if n := len(open); n > 0 {
			return open[n-1]
		}
		return none
	}
	seen := map[string]bool{}
	for i := 0; i < len(s.code); {
		i = s.skipLines(i)
		e := s.word(i)
		p := s.skip(e)
		if e == i || p >= len(s.code) || s.code[p] != '(' {
			i = max(e, i+1)
			continue
		}
		depth, end := 0, p
		for ; end < len(s.code); end++ {
			if s.code[end] == '(' {
				depth++
			} else if s.code[end] == ')' {
				if depth--; depth == 0 {
					end++
					break
				}
			}
		}
		name := s.skipLines(p + 1)
		nameEnd := name
		for nameEnd < end && !isSpace(s.src[nameEnd]) && s.src[nameEnd] != ')' {
			nameEnd++
		}
		declare := func(kind artifact.Kind) int32 {
			if name >= nameEnd || bytes.IndexByte(s.src[name:nameEnd], '$') >= 0 {
				return none
			}
			return s.declare(kind, around(), i, name, nameEnd, end)
		}
		switch word := s.key(i, e); word {
		case "function", "macro":
			d := declare(map[string]artifact.Kind{"function": artifact.KindFunction, "macro": artifact.KindMacro}[word])
			s.signature(d, end)
			open = append(open, d)
		case "endfunction", "endmacro":
			if n := len(open); n > 0 {
				s.close(open[n-1], end)
				open = open[:n-1]
			}
		case "add_executable", "add_library", "add_custom_target", "add_test", "project":
			if len(open) == 0 {
				declare(artifact.KindEntry)
			}
		case "set", "option":
			if n := string(s.src[name:nameEnd]); len(open) == 0 && !seen[n] {
				seen[n] = true
				declare(artifact.KindVariable)
			}
		case "include", "add_subdirectory", "find_package":
			if m := strings.Trim(string(s.src[name:nameEnd]), `"`); m != "" && !strings.Contains(m, "$") {
				s.addImport(name, m, "", m)
			}
		case "if", "elseif", "else", "endif", "foreach", "endforeach", "while", "endwhile", "return", "message", "list", "string", "file", "break", "continue":
		case "target_link_libraries", "add_dependencies", "target_include_directories", "target_compile_definitions", "target_compile_options", "target_sources", "install", "set_target_properties":
			for k := name; k < end; {
				k = s.skipLines(k)
				m := k
				for m < end && !isSpace(s.src[m]) && s.src[m] != ')' {
					m++
				}
				if w := string(s.src[k:m]); w != "" && isLetter(w[0]) && strings.ToUpper(w) != w && !strings.ContainsAny(w, "$/\"") {
					s.use(artifact.RoleRead, k, m, "")
				}
				k = max(m, k+1)
				if word != "target_link_libraries" && word != "add_dependencies" {
					break
				}
			}
		default:
			s.use(artifact.RoleCall, i, e, "")
		}
		i = end
	}
	for n := len(open) - 1; n >= 0; n-- {
		s.close(open[n], len(s.code))
	}
}
