package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

// One extractor serves C and C++: C++'s grammar extends C's.
const (
	cTranslationUnit = kindFirst + iota
	cIdentifier
	cTypeIdentifier
	cFieldIdentifier
	cComment
	cPreprocInclude
	cPreprocDef
	cPreprocFunctionDef
	cPreprocIfdef
	cFunctionDefinition
	cDeclaration
	cTypeDefinition
	cFieldDeclaration
	cParameterDeclaration
	cInitDeclarator
	cPointerDeclarator
	cArrayDeclarator
	cFunctionDeclarator
	cParenthesizedDeclarator
	cAttributedDeclarator
	cParameterList
	cStorageClassSpecifier
	cStructSpecifier
	cUnionSpecifier
	cEnumSpecifier
	cEnumerator
	cEnumeratorList
	cFieldDeclarationList
	cCompoundStatement
	cIfStatement
	cForStatement
	cWhileStatement
	cSwitchStatement
	cCallExpression
	cFieldExpression
	cAssignmentExpression
	cUpdateExpression
	cParenthesizedExpression
	cCompoundLiteralExpression
	cInitializerPair
	cFieldDesignator
	cAttributeSpecifier
	cLinkageSpecification
	cAbstractFunctionDeclarator

	cppClassSpecifier
	cppBaseClauses
	cppNamespaceDefinition
	cppNamespaceIdentifier
	cppNestedNamespaceSpecifier
	cppNamespaceAliasDefinition
	cppTemplateDeclaration
	cppTemplateParameterList
	cppTypeParameterDeclaration
	cppOptionalTypeParameterDeclaration
	cppVariadicTypeParameterDeclaration
	cppVariadicParameterDeclaration
	cppOptionalParameterDeclaration
	cppTemplateType
	cppTemplateFunction
	cppTemplateMethod
	cppTemplateArgumentList
	cppQualifiedIdentifier
	cppDependentName
	cppDestructorName
	cppOperatorName
	cppOperatorCast
	cppReferenceDeclarator
	cppVariadicDeclarator
	cppStructuredBindingDeclarator
	cppAccessSpecifier
	cppFieldInitializer
	cppUsingDeclaration
	cppUsingNamespace
	cppAliasDeclaration
	cppConceptDefinition
	cppLambdaExpression
	cppLambdaCaptureInitializer
	cppNewExpression
	cppForRangeLoop
	cppCatchClause
	cppFriendDeclaration
	cppAttributeDeclaration
	cppDefaultMethodClause
	cppDeleteMethodClause
	cppPureVirtualClause
	cNumKinds
)

var cKinds = [cNumKinds]string{
	cTranslationUnit: "translation_unit", cIdentifier: "identifier", cTypeIdentifier: "type_identifier",
	cFieldIdentifier: "field_identifier", cComment: "comment", cPreprocInclude: "preproc_include",
	cPreprocDef: "preproc_def", cPreprocFunctionDef: "preproc_function_def", cPreprocIfdef: "preproc_ifdef",
	cFunctionDefinition: "function_definition", cDeclaration: "declaration",
	cTypeDefinition: "type_definition", cFieldDeclaration: "field_declaration",
	cParameterDeclaration: "parameter_declaration", cInitDeclarator: "init_declarator",
	cPointerDeclarator: "pointer_declarator", cArrayDeclarator: "array_declarator",
	cFunctionDeclarator: "function_declarator", cParenthesizedDeclarator: "parenthesized_declarator",
	cAttributedDeclarator: "attributed_declarator", cParameterList: "parameter_list",
	cStorageClassSpecifier: "storage_class_specifier", cStructSpecifier: "struct_specifier",
	cUnionSpecifier: "union_specifier", cEnumSpecifier: "enum_specifier", cEnumerator: "enumerator",
	cEnumeratorList: "enumerator_list", cFieldDeclarationList: "field_declaration_list",
	cCompoundStatement: "compound_statement", cIfStatement: "if_statement", cForStatement: "for_statement",
	cWhileStatement: "while_statement", cSwitchStatement: "switch_statement",
	cCallExpression: "call_expression", cFieldExpression: "field_expression",
	cAssignmentExpression: "assignment_expression", cUpdateExpression: "update_expression",
	cParenthesizedExpression: "parenthesized_expression", cCompoundLiteralExpression: "compound_literal_expression",
	cInitializerPair: "initializer_pair", cFieldDesignator: "field_designator",
	cAttributeSpecifier: "attribute_specifier", cLinkageSpecification: "linkage_specification",
	cAbstractFunctionDeclarator: "abstract_function_declarator",

	cppClassSpecifier: "?class_specifier", cppBaseClauses: "?base_class_clause",
	cppNamespaceDefinition: "?namespace_definition", cppNamespaceIdentifier: "?namespace_identifier",
	cppNestedNamespaceSpecifier: "?nested_namespace_specifier",
	cppNamespaceAliasDefinition: "?namespace_alias_definition",
	cppTemplateDeclaration:      "?template_declaration", cppTemplateParameterList: "?template_parameter_list",
	cppTypeParameterDeclaration:         "?type_parameter_declaration",
	cppOptionalTypeParameterDeclaration: "?optional_type_parameter_declaration",
	cppVariadicTypeParameterDeclaration: "?variadic_type_parameter_declaration",
	cppVariadicParameterDeclaration:     "?variadic_parameter_declaration",
	cppOptionalParameterDeclaration:     "?optional_parameter_declaration",
	cppTemplateType:                     "?template_type", cppTemplateFunction: "?template_function",
	cppTemplateMethod: "?template_method", cppTemplateArgumentList: "?template_argument_list",
	cppQualifiedIdentifier: "?qualified_identifier", cppDependentName: "?dependent_name",
	cppDestructorName: "?destructor_name", cppOperatorName: "?operator_name", cppOperatorCast: "?operator_cast",
	cppReferenceDeclarator: "?reference_declarator", cppVariadicDeclarator: "?variadic_declarator",
	cppStructuredBindingDeclarator: "?structured_binding_declarator", cppAccessSpecifier: "?access_specifier",
	cppFieldInitializer: "?field_initializer", cppUsingDeclaration: "?using_declaration",
	cppUsingNamespace: "?'namespace", cppAliasDeclaration: "?alias_declaration",
	cppConceptDefinition: "?concept_definition", cppLambdaExpression: "?lambda_expression",
	cppLambdaCaptureInitializer: "?lambda_capture_initializer", cppNewExpression: "?new_expression",
	cppForRangeLoop: "?for_range_loop", cppCatchClause: "?catch_clause",
	cppFriendDeclaration: "?friend_declaration", cppAttributeDeclaration: "?attribute_declaration",
	cppDefaultMethodClause: "?default_method_clause", cppDeleteMethodClause: "?delete_method_clause",
	cppPureVirtualClause: "?pure_virtual_clause",
}

