package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

const (
	hsVariable = kindFirst + iota
	hsName
	hsConstructor
	hsOperator
	hsConstructorOperator
	hsComment
	hsHaddock
	hsPragma
	hsHeader
	hsModule
	hsExports
	hsExport
	hsImport
	hsHiding
	hsQualifiedToken
	hsImportList
	hsImportName
	hsDeclarations
	hsClassDeclarations
	hsInstanceDeclarations
	hsLocalBinds
	hsSignature
	hsFunction
	hsBind
	hsPrefixID
	hsInfixID
	hsBindingList
	hsData
	hsNewtype
	hsDataConstructor
	hsNewtypeConstructor
	hsGadtConstructor
	hsPrefix
	hsRecord
	hsInfix
	hsField
	hsFieldName
	hsFieldUpdate
	hsFieldPattern
	hsDeriving
	hsDerivingInstance
	hsClass
	hsInstance
	hsTypeSynonym
	hsTypeFamily
	hsDataFamily
	hsTypeInstance
	hsPatternSynonym
	hsForeignImport
	hsContext
	hsTypeParams
	hsTypePatterns
	hsPatterns
	hsMatch
	hsGuards
	hsDo
	hsLet
	hsLetIn
	hsLambda
	hsAlternative
	hsCase
	hsGenerator
	hsPatternGuard
	hsComprehension
	hsApply
	hsQualified
	hsViewPattern
	hsAs
	hsFixity
	hsParens
	hsEquation
	hsRole
	hsFunctionHead
	hsNumKinds
)

var haskellKinds = [hsNumKinds]string{
	hsVariable: "variable", hsName: "name", hsConstructor: "constructor", hsOperator: "operator",
	hsConstructorOperator: "constructor_operator", hsComment: "comment", hsHaddock: "haddock", hsPragma: "pragma",
	hsHeader: "header", hsModule: "module", hsExports: "exports", hsExport: "export", hsImport: "import",
	hsHiding: "'hiding", hsQualifiedToken: "'qualified", hsImportList: "import_list", hsImportName: "import_name",
	hsDeclarations: "declarations", hsClassDeclarations: "class_declarations",
	hsInstanceDeclarations: "instance_declarations", hsLocalBinds: "local_binds", hsSignature: "signature",
	hsFunction: "function", hsBind: "bind", hsPrefixID: "prefix_id", hsInfixID: "infix_id",
	hsBindingList: "binding_list", hsData: "data_type", hsNewtype: "newtype", hsDataConstructor: "data_constructor",
	hsNewtypeConstructor: "newtype_constructor", hsGadtConstructor: "gadt_constructor", hsPrefix: "prefix",
	hsRecord: "record", hsInfix: "infix", hsField: "field", hsFieldName: "field_name", hsFieldUpdate: "field_update",
	hsFieldPattern: "field_pattern", hsDeriving: "deriving", hsDerivingInstance: "deriving_instance",
	hsClass: "class", hsInstance: "instance", hsTypeSynonym: "type_synomym", hsTypeFamily: "type_family",
	hsDataFamily: "data_family", hsTypeInstance: "type_instance", hsPatternSynonym: "pattern_synonym",
	hsForeignImport: "foreign_import", hsContext: "context", hsTypeParams: "type_params",
	hsTypePatterns: "type_patterns", hsPatterns: "patterns", hsMatch: "match", hsGuards: "guards", hsDo: "do",
	hsLet: "let", hsLetIn: "let_in", hsLambda: "lambda", hsAlternative: "alternative", hsCase: "case",
	hsGenerator: "generator", hsPatternGuard: "pattern_guard", hsComprehension: "list_comprehension",
	hsApply: "apply", hsQualified: "qualified", hsViewPattern: "view_pattern", hsAs: "as", hsFixity: "fixity",
	hsParens: "parens", hsEquation: "equation", hsRole: "role_annotation", hsFunctionHead: "function_head_parens",
}

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
