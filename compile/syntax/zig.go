package syntax

import (
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

const (
	zgIdentifier = kindFirst + iota
	zgComment
	zgVariable
	zgConstToken
	zgVarToken
	zgPubToken
	zgExportToken
	zgFunction
	zgSignature
	zgParameters
	zgParameter
	zgStruct
	zgEnum
	zgUnion
	zgOpaque
	zgErrorSet
	zgContainerField
	zgTest
	zgComptime
	zgUsing
	zgBuiltin
	zgBuiltinIdentifier
	zgBuiltinType
	zgArguments
	zgString
	zgStringContent
	zgCall
	zgField
	zgFieldInitializer
	zgStructInitializer
	zgInitializerList
	zgAssignment
	zgIndex
	zgBlock
	zgPayload
	zgIf
	zgIfExpression
	zgElse
	zgFor
	zgForExpression
	zgWhile
	zgWhileExpression
	zgSwitchCase
	zgCatch
	zgErrdefer
	zgBlockLabel
	zgBreakLabel
	zgReturn
	zgExpressionStatement
	zgNumKinds
)

var zigKinds = [zgNumKinds]string{
	zgIdentifier: "identifier", zgComment: "comment", zgVariable: "variable_declaration", zgConstToken: "'const",
	zgVarToken: "'var", zgPubToken: "'pub", zgExportToken: "'export", zgFunction: "function_declaration",
	zgSignature: "function_signature", zgParameters: "parameters", zgParameter: "parameter",
	zgStruct: "struct_declaration", zgEnum: "enum_declaration", zgUnion: "union_declaration",
	zgOpaque: "opaque_declaration", zgErrorSet: "error_set_declaration", zgContainerField: "container_field",
	zgTest: "test_declaration", zgComptime: "comptime_declaration", zgUsing: "using_namespace_declaration",
	zgBuiltin: "builtin_function", zgBuiltinIdentifier: "builtin_identifier", zgBuiltinType: "builtin_type",
	zgArguments: "arguments", zgString: "string", zgStringContent: "string_content", zgCall: "call_expression",
	zgField: "field_expression", zgFieldInitializer: "field_initializer", zgStructInitializer: "struct_initializer",
	zgInitializerList: "initializer_list", zgAssignment: "assignment_expression", zgIndex: "index_expression",
	zgBlock: "block", zgPayload: "payload", zgIf: "if_statement", zgIfExpression: "if_expression", zgElse: "else_clause",
	zgFor: "for_statement", zgForExpression: "for_expression", zgWhile: "while_statement",
	zgWhileExpression: "while_expression", zgSwitchCase: "switch_case", zgCatch: "catch_expression",
	zgErrdefer: "errdefer_statement", zgBlockLabel: "block_label", zgBreakLabel: "break_label",
	zgReturn: "return_expression", zgExpressionStatement: "expression_statement",
}

var zigUniverse = [...]string{"_", "undefined", "null", "true", "false"}

type zigExtractor struct{ walker }

func extractZig(x *extraction) {
	z := &zigExtractor{newWalker(x)}
	z.walker.visit = z.visit
	z.children(0)
}

func (z *zigExtractor) visit(i int32) {
	switch z.kind(i) {
	case zgIdentifier:
		z.use(z.role, i)
	case zgComment:
		if strings.HasPrefix(string(z.text(i)), "//!") {
			z.lead.ok = false // documents the file
			return
		}
		z.comment(i)
	case zgVariable:
		z.variable(i)
	case zgFunction:
		z.function(i)
	case zgSignature:
		z.pushScope()
		z.typed(i, none)
		z.popScope()
	case zgParameter:
		name := z.child(i, fName)
		z.typed(i, name)
		if name != none {
			z.bind(name)
		}
	case zgContainerField:
		z.field(i)
	case zgStruct, zgEnum, zgUnion, zgOpaque:
		// Without a name: the members belong to what is around it.
		z.childrenAs(artifact.RoleRead, i)
	case zgErrorSet:
		z.errors(i)
	case zgTest:
		z.test(i)
	case zgComptime:
		z.enter()
		z.children(i)
		z.leave()
	case zgUsing:
		if b := z.childOf(i, zgBuiltin); b != none {
			z.importAs(b, "*", "*")
		}
		z.children(i)
	case zgCall:
		function := z.child(i, fFunction)
		z.callee(function)
		for c := z.first(i); c != none; c = z.after(c) {
			if c != function {
				z.as(artifact.RoleRead, c)
			}
		}
	case zgField:
		z.access(z.role, i)
	case zgStructInitializer:
		first := z.first(i)
		z.as(artifact.RoleInstantiate, first)
		z.rest(i, first, none)
	case zgFieldInitializer:
		z.rest(i, z.childOf(i, zgIdentifier), none)
	case zgAssignment:
		z.as(artifact.RoleWrite, z.child(i, fLeft))
		z.as(artifact.RoleRead, z.child(i, fRight))
	case zgIndex:
		z.head(i)
	case zgPayload:
		z.bindAll(i, zgIdentifier)
	case zgIf, zgIfExpression, zgElse, zgFor, zgForExpression, zgWhile, zgWhileExpression, zgSwitchCase, zgCatch, zgErrdefer, zgBlock:
		z.pushScope()
		z.childrenAs(artifact.RoleRead, i)
		z.popScope()
	case zgBlockLabel, zgBreakLabel:
	default:
		z.typed(i, none)
	}
}

// typed visits the children of i except one; those in the type field name
// types.
func (z *zigExtractor) typed(i, except int32) {
	for c := z.first(i); c != none; c = z.after(c) {
		switch {
		case c == except:
		case z.nodes[c].field == fType:
			z.as(artifact.RoleType, c)
		default:
			z.visit(c)
		}
	}
}

func (z *zigExtractor) exported(d, i int32) {
	if z.has(i, zgPubToken) || z.has(i, zgExportToken) {
		z.export(d)
	}
}

// access handles "object.member"; without an object it is a member of the
// type that the place asks for.
func (z *zigExtractor) access(role artifact.Role, i int32) {
	object, member := z.child(i, fObject), z.child(i, fMember)
	if member != none {
		if object != none {
			z.useMember(role, member, object)
		} else {
			z.useAt(role, z.nodes[member].start, z.text(member), ellipsis)
		}
	}
	if object != none && (z.kind(object) != zgIdentifier || !z.isModule(object)) {
		z.as(artifact.RoleRead, object)
	}
}

func (z *zigExtractor) callee(i int32) {
	switch {
	case i == none:
	case z.kind(i) == zgIdentifier:
		z.use(artifact.RoleCall, i)
	case z.kind(i) == zgField:
		z.access(artifact.RoleCall, i)
	default:
		z.as(artifact.RoleRead, i)
	}
}

// importAs notes the import of @import("path"), and reports whether the
// builtin is one.
func (z *zigExtractor) importAs(builtin int32, member, local string) bool {
	if id := z.childOf(builtin, zgBuiltinIdentifier); id == none || string(z.text(id)) != "@import" {
		return false
	}
	args := z.childOf(builtin, zgArguments)
	if args == none {
		return false
	}
	s := z.childOf(args, zgString)
	if s == none {
		return false
	}
	content := z.childOf(s, zgStringContent)
	if content == none {
		return false
	}
	z.addImport(content, z.str(content), member, local)
	return true
}

// variable handles declarations, and assignments, which have the same node.
func (z *zigExtractor) variable(i int32) {
	constant := z.has(i, zgConstToken)
	if !constant && !z.has(i, zgVarToken) {
		z.target(i)
		return
	}
	name, value := z.childOf(i, zgIdentifier), none
	for c := z.first(i); c != none; c = z.after(c) {
		if k := z.kind(c); c != name && z.nodes[c].field != fType && k != zgConstToken && k != zgVarToken && k != zgPubToken && k != zgExportToken && k != zgComment {
			value = c
		}
	}
	if name == none {
		z.typed(i, none)
		return
	}
	if value != none && z.imports(name, value) {
		z.bind(name)
		z.visit(value)
		return
	}
	kind := artifact.KindVariable
	if constant {
		kind = artifact.KindConstant
	}
	container := false
	if value != none {
		container = true
		switch z.kind(value) {
		case zgStruct, zgOpaque:
			kind = artifact.KindStruct
		case zgEnum, zgErrorSet:
			kind = artifact.KindEnum
		case zgUnion:
			kind = artifact.KindUnion
		default:
			container = false
		}
	}
	if z.callables > 0 && !container {
		z.typed(i, name)
		z.bind(name)
		return
	}
	d := z.begin(kind, i, name)
	z.exported(d, i)
	if container {
		z.containerSignature(d, value)
		if kind == artifact.KindUnion || kind == artifact.KindStruct {
			z.pushScope()
			z.typed(i, name)
			z.popScope()
			z.end()
			return
		}
	}
	z.typed(i, name)
	z.end()
}

// containerSignature ends the signature in front of the brace of the
// container that is the value.
func (z *zigExtractor) containerSignature(d, value int32) {
	if d < 0 {
		return
	}
	if j := strings.IndexByte(string(z.text(value)), '{'); j >= 0 {
		decl := &z.facts.Decls[d]
		decl.SigEnd = z.trimEnd(decl.SigStart, z.nodes[value].start+uint32(j))
	}
}

// imports notes `@import("a")` and `@import("a").b` as the value of a name.
func (z *zigExtractor) imports(name, value int32) bool {
	member := ""
	for z.kind(value) == zgField {
		if m := z.child(value, fMember); m != none {
			if member != "" {
				member = z.str(m) + "." + member
			} else {
				member = z.str(m)
			}
		}
		if value = z.child(value, fObject); value == none {
			return false
		}
		if len(member) > maxReceiver {
			return false
		}
	}
	return z.kind(value) == zgBuiltin && z.importAs(value, member, z.str(name))
}

// target handles an assignment.
func (z *zigExtractor) target(i int32) {
	first := z.first(i)
	z.as(artifact.RoleWrite, first)
	for c := first; c != none; c = z.after(c) {
		if c != first {
			z.as(artifact.RoleRead, c)
		}
	}
}

func (z *zigExtractor) field(i int32) {
	name := z.child(i, fName)
	if name == none || z.kind(name) != zgIdentifier || z.nodes[name].start == z.nodes[name].end {
		z.typed(i, none)
		return
	}
	kind := artifact.KindField
	if z.parentKind(i) == zgEnum {
		kind = artifact.KindEnumMember
	}
	if z.parent() < 0 && z.callables > 0 {
		z.typed(i, name)
		return
	}
	z.inherit(z.begin(kind, i, name))
	z.typed(i, name)
	z.end()
}

func (z *zigExtractor) errors(i int32) {
	for c := z.first(i); c != none; c = z.after(c) {
		if z.kind(c) == zgIdentifier && z.parentDeclKind() == artifact.KindEnum {
			z.inherit(z.leaf(artifact.KindEnumMember, c, c))
		} else if z.kind(c) == zgComment {
			z.comment(c)
		}
	}
}

// function declares a function. One that returns a type which its body spells
// out is that type's declaration, with the members in it.
func (z *zigExtractor) function(i int32) {
	name, body := z.child(i, fName), z.child(i, fBody)
	container := z.returned(i, body)
	kind := artifact.KindFunction
	switch {
	case container != none:
		kind = artifact.KindStruct
		switch z.kind(container) {
		case zgUnion:
			kind = artifact.KindUnion
		case zgEnum:
			kind = artifact.KindEnum
		}
	case z.parentDeclKind().Container():
		kind = artifact.KindMethod
	}
	d := z.begin(kind, i, name)
	z.exported(d, i)
	z.signature(d, i, body)
	if body == none {
		z.flag(d, artifact.SymbolForward)
	}
	if container != none {
		z.pushScope()
	} else {
		z.enter()
	}
	// The parameters come before the result that names them.
	params := z.childOf(i, zgParameters)
	z.opt(params)
	for c := z.first(i); c != none; c = z.after(c) {
		switch {
		case c == name || c == body || c == params:
		case z.nodes[c].field == fType:
			z.as(artifact.RoleType, c)
		default:
			z.visit(c)
		}
	}
	if body != none {
		z.as(artifact.RoleRead, body)
	}
	if container != none {
		z.popScope()
	} else {
		z.leave()
	}
	z.end()
}

// returned returns the container that a function of result "type" returns as
// a statement of its body, or none.
func (z *zigExtractor) returned(i, body int32) int32 {
	typ := z.child(i, fType)
	if body == none || typ == none || z.kind(typ) != zgBuiltinType || string(z.text(typ)) != "type" || z.callables > 0 {
		return none
	}
	for c := z.first(body); c != none; c = z.after(c) {
		r := z.childOf(c, zgReturn)
		if z.kind(c) != zgExpressionStatement || r == none {
			continue
		}
		switch v := z.first(r); {
		case v == none:
		case z.kind(v) == zgStruct || z.kind(v) == zgUnion || z.kind(v) == zgEnum:
			return v
		}
	}
	return none
}

// test declares a test as a function called "test NAME".
func (z *zigExtractor) test(i int32) {
	name, at := "test", z.nodes[i].start
	if s := z.childOf(i, zgString); s != none {
		if t := z.text(s); len(t) > 2 {
			name, at = "test "+string(t[1:len(t)-1]), z.nodes[s].start
		}
	} else if id := z.childOf(i, zgIdentifier); id != none {
		name, at = "test "+string(z.text(id)), z.nodes[id].start
	}
	d := z.beginNamed(artifact.KindFunction, i, i, z.intern([]byte(name)), at)
	z.signature(d, i, z.childOf(i, zgBlock))
	z.enter()
	z.children(i)
	z.leave()
	z.end()
}