type cExtractor struct {
	*extraction
	role artifact.Role // of a type's name at the current place
	// outer is the template declaration around the next declaration, or none.
	outer int32
	// hidden says that the members at the current place of a class are not
	// public, or that the walk is in a namespace without a name.
	hidden bool
	// namespaces are the namespaces that the file has opened so far; a
	// qualifier with another name is taken for a class.
	namespaces map[nameID]bool
}

func extractC(x *extraction) {
	c := &cExtractor{extraction: x, role: artifact.RoleType, outer: none, namespaces: make(map[nameID]bool)}
	c.children(0)
}

func (c *cExtractor) children(i int32) {
	end := c.nodes[i].next
	for k := i + 1; k < end; k = c.nodes[k].next {
		c.visit(k)
	}
}

func (c *cExtractor) opt(i int32) {
	if i != none {
		c.visit(i)
	}
}

func (c *cExtractor) typeAs(role artifact.Role, i int32) {
	if i == none {
		return
	}
	saved := c.role
	c.role = role
	c.visit(i)
	c.role = saved
}

// bounds returns the node that bounds the declaration i: the template around
// it, if any.
func (c *cExtractor) bounds(i int32) int32 {
	if o := c.outer; o != none {
		c.outer = none
		return o
	}
	return i
}

func (c *cExtractor) visit(i int32) {
	switch c.kind(i) {
	case cIdentifier:
		c.use(artifact.RoleRead, i)
	case cTypeIdentifier:
		c.use(c.role, i)
	case cComment:
		c.comment(i)
	case cPreprocInclude:
		c.include(i)
	case cPreprocDef, cPreprocFunctionDef:
		c.macro(i)
	case cFunctionDefinition:
		c.function(i)
	case cDeclaration, cFieldDeclaration:
		c.declaration(i)
	case cTypeDefinition:
		c.typedef(i)
	case cStructSpecifier, cUnionSpecifier, cEnumSpecifier, cppClassSpecifier:
		c.typeSpecifier(i, i, none)
	case cEnumerator:
		d := c.begin(artifact.KindEnumMember, i, c.child(i, fName))
		c.exported(d)
		c.opt(c.child(i, fValue))
		c.end()
	case cParameterDeclaration, cppOptionalParameterDeclaration, cppVariadicParameterDeclaration:
		c.opt(c.child(i, fType))
		c.opt(c.child(i, fDefaultValue))
		c.declaratorUses(c.child(i, fDeclarator))
	case cCompoundStatement, cIfStatement, cForStatement, cWhileStatement, cSwitchStatement:
		c.pushScope()
		c.children(i)
		c.popScope()
	case cParameterList:
		for k := c.first(i); k != none; k = c.after(k) {
			if c.kind(k) != cIdentifier { // K&R
				c.visit(k)
			}
		}
	case cPreprocIfdef:
		name := c.child(i, fName)
		for k := c.first(i); k != none; k = c.after(k) {
			if k != name || !c.guards(i, name) {
				c.visit(k)
			}
		}
	case cCallExpression:
		c.callee(c.child(i, fFunction))
		c.opt(c.child(i, fArguments))
	case cFieldExpression:
		c.member(artifact.RoleRead, i)
	case cAssignmentExpression:
		c.target(c.child(i, fLeft))
		c.opt(c.child(i, fRight))
	case cUpdateExpression:
		c.target(c.child(i, fArgument))
	case cCompoundLiteralExpression:
		c.typeAs(artifact.RoleInstantiate, c.child(i, fType))
		c.opt(c.child(i, fValue))
	case cFieldDesignator:
		if f := c.first(i); f != none {
			c.useMember(artifact.RoleWrite, f, none)
		}
	case cAttributeSpecifier, cppAttributeDeclaration:
	case cppNamespaceDefinition:
		c.namespace(i)
	case cppNamespaceAliasDefinition:
		c.namespaceAlias(i)
	case cppTemplateDeclaration:
		c.template(i)
	case cppTemplateParameterList:
		c.templateParameters(i)
	case cppTemplateType, cppTemplateFunction:
		c.opt(c.child(i, fName))
		c.typeAs(artifact.RoleType, c.child(i, fArguments))
	case cppQualifiedIdentifier:
		role := c.role
		if !c.namesType(i) && role == artifact.RoleType {
			role = artifact.RoleRead
		}
		c.qualified(role, i)
	case cppUsingDeclaration:
		c.using(i)
	case cppAliasDeclaration:
		outer := c.bounds(i)
		d := c.begin(artifact.KindType, outer, c.child(i, fName))
		c.exported(d)
		c.opt(c.child(i, fType))
		c.end()
	case cppConceptDefinition:
		outer, name := c.bounds(i), c.child(i, fName)
		d := c.begin(artifact.KindType, outer, name)
		c.exported(d)
		for k := c.first(i); k != none; k = c.after(k) {
			if k != name {
				c.visit(k)
			}
		}
		c.end()
	case cppLambdaExpression:
		c.lambda(i)
	case cppNewExpression:
		c.typeAs(artifact.RoleInstantiate, c.child(i, fType))
		for k := c.first(i); k != none; k = c.after(k) {
			if c.nodes[k].field != fType {
				c.visit(k)
			}
		}
	case cppForRangeLoop:
		c.pushScope()
		c.opt(c.child(i, fInitializer))
		c.opt(c.child(i, fType))
		c.opt(c.child(i, fRight))
		c.bindDeclarator(c.child(i, fDeclarator))
		c.opt(c.child(i, fBody))
		c.popScope()
	case cppCatchClause:
		c.pushScope()
		if p := c.child(i, fParameters); p != none {
			c.children(p)
			c.bindParameters(p)
		}
		c.opt(c.child(i, fBody))
		c.popScope()
	case cppFieldInitializer:
		c.fieldInitializer(i)
	case cppAccessSpecifier:
		c.hidden = !bytes.HasPrefix(c.text(i), []byte("public"))
	case cppFriendDeclaration:
		for k := c.first(i); k != none; k = c.after(k) {
			switch c.kind(k) {
			case cDeclaration:
				c.opt(c.child(k, fType))
				c.declaratorUses(c.child(k, fDeclarator))
			default:
				c.visit(k)
			}
		}
	default:
		c.children(i)
	}
}

