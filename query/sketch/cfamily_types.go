package sketch

// spec is what stands in front of declarators.
type spec struct {
	typ     *Node
	typedef bool
	static  bool
	extern  bool
	inner   []*Def // what the type itself declares
	record  *Def
}

// typeName reads a name that may be qualified and have template arguments.
func (r *cReader) typeName() *Node {
	r.accept(tScope)
	if r.k() == cTypename || r.k() == cTemplate {
		r.p++
	}
	switch r.k() {
	case cBasic, cQualifier, cRecord, cEnum, cDecltype, cAuto:
		base := r.specifiers(nil)
		if d := r.declarator(base.typ); d != nil {
			return d.Type
		}
		return base.typ
	case tIdent:
	default:
		return nil
	}
	n := r.nameNode(r.tok())
	r.p++
	return r.pathFrom(n)
}

func (r *cReader) pathFrom(n *Node) *Node {
	for !r.done() {
		switch {
		case r.k() == '<' && r.cpp && r.templateAhead():
			n = r.templateArgs(n)
		case r.k() == tScope && r.kn(1) == tIdent:
			r.p++
			n = r.memberNode(n, ':')
		case r.k() == tScope && r.kn(1) == cTemplate && r.kn(2) == tIdent:
			r.p += 2
			n = r.memberNode(n, ':')
		default:
			return n
		}
	}
	return n
}

// templateAhead reports whether "<" opens template arguments: what stands up
// to its ">" could be types and constants.
func (r *cReader) templateAhead() bool { return r.angle(r.p) >= 0 }

// angle returns the token that closes the angle bracket at i, negative where
// none does.
func (r *cReader) angle(from int) int {
	depth := 0
	for i := from; i < r.end && i < from+400; i++ {
		switch k := r.t[i].k; k {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return i
			}
		case '(', '[':
			i = r.closing(i)
		case ';', '{', '}', ')', ']', tOrOr, '=', tOpAssign, cReturn, cIf:
			return -1
		case tAndAnd:
			if k := r.t[min(i+1, r.end)].k; k != '>' && k != ',' && k != tDots {
				return -1
			}
		}
	}
	return -1
}

func (r *cReader) templateArgs(x *Node) *Node {
	n := &Node{Kind: Index, At: r.at(), X: x, Sep: ':'}
	if r.deeper() {
		defer r.shallower()
	} else {
		r.skip()
		return n
	}
	if end := r.angle(r.p); end >= 0 {
		defer func(saved int) {
			r.end, r.p = saved, min(end+1, saved)
		}(r.end)
		r.end = end // a ">" closes, and compares nothing
	}
	r.p++
	for !r.done() && r.k() != '>' {
		before := r.p
		n.List = append(n.List, r.argument())
		r.accept(tDots)
		if r.k() == ',' {
			r.p++
		} else if r.k() != '>' && r.p == before {
			r.skip()
		}
	}
	r.accept('>')
	return n
}

// argument reads a template argument: a type or a constant.
func (r *cReader) argument() *Node {
	switch r.k() {
	case cBasic, cQualifier, cRecord, cEnum, cTypename, cAuto, cDecltype:
		base := r.specifiers(nil)
		if d := r.declarator(base.typ); d != nil {
			return d.Type
		}
		return base.typ
	case tIdent, tScope:
		from, uses, all := r.p, len(r.body.uses), len(r.body.all)
		base := r.specifiers(nil)
		d := r.declarator(base.typ)
		if k := r.k(); base.typ != nil && (k == ',' || k == '>' || k == tDots) && (d == nil || d.Name == "") {
			if d != nil {
				return d.Type
			}
			return base.typ
		}
		r.p, r.body.uses, r.body.all = from, r.body.uses[:uses], r.body.all[:all]
	}
	return r.binary(6)
}

