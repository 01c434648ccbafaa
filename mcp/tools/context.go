package tools

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/bundle"
	"github.com/pindex-dev/pindex/internal/fail"
)

type contextReply struct {
	head
	Policy string        `json:"policy,omitempty"`
	Files  []contextFile `json:"files"`
}

type contextFile struct {
	where
	Role  string        `json:"role"`
	Why   string        `json:"why,omitempty"`
	Lines int           `json:"lines"` // of the whole file
	Spans []contextSpan `json:"spans"`
}

type contextSpan struct {
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Text      string `json:"text,omitempty"`
	TextB64   []byte `json:"text_b64,omitempty"`
}

// maxFits bounds how often a bundle is made smaller until its two forms fit:
// whole units come in steps, so that a little less may change nothing.
const maxFits = 24

// bytesBothWays is about what a token takes in the two forms together.
const bytesBothWays = 5

func (s *Set) context(ctx context.Context, c *session, a arguments) (*Reply, error) {
	h, st, err := s.head(ctx, c)
	if err != nil {
		return nil, err
	}
	out := contextReply{head: h, Files: []contextFile{}}
	p, err := bundle.NewPlan(ctx, c.Engine(), bundle.Options{Query: a.text["query"], Policy: a.text["policy"], Leave: set(append(st.Changed, st.ByLines...))})
	if err != nil {
		note := noAnswer(err)
		if note == "" {
			return nil, err
		}
		out.add(note)
		return reply(out, headLine(out.head, "nothing found"))
	}
	limit := a.budget()
	budget, ok := a.number["budget"]
	if most := limit / bytesBothWays; !ok || budget > most {
		budget = most
	}
	for range maxFits {
		b, text, err := p.Fit(ctx, budget, bundle.Markdown)
		if err != nil {
			return nil, err
		}
		out.Policy, out.Files = b.Policy, contextFiles(b)
		// The head says what the first line of the text does.
		_, text, _ = bytes.Cut(text, []byte("\n"))
		first := headLine(out.head, "%s: %s, at most %d tokens", b.Policy, count(len(b.Files), "file"), bundle.Count(text))
		r, err := reply(out, first, verbatim(text))
		if err != nil {
			return nil, err
		}
		n := len(r.Structured)
		for _, t := range r.Texts {
			n += len(t)
		}
		if n+64 <= limit {
			return r, nil
		}
		budget = min(budget-1, int(int64(budget)*int64(limit)/int64(n)*95/100))
		if budget < 1 {
			break
		}
	}
	return nil, fail.New(fail.NotFound, fmt.Sprintf("raise max_tokens (to %d at most)", MaxTokens), "no line fits the reply")
}

func contextFiles(b *bundle.Bundle) []contextFile {
	out := []contextFile{}
	for i := range b.Files {
		f := &b.Files[i]
		x := contextFile{Role: f.Role, Why: f.Why, Lines: f.Lines, Spans: []contextSpan{}}
		x.Path, x.PathB64 = f.Path, nil
		if !utf8.ValidString(f.Path) {
			x.Path, x.PathB64 = "", []byte(f.Path)
		}
		for _, s := range f.Spans {
			sp := contextSpan{StartLine: s.Start, EndLine: s.End}
			if text := f.SpanText(s); utf8.Valid(text) {
				sp.Text = string(text)
			} else {
				sp.TextB64 = text
			}
			x.Spans = append(x.Spans, sp)
		}
		out = append(out, x)
	}
	return out
}
