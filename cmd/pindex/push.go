package main

import (
	"context"
	"os"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/visibility"
	"github.com/pindex-dev/pindex/registry"
)

// checkPush refuses to show a private repository's source in a public package.
func checkPush(ctx context.Context, store registry.Store, repo git.Repository) error {
	if _, ok := store.(*registry.Remote); !ok {
		return nil // a folder of whatever name
	}
	p := visibility.Push{
		Store: store.Name(), Repository: os.Getenv("GITHUB_REPOSITORY"),
		Token: os.Getenv("GITHUB_TOKEN"), API: os.Getenv("GITHUB_API_URL"),
	}
	if repo != nil {
		// One without an origin is as good as one that cannot tell it.
		p.Origin, _ = repo.RemoteURL(ctx, "origin")
	}
	return visibility.Check(ctx, p)
}
