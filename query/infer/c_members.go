package infer

import "github.com/pindex-dev/pindex/query/sketch"

// member says what x.name or x->name means.
func (c *cTypes) member(file int, n *sketch.Node) (Result, error) {
	t, err := c.expr(file, n.X)
	if err != nil {
		return Result{}, err
	}
	t = c.record(t, n.Sep == '>')
	switch t.kind {
	case cRecord:
		found, outside, err := c.find(t, n.Name)
		if err != nil {
			return Result{}, err
		}
		if len(found) > 0 {
			return boundTo("member of the receiver's type", c.whole(file, c.overload(file, n, t, found))...), nil
		}
		if outside {
			return Result{State: Outside, Rule: "a base of the receiver's type is outside the tree"}, nil
		}
		return Result{State: Unknown, Rule: "the receiver's type has no such member in the index", Guess: true}, nil
	case cOutside:
		return Result{State: Outside, Rule: "the receiver's type is outside the tree"}, nil
	}
	return Result{State: Unknown, Rule: "the receiver's type is not known", Guess: true}, nil
}

// key says what the designator of an initial value means.
func (c *cTypes) key(file int, u sketch.Use) (Result, error) {
	t, err := c.literal(file, u.Of, 0)
	if err != nil {
		return Result{}, err
	}
	for t.kind == cArray && t.elem != nil {
		t = t.elem
	}
	if t.kind == cRecord {
		found, _, err := c.find(t, u.Node.Name)
		if err != nil {
			return Result{}, err
		}
		if len(found) > 0 {
			return boundTo("field of the value's type", found...), nil
		}
	}
	if t.kind == cOutside {
		return Result{State: Outside, Rule: "the value's type is outside the tree"}, nil
	}
	return Result{State: Unknown, Rule: "a field of a value whose type is not known", Guess: true}, nil
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

// find finds a member of a class or of its bases.
func (c *cTypes) find(t *cType, name string) (found []Thing, outside bool, err error) {
	seen := map[*sketch.Def]bool{}
	queue := []*cType{t}
	for n := 0; len(queue) > 0 && n < 64; n++ {
		k := queue[0]
		queue = queue[1:]
		if k == nil || k.kind == cOutside {
			outside = outside || k != nil
			continue
		}
		if k.kind != cRecord || seen[k.def.Def] {
			continue
		}
		seen[k.def.Def] = true
		d := k.def
		if d.Def.Fwd && d.Def.Name != "" {
			if ds := c.whole(d.File, []Thing{d}); len(ds) > 0 {
				d = ds[0]
			}
		}
		if d.Def.Type == nil {
			continue
		}
		found = c.members(d, name, 0)
		if len(found) > 0 {
			return found, false, nil
		}
		if c.basing[d.Def] {
			continue // a base is not looked for in itself
		}
		for _, b := range d.Def.Bases {
			c.basing[d.Def] = true
			bt, err := c.typeOf(d.File, b)
			delete(c.basing, d.Def)
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
func (c *cTypes) members(x Thing, name string, depth int) []Thing {
	var out []Thing
	if x.Def.Type != nil {
		for _, f := range x.Def.Type.Fields {
			if f.Name == name {
				out = append(out, Thing{x.File, f})
			}
		}
	}
	for _, m := range x.Def.Members {
		if m.Name == name {
			out = append(out, Thing{x.File, m})
		}
	}
	if len(out) > 0 || depth > 8 {
		return out
	}
	// What macros among the members declare stands in the macros.
	for _, u := range x.Def.Macros {
		found, _, err := c.path(x.File, u.Type, wantAny)
		if err != nil {
			continue
		}
		for _, m := range found {
			if m.Def.Kind == sketch.MacroName {
				if got := c.members(m, name, depth+1); len(got) > 0 {
					return got
				}
			}
		}
	}
	for _, m := range x.Def.Members {
		if m.Kind == sketch.TypeName && (m.Name == "" || m.Sub == "enum") {
			out = append(out, c.members(Thing{x.File, m}, name, depth+1)...)
		}
	}
	return out
}

// onlyField is the type of a field when the tree has only one of that name.
func (c *cTypes) onlyField(name string) (*cType, error) {
	all, err := c.declaredAs(name)
	if err != nil {
		return nil, err
	}
	var only *Thing
	for i, x := range all {
		if x.Def.Kind == sketch.Field {
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