// exported applies the linkage and access at the current place.
func (c *cExtractor) exported(d int32) {
	if d < 0 || c.hidden {
		return
	}
	decl := &c.facts.Decls[d]
	if decl.Flags&artifact.SymbolLocal != 0 {
		return
	}
	if p := decl.Parent; p >= 0 && c.facts.Decls[p].Flags&artifact.SymbolExported == 0 {
		return
	}
	decl.Flags |= artifact.SymbolExported
}

func (c *cExtractor) include(i int32) {
	path := c.child(i, fPath)
	if path == none {
		return
	}
	name := bytes.Trim(c.text(path), "\"<> \t\r\n")
	c.addImport(path, c.intern(name), "", "")
	c.lead.ok = false
}

// macro handles #define. The name that guards a header against being read
// twice is no macro that anybody looks for.
func (c *cExtractor) macro(i int32) {
	name := c.child(i, fName)
	if name == none {
		return
	}
	if c.child(i, fValue) == none && c.guarding(i, name) {
		return
	}
	d := c.leaf(artifact.KindMacro, i, name)
	c.flag(d, artifact.SymbolExported)
	if d >= 0 {
		decl := &c.facts.Decls[d]
		decl.Parent = none // the preprocessor knows no scopes
		decl.Flags &^= artifact.SymbolLocal
		if v := c.child(i, fValue); v != none {
			c.signature(d, i, v)
		}
	}
}

// guards reports whether "#ifndef NAME" defines NAME first of all, as nothing.
func (c *cExtractor) guards(ifdef, name int32) bool {
	if name == none {
		return false
	}
	def := c.after(name)
	if def == none || c.kind(def) != cPreprocDef || c.child(def, fValue) != none {
		return false
	}
	n := c.child(def, fName)
	return n != none && bytes.Equal(c.text(n), c.text(name))
}

// guarding reports whether the line above "#define NAME" is "#ifndef NAME".
// Where a file has errors the tree does not tell.
func (c *cExtractor) guarding(def, name int32) bool {
	above := bytes.TrimRight(c.src[:c.nodes[def].start], " \t\r\n")
	above = above[bytes.LastIndexByte(above, '\n')+1:]
	words := bytes.Fields(above)
	return len(words) == 2 && string(words[0]) == "#ifndef" && bytes.Equal(words[1], c.text(name))
}

// declarator is what a declarator declares.
type declarator struct {
	name     int32 // node of the declared name, possibly qualified; none in an abstract one
	function int32 // its function_declarator when it declares a function, else none
}

