package syntax

// lead is the run of comments and attributes that may belong to the next
// declaration.
type lead struct {
	start, end       uint32 // the whole run
	docStart, docEnd uint32 // the comments in it
	ok               bool
}

// comment notes a comment node, which documents the declaration that follows
// it without a blank line in between.
func (x *extraction) comment(i int32) {
	n := &x.nodes[i]
	if !x.startsLine(n.start) {
		x.lead.ok = false
		return
	}
	end := x.trimEnd(n.start, n.end)
	if x.lead.ok && x.adjacent(x.lead.end, n.start) {
		if x.lead.docEnd == 0 {
			x.lead.docStart = n.start
		}
	} else {
		x.lead = lead{start: n.start, docStart: n.start, ok: true}
	}
	x.lead.end, x.lead.docEnd = end, end
}

// attribute notes an attribute or decorator node that stands beside, not in,
// the declaration that follows it.
func (x *extraction) attribute(i int32) {
	n := &x.nodes[i]
	if !x.lead.ok || !x.adjacent(x.lead.end, n.start) {
		x.lead = lead{start: n.start, ok: true}
	}
	x.lead.end = x.trimEnd(n.start, n.end)
}

// startsLine reports whether only white space precedes at on its line.
func (x *extraction) startsLine(at uint32) bool {
	for j := int(at) - 1; j >= 0; j-- {
		switch x.src[j] {
		case ' ', '\t':
		case '\n', '\r':
			return true
		default:
			return j == 2 && x.src[0] == 0xEF && x.src[1] == 0xBB && x.src[2] == 0xBF
		}
	}
	return true
}

// adjacent reports whether nothing but white space without a blank line lies
// between two offsets.
func (x *extraction) adjacent(from, to uint32) bool {
	if from > to {
		return false
	}
	lines := 0
	for _, c := range x.src[from:to] {
		switch c {
		case '\n':
			lines++
		case ' ', '\t', '\r':
		default:
			return false
		}
	}
	return lines <= 1
}

func (x *extraction) trimEnd(start, end uint32) uint32 {
	for end > start {
		switch x.src[end-1] {
		case ' ', '\t', '\r', '\n', '\f':
			end--
			continue
		}
		break
	}
	return end
}
