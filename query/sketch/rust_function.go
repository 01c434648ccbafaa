package sketch

// param declares the generic parameter whose name stands here, of an item that
// begins at start.
func (r *rustReader) param(kind DefKind, start uint32) *Def {
	d := &Def{Kind: kind, Name: r.text(), At: r.at()}
	r.declare(d)
	d.From = start
	r.note(d)
	r.p++
	return d
}

// generics reads "<'a, T: Bound = X, const N: usize>".
func (r *rustReader) generics(start uint32) []*Def {
	if r.k() != '<' {
		return nil
	}
	r.p++
	var out []*Def
	for !r.done() && r.k() != '>' {
		before := r.p
		r.attributes()
		switch r.k() {
		case tLifetime:
			r.param(TypeParam, start)
			if r.k() == ':' {
				r.p++
				r.bounds()
			}
		case rsConst:
			r.p++
			d := r.param(Const, start)
			out = append(out, d)
			if r.k() == ':' {
				r.p++
				d.Type = r.typ()
			}
			if r.k() == '=' {
				r.p++
				r.operand()
			}
		case tIdent:
			d := r.param(TypeParam, start)
			out = append(out, d)
			if r.k() == ':' {
				r.p++
				d.Bases = r.bounds()
			}
			if r.k() == '=' {
				r.p++
				d.Init = r.typ()
			}
		}
		r.accept(',')
		r.moved(before)
	}
	r.accept('>')
	return out
}

// bounds reads "A + ?B + 'a".
func (r *rustReader) bounds() []*Node {
	var out []*Node
	for !r.done() {
		switch r.k() {
		case tLifetime:
			r.lifetime()
		case '?', '~', rsConst:
			r.p++
			continue
		case '(':
			r.p++
			out = append(out, r.bounds()...)
			r.accept(')')
		default:
			before := r.p
			if t := r.typ(); t != nil {
				out = append(out, t)
			}
			if r.p == before {
				return out
			}
		}
		if r.k() != '+' {
			return out
		}
		r.p++
	}
	return out
}

// where reads a where clause, adding its bounds to the parameters.
func (r *rustReader) where(params []*Def) {
	if r.k() != rsWhere {
		return
	}
	r.p++
	for !r.done() && r.k() != '{' && r.k() != ';' && r.k() != '=' {
		before := r.p
		if r.k() == tLifetime {
			r.lifetime()
			if r.k() == ':' {
				r.p++
				r.bounds()
			}
		} else {
			if r.k() == rsFor {
				r.p++
				r.skipGenerics()
			}
			t := r.typ()
			if r.k() == ':' {
				r.p++
				bs := r.bounds()
				for _, d := range params {
					if t != nil && t.Kind == Name && t.Name == d.Name {
						d.Bases = append(d.Bases, bs...)
					}
				}
			}
		}
		r.accept(',')
		r.moved(before)
	}
}

func (r *rustReader) skipGenerics() {
	depth := 0
	for !r.done() {
		switch r.k() {
		case '<':
			depth++
		case '>':
			if depth--; depth <= 0 {
				r.p++
				return
			}
		case '{', ';':
			return
		}
		r.p++
	}
}

func (r *rustReader) function(parent *Def, start uint32, async bool) *Def {
	r.p++
	if r.k() != tIdent {
		return nil
	}
	d := &Def{Kind: Function, Name: r.text(), At: r.at(), Parent: parent, Start: start, Async: async}
	if parent != nil && (parent.Kind == Impl || parent.Kind == Trait) {
		d.Kind = Method
	}
	r.p++
	fn := &Func{}
	d.Type = &Node{Kind: FuncType, At: d.At, Fn: fn}
	r.push()
	fn.TypeParams = r.generics(start)
	if r.k() == '(' {
		fn.Params = r.params()
	}
	if r.k() == tArrow {
		r.p++
		fn.Results = []*Def{{Kind: Param, Type: r.typ()}}
	}
	r.where(fn.TypeParams)
	if r.k() == '{' {
		from := r.p
		r.skip()
		to := r.p
		if r.local {
			// A function in a function is read with it.
			in := *r
			in.p, in.end, in.control = from, to, 0
			in.push()
			in.bring(fn)
			in.block()
			in.pop()
			r.open, r.scopes = in.open, in.scopes
		} else {
			d.Body = &Body{Start: r.t[from].at, End: r.t[min(max(to-1, from), len(r.t)-1)].end}
			d.Body.read = func(b *Body) {
				in := &rustReader{reader: reader{f: r.f, t: r.t, p: from, end: to, body: b, in: d}, local: true}
				in.push()
				in.bring(fn)
				in.block()
				in.pop()
			}
		}
	} else {
		d.Fwd = true
		r.semi()
	}
	d.End = r.prev().end
	r.pop()
	for _, p := range fn.TypeParams {
		p.To = d.End
	}
	return d
}

func (r *rustReader) bring(fn *Func) {
	for _, d := range fn.Params {
		if d.Name != "" {
			r.add(d, r.at())
		}
		for _, m := range d.Members {
			r.add(m, r.at())
		}
	}
}

// params reads a function's parameters.
func (r *rustReader) params() []*Def {
	end := r.closing(r.p)
	r.p++
	var out []*Def
	for r.p < end {
		before := r.p
		r.attributes()
		if d := r.selfParam(); d != nil {
			out = append(out, d)
		} else {
			// The names of a pattern are parameters too.
			mark := len(r.body.all)
			saved := len(r.open)
			d := &Def{Kind: Param}
			value := &Node{Kind: Bad}
			r.pattern(value)
			names := append([]*Def{}, r.open[saved:]...)
			r.open = r.open[:saved]
			r.body.all = r.body.all[:mark]
			if r.k() == ':' {
				r.p++
				d.Type = r.typ()
			}
			if len(names) == 1 && names[0].Init == value {
				d.Name, d.At = names[0].Name, names[0].At
				r.note(d)
			} else {
				value.Kind, value.Y = Typed, d.Type
				for _, n := range names {
					n.Kind = Param
					r.note(n)
				}
				d.Members = names
			}
			out = append(out, d)
		}
		for r.p < end && r.k() != ',' {
			r.skip()
		}
		if r.k() == ',' && r.p < end {
			r.p++
		}
		if r.p == before {
			r.p++
		}
	}
	r.p = min(end+1, r.end)
	return out
}

// selfParam reads "self", "&'a mut self" or "self: T".
func (r *rustReader) selfParam() *Def {
	from := r.p
	ref := false
	if r.k() == '&' {
		ref = true
		r.p++
		if r.k() == tLifetime {
			r.lifetime()
		}
	}
	r.accept(rsMut)
	if r.k() != tIdent || r.text() != "self" || r.kn(1) == tScope {
		r.p = from
		return nil
	}
	d := &Def{Kind: Param, Name: "self", At: r.at(), Type: &Node{Kind: Self, At: r.at()}}
	r.p++
	if r.k() == ':' {
		r.p++
		d.Type = r.typ()
	}
	if ref {
		d.Type = &Node{Kind: Addr, X: d.Type}
	}
	r.note(d)
	return d
}
