package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

// What a script says about the types of its names.

// writtenHint is the hint for a type annotation or a type.
func (j *jsExtractor) writtenHint(i int32) string {
	if i == none {
		return ""
	}
	if j.nodes[i].end-j.nodes[i].start > 2*artifact.MaxTypeHint {
		return ""
	}
	t := j.text(i)
	if j.kind(i) == tsTypeAnnotation {
		t = bytes.TrimSpace(bytes.TrimPrefix(t, []byte(":")))
	}
	if len(t) == 0 {
		return ""
	}
	if bytes.ContainsAny(t, "\t\n\r") {
		t = bytes.Join(bytes.Fields(t), []byte(" "))
	}
	if len(t) >= artifact.MaxTypeHint {
		return ""
	}
	return string(artifact.HintWritten) + j.intern(t)
}

// constraintHint is the hint for a type parameter: what it extends.
func (j *jsExtractor) constraintHint(i int32) string {
	c := j.child(i, fConstraint)
	if c == none {
		return ""
	}
	if t := j.first(c); t != none {
		return j.writtenHint(t)
	}
	return ""
}

// declaredHint is the hint for a declaration with a type annotation or an
// initializer, which may be none.
func (j *jsExtractor) declaredHint(typ, value int32) string {
	if h := j.writtenHint(typ); h != "" {
		return h
	}
	return j.valueHint(value, "")
}

// valueHint is the hint for the value of an expression, with what is done to
// it behind.
func (j *jsExtractor) valueHint(i int32, then string) string {
	for i != none && then == "" {
		switch j.kind(i) {
		case jsParenthesizedExpression, jsAwaitExpression:
			i = j.first(i)
			continue
		case tsAsExpression, tsSatisfiesExpression:
			if v, t := j.first(i), none; v != none {
				if t = j.after(v); t != none && string(j.text(t)) != "const" {
					return j.writtenHint(t)
				}
				i = v
				continue
			}
		case jsObject:
			if c := j.first(i); c != none {
				return "={}"
			}
			return ""
		}
		break
	}
	if i == none {
		return ""
	}
	var buf [artifact.MaxTypeHint]byte
	out, ok := j.appendValue(buf[:0], i, 24)
	if !ok || len(out) == 0 || len(out)+len(then) >= artifact.MaxTypeHint {
		return ""
	}
	return string(artifact.HintValue) + j.intern(out) + then
}

// appendValue writes an expression as a chain, see artifact.HintValue.
func (j *jsExtractor) appendValue(out []byte, i int32, depth int) ([]byte, bool) {
	if i == none || depth == 0 || len(out) > artifact.MaxTypeHint {
		return out, false
	}
	ok := true
	switch j.kind(i) {
	case jsIdentifier, jsThis, jsSuper:
		return append(out, j.text(i)...), true
	case jsMemberExpression:
		name := j.child(i, fProperty)
		if out, ok = j.appendValue(out, j.child(i, fObject), depth-1); !ok || name == none {
			return out, false
		}
		return append(append(out, '.'), j.text(name)...), true
	case jsCallExpression:
		fn := j.child(i, fFunction)
		if fn != none && j.kind(fn) == jsIdentifier && string(j.text(fn)) == "require" {
			return out, false
		}
		if out, ok = j.appendValue(out, fn, depth-1); !ok {
			return out, false
		}
		return append(out, "()"...), true
	case jsNewExpression:
		if out, ok = j.appendValue(out, j.child(i, fConstructor), depth-1); !ok {
			return out, false
		}
		return append(out, "()"...), true
	case jsSubscriptExpression:
		if out, ok = j.appendValue(out, j.child(i, fObject), depth-1); !ok {
			return out, false
		}
		out = append(out, '[')
		if s := j.child(i, fIndex); s != none && j.kind(s) == jsNumber && j.nodes[s].end-j.nodes[s].start == 1 {
			out = append(out, j.text(s)...)
		}
		return append(out, ']'), true
	case jsAwaitExpression, jsParenthesizedExpression, tsNonNullExpression:
		return j.appendValue(out, j.first(i), depth-1)
	case jsBinaryExpression:
		switch string(bytes.TrimSpace(j.between(j.child(i, fLeft), j.child(i, fRight)))) {
		case "||", "??":
			return j.appendValue(out, j.child(i, fLeft), depth-1)
		case "&&":
			return j.appendValue(out, j.child(i, fRight), depth-1)
		}
	case jsTernaryExpression:
		mark := len(out)
		if out, ok = j.appendValue(out, j.child(i, fConsequence), depth-1); ok {
			return out, true
		}
		return j.appendValue(out[:mark], j.child(i, fAlternative), depth-1)
	case jsAssignmentExpression:
		return j.appendValue(out, j.child(i, fRight), depth-1)
	}
	return out, false
}

