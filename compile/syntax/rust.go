package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

const (
	rsSourceFile = kindFirst + iota
	rsIdentifier
	rsTypeIdentifier
	rsFieldIdentifier
	rsShorthandFieldIdentifier
	rsLineComment
	rsBlockComment
	rsAttributeItem
	rsInnerAttributeItem
	rsAttribute
	rsVisibilityModifier
	rsModItem
	rsForeignModItem
	rsDeclarationList
	rsStructItem
	rsUnionItem
	rsEnumItem
	rsEnumVariant
	rsFieldDeclaration
	rsExternCrateDeclaration
	rsConstItem
	rsStaticItem
	rsTypeItem
	rsAssociatedType
	rsFunctionItem
	rsFunctionSignatureItem
	rsImplItem
	rsTraitItem
	rsTraitBounds
	rsMacroDefinition
	rsMacroRule
	rsMacroInvocation
	rsTokenTree
	rsTokenTreePattern
	rsTypeParameters
	rsConstrainedTypeParameter
	rsOptionalTypeParameter
	rsConstParameter
	rsTypeBinding
	rsGenericType
	rsGenericTypeWithTurbofish
	rsScopedTypeIdentifier
	rsScopedIdentifier
	rsReferenceType
	rsLetDeclaration
	rsLetCondition
	rsUseDeclaration
	rsScopedUseList
	rsUseList
	rsUseAsClause
	rsUseWildcard
	rsParameter
	rsSelfParameter
	rsClosureParameters
	rsClosureExpression
	rsBlock
	rsIfExpression
	rsWhileExpression
	rsForExpression
	rsMatchArm
	rsMatchPattern
	rsCallExpression
	rsGenericFunction
	rsFieldExpression
	rsStructExpression
	rsFieldInitializer
	rsShorthandFieldInitializer
	rsAssignmentExpression
	rsCompoundAssignmentExpr
	rsTupleStructPattern
	rsStructPattern
	rsFieldPattern
	rsCapturedPattern
	rsRangePattern
	rsLifetime
	rsLabel
	rsSelf
	rsSuper
	rsCrate
	rsNumKinds
)

var rustKinds = [rsNumKinds]string{
	rsSourceFile: "source_file", rsIdentifier: "identifier", rsTypeIdentifier: "type_identifier",
	rsFieldIdentifier: "field_identifier", rsShorthandFieldIdentifier: "shorthand_field_identifier",
	rsLineComment: "line_comment", rsBlockComment: "block_comment",
	rsAttributeItem: "attribute_item", rsInnerAttributeItem: "inner_attribute_item", rsAttribute: "attribute",
	rsVisibilityModifier: "visibility_modifier", rsModItem: "mod_item", rsForeignModItem: "foreign_mod_item",
	rsDeclarationList: "declaration_list", rsStructItem: "struct_item", rsUnionItem: "union_item",
	rsEnumItem: "enum_item", rsEnumVariant: "enum_variant", rsFieldDeclaration: "field_declaration",
	rsExternCrateDeclaration: "extern_crate_declaration", rsConstItem: "const_item",
	rsStaticItem: "static_item", rsTypeItem: "type_item", rsAssociatedType: "associated_type",
	rsFunctionItem: "function_item", rsFunctionSignatureItem: "function_signature_item",
	rsImplItem: "impl_item", rsTraitItem: "trait_item", rsTraitBounds: "trait_bounds",
	rsMacroDefinition: "macro_definition", rsMacroRule: "macro_rule",
	rsMacroInvocation: "macro_invocation", rsTokenTree: "token_tree",
	rsTokenTreePattern: "token_tree_pattern", rsTypeParameters: "type_parameters",
	rsConstrainedTypeParameter: "constrained_type_parameter",
	rsOptionalTypeParameter:    "optional_type_parameter", rsConstParameter: "const_parameter",
	rsTypeBinding: "type_binding", rsGenericType: "generic_type",
	rsGenericTypeWithTurbofish: "generic_type_with_turbofish",
	rsScopedTypeIdentifier:     "scoped_type_identifier", rsScopedIdentifier: "scoped_identifier",
	rsReferenceType: "reference_type", rsLetDeclaration: "let_declaration", rsLetCondition: "let_condition",
	rsUseDeclaration: "use_declaration", rsScopedUseList: "scoped_use_list", rsUseList: "use_list",
	rsUseAsClause: "use_as_clause", rsUseWildcard: "use_wildcard", rsParameter: "parameter",
	rsSelfParameter: "self_parameter", rsClosureParameters: "closure_parameters",
	rsClosureExpression: "closure_expression", rsBlock: "block", rsIfExpression: "if_expression",
	rsWhileExpression: "while_expression", rsForExpression: "for_expression", rsMatchArm: "match_arm",
	rsMatchPattern: "match_pattern", rsCallExpression: "call_expression",
	rsGenericFunction: "generic_function", rsFieldExpression: "field_expression",
	rsStructExpression: "struct_expression", rsFieldInitializer: "field_initializer",
	rsShorthandFieldInitializer: "shorthand_field_initializer",
	rsAssignmentExpression:      "assignment_expression", rsCompoundAssignmentExpr: "compound_assignment_expr",
	rsTupleStructPattern: "tuple_struct_pattern", rsStructPattern: "struct_pattern",
	rsFieldPattern: "field_pattern", rsCapturedPattern: "captured_pattern", rsRangePattern: "range_pattern",
	rsLifetime: "lifetime", rsLabel: "label", rsSelf: "self", rsSuper: "super", rsCrate: "crate",
}

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

