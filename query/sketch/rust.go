package sketch

import (
	"strconv"
	"strings"
)

const (
	rsAs = tKeyword + iota
	rsAsync
	rsAwait
	rsBreak
	rsConst
	rsContinue
	rsDyn
	rsElse
	rsEnum
	rsExtern
	rsFalse
	rsFn
	rsFor
	rsIf
	rsImpl
	rsIn
	rsLet
	rsLoop
	rsMatch
	rsMod
	rsMove
	rsMut
	rsPub
	rsRef
	rsReturn
	rsStatic
	rsStruct
	rsTrait
	rsTrue
	rsType
	rsUnsafe
	rsUse
	rsWhere
	rsWhile
)

// self, Self, super and crate are names here.
var rustKeywords = map[string]uint8{
	"as": rsAs, "async": rsAsync, "await": rsAwait, "break": rsBreak, "const": rsConst, "continue": rsContinue, "dyn": rsDyn,
	"else": rsElse, "enum": rsEnum, "extern": rsExtern, "false": rsFalse, "fn": rsFn, "for": rsFor, "if": rsIf, "impl": rsImpl,
	"in": rsIn, "let": rsLet, "loop": rsLoop, "match": rsMatch, "mod": rsMod, "move": rsMove, "mut": rsMut, "pub": rsPub,
	"ref": rsRef, "return": rsReturn, "static": rsStatic, "struct": rsStruct, "trait": rsTrait, "true": rsTrue, "type": rsType,
	"unsafe": rsUnsafe, "use": rsUse, "where": rsWhere, "while": rsWhile,
}

// rustReader reads Rust.
type rustReader struct {
	reader
	control int  // in a condition, where "{" begins a block
	local   bool // in a function's body
}

func (f *File) readRust() {
	f.tokens = scan("rust", f.Text, rustKeywords)
	r := &rustReader{reader: reader{f: f, t: f.tokens, end: len(f.tokens) - 1, body: f.Level}}
	r.push()
	f.Top = r.items(nil)
	r.pop()
}

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

