package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

// javaUniverse is what java.lang binds everywhere and hardly anything
// declares.
var javaUniverse = [...]string{"Object", "String", "Override"}

type javaExtractor struct {
	*extraction
	role artifact.Role // of a type's name at the current place
}

func extractJava(x *extraction) {
	j := &javaExtractor{extraction: x, role: artifact.RoleType}
	j.children(0)
}

func (j *javaExtractor) children(i int32) {
	end := j.nodes[i].next
	for c := i + 1; c < end; c = j.nodes[c].next {
		j.visit(c)
	}
}

func (j *javaExtractor) opt(i int32) {
	if i != none {
		j.visit(i)
	}
}

func (j *javaExtractor) typeAs(role artifact.Role, i int32) {
	if i == none {
		return
	}
	saved := j.role
	j.role = role
	j.visit(i)
	j.role = saved
}

// rest visits the children of i except one.
func (j *javaExtractor) rest(i, except int32) {
	for c := j.first(i); c != none; c = j.after(c) {
		if c != except {
			j.visit(c)
		}
	}
}

func (j *javaExtractor) visit(i int32) {
	switch j.kind(i) {
	case jvIdentifier:
		j.use(artifact.RoleRead, i)
	case jvTypeIdentifier:
		j.use(j.role, i)
	case jvLineComment, jvBlockComment:
		j.comment(i)
	case jvPackageDeclaration, jvModuleDeclaration, jvReceiverParameter, jvBreakStatement, jvContinueStatement:
	case jvImportDeclaration:
		j.importDeclaration(i)
	case jvMarkerAnnotation, jvAnnotation:
		j.annotation(i)
	case jvElementValuePair:
		j.opt(j.child(i, fValue))
	case jvClassDeclaration, jvInterfaceDeclaration, jvEnumDeclaration, jvRecordDeclaration, jvAnnotationTypeDeclaration:
		j.typeDeclaration(i)
	case jvEnumConstant:
		j.enumConstant(i)
	case jvMethodDeclaration, jvConstructorDeclaration, jvCompactConstructorDeclaration, jvAnnotationTypeElementDeclaration:
		j.method(i)
	case jvStaticInitializer:
		j.enter()
		j.children(i)
		j.leave()
	case jvFieldDeclaration, jvConstantDeclaration:
		j.field(i)
	case jvLocalVariableDeclaration:
		for c := j.first(i); c != none; c = j.after(c) {
			if j.kind(c) != jvVariableDeclarator {
				j.visit(c)
				continue
			}
			j.opt(j.child(c, fValue))
			j.bindName(c)
		}
	case jvFormalParameter, jvCatchFormalParameter, jvTypePattern, jvRecordPatternComponent, jvSpreadParameter:
		j.parameter(i)
	case jvResource:
		name := j.child(i, fName)
		j.rest(i, name)
		if name != none {
			j.bind(name)
		}
	case jvEnhancedForStatement:
		j.pushScope()
		j.opt(j.child(i, fType))
		j.opt(j.child(i, fValue))
		j.bindName(i)
		j.opt(j.child(i, fBody))
		j.popScope()
	case jvForStatement, jvCatchClause, jvTryWithResourcesStatement, jvSwitchBlockStatementGroup, jvSwitchRule:
		j.pushScope()
		j.children(i)
		j.popScope()
	case jvBlock:
		if j.parentKind(i) == jvClassBody { // an initializer
			j.enter()
			j.children(i)
			j.leave()
			return
		}
		j.pushScope()
		j.children(i)
		j.popScope()
	case jvLambdaExpression:
		j.lambda(i)
	case jvMethodInvocation:
		j.call(i)
	case jvObjectCreationExpression:
		j.creation(i)
	case jvMethodReference:
		j.methodReference(i)
	case jvFieldAccess:
		j.fieldAccess(artifact.RoleRead, i)
	case jvScopedIdentifier:
		if name := j.child(i, fName); name != none {
			j.useMember(artifact.RoleRead, name, j.child(i, fScope))
		}
		j.qualifier(j.child(i, fScope))
	case jvScopedTypeIdentifier:
		j.scopedType(i)
	case jvGenericType:
		for c := j.first(i); c != none; c = j.after(c) {
			if j.kind(c) == jvTypeArguments {
				j.typeAs(artifact.RoleType, c)
			} else {
				j.visit(c)
			}
		}
	case jvAssignmentExpression:
		j.target(j.child(i, fLeft))
		j.opt(j.child(i, fRight))
	case jvUpdateExpression:
		for c := j.first(i); c != none; c = j.after(c) {
			j.target(c)
		}
	case jvInstanceofExpression:
		name := j.child(i, fName)
		j.rest(i, name)
		if name != none {
			j.bind(name)
		}
	case jvRecordPattern:
		for c := j.first(i); c != none; c = j.after(c) {
			if j.kind(c) == jvIdentifier {
				j.use(artifact.RoleType, c)
			} else {
				j.visit(c)
			}
		}
	case jvLabeledStatement:
		for c := j.first(i); c != none; c = j.after(c) {
			if j.kind(c) != jvIdentifier {
				j.visit(c)
			}
		}
	default:
		j.children(i)
	}
}

