package syntax

const (
	scIdentifier = kindFirst + iota
	scTypeIdentifier
	scOperatorIdentifier
	scComment
	scBlockComment
	scPackageClause
	scPackageObject
	scImport
	scExport
	scSelectors
	scArrowRename
	scAsRename
	scNamespaceWildcard
	scClass
	scCaseToken
	scObject
	scTrait
	scEnum
	scEnumCases
	scSimpleCase
	scFullCase
	scGiven
	scWithBody
	scExtension
	scTypeDefinition
	scVal
	scVar
	scValDeclaration
	scVarDeclaration
	scFunction
	scFunctionDeclaration
	scClassParameters
	scClassParameter
	scValToken
	scVarToken
	scParameter
	scBinding
	scTypeParameters
	scCovariant
	scContravariant
	scModifiers
	scAccess
	scAnnotation
	scExtends
	scArguments
	scGenericType
	scTypeArguments
	scStableType
	scStable
	scProjected
	scInstance
	scCompoundType
	scTemplateBody
	scCall
	scGenericFunction
	scField
	scInfix
	scAssignment
	scLambda
	scCaseClause
	scGuard
	scTypedPattern
	scCapturePattern
	scCaseClassPattern
	scNamedPattern
	scEnumerator
	scFor
	scBlock
	scIndentedBlock
	scInterpolated
	scSelfType
	scUsing
	scNumKinds
)

var scalaKinds = [scNumKinds]string{
	scIdentifier: "identifier", scTypeIdentifier: "type_identifier", scOperatorIdentifier: "operator_identifier",
	scComment: "comment", scBlockComment: "block_comment", scPackageClause: "package_clause",
	scPackageObject: "package_object", scImport: "import_declaration", scExport: "export_declaration",
	scSelectors: "namespace_selectors", scArrowRename: "arrow_renamed_identifier", scAsRename: "as_renamed_identifier",
	scNamespaceWildcard: "namespace_wildcard", scClass: "class_definition", scCaseToken: "'case",
	scObject: "object_definition", scTrait: "trait_definition", scEnum: "enum_definition",
	scEnumCases: "enum_case_definitions", scSimpleCase: "simple_enum_case", scFullCase: "full_enum_case",
	scGiven: "given_definition", scWithBody: "with_template_body", scExtension: "extension_definition",
	scTypeDefinition: "type_definition", scVal: "val_definition", scVar: "var_definition",
	scValDeclaration: "val_declaration", scVarDeclaration: "var_declaration", scFunction: "function_definition",
	scFunctionDeclaration: "function_declaration", scClassParameters: "class_parameters",
	scClassParameter: "class_parameter", scValToken: "'val", scVarToken: "'var", scParameter: "parameter",
	scBinding: "binding", scTypeParameters: "type_parameters", scCovariant: "covariant_type_parameter",
	scContravariant: "contravariant_type_parameter", scModifiers: "modifiers", scAccess: "access_modifier",
	scAnnotation: "annotation", scExtends: "extends_clause", scArguments: "arguments", scGenericType: "generic_type",
	scTypeArguments: "type_arguments", scStableType: "stable_type_identifier", scStable: "stable_identifier",
	scProjected: "projected_type", scInstance: "instance_expression", scCompoundType: "compound_type",
	scTemplateBody: "template_body", scCall: "call_expression", scGenericFunction: "generic_function",
	scField: "field_expression", scInfix: "infix_expression", scAssignment: "assignment_expression",
	scLambda: "lambda_expression", scCaseClause: "case_clause", scGuard: "guard", scTypedPattern: "typed_pattern",
	scCapturePattern: "capture_pattern", scCaseClassPattern: "case_class_pattern", scNamedPattern: "named_pattern",
	scEnumerator: "enumerator", scFor: "for_expression", scBlock: "block", scIndentedBlock: "indented_block",
	scInterpolated: "interpolated_string_expression", scSelfType: "self_type", scUsing: "using_directive",
}
