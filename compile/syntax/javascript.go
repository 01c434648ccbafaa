package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

// One extractor serves JavaScript with JSX, TypeScript and TSX: their
// grammars extend each other.
const (
	jsProgram = kindFirst + iota
	jsIdentifier
	jsPropertyIdentifier
	jsPrivatePropertyIdentifier
	jsShorthandPropertyIdentifier
	jsShorthandPropertyIdentifierPattern
	jsComment
	jsString
	jsStringFragment
	jsImportStatement
	jsImportClause
	jsNamedImports
	jsImportSpecifier
	jsNamespaceImport
	jsImport
	jsExportStatement
	jsExportClause
	jsExportSpecifier
	jsNamespaceExport
	jsDefault
	jsFunctionDeclaration
	jsGeneratorFunctionDeclaration
	jsFunctionExpression
	jsGeneratorFunction
	jsArrowFunction
	jsClassDeclaration
	jsClass
	jsClassHeritage
	jsClassBody
	jsClassStaticBlock
	jsMethodDefinition
	jsFieldDefinition
	jsStatic
	jsGet
	jsSet
	jsDecorator
	jsLexicalDeclaration
	jsVariableDeclaration
	jsVariableDeclarator
	jsConst
	jsExpressionStatement
	jsAssignmentExpression
	jsAugmentedAssignmentExpression
	jsUpdateExpression
	jsCallExpression
	jsArguments
	jsNewExpression
	jsMemberExpression
	jsSubscriptExpression
	jsParenthesizedExpression
	jsAwaitExpression
	jsThis
	jsObject
	jsPair
	jsArrayPattern
	jsObjectPattern
	jsPairPattern
	jsAssignmentPattern
	jsObjectAssignmentPattern
	jsRestPattern
	jsFormalParameters
	jsStatementBlock
	jsForStatement
	jsForInStatement
	jsCatchClause
	jsSwitchBody
	jsJsxOpeningElement
	jsJsxSelfClosingElement
	jsJsxClosingElement
	jsJsxAttribute

	tsTypeIdentifier
	tsNonNullExpression
	tsRequiredParameter
	tsOptionalParameter
	tsAccessibilityModifier
	tsPublicFieldDefinition
	tsAbstractClassDeclaration
	tsInterfaceDeclaration
	tsTypeAliasDeclaration
	tsEnumDeclaration
	tsEnumAssignment
	tsInternalModule
	tsModule
	tsAmbientDeclaration
	tsFunctionSignature
	tsMethodSignature
	tsAbstractMethodSignature
	tsPropertySignature
	tsCallSignature
	tsConstructSignature
	tsIndexSignature
	tsFunctionType
	tsConstructorType
	tsExtendsClause
	tsExtendsTypeClause
	tsImplementsClause
	tsTypeParameters
	tsTypeParameter
	tsNestedTypeIdentifier
	tsNestedIdentifier
	tsGenericType
	tsTypeArguments
	tsTypePredicate
	tsAsserts
	tsTypeQuery
	tsInferType
	tsMappedTypeClause
	tsImportRequireClause
	tsImportAlias
	jsNumKinds
)