// unwrap finds the name inside pointers, arrays, parentheses and functions.
func (c *cExtractor) unwrap(i int32) declarator {
	d := declarator{none, none}
	for i != none {
		switch c.kind(i) {
		case cIdentifier, cTypeIdentifier, cFieldIdentifier, cppQualifiedIdentifier, cppDestructorName,
			cppOperatorName, cppOperatorCast, cppTemplateFunction, cppTemplateType, cppTemplateMethod,
			cppStructuredBindingDeclarator:
			d.name = i
			return d
		case cFunctionDeclarator:
			d.function = i
			i = c.child(i, fDeclarator)
		case cPointerDeclarator, cArrayDeclarator:
			d.function = none // a pointer to a function is a variable
			i = c.child(i, fDeclarator)
		case cppReferenceDeclarator:
			d.function = none
			i = c.lastChild(i)
		case cInitDeclarator:
			i = c.child(i, fDeclarator)
		case cParenthesizedDeclarator, cAttributedDeclarator, cppVariadicDeclarator:
			next := none
			for k := c.first(i); k != none; k = c.after(k) {
				if kk := c.kind(k); kk != cppAttributeDeclaration && kk != cComment && kk != kindOther {
					next = k
					break
				}
			}
			i = next
		default:
			return d
		}
	}
	return d
}

func (c *cExtractor) lastChild(i int32) int32 {
	last := none
	for k := c.first(i); k != none; k = c.after(k) {
		last = k
	}
	return last
}

// declaratorUses visits what a declarator refers to besides its name: array
// sizes and the types of parameters.
func (c *cExtractor) declaratorUses(i int32) {
	if i == none {
		return
	}
	switch c.kind(i) {
	case cIdentifier, cTypeIdentifier, cFieldIdentifier, cppQualifiedIdentifier, cppDestructorName,
		cppOperatorName, cppTemplateFunction, cppTemplateType, cppTemplateMethod,
		cppStructuredBindingDeclarator:
		return
	case cInitDeclarator:
		c.declaratorUses(c.child(i, fDeclarator))
		c.opt(c.child(i, fValue))
		return
	case cppOperatorCast:
		c.children(i)
		return
	}
	for k := c.first(i); k != none; k = c.after(k) {
		switch {
		case c.nodes[k].field == fDeclarator:
			c.declaratorUses(k)
		case c.nodes[k].field == fNone && c.isDeclarator(k):
			c.declaratorUses(k)
		default:
			c.visit(k)
		}
	}
}

func (c *cExtractor) isDeclarator(i int32) bool {
	switch c.kind(i) {
	case cIdentifier, cFieldIdentifier, cPointerDeclarator, cArrayDeclarator, cFunctionDeclarator,
		cParenthesizedDeclarator, cAttributedDeclarator, cppReferenceDeclarator, cppVariadicDeclarator,
		cppStructuredBindingDeclarator:
		return true
	}
	return false
}

func (c *cExtractor) bindDeclarator(i int32) {
	d := c.unwrap(i)
	switch {
	case d.name == none:
	case c.kind(d.name) == cppStructuredBindingDeclarator:
		for k := c.first(d.name); k != none; k = c.after(k) {
			c.bind(k)
		}
	case c.kind(d.name) == cIdentifier:
		c.bind(d.name)
	}
}

func (c *cExtractor) bindParameters(params int32) {
	for k := c.first(params); k != none; k = c.after(k) {
		switch c.kind(k) {
		case cParameterDeclaration, cppOptionalParameterDeclaration, cppVariadicParameterDeclaration:
			c.bindDeclarator(c.child(k, fDeclarator))
		case cIdentifier: // K&R
			c.bind(k)
		}
	}
}

// storage reports whether the declaration has the storage class.
func (c *cExtractor) storage(i int32, class string) bool {
	for k := c.first(i); k != none; k = c.after(k) {
		if c.kind(k) == cStorageClassSpecifier && string(c.text(k)) == class {
			return true
		}
	}
	return false
}

// inClass reports whether the walk is directly in the body of a class, named
// or as the type of a variable.
func (c *cExtractor) inClass() bool {
	switch c.parentDeclKind() {
	case artifact.KindClass, artifact.KindStruct, artifact.KindUnion, artifact.KindField, artifact.KindVariable:
		return true
	}
	return false
}

// beginFunction declares the function that declarator d of node i declares.
func (c *cExtractor) beginFunction(outer, end, i int32, d declarator) int32 {
	name, owners := d.name, []int32(nil)
	for name != none && c.kind(name) == cppQualifiedIdentifier {
		if s := c.child(name, fScope); s != none {
			owners = append(owners, s)
		}
		name = c.child(name, fName)
	}
	kind := artifact.KindFunction
	if len(owners) > 0 || c.inClass() {
		kind = artifact.KindMethod
	}
	class := ""
	switch {
	case len(owners) > 0:
		class = c.plain(owners[len(owners)-1])
		if n := c.nameOf([]byte(class)); c.namespaces[n] {
			kind = artifact.KindFunction
		}
	case c.inClass():
		class = c.facts.Decls[c.parent()].Name
	}
	text := ""
	if name != none {
		text = c.plain(name)
	}
	if text != "" && text == class {
		kind = artifact.KindConstructor
	}
	at := uint32(0)
	if name != none {
		at = c.nodes[name].start
	}
	member, static := c.inClass(), c.storage(i, "static")
	decl := c.beginNamed(kind, outer, end, text, at)
	c.ownedBy(decl, owners)
	if static && member {
		c.flag(decl, artifact.SymbolStatic)
	}
	if !static || member {
		c.exported(decl)
	}
	return decl
}

