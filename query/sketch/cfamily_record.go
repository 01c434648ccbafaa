package sketch

// record reads struct, union or class.
func (r *cReader) record(parent *Def, inner []*Def) (*Node, []*Def) {
	start := r.at()
	r.p++
	r.attributes()
	for r.k() == tIdent && r.kn(1) == tIdent && r.kn(2) != '=' && r.kn(2) != ';' && r.kn(2) != ',' && r.kn(2) != '[' && r.kn(2) != '(' && r.kn(2) != ')' && r.kn(2) != tEOF {
		r.nameNode(r.tok()) // a macro
		r.p++
	}
	d := &Def{Kind: TypeName, At: r.at(), Start: start, Parent: parent, Sub: "record"}
	var name *Node
	if r.k() == tIdent || r.k() == tScope {
		uses := len(r.body.uses)
		name = r.typeName()
		if name != nil {
			d.Name, d.At = nameOf(name)
		}
		r.accept(cTrail)
		switch r.k() {
		case '{', ':':
			// The name is declared here.
			if n := len(r.body.uses); n > uses && name.Kind == Name {
				r.body.uses = r.body.uses[:uses]
			}
		case ';':
			if name != nil && name.Kind == Name {
				r.body.uses = r.body.uses[:min(uses, len(r.body.uses))]
				d.Fwd = true
				d.Type = &Node{Kind: StructType, At: d.At}
				d.End = r.at()
				r.note(d)
				return &Node{Kind: Bad, Name: d.Name, At: d.At}, append(inner, d)
			}
			return tagged(name), inner
		default:
			return tagged(name), inner
		}
	}
	if r.k() == ':' && r.cpp {
		r.p++
		for !r.done() && r.k() != '{' && r.k() != ';' {
			switch r.k() {
			case cAccess, ',', cStorage, tDots:
				r.p++
			default:
				before := r.p
				if b := r.typeName(); b != nil {
					d.Bases = append(d.Bases, b)
				}
				r.moved(before)
			}
		}
	}
	if r.k() != '{' {
		return tagged(name), inner
	}
	r.p++
	d.Type = &Node{Kind: StructType, At: d.At}
	if d.Name != "" {
		r.note(d)
	}
	saved := r.local
	r.local = false
	for _, m := range r.declarations(d) {
		if m.Kind == Generated {
			d.Macros = append(d.Macros, m)
			continue
		}
		m.Parent = d
		switch m.Kind {
		case Var, Const, Param:
			if m.Kind != Const {
				m.Kind = Field
			}
			d.Type.Fields = append(d.Type.Fields, m)
		default:
			d.Members = append(d.Members, m)
		}
		r.note(m)
	}
	r.local = saved
	if r.k() == '}' {
		r.p++
	}
	d.End = r.prev().end
	return &Node{Kind: Typed, At: d.At, Fields: []*Def{d}}, append(inner, d)
}

func tagged(name *Node) *Node {
	if name != nil && name.Kind == Name {
		name.Sep = 't'
	}
	return name
}

// nameOf is the last name of a path.
func nameOf(n *Node) (string, uint32) {
	for n != nil && n.Kind == Index {
		n = n.X
	}
	if n == nil {
		return "", 0
	}
	return n.Name, n.At
}

func (r *cReader) enum(parent *Def, inner []*Def) (*Node, []*Def) {
	start := r.at()
	r.p++
	r.accept(cRecord)
	r.attributes()
	d := &Def{Kind: TypeName, At: r.at(), Start: start, Parent: parent, Sub: "enum"}
	var name *Node
	if r.k() == tIdent {
		uses := len(r.body.uses)
		name = r.typeName()
		d.Name, d.At = nameOf(name)
		if r.k() == '{' || r.k() == ':' {
			r.body.uses = r.body.uses[:min(uses, len(r.body.uses))]
		}
	}
	if r.k() == ':' {
		r.p++
		r.specifiers(nil)
	}
	if r.k() != '{' {
		return tagged(name), inner
	}
	end := r.closing(r.p)
	r.p++
	for r.p < end {
		before := r.p
		r.attributes()
		if r.k() == tIdent {
			v := &Def{Kind: Variant, Name: r.text(), At: r.at(), Parent: d}
			r.p++
			if r.k() == '=' {
				r.p++
				r.binary(1)
			}
			d.Members = append(d.Members, v)
			r.note(v)
		}
		r.nextItem(end, before)
	}
	r.p = min(end+1, r.end)
	d.Type = &Node{Kind: StructType, At: d.At}
	d.End = r.prev().end
	if d.Name != "" {
		r.note(d)
	}
	return &Node{Kind: Typed, At: d.At, Fields: []*Def{d}}, append(inner, d)
}
