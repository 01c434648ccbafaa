package scan

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

func erlang() *table {
	return &table{
		lexis: lexis{line: []string{"%"}, quotes: []quote{
			{open: `"""`, close: `"""`, lines: true}, {open: `"`, close: `"`, escape: '\\', lines: true},
		}, special: erlangLiteral},
		nameBytes: "@",
		keywords:  []string{"if", "case", "of", "end", "when", "receive", "after", "begin", "fun", "try", "catch", "andalso", "orelse", "not", "spec", "type", "opaque", "callback", "record", "define", "module", "export", "import", "is_record", "behaviour", "behavior", "include", "include_lib", "compile"},
		rules:     map[string]rule{},
	}
}

func erlangLiteral(src []byte, i int) (int, bool) {
	if src[i] == '$' && i+1 < len(src) {
		if src[i+1] == '\\' {
			return i + 3, false
		}
		return i + 2, false
	}
	return 0, false
}

// readErlang walks forms, which a full stop ends. The clauses of a function
// are one form.
func readErlang(s *scanner) {
	s.start(&s.table.lexis)
	code := s.code
	for i := 0; i < len(code); {
		i = s.skipLines(i)
		if i >= len(code) {
			break
		}
		end := i
		for end < len(code) && !(code[end] == '.' && (end+1 == len(code) || isSpace(code[end+1]) || code[end+1] == '%')) {
			end++
		}
		end = min(end+1, len(code))
		s.erlangForm(i, end)
		i = end
	}
	s.readUses()
}

func (s *scanner) erlangForm(i, end int) {
	if s.code[i] == '-' {
		k := s.skip(i + 1)
		e := s.word(k)
		word := string(s.code[k:e])
		k = s.skip(e)
		if k < end && s.code[k] == '(' {
			k = s.skipLines(k + 1)
		}
		n := s.atom(k)
		kind := artifact.KindUnknown
		switch word {
		case "module":
			kind = artifact.KindPackage
		case "record":
			kind = artifact.KindStruct
		case "define":
			kind = artifact.KindConstant
			if n < end && s.code[n] == '(' {
				kind = artifact.KindMacro
			}
		case "type", "opaque", "nominal":
			kind = artifact.KindType
		case "callback":
			kind = artifact.KindFunction
		case "spec", "doc", "dialyzer":
			s.leads = append(s.leads, span{i, end})
			return
		case "include", "include_lib":
			m := k
			for m < end && s.code[m] == stringByte {
				m++
			}
			s.addImport(k+1, strings.Trim(string(s.src[k:m]), `"`), "", "")
			return
		case "import":
			s.addImport(k, string(s.src[k:n]), "*", "")
			return
		case "behaviour", "behavior":
			s.use(artifact.RoleImplement, k, n, "")
			return
		}
		if kind != artifact.KindUnknown {
			if d := s.declare(kind, none, i, k, n, end); d >= 0 && word == "callback" {
				s.decls[d].Flags |= artifact.SymbolForward
			}
		}
		return
	}
	n := s.atom(i)
	if n == i || n >= end || s.code[n] != '(' || s.code[i] >= 'A' && s.code[i] <= 'Z' || !bytes.Contains(s.code[n:end], []byte("->")) {
		return
	}
	// -ifdef between clauses: the same function goes on.
	if d := s.declare(artifact.KindFunction, none, i, i, n, end); d >= 0 {
		s.signature(d, i+max(0, bytes.Index(s.code[i:end], []byte("->"))))
	}
}

// atom returns the end of the atom or variable at i.
func (s *scanner) atom(i int) int {
	if i < len(s.src) && s.src[i] == '\'' {
		if n := bytes.IndexByte(s.src[i+1:min(len(s.src), i+maxName)], '\''); n > 0 {
			return i + n + 2
		}
	}
	if i < len(s.code) && s.code[i] == '?' {
		i++
	}
	return s.word(i)
}

