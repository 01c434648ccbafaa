package fetch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/order"
	"github.com/pindex-dev/pindex/registry"
)

// OpenOptions say which index of a commit is wanted, and how much of it. The
// zero value asks for the commit's default profile, with all views.
type OpenOptions struct {
	// Views that are brought into the cache when a pack has to be read; nil
	// means all. The units are always among them. A view that is not listed
	// can be read all the same: its partition is then brought as a whole. Where
	// the cache has some of a partition's views, because somebody asked for
	// those, what else is needed is added to them.
	Views []artifact.View
	// Profile is the digest of the θ that the index must have; zero takes
	// what the commit's own tag holds.
	Profile artifact.Digest
	// Index is the index digest that alone is accepted; zero accepts any.
	Index artifact.Digest
	// Only takes what stands in for the commit's own tag (see StandIn) where
	// that holds no index and no Profile is asked for: somebody has compiled it
	// with chosen views or settings, or in a clone that lacks files. It is called
	// with the tag that is taken, of so many; nil takes none.
	Only func(tag string, of int)
}

// Open returns the index of a commit, given as its full hash. Everything up
// to the manifest is read and verified now; segments are opened when they are
// first asked for, and unpacked from the store into the cache where they are
// missing there. The index outlives ctx, whose values its later fetches see;
// closing the index cancels them.
//
// Errors: code NoIndex when the store has no such index, Verification when
// what it has is damaged or of another commit, and the store's own.
func Open(ctx context.Context, store registry.Store, cache *Cache, commit string, opt OpenOptions) (*artifact.Index, error) {
	store = remember(store, cache, false)
	s, err := openSource(ctx, store, cache, commit, opt)
	if err != nil {
		return nil, err
	}
	settle(store, s.artifact)
	life, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	open := func(p int, v artifact.View, seg artifact.SegmentInfo) ([]byte, error) {
		return s.segment(life, p, v, seg)
	}
	return artifact.NewIndex(s.manifest, s.artifact.Index(), open, func() error {
		cancel(artifact.ErrClosed)
		s.close()
		return nil
	}), nil
}

// openSource resolves the commit and reads the manifests, top down.
func openSource(ctx context.Context, store registry.Store, cache *Cache, commit string, opt OpenOptions) (*source, error) {
	var art *registry.Artifact
	var conf *registry.Config
	var err error
	if r, ok := store.(*remembering); ok && !opt.Index.IsZero() {
		art, conf = r.pinned(ctx, opt.Index)
		if conf != nil && !opt.Profile.IsZero() && conf.Profile != opt.Profile {
			art = nil
		}
	}
	if art == nil {
		if art, conf, err = resolve(ctx, store, commit, opt); err != nil {
			return nil, err
		}
	}
	wrong := func(err error) error {
		return fail.Wrap(fail.Verification, err, "write it again with pindex compile --replace",
			"the index of %s in %s cannot be used", commit, store.Name())
	}
	if conf.Commit != commit {
		return nil, wrong(fmt.Errorf("it is of commit %s", conf.Commit))
	}
	if !opt.Index.IsZero() && art.Index() != opt.Index {
		return nil, fail.New(fail.Verification, "find out who wrote the other index and why; if it is right, name its digest",
			"%s has index %s of commit %s, and %s was asked for", store.Name(), art.Index(), commit, opt.Index)
	}
	b, err := manifestBytes(ctx, store, cache, art)
	if err != nil {
		return nil, err
	}
	m, err := artifact.DecodeManifest(b)
	if err != nil {
		return nil, explain(err, "the index of %s in %s cannot be used", commit, store.Name())
	}
	switch {
	case m.Commit != commit:
		return nil, wrong(fmt.Errorf("its manifest is of commit %s", m.Commit))
	case m.Profile.Digest != conf.Profile:
		return nil, wrong(errors.New("its manifest is of another profile than its config"))
	case len(art.Packs) != len(m.Partitions):
		return nil, wrong(fmt.Errorf("it has %d packs for %d partitions", len(art.Packs), len(m.Partitions)))
	case (art.Model == nil) != (m.Model == nil),
		m.Model != nil && (m.Model.Digest.String() != string(art.Model.Digest) || m.Model.Size != art.Model.Size):
		return nil, wrong(errors.New("its model is not the manifest's"))
	}
	return newSource(store, cache, art, m, opt.Views), nil
}

