package scan

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

func elixir() *table {
	return &table{
		lexis: lexis{line: []string{"#"}, quotes: []quote{
			{open: `"""`, close: `"""`, escape: '\\', lines: true}, {open: "'''", close: "'''", escape: '\\', lines: true},
			{open: `"`, close: `"`, escape: '\\', lines: true, interp: "#{"}, {open: "'", close: "'", escape: '\\', lines: true},
		}, special: elixirLiteral},
		style: byEnds, nameTail: "?!", attribute: "",
		rules: map[string]rule{
			"defmodule":   {kind: artifact.KindModule, name: dotted, nested: true},
			"defprotocol": {kind: artifact.KindProtocol, name: dotted},
			"defimpl":     {kind: artifact.KindImpl, name: dotted},
			"def":         {kind: artifact.KindFunction, name: operator, flags: artifact.SymbolExported, nested: true},
			"defp":        {kind: artifact.KindFunction, name: operator, nested: true},
			"defmacro":    {kind: artifact.KindMacro, name: operator, flags: artifact.SymbolExported, nested: true},
			"defmacrop":   {kind: artifact.KindMacro, name: operator, nested: true},
			"defguard":    {kind: artifact.KindMacro, body: stmt, flags: artifact.SymbolExported},
			"defguardp":   {kind: artifact.KindMacro, body: stmt},
			"defdelegate": {kind: artifact.KindFunction, body: stmt, flags: artifact.SymbolExported},
			"defcallback": {kind: artifact.KindFunction, body: stmt},
			"test":        {kind: artifact.KindFunction, name: quoted},
			"describe":    {kind: artifact.KindModule, name: quoted},
		},
		openers:    map[string]opener{"do": notColon, "fn": always},
		closers:    []string{"end"},
		attributes: map[string]artifact.Kind{"type": artifact.KindType, "typep": artifact.KindType, "opaque": artifact.KindType, "callback": artifact.KindFunction, "macrocallback": artifact.KindMacro},
		leadWords:  []string{"doc", "spec", "impl", "deprecated", "since", "dialyzer", "typedoc"},
		keywords:   []string{"if", "unless", "case", "cond", "for", "with", "when", "and", "or", "not", "in", "fn", "do", "end", "quote", "unquote", "receive", "try", "rescue", "catch", "after", "else", "import", "alias", "use", "require", "spec", "type", "typep", "opaque", "callback", "doc", "moduledoc"},
		imports:    map[string]importForm{"import": wholePath, "alias": wholePath, "use": wholePath, "require": wholePath},
	}
}

// elixirLiteral recognizes sigils and character literals.
func elixirLiteral(src []byte, i int) (int, bool) {
	switch {
	case src[i] == '?' && i+1 < len(src) && i > 0 && !isLetter(src[i-1]) && !isDigit(src[i-1]) && src[i+1] > ' ':
		if src[i+1] == '\\' && i+2 < len(src) {
			return i + 3, false
		}
		return i + 2, false
	case src[i] == '~' && i+2 < len(src) && isLetter(src[i+1]):
		j := i + 1
		for j < len(src) && isLetter(src[j]) {
			j++
		}
		if hasPrefix(src[j:], `"""`) || hasPrefix(src[j:], "'''") {
			if n := bytes.Index(src[j+3:], src[j:j+3]); n >= 0 {
				return j + 6 + n, false
			}
			return len(src), false
		}
		if j < len(src) && bytes.IndexByte([]byte("/|\"'([{<"), src[j]) >= 0 {
			return delimited(src, j, 1), false
		}
	}
	return 0, false
}

