package registry

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/registry/remote/errcode"
)

// manifestTypes is what a tag may hold.
var manifestTypes = strings.Join([]string{
	ocispec.MediaTypeImageManifest, ocispec.MediaTypeImageIndex,
	"application/vnd.docker.distribution.manifest.v2+json",
	"application/vnd.docker.distribution.manifest.list.v2+json",
}, ", ")

// maxErrorBody is how much of an error's text is read.
const maxErrorBody = 16 << 10

// resumeProgress is how much of a blob an attempt has to bring in order not to
// count against the attempts.
const resumeProgress = 1 << 20

// get sends a GET below the repository. The caller closes the body of an
// answer with status 200, 206 or 416; every other status is an error.
func (e *endpoint) get(ctx context.Context, path string, header map[string]string) (*http.Response, error) {
	resp, err := e.send(ctx, http.MethodGet, e.ref.base()+path, nil, header, mayPull)
	if err != nil {
		return nil, err
	}
	switch resp.StatusCode {
	case http.StatusOK, http.StatusPartialContent, http.StatusRequestedRangeNotSatisfiable:
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, errorResponse(resp)
}

// errorResponse reads an answer that is an error.
func errorResponse(resp *http.Response) error {
	out := &errcode.ErrorResponse{Method: resp.Request.Method, URL: resp.Request.URL, StatusCode: resp.StatusCode}
	var body struct{ Errors errcode.Errors }
	if b, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)); err == nil && json.Unmarshal(b, &body) == nil {
		out.Errors = body.Errors
	}
	return out
}

// manifest reads what a tag or digest holds. The descriptor is of the bytes
// that came.
func (e *endpoint) manifest(ctx context.Context, reference string) (ocispec.Descriptor, []byte, error) {
	doing := "reading " + reference
	for attempt := 1; ; attempt++ {
		b, contentType, err := e.manifestOnce(ctx, reference)
		if err == nil {
			d, err := describeManifest(b, contentType)
			if err != nil {
				return d, nil, e.damaged(d, fmt.Errorf("%s: %w", doing, err))
			}
			return d, b, nil
		}
		var broken *brokenBody
		if !errors.As(err, &broken) || attempt >= e.attempts || context.Cause(ctx) != nil {
			return ocispec.Descriptor{}, nil, e.explain(ctx, err, doing)
		}
		if err := e.sleep(ctx, retryWait(attempt, 0)); err != nil {
			return ocispec.Descriptor{}, nil, err
		}
	}
}

// brokenBody is a body that ended before its time: another attempt may bring
// the rest.
type brokenBody struct{ err error }

func (b *brokenBody) Error() string { return "the transfer broke off: " + b.err.Error() }
func (b *brokenBody) Unwrap() error { return b.err }

func (e *endpoint) manifestOnce(ctx context.Context, reference string) (b []byte, contentType string, err error) {
	resp, err := e.get(ctx, "/manifests/"+reference, map[string]string{"Accept": manifestTypes})
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	d := ocispec.Descriptor{Digest: digest.Digest(reference)}
	if resp.StatusCode != http.StatusOK {
		return nil, "", e.damaged(d, fmt.Errorf("status %d for a manifest", resp.StatusCode))
	}
	if resp.ContentLength > MaxOCIManifest {
		return nil, "", e.damaged(d, fmt.Errorf("an OCI manifest of %d bytes, more than %d", resp.ContentLength, MaxOCIManifest))
	}
	b, err = io.ReadAll(io.LimitReader(resp.Body, MaxOCIManifest+1))
	if err != nil {
		return nil, "", &brokenBody{err}
	}
	if len(b) > MaxOCIManifest {
		return nil, "", e.damaged(d, fmt.Errorf("an OCI manifest of more than %d bytes", MaxOCIManifest))
	}
	return b, resp.Header.Get("Content-Type"), nil
}

// describeManifest returns the descriptor of manifest bytes. A media type that
// header and content disagree about is refused: two readers could take the
// same bytes for two things.
func describeManifest(b []byte, contentType string) (ocispec.Descriptor, error) {
	var m struct{ MediaType string }
	d := describe("", b)
	if err := json.Unmarshal(b, &m); err != nil {
		return d, fmt.Errorf("not a manifest: %w", err)
	}
	header, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		header = ""
	}
	d.MediaType = m.MediaType
	if d.MediaType == "" {
		d.MediaType = header
	}
	if !isManifest(d.MediaType) || isManifest(header) && header != d.MediaType {
		return d, fmt.Errorf("media type %.128q, served as %.128q", m.MediaType, contentType)
	}
	return d, nil
}

