package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

const (
	pyModule = kindFirst + iota
	pyIdentifier
	pyComment
	pyBlock
	pyFunctionDefinition
	pyClassDefinition
	pyDecoratedDefinition
	pyDecorator
	pyParameters
	pyLambdaParameters
	pyLambda
	pyDefaultParameter
	pyTypedParameter
	pyTypedDefaultParameter
	pyListSplatPattern
	pyDictionarySplatPattern
	pyTuplePattern
	pyListPattern
	pyPatternList
	pyAssignment
	pyAugmentedAssignment
	pyNamedExpression
	pyExpressionStatement
	pyAttribute
	pyCall
	pyArgumentList
	pyKeywordArgument
	pySubscript
	pyString
	pyStringContent
	pyConcatenatedString
	pyType
	pyTypeParameter
	pyTypeAliasStatement
	pyMemberType
	pyImportStatement
	pyImportFromStatement
	pyFutureImportStatement
	pyAliasedImport
	pyDottedName
	pyRelativeImport
	pyWildcardImport
	pyForStatement
	pyForInClause
	pyListComprehension
	pySetComprehension
	pyDictionaryComprehension
	pyGeneratorExpression
	pyAsPattern
	pyAsPatternTarget
	pyGlobalStatement
	pyNonlocalStatement
	pyCasePattern
	pyKeywordPattern
	pySplatPattern
	pyClassPattern
	pyList
	pyTuple
	pyParenthesizedExpression
	pyInterpolation
	pyReturnStatement
	pyYield
	pyAwait
	pyWithItem
	pyExceptClause
	pyIfStatement
	pyAssertStatement
	pyBooleanOperator
	pyConditionalExpression
	pyInteger
	pyNumKinds
)

var pythonKinds = [pyNumKinds]string{
	pyModule: "module", pyIdentifier: "identifier", pyComment: "comment", pyBlock: "block",
	pyFunctionDefinition: "function_definition", pyClassDefinition: "class_definition",
	pyDecoratedDefinition: "decorated_definition", pyDecorator: "decorator",
	pyParameters: "parameters", pyLambdaParameters: "lambda_parameters", pyLambda: "lambda",
	pyDefaultParameter: "default_parameter", pyTypedParameter: "typed_parameter",
	pyTypedDefaultParameter: "typed_default_parameter",
	pyListSplatPattern:      "list_splat_pattern", pyDictionarySplatPattern: "dictionary_splat_pattern",
	pyTuplePattern: "tuple_pattern", pyListPattern: "list_pattern", pyPatternList: "pattern_list",
	pyAssignment: "assignment", pyAugmentedAssignment: "augmented_assignment",
	pyNamedExpression: "named_expression", pyExpressionStatement: "expression_statement",
	pyAttribute: "attribute", pyCall: "call", pyArgumentList: "argument_list",
	pyKeywordArgument: "keyword_argument", pySubscript: "subscript",
	pyString: "string", pyStringContent: "string_content", pyConcatenatedString: "concatenated_string",
	pyType: "type", pyTypeParameter: "type_parameter", pyTypeAliasStatement: "type_alias_statement",
	pyMemberType:      "member_type",
	pyImportStatement: "import_statement", pyImportFromStatement: "import_from_statement",
	pyFutureImportStatement: "future_import_statement", pyAliasedImport: "aliased_import",
	pyDottedName: "dotted_name", pyRelativeImport: "relative_import", pyWildcardImport: "wildcard_import",
	pyForStatement: "for_statement", pyForInClause: "for_in_clause",
	pyListComprehension: "list_comprehension", pySetComprehension: "set_comprehension",
	pyDictionaryComprehension: "dictionary_comprehension", pyGeneratorExpression: "generator_expression",
	pyAsPattern: "as_pattern", pyAsPatternTarget: "as_pattern_target",
	pyGlobalStatement: "global_statement", pyNonlocalStatement: "nonlocal_statement",
	pyCasePattern: "case_pattern", pyKeywordPattern: "keyword_pattern", pySplatPattern: "splat_pattern",
	pyClassPattern: "class_pattern", pyList: "list", pyTuple: "tuple",
	pyParenthesizedExpression: "parenthesized_expression", pyInterpolation: "interpolation",
	pyReturnStatement: "return_statement", pyYield: "yield", pyAwait: "await", pyWithItem: "with_item",
	pyExceptClause: "except_clause", pyIfStatement: "if_statement", pyAssertStatement: "assert_statement",
	pyBooleanOperator: "boolean_operator", pyConditionalExpression: "conditional_expression", pyInteger: "integer",
}

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

