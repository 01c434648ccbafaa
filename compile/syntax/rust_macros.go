package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

// followed reports whether the text behind the node, white space apart,
// begins with s.
func (r *rustExtractor) followed(i int32, s string) bool {
	return bytes.HasPrefix(r.skipSpace(r.nodes[i].end), []byte(s))
}

func (r *rustExtractor) skipSpace(at uint32) []byte { return bytes.TrimLeft(r.src[at:], " \t\r\n") }

func (r *rustExtractor) macroDefinition(i int32) {
	d := r.begin(artifact.KindMacro, i, r.child(i, fName))
	rule := r.childOf(i, rsMacroRule)
	r.signature(d, i, rule)
	if d >= 0 {
		decl := &r.facts.Decls[d]
		decl.SigEnd = r.trimEnd(decl.SigStart, r.trimBrace(decl.SigStart, decl.SigEnd))
		if bytes.Contains(r.src[decl.Start:decl.SigStart], []byte("macro_export")) && decl.Flags&artifact.SymbolLocal == 0 {
			decl.Flags |= artifact.SymbolExported
		}
	}
	r.enter()
	for c := r.first(i); c != none; c = r.after(c) {
		if r.kind(c) == rsMacroRule {
			r.opt(r.child(c, fRight))
		}
	}
	r.leave()
	r.end()
}

// trimBrace returns end without an opening bracket in front of it.
func (r *rustExtractor) trimBrace(start, end uint32) uint32 {
	if end > start {
		switch r.src[end-1] {
		case '{', '(', '[':
			end--
		}
	}
	return end
}

func (r *rustExtractor) macroInvocation(i int32) {
	if m := r.child(i, fMacro); m != none {
		if r.kind(m) == rsScopedIdentifier {
			r.scoped(artifact.RoleCall, m)
		} else {
			r.use(artifact.RoleCall, m)
		}
	}
	if t := r.childOf(i, rsTokenTree); t != none {
		r.tokens(t)
	}
}

// tokens reads a macro's arguments, which the grammar leaves as tokens: what
// stands around a name says what it is. A tree that was parsed as items after
// all (see graft) is visited as such.
func (r *rustExtractor) tokens(i int32) {
	for c := r.first(i); c != none; c = r.after(c) {
		switch r.kind(c) {
		case rsTokenTree:
			r.tokens(c)
		case rsIdentifier:
			r.token(c)
		case rsSelf, rsSuper, rsCrate:
		default:
			r.visit(c)
		}
	}
}

func (r *rustExtractor) token(i int32) {
	n := r.nodes[i]
	if n.start > 0 && r.src[n.start-1] == '$' {
		return
	}
	before := bytes.TrimRight(r.src[:n.start], " \t\r\n")
	behind := r.skipSpace(n.end)
	if bytes.HasPrefix(behind, []byte("::")) && !capital(r.text(i)) {
		return // a module in a path
	}
	role := artifact.RoleRead
	switch {
	case bytes.HasPrefix(behind, []byte("(")), bytes.HasPrefix(behind, []byte("!(")), bytes.HasPrefix(behind, []byte("![")),
		bytes.HasPrefix(behind, []byte("!{")):
		role = artifact.RoleCall
	case bytes.HasPrefix(behind, []byte("::")):
		role = artifact.RoleType
	}
	sep := 0
	switch {
	case bytes.HasSuffix(before, []byte("::")):
		sep = 2
	case bytes.HasSuffix(before, []byte(".")) && !bytes.HasSuffix(before, []byte("..")):
		sep = 1
	}
	if sep == 0 {
		r.use(role, i)
		return
	}
	end := len(before) - sep
	start := end
	for start > 0 && end-start <= maxReceiver && (isNameByte(before[start-1]) || before[start-1] == ':' || before[start-1] == '.') {
		start--
	}
	receiver := ellipsis
	if start < end {
		receiver = r.chain(before[start:end])
	}
	r.useAt(role, n.start, r.text(i), receiver)
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

// rustItems returns the token trees of macros that stand where items do and
// are written in braces, such as "cfg_rt! { pub fn f() {} }": most hold
// ordinary items.
func rustItems(x *extraction, from int32) []int32 {
	var trees []int32
	for i := from; i < int32(len(x.nodes)); {
		switch x.kind(i) {
		case rsMacroInvocation:
			if t := x.childOf(i, rsTokenTree); t != none && x.text(t)[0] == '{' && x.nodes[t].end-x.nodes[t].start > 2 {
				trees = append(trees, t)
			}
			i = x.nodes[i].next
		case rsFunctionItem, rsMacroDefinition, rsStructItem, rsEnumItem, rsUseDeclaration, rsConstItem, rsStaticItem, rsTypeItem:
			i = x.nodes[i].next
		default:
			i++
		}
	}
	return trees
}
