package syntax

const (
	csIdentifier = kindFirst + iota
	csComment
	csUsingDirective
	csStaticToken
	csNamespace
	csFileNamespace
	csClass
	csStruct
	csRecord
	csInterface
	csEnum
	csEnumMember
	csDelegate
	csMethod
	csConstructor
	csDestructor
	csOperator
	csConversion
	csIndexer
	csProperty
	csEvent
	csEventField
	csField
	csLocalFunction
	csLocalDeclaration
	csVariableDeclaration
	csVariableDeclarator
	csParameterList
	csBracketedParameterList
	csParameter
	csImplicitParameter
	csLambda
	csAnonymousMethod
	csTypeParameterList
	csTypeParameter
	csBaseList
	csPrimaryBase
	csModifier
	csAttribute
	csAttributeArgument
	csQualifiedName
	csAliasQualifiedName
	csGenericName
	csTypeArgumentList
	csMemberAccess
	csMemberBinding
	csConditionalAccess
	csInvocation
	csObjectCreation
	csAssignment
	csInitializer
	csWithInitializer
	csArgument
	csSubpattern
	csDeclarationPattern
	csRecursivePattern
	csVarPattern
	csDesignation
	csDeclarationExpression
	csIsExpression
	csAsExpression
	csForeach
	csFor
	csBlock
	csUsingStatement
	csFixed
	csCatch
	csCatchDeclaration
	csSwitchSection
	csSwitchArm
	csQuery
	csFromClause
	csLetClause
	csJoinClause
	csJoinInto
	csGoto
	csLabeled
	csAnonymousObject
	csTuplePattern
	csTupleElement
	csTupleExpression
	csAccessorList
	csArrow
	csEquals
	csThis
	csBase
	csExplicitInterface
	csElementAccess
	csNumKinds
)

var csharpKinds = [csNumKinds]string{
	csIdentifier: "identifier", csComment: "comment", csUsingDirective: "using_directive", csStaticToken: "'static",
	csNamespace: "namespace_declaration", csFileNamespace: "file_scoped_namespace_declaration",
	csClass: "class_declaration", csStruct: "struct_declaration", csRecord: "record_declaration",
	csInterface: "interface_declaration", csEnum: "enum_declaration", csEnumMember: "enum_member_declaration",
	csDelegate: "delegate_declaration", csMethod: "method_declaration", csConstructor: "constructor_declaration",
	csDestructor: "destructor_declaration", csOperator: "operator_declaration",
	csConversion: "conversion_operator_declaration", csIndexer: "indexer_declaration",
	csProperty: "property_declaration", csEvent: "event_declaration", csEventField: "event_field_declaration",
	csField: "field_declaration", csLocalFunction: "local_function_statement",
	csLocalDeclaration: "local_declaration_statement", csVariableDeclaration: "variable_declaration",
	csVariableDeclarator: "variable_declarator", csParameterList: "parameter_list",
	csBracketedParameterList: "bracketed_parameter_list", csParameter: "parameter",
	csImplicitParameter: "implicit_parameter", csLambda: "lambda_expression",
	csAnonymousMethod: "anonymous_method_expression", csTypeParameterList: "type_parameter_list",
	csTypeParameter: "type_parameter", csBaseList: "base_list", csPrimaryBase: "primary_constructor_base_type",
	csModifier: "modifier", csAttribute: "attribute", csAttributeArgument: "attribute_argument",
	csQualifiedName: "qualified_name", csAliasQualifiedName: "alias_qualified_name", csGenericName: "generic_name",
	csTypeArgumentList: "type_argument_list", csMemberAccess: "member_access_expression",
	csMemberBinding: "member_binding_expression", csConditionalAccess: "conditional_access_expression",
	csInvocation: "invocation_expression", csObjectCreation: "object_creation_expression",
	csAssignment: "assignment_expression", csInitializer: "initializer_expression",
	csWithInitializer: "with_initializer", csArgument: "argument", csSubpattern: "subpattern",
	csDeclarationPattern: "declaration_pattern", csRecursivePattern: "recursive_pattern", csVarPattern: "var_pattern",
	csDesignation: "parenthesized_variable_designation", csDeclarationExpression: "declaration_expression",
	csIsExpression: "is_expression", csAsExpression: "as_expression", csForeach: "foreach_statement",
	csFor: "for_statement", csBlock: "block", csUsingStatement: "using_statement", csFixed: "fixed_statement",
	csCatch: "catch_clause", csCatchDeclaration: "catch_declaration", csSwitchSection: "switch_section",
	csSwitchArm: "switch_expression_arm", csQuery: "query_expression", csFromClause: "from_clause",
	csLetClause: "let_clause", csJoinClause: "join_clause", csJoinInto: "join_into_clause", csGoto: "goto_statement",
	csLabeled: "labeled_statement", csAnonymousObject: "anonymous_object_creation_expression",
	csTuplePattern: "tuple_pattern", csTupleElement: "tuple_element", csTupleExpression: "tuple_expression",
	csAccessorList: "accessor_list", csArrow: "arrow_expression_clause", csEquals: "'=", csThis: "'this",
	csBase: "'base", csExplicitInterface: "explicit_interface_specifier",
	csElementAccess: "element_access_expression",
}