// bindParameters binds the parameters of a callable; self is the hint for the
// first one when it is a method.
func (p *pyExtractor) bindParameters(params int32, self string) {
	const kind = artifact.KindParameter
	n := 0
	for c := p.first(params); c != none; c = p.after(c) {
		hint := ""
		if typ := p.child(c, fType); typ != none {
			hint = p.writtenHint(typ)
		}
		switch p.kind(c) {
		case pyComment:
			continue
		case pyDefaultParameter, pyTypedDefaultParameter:
			if hint == "" {
				hint = p.valueHint(p.child(c, fValue), "")
			}
			if n := p.child(c, fName); n != none {
				p.bindTarget(kind, n, hint)
			}
		case pyTypedParameter:
			if n := p.first(c); n != none {
				if k := p.kind(n); k == pyListSplatPattern && hint != "" {
					hint = ":list[" + hint[1:] + "]"
				} else if k == pyDictionarySplatPattern && hint != "" {
					hint = ":dict[str," + hint[1:] + "]"
				}
				p.bindTarget(kind, n, hint)
			}
		case pyIdentifier:
			hint := self
			if hint == "" && p.kind(params) == pyLambdaParameters {
				hint = p.contextHint(p.nodes[params].parent, n)
			}
			p.bindTarget(kind, c, hint)
		default:
			p.bindTarget(kind, c, "")
		}
		self = ""
		n++
	}
}

// bindTarget binds the names that an assignment to the target binds. hint says
// what is assigned; its elements go to the parts of a sequence of targets.
func (p *pyExtractor) bindTarget(kind artifact.Kind, i int32, hint string) {
	switch p.kind(i) {
	case pyIdentifier:
		if len(p.avoid) == 0 || !p.avoid[p.name(i)] {
			p.bindAs(kind, i, hint)
		}
	case pyListSplatPattern, pyDictionarySplatPattern:
		if c := p.first(i); c != none {
			if kind == artifact.KindParameter {
				p.bindTarget(kind, c, hint)
			} else {
				p.bindTarget(kind, c, "")
			}
		}
	case pyTuplePattern, pyListPattern, pyPatternList,
		pyTuple, pyList, pyParenthesizedExpression, pyAsPatternTarget:
		one := p.kind(i) == pyParenthesizedExpression || p.kind(i) == pyAsPatternTarget
		n := 0
		for c := p.first(i); c != none; c = p.after(c) {
			if p.kind(c) == pyComment {
				continue
			}
			part := hint
			if !one {
				part = elementHint(hint, n)
			}
			p.bindTarget(kind, c, part)
			n++
		}
	}
}

// elementHint is the hint for the n-th part of what hint gives.
func elementHint(hint string, n int) string {
	if hint == "" || hint[0] != artifact.HintValue || n > 9 {
		return ""
	}
	return hint + "[" + string(rune('0'+n)) + "]"
}

// bindModule opens the scope of the file, which holds what loops, with and
// except bind at file level. What assignments, definitions and imports bind
// there are declarations that other files can name.
func (p *pyExtractor) bindModule() {
	p.pushScopeOf(0)
	p.base = len(p.marks)
	declared := make(map[nameID]bool)
	level := func(fn func(i int32)) {
		for i, end := int32(1), p.nodes[0].next; i < end; {
			switch p.kind(i) {
			case pyFunctionDefinition, pyClassDefinition, pyLambda,
				pyListComprehension, pySetComprehension, pyDictionaryComprehension, pyGeneratorExpression:
				i = p.nodes[i].next
				continue
			}
			fn(i)
			i++
		}
	}
	found := false
	level(func(i int32) {
		switch p.kind(i) {
		case pyForStatement, pyNamedExpression, pyAsPatternTarget:
			found = true
		}
	})
	if !found {
		return
	}
	level(func(i int32) {
		if p.kind(i) == pyAssignment {
			if l := p.child(i, fLeft); l != none {
				for k := l; k < p.nodes[l].next; k++ {
					if p.kind(k) == pyIdentifier {
						declared[p.name(k)] = true
					}
				}
			}
		}
		switch p.kind(i) {
		case pyImportStatement, pyImportFromStatement:
			for k := i; k < p.nodes[i].next; k++ {
				if p.kind(k) == pyIdentifier {
					declared[p.name(k)] = true
				}
			}
		}
	})
	for i, end := int32(1), p.nodes[0].next; i < end; i++ {
		if k := p.kind(i); k == pyFunctionDefinition || k == pyClassDefinition {
			if n := p.child(i, fName); n != none {
				declared[p.name(n)] = true
			}
		}
	}
	p.avoid = declared
	level(p.bindStatement)
	p.avoid = make(map[nameID]bool)
}