var jsKinds = [jsNumKinds]string{
	jsProgram: "program", jsIdentifier: "identifier", jsPropertyIdentifier: "property_identifier",
	jsPrivatePropertyIdentifier:          "private_property_identifier",
	jsShorthandPropertyIdentifier:        "shorthand_property_identifier",
	jsShorthandPropertyIdentifierPattern: "shorthand_property_identifier_pattern",
	jsComment:                            "comment", jsString: "string", jsStringFragment: "string_fragment",
	jsImportStatement: "import_statement", jsImportClause: "import_clause", jsNamedImports: "named_imports",
	jsImportSpecifier: "import_specifier", jsNamespaceImport: "namespace_import", jsImport: "import",
	jsExportStatement: "export_statement", jsExportClause: "export_clause",
	jsExportSpecifier: "export_specifier", jsNamespaceExport: "namespace_export", jsDefault: "'default",
	jsFunctionDeclaration:          "function_declaration",
	jsGeneratorFunctionDeclaration: "generator_function_declaration",
	jsFunctionExpression:           "function_expression", jsGeneratorFunction: "generator_function",
	jsArrowFunction: "arrow_function", jsClassDeclaration: "class_declaration", jsClass: "class",
	jsClassHeritage: "class_heritage", jsClassBody: "class_body", jsClassStaticBlock: "class_static_block",
	jsMethodDefinition: "method_definition", jsFieldDefinition: "?field_definition", jsStatic: "'static",
	jsGet: "'get", jsSet: "'set", jsDecorator: "decorator", jsLexicalDeclaration: "lexical_declaration",
	jsVariableDeclaration: "variable_declaration", jsVariableDeclarator: "variable_declarator",
	jsConst: "'const", jsExpressionStatement: "expression_statement",
	jsAssignmentExpression:          "assignment_expression",
	jsAugmentedAssignmentExpression: "augmented_assignment_expression",
	jsUpdateExpression:              "update_expression", jsCallExpression: "call_expression",
	jsArguments: "arguments", jsNewExpression: "new_expression", jsMemberExpression: "member_expression",
	jsSubscriptExpression: "subscript_expression", jsParenthesizedExpression: "parenthesized_expression",
	jsAwaitExpression: "await_expression",
	jsThis:            "this", jsObject: "object", jsPair: "pair", jsArrayPattern: "array_pattern",
	jsObjectPattern: "object_pattern", jsPairPattern: "pair_pattern", jsAssignmentPattern: "assignment_pattern",
	jsObjectAssignmentPattern: "object_assignment_pattern", jsRestPattern: "rest_pattern",
	jsFormalParameters: "formal_parameters", jsStatementBlock: "statement_block",
	jsForStatement: "for_statement", jsForInStatement: "for_in_statement", jsCatchClause: "catch_clause",
	jsSwitchBody: "switch_body", jsJsxOpeningElement: "?jsx_opening_element",
	jsJsxSelfClosingElement: "?jsx_self_closing_element", jsJsxClosingElement: "?jsx_closing_element",
	jsJsxAttribute: "?jsx_attribute",

	tsTypeIdentifier: "?type_identifier", tsNonNullExpression: "?non_null_expression",
	tsRequiredParameter: "?required_parameter",
	tsOptionalParameter: "?optional_parameter", tsAccessibilityModifier: "?accessibility_modifier",
	tsPublicFieldDefinition:    "?public_field_definition",
	tsAbstractClassDeclaration: "?abstract_class_declaration",
	tsInterfaceDeclaration:     "?interface_declaration", tsTypeAliasDeclaration: "?type_alias_declaration",
	tsEnumDeclaration: "?enum_declaration", tsEnumAssignment: "?enum_assignment",
	tsInternalModule: "?internal_module", tsModule: "?module", tsAmbientDeclaration: "?ambient_declaration",
	tsFunctionSignature: "?function_signature", tsMethodSignature: "?method_signature",
	tsAbstractMethodSignature: "?abstract_method_signature", tsPropertySignature: "?property_signature",
	tsCallSignature: "?call_signature", tsConstructSignature: "?construct_signature",
	tsIndexSignature: "?index_signature", tsFunctionType: "?function_type",
	tsConstructorType: "?constructor_type", tsExtendsClause: "?extends_clause",
	tsExtendsTypeClause: "?extends_type_clause", tsImplementsClause: "?implements_clause",
	tsTypeParameters: "?type_parameters", tsTypeParameter: "?type_parameter",
	tsNestedTypeIdentifier: "?nested_type_identifier", tsNestedIdentifier: "?nested_identifier",
	tsGenericType: "?generic_type", tsTypeArguments: "?type_arguments", tsTypePredicate: "?type_predicate",
	tsAsserts: "?asserts", tsTypeQuery: "?type_query", tsInferType: "?infer_type",
	tsMappedTypeClause: "?mapped_type_clause", tsImportRequireClause: "?import_require_clause",
	tsImportAlias: "?import_alias",
}

// jsUniverse holds globals that nearly every file uses and hardly any
// declares; their members are occurrences all the same.
var jsUniverse = [...]string{
	"arguments", "undefined", "NaN", "Infinity", "console", "Math", "JSON",
	"Object", "Array", "Number", "String", "Boolean",
}

type jsExtractor struct {
	*extraction
	role      artifact.Role // of a type's name at the current place
	exporting bool          // the next declaration stands in an export statement
}

func extractJS(x *extraction) {
	j := &jsExtractor{extraction: x, role: artifact.RoleType}
	j.children(0)
	// "export { a }" may follow a's declaration; then members are exported
	// where their parents are.
	j.markExports()
	for i := range x.facts.Decls {
		d := &x.facts.Decls[i]
		if d.Parent >= 0 && x.facts.Decls[d.Parent].Flags&artifact.SymbolExported == 0 {
			d.Flags &^= artifact.SymbolExported
		}
	}
}

func (j *jsExtractor) children(i int32) {
	end := j.nodes[i].next
	for c := i + 1; c < end; c = j.nodes[c].next {
		j.visit(c)
	}
}

func (j *jsExtractor) opt(i int32) {
	if i != none {
		j.visit(i)
	}
}

func (j *jsExtractor) typeAs(role artifact.Role, i int32) {
	if i == none {
		return
	}
	saved := j.role
	j.role = role
	j.visit(i)
	j.role = saved
}

// rest visits the children of i except two, which may be none.
func (j *jsExtractor) rest(i, a, b int32) {
	for c := j.first(i); c != none; c = j.after(c) {
		if c != a && c != b {
			j.visit(c)
		}
	}
}