// modifiers sets the flags that the declaration's modifiers say. Members of
// an interface are public unless private, and those of an enum's or record's
// head as visible as it.
func (j *javaExtractor) modifiers(d, i int32) {
	if d < 0 {
		return
	}
	var public, private, static, abstract bool
	if m := j.childOf(i, jvModifiers); m != none {
		for c := j.first(m); c != none; c = j.after(c) {
			switch j.kind(c) {
			case jvPublic, jvProtected:
				public = true
			case jvPrivate:
				private = true
			case jvStatic:
				static = true
			case jvAbstract:
				abstract = true
			}
		}
	}
	decl := &j.facts.Decls[d]
	if decl.Parent >= 0 && !private {
		switch j.facts.Decls[decl.Parent].Kind {
		case artifact.KindInterface:
			public = true
		case artifact.KindEnum:
			public = public || decl.Kind == artifact.KindEnumMember
		}
	}
	if decl.Parent >= 0 && j.facts.Decls[decl.Parent].Flags&artifact.SymbolExported == 0 {
		public = false
	}
	if public && decl.Flags&artifact.SymbolLocal == 0 {
		decl.Flags |= artifact.SymbolExported
	}
	if static {
		decl.Flags |= artifact.SymbolStatic
	}
	if abstract && decl.Kind == artifact.KindMethod {
		decl.Flags |= artifact.SymbolForward
	}
}

func (j *javaExtractor) importDeclaration(i int32) {
	j.lead.ok = false
	path := none
	for c := j.first(i); c != none; c = j.after(c) {
		if k := j.kind(c); k == jvScopedIdentifier || k == jvIdentifier {
			path = c
		}
	}
	if path == none {
		return
	}
	all := bytes.Join(bytes.Fields(j.text(path)), nil)
	if j.has(i, jvAsterisk) {
		j.addImport(path, j.intern(all), "*", "*")
		return
	}
	name := path
	module := ""
	if j.kind(path) == jvScopedIdentifier {
		if name = j.child(path, fName); name == none {
			return
		}
		if s := j.child(path, fScope); s != none {
			module = j.intern(bytes.Join(bytes.Fields(j.text(s)), nil))
		}
	}
	j.addImport(name, module, j.str(name), j.str(name))
	j.useMember(artifact.RoleImport, name, none)
}

func (j *javaExtractor) annotation(i int32) {
	if name := j.child(i, fName); name != none {
		if j.kind(name) == jvScopedIdentifier {
			if n := j.child(name, fName); n != none {
				j.useMember(artifact.RoleDecorate, n, j.child(name, fScope))
			}
		} else {
			j.use(artifact.RoleDecorate, name)
		}
	}
	j.opt(j.child(i, fArguments))
}

func (j *javaExtractor) typeDeclaration(i int32) {
	kind := artifact.KindClass
	switch j.kind(i) {
	case jvInterfaceDeclaration, jvAnnotationTypeDeclaration:
		kind = artifact.KindInterface
	case jvEnumDeclaration:
		kind = artifact.KindEnum
	}
	name, body := j.child(i, fName), j.child(i, fBody)
	d := j.begin(kind, i, name)
	j.modifiers(d, i)
	j.signature(d, j.keyword(i), body)
	j.pushScope()
	for c := j.first(i); c != none; c = j.after(c) {
		switch {
		case c == name || c == body:
		case j.kind(c) == jvTypeParameters:
			j.typeParameters(c)
		case j.kind(c) == jvSuperclass, j.kind(c) == jvExtendsInterfaces:
			j.typeAs(artifact.RoleInherit, c)
		case j.kind(c) == jvSuperInterfaces:
			j.typeAs(artifact.RoleImplement, c)
		case j.kind(c) == jvFormalParameters: // a record's components
			j.components(c)
		default:
			j.visit(c)
		}
	}
	j.opt(body)
	j.popScope()
	j.end()
}

