package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

func (h *haskellExtractor) data(i int32) {
	kind := artifact.KindStruct
	constructors := 0
	for k := i + 1; k < h.nodes[i].next; k++ {
		if kk := h.kind(k); kk == hsDataConstructor || kk == hsGadtConstructor {
			constructors++
		}
	}
	if constructors > 1 {
		kind = artifact.KindEnum
	}
	name := h.child(i, fName)
	d := h.begin(kind, i, h.plain(name))
	h.exported(d)
	if d >= 0 {
		decl := &h.facts.Decls[d]
		decl.SigEnd = h.nodes[name].end
		if p := h.child(i, fPatterns); p != none {
			decl.SigEnd = h.nodes[p].end
		}
	}
	h.typesOf(i, name)
	h.end()
}

func (h *haskellExtractor) constructor(i int32) {
	name, inner := h.child(i, fName), i
	if name == none {
		if names := h.childOf(i, hsBindingList); names != none { // "A, B :: T"
			for c := h.first(names); c != none; c = h.after(c) {
				h.inherit(h.leaf(artifact.KindEnumMember, c, h.plain(c)))
			}
			h.as(artifact.RoleType, h.child(i, fType))
			return
		}
		if inner = h.child(i, fConstructor); inner == none {
			h.typesOf(i, none)
			return
		}
		if name = h.child(inner, fName); name == none {
			name = h.child(inner, fOperator)
		}
	}
	d := h.begin(artifact.KindEnumMember, i, h.plain(name))
	h.inherit(d)
	saved := h.role
	h.role = artifact.RoleType
	for c := h.first(i); c != none; c = h.after(c) {
		switch {
		case c == name:
		case c == inner:
			h.rest(c, name, none)
		default:
			h.visit(c)
		}
	}
	h.role = saved
	h.end()
}

func (h *haskellExtractor) field(i int32) {
	last, from := h.lastOf(i, hsFieldName), i
	if last == none {
		h.typesOf(i, none)
		return
	}
	for c := h.childOf(i, hsFieldName); c != none; c = h.nextOf(c, hsFieldName) {
		to := c
		if c == last {
			to = i
		}
		h.inherit(h.beginSpan(artifact.KindField, from, to, h.childOf(c, hsVariable)))
		if c == last {
			for k := h.first(i); k != none; k = h.after(k) {
				if h.kind(k) != hsFieldName {
					h.as(artifact.RoleType, k)
				}
			}
		}
		h.end()
		if from = h.nextOf(c, hsFieldName); from == none {
			from = c
		}
	}
}

func (h *haskellExtractor) class(i int32) {
	name, body := h.child(i, fName), h.childOf(i, hsClassDeclarations)
	d := h.begin(artifact.KindTrait, i, h.plain(name))
	h.exported(d)
	h.signature(d, i, body)
	h.whereless(d)
	for c := h.first(i); c != none; c = h.after(c) {
		switch {
		case c == name || c == body:
		case h.kind(c) == hsContext:
			h.childrenAs(artifact.RoleInherit, c)
		default:
			h.as(artifact.RoleType, c)
		}
	}
	if body != none {
		h.as(artifact.RoleRead, body)
	}
	h.end()
}

// whereless takes the "where" off the end of a signature.
func (h *haskellExtractor) whereless(d int32) {
	if d < 0 {
		return
	}
	decl := &h.facts.Decls[d]
	if sig := h.src[decl.SigStart:decl.SigEnd]; bytes.HasSuffix(sig, []byte("where")) {
		decl.SigEnd = h.trimEnd(decl.SigStart, decl.SigEnd-uint32(len("where")))
	}
}

// instance declares an implementation under the name of its first type.
func (h *haskellExtractor) instance(i int32) {
	class, body := h.plain(h.child(i, fName)), h.childOf(i, hsInstanceDeclarations)
	typ := none
	if p := h.childOf(i, hsTypePatterns); p != none {
		for k := p; k < h.nodes[p].next; k++ {
			if h.kind(k) == hsName {
				typ = k
				break
			}
		}
	}
	if typ == none {
		typ = class
	}
	d := h.begin(artifact.KindImpl, i, typ)
	if d >= 0 && class != none {
		h.facts.Decls[d].Descriptor += "[" + escape(h.str(class)) + "]"
	}
	h.exported(d)
	h.signature(d, i, body)
	h.whereless(d)
	for c := h.first(i); c != none; c = h.after(c) {
		switch {
		case c == body:
		case h.nodes[c].field == fName:
			h.as(artifact.RoleImplement, c)
		default:
			h.as(artifact.RoleType, c)
		}
	}
	if body != none {
		h.as(artifact.RoleRead, body)
	}
	h.end()
}

// synonym declares "pattern P x = …".
func (h *haskellExtractor) synonym(i int32) {
	name := none
	for k := i + 1; k < h.nodes[i].next; k++ {
		if kind := h.kind(k); kind == hsConstructor || kind == hsConstructorOperator {
			name = k
			break
		}
	}
	h.exported(h.begin(artifact.KindMacro, i, name))
	h.enter()
	for k := i + 1; k < h.nodes[i].next; k++ {
		if h.kind(k) == hsConstructor && k != name {
			h.use(artifact.RoleRead, k)
		}
	}
	h.leave()
	h.end()
}