func (j *jsExtractor) visit(i int32) {
	switch j.kind(i) {
	case jsIdentifier, jsShorthandPropertyIdentifier:
		j.use(artifact.RoleRead, i)
	case tsTypeIdentifier:
		j.use(j.role, i)
	case jsComment:
		j.comment(i)
	case jsDecorator:
		j.decorator(i)
	case jsImportStatement:
		j.importStatement(i)
	case tsImportAlias:
		j.importAlias(i)
	case jsExportStatement:
		j.export(i)
	case jsFunctionDeclaration, jsGeneratorFunctionDeclaration, tsFunctionSignature:
		j.function(artifact.KindFunction, i, i, j.child(i, fName))
	case jsFunctionExpression, jsGeneratorFunction, jsArrowFunction:
		j.code(i)
	case jsClassDeclaration, tsAbstractClassDeclaration:
		j.class(i, i, j.child(i, fName))
	case jsClass:
		j.enter()
		j.open = append(j.open, none)
		j.classParts(i)
		j.end()
		j.leave()
	case jsMethodDefinition, tsMethodSignature, tsAbstractMethodSignature:
		j.method(i)
	case jsFieldDefinition, tsPublicFieldDefinition, tsPropertySignature:
		j.field(i)
	case jsClassStaticBlock:
		j.enter()
		j.children(i)
		j.leave()
	case tsInterfaceDeclaration, tsTypeAliasDeclaration:
		j.typeDeclaration(i)
	case tsEnumDeclaration:
		j.enum(i)
	case tsInternalModule, tsModule:
		j.namespace(i)
	case tsAmbientDeclaration:
		j.ambient(i)
	case jsLexicalDeclaration, jsVariableDeclaration:
		j.variables(i, i)
	case jsExpressionStatement:
		if c := j.first(i); c != none && j.kind(c) == jsAssignmentExpression {
			j.assignment(i, c)
		} else {
			j.children(i)
		}
	case jsAssignmentExpression:
		j.assignment(i, i)
	case jsAugmentedAssignmentExpression:
		j.target(j.child(i, fLeft))
		j.opt(j.child(i, fRight))
	case jsUpdateExpression:
		j.target(j.child(i, fArgument))
	case jsCallExpression:
		j.call(i)
	case jsNewExpression:
		j.creation(i)
	case jsMemberExpression:
		j.member(artifact.RoleRead, i)
	case jsPair:
		if k := j.child(i, fKey); k != none && j.first(k) != none && j.kind(k) != jsString {
			j.visit(k) // computed
		}
		j.opt(j.child(i, fValue))
	case jsStatementBlock, jsForStatement, jsSwitchBody:
		j.pushScope()
		j.children(i)
		j.popScope()
	case jsForInStatement:
		j.pushScope()
		j.opt(j.child(i, fRight))
		if left := j.child(i, fLeft); left != none {
			if j.child(i, fKind) != none || j.has(i, jsConst) {
				j.bindPattern(left)
			} else {
				j.target(left)
			}
		}
		j.opt(j.child(i, fBody))
		j.popScope()
	case jsCatchClause:
		j.pushScope()
		if p := j.child(i, fParameter); p != none {
			j.bindPattern(p)
		}
		j.opt(j.child(i, fBody))
		j.popScope()
	case jsJsxOpeningElement, jsJsxSelfClosingElement:
		j.element(i)
	case jsJsxClosingElement:
	case tsRequiredParameter, tsOptionalParameter, jsFormalParameters:
		// Of a signature: only the types are used.
		for c := j.first(i); c != none; c = j.after(c) {
			switch j.nodes[c].field {
			case fPattern, fName:
			default:
				j.visit(c)
			}
		}
	case tsCallSignature, tsConstructSignature, tsFunctionType, tsConstructorType:
		j.pushScope()
		j.children(i)
		j.popScope()
	case tsIndexSignature:
		j.rest(i, j.child(i, fName), none)
	case tsExtendsClause:
		for c := j.first(i); c != none; c = j.after(c) {
			if j.nodes[c].field == fValue {
				j.expressionAs(artifact.RoleInherit, c)
			} else {
				j.visit(c)
			}
		}
	case tsExtendsTypeClause:
		for c := j.first(i); c != none; c = j.after(c) {
			j.typeAs(artifact.RoleInherit, c)
		}
	case tsImplementsClause:
		for c := j.first(i); c != none; c = j.after(c) {
			j.typeAs(artifact.RoleImplement, c)
		}
	case tsTypeParameters:
		j.typeParameters(i)
	case tsNestedTypeIdentifier:
		if n := j.child(i, fName); n != none {
			j.useMember(j.role, n, j.child(i, fModule))
		}
	case tsGenericType:
		j.opt(j.child(i, fName))
		j.typeAs(artifact.RoleType, j.child(i, fTypeArguments))
	case tsTypePredicate:
		j.opt(j.child(i, fType))
	case tsAsserts:
		for c := j.first(i); c != none; c = j.after(c) {
			if j.kind(c) != jsIdentifier {
				j.visit(c)
			}
		}
	case tsInferType:
		for c := j.first(i); c != none; c = j.after(c) {
			if j.kind(c) == tsTypeIdentifier {
				j.bind(c)
			} else {
				j.visit(c)
			}
		}
	case tsMappedTypeClause:
		if n := j.child(i, fName); n != none {
			j.bind(n)
		}
		j.rest(i, j.child(i, fName), none)
	default:
		j.children(i)
	}
}

// exported flags a declaration: at file level when it stands in an export
// statement; a member unless it is private.
func (j *jsExtractor) exported(d, i int32) {
	exporting := j.exporting
	j.exporting = false
	if d < 0 {
		return
	}
	decl := &j.facts.Decls[d]
	if decl.Flags&artifact.SymbolLocal != 0 {
		return
	}
	if k := j.parentKindOf(decl); k != artifact.KindUnknown && k != artifact.KindNamespace && k != artifact.KindModule {
		exporting = decl.Name[0] != '#'
		if m := j.childOf(i, tsAccessibilityModifier); m != none && string(j.text(m)) != "public" {
			exporting = false
		}
	}
	if exporting {
		decl.Flags |= artifact.SymbolExported
	}
}

// parentKindOf returns the kind of a declaration's parent, KindUnknown at
// file level.
func (j *jsExtractor) parentKindOf(d *Decl) artifact.Kind {
	if d.Parent < 0 {
		return artifact.KindUnknown
	}
	return j.facts.Decls[d.Parent].Kind
}

// isFunction reports whether an expression is a function.
func (j *jsExtractor) isFunction(i int32) bool {
	if i == none {
		return false
	}
	switch j.kind(i) {
	case jsFunctionExpression, jsGeneratorFunction, jsArrowFunction:
		return true
	}
	return false
}

// body returns the body of a function, class or interface.
func (j *jsExtractor) body(i int32) int32 { return j.child(i, fBody) }

