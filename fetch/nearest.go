package fetch

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

// Nearest returns the place in commits of the first one that the store has an
// index of under its own tag, -1 when it has none of them. A distant store is
// asked for several at a time.
func Nearest(ctx context.Context, store registry.Store, commits []string) (int, error) {
	at, _, err := nearest(ctx, store, commits)
	return at, err
}

func nearest(ctx context.Context, store registry.Store, commits []string) (int, *registry.Artifact, error) {
	return nearestOf(ctx, store, commits, func(commit string) []string { return []string{registry.CommitTag(commit)} })
}

// nearestOf looks for the tags of each commit, of which the first that is
// there counts.
func nearestOf(ctx context.Context, store registry.Store, commits []string, tagsOf func(commit string) []string) (int, *registry.Artifact, error) {
	batch := 1
	if d, ok := store.(distant); ok {
		batch = d.Concurrency()
	}
	// The nearest are the most likely ones, so it begins with few.
	for lo, n := 0, 1; lo < len(commits); lo, n = lo+n, min(2*n, batch) {
		n = min(n, len(commits)-lo)
		found := make([]*registry.Artifact, n)
		g, gctx := errgroup.WithContext(ctx)
		for i, commit := range commits[lo : lo+n] {
			g.Go(func() error {
				for _, tag := range tagsOf(commit) {
					a, _, err := registry.ReadArtifact(gctx, store, tag)
					if errors.Is(err, registry.ErrNotFound) {
						continue
					}
					found[i] = a
					return err
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return -1, nil, err
		}
		for i, a := range found {
			if a != nil {
				return lo + i, a, nil
			}
		}
	}
	return -1, nil, nil
}

// AssumeNearestIn lets a push into a registry mount what the index of the first
// of these commits that has one holds in another repository of it.
func AssumeNearestIn(ctx context.Context, to, other *registry.Remote, commits []string) error {
	_, art, err := nearest(ctx, other, commits)
	if fail.CodeOf(err) == fail.Verification {
		return nil
	}
	if err == nil && art != nil {
		to.AssumeIn(other, art)
	}
	return err
}

// AssumeNearest spares a push into a distant store the questions about blobs
// that the index of the first of these commits that has one holds. For other
// stores it does nothing. A damaged index is as good as none.
func AssumeNearest(ctx context.Context, store registry.Store, commits []string) error {
	s, ok := store.(interface {
		distant
		Assume(*registry.Artifact)
	})
	if !ok {
		return nil
	}
	_, art, err := nearest(ctx, store, commits)
	if fail.CodeOf(err) == fail.Verification {
		return nil
	}
	if err == nil && art != nil {
		s.Assume(art)
	}
	return err
}
