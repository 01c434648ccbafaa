package syntax

import "github.com/pindex-dev/pindex/artifact"

// Variables and what they are initialized with.

// variables handles const, let and var. outer is the export statement around
// it, or itself.
func (j *jsExtractor) variables(outer, i int32) {
	exporting := j.exporting
	j.exporting = false
	first, last := none, none
	for c := j.first(i); c != none; c = j.after(c) {
		if j.kind(c) == jsVariableDeclarator {
			if first == none {
				first = c
			}
			last = c
		}
	}
	isConst := j.has(i, jsConst)
	for c := j.first(i); c != none; c = j.after(c) {
		if j.kind(c) != jsVariableDeclarator {
			if j.kind(c) == jsComment {
				j.visit(c)
			}
			continue
		}
		from, to := c, c
		if c == first {
			from = outer
		}
		if c == last {
			to = outer
		}
		j.exporting = exporting
		j.variable(from, to, c, isConst)
	}
	j.exporting = false
}

func (j *jsExtractor) variable(from, to, i int32, isConst bool) {
	name, value := j.child(i, fName), j.child(i, fValue)
	if name == none {
		j.children(i)
		return
	}
	if value != none && j.required(name, value) {
		return
	}
	local := j.callables > 0 || len(j.marks) > 0 && j.parent() < 0
	if j.kind(name) != jsIdentifier {
		j.opt(j.child(i, fType))
		j.opt(value)
		if local {
			j.patternUses(name, j.declaredHint(j.child(i, fType), value))
		} else {
			j.declarePattern(from, to, name, j.declaredHint(j.child(i, fType), value))
		}
		return
	}
	unwrapped := value
	for unwrapped != none && j.kind(unwrapped) == jsParenthesizedExpression {
		unwrapped = j.first(unwrapped)
	}
	if value != none && !local && j.exportsChain(value) {
		j.exportAs(name, "default")
	}
	switch {
	case j.isFunction(unwrapped):
		d := j.beginSpan(artifact.KindFunction, from, to, name)
		j.exported(d, i)
		j.opt(j.child(i, fType))
		j.finishFunction(d, from, unwrapped)
		j.end()
	case unwrapped != none && j.kind(unwrapped) == jsClass:
		d := j.beginSpan(artifact.KindClass, from, to, name)
		j.exported(d, i)
		j.signature(d, from, j.body(unwrapped))
		j.classParts(unwrapped)
		j.end()
	case local:
		j.opt(j.child(i, fType))
		j.opt(value)
	case j.holdsFunctions(unwrapped, maxObjects):
		d := j.beginSpan(artifact.KindObject, from, to, name)
		j.exported(d, i)
		j.signature(d, from, unwrapped)
		j.hintFor(d, j.writtenHint(j.child(i, fType)))
		j.opt(j.child(i, fType))
		j.members(unwrapped)
		j.end()
	default:
		kind := artifact.KindVariable
		if isConst && isUpper(j.text(name)) {
			kind = artifact.KindConstant
		}
		d := j.beginSpan(kind, from, to, name)
		j.exported(d, i)
		j.hintFor(d, j.declaredHint(j.child(i, fType), value))
		j.opt(j.child(i, fType))
		j.opt(value)
		j.end()
	}
}

// declarePattern declares the names of a destructuring pattern at file level.
func (j *jsExtractor) declarePattern(from, to, pattern int32, hint string) {
	var names []int32
	for k := pattern + 1; k < j.nodes[pattern].next; k++ {
		switch j.kind(k) {
		case jsShorthandPropertyIdentifierPattern:
			names = append(names, k)
		case jsIdentifier:
			names = append(names, k)
		case jsAssignmentPattern, jsObjectAssignmentPattern:
			if r := j.child(k, fRight); r != none {
				j.visit(r)
				if l := j.child(k, fLeft); l != none && (j.kind(l) == jsIdentifier || j.kind(l) == jsShorthandPropertyIdentifierPattern) {
					names = append(names, l)
				}
				k = j.nodes[k].next - 1
			}
		}
	}
	exporting := j.exporting
	for n, k := range names {
		start, end := k, k
		if n == 0 {
			start = from
		}
		if n == len(names)-1 {
			end = to
		}
		d := j.leafSpan(artifact.KindVariable, start, end, k)
		j.exporting = exporting
		j.exported(d, k)
		switch up := j.parentKind(k); {
		case j.kind(k) == jsShorthandPropertyIdentifierPattern && up == jsObjectPattern:
			j.hintFor(d, memberHint(hint, j.text(k)))
		case up == jsPairPattern && j.child(j.nodes[k].parent, fKey) != none:
			j.hintFor(d, memberHint(hint, j.text(j.child(j.nodes[k].parent, fKey))))
		}
	}
}