// ownedBy records the qualifiers of a declared name. The last one is a class
// unless the file opened a namespace of that name; those in front of it are
// namespaces when they are written small.
func (c *cExtractor) ownedBy(d int32, owners []int32) {
	for k, o := range owners {
		owner := c.plain(o)
		kind := artifact.KindStruct
		if c.namespaces[c.nameOf([]byte(owner))] || k < len(owners)-1 && !capital([]byte(owner)) {
			kind = artifact.KindNamespace
		} else {
			if c.kind(o) == cppTemplateType {
				o = c.child(o, fName)
			}
			c.use(artifact.RoleType, o)
		}
		c.own(d, kind, owner)
	}
}

// plain returns the name at a node without template arguments, and for
// operators without white space: "operator==", "operator bool", "~Shape".
func (c *cExtractor) plain(i int32) string {
	switch c.kind(i) {
	case cppTemplateFunction, cppTemplateType, cppTemplateMethod:
		if n := c.child(i, fName); n != none {
			return c.plain(n)
		}
	case cppDependentName:
		if n := c.first(i); n != none {
			return c.plain(n)
		}
	case cppOperatorCast:
		if t := c.child(i, fType); t != none {
			return c.intern(append([]byte("operator "), bytes.Join(bytes.Fields(c.text(t)), []byte(" "))...))
		}
	case cppOperatorName, cppDestructorName:
		words := bytes.Fields(c.text(i))
		sep := []byte(nil)
		if len(words) > 1 && isNameByte(words[1][0]) {
			sep = []byte(" ") // operator new
		}
		return c.intern(bytes.Join(words, sep))
	}
	return c.str(i)
}

func (c *cExtractor) function(i int32) {
	outer := c.bounds(i)
	head, body := c.child(i, fDeclarator), c.child(i, fBody)
	d := c.unwrap(head)
	decl := c.beginFunction(outer, outer, i, d)
	c.signature(decl, outer, body)
	if init := c.initializers(i); init != none && body != none {
		c.signature(decl, outer, init)
		if decl >= 0 {
			x := &c.facts.Decls[decl]
			x.SigEnd = c.trimEnd(x.SigStart, uint32(bytes.LastIndexByte(c.src[:x.SigEnd], ')')+1))
			x.SigEnd = max(x.SigEnd, x.SigStart)
		}
	}
	if body == none {
		c.flag(decl, artifact.SymbolForward)
	}
	savedHidden := c.hidden
	c.enter()
	c.opt(c.child(i, fType))
	c.declaratorUses(head)
	if d.function != none {
		if p := c.child(d.function, fParameters); p != none {
			c.bindParameters(p)
		}
	}
	for k := c.first(i); k != none; k = c.after(k) {
		if c.nodes[k].field == fNone { // initializers, attributes, K&R parameters
			c.visit(k)
		}
	}
	c.opt(body)
	c.leave()
	c.hidden = savedHidden
	c.end()
}

// initializers returns the first member initializer of a constructor.
func (c *cExtractor) initializers(i int32) int32 {
	for k := c.first(i); k != none; k = c.after(k) {
		if f := c.first(k); f != none && c.kind(f) == cppFieldInitializer {
			return k
		}
	}
	return none
}

// declaration handles variables, fields and prototypes.
func (c *cExtractor) declaration(i int32) {
	outer := c.bounds(i)
	typ := c.child(i, fType)
	count := 0
	for k := c.first(i); k != none; k = c.after(k) {
		if c.nodes[k].field == fDeclarator {
			count++
		}
	}
	members := none
	if typ != none {
		switch {
		case c.callables == 0 && count > 0 && c.isSpecifier(typ) && c.child(typ, fName) == none:
			members = c.child(typ, fBody)
		case count == 0 && c.isSpecifier(typ):
			c.typeSpecifier(outer, typ, none)
		default:
			c.visit(typ)
		}
	}
	extern := c.storage(i, "extern") || c.parentKind(i) == cLinkageSpecification
	static := c.storage(i, "static")
	from, seen := outer, 0
	for k := c.first(i); k != none; k = c.after(k) {
		if c.nodes[k].field != fDeclarator {
			if c.nodes[k].field != fType && c.nodes[k].field != fNone {
				c.visit(k) // default values, bit fields
			}
			continue
		}
		seen++
		to := k
		if seen == count {
			to = outer
		}
		if seen > 1 {
			from = k
		}
		d := c.unwrap(k)
		switch {
		case d.name == none:
			c.declaratorUses(k)
		case d.function != none && (c.callables == 0 || c.inClass()) || c.kind(d.name) == cppOperatorCast:
			decl := c.beginFunction(from, to, i, d)
			c.flag(decl, artifact.SymbolForward)
			c.pushScope()
			c.declaratorUses(k)
			c.popScope()
			c.end()
		case c.callables > 0 && !c.inClass():
			c.declaratorUses(k)
			c.bindDeclarator(k)
		default:
			c.variable(from, to, k, d.name, members, static, extern)
			members = none
		}
	}
}

