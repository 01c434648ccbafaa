package syntax

const (
	rbIdentifier = kindFirst + iota
	rbConstant
	rbComment
	rbModule
	rbClass
	rbSingletonClass
	rbSuperclass
	rbMethod
	rbSingletonMethod
	rbMethodParameters
	rbBlockParameters
	rbLambdaParameters
	rbDestructuredParameter
	rbOptionalParameter
	rbKeywordParameter
	rbSplatParameter
	rbHashSplatParameter
	rbBlockParameter
	rbBlock
	rbDoBlock
	rbLambda
	rbAlias
	rbAssignment
	rbOperatorAssignment
	rbLeftAssignmentList
	rbDestructuredLeft
	rbRestAssignment
	rbCall
	rbArgumentList
	rbBlockArgument
	rbSimpleSymbol
	rbString
	rbStringContent
	rbScopeResolution
	rbInstanceVariable
	rbClassVariable
	rbGlobalVariable
	rbSelf
	rbFor
	rbRescue
	rbExceptions
	rbExceptionVariable
	rbInClause
	rbMatchPattern
	rbTestPattern
	rbKeywordPattern
	rbVariableReferencePattern
	rbHashKeySymbol
	rbPair
	rbBodyStatement
	rbUndef
	rbNumKinds
)

var rubyKinds = [rbNumKinds]string{
	rbIdentifier: "identifier", rbConstant: "constant", rbComment: "comment", rbModule: "module", rbClass: "class",
	rbSingletonClass: "singleton_class", rbSuperclass: "superclass", rbMethod: "method",
	rbSingletonMethod: "singleton_method", rbMethodParameters: "method_parameters",
	rbBlockParameters: "block_parameters", rbLambdaParameters: "lambda_parameters",
	rbDestructuredParameter: "destructured_parameter", rbOptionalParameter: "optional_parameter",
	rbKeywordParameter: "keyword_parameter", rbSplatParameter: "splat_parameter",
	rbHashSplatParameter: "hash_splat_parameter", rbBlockParameter: "block_parameter", rbBlock: "block",
	rbDoBlock: "do_block", rbLambda: "lambda", rbAlias: "alias", rbAssignment: "assignment",
	rbOperatorAssignment: "operator_assignment", rbLeftAssignmentList: "left_assignment_list",
	rbDestructuredLeft: "destructured_left_assignment", rbRestAssignment: "rest_assignment", rbCall: "call",
	rbArgumentList: "argument_list", rbBlockArgument: "block_argument", rbSimpleSymbol: "simple_symbol",
	rbString: "string", rbStringContent: "string_content", rbScopeResolution: "scope_resolution",
	rbInstanceVariable: "instance_variable", rbClassVariable: "class_variable", rbGlobalVariable: "global_variable",
	rbSelf: "self", rbFor: "for", rbRescue: "rescue", rbExceptions: "exceptions",
	rbExceptionVariable: "exception_variable", rbInClause: "in_clause", rbMatchPattern: "match_pattern",
	rbTestPattern: "test_pattern", rbKeywordPattern: "keyword_pattern",
	rbVariableReferencePattern: "variable_reference_pattern", rbHashKeySymbol: "hash_key_symbol", rbPair: "pair",
	rbBodyStatement: "body_statement", rbUndef: "undef",
}
