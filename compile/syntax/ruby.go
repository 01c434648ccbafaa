package syntax

import "github.com/pindex-dev/pindex/artifact"

type rubyExtractor struct {
	walker
	hidden  bool            // behind a bare "private"
	static  bool            // in "class << self"
	private map[string]bool // names that "private :a" hides in the current class
}

func extractRuby(x *extraction) {
	r := &rubyExtractor{walker: newWalker(x)}
	r.walker.visit = r.visit
	r.pushScope() // a script's own variables
	r.children(0)
	r.popScope()
}

func (r *rubyExtractor) visit(i int32) {
	switch r.kind(i) {
	case rbIdentifier:
		r.bare(i)
	case rbConstant:
		r.use(r.role, i)
	case rbComment:
		r.comment(i)
	case rbScopeResolution:
		r.scoped(r.role, i)
	case rbInstanceVariable, rbClassVariable, rbGlobalVariable:
		r.useMember(r.role, i, none)
	case rbModule, rbClass:
		r.container(i)
	case rbSingletonClass:
		static, hidden := r.static, r.hidden
		r.static, r.hidden = true, false
		r.rest(i, r.child(i, fValue), none)
		r.static, r.hidden = static, hidden
	case rbMethod, rbSingletonMethod:
		r.method(i)
	case rbAlias:
		r.aliasOf(i, r.child(i, fName), r.child(i, fAlias))
	case rbUndef:
	case rbAssignment, rbOperatorAssignment:
		r.assignment(i)
	case rbCall:
		r.call(i)
	case rbBlock, rbDoBlock:
		r.pushScope()
		r.children(i)
		r.popScope()
	case rbLambda:
		r.pushScope()
		r.children(i)
		r.popScope()
	case rbMethodParameters, rbBlockParameters, rbLambdaParameters, rbDestructuredParameter:
		for c := r.first(i); c != none; c = r.after(c) {
			r.parameter(c)
		}
	case rbSplatParameter, rbHashSplatParameter, rbBlockParameter, rbOptionalParameter, rbKeywordParameter:
		r.parameter(i)
	case rbFor:
		r.opt(r.child(i, fValue))
		if p := r.child(i, fPattern); p != none {
			r.target(p)
		}
		r.opt(r.child(i, fBody))
	case rbExceptions:
		r.childrenAs(artifact.RoleType, i)
	case rbExceptionVariable:
		for c := r.first(i); c != none; c = r.after(c) {
			r.target(c)
		}
	case rbInClause, rbMatchPattern, rbTestPattern:
		p := r.child(i, fPattern)
		if p != none && r.nodes[i].field != fBody {
			r.opt(r.child(i, fValue))
			r.pattern(p)
		}
		for c := r.first(i); c != none; c = r.after(c) {
			if c != p && r.nodes[c].field != fValue {
				r.visit(c)
			}
		}
	case rbBlockArgument:
		// "&:name" calls name on each element.
		if s := r.childOf(i, rbSimpleSymbol); s != none {
			r.useAt(artifact.RoleCall, r.nodes[s].start+1, r.text(s)[1:], ellipsis)
		} else {
			r.children(i)
		}
	case rbPair:
		key := r.child(i, fKey)
		if v := r.child(i, fValue); v != none {
			if key != none && r.kind(key) != rbHashKeySymbol {
				r.visit(key)
			}
			r.visit(v)
		} else if key != none && r.kind(key) == rbHashKeySymbol && !r.isLocal(key) {
			r.useMember(artifact.RoleCall, key, none) // "{x:}" is "{x: x}"
		}
	default:
		r.children(i)
	}
}

// bare handles an identifier: a variable, or a call without arguments.
func (r *rubyExtractor) bare(i int32) {
	if r.parentKind(i) == rbBodyStatement && r.callables == 0 {
		switch string(r.text(i)) {
		case "private":
			r.hidden = true
			return
		case "public", "protected", "module_function":
			r.hidden = false
			return
		}
	}
	role := r.role
	if role == artifact.RoleRead {
		role = artifact.RoleCall
	}
	r.use(role, i)
}

// scoped handles "A::B".
func (r *rubyExtractor) scoped(role artifact.Role, i int32) {
	name, scope := r.child(i, fName), r.child(i, fScope)
	if name != none {
		r.useMember(role, name, scope)
	}
	if scope != none {
		r.as(artifact.RoleRead, scope)
	}
}

