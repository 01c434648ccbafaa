package sketch

import "strings"

// cLiterals are the types of literals; a string's is its own.
var cLiterals = [...]string{tInt: "int", tFloat: "double", tChar: "char", tString: "string"}

func (r *cReader) operand() *Node {
	at := r.at()
	switch k := r.k(); k {
	case tInt, tFloat, tChar, tString:
		for r.k() == tString && r.kn(1) == tString {
			r.p++
		}
		name := cLiterals[k]
		if k == tFloat && strings.HasSuffix(strings.ToLower(r.text()), "f") {
			name = "float"
		}
		r.p++
		return &Node{Kind: Lit, At: at, Name: name}
	case cLiteral:
		name := "bool"
		if r.text() == "nullptr" {
			name = "nullptr"
		}
		r.p++
		return &Node{Kind: Lit, At: at, Name: name}
	case cThis:
		r.p++
		return &Node{Kind: Self, At: at}
	case '(':
		end := r.closing(r.p)
		if r.kn(1) == '{' {
			r.p++
			r.scope()
			r.p = min(end+1, r.end)
			return nil
		}
		r.p++
		saved := r.end
		r.end = min(end, saved)
		n := r.expr()
		r.end = saved
		r.p = min(end+1, r.end)
		return n
	case '{':
		return r.braces(nil, nil)
	case '[':
		return r.lambda()
	case cCast:
		r.p++
		var t *Node
		if r.k() == '<' {
			a := r.templateArgs(nil)
			if len(a.List) > 0 {
				t = a.List[0]
			}
		}
		if r.k() == '(' {
			r.list()
		}
		return &Node{Kind: Assert, At: at, Y: t}
	case cBasic, cAuto: // int(x)
		n := &Node{Kind: Lit, At: at, Name: r.text()}
		r.p++
		if r.k() == '(' {
			r.list()
		} else if r.k() == '{' {
			r.braces(nil, nil)
		}
		return n
	case cTypename, cTemplate, cDecltype:
		return r.typeName()
	case cOperator:
		d := &Def{}
		r.declaratorName(d)
		return nil
	case cRequires:
		r.p++
		for !r.done() && r.k() == '(' || r.k() == '{' {
			r.skipUses()
		}
		return &Node{Kind: Lit, At: at, Name: "bool"}
	case tIdent, tScope:
		if k == tScope {
			r.p++
			if r.k() != tIdent {
				return nil
			}
		}
		n := r.nameNode(r.tok())
		r.p++
		return r.pathFrom(n)
	}
	return nil
}

func (r *cReader) lambda() *Node {
	n := &Node{Kind: FuncLit, At: r.at(), Fn: &Func{}}
	end := r.closing(r.p)
	r.push()
	r.p++
	for r.p < end {
		before := r.p
		if r.k() == '&' || r.k() == '=' || r.k() == '*' || r.k() == ',' || r.k() == tDots {
			r.p++
			continue
		}
		if r.k() == tIdent && r.kn(1) == '=' {
			d := &Def{Kind: Var, Name: r.text(), At: r.at()}
			r.p += 2
			d.Init = r.binary(1)
			r.declare(d)
		} else {
			r.binary(1)
		}
		if r.p == before {
			r.p++
		}
	}
	r.p = min(end+1, r.end)
	if r.k() == '<' {
		r.templateParams()
	}
	if r.k() == '(' {
		local := r.local
		r.local = false
		t, _ := r.declaratorTail(nil)
		r.local = local
		if t != nil && t.Kind == FuncType {
			n.Fn = t.Fn
		}
	}
	for r.k() == cTrail || r.k() == cStorage {
		r.p++
	}
	if r.k() == '{' {
		for _, d := range n.Fn.Params {
			if d.Name != "" {
				r.add(d, r.at())
			}
		}
		r.block()
	}
	r.pop()
	return n
}

