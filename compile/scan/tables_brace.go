package scan

import (
	"bytes"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// cQuotes are strings and characters as C has them.
func cQuotes() []quote {
	return []quote{{open: `"`, close: `"`, escape: '\\'}, {open: "'", close: "'", escape: '\\'}}
}

func cLexis() lexis {
	return lexis{line: []string{"//"}, block: []bracket{{"/*", "*/", false}}, quotes: cQuotes()}
}

func swift() *table {
	return &table{
		lexis: lexis{
			line: []string{"//"}, block: []bracket{{"/*", "*/", true}},
			quotes: []quote{
				{open: `#"""`, close: `"""#`, lines: true}, {open: `#"`, close: `"#`},
				{open: `"""`, close: `"""`, escape: 0, lines: true, interp: `\(`},
				{open: `"`, close: `"`, interp: `\(`},
			},
			special: swiftEscape,
		},
		newlines: true, attribute: "@", upperNew: true,
		rules: map[string]rule{
			"func":            {kind: artifact.KindFunction, member: artifact.KindMethod, name: operator, nested: true},
			"init":            {kind: artifact.KindConstructor, name: itself, not: ".=:,"},
			"deinit":          {kind: artifact.KindMethod, name: itself, not: ".=:(,"},
			"subscript":       {kind: artifact.KindMethod, name: itself, not: ".=:,"},
			"class":           {kind: artifact.KindClass, not: "{(", nested: true},
			"struct":          {kind: artifact.KindStruct, nested: true},
			"enum":            {kind: artifact.KindEnum, nested: true},
			"actor":           {kind: artifact.KindClass, nested: true, not: "=.,"},
			"protocol":        {kind: artifact.KindProtocol},
			"extension":       {kind: artifact.KindImpl, name: dotted},
			"typealias":       {kind: artifact.KindType, body: stmt},
			"associatedtype":  {kind: artifact.KindType, body: stmt, flags: artifact.SymbolForward},
			"precedencegroup": {kind: artifact.KindType},
			"macro":           {kind: artifact.KindMacro, not: ".=(,"},
			"var":             {kind: artifact.KindVariable, member: artifact.KindProperty, body: stmt},
			"let":             {kind: artifact.KindConstant, member: artifact.KindProperty, body: stmt},
			"case":            {kind: artifact.KindEnumMember, name: list, body: stmt, not: ".\"(-"},
		},
		modifiers: []string{"public", "private", "fileprivate", "internal", "open", "package", "static", "class", "final", "override",
			"mutating", "nonmutating", "required", "convenience", "lazy", "weak", "unowned", "dynamic", "optional", "indirect",
			"prefix", "postfix", "infix", "nonisolated", "distributed", "async", "rethrows", "isolated", "borrowing", "consuming"},
		keywords: []string{"if", "while", "for", "in", "switch", "return", "guard", "where", "catch", "throw", "throws", "try", "await", "is", "as", "self", "super", "repeat", "defer", "do", "else", "some", "any", "inout", "get", "set", "willSet", "didSet"},
		inherit:  map[string]artifact.Role{":": artifact.RoleInherit},
		imports:  map[string]importForm{"import": wholePath},
		joins:    []string{"where", "throws", "async", "else"},
		hook:     swiftCase,
	}
}

// swiftEscape passes over an escaped quote in a string, which the quotes' own
// escape would hide from interpolation.
func swiftEscape(src []byte, i int) (int, bool) {
	if src[i] != '"' || hasPrefix(src[i:], `"""`) {
		return 0, false
	}
	return scanInterpolated(src, i, '"', `\(`), false
}

// scanInterpolated returns where a one-line string with escapes ends, in which
// open begins code; strings in that code may hold the quote.
func scanInterpolated(src []byte, i int, q byte, open string) int {
	depth := 0 // of brackets in code
	inner := false
	for j := i + 1; j < len(src) && src[j] != '\n'; j++ {
		switch {
		case depth == 0 && hasPrefix(src[j:], open):
			depth = 1
			j += len(open) - 1
		case depth > 0:
			switch c := src[j]; {
			case c == '\\':
				j++
			case c == q:
				inner = !inner
			case inner:
			case c == '(' || c == '{':
				depth++
			case c == ')' || c == '}':
				depth--
			}
		case src[j] == '\\':
			j++
		case src[j] == q:
			return j + 1
		}
	}
	return i + lineLen(src[i:])
}

// swiftCase keeps the cases of a switch from being taken for an enum's.
func swiftCase(w *walk, i int) (int, bool) {
	e := w.word(i)
	if string(w.code[i:e]) == "case" && w.kind(w.around()) != artifact.KindEnum || string(w.code[i:e]) == "case" && !w.direct() {
		return e, true
	}
	return 0, false
}

func dart() *table {
	return &table{
		lexis: lexis{
			line: []string{"//"}, block: []bracket{{"/*", "*/", true}},
			quotes: []quote{
				{open: `r"""`, close: `"""`, lines: true}, {open: "r'''", close: "'''", lines: true},
				{open: `r"`, close: `"`}, {open: "r'", close: "'"},
				{open: `"""`, close: `"""`, escape: '\\', lines: true, interp: "${"},
				{open: "'''", close: "'''", escape: '\\', lines: true, interp: "${"},
				{open: `"`, close: `"`, escape: '\\', interp: "${"}, {open: "'", close: "'", escape: '\\', interp: "${"},
			},
		},
		nameBytes: "$", attribute: "@", cLike: true, fields: true, comma: true, upperNew: true,
		rules: map[string]rule{
			"class":     {kind: artifact.KindClass, nested: true},
			"mixin":     {kind: artifact.KindTrait, not: "=.("},
			"enum":      {kind: artifact.KindEnum},
			"extension": {kind: artifact.KindImpl, not: "=.("},
			"typedef":   {kind: artifact.KindType, body: stmt},
		},
		modifiers: []string{"abstract", "base", "sealed", "interface", "final", "mixin", "type", "augment"},
		keywords: []string{"if", "while", "for", "switch", "return", "catch", "throw", "try", "await", "assert", "else", "do", "case", "default", "import", "export", "part", "library",
			"new", "in", "is", "as", "super", "this", "yield", "rethrow", "break", "continue", "finally", "on", "Function"},
		inherit: map[string]artifact.Role{"extends": artifact.RoleInherit, "implements": artifact.RoleImplement, "with": artifact.RoleInherit, "on": artifact.RoleInherit},
		imports: map[string]importForm{"import": stringPath, "export": stringPath, "part": stringPath},
		classes: true,
	}
}

func groovy() *table {
	return &table{
		lexis: lexis{
			line: []string{"//", "#!"}, block: []bracket{{"/*", "*/", false}},
			quotes: []quote{
				{open: `"""`, close: `"""`, escape: '\\', lines: true, interp: "${"}, {open: "'''", close: "'''", escape: '\\', lines: true},
				{open: `"`, close: `"`, escape: '\\', interp: "${"}, {open: "'", close: "'", escape: '\\'},
			},
		},
		newlines: true, attribute: "@", cLike: true, comma: true,
		rules: map[string]rule{
			"class":      {kind: artifact.KindClass, nested: true},
			"interface":  {kind: artifact.KindInterface},
			"trait":      {kind: artifact.KindTrait},
			"enum":       {kind: artifact.KindEnum},
			"record":     {kind: artifact.KindClass, not: "=.("},
			"@interface": {kind: artifact.KindInterface},
			"task":       {kind: artifact.KindEntry, not: "=.("},
			"package":    {kind: artifact.KindPackage, name: dotted, body: stmt},
		},
		modifiers: []string{"public", "private", "protected", "static", "final", "abstract", "synchronized", "transient", "volatile", "sealed"},
		keywords:  []string{"if", "while", "for", "switch", "return", "catch", "throw", "try", "assert", "else", "do", "case", "default", "import", "new", "in", "as", "super", "this", "finally", "instanceof"},
		inherit:   map[string]artifact.Role{"extends": artifact.RoleInherit, "implements": artifact.RoleImplement},
		imports:   map[string]importForm{"import": wholePath},
		joins:     []string{"extends", "implements", "throws"},
	}
}

func solidity() *table {
	return &table{
		lexis: cLexis(), nameBytes: "$", comma: true,
		rules: map[string]rule{
			"contract":    {kind: artifact.KindClass},
			"interface":   {kind: artifact.KindInterface},
			"library":     {kind: artifact.KindModule},
			"struct":      {kind: artifact.KindStruct},
			"enum":        {kind: artifact.KindEnum},
			"function":    {kind: artifact.KindFunction, member: artifact.KindMethod, not: "("},
			"constructor": {kind: artifact.KindConstructor, name: itself},
			"fallback":    {kind: artifact.KindMethod, name: itself},
			"receive":     {kind: artifact.KindMethod, name: itself},
			"modifier":    {kind: artifact.KindMethod},
			"event":       {kind: artifact.KindEntry, body: stmt},
			"error":       {kind: artifact.KindEntry, body: stmt, not: ".=("},
			"type":        {kind: artifact.KindType, body: stmt},
		},
		modifiers: []string{"abstract"},
		keywords: []string{"if", "while", "for", "return", "returns", "catch", "throw", "try", "else", "do", "import", "new", "delete", "emit", "revert", "mapping", "using", "pragma",
			"public", "private", "external", "internal", "view", "pure", "payable", "virtual", "override", "memory", "storage", "calldata", "unchecked", "assembly", "this", "super"},
		inherit: map[string]artifact.Role{"is": artifact.RoleInherit},
		imports: map[string]importForm{"import": stringPath},
		hook:    solidityVariable,
	}
}

// solidityVariable matches a state variable, "type modifiers name;", and a
// struct's field.
func solidityVariable(w *walk, i int) (int, bool) {
	around := w.around()
	if !w.kind(around).Container() && around >= 0 || !w.direct() || w.kind(around) == artifact.KindEnum {
		return 0, false
	}
	j, from, to, words := i, i, i, 0
	constant := false
	for j < len(w.code) && j-i < maxAhead {
		c := w.code[j]
		switch {
		case isSpace(c) || c == '.' || isDigit(c):
			j++
			continue
		case c == '[' || c == '(' && words == 1 && string(w.code[from:to]) == "mapping":
			e := w.pair(j)
			if e == j {
				return 0, false
			}
			j = e
			continue
		case isLetter(c):
			e := w.word(j)
			switch word := string(w.code[j:e]); word {
			case "constant", "immutable":
				constant = true
			case "function", "using", "pragma", "import", "return", "if", "for", "while", "event", "emit", "error", "modifier":
				return 0, false
			case "public", "private", "internal", "override", "transient":
			default:
				from, to = j, e
			}
			words++
			j = e
			continue
		case (c == ';' || c == '=' && !hasPrefix(w.code[j:], "==")) && words > 1:
			kind := artifact.KindField
			if constant {
				kind = artifact.KindConstant
			}
			if d := w.declare(kind, around, i, from, to, to); d >= 0 {
				w.pending, w.body = d, stmt
				return j, true
			}
		}
		return 0, false
	}
	return 0, false
}

func rLang() *table {
	return &table{
		lexis: lexis{line: []string{"#"}, quotes: []quote{
			{open: `"`, close: `"`, escape: '\\', lines: true}, {open: "'", close: "'", escape: '\\', lines: true}, {open: "`", close: "`"},
		}},
		nameBytes: ".", newlines: true, resync: true,
		rules: map[string]rule{},
		assigned: []assigned{
			{sign: "<-", words: []string{"function", "\\"}, kind: artifact.KindFunction}, {sign: "=", words: []string{"function", "\\"}, kind: artifact.KindFunction},
			{sign: "<<-", words: []string{"function"}, kind: artifact.KindFunction},
			{sign: "<-", words: []string{"R6Class", "setRefClass", "R6::R6Class", "ggproto", "setClass", "new_class"}, kind: artifact.KindClass},
			{sign: "<-", kind: artifact.KindVariable},
		},
		keywords: []string{"if", "while", "for", "function", "return", "repeat", "in", "else"},
		imports:  map[string]importForm{},
		hook:     rCalls,
	}
}

// rCalls matches setMethod("name", ...), setClass("Name") and library(name).
func rCalls(w *walk, i int) (int, bool) {
	e := w.word(i)
	if e == i || e >= len(w.code) || w.code[e] != '(' || !w.direct() {
		return 0, false
	}
	word := string(w.code[i:e])
	kind := artifact.KindFunction
	switch word {
	case "library", "require", "requireNamespace", "loadNamespace", "source":
		k := w.skip(e + 1)
		n := k
		for n < len(w.src) && n-k < maxName && strings.IndexByte("\"'), \n", w.src[n]) < 0 || n == k && n < len(w.src) && (w.src[n] == '"' || w.src[n] == '\'') {
			n++
		}
		if m := strings.Trim(string(w.src[k:n]), `"'`); m != "" {
			w.addImport(k, m, "", m)
		}
		return 0, false
	case "setClass", "setRefClass", "setClassUnion":
		kind = artifact.KindClass
	case "setGeneric", "setMethod", "setReplaceMethod", "setValidity":
	default:
		return 0, false
	}
	k := w.skip(e + 1)
	if k >= len(w.code) || w.code[k] != stringByte {
		return 0, false
	}
	n := bytes.IndexByte(w.src[k+1:min(len(w.src), k+maxName)], w.src[k])
	if n < 1 {
		return 0, false
	}
	if d := w.declare(kind, w.around(), i, k+1, k+1+n, k+1+n); d >= 0 {
		w.pending, w.body = d, stmt
		return e, true
	}
	return 0, false
}

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

func powershell() *table {
	return &table{
		lexis: lexis{
			line: []string{"#"}, spaced: true, block: []bracket{{"<#", "#>", false}},
			quotes: []quote{
				{open: "@\"\n", close: "\n\"@", lines: true}, {open: "@'\n", close: "\n'@", lines: true},
				{open: "@\"\r\n", close: "\n\"@", lines: true}, {open: "@'\r\n", close: "\n'@", lines: true},
				{open: `"`, close: `"`, escape: '`', lines: true, interp: "$("}, {open: "'", close: "'", lines: true},
			},
		},
		nameBytes: "-", fold: true, newlines: true, resync: true,
		rules: map[string]rule{
			"function":      {kind: artifact.KindFunction, name: dotted, nested: true},
			"filter":        {kind: artifact.KindFunction, not: "=({."},
			"workflow":      {kind: artifact.KindFunction, not: "=({."},
			"configuration": {kind: artifact.KindFunction, not: "=({."},
			"class":         {kind: artifact.KindClass},
			"enum":          {kind: artifact.KindEnum},
		},
		keywords: []string{"if", "while", "for", "foreach", "switch", "return", "catch", "throw", "try", "else", "elseif", "do", "until", "param", "begin", "process", "end", "in", "using"},
		inherit:  map[string]artifact.Role{":": artifact.RoleInherit},
		imports:  map[string]importForm{"import-module": wholePath},
		cLike:    true, attribute: "",
		hook: powershellMember,
	}
}

// powershellMember matches a class's "[type] Name(...) {" and an enum's names.
func powershellMember(w *walk, i int) (int, bool) {
	around := w.around()
	if !w.direct() {
		return 0, false
	}
	switch w.kind(around) {
	case artifact.KindEnum:
		if e := w.word(i); e > i {
			if d := w.declare(artifact.KindEnumMember, around, i, i, e, e); d >= 0 {
				w.pending, w.body = d, stmt
				return e, true
			}
		}
	case artifact.KindClass:
		j := i
		for j < len(w.code) && j-i < maxAhead {
			switch c := w.code[j]; {
			case c == '[':
				e := w.pair(j)
				if e == j {
					return 0, false
				}
				j = w.skipLines(e)
				continue
			case c == '$':
				e := w.word(j + 1)
				if d := w.declare(artifact.KindProperty, around, i, j+1, e, e); d >= 0 {
					w.pending, w.body = d, stmt
					return e, true
				}
				return 0, false
			case isLetter(c):
				e := w.word(j)
				if word := w.key(j, e); word == "static" || word == "hidden" {
					j = w.skip(e)
					continue
				}
				if e < len(w.code) && w.code[e] == '(' {
					kind := artifact.KindMethod
					if string(w.src[j:e]) == w.decls[around].Name {
						kind = artifact.KindConstructor
					}
					if d := w.declare(kind, around, i, j, e, e); d >= 0 {
						w.pending, w.body = d, block
						return e, true
					}
				}
				return 0, false
			}
			return 0, false
		}
	}
	return 0, false
}
