package syntax

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/artifact"
)

var scalaUniverse = [...]string{
	"_", "this", "super", "Any", "AnyRef", "AnyVal", "Nothing", "Null", "Unit", "Int", "Long", "Short", "Byte", "Float", "Double",
	"Boolean", "Char", "String",
}

var scalaModifiers = [...]string{
	"private", "protected", "override", "abstract", "final", "sealed", "implicit", "lazy", "case", "inline", "transparent", "open",
}

var scalaBegins = beginsWith("class ", "object ", "trait ", "case class ", "case object ", "sealed ", "abstract ", "final ",
	"def ", "val ", "lazy val ", "private ", "private[", "protected ", "enum ", "given ", "implicit ", "package ", "import ", "type ", "@")

// scalaBoundary leaves annotations with what they annotate.
func scalaBoundary(line, prev []byte) bool {
	return scalaBegins(line, prev) && (len(prev) == 0 || prev[0] != '@')
}

type scalaExtractor struct {
	walker
	extended int32 // the type that the functions of an extension belong to, or none
}

func extractScala(x *extraction) {
	s := &scalaExtractor{walker: newWalker(x), extended: none}
	s.walker.visit = s.visit
	s.children(0)
}

func (s *scalaExtractor) visit(i int32) {
	switch s.kind(i) {
	case scIdentifier:
		s.use(s.role, i)
	case scTypeIdentifier:
		s.use(s.typeRole(), i)
	case scComment, scBlockComment:
		s.comment(i)
	case scOperatorIdentifier, scAccess, scUsing:
	case scPackageClause:
		s.packageClause(i)
	case scImport:
		s.importOf(i)
	case scExport:
	case scClass, scObject, scTrait, scEnum, scPackageObject:
		s.class(i)
	case scSimpleCase, scFullCase:
		name := s.child(i, fName)
		d := s.begin(artifact.KindEnumMember, i, name)
		s.inherit(d)
		s.flag(d, artifact.SymbolStatic)
		s.pushScope()
		s.rest(i, name, none)
		s.popScope()
		s.end()
	case scGiven:
		s.given(i)
	case scExtension:
		s.extension(i)
	case scTypeDefinition:
		name := s.child(i, fName)
		s.exported(s.begin(artifact.KindType, i, name), i)
		s.pushScope()
		s.rest(i, name, none)
		s.popScope()
		s.end()
	case scVal, scVar, scValDeclaration, scVarDeclaration:
		s.value(i)
	case scFunction, scFunctionDeclaration:
		s.function(i)
	case scClassParameter:
		s.classParameter(i)
	case scParameter, scBinding:
		name := s.child(i, fName)
		s.rest(i, name, none)
		if name != none {
			s.bind(name)
		}
	case scTypeParameters, scCovariant, scContravariant:
		for c := s.first(i); c != none; c = s.after(c) {
			if s.nodes[c].field == fName {
				s.bind(c)
			}
		}
		for c := s.first(i); c != none; c = s.after(c) {
			if s.nodes[c].field != fName {
				s.as(artifact.RoleType, c)
			}
		}
	case scAnnotation:
		name := s.child(i, fName)
		s.as(artifact.RoleDecorate, name)
		s.rest(i, name, none)
	case scExtends:
		for c := s.first(i); c != none; c = s.after(c) {
			if s.kind(c) == scArguments {
				s.as(artifact.RoleRead, c)
			} else {
				s.as(artifact.RoleInherit, c)
			}
		}
	case scGenericType:
		s.opt(s.child(i, fType))
		s.as(artifact.RoleType, s.child(i, fTypeArguments))
	case scTypeArguments:
		s.childrenAs(artifact.RoleType, i)
	case scStableType:
		s.path(s.typeRole(), i)
	case scStable:
		s.path(artifact.RoleRead, i)
	case scInstance:
		s.pushScope()
		first := true
		for c := s.first(i); c != none; c = s.after(c) {
			switch {
			case s.kind(c) == scArguments || s.kind(c) == scTemplateBody:
				s.as(artifact.RoleRead, c)
			case first:
				s.as(artifact.RoleInstantiate, c)
				first = false
			default:
				s.visit(c)
			}
		}
		s.popScope()
	case scCall:
		s.call(i)
	case scField:
		s.access(s.role, i)
	case scInfix:
		s.infix(i)
	case scAssignment:
		left := s.child(i, fLeft)
		// "f(x = 1)" names a parameter.
		if left != none && (s.kind(left) != scIdentifier || s.parentKind(i) != scArguments) {
			s.as(artifact.RoleWrite, left)
		}
		s.as(artifact.RoleRead, s.child(i, fRight))
	case scLambda:
		s.pushScope()
		for c := s.first(i); c != none; c = s.after(c) {
			if s.nodes[c].field == fParameters && s.kind(c) == scIdentifier {
				s.bind(c)
			} else {
				s.visit(c)
			}
		}
		s.popScope()
	case scCaseClause:
		s.pushScope()
		p := s.child(i, fPattern)
		if p != none {
			s.pattern(p)
		}
		saved := s.role
		s.role = artifact.RoleRead
		s.rest(i, p, none)
		s.role = saved
		s.popScope()
	case scTypedPattern, scCapturePattern, scCaseClassPattern:
		s.pattern(i)
	case scEnumerator:
		first := s.first(i)
		if first != none && s.kind(first) == scGuard {
			s.children(i)
			return
		}
		guard := s.childOf(i, scGuard)
		s.rest(i, first, guard)
		if first != none {
			s.pattern(first)
		}
		s.opt(guard)
	case scFor, scBlock, scIndentedBlock:
		s.pushScope()
		s.childrenAs(artifact.RoleRead, i)
		s.popScope()
	case scInterpolated:
		s.rest(i, s.first(i), none)
	case scSelfType:
		if name := s.childOf(i, scIdentifier); name != none {
			s.bind(name)
			s.rest(i, name, none)
		} else {
			s.children(i)
		}
	default:
		s.children(i)
	}
}

