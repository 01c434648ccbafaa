package query

import (
	"context"
	"slices"

	"github.com/pindex-dev/pindex/artifact"
)

// Study is a search as the final ranker sees it, for those who train it.
type Study struct {
	Class string // form of the question: symbol, prose or issue
	Route string // lexical, semantic, hybrid or structural
	Files []StudiedFile
	// Seeded is what the structural route starts from: the files in the order
	// that as many candidates have without edges.
	Seeded []string
	Links  []StudiedLink // edges of the first ten units, into other files
}

// StudiedLink is an edge between one of the best units and another file.
type StudiedLink struct {
	Seed int    // place of the unit, from 0
	Out  bool   // the unit uses what the other file declares
	Role string // of the use
	Path string // the other file
	Fan  int    // units that the seed is linked with in that direction
}

// StudiedFile is one candidate, in the order of the ranker.
type StudiedFile struct {
	Path     string
	Features []int32 // in the order of FeatureNames; thousandths
	Score    int64   // of the built-in model, in thousandths; without links
	Links    int64   // what edges that lead here are worth, in thousandths; see Weights.Links
	Units    []StudiedUnit
}

// StudiedUnit is a candidate unit of a file, in the order of the ranker.
type StudiedUnit struct {
	Start, End int // lines
	Features   []int32
}

// FeatureNames returns the names of a file's features.
func FeatureNames() []string { return slices.Clone(featureNames[:]) }

// UnitFeatureNames returns the names of a unit's features.
func UnitFeatureNames() []string { return slices.Clone(unitFeatureNames[:]) }

// Study carries a search out up to the final ranker and returns what it knows
// of each candidate.
func (e *Engine) Study(ctx context.Context, o SearchOptions) (*Study, error) {
	s, err := e.newSearch(o)
	if err != nil {
		return nil, err
	}
	s.whole = true
	var out *Study
	err = e.answer(func() error {
		r, cands, err := s.rank(ctx)
		if err != nil {
			return err
		}
		out = &Study{Class: queryClassNames[s.q.class()], Route: s.route, Seeded: s.seeded}
		x := r.linked
		if x == nil && s.e.has(artifact.Structural) {
			if x, err = s.expand(ctx, cands, r.keep); err != nil {
				return err
			}
			r.linked = x
		}
		if err := out.link(s.e, x); err != nil {
			return err
		}
		for i := range r.files {
			f := &r.files[i]
			u, err := e.ix.Units(f.part)
			if err != nil {
				return err
			}
			sf := StudiedFile{Path: f.path, Features: slices.Clone(f.x[:]), Score: r.model.score(&f.x), Links: r.links(f.lo, f.hi)}
			for k := range f.units {
				first, last := e.lines(u, &f.units[k])
				sf.Units = append(sf.Units, StudiedUnit{Start: first, End: last, Features: slices.Clone(f.units[k].x[:])})
			}
			out.Files = append(out.Files, sf)
		}
		return nil
	})
	return out, err
}

// link records the edges of an expansion.
func (st *Study) link(e *Engine, x *expansion) error {
	if x == nil {
		return nil
	}
	for _, l := range x.links {
		p := e.partOfDoc(l.doc)
		u, err := e.ix.Units(p)
		if err != nil {
			return err
		}
		path := u.Path(u.UnitFile(u.DocUnit(l.doc - e.docBase[p])))
		st.Links = append(st.Links, StudiedLink{Seed: l.seed, Out: l.out, Role: l.role.String(), Path: path, Fan: l.fan})
	}
	return nil
}
