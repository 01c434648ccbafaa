package sketch

func (r *cReader) expr() *Node {
	n := r.binary(1)
	for r.k() == ',' && !r.done() {
		r.p++
		n = r.binary(1)
	}
	return n
}

func (r *cReader) operator() (prec, n int) {
	next := func(k uint8) bool { return r.kn(1) == k && r.p+1 < len(r.t) && r.t[r.p+1].at == r.t[r.p].end }
	switch r.k() {
	case '=', tOpAssign:
		return 1, 1
	case '?':
		return 2, 1
	case tOrOr:
		return 3, 1
	case tAndAnd:
		return 4, 1
	case '|':
		return 5, 1
	case '^':
		return 6, 1
	case '&':
		return 7, 1
	case tCompare, '<':
		return 8, 1
	case '>':
		switch {
		case next('='):
			return 8, 2
		case next('>'):
			return 9, 2
		}
		return 8, 1
	case tShift:
		return 9, 1
	case '+', '-':
		return 10, 1
	case '*', '/', '%':
		return 11, 1
	case tMemPtr:
		return 12, 1
	}
	return 0, 0
}

func (r *cReader) binary(prec int) *Node {
	if !r.deeper() {
		r.skip()
		return nil
	}
	defer r.shallower()
	x := r.unary()
	for !r.done() {
		p, n := r.operator()
		if p == 0 || p < prec || p == prec && p > 2 {
			return x
		}
		b := &Node{Kind: Binary, At: r.at(), X: x, Name: r.text()}
		if p == 8 {
			b.Name = "=="
		}
		r.p += n
		switch p {
		case 1:
			if r.k() == '{' {
				b.Y = r.braces(nil, nil)
			} else {
				b.Y = r.binary(1)
			}
		case 2:
			c := &Node{Kind: Cond, At: b.At}
			y := x
			if r.k() != ':' {
				y = r.expr()
			}
			c.List = append(c.List, y)
			r.accept(':')
			c.List = append(c.List, r.binary(1))
			b = c
		default:
			b.Y = r.binary(p)
		}
		x = b
	}
	return x
}

func (r *cReader) unary() *Node {
	if !r.deeper() {
		r.skip()
		return nil
	}
	defer r.shallower()
	at := r.at()
	switch r.k() {
	case '*':
		r.p++
		return &Node{Kind: Star, At: at, X: r.unary()}
	case '&', tAndAnd:
		r.p++
		return &Node{Kind: Addr, At: at, X: r.unary()}
	case '+', '-', '!', '~', tInc, tDec:
		name := r.text()
		r.p++
		return &Node{Kind: Unary, At: at, Name: name, X: r.unary()}
	case cStorage, tDots: // co_await
		r.p++
		return r.unary()
	case cSizeof:
		r.p++
		r.accept(tDots)
		if r.k() == '(' {
			end := r.closing(r.p)
			r.p++
			if r.typeAhead(end) {
				r.typeIn(end)
			} else {
				r.expr()
			}
			r.p = min(end+1, r.end)
		} else {
			r.unary()
		}
		return &Node{Kind: Lit, At: at, Name: "int"}
	case '(':
		end := r.closing(r.p)
		if r.castAhead(end) {
			r.p++
			t := r.typeIn(end)
			r.p = min(end+1, r.end)
			if r.k() == '{' {
				return r.suffixes(r.braces(t, t))
			}
			return &Node{Kind: Assert, At: at, Y: t, X: r.unary()}
		}
	case cDelete:
		r.p++
		if r.k() == '[' {
			r.skip()
		}
		return r.unary()
	case cNew:
		r.p++
		if r.k() == '(' {
			r.list()
		}
		s := r.specifiers(nil)
		t := s.typ
		for r.k() == '*' {
			t = &Node{Kind: Star, X: t}
			r.p++
		}
		for r.k() == '[' {
			r.list()
		}
		if r.k() == '(' {
			r.list()
		} else if r.k() == '{' {
			r.braces(t, t)
		}
		return &Node{Kind: Assert, At: at, Y: &Node{Kind: Star, X: t}}
	case cThrow, cReturn:
		r.p++
		if r.k() != ';' {
			r.expr()
		}
		return nil
	}
	return r.suffixes(r.operand())
}
