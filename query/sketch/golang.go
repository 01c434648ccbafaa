package sketch

import "strings"

const (
	goBreak = tKeyword + iota
	goCase
	goChan
	goConst
	goContinue
	goDefault
	goDefer
	goElse
	goFallthrough
	goFor
	goFunc
	goGo
	goGoto
	goIf
	goImport
	goInterface
	goMap
	goPackage
	goRange
	goReturn
	goSelect
	goStruct
	goSwitch
	goType
	goVar
)

var goKeywords = map[string]uint8{
	"break": goBreak, "case": goCase, "chan": goChan, "const": goConst, "continue": goContinue, "default": goDefault,
	"defer": goDefer, "else": goElse, "fallthrough": goFallthrough, "for": goFor, "func": goFunc, "go": goGo, "goto": goGoto,
	"if": goIf, "import": goImport, "interface": goInterface, "map": goMap, "package": goPackage, "range": goRange,
	"return": goReturn, "select": goSelect, "struct": goStruct, "switch": goSwitch, "type": goType, "var": goVar,
}

// goReader reads Go. It follows the grammar of the language's specification
// and takes what does not fit as nothing.
type goReader struct {
	reader
	control int // nested headers of statements, in which "{" begins a block
}

func (f *File) readGo() {
	f.tokens = scan("go", f.Text, goKeywords)
	r := &goReader{reader: reader{f: f, t: f.tokens, end: len(f.tokens) - 1, body: f.Level}}
	r.file()
}

// newline reports whether a semicolon was inserted before the current token.
func (r *goReader) newline() bool {
	if r.p >= r.end || !r.t[r.p].nl || r.p == 0 {
		return r.p >= r.end
	}
	switch r.prev().k {
	case tIdent, tInt, tFloat, tChar, tString, goBreak, goContinue, goFallthrough, goReturn, tInc, tDec, ')', ']', '}':
		return true
	}
	return false
}

// semi skips to behind the end of a statement or specification.
func (r *goReader) semi() {
	for !r.done() && !r.newline() && r.k() != ';' && r.k() != '}' && r.k() != ')' {
		r.skip()
	}
	r.accept(';')
}

func (r *goReader) file() {
	if r.k() == goPackage && r.kn(1) == tIdent {
		r.p++
		r.f.Package, r.f.PackAt = r.text(), r.at()
		r.p++
	}
	for !r.done() {
		before := r.p
		switch r.k() {
		case goImport:
			r.group(r.importSpec)
		case goConst:
			r.values(Const, true)
		case goVar:
			r.values(Var, true)
		case goType:
			r.group(func(int) { r.typeSpec(true) })
		case goFunc:
			r.function()
		default:
			r.skip()
		}
		if r.p == before {
			r.p++
		}
	}
}

// group reads "keyword spec" or "keyword ( spec; spec )".
func (r *goReader) group(spec func(i int)) {
	r.p++
	if r.k() != '(' {
		spec(0)
		r.semi()
		return
	}
	r.p++
	for i := 0; !r.done() && r.k() != ')'; i++ {
		before := r.p
		spec(i)
		r.semi()
		if r.p == before {
			r.p++
		}
	}
	r.p++
}

func (r *goReader) importSpec(int) {
	d := &Def{Kind: Import, At: r.at()}
	switch r.k() {
	case tIdent:
		d.Name = r.text()
		r.p++
	case '.':
		d.Name = "."
		r.p++
	}
	if r.k() != tString {
		return
	}
	d.Path = strings.Trim(r.text(), "\"`")
	d.Start = r.at()
	d.End = r.t[r.p].end
	r.p++
	r.f.Top = append(r.f.Top, d)
}

