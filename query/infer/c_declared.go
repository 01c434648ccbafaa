package infer

import (
	"slices"

	"github.com/pindex-dev/pindex/query/sketch"
	"github.com/pindex-dev/pindex/query/treepath"
)

func (c *cTypes) includeAt(file int, s *sketch.File, at uint32) (Result, error) {
	for _, d := range s.Top {
		if d.Kind == sketch.Import && d.Start <= at && at < d.End {
			m, err := c.tree.Module(file, d.Path)
			if err != nil {
				return Result{}, err
			}
			if len(m.Files) > 0 {
				return Result{Files: m.Files, State: Bound, Rule: "the included file"}, nil
			}
			return Result{State: Outside, Rule: "the included file is outside the tree"}, nil
		}
	}
	return Result{}, nil
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
		imports, err := c.tree.Imports(f)
		if err != nil {
			return nil, err
		}
		for _, name := range imports {
			mod, err := c.tree.Module(f, name)
			if err != nil {
				return nil, err
			}
			for _, i := range mod.Files {
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
func (c *cTypes) declaredAs(name string) ([]Thing, error) {
	if g, ok := c.global[name]; ok {
		return g, nil
	}
	all, err := c.tree.Symbols(name)
	if err != nil {
		return nil, err
	}
	var out []Thing
	for _, d := range all {
		if lang := c.tree.Lang(d.File); lang != "c" && lang != "cpp" || d.Local {
			continue
		}
		x, ok, err := Locate(c.tree, d)
		if err != nil {
			return nil, err
		}
		if ok && x.Def.Kind != sketch.Import && !slices.Contains(out, x) {
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
func (c *cTypes) definitions(x Thing) ([]Thing, error) {
	all, err := c.declaredAs(x.Def.Name)
	if err != nil {
		return nil, err
	}
	var out []Thing
	for _, y := range all {
		if y.Def.Fwd || y.Def.Kind == sketch.MacroName || y.Def.Kind == sketch.Variant || (y.Def.Kind == sketch.TypeName) != (x.Def.Kind == sketch.TypeName) ||
			(y.Def.Kind == sketch.Field) || y.Def.Alias != x.Def.Alias {
			continue
		}
		if isCMember(x.Def) != isCMember(y.Def) || isCMember(x.Def) && cOwner(x.Def) != cOwner(y.Def) {
			continue
		}
		if y.Def.Static && y.File != x.File {
			continue
		}
		if x.Def.Type != nil && y.Def.Type != nil && x.Def.Type.Kind == sketch.FuncType && y.Def.Type.Kind == sketch.FuncType &&
			c.tree.Lang(x.File) == "cpp" && len(x.Def.Type.Fn.Params) != len(y.Def.Type.Fn.Params) {
			continue
		}
		out = append(out, y)
	}
	var like []Thing
	for _, y := range out {
		if sameSignature(x.Def, y.Def) {
			like = append(like, y)
		}
	}
	if len(like) > 0 {
		out = like
	}
	return c.nearest(x.File, c.taken(out)), nil
}

// nearest keeps, of several, those of the file itself, of what it includes,
// or of the folders nearest to it.
func (c *cTypes) nearest(file int, all []Thing) []Thing {
	if len(all) < 2 {
		return all
	}
	inc, err := c.included(file)
	if err != nil {
		return all
	}
	path := c.tree.Path(file)
	rank := func(x Thing) int {
		switch {
		case x.File == file:
			return 1000
		case inc[x.File]:
			return 900
		}
		n := treepath.Shared(c.tree.Path(x.File), path) * 2
		if treepath.Dir(c.tree.Path(x.File)) == treepath.Dir(path) {
			n++
		}
		if c.tree.Test(x.File) != c.tree.Test(file) {
			n -= 50
		}
		return n
	}
	best := -1000
	var out []Thing
	for _, x := range all {
		switch n := rank(x); {
		case n > best:
			best, out = n, []Thing{x}
		case n == best:
			out = append(out, x)
		}
	}
	return out
}

func unique(all []Thing) []Thing {
	var out []Thing
	for _, x := range all {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// whole replaces declarations by their definitions where there are some.
func (c *cTypes) whole(file int, all []Thing) []Thing {
	var out []Thing
	for _, x := range all {
		if !x.Def.Fwd {
			out = append(out, x)
		}
	}
	if len(out) > 0 && len(all) > 0 && !isFunction(all[0].Def) {
		return out
	}
	for _, x := range all {
		if !x.Def.Fwd {
			continue
		}
		ds, err := c.definitions(x)
		if err != nil {
			continue
		}
		if len(ds) > 0 {
			out = append(out, ds...)
		} else if len(out) == 0 || c.tree.Lang(x.File) == "cpp" && isFunction(x.Def) && !slices.ContainsFunc(out, func(y Thing) bool { return sameSignature(x.Def, y.Def) }) {
			out = append(out, x)
		}
	}
	return unique(out)
}

func isFunction(d *sketch.Def) bool { return d.Kind == sketch.Function || d.Kind == sketch.Method }

// taken keeps, of several definitions, those in branches of the preprocessor
// that are rather taken; all where none is.
func (c *cTypes) taken(all []Thing) []Thing {
	if len(all) < 2 {
		return all
	}
	var out []Thing
	for _, x := range all {
		if s, err := c.tree.Sketch(x.File); err == nil && s != nil && !s.Idle(x.Def.At) {
			out = append(out, x)
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

func filesInOrder(m map[int]bool) []int {
	out := make([]int, 0, len(m))
	for i := range m {
		out = append(out, i)
	}
	slices.Sort(out)
	return out
}
