package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

// rustUniverse is the part of the prelude that nearly every file uses and
// hardly any declares.
var rustUniverse = [...]string{
	"Self", "Some", "None", "Ok", "Err", "Option", "Vec", "String", "Box", "_",
	"bool", "char", "str", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize",
	"u8", "u16", "u32", "u64", "u128", "usize",
}

type rustExtractor struct {
	*extraction
	role artifact.Role // of a type's name at the current place
	// traitImpl says that the walk is directly in an "impl Trait for Type",
	// whose members are as visible as the trait.
	traitImpl bool
}

func extractRust(x *extraction) {
	r := &rustExtractor{extraction: x, role: artifact.RoleType}
	r.children(0)
}

func (r *rustExtractor) children(i int32) {
	end := r.nodes[i].next
	for c := i + 1; c < end; c = r.nodes[c].next {
		r.visit(c)
	}
}

func (r *rustExtractor) opt(i int32) {
	if i != none {
		r.visit(i)
	}
}

func (r *rustExtractor) typeAs(role artifact.Role, i int32) {
	if i == none {
		return
	}
	saved := r.role
	r.role = role
	r.visit(i)
	r.role = saved
}

func (r *rustExtractor) visit(i int32) {
	switch r.kind(i) {
	case rsIdentifier:
		r.use(artifact.RoleRead, i)
	case rsTypeIdentifier:
		r.use(r.role, i)
	case rsLineComment, rsBlockComment:
		if t := r.text(i); len(t) > 2 && t[2] == '!' {
			r.lead.ok = false // documents what encloses it
			return
		}
		r.comment(i)
	case rsAttributeItem:
		r.attribute(i)
		r.attributeUses(i)
	case rsInnerAttributeItem:
		r.attributeUses(i)
	case rsLifetime, rsLabel, rsVisibilityModifier:
	case rsModItem:
		r.module(i)
	case rsStructItem, rsUnionItem, rsEnumItem, rsTraitItem:
		r.typeItem(i)
	case rsTypeItem, rsAssociatedType:
		r.typeAlias(i)
	case rsEnumVariant:
		r.exported(r.begin(artifact.KindEnumMember, i, r.child(i, fName)), i)
		r.rest(i, r.child(i, fName))
		r.end()
	case rsFieldDeclaration:
		r.exported(r.begin(artifact.KindField, i, r.child(i, fName)), i)
		r.opt(r.child(i, fType))
		r.end()
	case rsConstItem, rsStaticItem:
		r.constant(i)
	case rsFunctionItem, rsFunctionSignatureItem:
		r.function(i)
	case rsImplItem:
		r.impl(i)
	case rsMacroDefinition:
		r.macroDefinition(i)
	case rsMacroInvocation:
		r.macroInvocation(i)
	case rsTokenTree:
		r.tokens(i)
	case rsUseDeclaration:
		export := r.has(i, rsVisibilityModifier)
		if arg := r.child(i, fArgument); arg != none {
			r.useTree(arg, nil, export)
		}
		r.lead.ok = false
	case rsExternCrateDeclaration:
		r.externCrate(i)
	case rsTypeParameters:
		r.typeParameters(i)
	case rsTypeBinding:
		r.typeAs(artifact.RoleType, r.child(i, fTypeArguments))
		r.typeAs(artifact.RoleType, r.child(i, fType))
	case rsGenericType, rsGenericTypeWithTurbofish:
		r.opt(r.child(i, fType))
		r.typeAs(artifact.RoleType, r.child(i, fTypeArguments))
	case rsScopedTypeIdentifier:
		r.scoped(r.role, i)
	case rsScopedIdentifier:
		r.scoped(artifact.RoleRead, i)
	case rsBlock, rsIfExpression, rsWhileExpression:
		r.pushScope()
		r.children(i)
		r.popScope()
	case rsForExpression:
		r.opt(r.child(i, fValue))
		r.pushScope()
		r.pattern(r.child(i, fPattern))
		r.opt(r.child(i, fBody))
		r.popScope()
	case rsLetDeclaration:
		r.opt(r.child(i, fType))
		r.opt(r.child(i, fValue))
		r.opt(r.child(i, fAlternative))
		r.pattern(r.child(i, fPattern))
	case rsLetCondition:
		r.opt(r.child(i, fValue))
		r.pattern(r.child(i, fPattern))
	case rsMatchArm:
		r.pushScope()
		for c := r.first(i); c != none; c = r.after(c) {
			if r.kind(c) == rsMatchPattern {
				cond := r.child(c, fCondition)
				for p := r.first(c); p != none; p = r.after(p) {
					if p != cond {
						r.pattern(p)
					}
				}
				r.opt(cond)
				continue
			}
			r.visit(c)
		}
		r.popScope()
	case rsClosureExpression:
		r.closure(i)
	case rsParameter: // of a function type
		r.opt(r.child(i, fType))
	case rsCallExpression:
		r.callee(r.child(i, fFunction))
		r.opt(r.child(i, fArguments))
	case rsGenericFunction:
		r.opt(r.child(i, fFunction))
		r.opt(r.child(i, fTypeArguments))
	case rsFieldExpression:
		r.fieldAccess(artifact.RoleRead, i)
	case rsStructExpression:
		r.typeAs(artifact.RoleInstantiate, r.child(i, fName))
		r.opt(r.child(i, fBody))
	case rsFieldInitializer:
		if f := r.child(i, fField); f != none && r.kind(f) == rsFieldIdentifier {
			r.useMember(artifact.RoleWrite, f, none)
		}
		r.opt(r.child(i, fValue))
	case rsShorthandFieldInitializer:
		if f := r.childOf(i, rsIdentifier); f != none {
			r.useMember(artifact.RoleWrite, f, none)
		}
	case rsAssignmentExpression, rsCompoundAssignmentExpr:
		r.assign(r.child(i, fLeft))
		r.opt(r.child(i, fRight))
	case rsTupleStructPattern, rsStructPattern, rsCapturedPattern:
		r.pattern(i)
	default:
		r.children(i)
	}
}

