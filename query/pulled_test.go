package query

import (
	"context"
	"slices"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/querytest"
)

// Of two files that answer alike, the one that the best candidate imports
// comes first.
func TestPulled(t *testing.T) {
	same := "def retry_request(n):\n    return n\n"
	unit := []querytest.Unit{{Kind: artifact.KindFunction, Symbol: "retry_request", StartLine: 1, EndLine: 2}}
	files := []querytest.File{
		{Path: "a/backoff.py", Lang: "python", Content: same, Units: unit},
		{Path: "a/waiting.py", Lang: "python", Content: same, Units: unit},
		{Path: "net/client.py", Lang: "python", Content: "from a.waiting import retry_request\n\ndef retry_request_politely(request):\n    \"\"\"Retry the request, politely.\"\"\"\n    return retry_request(request)\n",
			Units:   []querytest.Unit{{Kind: artifact.KindFunction, Symbol: "retry_request_politely", StartLine: 3, EndLine: 5}},
			Imports: []artifact.Import{{Pos: artifact.Position{Line: 1, Col: 23}, Module: "a.waiting", Name: "retry_request", Alias: "retry_request"}}},
	}
	e := New(querytest.New(files, querytest.Options{}), Options{})
	st, err := e.Study(context.Background(), SearchOptions{Query: "politely retry the request", Route: RouteLexical})
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	pulled := map[string]int32{}
	for i, f := range st.Files {
		at[f.Path], pulled[f.Path] = i, f.Features[slices.Index(FeatureNames(), "imported by the best")]
	}
	if pulled["a/waiting.py"] == 0 || pulled["a/backoff.py"] != 0 {
		t.Errorf("pulled: %v", pulled)
	}
	if at["a/waiting.py"] > at["a/backoff.py"] {
		t.Errorf("order: %v", at)
	}
}
