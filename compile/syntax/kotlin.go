package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

var kotlinUniverse = [...]string{
	"_", "Any", "Unit", "Nothing", "Int", "Long", "Short", "Byte", "Float", "Double", "Boolean", "Char", "String", "true", "false",
}

var kotlinModifiers = [...]string{
	"public", "private", "protected", "internal", "override", "abstract", "open", "final", "suspend", "inline", "operator", "infix",
	"tailrec", "external", "data", "sealed", "inner", "value", "annotation", "companion", "actual", "expect",
}

var kotlinBegins = memberOf(kotlinModifiers[:], []string{"fun", "class", "interface", "object", "enum", "val", "var", "typealias", "const", "lateinit"})

// kotlinBoundary leaves annotations with what they annotate.
func kotlinBoundary(line, prev []byte) bool {
	if len(prev) > 0 && prev[0] == '@' {
		return false
	}
	return len(line) > 0 && line[0] == '@' || kotlinBegins(line)
}

type kotlinExtractor struct{ walker }

func extractKotlin(x *extraction) {
	k := &kotlinExtractor{newWalker(x)}
	k.walker.visit = k.visit
	k.children(0)
}

func (k *kotlinExtractor) visit(i int32) {
	switch k.kind(i) {
	case ktIdentifier:
		k.use(k.role, i)
	case ktLineComment, ktBlockComment:
		k.comment(i)
	case ktPackage:
		if name := k.childOf(i, ktQualifiedIdentifier); name != none {
			k.export(k.leaf(artifact.KindPackage, i, name))
		}
	case ktImport:
		k.importOf(i)
	case ktAnnotation, ktFileAnnotation:
		k.childrenAs(artifact.RoleDecorate, i)
	case ktConstructorInvocation:
		for c := k.first(i); c != none; c = k.after(c) {
			if kind := k.kind(c); kind == ktUserType {
				k.visit(c)
			} else {
				k.as(artifact.RoleRead, c)
			}
		}
	case ktClass, ktObject, ktCompanion:
		k.class(i)
	case ktObjectLiteral:
		// A property's object is the property, whose functions can be seen.
		if k.callables == 0 {
			k.pushScope()
			k.children(i)
			k.popScope()
			return
		}
		k.enter()
		k.signature(k.beginNamed(artifact.KindClass, i, i, anonymousClass, k.nodes[i].start), i, k.childOf(i, ktClassBody))
		k.children(i)
		k.end()
		k.leave()
	case ktEnumEntry:
		name := k.childOf(i, ktIdentifier)
		d := k.begin(artifact.KindEnumMember, i, name)
		k.inherit(d)
		k.flag(d, artifact.SymbolStatic)
		k.signature(d, i, k.childOf(i, ktClassBody))
		k.rest(i, name, none)
		k.end()
	case ktClassParameter:
		k.classParameter(i)
	case ktDelegationSpecifiers:
		for c := k.first(i); c != none; c = k.after(c) {
			if k.kind(c) == ktDelegationSpecifier {
				k.delegation(c)
			} else {
				k.visit(c)
			}
		}
	case ktFunction:
		k.function(i)
	case ktSecondaryConstructor:
		k.constructor(i)
	case ktInitializer, ktGetter, ktSetter, ktAnonymousFunction:
		k.enter()
		if kind := k.kind(i); kind == ktGetter || kind == ktSetter {
			k.bindName("field")
			if name := k.childOf(i, ktIdentifier); name != none {
				k.bind(name)
				k.rest(i, name, none)
				k.leave()
				return
			}
		}
		k.children(i)
		k.leave()
	case ktParameter:
		name := k.childOf(i, ktIdentifier)
		k.rest(i, name, none)
		if name != none && k.parentKind(i) == ktParameters {
			k.bind(name)
		}
	case ktProperty:
		k.property(i)
	case ktVariable: // of a loop or a lambda
		name := k.childOf(i, ktIdentifier)
		k.rest(i, name, none)
		if name != none {
			k.bind(name)
		}
	case ktTypeAlias:
		name := k.child(i, fType)
		d := k.begin(artifact.KindType, i, name)
		k.exported(d, i)
		k.pushScope()
		k.rest(i, name, none)
		k.popScope()
		k.end()
	case ktTypeParameter:
		name := k.childOf(i, ktIdentifier)
		if name != none {
			k.bind(name)
		}
		k.rest(i, name, none)
	case ktTypeConstraint:
		k.rest(i, k.childOf(i, ktIdentifier), none)
	case ktUserType:
		k.userType(i)
	case ktTypeArguments, ktFunctionType:
		k.childrenAs(artifact.RoleType, i)
	case ktNullableType, ktParenthesizedType:
		k.children(i)
	case ktLambda:
		k.pushScope()
		if !k.has(i, ktLambdaParameters) {
			k.bindName("it")
		}
		k.childrenAs(artifact.RoleRead, i)
		k.popScope()
	case ktCall:
		k.call(i)
	case ktNavigation:
		k.navigation(k.role, i)
	case ktInfix:
		// "a f b" calls f.
		for c := k.first(i); c != none; c = k.after(c) {
			if c != k.first(i) && k.kind(c) == ktIdentifier && k.after(c) != none {
				k.useMember(artifact.RoleCall, c, k.first(i))
			} else {
				k.visit(c)
			}
		}
	case ktAssignment:
		k.as(artifact.RoleWrite, k.child(i, fLeft))
		k.as(artifact.RoleRead, k.child(i, fRight))
	case ktIndex:
		k.head(i)
	case ktFor, ktBlock, ktWhen, ktWhenEntry:
		k.pushScope()
		k.childrenAs(artifact.RoleRead, i)
		k.popScope()
	case ktCatch:
		k.pushScope()
		name := k.childOf(i, ktIdentifier)
		if name != none {
			k.bind(name)
		}
		k.rest(i, name, none)
		k.popScope()
	case ktValueArgument:
		if first := k.first(i); first != none && k.kind(first) == ktIdentifier && k.has(i, ktEquals) {
			k.rest(i, first, none)
		} else {
			k.childrenAs(artifact.RoleRead, i)
		}
	case ktReturn:
		k.rest(i, k.child(i, fLabel), none)
	case ktThis, ktLabel:
	default:
		k.children(i)
	}
}

