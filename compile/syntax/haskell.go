package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

var haskellUniverse = [...]string{"_", "otherwise", "True", "False"}

var haskellBegins = beginsWith("data ", "newtype ", "class ", "instance ", "type ", "module ", "import ", "deriving ")

// haskellBoundary takes a type signature, or a keyword that opens a
// declaration.
func haskellBoundary(line, prev []byte) bool {
	if haskellBegins(line, prev) {
		return true
	}
	n := 0
	for n < len(line) && (isNameByte(line[n]) || line[n] == '\'') {
		n++
	}
	return n > 0 && bytes.HasPrefix(bytes.TrimLeft(line[n:], " "), []byte("::"))
}

type haskellExtractor struct {
	walker
	all     bool            // the module exports everything
	exports map[nameID]bool // what its header names
}

func extractHaskell(x *extraction) {
	h := &haskellExtractor{walker: newWalker(x), all: true, exports: make(map[nameID]bool)}
	h.walker.visit = h.visit
	h.declarations(0)
}

// types reports whether the walk is in a type, where variables say nothing.
func (h *haskellExtractor) types() bool {
	switch h.role {
	case artifact.RoleRead, artifact.RoleWrite, artifact.RoleCall:
		return false
	}
	return true
}

func (h *haskellExtractor) visit(i int32) {
	switch h.kind(i) {
	case hsVariable:
		if !h.types() {
			h.use(h.role, i)
		}
	case hsName:
		role := h.role
		if !h.types() {
			role = artifact.RoleType
		}
		h.use(role, i)
	case hsConstructor:
		h.use(h.role, i)
	case hsComment, hsHaddock:
		if t := h.text(i); bytes.HasPrefix(t, []byte("-- ^")) || bytes.HasPrefix(t, []byte("--^")) {
			h.lead.ok = false // belongs to what stands before it
			return
		}
		h.comment(i)
	case hsPragma, hsModule, hsFixity, hsRole, hsOperator, hsConstructorOperator:
	case hsHeader:
		h.header(i)
	case hsImport:
		h.importOf(i)
	case hsDeclarations, hsClassDeclarations, hsInstanceDeclarations, hsLocalBinds:
		h.declarations(i)
	case kindError:
		if len(h.marks) == 0 && !h.types() {
			h.declarations(i)
		} else {
			h.children(i)
		}
	case hsData, hsNewtype:
		h.data(i)
	case hsDataConstructor, hsNewtypeConstructor, hsGadtConstructor:
		h.constructor(i)
	case hsField:
		h.field(i)
	case hsDeriving:
		h.as(artifact.RoleImplement, h.child(i, fClasses))
	case hsClass:
		h.class(i)
	case hsInstance, hsDerivingInstance:
		h.instance(i)
	case hsTypeSynonym, hsTypeFamily, hsDataFamily:
		name := h.child(i, fName)
		d := h.begin(artifact.KindType, i, h.plain(name))
		h.exported(d)
		h.typesOf(i, name)
		h.end()
	case hsTypeInstance, hsContext:
		h.typesOf(i, none)
	case hsTypeParams:
		for c := h.first(i); c != none; c = h.after(c) {
			h.as(artifact.RoleType, c)
		}
	case hsPatternSynonym:
		h.synonym(i)
	case hsForeignImport:
		sig := h.childOf(i, hsSignature)
		if sig == none {
			return
		}
		d := h.begin(artifact.KindFunction, i, h.plain(h.child(sig, fName)))
		h.flag(d, artifact.SymbolForward)
		h.exported(d)
		h.as(artifact.RoleType, h.child(sig, fType))
		h.end()
	case hsSignature:
		h.signatureUses(i)
	case hsDo, hsMatch:
		h.pushScope()
		h.childrenAs(artifact.RoleRead, i)
		h.popScope()
	case hsLet:
		h.prebind(h.childOf(i, hsLocalBinds))
		h.children(i)
	case hsLetIn:
		h.pushScope()
		h.prebind(h.childOf(i, hsLocalBinds))
		h.childrenAs(artifact.RoleRead, i)
		h.popScope()
	case hsFunction:
		if h.types() {
			h.children(i) // "a -> b"
		} else {
			h.equation(i)
		}
	case hsLambda, hsAlternative:
		h.equation(i)
	case hsBind:
		h.statement(i)
	case hsGenerator, hsPatternGuard:
		h.opt(h.child(i, fExpression))
		if p := h.child(i, fPattern); p != none {
			h.pattern(p)
		}
	case hsComprehension:
		h.pushScope()
		e := h.child(i, fExpression)
		h.rest(i, e, none)
		h.opt(e)
		h.popScope()
	case hsApply:
		h.apply(i)
	case hsInfix:
		h.infix(i)
	case hsInfixID:
		h.childrenAs(artifact.RoleCall, i)
	case hsQualified:
		h.qualified(h.role, i)
	case hsFieldUpdate:
		if name := h.fieldName(h.child(i, fField)); name != none {
			h.useMember(artifact.RoleWrite, name, none)
		}
		h.as(artifact.RoleRead, h.child(i, fExpression))
	case hsFieldName:
		if v := h.childOf(i, hsVariable); v != none {
			h.useMember(artifact.RoleRead, v, none)
		}
	case hsRecord:
		first := h.first(i)
		if first != none && h.kind(first) == hsConstructor && !h.types() {
			h.as(artifact.RoleInstantiate, first)
			h.rest(i, first, none)
		} else {
			h.children(i)
		}
	case hsPatterns:
		for c := h.first(i); c != none; c = h.after(c) {
			h.pattern(c)
		}
	default:
		h.children(i)
	}
}

