package query

import (
	"slices"

	"github.com/pindex-dev/pindex/query/sketch"
	"github.com/pindex-dev/pindex/query/treepath"
)

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
		n := treepath.Shared(c.b.t.files[x.file].path, path) * 2
		if treepath.Dir(c.b.t.files[x.file].path) == treepath.Dir(path) {
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

func filesInOrder(m map[int]bool) []int {
	out := make([]int, 0, len(m))
	for i := range m {
		out = append(out, i)
	}
	slices.Sort(out)
	return out
}