func julia() *table {
	return &table{
		lexis: lexis{line: []string{"#"}, block: []bracket{{"#=", "=#", true}}, quotes: []quote{
			{open: `"""`, close: `"""`, escape: '\\', lines: true, interp: "$("}, {open: `"`, close: `"`, escape: '\\', lines: true, interp: "$("},
			{open: "'", close: "'", char: true},
		}},
		style: byEnds, nameTail: "!", attribute: "@", equations: true, stringDocs: true, resync: false,
		rules: map[string]rule{
			"function":   {kind: artifact.KindFunction, name: dotted, nested: true, not: "("},
			"macro":      {kind: artifact.KindMacro},
			"struct":     {kind: artifact.KindStruct},
			"abstract":   {kind: artifact.KindType, only: "type"},
			"primitive":  {kind: artifact.KindType, only: "type"},
			"module":     {kind: artifact.KindModule},
			"baremodule": {kind: artifact.KindModule},
			"const":      {kind: artifact.KindConstant, body: stmt},
		},
		modifiers: []string{"mutable", "global"},
		openers: map[string]opener{"function": always, "macro": always, "struct": always, "module": always, "baremodule": always, "type": lineStart,
			"if": lineStart, "for": lineStart, "while": lineStart, "let": always, "begin": always, "quote": always, "try": always, "do": always},
		closers:  []string{"end"},
		keywords: []string{"if", "while", "for", "return", "elseif", "else", "in", "isa", "where", "begin", "let", "do", "end", "try", "catch", "finally", "using", "import", "export"},
		inherit:  map[string]artifact.Role{":": artifact.RoleInherit},
		imports:  map[string]importForm{"using": pathList, "import": pathList},
	}
}

func crystal() *table {
	return &table{
		lexis: lexis{line: []string{"#"}, quotes: []quote{
			{open: `"`, close: `"`, escape: '\\', lines: true, interp: "#{"}, {open: "'", close: "'", char: true}, {open: "`", close: "`", escape: '\\'},
		}, special: crystalLiteral},
		style: byEnds, nameTail: "?!", attribute: "@[",
		rules: map[string]rule{
			"class":      {kind: artifact.KindClass, name: dotted},
			"struct":     {kind: artifact.KindStruct, name: dotted},
			"module":     {kind: artifact.KindModule, name: dotted},
			"enum":       {kind: artifact.KindEnum, name: dotted},
			"lib":        {kind: artifact.KindModule},
			"union":      {kind: artifact.KindUnion},
			"annotation": {kind: artifact.KindInterface},
			"def":        {kind: artifact.KindFunction, member: artifact.KindMethod, name: operator, nested: true},
			"macro":      {kind: artifact.KindMacro},
			"fun":        {kind: artifact.KindFunction, body: stmt},
			"alias":      {kind: artifact.KindType, body: stmt},
		},
		modifiers: []string{"private", "protected"},
		openers: map[string]opener{"class": lineStart, "struct": lineStart, "module": lineStart, "enum": lineStart, "lib": lineStart, "union": lineStart, "annotation": lineStart,
			"def": lineStart, "macro": lineStart, "if": lineStart, "unless": lineStart, "while": lineStart, "until": lineStart, "case": lineStart, "begin": lineStart,
			"select": lineStart, "for": lineStart, "do": always, "verbatim": lineStart},
		closers:  []string{"end"},
		keywords: []string{"if", "while", "until", "unless", "return", "yield", "elsif", "else", "when", "in", "then", "do", "end", "begin", "rescue", "ensure", "case", "select", "abstract", "require", "include", "extend"},
		inherit:  map[string]artifact.Role{"<": artifact.RoleInherit},
		imports:  map[string]importForm{"require": stringPath},
	}
}

// crystalLiteral recognizes percent literals and here documents.
func crystalLiteral(src []byte, i int) (int, bool) {
	switch {
	case src[i] == '%' && i+2 < len(src) && (i == 0 || !isLetter(src[i-1]) && src[i-1] != '{' && src[i-1] != ')'):
		j := i + 1
		if isLetter(src[j]) && bytes.IndexByte([]byte("qQwirx"), src[j]) >= 0 {
			j++
		}
		if bytes.IndexByte([]byte("([{<|"), src[j]) >= 0 {
			return delimited(src, j, 1), false
		}
	case hasPrefix(src[i:], "<<-"):
		return hereDocument(src, i), false
	}
	return 0, false
}

