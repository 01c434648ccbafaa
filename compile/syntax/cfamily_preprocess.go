package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

func (c *cExtractor) include(i int32) {
	path := c.child(i, fPath)
	if path == none {
		return
	}
	name := bytes.Trim(c.text(path), "\"<> \t\r\n")
	c.addImport(path, c.intern(name), "", "")
	c.lead.ok = false
}

// macro handles #define. The name that guards a header against being read
// twice is no macro that anybody looks for.
func (c *cExtractor) macro(i int32) {
	name := c.child(i, fName)
	if name == none {
		return
	}
	if c.child(i, fValue) == none && c.guarding(i, name) {
		return
	}
	d := c.leaf(artifact.KindMacro, i, name)
	c.flag(d, artifact.SymbolExported)
	if d >= 0 {
		decl := &c.facts.Decls[d]
		decl.Parent = none // the preprocessor knows no scopes
		decl.Flags &^= artifact.SymbolLocal
		if v := c.child(i, fValue); v != none {
			c.signature(d, i, v)
		}
	}
}

// guards reports whether "#ifndef NAME" defines NAME first of all, as nothing.
func (c *cExtractor) guards(ifdef, name int32) bool {
	if name == none {
		return false
	}
	def := c.after(name)
	if def == none || c.kind(def) != cPreprocDef || c.child(def, fValue) != none {
		return false
	}
	n := c.child(def, fName)
	return n != none && bytes.Equal(c.text(n), c.text(name))
}

// guarding reports whether the line above "#define NAME" is "#ifndef NAME".
// Where a file has errors the tree does not tell.
func (c *cExtractor) guarding(def, name int32) bool {
	above := bytes.TrimRight(c.src[:c.nodes[def].start], " \t\r\n")
	above = above[bytes.LastIndexByte(above, '\n')+1:]
	words := bytes.Fields(above)
	return len(words) == 2 && string(words[0]) == "#ifndef" && bytes.Equal(words[1], c.text(name))
}
