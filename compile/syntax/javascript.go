package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

type jsExtractor struct {
	*extraction
	role      artifact.Role // of a type's name at the current place
	exporting bool          // the next declaration stands in an export statement
}

func extractJS(x *extraction) {
	j := &jsExtractor{extraction: x, role: artifact.RoleType}
	j.children(0)
	// "export { a }" may follow a's declaration; then members are exported
	// where their parents are.
	j.markExports()
	for i := range x.facts.Decls {
		d := &x.facts.Decls[i]
		if d.Parent >= 0 && x.facts.Decls[d.Parent].Flags&artifact.SymbolExported == 0 {
			d.Flags &^= artifact.SymbolExported
		}
	}
}

func (j *jsExtractor) children(i int32) {
	end := j.nodes[i].next
	for c := i + 1; c < end; c = j.nodes[c].next {
		j.visit(c)
	}
}

func (j *jsExtractor) opt(i int32) {
	if i != none {
		j.visit(i)
	}
}

func (j *jsExtractor) typeAs(role artifact.Role, i int32) {
	if i == none {
		return
	}
	saved := j.role
	j.role = role
	j.visit(i)
	j.role = saved
}

// rest visits the children of i except two, which may be none.
func (j *jsExtractor) rest(i, a, b int32) {
	for c := j.first(i); c != none; c = j.after(c) {
		if c != a && c != b {
			j.visit(c)
		}
	}
}

func (j *jsExtractor) visit(i int32) {
	switch j.kind(i) {
	case jsIdentifier, jsShorthandPropertyIdentifier:
		j.use(artifact.RoleRead, i)
	case tsTypeIdentifier:
		j.use(j.role, i)
	case jsComment:
		j.comment(i)
	case jsDecorator:
		j.decorator(i)
	case jsImportStatement:
		j.importStatement(i)
	case tsImportAlias:
		j.importAlias(i)
	case jsExportStatement:
		j.export(i)
	case jsFunctionDeclaration, jsGeneratorFunctionDeclaration, tsFunctionSignature:
		j.function(artifact.KindFunction, i, i, j.child(i, fName))
	case jsFunctionExpression, jsGeneratorFunction, jsArrowFunction:
		j.code(i)
	case jsClassDeclaration, tsAbstractClassDeclaration:
		j.class(i, i, j.child(i, fName))
	case jsClass:
		j.enterOf(i)
		j.open = append(j.open, none)
		j.classParts(i)
		j.end()
		j.leave()
	case jsMethodDefinition, tsMethodSignature, tsAbstractMethodSignature:
		j.method(i)
	case jsFieldDefinition, tsPublicFieldDefinition, tsPropertySignature:
		j.field(i)
	case jsClassStaticBlock:
		j.enterOf(i)
		j.hoistVars(i)
		j.children(i)
		j.leave()
	case tsInterfaceDeclaration, tsTypeAliasDeclaration:
		j.typeDeclaration(i)
	case tsEnumDeclaration:
		j.enum(i)
	case tsInternalModule, tsModule:
		j.namespace(i)
	case tsAmbientDeclaration:
		j.ambient(i)
	case jsLexicalDeclaration, jsVariableDeclaration:
		j.variables(i, i)
	case jsExpressionStatement:
		if c := j.first(i); c != none && j.kind(c) == jsAssignmentExpression {
			j.assignment(i, c)
		} else {
			j.children(i)
		}
	case jsAssignmentExpression:
		j.assignment(i, i)
	case jsAugmentedAssignmentExpression:
		j.target(j.child(i, fLeft))
		j.opt(j.child(i, fRight))
	case jsUpdateExpression:
		j.target(j.child(i, fArgument))
	case jsCallExpression:
		j.call(i)
	case jsNewExpression:
		j.creation(i)
	case jsMemberExpression:
		j.member(artifact.RoleRead, i)
	case jsPair:
		j.key(i)
		if k := j.child(i, fKey); k != none && j.first(k) != none && j.kind(k) != jsString {
			j.visit(k) // computed
		}
		j.opt(j.child(i, fValue))
	case jsStatementBlock, jsForStatement, jsSwitchBody:
		j.pushScopeOf(i)
		j.hoist(i)
		j.children(i)
		j.popScope()
	case jsForInStatement:
		j.opt(j.child(i, fRight))
		j.pushScopeOf(i)
		if left := j.child(i, fLeft); left != none {
			if j.child(i, fKind) != none || j.has(i, jsConst) {
				hint := ""
				if j.has(i, jsOf) {
					hint = j.valueHint(j.child(i, fRight), "*")
				}
				j.bindPattern(artifact.KindVariable, left, hint)
			} else {
				j.target(left)
			}
		}
		j.opt(j.child(i, fBody))
		j.popScope()
	case jsCatchClause:
		j.pushScopeOf(i)
		if p := j.child(i, fParameter); p != none {
			j.bindPattern(artifact.KindVariable, p, "")
		}
		j.opt(j.child(i, fBody))
		j.popScope()
	case jsJsxOpeningElement, jsJsxSelfClosingElement:
		j.element(i)
	case jsJsxClosingElement:
	case tsRequiredParameter, tsOptionalParameter, jsFormalParameters:
		// Of a signature: only the types are used.
		for c := j.first(i); c != none; c = j.after(c) {
			switch j.nodes[c].field {
			case fPattern, fName:
				j.bindPattern(artifact.KindParameter, c, j.writtenHint(j.child(i, fType)))
			default:
				j.visit(c)
			}
		}
	case tsCallSignature, tsConstructSignature, tsFunctionType, tsConstructorType:
		if at := j.nodes[i].start; j.kind(i) == tsCallSignature && at < j.nodes[i].end {
			// A member without a name: its first byte stands for one.
			j.addLocalAt(artifact.KindField, at, string(j.src[at:at+1]), j.writtenHint(j.child(i, fReturnType)), at, j.nodes[i].end)
		}
		j.pushScopeOf(i)
		j.children(i)
		j.popScope()
	case tsIndexSignature:
		j.rest(i, j.child(i, fName), none)
	case tsExtendsClause:
		for c := j.first(i); c != none; c = j.after(c) {
			if j.nodes[c].field == fValue {
				j.expressionAs(artifact.RoleInherit, c)
			} else {
				j.visit(c)
			}
		}
	case tsExtendsTypeClause:
		for c := j.first(i); c != none; c = j.after(c) {
			j.typeAs(artifact.RoleInherit, c)
		}
	case tsImplementsClause:
		for c := j.first(i); c != none; c = j.after(c) {
			j.typeAs(artifact.RoleImplement, c)
		}
	case tsTypeParameters:
		j.typeParameters(i)
	case tsNestedTypeIdentifier:
		if n := j.child(i, fName); n != none {
			j.useMember(j.role, n, j.child(i, fModule))
		}
	case tsGenericType:
		j.opt(j.child(i, fName))
		j.typeAs(artifact.RoleType, j.child(i, fTypeArguments))
	case tsTypePredicate:
		if n := j.child(i, fName); n != none && j.kind(n) == jsIdentifier {
			j.use(artifact.RoleRead, n)
		}
		j.opt(j.child(i, fType))
	case tsAsserts:
		for c := j.first(i); c != none; c = j.after(c) {
			if j.kind(c) != jsIdentifier {
				j.visit(c)
			}
		}
	case tsInferType:
		for c := j.first(i); c != none; c = j.after(c) {
			if j.kind(c) == tsTypeIdentifier {
				j.bindAs(artifact.KindTypeParameter, c, "")
			} else {
				j.visit(c)
			}
		}
	case tsMappedTypeClause:
		if n := j.child(i, fName); n != none {
			j.bindAs(artifact.KindTypeParameter, n, "")
		}
		j.rest(i, j.child(i, fName), none)
	default:
		j.children(i)
	}
}

