package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

const (
	luaIdentifier = kindFirst + iota
	luaComment
	luaFunction
	luaFunctionDefinition
	luaDotIndex
	luaMethodIndex
	luaBracketIndex
	luaParameters
	luaVariableDeclaration
	luaAssignment
	luaVariableList
	luaExpressionList
	luaTable
	luaField
	luaCall
	luaArguments
	luaString
	luaStringContent
	luaBlock
	luaFor
	luaForNumeric
	luaForGeneric
	luaAttribute
	luaGoto
	luaLabel
	luaLocal
	luaOpenBracket
	luaRepeat
	luaNumKinds
)

var luaKinds = [luaNumKinds]string{
	luaIdentifier: "identifier", luaComment: "comment", luaFunction: "function_declaration",
	luaFunctionDefinition: "function_definition", luaDotIndex: "dot_index_expression",
	luaMethodIndex: "method_index_expression", luaBracketIndex: "bracket_index_expression",
	luaParameters: "parameters", luaVariableDeclaration: "variable_declaration", luaAssignment: "assignment_statement",
	luaVariableList: "variable_list", luaExpressionList: "expression_list", luaTable: "table_constructor",
	luaField: "field", luaCall: "function_call", luaArguments: "arguments", luaString: "string",
	luaStringContent: "string_content", luaBlock: "block", luaFor: "for_statement", luaForNumeric: "for_numeric_clause",
	luaForGeneric: "for_generic_clause", luaAttribute: "attribute", luaGoto: "goto_statement",
	luaLabel: "label_statement", luaLocal: "'local", luaOpenBracket: "'[", luaRepeat: "repeat_statement",
}

var luaUniverse = [...]string{"_", "_G", "_ENV"}

// luaExtractor walks a Lua file. What a file declares at its top, local or
// not, are declarations; the locals of functions and blocks are bound.
type luaExtractor struct{ walker }

func extractLua(x *extraction) {
	l := &luaExtractor{newWalker(x)}
	l.walker.visit = l.visit
	l.children(0)
}

func (l *luaExtractor) visit(i int32) {
	switch l.kind(i) {
	case luaIdentifier:
		l.use(l.role, i)
	case luaComment:
		l.comment(i)
	case luaFunction:
		l.function(i)
	case luaFunctionDefinition:
		l.enter()
		l.functionParts(i)
		l.leave()
	case luaDotIndex, luaMethodIndex, luaBracketIndex:
		l.index(l.role, i)
	case luaVariableDeclaration:
		l.locals(i)
	case luaAssignment:
		l.assignment(i)
	case luaField:
		// A name without brackets is a key, no use.
		name := l.child(i, fName)
		if name != none && l.kind(name) == luaIdentifier && !l.has(i, luaOpenBracket) {
			l.rest(i, name, none)
		} else {
			l.children(i)
		}
	case luaCall:
		l.call(i)
	case luaBlock:
		l.scope(i)
	case luaFor:
		l.pushScope()
		l.children(i)
		l.popScope()
	case luaRepeat:
		// The condition sees the body's locals.
		l.pushScope()
		if body := l.child(i, fBody); body != none {
			l.children(body)
		}
		l.opt(l.child(i, fCondition))
		l.popScope()
	case luaForNumeric:
		name := l.child(i, fName)
		l.rest(i, name, none)
		if name != none {
			l.bind(name)
		}
	case luaForGeneric:
		names := l.childOf(i, luaVariableList)
		l.rest(i, names, none)
		if names != none {
			l.bindAll(names, luaIdentifier)
		}
	case luaAttribute, luaGoto, luaLabel:
	default:
		l.children(i)
	}
}

// global reports whether what is assigned here belongs to the file.
func (l *luaExtractor) global() bool { return l.callables == 0 && len(l.marks) == 0 }

// index handles "a.b", "a:b" and "a[b]".
func (l *luaExtractor) index(role artifact.Role, i int32) {
	table := l.first(i)
	if name := l.indexName(i); name != none {
		l.useMember(role, name, table)
		if table != none && (l.kind(table) != luaIdentifier || !l.isModule(table)) {
			l.as(artifact.RoleRead, table)
		}
		return
	}
	l.childrenAs(artifact.RoleRead, i)
}

