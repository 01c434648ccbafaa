package fetch

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

// Parent is an index in a store whose packs a compile may take over.
type Parent struct {
	Commit   string
	Distance int // commits, along first parents
	Artifact *registry.Artifact
	Manifest *artifact.Manifest

	lost    map[string]bool // digests of packs that the store turned out to lack
	mounted bool            // the packs are in another repository, see MountIn
}

// MountIn makes an index that was found in another repository one whose packs a
// compile into store takes over all the same: they are mounted there. With all,
// that is done at once, several at a time; else one after another as they are
// taken over. False says that the two repositories are not beside each other.
func (p *Parent) MountIn(ctx context.Context, store, other registry.Store, all bool) (bool, error) {
	to, ok1 := store.(*registry.Remote)
	from, ok2 := other.(*registry.Remote)
	if !ok1 || !ok2 || !to.AssumeIn(from, p.Artifact) {
		return false, nil
	}
	p.mounted = true
	if !all {
		return true, nil
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(to.Concurrency())
	for _, d := range p.Artifact.Packs {
		g.Go(func() error {
			_, err := to.Mount(ctx, d) // one that is refused is built
			return err
		})
	}
	return true, g.Wait()
}

// Gone reports whether the pack of a partition is known to be lost.
func (p *Parent) Gone(partition int) bool {
	return partition >= len(p.Artifact.Packs) || p.lost[string(p.Artifact.Packs[partition].Digest)]
}

// Lose takes note of blobs that the store turned out to lack.
func (p *Parent) Lose(digests []string) {
	if p.lost == nil {
		p.lost = map[string]bool{}
	}
	for _, d := range digests {
		p.lost[d] = true
	}
}

// Index opens the parent's index, of which only these views are read. It must
// be closed.
func (p *Parent) Index(ctx context.Context, store registry.Store, cache *Cache, views []artifact.View) *artifact.Index {
	s := newSource(store, cache, p.Artifact, p.Manifest, views)
	open := func(part int, v artifact.View, seg artifact.SegmentInfo) ([]byte, error) {
		return s.segment(ctx, part, v, seg)
	}
	return artifact.NewIndex(p.Manifest, p.Artifact.Index(), open, func() error {
		s.close()
		return nil
	})
}

// FindParent returns the index of the nearest of these commits that the store
// has one of, preferring the given profile's to the one under the commit's own
// tag; nil when there is none that can be used. A push into the same store
// then asks about none of the blobs that it holds. It finds out, before
// anything is built, whether the store can be read at all. An index that is
// damaged is as good as none: it is about to be replaced, maybe.
func FindParent(ctx context.Context, store registry.Store, cache *Cache, commits []string, profile artifact.Digest) (*Parent, error) {
	at, art, err := nearestOf(ctx, store, commits, func(commit string) []string {
		if profile.IsZero() {
			return []string{registry.CommitTag(commit)}
		}
		return []string{registry.ProfileTag(commit, profile), registry.CommitTag(commit)}
	})
	if fail.CodeOf(err) == fail.Verification {
		return nil, nil
	}
	if err != nil || art == nil {
		return nil, err
	}
	p, err := asParent(ctx, store, cache, art)
	if err != nil || p == nil || p.Commit != commits[at] {
		return nil, err
	}
	p.Distance = at
	return p, nil
}

// ParentByTag is FindParent for what a tag holds, such as a branch's. Which
// commit that is of plays no part: what is taken over is told by its keys.
func ParentByTag(ctx context.Context, store registry.Store, cache *Cache, tag string) (*Parent, error) {
	art, _, err := registry.ReadArtifact(ctx, store, tag)
	if errors.Is(err, registry.ErrNotFound) || fail.CodeOf(err) == fail.Verification {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return asParent(ctx, store, cache, art)
}

// asParent reads an artifact's manifest; nil where that cannot be used.
func asParent(ctx context.Context, store registry.Store, cache *Cache, art *registry.Artifact) (*Parent, error) {
	b, err := manifestBytes(ctx, store, cache, art)
	if errors.Is(err, registry.ErrNotFound) || fail.CodeOf(err) == fail.Verification {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m, err := artifact.DecodeManifest(b)
	if err != nil || len(m.Partitions) != len(art.Packs) {
		return nil, nil
	}
	if s, ok := store.(interface{ Assume(*registry.Artifact) }); ok {
		s.Assume(art)
	}
	return &Parent{Commit: m.Commit, Artifact: art, Manifest: m}, nil
}