// variable declares a variable or field. members is the body of the unnamed
// struct that it has as its type, or none.
func (c *cExtractor) variable(from, to, k, name, members int32, static, extern bool) {
	if c.kind(name) == cppStructuredBindingDeclarator {
		c.declaratorUses(k)
		return
	}
	kind := artifact.KindVariable
	if c.inClass() {
		kind = artifact.KindField
	}
	var owners []int32
	for c.kind(name) == cppQualifiedIdentifier {
		if s := c.child(name, fScope); s != none {
			owners = append(owners, s)
		}
		if name = c.child(name, fName); name == none {
			return
		}
	}
	decl := c.beginNamed(kind, from, to, c.plain(name), c.nodes[name].start)
	c.ownedBy(decl, owners)
	if static && kind == artifact.KindField {
		c.flag(decl, artifact.SymbolStatic)
	}
	if !static || kind == artifact.KindField {
		c.exported(decl)
	}
	if extern && c.kind(k) != cInitDeclarator {
		c.flag(decl, artifact.SymbolForward)
	}
	c.opt(members)
	c.declaratorUses(k)
	c.end()
}

// isSpecifier reports whether a type is written as struct, union, enum or
// class.
func (c *cExtractor) isSpecifier(i int32) bool {
	switch c.kind(i) {
	case cStructSpecifier, cUnionSpecifier, cEnumSpecifier, cppClassSpecifier:
		return true
	}
	return false
}

// typedef handles "typedef TYPE NAME". An anonymous type takes the name.
func (c *cExtractor) typedef(i int32) {
	typ := c.child(i, fType)
	first, count := none, 0
	for k := c.first(i); k != none; k = c.after(k) {
		if c.nodes[k].field == fDeclarator {
			count++
			if first == none {
				first = k
			}
		}
	}
	taken := none // the declarator whose name the type itself has
	from := i
	if typ != none {
		if c.isSpecifier(typ) {
			name := c.child(typ, fName)
			switch {
			case c.child(typ, fBody) == none:
				c.opt(name) // typedef struct a a;
			case first != none && c.kind(first) == cTypeIdentifier && (name == none || bytes.Equal(c.text(first), c.text(name))):
				taken = first
				outer := typ
				if count == 1 {
					outer = i
				}
				c.typeSpecifier(outer, typ, first)
				from = none
			default:
				c.typeSpecifier(typ, typ, none)
				from = none
			}
		} else {
			c.visit(typ)
		}
	}
	seen := 0
	for k := c.first(i); k != none; k = c.after(k) {
		if c.nodes[k].field != fDeclarator {
			continue
		}
		seen++
		if k == taken {
			continue
		}
		if from == none || seen > 1 {
			from = k
		}
		to := k
		if seen == count {
			to = i
		}
		d := c.unwrap(k)
		if d.name == none {
			continue
		}
		decl := c.beginSpan(artifact.KindType, from, to, d.name)
		c.exported(decl)
		c.declaratorUses(k)
		c.end()
	}
}

// typeSpecifier declares a struct, union, enum or class that has a body or
// stands alone; else it is a use of the type. name overrides the own name.
func (c *cExtractor) typeSpecifier(outer, i, name int32) {
	body := c.child(i, fBody)
	own := c.child(i, fName)
	if name == none {
		name = own
	}
	if body == none && (outer == i && c.standsIn(i) || own == none) {
		c.opt(own)
		return
	}
	if outer == i {
		outer = c.bounds(i)
	}
	kind := artifact.KindStruct
	switch c.kind(i) {
	case cUnionSpecifier:
		kind = artifact.KindUnion
	case cEnumSpecifier:
		kind = artifact.KindEnum
	case cppClassSpecifier:
		kind = artifact.KindClass
	}
	var owners []int32
	for name != none && c.kind(name) == cppQualifiedIdentifier {
		if s := c.child(name, fScope); s != none {
			owners = append(owners, s)
		}
		name = c.child(name, fName)
	}
	d := none
	if name == none {
		c.open = append(c.open, none)
	} else {
		d = c.beginNamed(kind, outer, outer, c.plain(name), c.nodes[name].start)
	}
	for _, o := range owners {
		c.own(d, artifact.KindStruct, c.plain(o))
	}
	c.exported(d)
	c.signature(d, outer, body)
	if body == none {
		c.flag(d, artifact.SymbolForward)
	}
	if name != none && c.kind(name) == cppTemplateType {
		c.typeAs(artifact.RoleType, c.child(name, fArguments)) // a specialization
	}
	saved := c.hidden
	for k := c.first(i); k != none; k = c.after(k) {
		switch {
		case c.nodes[k].field == fName || k == body:
		case c.kind(k) == cppBaseClauses:
			for b := c.first(k); b != none; b = c.after(b) {
				if c.kind(b) != cppAccessSpecifier {
					c.typeAs(artifact.RoleInherit, b)
				}
			}
		default:
			c.visit(k)
		}
	}
	if body != none {
		if d >= 0 {
			c.hidden = kind == artifact.KindClass
		}
		c.children(body)
	}
	c.hidden = saved
	c.end()
}

