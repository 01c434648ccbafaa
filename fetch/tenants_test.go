package fetch_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

// tenants is a registry where each of two users has a repository of their own
// that the other one may not read.
func tenants(t *testing.T) (open func(repository, user string) *registry.Remote) {
	t.Helper()
	s := &registrytest.Server{Hook: func(w http.ResponseWriter, r *http.Request) bool {
		user, password, _ := r.BasicAuth()
		if password == "secret of "+user && strings.HasPrefix(r.URL.Path, "/v2/"+user+"/") {
			return false
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
		registrytest.Refuse(w, http.StatusUnauthorized, "UNAUTHORIZED", "not yours", nil)
		return true
	}}
	s.Start()
	t.Cleanup(s.Close)
	return func(repository, user string) *registry.Remote {
		t.Helper()
		o := registry.RemoteOptions{Attempts: 1}
		if user != "" {
			o.Username, o.Password = user, "secret of "+user
		}
		r, err := registry.OpenRemote(s.Ref(repository), o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// Two tenants with different credentials and one cache: neither sees what is
// the other one's alone, by the other's address as by an index of their own that
// names the other's parts.
func TestTenantsShareACache(t *testing.T) {
	open := tenants(t)
	x := newFixture(t, small, "")
	alice := open("alice/pindex", "alice")
	x.publish(t, alice, fetch.OpenCache(t.TempDir()))
	dir := t.TempDir()
	if _, err := fetch.Pull(t.Context(), alice, fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	index := artifact.DigestOf(x.encoded)

	for name, opt := range map[string]fetch.OpenOptions{"by commit": {}, "by digest": {Index: index}, "with its profile": {Profile: x.manifest.Profile.Digest}} {
		// The address, without the right to read it.
		if _, err := fetch.Open(t.Context(), open("alice/pindex", "bob"), fetch.OpenCache(dir), x.commit(), opt); fail.CodeOf(err) != fail.Network {
			t.Errorf("%s: another tenant opened it: %v", name, err)
		}
		if _, err := fetch.Pull(t.Context(), open("alice/pindex", "bob"), fetch.OpenCache(dir), x.commit(), opt, nil); fail.CodeOf(err) != fail.Network {
			t.Errorf("%s: another tenant pulled it: %v", name, err)
		}
		// The cache goes on answering its owner, also after the credentials
		// were taken away.
		for _, user := range []string{"alice", ""} {
			ix, err := fetch.Open(t.Context(), open("alice/pindex", user), fetch.OpenCache(dir), x.commit(), opt)
			if err != nil {
				t.Errorf("%s, %q: %v", name, user, err)
				continue
			}
			x.check(t, ix)
			ix.Close()
		}
	}
}

// forger is a registry that claims to have an index that it does not have.
type forger struct {
	*registry.Remote
	blobs map[string][]byte
	tag   ocispec.Descriptor
}

func (f forger) Resolve(context.Context, string) (ocispec.Descriptor, error) { return f.tag, nil }

func (f forger) Fetch(_ context.Context, d ocispec.Descriptor) ([]byte, error) {
	if b := f.blobs[string(d.Digest)]; b != nil {
		return b, nil
	}
	return nil, registry.ErrNotFound
}

// A registry of bob's names the digests of alice's index, which anybody may
// know, and has nothing of it: the cache must not fill in what is missing.
func TestForgedArtifactOfCachedBlobs(t *testing.T) {
	open := tenants(t)
	x := newFixture(t, small, "")
	alice := open("alice/pindex", "alice")
	x.publish(t, alice, fetch.OpenCache(t.TempDir()))
	dir := t.TempDir()
	if _, err := fetch.Pull(t.Context(), alice, fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	desc, err := alice.Resolve(t.Context(), x.commit())
	if err != nil {
		t.Fatal(err)
	}
	art, _, err := registry.ReadArtifact(t.Context(), alice, x.commit())
	if err != nil {
		t.Fatal(err)
	}
	f := forger{open("bob/pindex", "bob"), map[string][]byte{}, desc}
	// The OCI manifest and the config, which hold no source, could be guessed.
	for _, d := range []ocispec.Descriptor{desc, art.Config} {
		if f.blobs[string(d.Digest)], err = alice.Fetch(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	for name, opt := range map[string]fetch.OpenOptions{"by commit": {}, "by digest": {Index: art.Index()}} {
		if _, err := fetch.Open(t.Context(), f, fetch.OpenCache(dir), x.commit(), opt); fail.CodeOf(err) != fail.Verification {
			t.Errorf("%s: an index was opened that the registry does not have: %v", name, err)
		}
	}
	// Who has the manifest as well has everything that the digests stand for.
	f.blobs[string(art.Manifest.Digest)] = x.encoded
	ix, err := fetch.Open(t.Context(), f, fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	x.check(t, ix)
}

// An index that is named by its digest and is all in the cache needs no network,
// whatever its tag holds by then; and a lock of another one does.
func TestPinnedPullNeedsNoNetwork(t *testing.T) {
	x := newFixture(t, small, "")
	s, remote := startRegistry(t, nil)
	x.publish(t, remote(), fetch.OpenCache(t.TempDir()))
	name := s.Ref("owner/pindex")
	dir := t.TempDir()
	if _, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	pinned := fetch.OpenOptions{Index: artifact.DigestOf(x.encoded), Profile: x.manifest.Profile.Digest}
	s.ResetCounts()
	if out, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(dir), x.commit(), pinned, nil); err != nil || out.Unpacked != 0 {
		t.Errorf("%+v, %v", out, err)
	}
	if len(s.Counts()) != 0 {
		t.Errorf("requests: %v", s.Counts())
	}
	for range 2 {
		if _, err := fetch.Pull(t.Context(), unreachable{name}, fetch.OpenCache(dir), x.commit(), pinned, nil); err != nil {
			t.Error(err)
		}
		x.check(t, open(t, unreachable{name}, fetch.OpenCache(dir), x.commit(), pinned))
	}
	other := pinned
	other.Index = artifact.DigestOf([]byte("another one"))
	if _, err := fetch.Pull(t.Context(), unreachable{name}, fetch.OpenCache(dir), x.commit(), other, nil); fail.CodeOf(err) != fail.Network {
		t.Errorf("another index: %v", err)
	}
	// The tag's index was replaced, by way of the same cache; the pinned one is
	// still there.
	y := newFixture(t, small, "another profile")
	m := *y.manifest
	m.Commit, m.Tree, m.CommitObject = x.manifest.Commit, x.manifest.Tree, x.manifest.CommitObject
	y.manifest = &m
	var err error
	if y.encoded, _, err = m.Encode(); err != nil {
		t.Fatal(err)
	}
	if _, err := y.tryPublish(t, remote(), fetch.OpenCache(t.TempDir()), fetch.SinkOptions{Replace: true}); err != nil {
		t.Fatal(err)
	}
	if out, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{}, nil); err != nil || out.Digest != artifact.DigestOf(y.encoded) {
		t.Fatalf("%+v, %v", out, err)
	}
	x.check(t, open(t, unreachable{name}, fetch.OpenCache(dir), x.commit(), pinned))
}
