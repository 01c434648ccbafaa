package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/sync/errgroup"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/pindex-dev/pindex/internal/fail"
)

// Assume takes the blobs of an artifact that the registry holds under a tag as
// present, so that Push asks about none of them. When a registry turns out to
// lack one, Publish returns a MissingError and the assumption is gone.
func (r *Remote) Assume(a *Artifact) {
	for _, d := range append(a.Blobs(), a.Config) {
		r.learn(d, assumed)
	}
}

func (r *Remote) learn(d ocispec.Descriptor, k knowledge) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[string(d.Digest)] = max(r.known[string(d.Digest)], k)
}

func (r *Remote) knows(d ocispec.Descriptor) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[string(d.Digest)] > 0
}

// Sent returns the bytes of blobs and manifests that were uploaded so far; what
// the registry held already was not.
func (r *Remote) Sent() int64 { return r.sent.Load() }

// Push implements Store.
func (r *Remote) Push(ctx context.Context, b Blob) (ocispec.Descriptor, error) {
	if len(b.Bytes) == 0 || len(b.Bytes) > MaxBlob {
		return ocispec.Descriptor{}, fail.New(fail.Internal, "", "a blob of %d bytes cannot be stored", len(b.Bytes))
	}
	if err := context.Cause(ctx); err != nil {
		return ocispec.Descriptor{}, err
	}
	d := describe(b.MediaType, b.Bytes)
	if isManifest(d.MediaType) {
		return d, r.putManifest(ctx, d, b.Bytes, string(d.Digest))
	}
	there, err := r.has(ctx, d)
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	if !there {
		if err := r.store(ctx, d, b.Bytes); err != nil {
			return ocispec.Descriptor{}, err
		}
	}
	return d, nil
}

// store uploads a blob that the registry does not have.
func (r *Remote) store(ctx context.Context, d ocispec.Descriptor, b []byte) error {
	if err := r.upload(ctx, d, b); err != nil {
		return err
	}
	r.learn(d, uploaded)
	return nil
}