// list reads bracketed expressions.
func (r *cReader) list() []*Node {
	end := r.closing(r.p)
	r.p++
	saved := r.end
	r.end = min(end, saved)
	var out []*Node
	for r.p < end {
		before := r.p
		if r.k() == '{' {
			out = append(out, r.braces(nil, nil))
		} else if r.typeAhead(r.argumentEnd(end)) && r.k() != tIdent && r.k() != tScope {
			out = append(out, r.typeIn(r.argumentEnd(end)))
		} else {
			out = append(out, r.binary(1))
		}
		if r.k() == ',' || r.k() == tDots || r.k() == ';' {
			r.p++
		}
		r.moved(before)
	}
	r.end = saved
	r.p = min(end+1, r.end)
	return out
}

func (r *cReader) argumentEnd(end int) int {
	for i := r.p; i < end; i++ {
		switch r.t[i].k {
		case '(', '[', '{':
			i = r.closing(i)
		case ',':
			return i
		}
	}
	return end
}

// braces reads an initial value in braces; typ is the type that is written,
// of is that of the whole.
func (r *cReader) braces(_, of *Node) *Node {
	n := &Node{Kind: Composite, At: r.at(), X: of}
	if r.deeper() {
		defer r.shallower()
	} else {
		r.skip()
		return n
	}
	end := r.closing(r.p)
	r.p++
	saved := r.end
	r.end = min(end, saved)
	for r.p < end {
		before := r.p
		designated := false
		var field string
		for r.k() == '.' && r.kn(1) == tIdent || r.k() == '[' && !r.cpp {
			designated = true
			if r.k() == '[' {
				r.list()
				continue
			}
			r.p++
			t := r.tok()
			field = r.str(t)
			key := &Node{Kind: Name, At: t.at, Name: field}
			r.body.uses = append(r.body.uses, Use{At: t.at, Node: key, Of: n, In: r.in})
			r.p++
		}
		if designated && r.k() == '=' {
			r.p++
		}
		if r.k() == '{' {
			in := r.braces(nil, nil)
			in.Y, in.Name = n, field
		} else if r.p < end && r.k() != ',' {
			r.binary(1)
		}
		if r.k() == ',' || r.k() == tDots {
			r.p++
		}
		r.moved(before)
	}
	r.end = saved
	r.p = min(end+1, r.end)
	return n
}

func (r *cReader) suffixes(x *Node) *Node {
	for !r.done() {
		at := r.at()
		switch r.k() {
		case '.', tArrow:
			sep := byte('.')
			if r.k() == tArrow {
				sep = '>'
			}
			r.p++
			r.accept(cTemplate)
			switch r.k() {
			case tIdent:
				x = r.memberNode(x, sep)
				x = r.pathFrom(x)
			case '~':
				r.p++
				r.accept(tIdent)
			case cOperator:
				d := &Def{}
				r.declaratorName(d)
				x = nil
			default:
				return x
			}
		case '(':
			n := &Node{Kind: Call, At: at, X: x}
			callee := x
			for callee != nil && callee.Kind == Index && callee.Sep == ':' {
				callee = callee.X
			}
			if callee != nil && (callee.Kind == Name || callee.Kind == Member) {
				callee.Flag = true
			}
			n.List = r.list()
			if callee != nil && callee.Flag {
				callee.Args, callee.With = len(n.List)+1, n.List
			}
			x = n
		case '[':
			x = &Node{Kind: Index, At: at, X: x, List: r.list()}
		case '{':
			if x == nil || !r.cpp || x.Kind != Name && x.Kind != Member && x.Kind != Index || !upperish(x) {
				return x
			}
			x = r.braces(x, x)
		case tInc, tDec:
			r.p++
		default:
			return x
		}
	}
	return x
}

// upperish reports whether a name before "{" is rather a type's.
func upperish(n *Node) bool {
	name, _ := nameOf(n)
	return n.Kind == Index || strings.HasSuffix(name, "_t") || name != "" && name[0] >= 'A' && name[0] <= 'Z'
}