func (k *kotlinExtractor) importOf(i int32) {
	path := k.childOf(i, ktQualifiedIdentifier)
	if path == none {
		return
	}
	last := k.lastOf(path, ktIdentifier)
	if last == none {
		return
	}
	if bytes.HasSuffix(bytes.TrimSpace(k.text(i)), []byte("*")) {
		k.addImport(last, k.intern(k.text(path)), "*", "*")
		return
	}
	module := bytes.TrimRight(k.src[k.nodes[path].start:k.nodes[last].start], ". \t\n")
	local := last
	if alias := k.childOf(i, ktIdentifier); alias != none {
		local = alias
	}
	k.addImport(last, k.intern(module), k.str(last), k.str(local))
	k.useAt(artifact.RoleImport, k.nodes[last].start, k.text(last), "")
}

// exported applies Kotlin's rule: what is not private can be named in another
// file.
func (k *kotlinExtractor) exported(d, i int32) {
	if d < 0 {
		return
	}
	private := false
	if m := k.childOf(i, ktModifiers); m != none {
		for c := k.first(m); c != none; c = k.after(c) {
			switch k.kind(c) {
			case ktVisibility:
				private = private || string(k.text(c)) == "private"
			case ktInheritance:
				if string(k.text(c)) == "abstract" && !k.facts.Decls[d].Kind.Container() {
					k.flag(d, artifact.SymbolForward)
				}
			}
		}
	}
	if p := k.facts.Decls[d].Parent; !private && (p < 0 || k.facts.Decls[p].Flags&artifact.SymbolExported != 0 || k.facts.Decls[p].Kind == artifact.KindPackage) {
		k.export(d)
	}
}

func (k *kotlinExtractor) class(i int32) {
	kind := artifact.KindClass
	body := k.childOf(i, ktClassBody)
	switch {
	case k.kind(i) != ktClass:
		kind = artifact.KindObject
	case k.has(i, ktInterfaceToken):
		kind = artifact.KindInterface
	default:
		if b := k.childOf(i, ktEnumBody); b != none {
			kind, body = artifact.KindEnum, b
		} else if k.hasModifier(i, ktClassModifier, "enum") {
			kind = artifact.KindEnum
		}
	}
	name := k.child(i, fName)
	d := none
	if name == none && k.kind(i) == ktCompanion {
		d = k.beginNamed(kind, i, i, "Companion", k.nodes[i].start)
	} else {
		d = k.begin(kind, i, name)
	}
	k.exported(d, i)
	k.signature(d, i, body)
	k.pushScope()
	k.rest(i, name, none)
	k.popScope()
	k.end()
}