// values reads the specifications behind const or var. Where a constant has
// neither type nor value, those of the one before count.
func (r *goReader) values(kind DefKind, top bool) {
	var lastType *Node
	var lastInit []*Node
	r.group(func(int) {
		var ds []*Def
		for r.k() == tIdent {
			ds = append(ds, &Def{Kind: kind, Name: r.text(), At: r.at()})
			r.p++
			if r.k() != ',' {
				break
			}
			r.p++
		}
		var typ *Node
		var inits []*Node
		if !r.newline() && r.k() != '=' && r.k() != ';' && r.k() != ')' {
			typ = r.typ()
		}
		if r.k() == '=' {
			r.p++
			inits = r.exprs()
		}
		if kind == Const {
			if typ == nil && inits == nil {
				typ, inits = lastType, lastInit
			}
			lastType, lastInit = typ, inits
		}
		r.project(ds, typ, inits)
		for _, d := range ds {
			if top {
				r.f.Top = append(r.f.Top, d)
			} else {
				r.declare(d)
			}
		}
	})
}

// project says what each of several definitions is worth.
func (r *goReader) project(ds []*Def, typ *Node, inits []*Node) {
	for i, d := range ds {
		d.Type = typ
		switch {
		case len(inits) == 1 && len(ds) > 1:
			d.Init, d.Proj, d.N = inits[0], Nth, i
		case i < len(inits):
			d.Init = inits[i]
		}
	}
}

func (r *goReader) typeSpec(top bool) {
	if r.k() != tIdent {
		return
	}
	d := &Def{Kind: TypeName, Name: r.text(), At: r.at(), From: r.at()}
	r.p++
	if !top {
		r.declare(d)
		d.From = d.At
	}
	from := len(r.body.all)
	r.push()
	var params []*Def
	if r.k() == '[' && r.kn(1) == tIdent {
		switch r.kn(2) {
		case tIdent, ',', '*', '[', '(', '~', goInterface, goFunc, goMap, goChan, goStruct:
			params = r.typeParams()
		}
	}
	if r.k() == '=' {
		d.Alias = true
		r.p++
	}
	d.Type = r.typ()
	r.pop()
	if params != nil {
		d.Via = &Node{Kind: FuncType, Fn: &Func{TypeParams: params}}
		for _, x := range r.body.all[min(from, len(r.body.all)):] {
			if x.Kind == TypeParam {
				x.From = d.At
			}
		}
	}
	if top {
		r.f.Top = append(r.f.Top, d)
	}
}

// typeParams reads "[P, Q C]".
func (r *goReader) typeParams() []*Def {
	var out []*Def
	open := r.p
	r.p++
	for !r.done() && r.k() != ']' {
		before := r.p
		var ds []*Def
		for r.k() == tIdent {
			d := &Def{Kind: TypeParam, Name: r.text(), At: r.at()}
			ds = append(ds, d)
			r.declare(d)
			d.From = r.t[open].at
			r.f.note(d)
			r.p++
			if r.k() != ',' {
				break
			}
			r.p++
		}
		typ := r.union()
		for _, d := range ds {
			d.Type = typ
		}
		out = append(out, ds...)
		r.accept(',')
		if r.p == before {
			r.p++
		}
	}
	r.p++
	return out
}

// union reads "~A | B".
func (r *goReader) union() *Node {
	var first *Node
	n := 0
	for {
		r.accept('~')
		t := r.typ()
		if n++; first == nil {
			first = t
		}
		if r.k() != '|' {
			break
		}
		r.p++
	}
	return first
}

