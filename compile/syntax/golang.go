package syntax

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/artifact"
)

// goUniverse leaves out min, max and clear, which older code declares itself.
var goUniverse = [...]string{
	"any", "bool", "byte", "comparable", "complex64", "complex128", "error",
	"float32", "float64", "int", "int8", "int16", "int32", "int64", "rune",
	"string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
	"true", "false", "iota", "nil", "_",
	"append", "cap", "close", "complex", "copy", "delete", "imag", "len",
	"make", "new", "panic", "print", "println", "real", "recover",
}

type goExtractor struct {
	*extraction
	role artifact.Role // of a type's name at the current place
}

func extractGo(x *extraction) {
	g := &goExtractor{extraction: x, role: artifact.RoleType}
	g.children(0)
}

func (g *goExtractor) children(i int32) {
	end := g.nodes[i].next
	for c := i + 1; c < end; c = g.nodes[c].next {
		g.visit(c)
	}
}

func (g *goExtractor) opt(i int32) {
	if i != none {
		g.visit(i)
	}
}

// typeAs visits a type whose outermost name is used in the given role.
func (g *goExtractor) typeAs(role artifact.Role, i int32) {
	if i == none {
		return
	}
	saved := g.role
	g.role = role
	g.visit(i)
	g.role = saved
}

func (g *goExtractor) visit(i int32) {
	switch g.kind(i) {
	case goIdentifier:
		g.use(artifact.RoleRead, i)
	case goTypeIdentifier:
		g.use(g.role, i)
	case goComment:
		g.comment(i)
	case goImportSpec:
		g.importSpec(i)
	case goConstDeclaration, goVarDeclaration:
		g.valueDeclaration(i)
	case goTypeDeclaration:
		g.typeDeclaration(i)
	case goFunctionDeclaration, goMethodDeclaration:
		g.function(i)
	case goFuncLiteral:
		g.enter()
		g.parameters(i)
		g.opt(g.child(i, fBody))
		g.leave()
	case goStructType:
		switch g.parentDeclKind() {
		case artifact.KindStruct, artifact.KindField, artifact.KindType, artifact.KindVariable:
			g.structFields(i)
		default:
			g.children(i)
		}
	case goFieldDeclaration: // of an anonymous struct
		g.opt(g.child(i, fType))
	case goInterfaceType:
		g.interfaceElems(i)
	case goParameterDeclaration, goVariadicParameterDeclaration: // of a function type
		g.opt(g.child(i, fType))
	case goQualifiedType:
		if name := g.child(i, fName); name != none {
			g.useMember(g.role, name, g.child(i, fPackage))
		}
	case goGenericType:
		g.opt(g.child(i, fType))
		g.typeAs(artifact.RoleType, g.child(i, fTypeArguments))
	case goMapType, goSliceType, goArrayType, goImplicitLengthArrayType, goPointerType:
		saved := g.role
		g.role = artifact.RoleType
		g.children(i)
		g.role = saved
	case goBlock, goIfStatement, goForStatement, goExpressionSwitchStatement, goSelectStatement,
		goExpressionCase, goTypeCase, goDefaultCase, goCommunicationCase:
		g.pushScope()
		g.children(i)
		g.popScope()
	case goTypeSwitchStatement:
		g.typeSwitch(i)
	case goShortVarDeclaration:
		g.opt(g.child(i, fRight))
		g.define(g.child(i, fLeft))
	case goRangeClause, goReceiveStatement:
		g.opt(g.child(i, fRight))
		if g.has(i, goDefine) {
			g.define(g.child(i, fLeft))
		} else {
			g.assign(g.child(i, fLeft))
		}
	case goAssignmentStatement:
		g.assign(g.child(i, fLeft))
		g.opt(g.child(i, fRight))
	case goIncStatement, goDecStatement:
		for c := g.first(i); c != none; c = g.after(c) {
			g.target(c)
		}
	case goCallExpression:
		g.call(i)
	case goSelectorExpression:
		g.selector(artifact.RoleRead, i)
	case goCompositeLiteral:
		typ := g.child(i, fType)
		g.typeAs(artifact.RoleInstantiate, typ)
		if body := g.child(i, fBody); body != none {
			g.literal(body, typ)
		}
	case goLiteralValue:
		g.literal(i, none)
	default:
		g.children(i)
	}
}