// function declares a function whose code is node i.
func (j *jsExtractor) function(kind artifact.Kind, outer, i, name int32) {
	d := j.begin(kind, outer, name)
	j.exported(d, i)
	j.finishFunction(d, outer, i)
	j.end()
}

// finishFunction sets the signature of a function's declaration and visits
// its code.
func (j *jsExtractor) finishFunction(d, from, i int32) {
	body := j.body(i)
	j.signature(d, from, body)
	if body == none {
		j.flag(d, artifact.SymbolForward)
	}
	j.code(i)
}

// code visits the parameters and the body of a function.
func (j *jsExtractor) code(i int32) {
	body := j.body(i)
	j.enter()
	if j.kind(i) == jsFunctionExpression || j.kind(i) == jsGeneratorFunction {
		if n := j.child(i, fName); n != none {
			j.bind(n)
		}
	}
	if tp := j.child(i, fTypeParameters); tp != none {
		j.typeParameters(tp)
	}
	if p := j.child(i, fParameter); p != none { // x => …
		j.bind(p)
	}
	if ps := j.child(i, fParameters); ps != none {
		j.parameters(ps)
	}
	j.opt(j.child(i, fReturnType))
	if body != none && j.kind(body) == jsStatementBlock {
		j.children(body)
	} else {
		j.opt(body)
	}
	j.leave()
}

func (j *jsExtractor) parameters(ps int32) {
	for c := j.first(ps); c != none; c = j.after(c) {
		switch j.kind(c) {
		case tsRequiredParameter, tsOptionalParameter:
			pattern := j.child(c, fPattern)
			if pattern == none {
				pattern = j.child(c, fName)
			}
			j.rest(c, pattern, none)
			if pattern != none {
				j.bindPattern(pattern)
			}
		case jsComment, jsDecorator:
			j.visit(c)
		default:
			j.bindPattern(c)
		}
	}
}

// bindPattern binds the names of a pattern and visits its defaults.
func (j *jsExtractor) bindPattern(i int32) {
	switch j.kind(i) {
	case jsIdentifier, jsShorthandPropertyIdentifierPattern:
		j.bind(i)
	case jsAssignmentPattern, jsObjectAssignmentPattern:
		j.opt(j.child(i, fRight))
		if l := j.child(i, fLeft); l != none {
			j.bindPattern(l)
		}
	case jsPairPattern:
		if k := j.child(i, fKey); k != none && j.kind(k) != jsPropertyIdentifier && j.kind(k) != jsString {
			j.visit(k)
		}
		if v := j.child(i, fValue); v != none {
			j.bindPattern(v)
		}
	case jsArrayPattern, jsObjectPattern, jsRestPattern:
		for c := j.first(i); c != none; c = j.after(c) {
			j.bindPattern(c)
		}
	case jsThis:
	default:
		j.visit(i)
	}
}

func (j *jsExtractor) class(outer, i, name int32) {
	d := j.begin(artifact.KindClass, outer, name)
	j.exported(d, i)
	from := outer
	for c := j.first(outer); c != none && j.kind(c) == jsDecorator; c = j.after(c) {
		if n := j.after(c); n != none {
			from = n // the signature begins behind the decorators
		}
	}
	if from != outer && d >= 0 {
		j.signature(d, from, j.body(i))
		// The keyword "class" or "export" is no node that is kept.
		decl := &j.facts.Decls[d]
		decl.SigStart = j.decoratorsEnd(outer)
	} else {
		j.signature(d, from, j.body(i))
	}
	j.classParts(i)
	j.end()
}

// decoratorsEnd returns where the text behind the leading decorators begins.
func (j *jsExtractor) decoratorsEnd(i int32) uint32 {
	at := j.nodes[i].start
	for c := j.first(i); c != none && j.kind(c) == jsDecorator; c = j.after(c) {
		at = j.nodes[c].end
	}
	for at < j.nodes[i].end && (j.src[at] == ' ' || j.src[at] == '\t' || j.src[at] == '\r' || j.src[at] == '\n') {
		at++
	}
	return at
}

// classParts visits what a class extends and holds.
func (j *jsExtractor) classParts(i int32) {
	j.pushScope()
	name, body := j.child(i, fName), j.body(i)
	for c := j.first(i); c != none; c = j.after(c) {
		switch {
		case c == name || c == body:
		case j.kind(c) == jsClassHeritage:
			for h := j.first(c); h != none; h = j.after(h) {
				switch j.kind(h) {
				case tsExtendsClause, tsImplementsClause:
					j.visit(h)
				default:
					j.expressionAs(artifact.RoleInherit, h)
				}
			}
		default:
			j.visit(c)
		}
	}
	if body != none {
		for c := j.first(body); c != none; c = j.after(c) {
			if j.kind(c) == jsDecorator {
				j.attribute(c)
			}
			j.visit(c)
		}
	}
	j.popScope()
}

// expressionAs visits an expression whose own name is used in the role.
func (j *jsExtractor) expressionAs(role artifact.Role, i int32) {
	switch {
	case i == none:
	case j.kind(i) == jsIdentifier:
		j.use(role, i)
	case j.kind(i) == jsMemberExpression:
		j.member(role, i)
	case j.kind(i) == jsAwaitExpression, j.kind(i) == tsNonNullExpression:
		// "await f<T>()" parses as a call of "await f".
		j.expressionAs(role, j.first(i))
	default:
		j.visit(i)
	}
}

