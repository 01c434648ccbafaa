package sketch

import (
	"sort"
	"strconv"
	"strings"
)

const (
	cStorage = tKeyword + iota // static, inline and others in front of a type
	cStatic
	cExtern
	cTypedef
	cQualifier // const, volatile
	cBasic     // int, unsigned
	cRecord    // struct, union, class
	cEnum
	cIf
	cElse
	cFor
	cWhile
	cDo
	cSwitch
	cCase
	cDefault
	cReturn
	cGoto
	cJump // break, continue
	cSizeof
	cAttribute // with something in parentheses behind it
	cTemplate
	cNamespace
	cUsing
	cTypename
	cOperator
	cNew
	cDelete
	cTry
	cCatch
	cThrow
	cCast // static_cast
	cAccess
	cThis
	cFriend
	cAuto
	cLiteral // true, nullptr
	cTrail   // override, noexcept
	cConcept
	cRequires
	cDecltype
)

var cKeywords = map[string]uint8{
	"static": cStatic, "extern": cExtern, "inline": cStorage, "register": cStorage, "__inline": cStorage, "__inline__": cStorage,
	"_Noreturn": cStorage, "_Thread_local": cStorage, "__extension__": cStorage, "__restrict": cQualifier, "__restrict__": cQualifier,
	"typedef": cTypedef, "const": cQualifier, "volatile": cQualifier, "restrict": cQualifier, "_Atomic": cQualifier, "__const": cQualifier,
	"void": cBasic, "char": cBasic, "short": cBasic, "int": cBasic, "long": cBasic, "float": cBasic, "double": cBasic, "signed": cBasic,
	"unsigned": cBasic, "_Bool": cBasic, "_Complex": cBasic, "__int128": cBasic,
	"struct": cRecord, "union": cRecord, "enum": cEnum, "if": cIf, "else": cElse, "for": cFor, "while": cWhile, "do": cDo,
	"switch": cSwitch, "case": cCase, "default": cDefault, "return": cReturn, "goto": cGoto, "break": cJump, "continue": cJump,
	"sizeof": cSizeof, "_Alignof": cSizeof, "__alignof__": cSizeof, "__attribute__": cAttribute, "__declspec": cAttribute, "__asm__": cAttribute,
	"asm": cAttribute, "_Static_assert": cAttribute, "static_assert": cAttribute, "_Alignas": cAttribute, "typeof": cDecltype, "__typeof__": cDecltype,
}

var cppKeywords = func() map[string]uint8 {
	m := map[string]uint8{
		"constexpr": cStorage, "consteval": cStorage, "constinit": cStorage, "virtual": cStorage, "explicit": cStorage, "mutable": cStorage,
		"thread_local": cStorage, "bool": cBasic, "wchar_t": cBasic, "char8_t": cBasic, "char16_t": cBasic, "char32_t": cBasic,
		"class": cRecord, "template": cTemplate, "namespace": cNamespace, "using": cUsing, "typename": cTypename, "operator": cOperator,
		"new": cNew, "delete": cDelete, "try": cTry, "catch": cCatch, "throw": cThrow, "static_cast": cCast, "dynamic_cast": cCast,
		"const_cast": cCast, "reinterpret_cast": cCast, "public": cAccess, "private": cAccess, "protected": cAccess, "this": cThis,
		"friend": cFriend, "auto": cAuto, "true": cLiteral, "false": cLiteral, "nullptr": cLiteral, "override": cTrail, "final": cTrail,
		"noexcept": cTrail, "concept": cConcept, "requires": cRequires, "decltype": cDecltype, "alignas": cAttribute, "alignof": cSizeof,
		"co_return": cReturn, "co_await": cStorage, "co_yield": cReturn, "typeid": cSizeof,
	}
	for k, v := range cKeywords {
		m[k] = v
	}
	return m
}()

// cReader reads C and C++.
type cReader struct {
	reader
	cpp   bool
	local bool
}

func (f *File) readC() {
	words := cKeywords
	if f.Lang == "cpp" {
		words = cppKeywords
	}
	f.tokens = scan(f.Lang, f.Text, words)
	r := &cReader{reader: reader{f: f, body: f.Level}, cpp: f.Lang == "cpp"}
	r.t = r.preprocess(f.tokens, words)
	r.end = len(r.t) - 1
	r.push()
	f.Top = append(f.Top, r.declarations(nil)...)
	r.pop()
}

// branch is one branch of a conditional of the preprocessor.
type branch struct {
	from  int // tokens before it
	depth int // of braces
	first int // how the first branch changed the depth
	n     int
	at    uint32
	off   int8 // whether the current branch is taken: 1 no, 0 not known, -1 yes
	taken bool // an earlier branch is taken for sure
}

// preprocess notes what directives define and include and takes them out.
// Of conditional branches that do not balance their braces, only the first
// stays.
func (r *cReader) preprocess(in []token, words map[string]uint8) []token {
	out := make([]token, 0, len(in))
	var open []branch
	depth := 0
	known := map[string]string{}
	idle := false
	end := func(b *branch, at uint32) {
		if b.off > 0 {
			r.f.idle = append(r.f.idle, [2]uint32{b.at, at})
		}
	}
	set := func() {
		idle = false
		for i := range open {
			idle = idle || open[i].off > 0
		}
	}
	defer func() {
		sort.Slice(r.f.idle, func(i, j int) bool { return r.f.idle[i][0] < r.f.idle[j][0] })
		// Nested ones are in those around them.
		var out [][2]uint32
		for _, x := range r.f.idle {
			if n := len(out); n == 0 || x[0] >= out[n-1][1] {
				out = append(out, x)
			}
		}
		r.f.idle = out
	}()
	for _, t := range in {
		switch t.k {
		case '{':
			depth++
		case '}':
			depth--
		}
		if t.k != tDirective {
			out = append(out, t)
			continue
		}
		name, rest, at := directive(r.f.Text, t)
		switch name {
		case "define":
			r.define(rest, at, words)
			if !idle {
				noteMacro(known, rest)
			}
		case "include", "import", "include_next":
			r.include(rest, at)
		case "if", "ifdef", "ifndef":
			r.names(rest, at, words)
			b := branch{from: len(out), depth: depth, at: t.end}
			switch holds := r.holds(name, rest, known); holds {
			case never:
				b.off = 1
			default:
				b.taken = true // what cannot be told is taken to hold
			}
			open = append(open, b)
			set()
		case "elif", "else", "endif":
			if name == "elif" {
				r.names(rest, at, words)
			}
			if len(open) == 0 {
				continue
			}
			b := &open[len(open)-1]
			end(b, t.at)
			b.at = t.end
			switch {
			case name == "endif":
			case b.taken:
				b.off = 1
			case name == "else":
				b.off = 0
			default:
				b.off = 0
				switch r.holds(name, rest, known) {
				case never:
					b.off = 1
				default:
					b.taken = true
				}
			}
			change := depth - b.depth
			if b.n == 0 {
				b.first = change
			} else if change != 0 || b.first != 0 {
				// Another way to open or close what the first branch did.
				out = out[:b.from]
				depth = b.depth + b.first
			}
			if name == "endif" {
				if b.n == 0 {
					depth = b.depth + b.first
				} else if b.first != 0 {
					depth = b.depth + b.first
				}
				open = open[:len(open)-1]
				set()
				continue
			}
			b.n++
			b.from = len(out)
			depth = b.depth
			set()
		case "undef":
			r.names(rest, at, words)
		}
	}
	return out
}

// directive cuts a preprocessor's line into its name and the rest, and says
// where the rest stands.
func directive(text []byte, t token) (name string, rest []byte, at uint32) {
	s := text[t.at:t.end]
	i := 1
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	j := i
	for j < len(s) && letter(s[j]) {
		j++
	}
	return string(s[i:j]), s[j:], t.at + uint32(j)
}

func (r *cReader) include(rest []byte, at uint32) {
	for i, c := range rest {
		if c == '"' || c == '<' {
			end := byte('"')
			if c == '<' {
				end = '>'
			}
			for j := i + 1; j < len(rest); j++ {
				if rest[j] == end {
					r.f.Top = append(r.f.Top, &Def{Kind: Import, Path: string(rest[i : j+1]), At: at + uint32(i), Start: at + uint32(i), End: at + uint32(j) + 1})
					return
				}
			}
		}
	}
}

// define notes a macro and the names in its body.
func (r *cReader) define(rest []byte, at uint32, words map[string]uint8) {
	ts := scan(r.f.Lang, rest, words)
	if len(ts) < 2 || ts[0].k != tIdent && ts[0].k < tKeyword {
		return
	}
	d := &Def{Kind: MacroName, Name: string(rest[ts[0].at:ts[0].end]), At: at + ts[0].at}
	r.f.Top = append(r.f.Top, d)
	params := map[string]bool{}
	i := 1
	if ts[1].k == '(' && ts[1].at == ts[0].end {
		d.Alias = true // it has parameters
		for i = 2; i < len(ts) && ts[i].k != ')'; i++ {
			if ts[i].k == tIdent {
				params[string(rest[ts[i].at:ts[i].end])] = true
			}
		}
		i++
	}
	r.tokensUsed(rest, at, ts[min(i, len(ts)):], params)
	if i < len(ts) {
		if d.Init = r.macroValue(rest, at, ts[i:], params); d.Init == nil && !d.Alias {
			r.macroMembers(d, at, ts[i:])
		}
	}
}