// resolve finds the artifact of the commit and profile.
func resolve(ctx context.Context, store registry.Store, commit string, opt OpenOptions) (*registry.Artifact, *registry.Config, error) {
	profile, r := opt.Profile, (*remembering)(nil)
	if profile.IsZero() && opt.Only != nil {
		if r, _ = store.(*remembering); r != nil && !r.fresh {
			if tag, art, conf := r.only(ctx, commit); art != nil {
				opt.Only(tag, 1)
				return art, conf, nil
			}
		}
	}
	tags := []string{registry.CommitTag(commit)}
	if !profile.IsZero() {
		tags = append(tags, registry.ProfileTag(commit, profile))
	}
	var tried []string
	for _, tag := range tags {
		art, conf, err := registry.ReadArtifact(ctx, store, tag)
		switch {
		case errors.Is(err, registry.ErrNotFound):
			tried = append(tried, "tag "+tag)
		case err != nil:
			return nil, nil, err
		case !profile.IsZero() && conf.Profile != profile:
			tried = append(tried, "tag "+tag+", which has profile "+conf.Profile.Hex()[:12])
		default:
			return art, conf, nil
		}
	}
	remedy := "build it with pindex compile, or name another store with --store"
	if h, ok := bare(store).(interface{ AbsentHint() string }); ok {
		remedy += "; " + h.AbsentHint()
	}
	if n, ok := bare(store).(near); ok && n.Gone() {
		return nil, nil, fail.Wrap(fail.NoIndex, registry.ErrNotFound, "build the index with pindex compile, or name another store with --store",
			"%s has no index of commit %s; there is no store there", store.Name(), commit)
	}
	others := otherProfiles(ctx, store, commit, tags)
	if profile.IsZero() && opt.Only != nil {
		if tag := fullest(ctx, store, others); tag != "" {
			art, conf, err := registry.ReadArtifact(ctx, store, tag)
			if err == nil {
				if r != nil {
					r.setOnly(commit, tag, art)
				}
				opt.Only(tag, len(others))
			}
			return art, conf, err
		}
	}
	if len(others) > 0 {
		remedy = "the store has it under other profiles, of which none has all that the others have (" + strings.Join(others, ", ") + "): remove all but one, or " + remedy
	}
	return nil, nil, fail.Wrap(fail.NoIndex, registry.ErrNotFound, remedy,
		"%s has no index of commit %s; tried %s", store.Name(), commit, strings.Join(tried, " and "))
}

// Profiles returns the tags of a commit's indexes that are not the commit's own.
func Profiles(ctx context.Context, store registry.Store, commit string) []string {
	return otherProfiles(ctx, store, commit, []string{registry.CommitTag(commit)})
}

// StandIn returns the tag that stands in for a commit's own one where that holds
// no index: its only one under another profile, or, of several, the one that has
// all that each of the others has. of tells how many there are. The tag is ""
// where nothing stands in, also where the commit's own tag holds an index.
func StandIn(ctx context.Context, store registry.Store, commit string) (tag string, of int) {
	others := otherProfiles(ctx, store, commit, nil)
	if slices.Contains(others, registry.CommitTag(commit)) {
		return "", 0
	}
	return fullest(ctx, store, others), len(others)
}

// maxStandIns bounds the indexes of one commit that are compared.
const maxStandIns = 8

// fullest returns the tag of the index that has all that each of the others
// has, the first of several equal ones; "" where there is none. What cannot be
// read stands in for nothing.
func fullest(ctx context.Context, store registry.Store, tags []string) string {
	if len(tags) == 1 {
		return tags[0]
	}
	if len(tags) > maxStandIns {
		return ""
	}
	order.Sort(tags, strings.Compare)
	var names []string
	var list []*artifact.Manifest
	for _, tag := range tags {
		art, _, err := registry.ReadArtifact(ctx, store, tag)
		if err != nil || art.Manifest.Size > artifact.MaxManifestSize {
			continue
		}
		b, err := store.Fetch(ctx, art.Manifest)
		if err != nil {
			continue
		}
		if m, err := artifact.DecodeManifest(b); err == nil {
			names, list = append(names, tag), append(list, m)
		}
	}
	for i, m := range list {
		if !slices.ContainsFunc(list, func(other *artifact.Manifest) bool { return !hasAllOf(m, other) }) {
			return names[i]
		}
	}
	return ""
}

