package remote

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"

	"github.com/pindex-dev/pindex/internal/fail"
)

const (
	// MaxRerank bounds the texts of one request to a reranker.
	MaxRerank = 200
	// DefaultRerank is how many results a reranker sees when nobody says.
	DefaultRerank = 50
	// maxRerankText bounds each of them, in bytes.
	maxRerankText = 4000
)

// Reranker asks a /rerank server.
type Reranker struct {
	e *Endpoint
	r *requester
}

// NewReranker returns a client; it asks nothing yet.
func NewReranker(e *Endpoint, l Limits) *Reranker {
	return &Reranker{e: e, r: newRequester(e, l)}
}

// K is how many results it wants to see.
func (r *Reranker) K() int {
	if r.e.K > 0 {
		return r.e.K
	}
	return DefaultRerank
}

// Name names the model and the server, for explanations.
func (r *Reranker) Name() string {
	if r.e.Model != "" {
		return r.e.Model + " at " + r.e.Host()
	}
	return r.e.Host()
}

// rerankRequest is that of Jina and Cohere. Text Embeddings Inference takes
// "texts" for "documents" and ignores what it does not know.
type rerankRequest struct {
	Model     string   `json:"model,omitempty"`
	Query     string   `json:"query"`
	Documents []string `json:"documents"`
	Texts     []string `json:"texts,omitempty"`
	TopN      int      `json:"top_n"`
	Return    bool     `json:"return_documents"`
}

type rerankItem struct {
	Index *int     `json:"index"`
	Score *float64 `json:"relevance_score"`
	// Text Embeddings Inference says "score".
	Other *float64 `json:"score"`
}

// Rerank returns the score of each text for the question, in millionths, in
// the order of the texts.
func (r *Reranker) Rerank(ctx context.Context, question string, texts []string) ([]int64, error) {
	if len(texts) > MaxRerank {
		return nil, fmt.Errorf("%d texts for a reranker, more than %d", len(texts), MaxRerank)
	}
	cut := slices.Clone(texts)
	for i := range cut {
		cut[i] = head(cut[i], maxRerankText)
	}
	body := rerankRequest{Model: r.e.Model, Query: head(question, maxRerankText), Documents: cut, TopN: len(cut)}
	if r.e.Model == "" {
		body.Texts = cut
	}
	var out []int64
	err := r.r.ask(ctx, http.MethodPost, r.e.URL, body, int64(len(cut))*512+64<<10, func(b []byte) error {
		items, err := rerankItems(b)
		if err != nil {
			return err
		}
		if len(items) != len(cut) {
			return fmt.Errorf("%d scores for %d texts", len(items), len(cut))
		}
		out = make([]int64, len(cut))
		seen := make([]bool, len(cut))
		for _, it := range items {
			s := it.Score
			if s == nil {
				s = it.Other
			}
			if it.Index == nil || *it.Index < 0 || *it.Index >= len(cut) || seen[*it.Index] {
				return errors.New("a score is of a text that there is not, or twice")
			}
			if s == nil || math.IsNaN(*s) || math.Abs(*s) > 1e9 {
				return errors.New("a score is no number of its kind")
			}
			seen[*it.Index] = true
			out[*it.Index] = int64(math.Round(*s * 1e6))
		}
		return nil
	})
	var f *fail.Error
	if err != nil && !errors.As(err, &f) && ctx.Err() == nil {
		err = fail.Wrap(fail.Network, err, remedyOf(err, "a reranker"), "the reranker at %s failed", r.e.Host())
	}
	return out, err
}

// rerankItems reads {"results": [...]}, or the bare list of Text Embeddings
// Inference.
func rerankItems(b []byte) ([]rerankItem, error) {
	if len(b) > 0 && b[0] == '[' {
		var list []rerankItem
		err := parse(b, &list)
		return list, err
	}
	var ans struct {
		Results []rerankItem `json:"results"`
	}
	err := parse(b, &ans)
	return ans.Results, err
}

// head returns the beginning of a text, cut between characters.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
