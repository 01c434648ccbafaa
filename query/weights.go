package query

import (
	"encoding/json"

	"github.com/pindex-dev/pindex/artifact"
)

// Weights are all numbers that ranking depends on. They are measured on the
// development side of the evaluation data (docs/BENCHMARKS.md); --explain
// shows them with each answer.
type Weights struct {
	// BM25F. Field weights and length normalisations are indexed by
	// artifact.Field: path, symbol, signature, doc, body.
	K1     float64                     `json:"k1"`
	Field  [artifact.NumFields]float64 `json:"field"`
	LenB   [artifact.NumFields]float64 `json:"length_b"`
	Part   float64                     `json:"part"`    // a part of an identifier whose whole is searched too
	Join   float64                     `json:"join"`    // two neighbouring words as one identifier
	Var    float64                     `json:"variant"` // an inflected form, against the word itself
	Stop   float64                     `json:"stop"`    // a stop word, when there is nothing else
	Repeat [4]float64                  `json:"repeat"`  // a term that stands once, twice, three times, more often
	Title  float64                     `json:"title"`   // the first line of a long question

	// Fusion, in thousandths: each route's score is taken relative to its
	// best one.
	Lexical  int64 `json:"lexical"`
	Semantic int64 `json:"semantic"`

	// Links is what the edges that lead to a file or a unit add to its score at
	// most, in thousandths, on the structural route.
	Links int64 `json:"links"`

	// Again is, for each form of question, what a further unit of a file gets
	// of what the one before it got, in thousandths.
	Again [numQueryClasses]int64 `json:"again"`
}

var defaultWeights = Weights{
	K1:     0.7,
	Field:  [artifact.NumFields]float64{2.0, 3.0, 1.8, 1.5, 1.0},
	LenB:   [artifact.NumFields]float64{0.3, 0.5, 0.5, 0.6, 0.7},
	Part:   0.5,
	Join:   0.6,
	Var:    0.6,
	Stop:   0.1,
	Repeat: [4]float64{1, 1.4, 1.6, 1.8},
	Title:  1.5,

	Lexical:  1000,
	Semantic: 300,

	Links: 1000,

	Again: [numQueryClasses]int64{1, 1, 800},
}

// MarshalJSON writes the fractions in millionths: answers hold no floats.
func (w Weights) MarshalJSON() ([]byte, error) {
	type integers Weights
	return json.Marshal(struct {
		integers
		K1     int64   `json:"k1"`
		Field  []int64 `json:"field"`
		LenB   []int64 `json:"length_b"`
		Part   int64   `json:"part"`
		Join   int64   `json:"join"`
		Var    int64   `json:"variant"`
		Stop   int64   `json:"stop"`
		Repeat []int64 `json:"repeat"`
		Title  int64   `json:"title"`
	}{
		integers(w), toMicro(w.K1), toMicros(w.Field[:]), toMicros(w.LenB[:]), toMicro(w.Part),
		toMicro(w.Join), toMicro(w.Var), toMicro(w.Stop), toMicros(w.Repeat[:]), toMicro(w.Title),
	})
}

func toMicros(xs []float64) []int64 {
	out := make([]int64, len(xs))
	for i, x := range xs {
		out[i] = toMicro(x)
	}
	return out
}
