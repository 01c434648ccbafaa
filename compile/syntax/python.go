package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

// pyExtractor walks a Python file. role is how a bare name at the current
// place is used.
type pyExtractor struct {
	*extraction
	role  artifact.Role
	avoid map[nameID]bool // global and nonlocal names of the function being bound
	base  int             // scopes that are open at file level
}

func extractPython(x *extraction) {
	p := &pyExtractor{extraction: x, avoid: make(map[nameID]bool)}
	p.bindModule()
	p.children(0)
	p.popScope()
}

func (p *pyExtractor) children(i int32) {
	end := p.nodes[i].next
	for c := i + 1; c < end; c = p.nodes[c].next {
		p.visit(c)
	}
}

// as visits a node whose bare names are used in the given role.
func (p *pyExtractor) as(role artifact.Role, i int32) {
	if i == none {
		return
	}
	saved := p.role
	p.role = role
	p.visit(i)
	p.role = saved
}

func (p *pyExtractor) visit(i int32) {
	switch p.kind(i) {
	case pyIdentifier:
		p.use(p.role, i)
	case pyComment:
		p.comment(i)
	case pyDecoratedDefinition:
		p.decorated(i)
	case pyFunctionDefinition:
		p.function(i, i)
	case pyClassDefinition:
		p.class(i, i)
	case pyAssignment:
		p.assignment(i, i)
	case pyExpressionStatement:
		// The statement bounds the declaration that an assignment makes.
		if c := p.first(i); c != none && p.kind(c) == pyAssignment {
			p.assignment(i, c)
		} else {
			p.children(i)
		}
	case pyAugmentedAssignment:
		if l := p.child(i, fLeft); l != none {
			p.as(artifact.RoleWrite, l)
			p.reassign(l, "")
		}
		p.as(artifact.RoleRead, p.child(i, fRight))
	case pyNamedExpression:
		p.as(artifact.RoleWrite, p.child(i, fName))
		p.as(artifact.RoleRead, p.child(i, fValue))
	case pyTypeAliasStatement:
		p.typeAlias(i)
	case pyAttribute:
		p.attributeOf(p.role, i)
	case pyCall:
		p.call(i)
	case pyKeywordArgument:
		p.as(artifact.RoleRead, p.child(i, fValue))
	case pyIfStatement, pyAssertStatement:
		p.narrow(i)
		p.children(i)
	case pySubscript:
		p.subscript(i)
	case pyString:
		p.stringLiteral(i)
	case pyInterpolation:
		saved := p.role
		p.role = artifact.RoleRead
		p.children(i)
		p.role = saved
	case pyType:
		saved := p.role
		p.role = artifact.RoleType
		p.children(i)
		p.role = saved
	case pyMemberType:
		p.memberType(i)
	case pyLambda:
		p.lambda(i)
	case pyListComprehension, pySetComprehension, pyDictionaryComprehension, pyGeneratorExpression:
		p.comprehension(i)
	case pyForStatement:
		p.as(artifact.RoleWrite, p.child(i, fLeft))
		if l, r := p.child(i, fLeft), p.child(i, fRight); l != none && r != none {
			p.fields(l, p.valueHint(r, "*"))
		}
		p.as(artifact.RoleRead, p.child(i, fRight))
		for c := p.child(i, fRight); c != none; {
			if c = p.after(c); c != none {
				p.visit(c)
			}
		}
	case pyAsPatternTarget:
		saved := p.role
		p.role = artifact.RoleWrite
		p.children(i)
		p.role = saved
	case pyImportStatement:
		p.importModules(i)
	case pyImportFromStatement:
		p.importFrom(i, p.child(i, fModuleName))
	case pyFutureImportStatement:
		p.importFrom(i, none)
	case pyGlobalStatement, pyNonlocalStatement:
	case pyCasePattern:
		p.casePattern(i)
	case pyKeywordPattern:
		// The keyword is an attribute's name; the pattern behind it counts.
		if c := p.first(i); c != none {
			for c = p.after(c); c != none; c = p.after(c) {
				p.visit(c)
			}
		}
	case pyDottedName:
		p.dotted(p.role, i)
	default:
		p.children(i)
	}
}

// exported applies Python's convention: a leading underscore is private,
// unless the name is a protocol's (two on both sides).
func (p *pyExtractor) exported(d int32) {
	if d < 0 {
		return
	}
	decl := &p.facts.Decls[d]
	if decl.Flags&artifact.SymbolLocal != 0 {
		return
	}
	if decl.Parent >= 0 && p.facts.Decls[decl.Parent].Flags&artifact.SymbolExported == 0 {
		return
	}
	n := decl.Name
	if n[0] != '_' || len(n) > 4 && n[:2] == "__" && n[len(n)-2:] == "__" {
		decl.Flags |= artifact.SymbolExported
	}
}

