package infer

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/query/sketch"
)

// path finds what a name or qualified name means.
func (c *cTypes) path(file int, n *sketch.Node, w want) (found []Thing, outside bool, err error) {
	c.depth++
	defer func() { c.depth-- }()
	if n == nil || c.tooMuch() {
		return nil, false, nil
	}
	switch n.Kind {
	case sketch.Index:
		return c.path(file, n.X, w)
	case sketch.Name:
		return c.name(file, n, w)
	case sketch.Member:
		if n.X == nil || n.Sep != ':' {
			return nil, false, nil
		}
		from, outside, err := c.path(file, n.X, wantHolder)
		if err != nil {
			return nil, false, err
		}
		var out []Thing
		for _, x := range from {
			got, out1, err := c.inside(file, x, n.Name)
			if err != nil {
				return nil, false, err
			}
			outside = outside || out1
			out = append(out, got...)
		}
		if len(out) == 0 && len(from) > 0 && from[0].Def.Kind == sketch.TypeParam {
			outside = false
		}
		return c.whole(file, c.overload(file, n, nil, unique(out))), outside && len(out) == 0, nil
	}
	return nil, false, nil
}

// inside finds a name in a namespace, class or enumeration.
func (c *cTypes) inside(file int, x Thing, name string) ([]Thing, bool, error) {
	switch x.Def.Kind {
	case sketch.Namespace:
		if x.Def.Alias {
			to, outside, err := c.path(x.File, x.Def.Type, wantHolder)
			if err != nil || len(to) == 0 {
				return nil, outside, err
			}
			if to[0].Def == x.Def {
				return nil, false, nil
			}
			return c.inside(file, to[0], name)
		}
		all, err := c.declaredAs(name)
		if err != nil {
			return nil, false, err
		}
		var out []Thing
		for _, y := range all {
			d := y.Def
			if isCMember(d) {
				continue
			}
			for p := d.Parent; p != nil; p = p.Parent {
				if p.Kind == sketch.TypeName && !(d.Kind == sketch.Variant && p == d.Parent) {
					break
				}
				if p.Kind == sketch.Namespace && p.Name == x.Def.Name {
					out = append(out, y)
					break
				}
			}
		}
		return out, false, nil
	case sketch.TypeName:
		t := &cType{kind: cRecord, def: x}
		if x.Def.Alias {
			var err error
			if t, err = c.typeOf(x.File, x.Def.Type); err != nil {
				return nil, false, err
			}
			if t.kind == cOutside {
				return nil, true, nil
			}
		}
		if t.kind != cRecord {
			return nil, false, nil
		}
		return c.find(t, name)
	}
	return nil, false, nil
}

