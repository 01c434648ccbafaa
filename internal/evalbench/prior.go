package main

import "github.com/pindex-dev/pindex/query"

// prior is what a model believes before it has seen anything: training is
// held to it by the quadratic penalty, so that a feature which the data hardly
// shows, such as vendored files, keeps a sensible weight.
func prior() []float64 {
	by := map[string]float64{
		"lexical of its file": 3, "lexical, absolute": 1, "semantic of its file": 1.5, "best semantic": 0.5, "fused": 1,
		"terms in its file": 0.8, "terms in one unit": 0.5, "terms in names": 1, "declared name": 1, "whole name": 0.3,
		"named in the query": 1, "names in the query": 1, "file name": 0.7, "terms in the file name": 1.5, "whole file name": 0.5,
		"file name, beginning": 0.4, "terms in folder names": 0.3, "path in the query": 2.5, "frame of the traceback": 1.5, "exact path": 20,
		"test": -3, "example": -2.5, "vendored": -3.5, "generated": -2, "minified": -4, "docs": -1.5, "data": -3, "declaration stub": -0.8,
		"build": -1.5, "legacy": -1, "facade": -0.3, "exact symbol": 4, "mirror of another": -3,
	}
	return named(by, query.FeatureNames())
}

// unitPrior is the same for the units of a file.
func unitPrior() []float64 {
	return named(map[string]float64{
		"lexical": 3, "lexical, absolute": 1, "semantic": 1.5, "terms": 0.5, "terms in names": 1, "declared name": 1, "declared name, all of it": 0.5,
		"named in the query": 1.5, "frame of the traceback": 1.5, "exact symbol": 8, "container": -0.3, "between declarations": -0.7, "whole file": -1,
		"module of tests": -3, "size": 0.5,
	}, query.UnitFeatureNames())
}

func named(by map[string]float64, names []string) []float64 {
	out := make([]float64, len(names))
	for i, n := range names {
		out[i] = by[n]
		delete(by, n)
	}
	for n := range by {
		panic("no feature is called " + n)
	}
	return out
}