// exported flags a declaration: at file level when it stands in an export
// statement; a member unless it is private.
func (j *jsExtractor) exported(d, i int32) {
	exporting := j.exporting
	j.exporting = false
	if d < 0 {
		return
	}
	decl := &j.facts.Decls[d]
	if decl.Flags&artifact.SymbolLocal != 0 {
		return
	}
	if k := j.parentKindOf(decl); k != artifact.KindUnknown && k != artifact.KindNamespace && k != artifact.KindModule {
		exporting = decl.Name[0] != '#'
		if m := j.childOf(i, tsAccessibilityModifier); m != none && string(j.text(m)) != "public" {
			exporting = false
		}
	}
	if exporting {
		decl.Flags |= artifact.SymbolExported
	}
}

// parentKindOf returns the kind of a declaration's parent, KindUnknown at
// file level.
func (j *jsExtractor) parentKindOf(d *Decl) artifact.Kind {
	if d.Parent < 0 {
		return artifact.KindUnknown
	}
	return j.facts.Decls[d.Parent].Kind
}

func (j *jsExtractor) typeDeclaration(i int32) {
	kind := artifact.KindInterface
	body := j.body(i)
	if j.kind(i) == tsTypeAliasDeclaration {
		kind = artifact.KindType
	}
	name := j.child(i, fName)
	d := j.begin(kind, i, name)
	j.exported(d, i)
	j.signature(d, i, body)
	if kind == artifact.KindType {
		j.hintFor(d, j.writtenHint(j.child(i, fValue)))
	}
	j.pushScopeOf(i)
	if tp := j.child(i, fTypeParameters); tp != none {
		j.typeParameters(tp)
	}
	for c := j.first(i); c != none; c = j.after(c) {
		if c != name && j.nodes[c].field != fTypeParameters {
			j.visit(c)
		}
	}
	j.popScope()
	j.end()
}

func (j *jsExtractor) enum(i int32) {
	name, body := j.child(i, fName), j.body(i)
	d := j.begin(artifact.KindEnum, i, name)
	j.exported(d, i)
	j.signature(d, i, body)
	if body != none {
		for c := j.first(body); c != none; c = j.after(c) {
			n := c
			if j.kind(c) == tsEnumAssignment {
				n = j.child(c, fName)
			} else if j.nodes[c].field != fName {
				j.visit(c)
				continue
			}
			text, at := j.memberName(n)
			m := j.beginNamed(artifact.KindEnumMember, c, c, text, at)
			j.exported(m, c)
			if j.kind(c) == tsEnumAssignment {
				j.opt(j.child(c, fValue))
			}
			j.end()
		}
	}
	j.end()
}

