package sketch

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

func (r *rustReader) semi() {
	for !r.done() && r.k() != ';' && r.k() != '}' {
		r.skip()
	}
	r.accept(';')
}

func (r *rustReader) note(d *Def) {
	if r.body == r.f.Level {
		r.f.note(d)
	}
}

func (r *rustReader) lifetime() {
	n := &Node{Kind: Name, At: r.at(), Name: r.text()}
	r.body.uses = append(r.body.uses, Use{At: n.At, Node: n, In: r.in})
	r.p++
}
