package syntax

import "github.com/pindex-dev/pindex/artifact"

// walker is what extractors whose grammars use one node kind for all names
// share: the role that a bare name has at the current place, and the walk
// over children. visit is the extractor's own switch.
type walker struct {
	*extraction
	role  artifact.Role
	visit func(i int32)
}

func newWalker(x *extraction) walker { return walker{extraction: x} }

func (w *walker) children(i int32) {
	end := w.nodes[i].next
	for c := i + 1; c < end; c = w.nodes[c].next {
		w.visit(c)
	}
}

// opt visits a node that may be absent.
func (w *walker) opt(i int32) {
	if i != none {
		w.visit(i)
	}
}

// as visits a node, which may be absent, whose bare names have the role.
func (w *walker) as(role artifact.Role, i int32) {
	if i == none {
		return
	}
	saved := w.role
	w.role = role
	w.visit(i)
	w.role = saved
}

// childrenAs is children with another role.
func (w *walker) childrenAs(role artifact.Role, i int32) {
	saved := w.role
	w.role = role
	w.children(i)
	w.role = saved
}

// rest visits the children of i except two, which may be absent.
func (w *walker) rest(i, except, also int32) {
	end := w.nodes[i].next
	for c := i + 1; c < end; c = w.nodes[c].next {
		if c != except && c != also {
			w.visit(c)
		}
	}
}

// head visits the first child as it is used and the others as read: "a[i]".
func (w *walker) head(i int32) {
	first := w.first(i)
	w.opt(first)
	for c := first; c != none; c = w.after(c) {
		if c != first {
			w.as(artifact.RoleRead, c)
		}
	}
}

// scope visits the children in a scope of their own.
func (w *walker) scope(i int32) {
	w.pushScope()
	w.children(i)
	w.popScope()
}

// bindAll binds every node of the kind below i, i included.
func (w *walker) bindAll(i int32, kind uint16) {
	for k := i; k < w.nodes[i].next; k++ {
		if w.nodes[k].kind == kind {
			w.bind(k)
		}
	}
}

// bindName binds a name that stands nowhere in the text.
func (w *walker) bindName(name string) {
	if len(w.marks) == 0 {
		return
	}
	id := w.nameOf([]byte(name))
	w.locals = append(w.locals, binding{id, w.row[id]})
	w.bound[id]++
	w.row[id] = none
}

// last returns the last child of the kind, or none.
func (w *walker) lastOf(i int32, kind uint16) int32 {
	found, end := none, w.nodes[i].next
	for c := i + 1; c < end; c = w.nodes[c].next {
		if w.nodes[c].kind == kind {
			found = c
		}
	}
	return found
}

// next returns the first child of the kind behind child c, or none.
func (w *walker) nextOf(c int32, kind uint16) int32 {
	for c = w.after(c); c != none; c = w.after(c) {
		if w.nodes[c].kind == kind {
			return c
		}
	}
	return none
}

// inherit makes declaration d as visible as its parent.
func (w *walker) inherit(d int32) {
	if d >= 0 && w.facts.Decls[d].Flags&artifact.SymbolLocal == 0 {
		if p := w.facts.Decls[d].Parent; p < 0 || w.facts.Decls[p].Flags&artifact.SymbolExported != 0 {
			w.flag(d, artifact.SymbolExported)
		}
	}
}

// export marks d as exported unless it is local.
func (w *walker) export(d int32) {
	if d >= 0 && w.facts.Decls[d].Flags&artifact.SymbolLocal == 0 {
		w.flag(d, artifact.SymbolExported)
	}
}

// lastName returns what follows the last separator in a dotted name, and
// where it starts.
func lastName(text []byte, sep byte) (name []byte, at int) {
	for j := len(text) - 1; j >= 0; j-- {
		if text[j] == sep {
			return text[j+1:], j + 1
		}
	}
	return text, 0
}
