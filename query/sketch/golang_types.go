package sketch

// typ reads a type; nil where none stands.
func (r *goReader) typ() *Node {
	if !r.deeper() {
		r.skip()
		return nil
	}
	defer r.shallower()
	switch at := r.at(); r.k() {
	case tIdent:
		t := r.nameNode(r.t[r.p])
		r.p++
		if r.k() == '.' && r.kn(1) == tIdent {
			r.p++
			t = r.memberNode(t, '.')
		}
		if r.k() == '[' && !r.newline() && r.kn(1) != ']' {
			r.p++
			n := &Node{Kind: Index, At: at, X: t}
			for !r.done() && r.k() != ']' {
				before := r.p
				n.List = append(n.List, r.typ())
				r.accept(',')
				if r.p == before {
					r.p++
				}
			}
			r.p++
			t = n
		}
		return t
	case '*':
		r.p++
		return &Node{Kind: Star, At: at, X: r.typ()}
	case '(':
		r.p++
		t := r.typ()
		r.accept(')')
		return t
	case '[':
		r.p++
		if r.k() == tDots {
			r.p++
		} else if r.k() != ']' {
			saved := r.control
			r.control = 0
			r.expr()
			r.control = saved
		}
		for !r.done() && r.k() != ']' {
			r.skip()
		}
		r.p++
		return &Node{Kind: ArrayType, At: at, X: r.typ()}
	case goMap:
		r.p++
		n := &Node{Kind: MapType, At: at}
		if r.k() == '[' {
			r.p++
			n.X = r.typ()
			r.accept(']')
		}
		n.Y = r.typ()
		return n
	case goChan:
		r.p++
		r.accept(tArrow)
		return &Node{Kind: ChanType, At: at, X: r.typ()}
	case tArrow:
		r.p++
		r.accept(goChan)
		return &Node{Kind: ChanType, At: at, X: r.typ()}
	case goFunc:
		r.p++
		n := &Node{Kind: FuncType, At: at, Fn: &Func{}}
		r.signature(n.Fn, r.noteLocal)
		return n
	case goStruct:
		return r.structType()
	case goInterface:
		return r.interfaceType()
	}
	return nil
}

// noteLocal notes a parameter that is seen from nowhere.
func (r *goReader) noteLocal(d *Def) {
	if r.body == r.f.Level {
		r.f.note(d)
		return
	}
	d.From, d.To = d.At, d.At
	r.body.all = append(r.body.all, d)
}

func (r *goReader) structType() *Node {
	n := &Node{Kind: StructType, At: r.at()}
	r.p++
	if r.k() != '{' {
		return n
	}
	r.p++
	for !r.done() && r.k() != '}' {
		before := r.p
		embedded := false
		switch r.k() {
		case '*', '(':
			embedded = true
		case tIdent:
			switch k := r.kn(1); {
			case k == '.' || k == ';' || k == '}' || k == tString || r.t[min(r.p+1, len(r.t)-1)].nl:
				embedded = true
			case k == '[':
				c := r.closing(r.p + 1)
				k := r.t[min(c+1, r.end)].k
				embedded = r.kn(2) != ']' && (r.t[min(c+1, r.end)].nl || k == ';' || k == '}' || k == tString)
			}
		}
		if embedded {
			if t := r.typ(); t != nil {
				n.Fields = append(n.Fields, embeddedDef(t))
			}
		} else {
			var ds []*Def
			for r.k() == tIdent {
				ds = append(ds, &Def{Kind: Field, Name: r.text(), At: r.at()})
				r.p++
				if r.k() != ',' {
					break
				}
				r.p++
			}
			t := r.typ()
			for _, d := range ds {
				d.Type = t
				r.noteLocal(d)
			}
			n.Fields = append(n.Fields, ds...)
		}
		r.semi()
		if r.p == before {
			r.p++
		}
	}
	r.p++
	return n
}

// embeddedDef is the field that embedding a type declares.
func embeddedDef(t *Node) *Def {
	d := &Def{Kind: Embedded, Type: t}
	for t != nil {
		switch t.Kind {
		case Star, Index:
			t = t.X
			continue
		case Name, Member:
			d.Name, d.At = t.Name, t.At
		}
		break
	}
	return d
}

func (r *goReader) interfaceType() *Node {
	n := &Node{Kind: InterfaceType, At: r.at()}
	r.p++
	if r.k() != '{' {
		return n
	}
	r.p++
	for !r.done() && r.k() != '}' {
		before := r.p
		if r.k() == tIdent && r.kn(1) == '(' {
			d := &Def{Kind: Method, Name: r.text(), At: r.at(), Fwd: true}
			r.p++
			d.Type = &Node{Kind: FuncType, At: d.At, Fn: &Func{}}
			r.signature(d.Type.Fn, r.noteLocal)
			r.noteLocal(d)
			n.Fields = append(n.Fields, d)
		} else if t := r.union(); t != nil {
			n.Fields = append(n.Fields, embeddedDef(t))
		}
		r.semi()
		if r.p == before {
			r.p++
		}
	}
	r.p++
	return n
}
