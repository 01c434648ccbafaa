package infer

import (
	"strings"

	"github.com/pindex-dev/pindex/query/sketch"
)

// Which of several C++ functions of one name a call means: by how many
// arguments they take, by whether the receiver may be changed, and by the
// arguments' types as far as they are known. What stays in doubt stays among
// the candidates.

// fit says how well an argument suits a parameter.
type fit int8

const (
	fitUnknown fit = iota
	fitNot
	fitConverted
	fitGeneric // a template's parameter
	fitSame
)

// overload keeps the functions that a call may mean. recv is the type that a
// member is called on; nil where there is none or it is not known.
func (c *cTypes) overload(file int, n *sketch.Node, recv *cType, all []Thing) []Thing {
	if len(all) < 2 || n.Args == 0 {
		return all
	}
	given := n.Args - 1
	var able, same, more []Thing
	for _, x := range all {
		if !isFunction(x.Def) || x.Def.Type == nil || x.Def.Type.Fn == nil {
			return all
		}
		ps := parameters(x.Def)
		needed, open := 0, false
		for _, p := range ps {
			if p.Init == nil {
				needed++
			}
			open = open || p.Type == nil && p.Name == ""
		}
		if given >= needed && (given <= len(ps) || open) {
			able = append(able, x)
		}
		switch {
		case len(ps) == given:
			same = append(same, x)
		case len(ps) > given:
			more = append(more, x)
		}
	}
	if len(able) == 0 {
		switch {
		case len(same) > 0:
			return same
		case len(more) > 0:
			return more
		}
		return all
	}
	if len(able) == 1 {
		return able
	}
	if best := c.best(file, n, recv, able); len(best) > 0 {
		return best
	}
	return able
}

// parameters are those of a function; "(void)" has none.
func parameters(d *sketch.Def) []*sketch.Def {
	ps := d.Type.Fn.Params
	if len(ps) == 1 && ps[0].Name == "" && isVoid(ps[0].Type) {
		return nil
	}
	return ps
}

func isVoid(n *sketch.Node) bool { return n != nil && n.Kind == sketch.Lit && n.Name == "void" }

// best keeps the functions that no other one suits better. One suits better
// when it does so for some argument, and for none worse; an argument whose
// type is not known decides between two only where they take the same.
func (c *cTypes) best(file int, n *sketch.Node, recv *cType, all []Thing) []Thing {
	if len(all) > 32 || len(n.With) != n.Args-1 {
		return all
	}
	args := make([]*cType, len(n.With))
	for i, a := range n.With {
		t, err := c.expr(file, a)
		if err != nil {
			return all
		}
		args[i] = t
	}
	fits := make([][]fit, 0, len(all))
	var able []Thing
	for _, x := range all {
		ps := parameters(x.Def)
		row := make([]fit, len(args)+1)
		row[len(args)] = receiverFit(recv, x.Def)
		ok := row[len(args)] != fitNot
		meant := map[string]*cType{} // by template parameter
		for i, a := range args {
			if i < len(ps) {
				row[i] = c.suits(file, n.With[i], a, x, ps[i])
				if row[i] == fitGeneric && ps[i].Type.Kind == sketch.Name {
					// A parameter of a template means one type.
					if m := meant[ps[i].Type.Name]; m == nil {
						meant[ps[i].Type.Name] = a
					} else if f := compareC(a, m, false, 0); f == fitUnknown {
						row[i] = fitUnknown
					} else if f != fitSame {
						row[i] = fitNot
					}
				}
				ok = ok && row[i] != fitNot
			}
		}
		if ok {
			able, fits = append(able, x), append(fits, row)
		}
	}
	var out []Thing
	for i, x := range able {
		beaten := false
		for j, y := range able {
			if i != j && outdoes(fits[j], fits[i], y.Def, x.Def) {
				beaten = true
				break
			}
		}
		if !beaten {
			out = append(out, x)
		}
	}
	return out
}

func outdoes(a, b []fit, x, y *sketch.Def) bool {
	some := false
	px, py := parameters(x), parameters(y)
	for i := range a {
		if a[i] == fitUnknown || b[i] == fitUnknown {
			if i < len(px) && i < len(py) && sameType(px[i].Type, py[i].Type, 0) || i == len(a)-1 && a[i] == b[i] {
				continue
			}
			return false
		}
		if a[i] < b[i] {
			return false
		}
		some = some || a[i] > b[i]
	}
	return some
}

// receiverFit says how well what a member is called on suits it.
func receiverFit(recv *cType, d *sketch.Def) fit {
	switch {
	case recv == nil || recv.kind != cRecord || d.Static:
		return fitUnknown
	case recv.constant == d.Type.Fn.Const:
		return fitSame
	case recv.constant:
		return fitNot
	}
	return fitConverted
}

// suits says how well an argument suits a parameter.
func (c *cTypes) suits(file int, n *sketch.Node, a *cType, x Thing, p *sketch.Def) fit {
	if a.kind == cUnknown || n == nil || p.Type == nil {
		return fitUnknown
	}
	t, err := c.typeOf(x.File, p.Type)
	if err != nil {
		return fitUnknown
	}
	if t.kind == cParam {
		return fitGeneric
	}
	zero := false
	if n.Kind == sketch.Lit && n.Name == "int" {
		if s, err := c.tree.Sketch(file); err == nil && s != nil && int(n.At)+1 < len(s.Text) {
			next := s.Text[n.At+1]
			zero = s.Text[n.At] == '0' && !(next >= '0' && next <= '9') && next != 'x' && next != 'X' && next != '.'
		}
	}
	return compareC(a, t, zero, 0)
}

