package syntax

import "github.com/pindex-dev/pindex/artifact"

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
