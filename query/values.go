package query

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// Types of expressions, as far as they are written: from hints that the
// compiler kept (see artifact.Local) and the declarations of the tree. Nothing
// is executed or guessed; what cannot be told has no value.

// place is where an expression stands.
type place struct {
	file int
	at   artifact.Position
	in   *decl // innermost declaration around it
}

// value is what an expression means or is known to be an instance of. The zero
// value is unknown.
type value struct {
	decls    []*decl // what a name refers to
	of       []*decl // types that it is an instance of
	files    []int   // a module
	external bool    // something outside the tree
	generic  string  // external: the type's own name
	args     []typeText
	params   []typeText // of a callable
	elem     *value     // what iterating gives, where no type argument says it
	super    bool       // members of the bases only
	recv     []*decl    // types of the receiver through which decls were reached
	rule     string
}

// typeText is a written type and where it stands.
type typeText struct {
	text string
	pl   place
	self []*decl
}

func (v *value) known() bool {
	return len(v.decls) > 0 || len(v.of) > 0 || len(v.files) > 0 || v.external
}

// told is what a binder remembers of values.
type told struct {
	locals    map[int]*fileLocals
	types     map[declID]value   // see typeOf
	lineages  map[declID][]*decl // see lineage
	openBases map[declID]bool    // types with a base that is not in the tree
	active    map[declID]bool    // callables whose results are being found
	depth     int
}

func newTold() told {
	return told{
		locals: map[int]*fileLocals{}, types: map[declID]value{}, lineages: map[declID][]*decl{},
		openBases: map[declID]bool{}, active: map[declID]bool{},
	}
}

// maxInfer bounds how deep types are followed.
const maxInfer = 24

// evaluate finds what a chain (see artifact.HintValue) means at a place.
func (b *binder) evaluate(pl place, chain string) (value, error) {
	if b.depth >= maxInfer {
		return value{}, nil
	}
	b.depth++
	defer func() { b.depth-- }()
	chain = strings.ReplaceAll(chain, "?.", ".")
	chain = strings.ReplaceAll(chain, "!.", ".")
	if rest, ok := strings.CutPrefix(chain, "module.exports"); ok {
		chain = "exports" + rest
	}
	n := chainName(chain)
	if n == 0 {
		return value{}, nil
	}
	if v, rest, err := b.dottedModule(pl, chain); err != nil || v.known() {
		if err != nil {
			return v, err
		}
		return b.follow(v, rest)
	}
	v, err := b.nameValue(pl, chain[:n])
	if err != nil {
		return value{}, err
	}
	return b.follow(v, chain[n:])
}

// follow applies the steps of a chain to a value.
func (b *binder) follow(v value, chain string) (value, error) {
	var err error
	for chain != "" && v.known() {
		switch c := chain[0]; c {
		case '.':
			n := chainName(chain[1:])
			if n == 0 {
				return value{}, nil
			}
			v, err = b.memberValue(v, chain[1:1+n])
			chain = chain[1+n:]
		case '(':
			if len(chain) >= 5 && chain[1] != ')' && chain[2] == ',' && chain[4] == ')' {
				v, err = b.passed(v, int(chain[1]-'0'), int(chain[3]-'0'))
				chain = chain[5:]
				break
			}
			if !strings.HasPrefix(chain, "()") {
				return value{}, nil
			}
			v, err = b.called(v)
			chain = chain[2:]
		case '[':
			end := strings.IndexByte(chain, ']')
			if end < 0 {
				return value{}, nil
			}
			v, err = b.subscripted(v, chain[1:end])
			chain = chain[end+1:]
		case '*':
			v, err = b.element(v)
			chain = chain[1:]
		case '^':
			v, err = b.entered(v)
			chain = chain[1:]
		case '~':
			var el value
			if el, err = b.element(v); err == nil {
				v = value{external: true, elem: &value{external: true, generic: "pair", elem: &el}}
			}
			chain = chain[1:]
		case '!', '?':
			chain = chain[1:]
		default:
			return value{}, nil
		}
		if err != nil {
			return value{}, err
		}
	}
	if chain != "" {
		return value{}, nil
	}
	return v, nil
}

// chainName returns the length of the name at the start of a chain.
func chainName(s string) int {
	i := 0
	for i < len(s) && (wordByte(s[i]) || s[i] >= 0x80 || s[i] == '$' || s[i] == '#' && i == 0 || s[i] == '@' && i == 0) {
		i++
	}
	return i
}

// nameValue finds what a bare name means at a place.
func (b *binder) nameValue(pl place, name string) (value, error) {
	lang := family(b.t.files[pl.file].lang)
	l, err := b.localsOf(pl.file)
	if err != nil {
		return value{}, err
	}
	tr := traitsOf(b.t.files[pl.file].lang)
	if lang == "python" && name == "super" || lang != "python" && (slices.Contains(tr.self, name) || slices.Contains(tr.super, name)) {
		if pl.in == nil {
			return value{}, nil
		}
		class, err := b.classOf(pl.in)
		if err != nil || class == nil {
			return value{}, err
		}
		return value{of: []*decl{class}, super: slices.Contains(tr.super, name), rule: name + " within the type"}, nil
	}
	if best := l.narrowed(pl.at, name); best >= 0 {
		x := &l.list[best]
		in, err := b.enclosing(pl.file, x.Pos)
		if err != nil {
			return value{}, err
		}
		v, err := b.typed(typeText{text: x.Type[1:], pl: place{pl.file, x.Pos, in}})
		v.rule = "the type that a test gives the receiver"
		return v, err
	}
	if row := l.holding(pl.at, name); row >= 0 {
		d, err := b.localDecl(pl.file, row)
		if err != nil {
			return value{}, err
		}
		return value{decls: []*decl{d}}, nil
	}
	o, err := b.bind(use{file: pl.file, in: pl.in, occ: artifact.Occurrence{Name: name, Role: artifact.RoleRead, Pos: pl.at}})
	if err != nil {
		return value{}, err
	}
	switch {
	case o.binding == External && !(lang == "script" && name == "exports"):
		return value{external: true, generic: name}, nil
	case o.provenance == Heuristic:
		return value{}, nil
	case len(o.files) > 0:
		return value{files: o.files, decls: o.decls}, nil
	case o.binding == Bound || o.binding == Ambiguous:
		return value{decls: o.decls}, nil
	}
	if lang == "script" && name == "exports" {
		return value{files: []int{pl.file}}, nil
	}
	if builtinType(lang, name) {
		return value{external: true, generic: name}, nil
	}
	return value{}, nil
}
