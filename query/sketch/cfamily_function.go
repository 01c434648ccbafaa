package sketch

// paramsAhead reports whether "(" opens parameters and not an initial value.
func (r *cReader) paramsAhead() bool {
	if !r.local {
		return true
	}
	switch r.kn(1) {
	case ')', cBasic, cQualifier, cRecord, cEnum, tDots, cAuto, cTypename:
		return true
	case tIdent:
		k := r.kn(2)
		return !r.cpp || k == tIdent || (k == '*' || k == '&') && r.kn(3) == tIdent && (r.kn(4) == ',' || r.kn(4) == ')')
	}
	return false
}

func (r *cReader) params() []*Def {
	end := r.closing(r.p)
	r.p++
	var out []*Def
	local := r.local
	r.local = false
	saved := r.end
	r.end = min(end, saved)
	for r.p < end {
		before := r.p
		if r.k() == tDots {
			r.p++
		} else {
			s := r.specifiers(nil)
			d := r.declarator(s.typ)
			if d == nil {
				d = &Def{Type: s.typ}
			}
			d.Kind = Param
			d.Via = nil
			if r.k() == '=' {
				r.p++
				if d.Init = r.binary(1); d.Init == nil {
					d.Init = &Node{Kind: Bad, At: d.At}
				}
			}
			if d.Name != "" {
				r.note(d)
			}
			out = append(out, d)
		}
		r.nextItem(end, before)
	}
	r.end = saved
	r.p = min(end+1, r.end)
	r.local = local
	return out
}

// oldStyle reports whether parameters are declared between ")" and "{".
func (r *cReader) oldStyle() bool {
	if r.k() != tIdent && r.k() != cBasic && r.k() != cRecord && r.k() != cQualifier {
		return false
	}
	for i := r.p; i < r.end && i < r.p+200; i++ {
		switch r.t[i].k {
		case '{':
			return r.t[i-1].k == ';'
		case '}', '(', '=':
			return false
		}
	}
	return false
}

func (r *cReader) functionBody(d *Def) {
	d.Fwd = false
	from := r.p
	for !r.done() && r.k() != '{' {
		if r.k() == ';' && r.cpp {
			return
		}
		if r.k() == ':' { // a constructor's initial values
			r.p++
			for !r.done() && r.k() != '{' {
				if r.k() == tIdent || r.k() == tScope {
					before := r.p
					r.p = r.skipPath()
					if k := r.k(); k == '(' || k == '{' {
						r.skip()
						r.accept(tDots)
						r.accept(',')
						continue
					}
					if r.p == before {
						r.p++
					}
					continue
				}
				r.skip()
			}
			break
		}
		r.skip()
	}
	if r.k() == '{' {
		r.skip()
	}
	for r.k() == cCatch {
		for !r.done() && r.k() != '{' {
			r.skip()
		}
		r.skip()
	}
	to := r.p
	d.End = r.t[min(max(to-1, 0), len(r.t)-1)].end
	if r.local {
		in := *r
		in.p, in.end = from, to
		in.push()
		in.bring(d.Type)
		in.bodyOf()
		in.pop()
		r.open, r.scopes = in.open, in.scopes
		return
	}
	d.Body = &Body{Start: r.t[from].at, End: d.End}
	d.Body.read = func(b *Body) {
		in := &cReader{reader: reader{f: r.f, t: r.t, p: from, end: to, body: b, in: d}, cpp: r.cpp, local: true}
		in.push()
		in.bring(d.Type)
		in.bodyOf()
		in.pop()
	}
}

// skipPath returns the token behind a qualified name.
func (r *cReader) skipPath() int {
	i := r.p
	for i < r.end {
		switch r.t[i].k {
		case tIdent, tScope:
			i++
			continue
		case '<':
			depth := 0
			for ; i < r.end; i++ {
				if r.t[i].k == '<' {
					depth++
				} else if r.t[i].k == '>' {
					if depth--; depth == 0 {
						i++
						break
					}
				} else if r.t[i].k == ';' || r.t[i].k == '{' {
					return i
				}
			}
			continue
		}
		break
	}
	return i
}

func (r *cReader) bring(t *Node) {
	for t != nil && t.Kind != FuncType {
		t = t.X
	}
	if t == nil {
		return
	}
	for _, d := range t.Fn.Params {
		if d.Name != "" {
			r.add(d, r.at())
		}
	}
}

// bodyOf reads a function's initial values and block.
func (r *cReader) bodyOf() {
	r.accept(cTry)
	if r.k() == ':' {
		r.p++
		for !r.done() && r.k() != '{' {
			before := r.p
			if r.k() == tIdent || r.k() == tScope {
				n := r.typeName()
				if n != nil && n.Kind == Name {
					n.Sep = 'i'
				}
				if r.k() == '(' {
					r.list()
				} else if r.k() == '{' {
					r.braces(nil, nil)
				}
			}
			if r.k() == ',' || r.k() == tDots {
				r.p++
			}
			r.moved(before)
		}
	}
	for !r.done() && r.k() != '{' { // declarations of old style
		before := r.p
		r.simple(nil, r.at())
		if r.p == before {
			r.p++
		}
	}
	r.block()
	for r.k() == cCatch {
		r.catch()
	}
}
