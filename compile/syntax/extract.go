package syntax

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// frameworkVersion changes whenever this file, the flattening or the limits'
// defaults change what Parse returns for any language.
const frameworkVersion = 3

// maxName is the longest name of an occurrence or declaration, in bytes.
const maxName = 256

// maxReceiver is the longest receiver that is kept, in bytes.
const maxReceiver = 64

// extraction is the state of one file's extraction: the nodes, the facts
// found so far, and which declarations and scopes are open.
type extraction struct {
	lang    *language
	src     []byte
	nodes   []node
	buffers         // of the file
	part    buffers // of parts of it

	facts Facts

	numbers map[string]nameID // names seen, see name
	names   []string

	open      []int32 // declarations whose range the walk is in, innermost last
	callables int     // how many callables the walk is in

	locals []binding // names bound in the scopes that the walk is in
	scopes []span    // by scope: its range; empty when it is not known
	row    []int32   // by nameID: the local that the name means now, none for none
	bound  []int32   // by nameID: how often it is in locals
	module []bool    // by nameID: an import binds it to a module
	odd    []bool    // by nameID: no name that can be used, see isOdd
	marks  []int     // by scope: len(locals) at its start

	declared map[declKey]bool // see once
	lead     lead
	exports  map[nameID]bool // see exportLater
}

// nameID numbers the distinct names of one file, from 0.
type nameID int32

// binding is a name bound in an open scope, and the local that the name meant
// outside of it.
type binding struct {
	id    nameID
	outer int32
}

// span is a range of bytes.
type span struct{ start, end uint32 }

type declKey struct {
	parent int32
	name   nameID
}

// lead is the run of comments and attributes that may belong to the next
// declaration.
type lead struct {
	start, end       uint32 // the whole run
	docStart, docEnd uint32 // the comments in it
	ok               bool
}

func (x *extraction) reset(l *language, src []byte, nodes []node) {
	x.lang, x.src, x.nodes = l, src, nodes
	x.facts = Facts{}
	if x.numbers == nil {
		x.numbers = make(map[string]nameID, 256)
		x.declared = make(map[declKey]bool)
		x.exports = make(map[nameID]bool)
	}
	clear(x.numbers)
	clear(x.declared)
	clear(x.exports)
	clear(x.names)
	x.names = x.names[:0]
	x.open, x.locals, x.marks = x.open[:0], x.locals[:0], x.marks[:0]
	x.scopes, x.row = x.scopes[:0], x.row[:0]
	x.bound, x.module, x.odd = x.bound[:0], x.module[:0], x.odd[:0]
	x.callables = 0
	x.lead = lead{}
	for _, name := range l.universe {
		x.bound[x.nameOf([]byte(name))]++
	}
}

// release drops what must not outlive the call.
func (x *extraction) release() {
	x.src, x.nodes, x.lang = nil, nil, nil
	x.facts = Facts{}
	clear(x.names)
	clear(x.numbers)
}

// Names.

func (x *extraction) nameOf(b []byte) nameID {
	if id, ok := x.numbers[string(b)]; ok {
		return id
	}
	s := string(b)
	id := nameID(len(x.names))
	x.numbers[s] = id
	x.names = append(x.names, s)
	x.bound = append(x.bound, 0)
	x.row = append(x.row, none)
	x.module = append(x.module, false)
	x.odd = append(x.odd, isOdd(s))
	return id
}

// isOdd reports whether a text cannot be a name that is used: error recovery
// puts whole pieces of code where names belong.
func isOdd(s string) bool {
	if len(s) > maxName {
		return true
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < ' ', c == '{', c == '}', c == ';', c == 0x7f:
			return true
		}
	}
	return false
}

// name returns the number of the node's text as a name.
func (x *extraction) name(i int32) nameID { return x.nameOf(x.text(i)) }

// str returns the node's text as a string that equal names share.
func (x *extraction) str(i int32) string { return x.names[x.name(i)] }

// intern returns b as a string that equal names share.
func (x *extraction) intern(b []byte) string { return x.names[x.nameOf(b)] }

// Scopes. A name is local when a callable, or a block in one, binds it. Locals
// of a scope whose range is known are facts of their own; other scopes only
// keep their names out of the occurrences.

// pushScope opens a scope whose range is not told.
func (x *extraction) pushScope() { x.pushScopeAt(0, 0) }

// pushScopeOf opens a scope that reaches over a node.
func (x *extraction) pushScopeOf(i int32) { x.pushScopeAt(x.nodes[i].start, x.nodes[i].end) }