// bindStatement binds what a loop, a with or except clause, a named expression
// or a pattern binds.
func (p *pyExtractor) bindStatement(i int32) {
	const kind = artifact.KindVariable
	switch p.kind(i) {
	case pyForStatement:
		if l := p.child(i, fLeft); l != none {
			p.bindTarget(kind, l, p.valueHint(p.child(i, fRight), "*"))
		}
	case pyNamedExpression:
		if n := p.child(i, fName); n != none {
			p.bindTarget(kind, n, p.valueHint(p.child(i, fValue), ""))
		}
	case pyAsPatternTarget:
		p.bindTarget(kind, i, p.asHint(i))
	case pyCasePattern:
		if n := p.capture(i); n != none && string(p.text(n)) != "_" {
			p.bind(n)
		}
	case pySplatPattern:
		if n := p.first(i); n != none && p.kind(n) == pyIdentifier {
			p.bind(n)
		}
	case pyKeywordPattern:
		if n := p.first(i); n != none {
			if n = p.capture(n); n != none {
				p.bind(n)
			}
		}
	}
}

// asHint says what "as" binds in a with or except clause.
func (p *pyExtractor) asHint(target int32) string {
	pattern := p.nodes[target].parent
	if pattern < 0 {
		return ""
	}
	value := p.first(pattern)
	for up := p.nodes[pattern].parent; up >= 0; up = p.nodes[up].parent {
		switch p.kind(up) {
		case pyWithItem:
			return p.valueHint(value, "^")
		case pyExceptClause:
			return p.writtenHint(value)
		case pyCasePattern, pyBlock:
			return ""
		}
	}
	return ""
}

// bindBody binds every name that a function's body binds, since a Python name
// is local in the whole function or not at all. Names of nested functions,
// classes and imports stay visible: they can be found. It returns the hint for
// what the function returns.
func (p *pyExtractor) bindBody(body int32) (returned string) {
	end := p.nodes[body].next
	clear(p.avoid)
	for i := body + 1; i < end; {
		switch p.kind(i) {
		case pyFunctionDefinition, pyClassDefinition, pyLambda:
			i = p.nodes[i].next
			continue
		case pyGlobalStatement, pyNonlocalStatement:
			for c := p.first(i); c != none; c = p.after(c) {
				p.avoid[p.name(c)] = true
			}
		}
		i++
	}
	yields := false
	for i := body + 1; i < end; {
		switch p.kind(i) {
		case pyFunctionDefinition, pyClassDefinition, pyLambda:
			i = p.nodes[i].next
			continue
		case pyAssignment, pyAugmentedAssignment:
			if l := p.child(i, fLeft); l != none {
				p.bindTarget(artifact.KindVariable, l, p.assignedHint(i))
			}
		case pyReturnStatement:
			if v := p.first(i); v != none && returned == "" {
				returned = p.valueHint(v, "")
			}
		case pyYield:
			yields = true
		default:
			p.bindStatement(i)
		}
		i++
	}
	clear(p.avoid)
	if yields {
		return ""
	}
	return returned
}

// capture returns the name that a case pattern, or the value of a keyword
// pattern whose keyword is i, captures: one undotted name.
func (p *pyExtractor) capture(i int32) int32 {
	c := p.first(i)
	if p.kind(i) == pyIdentifier {
		c = p.after(i)
	}
	if c == none || p.kind(c) != pyDottedName {
		return none
	}
	n := p.first(c)
	if n == none || p.after(n) != none {
		return none
	}
	return n
}

