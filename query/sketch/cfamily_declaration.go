package sketch

func (r *cReader) declarations(parent *Def) []*Def {
	var out []*Def
	if r.deeper() {
		defer r.shallower()
	} else {
		return nil
	}
	for !r.done() && r.k() != '}' {
		before := r.p
		out = append(out, r.declaration(parent)...)
		r.moved(before)
	}
	return out
}

func (r *cReader) attributes() {
	for {
		switch {
		case r.k() == cAttribute:
			r.p++
			for r.k() == cQualifier {
				r.p++
			}
			if r.k() == '(' {
				r.skipUses()
			}
		case r.k() == '[' && r.kn(1) == '[':
			r.skip()
		default:
			return
		}
	}
}

// skipUses goes behind a bracketed group, noting the names in it.
func (r *cReader) skipUses() {
	end := r.closing(r.p)
	for ; r.p < end && !r.done(); r.p++ {
		if r.k() == tIdent {
			prev := r.prev().k
			n := &Node{Kind: Name, At: r.at(), Name: r.text()}
			if prev == '.' || prev == tArrow {
				n.Kind, n.Sep = Member, '.'
			}
			r.body.uses = append(r.body.uses, Use{At: n.At, Node: n, In: r.in})
		}
	}
	r.p = min(end+1, r.end)
}

func (r *cReader) semi() {
	for !r.done() && r.k() != ';' && r.k() != '}' {
		r.skip()
	}
	r.accept(';')
}

// templateParams reads "<typename T, int N>".
func (r *cReader) templateParams() []*Def {
	if r.k() != '<' {
		return nil
	}
	start := r.at()
	r.p++
	var out []*Def
	for !r.done() && r.k() != '>' {
		before := r.p
		switch r.k() {
		case cTypename, cRecord:
			r.p++
			r.accept(tDots)
			if r.k() == tIdent {
				d := &Def{Kind: TypeParam, Name: r.text(), At: r.at()}
				r.declare(d)
				d.From = start
				r.note(d)
				out = append(out, d)
				r.p++
			}
			if r.k() == '=' {
				r.p++
				r.typeName()
			}
		case cTemplate:
			r.p++
			r.templateParams()
		default:
			base := r.specifiers(nil)
			r.accept(tDots)
			if d := r.declarator(base.typ); d != nil && d.Name != "" {
				d.Kind = Const
				r.declare(d)
				d.From = start
				r.note(d)
				out = append(out, d)
			}
			if r.k() == '=' {
				r.p++
				r.binary(10)
			}
		}
		for !r.done() && r.k() != ',' && r.k() != '>' && r.k() != ';' && r.k() != '{' {
			r.skip()
		}
		if r.k() == ',' {
			r.p++
		} else if r.k() != '>' {
			break
		}
		if r.p == before {
			r.p++
		}
	}
	r.accept('>')
	return out
}

func (r *cReader) note(d *Def) {
	if r.body == r.f.Level {
		r.f.note(d)
	} else if d.Kind == Field || d.Kind == Variant || d.Kind == Method {
		d.From, d.To = d.At, d.At
		r.body.all = append(r.body.all, d)
	}
}

// declaration reads one declaration and returns what it declares.
func (r *cReader) declaration(parent *Def) []*Def {
	start := r.at()
	r.attributes()
	switch r.k() {
	case ';':
		r.p++
		return nil
	case cTemplate:
		r.p++
		r.push()
		r.templateParams()
		for r.k() == cRequires {
			r.requires()
		}
		ds := r.declaration(parent)
		r.pop()
		return ds
	case cConcept:
		r.p++
		if r.k() != tIdent {
			return nil
		}
		d := &Def{Kind: TypeName, Name: r.text(), At: r.at(), Parent: parent}
		r.p++
		if r.k() == '=' {
			r.p++
			r.expr()
		}
		r.semi()
		return []*Def{d}
	case cExtern:
		if r.kn(1) == tString && r.kn(2) == '{' {
			r.p += 3
			ds := r.declarations(parent)
			if r.k() == '}' {
				r.p++
			}
			return ds
		}
	case cStorage:
		if r.kn(1) == cNamespace {
			r.p++
			return r.namespace(parent, start)
		}
	case cNamespace:
		return r.namespace(parent, start)
	case cUsing:
		return r.using(parent)
	case cAccess:
		r.p++
		r.accept(':')
		return nil
	case cFriend:
		r.p++
		ds := r.declaration(nil)
		for _, d := range ds {
			d.Fwd = d.Body == nil
		}
		return nil
	case '}', ')', ']':
		return nil
	case tIdent:
		if k := r.kn(1); parent != nil && parent.Kind == TypeName && (k == ';' || k == '}') {
			// The macro of a struct's members.
			d := &Def{Kind: Generated, At: r.at(), Type: r.nameNode(r.tok())}
			r.p++
			return []*Def{d}
		}
		// A macro that stands like a declaration: NAME(...) or NAME.
		if r.kn(1) == '(' && !r.constructs(parent) {
			c := r.closing(r.p + 1)
			if k := r.kn(c + 1 - r.p); k != '{' && k != ':' && k != tArrow && k != cQualifier && k != cTrail && k != '=' {
				n := r.nameNode(r.tok())
				n.Flag = true
				r.p++
				r.skipUses()
				r.accept(';')
				return nil
			}
		}
		if k := r.kn(1); r.t[min(r.p+1, len(r.t)-1)].nl && (k == cStatic || k == cTypedef || k == cNamespace || k == cTemplate || k == cRecord || k == cExtern) {
			r.nameNode(r.tok())
			r.p++
			return nil
		}
	}
	return r.simple(parent, start)
}

