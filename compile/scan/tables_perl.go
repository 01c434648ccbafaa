package scan

import (
	"bytes"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

func perl() *table {
	return &table{
		lexis: lexis{line: []string{"#"}, spaced: true, quotes: []quote{
			{open: `"`, close: `"`, escape: '\\', lines: true}, {open: "'", close: "'", escape: '\\', lines: true},
		}, special: perlLiteral},
		nameBytes: ":", resync: true,
		rules: map[string]rule{
			"sub":     {kind: artifact.KindFunction, name: dotted, nested: true},
			"method":  {kind: artifact.KindMethod, name: dotted},
			"package": {kind: artifact.KindModule, name: dotted},
			"class":   {kind: artifact.KindClass, name: dotted, not: "=-(,;"},
			"role":    {kind: artifact.KindTrait, name: dotted, not: "=-(,;"},
		},
		modifiers: []string{"my", "our", "async"},
		keywords:  []string{"if", "while", "for", "foreach", "unless", "until", "return", "my", "our", "local", "and", "or", "not", "elsif", "qw", "q", "qq", "m", "s", "tr", "y", "x", "eq", "ne", "use", "no", "require"},
		imports:   map[string]importForm{"use": wholePath, "require": wholePath},
		hook:      perlStatement,
	}
}

// perlStatement closes a package statement where the next begins, and matches
// constants.
func perlStatement(w *walk, i int) (int, bool) {
	if i > 0 && w.code[i-1] != '\n' || !hasPrefix(w.code[i:], "use constant") {
		return 0, false
	}
	k := w.skip(i + len("use constant"))
	e := w.word(k)
	if e == k {
		return 0, false
	}
	if d := w.declare(artifact.KindConstant, w.around(), i, k, e, e); d >= 0 {
		w.pending, w.body = d, stmt
		return e, true
	}
	return 0, false
}

// perlLiteral recognizes POD, the end of the code, here documents, quotes of
// one's own choice, and variables whose names are signs.
func perlLiteral(src []byte, i int) (int, bool) {
	c := src[i]
	bol := i == 0 || src[i-1] == '\n'
	switch {
	case bol && c == '=' && i+1 < len(src) && isLetter(src[i+1]):
		if n := bytes.Index(src[i:], []byte("\n=cut")); n >= 0 {
			return i + n + 5 + lineLen(src[i+n+5:]), true
		}
		return len(src), true
	case bol && (hasPrefix(src[i:], "__END__") || hasPrefix(src[i:], "__DATA__")):
		return len(src), true
	case c == '$' && i+1 < len(src) && strings.IndexByte("#'\"&`/\\;", src[i+1]) >= 0:
		return i + 2, false
	case c == '/' && perlRegex(src, i):
		if end := delimited(src, i, 1); end > 0 && bytes.IndexByte(src[i:end], '\n') < 0 {
			return end, false
		}
	case c == '<' && i+2 < len(src) && src[i+1] == '<' && (src[i+2] == '"' || src[i+2] == '\'' || src[i+2] == '~' || src[i+2] >= 'A' && src[i+2] <= 'Z'):
		return hereDocument(src, i), false
	case isLetter(c) && (i == 0 || !isLetter(src[i-1]) && !isDigit(src[i-1]) && strings.IndexByte("$@%&->{", src[i-1]) < 0):
		j := i
		for j < len(src) && j-i < 3 && isLetter(src[j]) {
			j++
		}
		parts := 0
		switch string(src[i:j]) {
		case "q", "qq", "qw", "qr", "m":
			parts = 1
		case "s", "tr", "y":
			parts = 2
		default:
			return 0, false
		}
		if j >= len(src) || isLetter(src[j]) || isDigit(src[j]) || strings.IndexByte(" \t\n,;=)", src[j]) >= 0 && !(src[j] == ' ' && j+1 < len(src) && strings.IndexByte("({[<", src[j+1]) >= 0) {
			return 0, false
		}
		if src[j] == ' ' {
			j++
		}
		return delimited(src, j, parts), false
	}
	return 0, false
}

// perlRegex reports whether the slash at i begins a pattern: behind an
// operator, a bracket or one of the words that take one.
func perlRegex(src []byte, i int) bool {
	j := i
	for j > 0 && isBlank(src[j-1]) {
		j--
	}
	if j == 0 || strings.IndexByte("~(,=!&|{;\n", src[j-1]) >= 0 {
		return true
	}
	k := j
	for k > 0 && isLetter(src[k-1]) {
		k--
	}
	switch string(src[k:j]) {
	case "split", "grep", "if", "unless", "and", "or", "not", "return", "when", "while", "until":
		return true
	}
	return false
}

// delimited returns where what stands between delimiters of any kind ends; 0
// when it does not within reason.
func delimited(src []byte, j, parts int) int {
	open := src[j]
	closing := open
	if n := strings.IndexByte("({[<", open); n >= 0 {
		closing = ")}]>"[n]
	}
	depth := 1
	for k := j + 1; k < len(src) && k-j < 1<<15; k++ {
		switch c := src[k]; {
		case c == '\\':
			k++
		case c == closing:
			if depth--; depth > 0 {
				continue
			}
			if parts--; parts == 0 {
				return k + 1
			}
			depth = 1
			if open != closing {
				for k+1 < len(src) && isSpace(src[k+1]) {
					k++
				}
				if k+1 < len(src) {
					return delimited(src, k+1, parts)
				}
			}
		case c == open && open != closing:
			depth++
		case c == '\n' && open == closing && parts == 1 && k-j > 2000:
			return miss
		}
	}
	return miss
}

// hereDocument returns where a here document that is announced at i ends; the
// rest of the announcing line counts as its text.
func hereDocument(src []byte, i int) int {
	j := i + 2
	for j < len(src) && (src[j] == '~' || src[j] == '-') {
		j++
	}
	if j < len(src) && (src[j] == '"' || src[j] == '\'') {
		j++
	}
	k := j
	for k < len(src) && (isLetter(src[k]) || isDigit(src[k])) {
		k++
	}
	if k == j {
		return 0
	}
	mark := src[j:k]
	for at := k + lineLen(src[k:]); at < len(src); {
		from := at + 1
		at = from + lineLen(src[min(from, len(src)):])
		if from <= len(src) && bytes.Equal(bytes.TrimSpace(src[from:min(at, len(src))]), mark) {
			return at
		}
	}
	return miss
}
