package sketch

// declarator reads one declarator; nil when none stands here. Its name may be
// empty.
func (r *cReader) declarator(base *Node) *Def {
	if !r.deeper() {
		r.skip()
		return nil
	}
	defer r.shallower()
	t := base
	for !r.done() {
		switch r.k() {
		case '*', '^':
			t = &Node{Kind: Star, X: t}
			r.p++
			continue
		case '&', tAndAnd:
			if !r.cpp {
				return nil
			}
			t = &Node{Kind: Addr, X: t}
			r.p++
			continue
		case cQualifier, cStorage:
			r.p++
			continue
		case cAttribute:
			r.attributes()
			continue
		case tDots:
			if r.cpp {
				r.p++
				continue
			}
		}
		break
	}
	d := &Def{Kind: Var, At: r.at(), Type: t}
	switch r.k() {
	case '(':
		// "(*name)" or "(name)": what stands behind the parentheses comes
		// first.
		k := r.kn(1)
		nested := k == '*' || k == '^' || (k == '&' || k == tAndAnd) && r.cpp || k == cAttribute || k == tIdent && (r.kn(2) == ')' || r.kn(2) == tScope && r.memberPointer(r.p+2) || r.kn(2) == '*') && (!r.local || r.kn(3) == '(')
		if !nested {
			break
		}
		open := r.p
		end := r.closing(r.p)
		r.p = min(end+1, r.end)
		typ, fn := r.declaratorTail(t)
		after := r.p
		saved := r.end
		r.p, r.end = open+1, min(end, saved)
		if r.k() == tIdent && r.kn(1) == '*' && r.kn(2) == tIdent { // a calling convention
			r.p++
		}
		if r.k() == tIdent && r.kn(1) == tScope { // Class::*
			r.typeName()
			for r.k() == tScope {
				r.p++
			}
		}
		in := r.declarator(typ)
		r.p, r.end = after, saved
		if in != nil {
			if fn && in.Type == typ {
				in.Kind = Function
			}
			return in
		}
		return d
	case tIdent, tScope, '~', cOperator:
		r.declaratorName(d)
	}
	typ, fn := r.declaratorTail(t)
	d.Type = typ
	if fn {
		d.Kind = Function
	}
	return d
}

func (r *cReader) memberPointer(i int) bool {
	for ; i < r.end && (r.t[i].k == tScope || r.t[i].k == tIdent); i++ {
	}
	return i < r.end && r.t[i].k == '*'
}

// declaratorName reads the name of a declarator, which may be qualified.
func (r *cReader) declaratorName(d *Def) {
	r.accept(tScope)
	for !r.done() {
		switch r.k() {
		case '~':
			r.p++
			if r.k() == tIdent {
				d.Name, d.At = "~"+r.text(), r.at()
				r.p++
			}
			return
		case cOperator:
			at := r.at()
			r.p++
			from := r.p
			if r.k() == '(' && r.kn(1) == ')' {
				r.p += 2
			} else {
				for !r.done() && r.k() != '(' && r.k() != ';' && r.k() != '{' {
					r.p++
				}
			}
			name := "operator"
			for _, t := range r.t[from:min(r.p, len(r.t))] {
				name += r.str(t)
			}
			d.Name, d.At = name, at
			return
		case tIdent:
			save := r.p
			n := &Node{Kind: Name, At: r.at(), Name: r.text()}
			r.p++
			if r.k() == '<' && r.cpp && r.templateAhead() {
				mark := r.p
				args := r.templateArgs(n)
				if r.k() == tScope {
					n = args
				} else if r.k() != '(' {
					r.p = mark
				}
			}
			if r.k() == tScope && r.cpp {
				// A qualifier: what owns the name.
				r.body.uses = append(r.body.uses, Use{At: r.t[save].at, Node: ownerNode(d, n), In: r.in})
				r.p++
				continue
			}
			d.Name, d.At = r.str(r.t[save]), r.t[save].at
			return
		default:
			return
		}
	}
}

// ownerNode adds a component to what qualifies a declarator.
func ownerNode(d *Def, n *Node) *Node {
	base := n
	for base.Kind == Index {
		base = base.X
	}
	if d.Via != nil {
		base.Kind, base.X, base.Sep = Member, d.Via, ':'
	}
	d.Via = n
	return base
}

// declaratorTail reads parameters and dimensions.
func (r *cReader) declaratorTail(t *Node) (typ *Node, fn bool) {
	switch r.k() {
	case '(':
		if !r.paramsAhead() {
			return t, false
		}
		f := &Func{}
		at := r.at()
		f.Params = r.params()
		f.Results = []*Def{{Kind: Param, Type: t}}
		for !r.done() {
			switch r.k() {
			case cQualifier, cTrail, '&', tAndAnd:
				if r.text() == "const" {
					f.Const = true
				}
				if r.k() == cTrail && r.kn(1) == '(' {
					r.p++
					r.skipUses()
					continue
				}
				r.p++
				continue
			case cThrow:
				r.p++
				r.skip()
				continue
			case cAttribute:
				r.attributes()
				continue
			case '[':
				if r.kn(1) == '[' {
					r.skip()
					continue
				}
			case cRequires:
				r.requires()
				continue
			case tArrow:
				r.p++
				base := r.specifiers(nil)
				if d := r.declarator(base.typ); d != nil {
					f.Results[0].Type = d.Type
				}
				continue
			}
			break
		}
		return &Node{Kind: FuncType, At: at, Fn: f}, true
	case '[':
		if r.kn(1) == '[' {
			r.skip()
			return t, false
		}
		end := r.closing(r.p)
		r.p++
		if r.p < end {
			r.expr()
		}
		r.p = min(end+1, r.end)
		elem, _ := r.declaratorTail(t)
		return &Node{Kind: ArrayType, X: elem}, false
	}
	return t, false
}
