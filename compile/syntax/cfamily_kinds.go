package syntax

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