func fortran() *table {
	return &table{
		lexis: lexis{line: []string{"!"}, quotes: []quote{{open: `"`, close: `"`}, {open: "'", close: "'"}}, special: fixedComment},
		style: byEnds, fold: true, loose: false,
		rules: map[string]rule{
			"module":     {kind: artifact.KindModule, not: ":(=,"},
			"submodule":  {kind: artifact.KindModule, name: afterColons},
			"program":    {kind: artifact.KindModule, not: "(="},
			"subroutine": {kind: artifact.KindFunction, nested: true},
			"function":   {kind: artifact.KindFunction, nested: true},
			"interface":  {kind: artifact.KindInterface, not: "=(", name: operator},
			"type":       {kind: artifact.KindStruct, not: "(=", name: afterColons},
			"procedure":  {kind: artifact.KindFunction, not: ",(:=", nested: true},
		},
		modifiers: []string{"pure", "elemental", "recursive", "impure", "integer", "real", "logical", "complex", "double", "precision", "character", "abstract", "module"},
		openers:   map[string]opener{"module": lineStart, "submodule": lineStart, "program": lineStart, "subroutine": lineStart, "function": lineStart, "interface": lineStart, "type": lineStart, "procedure": lineStart},
		closers:   []string{"end", "endprocedure", "endmodule", "endsubmodule", "endprogram", "endsubroutine", "endfunction", "endinterface", "endtype"},
		keywords:  []string{"if", "while", "do", "then", "else", "elseif", "return", "write", "read", "print", "allocate", "deallocate", "integer", "real", "character", "logical", "type", "class", "dimension", "intent", "kind", "select", "case", "where", "procedure", "use", "len", "is"},
		imports:   map[string]importForm{"use": wholePath},
		colons:    true,
	}
}

// fixedComment recognizes a comment of the fixed form: a letter C or an
// asterisk in the first column with a blank or sign behind it.
func fixedComment(src []byte, i int) (int, bool) {
	if i > 0 && src[i-1] != '\n' {
		return 0, false
	}
	switch src[i] {
	case '*':
		return i + lineLen(src[i:]), true
	case 'c', 'C':
		if i+1 == len(src) || src[i+1] == ' ' || src[i+1] == '\n' || src[i+1] == '-' || src[i+1] == '*' || src[i+1] == '\t' {
			return i + lineLen(src[i:]), true
		}
	}
	return 0, false
}

func vimScript() *table {
	return &table{
		lexis: lexis{special: vimLiteral, quotes: []quote{{open: "'", close: "'"}}},
		style: byEnds, nameBytes: ":#", resync: true,
		rules: map[string]rule{
			"function":  {kind: artifact.KindFunction, nested: false},
			"function!": {kind: artifact.KindFunction},
			"func":      {kind: artifact.KindFunction},
			"func!":     {kind: artifact.KindFunction},
			"fu":        {kind: artifact.KindFunction},
			"fu!":       {kind: artifact.KindFunction},
			"def":       {kind: artifact.KindFunction},
			"def!":      {kind: artifact.KindFunction},
			"class":     {kind: artifact.KindClass},
			"const":     {kind: artifact.KindConstant, body: stmt},
			"command":   {kind: artifact.KindEntry, body: stmt},
			"command!":  {kind: artifact.KindEntry, body: stmt},
			"augroup":   {kind: artifact.KindEntry, body: stmt},
			"let":       {kind: artifact.KindVariable, body: stmt, not: "[&$@"},
			"var":       {kind: artifact.KindVariable, body: stmt},
			"final":     {kind: artifact.KindConstant, body: stmt},
		},
		modifiers: []string{"export", "abstract", "static", "-nargs", "-bang", "-bar"},
		openers: map[string]opener{"function": lineStart, "func": lineStart, "fu": lineStart, "def": lineStart, "class": lineStart,
			"function!": lineStart, "func!": lineStart, "fu!": lineStart, "def!": lineStart},
		closers:  []string{"endfunction", "endfunc", "endf", "endfu", "enddef", "endclass"},
		keywords: []string{"if", "while", "for", "return", "call", "let", "elseif", "else", "in", "echo", "execute", "END", "end"},
		imports:  map[string]importForm{"runtime": wholePath, "source": wholePath, "import": wholePath},
		nameTail: "!",
	}
}

// vimLiteral tells a comment from a string: the quote begins a comment where a
// statement begins, and where nothing closes it.
func vimLiteral(src []byte, i int) (int, bool) {
	if src[i] != '"' {
		return 0, false
	}
	j := i
	for j > 0 && isBlank(src[j-1]) {
		j--
	}
	end := i + lineLen(src[i:])
	if j == 0 || src[j-1] == '\n' || src[j-1] == '|' {
		return end, true
	}
	for k := i + 1; k < end; k++ {
		switch src[k] {
		case '\\':
			k++
		case '"':
			return k + 1, false
		}
	}
	return end, true
}
