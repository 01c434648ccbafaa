package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

// typeSpecifier declares a struct, union, enum or class that has a body or
// stands alone; else it is a use of the type. name overrides the own name.
func (c *cExtractor) typeSpecifier(outer, i, name int32) {
	body := c.child(i, fBody)
	own := c.child(i, fName)
	if name == none {
		name = own
	}
	if body == none && (outer == i && c.standsIn(i) || own == none) {
		c.opt(own)
		return
	}
	if outer == i {
		outer = c.bounds(i)
	}
	kind := artifact.KindStruct
	switch c.kind(i) {
	case cUnionSpecifier:
		kind = artifact.KindUnion
	case cEnumSpecifier:
		kind = artifact.KindEnum
	case cppClassSpecifier:
		kind = artifact.KindClass
	}
	var owners []int32
	for name != none && c.kind(name) == cppQualifiedIdentifier {
		if s := c.child(name, fScope); s != none {
			owners = append(owners, s)
		}
		name = c.child(name, fName)
	}
	d := none
	if name == none {
		c.open = append(c.open, none)
	} else {
		d = c.beginNamed(kind, outer, outer, c.plain(name), c.nodes[name].start)
	}
	for _, o := range owners {
		c.own(d, artifact.KindStruct, c.plain(o))
	}
	c.exported(d)
	c.signature(d, outer, body)
	if body == none {
		c.flag(d, artifact.SymbolForward)
	}
	if name != none && c.kind(name) == cppTemplateType {
		c.typeAs(artifact.RoleType, c.child(name, fArguments)) // a specialization
	}
	saved := c.hidden
	for k := c.first(i); k != none; k = c.after(k) {
		switch {
		case c.nodes[k].field == fName || k == body:
		case c.kind(k) == cppBaseClauses:
			for b := c.first(k); b != none; b = c.after(b) {
				if c.kind(b) != cppAccessSpecifier {
					c.typeAs(artifact.RoleInherit, b)
				}
			}
		default:
			c.visit(k)
		}
	}
	if body != none {
		if d >= 0 {
			c.hidden = kind == artifact.KindClass
		}
		c.children(body)
	}
	c.hidden = saved
	c.end()
}

// standsIn reports whether a specifier without a body is part of a larger
// declaration or expression, where it is a use, and not a statement alone.
func (c *cExtractor) standsIn(i int32) bool {
	switch c.parentKind(i) {
	case cTranslationUnit, cPreprocIfdef, kindOther, cFieldDeclarationList, cppTemplateDeclaration:
		return c.nodes[i].field != fNone
	}
	return true
}

func (c *cExtractor) namespace(i int32) {
	name, body := c.child(i, fName), c.child(i, fBody)
	saved := c.hidden
	d := none
	switch {
	case name == none:
		c.open = append(c.open, none)
		c.hidden = true
	case c.kind(name) == cppNestedNamespaceSpecifier:
		var parts []int32
		for k := name + 1; k < c.nodes[name].next; k++ {
			if c.kind(k) == cppNamespaceIdentifier {
				parts = append(parts, k)
			}
		}
		if len(parts) == 0 {
			c.open = append(c.open, none)
			break
		}
		d = c.begin(artifact.KindNamespace, i, parts[len(parts)-1])
		for _, p := range parts[:len(parts)-1] {
			c.own(d, artifact.KindNamespace, c.str(p))
			c.namespaces[c.name(p)] = true
		}
		c.namespaces[c.name(parts[len(parts)-1])] = true
	default:
		d = c.begin(artifact.KindNamespace, i, name)
		c.namespaces[c.name(name)] = true
	}
	c.exported(d)
	c.signature(d, i, body)
	if body != none {
		c.children(body)
	}
	c.hidden = saved
	c.end()
}

func (c *cExtractor) namespaceAlias(i int32) {
	name := c.child(i, fName)
	for k := c.first(i); k != none; k = c.after(k) {
		if k != name && name != none && c.kind(k) != cppUsingNamespace {
			c.addImport(k, c.str(k), "", c.str(name))
		}
	}
}

func (c *cExtractor) using(i int32) {
	target := none
	for k := c.first(i); k != none; k = c.after(k) {
		if c.kind(k) == cIdentifier || c.kind(k) == cppQualifiedIdentifier {
			target = k
		}
	}
	if target == none {
		return
	}
	if c.has(i, cppUsingNamespace) {
		c.addImport(target, c.str(target), "*", "*")
		return
	}
	name, _ := c.last(target)
	module := c.src[c.nodes[target].start:max(c.nodes[target].start, c.nodes[name].start)]
	module = bytes.TrimSuffix(bytes.TrimSpace(module), []byte("::"))
	c.addImport(name, c.intern(module), c.plain(name), c.plain(name))
	c.useMember(artifact.RoleImport, name, none)
}

func (c *cExtractor) template(i int32) {
	c.pushScope()
	saved := c.outer
	c.outer = none
	c.opt(c.child(i, fParameters))
	c.outer = i
	if saved != none {
		c.outer = saved // a member template: the outermost one bounds it
	}
	for k := c.first(i); k != none; k = c.after(k) {
		if c.nodes[k].field == fParameters {
			continue
		}
		c.visit(k)
	}
	c.outer = none
	c.popScope()
}

// templateParameters binds the parameters and visits their defaults.
func (c *cExtractor) templateParameters(i int32) {
	for k := c.first(i); k != none; k = c.after(k) {
		switch c.kind(k) {
		case cppTypeParameterDeclaration, cppVariadicTypeParameterDeclaration:
			if n := c.childOf(k, cTypeIdentifier); n != none {
				c.bind(n)
			}
		case cppOptionalTypeParameterDeclaration:
			if n := c.child(k, fName); n != none {
				c.bind(n)
			}
			c.opt(c.child(k, fDefaultType))
		case cParameterDeclaration, cppOptionalParameterDeclaration, cppVariadicParameterDeclaration:
			c.visit(k)
			c.bindDeclarator(c.child(k, fDeclarator))
		default:
			c.visit(k)
		}
	}
}