// has reports whether the registry holds a blob. False may mean that it does
// not say: an upload is then the way to be sure.
func (r *Remote) has(ctx context.Context, d ocispec.Descriptor) (bool, error) {
	if there, err := r.Mount(ctx, d); there || err != nil {
		return there, err
	}
	r.mu.Lock()
	noHead, tried := r.noHead, r.headTried
	r.mu.Unlock()
	if noHead {
		return false, nil
	}
	there, ok, err := r.origin.head(ctx, d)
	if err != nil {
		return false, err
	}
	if ok && there && !tried {
		// A lie here would cost an index that lacks a blob, so the first
		// answer of its kind is tested by reading a byte.
		ok = r.origin.probe(ctx, d)
		if err := context.Cause(ctx); err != nil {
			return false, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !ok {
		r.noHead = true
		return false, nil
	}
	if there {
		r.headTried = true
		r.known[string(d.Digest)] = max(r.known[string(d.Digest)], reported)
	}
	return there, nil
}

// head asks whether a blob is there. ok is false when the answer makes no sense
// and none should be asked for again.
func (e *endpoint) head(ctx context.Context, d ocispec.Descriptor) (there, ok bool, err error) {
	doing := "writing: looking for blob " + string(d.Digest)
	resp, err := e.send(ctx, http.MethodHead, e.ref.base()+"/blobs/"+string(d.Digest), nil, nil, mayPush)
	if err != nil {
		return false, false, e.explain(ctx, err, doing)
	}
	resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		digest := resp.Header.Get("Docker-Content-Digest")
		return true, resp.ContentLength == d.Size && (digest == "" || digest == string(d.Digest)), nil
	case http.StatusNotFound:
		return false, true, nil
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return false, false, nil
	}
	return false, false, e.explain(ctx, errorResponse(resp), doing)
}

// probe reports whether a byte of the blob can be read.
func (e *endpoint) probe(ctx context.Context, d ocispec.Descriptor) bool {
	resp, err := e.get(ctx, "/blobs/"+string(d.Digest), map[string]string{"Range": "bytes=0-0"})
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	var one [1]byte
	n, _ := resp.Body.Read(one[:])
	return n == 1 && resp.StatusCode != http.StatusRequestedRangeNotSatisfiable
}

// upload stores a blob in one piece. An upload that broke off begins anew: a
// session cannot be trusted to be where we believe it is.
func (r *Remote) upload(ctx context.Context, d ocispec.Descriptor, b []byte) error {
	e := r.origin
	hint := new(uploadHint)
	uctx := context.WithValue(ctx, uploadKey{}, hint)
	for attempt := 1; ; attempt++ {
		err := e.upload(uctx, d, b)
		if err == nil {
			r.sent.Add(d.Size)
			return nil
		}
		if attempt >= e.attempts || context.Cause(ctx) != nil || !uploadAgain(ctx, err) {
			return e.explain(ctx, err, "writing blob "+string(d.Digest))
		}
		if err := e.sleep(ctx, retryWait(attempt, time.Duration(hint.retryAfter.Load()))); err != nil {
			return err
		}
	}
}

// uploadAgain reports whether an upload that failed may pass when it is begun
// anew.
func uploadAgain(ctx context.Context, err error) bool {
	var answer *errcode.ErrorResponse
	if !errors.As(err, &answer) {
		return transient(ctx, nil, err)
	}
	switch answer.StatusCode {
	case http.StatusNotFound, http.StatusRequestedRangeNotSatisfiable, http.StatusConflict, http.StatusBadRequest:
		return answer.Method == http.MethodPut // the session was lost, or its content mangled
	}
	return answer.Method == http.MethodPut && (transientStatus(answer.StatusCode) || answer.StatusCode < 300)
}

// putManifest stores a manifest under a tag or its digest.
func (r *Remote) putManifest(ctx context.Context, d ocispec.Descriptor, b []byte, reference string) error {
	e := r.origin
	err := e.putManifest(ctx, d, b, reference)
	if err == nil {
		r.sent.Add(d.Size)
		r.keep(string(d.Digest), b)
		return nil
	}
	doing := "writing " + reference
	var answer *errcode.ErrorResponse
	if errors.As(err, &answer) && context.Cause(ctx) == nil {
		if m, ok := missingBlobs(answer); ok {
			r.forget(m)
			return fail.Wrap(fail.Network, m, "run the command again; if it goes on, the registry does not keep what it accepts",
				"%s in %s was refused", doing, e.ref.written)
		}
	}
	return e.explain(ctx, err, doing)
}

// forget drops what was believed of blobs that turned out to be missing.
func (r *Remote) forget(m *MissingError) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range m.Digests {
		switch r.known[d] {
		case reported:
			r.noHead = true
		case mounted:
			// The others' word is worth no more.
			r.refused = maxRefused
			for other, k := range r.known {
				if k == mounted {
					delete(r.known, other)
				}
			}
		}
		delete(r.known, d)
	}
	if len(m.Digests) == 0 {
		clear(r.known)
		r.noHead, r.refused = true, maxRefused
	}
}

// remoteView is the registry while this Remote publishes. Mirrors have no say
// in what is overwritten.
type remoteView struct{ *Remote }

func (v remoteView) lookup(ctx context.Context, tag string) (ocispec.Descriptor, error) {
	return v.resolveAt(ctx, v.origin, tag)
}

func (v remoteView) holds(ctx context.Context, blobs []ocispec.Descriptor) (bool, error) {
	missing, err := v.missing(ctx, blobs)
	return missing == nil, err
}