func (r *goReader) function() {
	r.p++
	start := r.at()
	d := &Def{Kind: Function, Start: start}
	r.push()
	if r.k() == '(' {
		d.Kind = Method
		ps := r.params(func(d *Def) { r.f.note(d) })
		if len(ps) > 0 {
			d.Recv = ps[0]
			d.Recv.Kind = Param
		} else {
			d.Recv = &Def{Kind: Param}
		}
	}
	if r.k() != tIdent {
		r.pop()
		return
	}
	d.Name, d.At = r.text(), r.at()
	r.p++
	fn := &Func{}
	d.Type = &Node{Kind: FuncType, At: d.At, Fn: fn}
	if d.Recv != nil {
		fn.TypeParams = append(fn.TypeParams, r.receiverParams(d.Recv.Type)...)
	}
	if r.k() == '[' {
		fn.TypeParams = append(fn.TypeParams, r.typeParams()...)
	}
	r.signature(fn, r.f.note)
	if r.k() == '{' {
		from := r.p
		r.skip()
		to := r.p
		d.Body = &Body{Start: r.t[from].at, End: r.t[min(max(to-1, from), len(r.t)-1)].end}
		d.Body.read = func(b *Body) {
			in := &goReader{reader: reader{f: r.f, t: r.t, p: from, end: to, body: b, in: d}}
			in.push()
			in.bring(fn)
			if d.Recv != nil && d.Recv.Name != "" {
				in.add(d.Recv, b.Start)
			}
			in.functionBlock()
			in.pop()
		}
		d.End = d.Body.End
	} else {
		d.Fwd = true
		d.End = r.prev().end
	}
	r.pop()
	for _, p := range fn.TypeParams {
		p.To = d.End
	}
	r.f.Top = append(r.f.Top, d)
}

// receiverParams declares the type parameters that a receiver names.
func (r *goReader) receiverParams(t *Node) []*Def {
	for t != nil && t.Kind == Star {
		t = t.X
	}
	if t == nil || t.Kind != Index {
		return nil
	}
	var out []*Def
	for i, a := range t.List {
		if a.Kind != Name {
			continue
		}
		d := &Def{Kind: TypeParam, Name: a.Name, At: a.At, N: i + 1}
		r.declare(d)
		d.From = a.At
		r.f.note(d)
		out = append(out, d)
	}
	return out
}

// bring makes what a signature names visible from the current place on.
func (r *goReader) bring(fn *Func) {
	for _, list := range [2][]*Def{fn.Params, fn.Results} {
		for _, d := range list {
			if d.Name != "" {
				r.add(d, r.at())
			}
		}
	}
}

func (r *goReader) signature(fn *Func, note func(*Def)) {
	if r.k() == '(' {
		fn.Params = r.params(note)
	}
	if r.newline() {
		return
	}
	switch r.k() {
	case '(':
		fn.Results = r.params(note)
	case tIdent, '*', '[', goMap, goChan, goFunc, goStruct, goInterface, tArrow:
		fn.Results = []*Def{{Kind: Param, At: r.at(), Type: r.typ()}}
	}
}

// params reads a parenthesised list of parameters.
func (r *goReader) params(note func(*Def)) []*Def {
	type entry struct {
		name  bool // a name in front of a type
		n     token
		typ   *Node
		dots  bool
		alone bool // one name only: a parameter or a type
	}
	var list []entry
	named := false
	r.p++
	for !r.done() && r.k() != ')' {
		before := r.p
		var e entry
		if r.k() == tIdent {
			switch k := r.kn(1); k {
			case ',', ')':
				e.alone, e.n = true, r.t[r.p]
				r.p++
			case '.':
			case '[':
				if r.kn(2) == ']' {
					e.name = true
				} else if c := r.closing(r.p + 1); c+1 < len(r.t) && r.t[c+1].k != ',' && r.t[c+1].k != ')' {
					e.name = true
				}
			default:
				e.name = true
			}
			if e.name {
				e.n = r.t[r.p]
				r.p++
			}
		}
		if !e.alone {
			if r.k() == tDots {
				e.dots = true
				r.p++
			}
			e.typ = r.typ()
		}
		named = named || e.name
		list = append(list, e)
		r.accept(',')
		if r.p == before {
			r.p++
		}
	}
	r.p++
	var out []*Def
	for i, e := range list {
		d := &Def{Kind: Param, Type: e.typ, Alias: e.dots}
		switch {
		case named:
			if e.n.end > 0 {
				d.Name, d.At = string(r.f.Text[e.n.at:e.n.end]), e.n.at
			}
			for j := i; d.Type == nil && j < len(list); j++ {
				d.Type, d.Alias = list[j].typ, list[j].dots
			}
			if note != nil && d.Name != "" {
				note(d)
			}
		case e.alone:
			d.Type = r.nameNode(e.n)
		}
		out = append(out, d)
	}
	return out
}