// memberName returns the text of a property's name without quotes, and where
// it stands; "" for a computed one.
func (j *jsExtractor) memberName(i int32) (string, uint32) {
	if i == none {
		return "", 0
	}
	switch j.kind(i) {
	case jsPropertyIdentifier, jsPrivatePropertyIdentifier, jsIdentifier:
		return j.str(i), j.nodes[i].start
	case jsString:
		if f := j.childOf(i, jsStringFragment); f != none {
			return j.str(f), j.nodes[f].start
		}
	}
	return "", 0
}

// declaresMembers reports whether the innermost declaration is one whose
// members are declarations.
func (j *jsExtractor) declaresMembers() bool {
	switch j.parentDeclKind() {
	case artifact.KindClass, artifact.KindInterface, artifact.KindType, artifact.KindObject, artifact.KindField:
		return true
	}
	return false
}

// method handles a method of a class, an interface or an object literal.
func (j *jsExtractor) method(i int32) {
	nameNode := j.child(i, fName)
	declares := j.declaresMembers() && (j.parentKind(i) != jsObject || j.parentDeclKind() == artifact.KindObject)
	if declares {
		if n := len(j.open); n > 0 && j.open[n-1] == none {
			declares = j.parentKind(i) == jsClassBody // a class expression
		}
	}
	name, at := j.memberName(nameNode)
	kind := artifact.KindMethod
	switch {
	case name == "constructor" && j.parentKind(i) == jsClassBody:
		kind = artifact.KindConstructor
	case j.has(i, jsGet) || j.has(i, jsSet):
		kind = artifact.KindProperty
	}
	if nameNode != none && name == "" {
		j.visit(nameNode)
	}
	if !declares {
		j.code(i)
		return
	}
	d := j.beginNamed(kind, i, i, name, at)
	if kind == artifact.KindProperty && d >= 0 {
		j.facts.Decls[d].Descriptor = Descriptor(artifact.KindMethod, name)
	}
	j.exported(d, i)
	if j.has(i, jsStatic) {
		j.flag(d, artifact.SymbolStatic)
	}
	j.finishFunction(d, i, i)
	j.end()
}

func (j *jsExtractor) field(i int32) {
	nameNode, value := j.child(i, fName), j.child(i, fValue)
	if nameNode == none {
		nameNode = j.child(i, fProperty)
	}
	if !j.declaresMembers() {
		j.rest(i, nameNode, none)
		return
	}
	name, at := j.memberName(nameNode)
	kind := artifact.KindField
	if j.isFunction(value) {
		kind = artifact.KindMethod
	}
	d := j.beginNamed(kind, i, i, name, at)
	j.exported(d, i)
	if j.has(i, jsStatic) {
		j.flag(d, artifact.SymbolStatic)
	}
	for c := j.first(i); c != none; c = j.after(c) {
		switch {
		case c == nameNode:
			if name == "" {
				j.visit(c)
			}
		case c == value && kind == artifact.KindMethod:
			j.finishFunction(d, i, c)
		default:
			j.visit(c)
		}
	}
	j.end()
}

func (j *jsExtractor) typeDeclaration(i int32) {
	kind := artifact.KindInterface
	body := j.body(i)
	if j.kind(i) == tsTypeAliasDeclaration {
		kind = artifact.KindType
	}
	name := j.child(i, fName)
	d := j.begin(kind, i, name)
	j.exported(d, i)
	j.signature(d, i, body)
	j.pushScope()
	if tp := j.child(i, fTypeParameters); tp != none {
		j.typeParameters(tp)
	}
	for c := j.first(i); c != none; c = j.after(c) {
		if c != name && j.nodes[c].field != fTypeParameters {
			j.visit(c)
		}
	}
	j.popScope()
	j.end()
}

func (j *jsExtractor) enum(i int32) {
	name, body := j.child(i, fName), j.body(i)
	d := j.begin(artifact.KindEnum, i, name)
	j.exported(d, i)
	j.signature(d, i, body)
	if body != none {
		for c := j.first(body); c != none; c = j.after(c) {
			n := c
			if j.kind(c) == tsEnumAssignment {
				n = j.child(c, fName)
			} else if j.nodes[c].field != fName {
				j.visit(c)
				continue
			}
			text, at := j.memberName(n)
			m := j.beginNamed(artifact.KindEnumMember, c, c, text, at)
			j.exported(m, c)
			if j.kind(c) == tsEnumAssignment {
				j.opt(j.child(c, fValue))
			}
			j.end()
		}
	}
	j.end()
}

// namespace handles "namespace a.b {}" and "module 'name' {}".
func (j *jsExtractor) namespace(i int32) {
	name, body := j.child(i, fName), j.body(i)
	var d int32
	if name != none && j.kind(name) == jsString {
		text, at := j.memberName(name)
		d = j.beginNamed(artifact.KindModule, i, i, text, at)
		j.exporting = false
		j.flag(d, artifact.SymbolExported)
	} else {
		var outer [][]byte
		text, at := []byte(nil), uint32(0)
		if name != none {
			parts := bytes.Split(j.text(name), []byte("."))
			text, outer = parts[len(parts)-1], parts[:len(parts)-1]
			at = j.nodes[name].end - uint32(len(text))
		}
		d = j.beginNamed(artifact.KindNamespace, i, i, j.intern(bytes.TrimSpace(text)), at)
		for _, o := range outer {
			j.own(d, artifact.KindNamespace, j.intern(bytes.TrimSpace(o)))
		}
		j.exported(d, i)
	}
	j.signature(d, i, body)
	if body != none {
		j.children(body)
	}
	j.end()
}

