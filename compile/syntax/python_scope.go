package syntax

import "github.com/pindex-dev/pindex/artifact"

// bindParameters binds the parameters of a callable; self is the hint for the
// first one when it is a method.
func (p *pyExtractor) bindParameters(params int32, self string) {
	const kind = artifact.KindParameter
	n := 0
	for c := p.first(params); c != none; c = p.after(c) {
		hint := ""
		if typ := p.child(c, fType); typ != none {
			hint = p.writtenHint(typ)
		}
		switch p.kind(c) {
		case pyComment:
			continue
		case pyDefaultParameter, pyTypedDefaultParameter:
			if hint == "" {
				hint = p.valueHint(p.child(c, fValue), "")
			}
			if n := p.child(c, fName); n != none {
				p.bindTarget(kind, n, hint)
			}
		case pyTypedParameter:
			if n := p.first(c); n != none {
				if k := p.kind(n); k == pyListSplatPattern && hint != "" {
					hint = ":list[" + hint[1:] + "]"
				} else if k == pyDictionarySplatPattern && hint != "" {
					hint = ":dict[str," + hint[1:] + "]"
				}
				p.bindTarget(kind, n, hint)
			}
		case pyIdentifier:
			hint := self
			if hint == "" && p.kind(params) == pyLambdaParameters {
				hint = p.contextHint(p.nodes[params].parent, n)
			}
			p.bindTarget(kind, c, hint)
		default:
			p.bindTarget(kind, c, "")
		}
		self = ""
		n++
	}
}

// bindTarget binds the names that an assignment to the target binds. hint says
// what is assigned; its elements go to the parts of a sequence of targets.
func (p *pyExtractor) bindTarget(kind artifact.Kind, i int32, hint string) {
	switch p.kind(i) {
	case pyIdentifier:
		if len(p.avoid) == 0 || !p.avoid[p.name(i)] {
			p.bindAs(kind, i, hint)
		}
	case pyListSplatPattern, pyDictionarySplatPattern:
		if c := p.first(i); c != none {
			if kind == artifact.KindParameter {
				p.bindTarget(kind, c, hint)
			} else {
				p.bindTarget(kind, c, "")
			}
		}
	case pyTuplePattern, pyListPattern, pyPatternList,
		pyTuple, pyList, pyParenthesizedExpression, pyAsPatternTarget:
		one := p.kind(i) == pyParenthesizedExpression || p.kind(i) == pyAsPatternTarget
		n := 0
		for c := p.first(i); c != none; c = p.after(c) {
			if p.kind(c) == pyComment {
				continue
			}
			part := hint
			if !one {
				part = elementHint(hint, n)
			}
			p.bindTarget(kind, c, part)
			n++
		}
	}
}

// elementHint is the hint for the n-th part of what hint gives.
func elementHint(hint string, n int) string {
	if hint == "" || hint[0] != artifact.HintValue || n > 9 {
		return ""
	}
	return hint + "[" + string(rune('0'+n)) + "]"
}

// bindModule opens the scope of the file, which holds what loops, with and
// except bind at file level. What assignments, definitions and imports bind
// there are declarations that other files can name.
func (p *pyExtractor) bindModule() {
	p.pushScopeOf(0)
	p.base = len(p.marks)
	declared := make(map[nameID]bool)
	level := func(fn func(i int32)) {
		for i, end := int32(1), p.nodes[0].next; i < end; {
			switch p.kind(i) {
			case pyFunctionDefinition, pyClassDefinition, pyLambda,
				pyListComprehension, pySetComprehension, pyDictionaryComprehension, pyGeneratorExpression:
				i = p.nodes[i].next
				continue
			}
			fn(i)
			i++
		}
	}
	found := false
	level(func(i int32) {
		switch p.kind(i) {
		case pyForStatement, pyNamedExpression, pyAsPatternTarget:
			found = true
		}
	})
	if !found {
		return
	}
	level(func(i int32) {
		if p.kind(i) == pyAssignment {
			if l := p.child(i, fLeft); l != none {
				for k := l; k < p.nodes[l].next; k++ {
					if p.kind(k) == pyIdentifier {
						declared[p.name(k)] = true
					}
				}
			}
		}
		switch p.kind(i) {
		case pyImportStatement, pyImportFromStatement:
			for k := i; k < p.nodes[i].next; k++ {
				if p.kind(k) == pyIdentifier {
					declared[p.name(k)] = true
				}
			}
		}
	})
	for i, end := int32(1), p.nodes[0].next; i < end; i++ {
		if k := p.kind(i); k == pyFunctionDefinition || k == pyClassDefinition {
			if n := p.child(i, fName); n != none {
				declared[p.name(n)] = true
			}
		}
	}
	p.avoid = declared
	level(p.bindStatement)
	p.avoid = make(map[nameID]bool)
}

