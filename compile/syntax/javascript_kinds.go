package syntax

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
	tsTypeAnnotation
	tsAsExpression
	tsSatisfiesExpression
	jsSuper
	jsNumber
	jsReturnStatement
	jsBinaryExpression
	jsTernaryExpression
	jsOf
	tsReadonly
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
	tsImportAlias: "?import_alias", tsTypeAnnotation: "?type_annotation", tsAsExpression: "?as_expression",
	tsSatisfiesExpression: "?satisfies_expression", jsSuper: "super", jsNumber: "number",
	jsReturnStatement: "return_statement", jsBinaryExpression: "binary_expression",
	jsTernaryExpression: "ternary_expression", jsOf: "'of", tsReadonly: "?'readonly",
}

// jsUniverse holds globals that nearly every file uses and hardly any
// declares; their members are occurrences all the same.
var jsUniverse = [...]string{
	"arguments", "undefined", "NaN", "Infinity", "console", "Math", "JSON",
	"Object", "Array", "Number", "String", "Boolean",
}
