package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// RangeFetcher is a store that can bring a part of a blob for less than the
// whole of it.
type RangeFetcher interface {
	Store
	// FetchRange returns length bytes of a blob from offset on. A part cannot
	// be verified by the blob's digest: the caller has to know a digest of what
	// it asks for, and reads the whole blob when that does not match. Where the
	// registry gives no parts, whole is true and b is the whole blob, verified
	// as by Fetch.
	FetchRange(ctx context.Context, d ocispec.Descriptor, offset, length int64) (b []byte, whole bool, err error)
}

var _ RangeFetcher = (*Remote)(nil)

// FetchRange implements RangeFetcher.
func (r *Remote) FetchRange(ctx context.Context, d ocispec.Descriptor, offset, length int64) (b []byte, whole bool, err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, false, err
	}
	if err := checkDescriptor(d, MaxBlob); err != nil {
		return nil, false, r.origin.damaged(d, err)
	}
	if isManifest(d.MediaType) || offset < 0 || length < 1 || offset > d.Size-length {
		return nil, false, fmt.Errorf("bytes %d to %d of a blob of %d bytes", offset, offset+length, d.Size)
	}
	err = r.read(ctx, func(e *endpoint) error {
		b, whole, err = e.blobRange(ctx, d, offset, length)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	return b, whole, nil
}

// blobRange reads a part of a blob, or the whole blob from a registry that
// gives no parts.
func (e *endpoint) blobRange(ctx context.Context, d ocispec.Descriptor, offset, length int64) ([]byte, bool, error) {
	if offset == 0 && length == d.Size || e.noRange.Load() {
		b, err := e.blob(ctx, d)
		return b, true, err
	}
	doing := "reading a part of blob " + string(d.Digest)
	for attempt := 1; ; attempt++ {
		b, err := e.rangeOnce(ctx, d, offset, length)
		if err == nil {
			return b, false, nil
		}
		if errors.Is(err, errNoRange) {
			// Not asked again: every part would cost a whole blob.
			e.noRange.Store(true)
			b, err := e.blob(ctx, d)
			return b, true, err
		}
		var broken *brokenBody
		if !errors.As(err, &broken) || attempt >= e.attempts || context.Cause(ctx) != nil {
			return nil, false, e.explain(ctx, err, doing)
		}
		if err := e.sleep(ctx, retryWait(attempt, 0)); err != nil {
			return nil, false, err
		}
	}
}

// errNoRange means that a registry does not answer a Range as it should.
var errNoRange = errors.New("the registry gives no parts of blobs")

func (e *endpoint) rangeOnce(ctx context.Context, d ocispec.Descriptor, offset, length int64) ([]byte, error) {
	last := offset + length - 1
	resp, err := e.get(ctx, "/blobs/"+string(d.Digest), map[string]string{"Range": fmt.Sprintf("bytes=%d-%d", offset, last)})
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusPartialContent || !rangeIs(resp.Header.Get("Content-Range"), offset, last, d.Size) ||
		resp.ContentLength >= 0 && resp.ContentLength != length {
		return nil, errNoRange
	}
	// Memory grows with what comes.
	b, err := io.ReadAll(io.LimitReader(resp.Body, length+1))
	switch {
	case err != nil:
		return nil, &brokenBody{err}
	case int64(len(b)) < length:
		return nil, &brokenBody{fmt.Errorf("%d bytes came instead of %d", len(b), length)}
	case int64(len(b)) > length:
		return nil, errNoRange
	}
	return b, nil
}
