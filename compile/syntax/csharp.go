package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

// csharpUniverse are words that the grammar reads as names.
var csharpUniverse = [...]string{"_", "nameof", "dynamic", "nint", "nuint"}

type csharpExtractor struct {
	walker
	object int32 // of the member bindings in a conditional access
}

func extractCSharp(x *extraction) {
	c := &csharpExtractor{walker: newWalker(x), object: none}
	c.walker.visit = c.visit
	c.pushScope() // of the variables of top-level statements
	c.children(0)
	for len(c.open) > 0 {
		c.end() // a namespace for the rest of the file
	}
	c.popScope()
}

func (c *csharpExtractor) visit(i int32) {
	switch c.kind(i) {
	case csIdentifier:
		c.use(c.role, i)
	case csComment:
		c.comment(i)
	case csUsingDirective:
		c.using(i)
	case csNamespace:
		name := c.child(i, fName)
		d := c.namespace(i, i, name)
		c.signature(d, i, c.child(i, fBody))
		c.opt(c.child(i, fBody))
		c.end()
	case csFileNamespace:
		// It holds the rest of the file; extractCSharp closes it.
		d := c.namespace(i, 0, c.child(i, fName))
		if d >= 0 {
			c.facts.Decls[d].SigEnd = c.nodes[i].end
		}
	case csClass, csStruct, csRecord, csInterface, csEnum:
		c.typeDeclaration(i)
	case csEnumMember:
		name := c.child(i, fName)
		d := c.begin(artifact.KindEnumMember, i, name)
		c.inherit(d)
		c.flag(d, artifact.SymbolStatic)
		c.rest(i, name, none)
		c.end()
	case csDelegate:
		name := c.child(i, fName)
		c.exported(c.begin(artifact.KindType, i, name), i)
		c.pushScope()
		c.rest(i, name, none)
		c.popScope()
		c.end()
	case csMethod, csConstructor, csDestructor, csOperator, csConversion, csLocalFunction:
		c.callable(i)
	case csProperty, csIndexer, csEvent:
		c.property(i)
	case csField, csEventField:
		c.fields(i)
	case csVariableDeclarator:
		name := c.child(i, fName)
		c.rest(i, name, none)
		if name != none {
			c.bind(name)
		} else if t := c.childOf(i, csTuplePattern); t != none {
			c.bindAll(t, csIdentifier)
		}
	case csParameter:
		name := c.child(i, fName)
		c.rest(i, name, none)
		if name != none {
			c.bind(name)
		}
	case csParameterList, csBracketedParameterList:
		// "params T[] rest" is no parameter node.
		name := c.child(i, fName)
		c.rest(i, name, none)
		if name != none {
			c.bind(name)
		}
	case csImplicitParameter:
		c.bind(i)
	case csLambda, csAnonymousMethod:
		c.enter()
		c.children(i)
		c.leave()
	case csTypeParameter:
		if name := c.child(i, fName); name != none {
			c.bind(name)
		}
	case csBaseList:
		c.bases(i)
	case csPrimaryBase:
		c.as(c.role, c.child(i, fType))
		saved := c.role
		c.role = artifact.RoleRead
		c.rest(i, c.child(i, fType), none)
		c.role = saved
	case csAttribute:
		name := c.child(i, fName)
		c.as(artifact.RoleDecorate, name)
		c.rest(i, name, none)
	case csAttributeArgument, csAnonymousObject:
		c.named(i, csEquals)
	case csArgument, csTupleElement:
		c.rest(i, c.child(i, fName), none)
	case csQualifiedName, csAliasQualifiedName:
		name, qualifier := c.child(i, fName), c.first(i)
		c.member(c.role, name, qualifier)
		if qualifier != name && !c.plainName(qualifier) {
			c.as(artifact.RoleType, qualifier)
		}
	case csGenericName:
		c.opt(c.childOf(i, csIdentifier))
		c.as(artifact.RoleType, c.childOf(i, csTypeArgumentList))
	case csTypeArgumentList, csExplicitInterface:
		c.childrenAs(artifact.RoleType, i)
	case csMemberAccess:
		c.memberAccess(c.role, i)
	case csMemberBinding:
		c.member(c.role, c.child(i, fName), c.object)
	case csConditionalAccess:
		condition := c.child(i, fCondition)
		c.opt(condition)
		saved := c.object
		c.object = condition
		c.rest(i, condition, none)
		c.object = saved
	case csInvocation:
		function := c.child(i, fFunction)
		c.callee(function)
		c.opt(c.child(i, fArguments))
	case csObjectCreation:
		typ := c.child(i, fType)
		c.as(artifact.RoleInstantiate, typ)
		c.rest(i, typ, none)
	case csAssignment:
		left := c.child(i, fLeft)
		if left != none && c.kind(left) == csIdentifier && c.parentKind(i) == csInitializer {
			c.useMember(artifact.RoleWrite, left, none)
		} else {
			c.as(artifact.RoleWrite, left)
		}
		c.as(artifact.RoleRead, c.child(i, fRight))
	case csElementAccess:
		c.head(i)
	case csWithInitializer:
		first := c.first(i)
		if first != none && c.kind(first) == csIdentifier {
			c.useMember(artifact.RoleWrite, first, none)
			c.rest(i, first, none)
		} else {
			c.children(i)
		}
	case csSubpattern:
		first := c.first(i)
		if first != none && c.kind(first) == csIdentifier && c.after(first) != none {
			c.useMember(artifact.RoleRead, first, none)
			c.rest(i, first, none)
		} else {
			c.children(i)
		}
	case csDeclarationPattern, csRecursivePattern, csVarPattern, csDeclarationExpression, csCatchDeclaration, csFromClause:
		name := c.child(i, fName)
		c.typed(i, name)
		if name != none {
			c.bind(name)
		}
	case csDesignation:
		c.bindAll(i, csIdentifier)
	case csIsExpression, csAsExpression:
		c.opt(c.child(i, fLeft))
		c.as(artifact.RoleType, c.child(i, fRight))
	case csForeach:
		c.foreach(i)
	case csBlock, csFor, csUsingStatement, csFixed, csCatch, csSwitchSection, csSwitchArm, csQuery:
		saved := c.role
		c.role = artifact.RoleRead
		c.pushScope()
		c.typed(i, none)
		c.popScope()
		c.role = saved
	case csLetClause, csJoinClause:
		name := c.childOf(i, csIdentifier)
		c.typed(i, name)
		if name != none {
			c.bind(name)
		}
	case csJoinInto:
		c.bindAll(i, csIdentifier)
	case csGoto:
	case csLabeled:
		c.rest(i, c.childOf(i, csIdentifier), none)
	case csTuplePattern:
		c.bindAll(i, csIdentifier)
	default:
		c.typed(i, none)
	}
}

