package main

import (
	"context"
	"os"
	"sync"

	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/embed/remote"
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
