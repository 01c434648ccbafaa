package fetch

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/opencontainers/go-digest"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/registry"
)

func ocispecDigest(d artifact.Digest) digest.Digest { return digest.Digest(d.String()) }

// source is where an index's segments come from.
type source struct {
	store    registry.Store
	cache    *Cache
	artifact *registry.Artifact
	manifest *artifact.Manifest
	views    []artifact.View // unpacked when a pack is read
	packs    []packState
	slots    chan struct{} // limits how many packs are in memory

	mu     sync.Mutex
	held   []mapping
	closed bool
}

// packState serialises the reading of one pack.
type packState struct {
	mu    sync.Mutex
	asked [8]atomic.Bool // by view
}

func newSource(store registry.Store, cache *Cache, art *registry.Artifact, m *artifact.Manifest, views []artifact.View) *source {
	if views == nil {
		views = artifact.Views
	} else if !slices.Contains(views, artifact.Units) {
		views = append([]artifact.View{artifact.Units}, views...)
	}
	return &source{
		store: store, cache: cache, artifact: art, manifest: m, views: views,
		packs: make([]packState, len(m.Partitions)),
		slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
}

// segment returns the bytes of one segment, which stay valid until close. The
// index asks once; when it asks again, what it was given did not pass its
// checks, and the cached file is verified in full and replaced if need be.
func (s *source) segment(ctx context.Context, p int, v artifact.View, seg artifact.SegmentInfo) ([]byte, error) {
	again := int(v) < len(s.packs[p].asked) && s.packs[p].asked[v].Swap(true)
	if m, err := s.cache.open(segments, seg.Digest, seg.Size, again); err == nil {
		return s.hold(m)
	}
	return s.unpack(ctx, p, v, seg)
}

// unpack reads the pack of partition p and returns one of its segments. All
// wanted ones go into the cache.
func (s *source) unpack(ctx context.Context, p int, v artifact.View, seg artifact.SegmentInfo) ([]byte, error) {
	st := &s.packs[p]
	st.mu.Lock()
	defer st.mu.Unlock()
	// Somebody may have unpacked it while this goroutine waited.
	if m, err := s.cache.open(segments, seg.Digest, seg.Size, true); err == nil {
		return s.hold(m)
	}
	pack, err := s.readPack(ctx, p)
	if err != nil {
		return nil, err
	}
	defer func() { <-s.slots }()
	b, err := pack.SegmentAs(v, seg)
	if err != nil {
		return nil, s.explain(err, p)
	}
	if !s.cache.put(segments, seg.Digest, b) {
		// Decompressed into memory of its own, or a part of the pack that
		// would keep all of it in memory.
		if e, ok := pack.Entry(v); ok && e.Codec == artifact.CodecRaw {
			b = bytes.Clone(b)
		}
		return b, nil
	}
	if err := s.ingest(p, pack, v); err != nil {
		return nil, err
	}
	if m, err := s.cache.open(segments, seg.Digest, seg.Size, false); err == nil {
		return s.hold(m)
	}
	return b, nil // written, and deleted again by somebody
}

// readPack fetches and opens a pack and takes one of the slots, which the
// caller gives back.
func (s *source) readPack(ctx context.Context, p int) (_ *artifact.Pack, err error) {
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() {
		if err != nil {
			<-s.slots
		}
	}()
	b, err := s.store.Fetch(ctx, s.artifact.Packs[p])
	if err != nil {
		return nil, lost(err, s.store)
	}
	pack, err := artifact.OpenPack(b)
	if err != nil {
		return nil, s.explain(err, p)
	}
	return pack, nil
}

// ingest unpacks the wanted segments of a pack into the cache, but for done,
// which is there already, and those that are there and whole as far as a look
// at the file tells.
func (s *source) ingest(p int, pack *artifact.Pack, done artifact.View) error {
	for _, v := range s.views {
		seg, ok := s.manifest.Partitions[p].Segments[v.String()]
		if !ok || v == done || s.cache.has(segments, seg.Digest, seg.Size) {
			continue
		}
		b, err := pack.SegmentAs(v, seg)
		if err != nil {
			return s.explain(err, p)
		}
		if !s.cache.put(segments, seg.Digest, b) {
			return nil // noted; what is asked for comes from memory
		}
	}
	return nil
}

func (s *source) explain(err error, p int) error {
	return explain(err, "pack %s of partition %d in %s cannot be used", s.artifact.Packs[p].Digest, p, s.store.Name())
}

// hold keeps a mapping until close.
func (s *source) hold(m mapping) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		m.close()
		return nil, artifact.ErrClosed
	}
	s.held = append(s.held, m)
	return m.data, nil
}

func (s *source) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, m := range s.held {
		m.close()
	}
	s.held = nil
}

// Pulled says what Pull did.
type Pulled struct {
	Commit     string
	Digest     artifact.Digest // the index digest
	Partitions int
	Unpacked   int // partitions whose pack had to be read
}

// Pull brings a commit's index into the cache: all the segments of the views
// in opt, and the model. Segments that are there already are verified against
// their digests, so Pull also mends a damaged cache. progress, which may be
// nil, is called with the number of partitions done, from several goroutines.
func Pull(ctx context.Context, store registry.Store, cache *Cache, commit string, opt OpenOptions, progress func(done, total int)) (*Pulled, error) {
	s, err := openSource(ctx, store, cache, commit, opt)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if !cache.writable() {
		return nil, cache.err()
	}
	out := &Pulled{Commit: commit, Digest: s.artifact.Index(), Partitions: len(s.packs)}
	ix := artifact.NewIndex(s.manifest, out.Digest, nil, nil) // only for its loop
	var done, unpacked atomic.Int64
	err = ix.EachPartition(ctx, func(p int) error {
		read, err := s.pull(ctx, p)
		if read {
			unpacked.Add(1)
		}
		if n := done.Add(1); err == nil && progress != nil {
			progress(int(n), len(s.packs))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if !cache.writable() {
		return nil, cache.err()
	}
	if s.manifest.Model != nil {
		if _, err := Model(ctx, store, cache, *s.manifest.Model); err != nil {
			return nil, err
		}
	}
	out.Unpacked = int(unpacked.Load())
	return out, nil
}

// pull brings one partition into the cache and reports whether its pack had
// to be read.
func (s *source) pull(ctx context.Context, p int) (bool, error) {
	missing := false
	for _, v := range s.views {
		seg, ok := s.manifest.Partitions[p].Segments[v.String()]
		if !ok {
			continue
		}
		switch m, err := s.cache.open(segments, seg.Digest, seg.Size, true); {
		case err == nil:
			m.close()
		case errors.Is(err, errMiss):
			s.cache.drop(segments, seg.Digest)
			missing = true
		}
	}
	if !missing {
		return false, nil
	}
	pack, err := s.readPack(ctx, p)
	if err != nil {
		return false, err
	}
	defer func() { <-s.slots }()
	return true, s.ingest(p, pack, 0)
}
