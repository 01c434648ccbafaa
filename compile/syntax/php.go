package syntax

import (
	"bytes"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

const (
	phpName = kindFirst + iota
	phpComment
	phpNamespaceDefinition
	phpNamespaceName
	phpNamespaceUse
	phpUseGroup
	phpUseClause
	phpQualifiedName
	phpClass
	phpInterface
	phpTrait
	phpEnum
	phpEnumCase
	phpAnonymousClass
	phpBaseClause
	phpInterfaceClause
	phpUseDeclaration
	phpUseList
	phpConstDeclaration
	phpConstElement
	phpPropertyDeclaration
	phpPropertyElement
	phpPromotion
	phpMethod
	phpFunction
	phpAnonymousFunction
	phpArrowFunction
	phpParameters
	phpVisibility
	phpStaticModifier
	phpAbstractModifier
	phpAttribute
	phpVariableName
	phpRelativeScope
	phpNamedType
	phpCall
	phpMemberCall
	phpNullsafeMemberCall
	phpScopedCall
	phpMemberAccess
	phpNullsafeMemberAccess
	phpScopedProperty
	phpClassConstant
	phpNew
	phpAssignment
	phpAugmented
	phpReferenceAssignment
	phpBinary
	phpInstanceof
	phpArgument
	phpArguments
	phpString
	phpEncapsed
	phpStringContent
	phpRequire
	phpRequireOnce
	phpInclude
	phpIncludeOnce
	phpGoto
	phpLabel
	phpStaticVariable
	phpBody
	phpPropertyHook
	phpSubscript
	phpNumKinds
)

var phpKinds = [phpNumKinds]string{
	phpName: "name", phpComment: "comment", phpNamespaceDefinition: "namespace_definition",
	phpNamespaceName: "namespace_name", phpNamespaceUse: "namespace_use_declaration",
	phpUseGroup: "namespace_use_group", phpUseClause: "namespace_use_clause", phpQualifiedName: "qualified_name",
	phpClass: "class_declaration", phpInterface: "interface_declaration", phpTrait: "trait_declaration",
	phpEnum: "enum_declaration", phpEnumCase: "enum_case", phpAnonymousClass: "anonymous_class",
	phpBaseClause: "base_clause", phpInterfaceClause: "class_interface_clause", phpUseDeclaration: "use_declaration",
	phpUseList: "use_list", phpConstDeclaration: "const_declaration", phpConstElement: "const_element",
	phpPropertyDeclaration: "property_declaration", phpPropertyElement: "property_element",
	phpPromotion: "property_promotion_parameter", phpMethod: "method_declaration", phpFunction: "function_definition",
	phpAnonymousFunction: "anonymous_function", phpArrowFunction: "arrow_function", phpParameters: "formal_parameters",
	phpVisibility: "visibility_modifier", phpStaticModifier: "static_modifier", phpAbstractModifier: "abstract_modifier",
	phpAttribute: "attribute", phpVariableName: "variable_name", phpRelativeScope: "relative_scope",
	phpNamedType: "named_type", phpCall: "function_call_expression", phpMemberCall: "member_call_expression",
	phpNullsafeMemberCall: "nullsafe_member_call_expression", phpScopedCall: "scoped_call_expression",
	phpMemberAccess: "member_access_expression", phpNullsafeMemberAccess: "nullsafe_member_access_expression",
	phpScopedProperty: "scoped_property_access_expression", phpClassConstant: "class_constant_access_expression",
	phpNew: "object_creation_expression", phpAssignment: "assignment_expression",
	phpAugmented: "augmented_assignment_expression", phpReferenceAssignment: "reference_assignment_expression",
	phpBinary: "binary_expression", phpInstanceof: "'instanceof", phpArgument: "argument", phpArguments: "arguments",
	phpString: "string", phpEncapsed: "encapsed_string", phpStringContent: "string_content",
	phpRequire: "require_expression", phpRequireOnce: "require_once_expression", phpInclude: "include_expression",
	phpIncludeOnce: "include_once_expression", phpGoto: "goto_statement", phpLabel: "named_label_statement",
	phpStaticVariable: "static_variable_declaration", phpBody: "compound_statement", phpPropertyHook: "property_hook",
	phpSubscript: "subscript_expression",
}

// phpUniverse are words that the grammar reads as names.
var phpUniverse = [...]string{
	"self", "static", "parent", "true", "false", "null", "TRUE", "FALSE", "NULL",
	"__DIR__", "__FILE__", "__LINE__", "__CLASS__", "__METHOD__", "__FUNCTION__", "__NAMESPACE__",
}

// phpExtractor walks a PHP file. A variable lives in its function alone, so
// variables are no occurrences; what stands behind "->" and "::" is.
type phpExtractor struct {
	walker
	namespace bool // a namespace for the rest of the file is open
}

func extractPhp(x *extraction) {
	p := &phpExtractor{walker: newWalker(x)}
	p.walker.visit = p.visit
	p.children(0)
	if p.namespace {
		p.end()
	}
}

func (p *phpExtractor) visit(i int32) {
	switch p.kind(i) {
	case phpName:
		p.use(p.role, i)
	case phpComment:
		p.comment(i)
	case phpVariableName, phpRelativeScope, phpGoto, phpLabel, phpNamespaceName:
	case phpNamespaceDefinition:
		p.namespaceDefinition(i)
	case phpNamespaceUse:
		p.imports(i)
	case phpQualifiedName:
		p.qualified(p.role, i)
	case phpClass, phpInterface, phpTrait, phpEnum, phpAnonymousClass:
		p.class(i)
	case phpEnumCase:
		name := p.child(i, fName)
		d := p.begin(artifact.KindEnumMember, i, name)
		p.inherit(d)
		p.flag(d, artifact.SymbolStatic)
		p.rest(i, name, none)
		p.end()
	case phpBaseClause:
		p.childrenAs(artifact.RoleInherit, i)
	case phpInterfaceClause:
		p.childrenAs(artifact.RoleImplement, i)
	case phpUseDeclaration:
		for c := p.first(i); c != none; c = p.after(c) {
			if p.kind(c) != phpUseList {
				p.as(artifact.RoleInherit, c)
			}
		}
	case phpConstDeclaration:
		p.elements(i, artifact.KindConstant, phpConstElement)
	case phpPropertyDeclaration:
		p.elements(i, artifact.KindProperty, phpPropertyElement)
	case phpPromotion:
		name := none
		if v := p.child(i, fName); v != none {
			name = p.variable(v)
		}
		p.exported(p.begin(artifact.KindProperty, i, name), i)
		p.children(i)
		p.end()
	case phpMethod, phpFunction:
		p.function(i)
	case phpAnonymousFunction, phpArrowFunction:
		p.enter()
		p.children(i)
		p.leave()
	case phpPropertyHook:
		p.rest(i, p.childOf(i, phpName), none)
	case phpAttribute:
		name := p.first(i)
		p.as(artifact.RoleDecorate, name)
		p.rest(i, name, none)
	case phpNamedType:
		p.childrenAs(artifact.RoleType, i)
	case phpCall:
		p.call(i)
	case phpMemberCall, phpNullsafeMemberCall:
		p.member(artifact.RoleCall, i, p.child(i, fObject))
		p.as(artifact.RoleRead, p.child(i, fArguments))
	case phpScopedCall:
		p.member(artifact.RoleCall, i, p.child(i, fScope))
		p.as(artifact.RoleRead, p.child(i, fArguments))
	case phpMemberAccess, phpNullsafeMemberAccess:
		p.member(p.role, i, p.child(i, fObject))
	case phpScopedProperty:
		scope, name := p.child(i, fScope), p.child(i, fName)
		if name != none {
			if n := p.variable(name); n != none {
				p.useMember(p.role, n, scope)
			}
		}
		p.as(artifact.RoleType, scope)
	case phpClassConstant:
		scope := p.first(i)
		if scope == none {
			return
		}
		if name := p.after(scope); name != none && p.kind(name) == phpName && string(p.text(name)) != "class" {
			p.useMember(artifact.RoleRead, name, scope)
		}
		p.as(artifact.RoleType, scope)
	case phpNew:
		for c := p.first(i); c != none; c = p.after(c) {
			if k := p.kind(c); k == phpName || k == phpQualifiedName {
				p.as(artifact.RoleInstantiate, c)
			} else {
				p.visit(c)
			}
		}
	case phpAssignment, phpAugmented, phpReferenceAssignment:
		p.as(artifact.RoleWrite, p.child(i, fLeft))
		p.as(artifact.RoleRead, p.child(i, fRight))
	case phpBinary:
		p.opt(p.child(i, fLeft))
		role := artifact.RoleRead
		if p.has(i, phpInstanceof) {
			role = artifact.RoleType
		}
		p.as(role, p.child(i, fRight))
	case phpSubscript:
		p.head(i)
	case phpArgument:
		p.rest(i, p.child(i, fName), none)
	case phpRequire, phpRequireOnce, phpInclude, phpIncludeOnce:
		p.include(i)
	default:
		p.children(i)
	}
}

// variable returns the name behind the "$", or none.
func (p *phpExtractor) variable(i int32) int32 {
	if p.kind(i) == phpVariableName {
		return p.childOf(i, phpName)
	}
	for k := i; k < p.nodes[i].next; k++ {
		if p.kind(k) == phpVariableName {
			return p.childOf(k, phpName)
		}
	}
	return none
}

// qualified handles "A\B".
func (p *phpExtractor) qualified(role artifact.Role, i int32) {
	name := p.lastOf(i, phpName)
	if name == none {
		return
	}
	prefix := bytes.TrimRight(p.src[p.nodes[i].start:p.nodes[name].start], "\\")
	p.useAt(role, p.nodes[name].start, p.text(name), p.limited(bytes.TrimLeft(prefix, "\\")))
}

// limited is chain for a text of any length.
func (p *phpExtractor) limited(text []byte) string {
	if len(text) > 2*maxReceiver {
		return ellipsis
	}
	return p.chain(text)
}

// member handles "object->name" and "scope::name".
func (p *phpExtractor) member(role artifact.Role, i, object int32) {
	name := p.child(i, fName)
	if name != none && p.kind(name) == phpName {
		p.useMember(role, name, object)
	} else if name != none {
		p.visit(name)
	}
	if object == none {
		return
	}
	if p.nodes[object].field == fScope {
		p.as(artifact.RoleType, object)
	} else {
		p.as(artifact.RoleRead, object)
	}
}

func (p *phpExtractor) call(i int32) {
	function, args := p.child(i, fFunction), p.child(i, fArguments)
	if function != none && p.kind(function) == phpName && string(p.text(function)) == "define" && p.callables == 0 && args != none {
		// define('NAME', value) declares a constant.
		if first := p.childOf(args, phpArgument); first != none {
			for k := first; k < p.nodes[first].next; k++ {
				if p.kind(k) == phpStringContent {
					p.export(p.leaf(artifact.KindConstant, i, k))
					break
				}
			}
		}
	}
	switch {
	case function == none:
	case p.kind(function) == phpName || p.kind(function) == phpQualifiedName:
		p.as(artifact.RoleCall, function)
	default:
		p.as(artifact.RoleRead, function)
	}
	p.as(artifact.RoleRead, args)
}

func (p *phpExtractor) namespaceDefinition(i int32) {
	if p.namespace {
		d := p.parent()
		p.end()
		p.namespace = false
		if d >= 0 {
			p.facts.Decls[d].End = p.trimEnd(p.facts.Decls[d].Start, p.nodes[i].start)
		}
	}
	name, body := p.child(i, fName), p.child(i, fBody)
	if name == none {
		p.children(i)
		return
	}
	to := i
	if body == none {
		to = 0
	}
	d := p.begin(artifact.KindNamespace, i, name)
	p.export(d)
	p.signature(d, i, body)
	if body != none {
		p.visit(body)
		p.end()
		return
	}
	p.namespace = true
	if d >= 0 {
		decl := &p.facts.Decls[d]
		decl.SigEnd = decl.End
		decl.End = p.trimEnd(decl.Start, p.nodes[to].end)
	}
}

// imports handles "use A\{B, C as D}".
func (p *phpExtractor) imports(i int32) {
	prefix := ""
	clauses := i
	if g := p.child(i, fBody); g != none {
		clauses = g
		if n := p.childOf(i, phpNamespaceName); n != none {
			prefix = strings.Trim(string(p.text(n)), "\\")
		}
	}
	for c := p.childOf(clauses, phpUseClause); c != none; c = p.nextOf(c, phpUseClause) {
		target := none
		alias := p.child(c, fAlias)
		for k := p.first(c); k != none; k = p.after(k) {
			if kind := p.kind(k); k != alias && (kind == phpName || kind == phpQualifiedName) {
				target = k
				break
			}
		}
		if target == none {
			continue
		}
		name := target
		if p.kind(target) == phpQualifiedName {
			if name = p.lastOf(target, phpName); name == none {
				continue
			}
		}
		module := strings.Trim(string(p.src[p.nodes[target].start:p.nodes[name].start]), "\\")
		if prefix != "" && module != "" {
			module = prefix + "\\" + module
		} else if prefix != "" {
			module = prefix
		}
		local := name
		if alias != none {
			local = alias
		}
		p.addImport(name, p.intern([]byte(module)), p.str(name), p.str(local))
		p.useAt(artifact.RoleImport, p.nodes[name].start, p.text(name), "")
	}
}

// include handles "require 'x.php'" and "require __DIR__ . '/x.php'".
func (p *phpExtractor) include(i int32) {
	content, parts := none, 0
	for k := i + 1; k < p.nodes[i].next; k++ {
		switch p.kind(k) {
		case phpStringContent:
			content = k
			parts++
		case phpVariableName, phpCall:
			parts += 2
		}
	}
	if parts == 1 {
		module := p.str(content)
		if module[0] == '/' && bytes.Contains(p.text(i), []byte("__DIR__")) {
			module = p.intern(append([]byte{'.'}, p.text(content)...))
		}
		p.addImport(content, module, "*", "*")
	}
	p.children(i)
}

// exported applies PHP's rule: what is not private can be named elsewhere.
func (p *phpExtractor) exported(d, i int32) {
	if d < 0 {
		return
	}
	private := false
	for c := p.first(i); c != none; c = p.after(c) {
		switch p.kind(c) {
		case phpVisibility:
			private = private || bytes.HasPrefix(p.text(c), []byte("private"))
		case phpStaticModifier:
			p.flag(d, artifact.SymbolStatic)
		case phpAbstractModifier:
			if k := p.facts.Decls[d].Kind; !k.Container() {
				p.flag(d, artifact.SymbolForward)
			}
		}
	}
	if !private {
		p.export(d)
	}
}

func (p *phpExtractor) class(i int32) {
	kind := artifact.KindClass
	switch p.kind(i) {
	case phpInterface:
		kind = artifact.KindInterface
	case phpTrait:
		kind = artifact.KindTrait
	case phpEnum:
		kind = artifact.KindEnum
	}
	name, body := p.child(i, fName), p.child(i, fBody)
	d := none
	if p.kind(i) == phpAnonymousClass {
		d = p.beginNamed(kind, i, i, anonymousClass, p.nodes[i].start)
	} else {
		d = p.begin(kind, i, name)
		p.export(d)
	}
	p.signature(d, i, body)
	p.rest(i, name, none)
	p.end()
}

// elements handles the constants or properties of one declaration.
func (p *phpExtractor) elements(i int32, kind artifact.Kind, element uint16) {
	last, from := p.lastOf(i, element), i
	for c := p.first(i); c != none; c = p.after(c) {
		if p.kind(c) != element {
			p.visit(c)
			continue
		}
		name := p.child(c, fName)
		if name == none {
			name = p.childOf(c, phpName)
		} else {
			name = p.variable(name)
		}
		to := c
		if c == last {
			to = i
		}
		d := p.beginSpan(kind, from, to, name)
		p.exported(d, i)
		if kind == artifact.KindConstant {
			p.flag(d, artifact.SymbolStatic)
		}
		p.rest(c, name, none)
		p.end()
		if from = p.after(c); from == none {
			from = c
		}
	}
}

func (p *phpExtractor) function(i int32) {
	name, body := p.child(i, fName), p.child(i, fBody)
	kind := artifact.KindFunction
	if p.kind(i) == phpMethod {
		kind = artifact.KindMethod
		if name != none && string(p.text(name)) == "__construct" {
			kind = artifact.KindConstructor
		}
	}
	d := p.begin(kind, i, name)
	p.exported(d, i)
	p.signature(d, i, body)
	if body == none {
		p.flag(d, artifact.SymbolForward)
	}
	// Promoted properties stand among the parameters and are not local.
	for c := p.first(i); c != none; c = p.after(c) {
		if c != name && c != body {
			p.visit(c)
		}
	}
	p.enter()
	if body != none {
		p.as(artifact.RoleRead, body)
	}
	p.leave()
	p.end()
}