// specifiers reads what stands in front of a declarator. parent is what the
// types declared there belong to.
func (r *cReader) specifiers(parent *Def) (s spec) {
	constant := false
	defer func() {
		if constant && s.typ != nil && s.record == nil {
			s.typ.Const = true
		}
	}()
	for !r.done() {
		switch r.k() {
		case cStatic:
			s.static = true
			r.p++
		case cExtern:
			s.extern = true
			r.p++
			r.accept(tString)
		case cTypedef:
			s.typedef = true
			r.p++
		case cStorage, cQualifier, cFriend, cTypename:
			constant = constant || r.text() == "const"
			r.p++
			if r.k() == '(' && r.prev().k == cStorage { // explicit(...)
				r.skipUses()
			}
		case cAttribute:
			r.attributes()
		case '[':
			if r.kn(1) != '[' {
				return s
			}
			r.skip()
		case cBasic, cAuto:
			if s.typ == nil {
				s.typ = &Node{Kind: Lit, At: r.at(), Name: r.text()}
			}
			r.p++
		case cDecltype:
			r.p++
			if r.k() == '(' {
				end := r.closing(r.p)
				r.p++
				s.typ = &Node{Kind: Typed, At: r.at(), X: r.expr()}
				r.p = min(end+1, r.end)
			}
			if s.typ == nil {
				s.typ = &Node{Kind: Lit, Name: "auto"}
			}
		case cRecord:
			s.typ, s.inner = r.record(parent, s.inner)
			if len(s.inner) > 0 {
				s.record = s.inner[len(s.inner)-1]
			}
		case cEnum:
			s.typ, s.inner = r.enum(parent, s.inner)
		case tIdent, tScope:
			if s.typ == nil {
				if r.constructs(parent) && r.kn(1) == '(' {
					return s
				}
				from := r.p
				if r.k() == tIdent && r.kn(1) == '(' && !r.local {
					// A macro with arguments in front of a type.
					c := r.closing(r.p + 1)
					if k := r.kn(c + 1 - r.p); k == tIdent || k == cBasic || k == cRecord || k == cStorage || k == cStatic || k == cQualifier {
						n := r.nameNode(r.tok())
						n.Flag = true
						r.p++
						r.skipUses()
						continue
					}
					return s
				}
				if r.qualifiedDeclarator() {
					return s
				}
				s.typ = r.typeName()
				if r.p == from {
					return s
				}
				continue
			}
			// A second name: the declarator, or the first was a macro.
			if s.typ.Kind == Name && r.k() == tIdent {
				if r.kn(1) == '(' && r.kn(2) == tIdent && r.kn(3) == ')' && r.kn(4) == '(' && !r.local {
					s.typ = r.typeName() // MACRO type (name)(...)
					continue
				}
				switch r.kn(1) {
				case tIdent, '*', cQualifier, cBasic, cRecord, cStorage, cStatic:
					if r.kn(1) == '*' && r.kn(2) != tIdent && r.kn(2) != '(' && r.kn(2) != '*' && r.kn(2) != cQualifier {
						return s
					}
					if r.kn(1) == tIdent && r.kn(2) == '(' && r.local {
						return s
					}
					s.typ = r.typeName()
					continue
				}
			}
			return s
		default:
			return s
		}
	}
	return s
}

// qualifiedDeclarator reports whether "A::A(" or "A::~A(" or "A::operator"
// stands here: a declarator without a type.
func (r *cReader) qualifiedDeclarator() bool {
	if !r.cpp || r.k() != tIdent {
		return false
	}
	i := r.p
	last := r.str(r.t[i])
	for i+1 < r.end {
		i++
		if r.t[i].k == '<' {
			depth := 0
			for ; i < r.end; i++ {
				if r.t[i].k == '<' {
					depth++
				} else if r.t[i].k == '>' {
					if depth--; depth == 0 {
						break
					}
				} else if r.t[i].k == ';' || r.t[i].k == '{' {
					return false
				}
			}
			continue
		}
		if r.t[i].k != tScope {
			return false
		}
		i++
		switch r.t[i].k {
		case '~', cOperator:
			return true
		case tIdent:
			name := r.str(r.t[i])
			if name == last && r.t[min(i+1, r.end)].k == '(' {
				return true
			}
			last = name
		default:
			return false
		}
	}
	return false
}

// typeAhead reports whether a type stands up to token end.
func (r *cReader) typeAhead(end int) bool {
	switch r.k() {
	case cBasic, cRecord, cEnum, cQualifier, cTypename, cAuto, cDecltype:
		return true
	case tIdent, tScope:
	default:
		return false
	}
	i := r.p
	for i < end && (r.t[i].k == tIdent || r.t[i].k == tScope) {
		i++
	}
	if i < end && r.t[i].k == '<' && r.cpp {
		return r.t[end-1].k == '>' || r.t[end-1].k == '*' || r.t[end-1].k == '&'
	}
	stars := i
	for i < end && (r.t[i].k == '*' || r.t[i].k == cQualifier || r.t[i].k == '&' && r.cpp) {
		i++
	}
	return i == end && (i > stars || stars == r.p+1)
}

// castAhead reports whether "(" here opens a cast.
func (r *cReader) castAhead(end int) bool {
	save := r.p
	r.p++
	ok := r.p < end && r.typeAhead(end)
	first := r.k()
	single := end == r.p+1
	r.p = save
	if !ok {
		return false
	}
	next := r.kn(end + 1 - r.p)
	if first == cBasic || first == cRecord || first == cEnum || first == cQualifier {
		return next != ')' && next != ',' && next != ';'
	}
	if single {
		// (name) x is a cast; (name)(x) and (name)-1 need not be.
		switch next {
		case tIdent, tInt, tFloat, tString, tChar, '{', '!', '~', cSizeof, cLiteral, cThis, cCast, cNew:
			return true
		}
		return false
	}
	switch next {
	case tIdent, tInt, tFloat, tString, tChar, '{', '!', '~', '(', '&', '*', '-', cSizeof, cLiteral, cThis, cCast, cNew:
		return true
	}
	return false
}

// typeIn reads a type that ends before token end.
func (r *cReader) typeIn(end int) *Node {
	saved := r.end
	r.end = min(end, saved)
	s := r.specifiers(nil)
	t := s.typ
	local := r.local
	r.local = false
	if d := r.declarator(s.typ); d != nil {
		t = d.Type
	}
	r.local = local
	r.end = saved
	return t
}
