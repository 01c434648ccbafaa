package sketch

import "strings"

func (r *rustReader) expr() *Node { return r.binary(0) }

// condition reads an expression in which "{" begins a block.
func (r *rustReader) condition() *Node {
	r.control++
	n := r.expr()
	r.control--
	return n
}

// operator returns the precedence and the number of tokens of a binary
// operator; 0 for none.
func (r *rustReader) operator() (prec, n int) {
	next := func(k uint8) bool { return r.kn(1) == k && r.p+1 < len(r.t) && r.t[r.p+1].at == r.t[r.p].end }
	switch r.k() {
	case '=', tOpAssign:
		return 1, 1
	case tRange:
		return 2, 1
	case tOrOr:
		return 3, 1
	case tAndAnd:
		return 4, 1
	case tCompare, '<':
		return 5, 1
	case '>':
		switch {
		case next('='):
			return 5, 2
		case next('>'):
			return 9, 2
		}
		return 5, 1
	case '|':
		return 6, 1
	case '^':
		return 7, 1
	case '&':
		return 8, 1
	case tShift:
		return 9, 1
	case '+', '-':
		return 10, 1
	case '*', '/', '%':
		return 11, 1
	}
	return 0, 0
}

func (r *rustReader) binary(prec int) *Node {
	if !r.deeper() {
		r.skip()
		return nil
	}
	defer r.shallower()
	var x *Node
	if r.k() == tRange {
		r.p++
		if r.startsExpr() {
			r.binary(3)
		}
		return &Node{Kind: Range, At: r.at()}
	}
	blocky := r.blockLike()
	x = r.unary()
	if blocky && prec == 0 && r.prev().k == '}' && r.k() != '.' && r.k() != '?' && r.control == 0 {
		return x // a statement that ends with its block
	}
	for !r.done() {
		p, n := r.operator()
		if p == 0 || p < prec || p == prec && p > 1 {
			return x
		}
		b := &Node{Kind: Binary, At: r.at(), X: x, Name: r.text()}
		if p == 5 {
			b.Name = "=="
		}
		r.p += n
		switch p {
		case 1:
			b.Y = r.binary(1)
		case 2:
			b.Kind = Range
			if r.startsExpr() {
				b.Y = r.binary(3)
			}
		default:
			b.Y = r.binary(p)
		}
		x = b
	}
	return x
}

func (r *rustReader) blockLike() bool {
	switch r.k() {
	case rsIf, rsMatch, rsWhile, rsLoop, rsFor, rsUnsafe, '{', tLifetime:
		return true
	}
	return false
}

// startsExpr reports whether an expression can begin here.
func (r *rustReader) startsExpr() bool {
	switch r.k() {
	case ')', ']', '}', ',', ';', tFatArrow, tEOF:
		return false
	case '{':
		return r.control == 0
	}
	return true
}

func (r *rustReader) unary() *Node {
	if !r.deeper() {
		r.skip()
		return nil
	}
	defer r.shallower()
	at := r.at()
	switch r.k() {
	case '&', tAndAnd:
		r.p++
		if r.k() == tIdent && r.text() == "raw" && (r.kn(1) == rsConst || r.kn(1) == rsMut) {
			r.p++
		}
		if r.k() == rsMut || r.k() == rsConst {
			r.p++
		}
		return &Node{Kind: Addr, At: at, X: r.unary()}
	case '*':
		r.p++
		return &Node{Kind: Star, At: at, X: r.unary()}
	case '-', '!':
		name := r.text()
		r.p++
		return &Node{Kind: Unary, At: at, Name: name, X: r.unary()}
	case rsLet:
		r.p++
		value := &Node{Kind: Bad}
		names := r.unseen(value)
		if r.k() == '=' {
			r.p++
			r.control++
			if e := r.binary(4); e != nil {
				*value = Node{Kind: Block, At: e.At, X: e}
			}
			r.control--
		}
		for _, d := range names {
			r.declare(d)
		}
		return &Node{Kind: Lit, At: at, Name: "bool"}
	}
	x := r.suffixes(r.operand())
	for r.k() == rsAs {
		r.p++
		x = &Node{Kind: Assert, At: at, X: x, Y: r.typ()}
	}
	return x
}

