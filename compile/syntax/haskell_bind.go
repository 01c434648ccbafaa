package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

// declared returns the name that a signature or equation is about, none for
// anything else.
func (h *haskellExtractor) declared(i int32) int32 {
	switch h.kind(i) {
	case hsSignature, hsFunction, hsBind:
		if name := h.child(i, fName); name != none {
			return h.plain(name)
		}
		if h.kind(i) != hsFunction {
			return none
		}
		if infix := h.childOf(i, hsInfix); infix != none {
			return h.plain(h.child(infix, fOperator))
		}
		for p := h.childOf(i, hsFunctionHead); p != none; p = h.childOf(p, hsFunctionHead) {
			if name := h.child(p, fName); name != none {
				return h.plain(name)
			}
			if infix := h.childOf(p, hsInfix); infix != none {
				return h.plain(h.child(infix, fOperator))
			}
		}
	}
	return none
}

// declarations joins a signature and the equations of one name, which stand
// next to one another, into one declaration.
func (h *haskellExtractor) declarations(i int32) {
	for c := h.first(i); c != none; {
		name := h.declared(c)
		if name == none {
			h.visit(c)
			c = h.after(c)
			continue
		}
		id := h.name(name)
		last, next := c, h.after(c)
		for k := next; k != none; k = h.after(k) {
			if kind := h.kind(k); kind == hsComment || kind == hsHaddock || kind == hsPragma {
				continue
			}
			n := h.declared(k)
			if n == none || h.name(n) != id {
				break
			}
			last, next = k, h.after(k)
		}
		h.joined(c, last, name)
		c = next
	}
}

// joined declares what the nodes from first to last, siblings, say of a name.
func (h *haskellExtractor) joined(first, last, name int32) {
	kind := artifact.KindVariable
	defined, function := false, false
	for c := first; c != none; c = h.after(c) {
		switch h.kind(c) {
		case hsSignature:
			if t := h.child(c, fType); t != none {
				function = function || bytes.Contains(h.text(t), []byte("->"))
			}
		case hsFunction:
			defined, function = true, true
		case hsBind:
			defined = true
			if m := h.childOf(c, hsMatch); m != none {
				e := h.child(m, fExpression)
				function = function || e == none || h.kind(e) == hsDo || h.kind(e) == hsLambda || bytes.Count(h.text(c), []byte("\n")) > 2
			}
		}
		if c == last {
			break
		}
	}
	switch h.parentDeclKind() {
	case artifact.KindTrait, artifact.KindImpl:
		function = true
	}
	local := h.kind(h.nodes[first].parent) == hsLocalBinds
	if local && !function {
		// A plain local name, which prebind has bound.
		for c := first; c != none; c = h.after(c) {
			h.visit(c)
			if c == last {
				break
			}
		}
		return
	}
	if function {
		kind = artifact.KindFunction
		if h.parentDeclKind().Container() {
			kind = artifact.KindMethod
		}
	}
	d := h.beginSpan(kind, first, last, name)
	h.exported(d)
	if !defined {
		h.flag(d, artifact.SymbolForward)
	}
	if d >= 0 {
		decl := &h.facts.Decls[d]
		decl.SigEnd = h.nodes[name].end
		if h.kind(first) == hsSignature {
			decl.SigEnd = h.nodes[first].end
		} else if p := h.childOf(first, hsPatterns); p != none {
			decl.SigEnd = h.nodes[p].end
		} else if p := h.childOf(first, hsInfix); p != none {
			decl.SigEnd = h.nodes[p].end
		}
	}
	for c := first; c != none; c = h.after(c) {
		switch h.kind(c) {
		case hsSignature:
			h.signatureUses(c)
		case hsComment, hsHaddock, hsPragma:
		default:
			h.enter()
			h.equation(c)
			h.leave()
		}
		if c == last {
			break
		}
	}
	h.end()
}

// signatureUses visits the types of "name :: type", and the expression of
// "(e :: type)".
func (h *haskellExtractor) signatureUses(i int32) {
	h.as(artifact.RoleType, h.child(i, fType))
	h.opt(h.child(i, fExpression))
}