func (g *goExtractor) importSpec(i int32) {
	path, name := g.child(i, fPath), g.child(i, fName)
	if path == none {
		return
	}
	n := g.nodes[path]
	if n.end-n.start < 3 {
		return
	}
	module := g.src[n.start+1 : n.end-1]
	tail := bytes.LastIndexByte(module, '/') + 1
	last := module[tail:]
	local := goPackageName(module)
	member := ""
	if name != none {
		switch local = g.text(name); g.kind(name) {
		case goDot:
			local, member = []byte("*"), "*"
		}
	}
	at := n.start + 1 + uint32(tail)
	g.addImportAt(at, g.intern(module), member, g.intern(local))
	g.useAt(artifact.RoleImport, at, last, "")
}

// goPackageName guesses the package name that an import path binds: the last
// element that is no version.
func goPackageName(path []byte) []byte {
	dir, last := path, path
	if j := bytes.LastIndexByte(path, '/'); j >= 0 {
		dir, last = path[:j], path[j+1:]
		if isVersion(last) && len(dir) > 0 {
			last = dir[bytes.LastIndexByte(dir, '/')+1:]
		}
	}
	if j := bytes.LastIndexByte(last, '.'); j > 0 && isVersion(last[j+1:]) {
		last = last[:j]
	}
	return last
}

func isVersion(b []byte) bool {
	return len(b) > 1 && b[0] == 'v' && len(bytes.Trim(b[1:], "0123456789")) == 0
}

func (g *goExtractor) exported(d, name int32) {
	if d < 0 {
		return
	}
	decl := &g.facts.Decls[d]
	if r, _ := utf8.DecodeRune(g.text(name)); unicode.IsUpper(r) && decl.Flags&artifact.SymbolLocal == 0 {
		decl.Flags |= artifact.SymbolExported
	}
}

// valueDeclaration handles const and var, alone or grouped.
func (g *goExtractor) valueDeclaration(i int32) {
	kind := artifact.KindVariable
	if g.kind(i) == goConstDeclaration {
		kind = artifact.KindConstant
	}
	specs, list := 0, i
	if l := g.childOf(i, goVarSpecList); l != none {
		list = l
	}
	for c := g.first(list); c != none; c = g.after(c) {
		if k := g.kind(c); k == goConstSpec || k == goVarSpec {
			specs++
		}
	}
	for c := g.first(list); c != none; c = g.after(c) {
		switch g.kind(c) {
		case goComment:
			g.comment(c)
		case goConstSpec, goVarSpec:
			outer := c
			if specs == 1 {
				outer = i
			}
			g.valueSpec(kind, outer, c)
		default:
			g.visit(c)
		}
	}
}

func (g *goExtractor) valueSpec(kind artifact.Kind, outer, spec int32) {
	if g.callables > 0 {
		g.opt(g.child(spec, fType))
		g.opt(g.child(spec, fValue))
		for c := g.first(spec); c != none; c = g.after(c) {
			if g.nodes[c].field == fName {
				g.bind(c)
			}
		}
		return
	}
	var last, count int32 = none, 0
	for c := g.first(spec); c != none; c = g.after(c) {
		if g.nodes[c].field == fName {
			last = c
			count++
		}
	}
	from := outer
	for c := g.first(spec); c != none; c = g.after(c) {
		if g.nodes[c].field != fName {
			continue
		}
		if string(g.text(c)) == "_" {
			continue
		}
		to := c
		if c == last {
			to = outer
		}
		g.exported(g.beginSpan(kind, from, to, c), c)
		if count > 1 || c != last {
			g.end()
		}
		from = c
		if next := g.after(c); next != none && g.nodes[next].field == fName {
			from = next
		}
	}
	g.opt(g.child(spec, fType))
	g.opt(g.child(spec, fValue))
	if count == 1 && string(g.text(last)) != "_" {
		g.end()
	}
}

func (g *goExtractor) function(i int32) {
	name, body := g.child(i, fName), g.child(i, fBody)
	kind := artifact.KindFunction
	receiver := g.child(i, fReceiver)
	if receiver != none {
		kind = artifact.KindMethod
	}
	d := g.begin(kind, i, name)
	g.signature(d, i, body)
	if body == none {
		g.flag(d, artifact.SymbolForward)
	}
	if name != none {
		g.exported(d, name)
	}
	g.enter()
	if receiver != none {
		g.receiverType(d, receiver)
	}
	if tp := g.child(i, fTypeParameters); tp != none {
		g.typeParameters(tp)
	}
	g.parameters(i)
	g.opt(body)
	g.leave()
	g.end()
}