// typ reads a type; nil where none stands.
func (r *goReader) typ() *Node {
	if !r.deeper() {
		r.skip()
		return nil
	}
	defer r.shallower()
	switch at := r.at(); r.k() {
	case tIdent:
		t := r.nameNode(r.t[r.p])
		r.p++
		if r.k() == '.' && r.kn(1) == tIdent {
			r.p++
			t = r.memberNode(t, '.')
		}
		if r.k() == '[' && !r.newline() && r.kn(1) != ']' {
			r.p++
			n := &Node{Kind: Index, At: at, X: t}
			for !r.done() && r.k() != ']' {
				before := r.p
				n.List = append(n.List, r.typ())
				r.accept(',')
				if r.p == before {
					r.p++
				}
			}
			r.p++
			t = n
		}
		return t
	case '*':
		r.p++
		return &Node{Kind: Star, At: at, X: r.typ()}
	case '(':
		r.p++
		t := r.typ()
		r.accept(')')
		return t
	case '[':
		r.p++
		if r.k() == tDots {
			r.p++
		} else if r.k() != ']' {
			saved := r.control
			r.control = 0
			r.expr()
			r.control = saved
		}
		for !r.done() && r.k() != ']' {
			r.skip()
		}
		r.p++
		return &Node{Kind: ArrayType, At: at, X: r.typ()}
	case goMap:
		r.p++
		n := &Node{Kind: MapType, At: at}
		if r.k() == '[' {
			r.p++
			n.X = r.typ()
			r.accept(']')
		}
		n.Y = r.typ()
		return n
	case goChan:
		r.p++
		r.accept(tArrow)
		return &Node{Kind: ChanType, At: at, X: r.typ()}
	case tArrow:
		r.p++
		r.accept(goChan)
		return &Node{Kind: ChanType, At: at, X: r.typ()}
	case goFunc:
		r.p++
		n := &Node{Kind: FuncType, At: at, Fn: &Func{}}
		r.signature(n.Fn, r.noteLocal)
		return n
	case goStruct:
		return r.structType()
	case goInterface:
		return r.interfaceType()
	}
	return nil
}

// noteLocal notes a parameter that is seen from nowhere.
func (r *goReader) noteLocal(d *Def) {
	if r.body == r.f.Level {
		r.f.note(d)
		return
	}
	d.From, d.To = d.At, d.At
	r.body.all = append(r.body.all, d)
}

func (r *goReader) structType() *Node {
	n := &Node{Kind: StructType, At: r.at()}
	r.p++
	if r.k() != '{' {
		return n
	}
	r.p++
	for !r.done() && r.k() != '}' {
		before := r.p
		embedded := false
		switch r.k() {
		case '*', '(':
			embedded = true
		case tIdent:
			switch k := r.kn(1); {
			case k == '.' || k == ';' || k == '}' || k == tString || r.t[min(r.p+1, len(r.t)-1)].nl:
				embedded = true
			case k == '[':
				c := r.closing(r.p + 1)
				k := r.t[min(c+1, r.end)].k
				embedded = r.kn(2) != ']' && (r.t[min(c+1, r.end)].nl || k == ';' || k == '}' || k == tString)
			}
		}
		if embedded {
			if t := r.typ(); t != nil {
				n.Fields = append(n.Fields, embeddedDef(t))
			}
		} else {
			var ds []*Def
			for r.k() == tIdent {
				ds = append(ds, &Def{Kind: Field, Name: r.text(), At: r.at()})
				r.p++
				if r.k() != ',' {
					break
				}
				r.p++
			}
			t := r.typ()
			for _, d := range ds {
				d.Type = t
				r.noteLocal(d)
			}
			n.Fields = append(n.Fields, ds...)
		}
		r.semi()
		if r.p == before {
			r.p++
		}
	}
	r.p++
	return n
}