// pushScopeAt opens a scope with the range [start, end).
func (x *extraction) pushScopeAt(start, end uint32) {
	x.marks = append(x.marks, len(x.locals))
	x.scopes = append(x.scopes, span{start, end})
}

func (x *extraction) popScope() {
	n := x.marks[len(x.marks)-1]
	x.marks = x.marks[:len(x.marks)-1]
	x.scopes = x.scopes[:len(x.scopes)-1]
	for k := len(x.locals) - 1; k >= n; k-- {
		b := x.locals[k]
		x.bound[b.id]--
		x.row[b.id] = b.outer
	}
	x.locals = x.locals[:n]
}

// bind makes the node's text a local name of the innermost scope. Outside of
// every scope it does nothing.
func (x *extraction) bind(i int32) { x.bindAs(artifact.KindVariable, i, "") }

// bindAs is bind for a name of some kind, with what tells its type.
func (x *extraction) bindAs(kind artifact.Kind, i int32, hint string) {
	if len(x.marks) > 0 {
		x.bindFrom(kind, i, hint, x.scopes[len(x.scopes)-1].start)
	}
}

// bindFrom is bindAs for a name that means the local only from offset start
// on: behind its declaration, in languages where that may use an outer name
// of the same spelling. A name that is bound twice in one scope, from the same
// offset on, is one local with two declarations, of which uses name the first.
func (x *extraction) bindFrom(kind artifact.Kind, i int32, hint string, start uint32) {
	if len(x.marks) == 0 {
		return
	}
	id := x.name(i)
	row, scope := none, x.scopes[len(x.scopes)-1]
	if scope.end > scope.start && !x.odd[id] && x.nodes[i].start < x.nodes[i].end {
		row = x.addLocal(kind, i, hint, start, scope.end)
		if r := x.row[id]; r >= 0 && x.facts.Locals[r].Start == start && x.facts.Locals[r].End == scope.end {
			row = r
		}
	}
	x.locals = append(x.locals, binding{id, x.row[id]})
	x.bound[id]++
	x.row[id] = row
}

// addLocal adds a local without binding its name, see artifact.Local.
func (x *extraction) addLocal(kind artifact.Kind, i int32, hint string, start, end uint32) int32 {
	return x.addLocalAt(kind, x.nodes[i].start, x.str(i), hint, start, end)
}

func (x *extraction) addLocalAt(kind artifact.Kind, at uint32, name, hint string, start, end uint32) int32 {
	if len(hint) > artifact.MaxTypeHint {
		hint = ""
	}
	x.facts.Locals = append(x.facts.Locals, Local{At: at, Name: name, Kind: kind, Start: start, End: end, Type: hint})
	return int32(len(x.facts.Locals) - 1)
}

// hintFor says what the type of declaration d can be told from; d may be -1.
func (x *extraction) hintFor(d int32, hint string) {
	if d >= 0 && hint != "" && len(hint) <= artifact.MaxTypeHint {
		decl := &x.facts.Decls[d]
		x.addLocalAt(artifact.KindUnknown, decl.NameAt, decl.Name, hint, decl.NameAt, decl.NameAt)
	}
}

// isLocal reports whether the node's text is bound in an open scope.
func (x *extraction) isLocal(i int32) bool { return x.bound[x.name(i)] > 0 }

// enter opens the scope of a callable's parameters and body; leave closes it.
// Declarations in between are local.
func (x *extraction) enter() { x.callables++; x.pushScope() }
func (x *extraction) leave() { x.popScope(); x.callables-- }

// enterOf is enter for a scope that reaches over a node.
func (x *extraction) enterOf(i int32) { x.callables++; x.pushScopeOf(i) }

// Comments and attributes in front of declarations.

// comment notes a comment node, which documents the declaration that follows
// it without a blank line in between.
func (x *extraction) comment(i int32) {
	n := &x.nodes[i]
	if !x.startsLine(n.start) {
		x.lead.ok = false
		return
	}
	end := x.trimEnd(n.start, n.end)
	if x.lead.ok && x.adjacent(x.lead.end, n.start) {
		if x.lead.docEnd == 0 {
			x.lead.docStart = n.start
		}
	} else {
		x.lead = lead{start: n.start, docStart: n.start, ok: true}
	}
	x.lead.end, x.lead.docEnd = end, end
}

// attribute notes an attribute or decorator node that stands beside, not in,
// the declaration that follows it.
func (x *extraction) attribute(i int32) {
	n := &x.nodes[i]
	if !x.lead.ok || !x.adjacent(x.lead.end, n.start) {
		x.lead = lead{start: n.start, ok: true}
	}
	x.lead.end = x.trimEnd(n.start, n.end)
}

