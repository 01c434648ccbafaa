package registry

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/sync/errgroup"

	"github.com/pindex-dev/pindex/internal/fail"
)

// CopyOptions say how an artifact is copied.
type CopyOptions struct {
	Replace  bool                  // let the tag move even when it holds something else
	Progress func(done, total int) // blobs; may be nil; called from several goroutines
}

// Copied says what a copy did.
type Copied struct {
	Published
	Blobs   int   // packs and models that had to be moved
	Bytes   int64 // of those
	Mounted int   // packs and models that the registry took over from another repository of its own
}

// readTagged is ReadArtifact that refuses an artifact of another commit than
// the tag names.
func readTagged(ctx context.Context, from Store, tag string) (*Artifact, error) {
	t, ok := ParseTag(tag)
	if !ok || t.Report {
		return nil, fail.New(fail.Internal, "", "%.200q is no tag of an index", tag)
	}
	a, c, err := ReadArtifact(ctx, from, tag)
	if err != nil {
		return nil, err
	}
	if c.Commit != t.Commit || t.Profile != "" && t.Profile != c.Profile.Hex()[:profileDigits] {
		return nil, fail.New(fail.Verification, "write it again with pindex compile --replace",
			"tag %s in %s holds an index of commit %s, profile %s", tag, from.Name(), c.Commit, c.Profile)
	}
	return a, nil
}

// Copy brings the artifact that a tag holds, and its report, from one store to
// another, by the rules of Publish. Every blob is verified on the way; between
// repositories of one registry, what that mounts travels nowhere.
func Copy(ctx context.Context, from, to Store, tag string, o CopyOptions) (copied Copied, err error) {
	a, err := readTagged(ctx, from, tag)
	if err != nil {
		return Copied{}, err
	}
	b, err := from.Fetch(ctx, a.Config)
	if err != nil {
		return Copied{}, Incomplete(from, err)
	}
	c, err := ParseConfig(b)
	if err != nil {
		return Copied{}, fail.Wrap(fail.Verification, err, "", "the artifact %s in %s cannot be used", a.Descriptor.Digest, from.Name())
	}
	p := Publication{
		Commit: c.Commit, Profile: c.Profile, Default: tag == CommitTag(c.Commit), Packs: a.Packs, Model: a.Model, Inputs: a.Inputs,
		Source: a.Annotations[ocispec.AnnotationSource], Replace: o.Replace,
	}
	if created, err := time.Parse(time.RFC3339, a.Annotations[ocispec.AnnotationCreated]); err == nil {
		p.Created = created
	}
	if p.Manifest, err = from.Fetch(ctx, a.Manifest); err != nil {
		return Copied{}, Incomplete(from, err)
	}
	if p.Report, err = ReadReport(ctx, from, ReportTag(tag)); err != nil && !errors.Is(err, ErrNotFound) {
		return Copied{}, err
	}
	var out Copied
	if r, ok := to.(*Remote); ok {
		if other, ok := from.(*Remote); ok {
			r.AssumeIn(other, a)
		}
		before, _ := r.Mounted()
		defer func() { n, _ := r.Mounted(); copied.Mounted = n - before }()
	}
	for attempt := range 2 {
		if err := copyBlobs(ctx, from, to, p.blobs(), o.Progress, &out); err != nil {
			return Copied{}, err
		}
		out.Published, err = to.Publish(ctx, p)
		// Blobs that were taken to be there are known to be missing now.
		if missing := new(MissingError); attempt > 0 || !errors.As(err, &missing) {
			break
		}
	}
	if err != nil && fail.CodeOf(err) == fail.Internal && ctx.Err() == nil {
		// The publication is what the other store said.
		err = fail.Wrap(fail.Verification, err, "write it again with pindex compile --replace", "tag %s in %s cannot be copied", tag, from.Name())
	}
	return out, err
}

func copyBlobs(ctx context.Context, from, to Store, blobs []ocispec.Descriptor, progress func(done, total int), out *Copied) error {
	limit := 1
	for _, s := range []Store{from, to} {
		if r, ok := s.(*Remote); ok {
			limit = max(limit, r.Concurrency())
		}
	}
	var done, moved, bytes atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(limit)
	for _, d := range blobs {
		g.Go(func() error {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			there, err := false, error(nil)
			r, remote := to.(*Remote)
			if remote { // a local layout compares contents
				there, err = r.has(ctx, d)
			}
			if err != nil {
				return err
			}
			if !there {
				b, err := from.Fetch(ctx, d)
				if l, ok := from.(*Local); ok && errors.Is(err, ErrNotFound) && l.isPromised(d) {
					return brokenPromise(l, to, d)
				}
				if err != nil {
					return Incomplete(from, err)
				}
				if remote { // which was asked already
					err = r.store(ctx, d, b)
				} else {
					_, err = to.Push(ctx, Blob{d.MediaType, b}) // Fetch has verified the digest
				}
				if err != nil {
					return err
				}
				moved.Add(1)
				bytes.Add(d.Size)
			}
			if n := done.Add(1); progress != nil {
				progress(int(n), len(blobs))
			}
			return nil
		})
	}
	err := g.Wait()
	out.Blobs, out.Bytes = out.Blobs+int(moved.Load()), out.Bytes+bytes.Load()
	return err
}