// keyword returns the node at which a declaration's signature begins: the
// first behind annotations that stand before all other modifiers.
func (j *javaExtractor) keyword(i int32) int32 {
	m := j.childOf(i, jvModifiers)
	if m == none {
		return i
	}
	for c := j.first(m); c != none; c = j.after(c) {
		if k := j.kind(c); k != jvAnnotation && k != jvMarkerAnnotation && k != jvLineComment && k != jvBlockComment {
			return c
		}
	}
	// Annotations alone, or modifiers of which no token is kept.
	if c := j.after(m); c != none && j.first(m) != none {
		if k := j.nodes[c].kind; k != jvIdentifier {
			return c
		}
	}
	return i
}

// components declares the components of a record as its fields.
func (j *javaExtractor) components(i int32) {
	for c := j.first(i); c != none; c = j.after(c) {
		if j.kind(c) != jvFormalParameter {
			j.visit(c)
			continue
		}
		name := j.child(c, fName)
		d := j.begin(artifact.KindField, c, name)
		if d >= 0 && j.facts.Decls[d].Parent >= 0 {
			j.flag(d, j.facts.Decls[j.facts.Decls[d].Parent].Flags&artifact.SymbolExported)
		}
		j.rest(c, name)
		j.end()
	}
}

func (j *javaExtractor) typeParameters(i int32) {
	for c := j.first(i); c != none; c = j.after(c) {
		if n := j.childOf(c, jvTypeIdentifier); n != none {
			j.bind(n)
		}
	}
	for c := j.first(i); c != none; c = j.after(c) {
		if b := j.childOf(c, jvTypeBound); b != none {
			j.typeAs(artifact.RoleType, b)
		}
	}
}

func (j *javaExtractor) enumConstant(i int32) {
	name := j.child(i, fName)
	d := j.begin(artifact.KindEnumMember, i, name)
	j.modifiers(d, i)
	j.rest(i, name)
	j.end()
}

func (j *javaExtractor) method(i int32) {
	name, body, params := j.child(i, fName), j.child(i, fBody), j.child(i, fParameters)
	kind := artifact.KindMethod
	switch j.kind(i) {
	case jvConstructorDeclaration, jvCompactConstructorDeclaration:
		kind = artifact.KindConstructor
	default:
		if j.parent() < 0 {
			kind = artifact.KindFunction
		}
	}
	d := j.begin(kind, i, name)
	j.modifiers(d, i)
	j.signature(d, j.keyword(i), body)
	if body == none && kind == artifact.KindMethod && j.kind(i) == jvMethodDeclaration {
		j.flag(d, artifact.SymbolForward)
	}
	j.enter()
	if tp := j.child(i, fTypeParameters); tp != none {
		j.typeParameters(tp)
	}
	for c := j.first(i); c != none; c = j.after(c) {
		if c != name && c != body && j.nodes[c].field != fTypeParameters {
			j.visit(c)
		}
	}
	_ = params // visiting the parameters bound their names
	j.opt(body)
	j.leave()
	j.end()
}

// parameter visits the type and modifiers of a parameter or pattern and then
// binds its name.
func (j *javaExtractor) parameter(i int32) {
	name := j.child(i, fName)
	for c := j.first(i); c != none; c = j.after(c) {
		switch {
		case c == name:
		case j.kind(c) == jvIdentifier:
			name = c
		case j.kind(c) == jvVariableDeclarator:
			name = j.child(c, fName)
		default:
			j.typeAs(artifact.RoleType, c)
		}
	}
	if name != none {
		j.bind(name)
	}
}

func (j *javaExtractor) bindName(i int32) {
	if n := j.child(i, fName); n != none {
		j.bind(n)
	}
}

func (j *javaExtractor) field(i int32) {
	first, last := none, none
	for c := j.first(i); c != none; c = j.after(c) {
		if j.kind(c) == jvVariableDeclarator {
			if first == none {
				first = c
			}
			last = c
		} else {
			j.visit(c)
		}
	}
	kind := artifact.KindField
	if j.kind(i) == jvConstantDeclaration {
		kind = artifact.KindConstant
	} else if m := j.childOf(i, jvModifiers); m != none && j.has(m, jvStatic) && j.has(m, jvFinal) {
		kind = artifact.KindConstant
	}
	for c := first; c != none; c = j.after(c) {
		if j.kind(c) != jvVariableDeclarator {
			continue
		}
		from, to := c, c
		if c == first {
			from = i
		}
		if c == last {
			to = i
		}
		d := j.beginSpan(kind, from, to, j.child(c, fName))
		j.modifiers(d, i)
		if kind == artifact.KindConstant {
			j.flag(d, artifact.SymbolStatic)
		}
		if c == first {
			j.signature(d, j.keyword(i), none)
		}
		j.opt(j.child(c, fValue))
		j.end()
	}
}

