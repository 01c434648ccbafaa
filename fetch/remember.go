package fetch

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/internal/plainfile"
	"github.com/pindex-dev/pindex/registry"
)

// distant is a store whose every request costs a round trip.
type distant interface {
	registry.Store
	Host() string
	Concurrency() int
}

// near is a store on this machine, which may go away.
type near interface {
	registry.Store
	Gone() bool
}

// remembering is a store whose tags and small blobs are kept in the cache, so
// that an index that was pulled opens without it: a distant one, or one on this
// machine that is gone since. A commit's tag moves only when somebody replaces
// an index; Pull asks anew.
type remembering struct {
	registry.Store
	cache  *Cache
	fresh  bool   // ask for tags, whatever is remembered
	secret string // what this reader shows the registry, see identified

	mu      sync.Mutex
	pending map[string]ocispec.Descriptor // what tags were found to hold
	alone   map[string]string             // which tag a pending onlyTag stands for
}

// identified is a store that knows which credentials it was given. What was
// remembered with some credentials is not believed with others: then the
// registry says what they may read.
type identified interface {
	Identity() string // "" for none; never shown or stored
}

// remember wraps a store that costs a round trip, is gone, or is pulled from;
// others are returned as they are.
func remember(store registry.Store, cache *Cache, fresh bool) registry.Store {
	if _, ok := store.(distant); !ok {
		if n, ok := store.(near); !ok || !fresh && !n.Gone() {
			return store
		}
	}
	r := &remembering{Store: store, cache: cache, fresh: fresh, pending: map[string]ocispec.Descriptor{}}
	if i, ok := store.(identified); ok {
		r.secret = i.Identity()
	}
	return r
}

// settle remembers what tags were found to hold, and where the index is, once it
// has turned out to be what was looked for.
func settle(store registry.Store, art *registry.Artifact) {
	r, ok := store.(*remembering)
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.pending) > 0 {
		r.pending[indexTag(art.Index())] = plain(art.Descriptor)
	}
	for tag, d := range r.pending {
		rec := tagRecord{Store: r.Name(), Tag: tag, Descriptor: d, Name: r.alone[tag]}
		rec.seal(r.secret)
		r.cache.putRecord(rec)
	}
	clear(r.pending)
}

// plain is a descriptor without what a store adds to it.
func plain(d ocispec.Descriptor) ocispec.Descriptor {
	return ocispec.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size}
}

// indexTag stands for an index in the place of a tag: who names an index by its
// digest finds it, whatever tags hold by then. No tag has this form.
func indexTag(d artifact.Digest) string { return "index " + d.String() }

// onlyTag stands for a commit's only index, which has a tag of another profile.
func onlyTag(commit string) string { return "only " + commit }

// nearTag stands for the commit whose index answers for another one's.
func nearTag(commit string) string { return "near " + commit }

// tagRecord is what the cache holds of a tag.
type tagRecord struct {
	Store      string             `json:"store"`
	Tag        string             `json:"tag"`
	Descriptor ocispec.Descriptor `json:"descriptor"`
	Commit     string             `json:"commit,omitempty"` // under a nearTag
	Name       string             `json:"name,omitempty"`   // under an onlyTag: the tag
	// Salt and Seal tell whether a reader has the credentials with which this
	// was read; without them it was read by somebody who had none.
	Salt string `json:"salt,omitempty"`
	Seal string `json:"seal,omitempty"`
}

// seal binds a record to a secret.
func (t *tagRecord) seal(secret string) {
	if secret != "" {
		t.Salt = rand.Text()
		t.Seal = sealOf(t.Salt, secret)
	}
}

// opens reports whether a reader may believe the record: one with the same
// secret, or with none, which is the same user after the secret was taken away.
func (t *tagRecord) opens(secret string) bool {
	return t.Seal == "" || secret == "" || subtle.ConstantTimeCompare([]byte(t.Seal), []byte(sealOf(t.Salt, secret))) == 1
}

func sealOf(salt, secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("pindex.seal/0\n" + salt))
	return hex.EncodeToString(mac.Sum(nil))
}

func (c *Cache) putRecord(t tagRecord) {
	b, err := json.Marshal(t)
	if err == nil && len(b) <= maxTagRecord {
		c.put(tags, tagName(t.Store, t.Tag), func(w io.Writer) error { _, err := w.Write(b); return err })
	}
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
		if t, ok := r.cache.record(r.Name(), tag); ok && t.opens(r.secret) {
			return t.Descriptor, nil
		}
	}
	d, err := r.Store.Resolve(ctx, tag)
	switch {
	case errors.Is(err, registry.ErrNotFound):
		r.cache.dropTag(name)
	case err == nil:
		d = plain(d)
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
	name := seenName(r, digest)
	if b := r.cache.read(manifests, name, digest, d.Size); b != nil {
		return b, nil
	}
	b, err := r.Store.Fetch(ctx, d)
	if err == nil {
		r.cache.putNamed(manifests, name, b)
	}
	return b, err
}

