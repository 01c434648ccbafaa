package query

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/order"
)

// aliasUses returns the uses of a name that an import binds in a file: bare
// ones, and those in front of a member, which the facts tell by the member's
// receiver alone.
func (b *binder) aliasUses(file int, alias string) ([]use, error) {
	occs, err := b.fileUses(file)
	if err != nil {
		return nil, err
	}
	t, err := b.text(file)
	if err != nil {
		return nil, err
	}
	l, err := b.localsOf(file)
	if err != nil {
		return nil, err
	}
	var out []use
	for _, o := range occs {
		switch {
		case o.Name == alias && o.Receiver == "" && o.Role != artifact.RoleImport && o.Role != artifact.RoleArgument:
			out = append(out, use{file: file, occ: o})
		case t != nil && o.Receiver != "" && o.Role != artifact.RoleArgument && chainName(o.Receiver) == len(alias) && strings.HasPrefix(o.Receiver, alias):
			line := t.line(int(o.Pos.Line))
			at := bytes.LastIndex(line[:min(len(line), int(o.Pos.Col)-1)], []byte(alias))
			if at < 0 || at > 0 && (identByte(line[at-1]) || line[at-1] == '.') {
				continue
			}
			o.Pos.Col, o.Name, o.Receiver, o.Role = uint32(at)+1, alias, "", artifact.RoleRead
			if l.holding(o.Pos, alias) >= 0 {
				continue
			}
			out = append(out, use{file: file, occ: o})
		}
	}
	return out, nil
}

// usesOfModule lists where a Python module is imported from and where names
// mean it.
func (c *collector) usesOfModule(t *target, role func(artifact.Role) bool) error {
	b := c.b
	is := func(m module) bool { return len(m.files) == 1 && slices.Contains(t.files, m.files[0]) }
	o := outcome{binding: Bound, provenance: Syntactic, rule: "import of the module", files: t.files}
	for file := range b.t.files {
		if b.t.files[file].lang != "python" {
			continue
		}
		if err := b.ctx.Err(); err != nil {
			return err
		}
		imports, err := b.fileImports(file)
		if err != nil {
			return err
		}
		var found []use
		aliases := map[string]bool{}
		statements := map[artifact.Position]bool{}
		for _, im := range imports {
			comps := strings.Split(strings.TrimLeft(im.Module, "."), ".")
			dots := len(im.Module) - len(strings.TrimLeft(im.Module, "."))
			for n := 1; n <= len(comps) && comps[0] != ""; n++ {
				m, err := b.resolveModule(file, im.Module[:dots]+strings.Join(comps[:n], "."))
				if err != nil {
					return err
				}
				if !is(m) {
					continue
				}
				if im.Name == "" && (n == 1 || n == len(comps)) && (im.Alias == comps[0]) == (n == 1) {
					aliases[im.Alias] = true
				}
				if pos, ok, err := b.moduleToken(file, im, dots, comps[:n]); err != nil {
					return err
				} else if ok && !statements[pos] {
					statements[pos] = true
					found = append(found, use{file: file, occ: artifact.Occurrence{Name: comps[n-1], Role: artifact.RoleImport, Pos: pos}})
				}
			}
			if im.Name != "" && im.Name != "*" {
				in, err := b.submodule(file, im.Module, im.Name)
				if err != nil {
					return err
				}
				if is(in) {
					aliases[im.Alias] = true
					found = append(found, use{file: file, occ: artifact.Occurrence{Name: im.Name, Role: artifact.RoleImport, Pos: im.Pos}})
				}
			}
		}
		for _, a := range sortedKeys(aliases) {
			uses, err := b.aliasUses(file, a)
			if err != nil {
				return err
			}
			found = append(found, uses...)
		}
		order.Stable(found, func(x, y use) int {
			switch {
			case x.occ.Pos.Before(y.occ.Pos):
				return -1
			case y.occ.Pos.Before(x.occ.Pos):
				return 1
			}
			return 0
		})
		found = slices.CompactFunc(found, func(x, y use) bool { return x.occ.Pos == y.occ.Pos })
		ok, err := c.passes(file)
		if err != nil {
			return err
		}
		for _, u := range found {
			if !ok || !role(u.occ.Role) {
				continue
			}
			if u.in, err = b.enclosing(file, u.occ.Pos); err != nil {
				return err
			}
			c.res.Total++
			if err := c.list(&c.res.Results, u, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// moduleToken finds where the last of the given components of an imported
// module's name stands: in the import itself, or behind "from" above it.
func (b *binder) moduleToken(file int, im artifact.Import, dots int, comps []string) (artifact.Position, bool, error) {
	t, err := b.text(file)
	if err != nil || t == nil {
		return artifact.Position{}, false, err
	}
	name := im.Module[:dots] + strings.Join(comps, ".")
	if im.Name == "" {
		pos := im.Pos
		pos.Col += uint32(len(name) - len(comps[len(comps)-1]))
		return pos, true, nil
	}
	for n := int(im.Pos.Line); n > 0 && n > int(im.Pos.Line)-200; n-- {
		line := t.line(n)
		rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte("from"))
		if !ok || len(rest) == 0 || rest[0] != ' ' && rest[0] != '\t' && rest[0] != '.' {
			continue
		}
		rest = bytes.TrimLeft(rest, " \t")
		if !bytes.HasPrefix(rest, []byte(im.Module)) {
			return artifact.Position{}, false, nil
		}
		col := len(line) - len(rest) + len(name) - len(comps[len(comps)-1])
		return artifact.Position{Line: uint32(n), Col: uint32(col) + 1}, true, nil
	}
	return artifact.Position{}, false, nil
}