func assembly() *table {
	return &table{
		lexis:     lexis{block: []bracket{{"/*", "*/", false}}, quotes: []quote{{open: `"`, close: `"`, escape: '\\'}}, special: assemblyComment},
		nameBytes: ".$@?·", rules: map[string]rule{}, keywords: nil,
	}
}

// assemblyComment recognizes the comment signs of the assemblers in use. "#"
// and "@" begin one only where a line or a word does.
func assemblyComment(src []byte, i int) (int, bool) {
	switch c := src[i]; {
	case c == ';', hasPrefix(src[i:], "//"):
	case c == '#' && (i == 0 || src[i-1] == '\n' || isBlank(src[i-1])) && i+1 < len(src) && (isBlank(src[i+1]) || src[i+1] == '#'):
	case c == '@' && i > 0 && isBlank(src[i-1]) && i+1 < len(src) && isBlank(src[i+1]):
	default:
		return 0, false
	}
	return i + lineLen(src[i:]), true
}

// readAssembly finds labels, each of which reaches to the next that is not
// local, macros, and Go's TEXT.
func readAssembly(s *scanner) {
	s.start(&s.table.lexis)
	open, macro := none, none
	last := 0
	lines(s.code, func(from, to int) bool {
		i := s.skip(from)
		if i >= to {
			return false
		}
		e := s.word(i)
		word := strings.ToLower(string(s.code[i:e]))
		next := s.skip(e)
		shut := func() {
			s.close(open, last)
			open = none
		}
		switch {
		case word == ".macro" || word == "%macro":
			k := next
			if n := s.word(k); n > k {
				shut()
				macro = s.declare(artifact.KindMacro, none, i, k, n, to)
			}
		case word == ".endm" || word == ".endmacro" || word == "%endmacro":
			s.close(macro, to)
			macro = none
		case macro >= 0:
		case word == "text" && from == i || word == "globl" && from == i:
			if word == "globl" {
				shut()
				break
			}
			k := next
			n := k
			for n < to && s.code[n] != '(' && s.code[n] != '<' && s.code[n] != ',' && !isSpace(s.code[n]) {
				n++
			}
			name := string(s.src[k:n])
			at := k
			if m := strings.LastIndex(name, "·"); m >= 0 {
				at += m + len("·")
			}
			shut()
			if at < n {
				open = s.declare(artifact.KindFunction, none, i, at, n, to)
			}
		case e > i && e < to && s.code[e] == ':' && !isDigit(s.code[i]) && !strings.HasPrefix(word, ".l") && !strings.HasPrefix(word, "."):
			shut()
			open = s.declare(artifact.KindFunction, none, i, i, e, to)
			if open >= 0 {
				s.signature(open, e+1)
			}
		case word == ".section" || word == ".text" || word == ".data" || word == ".bss" || word == ".globl" || word == ".global" || word == "section" || word == ".type" || word == ".align" || word == ".p2align":
			shut()
		case word == "#include" || word == ".include" || word == "%include":
			s.importAt(stringPath, i, e)
		case slices.Contains([]string{"call", "callq", "bl", "blx", "jal", "jmp", "b"}, word) && next < to:
			n := s.word(next)
			if at := bytes.IndexByte(s.code[next:max(n, next)], '@'); at > 0 {
				n = next + at
			}
			if n > next && n >= s.skipTail(n, to) {
				s.use(artifact.RoleCall, next, n, "")
			}
		}
		if hasPrefix(s.src[i:], "#include") {
			s.importAt(stringPath, i, i+len("#include"))
		}
		last = to
		return false
	})
	s.close(open, last)
	s.close(macro, last)
}

// skipTail returns where a call's operand ends: at the line's end, a comment,
// or a suffix such as "@PLT" or "(SB)".
func (s *scanner) skipTail(n, to int) int {
	k := s.skip(n)
	if k >= to || s.code[k] == '@' || hasPrefix(s.code[k:], "(SB)") {
		return n
	}
	return k + 1
}
