package syntax

import (
	"bytes"
	"slices"

	"github.com/pindex-dev/pindex/artifact"
)

// parsing is the budget of one file's parses and what they are done with.
type parsing struct {
	grammar *grammar
	part    *buffers // for parts of the file
	work    uint64   // left
	depth   uint32
}

// parse parses src within what is left of the budget.
func (p *parsing) parse(src []byte, b *buffers) (nodes []node, hasError bool, status parseStatus, err error) {
	nodes, hasError, work, status, err := p.grammar.parse(src, p.work, p.depth, b)
	p.work -= min(p.work, work)
	return nodes, hasError, status, err
}

// maxEmbedding is how deep embedded source may lie in embedded source.
const maxEmbedding = 4

// extract runs the extractor over the nodes, after parsing what they embed.
func (p *parsing) extract(x *extraction, l *language, src []byte, nodes []node) *Facts {
	x.reset(l, src, nodes)
	if l.embedded != nil {
		from := int32(0)
		for range maxEmbedding {
			trees := l.embedded(x, from)
			if len(trees) == 0 {
				break
			}
			if from = p.graft(x, trees); from == none {
				break
			}
		}
	}
	if len(x.nodes) > 0 {
		l.extract(x)
	}
	return x.finish()
}

// graft parses the source between the brackets of each tree and puts the
// result in the place of the tree's children; a tree that does not parse
// without errors stays as it is. It returns the index of the first node that
// is new, none when there is none.
func (p *parsing) graft(x *extraction, trees []int32) int32 {
	var out []node
	moved := make([]int32, len(x.nodes)+1) // new index by old
	first, done := none, int32(0)
	// take copies the nodes up to old index end.
	take := func(end int32) {
		for ; done < end; done++ {
			moved[done] = int32(len(out))
			out = append(out, x.nodes[done])
		}
	}
	type span struct{ from, to int32 } // new nodes, whose links are right
	var fresh []span
	for _, t := range trees {
		n := x.nodes[t]
		sub, hasError, status, err := p.parse(x.src[n.start+1:n.end-1], p.part)
		if err != nil || status != statusOK || hasError || len(sub) < 2 {
			continue
		}
		take(t + 1)
		at := int32(len(out))
		if first == none {
			first = at
		}
		for _, s := range sub[1:] {
			s.start += n.start + 1
			s.end += n.start + 1
			if s.parent == 0 {
				s.parent = at - 1
			} else {
				s.parent += at - 1
			}
			s.next += at - 1
			out = append(out, s)
		}
		fresh = append(fresh, span{at, int32(len(out))})
		for ; done < n.next; done++ {
			moved[done] = int32(len(out))
		}
	}
	if first == none {
		return none
	}
	take(int32(len(x.nodes)))
	moved[len(x.nodes)] = int32(len(out))
	for i, k := int32(0), 0; i < int32(len(out)); i++ {
		if k < len(fresh) && i == fresh[k].from {
			i = fresh[k].to - 1
			k++
			continue
		}
		n := &out[i]
		n.next = moved[n.next]
		if n.parent >= 0 {
			n.parent = moved[n.parent]
		}
	}
	x.nodes = out
	return first
}

// hidden returns the offsets of the lines that plainly begin a declaration at
// file level and do not begin one in the tree, because they lie in something
// with an error. Where not even the container of a member is in the tree, the
// member counts too. known are those by which the tree was cut already; they
// are in the result.
func hidden(x *extraction, known []uint32) []uint32 {
	// The nodes at file level, with what lies in errors at file level.
	var level []int32
	for i := x.first(0); i != none && i < int32(len(x.nodes)); {
		if x.nodes[i].flags&nodeError != 0 {
			level = append(level, i)
			i++
			continue
		}
		level = append(level, i)
		i = x.nodes[i].next
	}
	var cuts []uint32
	broken := uint32(0) // the end of the last broken node
	if x.nodes[0].flags&nodeError != 0 {
		broken = x.nodes[0].end // nothing at file level holds together
	}
	lost := broken // the end of the last error, in which no container stands
	k := 0
	var prev []byte
	for at := uint32(0); at < uint32(len(x.src)); {
		line := x.src[at:]
		if j := bytes.IndexByte(line, '\n'); j >= 0 {
			line = line[:j]
		}
		starts := false
		in := 0 // white space in front
		if x.lang.member != nil {
			in = len(line) - len(bytes.TrimLeft(line, " \t"))
		}
		for ; k < len(level) && x.nodes[level[k]].start <= at+uint32(in); k++ {
			n := &x.nodes[level[k]]
			if n.flags&nodeError != 0 {
				lost = max(lost, n.end)
			}
			// A name or a token alone is what an error left over.
			if n.start >= at && n.flags&(nodeError|nodeMissing) == 0 && n.next > level[k]+1 {
				starts = true
			}
			if n.flags&nodeBroken != 0 {
				broken = max(broken, n.end)
			}
		}
		switch {
		case len(known) > 0 && at == known[0]:
			cuts, known = append(cuts, at), known[1:]
		case at == 0 || starts:
		case at < broken && x.lang.boundary(line, prev):
			cuts = append(cuts, at)
			lost = at // the members that follow are this one's
		case in > 0 && at < lost && x.lang.member(line[in:]):
			cuts = append(cuts, at)
		}
		prev = line
		at += uint32(len(line)) + 1
	}
	return cuts
}

// pieces parses the parts of src between the cuts on their own and joins
// their trees under one root. A part that cannot be parsed within the budget
// is left out.
func (p *parsing) pieces(src []byte, cuts []uint32) []node {
	out := []node{{end: uint32(len(src)), parent: none, flags: nodeNamed | nodeBroken}}
	start := uint32(0)
	for k := 0; k <= len(cuts); k++ {
		end := uint32(len(src))
		if k < len(cuts) {
			end = cuts[k]
		}
		sub, _, status, err := p.parse(src[start:end], p.part)
		if err == nil && status == statusOK && len(sub) > 0 {
			// A root that is an error stays, so that its extent is known.
			root := int32(1)
			if sub[0].flags&nodeError != 0 {
				root = 0
			}
			moved := int32(len(out)) - root
			for _, s := range sub[root:] {
				s.start += start
				s.end += start
				if s.parent < root {
					s.parent = 0
				} else {
					s.parent += moved
				}
				s.next += moved
				out = append(out, s)
			}
			if root == 1 {
				out[0].kind = sub[0].kind
			}
		}
		start = end
	}
	out[0].next = int32(len(out))
	return out
}

// global counts the declarations that are not local.
func global(f *Facts) int {
	n := 0
	for i := range f.Decls {
		if f.Decls[i].Flags&artifact.SymbolLocal == 0 {
			n++
		}
	}
	return n
}

// memberOf returns a member function for lines that have one of the keywords
// behind any number of the modifiers.
func memberOf(modifiers, keywords []string) func(line []byte) bool {
	return func(line []byte) bool {
		for {
			n := 0
			for n < len(line) && isNameByte(line[n]) {
				n++
			}
			if n == 0 || n == len(line) || line[n] != ' ' {
				return false
			}
			word := string(line[:n])
			if slices.Contains(keywords, word) {
				return true
			}
			if !slices.Contains(modifiers, word) {
				return false
			}
			line = bytes.TrimLeft(line[n:], " ")
		}
	}
}

// beginsWith returns a boundary function for lines with one of the prefixes.
func beginsWith(prefixes ...string) func(line, prev []byte) bool {
	return func(line, _ []byte) bool {
		for _, p := range prefixes {
			if bytes.HasPrefix(line, []byte(p)) {
				return true
			}
		}
		return false
	}
}
