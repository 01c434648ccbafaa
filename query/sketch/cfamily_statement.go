package sketch

func (r *cReader) block() {
	if r.k() != '{' {
		return
	}
	if r.deeper() {
		defer r.shallower()
	} else {
		r.skip()
		return
	}
	r.p++
	for !r.done() && r.k() != '}' {
		before := r.p
		r.statement()
		r.moved(before)
	}
	if r.k() == '}' {
		r.p++
	}
}

func (r *cReader) scope() {
	r.push()
	r.block()
	r.pop()
}

func (r *cReader) body1() {
	r.push()
	r.statement()
	r.pop()
}

func (r *cReader) statement() {
	if r.deeper() {
		defer r.shallower()
	} else {
		r.skip()
		return
	}
	switch r.k() {
	case ';':
		r.p++
	case '{':
		r.scope()
	case cIf, cWhile, cSwitch:
		kind := r.k()
		r.p++
		if r.k() == cStorage { // if constexpr
			r.p++
		}
		r.push()
		r.condition()
		r.body1()
		if kind == cIf && r.k() == cElse {
			r.p++
			r.body1()
		}
		r.pop()
	case cElse:
		r.p++
		r.body1()
	case cFor:
		r.p++
		r.push()
		if r.k() == '(' {
			r.forHeader()
		}
		r.body1()
		r.pop()
	case cDo:
		r.p++
		r.body1()
		if r.k() == cWhile {
			r.p++
			r.condition()
			r.accept(';')
		}
	case cCase:
		r.p++
		r.binary(1)
		if r.k() == tDots {
			r.p++
			r.binary(1)
		}
		r.accept(':')
	case cDefault:
		r.p++
		r.accept(':')
	case cReturn, cThrow:
		r.p++
		if r.k() == '{' {
			r.braces(nil, nil)
		} else if r.k() != ';' {
			r.expr()
		}
		r.semi()
	case cGoto:
		r.p++
		if r.k() == tIdent {
			r.body.uses = append(r.body.uses, Use{At: r.at(), Node: &Node{Kind: Name, At: r.at(), Name: r.text()}, Label: true, In: r.in})
			r.p++
		}
		r.semi()
	case cJump:
		r.p++
		r.semi()
	case cTry:
		r.p++
		r.scope()
		for r.k() == cCatch {
			r.catch()
		}
	case cAttribute:
		r.attributes()
		r.accept(';')
	case cUsing:
		for _, d := range r.using(nil) {
			r.declare(d)
		}
	case cTemplate, cNamespace:
		r.declaration(nil)
	default:
		if r.k() == tIdent && r.kn(1) == ':' && r.kn(2) != ':' {
			if r.body.labels == nil {
				r.body.labels = map[string]*Def{}
			}
			r.body.labels[r.text()] = &Def{Kind: Label, Name: r.text(), At: r.at()}
			r.p += 2
			return
		}
		if r.declares() {
			for _, d := range r.simple(nil, r.at()) {
				if d.Kind == TypeName && d.From == 0 {
					r.declare(d)
					d.From = d.At
				}
				if d.Sub == "enum" {
					for _, v := range d.Members {
						r.declare(v)
						v.From = v.At
					}
				}
			}
			return
		}
		r.expr()
		if r.k() == ';' {
			r.p++
		} else if r.k() != '}' && r.k() != '{' && r.prev().k != ')' {
			r.semi()
		}
	}
}

func (r *cReader) catch() {
	r.p++
	r.push()
	if r.k() == '(' {
		end := r.closing(r.p)
		r.p++
		if r.k() != tDots {
			s := r.specifiers(nil)
			if d := r.declarator(s.typ); d != nil && d.Name != "" {
				r.declare(d)
			}
		}
		r.p = min(end+1, r.end)
	}
	r.scope()
	r.pop()
}

