package syntax

const (
	rsSourceFile = kindFirst + iota
	rsIdentifier
	rsTypeIdentifier
	rsFieldIdentifier
	rsShorthandFieldIdentifier
	rsLineComment
	rsBlockComment
	rsAttributeItem
	rsInnerAttributeItem
	rsAttribute
	rsVisibilityModifier
	rsModItem
	rsForeignModItem
	rsDeclarationList
	rsStructItem
	rsUnionItem
	rsEnumItem
	rsEnumVariant
	rsFieldDeclaration
	rsExternCrateDeclaration
	rsConstItem
	rsStaticItem
	rsTypeItem
	rsAssociatedType
	rsFunctionItem
	rsFunctionSignatureItem
	rsImplItem
	rsTraitItem
	rsTraitBounds
	rsMacroDefinition
	rsMacroRule
	rsMacroInvocation
	rsTokenTree
	rsTokenTreePattern
	rsTypeParameters
	rsConstrainedTypeParameter
	rsOptionalTypeParameter
	rsConstParameter
	rsTypeBinding
	rsGenericType
	rsGenericTypeWithTurbofish
	rsScopedTypeIdentifier
	rsScopedIdentifier
	rsReferenceType
	rsLetDeclaration
	rsLetCondition
	rsUseDeclaration
	rsScopedUseList
	rsUseList
	rsUseAsClause
	rsUseWildcard
	rsParameter
	rsSelfParameter
	rsClosureParameters
	rsClosureExpression
	rsBlock
	rsIfExpression
	rsWhileExpression
	rsForExpression
	rsMatchArm
	rsMatchPattern
	rsCallExpression
	rsGenericFunction
	rsFieldExpression
	rsStructExpression
	rsFieldInitializer
	rsShorthandFieldInitializer
	rsAssignmentExpression
	rsCompoundAssignmentExpr
	rsTupleStructPattern
	rsStructPattern
	rsFieldPattern
	rsCapturedPattern
	rsRangePattern
	rsLifetime
	rsLabel
	rsSelf
	rsSuper
	rsCrate
	rsNumKinds
)

var rustKinds = [rsNumKinds]string{
	rsSourceFile: "source_file", rsIdentifier: "identifier", rsTypeIdentifier: "type_identifier",
	rsFieldIdentifier: "field_identifier", rsShorthandFieldIdentifier: "shorthand_field_identifier",
	rsLineComment: "line_comment", rsBlockComment: "block_comment",
	rsAttributeItem: "attribute_item", rsInnerAttributeItem: "inner_attribute_item", rsAttribute: "attribute",
	rsVisibilityModifier: "visibility_modifier", rsModItem: "mod_item", rsForeignModItem: "foreign_mod_item",
	rsDeclarationList: "declaration_list", rsStructItem: "struct_item", rsUnionItem: "union_item",
	rsEnumItem: "enum_item", rsEnumVariant: "enum_variant", rsFieldDeclaration: "field_declaration",
	rsExternCrateDeclaration: "extern_crate_declaration", rsConstItem: "const_item",
	rsStaticItem: "static_item", rsTypeItem: "type_item", rsAssociatedType: "associated_type",
	rsFunctionItem: "function_item", rsFunctionSignatureItem: "function_signature_item",
	rsImplItem: "impl_item", rsTraitItem: "trait_item", rsTraitBounds: "trait_bounds",
	rsMacroDefinition: "macro_definition", rsMacroRule: "macro_rule",
	rsMacroInvocation: "macro_invocation", rsTokenTree: "token_tree",
	rsTokenTreePattern: "token_tree_pattern", rsTypeParameters: "type_parameters",
	rsConstrainedTypeParameter: "constrained_type_parameter",
	rsOptionalTypeParameter:    "optional_type_parameter", rsConstParameter: "const_parameter",
	rsTypeBinding: "type_binding", rsGenericType: "generic_type",
	rsGenericTypeWithTurbofish: "generic_type_with_turbofish",
	rsScopedTypeIdentifier:     "scoped_type_identifier", rsScopedIdentifier: "scoped_identifier",
	rsReferenceType: "reference_type", rsLetDeclaration: "let_declaration", rsLetCondition: "let_condition",
	rsUseDeclaration: "use_declaration", rsScopedUseList: "scoped_use_list", rsUseList: "use_list",
	rsUseAsClause: "use_as_clause", rsUseWildcard: "use_wildcard", rsParameter: "parameter",
	rsSelfParameter: "self_parameter", rsClosureParameters: "closure_parameters",
	rsClosureExpression: "closure_expression", rsBlock: "block", rsIfExpression: "if_expression",
	rsWhileExpression: "while_expression", rsForExpression: "for_expression", rsMatchArm: "match_arm",
	rsMatchPattern: "match_pattern", rsCallExpression: "call_expression",
	rsGenericFunction: "generic_function", rsFieldExpression: "field_expression",
	rsStructExpression: "struct_expression", rsFieldInitializer: "field_initializer",
	rsShorthandFieldInitializer: "shorthand_field_initializer",
	rsAssignmentExpression:      "assignment_expression", rsCompoundAssignmentExpr: "compound_assignment_expr",
	rsTupleStructPattern: "tuple_struct_pattern", rsStructPattern: "struct_pattern",
	rsFieldPattern: "field_pattern", rsCapturedPattern: "captured_pattern", rsRangePattern: "range_pattern",
	rsLifetime: "lifetime", rsLabel: "label", rsSelf: "self", rsSuper: "super", rsCrate: "crate",
}