// receiverType names the method's owner and binds the type parameters that
// the receiver names.
func (g *goExtractor) receiverType(d, receiver int32) {
	owner := none
	for k := receiver + 1; k < g.nodes[receiver].next; k++ {
		if g.kind(k) != goTypeIdentifier {
			continue
		}
		if owner == none {
			owner = k
			continue
		}
		g.bind(k)
	}
	if owner != none {
		g.own(d, artifact.KindStruct, g.str(owner))
		g.use(artifact.RoleType, owner)
	}
	for c := g.first(receiver); c != none; c = g.after(c) {
		g.bindNames(c)
	}
}

// parameters visits the types of a function's parameters and results and
// then binds the names.
func (g *goExtractor) parameters(i int32) {
	params, result := g.child(i, fParameters), g.child(i, fResult)
	g.typeAs(artifact.RoleType, params)
	g.typeAs(artifact.RoleType, result)
	for _, list := range [2]int32{params, result} {
		if list == none {
			continue
		}
		for c := g.first(list); c != none; c = g.after(c) {
			if k := g.kind(c); k == goParameterDeclaration || k == goVariadicParameterDeclaration {
				g.bindNames(c)
			}
		}
	}
}

func (g *goExtractor) bindNames(i int32) {
	for c := g.first(i); c != none; c = g.after(c) {
		if g.nodes[c].field == fName {
			g.bind(c)
		}
	}
}

func (g *goExtractor) typeSwitch(i int32) {
	g.pushScope()
	alias := g.child(i, fAlias)
	for c := g.first(i); c != none; c = g.after(c) {
		if c == alias {
			continue
		}
		g.visit(c)
		if g.nodes[c].field == fValue {
			g.define(alias)
		}
	}
	g.popScope()
}

// define binds the names on the left of ":=".
func (g *goExtractor) define(left int32) {
	if left == none {
		return
	}
	for c := g.first(left); c != none; c = g.after(c) {
		if g.kind(c) == goIdentifier {
			g.bind(c)
		} else {
			g.visit(c)
		}
	}
}

// assign visits the list on the left of "=".
func (g *goExtractor) assign(left int32) {
	if left == none {
		return
	}
	for c := g.first(left); c != none; c = g.after(c) {
		g.target(c)
	}
}

func (g *goExtractor) target(i int32) {
	switch g.kind(i) {
	case goIdentifier:
		g.use(artifact.RoleWrite, i)
	case goSelectorExpression:
		g.selector(artifact.RoleWrite, i)
	default:
		g.visit(i)
	}
}

func (g *goExtractor) selector(role artifact.Role, i int32) {
	operand := g.child(i, fOperand)
	if name := g.child(i, fField); name != none {
		g.useMember(role, name, operand)
	}
	if operand != none && (g.kind(operand) != goIdentifier || !g.isModule(operand)) {
		g.visit(operand)
	}
}

func (g *goExtractor) call(i int32) {
	fn := g.child(i, fFunction)
	if fn != none {
		switch g.kind(fn) {
		case goIdentifier:
			g.use(artifact.RoleCall, fn)
		case goSelectorExpression:
			g.selector(artifact.RoleCall, fn)
		default:
			g.visit(fn)
		}
	}
	for c := g.first(i); c != none; c = g.after(c) {
		if c != fn {
			g.visit(c)
		}
	}
}

// literal visits the braces of a composite literal of the given type. A key
// that is a bare name sets a field, unless the type is a map, slice or array.
func (g *goExtractor) literal(i, typ int32) {
	fields := true
	if typ != none {
		switch g.kind(typ) {
		case goMapType, goSliceType, goArrayType, goImplicitLengthArrayType:
			fields = false
		}
	}
	for c := g.first(i); c != none; c = g.after(c) {
		if g.kind(c) != goKeyedElement {
			g.visit(c)
			continue
		}
		key := g.child(c, fKey)
		if key != none {
			name := g.first(key)
			if fields && name != none && g.kind(name) == goIdentifier {
				g.useMember(artifact.RoleWrite, name, none)
			} else {
				g.visit(key)
			}
		}
		g.opt(g.child(c, fValue))
	}
}
