package syntax

const (
	goSourceFile = kindFirst + iota
	goComment
	goIdentifier
	goTypeIdentifier
	goFieldIdentifier
	goPackageIdentifier
	goBlankIdentifier
	goDot
	goDefine
	goPackageClause
	goImportSpec
	goConstDeclaration
	goConstSpec
	goVarDeclaration
	goVarSpec
	goVarSpecList
	goTypeDeclaration
	goTypeSpec
	goTypeAlias
	goFunctionDeclaration
	goMethodDeclaration
	goParameterDeclaration
	goVariadicParameterDeclaration
	goTypeParameterDeclaration
	goTypeArguments
	goGenericType
	goQualifiedType
	goPointerType
	goStructType
	goInterfaceType
	goMapType
	goSliceType
	goArrayType
	goImplicitLengthArrayType
	goFieldDeclarationList
	goFieldDeclaration
	goMethodElem
	goTypeElem
	goBlock
	goIfStatement
	goForStatement
	goRangeClause
	goExpressionSwitchStatement
	goTypeSwitchStatement
	goSelectStatement
	goExpressionCase
	goTypeCase
	goDefaultCase
	goCommunicationCase
	goReceiveStatement
	goAssignmentStatement
	goIncStatement
	goDecStatement
	goShortVarDeclaration
	goExpressionList
	goCallExpression
	goSelectorExpression
	goCompositeLiteral
	goLiteralValue
	goLiteralElement
	goKeyedElement
	goFuncLiteral
	goNumKinds
)

var goKinds = [goNumKinds]string{
	goSourceFile: "source_file", goComment: "comment", goIdentifier: "identifier",
	goTypeIdentifier: "type_identifier", goFieldIdentifier: "field_identifier",
	goPackageIdentifier: "package_identifier", goBlankIdentifier: "blank_identifier",
	goDot: "dot", goDefine: "':=", goPackageClause: "package_clause", goImportSpec: "import_spec",
	goConstDeclaration: "const_declaration", goConstSpec: "const_spec",
	goVarDeclaration: "var_declaration", goVarSpec: "var_spec", goVarSpecList: "var_spec_list",
	goTypeDeclaration: "type_declaration", goTypeSpec: "type_spec", goTypeAlias: "type_alias",
	goFunctionDeclaration: "function_declaration", goMethodDeclaration: "method_declaration",
	goParameterDeclaration:         "parameter_declaration",
	goVariadicParameterDeclaration: "variadic_parameter_declaration",
	goTypeParameterDeclaration:     "type_parameter_declaration", goTypeArguments: "type_arguments",
	goGenericType: "generic_type", goQualifiedType: "qualified_type", goPointerType: "pointer_type",
	goStructType: "struct_type", goInterfaceType: "interface_type", goMapType: "map_type",
	goSliceType: "slice_type", goArrayType: "array_type",
	goImplicitLengthArrayType: "implicit_length_array_type",
	goFieldDeclarationList:    "field_declaration_list", goFieldDeclaration: "field_declaration",
	goMethodElem: "method_elem", goTypeElem: "type_elem", goBlock: "block",
	goIfStatement: "if_statement", goForStatement: "for_statement", goRangeClause: "range_clause",
	goExpressionSwitchStatement: "expression_switch_statement",
	goTypeSwitchStatement:       "type_switch_statement", goSelectStatement: "select_statement",
	goExpressionCase: "expression_case", goTypeCase: "type_case", goDefaultCase: "default_case",
	goCommunicationCase: "communication_case", goReceiveStatement: "receive_statement",
	goAssignmentStatement: "assignment_statement", goIncStatement: "inc_statement",
	goDecStatement: "dec_statement", goShortVarDeclaration: "short_var_declaration",
	goExpressionList: "expression_list", goCallExpression: "call_expression",
	goSelectorExpression: "selector_expression", goCompositeLiteral: "composite_literal",
	goLiteralValue: "literal_value", goLiteralElement: "literal_element",
	goKeyedElement: "keyed_element", goFuncLiteral: "func_literal",
}
