package syntax

import (
	"bytes"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// What a Python file says about the types of its names.

// writtenHint is the hint for a written type.
func (p *pyExtractor) writtenHint(i int32) string {
	if i == none || p.nodes[i].end-p.nodes[i].start > 2*artifact.MaxTypeHint {
		return ""
	}
	return string(artifact.HintWritten) + p.squeeze(i)
}

// valueHint is the hint for the value of an expression, with what is done to
// it behind.
func (p *pyExtractor) valueHint(i int32, then string) string {
	if i == none {
		return ""
	}
	if t := p.cast(i); t != none && then == "" {
		return p.writtenHint(t)
	}
	chain := p.valueOf(i)
	if chain == "" || len(chain)+len(then) >= artifact.MaxTypeHint {
		return ""
	}
	return string(artifact.HintValue) + chain + then
}

// assignedHint is the hint for the target of an assignment.
func (p *pyExtractor) assignedHint(i int32) string {
	if p.kind(i) == pyAugmentedAssignment {
		return ""
	}
	if t := p.child(i, fType); t != none {
		return p.writtenHint(t)
	}
	right := p.child(i, fRight)
	for right != none && p.kind(right) == pyAssignment { // a = b = c
		right = p.child(right, fRight)
	}
	// "X = Union[A, B]" at file level names a type.
	if right != none && p.callables == 0 && len(p.open) == 0 {
		k := right
		if p.kind(k) == pySubscript {
			if k = p.child(k, fValue); k != none && p.kind(k) == pyAttribute {
				k = p.child(k, fAttribute)
			}
			if k != none && p.kind(k) == pyIdentifier {
				switch string(p.text(k)) {
				case "Union", "Optional", "Type", "List", "Dict", "Sequence", "Iterable", "Mapping", "Callable", "Annotated", "Tuple", "Iterator":
					if p.nodes[right].end-p.nodes[right].start <= 4*artifact.MaxTypeHint {
						if t := p.squeeze(right); len(t) < artifact.MaxTypeHint {
							return string(artifact.HintAlias) + t
						}
					}
				}
			}
		}
	}
	return p.valueHint(right, "")
}

// cast returns the type in "cast(T, x)", else none.
func (p *pyExtractor) cast(i int32) int32 {
	if p.kind(i) != pyCall {
		return none
	}
	fn, args := p.child(i, fFunction), p.child(i, fArguments)
	if fn != none && p.kind(fn) == pyAttribute {
		fn = p.child(fn, fAttribute)
	}
	if fn == none || args == none || p.kind(fn) != pyIdentifier || string(p.text(fn)) != "cast" {
		return none
	}
	return p.first(args)
}

// valueOf writes an expression as a chain, see artifact.HintValue; "" when it
// is none.
func (p *pyExtractor) valueOf(i int32) string {
	var buf [artifact.MaxTypeHint]byte
	out, ok := p.appendValue(buf[:0], i, 16)
	if !ok || len(out) == 0 {
		return ""
	}
	return p.intern(out)
}

func (p *pyExtractor) appendValue(out []byte, i int32, depth int) ([]byte, bool) {
	if i == none || depth == 0 || len(out) > artifact.MaxTypeHint {
		return out, false
	}
	ok := true
	switch p.kind(i) {
	case pyIdentifier:
		return append(out, p.text(i)...), true
	case pyAttribute:
		name := p.child(i, fAttribute)
		if out, ok = p.appendValue(out, p.child(i, fObject), depth-1); !ok || name == none {
			return out, false
		}
		return append(append(out, '.'), p.text(name)...), true
	case pyCall:
		if arg, then := p.passedOn(i); arg != none {
			if out, ok = p.appendValue(out, arg, depth-1); !ok {
				return out, false
			}
			return append(out, then...), true
		}
		if out, ok = p.appendValue(out, p.child(i, fFunction), depth-1); !ok {
			return out, false
		}
		return append(out, "()"...), true
	case pySubscript:
		if out, ok = p.appendValue(out, p.child(i, fValue), depth-1); !ok {
			return out, false
		}
		out = append(out, '[')
		if s := p.child(i, fSubscript); s != none && p.kind(s) == pyInteger && p.nodes[s].end-p.nodes[s].start == 1 {
			out = append(out, p.text(s)...)
		}
		return append(out, ']'), true
	case pyAwait, pyParenthesizedExpression, pyBooleanOperator, pyConditionalExpression:
		return p.appendValue(out, p.first(i), depth-1)
	case pyNamedExpression:
		return p.appendValue(out, p.child(i, fValue), depth-1)
	}
	return out, false
}

// passedOn returns the argument of a built-in function that gives what the
// argument holds, and how; none for other calls.
func (p *pyExtractor) passedOn(call int32) (arg int32, then string) {
	fn, args := p.child(call, fFunction), p.child(call, fArguments)
	if fn == none || args == none || p.kind(fn) != pyIdentifier || p.kind(args) != pyArgumentList {
		return none, ""
	}
	switch string(p.text(fn)) {
	case "list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "aiter":
	case "next", "anext", "min", "max":
		then = "*"
	case "enumerate":
		then = "~"
	default:
		return none, ""
	}
	arg = p.first(args)
	if arg == none || p.kind(arg) == pyKeywordArgument || p.bound[p.name(fn)] > 0 {
		return none, ""
	}
	return arg, then
}

// contextHint is the hint for parameter n of a lambda that is an argument of a
// call: "callee(k,n)" for the k-th argument.
func (p *pyExtractor) contextHint(lambda int32, n int) string {
	args := p.nodes[lambda].parent
	if n > 9 || args < 0 || p.kind(args) != pyArgumentList {
		return ""
	}
	k := 0
	for c := p.first(args); c != none && c != lambda; c = p.after(c) {
		if p.kind(c) == pyKeywordArgument {
			return ""
		}
		k++
	}
	call := p.nodes[args].parent
	if k > 9 || call < 0 || p.kind(call) != pyCall {
		return ""
	}
	return p.valueHint(p.child(call, fFunction), "("+string(rune('0'+k))+","+string(rune('0'+n))+")")
}

// useOf adds the use of a member of an object. Unlike other languages'
// receivers, an object may hold calls and subscripts.
func (p *pyExtractor) useOf(role artifact.Role, name, object int32) {
	receiver := ""
	if object != none {
		if receiver = p.receiver(object); receiver == ellipsis {
			if v := p.valueOf(object); v != "" && len(v) <= maxReceiver {
				receiver = v
			}
		}
	}
	p.useAt(role, p.nodes[name].start, p.text(name), receiver)
}

// again notes a later assignment to a name that is declared already.
func (p *pyExtractor) again(name int32, hint string) {
	at := p.nodes[name].start
	p.addLocal(artifact.KindUnknown, name, hint, at, at)
}

// reassign notes an assignment to a declared name or to a member of self.
func (p *pyExtractor) reassign(target int32, hint string) {
	if p.kind(target) == pyIdentifier && p.callables == 0 && p.bound[p.name(target)] == 0 {
		p.again(target, hint)
		return
	}
	p.fields(target, hint)
}

// fields notes the members that an assignment to the target gives the type
// around, and names of the module that a function assigns.
func (p *pyExtractor) fields(target int32, hint string) {
	switch p.kind(target) {
	case pyIdentifier:
		if p.callables > 0 && p.bound[p.name(target)] == 0 {
			p.again(target, hint) // declared global or nonlocal
		}
	case pyAttribute:
		object, name := p.child(target, fObject), p.child(target, fAttribute)
		if object == none || name == none || p.kind(object) != pyIdentifier {
			return
		}
		if o := string(p.text(object)); o != "self" && o != "cls" {
			return
		}
		for k := len(p.open) - 1; k >= 0; k-- {
			if d := p.open[k]; d >= 0 && (p.facts.Decls[d].Kind == artifact.KindClass || p.facts.Decls[d].Kind == artifact.KindEnum) {
				p.addLocal(artifact.KindField, name, hint, p.facts.Decls[d].Start, p.facts.Decls[d].End)
				return
			}
		}
	case pyTuplePattern, pyListPattern, pyPatternList, pyTuple, pyList:
		n := 0
		for c := p.first(target); c != none; c = p.after(c) {
			p.fields(c, elementHint(hint, n))
			n++
		}
	}
}

// narrow notes that a name has the type that "isinstance" tests, in the body of
// an if statement or behind an assert statement.
func (p *pyExtractor) narrow(i int32) {
	cond := p.child(i, fCondition)
	if p.kind(i) == pyAssertStatement {
		cond = p.first(i)
	}
	if cond == none || p.kind(cond) != pyCall {
		return
	}
	fn, args := p.child(cond, fFunction), p.child(cond, fArguments)
	if fn == none || args == none || p.kind(fn) != pyIdentifier || string(p.text(fn)) != "isinstance" {
		return
	}
	name := p.first(args)
	if name == none || p.kind(name) != pyIdentifier {
		return
	}
	typ := p.after(name)
	if typ == none {
		return
	}
	hint := p.writtenHint(typ)
	if p.kind(typ) == pyTuple {
		hint = strings.ReplaceAll(strings.NewReplacer("(", "", ")", "").Replace(hint), ",", "|")
		hint = strings.TrimSuffix(hint, "|")
	}
	if hint == "" || bytes.ContainsAny([]byte(hint), "*") {
		return
	}
	if p.kind(i) == pyIfStatement {
		if body := p.child(i, fConsequence); body != none {
			p.addLocal(artifact.KindUnknown, name, hint, p.nodes[body].start, p.nodes[body].end)
		}
		return
	}
	if up := p.nodes[i].parent; up >= 0 {
		p.addLocal(artifact.KindUnknown, name, hint, p.nodes[i].end, p.nodes[up].end)
	}
}
