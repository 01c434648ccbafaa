package tools

import (
	"fmt"
	"strings"

	"github.com/pindex-dev/pindex/query"
)

// reasons are what a hit's explanation adds to it, as in the command line's
// JSON: numbers in millionths.
type reasons struct {
	Score   int64        `json:"score"`
	Why     string       `json:"why"`
	Explain []query.Part `json:"explain"`
}

// explanation returns how a search went, in words, and what it takes in both
// forms together, in bytes; "" and 0 where nobody asked.
func explanation(r *query.SearchResult) (string, int) {
	e := r.Explain
	if e == nil {
		return "", 0
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n# searched %s: %d matched by words, %d by vectors, %d kept of each route", count(e.Documents, "document"), e.Lexical, e.Semantic, e.KRet)
	if e.Seeds > 0 {
		fmt.Fprintf(&b, "; %s from %s lead to %d more", count(e.Links, "link"), count(e.Seeds, "result"), e.Reached)
	}
	b.WriteString("\n# terms:")
	for i, t := range e.Terms {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %s %.2f (%s, in %d)", oneLine(t.Term), micro(t.Weight), t.Role, t.DocFreq)
	}
	if len(e.Dropped) > 0 {
		b.WriteString("; left out: " + oneLine(strings.Join(e.Dropped, ", ")))
	}
	for _, t := range e.Phrases {
		fmt.Fprintf(&b, "; phrase %q", oneLine(t))
	}
	b.WriteByte('\n')
	return b.String(), b.Len() + jsonSize(e) + len(`,"explain":`)
}

// most is how many parts of a sum stand in the text; the structured form has
// all.
const most = 4

// scoreText is a hit's explanation in one line. A part "file: depth" belongs to
// the sum "file", which comes after its parts: of those the text has the ones
// that weigh most.
func scoreText(h *query.SearchHit) string {
	var b strings.Builder
	sep := "  score: "
	var of []query.Part
	for _, p := range h.Explain {
		if sum, name, ok := strings.Cut(p.Name, ": "); ok && (sum == "file" || sum == "unit") {
			of = append(of, query.Part{Name: name, Value: p.Value})
			continue
		}
		fmt.Fprintf(&b, "%s%s %.2f", sep, p.Name, micro(p.Value))
		sep = ", "
		if len(of) == 0 {
			continue
		}
		sep := " ("
		for range min(len(of), most) {
			top := 0
			for i := range of {
				if abs(of[i].Value) > abs(of[top].Value) {
					top = i
				}
			}
			fmt.Fprintf(&b, "%s%s %+.2f", sep, of[top].Name, micro(of[top].Value))
			of = append(of[:top], of[top+1:]...)
			sep = ", "
		}
		if len(of) > 0 {
			fmt.Fprintf(&b, " and %d more", len(of))
		}
		b.WriteByte(')')
		of = nil
	}
	if h.Why != "" {
		b.WriteString("; " + sentence(h.Why))
	}
	b.WriteByte('\n')
	return b.String()
}

func abs(n int64) int64 { return max(n, -n) }

func micro(n int64) float64 { return float64(n) / 1e6 }