// required handles "x = require('y')" and "{a, b: c} = require('y')" as the
// imports that they are, and reports whether it was one.
func (j *jsExtractor) required(name, value int32) bool {
	if !j.requires(name, value) {
		return false
	}
	member := none
	if j.kind(value) == jsMemberExpression {
		member = j.child(value, fProperty)
		value = j.child(value, fObject)
	}
	if value == none || j.kind(value) != jsCallExpression {
		return false
	}
	fn := j.child(value, fFunction)
	if fn == none || j.kind(fn) != jsIdentifier || string(j.text(fn)) != "require" || j.isLocal(fn) {
		return false
	}
	module, ok := j.moduleArgument(value)
	if !ok {
		return false
	}
	switch j.kind(name) {
	case jsIdentifier:
		if member != none {
			j.addImport(name, module, j.str(member), j.str(name))
		} else {
			j.addImport(name, module, "", j.str(name))
		}
		j.useMember(artifact.RoleImport, name, none)
	case jsObjectPattern:
		for c := j.first(name); c != none; c = j.after(c) {
			switch j.kind(c) {
			case jsShorthandPropertyIdentifierPattern:
				j.addImport(c, module, j.str(c), j.str(c))
				j.useMember(artifact.RoleImport, c, none)
			case jsPairPattern:
				k, v := j.child(c, fKey), j.child(c, fValue)
				if k != none && v != none && j.kind(v) == jsIdentifier && j.kind(k) == jsPropertyIdentifier {
					j.addImport(k, module, j.str(k), j.str(v))
					j.useMember(artifact.RoleImport, k, none)
				}
			}
		}
	default:
		return false
	}
	return true
}

// moduleArgument returns the string that is a call's only argument.
func (j *jsExtractor) moduleArgument(call int32) (string, bool) {
	args := j.child(call, fArguments)
	if args == none {
		return "", false
	}
	s := j.childOf(args, jsString)
	if s == none || j.first(args) != s {
		return "", false
	}
	f := j.childOf(s, jsStringFragment)
	if f == none {
		return "", false
	}
	return j.str(f), true
}

// requires reports whether a variable's declaration imports: "x = require('y')"
// and "{a, b: c} = require('y')".
func (j *jsExtractor) requires(name, value int32) bool {
	if k := j.kind(name); k != jsIdentifier && k != jsObjectPattern {
		return false
	}
	if j.kind(value) == jsMemberExpression {
		value = j.child(value, fObject)
	}
	if value == none || j.kind(value) != jsCallExpression {
		return false
	}
	fn := j.child(value, fFunction)
	if fn == none || j.kind(fn) != jsIdentifier || string(j.text(fn)) != "require" || j.isLocal(fn) {
		return false
	}
	_, ok := j.moduleArgument(value)
	return ok
}

// hoist binds what the statements of a block declare with let and const, which
// mean the same names in the whole block; at file level what they declare with
// var, too.
func (j *jsExtractor) hoist(block int32) {
	for c := j.first(block); c != none; c = j.after(c) {
		switch j.kind(c) {
		case jsFunctionDeclaration, jsGeneratorFunctionDeclaration:
			j.blockLocal(artifact.KindFunction, j.child(c, fName))
		case jsClassDeclaration, tsAbstractClassDeclaration:
			j.blockLocal(artifact.KindClass, j.child(c, fName))
		case tsInterfaceDeclaration, tsTypeAliasDeclaration, tsEnumDeclaration:
			j.blockLocal(artifact.KindClass, j.child(c, fName))
		case jsLexicalDeclaration:
			j.hoistDeclaration(c)
		case jsVariableDeclaration:
			if j.callables == 0 {
				j.hoistDeclaration(c)
			}
		}
		if j.parentKind(c) == jsSwitchBody { // in a case
			for k := j.first(c); k != none; k = j.after(k) {
				if j.kind(k) == jsLexicalDeclaration {
					j.hoistDeclaration(k)
				}
			}
		}
	}
}

