package sketch

import "sort"

// branch is one branch of a conditional of the preprocessor.
type branch struct {
	from  int // tokens before it
	depth int // of braces
	first int // how the first branch changed the depth
	n     int
	at    uint32
	off   int8 // whether the current branch is taken: 1 no, 0 not known, -1 yes
	taken bool // an earlier branch is taken for sure
}

// preprocess notes what directives define and include and takes them out.
// Of conditional branches that do not balance their braces, only the first
// stays.
func (r *cReader) preprocess(in []token, words map[string]uint8) []token {
	out := make([]token, 0, len(in))
	var open []branch
	depth := 0
	known := map[string]string{}
	idle := false
	end := func(b *branch, at uint32) {
		if b.off > 0 {
			r.f.idle = append(r.f.idle, [2]uint32{b.at, at})
		}
	}
	set := func() {
		idle = false
		for i := range open {
			idle = idle || open[i].off > 0
		}
	}
	defer func() {
		sort.Slice(r.f.idle, func(i, j int) bool { return r.f.idle[i][0] < r.f.idle[j][0] })
		// Nested ones are in those around them.
		var out [][2]uint32
		for _, x := range r.f.idle {
			if n := len(out); n == 0 || x[0] >= out[n-1][1] {
				out = append(out, x)
			}
		}
		r.f.idle = out
	}()
	for _, t := range in {
		switch t.k {
		case '{':
			depth++
		case '}':
			depth--
		}
		if t.k != tDirective {
			out = append(out, t)
			continue
		}
		name, rest, at := directive(r.f.Text, t)
		switch name {
		case "define":
			r.define(rest, at, words)
			if !idle {
				noteMacro(known, rest)
			}
		case "include", "import", "include_next":
			r.include(rest, at)
		case "if", "ifdef", "ifndef":
			r.names(rest, at, words)
			b := branch{from: len(out), depth: depth, at: t.end}
			switch holds := r.holds(name, rest, known); holds {
			case never:
				b.off = 1
			default:
				b.taken = true // what cannot be told is taken to hold
			}
			open = append(open, b)
			set()
		case "elif", "else", "endif":
			if name == "elif" {
				r.names(rest, at, words)
			}
			if len(open) == 0 {
				continue
			}
			b := &open[len(open)-1]
			end(b, t.at)
			b.at = t.end
			switch {
			case name == "endif":
			case b.taken:
				b.off = 1
			case name == "else":
				b.off = 0
			default:
				b.off = 0
				switch r.holds(name, rest, known) {
				case never:
					b.off = 1
				default:
					b.taken = true
				}
			}
			change := depth - b.depth
			if b.n == 0 {
				b.first = change
			} else if change != 0 || b.first != 0 {
				// Another way to open or close what the first branch did.
				out = out[:b.from]
				depth = b.depth + b.first
			}
			if name == "endif" {
				if b.n == 0 {
					depth = b.depth + b.first
				} else if b.first != 0 {
					depth = b.depth + b.first
				}
				open = open[:len(open)-1]
				set()
				continue
			}
			b.n++
			b.from = len(out)
			depth = b.depth
			set()
		case "undef":
			r.names(rest, at, words)
		}
	}
	return out
}

// directive cuts a preprocessor's line into its name and the rest, and says
// where the rest stands.
func directive(text []byte, t token) (name string, rest []byte, at uint32) {
	s := text[t.at:t.end]
	i := 1
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	j := i
	for j < len(s) && letter(s[j]) {
		j++
	}
	return string(s[i:j]), s[j:], t.at + uint32(j)
}

func (r *cReader) include(rest []byte, at uint32) {
	for i, c := range rest {
		if c == '"' || c == '<' {
			end := byte('"')
			if c == '<' {
				end = '>'
			}
			for j := i + 1; j < len(rest); j++ {
				if rest[j] == end {
					r.f.Top = append(r.f.Top, &Def{Kind: Import, Path: string(rest[i : j+1]), At: at + uint32(i), Start: at + uint32(i), End: at + uint32(j) + 1})
					return
				}
			}
		}
	}
}

