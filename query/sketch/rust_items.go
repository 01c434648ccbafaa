package sketch

import (
	"strconv"
	"strings"
)

// items reads items up to a closing brace.
func (r *rustReader) items(parent *Def) []*Def {
	var out []*Def
	if r.deeper() {
		defer r.shallower()
	} else {
		return nil
	}
	for !r.done() && r.k() != '}' {
		before := r.p
		ds, ok := r.item(parent)
		out = append(out, ds...)
		if !ok || r.p == before {
			r.skip()
		}
	}
	return out
}

// attributes skips "#[...]", noting the paths in it as uses.
func (r *rustReader) attributes() {
	for r.k() == '#' {
		r.p++
		r.accept('!')
		if r.k() != '[' {
			return
		}
		r.skip()
	}
}

func (r *rustReader) visibility() {
	if r.k() == rsPub {
		r.p++
		if r.k() == '(' && (r.kn(1) == rsIn || r.kn(1) == tIdent && r.kn(2) == ')') {
			r.p++
			r.accept(rsIn)
			r.path()
			for !r.done() && r.k() != ')' {
				r.skip()
			}
			r.p++
		}
	}
}

// item reads one item; ok is false when none begins here.
func (r *rustReader) item(parent *Def) (ds []*Def, ok bool) {
	r.attributes()
	start := r.at()
	from := r.p
	r.visibility()
	for {
		switch k := r.k(); {
		case k == rsUnsafe && r.kn(1) != '{', k == rsAsync && r.kn(1) != '{' && r.kn(1) != rsMove, k == rsConst && (r.kn(1) == rsFn || r.kn(1) == rsUnsafe || r.kn(1) == rsAsync || r.kn(1) == rsExtern):
			r.p++
			continue
		case k == rsExtern && r.kn(1) == tString && r.kn(2) == rsFn:
			r.p += 2
			continue
		case k == rsExtern && r.kn(1) == rsFn:
			r.p++
			continue
		case k == tIdent && (r.text() == "default" || r.text() == "auto") && (r.kn(1) == rsFn || r.kn(1) == rsImpl || r.kn(1) == rsTrait || r.kn(1) == rsType || r.kn(1) == rsUnsafe || r.kn(1) == rsAsync):
			r.p++
			continue
		}
		break
	}
	async := false
	for i := from; i < r.p; i++ {
		async = async || r.t[i].k == rsAsync
	}
	one := func(d *Def) ([]*Def, bool) {
		if d == nil {
			return nil, true
		}
		d.Start = start
		if d.End == 0 {
			d.End = r.prev().end
		}
		if d.Parent == nil {
			d.Parent = parent
		}
		return []*Def{d}, true
	}
	switch r.k() {
	case rsFn:
		return one(r.function(parent, start, async))
	case rsStruct:
		return one(r.structItem(start))
	case rsEnum:
		return one(r.enumItem(start))
	case rsTrait:
		return one(r.traitItem(start))
	case rsImpl:
		return one(r.implItem(start))
	case rsMod:
		return one(r.modItem(start))
	case rsUse:
		r.p++
		r.accept(tScope)
		ds := r.useTree(nil, "")
		r.semi()
		for _, d := range ds {
			d.Parent = parent
			d.Static = r.t[from].k != rsPub
		}
		return ds, true
	case rsConst, rsStatic:
		return one(r.constItem())
	case rsType:
		return one(r.typeItem(start))
	case rsExtern:
		r.p++
		r.accept(tString)
		if r.k() == '{' {
			r.p++
			ds := r.items(parent)
			r.p++
			return ds, true
		}
		if r.k() == tIdent && r.text() == "crate" {
			r.p++
			name := r.text()
			d := &Def{Kind: Import, Name: name, At: r.at(), Path: name, Parent: parent}
			r.p++
			if r.k() == rsAs {
				r.p++
				d.Name, d.At = r.text(), r.at()
				r.p++
			}
			r.semi()
			return []*Def{d}, true
		}
		return nil, false
	case tIdent:
		switch {
		case r.text() == "union" && r.kn(1) == tIdent:
			return one(r.structItem(start))
		case r.text() == "macro_rules" && r.kn(1) == '!' && r.kn(2) == tIdent:
			r.p += 2
			d := &Def{Kind: MacroName, Name: r.text(), At: r.at()}
			r.p++
			r.skip()
			r.accept(';')
			return one(d)
		}
		if !r.local {
			return r.itemMacro(parent)
		}
	}
	r.p = from
	return nil, false
}

