package syntax

import (
	"bytes"

	"github.com/pindex-dev/pindex/artifact"
)

func (g *goExtractor) typeDeclaration(i int32) {
	specs := 0
	for c := g.first(i); c != none; c = g.after(c) {
		if k := g.kind(c); k == goTypeSpec || k == goTypeAlias {
			specs++
		}
	}
	for c := g.first(i); c != none; c = g.after(c) {
		switch g.kind(c) {
		case goTypeSpec, goTypeAlias:
			outer := c
			if specs == 1 {
				outer = i
			}
			g.typeSpec(outer, c)
		default:
			g.visit(c)
		}
	}
}

func (g *goExtractor) typeSpec(outer, spec int32) {
	name, typ := g.child(spec, fName), g.child(spec, fType)
	kind := artifact.KindType
	body := none
	if typ != none {
		switch g.kind(typ) {
		case goStructType:
			kind = artifact.KindStruct
			body = g.childOf(typ, goFieldDeclarationList)
		case goInterfaceType:
			kind = artifact.KindInterface
		}
	}
	d := g.begin(kind, outer, name)
	g.signature(d, outer, body)
	if kind == artifact.KindInterface && d >= 0 {
		// The brace is no node that is kept; the signature ends before it.
		decl := &g.facts.Decls[d]
		if j := bytes.IndexByte(g.text(typ), '{'); j > 0 {
			decl.SigEnd = g.trimEnd(decl.SigStart, g.nodes[typ].start+uint32(j))
		}
	}
	if name != none {
		g.exported(d, name)
	}
	g.pushScope()
	if tp := g.child(spec, fTypeParameters); tp != none {
		g.typeParameters(tp)
	}
	g.opt(typ)
	g.popScope()
	g.end()
}

// typeParameters binds the names and visits the constraints.
func (g *goExtractor) typeParameters(i int32) {
	for c := g.first(i); c != none; c = g.after(c) {
		for n := g.first(c); n != none; n = g.after(n) {
			if g.nodes[n].field == fName {
				g.bind(n)
			}
		}
	}
	for c := g.first(i); c != none; c = g.after(c) {
		g.opt(g.child(c, fType))
	}
}

func (g *goExtractor) structFields(i int32) {
	list := g.childOf(i, goFieldDeclarationList)
	if list == none {
		return
	}
	for c := g.first(list); c != none; c = g.after(c) {
		if g.kind(c) != goFieldDeclaration {
			g.visit(c)
			continue
		}
		typ := g.child(c, fType)
		first, last := none, none
		for n := g.first(c); n != none; n = g.after(n) {
			if g.nodes[n].field == fName {
				if first == none {
					first = n
				}
				last = n
			}
		}
		if first == none {
			g.typeAs(artifact.RoleInherit, typ)
			continue
		}
		for n := first; n != none && n <= last; n = g.after(n) {
			if g.nodes[n].field != fName {
				continue
			}
			from, to := n, n
			if n == first {
				from = c
			}
			if n == last {
				to = c
			}
			d := g.beginSpan(artifact.KindField, from, to, n)
			g.exported(d, n)
			if n == last {
				g.opt(typ)
			}
			g.end()
		}
	}
}

func (g *goExtractor) interfaceElems(i int32) {
	for c := g.first(i); c != none; c = g.after(c) {
		switch g.kind(c) {
		case goMethodElem:
			name := g.child(c, fName)
			d := none
			if g.parentDeclKind() == artifact.KindInterface {
				d = g.begin(artifact.KindMethod, c, name)
				g.flag(d, artifact.SymbolForward)
				if name != none {
					g.exported(d, name)
				}
			} else {
				g.open = append(g.open, none)
			}
			g.pushScope()
			g.parameters(c)
			g.popScope()
			g.end()
		case goTypeElem:
			role := artifact.RoleType
			if g.parentDeclKind() == artifact.KindInterface {
				role = artifact.RoleInherit
			}
			g.typeAs(role, c)
		default:
			g.visit(c)
		}
	}
}
