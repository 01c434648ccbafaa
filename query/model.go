package query

import "strings"

// A model gives a file its score: the weighted sum of its features, in
// integers. Models are trained by internal/evalbench, which also writes
// model_table.go; small trees behind the sum gained nothing there.
type model struct {
	weights [numFeatures]int32 // thousandths of a score for each thousand of the feature
	placing placing
}

// score returns the file's score in thousandths.
func (m *model) score(x *features) int64 {
	var sum int64
	for i, w := range m.weights {
		sum += int64(w) * int64(x[i])
	}
	return sum / 1000
}

// account returns what each feature contributes to the score, and what rounding
// does, so that all of them add up to it.
func (m *model) account(x *features) (by [numFeatures]int64, rest int64) {
	rest = m.score(x)
	for i, w := range m.weights {
		by[i] = int64(w) * int64(x[i]) / 1000
		rest -= by[i]
	}
	return by, rest
}

// queryClass is the form of a question; each has models of its own.
type queryClass int

const (
	querySymbol queryClass = iota // one name, or a path
	queryProse
	queryIssue // long
	numQueryClasses
)

var queryClassNames = [numQueryClasses]string{"symbol", "prose", "issue"}

func (q *queryTerms) class() queryClass {
	switch {
	case q.single || looksLikePath(strings.TrimSpace(q.text)):
		return querySymbol
	case q.issue:
		return queryIssue
	}
	return queryProse
}

// modelFor picks the model by the question's form and the routes that answer.
func modelFor(q *queryTerms, lex, sem bool) *model {
	switch c := q.class(); {
	case lex && sem:
		return &hybridModels[c]
	case lex:
		return &lexicalModels[c]
	}
	return &semanticModel
}

// semanticModel is for answers from vectors alone. It is set by hand: nothing in
// the evaluation data asks for that route.
var semanticModel = model{weights: [numFeatures]int32{
	fLexSum: 3000, fLexShare: 1000, fSemSum: 1500, fSemBest: 500, fFused: 1000, fCover: 800, fCoverDoc: 500, fCoverName: 1000, fName: 1000, fNameWhole: 300,
	fMention: 1000, fMentions: 1000, fStem: 700, fStemIDF: 1500, fStemWhole: 500, fStemPrefix: 400, fDirIDF: 300, fPathNamed: 2500, fPathFramed: 1500, fPathExact: 20000,
	fTest: -3000, fExample: -2500, fVendored: -3500, fGenerated: -2000, fMinified: -4000, fDocs: -1500, fData: -3000, fStub: -800, fBuild: -1500, fLegacy: -1000, fFacade: -300,
	fExactSymbol: 4000,
}}
