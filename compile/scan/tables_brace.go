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