// typeRole is the role of a type's name: a type, unless the place says more.
func (s *scalaExtractor) typeRole() artifact.Role {
	if s.role == artifact.RoleRead || s.role == artifact.RoleWrite {
		return artifact.RoleType
	}
	return s.role
}

// path handles "a.b.C".
func (s *scalaExtractor) path(role artifact.Role, i int32) {
	last := none
	for c := s.first(i); c != none; c = s.after(c) {
		if k := s.kind(c); k == scIdentifier || k == scTypeIdentifier {
			last = c
		}
	}
	if last == none {
		return
	}
	prefix := bytes.TrimRight(s.src[s.nodes[i].start:s.nodes[last].start], ". \n\t")
	receiver := ellipsis
	if len(prefix) <= 2*maxReceiver {
		receiver = s.chain(prefix)
	}
	s.useAt(role, s.nodes[last].start, s.text(last), receiver)
	if first := s.first(i); first != last && s.kind(first) == scIdentifier && s.upper(first) {
		s.use(artifact.RoleRead, first)
	}
}

func (s *scalaExtractor) packageClause(i int32) {
	name, body := s.child(i, fName), s.child(i, fBody)
	if name == none {
		s.children(i)
		return
	}
	kind := artifact.KindPackage
	if body != none {
		kind = artifact.KindNamespace
	}
	d := s.begin(kind, i, name)
	s.export(d)
	s.signature(d, i, body)
	s.opt(body)
	s.end()
}

func (s *scalaExtractor) importOf(i int32) {
	// The path's parts stand side by side; the selectors follow.
	first, last := none, none
	for c := s.first(i); c != none; c = s.after(c) {
		if k := s.kind(c); s.nodes[c].field == fPath && (k == scIdentifier || k == scOperatorIdentifier) {
			if first == none {
				first = c
			}
			last = c
		}
	}
	if first == none {
		return
	}
	whole := s.src[s.nodes[first].start:s.nodes[last].end]
	selectors := s.childOf(i, scSelectors)
	switch {
	case selectors != none:
		module := s.intern(whole)
		for c := s.first(selectors); c != none; c = s.after(c) {
			s.selector(module, c)
		}
	case s.has(i, scNamespaceWildcard):
		s.addImport(last, s.intern(whole), "*", "*")
	case s.has(i, scAsRename):
		s.selector(s.intern(whole), s.childOf(i, scAsRename))
	default:
		module := ""
		if first != last {
			module = s.intern(bytes.TrimRight(s.src[s.nodes[first].start:s.nodes[last].start], ". \n\t"))
		}
		s.addImport(last, module, s.str(last), s.str(last))
		s.useAt(artifact.RoleImport, s.nodes[last].start, s.text(last), "")
	}
}