// condition reads a parenthesised condition, which may declare.
func (r *cReader) condition() {
	if r.k() != '(' {
		return
	}
	end := r.closing(r.p)
	r.p++
	saved := r.end
	r.end = min(end, saved)
	for r.p < end {
		before := r.p
		if r.declares() {
			r.simple(nil, r.at())
		} else {
			r.expr()
		}
		r.accept(';')
		r.moved(before)
	}
	r.end = saved
	r.p = min(end+1, r.end)
}

func (r *cReader) forHeader() {
	end := r.closing(r.p)
	r.p++
	saved := r.end
	r.end = min(end, saved)
	if r.declares() {
		from := r.p
		s := r.specifiers(nil)
		d := r.declarator(s.typ)
		var bound []*Def
		if r.k() == '[' || d != nil && d.Name == "" && r.k() == '[' {
			// auto [a, b] : x
			r.p++
			for !r.done() && r.k() != ']' {
				if r.k() == tIdent {
					bound = append(bound, &Def{Kind: Var, Name: r.text(), At: r.at()})
				}
				r.p++
			}
			r.p++
		}
		if r.k() == ':' && (d != nil || bound != nil) {
			r.p++
			e := r.expr()
			if d != nil && d.Name != "" {
				if isAuto(s.typ) {
					d.Type, d.Init, d.Proj = nil, e, RangeElem
				}
				r.declare(d)
			}
			for _, b := range bound {
				r.declare(b)
			}
			r.end = saved
			r.p = min(end+1, r.end)
			return
		}
		r.p = from
		r.simple(nil, r.at())
	} else if r.k() != ';' {
		r.expr()
		r.accept(';')
	} else {
		r.p++
	}
	for r.p < end {
		before := r.p
		r.expr()
		r.accept(';')
		r.moved(before)
	}
	r.end = saved
	r.p = min(end+1, r.end)
}

func isAuto(t *Node) bool { return t != nil && t.Kind == Lit && t.Name == "auto" }

// declares reports whether a declaration begins here and not an expression.
func (r *cReader) declares() bool {
	switch r.k() {
	case cStorage, cStatic, cExtern, cTypedef, cQualifier, cRecord, cEnum, cAuto, cTypename:
		return true
	case cBasic:
		return r.kn(1) != '(' && r.kn(1) != '{'
	case cDecltype:
		return true
	case tIdent, tScope:
	default:
		return false
	}
	i := r.p
	if r.t[i].k == tScope {
		i++
	}
	for i < r.end && r.t[i].k == tIdent {
		i++
		if r.cpp && i < r.end && r.t[i].k == '<' {
			save := r.p
			r.p = i
			ok := r.templateAhead()
			r.p = save
			if !ok {
				return false
			}
			depth := 0
			for ; i < r.end; i++ {
				if r.t[i].k == '<' {
					depth++
				} else if r.t[i].k == '>' {
					if depth--; depth == 0 {
						i++
						break
					}
				} else if r.t[i].k == '(' {
					i = r.closing(i)
				}
			}
		}
		if i < r.end && r.t[i].k == tScope {
			i++
			continue
		}
		break
	}
	kind := func(n int) uint8 {
		if n < r.end {
			return r.t[n].k
		}
		return tEOF
	}
	stars := 0
	for kind(i) == '*' || kind(i) == cQualifier || r.cpp && (kind(i) == '&' || kind(i) == tAndAnd) {
		stars++
		i++
	}
	if kind(i) != tIdent {
		// T (*name)(...)
		return stars == 0 && kind(i) == '(' && kind(i+1) == '*' && kind(i+2) == tIdent && kind(i+3) == ')' && kind(i+4) == '('
	}
	switch kind(i + 1) {
	case ';', '=', ',', '[', ')', '{':
		return true
	case ':':
		return r.cpp
	case '(':
		return stars == 0 || r.cpp
	case tIdent:
		return stars == 0 // a macro in between
	case '*':
		return stars == 0 && kind(i+2) == tIdent
	case cAttribute:
		return true
	}
	return false
}