// indexName returns the name behind the last dot or colon, none for "a[b]".
func (l *luaExtractor) indexName(i int32) int32 {
	switch l.kind(i) {
	case luaDotIndex:
		return l.child(i, fField)
	case luaMethodIndex:
		return l.child(i, fMethod)
	}
	return none
}

// function handles "function t.a.b:c() end".
func (l *luaExtractor) function(i int32) {
	name := l.child(i, fName)
	if name == none {
		l.children(i)
		return
	}
	d, method := l.beginFunction(i, name)
	if l.has(i, luaLocal) {
		l.facts.Decls[max(d, 0)].Flags &^= artifact.SymbolExported
	}
	l.luaSignature(d, i)
	l.enter()
	if method {
		l.bindName("self")
	}
	l.functionParts(i)
	l.leave()
	l.end()
}

// beginFunction begins the declaration of a function with that name, which
// may be a chain.
func (l *luaExtractor) beginFunction(i, name int32) (d int32, method bool) {
	kind := artifact.KindFunction
	method = l.kind(name) == luaMethodIndex
	if method {
		kind = artifact.KindMethod
	}
	last := name
	if l.kind(name) != luaIdentifier {
		last = l.indexName(name)
	}
	d = l.begin(kind, i, last)
	if last != name {
		l.owner(d, l.first(name))
	}
	l.exported(d)
	return d, method
}

// owner says that d is a member of the table that node i names.
func (l *luaExtractor) owner(d, i int32) {
	if i == none {
		return
	}
	name := i
	if l.kind(i) != luaIdentifier {
		l.owner(d, l.first(i))
		name = l.indexName(i)
	}
	if name != none {
		l.own(d, artifact.KindModule, l.str(name))
	}
}

// exported applies the convention that a leading underscore is private.
func (l *luaExtractor) exported(d int32) {
	if d >= 0 && l.facts.Decls[d].Name[0] != '_' {
		l.export(d)
	}
}

func (l *luaExtractor) luaSignature(d, i int32) {
	if params := l.child(i, fParameters); d >= 0 && params != none {
		decl := &l.facts.Decls[d]
		decl.SigEnd = l.nodes[params].end
	}
}

func (l *luaExtractor) functionParts(i int32) {
	if params := l.child(i, fParameters); params != none {
		l.bindAll(params, luaIdentifier)
	}
	if body := l.child(i, fBody); body != none {
		l.as(artifact.RoleRead, body)
	}
}

// locals handles "local a, b = …".
func (l *luaExtractor) locals(i int32) {
	assign := l.childOf(i, luaAssignment)
	list := i
	if assign != none {
		list = assign
	}
	names, values := l.childOf(list, luaVariableList), l.childOf(list, luaExpressionList)
	if names == none {
		l.children(i)
		return
	}
	if l.global() {
		l.declare(i, names, values, true)
		return
	}
	l.opt(values)
	l.requires(names, values)
	for c := l.first(names); c != none; c = l.after(c) {
		if l.kind(c) == luaIdentifier {
			l.bind(c)
		}
	}
}

func (l *luaExtractor) assignment(i int32) {
	names, values := l.childOf(i, luaVariableList), l.childOf(i, luaExpressionList)
	if names != none && l.global() {
		l.declare(i, names, values, false)
		return
	}
	l.opt(values)
	if names != none {
		l.childrenAs(artifact.RoleWrite, names)
	}
}

// declare handles an assignment at file level.
func (l *luaExtractor) declare(i, names, values int32, local bool) {
	value := none
	if values != none {
		value = l.first(values)
	}
	from, first := i, l.first(names)
	last := none
	for c := first; c != none; c = l.after(c) {
		if l.kind(c) != luaAttribute {
			last = c
		}
	}
	for c := first; c != none; c = l.after(c) {
		if l.kind(c) == luaAttribute {
			continue
		}
		to := c
		if c == last {
			to = i
		}
		l.declareOne(from, to, c, value, local)
		if value != none {
			value = l.after(value)
		}
		if from = l.after(c); from == none {
			from = c
		}
	}
	for ; value != none; value = l.after(value) {
		l.visit(value)
	}
}