// equation handles one equation, lambda or alternative: patterns bind, and
// what stands in "where" is seen everywhere in it.
func (h *haskellExtractor) equation(i int32) {
	h.pushScope()
	name := h.child(i, fName)
	binds := h.childOf(i, hsLocalBinds)
	for c := h.first(i); c != none; c = h.after(c) {
		switch h.kind(c) {
		case hsPatterns:
			h.visit(c)
		case hsInfix:
			if h.kind(i) == hsFunction {
				h.operands(c)
			}
		case hsFunctionHead:
			h.functionHead(c)
		}
	}
	pattern := none
	if h.kind(i) == hsAlternative || h.kind(i) == hsBind {
		if pattern = h.child(i, fPattern); pattern != none {
			h.pattern(pattern)
		}
	}
	h.prebind(binds)
	for c := h.first(i); c != none; c = h.after(c) {
		switch k := h.kind(c); {
		case c == name || c == pattern || k == hsPatterns || k == hsFunctionHead || k == hsInfix && h.kind(i) == hsFunction:
		default:
			h.as(artifact.RoleRead, c)
		}
	}
	h.popScope()
}

// operands binds the patterns on both sides of an operator's definition.
func (h *haskellExtractor) operands(i int32) {
	for _, f := range [2]field{fLeftOperand, fRightOperand} {
		if p := h.child(i, f); p != none {
			h.pattern(p)
		}
	}
}

// functionHead binds the patterns of "(f x) y".
func (h *haskellExtractor) functionHead(i int32) {
	for c := h.first(i); c != none; c = h.after(c) {
		switch h.kind(c) {
		case hsPatterns:
			h.visit(c)
		case hsInfix:
			h.operands(c)
		case hsFunctionHead:
			h.functionHead(c)
		}
	}
}

// prebind binds the plain names of local definitions. Local functions stay
// visible: they can be found.
func (h *haskellExtractor) prebind(binds int32) {
	if binds == none {
		return
	}
	for c := h.first(binds); c != none; c = h.after(c) {
		if h.kind(c) != hsBind {
			continue
		}
		if name := h.child(c, fName); name != none {
			h.bind(h.plain(name))
		} else if p := h.child(c, fPattern); p != none {
			h.pattern(p)
		}
	}
}

// statement handles "pattern <- expression" and a definition that declares no
// single name.
func (h *haskellExtractor) statement(i int32) {
	pattern, name := h.child(i, fPattern), h.child(i, fName)
	h.rest(i, pattern, name)
	if pattern != none {
		if len(h.marks) > 0 {
			h.pattern(pattern)
		} else {
			h.topPattern(i, pattern)
		}
	}
}

// topPattern declares the names of "(a, b) = …" at file level.
func (h *haskellExtractor) topPattern(i, pattern int32) {
	var names []int32
	for k := pattern; k < h.nodes[pattern].next; k++ {
		if h.kind(k) == hsVariable {
			names = append(names, k)
		}
	}
	from := i
	for j, name := range names {
		to := name
		if j == len(names)-1 {
			to = i
		}
		h.exported(h.leafSpan(artifact.KindVariable, from, to, name))
		if j+1 < len(names) {
			from = names[j+1]
		}
	}
}

// pattern binds the variables of a pattern and uses its constructors.
func (h *haskellExtractor) pattern(i int32) {
	switch h.kind(i) {
	case hsVariable:
		h.bind(i)
	case hsConstructor:
		h.use(artifact.RoleRead, i)
	case hsQualified:
		h.qualified(artifact.RoleRead, i)
	case hsSignature:
		h.as(artifact.RoleType, h.child(i, fType))
		if p := h.child(i, fPattern); p != none {
			h.pattern(p)
		}
	case hsViewPattern:
		h.as(artifact.RoleRead, h.child(i, fExpression))
		if p := h.child(i, fPattern); p != none {
			h.pattern(p)
		}
	case hsFieldPattern:
		name := h.fieldName(h.child(i, fField))
		if name != none {
			h.useMember(artifact.RoleRead, name, none)
		}
		if p := h.child(i, fPattern); p != none {
			h.pattern(p)
		} else if name != none {
			h.bind(name)
		}
	case hsInfixID:
		h.childrenAs(artifact.RoleRead, i)
	case hsOperator, hsConstructorOperator:
	default:
		for c := h.first(i); c != none; c = h.after(c) {
			h.pattern(c)
		}
	}
}

func (h *haskellExtractor) fieldName(i int32) int32 {
	if i == none {
		return none
	}
	if h.kind(i) == hsFieldName {
		return h.childOf(i, hsVariable)
	}
	for k := i; k < h.nodes[i].next; k++ {
		if h.kind(k) == hsVariable {
			return k
		}
	}
	return none
}
