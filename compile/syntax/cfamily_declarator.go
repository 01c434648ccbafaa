package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

// declarator is what a declarator declares.
type declarator struct {
	name     int32 // node of the declared name, possibly qualified; none in an abstract one
	function int32 // its function_declarator when it declares a function, else none
}

// unwrap finds the name inside pointers, arrays, parentheses and functions.
func (c *cExtractor) unwrap(i int32) declarator {
	d := declarator{none, none}
	for i != none {
		switch c.kind(i) {
		case cIdentifier, cTypeIdentifier, cFieldIdentifier, cppQualifiedIdentifier, cppDestructorName,
			cppOperatorName, cppOperatorCast, cppTemplateFunction, cppTemplateType, cppTemplateMethod,
			cppStructuredBindingDeclarator:
			d.name = i
			return d
		case cFunctionDeclarator:
			d.function = i
			i = c.child(i, fDeclarator)
		case cPointerDeclarator, cArrayDeclarator:
			d.function = none // a pointer to a function is a variable
			i = c.child(i, fDeclarator)
		case cppReferenceDeclarator:
			d.function = none
			i = c.lastChild(i)
		case cInitDeclarator:
			i = c.child(i, fDeclarator)
		case cParenthesizedDeclarator, cAttributedDeclarator, cppVariadicDeclarator:
			next := none
			for k := c.first(i); k != none; k = c.after(k) {
				if kk := c.kind(k); kk != cppAttributeDeclaration && kk != cComment && kk != kindOther {
					next = k
					break
				}
			}
			i = next
		default:
			return d
		}
	}
	return d
}

func (c *cExtractor) lastChild(i int32) int32 {
	last := none
	for k := c.first(i); k != none; k = c.after(k) {
		last = k
	}
	return last
}

// declaratorUses visits what a declarator refers to besides its name: array
// sizes and the types of parameters.
func (c *cExtractor) declaratorUses(i int32) {
	if i == none {
		return
	}
	switch c.kind(i) {
	case cIdentifier, cTypeIdentifier, cFieldIdentifier, cppQualifiedIdentifier, cppDestructorName,
		cppOperatorName, cppTemplateFunction, cppTemplateType, cppTemplateMethod,
		cppStructuredBindingDeclarator:
		return
	case cInitDeclarator:
		c.declaratorUses(c.child(i, fDeclarator))
		c.opt(c.child(i, fValue))
		return
	case cppOperatorCast:
		c.children(i)
		return
	}
	for k := c.first(i); k != none; k = c.after(k) {
		switch {
		case c.nodes[k].field == fDeclarator:
			c.declaratorUses(k)
		case c.nodes[k].field == fNone && c.isDeclarator(k):
			c.declaratorUses(k)
		default:
			c.visit(k)
		}
	}
}

func (c *cExtractor) isDeclarator(i int32) bool {
	switch c.kind(i) {
	case cIdentifier, cFieldIdentifier, cPointerDeclarator, cArrayDeclarator, cFunctionDeclarator,
		cParenthesizedDeclarator, cAttributedDeclarator, cppReferenceDeclarator, cppVariadicDeclarator,
		cppStructuredBindingDeclarator:
		return true
	}
	return false
}

func (c *cExtractor) bindDeclarator(i int32) {
	d := c.unwrap(i)
	switch {
	case d.name == none:
	case c.kind(d.name) == cppStructuredBindingDeclarator:
		for k := c.first(d.name); k != none; k = c.after(k) {
			c.bind(k)
		}
	case c.kind(d.name) == cIdentifier:
		c.bind(d.name)
	}
}

func (c *cExtractor) bindParameters(params int32) {
	for k := c.first(params); k != none; k = c.after(k) {
		switch c.kind(k) {
		case cParameterDeclaration, cppOptionalParameterDeclaration, cppVariadicParameterDeclaration:
			c.bindDeclarator(c.child(k, fDeclarator))
		case cIdentifier: // K&R
			c.bind(k)
		}
	}
}