// ambient visits "declare …": what is declared has no body here.
func (j *jsExtractor) ambient(i int32) {
	from := len(j.facts.Decls)
	j.children(i)
	for k := from; k < len(j.facts.Decls); k++ {
		d := &j.facts.Decls[k]
		if k == from {
			d.Start = min(d.Start, j.nodes[i].start)
			d.SigStart = min(d.SigStart, j.nodes[i].start)
		}
		switch d.Kind {
		case artifact.KindFunction, artifact.KindMethod, artifact.KindVariable, artifact.KindConstant:
			d.Flags |= artifact.SymbolForward
		}
	}
}

func (j *jsExtractor) typeParameters(i int32) {
	for c := j.first(i); c != none; c = j.after(c) {
		if n := j.child(c, fName); n != none && j.kind(c) == tsTypeParameter {
			j.bind(n)
		}
	}
	for c := j.first(i); c != none; c = j.after(c) {
		if j.kind(c) == tsTypeParameter {
			j.rest(c, j.child(c, fName), none)
		}
	}
}

// variables handles const, let and var. outer is the export statement around
// it, or itself.
func (j *jsExtractor) variables(outer, i int32) {
	exporting := j.exporting
	j.exporting = false
	first, last := none, none
	for c := j.first(i); c != none; c = j.after(c) {
		if j.kind(c) == jsVariableDeclarator {
			if first == none {
				first = c
			}
			last = c
		}
	}
	isConst := j.has(i, jsConst)
	for c := j.first(i); c != none; c = j.after(c) {
		if j.kind(c) != jsVariableDeclarator {
			if j.kind(c) == jsComment {
				j.visit(c)
			}
			continue
		}
		from, to := c, c
		if c == first {
			from = outer
		}
		if c == last {
			to = outer
		}
		j.exporting = exporting
		j.variable(from, to, c, isConst)
	}
	j.exporting = false
}

func (j *jsExtractor) variable(from, to, i int32, isConst bool) {
	name, value := j.child(i, fName), j.child(i, fValue)
	if name == none {
		j.children(i)
		return
	}
	if value != none && j.required(name, value) {
		return
	}
	local := j.callables > 0 || len(j.marks) > 0 && j.parent() < 0
	if j.kind(name) != jsIdentifier {
		j.opt(j.child(i, fType))
		j.opt(value)
		if local {
			j.bindPattern(name)
		} else {
			j.declarePattern(from, to, name)
		}
		return
	}
	unwrapped := value
	for unwrapped != none && j.kind(unwrapped) == jsParenthesizedExpression {
		unwrapped = j.first(unwrapped)
	}
	switch {
	case j.isFunction(unwrapped):
		d := j.beginSpan(artifact.KindFunction, from, to, name)
		j.exported(d, i)
		j.opt(j.child(i, fType))
		j.finishFunction(d, from, unwrapped)
		j.end()
	case unwrapped != none && j.kind(unwrapped) == jsClass:
		d := j.beginSpan(artifact.KindClass, from, to, name)
		j.exported(d, i)
		j.signature(d, from, j.body(unwrapped))
		j.classParts(unwrapped)
		j.end()
	case local:
		j.opt(j.child(i, fType))
		j.opt(value)
		j.bind(name)
	case j.holdsFunctions(unwrapped, maxObjects):
		d := j.beginSpan(artifact.KindObject, from, to, name)
		j.exported(d, i)
		j.signature(d, from, unwrapped)
		j.opt(j.child(i, fType))
		j.members(unwrapped)
		j.end()
	default:
		kind := artifact.KindVariable
		if isConst && isUpper(j.text(name)) {
			kind = artifact.KindConstant
		}
		d := j.beginSpan(kind, from, to, name)
		j.exported(d, i)
		j.opt(j.child(i, fType))
		j.opt(value)
		j.end()
	}
}

// declarePattern declares the names of a destructuring pattern at file level.
func (j *jsExtractor) declarePattern(from, to, pattern int32) {
	var names []int32
	for k := pattern + 1; k < j.nodes[pattern].next; k++ {
		switch j.kind(k) {
		case jsShorthandPropertyIdentifierPattern:
			names = append(names, k)
		case jsIdentifier:
			names = append(names, k)
		case jsAssignmentPattern, jsObjectAssignmentPattern:
			if r := j.child(k, fRight); r != none {
				j.visit(r)
				if l := j.child(k, fLeft); l != none && (j.kind(l) == jsIdentifier || j.kind(l) == jsShorthandPropertyIdentifierPattern) {
					names = append(names, l)
				}
				k = j.nodes[k].next - 1
			}
		}
	}
	exporting := j.exporting
	for n, k := range names {
		start, end := k, k
		if n == 0 {
			start = from
		}
		if n == len(names)-1 {
			end = to
		}
		d := j.leafSpan(artifact.KindVariable, start, end, k)
		j.exporting = exporting
		j.exported(d, k)
	}
}