// startsLine reports whether only white space precedes at on its line.
func (x *extraction) startsLine(at uint32) bool {
	for j := int(at) - 1; j >= 0; j-- {
		switch x.src[j] {
		case ' ', '\t':
		case '\n', '\r':
			return true
		default:
			return j == 2 && x.src[0] == 0xEF && x.src[1] == 0xBB && x.src[2] == 0xBF
		}
	}
	return true
}

// adjacent reports whether nothing but white space without a blank line lies
// between two offsets.
func (x *extraction) adjacent(from, to uint32) bool {
	if from > to {
		return false
	}
	lines := 0
	for _, c := range x.src[from:to] {
		switch c {
		case '\n':
			lines++
		case ' ', '\t', '\r':
		default:
			return false
		}
	}
	return lines <= 1
}

func (x *extraction) trimEnd(start, end uint32) uint32 {
	for end > start {
		switch x.src[end-1] {
		case ' ', '\t', '\r', '\n', '\f':
			end--
			continue
		}
		break
	}
	return end
}

// Declarations.

// begin adds a declaration and makes it the parent of what follows until end.
// outer is the node that bounds it; name is the node of its name, or none.
// Comments and attributes directly in front of outer become part of it. The
// result indexes x.facts.Decls; -1 when the name is empty, for which end must
// be called all the same.
func (x *extraction) begin(kind artifact.Kind, outer, name int32) int32 {
	return x.beginSpan(kind, outer, outer, name)
}

// beginSpan is begin for a declaration that reaches from the start of one
// node to the end of another. Where one statement declares several names,
// each reaches from its own part, the first from the statement's start, and
// the last to the statement's end.
func (x *extraction) beginSpan(kind artifact.Kind, from, to, name int32) int32 {
	if name == none {
		x.open = append(x.open, none)
		return none
	}
	return x.beginNamed(kind, from, to, x.str(name), x.nodes[name].start)
}

// beginNamed is beginSpan for a declaration whose name is no node of its own.
func (x *extraction) beginNamed(kind artifact.Kind, from, to int32, name string, nameAt uint32) int32 {
	if name == "" || len(name) > maxName || strings.ContainsAny(name, "\n\r\x00") {
		x.open = append(x.open, none)
		return none
	}
	start := x.nodes[from].start
	end := x.trimEnd(start, max(start, x.nodes[to].end))
	d := Decl{
		Kind: kind, Name: name, Descriptor: Descriptor(kind, name),
		Parent: x.parent(), NameAt: nameAt,
		Start: start, End: end, SigStart: start, SigEnd: end,
	}
	if x.lead.ok && x.adjacent(x.lead.end, start) {
		d.Start, d.DocStart, d.DocEnd = x.lead.start, x.lead.docStart, x.lead.docEnd
	}
	x.lead.ok = false
	if x.callables > 0 {
		d.Flags |= artifact.SymbolLocal
	}
	x.facts.Decls = append(x.facts.Decls, d)
	i := int32(len(x.facts.Decls) - 1)
	x.open = append(x.open, i)
	return i
}

// end closes the declaration that begin opened last.
func (x *extraction) end() {
	x.open = x.open[:len(x.open)-1]
	x.lead.ok = false
}

// leaf is begin and end: a declaration that holds no others.
func (x *extraction) leaf(kind artifact.Kind, outer, name int32) int32 {
	return x.leafSpan(kind, outer, outer, name)
}

// leafSpan is beginSpan and end.
func (x *extraction) leafSpan(kind artifact.Kind, from, to, name int32) int32 {
	d := x.beginSpan(kind, from, to, name)
	x.end()
	return d
}

// parent returns the innermost open declaration, -1 at top level.
func (x *extraction) parent() int32 {
	for k := len(x.open) - 1; k >= 0; k-- {
		if x.open[k] >= 0 {
			return x.open[k]
		}
	}
	return none
}

// parentDeclKind returns the kind of the innermost open declaration,
// KindUnknown at top level.
func (x *extraction) parentDeclKind() artifact.Kind {
	if p := x.parent(); p >= 0 {
		return x.facts.Decls[p].Kind
	}
	return artifact.KindUnknown
}

// flag adds flags to a declaration; d may be -1.
func (x *extraction) flag(d int32, f artifact.SymbolFlags) {
	if d >= 0 {
		x.facts.Decls[d].Flags |= f
	}
}

// signature sets the signature to what lies between the start of node from
// and the start of node body; up to the end of the declaration when body is
// none. d may be -1.
func (x *extraction) signature(d, from, body int32) {
	if d < 0 {
		return
	}
	decl := &x.facts.Decls[d]
	decl.SigStart = x.nodes[from].start
	end := decl.End
	if body != none {
		end = x.nodes[body].start
	}
	decl.SigEnd = x.trimEnd(decl.SigStart, max(end, decl.SigStart))
}

