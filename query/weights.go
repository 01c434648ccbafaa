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

	// The final ranker, in thousandths of the best candidate's score
	// (bonuses, added) or of the score (factors, multiplied).
	ExactSymbol  int64 `json:"exact_symbol"`  // the query is the unit's qualified name
	ExactName    int64 `json:"exact_name"`    // the query is the unit's name
	NamedInQuery int64 `json:"named"`         // an identifier of the query is the unit's name
	JoinedName   int64 `json:"joined_name"`   // neighbouring words of the query are the unit's name
	WordName     int64 `json:"word_name"`     // a plain word of the query is the unit's name
	ExactPath    int64 `json:"exact_path"`    // the query names the file's path
	StemMatch    int64 `json:"stem"`          // the file's stem is a word of the query
	FolderMatch  int64 `json:"folder"`        // a folder's name is a word of the query
	Coverage     int64 `json:"coverage"`      // the share of the query's weight that stands in the document
	FileCoverage int64 `json:"file_coverage"` // and in the whole file
	FileSupport  int64 `json:"file_support"`  // the best documents of the same file together
	Container    int64 `json:"container"`     // factor for containers (L1)
	Remainder    int64 `json:"remainder"`     // factor for text between declarations, in code
	Test         int64 `json:"test"`          // factor, as all below
	Example      int64 `json:"example"`
	Vendored     int64 `json:"vendored"`
	Generated    int64 `json:"generated"`
	Minified     int64 `json:"minified"`
	Docs         int64 `json:"docs"`
	Data         int64 `json:"data"`
	Stub         int64 `json:"stub"`
	Build        int64 `json:"build"`
	Legacy       int64 `json:"legacy"`
	Again        int64 `json:"again"` // factor for each earlier result of the same file
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

	ExactSymbol:  1000,
	ExactName:    500,
	NamedInQuery: 350,
	JoinedName:   225,
	WordName:     60,
	ExactPath:    1500,
	StemMatch:    250,
	FolderMatch:  60,
	Coverage:     100,
	FileCoverage: 100,
	FileSupport:  250,
	Container:    1000,
	Remainder:    850,
	Test:         450,
	Example:      500,
	Vendored:     400,
	Generated:    500,
	Minified:     200,
	Docs:         600,
	Data:         350,
	Stub:         800,
	Build:        600,
	Legacy:       700,
	Again:        350,
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