func (s *scalaExtractor) selector(module string, c int32) {
	switch s.kind(c) {
	case scIdentifier, scOperatorIdentifier, scTypeIdentifier:
		s.addImport(c, module, s.str(c), s.str(c))
		s.useAt(artifact.RoleImport, s.nodes[c].start, s.text(c), "")
	case scArrowRename, scAsRename:
		name, alias := s.child(c, fName), s.child(c, fAlias)
		if name == none || alias == none {
			return
		}
		if a := s.str(alias); a != "_" {
			s.addImport(name, module, s.str(name), a)
			s.useAt(artifact.RoleImport, s.nodes[name].start, s.text(name), "")
		}
	case scNamespaceWildcard:
		s.addImport(c, module, "*", "*")
	}
}

// exported applies Scala's rule: what is not private can be named elsewhere.
func (s *scalaExtractor) exported(d, i int32) {
	if d < 0 {
		return
	}
	if m := s.childOf(i, scModifiers); m != none {
		if a := s.childOf(m, scAccess); a != none && bytes.HasPrefix(s.text(a), []byte("private")) {
			return
		}
	}
	s.inherit(d)
}

func (s *scalaExtractor) class(i int32) {
	kind := artifact.KindClass
	switch s.kind(i) {
	case scObject, scPackageObject:
		kind = artifact.KindObject
	case scTrait:
		kind = artifact.KindTrait
	case scEnum:
		kind = artifact.KindEnum
	}
	name, body := s.child(i, fName), s.child(i, fBody)
	d := s.begin(kind, i, name)
	s.exported(d, i)
	s.signature(d, i, body)
	s.pushScope()
	s.rest(i, name, none)
	s.popScope()
	s.end()
}

// classParameter declares a field where the parameter is one: with val or
// var, and in the first list of a case class. Others are names of the class's
// body.
func (s *scalaExtractor) classParameter(i int32) {
	name := s.child(i, fName)
	field := s.has(i, scValToken) || s.has(i, scVarToken)
	if list := s.nodes[i].parent; !field && list >= 0 {
		class := s.nodes[list].parent
		field = class >= 0 && s.has(class, scCaseToken) && s.childOf(class, scClassParameters) == list
	}
	if field {
		s.exported(s.begin(artifact.KindField, i, name), i)
		s.rest(i, name, none)
		s.end()
		return
	}
	s.rest(i, name, none)
	if name != none {
		s.bind(name)
	}
}

func (s *scalaExtractor) given(i int32) {
	name, body := s.child(i, fName), s.child(i, fBody)
	kind := artifact.KindVariable
	if body != none && s.kind(body) == scWithBody {
		kind = artifact.KindObject
	}
	d := none
	if typ := s.child(i, fReturnType); name == none && typ != none {
		text := bytes.Join(bytes.Fields(s.text(typ)), []byte(" "))
		d = s.beginNamed(kind, i, i, "given "+string(text[:min(len(text), maxReceiver)]), s.nodes[typ].start)
	} else {
		d = s.begin(kind, i, name)
	}
	s.exported(d, i)
	s.signature(d, i, body)
	s.pushScope()
	for c := s.first(i); c != none; c = s.after(c) {
		switch {
		case c == name:
		case s.nodes[c].field == fReturnType && kind == artifact.KindObject:
			s.as(artifact.RoleImplement, c)
		default:
			s.visit(c)
		}
	}
	s.popScope()
	s.end()
}

func (s *scalaExtractor) extension(i int32) {
	saved := s.extended
	s.extended = none
	s.pushScope()
	for c := s.first(i); c != none; c = s.after(c) {
		if s.nodes[c].field == fParameters && s.extended == none {
			for k := c; k < s.nodes[c].next; k++ {
				if s.kind(k) == scTypeIdentifier {
					s.extended = k
					break
				}
			}
		}
		s.visit(c)
	}
	s.popScope()
	s.extended = saved
}

func (s *scalaExtractor) function(i int32) {
	name, body := s.child(i, fName), s.child(i, fBody)
	kind := artifact.KindFunction
	if s.parentDeclKind().Container() || s.extended != none {
		kind = artifact.KindMethod
	}
	d := none
	if name != none && string(s.text(name)) == "this" {
		text := "this"
		if p := s.parent(); p >= 0 {
			text = s.facts.Decls[p].Name
		}
		d = s.beginNamed(artifact.KindConstructor, i, i, text, s.nodes[name].start)
	} else {
		d = s.begin(kind, i, name)
	}
	if s.extended != none {
		s.own(d, artifact.KindClass, s.str(s.extended))
	}
	s.exported(d, i)
	s.signature(d, i, body)
	if d >= 0 && body != none {
		decl := &s.facts.Decls[d]
		sig := bytes.TrimRight(s.src[decl.SigStart:decl.SigEnd], "= \t\n")
		decl.SigEnd = decl.SigStart + uint32(len(sig))
	}
	if body == none {
		s.flag(d, artifact.SymbolForward)
	}
	saved := s.extended
	s.extended = none
	s.enter()
	for c := s.first(i); c != none; c = s.after(c) {
		switch {
		case c == name || c == body:
		case s.nodes[c].field == fReturnType:
			s.as(artifact.RoleType, c)
		default:
			s.visit(c)
		}
	}
	s.as(artifact.RoleRead, body)
	s.leave()
	s.extended = saved
	s.end()
}

