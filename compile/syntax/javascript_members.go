package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

// Members of object literals and what is assigned to members.

// maxObjects is how deep object literals in object literals are searched for
// functions.
const maxObjects = 8

// holdsFunctions reports whether an object literal has functions among its
// members, or among theirs.
func (j *jsExtractor) holdsFunctions(i int32, depth int) bool {
	if i == none || j.kind(i) != jsObject || depth == 0 {
		return false
	}
	for c := j.first(i); c != none; c = j.after(c) {
		switch j.kind(c) {
		case jsMethodDefinition:
			return true
		case jsPair:
			if v := j.child(c, fValue); j.isFunction(v) || j.holdsFunctions(v, depth-1) {
				return true
			}
		}
	}
	return false
}

// members declares the functions in an object literal and visits the rest.
func (j *jsExtractor) members(i int32) {
	for c := j.first(i); c != none; c = j.after(c) {
		if j.kind(c) != jsPair {
			j.visit(c)
			continue
		}
		key, value := j.child(c, fKey), j.child(c, fValue)
		name, at := j.memberName(key)
		switch {
		case name == "":
			j.visit(c)
		case !j.isFunction(value) && !j.holdsFunctions(value, maxObjects):
			j.key(c)
			j.opt(value)
		case j.isFunction(value):
			d := j.beginNamed(artifact.KindMethod, c, c, name, at)
			j.exported(d, c)
			j.finishFunction(d, c, value)
			j.end()
		case j.holdsFunctions(value, maxObjects):
			d := j.beginNamed(artifact.KindObject, c, c, name, at)
			j.exported(d, c)
			j.signature(d, c, value)
			j.members(value)
			j.end()
		default:
			j.opt(value)
		}
	}
}

// assignment handles "left = right"; functions that are assigned to members
// are declarations.
func (j *jsExtractor) assignment(stmt, i int32) {
	left, right := j.child(i, fLeft), j.child(i, fRight)
	if left != none && j.kind(left) == jsMemberExpression && right != none && j.assignMember(stmt, left, right) {
		return
	}
	if left != none {
		j.target(left)
		if j.kind(left) == jsMemberExpression {
			if o, p := j.child(left, fObject), j.child(left, fProperty); o != none && p != none && j.kind(o) == jsThis {
				j.member1(p, j.valueHint(right, ""))
			}
		}
	}
	j.opt(right)
}

// assignMember handles the assignment to a member that is a declaration or an
// export, and reports whether it was one.
func (j *jsExtractor) assignMember(stmt, left, right int32) bool {
	object, property := j.child(left, fObject), j.child(left, fProperty)
	if object == none || property == none || j.kind(property) != jsPropertyIdentifier {
		return false
	}
	path := j.text(object)
	isExports := string(path) == "exports" || string(path) == "module.exports"
	if string(path) == "module" && string(j.text(property)) == "exports" {
		return j.assignExports(stmt, property, right)
	}
	isFunction := j.isFunction(right)
	isClass := j.kind(right) == jsClass
	if isExports {
		j.exporting = true
		switch {
		case isFunction:
			j.function(artifact.KindFunction, stmt, right, property)
		case isClass:
			d := j.begin(artifact.KindClass, stmt, property)
			j.exported(d, right)
			j.signature(d, stmt, j.body(right))
			j.classParts(right)
			j.end()
		case j.kind(right) == jsIdentifier && string(j.text(right)) == string(j.text(property)):
			j.exporting = false
			j.useMember(artifact.RoleExport, property, none)
			j.exportLater(j.name(right))
		case j.callables == 0 && j.once(property):
			d := j.begin(artifact.KindVariable, stmt, property)
			j.exported(d, right)
			j.visit(right)
			j.end()
		default:
			j.exporting = false
			return false
		}
		return true
	}
	if !isFunction && !isClass && !(bytes.HasSuffix(path, []byte(".prototype")) || string(j.text(property)) == "prototype") {
		return false
	}
	owner := bytes.TrimSuffix(path, []byte(".prototype"))
	prototype := len(owner) != len(path)
	if string(j.text(property)) == "prototype" {
		if j.kind(right) != jsObject || !isName(path) {
			return false
		}
		// Foo.prototype = { bar: function() {} }
		from := len(j.facts.Decls)
		j.open = append(j.open, none)
		j.members(right)
		j.end()
		for k := from; k < len(j.facts.Decls); k++ {
			if d := &j.facts.Decls[k]; d.Kind == artifact.KindMethod && d.Parent == j.parent() {
				j.own(int32(k), artifact.KindClass, j.intern(path))
			}
		}
		return true
	}
	if !isName(owner) || string(owner) == "this" || string(owner) == "self" {
		return false
	}
	if !isFunction && !isClass {
		return false
	}
	if !prototype && j.bound[j.nameOf(owner)] > 0 {
		return false // a local object's member
	}
	kind := artifact.KindMethod
	if isClass {
		kind = artifact.KindClass
	}
	d := j.begin(kind, stmt, property)
	j.own(d, artifact.KindClass, j.intern(owner))
	if !prototype {
		j.flag(d, artifact.SymbolStatic)
	}
	j.use(artifact.RoleRead, firstName(j.extraction, object))
	if isFunction {
		j.finishFunction(d, stmt, right)
	} else {
		j.signature(d, stmt, j.body(right))
		j.classParts(right)
	}
	j.end()
	return true
}