// embeddedDef is the field that embedding a type declares.
func embeddedDef(t *Node) *Def {
	d := &Def{Kind: Embedded, Type: t}
	for t != nil {
		switch t.Kind {
		case Star, Index:
			t = t.X
			continue
		case Name, Member:
			d.Name, d.At = t.Name, t.At
		}
		break
	}
	return d
}

func (r *goReader) interfaceType() *Node {
	n := &Node{Kind: InterfaceType, At: r.at()}
	r.p++
	if r.k() != '{' {
		return n
	}
	r.p++
	for !r.done() && r.k() != '}' {
		before := r.p
		if r.k() == tIdent && r.kn(1) == '(' {
			d := &Def{Kind: Method, Name: r.text(), At: r.at(), Fwd: true}
			r.p++
			d.Type = &Node{Kind: FuncType, At: d.At, Fn: &Func{}}
			r.signature(d.Type.Fn, r.noteLocal)
			r.noteLocal(d)
			n.Fields = append(n.Fields, d)
		} else if t := r.union(); t != nil {
			n.Fields = append(n.Fields, embeddedDef(t))
		}
		r.semi()
		if r.p == before {
			r.p++
		}
	}
	r.p++
	return n
}

// Statements.

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

// Expressions.

func (r *goReader) exprs() []*Node {
	var out []*Node
	for {
		out = append(out, r.expr())
		if r.k() != ',' {
			return out
		}
		r.p++
		if k := r.k(); k == ')' || k == ']' || k == '}' {
			return out
		}
	}
}

func (r *goReader) expr() *Node { return r.binary(1) }

func (r *goReader) binary(prec int) *Node {
	if !r.deeper() {
		r.skip()
		return nil
	}
	defer r.shallower()
	x := r.unary()
	for !r.done() && !r.newline() {
		p := 0
		switch r.k() {
		case tOrOr:
			p = 1
		case tAndAnd:
			p = 2
		case tCompare, '<', '>':
			p = 3
		case '+', '-', '|', '^':
			p = 4
		case '*', '/', '%', tShift, '&', tAndNot:
			p = 5
		}
		if p < prec || p == 0 {
			return x
		}
		n := &Node{Kind: Binary, At: r.at(), X: x, Name: r.text()}
		r.p++
		n.Y = r.binary(p + 1)
		x = n
	}
	return x
}

func (r *goReader) unary() *Node {
	if !r.deeper() {
		r.skip()
		return nil
	}
	defer r.shallower()
	at := r.at()
	switch r.k() {
	case '*':
		r.p++
		return &Node{Kind: Star, At: at, X: r.unary()}
	case '&':
		r.p++
		return &Node{Kind: Addr, At: at, X: r.unary()}
	case tArrow:
		if r.kn(1) == goChan {
			return r.suffixes(r.typ())
		}
		r.p++
		return &Node{Kind: Receive, At: at, X: r.unary()}
	case '+', '-', '!', '^', '~':
		name := r.text()
		r.p++
		return &Node{Kind: Unary, At: at, Name: name, X: r.unary()}
	}
	return r.suffixes(r.operand())
}

var goLiterals = [...]string{tInt: "int", tFloat: "float", tChar: "rune", tString: "string"}

func (r *goReader) operand() *Node {
	at := r.at()
	switch k := r.k(); k {
	case tIdent:
		n := r.nameNode(r.t[r.p])
		r.p++
		return n
	case tInt, tFloat, tChar, tString:
		r.p++
		return &Node{Kind: Lit, At: at, Name: goLiterals[k]}
	case '(':
		saved := r.control
		r.control = 0
		r.p++
		n := r.expr()
		for !r.done() && r.k() != ')' && r.k() != '}' && r.k() != ';' {
			r.skip()
		}
		r.accept(')')
		r.control = saved
		return n
	case goFunc:
		r.p++
		fn := &Func{}
		r.push()
		r.signature(fn, nil)
		if r.k() != '{' {
			r.pop()
			for _, d := range append(fn.Params, fn.Results...) {
				if d.Name != "" {
					r.noteLocal(d)
				}
			}
			return &Node{Kind: FuncType, At: at, Fn: fn}
		}
		r.bring(fn)
		r.functionBlock()
		r.pop()
		return &Node{Kind: FuncLit, At: at, Fn: fn}
	case '[', goMap, goChan, goStruct, goInterface:
		return r.typ()
	}
	return nil
}

