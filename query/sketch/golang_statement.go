package sketch

func (r *goReader) block() {
	r.push()
	r.functionBlock()
	r.pop()
}

// functionBlock reads a block in the scope that is open: that of a function's
// parameters.
func (r *goReader) functionBlock() {
	if r.k() != '{' {
		return
	}
	saved := r.control
	r.control = 0
	r.p++
	r.statements()
	if r.k() == '}' {
		r.p++
	}
	r.control = saved
}

// statements reads up to a closing brace or the next clause.
func (r *goReader) statements() {
	for !r.done() {
		switch r.k() {
		case '}', goCase, goDefault:
			return
		}
		before := r.p
		r.statement()
		if r.p == before || r.prev().k != ';' {
			r.semi()
		}
		if r.p == before {
			r.p++
		}
	}
}

func (r *goReader) statement() {
	if r.deeper() {
		defer r.shallower()
	} else {
		r.skip()
		return
	}
	switch r.k() {
	case ';':
	case '{':
		r.block()
	case goConst:
		r.values(Const, false)
	case goVar:
		r.values(Var, false)
	case goType:
		r.group(func(int) { r.typeSpec(false) })
	case goIf:
		r.ifStatement()
	case goFor:
		r.p++
		r.push()
		r.control++
		r.header()
		r.control--
		r.block()
		r.pop()
	case goSwitch:
		r.switchStatement()
	case goSelect:
		r.p++
		if r.k() == '{' {
			r.p++
			r.clauses(func() {
				if r.k() == goCase {
					r.p++
					r.simple()
				} else {
					r.p++
				}
			}, nil, nil)
		}
	case goReturn:
		r.p++
		if !r.newline() && r.k() != '}' && r.k() != ';' {
			r.exprs()
		}
	case goGo, goDefer:
		r.p++
		r.expr()
	case goBreak, goContinue, goGoto:
		r.p++
		if r.k() == tIdent && !r.newline() {
			r.body.uses = append(r.body.uses, Use{At: r.at(), Node: &Node{Kind: Name, At: r.at(), Name: r.text()}, Label: true, In: r.in})
			r.p++
		}
	case goFallthrough:
		r.p++
	case tIdent:
		if r.kn(1) == ':' {
			if r.body.labels == nil {
				r.body.labels = map[string]*Def{}
			}
			r.body.labels[r.text()] = &Def{Kind: Label, Name: r.text(), At: r.at()}
			r.p += 2
			if r.k() != '}' {
				r.statement()
			}
			return
		}
		r.simple()
	default:
		r.simple()
	}
}

func (r *goReader) ifStatement() {
	r.p++
	r.push()
	r.control++
	r.header()
	r.control--
	r.block()
	if r.k() == goElse {
		r.p++
		if r.k() == goIf {
			if r.deeper() {
				r.ifStatement()
				r.shallower()
			}
		} else {
			r.block()
		}
	}
	r.pop()
}

// header reads the statements between a keyword and its block.
func (r *goReader) header() {
	for !r.done() && r.k() != '{' && r.k() != '}' {
		before := r.p
		if r.k() != ';' {
			r.simple()
		}
		if r.k() == ';' {
			r.p++
		} else if r.k() != '{' && r.p == before {
			r.skip()
		}
	}
}

func (r *goReader) switchStatement() {
	r.p++
	r.push()
	r.control++
	var alias *Node
	var value *Node
	for !r.done() && r.k() != '{' && r.k() != '}' {
		before := r.p
		alias, value = nil, nil
		if r.k() == tIdent && r.kn(1) == tDefine {
			// x := y.(type)
			save, uses, all := r.p, len(r.body.uses), len(r.body.all)
			name := r.t[r.p]
			r.p += 2
			e := r.expr()
			if e != nil && e.Kind == Assert && e.Y == nil {
				alias = &Node{Kind: Name, At: name.at, Name: string(r.f.Text[name.at:name.end])}
				value = e.X
			} else {
				r.p, r.body.uses = save, r.body.uses[:uses]
				r.forget(all)
				r.simple()
			}
		} else if r.k() != ';' {
			r.simple()
		}
		if r.k() == ';' {
			r.p++
		} else if r.k() != '{' && r.p == before {
			r.skip()
		}
	}
	r.control--
	if r.k() == '{' {
		r.p++
		var types []*Node
		r.clauses(func() {
			types = nil
			if r.k() == goCase {
				r.p++
				types = r.exprs()
			} else {
				r.p++
			}
		}, alias, func(d *Def) {
			d.Init, d.Proj = value, Case
			if len(types) == 1 {
				d.Type = types[0]
			}
		})
	}
	r.pop()
}

// clauses reads the clauses of a switch or select up to its closing brace.
func (r *goReader) clauses(head func(), alias *Node, say func(*Def)) {
	saved := r.control
	r.control = 0
	for !r.done() && r.k() != '}' {
		if r.k() != goCase && r.k() != goDefault {
			r.skip()
			continue
		}
		r.push()
		head()
		r.accept(':')
		if alias != nil {
			d := &Def{Kind: Var, Name: alias.Name, At: alias.At}
			say(d)
			r.declare(d)
		}
		r.statements()
		r.pop()
	}
	if r.k() == '}' {
		r.p++
	}
	r.control = saved
}

// simple reads an expression, an assignment or a definition, or what stands
// behind for: "k, v := range x".
func (r *goReader) simple() {
	if r.k() == goRange {
		r.p++
		r.expr()
		return
	}
	left := r.exprs()
	switch r.k() {
	case tDefine:
		r.p++
		ranged := r.k() == goRange
		if ranged {
			r.p++
		}
		inits := r.exprs()
		var ds []*Def
		for i, n := range left {
			if n == nil || n.Kind != Name || n.Name != "_" && r.inScope(n.Name) {
				continue
			}
			d := &Def{Kind: Var, Name: n.Name, At: n.At}
			switch {
			case ranged && len(inits) == 1:
				d.Init, d.Proj = inits[0], RangeKey
				if i > 0 {
					d.Proj = RangeElem
				}
			case len(inits) == 1 && len(left) > 1:
				d.Init, d.Proj, d.N = inits[0], Nth, i
			case i < len(inits):
				d.Init = inits[i]
			}
			ds = append(ds, d)
		}
		for _, d := range ds {
			r.declare(d)
		}
	case '=', tOpAssign, tArrow:
		r.p++
		r.accept(goRange)
		r.exprs()
	case tInc, tDec:
		r.p++
	}
}