// name finds what a single name means where it stands.
func (c *cTypes) name(file int, n *sketch.Node, w want) (found []Thing, outside bool, err error) {
	s, err := c.tree.Sketch(file)
	if err != nil || s == nil {
		return nil, false, err
	}
	tag := n.Sep == 't'
	if d := s.Local(n.At, n.Name); d != nil && (!tag || d.Kind == sketch.TypeName) {
		x := Thing{file, d}
		if d.Kind == sketch.Import && d.Type != nil {
			return c.path(file, d.Type, w)
		}
		if d.Fwd {
			return c.whole(file, []Thing{x}), false, nil
		}
		return []Thing{x}, false, nil
	}
	if c.tree.Lang(file) == "cpp" {
		classes, err := c.classesAt(file, s, n.At)
		if err != nil {
			return nil, false, err
		}
		for _, k := range classes {
			if k.def.Def.Name == n.Name && n.Sep != 'i' {
				return []Thing{k.def}, false, nil
			}
			got, out, err := c.find(k, n.Name)
			if err != nil {
				return nil, false, err
			}
			outside = outside || out
			if len(got) > 0 {
				return c.whole(file, c.overload(file, n, k, got)), false, nil
			}
		}
	}
	all, err := c.declaredAs(n.Name)
	if err != nil {
		return nil, false, err
	}
	var fit []Thing
	for _, x := range all {
		d := x.Def
		if isCMember(d) {
			continue
		}
		if d.Kind == sketch.TypeName && d.Parent != nil && d.Parent.Kind == sketch.TypeName && c.tree.Lang(x.File) == "cpp" {
			continue
		}
		if tag && (d.Kind != sketch.TypeName || d.Alias) {
			continue
		}
		if !tag && d.Kind == sketch.TypeName && !d.Alias && c.tree.Lang(x.File) == "c" && c.tree.Lang(file) == "c" {
			continue // a tag is not seen without its keyword
		}
		if w == wantHolder && d.Kind != sketch.TypeName && d.Kind != sketch.Namespace {
			continue
		}
		if w == wantValue && d.Kind == sketch.Namespace {
			continue
		}
		fit = append(fit, x)
	}
	if len(fit) == 0 {
		// What a macro hid from the parser.
		inc, err := c.included(file)
		if err != nil {
			return nil, false, err
		}
		for _, i := range filesInOrder(inc) {
			s, err := c.tree.Sketch(i)
			if err != nil {
				return nil, false, err
			}
			if s == nil {
				continue
			}
			for _, d := range s.Named(n.Name) {
				if !isCMember(d) && d.Kind != sketch.Import {
					fit = append(fit, Thing{i, d})
				}
			}
		}
	}
	if len(fit) == 0 {
		// It is declared outside of the tree, or made by what cannot be read:
		// a macro, or a header that a build writes.
		return nil, c.tree.Builtin("c", n.Name) || c.libraryName(n), nil
	}
	if w == wantHolder && fit[0].Def.Kind == sketch.Namespace {
		return fit[:1], false, nil
	}
	inc, err := c.included(file)
	if err != nil {
		return nil, false, err
	}
	var near []Thing
	for _, x := range fit {
		if inc[x.File] {
			near = append(near, x)
		}
	}
	if len(near) == 0 {
		// Not seen by what is included: what others can see of it.
		for _, x := range fit {
			if !x.Def.Static && x.Def.Kind != sketch.MacroName || strings.HasSuffix(c.tree.Path(x.File), ".h") || c.tree.Lang(file) != "c" {
				near = append(near, x)
			}
		}
		near = c.nearest(file, near)
	}
	near = c.innermost(s, n.At, near)
	// A macro stands before what it hides.
	var macros []Thing
	for _, x := range near {
		if x.Def.Kind == sketch.MacroName && (x.File != file || x.Def.At < n.At) {
			macros = append(macros, x)
		}
	}
	if len(macros) > 0 && (n.Args > 0 || !macros[0].Def.Alias) {
		// The last one before the use.
		own := macros[:0:0]
		for _, x := range macros {
			if x.File == file {
				own = append(own, x)
			}
		}
		if len(own) > 0 {
			macros = own
		}
		return c.taken(macros), false, nil
	}
	var rest []Thing
	for _, x := range near {
		if x.Def.Kind != sketch.MacroName {
			rest = append(rest, x)
		}
	}
	if len(rest) == 0 {
		rest = near
	}
	return c.whole(file, c.overload(file, n, nil, c.taken(rest))), false, nil
}

// libraryName reports whether a name that the tree does not declare has the
// form of those that the languages' libraries declare.
func (c *cTypes) libraryName(n *sketch.Node) bool {
	return n.Name == "std" || strings.HasSuffix(n.Name, "_t") || strings.HasPrefix(n.Name, "__")
}

// innermost keeps the declarations in the namespace nearest to a place.
func (c *cTypes) innermost(s *sketch.File, at uint32, all []Thing) []Thing {
	if len(all) < 2 {
		return all
	}
	var around []string
	for d := s.Holder(at); d != nil; d = d.Parent {
		if d.Kind == sketch.Namespace {
			around = append(around, d.Name)
		}
	}
	best := -1
	var out []Thing
	for _, x := range all {
		n := 0
		for d := x.Def.Parent; d != nil; d = d.Parent {
			if d.Kind == sketch.Namespace {
				if slices.Contains(around, d.Name) {
					n++
				} else {
					n--
				}
			}
		}
		switch {
		case n > best || len(out) == 0:
			best, out = n, []Thing{x}
		case n == best:
			out = append(out, x)
		}
	}
	return out
}

// classesAt returns the classes whose members are in scope at a place,
// innermost first.
func (c *cTypes) classesAt(file int, s *sketch.File, at uint32) ([]*cType, error) {
	var out []*cType
	f := s.Around(at)
	constant := f != nil && f.Type != nil && f.Type.Fn != nil && f.Type.Fn.Const
	add := func(d *sketch.Def) {
		for ; d != nil; d = d.Parent {
			if d.Kind == sketch.TypeName && d.Type != nil {
				out = append(out, &cType{kind: cRecord, def: Thing{file, d}, constant: constant})
			}
		}
	}
	if f != nil && f.Via != nil {
		found, _, err := c.path(file, f.Via, wantHolder)
		if err != nil {
			return nil, err
		}
		for _, x := range found {
			if x.Def.Kind == sketch.TypeName {
				out = append(out, &cType{kind: cRecord, def: x, constant: constant})
			}
		}
	} else if f != nil {
		add(f.Parent)
		return out, nil
	}
	add(s.Holder(at))
	return out, nil
}