func (e *endpoint) manifestByDigest(ctx context.Context, d ocispec.Descriptor) ([]byte, error) {
	got, b, err := e.manifest(ctx, string(d.Digest))
	if err != nil {
		return nil, err
	}
	if got.Digest != d.Digest || got.Size != d.Size {
		return nil, e.damaged(d, fmt.Errorf("%d bytes with digest %s came instead of %d", got.Size, got.Digest, d.Size))
	}
	return b, nil
}

// partialBlob is a blob as far as it has come, and its digest so far.
type partialBlob struct {
	desc ocispec.Descriptor
	buf  []byte
	hash hash.Hash
}

func (p *partialBlob) reset() {
	p.buf = p.buf[:0]
	p.hash = sha256.New()
}

// blob reads a blob. When the transfer breaks off, the next attempt asks for
// the rest alone.
func (e *endpoint) blob(ctx context.Context, d ocispec.Descriptor) ([]byte, error) {
	doing := "reading blob " + string(d.Digest)
	p := &partialBlob{desc: d, hash: sha256.New()}
	for failures := 0; ; {
		before := len(p.buf)
		err := e.blobOnce(ctx, p)
		if err == nil {
			break
		}
		var broken *brokenBody
		if !errors.As(err, &broken) || context.Cause(ctx) != nil {
			return nil, e.explain(ctx, err, doing)
		}
		if failures++; len(p.buf) >= before+resumeProgress {
			failures = 1
		}
		if failures >= e.attempts {
			return nil, e.explain(ctx, err, doing)
		}
		if err := e.sleep(ctx, retryWait(failures, 0)); err != nil {
			return nil, err
		}
	}
	if got := "sha256:" + hex.EncodeToString(p.hash.Sum(nil)); got != string(d.Digest) {
		return nil, e.damaged(d, fmt.Errorf("the content has digest %s", got))
	}
	return p.buf, nil
}

// errWrongSize is the error of a blob of another size than its descriptor says.
func errWrongSize(got int64, want ocispec.Descriptor) error {
	return fmt.Errorf("%d bytes came instead of %d", got, want.Size)
}

// blobOnce makes one attempt to bring what is missing of p. It returns nil when
// p has as many bytes as its descriptor says.
func (e *endpoint) blobOnce(ctx context.Context, p *partialBlob) error {
	var header map[string]string
	if n := len(p.buf); n > 0 {
		header = map[string]string{"Range": fmt.Sprintf("bytes=%d-%d", n, p.desc.Size-1)}
	}
	resp, err := e.get(ctx, "/blobs/"+string(p.desc.Digest), header)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		p.reset() // the registry knows no ranges, or there was nothing yet
	case http.StatusPartialContent:
		if !rangeFits(resp.Header.Get("Content-Range"), int64(len(p.buf)), p.desc.Size) {
			p.reset()
			return &brokenBody{fmt.Errorf("another range came: %.100q", resp.Header.Get("Content-Range"))}
		}
	default:
		p.reset()
		return &brokenBody{errors.New("the registry knows no such range")}
	}
	rest := p.desc.Size - int64(len(p.buf))
	if resp.ContentLength >= 0 && resp.ContentLength != rest {
		return e.damaged(p.desc, errWrongSize(int64(len(p.buf))+resp.ContentLength, p.desc))
	}
	// Memory grows with what comes, not with what was claimed, beyond a size
	// that harms nobody.
	if grow := min(rest, 4<<20); cap(p.buf)-len(p.buf) < int(grow) {
		p.buf = append(make([]byte, 0, len(p.buf)+int(grow)), p.buf...)
	}
	buf := bytes.NewBuffer(p.buf)
	_, err = io.Copy(io.MultiWriter(buf, p.hash), io.LimitReader(resp.Body, rest+1))
	p.buf = buf.Bytes()
	switch size := int64(len(p.buf)); {
	case size > p.desc.Size:
		return e.damaged(p.desc, errors.New("more bytes came than its descriptor says"))
	case size == p.desc.Size:
		return nil
	case err == nil && len(p.buf) > 0 && resp.StatusCode == http.StatusOK && resp.ContentLength < 0:
		// A clean end before the time: cut off on the way, or a lie.
		return &brokenBody{errWrongSize(size, p.desc)}
	case err == nil:
		return e.damaged(p.desc, errWrongSize(size, p.desc))
	}
	return &brokenBody{err}
}

// rangeFits reports whether a Content-Range starts where it has to and belongs
// to a blob of the right size.
func rangeFits(value string, start, size int64) bool { return rangeIs(value, start, size-1, size) }

// rangeIs reports whether a Content-Range is of the bytes first to last of a
// blob of the right size.
func rangeIs(value string, first, last, size int64) bool {
	bytes := fmt.Sprintf("bytes %d-%d/", first, last)
	return value == bytes+"*" || value == bytes+strconv.FormatInt(size, 10)
}