// required handles "x = require('y')" and "{a, b: c} = require('y')" as the
// imports that they are, and reports whether it was one.
func (j *jsExtractor) required(name, value int32) bool {
	member := none
	if j.kind(value) == jsMemberExpression {
		member = j.child(value, fProperty)
		value = j.child(value, fObject)
	}
	if value == none || j.kind(value) != jsCallExpression {
		return false
	}
	fn := j.child(value, fFunction)
	if fn == none || j.kind(fn) != jsIdentifier || string(j.text(fn)) != "require" || j.isLocal(fn) {
		return false
	}
	module, ok := j.moduleArgument(value)
	if !ok {
		return false
	}
	switch j.kind(name) {
	case jsIdentifier:
		if member != none {
			j.addImport(name, module, j.str(member), j.str(name))
		} else {
			j.addImport(name, module, "", j.str(name))
		}
		j.useMember(artifact.RoleImport, name, none)
	case jsObjectPattern:
		for c := j.first(name); c != none; c = j.after(c) {
			switch j.kind(c) {
			case jsShorthandPropertyIdentifierPattern:
				j.addImport(c, module, j.str(c), j.str(c))
				j.useMember(artifact.RoleImport, c, none)
			case jsPairPattern:
				k, v := j.child(c, fKey), j.child(c, fValue)
				if k != none && v != none && j.kind(v) == jsIdentifier && j.kind(k) == jsPropertyIdentifier {
					j.addImport(k, module, j.str(k), j.str(v))
					j.useMember(artifact.RoleImport, k, none)
				}
			}
		}
	default:
		return false
	}
	return true
}

// moduleArgument returns the string that is a call's only argument.
func (j *jsExtractor) moduleArgument(call int32) (string, bool) {
	args := j.child(call, fArguments)
	if args == none {
		return "", false
	}
	s := j.childOf(args, jsString)
	if s == none || j.first(args) != s {
		return "", false
	}
	f := j.childOf(s, jsStringFragment)
	if f == none {
		return "", false
	}
	return j.str(f), true
}

// maxObjects is how deep object literals in object literals are searched for
// functions.
const maxObjects = 8

// holdsFunctions reports whether an object literal has functions among its
// members, or among theirs.
func (j *jsExtractor) holdsFunctions(i int32, depth int) bool {
	if i == none || j.kind(i) != jsObject || depth == 0 {
		return false
	}
	for c := j.first(i); c != none; c = j.after(c) {
		switch j.kind(c) {
		case jsMethodDefinition:
			return true
		case jsPair:
			if v := j.child(c, fValue); j.isFunction(v) || j.holdsFunctions(v, depth-1) {
				return true
			}
		}
	}
	return false
}

// members declares the functions in an object literal and visits the rest.
func (j *jsExtractor) members(i int32) {
	for c := j.first(i); c != none; c = j.after(c) {
		if j.kind(c) != jsPair {
			j.visit(c)
			continue
		}
		key, value := j.child(c, fKey), j.child(c, fValue)
		name, at := j.memberName(key)
		switch {
		case name == "":
			j.visit(c)
		case j.isFunction(value):
			d := j.beginNamed(artifact.KindMethod, c, c, name, at)
			j.exported(d, c)
			j.finishFunction(d, c, value)
			j.end()
		case j.holdsFunctions(value, maxObjects):
			d := j.beginNamed(artifact.KindObject, c, c, name, at)
			j.exported(d, c)
			j.signature(d, c, value)
			j.members(value)
			j.end()
		default:
			j.opt(value)
		}
	}
}

// assignment handles "left = right"; functions that are assigned to members
// are declarations.
func (j *jsExtractor) assignment(stmt, i int32) {
	left, right := j.child(i, fLeft), j.child(i, fRight)
	if left != none && j.kind(left) == jsMemberExpression && right != none && j.assignMember(stmt, left, right) {
		return
	}
	if left != none {
		j.target(left)
	}
	j.opt(right)
}

// assignMember handles the assignment to a member that is a declaration or an
// export, and reports whether it was one.
func (j *jsExtractor) assignMember(stmt, left, right int32) bool {
	object, property := j.child(left, fObject), j.child(left, fProperty)
	if object == none || property == none || j.kind(property) != jsPropertyIdentifier {
		return false
	}
	path := j.text(object)
	isExports := string(path) == "exports" || string(path) == "module.exports"
	if string(path) == "module" && string(j.text(property)) == "exports" {
		return j.assignExports(stmt, property, right)
	}
	isFunction := j.isFunction(right)
	isClass := j.kind(right) == jsClass
	if isExports {
		j.exporting = true
		switch {
		case isFunction:
			j.function(artifact.KindFunction, stmt, right, property)
		case isClass:
			d := j.begin(artifact.KindClass, stmt, property)
			j.exported(d, right)
			j.signature(d, stmt, j.body(right))
			j.classParts(right)
			j.end()
		case j.kind(right) == jsIdentifier && string(j.text(right)) == string(j.text(property)):
			j.exporting = false
			j.useMember(artifact.RoleExport, property, none)
			j.exportLater(j.name(right))
		case j.callables == 0 && j.once(property):
			d := j.begin(artifact.KindVariable, stmt, property)
			j.exported(d, right)
			j.visit(right)
			j.end()
		default:
			j.exporting = false
			return false
		}
		return true
	}
	if !isFunction && !isClass && !(bytes.HasSuffix(path, []byte(".prototype")) || string(j.text(property)) == "prototype") {
		return false
	}
	owner := bytes.TrimSuffix(path, []byte(".prototype"))
	prototype := len(owner) != len(path)
	if string(j.text(property)) == "prototype" {
		if j.kind(right) != jsObject || !isName(path) {
			return false
		}
		// Foo.prototype = { bar: function() {} }
		from := len(j.facts.Decls)
		j.open = append(j.open, none)
		j.members(right)
		j.end()
		for k := from; k < len(j.facts.Decls); k++ {
			if d := &j.facts.Decls[k]; d.Kind == artifact.KindMethod && d.Parent == j.parent() {
				j.own(int32(k), artifact.KindClass, j.intern(path))
			}
		}
		return true
	}
	if !isName(owner) || string(owner) == "this" || string(owner) == "self" {
		return false
	}
	if !isFunction && !isClass {
		return false
	}
	if !prototype && j.bound[j.nameOf(owner)] > 0 {
		return false // a local object's member
	}
	kind := artifact.KindMethod
	if isClass {
		kind = artifact.KindClass
	}
	d := j.begin(kind, stmt, property)
	j.own(d, artifact.KindClass, j.intern(owner))
	if !prototype {
		j.flag(d, artifact.SymbolStatic)
	}
	j.use(artifact.RoleRead, firstName(j.extraction, object))
	if isFunction {
		j.finishFunction(d, stmt, right)
	} else {
		j.signature(d, stmt, j.body(right))
		j.classParts(right)
	}
	j.end()
	return true
}

