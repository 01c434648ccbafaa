package query

import (
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/query/sketch"
)

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
	def  thing
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

// cTypes infers the types of C and C++ expressions. It serves one binder.
type cTypes struct {
	b        *binder
	memo     map[*sketch.Node]*cType
	busy     map[*sketch.Def]bool
	basing   map[*sketch.Def]bool // classes whose bases are being read
	types    map[*sketch.Def]*cType
	includes map[int]map[int]bool
	global   map[string][]thing
	steps    int
	depth    int
}

func (b *binder) cTypes() *cTypes {
	if b.cfamily == nil {
		b.cfamily = &cTypes{b: b, memo: map[*sketch.Node]*cType{}, busy: map[*sketch.Def]bool{}, basing: map[*sketch.Def]bool{}, types: map[*sketch.Def]*cType{},
			includes: map[int]map[int]bool{}, global: map[string][]thing{}}
	}
	b.cfamily.steps, b.cfamily.depth = 0, 0
	return b.cfamily
}

func (c *cTypes) tooMuch() bool {
	c.steps++
	return c.steps > maxGoSteps || c.depth > 100
}

// inferC says what the name at an offset of a C or C++ file means.
func (b *binder) inferC(file int, s *sketch.File, at uint32) (inferred, error) {
	at = s.Token(at)
	c := b.cTypes()
	if d := s.LocalAt(at); d != nil && d.At == at && d.Name != "" {
		return boundTo("declared there", thing{file, d}), nil
	}
	if d := s.At(at); d != nil && d.Kind != sketch.Import {
		x := thing{file, d}
		if d.Fwd {
			found, err := c.definitions(x)
			if err != nil {
				return inferred{}, err
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
			return boundTo("a label of the function", thing{file, l}), nil
		}
		return inferred{state: isUnknown, rule: "no such label"}, nil
	case u.Of != nil:
		return c.key(file, u)
	case n.Kind == sketch.Member && n.X == nil:
		return inferred{state: isUnknown, rule: "a member in a macro", guess: true}, nil
	case n.Kind == sketch.Member && n.Sep != ':':
		in, err := c.member(file, n)
		in.unsure = s.Idle(at)
		return in, err
	}
	found, outside, err := c.path(file, n, wantAny)
	if err != nil {
		return inferred{}, err
	}
	if len(found) == 0 {
		if outside {
			return inferred{state: isOutside, rule: "no declaration of the tree"}, nil
		}
		return inferred{state: isUnknown, rule: "no rule binds it"}, nil
	}
	in := boundTo("in scope under that name", found...)
	in.unsure = u.Macro || s.Idle(at)
	return in, nil
}

func (c *cTypes) includeAt(file int, s *sketch.File, at uint32) (inferred, error) {
	for _, d := range s.Top {
		if d.Kind == sketch.Import && d.Start <= at && at < d.End {
			m, err := c.b.resolveModule(file, d.Path)
			if err != nil {
				return inferred{}, err
			}
			if len(m.files) > 0 {
				return inferred{files: m.files, state: isBound, rule: "the included file"}, nil
			}
			return inferred{state: isOutside, rule: "the included file is outside the tree"}, nil
		}
	}
	return inferred{}, nil
}

// maxIncludes bounds the files that one file is followed to.
const maxIncludes = 2000

// included returns what a file includes, directly or not, and the file itself.
func (c *cTypes) included(file int) (map[int]bool, error) {
	if m, ok := c.includes[file]; ok {
		return m, nil
	}
	m := map[int]bool{file: true}
	queue := []int{file}
	for len(queue) > 0 && len(m) < maxIncludes {
		f := queue[0]
		queue = queue[1:]
		imports, err := c.b.fileImports(f)
		if err != nil {
			return nil, err
		}
		for _, im := range imports {
			mod, err := c.b.resolveModule(f, im.Module)
			if err != nil {
				return nil, err
			}
			for _, i := range mod.files {
				if !m[i] {
					m[i] = true
					queue = append(queue, i)
				}
			}
		}
	}
	c.includes[file] = m
	return m, nil
}

// declaredAs returns the things of a name in the tree's C and C++ files.
func (c *cTypes) declaredAs(name string) ([]thing, error) {
	if g, ok := c.global[name]; ok {
		return g, nil
	}
	all, err := c.b.declared(name)
	if err != nil {
		return nil, err
	}
	var out []thing
	for _, d := range all {
		if family(c.b.t.files[d.file].lang) != "c" || d.local() {
			continue
		}
		x, ok, err := c.b.thingOf(d)
		if err != nil {
			return nil, err
		}
		if ok && x.def.Kind != sketch.Import && !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	c.global[name] = out
	return out, nil
}

// owner is the name of the class or namespace that a definition belongs to.
func cOwner(d *sketch.Def) string {
	if d.Via != nil {
		n := d.Via
		for n != nil && n.Kind == sketch.Index {
			n = n.X
		}
		if n != nil {
			return n.Name
		}
	}
	if d.Parent != nil {
		return d.Parent.Name
	}
	return ""
}

// isMember reports whether a definition is one of a class.
func isCMember(d *sketch.Def) bool {
	if d.Kind == sketch.Field || d.Kind == sketch.Method {
		return true
	}
	return d.Parent != nil && d.Parent.Kind == sketch.TypeName && d.Kind != sketch.Variant && d.Kind != sketch.TypeName
}

// definitions finds the bodies of what is declared without one.
func (c *cTypes) definitions(x thing) ([]thing, error) {
	all, err := c.declaredAs(x.def.Name)
	if err != nil {
		return nil, err
	}
	var out []thing
	for _, y := range all {
		if y.def.Fwd || y.def.Kind == sketch.MacroName || y.def.Kind == sketch.Variant || (y.def.Kind == sketch.TypeName) != (x.def.Kind == sketch.TypeName) ||
			(y.def.Kind == sketch.Field) || y.def.Alias != x.def.Alias {
			continue
		}
		if isCMember(x.def) != isCMember(y.def) || isCMember(x.def) && cOwner(x.def) != cOwner(y.def) {
			continue
		}
		if y.def.Static && y.file != x.file {
			continue
		}
		if x.def.Type != nil && y.def.Type != nil && x.def.Type.Kind == sketch.FuncType && y.def.Type.Kind == sketch.FuncType &&
			c.b.t.files[x.file].lang == "cpp" && len(x.def.Type.Fn.Params) != len(y.def.Type.Fn.Params) {
			continue
		}
		out = append(out, y)
	}
	var like []thing
	for _, y := range out {
		if sameSignature(x.def, y.def) {
			like = append(like, y)
		}
	}
	if len(like) > 0 {
		out = like
	}
	return c.nearest(x.file, c.taken(out)), nil
}

// nearest keeps, of several, those of the file itself, of what it includes,
// or of the folders nearest to it.
func (c *cTypes) nearest(file int, all []thing) []thing {
	if len(all) < 2 {
		return all
	}
	inc, err := c.included(file)
	if err != nil {
		return all
	}
	path := c.b.t.files[file].path
	rank := func(x thing) int {
		switch {
		case x.file == file:
			return 1000
		case inc[x.file]:
			return 900
		}
		n := sharedDirs(c.b.t.files[x.file].path, path) * 2
		if dirName(c.b.t.files[x.file].path) == dirName(path) {
			n++
		}
		if c.b.t.files[x.file].test != c.b.t.files[file].test {
			n -= 50
		}
		return n
	}
	best := -1000
	var out []thing
	for _, x := range all {
		switch n := rank(x); {
		case n > best:
			best, out = n, []thing{x}
		case n == best:
			out = append(out, x)
		}
	}
	return out
}

// path finds what a name or qualified name means.
func (c *cTypes) path(file int, n *sketch.Node, w want) (found []thing, outside bool, err error) {
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
		var out []thing
		for _, x := range from {
			got, out1, err := c.inside(file, x, n.Name)
			if err != nil {
				return nil, false, err
			}
			outside = outside || out1
			out = append(out, got...)
		}
		if len(out) == 0 && len(from) > 0 && from[0].def.Kind == sketch.TypeParam {
			outside = false
		}
		return c.whole(file, c.overload(file, n, nil, unique(out))), outside && len(out) == 0, nil
	}
	return nil, false, nil
}

func unique(all []thing) []thing {
	var out []thing
	for _, x := range all {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// whole replaces declarations by their definitions where there are some.
func (c *cTypes) whole(file int, all []thing) []thing {
	var out []thing
	for _, x := range all {
		if !x.def.Fwd {
			out = append(out, x)
		}
	}
	if len(out) > 0 && len(all) > 0 && !isFunction(all[0].def) {
		return out
	}
	for _, x := range all {
		if !x.def.Fwd {
			continue
		}
		ds, err := c.definitions(x)
		if err != nil {
			continue
		}
		if len(ds) > 0 {
			out = append(out, ds...)
		} else if len(out) == 0 || c.b.t.files[x.file].lang == "cpp" && isFunction(x.def) && !slices.ContainsFunc(out, func(y thing) bool { return sameSignature(x.def, y.def) }) {
			out = append(out, x)
		}
	}
	return unique(out)
}

func isFunction(d *sketch.Def) bool { return d.Kind == sketch.Function || d.Kind == sketch.Method }

// inside finds a name in a namespace, class or enumeration.
func (c *cTypes) inside(file int, x thing, name string) ([]thing, bool, error) {
	switch x.def.Kind {
	case sketch.Namespace:
		if x.def.Alias {
			to, outside, err := c.path(x.file, x.def.Type, wantHolder)
			if err != nil || len(to) == 0 {
				return nil, outside, err
			}
			if to[0].def == x.def {
				return nil, false, nil
			}
			return c.inside(file, to[0], name)
		}
		all, err := c.declaredAs(name)
		if err != nil {
			return nil, false, err
		}
		var out []thing
		for _, y := range all {
			d := y.def
			if isCMember(d) {
				continue
			}
			for p := d.Parent; p != nil; p = p.Parent {
				if p.Kind == sketch.TypeName && !(d.Kind == sketch.Variant && p == d.Parent) {
					break
				}
				if p.Kind == sketch.Namespace && p.Name == x.def.Name {
					out = append(out, y)
					break
				}
			}
		}
		return out, false, nil
	case sketch.TypeName:
		t := &cType{kind: cRecord, def: x}
		if x.def.Alias {
			var err error
			if t, err = c.typeOf(x.file, x.def.Type); err != nil {
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
func (c *cTypes) name(file int, n *sketch.Node, w want) (found []thing, outside bool, err error) {
	s, err := c.b.sketch(file)
	if err != nil || s == nil {
		return nil, false, err
	}
	tag := n.Sep == 't'
	if d := s.Local(n.At, n.Name); d != nil && (!tag || d.Kind == sketch.TypeName) {
		x := thing{file, d}
		if d.Kind == sketch.Import && d.Type != nil {
			return c.path(file, d.Type, w)
		}
		if d.Fwd {
			return c.whole(file, []thing{x}), false, nil
		}
		return []thing{x}, false, nil
	}
	if c.b.t.files[file].lang == "cpp" {
		classes, err := c.classesAt(file, s, n.At)
		if err != nil {
			return nil, false, err
		}
		for _, k := range classes {
			if k.def.def.Name == n.Name && n.Sep != 'i' {
				return []thing{k.def}, false, nil
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
	var fit []thing
	for _, x := range all {
		d := x.def
		if isCMember(d) {
			continue
		}
		if d.Kind == sketch.TypeName && d.Parent != nil && d.Parent.Kind == sketch.TypeName && c.b.t.files[x.file].lang == "cpp" {
			continue
		}
		if tag && (d.Kind != sketch.TypeName || d.Alias) {
			continue
		}
		if !tag && d.Kind == sketch.TypeName && !d.Alias && c.b.t.files[x.file].lang == "c" && c.b.t.files[file].lang == "c" {
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
			s, err := c.b.sketch(i)
			if err != nil {
				return nil, false, err
			}
			if s == nil {
				continue
			}
			for _, d := range s.Named(n.Name) {
				if !isCMember(d) && d.Kind != sketch.Import {
					fit = append(fit, thing{i, d})
				}
			}
		}
	}
	if len(fit) == 0 {
		// It is declared outside of the tree, or made by what cannot be read:
		// a macro, or a header that a build writes.
		return nil, builtin("c", n.Name) || c.libraryName(n), nil
	}
	if w == wantHolder && fit[0].def.Kind == sketch.Namespace {
		return fit[:1], false, nil
	}
	inc, err := c.included(file)
	if err != nil {
		return nil, false, err
	}
	var near []thing
	for _, x := range fit {
		if inc[x.file] {
			near = append(near, x)
		}
	}
	if len(near) == 0 {
		// Not seen by what is included: what others can see of it.
		for _, x := range fit {
			if !x.def.Static && x.def.Kind != sketch.MacroName || strings.HasSuffix(c.b.t.files[x.file].path, ".h") || c.b.t.files[file].lang != "c" {
				near = append(near, x)
			}
		}
		near = c.nearest(file, near)
	}
	near = c.innermost(s, n.At, near)
	// A macro stands before what it hides.
	var macros []thing
	for _, x := range near {
		if x.def.Kind == sketch.MacroName && (x.file != file || x.def.At < n.At) {
			macros = append(macros, x)
		}
	}
	if len(macros) > 0 && (n.Args > 0 || !macros[0].def.Alias) {
		// The last one before the use.
		own := macros[:0:0]
		for _, x := range macros {
			if x.file == file {
				own = append(own, x)
			}
		}
		if len(own) > 0 {
			macros = own
		}
		return c.taken(macros), false, nil
	}
	var rest []thing
	for _, x := range near {
		if x.def.Kind != sketch.MacroName {
			rest = append(rest, x)
		}
	}
	if len(rest) == 0 {
		rest = near
	}
	return c.whole(file, c.overload(file, n, nil, c.taken(rest))), false, nil
}

// taken keeps, of several definitions, those in branches of the preprocessor
// that are rather taken; all where none is.
func (c *cTypes) taken(all []thing) []thing {
	if len(all) < 2 {
		return all
	}
	var out []thing
	for _, x := range all {
		if s, err := c.b.sketch(x.file); err == nil && s != nil && !s.Idle(x.def.At) {
			out = append(out, x)
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// libraryName reports whether a name that the tree does not declare has the
// form of those that the languages' libraries declare.
func (c *cTypes) libraryName(n *sketch.Node) bool {
	return n.Name == "std" || strings.HasSuffix(n.Name, "_t") || strings.HasPrefix(n.Name, "__")
}

func filesInOrder(m map[int]bool) []int {
	out := make([]int, 0, len(m))
	for i := range m {
		out = append(out, i)
	}
	slices.Sort(out)
	return out
}

// innermost keeps the declarations in the namespace nearest to a place.
func (c *cTypes) innermost(s *sketch.File, at uint32, all []thing) []thing {
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
	var out []thing
	for _, x := range all {
		n := 0
		for d := x.def.Parent; d != nil; d = d.Parent {
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
			best, out = n, []thing{x}
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
				out = append(out, &cType{kind: cRecord, def: thing{file, d}, constant: constant})
			}
		}
	}
	if f != nil && f.Via != nil {
		found, _, err := c.path(file, f.Via, wantHolder)
		if err != nil {
			return nil, err
		}
		for _, x := range found {
			if x.def.Kind == sketch.TypeName {
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

// member says what x.name or x->name means.
func (c *cTypes) member(file int, n *sketch.Node) (inferred, error) {
	t, err := c.expr(file, n.X)
	if err != nil {
		return inferred{}, err
	}
	t = c.record(t, n.Sep == '>')
	switch t.kind {
	case cRecord:
		found, outside, err := c.find(t, n.Name)
		if err != nil {
			return inferred{}, err
		}
		if len(found) > 0 {
			return boundTo("member of the receiver's type", c.whole(file, c.overload(file, n, t, found))...), nil
		}
		if outside {
			return inferred{state: isOutside, rule: "a base of the receiver's type is outside the tree"}, nil
		}
		return inferred{state: isUnknown, rule: "the receiver's type has no such member in the index", guess: true}, nil
	case cOutside:
		return inferred{state: isOutside, rule: "the receiver's type is outside the tree"}, nil
	}
	return inferred{state: isUnknown, rule: "the receiver's type is not known", guess: true}, nil
}

// record follows pointers and arrays to what they lead to, and smart pointers
// where "->" asks for it.
func (c *cTypes) record(t *cType, arrow bool) *cType {
	for n := 0; t != nil && n < 8; n++ {
		switch {
		case t.kind == cPointer || t.kind == cArray:
			t = t.elem
			continue
		case t.kind == cOutside && arrow && len(t.list) > 0 && (strings.HasSuffix(t.name, "_ptr") || t.name == "optional"):
			t = t.list[0]
			continue
		}
		break
	}
	if t == nil {
		return cNothing
	}
	return t
}

// key says what the designator of an initial value means.
func (c *cTypes) key(file int, u sketch.Use) (inferred, error) {
	t, err := c.literal(file, u.Of, 0)
	if err != nil {
		return inferred{}, err
	}
	for t.kind == cArray && t.elem != nil {
		t = t.elem
	}
	if t.kind == cRecord {
		found, _, err := c.find(t, u.Node.Name)
		if err != nil {
			return inferred{}, err
		}
		if len(found) > 0 {
			return boundTo("field of the value's type", found...), nil
		}
	}
	if t.kind == cOutside {
		return inferred{state: isOutside, rule: "the value's type is outside the tree"}, nil
	}
	return inferred{state: isUnknown, rule: "a field of a value whose type is not known", guess: true}, nil
}

// literal is the type of a value in braces.
func (c *cTypes) literal(file int, n *sketch.Node, depth int) (*cType, error) {
	if n.X != nil {
		return c.typeOf(file, n.X)
	}
	if n.Y == nil || depth > 20 {
		return cNothing, nil
	}
	t, err := c.literal(file, n.Y, depth+1)
	if err != nil {
		return nil, err
	}
	if n.Name != "" {
		for t.kind == cArray && t.elem != nil {
			t = t.elem
		}
		if t.kind == cRecord {
			found, _, err := c.find(t, n.Name)
			if err != nil || len(found) == 0 {
				return cNothing, err
			}
			return c.typeOfThing(found[0])
		}
		return cNothing, nil
	}
	if t.kind == cArray && t.elem != nil {
		return t.elem, nil
	}
	return t, nil
}

// typeOf reads a type.
func (c *cTypes) typeOf(file int, n *sketch.Node) (*cType, error) {
	if n == nil {
		return cNothing, nil
	}
	t, err := c.readType(file, n)
	if n.Const {
		t = t.unchanging()
	}
	return t, err
}

func (c *cTypes) readType(file int, n *sketch.Node) (*cType, error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.tooMuch() {
		return cNothing, nil
	}
	switch n.Kind {
	case sketch.Lit:
		return &cType{kind: cBasic, name: n.Name}, nil
	case sketch.Star:
		e, err := c.typeOf(file, n.X)
		return &cType{kind: cPointer, elem: e}, err
	case sketch.Addr:
		return c.typeOf(file, n.X)
	case sketch.ArrayType:
		e, err := c.typeOf(file, n.X)
		return &cType{kind: cArray, elem: e}, err
	case sketch.FuncType:
		return &cType{kind: cFunc, node: n, file: file}, nil
	case sketch.Typed:
		if len(n.Fields) > 0 {
			return &cType{kind: cRecord, def: thing{file, n.Fields[0]}}, nil
		}
		return c.expr(file, n.X)
	case sketch.Name, sketch.Member, sketch.Index:
		return c.pathType(file, n)
	}
	return cNothing, nil
}

func (c *cTypes) pathType(file int, n *sketch.Node) (*cType, error) {
	var args []*cType
	path := n
	if n.Kind == sketch.Index {
		path = n.X
		for _, a := range n.List {
			t, err := c.typeOf(file, a)
			if err != nil {
				return nil, err
			}
			args = append(args, t)
		}
	}
	found, _, err := c.path(file, path, wantAny)
	if err != nil {
		return nil, err
	}
	for _, x := range found {
		switch x.def.Kind {
		case sketch.TypeParam:
			return &cType{kind: cParam, name: x.def.Name}, nil
		case sketch.TypeName:
			if !x.def.Alias {
				return &cType{kind: cRecord, def: x, list: args}, nil
			}
			if c.busy[x.def] {
				return cNothing, nil
			}
			c.busy[x.def] = true
			t, err := c.typeOf(x.file, x.def.Type)
			delete(c.busy, x.def)
			return t, err
		case sketch.MacroName:
			if x.def.Init != nil && !c.busy[x.def] {
				c.busy[x.def] = true
				t, err := c.typeOf(x.file, x.def.Init)
				delete(c.busy, x.def)
				return t, err
			}
		}
	}
	if len(found) == 0 && path != nil {
		// A type that the tree does not declare.
		return &cType{kind: cOutside, name: path.Name, list: args}, nil
	}
	return cNothing, nil
}

// find finds a member of a class or of its bases.
func (c *cTypes) find(t *cType, name string) (found []thing, outside bool, err error) {
	seen := map[*sketch.Def]bool{}
	queue := []*cType{t}
	for n := 0; len(queue) > 0 && n < 64; n++ {
		k := queue[0]
		queue = queue[1:]
		if k == nil || k.kind == cOutside {
			outside = outside || k != nil
			continue
		}
		if k.kind != cRecord || seen[k.def.def] {
			continue
		}
		seen[k.def.def] = true
		d := k.def
		if d.def.Fwd && d.def.Name != "" {
			if ds := c.whole(d.file, []thing{d}); len(ds) > 0 {
				d = ds[0]
			}
		}
		if d.def.Type == nil {
			continue
		}
		found = c.members(d, name, 0)
		if len(found) > 0 {
			return found, false, nil
		}
		if c.basing[d.def] {
			continue // a base is not looked for in itself
		}
		for _, b := range d.def.Bases {
			c.basing[d.def] = true
			bt, err := c.typeOf(d.file, b)
			delete(c.basing, d.def)
			if err != nil {
				return nil, false, err
			}
			queue = append(queue, bt)
		}
	}
	return nil, outside, nil
}

// members finds a name among what a class declares, through unnamed structs
// and unions too.
func (c *cTypes) members(x thing, name string, depth int) []thing {
	var out []thing
	if x.def.Type != nil {
		for _, f := range x.def.Type.Fields {
			if f.Name == name {
				out = append(out, thing{x.file, f})
			}
		}
	}
	for _, m := range x.def.Members {
		if m.Name == name {
			out = append(out, thing{x.file, m})
		}
	}
	if len(out) > 0 || depth > 8 {
		return out
	}
	// What macros among the members declare stands in the macros.
	for _, u := range x.def.Macros {
		found, _, err := c.path(x.file, u.Type, wantAny)
		if err != nil {
			continue
		}
		for _, m := range found {
			if m.def.Kind == sketch.MacroName {
				if got := c.members(m, name, depth+1); len(got) > 0 {
					return got
				}
			}
		}
	}
	for _, m := range x.def.Members {
		if m.Kind == sketch.TypeName && (m.Name == "" || m.Sub == "enum") {
			out = append(out, c.members(thing{x.file, m}, name, depth+1)...)
		}
	}
	return out
}

func (c *cTypes) typeOfThing(x thing) (*cType, error) {
	d := x.def
	if t := c.types[d]; t != nil {
		return t, nil
	}
	if c.busy[d] {
		return cNothing, nil
	}
	c.busy[d] = true
	t, err := c.freshType(x)
	delete(c.busy, d)
	if t == nil {
		t = cNothing
	}
	if err == nil && c.steps <= maxGoSteps {
		c.types[d] = t
	}
	return t, err
}

func (c *cTypes) freshType(x thing) (*cType, error) {
	d := x.def
	switch d.Kind {
	case sketch.MacroName:
		return c.expr(x.file, d.Init)
	case sketch.TypeName:
		if d.Alias {
			return c.typeOf(x.file, d.Type)
		}
		return &cType{kind: cRecord, def: x}, nil
	case sketch.Variant:
		if d.Parent != nil && d.Parent.Kind == sketch.TypeName && d.Parent.Name != "" && c.b.t.files[x.file].lang == "cpp" {
			return &cType{kind: cRecord, def: thing{x.file, d.Parent}}, nil
		}
		return &cType{kind: cBasic, name: "int"}, nil
	}
	auto := d.Type == nil
	for t := d.Type; t != nil; t = t.X {
		if t.Kind == sketch.Lit && t.Name == "auto" {
			auto = true
		}
		if t.Kind != sketch.Star && t.Kind != sketch.Addr {
			break
		}
	}
	if auto && d.Init != nil {
		t, err := c.expr(x.file, d.Init)
		if err != nil {
			return nil, err
		}
		if d.Proj == sketch.RangeElem {
			switch {
			case t.kind == cArray:
				return t.elem, nil
			case t.kind == cOutside:
				return t.arg(len(t.list) - 1), nil
			}
			return cNothing, nil
		}
		return t, nil
	}
	return c.typeOf(x.file, d.Type)
}

// expr is the type of an expression.
func (c *cTypes) expr(file int, n *sketch.Node) (*cType, error) {
	if n == nil {
		return cNothing, nil
	}
	if t, ok := c.memo[n]; ok {
		return t, nil
	}
	c.depth++
	defer func() { c.depth-- }()
	if c.tooMuch() {
		return cNothing, nil
	}
	c.memo[n] = cNothing
	t, err := c.fresh(file, n)
	if t == nil {
		t = cNothing
	}
	if c.steps > maxGoSteps {
		delete(c.memo, n) // another question may get further
	} else {
		c.memo[n] = t
	}
	return t, err
}

func (c *cTypes) fresh(file int, n *sketch.Node) (*cType, error) {
	switch n.Kind {
	case sketch.Lit:
		return &cType{kind: cBasic, name: n.Name}, nil
	case sketch.Name:
		return c.value(file, n)
	case sketch.Member:
		if n.Sep == ':' {
			return c.value(file, n)
		}
		t, err := c.expr(file, n.X)
		if err != nil {
			return nil, err
		}
		t = c.record(t, n.Sep == '>')
		if t.kind == cOutside {
			return &cType{kind: cOutside, name: "?"}, nil
		}
		if t.kind != cRecord {
			// The only field of that name says it as well.
			return c.onlyField(n.Name)
		}
		found, _, err := c.find(t, n.Name)
		if err != nil || len(found) == 0 {
			return cNothing, err
		}
		m, err := c.typeOfThing(c.overload(file, n, t, found)[0])
		if err == nil && t.constant {
			m = m.unchanging()
		}
		return m, err
	case sketch.Index:
		if n.Sep == ':' {
			return c.value(file, n)
		}
		t, err := c.expr(file, n.X)
		if err != nil {
			return nil, err
		}
		switch {
		case t.kind == cPointer || t.kind == cArray:
			return t.elem, nil
		case t.kind == cOutside:
			if len(t.list) == 0 {
				return t, nil
			}
			return t.arg(len(t.list) - 1), nil
		}
		return c.method(file, t, "operator[]")
	case sketch.Call:
		return c.call(file, n)
	case sketch.Star:
		t, err := c.expr(file, n.X)
		if err != nil {
			return nil, err
		}
		switch {
		case t.kind == cPointer || t.kind == cArray:
			return t.elem, nil
		case t.kind == cFunc:
			return t, nil
		case t.kind == cOutside && len(t.list) > 0:
			return t.list[0], nil
		}
		return c.method(file, t, "operator*")
	case sketch.Addr:
		t, err := c.expr(file, n.X)
		return &cType{kind: cPointer, elem: t}, err
	case sketch.Unary:
		if n.Name == "!" {
			return &cType{kind: cBasic, name: c.truth(file)}, nil
		}
		return c.expr(file, n.X)
	case sketch.Binary:
		switch n.Name {
		case "==", "&&", "||", "!=":
			return &cType{kind: cBasic, name: c.truth(file)}, nil
		}
		x, err := c.expr(file, n.X)
		if err != nil || x.kind != cBasic && x.kind != cUnknown {
			return x, err
		}
		y, err := c.expr(file, n.Y)
		if err != nil || y.kind == cPointer || y.kind == cArray {
			return y, err
		}
		return x, nil
	case sketch.Cond:
		for _, x := range n.List {
			if t, err := c.expr(file, x); err != nil || t.kind == cPointer || t.kind == cRecord || t.kind == cArray {
				return t, err
			}
		}
		return cNothing, nil
	case sketch.Assert:
		return c.typeOf(file, n.Y)
	case sketch.Composite:
		return c.literal(file, n, 0)
	case sketch.Self:
		s, err := c.b.sketch(file)
		if err != nil || s == nil {
			return nil, err
		}
		ks, err := c.classesAt(file, s, n.At)
		if err != nil || len(ks) == 0 {
			return cNothing, err
		}
		return &cType{kind: cPointer, elem: ks[0]}, nil
	case sketch.FuncLit:
		return &cType{kind: cFunc, node: n, file: file}, nil
	case sketch.Typed:
		return c.typeOf(file, n)
	}
	return cNothing, nil
}

// truth is the name of a comparison's type.
func (c *cTypes) truth(file int) string {
	if c.b.t.files[file].lang == "cpp" {
		return "bool"
	}
	return "int"
}

// onlyField is the type of a field when the tree has only one of that name.
func (c *cTypes) onlyField(name string) (*cType, error) {
	all, err := c.declaredAs(name)
	if err != nil {
		return nil, err
	}
	var only *thing
	for i, x := range all {
		if x.def.Kind == sketch.Field {
			if only != nil {
				return cNothing, nil
			}
			only = &all[i]
		}
	}
	if only == nil {
		return cNothing, nil
	}
	return c.typeOfThing(*only)
}

func (c *cTypes) method(file int, t *cType, name string) (*cType, error) {
	if t.kind != cRecord {
		return cNothing, nil
	}
	found, _, err := c.find(t, name)
	if err != nil || len(found) == 0 {
		return cNothing, err
	}
	f, err := c.typeOfThing(found[0])
	if err != nil {
		return nil, err
	}
	return c.result(f)
}

func (c *cTypes) value(file int, n *sketch.Node) (*cType, error) {
	if n.Sep == 'p' {
		return cNothing, nil // a macro's parameter
	}
	found, outside, err := c.path(file, n, wantAny)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		if outside {
			name := ""
			if p := n; p.Kind == sketch.Index {
				return c.pathType(file, p)
			}
			name = n.Name
			return &cType{kind: cOutside, name: name}, nil
		}
		return cNothing, nil
	}
	return c.typeOfThing(found[0])
}

// result is what calling a value of type f gives.
func (c *cTypes) result(f *cType) (*cType, error) {
	for f.kind == cPointer && f.elem != nil {
		f = f.elem
	}
	if f.kind != cFunc || f.node.Fn == nil || len(f.node.Fn.Results) == 0 {
		return cNothing, nil
	}
	return c.typeOf(f.file, f.node.Fn.Results[0].Type)
}

func (c *cTypes) call(file int, n *sketch.Node) (*cType, error) {
	callee := n.X
	for callee != nil && callee.Kind == sketch.Index && callee.Sep == ':' {
		callee = callee.X
	}
	if callee != nil && (callee.Kind == sketch.Name || callee.Kind == sketch.Member && callee.Sep == ':') {
		found, outside, err := c.path(file, callee, wantAny)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			if !outside {
				return cNothing, nil
			}
			if len(n.X.List) > 0 && n.X.Kind == sketch.Index {
				t, err := c.pathType(file, n.X)
				if err == nil && t.kind == cOutside && strings.HasPrefix(t.name, "make_") {
					t.name = "unique_ptr" // whoever has made it leads to it
				}
				return t, err
			}
			return &cType{kind: cOutside, name: "?"}, nil
		}
		switch d := found[0].def; d.Kind {
		case sketch.TypeName: // a construction, or a cast
			return c.typeOf(file, n.X)
		case sketch.MacroName:
			return c.typeOfThing(found[0])
		}
		f, err := c.typeOfThing(found[0])
		if err != nil {
			return nil, err
		}
		if f.kind == cRecord {
			return c.method(file, f, "operator()")
		}
		return c.result(f)
	}
	f, err := c.expr(file, n.X)
	if err != nil {
		return nil, err
	}
	if f.kind == cOutside {
		return f, nil
	}
	return c.result(f)
}
