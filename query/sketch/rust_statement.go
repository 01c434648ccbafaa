package sketch

import "strconv"

// block reads a block in the scope that is open and returns its value.
func (r *rustReader) block() *Node {
	n := &Node{Kind: Block, At: r.at()}
	if r.k() != '{' {
		return n
	}
	saved := r.control
	r.control = 0
	defer func() { r.control = saved }()
	if r.deeper() {
		defer r.shallower()
	} else {
		r.skip()
		return n
	}
	r.p++
	for !r.done() && r.k() != '}' {
		before := r.p
		e := r.statement()
		if r.k() == ';' {
			r.p++
		} else if r.k() == '}' && e != nil {
			n.X = e
		}
		r.moved(before)
	}
	if r.k() == '}' {
		r.p++
	}
	return n
}

func (r *rustReader) scope() *Node {
	r.push()
	n := r.block()
	r.pop()
	return n
}

func (r *rustReader) statement() *Node {
	r.attributes()
	switch r.k() {
	case ';':
		return nil
	case rsLet:
		r.letStatement()
		return nil
	case rsFn, rsStruct, rsEnum, rsTrait, rsImpl, rsMod, rsUse, rsStatic, rsType, rsPub, rsExtern:
		return r.localItem()
	case rsConst:
		if r.kn(1) != '{' {
			return r.localItem()
		}
	case rsUnsafe, rsAsync:
		if k := r.kn(1); k == rsFn || k == rsImpl || k == rsTrait || k == rsExtern || k == rsUnsafe {
			return r.localItem()
		}
	case tIdent:
		if r.text() == "macro_rules" && r.kn(1) == '!' && r.kn(2) == tIdent {
			return r.localItem()
		}
	}
	return r.expr()
}

// localItem reads an item in a function. It is seen in the whole block.
func (r *rustReader) localItem() *Node {
	from := uint32(0)
	if n := len(r.scopes); n > 0 {
		from = r.body.Start
	}
	ds, ok := r.item(nil)
	if !ok {
		r.skip()
	}
	for _, d := range ds {
		if d.Name != "" && d.Kind != Impl {
			r.declare(d)
			d.From = from
			if d.Kind == TypeName && d.Type != nil {
				for _, f := range d.Type.Fields {
					r.noteHidden(f)
				}
				for _, v := range d.Members {
					r.noteHidden(v)
				}
			}
			for _, m := range d.Members {
				if d.Kind == Trait {
					r.noteHidden(m)
				}
			}
		} else if d.Kind == Impl {
			r.f.addImpl(d)
			for _, m := range d.Members {
				r.noteHidden(m)
			}
		}
	}
	return nil
}

func (r *rustReader) noteHidden(d *Def) {
	if d.Name == "" {
		return
	}
	d.From, d.To = d.At, d.At
	r.body.all = append(r.body.all, d)
}

func (r *rustReader) letStatement() {
	r.p++
	// The value is read before the names are seen, and stands behind them.
	value := &Node{Kind: Bad}
	names := r.unseen(value)
	if r.k() == ':' {
		r.p++
		value.Kind, value.Y = Typed, r.typ()
	}
	if r.k() == '=' {
		r.p++
		e := r.expr()
		if value.Kind == Bad && e != nil {
			*value = Node{Kind: Block, At: e.At, X: e}
		} else if value.Kind == Typed {
			value.X = e
		}
	}
	if r.k() == rsElse {
		r.p++
		r.scope()
	}
	for _, d := range names {
		r.declare(d)
	}
}

// unseen reads patterns whose names are declared later: behind the value.
func (r *rustReader) unseen(value *Node) []*Def {
	saved, mark := len(r.open), len(r.body.all)
	r.patterns(value)
	names := append([]*Def{}, r.open[saved:]...)
	r.open, r.body.all = r.open[:saved], r.body.all[:mark]
	return names
}

func (r *rustReader) closure() *Node {
	n := &Node{Kind: FuncLit, At: r.at(), Fn: &Func{}}
	r.push()
	if r.k() == tOrOr {
		r.p++
	} else if r.k() == '|' {
		r.p++
		for i := 0; !r.done() && r.k() != '|'; i++ {
			before := r.p
			d := &Def{Kind: Param}
			value := &Node{Kind: ClosureArg, X: n, Name: strconv.Itoa(i)}
			r.attributes()
			r.pattern(value)
			if r.k() == ':' {
				r.p++
				d.Type = r.typ()
				value.Kind, value.Y, value.X = Typed, d.Type, nil
			}
			n.Fn.Params = append(n.Fn.Params, d)
			r.accept(',')
			r.moved(before)
		}
		r.p++
	}
	if r.k() == tArrow {
		r.p++
		n.Fn.Results = []*Def{{Kind: Param, Type: r.typ()}}
		n.Y = r.scope()
	} else {
		n.Y = r.expr()
	}
	r.pop()
	return n
}

func (r *rustReader) ifExpr() *Node {
	n := &Node{Kind: Cond, At: r.at()}
	r.p++
	r.push()
	r.condition()
	n.List = append(n.List, r.scope())
	r.pop()
	if r.k() == rsElse {
		r.p++
		if r.k() == rsIf {
			if r.deeper() {
				n.List = append(n.List, r.ifExpr())
				r.shallower()
			}
		} else {
			n.List = append(n.List, r.scope())
		}
	}
	return n
}

func (r *rustReader) matchExpr() *Node {
	n := &Node{Kind: Cond, At: r.at()}
	r.p++
	value := r.condition()
	if r.k() != '{' {
		return n
	}
	saved := r.control
	r.control = 0
	end := r.closing(r.p)
	r.p++
	for r.p < end {
		before := r.p
		r.attributes()
		r.push()
		r.patterns(value)
		if r.k() == rsIf {
			r.p++
			r.expr()
		}
		for r.p < end && r.k() != tFatArrow {
			r.skip()
		}
		if r.p < end {
			r.p++
			n.List = append(n.List, r.expr())
		}
		r.pop()
		if r.k() == ',' && r.p < end {
			r.p++
		}
		if r.p == before {
			r.p++
		}
	}
	r.p = min(end+1, r.end)
	r.control = saved
	return n
}
