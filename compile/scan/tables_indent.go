package scan

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

func ocaml() *table {
	return &table{
		lexis: lexis{block: []bracket{{"(*", "*)", true}}, quotes: []quote{
			{open: `"`, close: `"`, escape: '\\', lines: true}, {open: "'", close: "'", char: true},
		}, special: ocamlQuoted},
		style: byIndent, qualified: true, nameBytes: "'",
		rules: map[string]rule{
			"let":       {kind: artifact.KindVariable, name: operator, fn: true, fnKind: artifact.KindFunction, not: "_.!;%", nested: false},
			"and":       {kind: artifact.KindVariable, name: operator, fn: true, fnKind: artifact.KindFunction, not: "_."},
			"val":       {kind: artifact.KindVariable, name: operator, fn: true, fnKind: artifact.KindFunction, flags: artifact.SymbolForward},
			"external":  {kind: artifact.KindFunction, name: operator, flags: artifact.SymbolForward},
			"type":      {kind: artifact.KindType},
			"exception": {kind: artifact.KindStruct},
			"module":    {kind: artifact.KindModule},
			"class":     {kind: artifact.KindClass},
			"method":    {kind: artifact.KindMethod},
		},
		modifiers: []string{"rec", "nonrec", "virtual", "private", "type", "mutable", "inline"},
		keywords:  []string{"if", "then", "else", "match", "with", "begin", "end", "fun", "function", "in", "open", "include", "try", "when", "as", "of", "do", "done", "for", "while", "sig", "struct", "object", "initializer", "not", "lazy", "assert"},
		imports:   map[string]importForm{"open": wholePath, "open!": wholePath, "include": wholePath},
		hook:      nil, attribute: "",
	}
}

// ocamlQuoted recognizes {id|text|id}.
func ocamlQuoted(src []byte, i int) (int, bool) {
	if src[i] != '{' {
		return 0, false
	}
	j := i + 1
	for j < len(src) && (src[j] >= 'a' && src[j] <= 'z' || src[j] == '_' || src[j] == '%') {
		j++
	}
	if j >= len(src) || src[j] != '|' {
		return 0, false
	}
	closing := append(append([]byte("|"), src[i+1:j]...), '}')
	if n := bytes.Index(src[j+1:], closing); n >= 0 {
		return j + 1 + n + len(closing), false
	}
	return miss, false
}

func fsharp() *table {
	return &table{
		lexis: lexis{line: []string{"//"}, block: []bracket{{"(*", "*)", true}}, quotes: []quote{
			{open: `"""`, close: `"""`, lines: true}, {open: `@"`, close: `"`, lines: true}, {open: `"`, close: `"`, escape: '\\', lines: true}, {open: "'", close: "'", char: true},
		}},
		style: byIndent, qualified: true, nameBytes: "'", attribute: "[<", wholeFile: true,
		rules: map[string]rule{
			"let":       {kind: artifact.KindVariable, name: operator, fn: true, fnKind: artifact.KindFunction, not: "_!"},
			"and":       {kind: artifact.KindClass},
			"type":      {kind: artifact.KindClass},
			"module":    {kind: artifact.KindModule, name: dotted},
			"namespace": {kind: artifact.KindNamespace, name: dotted},
			"exception": {kind: artifact.KindStruct},
			"member":    {kind: artifact.KindProperty, name: receiver, fn: true, fnKind: artifact.KindMethod},
			"override":  {kind: artifact.KindMethod, name: receiver},
			"default":   {kind: artifact.KindMethod, name: receiver},
			"abstract":  {kind: artifact.KindProperty, fn: true, fnKind: artifact.KindMethod, flags: artifact.SymbolForward},
			"val":       {kind: artifact.KindField},
		},
		modifiers: []string{"rec", "inline", "private", "internal", "public", "mutable", "static", "member"},
		keywords:  []string{"if", "then", "else", "match", "with", "begin", "end", "fun", "function", "in", "open", "try", "when", "as", "of", "do", "for", "while", "new", "elif", "yield", "return", "not", "typeof"},
		imports:   map[string]importForm{"open": wholePath},
	}
}

func nim() *table {
	return &table{
		lexis: lexis{line: []string{"#"}, block: []bracket{{"#[", "]#", true}}, quotes: []quote{
			{open: `"""`, close: `"""`, lines: true}, {open: `r"`, close: `"`}, {open: `"`, close: `"`, escape: '\\'}, {open: "'", close: "'", char: true},
		}},
		style: byIndent,
		rules: map[string]rule{
			"proc":      {kind: artifact.KindFunction, name: operator, nested: true, not: "("},
			"func":      {kind: artifact.KindFunction, name: operator, nested: true, not: "("},
			"method":    {kind: artifact.KindMethod, name: operator},
			"iterator":  {kind: artifact.KindFunction, name: operator, nested: true, not: "("},
			"converter": {kind: artifact.KindFunction, name: operator},
			"template":  {kind: artifact.KindMacro, name: operator, nested: true},
			"macro":     {kind: artifact.KindMacro, name: operator, nested: true},
			"type":      {kind: artifact.KindType},
			"const":     {kind: artifact.KindConstant},
			"let":       {kind: artifact.KindVariable},
			"var":       {kind: artifact.KindVariable},
		},
		keywords: []string{"if", "elif", "else", "while", "for", "return", "case", "of", "when", "in", "import", "include", "from", "and", "or", "not", "discard", "echo", "block", "try", "except", "finally", "raise", "object", "enum", "tuple", "ref", "ptr", "concept"},
		imports:  map[string]importForm{"import": pathList, "include": pathList, "from": wholePath},
	}
}

func elm() *table {
	return &table{
		lexis: lexis{line: []string{"--"}, block: []bracket{{"{-", "-}", true}}, quotes: []quote{
			{open: `"""`, close: `"""`, escape: '\\', lines: true}, {open: `"`, close: `"`, escape: '\\'}, {open: "'", close: "'", char: true},
		}},
		style: byIndent, qualified: true, nameBytes: "'", equations: true,
		rules: map[string]rule{
			"type": {kind: artifact.KindType},
			"port": {kind: artifact.KindFunction},
		},
		modifiers: []string{"alias"},
		keywords:  []string{"if", "then", "else", "case", "of", "let", "in", "import", "module", "exposing", "as", "port", "effect", "infix"},
		imports:   map[string]importForm{"import": wholePath},
	}
}
