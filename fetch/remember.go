package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/registry"
)

// distant is a store whose every request costs a round trip.
type distant interface {
	registry.Store
	Host() string
	Concurrency() int
}

// remembering is a distant store whose tags and small blobs are kept in the
// cache, so that an index that was pulled opens without the network. A commit's
// tag moves only when somebody replaces an index; Pull asks anew.
type remembering struct {
	registry.Store
	cache *Cache
	fresh bool // ask for tags, whatever is remembered

	mu      sync.Mutex
	pending map[string]ocispec.Descriptor // what tags were found to hold
}

// remember wraps a distant store; others are returned as they are.
func remember(store registry.Store, cache *Cache, fresh bool) registry.Store {
	if _, ok := store.(distant); !ok {
		return store
	}
	return &remembering{Store: store, cache: cache, fresh: fresh, pending: map[string]ocispec.Descriptor{}}
}

// settle remembers what tags were found to hold, once it has turned out to be
// what was looked for.
func settle(store registry.Store) {
	r, ok := store.(*remembering)
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for tag, d := range r.pending {
		b, err := json.Marshal(tagRecord{r.Name(), tag, d})
		if err == nil && len(b) <= maxTagRecord {
			r.cache.put(tags, tagName(r.Name(), tag), func(w io.Writer) error { _, err := w.Write(b); return err })
		}
	}
	clear(r.pending)
}

// tagRecord is what the cache holds of a tag.
type tagRecord struct {
	Store      string             `json:"store"`
	Tag        string             `json:"tag"`
	Descriptor ocispec.Descriptor `json:"descriptor"`
}

// maxTagRecord is the size in bytes that a record cannot exceed.
const maxTagRecord = 16 << 10

// tagName is the name of a tag's record: which store and which tag.
func tagName(store, tag string) artifact.Digest {
	b, _ := json.Marshal([2]string{store, tag}) // strings always encode
	return artifact.DigestOf(b)
}

// Resolve implements registry.Store.
func (r *remembering) Resolve(ctx context.Context, tag string) (ocispec.Descriptor, error) {
	name := tagName(r.Name(), tag)
	if !r.fresh {
		if d, ok := r.cache.tag(name, r.Name(), tag); ok {
			return d, nil
		}
	}
	d, err := r.Store.Resolve(ctx, tag)
	switch {
	case errors.Is(err, registry.ErrNotFound):
		r.cache.dropTag(name)
	case err == nil:
		d = ocispec.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size}
		r.mu.Lock()
		r.pending[tag] = d
		r.mu.Unlock()
	}
	return d, err
}

// Fetch implements registry.Store.
func (r *remembering) Fetch(ctx context.Context, d ocispec.Descriptor) ([]byte, error) {
	small := d.MediaType == ocispec.MediaTypeImageManifest && d.Size <= registry.MaxOCIManifest ||
		d.MediaType == registry.MediaTypeIndex && d.Size <= registry.MaxConfig
	digest, err := artifact.ParseDigest(string(d.Digest))
	if !small || err != nil {
		return r.Store.Fetch(ctx, d)
	}
	if b := r.cache.read(manifests, digest, d.Size); b != nil {
		return b, nil
	}
	b, err := r.Store.Fetch(ctx, d)
	if err == nil {
		r.cache.putBlob(manifests, digest, b)
	}
	return b, err
}

// forget drops what is remembered of a commit's tags: what they held turned out
// not to be there.
func (r *remembering) forget(tags ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range tags {
		delete(r.pending, t)
		r.cache.dropTag(tagName(r.Name(), t))
	}
}

// tag reads a record. One that is torn or another's is no record.
func (c *Cache) tag(name artifact.Digest, store, tag string) (ocispec.Descriptor, bool) {
	if !c.readable {
		return ocispec.Descriptor{}, false
	}
	f, err := os.Open(c.path(tags, name))
	if err != nil {
		return ocispec.Descriptor{}, false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxTagRecord+1))
	var r tagRecord
	if err != nil || json.Unmarshal(b, &r) != nil || r.Store != store || r.Tag != tag {
		return ocispec.Descriptor{}, false
	}
	if info, err := f.Stat(); err == nil {
		c.used(f.Name(), info.ModTime())
	}
	return r.Descriptor, true
}

func (c *Cache) dropTag(name artifact.Digest) {
	if c.readable && c.writable() {
		os.Remove(c.path(tags, name)) // a record that stays is asked for again
	}
}