func (l *luaExtractor) declareOne(from, to, target, value int32, local bool) {
	name := target
	if l.kind(target) != luaIdentifier {
		name = l.indexName(target)
	}
	if value != none && l.kind(target) == luaIdentifier && l.require(target, value) {
		l.visit(value)
		return
	}
	switch {
	case name == none || !l.once(target):
		l.as(artifact.RoleWrite, target)
		if value != none {
			l.visit(value)
		}
		return
	}
	kind := artifact.KindVariable
	switch {
	case value != none && l.kind(value) == luaFunctionDefinition:
		kind = artifact.KindFunction
	case name != target:
		kind = artifact.KindField
	}
	d := l.beginSpan(kind, from, to, name)
	if name != target {
		l.owner(d, l.first(target))
	}
	if !local {
		l.exported(d)
	}
	switch {
	case value == none:
	case kind == artifact.KindFunction:
		l.luaSignature(d, value)
		l.visit(value)
	case l.kind(value) == luaTable:
		l.signature(d, from, value)
		l.table(value, true)
	default:
		l.visit(value)
	}
	l.end()
}

// table declares the fields of a table at file level: all of the outer
// table's, and of those inside it the functions.
func (l *luaExtractor) table(i int32, outer bool) {
	for c := l.first(i); c != none; c = l.after(c) {
		if l.kind(c) != luaField {
			l.visit(c)
			continue
		}
		name, value := l.child(c, fName), l.child(c, fValue)
		bracket := l.has(c, luaOpenBracket)
		if name == none || value == none || bracket || l.kind(name) != luaIdentifier {
			if bracket {
				l.opt(name)
			}
			if value != none && l.kind(value) == luaTable {
				l.table(value, false)
			} else {
				l.opt(value)
			}
			continue
		}
		kind := artifact.KindField
		if l.kind(value) == luaFunctionDefinition {
			kind = artifact.KindFunction
		} else if !outer {
			l.lead.ok = false
			if l.kind(value) == luaTable {
				l.table(value, false)
			} else {
				l.visit(value)
			}
			continue
		}
		d := l.begin(kind, c, name)
		l.inherit(d)
		switch {
		case kind == artifact.KindFunction:
			l.luaSignature(d, value)
			l.visit(value)
		case l.kind(value) == luaTable:
			l.table(value, false)
		default:
			l.visit(value)
		}
		l.end()
	}
}

// requires notes the imports among the values of a local declaration.
func (l *luaExtractor) requires(names, values int32) {
	if values == none {
		return
	}
	value := l.first(values)
	for c := l.first(names); c != none && value != none; c = l.after(c) {
		if l.kind(c) == luaIdentifier {
			l.require(c, value)
			value = l.after(value)
		}
	}
}

// require notes the import that `require "m"` or `require("m").name` binds to
// a name.
func (l *luaExtractor) require(local, value int32) bool {
	member := ""
	call := value
	if l.kind(value) == luaDotIndex {
		call = l.first(value)
		if name := l.indexName(value); name != none {
			member = l.str(name)
		}
	}
	if call == none || l.kind(call) != luaCall {
		return false
	}
	if name := l.child(call, fName); name == none || string(l.text(name)) != "require" {
		return false
	}
	args := l.child(call, fArguments)
	if args == none {
		return false
	}
	if l.kind(args) == luaArguments {
		args = l.first(args)
	}
	if args == none || l.kind(args) != luaString {
		return false
	}
	content := l.childOf(args, luaStringContent)
	if content == none {
		return false
	}
	module := l.intern(bytes.TrimSpace(l.text(content)))
	l.addImport(content, module, member, l.str(local))
	return true
}

func (l *luaExtractor) call(i int32) {
	name := l.child(i, fName)
	switch {
	case name == none:
	case l.kind(name) == luaIdentifier:
		l.use(artifact.RoleCall, name)
	case l.kind(name) == luaDotIndex || l.kind(name) == luaMethodIndex:
		l.index(artifact.RoleCall, name)
	default:
		l.as(artifact.RoleRead, name)
	}
	if args := l.child(i, fArguments); args != none {
		l.as(artifact.RoleRead, args)
	}
}