func (p *pyExtractor) decorated(i int32) {
	def := p.child(i, fDefinition)
	for c := p.first(i); c != none; c = p.after(c) {
		if p.kind(c) != pyDecorator {
			continue
		}
		expr := p.first(c)
		if expr == none {
			continue
		}
		// "@a.b(c)" decorates with b; c is an ordinary argument.
		if p.kind(expr) == pyCall {
			p.as(artifact.RoleDecorate, p.child(expr, fFunction))
			p.as(artifact.RoleRead, p.child(expr, fArguments))
		} else {
			p.as(artifact.RoleDecorate, expr)
		}
	}
	switch {
	case def == none:
	case p.kind(def) == pyFunctionDefinition:
		p.function(i, def)
	case p.kind(def) == pyClassDefinition:
		p.class(i, def)
	default:
		p.visit(def)
	}
}

// decoratorNames calls fn with the last name of each decorator of the
// decorated definition i.
func (p *pyExtractor) decoratorNames(i int32, fn func(name []byte)) {
	if p.kind(i) != pyDecoratedDefinition {
		return
	}
	for c := p.first(i); c != none; c = p.after(c) {
		if p.kind(c) != pyDecorator {
			continue
		}
		expr := p.first(c)
		if expr != none && p.kind(expr) == pyCall {
			expr = p.child(expr, fFunction)
		}
		if expr != none && p.kind(expr) == pyAttribute {
			expr = p.child(expr, fAttribute)
		}
		if expr != none && p.kind(expr) == pyIdentifier {
			fn(p.text(expr))
		}
	}
}

func (p *pyExtractor) function(outer, def int32) {
	name, body := p.child(def, fName), p.child(def, fBody)
	kind := artifact.KindFunction
	var flags artifact.SymbolFlags
	member := p.inClass()
	if member {
		kind = artifact.KindMethod
		if name != none && string(p.text(name)) == "__init__" {
			kind = artifact.KindConstructor
		}
	}
	p.decoratorNames(outer, func(n []byte) {
		switch string(n) {
		case "property", "cached_property", "setter", "getter", "deleter":
			if member {
				kind = artifact.KindProperty
			}
		case "staticmethod", "classmethod":
			flags |= artifact.SymbolStatic
		case "abstractmethod", "overload":
			flags |= artifact.SymbolForward
		}
	})
	d := p.begin(kind, outer, name)
	p.flag(d, flags)
	p.signature(d, def, body)
	p.exported(d)
	p.docstring(d, body)

	// Defaults and annotations belong to the enclosing scope.
	params := p.child(def, fParameters)
	if params != none {
		p.parameterUses(params)
	}
	result := p.child(def, fReturnType)
	p.as(artifact.RoleType, result)
	if result != none {
		p.hintFor(d, p.writtenHint(result))
	}
	p.callables++
	if params != none {
		p.pushScopeAt(p.nodes[params].start, p.nodes[def].end)
	} else {
		p.pushScopeOf(def)
	}
	if tp := p.child(def, fTypeParameters); tp != none {
		p.typeParameters(tp)
	}
	if params != none && name != none {
		self := ""
		if member && flags&artifact.SymbolStatic == 0 {
			self = ":Self"
		}
		p.decoratorNames(outer, func(n []byte) {
			if member && string(n) == "classmethod" {
				self = ":type[Self]"
			}
		})
		if n := string(p.text(name)); member && (n == "__new__" || n == "__init_subclass__" || n == "__class_getitem__") {
			self = ":type[Self]"
		}
		p.bindParameters(params, self)
	}
	if body != none {
		returned := p.bindBody(body)
		if result == none {
			p.hintFor(d, returned)
		}
		p.as(artifact.RoleRead, body)
	}
	p.leave()
	p.end()
}

// inClass reports whether the walk is directly in a class body.
func (p *pyExtractor) inClass() bool {
	k := p.parentDeclKind()
	return k == artifact.KindClass || k == artifact.KindEnum
}

// docstring notes the string that a body begins with.
func (p *pyExtractor) docstring(d, body int32) {
	if d < 0 || body == none {
		return
	}
	c := p.first(body)
	for c != none && p.kind(c) == pyComment {
		c = p.after(c)
	}
	if c == none || p.kind(c) != pyExpressionStatement {
		return
	}
	if s := p.first(c); s != none && (p.kind(s) == pyString || p.kind(s) == pyConcatenatedString) && p.after(s) == none {
		p.facts.Decls[d].DocStart, p.facts.Decls[d].DocEnd = p.nodes[s].start, p.nodes[s].end
	}
}

// parameterUses visits the defaults and annotations of parameters.
func (p *pyExtractor) parameterUses(params int32) {
	for c := p.first(params); c != none; c = p.after(c) {
		switch p.kind(c) {
		case pyDefaultParameter, pyTypedDefaultParameter:
			p.as(artifact.RoleType, p.child(c, fType))
			p.as(artifact.RoleRead, p.child(c, fValue))
		case pyTypedParameter:
			p.as(artifact.RoleType, p.child(c, fType))
		}
	}
}