// namespace handles "namespace a.b {}" and "module 'name' {}".
func (j *jsExtractor) namespace(i int32) {
	name, body := j.child(i, fName), j.body(i)
	var d int32
	if name != none && j.kind(name) == jsString {
		text, at := j.memberName(name)
		d = j.beginNamed(artifact.KindModule, i, i, text, at)
		j.exporting = false
		j.flag(d, artifact.SymbolExported)
	} else {
		var outer [][]byte
		text, at := []byte(nil), uint32(0)
		if name != none {
			parts := bytes.Split(j.text(name), []byte("."))
			text, outer = parts[len(parts)-1], parts[:len(parts)-1]
			at = j.nodes[name].end - uint32(len(text))
		}
		d = j.beginNamed(artifact.KindNamespace, i, i, j.intern(bytes.TrimSpace(text)), at)
		for _, o := range outer {
			j.own(d, artifact.KindNamespace, j.intern(bytes.TrimSpace(o)))
		}
		j.exported(d, i)
	}
	j.signature(d, i, body)
	if body != none {
		j.children(body)
	}
	j.end()
}

// ambient visits "declare …": what is declared has no body here.
func (j *jsExtractor) ambient(i int32) {
	from := len(j.facts.Decls)
	j.children(i)
	for k := from; k < len(j.facts.Decls); k++ {
		d := &j.facts.Decls[k]
		if k == from {
			d.Start = min(d.Start, j.nodes[i].start)
			d.SigStart = min(d.SigStart, j.nodes[i].start)
		}
		switch d.Kind {
		case artifact.KindFunction, artifact.KindMethod, artifact.KindVariable, artifact.KindConstant:
			d.Flags |= artifact.SymbolForward
		}
	}
}

func (j *jsExtractor) typeParameters(i int32) {
	for c := j.first(i); c != none; c = j.after(c) {
		if n := j.child(c, fName); n != none && j.kind(c) == tsTypeParameter {
			j.bindAs(artifact.KindTypeParameter, n, j.constraintHint(c))
		}
	}
	for c := j.first(i); c != none; c = j.after(c) {
		if j.kind(c) == tsTypeParameter {
			j.rest(c, j.child(c, fName), none)
		}
	}
}

func (j *jsExtractor) target(i int32) {
	if i == none {
		return
	}
	switch j.kind(i) {
	case jsIdentifier, jsShorthandPropertyIdentifierPattern:
		j.use(artifact.RoleWrite, i)
	case jsMemberExpression:
		j.member(artifact.RoleWrite, i)
	case jsArrayPattern, jsObjectPattern, jsRestPattern:
		for c := j.first(i); c != none; c = j.after(c) {
			j.target(c)
		}
	case jsPairPattern:
		j.target(j.child(i, fValue))
	case jsAssignmentPattern, jsObjectAssignmentPattern:
		j.target(j.child(i, fLeft))
		j.opt(j.child(i, fRight))
	default:
		j.visit(i)
	}
}

// member adds the use of "object.property".
func (j *jsExtractor) member(role artifact.Role, i int32) {
	object, property := j.child(i, fObject), j.child(i, fProperty)
	if property != none {
		j.useOf(role, property, object)
	}
	if object != none && (j.kind(object) != jsIdentifier || !j.isModule(object)) {
		j.visit(object)
	}
}

func (j *jsExtractor) call(i int32) {
	fn := j.child(i, fFunction)
	if fn != none {
		switch {
		case j.kind(fn) == jsImport, j.kind(fn) == jsIdentifier && string(j.text(fn)) == "require" && !j.isLocal(fn):
			if module, ok := j.moduleArgument(i); ok {
				j.addImport(fn, module, "", "")
				return
			}
			j.expressionAs(artifact.RoleCall, fn)
		default:
			j.expressionAs(artifact.RoleCall, fn)
		}
	}
	j.rest(i, fn, none)
}

func (j *jsExtractor) creation(i int32) {
	class := j.child(i, fConstructor)
	j.expressionAs(artifact.RoleInstantiate, class)
	j.rest(i, class, none)
}

func (j *jsExtractor) decorator(i int32) {
	e := j.first(i)
	if e == none {
		return
	}
	if j.kind(e) == jsCallExpression {
		fn := j.child(e, fFunction)
		j.expressionAs(artifact.RoleDecorate, fn)
		j.rest(e, fn, none)
		return
	}
	j.expressionAs(artifact.RoleDecorate, e)
}

// element handles "<Name …>": a name with a capital is a component.
func (j *jsExtractor) element(i int32) {
	name := j.child(i, fName)
	if name != none {
		switch {
		case j.kind(name) == jsMemberExpression:
			j.member(artifact.RoleInstantiate, name)
		case j.kind(name) == jsIdentifier && capital(j.text(name)):
			j.use(artifact.RoleInstantiate, name)
		}
	}
	j.rest(i, name, none)
}
