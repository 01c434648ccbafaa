package syntax

const (
	jvProgram = kindFirst + iota
	jvIdentifier
	jvTypeIdentifier
	jvLineComment
	jvBlockComment
	jvModifiers
	jvStatic
	jvPublic
	jvProtected
	jvPrivate
	jvAbstract
	jvDefaultModifier
	jvFinal
	jvMarkerAnnotation
	jvAnnotation
	jvElementValuePair
	jvPackageDeclaration
	jvImportDeclaration
	jvAsterisk
	jvModuleDeclaration
	jvClassDeclaration
	jvInterfaceDeclaration
	jvEnumDeclaration
	jvRecordDeclaration
	jvAnnotationTypeDeclaration
	jvAnnotationTypeElementDeclaration
	jvClassBody
	jvEnumConstant
	jvSuperclass
	jvSuperInterfaces
	jvExtendsInterfaces
	jvPermits
	jvTypeList
	jvTypeParameters
	jvTypeParameter
	jvTypeBound
	jvMethodDeclaration
	jvConstructorDeclaration
	jvCompactConstructorDeclaration
	jvStaticInitializer
	jvFieldDeclaration
	jvConstantDeclaration
	jvLocalVariableDeclaration
	jvVariableDeclarator
	jvFormalParameters
	jvFormalParameter
	jvSpreadParameter
	jvReceiverParameter
	jvInferredParameters
	jvCatchFormalParameter
	jvResource
	jvEnhancedForStatement
	jvForStatement
	jvCatchClause
	jvTryWithResourcesStatement
	jvBlock
	jvSwitchBlockStatementGroup
	jvSwitchRule
	jvLambdaExpression
	jvMethodInvocation
	jvObjectCreationExpression
	jvMethodReference
	jvFieldAccess
	jvScopedIdentifier
	jvScopedTypeIdentifier
	jvGenericType
	jvTypeArguments
	jvAssignmentExpression
	jvUpdateExpression
	jvInstanceofExpression
	jvTypePattern
	jvRecordPattern
	jvRecordPatternComponent
	jvLabeledStatement
	jvBreakStatement
	jvContinueStatement
	jvThis
	jvSuper
	jvNew
	jvNumKinds
)

var javaKinds = [jvNumKinds]string{
	jvProgram: "program", jvIdentifier: "identifier", jvTypeIdentifier: "type_identifier",
	jvLineComment: "line_comment", jvBlockComment: "block_comment", jvModifiers: "modifiers",
	jvStatic: "'static", jvPublic: "'public", jvProtected: "'protected", jvPrivate: "'private",
	jvAbstract: "'abstract", jvDefaultModifier: "'default", jvFinal: "'final",
	jvMarkerAnnotation: "marker_annotation", jvAnnotation: "annotation",
	jvElementValuePair: "element_value_pair", jvPackageDeclaration: "package_declaration",
	jvImportDeclaration: "import_declaration", jvAsterisk: "asterisk", jvModuleDeclaration: "module_declaration",
	jvClassDeclaration: "class_declaration", jvInterfaceDeclaration: "interface_declaration",
	jvEnumDeclaration: "enum_declaration", jvRecordDeclaration: "record_declaration",
	jvAnnotationTypeDeclaration:        "annotation_type_declaration",
	jvAnnotationTypeElementDeclaration: "annotation_type_element_declaration",
	jvClassBody:                        "class_body", jvEnumConstant: "enum_constant", jvSuperclass: "superclass",
	jvSuperInterfaces: "super_interfaces", jvExtendsInterfaces: "extends_interfaces", jvPermits: "permits",
	jvTypeList: "type_list", jvTypeParameters: "type_parameters", jvTypeParameter: "type_parameter",
	jvTypeBound: "type_bound", jvMethodDeclaration: "method_declaration",
	jvConstructorDeclaration:        "constructor_declaration",
	jvCompactConstructorDeclaration: "compact_constructor_declaration",
	jvStaticInitializer:             "static_initializer", jvFieldDeclaration: "field_declaration",
	jvConstantDeclaration: "constant_declaration", jvLocalVariableDeclaration: "local_variable_declaration",
	jvVariableDeclarator: "variable_declarator", jvFormalParameters: "formal_parameters",
	jvFormalParameter: "formal_parameter", jvSpreadParameter: "spread_parameter",
	jvReceiverParameter: "receiver_parameter", jvInferredParameters: "inferred_parameters",
	jvCatchFormalParameter: "catch_formal_parameter", jvResource: "resource",
	jvEnhancedForStatement: "enhanced_for_statement", jvForStatement: "for_statement",
	jvCatchClause: "catch_clause", jvTryWithResourcesStatement: "try_with_resources_statement",
	jvBlock: "block", jvSwitchBlockStatementGroup: "switch_block_statement_group", jvSwitchRule: "switch_rule",
	jvLambdaExpression: "lambda_expression", jvMethodInvocation: "method_invocation",
	jvObjectCreationExpression: "object_creation_expression", jvMethodReference: "method_reference",
	jvFieldAccess: "field_access", jvScopedIdentifier: "scoped_identifier",
	jvScopedTypeIdentifier: "scoped_type_identifier", jvGenericType: "generic_type",
	jvTypeArguments: "type_arguments", jvAssignmentExpression: "assignment_expression",
	jvUpdateExpression: "update_expression", jvInstanceofExpression: "instanceof_expression",
	jvTypePattern: "type_pattern", jvRecordPattern: "record_pattern",
	jvRecordPatternComponent: "record_pattern_component", jvLabeledStatement: "labeled_statement",
	jvBreakStatement: "break_statement", jvContinueStatement: "continue_statement",
	jvThis: "this", jvSuper: "super", jvNew: "'new",
}
