package syntax

import "github.com/pindex-dev/pindex/artifact"

// isFunction reports whether an expression is a function.
func (j *jsExtractor) isFunction(i int32) bool {
	if i == none {
		return false
	}
	switch j.kind(i) {
	case jsFunctionExpression, jsGeneratorFunction, jsArrowFunction:
		return true
	}
	return false
}

// body returns the body of a function, class or interface.
func (j *jsExtractor) body(i int32) int32 { return j.child(i, fBody) }

// function declares a function whose code is node i.
func (j *jsExtractor) function(kind artifact.Kind, outer, i, name int32) {
	d := j.begin(kind, outer, name)
	j.exported(d, i)
	j.finishFunction(d, outer, i)
	j.end()
}

// finishFunction sets the signature of a function's declaration and visits
// its code.
func (j *jsExtractor) finishFunction(d, from, i int32) {
	body := j.body(i)
	j.signature(d, from, body)
	if body == none {
		j.flag(d, artifact.SymbolForward)
	}
	j.hintFor(d, j.resultHint(i, body))
	j.code(i)
}

// code visits the parameters and the body of a function.
func (j *jsExtractor) code(i int32) {
	body := j.body(i)
	j.enterOf(i)
	if j.kind(i) == jsFunctionExpression || j.kind(i) == jsGeneratorFunction {
		if n := j.child(i, fName); n != none {
			j.bind(n)
		}
	}
	if tp := j.child(i, fTypeParameters); tp != none {
		j.typeParameters(tp)
	}
	if p := j.child(i, fParameter); p != none { // x => …
		j.bindAs(artifact.KindParameter, p, j.contextHint(i, 0))
	}
	if ps := j.child(i, fParameters); ps != none {
		j.parameters(i, ps)
	}
	j.opt(j.child(i, fReturnType))
	if body != none && j.kind(body) == jsStatementBlock {
		j.hoistVars(body)
		j.hoist(body)
		j.children(body)
	} else {
		j.opt(body)
	}
	j.leave()
}

func (j *jsExtractor) parameters(fn, ps int32) {
	const kind = artifact.KindParameter
	n := 0
	for c := j.first(ps); c != none; c = j.after(c) {
		switch j.kind(c) {
		case tsRequiredParameter, tsOptionalParameter:
			pattern := j.child(c, fPattern)
			if pattern == none {
				pattern = j.child(c, fName)
			}
			j.rest(c, pattern, none)
			if pattern == none {
				break
			}
			hint := j.writtenHint(j.child(c, fType))
			if hint == "" {
				hint = j.valueHint(j.child(c, fValue), "")
			}
			if hint == "" {
				hint = j.contextHint(fn, n)
			}
			j.bindPattern(kind, pattern, hint)
			if j.kind(pattern) == jsIdentifier && (j.has(c, tsAccessibilityModifier) || j.has(c, tsReadonly)) {
				j.member1(pattern, hint) // it is a field as well
			}
			n++
		case jsComment, jsDecorator:
			j.visit(c)
		default:
			j.bindPattern(kind, c, j.contextHint(fn, n))
			n++
		}
	}
}

// bindPattern binds the names of a pattern and visits its defaults. hint says
// what is matched with it.
func (j *jsExtractor) bindPattern(kind artifact.Kind, i int32, hint string) {
	switch j.kind(i) {
	case jsIdentifier:
		j.bindAs(kind, i, hint)
	case jsShorthandPropertyIdentifierPattern:
		j.bindAs(kind, i, memberHint(hint, j.text(i)))
	case jsAssignmentPattern, jsObjectAssignmentPattern:
		j.opt(j.child(i, fRight))
		if hint == "" {
			hint = j.valueHint(j.child(i, fRight), "")
		}
		if l := j.child(i, fLeft); l != none {
			j.bindPattern(kind, l, hint)
		}
	case jsPairPattern:
		k := j.child(i, fKey)
		part := ""
		if k != none && j.kind(k) != jsPropertyIdentifier && j.kind(k) != jsString {
			j.visit(k)
		} else if k != none && j.kind(k) == jsPropertyIdentifier {
			part = memberHint(hint, j.text(k))
			if base := memberBase(hint); base != "" {
				j.useAt(artifact.RoleRead, j.nodes[k].start, j.text(k), base)
			}
		}
		if v := j.child(i, fValue); v != none {
			j.bindPattern(kind, v, part)
		}
	case jsObjectPattern:
		for c := j.first(i); c != none; c = j.after(c) {
			j.bindPattern(kind, c, hint)
		}
	case jsArrayPattern:
		n := 0
		for c := j.first(i); c != none; c = j.after(c) {
			j.bindPattern(kind, c, elementHint(hint, n))
			n++
		}
	case jsRestPattern:
		for c := j.first(i); c != none; c = j.after(c) {
			if kind == artifact.KindParameter {
				j.bindPattern(kind, c, hint)
			} else {
				j.bindPattern(kind, c, "")
			}
		}
	case jsThis:
	default:
		j.visit(i)
	}
}

// memberHint is the hint for a member of what hint gives.
func memberHint(hint string, name []byte) string {
	switch {
	case hint == "" || hint == "={}":
		return ""
	case hint[0] == artifact.HintValue:
		return hint + "." + string(name)
	case hint[0] == artifact.HintWritten && isName([]byte(hint[1:])):
		return hint + "['" + string(name) + "']"
	}
	return ""
}

// memberBase is the receiver whose members a pattern picks, "" when it is no
// chain.
func memberBase(hint string) string {
	if hint == "" || hint == "={}" || hint[0] != artifact.HintValue || len(hint) > maxReceiver {
		return ""
	}
	return hint[1:]
}