// rest visits the children of i except one.
func (r *rustExtractor) rest(i, except int32) {
	for c := r.first(i); c != none; c = r.after(c) {
		if c != except {
			r.visit(c)
		}
	}
}

// exported applies Rust's rule: pub, or a member of a trait, an enum or an
// implementation of a trait, which is as visible as its parent.
func (r *rustExtractor) exported(d, i int32) {
	if d < 0 || r.facts.Decls[d].Flags&artifact.SymbolLocal != 0 {
		return
	}
	decl := &r.facts.Decls[d]
	visible := r.has(i, rsVisibilityModifier)
	if !visible && decl.Parent >= 0 {
		p := &r.facts.Decls[decl.Parent]
		switch p.Kind {
		case artifact.KindTrait, artifact.KindEnum, artifact.KindEnumMember:
			visible = p.Flags&artifact.SymbolExported != 0
		case artifact.KindImpl:
			visible = r.traitImpl
		}
	}
	if visible {
		decl.Flags |= artifact.SymbolExported
	}
}

func (r *rustExtractor) module(i int32) {
	body := r.child(i, fBody)
	d := r.begin(artifact.KindModule, i, r.child(i, fName))
	r.exported(d, i)
	r.signature(d, i, body)
	if body == none {
		r.flag(d, artifact.SymbolForward)
	} else {
		r.children(body)
	}
	r.end()
}

func (r *rustExtractor) typeItem(i int32) {
	kind := artifact.KindStruct
	switch r.kind(i) {
	case rsUnionItem:
		kind = artifact.KindUnion
	case rsEnumItem:
		kind = artifact.KindEnum
	case rsTraitItem:
		kind = artifact.KindTrait
	}
	name, body := r.child(i, fName), r.child(i, fBody)
	d := r.begin(kind, i, name)
	r.exported(d, i)
	r.signature(d, i, body)
	saved := r.traitImpl
	r.traitImpl = false
	r.pushScope()
	for c := r.first(i); c != none; c = r.after(c) {
		switch {
		case c == name:
		case kind == artifact.KindTrait && r.kind(c) == rsTraitBounds:
			r.typeAs(artifact.RoleInherit, c)
		default:
			r.visit(c)
		}
	}
	r.popScope()
	r.traitImpl = saved
	r.end()
}

func (r *rustExtractor) typeAlias(i int32) {
	name := r.child(i, fName)
	d := r.begin(artifact.KindType, i, name)
	r.exported(d, i)
	if r.kind(i) == rsAssociatedType {
		r.flag(d, artifact.SymbolForward)
	}
	r.pushScope()
	r.rest(i, name)
	r.popScope()
	r.end()
}

func (r *rustExtractor) constant(i int32) {
	name := r.child(i, fName)
	kind := artifact.KindConstant
	if r.kind(i) == rsStaticItem {
		kind = artifact.KindVariable
	}
	if name == none || string(r.text(name)) == "_" {
		r.rest(i, name)
		return
	}
	value := r.child(i, fValue)
	d := r.begin(kind, i, name)
	r.exported(d, i)
	if value == none {
		r.flag(d, artifact.SymbolForward)
	}
	r.opt(r.child(i, fType))
	r.opt(value)
	r.end()
}

