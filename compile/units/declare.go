package units

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/syntax"
)

const (
	maxName       = 256  // bytes of a symbol's name
	maxSymbol     = 512  // bytes of a qualified name
	maxDescriptor = 1024 // bytes of a descriptor
)

// declInfo is what becomes of one declaration.
type declInfo struct {
	unit       int32 // its own unit's number; 0 for none
	within     int32 // as unit; without one of its own, its parent's within
	local      bool  // declared inside a callable
	symbol     string
	descriptor string
}

func callable(k artifact.Kind) bool {
	return k == artifact.KindFunction || k == artifact.KindMethod || k == artifact.KindConstructor
}

// small reports whether a declaration is one of the leaves that have no unit
// of their own; see the package comment.
func (b *builder) small(d *syntax.Decl) bool {
	limit := smallLeafLines
	switch {
	case d.Kind == artifact.KindType || d.Kind == artifact.KindProperty:
		limit = smallTypeLines
	case callable(d.Kind):
		if d.Flags&artifact.SymbolForward == 0 {
			return false
		}
	case d.Kind.Container():
		return false
	}
	line := b.cur.at(d.Start) + limit - 1 // the first line too many
	return line >= len(b.lt.starts) || d.End <= b.lt.starts[line]
}

// declare turns declarations into nodes below node 0, in preorder.
func (b *builder) declare(decls []syntax.Decl) {
	order := make([]int32, len(decls))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(x, y int32) int {
		return cmp.Or(cmp.Compare(decls[x].Start, decls[y].Start), cmp.Compare(decls[y].End, decls[x].End))
	})
	b.decls = make([]declInfo, len(decls))
	b.describe(decls)

	// chain is the units around the current place, outermost first. The
	// parents come from the facts; the ranges are made to fit, so that
	// children lie inside their parent and behind one another.
	chain := []int32{0}
	open := append(make([]bool, 0, len(decls)+1), true) // by node
	next := append(make([]uint32, 0, len(decls)+1), 0)  // by node: where its next child may start
	edges := edges{b: b}
	for _, i := range order {
		d, info := &decls[i], &b.decls[i]
		start, end := min(d.Start, b.size), min(d.End, b.size)
		if d.Parent >= 0 && d.Parent < i {
			info.within = b.decls[d.Parent].within
		}
		if info.local {
			continue
		}
		b.mark(d.DocStart, d.DocEnd, artifact.FieldDoc, true)
		if start < end && !b.small(d) {
			parent := info.within
			for !open[parent] {
				parent = b.nodes[parent].parent
			}
			for top := chain[len(chain)-1]; top != parent; top = chain[len(chain)-1] {
				open[top] = false
				chain = chain[:len(chain)-1]
				up := chain[len(chain)-1]
				next[up] = max(next[up], b.nodes[top].end)
			}
			start, end = edges.extend(start, end)
			start, end = max(start, next[parent]), min(end, b.nodes[parent].end)
			if start < end {
				n := int32(len(b.nodes))
				info.unit, info.within = n, n
				b.nodes = append(b.nodes, node{start: start, end: end, decl: i, parent: parent, kind: d.Kind,
					name: clip(d.Name, maxName), symbol: info.symbol})
				open, next, chain = append(open, true), append(next, start), append(chain, n)
				b.mark(d.SigStart, b.signatureEnd(d), artifact.FieldSignature, false)
				continue
			}
		}
		if d.Name != "" {
			b.leafs = append(b.leafs, leaf{at: min(d.NameAt, b.size), name: clip(d.Name, maxName)})
		}
	}
}

// signatureEnd returns where a declaration's signature ends. One that is no
// callable and has no body of its own, such as a table of constants, has the
// rest of its first line.
func (b *builder) signatureEnd(d *syntax.Decl) uint32 {
	if callable(d.Kind) || d.SigEnd < d.End || d.SigStart >= b.size {
		return d.SigEnd
	}
	return min(d.SigEnd, b.lt.end(b.cur.at(d.SigStart)))
}

// mark notes the field of a range, clipped to the text.
func (b *builder) mark(start, end uint32, f artifact.Field, prose bool) {
	if end = min(end, b.size); start < end {
		b.marks = append(b.marks, mark{start, end, f, prose})
	}
}

// edges knows where the visible text of a line begins and ends. It remembers
// one line of each kind, which keeps 20,000 declarations on one line linear.
type edges struct {
	b                   *builder
	startLine, endLine  int
	first, behind       uint32
	haveFirst, haveLast bool
}

// extend grows a range to whole lines where nothing but white space, commas
// and semicolons stand beside it.
func (e *edges) extend(start, end uint32) (uint32, uint32) {
	lt := e.b.lt
	if l := e.b.cur.at(start); !e.haveFirst || l != e.startLine {
		e.startLine, e.haveFirst = l, true
		for e.first = lt.starts[l]; e.first < lt.end(l) && isSpace(lt.text[e.first]); e.first++ {
		}
	}
	if start <= e.first {
		start = lt.starts[e.startLine]
	}
	if l := lt.last(start, end); !e.haveLast || l != e.endLine {
		e.endLine, e.haveLast = l, true
		for e.behind = lt.end(l); e.behind > lt.starts[l]; e.behind-- {
			if c := lt.text[e.behind-1]; !isSpace(c) && c != '\n' && c != ',' && c != ';' {
				break
			}
		}
	}
	if end >= e.behind {
		end = lt.end(e.endLine)
	}
	return start, end
}

// describe fills in what a declaration inherits from those around it. Names
// are those of Facts.Qualified with a limit to their length, so that deep
// nesting costs no quadratic space.
func (b *builder) describe(decls []syntax.Decl) {
	for i := range decls {
		d, info := &decls[i], &b.decls[i]
		info.symbol = join(clip(d.Owner, maxName), ".", clip(d.Name, maxName), maxSymbol)
		info.descriptor = join(clip(d.OwnerDescriptor, maxDescriptor), "", clip(d.Descriptor, maxDescriptor), maxDescriptor)
		info.local = d.Flags&artifact.SymbolLocal != 0
		if d.Parent < 0 || int(d.Parent) >= i {
			continue
		}
		up := &b.decls[d.Parent]
		info.local = info.local || up.local || callable(decls[d.Parent].Kind)
		info.symbol = join(up.symbol, ".", info.symbol, maxSymbol)
		info.descriptor = join(up.descriptor, "", info.descriptor, maxDescriptor)
	}
}

// join returns outer, sep and inner, with "…" for an outer that would make it
// longer than limit.
func join(outer, sep, inner string, limit int) string {
	switch {
	case outer == "":
		return inner
	case inner == "":
		return outer
	case len(outer)+len(sep)+len(inner) <= limit:
		return outer + sep + inner
	}
	return "…" + sep + inner
}

// clip shortens a name that no human wrote, between characters.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	s = s[:limit-len("…")]
	for len(s) > 0 && !utf8.RuneStart(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	if len(s) > 0 && s[len(s)-1] >= 0xc0 {
		s = s[:len(s)-1]
	}
	return s + "…"
}