func (k *kotlinExtractor) hasModifier(i int32, kind uint16, text string) bool {
	m := k.childOf(i, ktModifiers)
	if m == none {
		return false
	}
	for c := k.childOf(m, kind); c != none; c = k.nextOf(c, kind) {
		if string(k.text(c)) == text {
			return true
		}
	}
	return false
}

// classParameter declares "val x: T" as a property; without val or var it is
// a name of the class's initializers.
func (k *kotlinExtractor) classParameter(i int32) {
	name := k.childOf(i, ktIdentifier)
	if k.has(i, ktValToken) || k.has(i, ktVarToken) {
		k.exported(k.begin(artifact.KindProperty, i, name), i)
		k.rest(i, name, none)
		k.end()
		return
	}
	k.rest(i, name, none)
	if name != none {
		k.bind(name)
	}
}

// delegation handles one of the types behind a class's colon: a class is
// called, an interface is not.
func (k *kotlinExtractor) delegation(i int32) {
	for c := k.first(i); c != none; c = k.after(c) {
		switch k.kind(c) {
		case ktConstructorInvocation:
			k.as(artifact.RoleInherit, c)
		case ktUserType:
			role := artifact.RoleImplement
			if k.parentDeclKind() == artifact.KindInterface {
				role = artifact.RoleInherit
			}
			k.as(role, c)
		case ktExplicitDelegation:
			first := k.first(c)
			k.as(artifact.RoleImplement, first)
			k.rest(c, first, none)
		default:
			k.visit(c)
		}
	}
}

// receiverType returns the type in front of an extension's name, or none.
func (k *kotlinExtractor) receiverType(i, name int32) int32 {
	for c := k.first(i); c != none && c != name; c = k.after(c) {
		switch k.kind(c) {
		case ktUserType:
			return c
		case ktNullableType, ktParenthesizedType:
			return k.childOf(c, ktUserType)
		case ktVariable:
			return none
		}
	}
	return none
}

// extension says which type an extension belongs to.
func (k *kotlinExtractor) extension(d, typ int32) {
	if typ == none {
		return
	}
	if n := k.lastOf(typ, ktIdentifier); n != none {
		k.own(d, artifact.KindClass, k.str(n))
	}
}

func (k *kotlinExtractor) function(i int32) {
	name, body := k.child(i, fName), k.childOf(i, ktFunctionBody)
	kind := artifact.KindFunction
	receiver := none
	if name != none {
		receiver = k.receiverType(i, name)
	}
	if k.parentDeclKind().Container() || k.parentDeclKind() == artifact.KindEnumMember || receiver != none {
		kind = artifact.KindMethod
	}
	d := k.begin(kind, i, name)
	k.extension(d, receiver)
	k.exported(d, i)
	k.signature(d, i, body)
	if body == none {
		k.flag(d, artifact.SymbolForward)
	}
	k.enter()
	k.signatureTypes(i, name, body)
	if body != none {
		k.as(artifact.RoleRead, body)
	}
	k.leave()
	k.end()
}

// signatureTypes visits everything of a callable but its name and body;
// type parameters first, since an extension's receiver names them.
func (k *kotlinExtractor) signatureTypes(i, name, body int32) {
	params := k.childOf(i, ktTypeParameters)
	k.opt(params)
	for c := k.first(i); c != none; c = k.after(c) {
		switch {
		case c == name || c == body || c == params:
		case k.kind(c) == ktModifiers || k.kind(c) == ktParameters:
			k.visit(c)
		default:
			k.as(artifact.RoleType, c)
		}
	}
}