func (r *rubyExtractor) container(i int32) {
	kind := artifact.KindClass
	if r.kind(i) == rbModule {
		kind = artifact.KindModule
	}
	name, body := r.child(i, fName), r.child(i, fBody)
	scope := none
	if name != none && r.kind(name) == rbScopeResolution {
		scope = r.child(name, fScope)
		name = r.child(name, fName)
	}
	d := r.begin(kind, i, name)
	r.qualify(d, scope)
	super := r.childOf(i, rbSuperclass)
	if d >= 0 {
		decl := &r.facts.Decls[d]
		end := name
		if super != none {
			end = super
		}
		decl.SigEnd = r.nodes[end].end
	}
	r.export(d)
	r.as(artifact.RoleInherit, super)
	r.classBody(d, body)
	r.end()
}

// qualify says that a name stands behind "A::B::".
func (r *rubyExtractor) qualify(d, scope int32) {
	if scope == none {
		return
	}
	if r.kind(scope) == rbScopeResolution {
		r.qualify(d, r.child(scope, fScope))
		scope = r.child(scope, fName)
	}
	if scope != none && r.kind(scope) == rbConstant {
		r.own(d, artifact.KindModule, r.str(scope))
	}
}

// classBody visits what declares the members of d.
func (r *rubyExtractor) classBody(d, body int32) {
	hidden, static, private := r.hidden, r.static, r.private
	r.hidden, r.static, r.private = false, false, nil
	r.pushScope()
	if body != none {
		r.as(artifact.RoleRead, body)
	}
	r.popScope()
	if len(r.private) > 0 && d >= 0 {
		for k := int(d) + 1; k < len(r.facts.Decls); k++ {
			if m := &r.facts.Decls[k]; m.Parent == d && r.private[m.Name] {
				m.Flags &^= artifact.SymbolExported
			}
		}
	}
	r.hidden, r.static, r.private = hidden, static, private
}

// member flags a declaration as a member of the current class.
func (r *rubyExtractor) member(d int32) {
	if !r.hidden {
		r.export(d)
	}
	if r.static {
		r.flag(d, artifact.SymbolStatic)
	}
}

func (r *rubyExtractor) method(i int32) {
	name, body, params := r.child(i, fName), r.child(i, fBody), r.child(i, fParameters)
	kind := artifact.KindFunction
	if r.parentDeclKind().Container() {
		kind = artifact.KindMethod
	}
	object := r.child(i, fObject)
	if r.kind(i) == rbSingletonMethod {
		kind = artifact.KindMethod
	} else if kind == artifact.KindMethod && name != none && string(r.text(name)) == "initialize" {
		kind = artifact.KindConstructor
	}
	d := r.begin(kind, i, name)
	r.member(d)
	if r.kind(i) == rbSingletonMethod {
		r.flag(d, artifact.SymbolStatic)
		if object != none && r.kind(object) == rbConstant {
			if p := r.parent(); p >= 0 && r.facts.Decls[max(r.facts.Decls[max(d, 0)].Parent, 0)].Name != r.str(object) {
				r.own(d, artifact.KindClass, r.str(object))
			}
		}
	}
	if d >= 0 {
		decl := &r.facts.Decls[d]
		decl.SigEnd = r.nodes[name].end
		if params != none {
			decl.SigEnd = r.nodes[params].end
		}
	}
	r.enter()
	r.opt(params)
	if body != none {
		r.as(artifact.RoleRead, body)
	}
	r.leave()
	r.end()
}

func (r *rubyExtractor) aliasOf(i, name, old int32) {
	if name == none {
		return
	}
	text, at := r.symbol(name)
	d := r.beginNamed(artifact.KindMethod, i, i, text, at)
	r.member(d)
	r.end()
	if old != none {
		text, at := r.symbol(old)
		r.useAt(artifact.RoleRead, at, []byte(text), "")
	}
}

// symbol returns what a symbol or name says, and where.
func (r *rubyExtractor) symbol(i int32) (string, uint32) {
	if t := r.text(i); r.kind(i) == rbSimpleSymbol && len(t) > 1 {
		return r.intern(t[1:]), r.nodes[i].start + 1
	}
	return r.str(i), r.nodes[i].start
}