// number reports whether a type from outside of the tree is a number by its
// name.
func outsideNumber(t *cType) bool {
	return t.kind == cOutside && len(t.list) == 0 && strings.HasSuffix(t.name, "_t")
}

// compareC says how well an argument of type a suits a parameter of type p.
// zero says that it is a literal 0.
func compareC(a, p *cType, zero bool, depth int) fit {
	if a == nil || p == nil || depth > 8 {
		return fitUnknown
	}
	if a.kind == cBasic && a.name == "string" {
		a = &cType{kind: cPointer, elem: &cType{kind: cBasic, name: "char", constant: true}}
	}
	if a.kind == cBasic && a.name == "auto" || p.kind == cBasic && p.name == "auto" {
		return fitUnknown
	}
	aPointer, pPointer := a.kind == cPointer || a.kind == cArray, p.kind == cPointer || p.kind == cArray
	null := a.kind == cBasic && a.name == "nullptr"
	switch {
	case a.kind == cUnknown || p.kind == cUnknown || a.kind == cParam || p.kind == cParam:
		return fitUnknown
	case null && pPointer:
		return fitSame
	case aPointer && pPointer:
		switch f := compareC(a.elem, p.elem, false, depth+1); {
		case p.elem != nil && p.elem.kind == cBasic && p.elem.name == "void":
			return fitConverted
		case f == fitSame && a.elem.constant && !p.elem.constant:
			return fitNot
		case f == fitSame:
			return fitSame
		case f == fitConverted && a.elem.kind == cRecord:
			return fitConverted
		case f == fitConverted || f == fitNot:
			return fitNot
		}
		return fitUnknown
	case aPointer:
		switch {
		case p.kind == cBasic && p.name == "bool":
			return fitConverted
		case p.kind == cBasic || isEnumC(p):
			return fitNot
		case outsideNumber(p):
			return fitNot
		}
		return fitUnknown // a class may be made of it
	case pPointer:
		switch {
		case zero:
			return fitConverted
		case a.kind == cBasic && !null || isEnumC(a) || outsideNumber(a):
			return fitNot
		}
		return fitUnknown
	case a.kind == cRecord && p.kind == cRecord:
		switch {
		case a.def == p.def:
			return fitSame
		case isEnumC(p):
			return fitNot
		}
		return fitUnknown // a base, or made of it
	case isEnumC(a):
		if p.kind == cBasic || outsideNumber(p) {
			return fitConverted
		}
	case isEnumC(p):
		if a.kind == cBasic {
			return fitNot
		}
	case a.kind == cBasic && p.kind == cBasic:
		switch {
		case a.name == "void" || p.name == "void":
			return fitUnknown
		case a.name == p.name:
			return fitSame
		}
		return fitConverted
	case a.kind == cBasic && outsideNumber(p):
		switch a.name {
		case "bool", "char", "double", "float":
			return fitConverted
		case "int":
			if strings.Contains(p.name, "64") || strings.Contains(p.name, "size") || strings.Contains(p.name, "16") {
				return fitConverted
			}
		}
	case outsideNumber(a) && p.kind == cBasic:
		switch p.name {
		case "bool", "char", "double", "float":
			return fitConverted
		case "int":
			if strings.Contains(a.name, "64") || strings.Contains(a.name, "size") || strings.Contains(a.name, "16") {
				return fitConverted
			}
		}
	case a.kind == cOutside && p.kind == cOutside && a.name == p.name && len(a.list) == 0 && len(p.list) == 0 && a.name != "?" && a.name != "":
		return fitSame
	}
	return fitUnknown
}

func isEnumC(t *cType) bool { return t.kind == cRecord && t.def.Def.Sub == "enum" }

// sameSignature reports whether two functions take the same, as it is
// written.
func sameSignature(x, y *sketch.Def) bool {
	if x.Type == nil || y.Type == nil || x.Type.Fn == nil || y.Type.Fn == nil || x.Type.Fn.Const != y.Type.Fn.Const {
		return false
	}
	px, py := parameters(x), parameters(y)
	if len(px) != len(py) {
		return false
	}
	for i := range px {
		if !sameType(px[i].Type, py[i].Type, 0) {
			return false
		}
	}
	return true
}

// sameType compares types as they are written, without qualifiers.
func sameType(x, y *sketch.Node, depth int) bool {
	if x == nil || y == nil || depth > 16 {
		return x == y
	}
	if x.Kind == sketch.Member && y.Kind == sketch.Name || x.Kind == sketch.Name && y.Kind == sketch.Member {
		return x.Name == y.Name
	}
	if x.Kind == sketch.Star && y.Kind == sketch.ArrayType || x.Kind == sketch.ArrayType && y.Kind == sketch.Star {
		return sameType(x.X, y.X, depth+1)
	}
	if x.Kind != y.Kind || x.Name != y.Name || x.Const != y.Const || len(x.List) != len(y.List) {
		return false
	}
	if x.Kind != sketch.Member && !sameType(x.X, y.X, depth+1) {
		return false
	}
	for i := range x.List {
		if !sameType(x.List[i], y.List[i], depth+1) {
			return false
		}
	}
	return true
}