// typed visits the children of i except one; those in a field for types name
// types.
func (c *csharpExtractor) typed(i, except int32) {
	for k := c.first(i); k != none; k = c.after(k) {
		if k == except {
			continue
		}
		switch c.nodes[k].field {
		case fType, fReturns:
			c.as(artifact.RoleType, k)
		default:
			c.visit(k)
		}
	}
}

// rest is typed with two exceptions.
func (c *csharpExtractor) rest(i, except, also int32) {
	for k := c.first(i); k != none; k = c.after(k) {
		switch {
		case k == except || k == also:
		case c.nodes[k].field == fType || c.nodes[k].field == fReturns:
			c.as(artifact.RoleType, k)
		default:
			c.visit(k)
		}
	}
}

// named visits the children except names that an "=" follows.
func (c *csharpExtractor) named(i int32, sep uint16) {
	for k := c.first(i); k != none; k = c.after(k) {
		if n := c.after(k); n != none && c.kind(n) == sep && c.kind(k) == csIdentifier {
			continue
		}
		c.visit(k)
	}
}

// plainName reports whether a qualifier is made of names alone, which the
// member's receiver says already.
func (c *csharpExtractor) plainName(i int32) bool {
	switch c.kind(i) {
	case csIdentifier:
		return true
	case csQualifiedName, csAliasQualifiedName:
		for k := i; k < c.nodes[i].next; k++ {
			if c.kind(k) == csGenericName {
				return false
			}
		}
		return true
	}
	return false
}

// member uses a name, generic or not, as a member of object.
func (c *csharpExtractor) member(role artifact.Role, name, object int32) {
	if name == none || name == object {
		return
	}
	if c.kind(name) == csGenericName {
		c.as(artifact.RoleType, c.childOf(name, csTypeArgumentList))
		name = c.childOf(name, csIdentifier)
	}
	if name != none {
		c.useMember(role, name, object)
	}
}

func (c *csharpExtractor) memberAccess(role artifact.Role, i int32) {
	object := c.first(i)
	c.member(role, c.child(i, fName), object)
	if object != none && c.nodes[object].field != fName {
		c.as(artifact.RoleRead, object)
	}
}

