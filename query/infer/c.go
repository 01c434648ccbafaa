package infer

import "github.com/pindex-dev/pindex/query/sketch"

// The types of C and C++, as far as members depend on them.

type cKind uint8

const (
	cUnknown cKind = iota
	cOutside       // declared outside of the tree: name, list
	cBasic
	cPointer // elem; references are what they refer to
	cArray   // elem
	cFunc    // node
	cRecord  // def, list
	cParam   // a template's parameter
)

type cType struct {
	kind cKind
	name string
	elem *cType
	def  Thing
	node *sketch.Node
	file int
	list []*cType
	// constant says that what has the type is not to be changed.
	constant bool
}

var cNothing = &cType{}

// unchanging is the type of what is not to be changed. What a pointer leads to
// is another matter.
func (t *cType) unchanging() *cType {
	if t == nil || t.constant || t.kind != cRecord && t.kind != cBasic && t.kind != cOutside {
		return t
	}
	u := *t
	u.constant = true
	return &u
}

func (t *cType) arg(i int) *cType {
	if t != nil && i < len(t.list) && t.list[i] != nil {
		return t.list[i]
	}
	return cNothing
}

// cTypes infers the types of C and C++ expressions. It serves one Reader.
type cTypes struct {
	tree     Tree
	memo     map[*sketch.Node]*cType
	busy     map[*sketch.Def]bool
	basing   map[*sketch.Def]bool // classes whose bases are being read
	types    map[*sketch.Def]*cType
	includes map[int]map[int]bool
	global   map[string][]Thing
	limits
}

func newCTypes(tree Tree) *cTypes {
	return &cTypes{tree: tree, memo: map[*sketch.Node]*cType{}, busy: map[*sketch.Def]bool{}, basing: map[*sketch.Def]bool{}, types: map[*sketch.Def]*cType{},
		includes: map[int]map[int]bool{}, global: map[string][]Thing{}}
}

// meaning says what the name at the token at an offset of a C or C++ file means.
func (c *cTypes) meaning(file int, s *sketch.File, at uint32) (Result, error) {
	if d := s.LocalAt(at); d != nil && d.At == at && d.Name != "" {
		return boundTo("declared there", Thing{file, d}), nil
	}
	if d := s.At(at); d != nil && d.Kind != sketch.Import {
		x := Thing{file, d}
		if d.Fwd {
			found, err := c.definitions(x)
			if err != nil {
				return Result{}, err
			}
			if len(found) == 1 {
				return boundTo("the definition of what is declared there", found...), nil
			}
		}
		return boundTo("declared there", x), nil
	}
	u, ok := s.UseAt(at)
	if !ok {
		return c.includeAt(file, s, at)
	}
	n := u.Node
	switch {
	case u.Label:
		if l := s.Label(at, n.Name); l != nil {
			return boundTo("a label of the function", Thing{file, l}), nil
		}
		return Result{State: Unknown, Rule: "no such label"}, nil
	case u.Of != nil:
		return c.key(file, u)
	case n.Kind == sketch.Member && n.X == nil:
		return Result{State: Unknown, Rule: "a member in a macro", Guess: true}, nil
	case n.Kind == sketch.Member && n.Sep != ':':
		in, err := c.member(file, n)
		in.Unsure = s.Idle(at)
		return in, err
	}
	found, outside, err := c.path(file, n, wantAny)
	if err != nil {
		return Result{}, err
	}
	if len(found) == 0 {
		if outside {
			return Result{State: Outside, Rule: "no declaration of the tree"}, nil
		}
		return Result{State: Unknown, Rule: "no rule binds it"}, nil
	}
	in := boundTo("in scope under that name", found...)
	in.Unsure = u.Macro || s.Idle(at)
	return in, nil
}
