package sketch

// itemMacro reads "name! { items }".
func (r *rustReader) itemMacro(parent *Def) ([]*Def, bool) {
	from := r.p
	n := r.path()
	if r.k() != '!' || n == nil {
		r.p = from
		return nil, false
	}
	r.markMacro(n)
	r.p++
	r.accept(tIdent)
	var ds []*Def
	if k := r.k(); k == '{' || k == '(' || k == '[' {
		end := r.closing(r.p)
		r.p++
		saved := r.end
		r.end = min(end, saved)
		for !r.done() {
			before := r.p
			got, ok := r.item(parent)
			ds = append(ds, got...)
			if !ok && r.p == before {
				if r.k() == tIdent {
					// A name given to a macro may be that of what it declares.
					ds = append(ds, &Def{Kind: Generated, Name: r.text(), At: r.at(), Parent: parent})
				}
				r.skip()
			}
		}
		r.end = saved
		r.p = min(end+1, r.end)
	}
	r.accept(';')
	return ds, true
}

// markMacro says that the last name of a path is a macro's.
func (r *rustReader) markMacro(n *Node) {
	for i := len(r.body.uses) - 1; i >= 0; i-- {
		if r.body.uses[i].Node == n {
			r.body.uses[i].Macro = true
			return
		}
	}
}

// formatting are the macros whose strings may name variables.
func formatting(name string) bool {
	switch name {
	case "format", "print", "println", "eprint", "eprintln", "write", "writeln", "panic", "assert", "assert_eq", "assert_ne",
		"debug_assert", "debug_assert_eq", "debug_assert_ne", "unreachable", "todo", "unimplemented", "format_args",
		"trace", "debug", "info", "warn", "error", "bail", "anyhow", "ensure":
		return true
	}
	return false
}

func (r *rustReader) macro(path *Node) *Node {
	r.markMacro(path)
	r.p++
	n := &Node{Kind: Macro, At: path.At, Name: path.Name, X: path}
	end := r.closing(r.p)
	open := r.k()
	r.p++
	saved, control := r.end, r.control
	r.end = min(end, saved)
	r.control = 0
	r.push()
	for !r.done() {
		before := r.p
		if r.k() == tString && formatting(path.Name) {
			r.formatted()
		}
		if open == '{' && path.Name != "vec" {
			e := r.statement()
			n.List = append(n.List, e)
		} else {
			n.List = append(n.List, r.expr())
		}
		switch r.k() {
		case ',', ';', tFatArrow, '=':
			r.p++
		}
		if r.p == before {
			r.p++
		}
	}
	r.pop()
	r.end, r.control = saved, control
	r.p = min(end+1, r.end)
	return n
}

// formatted notes the names in a format string: "{name:?}".
func (r *rustReader) formatted() {
	t := r.tok()
	s := r.f.Text[t.at:t.end]
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '{' {
			continue
		}
		if s[i+1] == '{' {
			i++
			continue
		}
		j := i + 1
		for j < len(s) && (letter(s[j]) || digit(s[j])) {
			j++
		}
		if j > i+1 && letter(s[i+1]) && j < len(s) && (s[j] == '}' || s[j] == ':') {
			r.nameNode(token{k: tIdent, at: t.at + uint32(i) + 1, end: t.at + uint32(j)})
		}
		i = j - 1
	}
}