func (j *javaExtractor) lambda(i int32) {
	params := j.child(i, fParameters)
	j.enter()
	if params != none {
		switch j.kind(params) {
		case jvIdentifier:
			j.bind(params)
		case jvInferredParameters:
			for c := j.first(params); c != none; c = j.after(c) {
				j.bind(c)
			}
		default:
			j.visit(params)
		}
	}
	j.opt(j.child(i, fBody))
	j.leave()
}

// call handles "object.name(arguments)". A method's name is never a local's:
// Java keeps the two apart.
func (j *javaExtractor) call(i int32) {
	object, name := j.child(i, fObject), j.child(i, fName)
	if name != none {
		j.useMember(artifact.RoleCall, name, object)
	}
	for c := j.first(i); c != none; c = j.after(c) {
		if c != name {
			j.visit(c)
		}
	}
}

func (j *javaExtractor) creation(i int32) {
	typ := j.child(i, fType)
	for c := j.first(i); c != none; c = j.after(c) {
		switch {
		case c == typ:
			j.typeAs(artifact.RoleInstantiate, c)
		case j.kind(c) == jvClassBody:
			// The class is its body: arguments and the type in front of it are
			// what is around it.
			j.enter()
			j.signature(j.beginNamed(artifact.KindClass, c, c, anonymousClass, j.nodes[c].start), c, c)
			j.children(c)
			j.end()
			j.leave()
		default:
			j.visit(c)
		}
	}
}

func (j *javaExtractor) methodReference(i int32) {
	object, last := j.first(i), none
	for c := object; c != none; c = j.after(c) {
		last = c
	}
	if last != none && last != object {
		switch j.kind(last) {
		case jvIdentifier:
			j.useMember(artifact.RoleRead, last, object)
		case jvNew:
			j.typeAs(artifact.RoleInstantiate, object)
			return
		}
	}
	for c := object; c != none; c = j.after(c) {
		if c != last || c == object {
			j.visit(c)
		}
	}
}

func (j *javaExtractor) fieldAccess(role artifact.Role, i int32) {
	object := j.child(i, fObject)
	if name := j.child(i, fField); name != none && j.kind(name) == jvIdentifier {
		j.useMember(role, name, object)
	}
	j.opt(object)
}

// qualifier visits the part of a path in front of the last dot: types are
// written with a capital, packages small.
func (j *javaExtractor) qualifier(i int32) {
	for i != none {
		name, scope := i, none
		if j.kind(i) == jvScopedIdentifier {
			name, scope = j.child(i, fName), j.child(i, fScope)
		}
		if name != none && capital(j.text(name)) {
			if scope == none {
				j.use(artifact.RoleType, name)
			} else {
				j.useMember(artifact.RoleType, name, scope)
			}
		}
		i = scope
	}
}

func (j *javaExtractor) scopedType(i int32) {
	scope, name := none, none
	for c := j.first(i); c != none; c = j.after(c) {
		switch j.kind(c) {
		case jvTypeIdentifier:
			if name != none {
				scope = name
			}
			name = c
		case jvScopedTypeIdentifier, jvGenericType:
			scope = c
		default:
			j.visit(c)
		}
	}
	if name != none {
		j.useMember(j.role, name, scope)
	}
	if scope == none {
		return
	}
	if j.kind(scope) == jvTypeIdentifier && !capital(j.text(scope)) {
		return
	}
	if j.kind(scope) == jvScopedTypeIdentifier && !capital(j.text(scope)[bytes.LastIndexByte(j.text(scope), '.')+1:]) {
		return // a package
	}
	j.typeAs(artifact.RoleType, scope)
}

func (j *javaExtractor) target(i int32) {
	if i == none {
		return
	}
	switch j.kind(i) {
	case jvIdentifier:
		j.use(artifact.RoleWrite, i)
	case jvFieldAccess:
		j.fieldAccess(artifact.RoleWrite, i)
	default:
		j.visit(i)
	}
}
