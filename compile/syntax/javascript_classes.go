package syntax

import "github.com/pindex-dev/pindex/artifact"

func (j *jsExtractor) class(outer, i, name int32) {
	d := j.begin(artifact.KindClass, outer, name)
	j.exported(d, i)
	from := outer
	for c := j.first(outer); c != none && j.kind(c) == jsDecorator; c = j.after(c) {
		if n := j.after(c); n != none {
			from = n // the signature begins behind the decorators
		}
	}
	if from != outer && d >= 0 {
		j.signature(d, from, j.body(i))
		// The keyword "class" or "export" is no node that is kept.
		decl := &j.facts.Decls[d]
		decl.SigStart = j.decoratorsEnd(outer)
	} else {
		j.signature(d, from, j.body(i))
	}
	j.classParts(i)
	j.end()
}

// decoratorsEnd returns where the text behind the leading decorators begins.
func (j *jsExtractor) decoratorsEnd(i int32) uint32 {
	at := j.nodes[i].start
	for c := j.first(i); c != none && j.kind(c) == jsDecorator; c = j.after(c) {
		at = j.nodes[c].end
	}
	for at < j.nodes[i].end && (j.src[at] == ' ' || j.src[at] == '\t' || j.src[at] == '\r' || j.src[at] == '\n') {
		at++
	}
	return at
}

// classParts visits what a class extends and holds.
func (j *jsExtractor) classParts(i int32) {
	j.pushScopeOf(i)
	name, body := j.child(i, fName), j.body(i)
	for c := j.first(i); c != none; c = j.after(c) {
		switch {
		case c == name || c == body:
		case j.kind(c) == jsClassHeritage:
			for h := j.first(c); h != none; h = j.after(h) {
				switch j.kind(h) {
				case tsExtendsClause, tsImplementsClause:
					j.visit(h)
				default:
					j.expressionAs(artifact.RoleInherit, h)
				}
			}
		default:
			j.visit(c)
		}
	}
	if body != none {
		for c := j.first(body); c != none; c = j.after(c) {
			if j.kind(c) == jsDecorator {
				j.attribute(c)
			}
			j.visit(c)
		}
	}
	j.popScope()
}

// expressionAs visits an expression whose own name is used in the role.
func (j *jsExtractor) expressionAs(role artifact.Role, i int32) {
	switch {
	case i == none:
	case j.kind(i) == jsIdentifier:
		j.use(role, i)
	case j.kind(i) == jsMemberExpression:
		j.member(role, i)
	case j.kind(i) == jsAwaitExpression, j.kind(i) == tsNonNullExpression:
		// "await f<T>()" parses as a call of "await f".
		j.expressionAs(role, j.first(i))
	default:
		j.visit(i)
	}
}

// memberName returns the text of a property's name without quotes, and where
// it stands; "" for a computed one.
func (j *jsExtractor) memberName(i int32) (string, uint32) {
	if i == none {
		return "", 0
	}
	switch j.kind(i) {
	case jsPropertyIdentifier, jsPrivatePropertyIdentifier, jsIdentifier:
		return j.str(i), j.nodes[i].start
	case jsString:
		if f := j.childOf(i, jsStringFragment); f != none {
			return j.str(f), j.nodes[f].start
		}
	}
	return "", 0
}

// declaresMembers reports whether the innermost declaration is one whose
// members are declarations.
func (j *jsExtractor) declaresMembers() bool {
	switch j.parentDeclKind() {
	case artifact.KindClass, artifact.KindInterface, artifact.KindType, artifact.KindObject, artifact.KindField:
		return true
	}
	return false
}

// method handles a method of a class, an interface or an object literal.
func (j *jsExtractor) method(i int32) {
	nameNode := j.child(i, fName)
	declares := j.declaresMembers() && (j.parentKind(i) != jsObject || j.parentDeclKind() == artifact.KindObject)
	if declares {
		if n := len(j.open); n > 0 && j.open[n-1] == none {
			declares = j.parentKind(i) == jsClassBody // a class expression
		}
	}
	name, at := j.memberName(nameNode)
	kind := artifact.KindMethod
	switch {
	case name == "constructor" && j.parentKind(i) == jsClassBody:
		kind = artifact.KindConstructor
	case j.has(i, jsGet) || j.has(i, jsSet):
		kind = artifact.KindProperty
	}
	if nameNode != none && name == "" {
		j.visit(nameNode)
	}
	if !declares {
		j.code(i)
		return
	}
	d := j.beginNamed(kind, i, i, name, at)
	if kind == artifact.KindProperty && d >= 0 {
		j.facts.Decls[d].Descriptor = Descriptor(artifact.KindMethod, name)
	}
	j.exported(d, i)
	if j.has(i, jsStatic) {
		j.flag(d, artifact.SymbolStatic)
	}
	j.finishFunction(d, i, i)
	j.end()
}

func (j *jsExtractor) field(i int32) {
	nameNode, value := j.child(i, fName), j.child(i, fValue)
	if nameNode == none {
		nameNode = j.child(i, fProperty)
	}
	if !j.declaresMembers() {
		j.rest(i, nameNode, none)
		return
	}
	name, at := j.memberName(nameNode)
	kind := artifact.KindField
	if j.isFunction(value) {
		kind = artifact.KindMethod
	}
	d := j.beginNamed(kind, i, i, name, at)
	j.exported(d, i)
	if j.has(i, jsStatic) {
		j.flag(d, artifact.SymbolStatic)
	}
	if kind == artifact.KindField {
		j.hintFor(d, j.declaredHint(j.child(i, fType), value))
	}
	for c := j.first(i); c != none; c = j.after(c) {
		switch {
		case c == nameNode:
			if name == "" {
				j.visit(c)
			}
		case c == value && kind == artifact.KindMethod:
			j.finishFunction(d, i, c)
		default:
			j.visit(c)
		}
	}
	j.end()
}