// followed reports whether the text behind the node, white space apart,
// begins with s.
func (r *rustExtractor) followed(i int32, s string) bool {
	return bytes.HasPrefix(r.skipSpace(r.nodes[i].end), []byte(s))
}

func (r *rustExtractor) skipSpace(at uint32) []byte { return bytes.TrimLeft(r.src[at:], " \t\r\n") }

func (r *rustExtractor) macroDefinition(i int32) {
	d := r.begin(artifact.KindMacro, i, r.child(i, fName))
	rule := r.childOf(i, rsMacroRule)
	r.signature(d, i, rule)
	if d >= 0 {
		decl := &r.facts.Decls[d]
		decl.SigEnd = r.trimEnd(decl.SigStart, r.trimBrace(decl.SigStart, decl.SigEnd))
		if bytes.Contains(r.src[decl.Start:decl.SigStart], []byte("macro_export")) && decl.Flags&artifact.SymbolLocal == 0 {
			decl.Flags |= artifact.SymbolExported
		}
	}
	r.enter()
	for c := r.first(i); c != none; c = r.after(c) {
		if r.kind(c) == rsMacroRule {
			r.opt(r.child(c, fRight))
		}
	}
	r.leave()
	r.end()
}

// trimBrace returns end without an opening bracket in front of it.
func (r *rustExtractor) trimBrace(start, end uint32) uint32 {
	if end > start {
		switch r.src[end-1] {
		case '{', '(', '[':
			end--
		}
	}
	return end
}

func (r *rustExtractor) macroInvocation(i int32) {
	if m := r.child(i, fMacro); m != none {
		if r.kind(m) == rsScopedIdentifier {
			r.scoped(artifact.RoleCall, m)
		} else {
			r.use(artifact.RoleCall, m)
		}
	}
	if t := r.childOf(i, rsTokenTree); t != none {
		r.tokens(t)
	}
}

// tokens reads a macro's arguments, which the grammar leaves as tokens: what
// stands around a name says what it is. A tree that was parsed as items after
// all (see graft) is visited as such.
func (r *rustExtractor) tokens(i int32) {
	for c := r.first(i); c != none; c = r.after(c) {
		switch r.kind(c) {
		case rsTokenTree:
			r.tokens(c)
		case rsIdentifier:
			r.token(c)
		case rsSelf, rsSuper, rsCrate:
		default:
			r.visit(c)
		}
	}
}

