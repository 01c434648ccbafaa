package sketch

// typeParams reads "[P, Q C]".
func (r *goReader) typeParams() []*Def {
	var out []*Def
	open := r.p
	r.p++
	for !r.done() && r.k() != ']' {
		before := r.p
		var ds []*Def
		for r.k() == tIdent {
			d := &Def{Kind: TypeParam, Name: r.text(), At: r.at()}
			ds = append(ds, d)
			r.declare(d)
			d.From = r.t[open].at
			r.f.note(d)
			r.p++
			if r.k() != ',' {
				break
			}
			r.p++
		}
		typ := r.union()
		for _, d := range ds {
			d.Type = typ
		}
		out = append(out, ds...)
		r.accept(',')
		if r.p == before {
			r.p++
		}
	}
	r.p++
	return out
}

// union reads "~A | B".
func (r *goReader) union() *Node {
	var first *Node
	n := 0
	for {
		r.accept('~')
		t := r.typ()
		if n++; first == nil {
			first = t
		}
		if r.k() != '|' {
			break
		}
		r.p++
	}
	return first
}

func (r *goReader) function() {
	r.p++
	start := r.at()
	d := &Def{Kind: Function, Start: start}
	r.push()
	if r.k() == '(' {
		d.Kind = Method
		ps := r.params(func(d *Def) { r.f.note(d) })
		if len(ps) > 0 {
			d.Recv = ps[0]
			d.Recv.Kind = Param
		} else {
			d.Recv = &Def{Kind: Param}
		}
	}
	if r.k() != tIdent {
		r.pop()
		return
	}
	d.Name, d.At = r.text(), r.at()
	r.p++
	fn := &Func{}
	d.Type = &Node{Kind: FuncType, At: d.At, Fn: fn}
	if d.Recv != nil {
		fn.TypeParams = append(fn.TypeParams, r.receiverParams(d.Recv.Type)...)
	}
	if r.k() == '[' {
		fn.TypeParams = append(fn.TypeParams, r.typeParams()...)
	}
	r.signature(fn, r.f.note)
	if r.k() == '{' {
		from := r.p
		r.skip()
		to := r.p
		d.Body = &Body{Start: r.t[from].at, End: r.t[min(max(to-1, from), len(r.t)-1)].end}
		d.Body.read = func(b *Body) {
			in := &goReader{reader: reader{f: r.f, t: r.t, p: from, end: to, body: b, in: d}}
			in.push()
			in.bring(fn)
			if d.Recv != nil && d.Recv.Name != "" {
				in.add(d.Recv, b.Start)
			}
			in.functionBlock()
			in.pop()
		}
		d.End = d.Body.End
	} else {
		d.Fwd = true
		d.End = r.prev().end
	}
	r.pop()
	for _, p := range fn.TypeParams {
		p.To = d.End
	}
	r.f.Top = append(r.f.Top, d)
}

// receiverParams declares the type parameters that a receiver names.
func (r *goReader) receiverParams(t *Node) []*Def {
	for t != nil && t.Kind == Star {
		t = t.X
	}
	if t == nil || t.Kind != Index {
		return nil
	}
	var out []*Def
	for i, a := range t.List {
		if a.Kind != Name {
			continue
		}
		d := &Def{Kind: TypeParam, Name: a.Name, At: a.At, N: i + 1}
		r.declare(d)
		d.From = a.At
		r.f.note(d)
		out = append(out, d)
	}
	return out
}

// bring makes what a signature names visible from the current place on.
func (r *goReader) bring(fn *Func) {
	for _, list := range [2][]*Def{fn.Params, fn.Results} {
		for _, d := range list {
			if d.Name != "" {
				r.add(d, r.at())
			}
		}
	}
}

func (r *goReader) signature(fn *Func, note func(*Def)) {
	if r.k() == '(' {
		fn.Params = r.params(note)
	}
	if r.newline() {
		return
	}
	switch r.k() {
	case '(':
		fn.Results = r.params(note)
	case tIdent, '*', '[', goMap, goChan, goFunc, goStruct, goInterface, tArrow:
		fn.Results = []*Def{{Kind: Param, At: r.at(), Type: r.typ()}}
	}
}

// params reads a parenthesised list of parameters.
func (r *goReader) params(note func(*Def)) []*Def {
	type entry struct {
		name  bool // a name in front of a type
		n     token
		typ   *Node
		dots  bool
		alone bool // one name only: a parameter or a type
	}
	var list []entry
	named := false
	r.p++
	for !r.done() && r.k() != ')' {
		before := r.p
		var e entry
		if r.k() == tIdent {
			switch k := r.kn(1); k {
			case ',', ')':
				e.alone, e.n = true, r.t[r.p]
				r.p++
			case '.':
			case '[':
				if r.kn(2) == ']' {
					e.name = true
				} else if c := r.closing(r.p + 1); c+1 < len(r.t) && r.t[c+1].k != ',' && r.t[c+1].k != ')' {
					e.name = true
				}
			default:
				e.name = true
			}
			if e.name {
				e.n = r.t[r.p]
				r.p++
			}
		}
		if !e.alone {
			if r.k() == tDots {
				e.dots = true
				r.p++
			}
			e.typ = r.typ()
		}
		named = named || e.name
		list = append(list, e)
		r.accept(',')
		if r.p == before {
			r.p++
		}
	}
	r.p++
	var out []*Def
	for i, e := range list {
		d := &Def{Kind: Param, Type: e.typ, Alias: e.dots}
		switch {
		case named:
			if e.n.end > 0 {
				d.Name, d.At = string(r.f.Text[e.n.at:e.n.end]), e.n.at
			}
			for j := i; d.Type == nil && j < len(list); j++ {
				d.Type, d.Alias = list[j].typ, list[j].dots
			}
			if note != nil && d.Name != "" {
				note(d)
			}
		case e.alone:
			d.Type = r.nameNode(e.n)
		}
		out = append(out, d)
	}
	return out
}