// macroValue reads a macro's body as an expression where it is one.
func (r *cReader) macroValue(rest []byte, at uint32, ts []token, params map[string]bool) *Node {
	if len(ts) > 64 || len(params) > 0 && len(ts) < 1 {
		return nil
	}
	sub := &File{Lang: r.f.Lang, Text: r.f.Text, Level: &Body{}, byAt: map[uint32]*Def{}}
	moved := make([]token, len(ts))
	for i, t := range ts {
		t.at, t.end, t.nl = t.at+at, t.end+at, false
		moved[i] = t
	}
	in := &cReader{reader: reader{f: sub, t: moved, end: len(moved) - 1, body: sub.Level}, cpp: r.cpp, local: true}
	in.push()
	e := in.expr()
	if !in.done() {
		return nil
	}
	for _, u := range sub.Level.uses {
		if u.Node.Kind == Name && params[u.Node.Name] {
			u.Node.Sep = 'p'
		}
	}
	return e
}

// macroMembers reads a macro's body as declarations, which whoever uses it
// between a struct's braces gets.
func (r *cReader) macroMembers(d *Def, at uint32, ts []token) {
	if len(ts) < 3 || len(ts) > 200 {
		return
	}
	sub := &File{Lang: r.f.Lang, Text: r.f.Text, Level: &Body{}, byAt: map[uint32]*Def{}}
	moved := make([]token, len(ts))
	for i, t := range ts {
		t.at, t.end, t.nl = t.at+at, t.end+at, false
		moved[i] = t
	}
	in := &cReader{reader: reader{f: sub, t: moved, end: len(moved) - 1, body: sub.Level}, cpp: r.cpp}
	in.push()
	for _, m := range in.declarations(&Def{Kind: TypeName}) {
		switch {
		case m.Kind == Generated:
			d.Macros = append(d.Macros, m)
		case m.Kind == Var && m.Type != nil:
			m.Kind = Field
			d.Members = append(d.Members, m)
		}
	}
}

func (r *cReader) tokensUsed(rest []byte, at uint32, ts []token, skip map[string]bool) {
	for i, t := range ts {
		if t.k != tIdent || skip[string(rest[t.at:t.end])] {
			continue
		}
		n := &Node{Kind: Name, At: at + t.at, Name: string(rest[t.at:t.end])}
		if i > 0 && (ts[i-1].k == '.' || ts[i-1].k == tArrow) {
			n.Kind, n.Sep = Member, '.'
		}
		if i > 0 && ts[i-1].k == tScope {
			n.Kind, n.Sep = Member, ':'
		}
		if i+1 < len(ts) && ts[i+1].k == '(' {
			n.Flag = true
		}
		r.f.Level.uses = append(r.f.Level.uses, Use{At: n.At, Node: n, Macro: true})
	}
}

// names notes the names in a condition of the preprocessor.
func (r *cReader) names(rest []byte, at uint32, words map[string]uint8) {
	r.tokensUsed(rest, at, scan(r.f.Lang, rest, words), map[string]bool{"defined": true})
}

// Declarations.

func (r *cReader) declarations(parent *Def) []*Def {
	var out []*Def
	if r.deeper() {
		defer r.shallower()
	} else {
		return nil
	}
	for !r.done() && r.k() != '}' {
		before := r.p
		out = append(out, r.declaration(parent)...)
		r.moved(before)
	}
	return out
}

func (r *cReader) attributes() {
	for {
		switch {
		case r.k() == cAttribute:
			r.p++
			for r.k() == cQualifier {
				r.p++
			}
			if r.k() == '(' {
				r.skipUses()
			}
		case r.k() == '[' && r.kn(1) == '[':
			r.skip()
		default:
			return
		}
	}
}

// skipUses goes behind a bracketed group, noting the names in it.
func (r *cReader) skipUses() {
	end := r.closing(r.p)
	for ; r.p < end && !r.done(); r.p++ {
		if r.k() == tIdent {
			prev := r.prev().k
			n := &Node{Kind: Name, At: r.at(), Name: r.text()}
			if prev == '.' || prev == tArrow {
				n.Kind, n.Sep = Member, '.'
			}
			r.body.uses = append(r.body.uses, Use{At: n.At, Node: n, In: r.in})
		}
	}
	r.p = min(end+1, r.end)
}

func (r *cReader) semi() {
	for !r.done() && r.k() != ';' && r.k() != '}' {
		r.skip()
	}
	r.accept(';')
}

// templateParams reads "<typename T, int N>".
func (r *cReader) templateParams() []*Def {
	if r.k() != '<' {
		return nil
	}
	start := r.at()
	r.p++
	var out []*Def
	for !r.done() && r.k() != '>' {
		before := r.p
		switch r.k() {
		case cTypename, cRecord:
			r.p++
			r.accept(tDots)
			if r.k() == tIdent {
				d := &Def{Kind: TypeParam, Name: r.text(), At: r.at()}
				r.declare(d)
				d.From = start
				r.note(d)
				out = append(out, d)
				r.p++
			}
			if r.k() == '=' {
				r.p++
				r.typeName()
			}
		case cTemplate:
			r.p++
			r.templateParams()
		default:
			base := r.specifiers(nil)
			r.accept(tDots)
			if d := r.declarator(base.typ); d != nil && d.Name != "" {
				d.Kind = Const
				r.declare(d)
				d.From = start
				r.note(d)
				out = append(out, d)
			}
			if r.k() == '=' {
				r.p++
				r.binary(10)
			}
		}
		for !r.done() && r.k() != ',' && r.k() != '>' && r.k() != ';' && r.k() != '{' {
			r.skip()
		}
		if r.k() == ',' {
			r.p++
		} else if r.k() != '>' {
			break
		}
		if r.p == before {
			r.p++
		}
	}
	r.accept('>')
	return out
}

func (r *cReader) note(d *Def) {
	if r.body == r.f.Level {
		r.f.note(d)
	} else if d.Kind == Field || d.Kind == Variant || d.Kind == Method {
		d.From, d.To = d.At, d.At
		r.body.all = append(r.body.all, d)
	}
}

// declaration reads one declaration and returns what it declares.
func (r *cReader) declaration(parent *Def) []*Def {
	start := r.at()
	r.attributes()
	switch r.k() {
	case ';':
		r.p++
		return nil
	case cTemplate:
		r.p++
		r.push()
		r.templateParams()
		for r.k() == cRequires {
			r.requires()
		}
		ds := r.declaration(parent)
		r.pop()
		return ds
	case cConcept:
		r.p++
		if r.k() != tIdent {
			return nil
		}
		d := &Def{Kind: TypeName, Name: r.text(), At: r.at(), Parent: parent}
		r.p++
		if r.k() == '=' {
			r.p++
			r.expr()
		}
		r.semi()
		return []*Def{d}
	case cExtern:
		if r.kn(1) == tString && r.kn(2) == '{' {
			r.p += 3
			ds := r.declarations(parent)
			if r.k() == '}' {
				r.p++
			}
			return ds
		}
	case cStorage:
		if r.kn(1) == cNamespace {
			r.p++
			return r.namespace(parent, start)
		}
	case cNamespace:
		return r.namespace(parent, start)
	case cUsing:
		return r.using(parent)
	case cAccess:
		r.p++
		r.accept(':')
		return nil
	case cFriend:
		r.p++
		ds := r.declaration(nil)
		for _, d := range ds {
			d.Fwd = d.Body == nil
		}
		return nil
	case '}', ')', ']':
		return nil
	case tIdent:
		if k := r.kn(1); parent != nil && parent.Kind == TypeName && (k == ';' || k == '}') {
			// The macro of a struct's members.
			d := &Def{Kind: Generated, At: r.at(), Type: r.nameNode(r.tok())}
			r.p++
			return []*Def{d}
		}
		// A macro that stands like a declaration: NAME(...) or NAME.
		if r.kn(1) == '(' && !r.constructs(parent) {
			c := r.closing(r.p + 1)
			if k := r.kn(c + 1 - r.p); k != '{' && k != ':' && k != tArrow && k != cQualifier && k != cTrail && k != '=' {
				n := r.nameNode(r.tok())
				n.Flag = true
				r.p++
				r.skipUses()
				r.accept(';')
				return nil
			}
		}
		if k := r.kn(1); r.t[min(r.p+1, len(r.t)-1)].nl && (k == cStatic || k == cTypedef || k == cNamespace || k == cTemplate || k == cRecord || k == cExtern) {
			r.nameNode(r.tok())
			r.p++
			return nil
		}
	}
	return r.simple(parent, start)
}

// constructs reports whether a name before "(" is the constructor of what is
// being read.
func (r *cReader) constructs(parent *Def) bool {
	return parent != nil && parent.Kind == TypeName && parent.Name == r.text()
}

func (r *cReader) requires() {
	r.p++
	for !r.done() {
		switch r.k() {
		case '(', '{':
			r.skipUses()
		case tIdent, tScope:
			r.typeName()
		default:
			return
		}
		if r.k() != tAndAnd && r.k() != tOrOr {
			return
		}
		r.p++
	}
}