// firstName returns the leftmost name of a member expression.
func firstName(x *extraction, i int32) int32 {
	for {
		c := x.first(i)
		if c == none {
			return i
		}
		i = c
	}
}

// assignExports handles "module.exports = right".
func (j *jsExtractor) assignExports(stmt, property, right int32) bool {
	if module, ok := j.requiredModule(right); ok {
		// The module has what another one has.
		j.addImport(property, module, "*", "*")
		j.addLocal(artifact.KindField, property, "", 0, uint32(len(j.src)))
	}
	switch {
	case j.isFunction(right) || j.kind(right) == jsClass:
		name := j.child(right, fName)
		if name == none {
			name = property
		}
		j.exportAs(name, "default")
		j.exporting = true
		if j.kind(right) == jsClass {
			j.class(stmt, right, name)
		} else {
			j.function(artifact.KindFunction, stmt, right, name)
		}
	case j.kind(right) == jsIdentifier:
		j.useMember(artifact.RoleExport, right, none)
		j.exportLater(j.name(right))
		j.exportAs(right, "default")
	case j.kind(right) == jsAssignmentExpression:
		return false
	case j.kind(right) == jsObject:
		for c := j.first(right); c != none; c = j.after(c) {
			j.exportMember(c)
		}
	default:
		return false
	}
	return true
}

// exportMember exports one member of "module.exports = {…}" or of a default
// export's object.
func (j *jsExtractor) exportMember(c int32) {
	switch j.kind(c) {
	case jsShorthandPropertyIdentifier:
		j.useMember(artifact.RoleExport, c, none)
		j.exportLater(j.name(c))
	case jsPair:
		key, value := j.child(c, fKey), j.child(c, fValue)
		name, at := j.memberName(key)
		if name == "" || !j.isFunction(value) {
			if name != "" {
				j.useAt(artifact.RoleExport, at, []byte(name), "")
			}
			if value != none && j.kind(value) == jsIdentifier {
				j.exportLater(j.name(value))
				if name != "" {
					j.exportAs(value, name)
				}
			}
			j.visit(c)
			return
		}
		d := j.beginNamed(artifact.KindFunction, c, c, name, at)
		j.exporting = true
		j.exported(d, c)
		j.finishFunction(d, c, value)
		j.end()
	case jsMethodDefinition:
		name, at := j.memberName(j.child(c, fName))
		d := j.beginNamed(artifact.KindFunction, c, c, name, at)
		j.exporting = true
		j.exported(d, c)
		j.finishFunction(d, c, c)
		j.end()
	default:
		j.visit(c)
	}
}

// requiredModule returns the module of "require('module')".
func (j *jsExtractor) requiredModule(i int32) (string, bool) {
	if j.kind(i) != jsCallExpression {
		return "", false
	}
	fn := j.child(i, fFunction)
	if fn == none || j.kind(fn) != jsIdentifier || string(j.text(fn)) != "require" || j.isLocal(fn) {
		return "", false
	}
	return j.moduleArgument(i)
}

// exportsChain reports whether "x = exports = module.exports = …" gives a
// variable's value.
func (j *jsExtractor) exportsChain(i int32) bool {
	found := false
	for i != none && j.kind(i) == jsAssignmentExpression {
		if l := j.child(i, fLeft); l != none && string(j.text(l)) == "module.exports" {
			found = true
		}
		i = j.child(i, fRight)
	}
	// An object literal's members are the module's own.
	return found && i != none && j.kind(i) != jsObject
}