// missing returns a blob that the registry does not hold, or nil.
func (r *Remote) missing(ctx context.Context, blobs []ocispec.Descriptor) (*ocispec.Descriptor, error) {
	absent := make([]bool, len(blobs))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(r.opt.Concurrency)
	for i, d := range blobs {
		if r.knows(d) {
			continue
		}
		g.Go(func() error {
			there, err := r.has(ctx, d)
			if err == nil && !there {
				there = r.origin.probe(ctx, d) // where HEAD cannot be asked
			}
			absent[i] = !there
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i := range blobs {
		if absent[i] {
			return &blobs[i], nil
		}
	}
	return nil, nil
}

// Publish implements Store. The tags are read first, so that an index that is
// there already costs two requests.
func (r *Remote) Publish(ctx context.Context, p Publication) (Published, error) {
	wrap := func(err error) error {
		return fail.Wrap(fail.Internal, err, "", "the index of %.80s cannot be published", p.Commit)
	}
	if err := p.check(); err != nil {
		return Published{}, wrap(err)
	}
	select {
	case r.writer <- struct{}{}:
		defer func() { <-r.writer }()
	case <-ctx.Done():
		return Published{}, context.Cause(ctx)
	}
	if err := context.Cause(ctx); err != nil {
		return Published{}, err
	}
	lost, err := r.missing(ctx, p.blobs())
	if err != nil {
		return Published{}, err
	}
	if lost != nil {
		return Published{}, fail.New(fail.Network, "run the command again", "blob %s is not in %s", lost.Digest, r.Name())
	}
	place, err := place(ctx, remoteView{r}, p)
	if err != nil {
		return Published{}, err
	}
	out := Published{Tag: place.tag, Descriptor: place.held, Unchanged: len(place.write) == 0}
	if len(place.write) > 0 {
		up := &pusher{ctx: ctx, s: r}
		manifest := up.push(MediaTypeManifest, p.Manifest, nil)
		b, err := encodeConfig(p)
		config := up.push(MediaTypeIndex, b, err)
		if b, err = encodeManifest(p, config, manifest); err != nil && up.err == nil {
			up.err = wrap(err)
		}
		if up.err != nil {
			return Published{}, up.err
		}
		// A PUT by tag stores the manifest and then the tag.
		out.Descriptor = describe(ocispec.MediaTypeImageManifest, b)
		for _, tag := range place.write {
			if err := r.putManifest(ctx, out.Descriptor, b, tag); err != nil {
				return Published{}, err
			}
		}
		out.Descriptor.ArtifactType = MediaTypeIndex
	}
	out.Size = p.size(out.Descriptor)
	return out, r.publishReport(ctx, p, out)
}

// publishReport stores the build report of an index, unless it has one.
func (r *Remote) publishReport(ctx context.Context, p Publication, out Published) error {
	if p.Report == nil {
		return nil
	}
	tag := ReportTag(out.Tag)
	if out.Unchanged {
		if _, err := r.resolveAt(ctx, r.origin, tag); !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	up := &pusher{ctx: ctx, s: r}
	layer := up.push(MediaTypeReport, p.Report, nil)
	empty := up.push(ocispec.MediaTypeEmptyJSON, emptyJSON, nil)
	b, err := encodeReport(p, empty, layer)
	if err != nil && up.err == nil {
		up.err = fail.Wrap(fail.Internal, err, "", "the build report of %.80s cannot be published", p.Commit)
	}
	if up.err != nil {
		return up.err
	}
	return r.putManifest(ctx, describe(ocispec.MediaTypeImageManifest, b), b, tag)
}

// Untag implements Store. A registry removes the tag alone; what it held goes
// when the registry collects its garbage.
func (r *Remote) Untag(ctx context.Context, tag string) error {
	select {
	case r.writer <- struct{}{}:
		defer func() { <-r.writer }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	err := r.origin.untag(ctx, tag)
	if errors.Is(err, ErrUnsupported) {
		if _, resolved := r.resolveAt(ctx, r.origin, tag); errors.Is(resolved, ErrNotFound) {
			return resolved
		}
	}
	if err != nil {
		return err
	}
	if err := r.origin.untag(ctx, ReportTag(tag)); err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}

func (e *endpoint) untag(ctx context.Context, tag string) error {
	absent := fmt.Errorf("tag %.200q: %w: %s", tag, ErrNotFound, e.ref.written)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if !validTag(tag) {
		return absent
	}
	doing := "removing tag " + tag
	resp, err := e.send(ctx, http.MethodDelete, e.ref.base()+"/manifests/"+tag, nil, nil, mayDelete)
	if err != nil {
		return e.explain(ctx, err, doing)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return nil
	case http.StatusNotFound:
		return absent
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		// Older registries want a digest here, and would remove every tag
		// of that manifest with it.
		return fail.Wrap(fail.Network, ErrUnsupported, "remove it through the registry's own interface", "%s in %s failed", doing, e.ref.written)
	}
	return e.explain(ctx, errorResponse(resp), doing)
}
