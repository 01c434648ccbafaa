package syntax

const (
	pyModule = kindFirst + iota
	pyIdentifier
	pyComment
	pyBlock
	pyFunctionDefinition
	pyClassDefinition
	pyDecoratedDefinition
	pyDecorator
	pyParameters
	pyLambdaParameters
	pyLambda
	pyDefaultParameter
	pyTypedParameter
	pyTypedDefaultParameter
	pyListSplatPattern
	pyDictionarySplatPattern
	pyTuplePattern
	pyListPattern
	pyPatternList
	pyAssignment
	pyAugmentedAssignment
	pyNamedExpression
	pyExpressionStatement
	pyAttribute
	pyCall
	pyArgumentList
	pyKeywordArgument
	pySubscript
	pyString
	pyStringContent
	pyConcatenatedString
	pyType
	pyTypeParameter
	pyTypeAliasStatement
	pyMemberType
	pyImportStatement
	pyImportFromStatement
	pyFutureImportStatement
	pyAliasedImport
	pyDottedName
	pyRelativeImport
	pyWildcardImport
	pyForStatement
	pyForInClause
	pyListComprehension
	pySetComprehension
	pyDictionaryComprehension
	pyGeneratorExpression
	pyAsPattern
	pyAsPatternTarget
	pyGlobalStatement
	pyNonlocalStatement
	pyCasePattern
	pyKeywordPattern
	pySplatPattern
	pyClassPattern
	pyList
	pyTuple
	pyParenthesizedExpression
	pyInterpolation
	pyReturnStatement
	pyYield
	pyAwait
	pyWithItem
	pyExceptClause
	pyIfStatement
	pyAssertStatement
	pyBooleanOperator
	pyConditionalExpression
	pyInteger
	pyNumKinds
)

var pythonKinds = [pyNumKinds]string{
	pyModule: "module", pyIdentifier: "identifier", pyComment: "comment", pyBlock: "block",
	pyFunctionDefinition: "function_definition", pyClassDefinition: "class_definition",
	pyDecoratedDefinition: "decorated_definition", pyDecorator: "decorator",
	pyParameters: "parameters", pyLambdaParameters: "lambda_parameters", pyLambda: "lambda",
	pyDefaultParameter: "default_parameter", pyTypedParameter: "typed_parameter",
	pyTypedDefaultParameter: "typed_default_parameter",
	pyListSplatPattern:      "list_splat_pattern", pyDictionarySplatPattern: "dictionary_splat_pattern",
	pyTuplePattern: "tuple_pattern", pyListPattern: "list_pattern", pyPatternList: "pattern_list",
	pyAssignment: "assignment", pyAugmentedAssignment: "augmented_assignment",
	pyNamedExpression: "named_expression", pyExpressionStatement: "expression_statement",
	pyAttribute: "attribute", pyCall: "call", pyArgumentList: "argument_list",
	pyKeywordArgument: "keyword_argument", pySubscript: "subscript",
	pyString: "string", pyStringContent: "string_content", pyConcatenatedString: "concatenated_string",
	pyType: "type", pyTypeParameter: "type_parameter", pyTypeAliasStatement: "type_alias_statement",
	pyMemberType:      "member_type",
	pyImportStatement: "import_statement", pyImportFromStatement: "import_from_statement",
	pyFutureImportStatement: "future_import_statement", pyAliasedImport: "aliased_import",
	pyDottedName: "dotted_name", pyRelativeImport: "relative_import", pyWildcardImport: "wildcard_import",
	pyForStatement: "for_statement", pyForInClause: "for_in_clause",
	pyListComprehension: "list_comprehension", pySetComprehension: "set_comprehension",
	pyDictionaryComprehension: "dictionary_comprehension", pyGeneratorExpression: "generator_expression",
	pyAsPattern: "as_pattern", pyAsPatternTarget: "as_pattern_target",
	pyGlobalStatement: "global_statement", pyNonlocalStatement: "nonlocal_statement",
	pyCasePattern: "case_pattern", pyKeywordPattern: "keyword_pattern", pySplatPattern: "splat_pattern",
	pyClassPattern: "class_pattern", pyList: "list", pyTuple: "tuple",
	pyParenthesizedExpression: "parenthesized_expression", pyInterpolation: "interpolation",
	pyReturnStatement: "return_statement", pyYield: "yield", pyAwait: "await", pyWithItem: "with_item",
	pyExceptClause: "except_clause", pyIfStatement: "if_statement", pyAssertStatement: "assert_statement",
	pyBooleanOperator: "boolean_operator", pyConditionalExpression: "conditional_expression", pyInteger: "integer",
}
