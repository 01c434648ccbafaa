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