func (r *cReader) namespace(parent *Def, start uint32) []*Def {
	r.p++
	r.attributes()
	var out []*Def
	outer := parent
	for r.k() == tIdent {
		d := &Def{Kind: Namespace, Name: r.text(), At: r.at(), Parent: outer, Start: start}
		r.p++
		if r.k() == '=' { // an alias
			r.p++
			d.Alias = true
			d.Type = r.typeName()
			r.semi()
			return append(out, d)
		}
		if outer != parent {
			outer.Members = append(outer.Members, d)
		} else {
			out = append(out, d)
		}
		outer = d
		if r.k() != tScope {
			break
		}
		r.p++
		r.accept(cStorage)
	}
	for r.k() == tIdent { // a macro
		r.p++
	}
	if r.k() != '{' {
		r.semi()
		return out
	}
	r.p++
	ds := r.declarations(outer)
	if r.k() == '}' {
		r.p++
	}
	end := r.prev().end
	if outer == parent {
		return ds // without a name: as if it were not there
	}
	outer.Members = append(outer.Members, ds...)
	for d := outer; d != nil && d != parent; d = d.Parent {
		d.End = end
	}
	return out
}

func (r *cReader) using(parent *Def) []*Def {
	r.p++
	if r.k() == cNamespace {
		r.p++
		d := &Def{Kind: Import, Name: "*", At: r.at(), Parent: parent}
		d.Type = r.typeName()
		r.semi()
		if r.local {
			return nil
		}
		return []*Def{d}
	}
	if r.k() == tIdent && (r.kn(1) == '=' || r.kn(1) == '[' || r.kn(1) == cAttribute) {
		d := &Def{Kind: TypeName, Alias: true, Name: r.text(), At: r.at(), Parent: parent}
		r.p++
		r.attributes()
		if r.k() == '=' {
			r.p++
			base := r.specifiers(nil)
			if x := r.declarator(base.typ); x != nil {
				d.Type = x.Type
			}
		}
		r.semi()
		return []*Def{d}
	}
	r.accept(cTypename)
	n := r.typeName()
	r.semi()
	if n == nil || n.Kind != Member {
		return nil
	}
	return []*Def{{Kind: Import, Name: n.Name, At: n.At, Type: n, Parent: parent}}
}

// spec is what stands in front of declarators.
type spec struct {
	typ     *Node
	typedef bool
	static  bool
	extern  bool
	inner   []*Def // what the type itself declares
	record  *Def
}

// typeName reads a name that may be qualified and have template arguments.
func (r *cReader) typeName() *Node {
	r.accept(tScope)
	if r.k() == cTypename || r.k() == cTemplate {
		r.p++
	}
	switch r.k() {
	case cBasic, cQualifier, cRecord, cEnum, cDecltype, cAuto:
		base := r.specifiers(nil)
		if d := r.declarator(base.typ); d != nil {
			return d.Type
		}
		return base.typ
	case tIdent:
	default:
		return nil
	}
	n := r.nameNode(r.tok())
	r.p++
	return r.pathFrom(n)
}

func (r *cReader) pathFrom(n *Node) *Node {
	for !r.done() {
		switch {
		case r.k() == '<' && r.cpp && r.templateAhead():
			n = r.templateArgs(n)
		case r.k() == tScope && r.kn(1) == tIdent:
			r.p++
			n = r.memberNode(n, ':')
		case r.k() == tScope && r.kn(1) == cTemplate && r.kn(2) == tIdent:
			r.p += 2
			n = r.memberNode(n, ':')
		default:
			return n
		}
	}
	return n
}

// templateAhead reports whether "<" opens template arguments: what stands up
// to its ">" could be types and constants.
func (r *cReader) templateAhead() bool { return r.angle(r.p) >= 0 }

// angle returns the token that closes the angle bracket at i, negative where
// none does.
func (r *cReader) angle(from int) int {
	depth := 0
	for i := from; i < r.end && i < from+400; i++ {
		switch k := r.t[i].k; k {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return i
			}
		case '(', '[':
			i = r.closing(i)
		case ';', '{', '}', ')', ']', tOrOr, '=', tOpAssign, cReturn, cIf:
			return -1
		case tAndAnd:
			if k := r.t[min(i+1, r.end)].k; k != '>' && k != ',' && k != tDots {
				return -1
			}
		}
	}
	return -1
}

func (r *cReader) templateArgs(x *Node) *Node {
	n := &Node{Kind: Index, At: r.at(), X: x, Sep: ':'}
	if r.deeper() {
		defer r.shallower()
	} else {
		r.skip()
		return n
	}
	if end := r.angle(r.p); end >= 0 {
		defer func(saved int) {
			r.end, r.p = saved, min(end+1, saved)
		}(r.end)
		r.end = end // a ">" closes, and compares nothing
	}
	r.p++
	for !r.done() && r.k() != '>' {
		before := r.p
		n.List = append(n.List, r.argument())
		r.accept(tDots)
		if r.k() == ',' {
			r.p++
		} else if r.k() != '>' && r.p == before {
			r.skip()
		}
	}
	r.accept('>')
	return n
}

// argument reads a template argument: a type or a constant.
func (r *cReader) argument() *Node {
	switch r.k() {
	case cBasic, cQualifier, cRecord, cEnum, cTypename, cAuto, cDecltype:
		base := r.specifiers(nil)
		if d := r.declarator(base.typ); d != nil {
			return d.Type
		}
		return base.typ
	case tIdent, tScope:
		from, uses, all := r.p, len(r.body.uses), len(r.body.all)
		base := r.specifiers(nil)
		d := r.declarator(base.typ)
		if k := r.k(); base.typ != nil && (k == ',' || k == '>' || k == tDots) && (d == nil || d.Name == "") {
			if d != nil {
				return d.Type
			}
			return base.typ
		}
		r.p, r.body.uses, r.body.all = from, r.body.uses[:uses], r.body.all[:all]
	}
	return r.binary(6)
}

// specifiers reads what stands in front of a declarator. parent is what the
// types declared there belong to.
func (r *cReader) specifiers(parent *Def) (s spec) {
	constant := false
	defer func() {
		if constant && s.typ != nil && s.record == nil {
			s.typ.Const = true
		}
	}()
	for !r.done() {
		switch r.k() {
		case cStatic:
			s.static = true
			r.p++
		case cExtern:
			s.extern = true
			r.p++
			r.accept(tString)
		case cTypedef:
			s.typedef = true
			r.p++
		case cStorage, cQualifier, cFriend, cTypename:
			constant = constant || r.text() == "const"
			r.p++
			if r.k() == '(' && r.prev().k == cStorage { // explicit(...)
				r.skipUses()
			}
		case cAttribute:
			r.attributes()
		case '[':
			if r.kn(1) != '[' {
				return s
			}
			r.skip()
		case cBasic, cAuto:
			if s.typ == nil {
				s.typ = &Node{Kind: Lit, At: r.at(), Name: r.text()}
			}
			r.p++
		case cDecltype:
			r.p++
			if r.k() == '(' {
				end := r.closing(r.p)
				r.p++
				s.typ = &Node{Kind: Typed, At: r.at(), X: r.expr()}
				r.p = min(end+1, r.end)
			}
			if s.typ == nil {
				s.typ = &Node{Kind: Lit, Name: "auto"}
			}
		case cRecord:
			s.typ, s.inner = r.record(parent, s.inner)
			if len(s.inner) > 0 {
				s.record = s.inner[len(s.inner)-1]
			}
		case cEnum:
			s.typ, s.inner = r.enum(parent, s.inner)
		case tIdent, tScope:
			if s.typ == nil {
				if r.constructs(parent) && r.kn(1) == '(' {
					return s
				}
				from := r.p
				if r.k() == tIdent && r.kn(1) == '(' && !r.local {
					// A macro with arguments in front of a type.
					c := r.closing(r.p + 1)
					if k := r.kn(c + 1 - r.p); k == tIdent || k == cBasic || k == cRecord || k == cStorage || k == cStatic || k == cQualifier {
						n := r.nameNode(r.tok())
						n.Flag = true
						r.p++
						r.skipUses()
						continue
					}
					return s
				}
				if r.qualifiedDeclarator() {
					return s
				}
				s.typ = r.typeName()
				if r.p == from {
					return s
				}
				continue
			}
			// A second name: the declarator, or the first was a macro.
			if s.typ.Kind == Name && r.k() == tIdent {
				if r.kn(1) == '(' && r.kn(2) == tIdent && r.kn(3) == ')' && r.kn(4) == '(' && !r.local {
					s.typ = r.typeName() // MACRO type (name)(...)
					continue
				}
				switch r.kn(1) {
				case tIdent, '*', cQualifier, cBasic, cRecord, cStorage, cStatic:
					if r.kn(1) == '*' && r.kn(2) != tIdent && r.kn(2) != '(' && r.kn(2) != '*' && r.kn(2) != cQualifier {
						return s
					}
					if r.kn(1) == tIdent && r.kn(2) == '(' && r.local {
						return s
					}
					s.typ = r.typeName()
					continue
				}
			}
			return s
		default:
			return s
		}
	}
	return s
}

