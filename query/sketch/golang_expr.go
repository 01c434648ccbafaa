package sketch

func (r *goReader) exprs() []*Node {
	var out []*Node
	for {
		out = append(out, r.expr())
		if r.k() != ',' {
			return out
		}
		r.p++
		if k := r.k(); k == ')' || k == ']' || k == '}' {
			return out
		}
	}
}

func (r *goReader) expr() *Node { return r.binary(1) }

func (r *goReader) binary(prec int) *Node {
	if !r.deeper() {
		r.skip()
		return nil
	}
	defer r.shallower()
	x := r.unary()
	for !r.done() && !r.newline() {
		p := 0
		switch r.k() {
		case tOrOr:
			p = 1
		case tAndAnd:
			p = 2
		case tCompare, '<', '>':
			p = 3
		case '+', '-', '|', '^':
			p = 4
		case '*', '/', '%', tShift, '&', tAndNot:
			p = 5
		}
		if p < prec || p == 0 {
			return x
		}
		n := &Node{Kind: Binary, At: r.at(), X: x, Name: r.text()}
		r.p++
		n.Y = r.binary(p + 1)
		x = n
	}
	return x
}

func (r *goReader) unary() *Node {
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
	case '&':
		r.p++
		return &Node{Kind: Addr, At: at, X: r.unary()}
	case tArrow:
		if r.kn(1) == goChan {
			return r.suffixes(r.typ())
		}
		r.p++
		return &Node{Kind: Receive, At: at, X: r.unary()}
	case '+', '-', '!', '^', '~':
		name := r.text()
		r.p++
		return &Node{Kind: Unary, At: at, Name: name, X: r.unary()}
	}
	return r.suffixes(r.operand())
}

var goLiterals = [...]string{tInt: "int", tFloat: "float", tChar: "rune", tString: "string"}

func (r *goReader) operand() *Node {
	at := r.at()
	switch k := r.k(); k {
	case tIdent:
		n := r.nameNode(r.t[r.p])
		r.p++
		return n
	case tInt, tFloat, tChar, tString:
		r.p++
		return &Node{Kind: Lit, At: at, Name: goLiterals[k]}
	case '(':
		saved := r.control
		r.control = 0
		r.p++
		n := r.expr()
		for !r.done() && r.k() != ')' && r.k() != '}' && r.k() != ';' {
			r.skip()
		}
		r.accept(')')
		r.control = saved
		return n
	case goFunc:
		r.p++
		fn := &Func{}
		r.push()
		r.signature(fn, nil)
		if r.k() != '{' {
			r.pop()
			for _, d := range append(fn.Params, fn.Results...) {
				if d.Name != "" {
					r.noteLocal(d)
				}
			}
			return &Node{Kind: FuncType, At: at, Fn: fn}
		}
		r.bring(fn)
		r.functionBlock()
		r.pop()
		return &Node{Kind: FuncLit, At: at, Fn: fn}
	case '[', goMap, goChan, goStruct, goInterface:
		return r.typ()
	}
	return nil
}

func (r *goReader) suffixes(x *Node) *Node {
	for x != nil && !r.done() && !r.newline() {
		at := r.at()
		switch r.k() {
		case '.':
			switch r.kn(1) {
			case tIdent:
				r.p++
				x = r.memberNode(x, '.')
			case '(':
				r.p += 2
				n := &Node{Kind: Assert, At: at, X: x}
				if r.k() == goType {
					r.p++
				} else {
					n.Y = r.typ()
				}
				r.accept(')')
				x = n
			default:
				return x
			}
		case '[':
			saved := r.control
			r.control = 0
			n := &Node{Kind: Index, At: at, X: x}
			r.operands(n, ']', ':', func() { n.Kind = Slice })
			r.control = saved
			x = n
		case '(':
			saved := r.control
			r.control = 0
			n := &Node{Kind: Call, At: at, X: x}
			if x.Kind == Name || x.Kind == Member {
				x.Flag = true
			}
			r.operands(n, ')', tDots, func() { n.Name = "..." })
			r.control = saved
			x = n
		case '{':
			if !compositeType(x, r.control > 0) {
				return x
			}
			x = r.composite(x, nil, false)
		default:
			return x
		}
	}
	return x
}

// operands reads the expressions between the bracket at the current token and
// its closing one into n, and tells of every token of kind mark among them.
func (r *goReader) operands(n *Node, closing, mark uint8, marked func()) {
	r.p++
	for !r.done() && r.k() != closing && r.k() != ';' {
		switch r.k() {
		case ',':
			r.p++
		case mark:
			marked()
			r.p++
		default:
			before := r.p
			n.List = append(n.List, r.expr())
			r.moved(before)
		}
	}
	r.accept(closing)
}

// compositeType reports whether an expression before "{" is the type of a
// literal.
func compositeType(x *Node, control bool) bool {
	switch x.Kind {
	case ArrayType, MapType, StructType:
		return true
	case Name:
		return !control
	case Member:
		return !control && x.X != nil && x.X.Kind == Name
	case Index:
		return !control && x.X != nil && compositeType(x.X, control)
	}
	return false
}

func (r *goReader) composite(typ, around *Node, key bool) *Node {
	n := &Node{Kind: Composite, At: r.at(), X: typ, Y: around, Flag: key}
	if r.deeper() {
		defer r.shallower()
	} else {
		r.skip()
		return n
	}
	saved := r.control
	r.control = 0
	r.p++
	for !r.done() && r.k() != '}' {
		before := r.p
		var e *Node
		mark := len(r.body.uses)
		if r.k() == '{' {
			c := r.closing(r.p)
			e = r.composite(nil, n, c+1 < len(r.t) && r.t[c+1].k == ':')
		} else {
			e = r.expr()
		}
		if r.k() == ':' {
			if e != nil && e.Kind == Name && mark < len(r.body.uses) && r.body.uses[mark].Node == e {
				r.body.uses[mark].Of = n
			}
			kv := &Node{Kind: KeyValue, At: r.at(), X: e}
			r.p++
			if r.k() == '{' {
				kv.Y = r.composite(nil, n, false)
			} else {
				kv.Y = r.expr()
			}
			e = kv
		}
		n.List = append(n.List, e)
		r.accept(',')
		r.moved(before)
	}
	if r.k() == '}' {
		r.p++
	}
	r.control = saved
	return n
}