// standsIn reports whether a specifier without a body is part of a larger
// declaration or expression, where it is a use, and not a statement alone.
func (c *cExtractor) standsIn(i int32) bool {
	switch c.parentKind(i) {
	case cTranslationUnit, cPreprocIfdef, kindOther, cFieldDeclarationList, cppTemplateDeclaration:
		return c.nodes[i].field != fNone
	}
	return true
}

func (c *cExtractor) namespace(i int32) {
	name, body := c.child(i, fName), c.child(i, fBody)
	saved := c.hidden
	d := none
	switch {
	case name == none:
		c.open = append(c.open, none)
		c.hidden = true
	case c.kind(name) == cppNestedNamespaceSpecifier:
		var parts []int32
		for k := name + 1; k < c.nodes[name].next; k++ {
			if c.kind(k) == cppNamespaceIdentifier {
				parts = append(parts, k)
			}
		}
		if len(parts) == 0 {
			c.open = append(c.open, none)
			break
		}
		d = c.begin(artifact.KindNamespace, i, parts[len(parts)-1])
		for _, p := range parts[:len(parts)-1] {
			c.own(d, artifact.KindNamespace, c.str(p))
			c.namespaces[c.name(p)] = true
		}
		c.namespaces[c.name(parts[len(parts)-1])] = true
	default:
		d = c.begin(artifact.KindNamespace, i, name)
		c.namespaces[c.name(name)] = true
	}
	c.exported(d)
	c.signature(d, i, body)
	if body != none {
		c.children(body)
	}
	c.hidden = saved
	c.end()
}

func (c *cExtractor) namespaceAlias(i int32) {
	name := c.child(i, fName)
	for k := c.first(i); k != none; k = c.after(k) {
		if k != name && name != none && c.kind(k) != cppUsingNamespace {
			c.addImport(k, c.str(k), "", c.str(name))
		}
	}
}

func (c *cExtractor) using(i int32) {
	target := none
	for k := c.first(i); k != none; k = c.after(k) {
		if c.kind(k) == cIdentifier || c.kind(k) == cppQualifiedIdentifier {
			target = k
		}
	}
	if target == none {
		return
	}
	if c.has(i, cppUsingNamespace) {
		c.addImport(target, c.str(target), "*", "*")
		return
	}
	name, _ := c.last(target)
	module := c.src[c.nodes[target].start:max(c.nodes[target].start, c.nodes[name].start)]
	module = bytes.TrimSuffix(bytes.TrimSpace(module), []byte("::"))
	c.addImport(name, c.intern(module), c.plain(name), c.plain(name))
	c.useMember(artifact.RoleImport, name, none)
}

func (c *cExtractor) template(i int32) {
	c.pushScope()
	saved := c.outer
	c.outer = none
	c.opt(c.child(i, fParameters))
	c.outer = i
	if saved != none {
		c.outer = saved // a member template: the outermost one bounds it
	}
	for k := c.first(i); k != none; k = c.after(k) {
		if c.nodes[k].field == fParameters {
			continue
		}
		c.visit(k)
	}
	c.outer = none
	c.popScope()
}

// templateParameters binds the parameters and visits their defaults.
func (c *cExtractor) templateParameters(i int32) {
	for k := c.first(i); k != none; k = c.after(k) {
		switch c.kind(k) {
		case cppTypeParameterDeclaration, cppVariadicTypeParameterDeclaration:
			if n := c.childOf(k, cTypeIdentifier); n != none {
				c.bind(n)
			}
		case cppOptionalTypeParameterDeclaration:
			if n := c.child(k, fName); n != none {
				c.bind(n)
			}
			c.opt(c.child(k, fDefaultType))
		case cParameterDeclaration, cppOptionalParameterDeclaration, cppVariadicParameterDeclaration:
			c.visit(k)
			c.bindDeclarator(c.child(k, fDeclarator))
		default:
			c.visit(k)
		}
	}
}

// last returns the innermost name of a qualified one, and whether there is a
// qualifier at all.
func (c *cExtractor) last(i int32) (name int32, qualified bool) {
	name = i
	for c.kind(name) == cppQualifiedIdentifier {
		n := c.child(name, fName)
		if n == none {
			break
		}
		name, qualified = n, true
	}
	return name, qualified
}

// namesType reports whether a qualified name ends in a type's name.
func (c *cExtractor) namesType(i int32) bool {
	n, _ := c.last(i)
	return c.kind(n) == cTypeIdentifier || c.kind(n) == cppTemplateType
}