// qualifiedDeclarator reports whether "A::A(" or "A::~A(" or "A::operator"
// stands here: a declarator without a type.
func (r *cReader) qualifiedDeclarator() bool {
	if !r.cpp || r.k() != tIdent {
		return false
	}
	i := r.p
	last := r.str(r.t[i])
	for i+1 < r.end {
		i++
		if r.t[i].k == '<' {
			depth := 0
			for ; i < r.end; i++ {
				if r.t[i].k == '<' {
					depth++
				} else if r.t[i].k == '>' {
					if depth--; depth == 0 {
						break
					}
				} else if r.t[i].k == ';' || r.t[i].k == '{' {
					return false
				}
			}
			continue
		}
		if r.t[i].k != tScope {
			return false
		}
		i++
		switch r.t[i].k {
		case '~', cOperator:
			return true
		case tIdent:
			name := r.str(r.t[i])
			if name == last && r.t[min(i+1, r.end)].k == '(' {
				return true
			}
			last = name
		default:
			return false
		}
	}
	return false
}

// record reads struct, union or class.
func (r *cReader) record(parent *Def, inner []*Def) (*Node, []*Def) {
	start := r.at()
	r.p++
	r.attributes()
	for r.k() == tIdent && r.kn(1) == tIdent && r.kn(2) != '=' && r.kn(2) != ';' && r.kn(2) != ',' && r.kn(2) != '[' && r.kn(2) != '(' && r.kn(2) != ')' && r.kn(2) != tEOF {
		r.nameNode(r.tok()) // a macro
		r.p++
	}
	d := &Def{Kind: TypeName, At: r.at(), Start: start, Parent: parent, Sub: "record"}
	var name *Node
	if r.k() == tIdent || r.k() == tScope {
		uses := len(r.body.uses)
		name = r.typeName()
		if name != nil {
			d.Name, d.At = nameOf(name)
		}
		r.accept(cTrail)
		switch r.k() {
		case '{', ':':
			// The name is declared here.
			if n := len(r.body.uses); n > uses && name.Kind == Name {
				r.body.uses = r.body.uses[:uses]
			}
		case ';':
			if name != nil && name.Kind == Name {
				r.body.uses = r.body.uses[:min(uses, len(r.body.uses))]
				d.Fwd = true
				d.Type = &Node{Kind: StructType, At: d.At}
				d.End = r.at()
				r.note(d)
				return &Node{Kind: Bad, Name: d.Name, At: d.At}, append(inner, d)
			}
			return tagged(name), inner
		default:
			return tagged(name), inner
		}
	}
	if r.k() == ':' && r.cpp {
		r.p++
		for !r.done() && r.k() != '{' && r.k() != ';' {
			switch r.k() {
			case cAccess, ',', cStorage, tDots:
				r.p++
			default:
				before := r.p
				if b := r.typeName(); b != nil {
					d.Bases = append(d.Bases, b)
				}
				r.moved(before)
			}
		}
	}
	if r.k() != '{' {
		return tagged(name), inner
	}
	r.p++
	d.Type = &Node{Kind: StructType, At: d.At}
	if d.Name != "" {
		r.note(d)
	}
	saved := r.local
	r.local = false
	for _, m := range r.declarations(d) {
		if m.Kind == Generated {
			d.Macros = append(d.Macros, m)
			continue
		}
		m.Parent = d
		switch m.Kind {
		case Var, Const, Param:
			if m.Kind != Const {
				m.Kind = Field
			}
			d.Type.Fields = append(d.Type.Fields, m)
		default:
			d.Members = append(d.Members, m)
		}
		r.note(m)
	}
	r.local = saved
	if r.k() == '}' {
		r.p++
	}
	d.End = r.prev().end
	return &Node{Kind: Typed, At: d.At, Fields: []*Def{d}}, append(inner, d)
}

func tagged(name *Node) *Node {
	if name != nil && name.Kind == Name {
		name.Sep = 't'
	}
	return name
}

// nameOf is the last name of a path.
func nameOf(n *Node) (string, uint32) {
	for n != nil && n.Kind == Index {
		n = n.X
	}
	if n == nil {
		return "", 0
	}
	return n.Name, n.At
}

func (r *cReader) enum(parent *Def, inner []*Def) (*Node, []*Def) {
	start := r.at()
	r.p++
	r.accept(cRecord)
	r.attributes()
	d := &Def{Kind: TypeName, At: r.at(), Start: start, Parent: parent, Sub: "enum"}
	var name *Node
	if r.k() == tIdent {
		uses := len(r.body.uses)
		name = r.typeName()
		d.Name, d.At = nameOf(name)
		if r.k() == '{' || r.k() == ':' {
			r.body.uses = r.body.uses[:min(uses, len(r.body.uses))]
		}
	}
	if r.k() == ':' {
		r.p++
		r.specifiers(nil)
	}
	if r.k() != '{' {
		return tagged(name), inner
	}
	end := r.closing(r.p)
	r.p++
	for r.p < end {
		before := r.p
		r.attributes()
		if r.k() == tIdent {
			v := &Def{Kind: Variant, Name: r.text(), At: r.at(), Parent: d}
			r.p++
			if r.k() == '=' {
				r.p++
				r.binary(1)
			}
			d.Members = append(d.Members, v)
			r.note(v)
		}
		r.nextItem(end, before)
	}
	r.p = min(end+1, r.end)
	d.Type = &Node{Kind: StructType, At: d.At}
	d.End = r.prev().end
	if d.Name != "" {
		r.note(d)
	}
	return &Node{Kind: Typed, At: d.At, Fields: []*Def{d}}, append(inner, d)
}

// declarator reads one declarator; nil when none stands here. Its name may be
// empty.
func (r *cReader) declarator(base *Node) *Def {
	if !r.deeper() {
		r.skip()
		return nil
	}
	defer r.shallower()
	t := base
	for !r.done() {
		switch r.k() {
		case '*', '^':
			t = &Node{Kind: Star, X: t}
			r.p++
			continue
		case '&', tAndAnd:
			if !r.cpp {
				return nil
			}
			t = &Node{Kind: Addr, X: t}
			r.p++
			continue
		case cQualifier, cStorage:
			r.p++
			continue
		case cAttribute:
			r.attributes()
			continue
		case tDots:
			if r.cpp {
				r.p++
				continue
			}
		}
		break
	}
	d := &Def{Kind: Var, At: r.at(), Type: t}
	switch r.k() {
	case '(':
		// "(*name)" or "(name)": what stands behind the parentheses comes
		// first.
		k := r.kn(1)
		nested := k == '*' || k == '^' || (k == '&' || k == tAndAnd) && r.cpp || k == cAttribute || k == tIdent && (r.kn(2) == ')' || r.kn(2) == tScope && r.memberPointer(r.p+2) || r.kn(2) == '*') && (!r.local || r.kn(3) == '(')
		if !nested {
			break
		}
		open := r.p
		end := r.closing(r.p)
		r.p = min(end+1, r.end)
		typ, fn := r.declaratorTail(t)
		after := r.p
		saved := r.end
		r.p, r.end = open+1, min(end, saved)
		if r.k() == tIdent && r.kn(1) == '*' && r.kn(2) == tIdent { // a calling convention
			r.p++
		}
		if r.k() == tIdent && r.kn(1) == tScope { // Class::*
			r.typeName()
			for r.k() == tScope {
				r.p++
			}
		}
		in := r.declarator(typ)
		r.p, r.end = after, saved
		if in != nil {
			if fn && in.Type == typ {
				in.Kind = Function
			}
			return in
		}
		return d
	case tIdent, tScope, '~', cOperator:
		r.declaratorName(d)
	}
	typ, fn := r.declaratorTail(t)
	d.Type = typ
	if fn {
		d.Kind = Function
	}
	return d
}

func (r *cReader) memberPointer(i int) bool {
	for ; i < r.end && (r.t[i].k == tScope || r.t[i].k == tIdent); i++ {
	}
	return i < r.end && r.t[i].k == '*'
}

// declaratorName reads the name of a declarator, which may be qualified.
func (r *cReader) declaratorName(d *Def) {
	r.accept(tScope)
	for !r.done() {
		switch r.k() {
		case '~':
			r.p++
			if r.k() == tIdent {
				d.Name, d.At = "~"+r.text(), r.at()
				r.p++
			}
			return
		case cOperator:
			at := r.at()
			r.p++
			from := r.p
			if r.k() == '(' && r.kn(1) == ')' {
				r.p += 2
			} else {
				for !r.done() && r.k() != '(' && r.k() != ';' && r.k() != '{' {
					r.p++
				}
			}
			name := "operator"
			for _, t := range r.t[from:min(r.p, len(r.t))] {
				name += r.str(t)
			}
			d.Name, d.At = name, at
			return
		case tIdent:
			save := r.p
			n := &Node{Kind: Name, At: r.at(), Name: r.text()}
			r.p++
			if r.k() == '<' && r.cpp && r.templateAhead() {
				mark := r.p
				args := r.templateArgs(n)
				if r.k() == tScope {
					n = args
				} else if r.k() != '(' {
					r.p = mark
				}
			}
			if r.k() == tScope && r.cpp {
				// A qualifier: what owns the name.
				r.body.uses = append(r.body.uses, Use{At: r.t[save].at, Node: ownerNode(d, n), In: r.in})
				r.p++
				continue
			}
			d.Name, d.At = r.str(r.t[save]), r.t[save].at
			return
		default:
			return
		}
	}
}

// ownerNode adds a component to what qualifies a declarator.
func ownerNode(d *Def, n *Node) *Node {
	base := n
	for base.Kind == Index {
		base = base.X
	}
	if d.Via != nil {
		base.Kind, base.X, base.Sep = Member, d.Via, ':'
	}
	d.Via = n
	return base
}