func (r *goReader) suffixes(x *Node) *Node {
	for x != nil && !r.done() && !r.newline() {
		at := r.at()
		switch r.k() {
		case '.':
			switch r.kn(1) {
			case tIdent:
				r.p++
				x = r.memberNode(x, '.')
			case '(':
				r.p += 2
				n := &Node{Kind: Assert, At: at, X: x}
				if r.k() == goType {
					r.p++
				} else {
					n.Y = r.typ()
				}
				r.accept(')')
				x = n
			default:
				return x
			}
		case '[':
			saved := r.control
			r.control = 0
			n := &Node{Kind: Index, At: at, X: x}
			r.operands(n, ']', ':', func() { n.Kind = Slice })
			r.control = saved
			x = n
		case '(':
			saved := r.control
			r.control = 0
			n := &Node{Kind: Call, At: at, X: x}
			if x.Kind == Name || x.Kind == Member {
				x.Flag = true
			}
			r.operands(n, ')', tDots, func() { n.Name = "..." })
			r.control = saved
			x = n
		case '{':
			if !compositeType(x, r.control > 0) {
				return x
			}
			x = r.composite(x, nil, false)
		default:
			return x
		}
	}
	return x
}

// operands reads the expressions between the bracket at the current token and
// its closing one into n, and tells of every token of kind mark among them.
func (r *goReader) operands(n *Node, closing, mark uint8, marked func()) {
	r.p++
	for !r.done() && r.k() != closing && r.k() != ';' {
		switch r.k() {
		case ',':
			r.p++
		case mark:
			marked()
			r.p++
		default:
			before := r.p
			n.List = append(n.List, r.expr())
			r.moved(before)
		}
	}
	r.accept(closing)
}

// compositeType reports whether an expression before "{" is the type of a
// literal.
func compositeType(x *Node, control bool) bool {
	switch x.Kind {
	case ArrayType, MapType, StructType:
		return true
	case Name:
		return !control
	case Member:
		return !control && x.X != nil && x.X.Kind == Name
	case Index:
		return !control && x.X != nil && compositeType(x.X, control)
	}
	return false
}

func (r *goReader) composite(typ, around *Node, key bool) *Node {
	n := &Node{Kind: Composite, At: r.at(), X: typ, Y: around, Flag: key}
	if r.deeper() {
		defer r.shallower()
	} else {
		r.skip()
		return n
	}
	saved := r.control
	r.control = 0
	r.p++
	for !r.done() && r.k() != '}' {
		before := r.p
		var e *Node
		mark := len(r.body.uses)
		if r.k() == '{' {
			c := r.closing(r.p)
			e = r.composite(nil, n, c+1 < len(r.t) && r.t[c+1].k == ':')
		} else {
			e = r.expr()
		}
		if r.k() == ':' {
			if e != nil && e.Kind == Name && mark < len(r.body.uses) && r.body.uses[mark].Node == e {
				r.body.uses[mark].Of = n
			}
			kv := &Node{Kind: KeyValue, At: r.at(), X: e}
			r.p++
			if r.k() == '{' {
				kv.Y = r.composite(nil, n, false)
			} else {
				kv.Y = r.expr()
			}
			e = kv
		}
		n.List = append(n.List, e)
		r.accept(',')
		r.moved(before)
	}
	if r.k() == '}' {
		r.p++
	}
	r.control = saved
	return n
}