// value handles val and var.
func (s *scalaExtractor) value(i int32) {
	pattern := s.child(i, fPattern)
	if pattern == none {
		pattern = s.child(i, fName)
	}
	if pattern == none || s.callables > 0 {
		s.rest(i, pattern, none)
		if pattern != none {
			s.pattern(pattern)
		}
		return
	}
	kind := artifact.KindVariable
	if s.parent() >= 0 {
		kind = artifact.KindField
	}
	var names []int32
	for k := pattern; k < s.nodes[pattern].next; k++ {
		if s.kind(k) == scIdentifier && (k == pattern || !s.upper(k)) {
			names = append(names, k)
		}
	}
	if len(names) == 0 {
		s.children(i)
		return
	}
	from := i
	for j, name := range names {
		to := name
		if j == len(names)-1 {
			to = i
		}
		d := s.beginSpan(kind, from, to, name)
		s.exported(d, i)
		if value := s.child(i, fValue); d >= 0 && value != none && j == len(names)-1 {
			decl := &s.facts.Decls[d]
			sig := bytes.TrimRight(s.src[decl.SigStart:max(decl.SigStart, s.nodes[value].start)], "= \t\n")
			decl.SigEnd = decl.SigStart + uint32(len(sig))
		}
		if j == len(names)-1 {
			s.rest(i, pattern, none)
		}
		s.end()
		if j+1 < len(names) {
			from = names[j+1]
		}
	}
}

func (s *scalaExtractor) upper(i int32) bool {
	r, _ := utf8.DecodeRune(s.text(i))
	return unicode.IsUpper(r)
}

// pattern binds the names of a pattern; those with a capital stand for
// something that exists.
func (s *scalaExtractor) pattern(i int32) {
	switch s.kind(i) {
	case scIdentifier:
		if s.upper(i) {
			s.use(artifact.RoleRead, i)
		} else {
			s.bind(i)
		}
	case scStable, scStableType, scTypeIdentifier, scInterpolated, scGenericType, scCompoundType, scProjected:
		s.as(artifact.RoleType, i)
	case scNamedPattern:
		first := s.first(i)
		for c := first; c != none; c = s.after(c) {
			if c != first || s.after(first) == none {
				s.pattern(c)
			}
		}
	default:
		for c := s.first(i); c != none; c = s.after(c) {
			s.pattern(c)
		}
	}
}

func (s *scalaExtractor) call(i int32) {
	function := s.child(i, fFunction)
	s.callee(function)
	s.as(artifact.RoleRead, s.child(i, fArguments))
}

func (s *scalaExtractor) callee(i int32) {
	switch {
	case i == none:
	case s.kind(i) == scIdentifier:
		s.use(artifact.RoleCall, i)
	case s.kind(i) == scField:
		s.access(artifact.RoleCall, i)
	case s.kind(i) == scGenericFunction:
		s.callee(s.child(i, fFunction))
		s.as(artifact.RoleType, s.child(i, fTypeArguments))
	default:
		s.as(artifact.RoleRead, i)
	}
}

func (s *scalaExtractor) access(role artifact.Role, i int32) {
	object, name := s.child(i, fValue), s.child(i, fField)
	if name != none && s.kind(name) == scIdentifier {
		s.useMember(role, name, object)
	}
	s.as(artifact.RoleRead, object)
}

// infix handles "a f b", which calls f, and "a += b", which writes a.
func (s *scalaExtractor) infix(i int32) {
	left, op := s.child(i, fLeft), s.child(i, fOperator)
	role := artifact.RoleRead
	if op != none {
		if t := s.text(op); s.kind(op) == scIdentifier {
			s.useMember(artifact.RoleCall, op, left)
		} else if len(t) > 1 && t[len(t)-1] == '=' && !bytes.ContainsAny(t[:1], "=!<>") {
			role = artifact.RoleWrite
		}
	}
	s.as(role, left)
	s.as(artifact.RoleRead, s.child(i, fRight))
}