// declaratorTail reads parameters and dimensions.
func (r *cReader) declaratorTail(t *Node) (typ *Node, fn bool) {
	switch r.k() {
	case '(':
		if !r.paramsAhead() {
			return t, false
		}
		f := &Func{}
		at := r.at()
		f.Params = r.params()
		f.Results = []*Def{{Kind: Param, Type: t}}
		for !r.done() {
			switch r.k() {
			case cQualifier, cTrail, '&', tAndAnd:
				if r.text() == "const" {
					f.Const = true
				}
				if r.k() == cTrail && r.kn(1) == '(' {
					r.p++
					r.skipUses()
					continue
				}
				r.p++
				continue
			case cThrow:
				r.p++
				r.skip()
				continue
			case cAttribute:
				r.attributes()
				continue
			case '[':
				if r.kn(1) == '[' {
					r.skip()
					continue
				}
			case cRequires:
				r.requires()
				continue
			case tArrow:
				r.p++
				base := r.specifiers(nil)
				if d := r.declarator(base.typ); d != nil {
					f.Results[0].Type = d.Type
				}
				continue
			}
			break
		}
		return &Node{Kind: FuncType, At: at, Fn: f}, true
	case '[':
		if r.kn(1) == '[' {
			r.skip()
			return t, false
		}
		end := r.closing(r.p)
		r.p++
		if r.p < end {
			r.expr()
		}
		r.p = min(end+1, r.end)
		elem, _ := r.declaratorTail(t)
		return &Node{Kind: ArrayType, X: elem}, false
	}
	return t, false
}

// paramsAhead reports whether "(" opens parameters and not an initial value.
func (r *cReader) paramsAhead() bool {
	if !r.local {
		return true
	}
	switch r.kn(1) {
	case ')', cBasic, cQualifier, cRecord, cEnum, tDots, cAuto, cTypename:
		return true
	case tIdent:
		k := r.kn(2)
		return !r.cpp || k == tIdent || (k == '*' || k == '&') && r.kn(3) == tIdent && (r.kn(4) == ',' || r.kn(4) == ')')
	}
	return false
}

func (r *cReader) params() []*Def {
	end := r.closing(r.p)
	r.p++
	var out []*Def
	local := r.local
	r.local = false
	saved := r.end
	r.end = min(end, saved)
	for r.p < end {
		before := r.p
		if r.k() == tDots {
			r.p++
		} else {
			s := r.specifiers(nil)
			d := r.declarator(s.typ)
			if d == nil {
				d = &Def{Type: s.typ}
			}
			d.Kind = Param
			d.Via = nil
			if r.k() == '=' {
				r.p++
				if d.Init = r.binary(1); d.Init == nil {
					d.Init = &Node{Kind: Bad, At: d.At}
				}
			}
			if d.Name != "" {
				r.note(d)
			}
			out = append(out, d)
		}
		r.nextItem(end, before)
	}
	r.end = saved
	r.p = min(end+1, r.end)
	r.local = local
	return out
}

// simple reads a declaration with specifiers and declarators.
func (r *cReader) simple(parent *Def, start uint32) []*Def {
	s := r.specifiers(parent)
	out := s.inner
	if s.typ == nil && r.k() != tIdent && r.k() != '~' && r.k() != cOperator && r.k() != '*' && r.k() != '(' {
		r.accept(';')
		return out
	}
	for n := 0; !r.done(); n++ {
		if r.k() == ';' {
			r.p++
			return out
		}
		before := r.p
		d := r.declarator(s.typ)
		if d == nil {
			break
		}
		if r.k() == ':' && !r.local && d.Kind != Function { // a bit field
			r.p++
			r.binary(1)
		}
		r.attributes()
		if d.Name != "" {
			d.Parent, d.Start = parent, start
			d.Static = s.static
			switch {
			case s.typedef:
				d.Kind, d.Alias = TypeName, true
			case d.Kind == Function:
				d.Fwd = true
				if parent != nil && parent.Kind == TypeName || d.Via != nil {
					d.Kind = Method
				}
				if r.k() == tIdent { // a macro behind the parameters
					for r.k() == tIdent && (r.kn(1) == ';' || r.kn(1) == '{' || r.kn(1) == '(' || r.kn(1) == tIdent) {
						r.nameNode(r.tok())
						r.p++
						if r.k() == '(' {
							r.skipUses()
						}
					}
				}
			case s.extern:
				d.Fwd = true
			}
			out = append(out, d)
		}
		if d.Kind == Function || d.Kind == Method {
			if r.k() == ':' || r.k() == cTry || r.k() == '{' || !r.local && !r.cpp && r.oldStyle() {
				r.functionBody(d)
				return out
			}
		}
		switch r.k() {
		case '=':
			r.p++
			switch r.k() {
			case cDefault, cDelete:
				r.p++
				d.Fwd = false
			case '{':
				d.Init = r.braces(s.typ, d.Type)
			default:
				e := r.binary(1)
				if d.Kind != Function && d.Kind != Method {
					d.Init = e
					d.Fwd = false
				}
			}
		case '{':
			d.Init = r.braces(s.typ, d.Type)
		case '(':
			if r.local {
				d.Args = r.list()
			}
		}
		if r.local && d.Name != "" && d.Kind != Method {
			r.declare(d)
			d.From = d.At
		}
		if r.k() == ',' {
			r.p++
			continue
		}
		if r.p == before {
			break
		}
		if r.k() != ';' {
			break
		}
	}
	if r.k() == ';' {
		r.p++
	} else if r.k() == ':' || r.k() == ')' {
		return out
	} else {
		r.semi()
	}
	return out
}

// oldStyle reports whether parameters are declared between ")" and "{".
func (r *cReader) oldStyle() bool {
	if r.k() != tIdent && r.k() != cBasic && r.k() != cRecord && r.k() != cQualifier {
		return false
	}
	for i := r.p; i < r.end && i < r.p+200; i++ {
		switch r.t[i].k {
		case '{':
			return r.t[i-1].k == ';'
		case '}', '(', '=':
			return false
		}
	}
	return false
}

func (r *cReader) functionBody(d *Def) {
	d.Fwd = false
	from := r.p
	for !r.done() && r.k() != '{' {
		if r.k() == ';' && r.cpp {
			return
		}
		if r.k() == ':' { // a constructor's initial values
			r.p++
			for !r.done() && r.k() != '{' {
				if r.k() == tIdent || r.k() == tScope {
					before := r.p
					r.p = r.skipPath()
					if k := r.k(); k == '(' || k == '{' {
						r.skip()
						r.accept(tDots)
						r.accept(',')
						continue
					}
					if r.p == before {
						r.p++
					}
					continue
				}
				r.skip()
			}
			break
		}
		r.skip()
	}
	if r.k() == '{' {
		r.skip()
	}
	for r.k() == cCatch {
		for !r.done() && r.k() != '{' {
			r.skip()
		}
		r.skip()
	}
	to := r.p
	d.End = r.t[min(max(to-1, 0), len(r.t)-1)].end
	if r.local {
		in := *r
		in.p, in.end = from, to
		in.push()
		in.bring(d.Type)
		in.bodyOf()
		in.pop()
		r.open, r.scopes = in.open, in.scopes
		return
	}
	d.Body = &Body{Start: r.t[from].at, End: d.End}
	d.Body.read = func(b *Body) {
		in := &cReader{reader: reader{f: r.f, t: r.t, p: from, end: to, body: b, in: d}, cpp: r.cpp, local: true}
		in.push()
		in.bring(d.Type)
		in.bodyOf()
		in.pop()
	}
}

// skipPath returns the token behind a qualified name.
func (r *cReader) skipPath() int {
	i := r.p
	for i < r.end {
		switch r.t[i].k {
		case tIdent, tScope:
			i++
			continue
		case '<':
			depth := 0
			for ; i < r.end; i++ {
				if r.t[i].k == '<' {
					depth++
				} else if r.t[i].k == '>' {
					if depth--; depth == 0 {
						i++
						break
					}
				} else if r.t[i].k == ';' || r.t[i].k == '{' {
					return i
				}
			}
			continue
		}
		break
	}
	return i
}

func (r *cReader) bring(t *Node) {
	for t != nil && t.Kind != FuncType {
		t = t.X
	}
	if t == nil {
		return
	}
	for _, d := range t.Fn.Params {
		if d.Name != "" {
			r.add(d, r.at())
		}
	}
}

// bodyOf reads a function's initial values and block.
func (r *cReader) bodyOf() {
	r.accept(cTry)
	if r.k() == ':' {
		r.p++
		for !r.done() && r.k() != '{' {
			before := r.p
			if r.k() == tIdent || r.k() == tScope {
				n := r.typeName()
				if n != nil && n.Kind == Name {
					n.Sep = 'i'
				}
				if r.k() == '(' {
					r.list()
				} else if r.k() == '{' {
					r.braces(nil, nil)
				}
			}
			if r.k() == ',' || r.k() == tDots {
				r.p++
			}
			r.moved(before)
		}
	}
	for !r.done() && r.k() != '{' { // declarations of old style
		before := r.p
		r.simple(nil, r.at())
		if r.p == before {
			r.p++
		}
	}
	r.block()
	for r.k() == cCatch {
		r.catch()
	}
}

