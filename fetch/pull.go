package fetch

import (
	"context"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

// Pulled says what Pull did.
type Pulled struct {
	Commit     string
	Digest     artifact.Digest // the index digest
	Partitions int
	Profile    artifact.Digest
	Unpacked   int   // partitions whose pack had to be read
	Bytes      int64 // of packs, or of those parts of them, that were read
	Segments   int   // of the index, of all views
	Artifact   *registry.Artifact
}

// Pull brings a commit's index into the cache: all the segments of the views
// in opt, and the model where the dense view is one of them. Segments that are
// there already are verified against their digests, so Pull also mends a damaged
// cache. An index that opt names by its digest, and that is all there, needs no
// network. progress, which may be nil, is called with the number of partitions
// done, from several goroutines.
func Pull(ctx context.Context, store registry.Store, cache *Cache, commit string, opt OpenOptions, progress func(done, total int)) (*Pulled, error) {
	out, err := pull(ctx, store, cache, commit, opt, progress)
	if fail.CodeOf(err) == fail.Verification && !opt.Index.IsZero() {
		// What was remembered of that index leads nowhere and is forgotten now;
		// the store may have it in other packs.
		out, err = pull(ctx, store, cache, commit, opt, progress)
	}
	return out, err
}

func pull(ctx context.Context, store registry.Store, cache *Cache, commit string, opt OpenOptions, progress func(done, total int)) (*Pulled, error) {
	store = remember(store, cache, true)
	s, err := openSource(ctx, store, cache, commit, opt)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if !cache.writable() {
		return nil, cache.err()
	}
	out := &Pulled{Commit: commit, Digest: s.artifact.Index(), Profile: s.manifest.Profile.Digest, Partitions: len(s.packs), Artifact: s.artifact}
	for _, p := range s.manifest.Partitions {
		out.Segments += len(p.Segments)
	}
	var done, unpacked atomic.Int64
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel(store))
	for p := range s.packs {
		g.Go(func() error {
			return Guard(func() error {
				if err := context.Cause(gctx); err != nil {
					return err
				}
				read, err := s.pull(gctx, p)
				if read {
					unpacked.Add(1)
				}
				if n := done.Add(1); err == nil && progress != nil {
					progress(int(n), len(s.packs))
				}
				return err
			})
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if !cache.writable() {
		return nil, cache.err()
	}
	if s.manifest.Model != nil && (opt.Views == nil || slices.Contains(opt.Views, artifact.Dense)) {
		if _, err := Model(ctx, store, cache, *s.manifest.Model); err != nil {
			return nil, err
		}
	}
	settle(store, s.artifact)
	out.Unpacked, out.Bytes = int(unpacked.Load()), s.bytes.Load()
	return out, nil
}

// pull brings one partition into the cache and reports whether its pack had
// to be read.
func (s *source) pull(ctx context.Context, p int) (bool, error) {
	need := s.wanted(p)
	if form, m := s.cached(p, need, true); form != nil {
		m.close()
		return false, nil
	}
	if need == 0 {
		return false, nil
	}
	held, m := s.cached(p, viewSet(0).with(artifact.Units), true)
	_, _, err := s.complete(ctx, p, need, held, m)
	return true, err
}
