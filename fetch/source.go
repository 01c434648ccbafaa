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
	"golang.org/x/sync/errgroup"

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
	views    []artifact.View // unpacked when a pack is read; nil for all
	packs    []packState
	slots    chan struct{} // limits how many packs are in memory

	mu     sync.Mutex
	held   []mapping
	closed bool
}

// packState is what is known of one partition. The lock serialises the
// search for its segments; what is mapped is read without it.
type packState struct {
	mu     sync.Mutex
	asked  [8]atomic.Bool // by view
	mapped atomic.Pointer[mappedBundle]
}

type mappedBundle struct {
	*bundle
	data []byte
}

// segment returns a view's bytes if the mapping has them.
func (m *mappedBundle) segment(v artifact.View, seg artifact.SegmentInfo) ([]byte, bool) {
	if m == nil {
		return nil, false
	}
	p, ok := m.find(v, seg)
	if !ok {
		return nil, false
	}
	return p.of(m.data), true
}

func newSource(store registry.Store, cache *Cache, art *registry.Artifact, m *artifact.Manifest, views []artifact.View) *source {
	return &source{
		store: store, cache: cache, artifact: art, manifest: m, views: views,
		packs: make([]packState, len(m.Partitions)),
		slots: make(chan struct{}, parallel(store)),
	}
}

// bundles returns the forms in which partition p can be in the cache: with
// all its views, and with those that were asked for when these are fewer.
func (s *source) bundles(p int) (whole, wanted *bundle) {
	whole, wanted = new(bundle), new(bundle)
	for _, v := range artifact.Views {
		seg, ok := s.manifest.Partitions[p].Segments[v.String()]
		if !ok {
			continue
		}
		whole.add(v, seg.Digest, seg.Size)
		if s.views == nil || v == artifact.Units || slices.Contains(s.views, v) {
			wanted.add(v, seg.Digest, seg.Size)
		}
	}
	whole.seal()
	if len(wanted.parts) == len(whole.parts) {
		return whole, whole
	}
	wanted.seal()
	return whole, wanted
}

// segment returns the bytes of one segment, which stay valid until close. The
// index asks once; when it asks again, what it was given did not pass its
// checks, and the cached file is verified in full and replaced if need be.
func (s *source) segment(ctx context.Context, p int, v artifact.View, seg artifact.SegmentInfo) ([]byte, error) {
	st := &s.packs[p]
	again := int(v) < len(st.asked) && st.asked[v].Swap(true)
	if !again {
		if b, ok := st.mapped.Load().segment(v, seg); ok {
			return b, nil
		}
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if !again {
		if b, ok := st.mapped.Load().segment(v, seg); ok {
			return b, nil
		}
	}
	whole, wanted := s.bundles(p)
	for _, form := range []*bundle{whole, wanted} {
		if _, ok := form.find(v, seg); !ok {
			continue
		}
		if m, err := s.cache.openBundle(form, again); err == nil {
			return s.hold(st, form, m, v, seg)
		}
	}
	return s.unpack(ctx, p, v, seg)
}

// unpack reads the pack of partition p, brings it into the cache and returns
// one of its segments. The caller holds the partition's lock.
func (s *source) unpack(ctx context.Context, p int, v artifact.View, seg artifact.SegmentInfo) ([]byte, error) {
	pack, err := s.readPack(ctx, p)
	if err != nil {
		return nil, err
	}
	defer func() { <-s.slots }()
	form, err := s.ingest(p, pack, v)
	if err != nil {
		return nil, err
	}
	if form != nil {
		if m, err := s.cache.openBundle(form, false); err == nil {
			return s.hold(&s.packs[p], form, m, v, seg)
		}
	}
	b, err := pack.SegmentAs(v, seg)
	if err != nil {
		return nil, s.explain(err, p)
	}
	if e, ok := pack.Entry(v); ok && e.Codec == artifact.CodecRaw {
		b = bytes.Clone(b) // a part of the pack would keep all of it in memory
	}
	return b, nil
}

// ingest unpacks a pack into the cache, in the wanted form if that has the
// view v, else whole, and returns the form. It returns nil when the cache
// cannot be written to.
func (s *source) ingest(p int, pack *artifact.Pack, v artifact.View) (*bundle, error) {
	if !s.cache.writable() {
		return nil, nil
	}
	whole, form := s.bundles(p)
	if !slices.ContainsFunc(form.parts, func(part bundlePart) bool { return part.view == v }) {
		form = whole
	}
	contents := make([][]byte, len(form.parts))
	for i, part := range form.parts {
		b, err := pack.SegmentAs(part.view, s.manifest.Partitions[p].Segments[part.view.String()])
		if err != nil {
			return nil, s.explain(err, p)
		}
		contents[i] = b
	}
	if !s.cache.putBundle(form, contents) {
		return nil, nil
	}
	return form, nil
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
		if r, ok := s.store.(*remembering); ok && errors.Is(err, registry.ErrNotFound) {
			r.forget(registry.CommitTag(s.manifest.Commit), registry.ProfileTag(s.manifest.Commit, s.manifest.Profile.Digest))
		}
		return nil, registry.Incomplete(s.store, err)
	}
	pack, err := artifact.OpenPack(b)
	if err != nil {
		return nil, s.explain(err, p)
	}
	return pack, nil
}

func (s *source) explain(err error, p int) error {
	return explain(err, "pack %s of partition %d in %s cannot be used", s.artifact.Packs[p].Digest, p, s.store.Name())
}

// hold keeps a mapping until close, makes it the partition's, and returns one
// of its segments.
func (s *source) hold(st *packState, form *bundle, m mapping, v artifact.View, seg artifact.SegmentInfo) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		m.close()
		return nil, artifact.ErrClosed
	}
	s.held = append(s.held, m)
	mapped := &mappedBundle{form, m.data}
	st.mapped.Store(mapped)
	b, _ := mapped.segment(v, seg) // callers looked whether it is there
	return b, nil
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

// parallel is how many packs are worked on at a time: as many as the program
// may use processors, or as a distant store answers requests.
func parallel(store registry.Store) int {
	n := runtime.GOMAXPROCS(0)
	if d, ok := bare(store).(distant); ok {
		n = max(n, d.Concurrency())
	}
	return n
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
	store = remember(store, cache, true)
	s, err := openSource(ctx, store, cache, commit, opt)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if !cache.writable() {
		return nil, cache.err()
	}
	out := &Pulled{Commit: commit, Digest: s.artifact.Index(), Partitions: len(s.packs)}
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
	whole, wanted := s.bundles(p)
	for _, form := range []*bundle{whole, wanted} {
		if m, err := s.cache.openBundle(form, true); err == nil {
			m.close()
			return false, nil
		}
	}
	pack, err := s.readPack(ctx, p)
	if err != nil {
		return false, err
	}
	defer func() { <-s.slots }()
	_, err = s.ingest(p, pack, artifact.Units)
	return true, err
}
