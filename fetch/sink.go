package fetch

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

// SinkOptions say how a compiled index is published.
type SinkOptions struct {
	Source  string // address of the repository for the annotations; may be empty
	Replace bool   // let the commit's tag move even when it holds something else, and mend what is damaged
}

// Sink takes what a compile makes: packs go to a store, and their segments,
// which are in memory anyway, into the cache, so that the first query after a
// compile unpacks nothing. It is safe for concurrent use.
type Sink struct {
	store registry.Store
	cache *Cache
	opt   SinkOptions

	parent *Parent        // see From; nil for none
	slots  chan struct{}  // limits the pushes under way; nil pushes at once
	wg     sync.WaitGroup // of the pushes under way

	mu        sync.Mutex
	failed    error // of the first push that failed
	cancels   []context.CancelCauseFunc
	packs     map[int]ocispec.Descriptor
	published registry.Published
}

// NewSink returns a sink for one compile.
func NewSink(store registry.Store, cache *Cache, opt SinkOptions) *Sink {
	s := &Sink{store: store, cache: cache, opt: opt, packs: make(map[int]ocispec.Descriptor)}
	if d, ok := store.(distant); ok {
		s.slots = make(chan struct{}, d.Concurrency())
	}
	return s
}

// From names the index, in the same store, whose packs Reuse takes over. Call
// it before the compile takes anything over.
func (s *Sink) From(p *Parent) { s.parent = p }

// Pack stores the pack of one partition. A second pack of a partition takes
// the first one's place. Into a distant store it is pushed in the background,
// so that building goes on meanwhile; pack must not change any more. What goes
// wrong there is returned by a later Pack or by Publish.
func (s *Sink) Pack(ctx context.Context, partition int, pack []byte, segs []artifact.PackSegment) error {
	if err := s.cache.Ingest(ctx, segs); err != nil {
		return err
	}
	if s.slots == nil {
		return s.push(ctx, partition, pack)
	}
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := s.failure(); err != nil {
		<-s.slots
		return err
	}
	// The caller's context may end with its own work, before this does.
	life, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	s.mu.Lock()
	s.cancels = append(s.cancels, cancel)
	s.mu.Unlock()
	s.wg.Go(func() {
		defer func() { <-s.slots }()
		defer cancel(nil)
		if err := s.push(life, partition, pack); err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.failed == nil {
				s.failed = err
			}
		}
	})
	return nil
}

// Reuse takes over the pack of the parent's partition from, which is neither
// read nor sent. False says that it is lost.
func (s *Sink) Reuse(ctx context.Context, partition, from int) (bool, error) {
	p := s.parent
	if p == nil || from < 0 || from >= len(p.Artifact.Packs) {
		return false, nil
	}
	d := p.Artifact.Packs[from]
	if ok, err := s.keeps(ctx, d); !ok || err != nil {
		return false, err
	}
	if r, ok := s.store.(*registry.Remote); ok && p.mounted {
		if there, err := r.Mount(ctx, d); err != nil || !there {
			return false, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.packs[partition] = d
	return true, nil
}

func (s *Sink) push(ctx context.Context, partition int, pack []byte) error {
	d, err := s.store.Push(ctx, registry.Blob{MediaType: registry.MediaTypePack, Bytes: pack})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.packs[partition] = d
	return nil
}

func (s *Sink) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// Close ends pushes that are still under way, for who gives up before Publish.
// It may be called at any time, and again.
func (s *Sink) Close() {
	s.stop(context.Canceled)
	s.wg.Wait()
}

func (s *Sink) stop(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, cancel := range s.cancels {
		cancel(cause)
	}
}

// wait waits for the pushes under way and returns the first failure.
func (s *Sink) wait(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { s.stop(context.Cause(ctx)) })()
	s.wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return s.failure()
}

// Final is what is known when all packs are made.
type Final struct {
	Commit     string // full hash
	CommitUnix int64  // the committer's time in seconds since 1970
	Profile    artifact.Digest
	Manifest   []byte                   // canonical
	Model      []byte                   // the embedder's table; nil without a dense view
	ModelIs    artifact.Digest          // its digest; zero when it is not known
	Inputs     iter.Seq2[[]byte, error] // the input layers, in partition order; nil for none
	Partitions int                      // packs are numbered from 0 to Partitions-1
	Default    bool                     // the profile may take the commit's own tag
	Report     []byte                   // JSON; nil for none
}

// Packs waits for the pushes under way and returns the packs of the given
// partitions, for who publishes something else than an index.
func (s *Sink) Packs(ctx context.Context, partitions []int) ([]ocispec.Descriptor, error) {
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]ocispec.Descriptor, len(partitions))
	for i, p := range partitions {
		d, ok := s.packs[p]
		if !ok {
			return nil, fail.New(fail.Internal, "", "partition %d has no pack", p)
		}
		out[i] = d
	}
	return out, nil
}