func (r *rustReader) operand() *Node {
	at := r.at()
	switch k := r.k(); k {
	case tInt, tFloat, tChar, tString:
		r.p++
		return &Node{Kind: Lit, At: at, Name: goLiterals[k]}
	case rsTrue, rsFalse:
		r.p++
		return &Node{Kind: Lit, At: at, Name: "bool"}
	case '(':
		return r.parens()
	case '[':
		n := &Node{Kind: Composite, At: at, Name: "array"}
		n.List = r.list()
		return n
	case '{':
		return r.scope()
	case rsUnsafe, rsConst:
		r.p++
		return r.scope()
	case rsAsync:
		r.p++
		r.accept(rsMove)
		if r.k() == '{' {
			return &Node{Kind: AsyncBlock, At: at, X: r.scope()}
		}
		return r.closure()
	case rsMove, rsStatic:
		r.p++
		return r.closure()
	case '|', tOrOr:
		return r.closure()
	case rsIf:
		return r.ifExpr()
	case rsMatch:
		return r.matchExpr()
	case rsWhile:
		r.p++
		r.push()
		r.condition()
		r.scope()
		r.pop()
		return &Node{Kind: Tuple, At: at}
	case rsLoop:
		r.p++
		r.scope()
		return nil
	case rsFor:
		r.p++
		value := &Node{Kind: Receive}
		names := r.unseen(value)
		if r.k() == rsIn {
			r.p++
			value.X = r.condition()
		}
		r.push()
		for _, d := range names {
			r.declare(d)
		}
		r.scope()
		r.pop()
		return &Node{Kind: Tuple, At: at}
	case tLifetime:
		if r.kn(1) == ':' {
			if r.body.labels == nil {
				r.body.labels = map[string]*Def{}
			}
			r.body.labels[r.text()] = &Def{Kind: Label, Name: r.text(), At: at}
			r.p += 2
			return r.operand()
		}
		r.p++
		return nil
	case rsBreak, rsContinue, rsReturn:
		r.p++
		if r.k() == tLifetime {
			r.body.uses = append(r.body.uses, Use{At: r.at(), Node: &Node{Kind: Name, At: r.at(), Name: r.text()}, Label: true, In: r.in})
			r.p++
		}
		if r.startsExpr() && k != rsContinue {
			r.expr()
		}
		return nil
	case '<':
		return r.afterPath(r.qualified(true))
	case tIdent, tScope:
		r.accept(tScope)
		if r.k() != tIdent {
			return nil
		}
		if r.text() == "_" {
			r.p++
			return nil
		}
		n := r.nameNode(r.tok())
		r.p++
		return r.afterPath(r.pathFrom(n, true))
	}
	return nil
}

// afterPath reads what may follow a path: a macro's arguments or the fields
// of a literal.
func (r *rustReader) afterPath(n *Node) *Node {
	switch r.k() {
	case '!':
		if k := r.kn(1); k == '(' || k == '[' || k == '{' {
			return r.macro(n)
		}
	case '{':
		if r.control == 0 && r.literalAhead(n) {
			return r.literal(n)
		}
	}
	return n
}

// literalAhead reports whether "{" behind a path begins a struct literal.
func (r *rustReader) literalAhead(n *Node) bool {
	switch r.kn(1) {
	case '}':
		return n.Name != "" && upper(n.Name)
	case tRange:
		return true
	case tIdent, tInt:
		switch r.kn(2) {
		case ':':
			return true
		case ',', '}':
			return n.Name != "" && upper(n.Name) || n.Kind == Index
		}
	case '#':
		return true
	}
	return false
}

func (r *rustReader) literal(path *Node) *Node {
	n := &Node{Kind: Composite, At: r.at(), X: path}
	end := r.closing(r.p)
	r.p++
	for r.p < end {
		before := r.p
		r.attributes()
		switch {
		case r.k() == tIdent || r.k() == tInt:
			t := r.tok()
			key := &Node{Kind: Name, At: t.at, Name: r.str(t)}
			short := r.kn(1) != ':'
			r.body.uses = append(r.body.uses, Use{At: t.at, Node: key, Of: n, In: r.in, Short: short})
			r.p++
			if !short {
				r.p++
				r.expr()
			}
		case r.k() == tRange:
			r.p++
			if r.p < end {
				r.expr()
			}
		}
		if r.k() == ',' && r.p < end {
			r.p++
		}
		r.moved(before)
	}
	r.p = min(end+1, r.end)
	return n
}

func (r *rustReader) parens() *Node {
	saved := r.control
	r.control = 0
	n := &Node{Kind: Tuple, At: r.at()}
	r.p++
	comma := false
	for !r.done() && r.k() != ')' {
		before := r.p
		n.List = append(n.List, r.expr())
		if r.k() == ',' {
			comma = true
			r.p++
		}
		r.moved(before)
	}
	r.p++
	r.control = saved
	if len(n.List) == 1 && !comma && n.List[0] != nil {
		return n.List[0]
	}
	return n
}

// list reads bracketed expressions.
func (r *rustReader) list() []*Node {
	saved := r.control
	r.control = 0
	end := r.closing(r.p)
	var out []*Node
	r.p++
	for r.p < end {
		before := r.p
		out = append(out, r.expr())
		if (r.k() == ',' || r.k() == ';') && r.p < end {
			r.p++
		}
		r.moved(before)
	}
	r.p = min(end+1, r.end)
	r.control = saved
	return out
}

func (r *rustReader) suffixes(x *Node) *Node {
	for !r.done() {
		at := r.at()
		switch r.k() {
		case '.':
			switch r.kn(1) {
			case tIdent, tInt:
				r.p++
				x = r.memberNode(x, '.')
				if r.k() == tScope && r.kn(1) == '<' {
					r.p++
					x = r.typeArgs(x)
				}
			case tFloat: // x.0.1
				r.p++
				a, b, _ := strings.Cut(r.text(), ".")
				x = part(part(x, a), b)
				r.p++
			case rsAwait:
				r.p += 2
				x = &Node{Kind: Await, At: at, X: x}
			default:
				return x
			}
		case '?':
			r.p++
			x = &Node{Kind: Try, At: at, X: x}
		case '(':
			if x == nil {
				return nil
			}
			n := &Node{Kind: Call, At: at, X: x}
			callee := x
			if callee.Kind == Index {
				callee = callee.X
			}
			if callee.Kind == Name || callee.Kind == Member {
				callee.Flag = true
			}
			n.List = r.list()
			for _, a := range n.List {
				if a != nil && a.Kind == FuncLit {
					a.X = n
				}
			}
			x = n
		case '[':
			if x == nil {
				return nil
			}
			x = &Node{Kind: Index, At: at, X: x, List: r.list()}
		default:
			return x
		}
	}
	return x
}