// hasAllOf reports whether an index has every view that another one of the same
// commit has, made in the same way, of no fewer files.
func hasAllOf(m, other *artifact.Manifest) bool {
	for v, info := range other.Views {
		if info.State == artifact.ViewReady && (m.Views[v].State != artifact.ViewReady || m.Profile.Views[v] != other.Profile.Views[v]) {
			return false
		}
	}
	return m.Indexed >= other.Indexed
}

// bare returns the store itself.
func bare(store registry.Store) registry.Store {
	if r, ok := store.(*remembering); ok {
		return r.Store
	}
	return store
}

// otherProfiles lists the commit's tags that were not tried. It only helps to
// word an error or to do without one, so its own failures do not count.
func otherProfiles(ctx context.Context, store registry.Store, commit string, tried []string) []string {
	var names []string
	if f, ok := bare(store).(interface {
		TagsOf(context.Context, string) []string
	}); ok {
		names = f.TagsOf(ctx, commit) // List would cost a request for each tag
	} else if list, err := store.List(ctx); err == nil {
		for _, e := range list {
			names = append(names, e.Tag)
		}
	}
	var tags []string
	for _, name := range names {
		if t, ok := registry.ParseTag(name); ok && t.Commit == commit && !t.Report && !slices.Contains(tried, name) {
			tags = append(tags, name)
		}
	}
	return tags
}

// manifestBytes returns the pindex manifest, verified, from the cache or the
// store.
func manifestBytes(ctx context.Context, store registry.Store, cache *Cache, art *registry.Artifact) ([]byte, error) {
	return cached(ctx, store, cache, manifests, art.Manifest, artifact.MaxManifestSize)
}

// cached returns a small blob, verified and on the heap.
func cached(ctx context.Context, store registry.Store, cache *Cache, k kind, d ocispec.Descriptor, limit int64) ([]byte, error) {
	digest, err := artifact.ParseDigest(string(d.Digest))
	if err == nil && (d.Size < 1 || d.Size > limit) {
		err = fmt.Errorf("%d bytes, allowed are 1 to %d", d.Size, limit)
	}
	if err != nil {
		return nil, fail.Wrap(fail.Verification, err, "", "%s names a blob that cannot be read", store.Name())
	}
	name := seenName(store, digest)
	if b := cache.read(k, name, digest, d.Size); b != nil {
		return b, nil
	}
	b, err := store.Fetch(ctx, d)
	if err != nil {
		return nil, registry.Incomplete(store, err)
	}
	cache.putNamed(k, name, b)
	return b, nil
}

// Inputs returns the input layers of an artifact, verified, from the store.
func Inputs(ctx context.Context, store registry.Store, art *registry.Artifact) ([][]byte, error) {
	var out [][]byte
	for _, d := range art.Inputs {
		b, err := store.Fetch(ctx, d)
		if err != nil {
			return nil, registry.Incomplete(store, err)
		}
		out = append(out, b)
	}
	return out, nil
}

// Model returns the embedder's table that an index names, verified, from the
// cache or the store. Its memory stays valid as long as the program runs, and
// is shared by all who ask for the same table through one cache.
func Model(ctx context.Context, store registry.Store, cache *Cache, m artifact.ModelInfo) ([]byte, error) {
	if b := cache.model(m.Digest, m.Size); b != nil {
		return b, nil
	}
	b, err := store.Fetch(ctx, ocispec.Descriptor{
		MediaType: registry.MediaTypeModel, Digest: ocispecDigest(m.Digest), Size: m.Size,
	})
	if err != nil {
		return nil, registry.Incomplete(store, err)
	}
	if cache.putBlob(models, m.Digest, b) {
		if mapped := cache.model(m.Digest, m.Size); mapped != nil {
			return mapped, nil
		}
	}
	return b, nil
}
