package query

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/querytest"
)

// TestPrefix checks that k only cuts the order: the results for a smaller k are
// the first of those for a larger one, none stands there twice, and the count
// is the same until all that it counts are shown.
func TestPrefix(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	words := strings.Fields("open session cookie parse header request token cache value read write close retry limit quota password hidden input progress bar")
	var files []querytest.File
	for i := range 420 {
		f := querytest.File{Path: fmt.Sprintf("%s/%s%d.py", words[i%7], words[rng.IntN(len(words))], i), Lang: "python"}
		if i%5 == 0 {
			f.Path = "tests/" + f.Path
		}
		line := 1
		for range 1 + rng.IntN(4) {
			name := words[rng.IntN(len(words))] + "_" + words[rng.IntN(len(words))]
			f.Content += fmt.Sprintf("def %s(%s):\n    return %s(%s)\n\n", name, words[rng.IntN(len(words))], words[rng.IntN(len(words))], words[rng.IntN(len(words))])
			f.Units = append(f.Units, querytest.Unit{Kind: artifact.KindFunction, Symbol: name, StartLine: line, EndLine: line + 1})
			line += 3
		}
		files = append(files, f)
	}
	e := New(querytest.New(files, querytest.Options{}), Options{})
	seen := map[string]bool{}
	for _, q := range []string{"session", "open_session", "how is password input hidden", "retry limit", `"open session"`, "cookie header token cache", "nothing of this"} {
		for _, route := range []string{RouteAuto, RouteLexical, RouteSemantic, RouteHybrid, RouteStructural} {
			for _, level := range []string{"unit", "file"} {
				name := fmt.Sprintf("%q, %s, %s", q, route, level)
				var longest []string
				total := 0
				for _, k := range []int{MaxK, 700, 300, 101, 60, 31, 30, 11, 10, 3, 1} {
					r, err := e.Search(context.Background(), SearchOptions{Query: q, Route: route, Level: level, K: k, Explain: k == 30})
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					var got []string
					score := int64(-1)
					for _, h := range r.Results {
						got = append(got, h.Path+" "+h.ID)
						if score >= 0 && h.Score > score {
							t.Errorf("%s, k %d: score %d behind %d", name, k, h.Score, score)
						}
						score = h.Score
					}
					if longest == nil {
						longest = got
						once := slices.Compact(slices.Sorted(slices.Values(got)))
						if len(once) != len(got) {
							t.Errorf("%s: %d of %d results are repeated", name, len(got)-len(once), len(got))
						}
						if r.Total > DefaultCandidates && len(got) < DefaultCandidates && level == "unit" {
							t.Errorf("%s: %d results of %d", name, len(got), r.Total)
						}
					}
					if len(got) > k || !slices.Equal(got, longest[:min(k, len(longest))]) {
						t.Errorf("%s: the %d results for k %d are not the first of those for %d", name, len(got), k, MaxK)
					}
					switch {
					case k > 101:
						if r.Total > k {
							seen["cut"] = true
						}
					case total == 0:
						total = r.Total
					case r.Total != total:
						t.Errorf("%s: %d in all with k %d, %d with more", name, r.Total, k, total)
					}
				}
				if len(longest) > DefaultCandidates {
					seen["long"] = true
				}
			}
		}
	}
	if !seen["long"] || !seen["cut"] {
		t.Errorf("no order is long enough to mean anything: %v", seen)
	}
}