// own says that the declaration belongs to one that does not enclose it, such
// as a Go method to its receiver's type. d may be -1.
func (x *extraction) own(d int32, kind artifact.Kind, owner string) {
	if d >= 0 && owner != "" {
		decl := &x.facts.Decls[d]
		if decl.Owner != "" {
			decl.Owner += "."
		}
		decl.Owner += owner
		decl.OwnerDescriptor += Descriptor(kind, owner)
	}
}

// once reports whether the name is declared in the innermost open declaration
// for the first time; languages in which an assignment declares use it.
func (x *extraction) once(name int32) bool {
	k := declKey{x.parent(), x.name(name)}
	if x.declared[k] {
		return false
	}
	x.declared[k] = true
	return true
}

// exportLater marks the top-level declarations of that name as exported when
// the file ends.
func (x *extraction) exportLater(name nameID) { x.exports[name] = true }

// Occurrences and imports.

// use adds an occurrence of the name at node i, or a use of the local that it
// means.
func (x *extraction) use(role artifact.Role, i int32) {
	if n := &x.nodes[i]; n.start == n.end {
		return
	}
	id := x.name(i)
	if x.bound[id] > 0 || x.odd[id] {
		if row := x.row[id]; row >= 0 {
			x.facts.LocalUses = append(x.facts.LocalUses, LocalUse{At: x.nodes[i].start, Role: role, Local: row})
		}
		return
	}
	x.facts.Occurrences = append(x.facts.Occurrences, Occurrence{At: x.nodes[i].start, Role: role, Name: x.names[id]})
}

// useMember adds an occurrence of the name at node i, a member of what node
// object says; object may be none.
func (x *extraction) useMember(role artifact.Role, i, object int32) {
	n := &x.nodes[i]
	receiver := ""
	if object != none {
		receiver = x.receiver(object)
	}
	x.useAt(role, n.start, x.text(i), receiver)
}

// useAt adds an occurrence of a name that need not be a node.
func (x *extraction) useAt(role artifact.Role, at uint32, name []byte, receiver string) {
	if len(name) == 0 {
		return
	}
	if id := x.nameOf(name); !x.odd[id] {
		x.facts.Occurrences = append(x.facts.Occurrences, Occurrence{At: at, Role: role, Name: x.names[id], Receiver: receiver})
	}
}

const ellipsis = "…"

// receiver returns the text of a plain chain of names without its white
// space, "…" for anything else or longer.
func (x *extraction) receiver(i int32) string {
	n := &x.nodes[i]
	if n.end-n.start > 2*maxReceiver {
		return ellipsis
	}
	return x.chain(x.src[n.start:n.end])
}

func (x *extraction) chain(text []byte) string {
	var buf [maxReceiver]byte
	out := buf[:0]
	for j := 0; j < len(text); j++ {
		switch c := text[j]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			continue
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c >= 0x80,
			c == '_', c == '$', c == '@', c == '#', c == '.', c == ':', c == '?', c == '!', c == '\\':
		case c == '-' && j+1 < len(text) && text[j+1] == '>', c == '>' && j > 0 && text[j-1] == '-':
		default:
			return ellipsis
		}
		if len(out) == maxReceiver {
			return ellipsis
		}
		out = append(out, text[j])
	}
	return x.intern(out)
}

// addImport adds an import whose imported name stands at node at.
func (x *extraction) addImport(at int32, module, name, alias string) {
	x.addImportAt(x.nodes[at].start, module, name, alias)
}

func (x *extraction) addImportAt(at uint32, module, name, alias string) {
	x.facts.Imports = append(x.facts.Imports, Import{At: at, Module: module, Name: name, Alias: alias})
	if name == "" && alias != "" {
		x.module[x.nameOf([]byte(alias))] = true
	}
}

// isModule reports whether the node is a name that an import above it binds
// to a module. As the object of a member its use adds nothing: the member's
// receiver says it.
func (x *extraction) isModule(i int32) bool { return x.module[x.name(i)] }

// markExports does what exportLater noted.
func (x *extraction) markExports() {
	if len(x.exports) == 0 {
		return
	}
	for i := range x.facts.Decls {
		d := &x.facts.Decls[i]
		if d.Parent < 0 && x.exports[x.numbers[d.Name]] {
			d.Flags |= artifact.SymbolExported
		}
	}
	clear(x.exports)
}