// seenName is the name under which the cache keeps a manifest of a store. A
// distant store's manifests are kept apart by store: a registry that names
// another one's manifest, without having it, would else be given what that one
// keeps private. Whoever has a manifest knows every digest in it, so what it
// names is shared.
func seenName(store registry.Store, d artifact.Digest) artifact.Digest {
	s, ok := bare(store).(distant)
	if !ok {
		return d
	}
	b, _ := json.Marshal([2]string{s.Name(), d.String()}) // strings always encode
	return artifact.DigestOf(append([]byte("pindex.seen/0\n"), b...))
}

// pinned returns the artifact of an index that was read from the store before,
// whatever its tags hold now; nil where it is not remembered.
func (r *remembering) pinned(ctx context.Context, index artifact.Digest) (*registry.Artifact, *registry.Config) {
	t, ok := r.cache.record(r.Name(), indexTag(index))
	if !ok || !t.opens(r.secret) {
		return nil, nil
	}
	art, conf, err := registry.ReadDescriptor(ctx, r, t.Descriptor)
	if err != nil || art.Index() != index {
		return nil, nil
	}
	return art, conf
}

// only returns what is remembered as a commit's only index, unless the commit's
// own tag is remembered.
func (r *remembering) only(ctx context.Context, commit string) (string, *registry.Artifact, *registry.Config) {
	if _, ok := r.cache.record(r.Name(), registry.CommitTag(commit)); ok {
		return "", nil, nil
	}
	t, ok := r.cache.record(r.Name(), onlyTag(commit))
	if !ok || !t.opens(r.secret) {
		return "", nil, nil
	}
	art, conf, err := registry.ReadDescriptor(ctx, r, t.Descriptor)
	if err != nil {
		return "", nil, nil
	}
	return t.Name, art, conf
}

// setOnly notes what was found to be a commit's only index.
func (r *remembering) setOnly(commit, tag string, art *registry.Artifact) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := onlyTag(commit)
	r.pending[name] = plain(art.Descriptor)
	r.alone = map[string]string{name: tag}
}

// SetNear remembers that a commit, which has no index in the store, is answered
// for by another one's; with "" it forgets that.
func SetNear(store registry.Store, cache *Cache, commit, near string) {
	if near == "" {
		cache.dropTag(tagName(store.Name(), nearTag(commit)))
		return
	}
	cache.putRecord(tagRecord{Store: store.Name(), Tag: nearTag(commit), Commit: near})
}

// Near returns the commit whose index was pulled for another one that has none;
// "" where there was none.
func Near(store registry.Store, cache *Cache, commit string) string {
	t, ok := cache.record(store.Name(), nearTag(commit))
	if id, err := gitobj.ParseID(t.Commit); !ok || err != nil || id.String() != t.Commit {
		return ""
	}
	return t.Commit
}

// Known reports whether an index of the commit was read from a distant store
// before, so that the cache leads to it.
func Known(store registry.Store, cache *Cache, commit string) bool {
	if _, ok := store.(distant); !ok {
		return false
	}
	_, ok := cache.record(store.Name(), registry.CommitTag(commit))
	return ok
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

// record reads what is remembered of a tag. One that is torn or another's is no
// record.
func (c *Cache) record(store, tag string) (tagRecord, bool) {
	if !c.readable {
		return tagRecord{}, false
	}
	path := c.path(tags, tagName(store, tag))
	b, used := readSmall(path, maxTagRecord)
	var r tagRecord
	if json.Unmarshal(b, &r) != nil || r.Store != store || r.Tag != tag {
		return tagRecord{}, false
	}
	c.used(path, used)
	return r, true
}

// readSmall reads a file of at most limit bytes, and when it was last written or
// stamped. It returns nil where there is none.
func readSmall(path string, limit int64) (b []byte, written time.Time) {
	f, err := plainfile.Open(path)
	if err != nil {
		return nil, written
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() > limit {
		return nil, written
	}
	b = make([]byte, info.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, written
	}
	return b, info.ModTime()
}

func (c *Cache) dropTag(name artifact.Digest) {
	if c.readable && c.writable() {
		os.Remove(c.path(tags, name)) // a record that stays is asked for again
	}
}