// declaration handles variables, fields and prototypes.
func (c *cExtractor) declaration(i int32) {
	outer := c.bounds(i)
	typ := c.child(i, fType)
	count := 0
	for k := c.first(i); k != none; k = c.after(k) {
		if c.nodes[k].field == fDeclarator {
			count++
		}
	}
	members := none
	if typ != none {
		switch {
		case c.callables == 0 && count > 0 && c.isSpecifier(typ) && c.child(typ, fName) == none:
			members = c.child(typ, fBody)
		case count == 0 && c.isSpecifier(typ):
			c.typeSpecifier(outer, typ, none)
		default:
			c.visit(typ)
		}
	}
	extern := c.storage(i, "extern") || c.parentKind(i) == cLinkageSpecification
	static := c.storage(i, "static")
	from, seen := outer, 0
	for k := c.first(i); k != none; k = c.after(k) {
		if c.nodes[k].field != fDeclarator {
			if c.nodes[k].field != fType && c.nodes[k].field != fNone {
				c.visit(k) // default values, bit fields
			}
			continue
		}
		seen++
		to := k
		if seen == count {
			to = outer
		}
		if seen > 1 {
			from = k
		}
		d := c.unwrap(k)
		switch {
		case d.name == none:
			c.declaratorUses(k)
		case d.function != none && (c.callables == 0 || c.inClass()) || c.kind(d.name) == cppOperatorCast:
			decl := c.beginFunction(from, to, i, d)
			c.flag(decl, artifact.SymbolForward)
			c.pushScope()
			c.declaratorUses(k)
			c.popScope()
			c.end()
		case c.callables > 0 && !c.inClass():
			c.declaratorUses(k)
			c.bindDeclarator(k)
		default:
			c.variable(from, to, k, d.name, members, static, extern)
			members = none
		}
	}
}

// variable declares a variable or field. members is the body of the unnamed
// struct that it has as its type, or none.
func (c *cExtractor) variable(from, to, k, name, members int32, static, extern bool) {
	if c.kind(name) == cppStructuredBindingDeclarator {
		c.declaratorUses(k)
		return
	}
	kind := artifact.KindVariable
	if c.inClass() {
		kind = artifact.KindField
	}
	var owners []int32
	for c.kind(name) == cppQualifiedIdentifier {
		if s := c.child(name, fScope); s != none {
			owners = append(owners, s)
		}
		if name = c.child(name, fName); name == none {
			return
		}
	}
	decl := c.beginNamed(kind, from, to, c.plain(name), c.nodes[name].start)
	c.ownedBy(decl, owners)
	if static && kind == artifact.KindField {
		c.flag(decl, artifact.SymbolStatic)
	}
	if !static || kind == artifact.KindField {
		c.exported(decl)
	}
	if extern && c.kind(k) != cInitDeclarator {
		c.flag(decl, artifact.SymbolForward)
	}
	c.opt(members)
	c.declaratorUses(k)
	c.end()
}

// isSpecifier reports whether a type is written as struct, union, enum or
// class.
func (c *cExtractor) isSpecifier(i int32) bool {
	switch c.kind(i) {
	case cStructSpecifier, cUnionSpecifier, cEnumSpecifier, cppClassSpecifier:
		return true
	}
	return false
}

// typedef handles "typedef TYPE NAME". An anonymous type takes the name.
func (c *cExtractor) typedef(i int32) {
	typ := c.child(i, fType)
	first, count := none, 0
	for k := c.first(i); k != none; k = c.after(k) {
		if c.nodes[k].field == fDeclarator {
			count++
			if first == none {
				first = k
			}
		}
	}
	taken := none // the declarator whose name the type itself has
	from := i
	if typ != none {
		if c.isSpecifier(typ) {
			name := c.child(typ, fName)
			switch {
			case c.child(typ, fBody) == none:
				c.opt(name) // typedef struct a a;
			case first != none && c.kind(first) == cTypeIdentifier && (name == none || bytes.Equal(c.text(first), c.text(name))):
				taken = first
				outer := typ
				if count == 1 {
					outer = i
				}
				c.typeSpecifier(outer, typ, first)
				from = none
			default:
				c.typeSpecifier(typ, typ, none)
				from = none
			}
		} else {
			c.visit(typ)
		}
	}
	seen := 0
	for k := c.first(i); k != none; k = c.after(k) {
		if c.nodes[k].field != fDeclarator {
			continue
		}
		seen++
		if k == taken {
			continue
		}
		if from == none || seen > 1 {
			from = k
		}
		to := k
		if seen == count {
			to = i
		}
		d := c.unwrap(k)
		if d.name == none {
			continue
		}
		decl := c.beginSpan(artifact.KindType, from, to, d.name)
		c.exported(decl)
		c.declaratorUses(k)
		c.end()
	}
}
