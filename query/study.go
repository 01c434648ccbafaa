package query

import (
	"context"
	"slices"
)

// Study is a search as the final ranker sees it, for those who train it.
type Study struct {
	Class string // form of the question: symbol, prose or issue
	Route string // lexical, semantic or hybrid
	Files []StudiedFile
}

// StudiedFile is one candidate, in the order of the ranker.
type StudiedFile struct {
	Path     string
	Features []int32 // in the order of FeatureNames; thousandths
	Score    int64   // of the built-in model, in thousandths
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
	defer e.scratch.Put(s.sc)
	var out *Study
	err = e.answer(func() error {
		r, _, err := s.rank(ctx)
		if err != nil {
			return err
		}
		out = &Study{Class: queryClassNames[s.q.class()], Route: s.route}
		for i := range r.files {
			f := &r.files[i]
			u, err := e.ix.Units(f.part)
			if err != nil {
				return err
			}
			sf := StudiedFile{Path: f.path, Features: slices.Clone(f.x[:]), Score: f.score}
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