// model stores the model. The parent's is taken over like a pack: ten
// megabytes are neither read nor hashed for a change of one file.
func (s *Sink) model(ctx context.Context, f Final) (ocispec.Descriptor, error) {
	if s.parent != nil && s.parent.Artifact.Model != nil {
		d := *s.parent.Artifact.Model
		if string(d.Digest) == f.ModelIs.String() && d.Size == int64(len(f.Model)) {
			if ok, err := s.keeps(ctx, d); ok || err != nil {
				return d, err
			}
		}
	}
	return s.store.Push(ctx, registry.Blob{MediaType: registry.MediaTypeModel, Bytes: f.Model})
}

// keeps reports whether a blob of the parent's is not known to be lost. Who
// replaces an index may do so for its damage: what lies in a folder is read and
// its digest checked.
func (s *Sink) keeps(ctx context.Context, d ocispec.Descriptor) (bool, error) {
	if s.parent.lost[string(d.Digest)] {
		return false, nil
	}
	h, ok := s.store.(interface{ Holds(ocispec.Descriptor) bool })
	if !ok {
		return true, nil
	}
	if !h.Holds(d) {
		return false, nil
	}
	if s.opt.Replace {
		_, err := s.store.Fetch(ctx, d)
		switch {
		case fail.CodeOf(err) == fail.Verification:
			return false, nil
		case err != nil && !errors.Is(err, registry.ErrNotFound): // of one that is promised
			return false, err
		}
	}
	return true, nil
}

// Publish stores the model and publishes the index.
func (s *Sink) Publish(ctx context.Context, f Final) error {
	if err := s.wait(ctx); err != nil {
		return err
	}
	p := registry.Publication{
		Commit: f.Commit, Profile: f.Profile, Default: f.Default, Manifest: f.Manifest, Report: f.Report,
		Created: time.Unix(f.CommitUnix, 0), Source: s.opt.Source, Replace: s.opt.Replace,
	}
	s.mu.Lock()
	for i := range f.Partitions {
		d, ok := s.packs[i]
		if !ok {
			s.mu.Unlock()
			return fail.New(fail.Internal, "", "partition %d of %d has no pack", i, f.Partitions)
		}
		p.Packs = append(p.Packs, d)
	}
	s.mu.Unlock()
	if f.Model != nil {
		d, err := s.model(ctx, f)
		if err != nil {
			return err
		}
		p.Model = &d
	}
	if f.Inputs != nil {
		for b, err := range f.Inputs {
			if err != nil {
				return err
			}
			d, err := s.store.Push(ctx, registry.Blob{MediaType: registry.MediaTypeInput, Bytes: b})
			if err != nil {
				return err
			}
			p.Inputs = append(p.Inputs, d)
		}
	}
	out, err := s.store.Publish(ctx, p)
	if err != nil {
		return err
	}
	s.cache.putNamed(manifests, seenName(s.store, artifact.DigestOf(f.Manifest)), f.Manifest)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.published = out
	return nil
}

// Published says what became of the publication; zero before Publish.
func (s *Sink) Published() registry.Published {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.published
}