func (r *rustReader) semi() {
	for !r.done() && r.k() != ';' && r.k() != '}' {
		r.skip()
	}
	r.accept(';')
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

// generics reads "<'a, T: Bound = X, const N: usize>".
func (r *rustReader) generics(start uint32) []*Def {
	if r.k() != '<' {
		return nil
	}
	r.p++
	var out []*Def
	for !r.done() && r.k() != '>' {
		before := r.p
		r.attributes()
		switch r.k() {
		case tLifetime:
			d := &Def{Kind: TypeParam, Name: r.text(), At: r.at()}
			r.declare(d)
			d.From = start
			r.note(d)
			r.p++
			if r.k() == ':' {
				r.p++
				r.bounds()
			}
		case rsConst:
			r.p++
			d := &Def{Kind: Const, Name: r.text(), At: r.at()}
			r.declare(d)
			d.From = start
			r.note(d)
			out = append(out, d)
			r.p++
			if r.k() == ':' {
				r.p++
				d.Type = r.typ()
			}
			if r.k() == '=' {
				r.p++
				r.operand()
			}
		case tIdent:
			d := &Def{Kind: TypeParam, Name: r.text(), At: r.at()}
			r.declare(d)
			d.From = start
			r.note(d)
			out = append(out, d)
			r.p++
			if r.k() == ':' {
				r.p++
				d.Bases = r.bounds()
			}
			if r.k() == '=' {
				r.p++
				d.Init = r.typ()
			}
		}
		r.accept(',')
		r.moved(before)
	}
	r.accept('>')
	return out
}

func (r *rustReader) note(d *Def) {
	if r.body == r.f.Level {
		r.f.note(d)
	}
}

// bounds reads "A + ?B + 'a".
func (r *rustReader) bounds() []*Node {
	var out []*Node
	for !r.done() {
		switch r.k() {
		case tLifetime:
			r.lifetime()
		case '?', '~', rsConst:
			r.p++
			continue
		case '(':
			r.p++
			out = append(out, r.bounds()...)
			r.accept(')')
		default:
			before := r.p
			if t := r.typ(); t != nil {
				out = append(out, t)
			}
			if r.p == before {
				return out
			}
		}
		if r.k() != '+' {
			return out
		}
		r.p++
	}
	return out
}

// where reads a where clause, adding its bounds to the parameters.
func (r *rustReader) where(params []*Def) {
	if r.k() != rsWhere {
		return
	}
	r.p++
	for !r.done() && r.k() != '{' && r.k() != ';' && r.k() != '=' {
		before := r.p
		if r.k() == tLifetime {
			r.lifetime()
			if r.k() == ':' {
				r.p++
				r.bounds()
			}
		} else {
			if r.k() == rsFor {
				r.p++
				r.skipGenerics()
			}
			t := r.typ()
			if r.k() == ':' {
				r.p++
				bs := r.bounds()
				for _, d := range params {
					if t != nil && t.Kind == Name && t.Name == d.Name {
						d.Bases = append(d.Bases, bs...)
					}
				}
			}
		}
		r.accept(',')
		r.moved(before)
	}
}

func (r *rustReader) skipGenerics() {
	depth := 0
	for !r.done() {
		switch r.k() {
		case '<':
			depth++
		case '>':
			if depth--; depth <= 0 {
				r.p++
				return
			}
		case '{', ';':
			return
		}
		r.p++
	}
}

func (r *rustReader) lifetime() {
	n := &Node{Kind: Name, At: r.at(), Name: r.text()}
	r.body.uses = append(r.body.uses, Use{At: n.At, Node: n, In: r.in})
	r.p++
}

func (r *rustReader) function(parent *Def, start uint32, async bool) *Def {
	r.p++
	if r.k() != tIdent {
		return nil
	}
	d := &Def{Kind: Function, Name: r.text(), At: r.at(), Parent: parent, Start: start, Async: async}
	if parent != nil && (parent.Kind == Impl || parent.Kind == Trait) {
		d.Kind = Method
	}
	r.p++
	fn := &Func{}
	d.Type = &Node{Kind: FuncType, At: d.At, Fn: fn}
	r.push()
	fn.TypeParams = r.generics(start)
	if r.k() == '(' {
		fn.Params = r.params()
	}
	if r.k() == tArrow {
		r.p++
		fn.Results = []*Def{{Kind: Param, Type: r.typ()}}
	}
	r.where(fn.TypeParams)
	if r.k() == '{' {
		from := r.p
		r.skip()
		to := r.p
		if r.local {
			// A function in a function is read with it.
			in := *r
			in.p, in.end, in.control = from, to, 0
			in.push()
			in.bring(fn)
			in.block()
			in.pop()
			r.open, r.scopes = in.open, in.scopes
		} else {
			d.Body = &Body{Start: r.t[from].at, End: r.t[min(max(to-1, from), len(r.t)-1)].end}
			d.Body.read = func(b *Body) {
				in := &rustReader{reader: reader{f: r.f, t: r.t, p: from, end: to, body: b, in: d}, local: true}
				in.push()
				in.bring(fn)
				in.block()
				in.pop()
			}
		}
	} else {
		d.Fwd = true
		r.semi()
	}
	d.End = r.prev().end
	r.pop()
	for _, p := range fn.TypeParams {
		p.To = d.End
	}
	return d
}

func (r *rustReader) bring(fn *Func) {
	for _, d := range fn.Params {
		if d.Name != "" {
			r.add(d, r.at())
		}
		for _, m := range d.Members {
			r.add(m, r.at())
		}
	}
}

// params reads a function's parameters.
func (r *rustReader) params() []*Def {
	end := r.closing(r.p)
	r.p++
	var out []*Def
	for r.p < end {
		before := r.p
		r.attributes()
		if d := r.selfParam(); d != nil {
			out = append(out, d)
		} else {
			// The names of a pattern are parameters too.
			mark := len(r.body.all)
			saved := len(r.open)
			d := &Def{Kind: Param}
			value := &Node{Kind: Bad}
			r.pattern(value)
			names := append([]*Def{}, r.open[saved:]...)
			r.open = r.open[:saved]
			r.body.all = r.body.all[:mark]
			if r.k() == ':' {
				r.p++
				d.Type = r.typ()
			}
			if len(names) == 1 && names[0].Init == value {
				d.Name, d.At = names[0].Name, names[0].At
				r.note(d)
			} else {
				value.Kind, value.Y = Typed, d.Type
				for _, n := range names {
					n.Kind = Param
					r.note(n)
				}
				d.Members = names
			}
			out = append(out, d)
		}
		for r.p < end && r.k() != ',' {
			r.skip()
		}
		if r.k() == ',' && r.p < end {
			r.p++
		}
		if r.p == before {
			r.p++
		}
	}
	r.p = min(end+1, r.end)
	return out
}

// selfParam reads "self", "&'a mut self" or "self: T".
func (r *rustReader) selfParam() *Def {
	from := r.p
	ref := false
	if r.k() == '&' {
		ref = true
		r.p++
		if r.k() == tLifetime {
			r.lifetime()
		}
	}
	r.accept(rsMut)
	if r.k() != tIdent || r.text() != "self" || r.kn(1) == tScope {
		r.p = from
		return nil
	}
	d := &Def{Kind: Param, Name: "self", At: r.at(), Type: &Node{Kind: Self, At: r.at()}}
	r.p++
	if r.k() == ':' {
		r.p++
		d.Type = r.typ()
	}
	if ref {
		d.Type = &Node{Kind: Addr, X: d.Type}
	}
	r.note(d)
	return d
}

func (r *rustReader) structItem(start uint32) *Def {
	r.p++
	if r.k() != tIdent {
		return nil
	}
	d := &Def{Kind: TypeName, Name: r.text(), At: r.at(), Start: start}
	r.p++
	r.push()
	ps := r.generics(start)
	d.Via = &Node{Kind: FuncType, Fn: &Func{TypeParams: ps}}
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
	r.p++
	if r.k() != tIdent {
		return nil
	}
	d := &Def{Kind: TypeName, Name: r.text(), At: r.at(), Start: start, Type: &Node{Kind: StructType}}
	r.p++
	r.push()
	ps := r.generics(start)
	d.Via = &Node{Kind: FuncType, Fn: &Func{TypeParams: ps}}
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
	r.p++
	if r.k() != tIdent {
		return nil
	}
	d := &Def{Kind: Trait, Name: r.text(), At: r.at(), Start: start}
	r.p++
	r.push()
	ps := r.generics(start)
	d.Via = &Node{Kind: FuncType, Fn: &Func{TypeParams: ps}}
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
	r.p++
	if r.k() != tIdent {
		return nil
	}
	d := &Def{Kind: TypeName, Alias: true, Name: r.text(), At: r.at(), Start: start}
	r.p++
	r.push()
	ps := r.generics(start)
	d.Via = &Node{Kind: FuncType, Fn: &Func{TypeParams: ps}}
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

// Types.

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

// Patterns. of is the value that the pattern takes apart.

func part(of *Node, name string) *Node {
	if of == nil {
		return nil
	}
	return &Node{Kind: Member, Name: name, X: of, Sep: '.'}
}

func (r *rustReader) patterns(of *Node) {
	if r.k() == '|' {
		r.p++
	}
	saved := len(r.open)
	r.pattern(of)
	for r.k() == '|' {
		r.p++
		// The alternatives bind the same names: those of the first count.
		first := len(r.open)
		r.pattern(of)
		for _, d := range r.open[first:] {
			for _, e := range r.open[saved:first] {
				if e.Name == d.Name {
					d.Same = e
				}
			}
		}
	}
}

func (r *rustReader) pattern(of *Node) {
	if r.deeper() {
		defer r.shallower()
	} else {
		r.skip()
		return
	}
	switch r.k() {
	case '&', tAndAnd:
		r.p++
		r.accept(rsMut)
		var in *Node
		if of != nil {
			in = &Node{Kind: Star, X: of}
		}
		r.pattern(in)
	case '(', '[':
		open := r.k()
		end := r.closing(r.p)
		r.p++
		for i := 0; r.p < end; i++ {
			before := r.p
			if open == '(' {
				if i == 0 && r.single(end) {
					r.patterns(of)
				} else {
					r.patterns(part(of, strconv.Itoa(i)))
				}
			} else if of != nil {
				r.patterns(&Node{Kind: Index, X: of})
			} else {
				r.patterns(nil)
			}
			if r.k() == ',' && r.p < end {
				r.p++
			}
			r.moved(before)
		}
		r.p = min(end+1, r.end)
	case tInt, tFloat, tString, tChar, rsTrue, rsFalse, '-':
		for r.k() == '-' || r.k() == tInt || r.k() == tFloat || r.k() == tString || r.k() == tChar || r.k() == rsTrue || r.k() == rsFalse || r.k() == tRange {
			r.p++
		}
		if r.k() == tIdent && r.prev().k == tRange {
			r.path()
		}
	case tRange:
		r.p++
	case rsRef, rsMut:
		for r.k() == rsRef || r.k() == rsMut {
			r.p++
		}
		r.binding(of)
	case rsConst:
		r.p++
		r.skip()
	case tIdent, tScope, '<':
		if r.k() == tIdent && r.text() == "_" {
			r.p++
			return
		}
		k := r.kn(1)
		if r.k() == tIdent && k != tScope && k != '(' && k != '{' && k != '!' && k != tRange && !upper(r.text()) {
			r.binding(of)
			return
		}
		if r.k() == tIdent && k == '{' && r.control > 0 && !upper(r.text()) {
			r.binding(of)
			return
		}
		var n *Node
		if r.k() == '<' {
			n = r.qualified(true)
		} else if r.k() == tScope || r.k() == tIdent {
			r.accept(tScope)
			n = r.nameNode(r.tok())
			r.p++
			n = r.pathFrom(n, true)
		}
		switch r.k() {
		case '(':
			end := r.closing(r.p)
			r.p++
			for i := 0; r.p < end; i++ {
				before := r.p
				var in *Node
				if of != nil {
					in = &Node{Kind: VariantPart, Name: strconv.Itoa(i), X: of, Y: n}
				}
				r.patterns(in)
				if r.k() == ',' && r.p < end {
					r.p++
				}
				r.moved(before)
			}
			r.p = min(end+1, r.end)
		case '{':
			r.fieldPatterns(of, n)
		case '!':
			r.markMacro(n)
			r.p++
			r.skip()
		case tRange:
			r.p++
			if r.k() == tIdent {
				r.path()
			} else if r.k() == tInt || r.k() == tChar {
				r.p++
			}
		case '@':
			r.p++
			r.pattern(of)
		}
	}
}

// single reports whether only one pattern stands up to token end.
func (r *rustReader) single(end int) bool {
	for i := r.p; i < end; i++ {
		switch r.t[i].k {
		case '(', '[', '{':
			i = r.closing(i)
		case ',', tRange:
			return false
		}
	}
	return true
}

func upper(s string) bool { return s[0] >= 'A' && s[0] <= 'Z' }

func (r *rustReader) binding(of *Node) {
	if r.k() != tIdent {
		return
	}
	d := &Def{Kind: Var, Name: r.text(), At: r.at(), Init: of}
	r.p++
	if r.k() == '@' {
		r.p++
		r.pattern(of)
	}
	r.declare(d)
}

func (r *rustReader) fieldPatterns(of, path *Node) {
	end := r.closing(r.p)
	r.p++
	for r.p < end {
		before := r.p
		r.attributes()
		for r.k() == rsRef || r.k() == rsMut {
			r.p++
		}
		if r.k() == tIdent || r.k() == tInt {
			t := r.tok()
			n := &Node{Kind: Name, At: t.at, Name: r.str(t)}
			in := &Node{Kind: VariantPart, Name: n.Name, X: of, Y: path}
			r.body.uses = append(r.body.uses, Use{At: t.at, Node: n, Of: &Node{Kind: Composite, X: path}, In: r.in, Short: r.kn(1) != ':'})
			r.p++
			if r.k() == ':' {
				r.p++
				r.patterns(in)
			} else {
				r.declare(&Def{Kind: Var, Name: n.Name, At: n.At, Init: in})
			}
		} else if r.k() == tRange {
			r.p++
		}
		if r.k() == ',' && r.p < end {
			r.p++
		}
		r.moved(before)
	}
	r.p = min(end+1, r.end)
}

// Statements and expressions.

// block reads a block in the scope that is open and returns its value.
func (r *rustReader) block() *Node {
	n := &Node{Kind: Block, At: r.at()}
	if r.k() != '{' {
		return n
	}
	saved := r.control
	r.control = 0
	defer func() { r.control = saved }()
	if r.deeper() {
		defer r.shallower()
	} else {
		r.skip()
		return n
	}
	r.p++
	for !r.done() && r.k() != '}' {
		before := r.p
		e := r.statement()
		if r.k() == ';' {
			r.p++
		} else if r.k() == '}' && e != nil {
			n.X = e
		}
		r.moved(before)
	}
	if r.k() == '}' {
		r.p++
	}
	return n
}

func (r *rustReader) scope() *Node {
	r.push()
	n := r.block()
	r.pop()
	return n
}

func (r *rustReader) statement() *Node {
	r.attributes()
	switch r.k() {
	case ';':
		return nil
	case rsLet:
		r.letStatement()
		return nil
	case rsFn, rsStruct, rsEnum, rsTrait, rsImpl, rsMod, rsUse, rsStatic, rsType, rsPub, rsExtern:
		return r.localItem()
	case rsConst:
		if r.kn(1) != '{' {
			return r.localItem()
		}
	case rsUnsafe, rsAsync:
		if k := r.kn(1); k == rsFn || k == rsImpl || k == rsTrait || k == rsExtern || k == rsUnsafe {
			return r.localItem()
		}
	case tIdent:
		if r.text() == "macro_rules" && r.kn(1) == '!' && r.kn(2) == tIdent {
			return r.localItem()
		}
	}
	return r.expr()
}

// localItem reads an item in a function. It is seen in the whole block.
func (r *rustReader) localItem() *Node {
	from := uint32(0)
	if n := len(r.scopes); n > 0 {
		from = r.body.Start
	}
	ds, ok := r.item(nil)
	if !ok {
		r.skip()
	}
	for _, d := range ds {
		if d.Name != "" && d.Kind != Impl {
			r.declare(d)
			d.From = from
			if d.Kind == TypeName && d.Type != nil {
				for _, f := range d.Type.Fields {
					r.noteHidden(f)
				}
				for _, v := range d.Members {
					r.noteHidden(v)
				}
			}
			for _, m := range d.Members {
				if d.Kind == Trait {
					r.noteHidden(m)
				}
			}
		} else if d.Kind == Impl {
			r.f.addImpl(d)
			for _, m := range d.Members {
				r.noteHidden(m)
			}
		}
	}
	return nil
}

func (r *rustReader) noteHidden(d *Def) {
	if d.Name == "" {
		return
	}
	d.From, d.To = d.At, d.At
	r.body.all = append(r.body.all, d)
}

func (r *rustReader) letStatement() {
	r.p++
	// The value is read before the names are seen, and stands behind them.
	value := &Node{Kind: Bad}
	saved, mark := len(r.open), len(r.body.all)
	r.patterns(value)
	names := append([]*Def{}, r.open[saved:]...)
	r.open, r.body.all = r.open[:saved], r.body.all[:mark]
	if r.k() == ':' {
		r.p++
		value.Kind, value.Y = Typed, r.typ()
	}
	if r.k() == '=' {
		r.p++
		e := r.expr()
		if value.Kind == Bad && e != nil {
			*value = Node{Kind: Block, At: e.At, X: e}
		} else if value.Kind == Typed {
			value.X = e
		}
	}
	if r.k() == rsElse {
		r.p++
		r.scope()
	}
	for _, d := range names {
		r.declare(d)
	}
}

func (r *rustReader) expr() *Node { return r.binary(0) }

// condition reads an expression in which "{" begins a block.
func (r *rustReader) condition() *Node {
	r.control++
	n := r.expr()
	r.control--
	return n
}

// operator returns the precedence and the number of tokens of a binary
// operator; 0 for none.
func (r *rustReader) operator() (prec, n int) {
	next := func(k uint8) bool { return r.kn(1) == k && r.p+1 < len(r.t) && r.t[r.p+1].at == r.t[r.p].end }
	switch r.k() {
	case '=', tOpAssign:
		return 1, 1
	case tRange:
		return 2, 1
	case tOrOr:
		return 3, 1
	case tAndAnd:
		return 4, 1
	case tCompare, '<':
		return 5, 1
	case '>':
		switch {
		case next('='):
			return 5, 2
		case next('>'):
			return 9, 2
		}
		return 5, 1
	case '|':
		return 6, 1
	case '^':
		return 7, 1
	case '&':
		return 8, 1
	case tShift:
		return 9, 1
	case '+', '-':
		return 10, 1
	case '*', '/', '%':
		return 11, 1
	}
	return 0, 0
}

func (r *rustReader) binary(prec int) *Node {
	if !r.deeper() {
		r.skip()
		return nil
	}
	defer r.shallower()
	var x *Node
	if r.k() == tRange {
		r.p++
		if r.startsExpr() {
			r.binary(3)
		}
		return &Node{Kind: Range, At: r.at()}
	}
	blocky := r.blockLike()
	x = r.unary()
	if blocky && prec == 0 && r.prev().k == '}' && r.k() != '.' && r.k() != '?' && r.control == 0 {
		return x // a statement that ends with its block
	}
	for !r.done() {
		p, n := r.operator()
		if p == 0 || p < prec || p == prec && p > 1 {
			return x
		}
		b := &Node{Kind: Binary, At: r.at(), X: x, Name: r.text()}
		if p == 5 {
			b.Name = "=="
		}
		r.p += n
		switch p {
		case 1:
			b.Y = r.binary(1)
		case 2:
			b.Kind = Range
			if r.startsExpr() {
				b.Y = r.binary(3)
			}
		default:
			b.Y = r.binary(p)
		}
		x = b
	}
	return x
}

func (r *rustReader) blockLike() bool {
	switch r.k() {
	case rsIf, rsMatch, rsWhile, rsLoop, rsFor, rsUnsafe, '{', tLifetime:
		return true
	}
	return false
}

// startsExpr reports whether an expression can begin here.
func (r *rustReader) startsExpr() bool {
	switch r.k() {
	case ')', ']', '}', ',', ';', tFatArrow, tEOF:
		return false
	case '{':
		return r.control == 0
	}
	return true
}

func (r *rustReader) unary() *Node {
	if !r.deeper() {
		r.skip()
		return nil
	}
	defer r.shallower()
	at := r.at()
	switch r.k() {
	case '&', tAndAnd:
		r.p++
		if r.k() == tIdent && r.text() == "raw" && (r.kn(1) == rsConst || r.kn(1) == rsMut) {
			r.p++
		}
		if r.k() == rsMut || r.k() == rsConst {
			r.p++
		}
		return &Node{Kind: Addr, At: at, X: r.unary()}
	case '*':
		r.p++
		return &Node{Kind: Star, At: at, X: r.unary()}
	case '-', '!':
		name := r.text()
		r.p++
		return &Node{Kind: Unary, At: at, Name: name, X: r.unary()}
	case rsLet:
		r.p++
		value := &Node{Kind: Bad}
		saved, mark := len(r.open), len(r.body.all)
		r.patterns(value)
		names := append([]*Def{}, r.open[saved:]...)
		r.open, r.body.all = r.open[:saved], r.body.all[:mark]
		if r.k() == '=' {
			r.p++
			r.control++
			if e := r.binary(4); e != nil {
				*value = Node{Kind: Block, At: e.At, X: e}
			}
			r.control--
		}
		for _, d := range names {
			r.declare(d)
		}
		return &Node{Kind: Lit, At: at, Name: "bool"}
	}
	x := r.suffixes(r.operand())
	for r.k() == rsAs {
		r.p++
		x = &Node{Kind: Assert, At: at, X: x, Y: r.typ()}
	}
	return x
}

func (r *rustReader) operand() *Node {
	at := r.at()
	switch k := r.k(); k {
	case tInt, tFloat, tChar, tString:
		r.p++
		return &Node{Kind: Lit, At: at, Name: goLiterals[k]}
	case rsTrue, rsFalse:
		r.p++
		return &Node{Kind: Lit, At: at, Name: "bool"}
	case '(':
		return r.parens()
	case '[':
		n := &Node{Kind: Composite, At: at, Name: "array"}
		n.List = r.list()
		return n
	case '{':
		return r.scope()
	case rsUnsafe, rsConst:
		r.p++
		return r.scope()
	case rsAsync:
		r.p++
		r.accept(rsMove)
		if r.k() == '{' {
			return &Node{Kind: AsyncBlock, At: at, X: r.scope()}
		}
		return r.closure()
	case rsMove, rsStatic:
		r.p++
		return r.closure()
	case '|', tOrOr:
		return r.closure()
	case rsIf:
		return r.ifExpr()
	case rsMatch:
		return r.matchExpr()
	case rsWhile:
		r.p++
		r.push()
		r.condition()
		r.scope()
		r.pop()
		return &Node{Kind: Tuple, At: at}
	case rsLoop:
		r.p++
		r.scope()
		return nil
	case rsFor:
		r.p++
		value := &Node{Kind: Receive}
		saved, mark := len(r.open), len(r.body.all)
		r.patterns(value)
		names := append([]*Def{}, r.open[saved:]...)
		r.open, r.body.all = r.open[:saved], r.body.all[:mark]
		if r.k() == rsIn {
			r.p++
			value.X = r.condition()
		}
		r.push()
		for _, d := range names {
			r.declare(d)
		}
		r.scope()
		r.pop()
		return &Node{Kind: Tuple, At: at}
	case tLifetime:
		if r.kn(1) == ':' {
			if r.body.labels == nil {
				r.body.labels = map[string]*Def{}
			}
			r.body.labels[r.text()] = &Def{Kind: Label, Name: r.text(), At: at}
			r.p += 2
			return r.operand()
		}
		r.p++
		return nil
	case rsBreak, rsContinue, rsReturn:
		r.p++
		if r.k() == tLifetime {
			r.body.uses = append(r.body.uses, Use{At: r.at(), Node: &Node{Kind: Name, At: r.at(), Name: r.text()}, Label: true, In: r.in})
			r.p++
		}
		if r.startsExpr() && k != rsContinue {
			r.expr()
		}
		return nil
	case '<':
		return r.afterPath(r.qualified(true))
	case tIdent, tScope:
		r.accept(tScope)
		if r.k() != tIdent {
			return nil
		}
		if r.text() == "_" {
			r.p++
			return nil
		}
		n := r.nameNode(r.tok())
		r.p++
		return r.afterPath(r.pathFrom(n, true))
	}
	return nil
}

// afterPath reads what may follow a path: a macro's arguments or the fields
// of a literal.
func (r *rustReader) afterPath(n *Node) *Node {
	switch r.k() {
	case '!':
		if k := r.kn(1); k == '(' || k == '[' || k == '{' {
			return r.macro(n)
		}
	case '{':
		if r.control == 0 && r.literalAhead(n) {
			return r.literal(n)
		}
	}
	return n
}

// literalAhead reports whether "{" behind a path begins a struct literal.
func (r *rustReader) literalAhead(n *Node) bool {
	switch r.kn(1) {
	case '}':
		return n.Name != "" && upper(n.Name)
	case tRange:
		return true
	case tIdent, tInt:
		switch r.kn(2) {
		case ':':
			return true
		case ',', '}':
			return n.Name != "" && upper(n.Name) || n.Kind == Index
		}
	case '#':
		return true
	}
	return false
}

func (r *rustReader) literal(path *Node) *Node {
	n := &Node{Kind: Composite, At: r.at(), X: path}
	end := r.closing(r.p)
	r.p++
	for r.p < end {
		before := r.p
		r.attributes()
		switch {
		case r.k() == tIdent || r.k() == tInt:
			t := r.tok()
			key := &Node{Kind: Name, At: t.at, Name: r.str(t)}
			short := r.kn(1) != ':'
			r.body.uses = append(r.body.uses, Use{At: t.at, Node: key, Of: n, In: r.in, Short: short})
			r.p++
			if !short {
				r.p++
				r.expr()
			}
		case r.k() == tRange:
			r.p++
			if r.p < end {
				r.expr()
			}
		}
		if r.k() == ',' && r.p < end {
			r.p++
		}
		r.moved(before)
	}
	r.p = min(end+1, r.end)
	return n
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

func (r *rustReader) parens() *Node {
	saved := r.control
	r.control = 0
	n := &Node{Kind: Tuple, At: r.at()}
	r.p++
	comma := false
	for !r.done() && r.k() != ')' {
		before := r.p
		n.List = append(n.List, r.expr())
		if r.k() == ',' {
			comma = true
			r.p++
		}
		r.moved(before)
	}
	r.p++
	r.control = saved
	if len(n.List) == 1 && !comma && n.List[0] != nil {
		return n.List[0]
	}
	return n
}

// list reads bracketed expressions.
func (r *rustReader) list() []*Node {
	saved := r.control
	r.control = 0
	end := r.closing(r.p)
	var out []*Node
	r.p++
	for r.p < end {
		before := r.p
		out = append(out, r.expr())
		if (r.k() == ',' || r.k() == ';') && r.p < end {
			r.p++
		}
		r.moved(before)
	}
	r.p = min(end+1, r.end)
	r.control = saved
	return out
}

func (r *rustReader) closure() *Node {
	n := &Node{Kind: FuncLit, At: r.at(), Fn: &Func{}}
	r.push()
	if r.k() == tOrOr {
		r.p++
	} else if r.k() == '|' {
		r.p++
		for i := 0; !r.done() && r.k() != '|'; i++ {
			before := r.p
			d := &Def{Kind: Param}
			value := &Node{Kind: ClosureArg, X: n, Name: strconv.Itoa(i)}
			r.attributes()
			r.pattern(value)
			if r.k() == ':' {
				r.p++
				d.Type = r.typ()
				value.Kind, value.Y, value.X = Typed, d.Type, nil
			}
			n.Fn.Params = append(n.Fn.Params, d)
			r.accept(',')
			r.moved(before)
		}
		r.p++
	}
	if r.k() == tArrow {
		r.p++
		n.Fn.Results = []*Def{{Kind: Param, Type: r.typ()}}
		n.Y = r.scope()
	} else {
		n.Y = r.expr()
	}
	r.pop()
	return n
}

func (r *rustReader) ifExpr() *Node {
	n := &Node{Kind: Cond, At: r.at()}
	r.p++
	r.push()
	r.condition()
	n.List = append(n.List, r.scope())
	r.pop()
	if r.k() == rsElse {
		r.p++
		if r.k() == rsIf {
			if r.deeper() {
				n.List = append(n.List, r.ifExpr())
				r.shallower()
			}
		} else {
			n.List = append(n.List, r.scope())
		}
	}
	return n
}

func (r *rustReader) matchExpr() *Node {
	n := &Node{Kind: Cond, At: r.at()}
	r.p++
	value := r.condition()
	if r.k() != '{' {
		return n
	}
	saved := r.control
	r.control = 0
	end := r.closing(r.p)
	r.p++
	for r.p < end {
		before := r.p
		r.attributes()
		r.push()
		r.patterns(value)
		if r.k() == rsIf {
			r.p++
			r.expr()
		}
		for r.p < end && r.k() != tFatArrow {
			r.skip()
		}
		if r.p < end {
			r.p++
			n.List = append(n.List, r.expr())
		}
		r.pop()
		if r.k() == ',' && r.p < end {
			r.p++
		}
		if r.p == before {
			r.p++
		}
	}
	r.p = min(end+1, r.end)
	r.control = saved
	return n
}

func (r *rustReader) suffixes(x *Node) *Node {
	for !r.done() {
		at := r.at()
		switch r.k() {
		case '.':
			switch r.kn(1) {
			case tIdent, tInt:
				r.p++
				x = r.memberNode(x, '.')
				if r.k() == tScope && r.kn(1) == '<' {
					r.p++
					x = r.typeArgs(x)
				}
			case tFloat: // x.0.1
				r.p++
				a, b, _ := strings.Cut(r.text(), ".")
				x = part(part(x, a), b)
				r.p++
			case rsAwait:
				r.p += 2
				x = &Node{Kind: Await, At: at, X: x}
			default:
				return x
			}
		case '?':
			r.p++
			x = &Node{Kind: Try, At: at, X: x}
		case '(':
			if x == nil {
				return nil
			}
			n := &Node{Kind: Call, At: at, X: x}
			callee := x
			if callee.Kind == Index {
				callee = callee.X
			}
			if callee.Kind == Name || callee.Kind == Member {
				callee.Flag = true
			}
			n.List = r.list()
			for _, a := range n.List {
				if a != nil && a.Kind == FuncLit {
					a.X = n
				}
			}
			x = n
		case '[':
			if x == nil {
				return nil
			}
			x = &Node{Kind: Index, At: at, X: x, List: r.list()}
		default:
			return x
		}
	}
	return x
}