// bindStatement binds what a loop, a with or except clause, a named expression
// or a pattern binds.
func (p *pyExtractor) bindStatement(i int32) {
	const kind = artifact.KindVariable
	switch p.kind(i) {
	case pyForStatement:
		if l := p.child(i, fLeft); l != none {
			p.bindTarget(kind, l, p.valueHint(p.child(i, fRight), "*"))
		}
	case pyNamedExpression:
		if n := p.child(i, fName); n != none {
			p.bindTarget(kind, n, p.valueHint(p.child(i, fValue), ""))
		}
	case pyAsPatternTarget:
		p.bindTarget(kind, i, p.asHint(i))
	case pyCasePattern:
		if n := p.capture(i); n != none && string(p.text(n)) != "_" {
			p.bind(n)
		}
	case pySplatPattern:
		if n := p.first(i); n != none && p.kind(n) == pyIdentifier {
			p.bind(n)
		}
	case pyKeywordPattern:
		if n := p.first(i); n != none {
			if n = p.capture(n); n != none {
				p.bind(n)
			}
		}
	}
}

// asHint says what "as" binds in a with or except clause.
func (p *pyExtractor) asHint(target int32) string {
	pattern := p.nodes[target].parent
	if pattern < 0 {
		return ""
	}
	value := p.first(pattern)
	for up := p.nodes[pattern].parent; up >= 0; up = p.nodes[up].parent {
		switch p.kind(up) {
		case pyWithItem:
			return p.valueHint(value, "^")
		case pyExceptClause:
			return p.writtenHint(value)
		case pyCasePattern, pyBlock:
			return ""
		}
	}
	return ""
}

// bindBody binds every name that a function's body binds, since a Python name
// is local in the whole function or not at all. Names of nested functions,
// classes and imports stay visible: they can be found. It returns the hint for
// what the function returns.
func (p *pyExtractor) bindBody(body int32) (returned string) {
	end := p.nodes[body].next
	clear(p.avoid)
	for i := body + 1; i < end; {
		switch p.kind(i) {
		case pyFunctionDefinition, pyClassDefinition, pyLambda:
			i = p.nodes[i].next
			continue
		case pyGlobalStatement, pyNonlocalStatement:
			for c := p.first(i); c != none; c = p.after(c) {
				p.avoid[p.name(c)] = true
			}
		}
		i++
	}
	yields := false
	for i := body + 1; i < end; {
		switch p.kind(i) {
		case pyFunctionDefinition, pyClassDefinition, pyLambda:
			i = p.nodes[i].next
			continue
		case pyAssignment, pyAugmentedAssignment:
			if l := p.child(i, fLeft); l != none {
				p.bindTarget(artifact.KindVariable, l, p.assignedHint(i))
			}
		case pyReturnStatement:
			if v := p.first(i); v != none && returned == "" {
				returned = p.valueHint(v, "")
			}
		case pyYield:
			yields = true
		default:
			p.bindStatement(i)
		}
		i++
	}
	clear(p.avoid)
	if yields {
		return ""
	}
	return returned
}

// capture returns the name that a case pattern, or the value of a keyword
// pattern whose keyword is i, captures: one undotted name.
func (p *pyExtractor) capture(i int32) int32 {
	c := p.first(i)
	if p.kind(i) == pyIdentifier {
		c = p.after(i)
	}
	if c == none || p.kind(c) != pyDottedName {
		return none
	}
	n := p.first(c)
	if n == none || p.after(n) != none {
		return none
	}
	return n
}

func (p *pyExtractor) casePattern(i int32) {
	if n := p.capture(i); n != none {
		if string(p.text(n)) != "_" {
			p.use(artifact.RoleWrite, n)
		}
		return
	}
	p.children(i)
}

func (p *pyExtractor) lambda(i int32) {
	params := p.child(i, fParameters)
	if params != none {
		p.parameterUses(params)
	}
	p.enterOf(i)
	if params != none {
		p.bindParameters(params, "")
	}
	p.as(artifact.RoleRead, p.child(i, fBody))
	p.leave()
}

// comprehension visits "body for target in iterable": the targets are bound
// before the body, which stands first, is visited.
func (p *pyExtractor) comprehension(i int32) {
	saved := p.role
	p.role = artifact.RoleRead
	// The first iterable belongs to the scope around.
	first := none
	if c := p.childOf(i, pyForInClause); c != none {
		if first = p.child(c, fRight); first != none {
			p.visit(first)
		}
	}
	p.pushScopeOf(i)
	for c := p.first(i); c != none; c = p.after(c) {
		if p.kind(c) == pyForInClause {
			if l := p.child(c, fLeft); l != none {
				p.bindTarget(artifact.KindVariable, l, p.valueHint(p.child(c, fRight), "*"))
			}
		}
	}
	for c := p.first(i); c != none; c = p.after(c) {
		if p.kind(c) != pyForInClause {
			p.visit(c)
			continue
		}
		for k := p.first(c); k != none; k = p.after(k) {
			switch {
			case k == first:
			case p.nodes[k].field == fLeft:
				p.as(artifact.RoleWrite, k)
			default:
				p.visit(k)
			}
		}
	}
	p.role = saved
	p.popScope()
}