func (r *rustExtractor) function(i int32) {
	name, params, body := r.child(i, fName), r.child(i, fParameters), r.child(i, fBody)
	kind := artifact.KindFunction
	flags := artifact.SymbolFlags(0)
	switch r.parentDeclKind() {
	case artifact.KindImpl, artifact.KindTrait:
		kind = artifact.KindMethod
		if params == none || !r.has(params, rsSelfParameter) {
			flags |= artifact.SymbolStatic
		}
	}
	if body == none {
		flags |= artifact.SymbolForward
	}
	d := r.begin(kind, i, name)
	r.flag(d, flags)
	r.exported(d, i)
	r.signature(d, i, body)
	r.enter()
	for c := r.first(i); c != none; c = r.after(c) {
		switch c {
		case name, params, body:
		default:
			r.visit(c)
		}
	}
	if params != none {
		r.children(params)
		for c := r.first(params); c != none; c = r.after(c) {
			if r.kind(c) == rsParameter {
				r.pattern(r.child(c, fPattern))
			}
		}
	}
	r.opt(body)
	r.leave()
	r.end()
}

func (r *rustExtractor) closure(i int32) {
	params := r.child(i, fParameters)
	r.enter()
	if params != none {
		for c := r.first(params); c != none; c = r.after(c) {
			if r.kind(c) == rsParameter {
				r.opt(r.child(c, fType))
				r.pattern(r.child(c, fPattern))
			} else {
				r.pattern(c)
			}
		}
	}
	r.opt(r.child(i, fReturnType))
	r.opt(r.child(i, fBody))
	r.leave()
}

// impl handles "impl Type" and "impl Trait for Type". The block is named
// after the type, so that its members qualify as the type's; the trait stands
// in its descriptor.
func (r *rustExtractor) impl(i int32) {
	typ, trait, body := r.child(i, fType), r.child(i, fTrait), r.child(i, fBody)
	nameNode := none
	name := "impl"
	if typ != none {
		if nameNode = r.typeName(typ); nameNode != none {
			name = r.str(nameNode)
		} else if t := r.text(typ); len(t) <= maxReceiver {
			name = r.intern(bytes.Join(bytes.Fields(t), []byte(" ")))
		}
	}
	at := r.nodes[i].start
	if nameNode != none {
		at = r.nodes[nameNode].start
	} else if typ != none {
		at = r.nodes[typ].start
	}
	d := r.beginNamed(artifact.KindImpl, i, i, name, at)
	r.signature(d, i, body)
	if trait != none && d >= 0 {
		if t := r.typeName(trait); t != none {
			r.facts.Decls[d].Descriptor += "[" + escape(r.str(t)) + "]"
		}
	}
	r.pushScope()
	r.opt(r.child(i, fTypeParameters))
	r.typeAs(artifact.RoleImplement, trait)
	r.typeAs(artifact.RoleType, typ)
	for c := r.first(i); c != none; c = r.after(c) {
		if r.nodes[c].field == fNone { // where clause
			r.visit(c)
		}
	}
	saved := r.traitImpl
	r.traitImpl = trait != none
	if body != none {
		r.children(body)
	}
	r.traitImpl = saved
	r.popScope()
	r.end()
}

// typeName returns the node of the name that a type is known by: the last
// name of its path, without arguments and references; none for a tuple and
// the like.
func (r *rustExtractor) typeName(i int32) int32 {
	for i != none {
		switch r.kind(i) {
		case rsTypeIdentifier:
			return i
		case rsScopedTypeIdentifier:
			return r.child(i, fName)
		case rsGenericType, rsReferenceType:
			i = r.child(i, fType)
		default:
			return none
		}
	}
	return none
}

func (r *rustExtractor) typeParameters(i int32) {
	for c := r.first(i); c != none; c = r.after(c) {
		n := c
		switch r.kind(c) {
		case rsConstrainedTypeParameter:
			n = r.child(c, fLeft)
		case rsOptionalTypeParameter, rsConstParameter:
			n = r.child(c, fName)
		case rsAttributeItem, rsLineComment, rsBlockComment:
			continue
		}
		if n != none && (r.kind(n) == rsTypeIdentifier || r.kind(n) == rsIdentifier) {
			r.bind(n)
		}
	}
	for c := r.first(i); c != none; c = r.after(c) {
		r.typeAs(artifact.RoleType, c)
	}
}