// between returns the text between two nodes.
func (j *jsExtractor) between(a, b int32) []byte {
	if a == none || b == none || j.nodes[a].end > j.nodes[b].start {
		return nil
	}
	return j.src[j.nodes[a].end:j.nodes[b].start]
}

// resultHint is the hint for what a function returns.
func (j *jsExtractor) resultHint(fn, body int32) string {
	if t := j.child(fn, fReturnType); t != none {
		return j.writtenHint(t)
	}
	if body == none {
		return ""
	}
	if j.kind(body) != jsStatementBlock {
		if j.isFunction(body) {
			return ""
		}
		return j.valueHint(body, "")
	}
	for i := body + 1; i < j.nodes[body].next; {
		switch j.kind(i) {
		case jsFunctionDeclaration, jsGeneratorFunctionDeclaration, jsFunctionExpression, jsGeneratorFunction, jsArrowFunction,
			jsMethodDefinition, jsClassDeclaration, jsClass:
			i = j.nodes[i].next
			continue
		case jsReturnStatement:
			if v := j.first(i); v != none {
				if h := j.valueHint(v, ""); h != "" && h != "={}" {
					return h
				}
			}
		}
		i++
	}
	return ""
}

// contextHint is the hint for parameter n of a function that is an argument of
// a call: "callee(k,n)" for the k-th argument.
func (j *jsExtractor) contextHint(fn int32, n int) string {
	args := j.nodes[fn].parent
	if n > 9 || args < 0 || j.kind(args) != jsArguments {
		return ""
	}
	call := j.nodes[args].parent
	if call < 0 || j.kind(call) != jsCallExpression && j.kind(call) != jsNewExpression {
		return ""
	}
	k := 0
	for c := j.first(args); c != none && c != fn; c = j.after(c) {
		if j.kind(c) != jsComment {
			k++
		}
	}
	callee := j.child(call, fFunction)
	if callee == none {
		callee = j.child(call, fConstructor)
	}
	if k > 9 || callee == none {
		return ""
	}
	return j.valueHint(callee, "("+string(rune('0'+k))+","+string(rune('0'+n))+")")
}

// useOf adds the use of a member of an object, whose text may hold calls.
func (j *jsExtractor) useOf(role artifact.Role, name, object int32) {
	receiver := ""
	if object != none {
		if receiver = j.receiver(object); receiver == ellipsis {
			if h := j.valueHint(object, "."); h != "" && len(h) <= maxReceiver {
				receiver = h[1 : len(h)-1]
			}
		}
	}
	j.useAt(role, j.nodes[name].start, j.text(name), receiver)
}

// key notes a key of an object literal as a member of it.
func (j *jsExtractor) key(pair int32) {
	k := j.child(pair, fKey)
	if k == none || j.kind(k) != jsPropertyIdentifier {
		return
	}
	lit := j.nodes[pair].parent
	if lit < 0 || j.kind(lit) != jsObject {
		return
	}
	hint := j.valueHint(j.child(pair, fValue), "")
	// What an argument's keys mean, the parameter's type says.
	if args := j.nodes[lit].parent; args >= 0 && j.kind(args) == jsArguments {
		if hint = j.contextHint(lit, 0); hint != "" {
			hint = string(artifact.HintContext) + hint[1:]
		} else {
			hint = string(artifact.HintContext)
		}
	}
	j.addLocal(artifact.KindField, k, hint, j.nodes[lit].start, j.nodes[lit].end)
}

// member1 notes a member that the type around gets at a name.
func (j *jsExtractor) member1(name int32, hint string) {
	for k := len(j.open) - 1; k >= 0; k-- {
		if d := j.open[k]; d >= 0 && j.facts.Decls[d].Kind == artifact.KindClass {
			j.addLocal(artifact.KindField, name, hint, j.facts.Decls[d].Start, j.facts.Decls[d].End)
			return
		}
	}
}
