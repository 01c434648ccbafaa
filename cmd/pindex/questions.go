package main

import (
	"context"
	"os"
	"sync"

	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/embed/remote"
	"github.com/pindex-dev/pindex/query"
)

// remoteQueries returns what asks the user's own embedder for the vectors of
// questions, nil without one. An index names a model and never an address:
// questions go where the user says, not where an index does.
func remoteQueries() func(context.Context, *embed.Remote, []string) ([][]int8, error) {
	address := os.Getenv(remote.EnvEmbedder)
	if address == "" {
		return nil
	}
	client := sync.OnceValues(func() (*remote.Client, error) {
		e, err := remote.ParseEndpoint(address, "embeddings", remote.EnvEmbedderKey, os.Getenv(remote.EnvEmbedderKey))
		if err != nil {
			return nil, err
		}
		return remote.NewClient(e, remote.ForQueries), nil
	})
	return func(ctx context.Context, m *embed.Remote, questions []string) ([][]int8, error) {
		c, err := client()
		if err != nil {
			return nil, err
		}
		return c.Queries(ctx, m, questions)
	}
}

// reranker opens the reranker of --rerank.
func reranker(address string) (*query.Reranker, error) {
	e, err := remote.ParseEndpoint(address, "rerank", remote.EnvRerankerKey, os.Getenv(remote.EnvRerankerKey))
	if err != nil {
		return nil, err
	}
	r := remote.NewReranker(e, remote.ForQueries)
	return &query.Reranker{Name: r.Name(), K: r.K(), Rerank: r.Rerank}, nil
}