// Statements.

func (r *cReader) block() {
	if r.k() != '{' {
		return
	}
	if r.deeper() {
		defer r.shallower()
	} else {
		r.skip()
		return
	}
	r.p++
	for !r.done() && r.k() != '}' {
		before := r.p
		r.statement()
		r.moved(before)
	}
	if r.k() == '}' {
		r.p++
	}
}

func (r *cReader) scope() {
	r.push()
	r.block()
	r.pop()
}

func (r *cReader) body1() {
	r.push()
	r.statement()
	r.pop()
}

func (r *cReader) statement() {
	if r.deeper() {
		defer r.shallower()
	} else {
		r.skip()
		return
	}
	switch r.k() {
	case ';':
		r.p++
	case '{':
		r.scope()
	case cIf, cWhile, cSwitch:
		kind := r.k()
		r.p++
		if r.k() == cStorage { // if constexpr
			r.p++
		}
		r.push()
		r.condition()
		r.body1()
		if kind == cIf && r.k() == cElse {
			r.p++
			r.body1()
		}
		r.pop()
	case cElse:
		r.p++
		r.body1()
	case cFor:
		r.p++
		r.push()
		if r.k() == '(' {
			r.forHeader()
		}
		r.body1()
		r.pop()
	case cDo:
		r.p++
		r.body1()
		if r.k() == cWhile {
			r.p++
			r.condition()
			r.accept(';')
		}
	case cCase:
		r.p++
		r.binary(1)
		if r.k() == tDots {
			r.p++
			r.binary(1)
		}
		r.accept(':')
	case cDefault:
		r.p++
		r.accept(':')
	case cReturn, cThrow:
		r.p++
		if r.k() == '{' {
			r.braces(nil, nil)
		} else if r.k() != ';' {
			r.expr()
		}
		r.semi()
	case cGoto:
		r.p++
		if r.k() == tIdent {
			r.body.uses = append(r.body.uses, Use{At: r.at(), Node: &Node{Kind: Name, At: r.at(), Name: r.text()}, Label: true, In: r.in})
			r.p++
		}
		r.semi()
	case cJump:
		r.p++
		r.semi()
	case cTry:
		r.p++
		r.scope()
		for r.k() == cCatch {
			r.catch()
		}
	case cAttribute:
		r.attributes()
		r.accept(';')
	case cUsing:
		for _, d := range r.using(nil) {
			r.declare(d)
		}
	case cTemplate, cNamespace:
		r.declaration(nil)
	default:
		if r.k() == tIdent && r.kn(1) == ':' && r.kn(2) != ':' {
			if r.body.labels == nil {
				r.body.labels = map[string]*Def{}
			}
			r.body.labels[r.text()] = &Def{Kind: Label, Name: r.text(), At: r.at()}
			r.p += 2
			return
		}
		if r.declares() {
			for _, d := range r.simple(nil, r.at()) {
				if d.Kind == TypeName && d.From == 0 {
					r.declare(d)
					d.From = d.At
				}
				if d.Sub == "enum" {
					for _, v := range d.Members {
						r.declare(v)
						v.From = v.At
					}
				}
			}
			return
		}
		r.expr()
		if r.k() == ';' {
			r.p++
		} else if r.k() != '}' && r.k() != '{' && r.prev().k != ')' {
			r.semi()
		}
	}
}

func (r *cReader) catch() {
	r.p++
	r.push()
	if r.k() == '(' {
		end := r.closing(r.p)
		r.p++
		if r.k() != tDots {
			s := r.specifiers(nil)
			if d := r.declarator(s.typ); d != nil && d.Name != "" {
				r.declare(d)
			}
		}
		r.p = min(end+1, r.end)
	}
	r.scope()
	r.pop()
}

// condition reads a parenthesised condition, which may declare.
func (r *cReader) condition() {
	if r.k() != '(' {
		return
	}
	end := r.closing(r.p)
	r.p++
	saved := r.end
	r.end = min(end, saved)
	for r.p < end {
		before := r.p
		if r.declares() {
			r.simple(nil, r.at())
		} else {
			r.expr()
		}
		r.accept(';')
		r.moved(before)
	}
	r.end = saved
	r.p = min(end+1, r.end)
}

func (r *cReader) forHeader() {
	end := r.closing(r.p)
	r.p++
	saved := r.end
	r.end = min(end, saved)
	if r.declares() {
		from := r.p
		s := r.specifiers(nil)
		d := r.declarator(s.typ)
		var bound []*Def
		if r.k() == '[' || d != nil && d.Name == "" && r.k() == '[' {
			// auto [a, b] : x
			r.p++
			for !r.done() && r.k() != ']' {
				if r.k() == tIdent {
					bound = append(bound, &Def{Kind: Var, Name: r.text(), At: r.at()})
				}
				r.p++
			}
			r.p++
		}
		if r.k() == ':' && (d != nil || bound != nil) {
			r.p++
			e := r.expr()
			if d != nil && d.Name != "" {
				if isAuto(s.typ) {
					d.Type, d.Init, d.Proj = nil, e, RangeElem
				}
				r.declare(d)
			}
			for _, b := range bound {
				r.declare(b)
			}
			r.end = saved
			r.p = min(end+1, r.end)
			return
		}
		r.p = from
		r.simple(nil, r.at())
	} else if r.k() != ';' {
		r.expr()
		r.accept(';')
	} else {
		r.p++
	}
	for r.p < end {
		before := r.p
		r.expr()
		r.accept(';')
		r.moved(before)
	}
	r.end = saved
	r.p = min(end+1, r.end)
}

func isAuto(t *Node) bool { return t != nil && t.Kind == Lit && t.Name == "auto" }

// declares reports whether a declaration begins here and not an expression.
func (r *cReader) declares() bool {
	switch r.k() {
	case cStorage, cStatic, cExtern, cTypedef, cQualifier, cRecord, cEnum, cAuto, cTypename:
		return true
	case cBasic:
		return r.kn(1) != '(' && r.kn(1) != '{'
	case cDecltype:
		return true
	case tIdent, tScope:
	default:
		return false
	}
	i := r.p
	if r.t[i].k == tScope {
		i++
	}
	for i < r.end && r.t[i].k == tIdent {
		i++
		if r.cpp && i < r.end && r.t[i].k == '<' {
			save := r.p
			r.p = i
			ok := r.templateAhead()
			r.p = save
			if !ok {
				return false
			}
			depth := 0
			for ; i < r.end; i++ {
				if r.t[i].k == '<' {
					depth++
				} else if r.t[i].k == '>' {
					if depth--; depth == 0 {
						i++
						break
					}
				} else if r.t[i].k == '(' {
					i = r.closing(i)
				}
			}
		}
		if i < r.end && r.t[i].k == tScope {
			i++
			continue
		}
		break
	}
	kind := func(n int) uint8 {
		if n < r.end {
			return r.t[n].k
		}
		return tEOF
	}
	stars := 0
	for kind(i) == '*' || kind(i) == cQualifier || r.cpp && (kind(i) == '&' || kind(i) == tAndAnd) {
		stars++
		i++
	}
	if kind(i) != tIdent {
		// T (*name)(...)
		return stars == 0 && kind(i) == '(' && kind(i+1) == '*' && kind(i+2) == tIdent && kind(i+3) == ')' && kind(i+4) == '('
	}
	switch kind(i + 1) {
	case ';', '=', ',', '[', ')', '{':
		return true
	case ':':
		return r.cpp
	case '(':
		return stars == 0 || r.cpp
	case tIdent:
		return stars == 0 // a macro in between
	case '*':
		return stars == 0 && kind(i+2) == tIdent
	case cAttribute:
		return true
	}
	return false
}

// Expressions.

func (r *cReader) expr() *Node {
	n := r.binary(1)
	for r.k() == ',' && !r.done() {
		r.p++
		n = r.binary(1)
	}
	return n
}

func (r *cReader) operator() (prec, n int) {
	next := func(k uint8) bool { return r.kn(1) == k && r.p+1 < len(r.t) && r.t[r.p+1].at == r.t[r.p].end }
	switch r.k() {
	case '=', tOpAssign:
		return 1, 1
	case '?':
		return 2, 1
	case tOrOr:
		return 3, 1
	case tAndAnd:
		return 4, 1
	case '|':
		return 5, 1
	case '^':
		return 6, 1
	case '&':
		return 7, 1
	case tCompare, '<':
		return 8, 1
	case '>':
		switch {
		case next('='):
			return 8, 2
		case next('>'):
			return 9, 2
		}
		return 8, 1
	case tShift:
		return 9, 1
	case '+', '-':
		return 10, 1
	case '*', '/', '%':
		return 11, 1
	case tMemPtr:
		return 12, 1
	}
	return 0, 0
}

func (r *cReader) binary(prec int) *Node {
	if !r.deeper() {
		r.skip()
		return nil
	}
	defer r.shallower()
	x := r.unary()
	for !r.done() {
		p, n := r.operator()
		if p == 0 || p < prec || p == prec && p > 2 {
			return x
		}
		b := &Node{Kind: Binary, At: r.at(), X: x, Name: r.text()}
		if p == 8 {
			b.Name = "=="
		}
		r.p += n
		switch p {
		case 1:
			if r.k() == '{' {
				b.Y = r.braces(nil, nil)
			} else {
				b.Y = r.binary(1)
			}
		case 2:
			c := &Node{Kind: Cond, At: b.At}
			y := x
			if r.k() != ':' {
				y = r.expr()
			}
			c.List = append(c.List, y)
			r.accept(':')
			c.List = append(c.List, r.binary(1))
			b = c
		default:
			b.Y = r.binary(p)
		}
		x = b
	}
	return x
}

