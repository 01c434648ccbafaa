package query

import "github.com/pindex-dev/pindex/artifact"

// overridden returns the methods that a call may name and mean d: those of the
// types above d's, and in Go those of the interfaces that its type satisfies.
func (b *binder) overridden(d *decl) ([]*decl, error) {
	if d.local() || d.unlisted() || !memberKind(d.sym.Kind) {
		return nil, nil
	}
	class, err := b.classOf(d)
	if err != nil || class == nil {
		return nil, err
	}
	up, _, err := b.typeWalk([]*decl{class}, b.supertypes)
	if err != nil {
		return nil, err
	}
	var out []*decl
	for _, r := range up {
		own, err := b.ownMembers(r.decl, d.sym.Name)
		if err != nil {
			return nil, err
		}
		out = append(out, own...)
	}
	if b.t.files[d.file].lang != "go" || class.sym.Kind == artifact.KindInterface {
		return out, nil
	}
	all, err := b.declared(d.sym.Name)
	if err != nil {
		return nil, err
	}
	for n, m := range all {
		if n == maxInterfaces {
			break
		}
		iface, err := b.parent(m)
		if err != nil {
			return nil, err
		}
		if iface == nil || iface.sym.Kind != artifact.KindInterface || b.t.files[m.file].lang != "go" {
			continue
		}
		wanted, err := b.goMethodSet(iface, map[declID]bool{})
		if err != nil {
			return nil, err
		}
		if r, err := b.goSatisfies(class, wanted); err != nil {
			return nil, err
		} else if r != nil {
			out = append(out, m)
		}
	}
	return out, nil
}

// maxInterfaces bounds the declarations of one name that are looked at for
// interfaces.
const maxInterfaces = 500

// uses returns the uses of a declaration, and those of what it overrides, which
// may mean it when the program runs.
func (w *walk) uses(ds []*decl, role func(artifact.Role) bool) ([]edge, loose, error) {
	edges, l, err := w.b.incoming(ds, role)
	if err != nil {
		return nil, l, err
	}
	for _, d := range ds {
		above, err := w.b.overridden(d)
		if err != nil {
			return nil, l, err
		}
		if len(above) == 0 {
			continue
		}
		more, _, err := w.b.incoming(above, role)
		if err != nil {
			return nil, l, err
		}
		for _, e := range more {
			e.out.provenance, e.out.rule = Heuristic, "a call of the method that it overrides or implements"
			edges = append(edges, e)
		}
	}
	return edges, l, nil
}