// hoistVars binds what a function's body declares with var, wherever in it.
func (j *jsExtractor) hoistVars(body int32) {
	for i := body + 1; i < j.nodes[body].next; {
		switch j.kind(i) {
		case jsFunctionDeclaration, jsGeneratorFunctionDeclaration, jsFunctionExpression, jsGeneratorFunction, jsArrowFunction,
			jsMethodDefinition, jsClassDeclaration, jsClass:
			i = j.nodes[i].next
			continue
		case jsVariableDeclaration:
			j.hoistDeclaration(i)
		}
		i++
	}
}

// hoistDeclaration binds the names of one declaration that are variables.
// Functions and classes are declarations of their own.
func (j *jsExtractor) hoistDeclaration(i int32) {
	for c := j.first(i); c != none; c = j.after(c) {
		if j.kind(c) != jsVariableDeclarator {
			continue
		}
		name, value := j.child(c, fName), j.child(c, fValue)
		if name == none {
			continue
		}
		unwrapped := value
		for unwrapped != none && j.kind(unwrapped) == jsParenthesizedExpression {
			unwrapped = j.first(unwrapped)
		}
		if j.kind(name) == jsIdentifier && unwrapped != none && (j.isFunction(unwrapped) || j.kind(unwrapped) == jsClass) {
			j.blockLocal(artifact.KindFunction, name)
			continue
		}
		if value != none && j.requires(name, value) {
			continue
		}
		j.bindNames(name, j.declaredHint(j.child(c, fType), value))
	}
}

// bindNames binds the names of a pattern without visiting anything.
func (j *jsExtractor) bindNames(i int32, hint string) {
	const kind = artifact.KindVariable
	switch j.kind(i) {
	case jsIdentifier:
		j.bindAs(kind, i, hint)
	case jsShorthandPropertyIdentifierPattern:
		j.bindAs(kind, i, memberHint(hint, j.text(i)))
	case jsAssignmentPattern, jsObjectAssignmentPattern:
		if l := j.child(i, fLeft); l != none {
			j.bindNames(l, hint)
		}
	case jsPairPattern:
		part := ""
		if k := j.child(i, fKey); k != none && j.kind(k) == jsPropertyIdentifier {
			part = memberHint(hint, j.text(k))
		}
		if v := j.child(i, fValue); v != none {
			j.bindNames(v, part)
		}
	case jsObjectPattern:
		for c := j.first(i); c != none; c = j.after(c) {
			j.bindNames(c, hint)
		}
	case jsArrayPattern:
		n := 0
		for c := j.first(i); c != none; c = j.after(c) {
			j.bindNames(c, elementHint(hint, n))
			n++
		}
	case jsRestPattern:
		for c := j.first(i); c != none; c = j.after(c) {
			j.bindNames(c, "")
		}
	}
}

// patternUses visits the defaults and computed keys of a pattern whose names
// are bound already, and notes the members that it picks.
func (j *jsExtractor) patternUses(i int32, hint string) {
	switch j.kind(i) {
	case jsAssignmentPattern, jsObjectAssignmentPattern:
		j.opt(j.child(i, fRight))
		if l := j.child(i, fLeft); l != none {
			j.patternUses(l, hint)
		}
	case jsPairPattern:
		part := ""
		if k := j.child(i, fKey); k != none && j.kind(k) == jsPropertyIdentifier {
			part = memberHint(hint, j.text(k))
			if base := memberBase(hint); base != "" {
				j.useAt(artifact.RoleRead, j.nodes[k].start, j.text(k), base)
			}
		} else if k != none && j.kind(k) != jsString {
			j.visit(k)
		}
		if v := j.child(i, fValue); v != none {
			j.patternUses(v, part)
		}
	case jsObjectPattern, jsArrayPattern, jsRestPattern:
		for c := j.first(i); c != none; c = j.after(c) {
			j.patternUses(c, hint)
		}
	}
}

// blockLocal notes the scope of a function or class that a block declares.
func (j *jsExtractor) blockLocal(kind artifact.Kind, name int32) {
	if name == none || len(j.scopes) == 0 {
		return
	}
	if s := j.scopes[len(j.scopes)-1]; s.end > s.start {
		j.addLocal(kind, name, "", s.start, s.end)
	}
}