func (p *pyExtractor) class(outer, def int32) {
	name, bases, body := p.child(def, fName), p.child(def, fSuperclasses), p.child(def, fBody)
	kind := artifact.KindClass
	if bases != none && p.isEnum(bases) {
		kind = artifact.KindEnum
	}
	d := p.begin(kind, outer, name)
	p.signature(d, def, body)
	p.exported(d)
	p.docstring(d, body)
	p.pushScopeOf(def)
	if tp := p.child(def, fTypeParameters); tp != none {
		p.typeParameters(tp)
	}
	if bases != none {
		for c := p.first(bases); c != none; c = p.after(c) {
			switch p.kind(c) {
			case pyKeywordArgument:
				p.as(artifact.RoleType, p.child(c, fValue))
			case pySubscript:
				p.as(artifact.RoleInherit, p.child(c, fValue))
				for s := p.first(c); s != none; s = p.after(s) {
					if p.nodes[s].field == fSubscript {
						p.as(artifact.RoleType, s)
					}
				}
			case pyIdentifier, pyAttribute:
				p.as(artifact.RoleInherit, c)
			default:
				p.as(artifact.RoleRead, c)
			}
		}
	}
	if body != none {
		p.as(artifact.RoleRead, body)
	}
	p.popScope()
	p.end()
}

// isEnum reports whether one of the base classes is one of the enum module's.
func (p *pyExtractor) isEnum(bases int32) bool {
	for c := p.first(bases); c != none; c = p.after(c) {
		n := c
		if p.kind(c) == pyAttribute {
			n = p.child(c, fAttribute)
		}
		if n == none || p.kind(n) != pyIdentifier {
			continue
		}
		switch string(p.text(n)) {
		case "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag":
			return true
		}
	}
	return false
}

// typeParameters binds the parameters of "[T: B]" and visits their bounds.
func (p *pyExtractor) typeParameters(i int32) {
	for c := p.first(i); c != none; c = p.after(c) {
		for k := c; k < p.nodes[c].next; k++ {
			if p.kind(k) == pyIdentifier {
				p.bindAs(artifact.KindTypeParameter, k, "")
				break
			}
		}
	}
	p.as(artifact.RoleType, i)
}

// attributeOf adds the use of "object.name" and visits the object.
func (p *pyExtractor) attributeOf(role artifact.Role, i int32) {
	object := p.child(i, fObject)
	if name := p.child(i, fAttribute); name != none {
		p.useOf(role, name, object)
	}
	if object != none && (p.kind(object) != pyIdentifier || !p.isModule(object)) {
		p.as(artifact.RoleRead, object)
	}
}

func (p *pyExtractor) call(i int32) {
	fn := p.child(i, fFunction)
	p.as(artifact.RoleCall, fn)
	for c := p.first(i); c != none; c = p.after(c) {
		if c != fn {
			p.as(artifact.RoleRead, c)
		}
	}
	args := p.child(i, fArguments)
	if fn == none || args == none || p.kind(args) != pyArgumentList {
		return
	}
	callee := ""
	for c := p.first(args); c != none; c = p.after(c) {
		if p.kind(c) != pyKeywordArgument {
			continue
		}
		if callee == "" {
			if callee = p.valueOf(fn); callee == "" || len(callee) > maxReceiver {
				return
			}
		}
		if n := p.child(c, fName); n != none {
			p.useAt(artifact.RoleArgument, p.nodes[n].start, p.text(n), callee)
		}
	}
}

func (p *pyExtractor) subscript(i int32) {
	value := p.child(i, fValue)
	role := p.role
	if role != artifact.RoleType {
		role = artifact.RoleRead
	}
	p.as(role, value)
	for c := p.first(i); c != none; c = p.after(c) {
		if c != value {
			p.as(role, c)
		}
	}
}

// stringLiteral visits a string: the parts in braces, and the name that a quoted
// annotation stands for.
func (p *pyExtractor) stringLiteral(i int32) {
	if p.role == artifact.RoleType {
		if c := p.childOf(i, pyStringContent); c != none && isName(p.text(c)) {
			p.use(artifact.RoleType, c)
			return
		}
	}
	p.children(i)
}

// memberType visits the type "a.b".
func (p *pyExtractor) memberType(i int32) {
	object := p.first(i)
	if object == none {
		return
	}
	if name := p.after(object); name != none {
		p.useMember(artifact.RoleType, name, object)
	}
	p.as(artifact.RoleRead, object)
}

// dotted visits a dotted name outside of imports: patterns and decorators.
func (p *pyExtractor) dotted(role artifact.Role, i int32) {
	last := none
	for c := p.first(i); c != none; c = p.after(c) {
		last = c
	}
	switch {
	case last == none:
	case p.first(i) == last:
		p.use(role, last)
	default:
		start, end := p.nodes[i].start, p.nodes[last].start
		p.useAt(role, end, p.text(last), p.chain(bytes.TrimRight(p.src[start:end], ". \t\\\r\n")))
	}
}