// firstName returns the leftmost name of a member expression.
func firstName(x *extraction, i int32) int32 {
	for {
		c := x.first(i)
		if c == none {
			return i
		}
		i = c
	}
}

// assignExports handles "module.exports = right".
func (j *jsExtractor) assignExports(stmt, property, right int32) bool {
	switch {
	case j.isFunction(right) || j.kind(right) == jsClass:
		name := j.child(right, fName)
		if name == none {
			name = property
		}
		j.exporting = true
		if j.kind(right) == jsClass {
			j.class(stmt, right, name)
		} else {
			j.function(artifact.KindFunction, stmt, right, name)
		}
	case j.kind(right) == jsIdentifier:
		j.useMember(artifact.RoleExport, right, none)
		j.exportLater(j.name(right))
	case j.kind(right) == jsObject:
		for c := j.first(right); c != none; c = j.after(c) {
			j.exportMember(c)
		}
	default:
		return false
	}
	return true
}

// exportMember exports one member of "module.exports = {…}" or of a default
// export's object.
func (j *jsExtractor) exportMember(c int32) {
	switch j.kind(c) {
	case jsShorthandPropertyIdentifier:
		j.useMember(artifact.RoleExport, c, none)
		j.exportLater(j.name(c))
	case jsPair:
		key, value := j.child(c, fKey), j.child(c, fValue)
		name, at := j.memberName(key)
		if name == "" || !j.isFunction(value) {
			if name != "" {
				j.useAt(artifact.RoleExport, at, []byte(name), "")
			}
			if value != none && j.kind(value) == jsIdentifier {
				j.exportLater(j.name(value))
			}
			j.visit(c)
			return
		}
		d := j.beginNamed(artifact.KindFunction, c, c, name, at)
		j.exporting = true
		j.exported(d, c)
		j.finishFunction(d, c, value)
		j.end()
	case jsMethodDefinition:
		name, at := j.memberName(j.child(c, fName))
		d := j.beginNamed(artifact.KindFunction, c, c, name, at)
		j.exporting = true
		j.exported(d, c)
		j.finishFunction(d, c, c)
		j.end()
	default:
		j.visit(c)
	}
}

func (j *jsExtractor) target(i int32) {
	if i == none {
		return
	}
	switch j.kind(i) {
	case jsIdentifier, jsShorthandPropertyIdentifierPattern:
		j.use(artifact.RoleWrite, i)
	case jsMemberExpression:
		j.member(artifact.RoleWrite, i)
	case jsArrayPattern, jsObjectPattern, jsRestPattern:
		for c := j.first(i); c != none; c = j.after(c) {
			j.target(c)
		}
	case jsPairPattern:
		j.target(j.child(i, fValue))
	case jsAssignmentPattern, jsObjectAssignmentPattern:
		j.target(j.child(i, fLeft))
		j.opt(j.child(i, fRight))
	default:
		j.visit(i)
	}
}

// member adds the use of "object.property".
func (j *jsExtractor) member(role artifact.Role, i int32) {
	object, property := j.child(i, fObject), j.child(i, fProperty)
	if property != none {
		j.useMember(role, property, object)
	}
	if object != none && (j.kind(object) != jsIdentifier || !j.isModule(object)) {
		j.visit(object)
	}
}

func (j *jsExtractor) call(i int32) {
	fn := j.child(i, fFunction)
	if fn != none {
		switch {
		case j.kind(fn) == jsImport, j.kind(fn) == jsIdentifier && string(j.text(fn)) == "require" && !j.isLocal(fn):
			if module, ok := j.moduleArgument(i); ok {
				j.addImport(fn, module, "", "")
				return
			}
			j.expressionAs(artifact.RoleCall, fn)
		default:
			j.expressionAs(artifact.RoleCall, fn)
		}
	}
	j.rest(i, fn, none)
}

func (j *jsExtractor) creation(i int32) {
	class := j.child(i, fConstructor)
	j.expressionAs(artifact.RoleInstantiate, class)
	j.rest(i, class, none)
}

func (j *jsExtractor) decorator(i int32) {
	e := j.first(i)
	if e == none {
		return
	}
	if j.kind(e) == jsCallExpression {
		fn := j.child(e, fFunction)
		j.expressionAs(artifact.RoleDecorate, fn)
		j.rest(e, fn, none)
		return
	}
	j.expressionAs(artifact.RoleDecorate, e)
}

// element handles "<Name …>": a name with a capital is a component.
func (j *jsExtractor) element(i int32) {
	name := j.child(i, fName)
	if name != none {
		switch {
		case j.kind(name) == jsMemberExpression:
			j.member(artifact.RoleInstantiate, name)
		case j.kind(name) == jsIdentifier && capital(j.text(name)):
			j.use(artifact.RoleInstantiate, name)
		}
	}
	j.rest(i, name, none)
}
