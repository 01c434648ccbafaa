package fetch

import (
	"bytes"
	"context"
	"fmt"
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
	views    []artifact.View // brought when a pack is read; nil for all
	packs    []packState
	slots    chan struct{} // limits how many packs are in memory
	form0    atomic.Uint32 // views of the form that was last found in the cache
	bytes    atomic.Int64  // of packs that were read

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

// has returns the views that partition p has segments of.
func (s *source) has(p int) viewSet {
	var set viewSet
	for _, v := range artifact.Views {
		if _, ok := s.manifest.Partitions[p].Segments[v.String()]; ok {
			set = set.with(v)
		}
	}
	return set
}

// wanted returns those of them that were asked for, and the units.
func (s *source) wanted(p int) viewSet {
	if s.views == nil {
		return s.has(p)
	}
	return viewsOf(s.views).with(artifact.Units) & s.has(p)
}

// form returns the form in which partition p is in the cache when it has the
// given views there.
func (s *source) form(p int, set viewSet) *bundle {
	b := &bundle{set: set}
	for _, v := range artifact.Views {
		if set.contains(v) {
			seg := s.manifest.Partitions[p].Segments[v.String()]
			b.add(v, seg.Digest, seg.Size)
		}
	}
	b.seal()
	return b
}

// cached finds partition p in the cache in a form that has all of need: whole,
// as it was asked for, and then in any other, of which those with the most
// views come first. With always, its content is verified. The form is nil when
// there is none.
func (s *source) cached(p int, need viewSet, always bool) (*bundle, mapping) {
	has := s.has(p)
	var tried [3]viewSet
	for i, set := range []viewSet{viewSet(s.form0.Load()) & has, has, s.wanted(p)} {
		if set.includes(need) && !slices.Contains(tried[:i], set) {
			if f := s.form(p, set); len(f.parts) > 0 {
				if m, err := s.cache.openBundle(f, always); err == nil {
					s.form0.Store(uint32(set))
					return f, m
				}
			}
		}
		tried[i] = set
	}
	// Every form that a pull of some views may have left. They are few, and
	// looked for only before a pack would have to be read.
	for _, set := range subsets(has) {
		if set.includes(need) && !slices.Contains(tried[:], set) {
			f := s.form(p, set)
			if m, err := s.cache.openBundle(f, always); err == nil {
				s.form0.Store(uint32(set))
				return f, m
			}
		}
	}
	return nil, mapping{}
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
	if form, m := s.cached(p, viewSet(0).with(v), again); form != nil {
		return s.hold(st, form, m, v, seg)
	}
	return s.unpack(ctx, p, v, seg)
}

// unpack reads what is missing of partition p, brings it into the cache and
// returns one of its segments. The caller holds the partition's lock.
func (s *source) unpack(ctx context.Context, p int, v artifact.View, seg artifact.SegmentInfo) ([]byte, error) {
	need := s.wanted(p)
	held, m := s.cached(p, viewSet(0).with(artifact.Units), true)
	switch {
	case !s.cache.writable():
		need = 0 // what else came could not be kept
	case held == nil && need.contains(v):
	case held != nil && s.byParts(p, viewSet(0).with(v)):
		// Somebody chose these views, so what they left out is added as it is
		// needed.
		if s.views == nil {
			need = 0
		}
	default:
		need = s.has(p)
	}
	got, form, err := s.complete(ctx, p, need.with(v), held, m)
	if err != nil {
		return nil, err
	}
	if form != nil {
		if m, err := s.cache.openBundle(form, false); err == nil {
			return s.hold(&s.packs[p], form, m, v, seg)
		}
	}
	if got[v] == nil && held != nil {
		// It came from the cache, and was pruned as soon as it was there.
		if err := s.takeSlot(ctx); err != nil {
			return nil, err
		}
		got, err = s.read(ctx, p, viewSet(0).with(v))
		s.giveSlot()
		if err != nil {
			return nil, err
		}
	}
	if got[v] == nil {
		return nil, s.explain(fmt.Errorf("%w: it has no %s segment", artifact.ErrDamaged, v), p)
	}
	return bytes.Clone(got[v]), nil // a part of the pack would keep all of it in memory
}

// segments are verified contents by view; nil where there is none.
type segments [8][]byte

// complete reads the views need of partition p less those that held, a form
// that is in the cache, has, and writes them all to the cache as one form,
// which takes held's place. It closes held's mapping m. form is nil when the
// cache cannot be written to; got has what was read, and more in that case.
func (s *source) complete(ctx context.Context, p int, need viewSet, held *bundle, m mapping) (got segments, form *bundle, err error) {
	defer m.close()
	missing := need
	if held != nil {
		missing &^= held.set
	}
	if err := s.takeSlot(ctx); err != nil {
		return got, nil, err
	}
	defer s.giveSlot()
	if got, err = s.read(ctx, p, missing); err != nil {
		return got, nil, err
	}
	if !s.cache.writable() {
		return got, nil, nil
	}
	set := need
	if held != nil {
		set |= held.set
	}
	form = s.form(p, set)
	contents := make([][]byte, len(form.parts))
	for i, part := range form.parts {
		if contents[i] = got[part.view]; contents[i] == nil {
			old, _ := held.find(part.view, s.manifest.Partitions[p].Segments[part.view.String()])
			contents[i] = old.of(m.data)
		}
	}
	// A fault while reading what was held is a damaged file of the cache.
	var written bool
	err = artifact.Guard(func() error { written = s.cache.putBundle(form, contents); return nil })
	if err != nil || !written {
		return got, nil, explain(err, "a file of the cache cannot be read")
	}
	if held != nil && held.name != form.name {
		s.cache.drop(partitions, held.name)
	}
	return got, form, nil
}

func (s *source) takeSlot(ctx context.Context) error {
	select {
	case s.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *source) giveSlot() { <-s.slots }

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