func (r *rubyExtractor) parameter(i int32) {
	switch r.kind(i) {
	case rbIdentifier:
		r.bind(i)
	case rbSplatParameter, rbHashSplatParameter, rbBlockParameter, rbOptionalParameter, rbKeywordParameter:
		r.opt(r.child(i, fValue))
		if n := r.child(i, fName); n != none {
			r.bind(n)
		}
	default:
		r.visit(i)
	}
}

func (r *rubyExtractor) assignment(i int32) {
	left, right := r.child(i, fLeft), r.child(i, fRight)
	if left == none {
		r.children(i)
		return
	}
	if r.callables == 0 && r.kind(left) == rbConstant && r.kind(i) == rbAssignment {
		r.constant(i, left, right)
		return
	}
	if right != none {
		r.as(artifact.RoleRead, right)
	}
	declares := r.callables == 0 && r.kind(i) == rbAssignment
	switch k := r.kind(left); {
	case declares && k == rbClassVariable && r.parent() >= 0 && r.once(left):
		r.flag(r.leaf(artifact.KindField, i, left), artifact.SymbolStatic)
	case declares && k == rbGlobalVariable && r.once(left):
		r.export(r.leaf(artifact.KindVariable, i, left))
	default:
		r.target(left)
	}
}

// target handles the left side of an assignment.
func (r *rubyExtractor) target(i int32) {
	switch r.kind(i) {
	case rbIdentifier:
		if !r.isLocal(i) {
			r.bind(i)
		}
	case rbLeftAssignmentList, rbDestructuredLeft, rbRestAssignment:
		for c := r.first(i); c != none; c = r.after(c) {
			r.target(c)
		}
	case rbCall:
		receiver, method := r.child(i, fReceiver), r.child(i, fMethod)
		if method != none {
			r.useMember(artifact.RoleWrite, method, receiver)
		}
		if receiver != none {
			r.as(artifact.RoleRead, receiver)
		}
	case rbConstant, rbScopeResolution, rbInstanceVariable, rbClassVariable, rbGlobalVariable:
		r.as(artifact.RoleWrite, i)
	default:
		r.visit(i)
	}
}

// pattern binds the names of a pattern in "case … in".
func (r *rubyExtractor) pattern(i int32) {
	switch r.kind(i) {
	case rbIdentifier:
		r.bind(i)
	case rbConstant, rbScopeResolution:
		r.as(artifact.RoleType, i)
	case rbVariableReferencePattern:
		r.children(i)
	case rbKeywordPattern:
		if v := r.child(i, fValue); v != none {
			r.pattern(v)
		} else if k := r.child(i, fKey); k != none && r.kind(k) == rbHashKeySymbol {
			r.bind(k)
		}
	case rbSplatParameter, rbHashSplatParameter:
		r.parameter(i)
	default:
		for c := r.first(i); c != none; c = r.after(c) {
			r.pattern(c)
		}
	}
}

// constant declares a constant; one that is made by Class.new, Module.new,
// Struct.new or Data.define is a class with the members in its block.
func (r *rubyExtractor) constant(i, left, right int32) {
	kind := artifact.KindConstant
	args, block := none, none
	if right != none && r.kind(right) == rbCall {
		receiver, method := r.child(right, fReceiver), r.child(right, fMethod)
		if receiver != none && method != none {
			switch string(r.text(receiver)) + "." + string(r.text(method)) {
			case "Class.new", "Struct.new", "Data.define":
				kind = artifact.KindClass
			case "Module.new":
				kind = artifact.KindModule
			}
		}
		args = r.child(right, fArguments)
		if block = r.childOf(right, rbDoBlock); block == none {
			block = r.childOf(right, rbBlock)
		}
	}
	d := r.begin(kind, i, left)
	r.export(d)
	if kind == artifact.KindConstant {
		if right != none {
			r.as(artifact.RoleRead, right)
		}
		r.end()
		return
	}
	r.signature(d, i, block)
	if args != none {
		for a := r.first(args); a != none; a = r.after(a) {
			switch r.kind(a) {
			case rbSimpleSymbol:
				text, at := r.symbol(a)
				r.export(r.beginNamed(artifact.KindProperty, a, a, text, at))
				r.end()
			case rbConstant, rbScopeResolution:
				r.as(artifact.RoleInherit, a)
			default:
				r.visit(a)
			}
		}
	}
	if block != none {
		r.classBody(d, block)
	}
	r.end()
}