// pattern binds the names that a pattern introduces and visits what it
// refers to. A bare name that begins with a capital is a constant or variant.
func (r *rustExtractor) pattern(i int32) {
	if i == none {
		return
	}
	switch r.kind(i) {
	case rsIdentifier, rsShorthandFieldIdentifier:
		if c := r.text(i); len(c) > 0 && c[0] >= 'A' && c[0] <= 'Z' {
			r.use(artifact.RoleRead, i)
		} else {
			r.bind(i)
		}
	case rsScopedIdentifier, rsMacroInvocation, rsBlock, rsRangePattern:
		r.visit(i)
	case rsTupleStructPattern, rsStructPattern:
		typ := r.child(i, fType)
		r.typeAs(artifact.RoleRead, typ)
		for c := r.first(i); c != none; c = r.after(c) {
			if c != typ {
				r.pattern(c)
			}
		}
	case rsFieldPattern:
		name, pat := r.child(i, fName), r.child(i, fPattern)
		if name != none {
			r.useMember(artifact.RoleRead, name, none)
			if pat == none {
				r.bind(name)
			}
		}
		r.pattern(pat)
	default:
		for c := r.first(i); c != none; c = r.after(c) {
			r.pattern(c)
		}
	}
}

// capital reports whether a path segment is a type's by convention; modules
// are written small.
func capital(b []byte) bool { return len(b) > 0 && b[0] >= 'A' && b[0] <= 'Z' }

// scoped adds the use of "path::name", and of the types in the path.
func (r *rustExtractor) scoped(role artifact.Role, i int32) {
	path, name := r.child(i, fPath), r.child(i, fName)
	if name != none {
		r.useMember(role, name, path)
	}
	r.path(path)
}

func (r *rustExtractor) path(i int32) {
	for i != none {
		switch r.kind(i) {
		case rsIdentifier:
			if capital(r.text(i)) {
				r.use(artifact.RoleType, i)
			}
			return
		case rsScopedIdentifier:
			name, path := r.child(i, fName), r.child(i, fPath)
			if name != none && capital(r.text(name)) {
				r.useMember(artifact.RoleType, name, path)
			}
			i = path
		case rsSelf, rsSuper, rsCrate:
			return
		default:
			r.typeAs(artifact.RoleType, i)
			return
		}
	}
}

func (r *rustExtractor) callee(fn int32) {
	if fn == none {
		return
	}
	switch r.kind(fn) {
	case rsIdentifier:
		r.use(artifact.RoleCall, fn)
	case rsScopedIdentifier:
		r.scoped(artifact.RoleCall, fn)
	case rsFieldExpression:
		r.fieldAccess(artifact.RoleCall, fn)
	case rsGenericFunction:
		r.callee(r.child(fn, fFunction))
		r.opt(r.child(fn, fTypeArguments))
	default:
		r.visit(fn)
	}
}

func (r *rustExtractor) fieldAccess(role artifact.Role, i int32) {
	value := r.child(i, fValue)
	if name := r.child(i, fField); name != none && r.kind(name) == rsFieldIdentifier {
		r.useMember(role, name, value)
	}
	r.opt(value)
}

func (r *rustExtractor) assign(left int32) {
	if left == none {
		return
	}
	switch r.kind(left) {
	case rsIdentifier:
		r.use(artifact.RoleWrite, left)
	case rsFieldExpression:
		r.fieldAccess(artifact.RoleWrite, left)
	default:
		r.visit(left)
	}
}

func (r *rustExtractor) attributeUses(i int32) {
	attr := r.childOf(i, rsAttribute)
	if attr == none {
		return
	}
	path := r.first(attr)
	if path == none {
		return
	}
	switch r.kind(path) {
	case rsIdentifier:
		switch string(r.text(path)) {
		case "derive":
			if args := r.child(attr, fArguments); args != none {
				for c := r.first(args); c != none; c = r.after(c) {
					// In "derive(serde::Serialize)" only the last name counts.
					if r.kind(c) == rsIdentifier && !r.followed(c, "::") {
						r.useMember(artifact.RoleImplement, c, none)
					}
				}
			}
			return
		case "allow", "cfg", "cfg_attr", "deny", "deprecated", "doc", "inline", "must_use",
			"non_exhaustive", "repr", "warn":
			return
		}
		r.use(artifact.RoleDecorate, path)
	case rsScopedIdentifier:
		r.scoped(artifact.RoleDecorate, path)
	}
	r.opt(r.child(attr, fValue))
}
