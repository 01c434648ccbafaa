package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/pindex-dev/pindex/query"
)

type searchReply struct {
	head
	Route   string `json:"route,omitempty"`
	Total   int    `json:"total"` // candidates that matched
	Results []any  `json:"results"`
	// Explain says how the search went, where that was asked for.
	Explain *query.Explain `json:"explain,omitempty"`
}

type searchHit struct {
	where
	Kind        string `json:"kind"`
	Symbol      string `json:"symbol,omitempty"`
	ID          string `json:"id,omitempty"`
	Snippet     string `json:"snippet,omitempty"`
	SnippetB64  []byte `json:"snippet_b64,omitempty"`
	SnippetLine int    `json:"snippet_line,omitempty"`
	NotShown    int    `json:"not_shown_bytes,omitempty"`
	*reasons           // where they were asked for
}

func (s *Set) search(ctx context.Context, c *session, a arguments) (*Reply, error) {
	h, st, err := s.head(ctx, c)
	if err != nil {
		return nil, err
	}
	k := a.number["k"]
	if k == 0 {
		k = query.DefaultK
	}
	p := page{offset: a.number["offset"], k: k}
	out := searchReply{head: h, Results: []any{}}
	r, err := c.Engine().Search(ctx, query.SearchOptions{
		Query: a.text["query"], K: min(p.ask(len(st.Changed) > 0), query.MaxK), PathGlob: a.text["path"], Lang: a.text["lang"], Kind: a.text["kind"], Level: a.text["level"], Route: a.text["route"], Explain: a.flag["explain"],
	})
	if err != nil {
		note := noAnswer(err)
		if note == "" {
			return nil, err
		}
		out.add(note)
		return reply(out, headLine(out.head, "nothing found"))
	}
	changed := set(st.Changed)
	dropped := 0
	for i := range r.Results {
		hit := &r.Results[i]
		switch {
		case changed[hit.FilePath()]:
			dropped++
		case p.wants():
			p.items = append(p.items, searchItem(hit))
		}
	}
	if r.Explain != nil {
		r.Explain.KOut = k // and not the one more that tells whether a page follows
	}
	how, own := explanation(r)
	chosen, body, left, fits := fitExplained(a.budget(), p.items, own)
	if fits {
		out.Explain = r.Explain
		body += how
	}
	left.Changed = dropped
	out.Next = p.next(len(chosen))
	out.Route, out.Total, out.Results, out.LeftOut = r.Route, r.Total, chosen, left.orNil()
	route := r.Route
	if r.RouteWhy != "" {
		route += " (" + sentence(r.RouteWhy) + ")"
	}
	return reply(out, headLine(out.head, "%s, %d of %d", route, len(chosen), r.Total)+body)
}

func searchItem(h *query.SearchHit) item {
	hit := searchHit{where: whereOf(h.Place), Kind: h.Kind, Symbol: oneLine(h.Symbol), ID: h.ID}
	place := fmt.Sprintf("\n%s:%d-%d  %s", oneLine(h.FilePath()), h.StartLine, h.EndLine, h.Kind)
	if h.Symbol != "" {
		place += " " + hit.Symbol
	}
	snippet := h.SnippetB64
	if snippet == nil {
		snippet = []byte(h.Snippet)
	}
	it := item{leanText: fmt.Sprintf("%s  (%d bytes of lines not shown)\n", place, len(snippet))}
	lean := hit
	lean.NotShown = len(snippet)
	it.lean = lean
	hit.Snippet, hit.SnippetB64, hit.SnippetLine = h.Snippet, h.SnippetB64, h.SnippetLine
	it.full = hit
	var b strings.Builder
	b.WriteString(place + "\n")
	numbered(&b, h.SnippetLine, snippet)
	it.fullText = b.String()
	if h.Explain != nil {
		hit.reasons = &reasons{Score: h.Score, Why: h.Why, Explain: h.Explain}
		it.explained, it.explainedText = hit, scoreText(h)
	}
	return it
}

func set(paths []string) map[string]bool {
	m := make(map[string]bool, len(paths))
	for _, p := range paths {
		m[p] = true
	}
	return m
}
