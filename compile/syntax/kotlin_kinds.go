package syntax

const (
	ktIdentifier = kindFirst + iota
	ktLineComment
	ktBlockComment
	ktPackage
	ktImport
	ktQualifiedIdentifier
	ktModifiers
	ktVisibility
	ktClassModifier
	ktPropertyModifier
	ktInheritance
	ktAnnotation
	ktFileAnnotation
	ktClass
	ktInterfaceToken
	ktObject
	ktCompanion
	ktObjectLiteral
	ktClassBody
	ktEnumBody
	ktEnumEntry
	ktPrimaryConstructor
	ktClassParameter
	ktValToken
	ktVarToken
	ktDelegationSpecifiers
	ktDelegationSpecifier
	ktConstructorInvocation
	ktExplicitDelegation
	ktFunction
	ktFunctionBody
	ktSecondaryConstructor
	ktInitializer
	ktAnonymousFunction
	ktParameters
	ktParameter
	ktProperty
	ktVariable
	ktMultiVariable
	ktGetter
	ktSetter
	ktTypeAlias
	ktTypeParameter
	ktTypeParameters
	ktUserType
	ktTypeArguments
	ktNullableType
	ktFunctionType
	ktParenthesizedType
	ktLambda
	ktLambdaParameters
	ktCall
	ktNavigation
	ktCallableReference
	ktInfix
	ktAssignment
	ktUnary
	ktIs
	ktAs
	ktFor
	ktBlock
	ktCatch
	ktWhen
	ktWhenEntry
	ktValueArgument
	ktEquals
	ktThis
	ktSuper
	ktReturn
	ktLabel
	ktTypeConstraint
	ktDot
	ktIndex
	ktNumKinds
)

var kotlinKinds = [ktNumKinds]string{
	ktIdentifier: "identifier", ktLineComment: "line_comment", ktBlockComment: "block_comment",
	ktPackage: "package_header", ktImport: "import", ktQualifiedIdentifier: "qualified_identifier",
	ktModifiers: "modifiers", ktVisibility: "visibility_modifier", ktClassModifier: "class_modifier",
	ktPropertyModifier: "property_modifier", ktInheritance: "inheritance_modifier", ktAnnotation: "annotation",
	ktFileAnnotation: "file_annotation", ktClass: "class_declaration", ktInterfaceToken: "'interface",
	ktObject: "object_declaration", ktCompanion: "companion_object", ktObjectLiteral: "object_literal",
	ktClassBody: "class_body", ktEnumBody: "enum_class_body", ktEnumEntry: "enum_entry",
	ktPrimaryConstructor: "primary_constructor", ktClassParameter: "class_parameter", ktValToken: "'val",
	ktVarToken: "'var", ktDelegationSpecifiers: "delegation_specifiers", ktDelegationSpecifier: "delegation_specifier",
	ktConstructorInvocation: "constructor_invocation", ktExplicitDelegation: "explicit_delegation",
	ktFunction: "function_declaration", ktFunctionBody: "function_body",
	ktSecondaryConstructor: "secondary_constructor", ktInitializer: "anonymous_initializer",
	ktAnonymousFunction: "anonymous_function", ktParameters: "function_value_parameters", ktParameter: "parameter",
	ktProperty: "property_declaration", ktVariable: "variable_declaration",
	ktMultiVariable: "multi_variable_declaration", ktGetter: "getter", ktSetter: "setter", ktTypeAlias: "type_alias",
	ktTypeParameter: "type_parameter", ktTypeParameters: "type_parameters", ktUserType: "user_type",
	ktTypeArguments: "type_arguments", ktNullableType: "nullable_type", ktFunctionType: "function_type",
	ktParenthesizedType: "parenthesized_type", ktLambda: "lambda_literal", ktLambdaParameters: "lambda_parameters",
	ktCall: "call_expression", ktNavigation: "navigation_expression", ktCallableReference: "callable_reference",
	ktInfix: "infix_expression", ktAssignment: "assignment", ktUnary: "unary_expression", ktIs: "is_expression",
	ktAs: "as_expression", ktFor: "for_statement", ktBlock: "block", ktCatch: "catch_block",
	ktWhen: "when_expression", ktWhenEntry: "when_entry", ktValueArgument: "value_argument", ktEquals: "'=",
	ktThis: "this_expression", ktSuper: "super_expression", ktReturn: "return_expression", ktLabel: "label",
	ktTypeConstraint: "type_constraint", ktDot: "'.", ktIndex: "index_expression",
}