// typesOf visits the children except one as types.
func (h *haskellExtractor) typesOf(i, except int32) {
	for c := h.first(i); c != none; c = h.after(c) {
		if c != except {
			h.as(artifact.RoleType, c)
		}
	}
}

// plain returns the node of the name itself: the operator in "(+)" or "`f`".
func (h *haskellExtractor) plain(name int32) int32 {
	if name != none {
		switch h.kind(name) {
		case hsPrefixID, hsInfixID:
			return h.first(name)
		case hsQualified:
			return h.child(name, fId)
		}
	}
	return name
}

func (h *haskellExtractor) exported(d int32) {
	if d < 0 {
		return
	}
	decl := &h.facts.Decls[d]
	if decl.Parent >= 0 {
		h.inherit(d)
	} else if h.all || h.exports[h.nameOf([]byte(decl.Name))] {
		h.export(d)
	}
}

func (h *haskellExtractor) header(i int32) {
	if exports := h.childOf(i, hsExports); exports != none {
		h.all = false
		for c := h.first(exports); c != none; c = h.after(c) {
			if h.kind(c) != hsExport {
				continue
			}
			name := none
			for k := h.first(c); k != none && name == none; k = h.after(k) {
				switch h.kind(k) {
				case hsName, hsVariable, hsPrefixID, hsQualified:
					name = h.plain(k)
				}
			}
			if name != none {
				h.exports[h.name(name)] = true
				h.useMember(artifact.RoleExport, name, none)
			}
		}
	}
	if name := h.childOf(i, hsModule); name != none {
		d := h.leaf(artifact.KindPackage, i, name)
		h.export(d)
		if d >= 0 {
			h.facts.Decls[d].SigEnd = h.nodes[name].end
		}
	}
}

func (h *haskellExtractor) importOf(i int32) {
	module := h.childOf(i, hsModule)
	if module == none {
		return
	}
	path := h.str(module)
	names := h.childOf(i, hsImportList)
	qualified := h.has(i, hsQualifiedToken)
	if alias := h.child(i, fAlias); alias != none {
		h.addImport(module, path, "", h.str(alias))
	} else if qualified {
		h.addImport(module, path, "", path)
	}
	switch {
	case qualified && (names == none || h.has(i, hsHiding)):
	case names == none || h.has(i, hsHiding):
		h.addImport(module, path, "*", "*")
	default:
		for c := h.childOf(names, hsImportName); c != none; c = h.nextOf(c, hsImportName) {
			for k := h.first(c); k != none; k = h.after(k) {
				switch h.kind(k) {
				case hsName, hsVariable, hsPrefixID:
				default:
					continue
				}
				name := h.plain(k)
				if name == none {
					break
				}
				h.addImport(name, path, h.str(name), h.str(name))
				h.useAt(artifact.RoleImport, h.nodes[name].start, h.text(name), "")
				break
			}
		}
	}
	// Comments behind the last import belong to what follows.
	for c := h.first(i); c != none; c = h.after(c) {
		if k := h.kind(c); k == hsComment || k == hsHaddock {
			h.visit(c)
		}
	}
}

// apply handles "f x": the function at its head is called, a constructor
// makes a value. In types it is only structure.
func (h *haskellExtractor) apply(i int32) {
	f := h.child(i, fFunction)
	if f == none || h.types() {
		h.children(i)
		return
	}
	h.callee(f)
	for c := h.first(i); c != none; c = h.after(c) {
		if c != f {
			h.as(artifact.RoleRead, c)
		}
	}
}

func (h *haskellExtractor) callee(i int32) {
	switch h.kind(i) {
	case hsVariable:
		h.use(artifact.RoleCall, i)
	case hsConstructor:
		h.use(artifact.RoleInstantiate, i)
	case hsQualified:
		h.qualified(artifact.RoleCall, i)
	default:
		h.as(artifact.RoleRead, i)
	}
}

// infix handles "a `f` b", which calls f, and "f $ x", which calls f.
func (h *haskellExtractor) infix(i int32) {
	left, op := h.child(i, fLeftOperand), h.child(i, fOperator)
	if h.types() {
		h.children(i)
		return
	}
	called := false
	if op != none {
		switch string(h.text(op)) {
		case "$", "$!", "<$>", "<&>", "=<<", "<=<":
			called = true
		}
		if k := h.kind(op); k == hsInfixID || k == hsQualified {
			h.as(artifact.RoleCall, op)
		}
	}
	switch {
	case left == none:
	case called:
		h.callee(left)
	default:
		h.visit(left)
	}
	h.opt(h.child(i, fRightOperand))
}

func (h *haskellExtractor) qualified(role artifact.Role, i int32) {
	module, name := h.child(i, fModule), h.child(i, fId)
	if name == none {
		return
	}
	switch h.kind(name) {
	case hsName:
		if !h.types() {
			role = artifact.RoleType
		}
	case hsConstructor:
		if role == artifact.RoleCall {
			role = artifact.RoleInstantiate
		}
	case hsOperator, hsConstructorOperator:
		return
	}
	receiver := ""
	if module != none {
		receiver = ellipsis
		if m := bytes.TrimRight(h.text(module), "."); len(m) <= maxReceiver {
			receiver = h.chain(m)
		}
	}
	h.useAt(role, h.nodes[name].start, h.text(name), receiver)
}