// define notes a macro and the names in its body.
func (r *cReader) define(rest []byte, at uint32, words map[string]uint8) {
	ts := scan(r.f.Lang, rest, words)
	if len(ts) < 2 || ts[0].k != tIdent && ts[0].k < tKeyword {
		return
	}
	d := &Def{Kind: MacroName, Name: string(rest[ts[0].at:ts[0].end]), At: at + ts[0].at}
	r.f.Top = append(r.f.Top, d)
	params := map[string]bool{}
	i := 1
	if ts[1].k == '(' && ts[1].at == ts[0].end {
		d.Alias = true // it has parameters
		for i = 2; i < len(ts) && ts[i].k != ')'; i++ {
			if ts[i].k == tIdent {
				params[string(rest[ts[i].at:ts[i].end])] = true
			}
		}
		i++
	}
	r.tokensUsed(rest, at, ts[min(i, len(ts)):], params)
	if i < len(ts) {
		if d.Init = r.macroValue(rest, at, ts[i:], params); d.Init == nil && !d.Alias {
			r.macroMembers(d, at, ts[i:])
		}
	}
}

// macroValue reads a macro's body as an expression where it is one.
func (r *cReader) macroValue(rest []byte, at uint32, ts []token, params map[string]bool) *Node {
	if len(ts) > 64 || len(params) > 0 && len(ts) < 1 {
		return nil
	}
	sub := &File{Lang: r.f.Lang, Text: r.f.Text, Level: &Body{}, byAt: map[uint32]*Def{}}
	moved := make([]token, len(ts))
	for i, t := range ts {
		t.at, t.end, t.nl = t.at+at, t.end+at, false
		moved[i] = t
	}
	in := &cReader{reader: reader{f: sub, t: moved, end: len(moved) - 1, body: sub.Level}, cpp: r.cpp, local: true}
	in.push()
	e := in.expr()
	if !in.done() {
		return nil
	}
	for _, u := range sub.Level.uses {
		if u.Node.Kind == Name && params[u.Node.Name] {
			u.Node.Sep = 'p'
		}
	}
	return e
}

// macroMembers reads a macro's body as declarations, which whoever uses it
// between a struct's braces gets.
func (r *cReader) macroMembers(d *Def, at uint32, ts []token) {
	if len(ts) < 3 || len(ts) > 200 {
		return
	}
	sub := &File{Lang: r.f.Lang, Text: r.f.Text, Level: &Body{}, byAt: map[uint32]*Def{}}
	moved := make([]token, len(ts))
	for i, t := range ts {
		t.at, t.end, t.nl = t.at+at, t.end+at, false
		moved[i] = t
	}
	in := &cReader{reader: reader{f: sub, t: moved, end: len(moved) - 1, body: sub.Level}, cpp: r.cpp}
	in.push()
	for _, m := range in.declarations(&Def{Kind: TypeName}) {
		switch {
		case m.Kind == Generated:
			d.Macros = append(d.Macros, m)
		case m.Kind == Var && m.Type != nil:
			m.Kind = Field
			d.Members = append(d.Members, m)
		}
	}
}

func (r *cReader) tokensUsed(rest []byte, at uint32, ts []token, skip map[string]bool) {
	for i, t := range ts {
		if t.k != tIdent || skip[string(rest[t.at:t.end])] {
			continue
		}
		n := &Node{Kind: Name, At: at + t.at, Name: string(rest[t.at:t.end])}
		if i > 0 && (ts[i-1].k == '.' || ts[i-1].k == tArrow) {
			n.Kind, n.Sep = Member, '.'
		}
		if i > 0 && ts[i-1].k == tScope {
			n.Kind, n.Sep = Member, ':'
		}
		if i+1 < len(ts) && ts[i+1].k == '(' {
			n.Flag = true
		}
		r.f.Level.uses = append(r.f.Level.uses, Use{At: n.At, Node: n, Macro: true})
	}
}

// names notes the names in a condition of the preprocessor.
func (r *cReader) names(rest []byte, at uint32, words map[string]uint8) {
	r.tokensUsed(rest, at, scan(r.f.Lang, rest, words), map[string]bool{"defined": true})
}