// constructor declares a secondary constructor under the class's name.
func (k *kotlinExtractor) constructor(i int32) {
	name := "constructor"
	if p := k.parent(); p >= 0 && k.facts.Decls[p].Kind.Container() {
		name = k.facts.Decls[p].Name
	}
	at := k.nodes[i].start
	if j := bytes.Index(k.text(i), []byte("constructor")); j >= 0 {
		at += uint32(j)
	}
	d := k.beginNamed(artifact.KindConstructor, i, i, name, at)
	body := k.childOf(i, ktBlock)
	k.exported(d, i)
	k.signature(d, i, body)
	k.enter()
	k.children(i)
	k.leave()
	k.end()
}

func (k *kotlinExtractor) property(i int32) {
	multi := k.childOf(i, ktMultiVariable)
	variable := k.childOf(i, ktVariable)
	if k.callables > 0 || variable == none && multi == none {
		// The value comes before the name is known.
		k.rest(i, variable, multi)
		if variable != none {
			k.visit(variable)
		}
		if multi != none {
			k.visit(multi)
		}
		return
	}
	kind := artifact.KindProperty
	switch {
	case k.hasModifier(i, ktPropertyModifier, "const"):
		kind = artifact.KindConstant
	case !k.parentDeclKind().Container():
		kind = artifact.KindVariable
	}
	if variable == none {
		// "val (a, b) = pair()" in a class body.
		last, from := k.lastOf(multi, ktVariable), i
		for v := k.childOf(multi, ktVariable); v != none; v = k.nextOf(v, ktVariable) {
			to := v
			if v == last {
				to = i
			}
			k.exported(k.beginSpan(kind, from, to, k.childOf(v, ktIdentifier)), i)
			k.rest(v, k.childOf(v, ktIdentifier), none)
			if v == last {
				k.rest(i, multi, none)
			}
			k.end()
			if from = k.after(v); from == none {
				from = v
			}
		}
		return
	}
	name := k.childOf(variable, ktIdentifier)
	d := k.begin(kind, i, name)
	k.extension(d, k.receiverType(i, variable))
	k.exported(d, i)
	if d >= 0 {
		// Up to the value, the delegate or the accessors.
		k.facts.Decls[d].SigEnd = k.nodes[variable].end
	}
	k.rest(variable, name, none)
	for c := k.first(i); c != none; c = k.after(c) {
		switch {
		case c == variable:
		case k.kind(c) == ktUserType || k.kind(c) == ktNullableType || k.kind(c) == ktTypeParameters:
			k.as(artifact.RoleType, c)
		default:
			k.visit(c)
		}
	}
	k.end()
}

// userType handles "a.b.C<D>".
func (k *kotlinExtractor) userType(i int32) {
	role := k.role
	if role == artifact.RoleRead || role == artifact.RoleWrite {
		role = artifact.RoleType
	}
	first, last := k.childOf(i, ktIdentifier), k.lastOf(i, ktIdentifier)
	if last != none {
		if first == last {
			k.use(role, last)
		} else {
			prefix := bytes.TrimRight(k.src[k.nodes[i].start:k.nodes[last].start], ". \n\t")
			receiver := ellipsis
			if len(prefix) <= 2*maxReceiver {
				receiver = k.chain(prefix)
			}
			k.useAt(role, k.nodes[last].start, k.text(last), receiver)
		}
	}
	for c := k.first(i); c != none; c = k.after(c) {
		if k.kind(c) != ktIdentifier {
			k.as(artifact.RoleType, c)
		}
	}
}

func (k *kotlinExtractor) call(i int32) {
	callee := k.first(i)
	if callee == none {
		return
	}
	switch k.kind(callee) {
	case ktIdentifier:
		k.use(artifact.RoleCall, callee)
	case ktNavigation:
		k.navigation(artifact.RoleCall, callee)
	default:
		k.as(artifact.RoleRead, callee)
	}
	for c := k.after(callee); c != none; c = k.after(c) {
		k.as(artifact.RoleRead, c)
	}
}

// navigation handles "object.name", "object?.name" and "object::name".
func (k *kotlinExtractor) navigation(role artifact.Role, i int32) {
	object, name := k.first(i), k.lastOf(i, ktIdentifier)
	if name != none && name != object && string(k.text(name)) != "class" {
		k.useMember(role, name, object)
	}
	for c := k.first(i); c != none; c = k.after(c) {
		if c != name {
			k.as(artifact.RoleRead, c)
		}
	}
}
