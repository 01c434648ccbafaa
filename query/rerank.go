package query

import (
	"context"
	"slices"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/order"
)

// Reranker orders the best results anew by a model outside this package.
type Reranker struct {
	Name string // of the model, for explanations
	K    int    // k′: how many candidates it sees
	// Rerank returns the score of each text for the question, in millionths.
	Rerank func(ctx context.Context, question string, texts []string) ([]int64, error)
}

// maxRerankText bounds what a reranker sees of a candidate, in bytes.
const maxRerankText = 4 << 10

// rerank puts the first k′ candidates in the order of the reranker's scores,
// equal ones as they were. A candidate takes over the score of the place that
// it comes to, so that scores descend and the candidates behind the first k′
// keep theirs. A reranker that fails changes nothing, and the answer says so.
func (s *search) rerank(ctx context.Context, r *ranker, cands []candidate) error {
	rr := s.o.Reranker
	if rr == nil || len(cands) == 0 {
		return nil
	}
	if !s.e.has(artifact.Source) {
		s.why = because(s.why, "not reranked: "+s.e.reason(artifact.Source))
		return nil
	}
	top := cands[:min(len(cands), rr.K)]
	texts := make([]string, len(top))
	for i := range top {
		text, err := s.e.candidateText(&top[i])
		if err != nil {
			return err
		}
		texts[i] = text
	}
	scores, err := rr.Rerank(ctx, s.o.Query, texts)
	if err == nil && len(scores) != len(texts) {
		scores = nil
	}
	if err != nil || scores == nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		why := "the reranker answered with too few scores"
		if err != nil {
			why = fail.Brief(err)
		}
		s.why = because(s.why, "not reranked: "+why)
		return nil
	}

	s.explain.Reranker, s.explain.KPrime = rr.Name, len(top)
	places := make([]int, len(top))
	for i := range places {
		places[i] = i
	}
	order.Stable(places, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	old := slices.Clone(top)
	for place, i := range places {
		c := old[i]
		if s.o.Explain {
			// The parts of the score explain the first order.
			r.account(&c)
			c.bonuses = append(slices.Clone(c.bonuses), Part{"place before the reranker", int64(i+1) * micro}, Part{"reranker", scores[i]})
		}
		c.score, c.reranked = old[place].score, true
		top[place] = c
	}
	return nil
}

// candidateText is what a reranker sees: the path, the symbol, and the text of
// the candidate's document.
func (e *Engine) candidateText(c *candidate) (string, error) {
	u, err := e.ix.Units(c.part)
	if err != nil {
		return "", err
	}
	src, err := e.ix.Source(c.part)
	if err != nil {
		return "", err
	}
	d := u.Doc(c.doc - e.docBase[c.part])
	f := u.File(c.file)
	content := src.Content(c.file)
	if isUTF16(f.Encoding) {
		content = linesOf(transcode(content, f.Encoding).text, int(d.StartLine), int(d.EndLine))
	} else {
		content = content[d.Start:d.End]
	}
	content = content[:min(len(content), maxRerankText)]
	b := append([]byte(f.Path), '\n')
	return string(append(append(append(b, u.Unit(c.unit).Symbol...), '\n'), content...)), nil
}