// constructs reports whether a name before "(" is the constructor of what is
// being read.
func (r *cReader) constructs(parent *Def) bool {
	return parent != nil && parent.Kind == TypeName && parent.Name == r.text()
}

func (r *cReader) requires() {
	r.p++
	for !r.done() {
		switch r.k() {
		case '(', '{':
			r.skipUses()
		case tIdent, tScope:
			r.typeName()
		default:
			return
		}
		if r.k() != tAndAnd && r.k() != tOrOr {
			return
		}
		r.p++
	}
}

func (r *cReader) namespace(parent *Def, start uint32) []*Def {
	r.p++
	r.attributes()
	var out []*Def
	outer := parent
	for r.k() == tIdent {
		d := &Def{Kind: Namespace, Name: r.text(), At: r.at(), Parent: outer, Start: start}
		r.p++
		if r.k() == '=' { // an alias
			r.p++
			d.Alias = true
			d.Type = r.typeName()
			r.semi()
			return append(out, d)
		}
		if outer != parent {
			outer.Members = append(outer.Members, d)
		} else {
			out = append(out, d)
		}
		outer = d
		if r.k() != tScope {
			break
		}
		r.p++
		r.accept(cStorage)
	}
	for r.k() == tIdent { // a macro
		r.p++
	}
	if r.k() != '{' {
		r.semi()
		return out
	}
	r.p++
	ds := r.declarations(outer)
	if r.k() == '}' {
		r.p++
	}
	end := r.prev().end
	if outer == parent {
		return ds // without a name: as if it were not there
	}
	outer.Members = append(outer.Members, ds...)
	for d := outer; d != nil && d != parent; d = d.Parent {
		d.End = end
	}
	return out
}

func (r *cReader) using(parent *Def) []*Def {
	r.p++
	if r.k() == cNamespace {
		r.p++
		d := &Def{Kind: Import, Name: "*", At: r.at(), Parent: parent}
		d.Type = r.typeName()
		r.semi()
		if r.local {
			return nil
		}
		return []*Def{d}
	}
	if r.k() == tIdent && (r.kn(1) == '=' || r.kn(1) == '[' || r.kn(1) == cAttribute) {
		d := &Def{Kind: TypeName, Alias: true, Name: r.text(), At: r.at(), Parent: parent}
		r.p++
		r.attributes()
		if r.k() == '=' {
			r.p++
			base := r.specifiers(nil)
			if x := r.declarator(base.typ); x != nil {
				d.Type = x.Type
			}
		}
		r.semi()
		return []*Def{d}
	}
	r.accept(cTypename)
	n := r.typeName()
	r.semi()
	if n == nil || n.Kind != Member {
		return nil
	}
	return []*Def{{Kind: Import, Name: n.Name, At: n.At, Type: n, Parent: parent}}
}

// simple reads a declaration with specifiers and declarators.
func (r *cReader) simple(parent *Def, start uint32) []*Def {
	s := r.specifiers(parent)
	out := s.inner
	if s.typ == nil && r.k() != tIdent && r.k() != '~' && r.k() != cOperator && r.k() != '*' && r.k() != '(' {
		r.accept(';')
		return out
	}
	for n := 0; !r.done(); n++ {
		if r.k() == ';' {
			r.p++
			return out
		}
		before := r.p
		d := r.declarator(s.typ)
		if d == nil {
			break
		}
		if r.k() == ':' && !r.local && d.Kind != Function { // a bit field
			r.p++
			r.binary(1)
		}
		r.attributes()
		if d.Name != "" {
			d.Parent, d.Start = parent, start
			d.Static = s.static
			switch {
			case s.typedef:
				d.Kind, d.Alias = TypeName, true
			case d.Kind == Function:
				d.Fwd = true
				if parent != nil && parent.Kind == TypeName || d.Via != nil {
					d.Kind = Method
				}
				if r.k() == tIdent { // a macro behind the parameters
					for r.k() == tIdent && (r.kn(1) == ';' || r.kn(1) == '{' || r.kn(1) == '(' || r.kn(1) == tIdent) {
						r.nameNode(r.tok())
						r.p++
						if r.k() == '(' {
							r.skipUses()
						}
					}
				}
			case s.extern:
				d.Fwd = true
			}
			out = append(out, d)
		}
		if d.Kind == Function || d.Kind == Method {
			if r.k() == ':' || r.k() == cTry || r.k() == '{' || !r.local && !r.cpp && r.oldStyle() {
				r.functionBody(d)
				return out
			}
		}
		switch r.k() {
		case '=':
			r.p++
			switch r.k() {
			case cDefault, cDelete:
				r.p++
				d.Fwd = false
			case '{':
				d.Init = r.braces(s.typ, d.Type)
			default:
				e := r.binary(1)
				if d.Kind != Function && d.Kind != Method {
					d.Init = e
					d.Fwd = false
				}
			}
		case '{':
			d.Init = r.braces(s.typ, d.Type)
		case '(':
			if r.local {
				d.Args = r.list()
			}
		}
		if r.local && d.Name != "" && d.Kind != Method {
			r.declare(d)
			d.From = d.At
		}
		if r.k() == ',' {
			r.p++
			continue
		}
		if r.p == before {
			break
		}
		if r.k() != ';' {
			break
		}
	}
	if r.k() == ';' {
		r.p++
	} else if r.k() == ':' || r.k() == ')' {
		return out
	} else {
		r.semi()
	}
	return out
}