// finish puts the facts in order and returns them.
func (x *extraction) finish() *Facts {
	x.markExports()
	f := x.facts
	Separate(f.Decls)
	if x.lang.overloads {
		Disambiguate(f.Decls)
	}
	byPlace := func(a, b Occurrence) int {
		if a.At != b.At {
			return int(int64(a.At) - int64(b.At))
		}
		return int(a.Role) - int(b.Role)
	}
	if !slices.IsSortedFunc(f.Occurrences, byPlace) {
		slices.SortStableFunc(f.Occurrences, byPlace)
	}
	f.Occurrences = slices.Compact(f.Occurrences)
	useAt := func(a, b LocalUse) int { return int(int64(a.At) - int64(b.At)) }
	if !slices.IsSortedFunc(f.LocalUses, useAt) {
		slices.SortStableFunc(f.LocalUses, useAt)
	}
	f.LocalUses = slices.CompactFunc(f.LocalUses, func(a, b LocalUse) bool { return a.At == b.At })
	byAt := func(a, b Import) int { return int(int64(a.At) - int64(b.At)) }
	if !slices.IsSortedFunc(f.Imports, byAt) {
		slices.SortStableFunc(f.Imports, byAt)
	}
	return &f
}

// Separate makes the ranges of siblings disjoint and those of children lie in
// their parents'. Declarations that share text, such as the names of one
// statement, divide it at the later one's start.
func Separate(decls []Decl) {
	// last[i+1] is the last child of declaration i seen so far; reach[i] is
	// the end of the last declaration in i.
	last := make([]int32, len(decls)+1)
	for i := range last {
		last[i] = none
	}
	reach := make([]uint32, len(decls))
	for i := range decls {
		d := &decls[i]
		if p := d.Parent; p >= 0 {
			d.Start = max(d.Start, decls[p].Start)
			d.Start = min(d.Start, decls[p].End)
			d.End = min(d.End, decls[p].End)
		}
		if s := last[d.Parent+1]; s >= 0 && decls[s].End > d.Start {
			if cut := max(reach[s], decls[s].Start); cut <= d.Start {
				decls[s].End = d.Start
			} else {
				d.Start = decls[s].End
			}
		}
		d.End = max(d.End, d.Start)
		last[d.Parent+1] = int32(i)
		reach[i] = d.Start
		for p := d.Parent; p >= 0 && reach[p] < d.End; p = decls[p].Parent {
			reach[p] = d.End
		}
	}
	for i := range decls {
		d := &decls[i]
		d.SigStart, d.SigEnd = within(d, d.SigStart, d.SigEnd)
		d.DocStart, d.DocEnd = within(d, d.DocStart, d.DocEnd)
	}
}

// within returns the part of a range that lies in the declaration; an empty
// one at its start when there is none.
func within(d *Decl, start, end uint32) (uint32, uint32) {
	start, end = max(start, d.Start), min(end, d.End)
	if start >= end {
		return d.Start, d.Start
	}
	return start, end
}

// Disambiguate numbers the overloads of a method as SCIP does: the second one
// of the same name in the same parent is "name(+1).".
func Disambiguate(decls []Decl) {
	type key struct {
		parent            int32
		owner, descriptor string
	}
	seen := make(map[key]int)
	for i := range decls {
		d := &decls[i]
		head, ok := strings.CutSuffix(d.Descriptor, "().")
		if !ok {
			continue
		}
		k := key{d.Parent, d.OwnerDescriptor, d.Descriptor}
		if n := seen[k]; n > 0 {
			d.Descriptor = head + "(+" + strconv.Itoa(n) + ")."
		}
		seen[k]++
	}
}

// Descriptor returns the SCIP descriptor of a declaration.
func Descriptor(kind artifact.Kind, name string) string {
	switch kind {
	case artifact.KindModule, artifact.KindNamespace, artifact.KindPackage:
		return escape(name) + "/"
	case artifact.KindClass, artifact.KindStruct, artifact.KindEnum, artifact.KindUnion,
		artifact.KindTrait, artifact.KindInterface, artifact.KindProtocol, artifact.KindImpl,
		artifact.KindObject, artifact.KindType:
		return escape(name) + "#"
	case artifact.KindFunction, artifact.KindMethod, artifact.KindConstructor:
		return escape(name) + "()."
	case artifact.KindMacro:
		return escape(name) + "!"
	}
	return escape(name) + "."
}

// escape writes a name as SCIP does: in backticks, themselves doubled, when
// it holds anything but letters, digits and _ + - $.
func escape(name string) string {
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9',
			c == '_', c == '+', c == '-', c == '$':
		default:
			return "`" + strings.ReplaceAll(name, "`", "``") + "`"
		}
	}
	return name
}