// qualified adds the use of "a::b::name" and of the types among its
// qualifiers.
func (c *cExtractor) qualified(role artifact.Role, i int32) {
	name, _ := c.last(i)
	args := none
	switch c.kind(name) {
	case cppTemplateFunction, cppTemplateType, cppTemplateMethod:
		args = c.child(name, fArguments)
		if name = c.child(name, fName); name == none {
			return
		}
	}
	if c.kind(name) == cppDependentName { // a::template b<c>
		if name = c.first(name); name == none {
			return
		}
		if c.kind(name) != cIdentifier {
			args = c.child(name, fArguments)
			if name = c.child(name, fName); name == none {
				return
			}
		}
	}
	start, at := c.nodes[i].start, c.nodes[name].start
	qualifier := bytes.TrimSuffix(bytes.TrimSpace(c.src[start:max(start, at)]), []byte("template"))
	qualifier = bytes.TrimSuffix(bytes.TrimSpace(qualifier), []byte("::"))
	receiver := ellipsis
	if len(qualifier) <= 2*maxReceiver {
		receiver = c.chain(qualifier)
	}
	if k := c.kind(name); k != cppDestructorName && k != cppOperatorCast && k != cppQualifiedIdentifier {
		c.useAt(role, at, c.text(name), receiver)
	}
	for q := i; q != none && c.kind(q) == cppQualifiedIdentifier; q = c.child(q, fName) {
		s := c.child(q, fScope)
		switch {
		case s == none:
		case c.kind(s) == cppNamespaceIdentifier:
			if capital(c.text(s)) {
				c.use(artifact.RoleType, s)
			}
		default:
			c.typeAs(artifact.RoleType, s)
		}
	}
	c.typeAs(artifact.RoleType, args)
}

func (c *cExtractor) callee(fn int32) {
	if fn == none {
		return
	}
	switch c.kind(fn) {
	case cIdentifier:
		c.use(artifact.RoleCall, fn)
	case cFieldExpression:
		c.member(artifact.RoleCall, fn)
	case cppQualifiedIdentifier:
		c.qualified(artifact.RoleCall, fn)
	case cppTemplateFunction:
		c.callee(c.child(fn, fName))
		c.typeAs(artifact.RoleType, c.child(fn, fArguments))
	case cParenthesizedExpression:
		if k := c.first(fn); k != none && c.kind(k) == cIdentifier {
			c.use(artifact.RoleCall, k)
			return
		}
		c.visit(fn)
	default:
		c.visit(fn)
	}
}

// member adds the use of "object.name" or "object->name".
func (c *cExtractor) member(role artifact.Role, i int32) {
	object, name := c.child(i, fArgument), c.child(i, fField)
	args := none
	if name != none {
		switch c.kind(name) {
		case cppDependentName:
			name = c.first(name)
		}
		if name != none && c.kind(name) == cppTemplateMethod {
			args = c.child(name, fArguments)
			name = c.child(name, fName)
		}
		if name != none && c.kind(name) == cFieldIdentifier {
			c.useMember(role, name, object)
		}
	}
	c.opt(object)
	c.typeAs(artifact.RoleType, args)
}

func (c *cExtractor) target(i int32) {
	if i == none {
		return
	}
	switch c.kind(i) {
	case cIdentifier:
		c.use(artifact.RoleWrite, i)
	case cFieldExpression:
		c.member(artifact.RoleWrite, i)
	case cppQualifiedIdentifier:
		c.qualified(artifact.RoleWrite, i)
	default:
		c.visit(i)
	}
}

func (c *cExtractor) fieldInitializer(i int32) {
	for k := c.first(i); k != none; k = c.after(k) {
		switch c.kind(k) {
		case cFieldIdentifier:
			c.useMember(artifact.RoleWrite, k, none)
		case cppTemplateMethod: // a base class
			if n := c.child(k, fName); n != none {
				c.useMember(artifact.RoleCall, n, none)
			}
			c.typeAs(artifact.RoleType, c.child(k, fArguments))
		case cppQualifiedIdentifier:
			c.qualified(artifact.RoleCall, k)
		default:
			c.visit(k)
		}
	}
}

func (c *cExtractor) lambda(i int32) {
	c.enter()
	for k := c.first(i); k != none; k = c.after(k) {
		if c.kind(k) == cAbstractFunctionDeclarator {
			c.visit(k)
			if p := c.child(k, fParameters); p != none {
				c.bindParameters(p)
			}
			continue
		}
		c.visit(k)
		if c.nodes[k].next > k+1 {
			for q := c.first(k); q != none; q = c.after(q) {
				if c.kind(q) == cppLambdaCaptureInitializer {
					if l := c.child(q, fLeft); l != none {
						c.bind(l)
					}
				}
			}
		}
	}
	c.leave()
}

// cBoundary recognizes the first line of a definition: it begins with a
// letter in the first column, behind a blank line, a closing brace or a
// comment, and is no statement.
func cBoundary(line, prev []byte) bool {
	if len(line) == 0 || !(isNameByte(line[0]) && (line[0] < '0' || line[0] > '9')) {
		return false
	}
	prev = bytes.TrimSpace(prev)
	if len(prev) > 0 && prev[0] != '}' && !bytes.HasSuffix(prev, []byte("*/")) && prev[0] != '#' && !bytes.HasPrefix(prev, []byte("//")) {
		return false
	}
	line = bytes.TrimSpace(line)
	for _, p := range []string{"struct ", "class ", "enum ", "union ", "typedef ", "namespace ", "template"} {
		if bytes.HasPrefix(line, []byte(p)) {
			return true
		}
	}
	return bytes.IndexByte(line, '(') > 0 && !bytes.HasSuffix(line, []byte(";"))
}
