package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

// beginFunction declares the function that declarator d of node i declares.
func (c *cExtractor) beginFunction(outer, end, i int32, d declarator) int32 {
	name, owners := d.name, []int32(nil)
	for name != none && c.kind(name) == cppQualifiedIdentifier {
		if s := c.child(name, fScope); s != none {
			owners = append(owners, s)
		}
		name = c.child(name, fName)
	}
	kind := artifact.KindFunction
	if len(owners) > 0 || c.inClass() {
		kind = artifact.KindMethod
	}
	class := ""
	switch {
	case len(owners) > 0:
		class = c.plain(owners[len(owners)-1])
		if n := c.nameOf([]byte(class)); c.namespaces[n] {
			kind = artifact.KindFunction
		}
	case c.inClass():
		class = c.facts.Decls[c.parent()].Name
	}
	text := ""
	if name != none {
		text = c.plain(name)
	}
	if text != "" && text == class {
		kind = artifact.KindConstructor
	}
	at := uint32(0)
	if name != none {
		at = c.nodes[name].start
	}
	member, static := c.inClass(), c.storage(i, "static")
	decl := c.beginNamed(kind, outer, end, text, at)
	c.ownedBy(decl, owners)
	if static && member {
		c.flag(decl, artifact.SymbolStatic)
	}
	if !static || member {
		c.exported(decl)
	}
	return decl
}

// ownedBy records the qualifiers of a declared name. The last one is a class
// unless the file opened a namespace of that name; those in front of it are
// namespaces when they are written small.
func (c *cExtractor) ownedBy(d int32, owners []int32) {
	for k, o := range owners {
		owner := c.plain(o)
		kind := artifact.KindStruct
		if c.namespaces[c.nameOf([]byte(owner))] || k < len(owners)-1 && !capital([]byte(owner)) {
			kind = artifact.KindNamespace
		} else {
			if c.kind(o) == cppTemplateType {
				o = c.child(o, fName)
			}
			c.use(artifact.RoleType, o)
		}
		c.own(d, kind, owner)
	}
}

// plain returns the name at a node without template arguments, and for
// operators without white space: "operator==", "operator bool", "~Shape".
func (c *cExtractor) plain(i int32) string {
	switch c.kind(i) {
	case cppTemplateFunction, cppTemplateType, cppTemplateMethod:
		if n := c.child(i, fName); n != none {
			return c.plain(n)
		}
	case cppDependentName:
		if n := c.first(i); n != none {
			return c.plain(n)
		}
	case cppOperatorCast:
		if t := c.child(i, fType); t != none {
			return c.intern(append([]byte("operator "), bytes.Join(bytes.Fields(c.text(t)), []byte(" "))...))
		}
	case cppOperatorName, cppDestructorName:
		words := bytes.Fields(c.text(i))
		sep := []byte(nil)
		if len(words) > 1 && isNameByte(words[1][0]) {
			sep = []byte(" ") // operator new
		}
		return c.intern(bytes.Join(words, sep))
	}
	return c.str(i)
}

func (c *cExtractor) function(i int32) {
	outer := c.bounds(i)
	head, body := c.child(i, fDeclarator), c.child(i, fBody)
	d := c.unwrap(head)
	decl := c.beginFunction(outer, outer, i, d)
	c.signature(decl, outer, body)
	if init := c.initializers(i); init != none && body != none {
		c.signature(decl, outer, init)
		if decl >= 0 {
			x := &c.facts.Decls[decl]
			x.SigEnd = c.trimEnd(x.SigStart, uint32(bytes.LastIndexByte(c.src[:x.SigEnd], ')')+1))
			x.SigEnd = max(x.SigEnd, x.SigStart)
		}
	}
	if body == none {
		c.flag(decl, artifact.SymbolForward)
	}
	savedHidden := c.hidden
	c.enter()
	c.opt(c.child(i, fType))
	c.declaratorUses(head)
	if d.function != none {
		if p := c.child(d.function, fParameters); p != none {
			c.bindParameters(p)
		}
	}
	for k := c.first(i); k != none; k = c.after(k) {
		if c.nodes[k].field == fNone { // initializers, attributes, K&R parameters
			c.visit(k)
		}
	}
	c.opt(body)
	c.leave()
	c.hidden = savedHidden
	c.end()
}

// initializers returns the first member initializer of a constructor.
func (c *cExtractor) initializers(i int32) int32 {
	for k := c.first(i); k != none; k = c.after(k) {
		if f := c.first(k); f != none && c.kind(f) == cppFieldInitializer {
			return k
		}
	}
	return none
}

func (c *cExtractor) fieldInitializer(i int32) {
	for k := c.first(i); k != none; k = c.after(k) {
		switch c.kind(k) {
		case cFieldIdentifier:
			c.useMember(artifact.RoleWrite, k, none)
		case cppTemplateMethod: // a base class
			if n := c.child(k, fName); n != none {
				c.useMember(artifact.RoleCall, n, none)
			}
			c.typeAs(artifact.RoleType, c.child(k, fArguments))
		case cppQualifiedIdentifier:
			c.qualified(artifact.RoleCall, k)
		default:
			c.visit(k)
		}
	}
}

func (c *cExtractor) lambda(i int32) {
	c.enter()
	for k := c.first(i); k != none; k = c.after(k) {
		if c.kind(k) == cAbstractFunctionDeclarator {
			c.visit(k)
			if p := c.child(k, fParameters); p != none {
				c.bindParameters(p)
			}
			continue
		}
		c.visit(k)
		if c.nodes[k].next > k+1 {
			for q := c.first(k); q != none; q = c.after(q) {
				if c.kind(q) == cppLambdaCaptureInitializer {
					if l := c.child(q, fLeft); l != none {
						c.bind(l)
					}
				}
			}
		}
	}
	c.leave()
}