func (c *csharpExtractor) callee(i int32) {
	if i == none {
		return
	}
	switch c.kind(i) {
	case csIdentifier, csGenericName, csMemberBinding, csConditionalAccess:
		c.as(artifact.RoleCall, i)
	case csMemberAccess:
		c.memberAccess(artifact.RoleCall, i)
	default:
		c.visit(i)
	}
}

func (c *csharpExtractor) using(i int32) {
	alias := c.child(i, fName)
	target := none
	for k := c.first(i); k != none; k = c.after(k) {
		if k != alias && c.kind(k) != csStaticToken && c.kind(k) != csEquals && c.kind(k) != csComment {
			target = k
		}
	}
	if target == none {
		return
	}
	module := c.intern(bytes.Join(bytes.Fields(c.text(target)), nil))
	name, at := lastName(c.text(target), '.')
	if alias != none {
		c.addImportAt(c.nodes[target].start+uint32(at), module, "", c.str(alias))
	} else {
		c.addImportAt(c.nodes[target].start+uint32(at), module, "*", "*")
	}
	switch c.kind(target) {
	case csIdentifier, csQualifiedName:
		c.useAt(artifact.RoleImport, c.nodes[target].start+uint32(at), bytes.TrimSpace(name), "")
	}
}

func (c *csharpExtractor) namespace(from, to, name int32) int32 {
	if name == none {
		c.open = append(c.open, none)
		return none
	}
	text := c.intern(bytes.Join(bytes.Fields(c.text(name)), nil))
	d := c.beginNamed(artifact.KindNamespace, from, to, text, c.nodes[name].start)
	c.export(d)
	return d
}

// exported applies C#'s rules: what no other file can name is private, file
// or a member without a modifier; members of interfaces are as visible as
// the interface.
func (c *csharpExtractor) exported(d, i int32) {
	if d < 0 || c.facts.Decls[d].Flags&artifact.SymbolLocal != 0 {
		return
	}
	visible, hidden := false, false
	for k := c.first(i); k != none; k = c.after(k) {
		if c.kind(k) != csModifier {
			continue
		}
		switch string(c.text(k)) {
		case "public", "protected", "internal":
			visible = true
		case "private", "file":
			hidden = true
		case "static", "const":
			c.flag(d, artifact.SymbolStatic)
		case "abstract", "extern":
			if !c.facts.Decls[d].Kind.Container() {
				c.flag(d, artifact.SymbolForward)
			}
		}
	}
	if visible {
		c.flag(d, artifact.SymbolExported)
		return
	}
	if hidden {
		return
	}
	p := c.facts.Decls[d].Parent
	if p < 0 || c.facts.Decls[p].Kind == artifact.KindNamespace || c.facts.Decls[p].Kind == artifact.KindInterface || c.has(i, csExplicitInterface) {
		c.inherit(d)
	}
}

func (c *csharpExtractor) typeDeclaration(i int32) {
	kind := artifact.KindClass
	switch c.kind(i) {
	case csStruct:
		kind = artifact.KindStruct
	case csInterface:
		kind = artifact.KindInterface
	case csEnum:
		kind = artifact.KindEnum
	}
	name, body := c.child(i, fName), c.child(i, fBody)
	d := c.begin(kind, i, name)
	c.exported(d, i)
	c.signature(d, i, body)
	c.pushScope()
	for k := c.first(i); k != none; k = c.after(k) {
		switch {
		case k == name:
		case c.kind(k) == csParameterList && c.kind(i) == csRecord:
			// The parameters of a record are its properties.
			for p := c.first(k); p != none; p = c.after(p) {
				if c.kind(p) != csParameter {
					c.visit(p)
					continue
				}
				pn := c.child(p, fName)
				c.inherit(c.begin(artifact.KindProperty, p, pn))
				c.rest(p, pn, none)
				c.end()
			}
		default:
			c.visit(k)
		}
	}
	c.popScope()
	c.end()
}

// bases tells classes from interfaces by the naming rule: "I" and a capital.
func (c *csharpExtractor) bases(i int32) {
	inInterface := c.parentDeclKind() == artifact.KindInterface
	for k := c.first(i); k != none; k = c.after(k) {
		role := artifact.RoleInherit
		name := k
		switch c.kind(k) {
		case csPrimaryBase:
			name = c.child(k, fType)
		case csQualifiedName, csAliasQualifiedName:
			name = c.child(k, fName)
		}
		if t := c.text(max(name, 0)); name != none && !inInterface && len(t) > 1 && t[0] == 'I' && t[1] >= 'A' && t[1] <= 'Z' {
			role = artifact.RoleImplement
		}
		c.as(role, k)
	}
}

