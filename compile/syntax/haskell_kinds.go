package syntax

const (
	hsVariable = kindFirst + iota
	hsName
	hsConstructor
	hsOperator
	hsConstructorOperator
	hsComment
	hsHaddock
	hsPragma
	hsHeader
	hsModule
	hsExports
	hsExport
	hsImport
	hsHiding
	hsQualifiedToken
	hsImportList
	hsImportName
	hsDeclarations
	hsClassDeclarations
	hsInstanceDeclarations
	hsLocalBinds
	hsSignature
	hsFunction
	hsBind
	hsPrefixID
	hsInfixID
	hsBindingList
	hsData
	hsNewtype
	hsDataConstructor
	hsNewtypeConstructor
	hsGadtConstructor
	hsPrefix
	hsRecord
	hsInfix
	hsField
	hsFieldName
	hsFieldUpdate
	hsFieldPattern
	hsDeriving
	hsDerivingInstance
	hsClass
	hsInstance
	hsTypeSynonym
	hsTypeFamily
	hsDataFamily
	hsTypeInstance
	hsPatternSynonym
	hsForeignImport
	hsContext
	hsTypeParams
	hsTypePatterns
	hsPatterns
	hsMatch
	hsGuards
	hsDo
	hsLet
	hsLetIn
	hsLambda
	hsAlternative
	hsCase
	hsGenerator
	hsPatternGuard
	hsComprehension
	hsApply
	hsQualified
	hsViewPattern
	hsAs
	hsFixity
	hsParens
	hsEquation
	hsRole
	hsFunctionHead
	hsNumKinds
)

var haskellKinds = [hsNumKinds]string{
	hsVariable: "variable", hsName: "name", hsConstructor: "constructor", hsOperator: "operator",
	hsConstructorOperator: "constructor_operator", hsComment: "comment", hsHaddock: "haddock", hsPragma: "pragma",
	hsHeader: "header", hsModule: "module", hsExports: "exports", hsExport: "export", hsImport: "import",
	hsHiding: "'hiding", hsQualifiedToken: "'qualified", hsImportList: "import_list", hsImportName: "import_name",
	hsDeclarations: "declarations", hsClassDeclarations: "class_declarations",
	hsInstanceDeclarations: "instance_declarations", hsLocalBinds: "local_binds", hsSignature: "signature",
	hsFunction: "function", hsBind: "bind", hsPrefixID: "prefix_id", hsInfixID: "infix_id",
	hsBindingList: "binding_list", hsData: "data_type", hsNewtype: "newtype", hsDataConstructor: "data_constructor",
	hsNewtypeConstructor: "newtype_constructor", hsGadtConstructor: "gadt_constructor", hsPrefix: "prefix",
	hsRecord: "record", hsInfix: "infix", hsField: "field", hsFieldName: "field_name", hsFieldUpdate: "field_update",
	hsFieldPattern: "field_pattern", hsDeriving: "deriving", hsDerivingInstance: "deriving_instance",
	hsClass: "class", hsInstance: "instance", hsTypeSynonym: "type_synomym", hsTypeFamily: "type_family",
	hsDataFamily: "data_family", hsTypeInstance: "type_instance", hsPatternSynonym: "pattern_synonym",
	hsForeignImport: "foreign_import", hsContext: "context", hsTypeParams: "type_params",
	hsTypePatterns: "type_patterns", hsPatterns: "patterns", hsMatch: "match", hsGuards: "guards", hsDo: "do",
	hsLet: "let", hsLetIn: "let_in", hsLambda: "lambda", hsAlternative: "alternative", hsCase: "case",
	hsGenerator: "generator", hsPatternGuard: "pattern_guard", hsComprehension: "list_comprehension",
	hsApply: "apply", hsQualified: "qualified", hsViewPattern: "view_pattern", hsAs: "as", hsFixity: "fixity",
	hsParens: "parens", hsEquation: "equation", hsRole: "role_annotation", hsFunctionHead: "function_head_parens",
}