func (r *rustExtractor) token(i int32) {
	n := r.nodes[i]
	if n.start > 0 && r.src[n.start-1] == '$' {
		return
	}
	before := bytes.TrimRight(r.src[:n.start], " \t\r\n")
	behind := r.skipSpace(n.end)
	if bytes.HasPrefix(behind, []byte("::")) && !capital(r.text(i)) {
		return // a module in a path
	}
	role := artifact.RoleRead
	switch {
	case bytes.HasPrefix(behind, []byte("(")), bytes.HasPrefix(behind, []byte("!(")), bytes.HasPrefix(behind, []byte("![")),
		bytes.HasPrefix(behind, []byte("!{")):
		role = artifact.RoleCall
	case bytes.HasPrefix(behind, []byte("::")):
		role = artifact.RoleType
	}
	sep := 0
	switch {
	case bytes.HasSuffix(before, []byte("::")):
		sep = 2
	case bytes.HasSuffix(before, []byte(".")) && !bytes.HasSuffix(before, []byte("..")):
		sep = 1
	}
	if sep == 0 {
		r.use(role, i)
		return
	}
	end := len(before) - sep
	start := end
	for start > 0 && end-start <= maxReceiver && (isNameByte(before[start-1]) || before[start-1] == ':' || before[start-1] == '.') {
		start--
	}
	receiver := ellipsis
	if start < end {
		receiver = r.chain(before[start:end])
	}
	r.useAt(role, n.start, r.text(i), receiver)
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

func (r *rustExtractor) externCrate(i int32) {
	name, alias := r.child(i, fName), r.child(i, fAlias)
	if name == none {
		return
	}
	local := r.str(name)
	if alias != none {
		local = r.str(alias)
	}
	r.addImport(name, r.str(name), "", local)
	r.useMember(artifact.RoleImport, name, none)
}

// useTree flattens a use declaration. prefix is the path in front of i.
func (r *rustExtractor) useTree(i int32, prefix []byte, export bool) {
	switch r.kind(i) {
	case rsUseList:
		for c := r.first(i); c != none; c = r.after(c) {
			if k := r.kind(c); k != rsLineComment && k != rsBlockComment {
				r.useTree(c, prefix, export)
			}
		}
	case rsScopedUseList:
		if p := r.child(i, fPath); p != none {
			prefix = joinPath(prefix, r.text(p))
		}
		if l := r.child(i, fList); l != none {
			r.useTree(l, prefix, export)
		}
	case rsUseWildcard:
		if p := r.first(i); p != none {
			prefix = joinPath(prefix, r.text(p))
		}
		r.addImport(i, r.intern(prefix), "*", "*")
	case rsUseAsClause:
		if p := r.child(i, fPath); p != none {
			r.useName(p, prefix, r.child(i, fAlias), export)
		}
	case rsIdentifier, rsScopedIdentifier, rsSelf, rsSuper, rsCrate:
		r.useName(i, prefix, none, export)
	}
}

// useName adds the import of one path of a use declaration.
func (r *rustExtractor) useName(i int32, prefix []byte, alias int32, export bool) {
	module, name := prefix, i
	if r.kind(i) == rsScopedIdentifier {
		name = r.child(i, fName)
		if p := r.child(i, fPath); p != none {
			module = joinPath(prefix, r.text(p))
		}
	}
	if name == none {
		return
	}
	member := r.str(name)
	local := member
	switch {
	case r.kind(name) == rsSelf: // use a::{self}
		member = ""
		local = r.intern(module[bytes.LastIndexByte(module, ':')+1:])
	case len(module) == 0: // use name
		module, member = r.text(name), ""
	}
	if alias != none {
		local = r.str(alias)
	}
	r.addImport(name, r.intern(module), member, local)
	if r.kind(name) == rsIdentifier {
		r.useMember(artifact.RoleImport, name, none)
		if export && local != "_" {
			at := name
			if alias != none {
				at = alias
			}
			r.useMember(artifact.RoleExport, at, none)
		}
	}
}

func joinPath(prefix, path []byte) []byte {
	path = bytes.Join(bytes.Fields(path), nil)
	if len(prefix) == 0 {
		return path
	}
	out := make([]byte, 0, len(prefix)+2+len(path))
	return append(append(append(out, prefix...), "::"...), path...)
}

// rustItems returns the token trees of macros that stand where items do and
// are written in braces, such as "cfg_rt! { pub fn f() {} }": most hold
// ordinary items.
func rustItems(x *extraction, from int32) []int32 {
	var trees []int32
	for i := from; i < int32(len(x.nodes)); {
		switch x.kind(i) {
		case rsMacroInvocation:
			if t := x.childOf(i, rsTokenTree); t != none && x.text(t)[0] == '{' && x.nodes[t].end-x.nodes[t].start > 2 {
				trees = append(trees, t)
			}
			i = x.nodes[i].next
		case rsFunctionItem, rsMacroDefinition, rsStructItem, rsEnumItem, rsUseDeclaration, rsConstItem, rsStaticItem, rsTypeItem:
			i = x.nodes[i].next
		default:
			i++
		}
	}
	return trees
}
