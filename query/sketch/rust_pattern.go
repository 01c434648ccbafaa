package sketch

import "strconv"

// Patterns. of is the value that the pattern takes apart.

func part(of *Node, name string) *Node {
	if of == nil {
		return nil
	}
	return &Node{Kind: Member, Name: name, X: of, Sep: '.'}
}

func (r *rustReader) patterns(of *Node) {
	if r.k() == '|' {
		r.p++
	}
	saved := len(r.open)
	r.pattern(of)
	for r.k() == '|' {
		r.p++
		// The alternatives bind the same names: those of the first count.
		first := len(r.open)
		r.pattern(of)
		for _, d := range r.open[first:] {
			for _, e := range r.open[saved:first] {
				if e.Name == d.Name {
					d.Same = e
				}
			}
		}
	}
}

func (r *rustReader) pattern(of *Node) {
	if r.deeper() {
		defer r.shallower()
	} else {
		r.skip()
		return
	}
	switch r.k() {
	case '&', tAndAnd:
		r.p++
		r.accept(rsMut)
		var in *Node
		if of != nil {
			in = &Node{Kind: Star, X: of}
		}
		r.pattern(in)
	case '(', '[':
		open := r.k()
		end := r.closing(r.p)
		r.p++
		for i := 0; r.p < end; i++ {
			before := r.p
			if open == '(' {
				if i == 0 && r.single(end) {
					r.patterns(of)
				} else {
					r.patterns(part(of, strconv.Itoa(i)))
				}
			} else if of != nil {
				r.patterns(&Node{Kind: Index, X: of})
			} else {
				r.patterns(nil)
			}
			if r.k() == ',' && r.p < end {
				r.p++
			}
			r.moved(before)
		}
		r.p = min(end+1, r.end)
	case tInt, tFloat, tString, tChar, rsTrue, rsFalse, '-':
		for r.k() == '-' || r.k() == tInt || r.k() == tFloat || r.k() == tString || r.k() == tChar || r.k() == rsTrue || r.k() == rsFalse || r.k() == tRange {
			r.p++
		}
		if r.k() == tIdent && r.prev().k == tRange {
			r.path()
		}
	case tRange:
		r.p++
	case rsRef, rsMut:
		for r.k() == rsRef || r.k() == rsMut {
			r.p++
		}
		r.binding(of)
	case rsConst:
		r.p++
		r.skip()
	case tIdent, tScope, '<':
		if r.k() == tIdent && r.text() == "_" {
			r.p++
			return
		}
		k := r.kn(1)
		if r.k() == tIdent && k != tScope && k != '(' && k != '{' && k != '!' && k != tRange && !upper(r.text()) {
			r.binding(of)
			return
		}
		if r.k() == tIdent && k == '{' && r.control > 0 && !upper(r.text()) {
			r.binding(of)
			return
		}
		var n *Node
		if r.k() == '<' {
			n = r.qualified(true)
		} else if r.k() == tScope || r.k() == tIdent {
			r.accept(tScope)
			n = r.nameNode(r.tok())
			r.p++
			n = r.pathFrom(n, true)
		}
		switch r.k() {
		case '(':
			end := r.closing(r.p)
			r.p++
			for i := 0; r.p < end; i++ {
				before := r.p
				var in *Node
				if of != nil {
					in = &Node{Kind: VariantPart, Name: strconv.Itoa(i), X: of, Y: n}
				}
				r.patterns(in)
				if r.k() == ',' && r.p < end {
					r.p++
				}
				r.moved(before)
			}
			r.p = min(end+1, r.end)
		case '{':
			r.fieldPatterns(of, n)
		case '!':
			r.markMacro(n)
			r.p++
			r.skip()
		case tRange:
			r.p++
			if r.k() == tIdent {
				r.path()
			} else if r.k() == tInt || r.k() == tChar {
				r.p++
			}
		case '@':
			r.p++
			r.pattern(of)
		}
	}
}

// single reports whether only one pattern stands up to token end.
func (r *rustReader) single(end int) bool {
	for i := r.p; i < end; i++ {
		switch r.t[i].k {
		case '(', '[', '{':
			i = r.closing(i)
		case ',', tRange:
			return false
		}
	}
	return true
}

func upper(s string) bool { return s[0] >= 'A' && s[0] <= 'Z' }

func (r *rustReader) binding(of *Node) {
	if r.k() != tIdent {
		return
	}
	d := &Def{Kind: Var, Name: r.text(), At: r.at(), Init: of}
	r.p++
	if r.k() == '@' {
		r.p++
		r.pattern(of)
	}
	r.declare(d)
}

func (r *rustReader) fieldPatterns(of, path *Node) {
	end := r.closing(r.p)
	r.p++
	for r.p < end {
		before := r.p
		r.attributes()
		for r.k() == rsRef || r.k() == rsMut {
			r.p++
		}
		if r.k() == tIdent || r.k() == tInt {
			t := r.tok()
			n := &Node{Kind: Name, At: t.at, Name: r.str(t)}
			in := &Node{Kind: VariantPart, Name: n.Name, X: of, Y: path}
			r.body.uses = append(r.body.uses, Use{At: t.at, Node: n, Of: &Node{Kind: Composite, X: path}, In: r.in, Short: r.kn(1) != ':'})
			r.p++
			if r.k() == ':' {
				r.p++
				r.patterns(in)
			} else {
				r.declare(&Def{Kind: Var, Name: n.Name, At: n.At, Init: in})
			}
		} else if r.k() == tRange {
			r.p++
		}
		if r.k() == ',' && r.p < end {
			r.p++
		}
		r.moved(before)
	}
	r.p = min(end+1, r.end)
}
