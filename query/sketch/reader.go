package sketch

// reader is what the languages' readers share: a place among the tokens, the
// body that names are noted in, and the scopes that are open.
type reader struct {
	spent  int // names read, see spend
	f      *File
	t      []token
	p, end int // the current token, and the one behind the last to read
	body   *Body
	in     *Def
	depth  int
	scopes []int // lengths of open at the start of each scope
	open   []*Def
}

func (r *reader) done() bool { return r.p >= r.end }

// k is the kind of the current token, kn of the n-th behind it.
func (r *reader) k() uint8 { return r.kn(0) }

func (r *reader) kn(n int) uint8 {
	if i := r.p + n; i >= 0 && i < r.end {
		return r.t[i].k
	}
	return tEOF
}

func (r *reader) tok() token { return r.t[min(r.p, len(r.t)-1)] }

// prev is the token before the current one.
func (r *reader) prev() token { return r.t[min(max(r.p-1, 0), len(r.t)-1)] }

func (r *reader) at() uint32         { return r.tok().at }
func (r *reader) text() string       { return r.str(r.tok()) }
func (r *reader) str(t token) string { return string(r.f.Text[t.at:t.end]) }

// deeper notes one more level of nesting and reports whether there may be one.
func (r *reader) deeper() bool {
	if r.depth >= maxDepth {
		return false
	}
	r.depth++
	return true
}

func (r *reader) shallower() { r.depth-- }

// accept goes behind the current token when it is of kind k.
func (r *reader) accept(k uint8) {
	if r.k() == k {
		r.p++
	}
}

// moved goes on where nothing was read since the token before.
func (r *reader) moved(before int) {
	if r.p == before {
		r.skip()
	}
}

// nextItem goes behind the next comma of a list that ends at token end, or to
// its end. It moves, wherever the item began.
func (r *reader) nextItem(end, before int) {
	for r.p < end && r.k() != ',' {
		r.skip()
	}
	if r.p < end {
		r.p++
	}
	if r.p == before {
		r.p++
	}
}

// closing returns the token that closes the bracket at i, or the last one.
func (r *reader) closing(i int) int {
	depth := 0
	for ; i < r.end; i++ {
		switch r.t[i].k {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth <= 0 {
				return i
			}
		}
	}
	return r.end
}

// skip goes behind the current token or, when it opens a bracket, behind the
// one that closes it.
func (r *reader) skip() {
	switch r.k() {
	case '(', '[', '{':
		r.p = min(r.closing(r.p)+1, r.end)
	default:
		r.p++
	}
}

// Scopes.

func (r *reader) push() { r.scopes = append(r.scopes, len(r.open)) }

func (r *reader) pop() {
	n := r.scopes[len(r.scopes)-1]
	r.scopes = r.scopes[:len(r.scopes)-1]
	to := r.at()
	for _, d := range r.open[n:] {
		d.To = to
	}
	r.open = r.open[:n]
}

// inScope reports whether the innermost scope declares the name.
func (r *reader) inScope(name string) bool {
	if len(r.scopes) == 0 {
		return false
	}
	for _, d := range r.open[r.scopes[len(r.scopes)-1]:] {
		if d.Name == name {
			return true
		}
	}
	return false
}

// declare adds a definition that is seen from the current place to the end of
// the innermost scope.
func (r *reader) declare(d *Def) {
	at := r.at()
	if r.p > 0 {
		at = r.prev().end
	}
	r.add(d, at)
}

func (r *reader) add(d *Def, from uint32) {
	d.From, d.To = from, uint32(len(r.f.Text))
	r.body.all = append(r.body.all, d)
	r.open = append(r.open, d)
}

// forget takes back what was added behind the first n definitions.
func (r *reader) forget(n int) {
	r.body.all = r.body.all[:n]
	for len(r.open) > 0 && len(r.scopes) > 0 && len(r.open) > r.scopes[len(r.scopes)-1] {
		last := r.open[len(r.open)-1]
		if len(r.body.all) > 0 && r.body.all[len(r.body.all)-1] == last {
			break
		}
		r.open = r.open[:len(r.open)-1]
	}
}

// Names.

// namesPerToken bounds how often names are read again on trial, for each token
// of a file: real files need 1 to 3. Where it is not enough the rest goes
// unread.
const namesPerToken = 50

func (r *reader) spend() {
	if r.spent++; r.spent > namesPerToken*len(r.t)+1000 {
		r.end = min(r.end, r.p)
	}
}

// nameNode notes a use of the name that a token is.
func (r *reader) nameNode(t token) *Node {
	r.spend()
	n := &Node{Kind: Name, At: t.at, Name: r.str(t)}
	r.body.uses = append(r.body.uses, Use{At: t.at, Node: n, In: r.in})
	return n
}

// memberNode notes a use of the name at the current token as a member of x,
// and goes behind it.
func (r *reader) memberNode(x *Node, sep byte) *Node {
	r.spend()
	t := r.tok()
	n := &Node{Kind: Member, At: t.at, Name: r.str(t), X: x, Sep: sep}
	r.body.uses = append(r.body.uses, Use{At: t.at, Node: n, In: r.in})
	r.p++
	return n
}
