package syntax

import (
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// anonymousClass is the name of a class that has none.
const anonymousClass = "class@anonymous"

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
