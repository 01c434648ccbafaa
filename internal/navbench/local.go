package main

import (
	"github.com/pindex-dev/pindex/artifact"
)

// local reports whether what the oracle names is local to a callable: the
// innermost callable around the definition holds the position too and is not
// itself what is named. It only sorts positions into classes.
func (x *index) local(r *record) (bool, error) {
	if len(r.Def) == 0 || r.Def[0].Path != r.Path {
		return false, nil
	}
	p, f, ok, err := x.ix.FindFile(r.Path)
	if err != nil || !ok {
		return false, err
	}
	u, err := x.ix.Units(p)
	if err != nil {
		return false, err
	}
	lo, hi := u.FileUnits(f)
	best, size := -1, uint32(0)
	for i := lo; i < hi; i++ {
		switch u.UnitKind(i) {
		case artifact.KindFunction, artifact.KindMethod, artifact.KindConstructor, artifact.KindMacro:
		default:
			continue
		}
		n := u.Unit(i)
		if n.StartLine <= uint32(r.Def[0].Line) && uint32(r.Def[0].Line) <= n.EndLine && (best < 0 || n.End-n.Start < size) {
			best, size = i, n.End-n.Start
		}
	}
	if best < 0 {
		return false, nil
	}
	n := u.Unit(best)
	return n.StartLine <= uint32(r.Line) && uint32(r.Line) <= n.EndLine && n.Name != r.Name, nil
}