func (r *cReader) unary() *Node {
	if !r.deeper() {
		r.skip()
		return nil
	}
	defer r.shallower()
	at := r.at()
	switch r.k() {
	case '*':
		r.p++
		return &Node{Kind: Star, At: at, X: r.unary()}
	case '&', tAndAnd:
		r.p++
		return &Node{Kind: Addr, At: at, X: r.unary()}
	case '+', '-', '!', '~', tInc, tDec:
		name := r.text()
		r.p++
		return &Node{Kind: Unary, At: at, Name: name, X: r.unary()}
	case cStorage, tDots: // co_await
		r.p++
		return r.unary()
	case cSizeof:
		r.p++
		r.accept(tDots)
		if r.k() == '(' {
			end := r.closing(r.p)
			r.p++
			if r.typeAhead(end) {
				r.typeIn(end)
			} else {
				r.expr()
			}
			r.p = min(end+1, r.end)
		} else {
			r.unary()
		}
		return &Node{Kind: Lit, At: at, Name: "int"}
	case '(':
		end := r.closing(r.p)
		if r.castAhead(end) {
			r.p++
			t := r.typeIn(end)
			r.p = min(end+1, r.end)
			if r.k() == '{' {
				return r.suffixes(r.braces(t, t))
			}
			return &Node{Kind: Assert, At: at, Y: t, X: r.unary()}
		}
	case cDelete:
		r.p++
		if r.k() == '[' {
			r.skip()
		}
		return r.unary()
	case cNew:
		r.p++
		if r.k() == '(' {
			r.list()
		}
		s := r.specifiers(nil)
		t := s.typ
		for r.k() == '*' {
			t = &Node{Kind: Star, X: t}
			r.p++
		}
		for r.k() == '[' {
			r.list()
		}
		if r.k() == '(' {
			r.list()
		} else if r.k() == '{' {
			r.braces(t, t)
		}
		return &Node{Kind: Assert, At: at, Y: &Node{Kind: Star, X: t}}
	case cThrow, cReturn:
		r.p++
		if r.k() != ';' {
			r.expr()
		}
		return nil
	}
	return r.suffixes(r.operand())
}

// typeAhead reports whether a type stands up to token end.
func (r *cReader) typeAhead(end int) bool {
	switch r.k() {
	case cBasic, cRecord, cEnum, cQualifier, cTypename, cAuto, cDecltype:
		return true
	case tIdent, tScope:
	default:
		return false
	}
	i := r.p
	for i < end && (r.t[i].k == tIdent || r.t[i].k == tScope) {
		i++
	}
	if i < end && r.t[i].k == '<' && r.cpp {
		return r.t[end-1].k == '>' || r.t[end-1].k == '*' || r.t[end-1].k == '&'
	}
	stars := i
	for i < end && (r.t[i].k == '*' || r.t[i].k == cQualifier || r.t[i].k == '&' && r.cpp) {
		i++
	}
	return i == end && (i > stars || stars == r.p+1)
}

// castAhead reports whether "(" here opens a cast.
func (r *cReader) castAhead(end int) bool {
	save := r.p
	r.p++
	ok := r.p < end && r.typeAhead(end)
	first := r.k()
	single := end == r.p+1
	r.p = save
	if !ok {
		return false
	}
	next := r.kn(end + 1 - r.p)
	if first == cBasic || first == cRecord || first == cEnum || first == cQualifier {
		return next != ')' && next != ',' && next != ';'
	}
	if single {
		// (name) x is a cast; (name)(x) and (name)-1 need not be.
		switch next {
		case tIdent, tInt, tFloat, tString, tChar, '{', '!', '~', cSizeof, cLiteral, cThis, cCast, cNew:
			return true
		}
		return false
	}
	switch next {
	case tIdent, tInt, tFloat, tString, tChar, '{', '!', '~', '(', '&', '*', '-', cSizeof, cLiteral, cThis, cCast, cNew:
		return true
	}
	return false
}

// typeIn reads a type that ends before token end.
func (r *cReader) typeIn(end int) *Node {
	saved := r.end
	r.end = min(end, saved)
	s := r.specifiers(nil)
	t := s.typ
	local := r.local
	r.local = false
	if d := r.declarator(s.typ); d != nil {
		t = d.Type
	}
	r.local = local
	r.end = saved
	return t
}

// cLiterals are the types of literals; a string's is its own.
var cLiterals = [...]string{tInt: "int", tFloat: "double", tChar: "char", tString: "string"}

func (r *cReader) operand() *Node {
	at := r.at()
	switch k := r.k(); k {
	case tInt, tFloat, tChar, tString:
		for r.k() == tString && r.kn(1) == tString {
			r.p++
		}
		name := cLiterals[k]
		if k == tFloat && strings.HasSuffix(strings.ToLower(r.text()), "f") {
			name = "float"
		}
		r.p++
		return &Node{Kind: Lit, At: at, Name: name}
	case cLiteral:
		name := "bool"
		if r.text() == "nullptr" {
			name = "nullptr"
		}
		r.p++
		return &Node{Kind: Lit, At: at, Name: name}
	case cThis:
		r.p++
		return &Node{Kind: Self, At: at}
	case '(':
		end := r.closing(r.p)
		if r.kn(1) == '{' {
			r.p++
			r.scope()
			r.p = min(end+1, r.end)
			return nil
		}
		r.p++
		saved := r.end
		r.end = min(end, saved)
		n := r.expr()
		r.end = saved
		r.p = min(end+1, r.end)
		return n
	case '{':
		return r.braces(nil, nil)
	case '[':
		return r.lambda()
	case cCast:
		r.p++
		var t *Node
		if r.k() == '<' {
			a := r.templateArgs(nil)
			if len(a.List) > 0 {
				t = a.List[0]
			}
		}
		if r.k() == '(' {
			r.list()
		}
		return &Node{Kind: Assert, At: at, Y: t}
	case cBasic, cAuto: // int(x)
		n := &Node{Kind: Lit, At: at, Name: r.text()}
		r.p++
		if r.k() == '(' {
			r.list()
		} else if r.k() == '{' {
			r.braces(nil, nil)
		}
		return n
	case cTypename, cTemplate, cDecltype:
		return r.typeName()
	case cOperator:
		d := &Def{}
		r.declaratorName(d)
		return nil
	case cRequires:
		r.p++
		for !r.done() && r.k() == '(' || r.k() == '{' {
			r.skipUses()
		}
		return &Node{Kind: Lit, At: at, Name: "bool"}
	case tIdent, tScope:
		if k == tScope {
			r.p++
			if r.k() != tIdent {
				return nil
			}
		}
		n := r.nameNode(r.tok())
		r.p++
		return r.pathFrom(n)
	}
	return nil
}

func (r *cReader) lambda() *Node {
	n := &Node{Kind: FuncLit, At: r.at(), Fn: &Func{}}
	end := r.closing(r.p)
	r.push()
	r.p++
	for r.p < end {
		before := r.p
		if r.k() == '&' || r.k() == '=' || r.k() == '*' || r.k() == ',' || r.k() == tDots {
			r.p++
			continue
		}
		if r.k() == tIdent && r.kn(1) == '=' {
			d := &Def{Kind: Var, Name: r.text(), At: r.at()}
			r.p += 2
			d.Init = r.binary(1)
			r.declare(d)
		} else {
			r.binary(1)
		}
		if r.p == before {
			r.p++
		}
	}
	r.p = min(end+1, r.end)
	if r.k() == '<' {
		r.templateParams()
	}
	if r.k() == '(' {
		local := r.local
		r.local = false
		t, _ := r.declaratorTail(nil)
		r.local = local
		if t != nil && t.Kind == FuncType {
			n.Fn = t.Fn
		}
	}
	for r.k() == cTrail || r.k() == cStorage {
		r.p++
	}
	if r.k() == '{' {
		for _, d := range n.Fn.Params {
			if d.Name != "" {
				r.add(d, r.at())
			}
		}
		r.block()
	}
	r.pop()
	return n
}

// list reads bracketed expressions.
func (r *cReader) list() []*Node {
	end := r.closing(r.p)
	r.p++
	saved := r.end
	r.end = min(end, saved)
	var out []*Node
	for r.p < end {
		before := r.p
		if r.k() == '{' {
			out = append(out, r.braces(nil, nil))
		} else if r.typeAhead(r.argumentEnd(end)) && r.k() != tIdent && r.k() != tScope {
			out = append(out, r.typeIn(r.argumentEnd(end)))
		} else {
			out = append(out, r.binary(1))
		}
		if r.k() == ',' || r.k() == tDots || r.k() == ';' {
			r.p++
		}
		r.moved(before)
	}
	r.end = saved
	r.p = min(end+1, r.end)
	return out
}

func (r *cReader) argumentEnd(end int) int {
	for i := r.p; i < end; i++ {
		switch r.t[i].k {
		case '(', '[', '{':
			i = r.closing(i)
		case ',':
			return i
		}
	}
	return end
}

