package registry

import (
	"context"
	"net/http"
	"net/url"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/registry/remote/auth"
)

// maxRefused is after how many refusals in a row a registry is taken not to
// mount blobs: each costs a request.
const maxRefused = 3

// AssumeIn takes note that another repository of the same registry holds an
// artifact's blobs, so that one that has to be pushed is mounted from there
// where the registry can do that: it then travels nowhere. It returns false
// where the two are not in one registry, or the same repository.
//
// The caller answers for the two being of one trust domain: which repository
// may be named is the user's word, never a commit's. Nobody's right to read is
// widened by it, as the registry asks for the right to read the other one.
func (r *Remote) AssumeIn(other *Remote, a *Artifact) bool {
	if !r.Beside(other) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.elsewhere == nil {
		r.elsewhere = map[string]string{}
	}
	for _, d := range append(a.Blobs(), a.Config) {
		r.elsewhere[string(d.Digest)] = other.ref.Repository
	}
	return true
}

// Beside reports whether two repositories are different ones of one registry.
func (r *Remote) Beside(other *Remote) bool {
	return other != nil && r.ref.Host() == other.ref.Host() && r.ref.plain == other.ref.plain && r.ref.Repository != other.ref.Repository
}

// Mount takes a blob over from the repository that AssumeIn noted for it. False
// means that it has to come from elsewhere. That the registry does not mount,
// or lets this user not, is no error.
func (r *Remote) Mount(ctx context.Context, d ocispec.Descriptor) (bool, error) {
	r.mu.Lock()
	known, from, refused := r.known[string(d.Digest)] > 0, r.elsewhere[string(d.Digest)], r.refused
	r.mu.Unlock()
	if known || from == "" || refused >= maxRefused {
		return known, nil
	}
	done := r.origin.mount(ctx, d, from)
	if err := context.Cause(ctx); err != nil {
		return false, err
	}
	if done && r.mounts.Load() == 0 {
		// As with HEAD, the first answer of its kind is tested.
		done = r.origin.probe(ctx, d)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !done {
		delete(r.elsewhere, string(d.Digest))
		r.refused++
		return false, nil
	}
	r.refused = 0
	r.known[string(d.Digest)] = max(r.known[string(d.Digest)], mounted)
	r.mounts.Add(1)
	r.mountedBytes.Add(d.Size)
	return true, nil
}

// Mounted returns how many blobs were mounted so far, and their bytes.
func (r *Remote) Mounted() (blobs int, bytes int64) {
	return int(r.mounts.Load()), r.mountedBytes.Load()
}

// mount asks for a blob of another repository.
func (e *endpoint) mount(ctx context.Context, d ocispec.Descriptor, from string) bool {
	other := e.ref.Reference
	other.Repository = from
	ctx = auth.AppendRepositoryScope(ctx, other, mayPull...)
	q := url.Values{"mount": {string(d.Digest)}, "from": {from}}
	resp, err := e.send(ctx, http.MethodPost, e.ref.base()+"/blobs/uploads/?"+q.Encode(), nil, nil, mayPush)
	if err != nil {
		return false
	}
	asked, location := resp.Request.URL, resp.Header.Get("Location")
	resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusCreated:
		digest := resp.Header.Get("Docker-Content-Digest")
		return digest == "" || digest == string(d.Digest)
	case http.StatusAccepted:
		// It began an upload instead, which nobody will end.
		if to, err := sameHost(asked, location); err == nil {
			if resp, err := e.send(ctx, http.MethodDelete, to.String(), nil, nil, mayPush); err == nil {
				resp.Body.Close()
			}
		}
	}
	return false
}