// useTree reads a tree of use and returns what it binds.
func (r *rustReader) useTree(x *Node, path string) []*Def {
	if !r.deeper() {
		r.skip()
		return nil
	}
	defer r.shallower()
	var out []*Def
	for !r.done() {
		switch r.k() {
		case '{':
			r.p++
			for !r.done() && r.k() != '}' {
				before := r.p
				out = append(out, r.useTree(x, path)...)
				r.accept(',')
				r.moved(before)
			}
			if r.k() == '}' {
				r.p++
			}
			return out
		case '*':
			d := &Def{Kind: Import, Name: "*", At: r.at(), Path: path, Init: x}
			r.p++
			return append(out, d)
		case tIdent:
			name, at := r.text(), r.at()
			switch {
			case x == nil:
				x = r.nameNode(r.tok())
				r.body.uses[len(r.body.uses)-1].Import = true
				r.p++
				path = name
			case name == "self":
				// "a::{self}" is a itself.
				x = &Node{Kind: Member, At: at, Name: name, X: x, Sep: ':'}
				r.body.uses = append(r.body.uses, Use{At: at, Node: x, In: r.in, Import: true})
				r.p++
			default:
				x = r.memberNode(x, ':')
				r.body.uses[len(r.body.uses)-1].Import = true
				path += "::" + name
			}
			if r.k() == tScope {
				r.p++
				continue
			}
			d := &Def{Kind: Import, Name: name, At: at, Path: path, Init: x}
			if name == "self" {
				d.Name = path
				if i := strings.LastIndex(path, "::"); i >= 0 {
					d.Name = path[i+2:]
				}
			}
			if r.k() == rsAs {
				r.p++
				d.Name, d.At = r.text(), r.at()
				d.Alias = true
				r.p++
			}
			return append(out, d)
		case tScope:
			r.p++
		default:
			return out
		}
	}
	return out
}

// generic reads what items with a name and type parameters begin with, and
// begins their scope. It returns nil where no name stands.
func (r *rustReader) generic(kind DefKind, start uint32) (d *Def, params []*Def) {
	r.p++
	if r.k() != tIdent {
		return nil, nil
	}
	d = &Def{Kind: kind, Name: r.text(), At: r.at(), Start: start}
	r.p++
	r.push()
	params = r.generics(start)
	d.Via = &Node{Kind: FuncType, Fn: &Func{TypeParams: params}}
	return d, params
}

func (r *rustReader) structItem(start uint32) *Def {
	d, ps := r.generic(TypeName, start)
	if d == nil {
		return nil
	}
	r.where(ps)
	d.Type = r.fields()
	r.where(ps)
	r.accept(';')
	r.pop()
	return d
}

// fields reads the fields of a struct or variant: "{a: T}", "(T)" or none.
func (r *rustReader) fields() *Node {
	n := &Node{Kind: StructType, At: r.at()}
	open := r.k()
	if open != '{' && open != '(' {
		return n
	}
	end := r.closing(r.p)
	r.p++
	for i := 0; r.p < end; i++ {
		before := r.p
		r.attributes()
		r.visibility()
		d := &Def{Kind: Field}
		if open == '{' {
			if r.k() == tIdent && r.kn(1) == ':' {
				d.Name, d.At = r.text(), r.at()
				r.p += 2
			}
		} else {
			d.Name, d.At = strconv.Itoa(i), r.at()
		}
		d.Type = r.typ()
		if d.Name != "" {
			n.Fields = append(n.Fields, d)
			if open == '{' {
				r.note(d)
			}
		}
		r.nextItem(end, before)
	}
	r.p = min(end+1, r.end)
	if open == '(' {
		n.Flag = true
	}
	return n
}