// braces reads an initial value in braces; typ is the type that is written,
// of is that of the whole.
func (r *cReader) braces(_, of *Node) *Node {
	n := &Node{Kind: Composite, At: r.at(), X: of}
	if r.deeper() {
		defer r.shallower()
	} else {
		r.skip()
		return n
	}
	end := r.closing(r.p)
	r.p++
	saved := r.end
	r.end = min(end, saved)
	for r.p < end {
		before := r.p
		designated := false
		var field string
		for r.k() == '.' && r.kn(1) == tIdent || r.k() == '[' && !r.cpp {
			designated = true
			if r.k() == '[' {
				r.list()
				continue
			}
			r.p++
			t := r.tok()
			field = r.str(t)
			key := &Node{Kind: Name, At: t.at, Name: field}
			r.body.uses = append(r.body.uses, Use{At: t.at, Node: key, Of: n, In: r.in})
			r.p++
		}
		if designated && r.k() == '=' {
			r.p++
		}
		if r.k() == '{' {
			in := r.braces(nil, nil)
			in.Y, in.Name = n, field
		} else if r.p < end && r.k() != ',' {
			r.binary(1)
		}
		if r.k() == ',' || r.k() == tDots {
			r.p++
		}
		r.moved(before)
	}
	r.end = saved
	r.p = min(end+1, r.end)
	return n
}

func (r *cReader) suffixes(x *Node) *Node {
	for !r.done() {
		at := r.at()
		switch r.k() {
		case '.', tArrow:
			sep := byte('.')
			if r.k() == tArrow {
				sep = '>'
			}
			r.p++
			r.accept(cTemplate)
			switch r.k() {
			case tIdent:
				x = r.memberNode(x, sep)
				x = r.pathFrom(x)
			case '~':
				r.p++
				r.accept(tIdent)
			case cOperator:
				d := &Def{}
				r.declaratorName(d)
				x = nil
			default:
				return x
			}
		case '(':
			n := &Node{Kind: Call, At: at, X: x}
			callee := x
			for callee != nil && callee.Kind == Index && callee.Sep == ':' {
				callee = callee.X
			}
			if callee != nil && (callee.Kind == Name || callee.Kind == Member) {
				callee.Flag = true
			}
			n.List = r.list()
			if callee != nil && callee.Flag {
				callee.Args, callee.With = len(n.List)+1, n.List
			}
			x = n
		case '[':
			x = &Node{Kind: Index, At: at, X: x, List: r.list()}
		case '{':
			if x == nil || !r.cpp || x.Kind != Name && x.Kind != Member && x.Kind != Index || !upperish(x) {
				return x
			}
			x = r.braces(x, x)
		case tInc, tDec:
			r.p++
		default:
			return x
		}
	}
	return x
}

// upperish reports whether a name before "{" is rather a type's.
func upperish(n *Node) bool {
	name, _ := nameOf(n)
	return n.Kind == Index || strings.HasSuffix(name, "_t") || name != "" && name[0] >= 'A' && name[0] <= 'Z'
}

// truth is what a condition of the preprocessor comes to, as far as it can be
// told: for a Unix system and a compiler like GCC, and with nothing defined
// that the file does not define.
type truth uint8

const (
	perhaps truth = iota
	never
	always
)

func noteMacro(known map[string]string, rest []byte) {
	s := strings.TrimSpace(string(rest))
	i := 0
	for i < len(s) && (letter(s[i]) || digit(s[i])) {
		i++
	}
	if i == 0 {
		return
	}
	value := strings.TrimSpace(s[i:])
	if strings.HasPrefix(value, "(") && i < len(s) && s[i] == '(' {
		value = "?"
	}
	known[s[:i]] = value
}

// predefined says what the compiler itself defines.
func predefined(name string, cpp bool) truth {
	switch name {
	case "__GNUC__", "__clang__", "__unix__", "__linux__", "__linux", "linux", "__x86_64__", "__STDC__", "__STDC_VERSION__", "__LP64__", "__SIZEOF_POINTER__", "unix", "__unix", "__ELF__":
		return always
	case "__cplusplus":
		if cpp {
			return always
		}
		return never
	case "_WIN32", "_WIN64", "WIN32", "__WIN32__", "_MSC_VER", "__APPLE__", "__MINGW32__", "__CYGWIN__", "__FreeBSD__", "__OpenBSD__", "__NetBSD__", "__sun", "__hpux", "_AIX", "__BORLANDC__", "__INTEL_COMPILER", "__ANDROID__", "__TINYC__":
		return never
	}
	return perhaps
}

func (r *cReader) isDefined(name string, known map[string]string) truth {
	if _, ok := known[name]; ok {
		return always
	}
	if t := predefined(name, r.cpp); t != perhaps {
		return t
	}
	return perhaps
}

// holds evaluates a directive's condition. What nothing defines is rather not
// defined.
func (r *cReader) holds(name string, rest []byte, known map[string]string) truth {
	word := strings.TrimSpace(string(rest))
	switch name {
	case "ifdef", "ifndef":
		i := 0
		for i < len(word) && (letter(word[i]) || digit(word[i])) {
			i++
		}
		t := r.isDefined(word[:i], known)
		switch {
		case name == "ifdef" && t == perhaps:
			return never
		case name == "ifdef":
			return t
		case t == always:
			return never
		}
		return always
	}
	ts := scan(r.f.Lang, rest, nil)
	e := &condition{r: r, text: rest, t: ts, known: known}
	v, ok := e.or()
	switch {
	case !ok || e.t[e.p].k != tEOF:
		return perhaps
	case v != 0:
		return always
	}
	return never
}

// condition evaluates an expression of the preprocessor.
type condition struct {
	r     *cReader
	text  []byte
	t     []token
	p     int
	depth int
	known map[string]string
}

func (c *condition) k() uint8 { return c.t[c.p].k }

func (c *condition) or() (int64, bool) {
	v, ok := c.and()
	for c.k() == tOrOr {
		c.p++
		w, ok2 := c.and()
		switch {
		case ok && v != 0 || ok2 && w != 0:
			v, ok = 1, true
		default:
			v, ok = 0, ok && ok2
		}
	}
	return v, ok
}

func (c *condition) and() (int64, bool) {
	v, ok := c.compare()
	for c.k() == tAndAnd {
		c.p++
		w, ok2 := c.compare()
		switch {
		case ok && v == 0 || ok2 && w == 0:
			v, ok = 0, true
		default:
			v, ok = 1, ok && ok2
		}
	}
	return v, ok
}

func (c *condition) compare() (int64, bool) {
	v, ok := c.unary()
	for {
		op := string(c.text[c.t[c.p].at:c.t[c.p].end])
		switch c.k() {
		case tCompare, '<', '>':
			c.p++
			if op == ">" && c.k() == '=' {
				op = ">="
				c.p++
			}
		default:
			return v, ok
		}
		w, ok2 := c.unary()
		ok = ok && ok2
		yes := false
		switch op {
		case "==":
			yes = v == w
		case "!=":
			yes = v != w
		case "<":
			yes = v < w
		case ">":
			yes = v > w
		case "<=":
			yes = v <= w
		case ">=":
			yes = v >= w
		}
		v = 0
		if yes {
			v = 1
		}
	}
}

func (c *condition) unary() (int64, bool) {
	if c.depth++; c.depth > 200 {
		return 0, false
	}
	t := c.t[c.p]
	switch t.k {
	case '!':
		c.p++
		v, ok := c.unary()
		if v == 0 {
			return 1, ok
		}
		return 0, ok
	case '(':
		c.p++
		v, ok := c.or()
		if c.k() == ')' {
			c.p++
		}
		return v, ok
	case tInt:
		c.p++
		return number(string(c.text[t.at:t.end]))
	case tIdent:
		c.p++
		name := string(c.text[t.at:t.end])
		if name == "defined" {
			paren := c.k() == '('
			if paren {
				c.p++
			}
			arg := c.t[c.p]
			if arg.k == tIdent {
				c.p++
			}
			if paren && c.k() == ')' {
				c.p++
			}
			if c.r.isDefined(string(c.text[arg.at:arg.end]), c.known) == always {
				return 1, true
			}
			return 0, true
		}
		if c.k() == '(' {
			for depth := 0; c.k() != tEOF; c.p++ {
				if c.k() == '(' {
					depth++
				} else if c.k() == ')' {
					if depth--; depth == 0 {
						c.p++
						break
					}
				}
			}
			return 0, false
		}
		return c.value(name, 0)
	}
	return 0, false
}

func (c *condition) value(name string, depth int) (int64, bool) {
	v, ok := c.known[name]
	switch {
	case !ok && predefined(name, c.r.cpp) == always:
		return 1 << 30, true
	case !ok:
		return 0, predefined(name, c.r.cpp) == never
	case depth > 8:
		return 0, false
	}
	v = strings.Trim(v, "() \t")
	if i := strings.Index(v, "/*"); i >= 0 {
		v = strings.TrimSpace(v[:i])
	}
	if n, ok := number(v); ok {
		return n, true
	}
	if _, ok := c.known[v]; ok {
		return c.value(v, depth+1)
	}
	return 0, false
}

func number(s string) (int64, bool) {
	s = strings.TrimRight(s, "uUlL")
	n, err := strconv.ParseInt(s, 0, 64)
	return n, err == nil
}
