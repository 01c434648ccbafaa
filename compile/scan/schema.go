package scan

import (
	"bytes"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

func protobuf() *table {
	return &table{
		lexis: cLexis(), keywords: []string{"returns", "stream", "option", "reserved", "extensions", "import", "syntax", "package", "edition"},
		rules: map[string]rule{
			"message": {kind: artifact.KindStruct, not: "="},
			"group":   {kind: artifact.KindStruct},
			"enum":    {kind: artifact.KindEnum, not: "="},
			"service": {kind: artifact.KindInterface, not: "="},
			"extend":  {kind: artifact.KindImpl, name: dotted},
			"rpc":     {kind: artifact.KindMethod, not: "="},
			"package": {kind: artifact.KindPackage, name: dotted, body: stmt},
		},
		hook: protobufField,
	}
}

// protobufField matches "type name = 1;", an enum's "NAME = 0;", an import, and
// the types of an rpc.
func protobufField(w *walk, i int) (int, bool) {
	around := w.around()
	e := w.word(i)
	if e == i && w.code[i] != '.' {
		return 0, false
	}
	word := string(w.code[i:e])
	up := w.kind(around)
	switch word {
	case "import":
		return w.importAt(stringPath, i, e), true
	case "rpc":
		end := i + maxAhead
		if n := bytes.IndexAny(w.code[i:min(end, len(w.code))], ";{"); n >= 0 {
			end = i + n
		}
		for k := e; k < min(end, len(w.code)); k++ {
			if w.code[k] == '(' {
				n := w.skipLines(k + 1)
				m := w.word(n)
				if string(w.code[n:m]) == "stream" {
					n = w.skipLines(m)
				}
				w.typeUse(n)
			}
		}
		return 0, false
	case "option", "reserved", "extensions", "syntax", "edition", "message", "enum", "service", "extend", "package", "oneof", "group":
		return 0, false
	}
	if up == artifact.KindEnum {
		if k := w.skip(e); k < len(w.code) && w.code[k] == '=' {
			if d := w.declare(artifact.KindEnumMember, around, i, i, e, e); d >= 0 {
				w.pending, w.body = d, stmt
				return k, true
			}
		}
		return 0, false
	}
	if up != artifact.KindStruct && up != artifact.KindImpl {
		return 0, false
	}
	k := i
	if word == "repeated" || word == "optional" || word == "required" {
		k = w.skipLines(e)
	}
	typeAt := k
	if m := w.word(k); string(w.code[k:m]) == "map" && m < len(w.code) && w.code[m] == '<' {
		n := w.angle(m)
		if n == m {
			return 0, false
		}
		if c := bytes.IndexByte(w.code[m:n], ','); c > 0 {
			typeAt = w.skip(m + c + 1)
		}
		k = n
	} else {
		for k < len(w.code) && (w.table.isName(w.code[k]) || w.code[k] == '.') {
			k++
		}
	}
	n := w.skipLines(k)
	m := w.word(n)
	if q := w.skipLines(m); m == n || q >= len(w.code) || w.code[q] != '=' {
		return 0, false
	}
	w.typeUse(typeAt)
	if d := w.declare(artifact.KindField, around, i, n, m, m); d >= 0 {
		w.pending, w.body = d, stmt
		return m, true
	}
	return 0, false
}

// typeUse notes the use of the type at i, unless it is one of the language.
func (s *scanner) typeUse(i int) {
	if i < len(s.code) && s.code[i] == '.' {
		i++
	}
	from, e := i, s.word(i)
	for e < len(s.code) && e > i && s.code[e] == '.' {
		n := s.word(e + 1)
		if n == e+1 {
			break
		}
		from, e = e+1, n
	}
	switch string(s.code[from:e]) {
	case "", "string", "bytes", "bool", "double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32", "sfixed64",
		"String", "Int", "Float", "Boolean", "ID", "i8", "i16", "i32", "i64", "byte", "binary", "list", "map", "set", "void":
		return
	}
	s.use(artifact.RoleType, from, e, s.chain(from))
}

func graphql() *table {
	return &table{
		lexis:    lexis{line: []string{"#"}, quotes: []quote{{open: `"""`, close: `"""`, lines: true}, {open: `"`, close: `"`, escape: '\\'}}},
		newlines: true, attribute: "",
		rules: map[string]rule{
			"type": {kind: artifact.KindStruct, not: ":("}, "interface": {kind: artifact.KindInterface, not: ":("}, "input": {kind: artifact.KindStruct, not: ":("},
			"enum": {kind: artifact.KindEnum, not: ":("}, "union": {kind: artifact.KindUnion, body: stmt, not: ":("}, "scalar": {kind: artifact.KindType, body: stmt, not: ":("},
			"query": {kind: artifact.KindFunction, not: ":"}, "mutation": {kind: artifact.KindFunction, not: ":"}, "subscription": {kind: artifact.KindFunction, not: ":"},
			"fragment": {kind: artifact.KindFunction, not: ":"},
		},
		modifiers: []string{"extend"}, keywords: []string{"on", "implements", "schema", "directive"},
		inherit: map[string]artifact.Role{"implements": artifact.RoleImplement},
		hook:    graphqlField,
	}
}

// graphqlField matches "name(arguments): Type" in a type, and an enum's values.
func graphqlField(w *walk, i int) (int, bool) {
	around := w.around()
	up := w.kind(around)
	if up == artifact.KindFunction {
		if hasPrefix(w.code[i:], "...") {
			k := w.skip(i + 3)
			if e := w.word(k); e > k && string(w.code[k:e]) != "on" {
				w.use(artifact.RoleCall, k, e, "")
				return e, true
			}
		}
		return 0, false
	}
	e := w.word(i)
	if e == i {
		if w.code[i] == '@' {
			return w.word(i + 1), true
		}
		return 0, false
	}
	if !w.direct() {
		return 0, false
	}
	switch up {
	case artifact.KindEnum:
		if d := w.declare(artifact.KindEnumMember, around, i, i, e, e); d >= 0 {
			w.pending, w.body = d, stmt
			return e, true
		}
	case artifact.KindStruct, artifact.KindInterface:
		k := w.skip(e)
		if k < len(w.code) && w.code[k] == '(' {
			p := w.pair(k)
			if p == k {
				return 0, false
			}
			k = w.skip(p)
		}
		if k >= len(w.code) || w.code[k] != ':' {
			return 0, false
		}
		t := k + 1
		for t < len(w.code) && (isBlank(w.code[t]) || w.code[t] == '[') {
			t++
		}
		w.typeUse(t)
		if d := w.declare(artifact.KindField, around, i, i, e, e); d >= 0 {
			w.pending, w.body = d, stmt
			return w.word(t), true
		}
	}
	return 0, false
}

func thrift() *table {
	return &table{
		lexis: lexis{line: []string{"//", "#"}, block: []bracket{{"/*", "*/", false}}, quotes: cQuotes()},
		comma: true, cLike: true,
		rules: map[string]rule{
			"struct": {kind: artifact.KindStruct}, "union": {kind: artifact.KindUnion}, "exception": {kind: artifact.KindStruct},
			"enum": {kind: artifact.KindEnum}, "service": {kind: artifact.KindInterface},
		},
		keywords: []string{"throws", "include", "namespace"}, inherit: map[string]artifact.Role{"extends": artifact.RoleInherit},
		imports: map[string]importForm{"include": stringPath},
	}
}

func prisma() *table {
	return &table{
		lexis: lexis{line: []string{"//"}, quotes: []quote{{open: `"`, close: `"`, escape: '\\'}}}, newlines: true,
		rules: map[string]rule{
			"model": {kind: artifact.KindStruct}, "type": {kind: artifact.KindStruct}, "view": {kind: artifact.KindStruct}, "enum": {kind: artifact.KindEnum},
			"datasource": {kind: artifact.KindEntry}, "generator": {kind: artifact.KindEntry},
		},
		hook: prismaField,
	}
}

func prismaField(w *walk, i int) (int, bool) {
	around := w.around()
	e := w.word(i)
	if e == i || !w.direct() {
		return 0, false
	}
	kind := artifact.KindField
	switch w.kind(around) {
	case artifact.KindEnum:
		kind = artifact.KindEnumMember
	case artifact.KindStruct:
		t := w.skip(e)
		if n := w.word(t); n == t {
			return 0, false
		}
		switch string(w.code[t:w.word(t)]) {
		case "DateTime", "Json", "Bytes", "Decimal", "BigInt":
		default:
			w.typeUse(t)
		}
	default:
		return 0, false
	}
	if d := w.declare(kind, around, i, i, e, e); d >= 0 {
		w.pending, w.body = d, stmt
		return e, true
	}
	return 0, false
}

func hcl() *table {
	return &table{
		lexis:     lexis{line: []string{"#", "//"}, block: []bracket{{"/*", "*/", false}}, quotes: []quote{{open: `"`, close: `"`, escape: '\\', interp: "${"}}, special: hclHereDocument},
		nameBytes: "-", newlines: true, rules: map[string]rule{}, hook: hclBlock,
	}
}

func hclHereDocument(src []byte, i int) (int, bool) {
	if hasPrefix(src[i:], "<<") && i+3 < len(src) && (isLetter(src[i+2]) || src[i+2] == '-' && isLetter(src[i+3])) {
		return hereDocument(src, i), false
	}
	return 0, false
}

// hclBlock matches `resource "type" "name" {` at file level, and the values in
// a locals block. A block's last label is its name, what stands in front of
// it is its owner.
func hclBlock(w *walk, i int) (int, bool) {
	around := w.around()
	e := w.word(i)
	if e == i {
		return 0, false
	}
	if around >= 0 {
		if w.decls[around].Name != "locals" || !w.direct() {
			return 0, false
		}
		if k := w.skip(e); k < len(w.code) && w.code[k] == '=' && !hasPrefix(w.code[k:], "==") {
			if d := w.declare(artifact.KindVariable, around, i, i, e, e); d >= 0 {
				w.pending, w.body = d, stmt
				return k, true
			}
		}
		return 0, false
	}
	labels := []span{{i, e}}
	k := w.skip(e)
	for k < len(w.code) && len(labels) < 8 {
		switch {
		case w.code[k] == stringByte:
			m := k
			for m < len(w.code) && w.code[m] == stringByte {
				m++
			}
			labels = append(labels, span{k + 1, max(m-1, k+1)})
			k = w.skip(m)
			continue
		case isLetter(w.code[k]):
			m := w.word(k)
			labels = append(labels, span{k, m})
			k = w.skip(m)
			continue
		}
		break
	}
	if k >= len(w.code) || w.code[k] != '{' && w.code[k] != '=' {
		return 0, false
	}
	last := labels[len(labels)-1]
	kind, body := artifact.KindEntry, block
	if w.code[k] == '=' {
		kind, body = artifact.KindVariable, stmt
	}
	d := w.declare(kind, none, i, last.start, last.end, k)
	if d < 0 {
		return 0, false
	}
	var owner []string
	for _, l := range labels[:len(labels)-1] {
		owner = append(owner, string(w.src[l.start:l.end]))
	}
	if o := strings.Join(owner, "."); o != "" && len(o) < maxName && !strings.ContainsAny(o, "\n\x00") {
		w.decls[d].Owner, w.decls[d].OwnerDescriptor = o, syntaxDescriptor(artifact.KindType, o)
	}
	w.pending, w.body = d, body
	return k, true
}

// readHCL is readBraces and the references: var.name, local.name, type.name.
func readHCL(s *scanner) {
	readBraces(s)
	code := s.src // references stand in strings too
	comment := 0
	for i := 0; i < len(code); {
		for comment < len(s.comments) && s.comments[comment].end <= i {
			comment++
		}
		if comment < len(s.comments) && i >= s.comments[comment].start {
			i = s.comments[comment].end
			continue
		}
		if !isLetter(code[i]) {
			i++
			continue
		}
		j := i
		for j < len(code) && s.table.isName(code[j]) {
			j++
		}
		if j < len(code) && code[j] == '.' && j+1 < len(code) && isLetter(code[j+1]) && (i == 0 || code[i-1] != '.') && j-i < maxReceiver {
			first := string(code[i:j])
			n := j + 1
			for n < len(code) && s.table.isName(code[n]) {
				n++
			}
			if first == "data" && n < len(code) && code[n] == '.' {
				m := n + 1
				for m < len(code) && s.table.isName(code[m]) {
					m++
				}
				s.use(artifact.RoleRead, n+1, m, s.intern(code[i:n]))
				n = m
			} else if first == "var" || first == "local" || first == "module" || strings.Contains(first, "_") {
				s.use(artifact.RoleRead, j+1, n, s.intern(code[i:j]))
			}
			j = n
		}
		i = max(j, i+1)
	}
}
