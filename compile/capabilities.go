package compile

import (
	"slices"

	"github.com/pindex-dev/pindex/artifact"
)

// needs lists, for each capability that a manifest can state, the views that
// must all be ready. A capability has one meaning: what a weaker view could
// do in its stead has a name of its own or none.
var needs = []struct {
	name  string
	views []artifact.View
}{
	{"grep", []artifact.View{artifact.Source}},
	{"nav.outline", nil},
	{"nav.references", []artifact.View{artifact.Structural}},
	{"nav.symbols", []artifact.View{artifact.Structural}},
	{"search.hybrid", []artifact.View{artifact.Source, artifact.Lexical, artifact.Dense}},
	{"search.lexical", []artifact.View{artifact.Source, artifact.Lexical}},
	{"search.semantic", []artifact.View{artifact.Source, artifact.Dense}},
	{"show", []artifact.View{artifact.Source}},
	{"verify.tree", nil},
}

// capabilities returns what an index with these views can do, sorted. The
// units are always ready.
func capabilities(ready map[artifact.View]bool, precise bool) []string {
	out := []string{}
	if precise {
		out = append(out, "nav.precise") // for the files that the languages count
	}
	for _, n := range needs {
		if !slices.ContainsFunc(n.views, func(v artifact.View) bool { return !ready[v] }) {
			out = append(out, n.name)
		}
	}
	slices.Sort(out)
	return out
}
