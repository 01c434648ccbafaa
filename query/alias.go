package query

import (
	"slices"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/lateregexp"
)

// alias is another name for a target in one file.
type alias struct {
	file int
	name string
}

// renaming returns the imports and exports that give a name another one, and
// those of a module's default export. File is an entry of the file table.
func (b *binder) renaming() ([]artifact.Import, error) {
	if b.renames != nil {
		return *b.renames, nil
	}
	parts := make([][]artifact.Import, b.e.parts())
	err := b.e.each(b.ctx, func(_, p int) error {
		st, err := b.e.ix.Structural(p)
		if err != nil {
			return err
		}
		return st.WalkImports(func(im artifact.Import) bool {
			n := b.t.number[p][im.File]
			if n >= 0 && im.Name != "" && im.Name != "*" && im.Alias != "" && im.Alias != "*" && (im.Name != im.Alias || im.Name == "default") {
				im.File = uint32(n)
				parts[p] = append(parts[p], im)
			}
			return true
		})
	})
	if err != nil {
		return nil, err
	}
	found := []artifact.Import{}
	for _, part := range parts {
		found = append(found, part...)
	}
	b.renames = &found
	return found, nil
}

// aliases finds the other names of a target: those that imports bind it to in
// their files, and those under which modules export it to others, in order.
func (b *binder) aliases(t *target) (in []alias, exported []string, err error) {
	all, err := b.renaming()
	if err != nil {
		return nil, nil, err
	}
	names := map[string]bool{}
	own := map[string]bool{}
	defaults := map[int]bool{} // files of which the target is the default export
	for _, d := range t.decls {
		names[d.sym.Name], own[d.sym.Name] = true, true
		defaults[d.file] = true
	}
	met := make([]bool, len(all))
	for again := true; again; {
		again = false
		for i, im := range all {
			if met[i] || !sameFamily(b.t.files[im.File].lang, b.t.files[t.decls[0].file].lang) {
				continue
			}
			hit := names[im.Name]
			if im.Name == "default" && im.Module != "" {
				m, err := b.resolveModule(int(im.File), im.Module)
				if err != nil {
					return nil, nil, err
				}
				hit = slices.ContainsFunc(m.files, func(f int) bool { return defaults[f] })
			}
			if !hit {
				continue
			}
			met[i] = true
			if a := (alias{int(im.File), im.Alias}); im.Module != "" && im.Alias != "default" && !slices.Contains(in, a) {
				in = append(in, a)
			}
			switch out, err := b.exports(im); {
			case err != nil:
				return nil, nil, err
			case !out:
			case im.Alias == "default":
				again = again || !defaults[int(im.File)]
				defaults[int(im.File)] = true
			case !names[im.Alias]:
				names[im.Alias], again = true, true
			}
		}
	}
	for _, name := range sortedKeys(names) {
		if !own[name] {
			exported = append(exported, name)
		}
	}
	return in, exported, nil
}

// exports reports whether other files can name what an import renames by its
// new name.
func (b *binder) exports(im artifact.Import) (bool, error) {
	switch lang := b.t.files[im.File].lang; family(lang) {
	case "python", "rust":
		return true, nil
	case "script":
		if im.Module == "" {
			return true, nil
		}
		uses, err := b.fileUses(int(im.File))
		if err != nil {
			return false, err
		}
		return slices.ContainsFunc(uses, func(o artifact.Occurrence) bool {
			return o.Role == artifact.RoleExport && o.Pos.Line == im.Pos.Line && (o.Name == im.Name || o.Name == im.Alias)
		}), nil
	}
	return false, nil
}

// aliasForm is a statement that gives a name to what another name means.
var aliasForm = lateregexp.Regexp{Expr: `^\s*(?:export\s+)?(?:(?:const|let|var)\s+)?([\pL_$][\pL\pN_$]*)\s*(?::[^=]+)?=\s*((?:[\pL_$][\pL\pN_$]*\.)*)([\pL_$][\pL\pN_$]*)\s*;?\s*(?:(?:#|//).*)?$`}

func aliasing(lang string) bool { return lang == "python" || family(lang) == "script" }

// aliased returns the type that a variable is another name of: "Name = Type"
// or "const Name = Type"; nil when it is none.
func (b *binder) aliased(d *decl) (*decl, error) {
	if d.container() || callableKind(d.sym.Kind) || d.local() || !aliasing(b.t.files[d.file].lang) {
		return nil, nil
	}
	t, err := b.text(d.file)
	if err != nil || t == nil {
		return nil, err
	}
	line := t.line(int(d.sym.NamePos.Line))
	m := aliasForm.Get().FindSubmatchIndex(line)
	if m == nil || string(line[m[2]:m[3]]) != d.sym.Name {
		return nil, nil
	}
	uses, err := b.fileUses(d.file)
	if err != nil {
		return nil, err
	}
	for _, o := range uses {
		if o.Pos.Line != d.sym.NamePos.Line || int(o.Pos.Col) != m[6]+1 {
			continue
		}
		out, err := b.bind(use{file: d.file, occ: o})
		if err != nil || out.binding != Bound || len(out.decls) != 1 || out.decls[0].id == d.id {
			return nil, err
		}
		return out.decls[0], nil
	}
	return nil, nil
}

// otherNames returns the variables that are other names of a type.
func (b *binder) otherNames(class *decl) ([]*decl, error) {
	if !aliasing(b.t.files[class.file].lang) || class.local() {
		return nil, nil
	}
	var out []*decl
	for at := []*decl{class}; len(at) > 0 && len(out) < maxBases; at = at[1:] {
		edges, _, err := b.incoming(at[:1], func(r artifact.Role) bool { return r == artifact.RoleRead })
		if err != nil {
			return nil, err
		}
		for _, e := range edges {
			t, err := b.text(e.use.file)
			if err != nil {
				return nil, err
			}
			if t == nil {
				continue
			}
			line := t.line(int(e.use.occ.Pos.Line))
			m := aliasForm.Get().FindSubmatchIndex(line)
			if m == nil || m[6]+1 != int(e.use.occ.Pos.Col) {
				continue
			}
			ds, err := b.topLevel(e.use.file, string(line[m[2]:m[3]]))
			if err != nil {
				return nil, err
			}
			for _, d := range ds {
				if d.sym.NamePos.Line == e.use.occ.Pos.Line && !slices.Contains(out, d) {
					out, at = append(out, d), append(at, d)
				}
			}
		}
	}
	return out, nil
}
