package sketch

import "strings"

func (r *rustReader) typ() *Node {
	if !r.deeper() {
		r.skip()
		return nil
	}
	defer r.shallower()
	at := r.at()
	switch r.k() {
	case '&', tAndAnd:
		double := r.k() == tAndAnd
		r.p++
		if r.k() == tLifetime {
			r.lifetime()
		}
		r.accept(rsMut)
		n := &Node{Kind: Addr, At: at, X: r.typ()}
		if double {
			n = &Node{Kind: Addr, At: at, X: n}
		}
		return n
	case '*':
		r.p++
		if r.k() == rsConst || r.k() == rsMut {
			r.p++
		}
		return &Node{Kind: Star, At: at, X: r.typ()}
	case '(':
		r.p++
		n := &Node{Kind: Tuple, At: at}
		comma := false
		for !r.done() && r.k() != ')' {
			before := r.p
			n.List = append(n.List, r.typ())
			if r.k() == '+' {
				r.p++
				r.bounds()
			}
			if r.k() == ',' {
				comma = true
				r.p++
			}
			r.moved(before)
		}
		r.p++
		if len(n.List) == 1 && !comma {
			return n.List[0]
		}
		return n
	case '[':
		r.p++
		n := &Node{Kind: ArrayType, At: at, X: r.typ()}
		if r.k() == ';' {
			r.p++
			r.expr()
		}
		for !r.done() && r.k() != ']' {
			r.skip()
		}
		r.p++
		return n
	case '!':
		r.p++
		return &Node{Kind: Tuple, At: at}
	case rsFor:
		r.p++
		r.skipGenerics()
		return r.typ()
	case rsFn, rsExtern, rsUnsafe:
		for r.k() == rsExtern || r.k() == rsUnsafe || r.k() == tString {
			r.p++
		}
		if r.k() != rsFn {
			return nil
		}
		r.p++
		return r.fnSugar(nil, at)
	case rsImpl, rsDyn:
		r.p++
		return &Node{Kind: InterfaceType, At: at, List: r.bounds()}
	case '<':
		return r.qualified(false)
	case tIdent, tScope:
		if r.k() == tIdent && r.text() == "_" {
			r.p++
			return nil
		}
		n := r.typePath()
		if r.k() == '!' && (r.kn(1) == '(' || r.kn(1) == '[' || r.kn(1) == '{') {
			r.markMacro(n)
			r.p++
			r.skip()
			return nil
		}
		return n
	}
	return nil
}

// fnSugar reads "(A, B) -> C" behind fn or a trait such as Fn.
func (r *rustReader) fnSugar(trait *Node, at uint32) *Node {
	n := &Node{Kind: FuncType, At: at, X: trait, Fn: &Func{}}
	if r.k() != '(' {
		return n
	}
	end := r.closing(r.p)
	r.p++
	for r.p < end {
		before := r.p
		if r.k() == tIdent && r.kn(1) == ':' {
			r.p += 2
		}
		n.Fn.Params = append(n.Fn.Params, &Def{Kind: Param, Type: r.typ()})
		r.accept(',')
		r.moved(before)
	}
	r.p = min(end+1, r.end)
	if r.k() == tArrow {
		r.p++
		n.Fn.Results = []*Def{{Kind: Param, Type: r.typ()}}
	}
	return n
}

// qualified reads "<T as Trait>::name".
func (r *rustReader) qualified(value bool) *Node {
	at := r.at()
	r.p++
	n := &Node{Kind: Assert, At: at, Sep: ':', X: r.typ()}
	if r.k() == rsAs {
		r.p++
		n.Y = r.typ()
	}
	r.accept('>')
	return r.pathFrom(n, value)
}

func (r *rustReader) typePath() *Node {
	r.accept(tScope)
	if r.k() != tIdent {
		return nil
	}
	n := r.nameNode(r.tok())
	r.p++
	return r.pathFrom(n, false)
}

// pathFrom reads the rest of a path behind its first component. In types
// arguments stand behind the name, in values behind "::".
func (r *rustReader) pathFrom(n *Node, value bool) *Node {
	for !r.done() {
		switch {
		case r.k() == tScope && r.kn(1) == tIdent:
			r.p++
			n = r.memberNode(n, ':')
		case r.k() == tScope && r.kn(1) == '<':
			r.p++
			n = r.typeArgs(n)
		case !value && r.k() == '<':
			n = r.typeArgs(n)
		case !value && r.k() == '(' && (strings.HasPrefix(n.Name, "Fn") || strings.HasPrefix(n.Name, "AsyncFn")):
			return r.fnSugar(n, n.At)
		default:
			return n
		}
	}
	return n
}

func (r *rustReader) typeArgs(x *Node) *Node {
	n := &Node{Kind: Index, At: r.at(), X: x, Sep: ':'}
	r.p++
	for !r.done() && r.k() != '>' {
		before := r.p
		switch {
		case r.k() == tLifetime:
			r.lifetime()
		case r.k() == tIdent && r.kn(1) == '=' && r.kn(2) != '=':
			kv := &Node{Kind: KeyValue, At: r.at(), Name: r.text()}
			r.p += 2
			kv.Y = r.typ()
			n.List = append(n.List, kv)
		case r.k() == tInt || r.k() == tString || r.k() == tChar || r.k() == rsTrue || r.k() == rsFalse || r.k() == '{' || r.k() == '-':
			r.skip()
		case r.k() == ';' || r.k() == '}' || r.k() == ')':
			return n
		default:
			t := r.typ()
			if r.k() == ':' { // Item: Bound
				r.p++
				r.bounds()
			}
			n.List = append(n.List, t)
		}
		r.accept(',')
		r.moved(before)
	}
	r.accept('>')
	return n
}

// path reads a plain path without arguments.
func (r *rustReader) path() *Node {
	r.accept(tScope)
	if r.k() != tIdent {
		return nil
	}
	n := r.nameNode(r.tok())
	r.p++
	for r.k() == tScope && r.kn(1) == tIdent {
		r.p++
		n = r.memberNode(n, ':')
	}
	return n
}
