package syntax

// node is one syntax node of a file. A file's nodes lie in one slice in
// preorder: a node's first child, if any, is the next node; a child's next
// sibling is at next, as long as that is less than the parent's next. The
// layout is that of px_node in runtime.h.
type node struct {
	start, end uint32 // bytes [start, end)
	parent     int32  // -1 for the root
	next       int32  // index behind the last descendant
	kind       uint16 // the extractor's kind; kindOther when it names none
	field      field  // the role in the parent
	flags      uint8
}

const (
	nodeNamed   = 1 // not a token that the grammar spells out
	nodeMissing = 2 // inserted by error recovery; empty
	nodeExtra   = 4 // may stand anywhere: comments, errors
	nodeError   = 8
	nodeBroken  = 16 // an error lies in it
)

// Every extractor's kinds begin with these two.
const (
	kindOther uint16 = iota // a kind that the extractor does not name
	kindError               // what the grammar could not parse; its children are ordinary nodes
	kindFirst               // the first kind that an extractor may define
)

// none is the absent node.
const none int32 = -1

// field is a child's role in its parent. One numbering serves all grammars;
// names that no extractor asks for have no number.
type field uint8

const (
	fNone field = iota
	fAlias
	fAlternative
	fArgument
	fArguments
	fAttribute
	fBase
	fBinds
	fBody
	fBound
	fClasses
	fCondition
	fConsequence
	fConstraint
	fConstructor
	fContext
	fDeclarator
	fDecorator
	fDefault
	fDefaultType
	fDefaultValue
	fDefinition
	fDesignator
	fDimensions
	fElement
	fExpression
	fField
	fFunction
	fGuard
	fId
	fIndex
	fInitializer
	fInterfaces
	fKey
	fKind
	fLabel
	fLeft
	fLeftOperand
	fList
	fMacro
	fMember
	fMethod
	fModule
	fModuleName
	fName
	fNames
	fObject
	fOperand
	fOperator
	fPackage
	fParameter
	fParameters
	fPath
	fPattern
	fPatterns
	fPermits
	fProperty
	fReceiver
	fResult
	fReturnType
	fReturns
	fRight
	fRightOperand
	fScope
	fSource
	fSubscript
	fSuperclass
	fSuperclasses
	fTag
	fTrait
	fType
	fTypeArguments
	fTypeParameters
	fUpdate
	fValue
	fVariable
	numFields
)

var fieldNames = [numFields]string{
	fPatterns:     "patterns",
	fNames:        "names",
	fClasses:      "classes",
	fContext:      "context",
	fId:           "id",
	fRightOperand: "right_operand",
	fLeftOperand:  "left_operand",
	fExpression:   "expression",
	fBinds:        "binds",
	fMember:       "member",
	fVariable:     "variable",
	fMethod:       "method",
	fReturns:      "returns",
	fAlias:        "alias", fAlternative: "alternative", fArgument: "argument",
	fArguments: "arguments", fAttribute: "attribute", fBase: "base", fBody: "body",
	fBound: "bound", fCondition: "condition", fConsequence: "consequence",
	fConstraint: "constraint", fConstructor: "constructor",
	fDeclarator: "declarator", fDecorator: "decorator", fDefault: "default",
	fDefaultType: "default_type", fDefaultValue: "default_value",
	fDefinition: "definition", fDesignator: "designator",
	fDimensions: "dimensions", fElement: "element", fField: "field",
	fFunction: "function", fGuard: "guard", fIndex: "index",
	fInitializer: "initializer", fInterfaces: "interfaces", fKey: "key",
	fKind: "kind", fLabel: "label", fLeft: "left", fList: "list",
	fMacro: "macro", fModule: "module", fModuleName: "module_name",
	fName: "name", fObject: "object", fOperand: "operand",
	fOperator: "operator", fPackage: "package", fParameter: "parameter",
	fParameters: "parameters", fPath: "path", fPattern: "pattern",
	fPermits: "permits", fProperty: "property", fReceiver: "receiver",
	fResult: "result", fReturnType: "return_type", fRight: "right",
	fScope: "scope", fSource: "source", fSubscript: "subscript",
	fSuperclass: "superclass", fSuperclasses: "superclasses", fTag: "tag",
	fTrait: "trait", fType: "type", fTypeArguments: "type_arguments",
	fTypeParameters: "type_parameters", fUpdate: "update", fValue: "value",
}

var fieldNumbers = func() map[string]field {
	m := make(map[string]field, numFields)
	for n, name := range fieldNames {
		if name != "" {
			m[name] = field(n)
		}
	}
	return m
}()

// The accessors below take and give node indices. They are methods of
// extraction so that extractors need one value only.

func (x *extraction) kind(i int32) uint16 { return x.nodes[i].kind }

// text is the node's source; valid until Parse returns.
func (x *extraction) text(i int32) []byte {
	n := &x.nodes[i]
	return x.src[n.start:n.end]
}

// first returns the first child, none for a leaf.
func (x *extraction) first(i int32) int32 {
	if x.nodes[i].next > i+1 {
		return i + 1
	}
	return none
}

// after returns the next sibling, none for the last child.
func (x *extraction) after(i int32) int32 {
	n := &x.nodes[i]
	if n.parent >= 0 && n.next < x.nodes[n.parent].next {
		return n.next
	}
	return none
}

// child returns the first child in the field, or none.
func (x *extraction) child(i int32, f field) int32 {
	end := x.nodes[i].next
	for c := i + 1; c < end; c = x.nodes[c].next {
		if x.nodes[c].field == f {
			return c
		}
	}
	return none
}

// childOf returns the first child of the given kind, or none.
func (x *extraction) childOf(i int32, kind uint16) int32 {
	end := x.nodes[i].next
	for c := i + 1; c < end; c = x.nodes[c].next {
		if x.nodes[c].kind == kind {
			return c
		}
	}
	return none
}

// has reports whether the node has a direct child of the kind.
func (x *extraction) has(i int32, kind uint16) bool { return x.childOf(i, kind) != none }

// parentKind returns the kind of the node's parent, kindOther for the root.
func (x *extraction) parentKind(i int32) uint16 {
	if p := x.nodes[i].parent; p >= 0 {
		return x.nodes[p].kind
	}
	return kindOther
}
