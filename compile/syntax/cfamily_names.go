package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

// last returns the innermost name of a qualified one, and whether there is a
// qualifier at all.
func (c *cExtractor) last(i int32) (name int32, qualified bool) {
	name = i
	for c.kind(name) == cppQualifiedIdentifier {
		n := c.child(name, fName)
		if n == none {
			break
		}
		name, qualified = n, true
	}
	return name, qualified
}

// namesType reports whether a qualified name ends in a type's name.
func (c *cExtractor) namesType(i int32) bool {
	n, _ := c.last(i)
	return c.kind(n) == cTypeIdentifier || c.kind(n) == cppTemplateType
}

// qualified adds the use of "a::b::name" and of the types among its
// qualifiers.
func (c *cExtractor) qualified(role artifact.Role, i int32) {
	name, _ := c.last(i)
	args := none
	switch c.kind(name) {
	case cppTemplateFunction, cppTemplateType, cppTemplateMethod:
		args = c.child(name, fArguments)
		if name = c.child(name, fName); name == none {
			return
		}
	}
	if c.kind(name) == cppDependentName { // a::template b<c>
		if name = c.first(name); name == none {
			return
		}
		if c.kind(name) != cIdentifier {
			args = c.child(name, fArguments)
			if name = c.child(name, fName); name == none {
				return
			}
		}
	}
	start, at := c.nodes[i].start, c.nodes[name].start
	qualifier := bytes.TrimSuffix(bytes.TrimSpace(c.src[start:max(start, at)]), []byte("template"))
	qualifier = bytes.TrimSuffix(bytes.TrimSpace(qualifier), []byte("::"))
	receiver := ellipsis
	if len(qualifier) <= 2*maxReceiver {
		receiver = c.chain(qualifier)
	}
	if k := c.kind(name); k != cppDestructorName && k != cppOperatorCast && k != cppQualifiedIdentifier {
		c.useAt(role, at, c.text(name), receiver)
	}
	for q := i; q != none && c.kind(q) == cppQualifiedIdentifier; q = c.child(q, fName) {
		s := c.child(q, fScope)
		switch {
		case s == none:
		case c.kind(s) == cppNamespaceIdentifier:
			if capital(c.text(s)) {
				c.use(artifact.RoleType, s)
			}
		default:
			c.typeAs(artifact.RoleType, s)
		}
	}
	c.typeAs(artifact.RoleType, args)
}

func (c *cExtractor) callee(fn int32) {
	if fn == none {
		return
	}
	switch c.kind(fn) {
	case cIdentifier:
		c.use(artifact.RoleCall, fn)
	case cFieldExpression:
		c.member(artifact.RoleCall, fn)
	case cppQualifiedIdentifier:
		c.qualified(artifact.RoleCall, fn)
	case cppTemplateFunction:
		c.callee(c.child(fn, fName))
		c.typeAs(artifact.RoleType, c.child(fn, fArguments))
	case cParenthesizedExpression:
		if k := c.first(fn); k != none && c.kind(k) == cIdentifier {
			c.use(artifact.RoleCall, k)
			return
		}
		c.visit(fn)
	default:
		c.visit(fn)
	}
}

// member adds the use of "object.name" or "object->name".
func (c *cExtractor) member(role artifact.Role, i int32) {
	object, name := c.child(i, fArgument), c.child(i, fField)
	args := none
	if name != none {
		switch c.kind(name) {
		case cppDependentName:
			name = c.first(name)
		}
		if name != none && c.kind(name) == cppTemplateMethod {
			args = c.child(name, fArguments)
			name = c.child(name, fName)
		}
		if name != none && c.kind(name) == cFieldIdentifier {
			c.useMember(role, name, object)
		}
	}
	c.opt(object)
	c.typeAs(artifact.RoleType, args)
}

func (c *cExtractor) target(i int32) {
	if i == none {
		return
	}
	switch c.kind(i) {
	case cIdentifier:
		c.use(artifact.RoleWrite, i)
	case cFieldExpression:
		c.member(artifact.RoleWrite, i)
	case cppQualifiedIdentifier:
		c.qualified(artifact.RoleWrite, i)
	default:
		c.visit(i)
	}
}