func (c *csharpExtractor) callable(i int32) {
	kind := artifact.KindMethod
	name, body := c.child(i, fName), c.child(i, fBody)
	d := none
	switch c.kind(i) {
	case csConstructor:
		kind = artifact.KindConstructor
		d = c.begin(kind, i, name)
	case csLocalFunction:
		kind = artifact.KindFunction
		d = c.begin(kind, i, name)
	case csDestructor:
		if name == none {
			c.open = append(c.open, none)
		} else {
			d = c.beginNamed(kind, i, i, c.intern(append([]byte{'~'}, c.text(name)...)), c.nodes[name].start)
		}
	case csOperator:
		// The operator's token is no node that is kept: it stands before the
		// parameters.
		params := c.child(i, fParameters)
		text := c.src[c.nodes[i].start:c.nodes[i].end]
		if params != none {
			text = c.src[c.nodes[i].start:c.nodes[params].start]
		}
		c.operator(&d, i, text)
	case csConversion:
		typ := c.child(i, fType)
		text := c.text(i)
		if typ != none {
			text = c.src[c.nodes[i].start:c.nodes[typ].end]
		}
		c.operator(&d, i, text)
	default:
		d = c.begin(kind, i, name)
	}
	c.signature(d, i, body)
	c.exported(d, i)
	if body == none {
		c.flag(d, artifact.SymbolForward)
	}
	c.enter()
	// Type parameters come behind the result that names them.
	if tp := c.child(i, fTypeParameters); tp != none {
		c.visit(tp)
	}
	c.rest(i, name, none)
	c.leave()
	c.end()
}

// operator begins the declaration of an operator, whose name starts with the
// keyword in text.
func (c *csharpExtractor) operator(d *int32, i int32, text []byte) {
	at := bytes.LastIndex(text, []byte("operator"))
	if at < 0 {
		c.open = append(c.open, none)
		return
	}
	name := bytes.Join(bytes.Fields(text[at:]), []byte(" "))
	*d = c.beginNamed(artifact.KindMethod, i, i, c.intern(name), c.nodes[i].start+uint32(at))
}

func (c *csharpExtractor) property(i int32) {
	name, body := c.child(i, fName), c.childOf(i, csAccessorList)
	if body == none {
		body = c.childOf(i, csArrow)
	}
	d := none
	switch {
	case c.kind(i) == csIndexer:
		at := c.childOf(i, csThis)
		if at == none {
			at = i
		}
		d = c.beginNamed(artifact.KindProperty, i, i, "this[]", c.nodes[at].start)
	default:
		d = c.begin(artifact.KindProperty, i, name)
	}
	c.signature(d, i, body)
	c.exported(d, i)
	c.enter()
	c.bindName("value")
	c.rest(i, name, none)
	c.leave()
	c.end()
}

// fields handles the declarators of a field or of events.
func (c *csharpExtractor) fields(i int32) {
	kind := artifact.KindField
	for k := c.first(i); k != none; k = c.after(k) {
		if c.kind(k) == csModifier && string(c.text(k)) == "const" {
			kind = artifact.KindConstant
		}
	}
	list := c.childOf(i, csVariableDeclaration)
	if list == none {
		c.typed(i, none)
		return
	}
	last := c.lastOf(list, csVariableDeclarator)
	from := i
	typ := c.child(list, fType)
	for k := c.first(i); k != none; k = c.after(k) {
		if k != list && c.kind(k) != csModifier {
			c.visit(k) // attributes
		}
	}
	for k := c.childOf(list, csVariableDeclarator); k != none; k = c.nextOf(k, csVariableDeclarator) {
		to := k
		if k == last {
			to = i
		}
		name := c.child(k, fName)
		d := c.beginSpan(kind, from, to, name)
		c.exported(d, i)
		if from == i {
			c.as(artifact.RoleType, typ)
		}
		c.rest(k, name, none)
		c.end()
		if from = c.after(k); from == none {
			from = k
		}
	}
}

func (c *csharpExtractor) foreach(i int32) {
	left, body := c.child(i, fLeft), c.child(i, fBody)
	c.as(artifact.RoleType, c.child(i, fType))
	c.opt(c.child(i, fRight))
	c.pushScope()
	if left != none {
		if c.kind(left) == csIdentifier {
			c.bind(left)
		} else {
			c.bindAll(left, csIdentifier)
		}
	}
	c.opt(body)
	c.popScope()
}
