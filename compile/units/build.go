package units

import (
	"cmp"
	"slices"
	"sort"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/filetext"
)

// Build makes a file's records. It never fails; facts that contradict
// themselves or the text are clipped to what can be true.
func Build(f File) *Result {
	b := &builder{
		text: f.Text,
		lt:   newLineTable(f.Text.Bytes),
		size: uint32(len(f.Text.Bytes)),
		res:  &Result{Encoding: f.Text.Encoding},
	}
	b.cur.t, b.pos.t = b.lt, b.lt
	b.res.Lines = uint32(b.lt.count())
	b.nodes = append(b.nodes, node{end: b.size, decl: -1, parent: -1, kind: artifact.KindFile})

	switch {
	case f.Facts != nil:
		b.res.Degraded = f.Facts.Degraded
		b.declare(f.Facts.Decls)
	default:
		b.scan(f.Lang)
	}
	b.remainders()
	b.settleLeaves()
	b.documents()
	if f.Facts != nil {
		b.symbols(f.Facts.Decls)
		b.uses(f.Facts)
		b.locals(f.Facts)
	}
	b.writeUnits()
	return b.res
}

// node is a unit under construction. Offsets are in the decoded text.
type node struct {
	start, end uint32
	decl       int32 // number in the facts' Decls; -1 for others
	parent     int32
	behind     int32 // the number behind its last descendant
	kind       artifact.Kind
	name       string
	symbol     string
}

// leaf is a declaration or entry without a unit of its own.
type leaf struct {
	at   uint32
	unit int32
	name string
}

// mark says which field a range belongs to; the rest is body.
type mark struct {
	start, end uint32
	field      artifact.Field
	prose      bool
}

type builder struct {
	text  filetext.Text
	lt    lineTable
	size  uint32
	cur   lineCursor // for units and documents
	pos   lineCursor // for positions
	nodes []node     // in preorder once remainders has run
	decls []declInfo // one for each of the facts' Decls
	leafs []leaf
	marks []mark
	prose bool // unmarked text is natural language
	res   *Result
}

// remainders puts the text between the children of the file into units, gives
// every node its final number, and sets behind.
func (b *builder) remainders() {
	old := b.nodes
	renumber := make([]int32, len(old))
	b.nodes = append(make([]node, 0, len(old)+len(old)/2+8), old[0])
	at := uint32(0)
	var ps []piece
	var cuts []int
	fill := func(end uint32) {
		if at >= end || !hasWord(b.lt.text[at:end]) {
			return
		}
		ps = trim(b.lt.pieces(at, end, &b.cur, false, ps[:0]))
		cuts = append(cut(ps, MaxRemainderLines, cuts[:0]), len(ps))
		from := 0
		for _, to := range cuts {
			if run := trim(ps[from:to]); anyWord(run) {
				b.nodes = append(b.nodes, node{start: run[0].start, end: run[len(run)-1].end, decl: -1, kind: artifact.KindRemainder})
			}
			from = to
		}
	}
	for i := 1; i < len(old); i++ {
		n := old[i]
		if n.parent == 0 {
			fill(n.start)
			at = n.end
		}
		renumber[i] = int32(len(b.nodes))
		n.parent = renumber[n.parent]
		b.nodes = append(b.nodes, n)
	}
	fill(b.size)
	for i := range b.decls {
		if d := &b.decls[i]; d.unit > 0 {
			d.unit = renumber[d.unit]
		}
	}
	for i := len(b.nodes) - 1; i >= 0; i-- {
		n := &b.nodes[i]
		n.behind = max(n.behind, int32(i+1))
		if n.parent >= 0 {
			p := &b.nodes[n.parent]
			p.behind = max(p.behind, n.behind)
		}
	}
}

// unitAt returns the innermost unit whose range holds off.
func (b *builder) unitAt(off uint32) int32 {
	i := sort.Search(len(b.nodes), func(i int) bool { return b.nodes[i].start > off }) - 1
	for i > 0 && b.nodes[i].end <= off {
		i = int(b.nodes[i].parent)
	}
	return int32(max(i, 0))
}

// settleLeaves finds the unit of everything that has none of its own.
func (b *builder) settleLeaves() {
	for i := range b.leafs {
		b.leafs[i].unit = b.unitAt(b.leafs[i].at)
	}
	slices.SortStableFunc(b.leafs, func(x, y leaf) int {
		return cmp.Or(cmp.Compare(x.unit, y.unit), cmp.Compare(x.at, y.at))
	})
}

// writeUnits writes the units with positions in the original file.
func (b *builder) writeUnits() {
	b.res.Units = make([]artifact.Unit, len(b.nodes))
	for i, n := range b.nodes {
		u := artifact.Unit{
			Level: artifact.L2, Kind: n.kind, Parent: n.parent,
			Start: b.text.RangeStart(n.start), End: b.text.Original(n.end),
			Name: n.name, Symbol: n.symbol,
		}
		switch {
		case i == 0:
			u.Level = artifact.L0
		case n.kind.Container() || n.behind > int32(i+1):
			u.Level = artifact.L1
		}
		u.StartLine, u.EndLine = b.lineRange(n.start, n.end)
		b.res.Units[i] = u
	}
}

// lineRange returns the first and the last line, from 1, of a range; an empty
// one stands on a line all the same.
func (b *builder) lineRange(start, end uint32) (first, last uint32) {
	return uint32(b.cur.at(start)) + 1, uint32(b.lt.last(start, end)) + 1
}