func (r *rustReader) enumItem(start uint32) *Def {
	d, ps := r.generic(TypeName, start)
	if d == nil {
		return nil
	}
	d.Type = &Node{Kind: StructType}
	r.where(ps)
	if r.k() == '{' {
		end := r.closing(r.p)
		r.p++
		for r.p < end {
			before := r.p
			r.attributes()
			if r.k() == tIdent {
				v := &Def{Kind: Variant, Name: r.text(), At: r.at(), Parent: d}
				r.p++
				v.Type = r.fields()
				if r.k() == '=' {
					r.p++
					r.expr()
				}
				d.Members = append(d.Members, v)
			}
			r.nextItem(end, before)
		}
		r.p = min(end+1, r.end)
	}
	r.pop()
	return d
}

func (r *rustReader) traitItem(start uint32) *Def {
	d, ps := r.generic(Trait, start)
	if d == nil {
		return nil
	}
	if r.k() == ':' {
		r.p++
		d.Bases = r.bounds()
	}
	if r.k() == '=' { // an alias
		r.p++
		d.Bases = r.bounds()
	}
	r.where(ps)
	r.members(d)
	r.pop()
	return d
}

// members reads the items between a trait's or implementation's braces.
func (r *rustReader) members(d *Def) {
	if r.k() != '{' {
		r.semi()
		return
	}
	end := r.closing(r.p)
	r.p++
	saved, local := r.end, r.local
	r.end = min(end, saved)
	d.Members = r.items(d)
	r.end, r.local = saved, local
	r.p = min(end+1, r.end)
	d.End = r.prev().end
}

func (r *rustReader) implItem(start uint32) *Def {
	d := &Def{Kind: Impl, At: r.at(), Start: start}
	r.p++
	r.push()
	ps := r.generics(start)
	r.accept('!')
	d.Type = r.typ()
	if r.k() == rsFor {
		r.p++
		d.Via = d.Type
		d.Type = r.typ()
	}
	d.At = typeAt(d.Type, d.At)
	r.where(ps)
	d.Params = ps
	if r.local {
		r.declare(&Def{Kind: Impl, Name: "Self", At: d.At, Type: d.Type, Via: d.Via, Params: ps})
	}
	r.members(d)
	r.pop()
	return d
}

// typeAt is where a type begins.
func typeAt(t *Node, at uint32) uint32 {
	for t != nil {
		at = t.At
		if t.Kind != Index && t.Kind != Member {
			break
		}
		t = t.X
	}
	return at
}

func (r *rustReader) modItem(start uint32) *Def {
	r.p++
	if r.k() != tIdent {
		return nil
	}
	d := &Def{Kind: Namespace, Name: r.text(), At: r.at(), Start: start}
	r.p++
	if r.k() == ';' {
		d.Fwd = true
		r.p++
		return d
	}
	r.push()
	r.members(d)
	r.pop()
	return d
}

func (r *rustReader) constItem() *Def {
	kind := Const
	if r.k() == rsStatic {
		kind = Var
	}
	r.p++
	r.accept(rsMut)
	if r.k() != tIdent {
		return nil
	}
	d := &Def{Kind: kind, Name: r.text(), At: r.at()}
	r.p++
	if r.k() == ':' {
		r.p++
		d.Type = r.typ()
	}
	if r.k() == '=' {
		r.p++
		r.push()
		d.Init = r.expr()
		r.pop()
	}
	r.semi()
	if d.Name == "_" {
		return nil
	}
	return d
}

func (r *rustReader) typeItem(start uint32) *Def {
	d, ps := r.generic(TypeName, start)
	if d == nil {
		return nil
	}
	d.Alias = true
	if r.k() == ':' {
		r.p++
		d.Bases = r.bounds()
	}
	r.where(ps)
	if r.k() == '=' {
		r.p++
		d.Type = r.typ()
	}
	r.where(ps)
	r.semi()
	r.pop()
	return d
}