func (p *pyExtractor) casePattern(i int32) {
	if n := p.capture(i); n != none {
		if string(p.text(n)) != "_" {
			p.use(artifact.RoleWrite, n)
		}
		return
	}
	p.children(i)
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

// assignment handles "left: type = right"; stmt is the statement or the
// assignment itself.
func (p *pyExtractor) assignment(stmt, i int32) {
	left, right, typ := p.child(i, fLeft), p.child(i, fRight), p.child(i, fType)
	if left == none {
		p.children(i)
		return
	}
	inClass := p.inClass()
	declares := p.callables == 0 && len(p.marks) == p.base || inClass
	opened := false
	if declares {
		opened = p.declareTargets(stmt, left, typ, inClass, p.assignedHint(i))
	} else {
		p.as(artifact.RoleWrite, left)
		p.fields(left, p.assignedHint(i))
	}
	p.as(artifact.RoleType, typ)
	if right != none {
		if left != none && p.kind(left) == pyIdentifier && string(p.text(left)) == "__all__" && p.callables == 0 {
			p.exportList(right)
		}
		if p.kind(right) == pyAssignment { // a = b = c
			p.assignment(right, right)
		} else {
			p.as(artifact.RoleRead, right)
		}
	}
	if opened {
		p.end()
	}
}

// declareTargets declares the plain names of an assignment's target and
// visits the rest. It reports whether it left a declaration open.
func (p *pyExtractor) declareTargets(stmt, left, typ int32, inClass bool, hint string) bool {
	if p.kind(left) == pyIdentifier {
		if !p.once(left) {
			p.use(artifact.RoleWrite, left)
			p.again(left, hint)
			return false
		}
		d := p.begin(p.variableKind(left, typ, inClass), stmt, left)
		p.exported(d)
		p.hintFor(d, hint)
		return true
	}
	var names []int32
	for k := left; k < p.nodes[left].next; k++ {
		switch p.kind(k) {
		case pyAttribute, pySubscript, pyCall:
			p.as(artifact.RoleWrite, k)
			k = p.nodes[k].next - 1
		case pyIdentifier:
			names = append(names, k)
		}
	}
	for n, k := range names {
		if !p.once(k) {
			p.use(artifact.RoleWrite, k)
			p.again(k, elementHint(hint, n))
			continue
		}
		from, to := k, k
		if n == 0 {
			from = stmt
		}
		if n == len(names)-1 {
			to = stmt
		}
		d := p.leafSpan(p.variableKind(k, typ, inClass), from, to, k)
		p.exported(d)
		p.hintFor(d, elementHint(hint, n))
	}
	return false
}

func (p *pyExtractor) variableKind(name, typ int32, inClass bool) artifact.Kind {
	if inClass && p.parentDeclKind() == artifact.KindEnum && typ == none && p.text(name)[0] != '_' {
		return artifact.KindEnumMember
	}
	if isUpper(p.text(name)) {
		return artifact.KindConstant
	}
	if inClass {
		return artifact.KindField
	}
	if typ != none && bytes.HasSuffix(p.text(typ), []byte("TypeAlias")) {
		return artifact.KindType
	}
	return artifact.KindVariable
}

// isUpper reports whether a name is written as a constant is: with capital
// letters and without small ones.
func isUpper(name []byte) bool {
	upper := false
	for _, c := range name {
		if c >= 'a' && c <= 'z' || c >= 0x80 {
			return false
		}
		upper = upper || c >= 'A' && c <= 'Z'
	}
	return upper
}

// exportList adds the strings of "__all__ = [...]" as exports.
func (p *pyExtractor) exportList(i int32) {
	for k := i; k < p.nodes[i].next; k++ {
		if p.kind(k) == pyStringContent && isName(p.text(k)) {
			p.useMember(artifact.RoleExport, k, none)
		}
	}
}

// isName reports whether b is one plain name.
func isName(b []byte) bool {
	for i, c := range b {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c >= 0x80:
		case c >= '0' && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return len(b) > 0
}

func (p *pyExtractor) typeAlias(i int32) {
	left := p.child(i, fLeft)
	if left == none {
		p.children(i)
		return
	}
	name := none
	for k := left; k < p.nodes[left].next; k++ {
		if p.kind(k) == pyIdentifier {
			name = k
			break
		}
	}
	p.exported(p.begin(artifact.KindType, i, name))
	p.hintFor(int32(len(p.facts.Decls)-1), p.writtenHint(p.child(i, fRight)))
	p.pushScopeOf(i)
	if name != none {
		for k := name + 1; k < p.nodes[left].next; k++ {
			if p.kind(k) == pyIdentifier {
				p.bindAs(artifact.KindTypeParameter, k, "")
			}
		}
	}
	p.as(artifact.RoleType, p.child(i, fRight))
	p.popScope()
	p.end()
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

func (p *pyExtractor) lambda(i int32) {
	params := p.child(i, fParameters)
	if params != none {
		p.parameterUses(params)
	}
	p.enterOf(i)
	if params != none {
		p.bindParameters(params, "")
	}
	p.as(artifact.RoleRead, p.child(i, fBody))
	p.leave()
}

// comprehension visits "body for target in iterable": the targets are bound
// before the body, which stands first, is visited.
func (p *pyExtractor) comprehension(i int32) {
	saved := p.role
	p.role = artifact.RoleRead
	// The first iterable belongs to the scope around.
	first := none
	if c := p.childOf(i, pyForInClause); c != none {
		if first = p.child(c, fRight); first != none {
			p.visit(first)
		}
	}
	p.pushScopeOf(i)
	for c := p.first(i); c != none; c = p.after(c) {
		if p.kind(c) == pyForInClause {
			if l := p.child(c, fLeft); l != none {
				p.bindTarget(artifact.KindVariable, l, p.valueHint(p.child(c, fRight), "*"))
			}
		}
	}
	for c := p.first(i); c != none; c = p.after(c) {
		if p.kind(c) != pyForInClause {
			p.visit(c)
			continue
		}
		for k := p.first(c); k != none; k = p.after(k) {
			switch {
			case k == first:
			case p.nodes[k].field == fLeft:
				p.as(artifact.RoleWrite, k)
			default:
				p.visit(k)
			}
		}
	}
	p.role = saved
	p.popScope()
}

// importModules handles "import a.b, c as d".
func (p *pyExtractor) importModules(i int32) {
	for c := p.first(i); c != none; c = p.after(c) {
		name, alias := c, none
		if p.kind(c) == pyAliasedImport {
			name, alias = p.child(c, fName), p.child(c, fAlias)
		}
		if name == none || p.kind(name) != pyDottedName {
			continue
		}
		module := p.squeeze(name)
		local := module
		if alias != none {
			local = p.str(alias)
		} else if j := bytes.IndexByte([]byte(module), '.'); j >= 0 {
			local = module[:j]
		}
		p.addImport(name, module, "", local)
		p.dotted(artifact.RoleImport, name)
	}
}

// importFrom handles "from module import a, b as c"; a module of none stands
// for __future__.
func (p *pyExtractor) importFrom(i, module int32) {
	from := "__future__"
	if module != none {
		from = p.squeeze(module)
	}
	for c := p.first(i); c != none; c = p.after(c) {
		if c == module {
			continue
		}
		name, alias := c, none
		switch p.kind(c) {
		case pyWildcardImport:
			p.addImport(c, from, "*", "*")
			continue
		case pyAliasedImport:
			name, alias = p.child(c, fName), p.child(c, fAlias)
		case pyDottedName:
		default:
			continue
		}
		if name == none {
			continue
		}
		local := p.str(name)
		if alias != none {
			local = p.str(alias)
		}
		p.addImport(name, from, p.str(name), local)
		if module != none {
			p.useMember(artifact.RoleImport, name, none)
		}
	}
}

// squeeze returns the node's text without white space.
func (p *pyExtractor) squeeze(i int32) string {
	t := p.text(i)
	if bytes.ContainsAny(t, " \t\\\r\n") {
		return p.intern(bytes.Map(func(r rune) rune {
			switch r {
			case ' ', '\t', '\\', '\r', '\n':
				return -1
			}
			return r
		}, t))
	}
	return p.intern(t)
}