func (r *rubyExtractor) call(i int32) {
	receiver, method, args := r.child(i, fReceiver), r.child(i, fMethod), r.child(i, fArguments)
	if receiver == none && method != none && args != none && r.macro(i, string(r.text(method)), args) {
		return
	}
	if method != none {
		r.useMember(artifact.RoleCall, method, receiver)
	}
	if receiver != none {
		role := artifact.RoleRead
		if k := r.kind(receiver); method != none && string(r.text(method)) == "new" && (k == rbConstant || k == rbScopeResolution) {
			role = artifact.RoleInstantiate
		}
		r.as(role, receiver)
	}
	if args != none && receiver == none && r.callables == 0 && r.parentDeclKind().Container() {
		// "before_action :authenticate" names a method.
		for a := r.first(args); a != none; a = r.after(a) {
			if r.kind(a) == rbSimpleSymbol {
				text, at := r.symbol(a)
				r.useAt(artifact.RoleRead, at, []byte(text), "")
			}
		}
	}
	for c := r.first(i); c != none; c = r.after(c) {
		if c != receiver && c != method {
			r.as(artifact.RoleRead, c)
		}
	}
}

// macro handles the calls that declare, import or change visibility, and
// reports whether nothing is left to do.
func (r *rubyExtractor) macro(i int32, name string, args int32) bool {
	first := r.first(args)
	if first == none {
		return false
	}
	switch name {
	case "require", "require_relative", "load", "autoload":
		return r.require(name, first)
	case "include", "extend", "prepend":
		if r.callables > 0 || r.parent() < 0 {
			return false
		}
		r.childrenAs(artifact.RoleInherit, args)
		return true
	case "attr_accessor", "attr_reader", "attr_writer", "attr", "cattr_accessor", "mattr_accessor", "class_attribute":
		if r.callables > 0 {
			return false
		}
		r.attributes(i, args, name)
		return true
	case "alias_method":
		if r.callables > 0 {
			return false
		}
		r.aliasOf(i, first, r.after(first))
		return true
	case "private", "private_class_method", "private_constant", "protected", "public", "module_function":
		if r.callables > 0 {
			return false
		}
		hidden := r.hidden
		r.hidden = name[:3] == "pri"
		for a := first; a != none; a = r.after(a) {
			if r.kind(a) == rbSimpleSymbol {
				if r.hidden {
					if r.private == nil {
						r.private = make(map[string]bool)
					}
					text, _ := r.symbol(a)
					r.private[text] = true
				}
			} else {
				r.visit(a)
			}
		}
		r.hidden = hidden
		return true
	}
	return false
}

// attributes declares what attr_accessor and its kin name.
func (r *rubyExtractor) attributes(i, args int32, macro string) {
	from := i
	last := r.lastOf(args, rbSimpleSymbol)
	for a := r.first(args); a != none; a = r.after(a) {
		if r.kind(a) != rbSimpleSymbol {
			r.visit(a)
			continue
		}
		to := a
		if a == last {
			to = i
		}
		text, at := r.symbol(a)
		d := r.beginNamed(artifact.KindProperty, from, to, text, at)
		r.member(d)
		if macro[0] == 'c' || macro[0] == 'm' {
			r.flag(d, artifact.SymbolStatic)
		}
		r.end()
		if from = r.after(a); from == none {
			from = a
		}
	}
}

func (r *rubyExtractor) require(how string, arg int32) bool {
	name := "*"
	if how == "autoload" {
		if r.kind(arg) != rbSimpleSymbol {
			return false
		}
		name, _ = r.symbol(arg)
		arg = r.after(arg)
	}
	if arg == none || r.kind(arg) != rbString {
		return false
	}
	content := r.childOf(arg, rbStringContent)
	if content == none || r.nodes[content].end-r.nodes[content].start+2 < r.nodes[arg].end-r.nodes[arg].start {
		return false // interpolated
	}
	module := r.str(content)
	if how == "require_relative" && module[0] != '.' {
		module = r.intern(append([]byte("./"), r.text(content)...))
	}
	r.addImport(content, module, name, name)
	return true
}
