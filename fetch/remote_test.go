package fetch_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

func startRegistry(t testing.TB, hook func(w http.ResponseWriter, r *http.Request) bool) (*registrytest.Server, func() *registry.Remote) {
	t.Helper()
	s := &registrytest.Server{Hook: hook}
	s.Start()
	t.Cleanup(s.Close)
	return s, func() *registry.Remote {
		r, err := registry.OpenRemote(s.Ref("owner/pindex"), registry.RemoteOptions{Attempts: 1})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// What was pulled opens without the network, and each pack travels once.
func TestPulledOpensOffline(t *testing.T) {
	x := newFixture(t, small, "")
	s, remote := startRegistry(t, nil)
	x.publish(t, remote(), fetch.OpenCache(t.TempDir()))
	dir := t.TempDir()
	s.ResetCounts()
	for i := range 2 {
		out, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{}, nil)
		if err != nil || out.Unpacked != (1-i)*len(x.packs) {
			t.Fatalf("%+v, %v", out, err)
		}
	}
	// Tag twice; config, manifest and model once, and each pack.
	if c := s.Counts(); c["GET manifest"] != 2 || c["GET blob"] != 3+len(x.packs) || len(c) != 2 {
		t.Errorf("requests: %v", c)
	}
	store := remote()
	s.Close()
	ix := open(t, store, fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{})
	x.check(t, ix)
	if _, err := fetch.Model(t.Context(), store, fetch.OpenCache(dir), *x.manifest.Model); err != nil {
		t.Error(err)
	}
	_, err := fetch.Open(t.Context(), store, fetch.OpenCache(dir), strings.Repeat("ab", 20), fetch.OpenOptions{})
	if fail.CodeOf(err) != fail.Network {
		t.Errorf("a commit that was not pulled: %v", err)
	}
}

// A tag that is remembered and leads nowhere any more is asked for again.
func TestRememberedTagIsMended(t *testing.T) {
	x := newFixture(t, small, "")
	s, remote := startRegistry(t, nil)
	x.publish(t, remote(), fetch.OpenCache(t.TempDir()))
	cache := fetch.OpenCache(t.TempDir())
	open(t, remote(), cache, x.commit(), fetch.OpenOptions{}) // remembers the tag, reads no pack
	a, _, err := registry.ReadArtifact(t.Context(), remote(), x.commit())
	if err != nil {
		t.Fatal(err)
	}
	s.Remove("owner/pindex", string(a.Packs[0].Digest))
	ix := open(t, remote(), cache, x.commit(), fetch.OpenOptions{})
	if _, err := ix.Units(0); fail.CodeOf(err) != fail.Verification {
		t.Errorf("a pack that is gone: %v", err)
	}
	s.ResetCounts()
	open(t, remote(), cache, x.commit(), fetch.OpenOptions{})
	if s.Counts()["GET manifest"] != 1 {
		t.Errorf("the tag was not asked for again: %v", s.Counts())
	}
}

// A registry that answers with another commit's index, under this one's tag.
func TestRemoteIndexOfAnotherCommit(t *testing.T) {
	x := newFixture(t, small, "")
	s, remote := startRegistry(t, nil)
	x.publish(t, remote(), fetch.OpenCache(t.TempDir()))
	desc, err := remote().Resolve(t.Context(), x.commit())
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Repeat("ab", 20)
	s.SetTag("owner/pindex", other, desc.MediaType, s.Blob("owner/pindex", string(desc.Digest)))
	_, err = fetch.Open(t.Context(), remote(), fetch.OpenCache(t.TempDir()), other, fetch.OpenOptions{})
	var known *fail.Error
	if !errors.As(err, &known) || known.Code != fail.Verification || !strings.Contains(err.Error(), x.commit()) || known.Remedy == "" {
		t.Errorf("%v", err)
	}
}

func TestRemoteNoIndex(t *testing.T) {
	_, remote := startRegistry(t, nil)
	store := remote()
	commit := strings.Repeat("ab", 20)
	_, err := fetch.Open(t.Context(), store, fetch.OpenCache(t.TempDir()), commit, fetch.OpenOptions{})
	if fail.CodeOf(err) != fail.NoIndex || !strings.Contains(err.Error(), "docker login") || !strings.Contains(err.Error(), commit) {
		t.Errorf("%v", err)
	}
}

// A push that fails in the background fails the compile, before any tag.
func TestSinkReportsBackgroundFailures(t *testing.T) {
	x := newFixture(t, small, "")
	var n atomic.Int64
	_, remote := startRegistry(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && n.Add(1) == 2 {
			w.WriteHeader(http.StatusForbidden)
			return true
		}
		return false
	})
	if _, err := x.tryPublish(t, remote(), fetch.OpenCache(t.TempDir()), fetch.SinkOptions{}); fail.CodeOf(err) != fail.Network {
		t.Errorf("%v", err)
	}
	if tags, err := remote().Tags(t.Context()); err != nil || len(tags) != 0 {
		t.Errorf("%q, %v", tags, err)
	}
	sink := fetch.NewSink(remote(), fetch.OpenCache(t.TempDir()), fetch.SinkOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	if err := sink.Pack(ctx, 0, x.packs[0], nil); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := sink.Publish(ctx, fetch.Final{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	sink.Close()
}

// Packs so small that a part of one saves nothing are read whole, each once,
// and no model is read where no view needs it.
func TestPullOneView(t *testing.T) {
	x := newFixture(t, small, "")
	s, remote := startRegistry(t, nil)
	x.publish(t, remote(), fetch.OpenCache(t.TempDir()))
	s.ResetCounts()
	opt := fetch.OpenOptions{Views: []artifact.View{artifact.Lexical}}
	if _, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(t.TempDir()), x.commit(), opt, nil); err != nil {
		t.Fatal(err)
	}
	if c := s.Counts(); c["GET blob"] != 2+len(x.packs) {
		t.Errorf("requests: %v", c)
	}
}

// A registry with an index that is its own in every digest, and in which a pack
// of a few kilobytes says that it unpacks to a lot: refused before it is.
func TestRemoteBomb(t *testing.T) {
	for name, size := range map[string]int64{"the manifest says what is usual": 0, "the manifest says so too": 1} {
		x := newFixture(t, small, "")
		big := make([]byte, 48<<20)
		pack, err := artifact.EncodePack([]artifact.PackSegment{{View: artifact.Units, Bytes: big}})
		if err != nil {
			t.Fatal(err)
		}
		if len(pack) > 1<<20 {
			t.Fatalf("the bomb has %d bytes", len(pack))
		}
		x.packs[1] = pack
		if size != 0 {
			// Then it is unpacked, once, which is up to artifact.MaxSegmentSize, and is
			// no units segment.
			x.manifest.Partitions[1].Segments["units"] = artifact.SegmentInfo{
				Key: artifact.DigestOf([]byte("key")), Digest: artifact.DigestOf(big), Size: int64(len(big)),
			}
			if x.encoded, _, err = x.manifest.Encode(); err != nil {
				t.Fatal(err)
			}
		}
		_, remote := startRegistry(t, nil)
		x.segments[1] = nil
		x.publish(t, remote(), fetch.OpenCache(t.TempDir()))
		cache := fetch.OpenCache(t.TempDir())
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		ix := open(t, remote(), cache, x.commit(), fetch.OpenOptions{})
		_, err = ix.Units(1)
		runtime.ReadMemStats(&after)
		if fail.CodeOf(err) != fail.Verification {
			t.Errorf("%s: %v", name, err)
		}
		most := uint64(16 << 20)
		if size != 0 {
			most += 3 * uint64(len(big))
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > most {
			t.Errorf("%s: %d bytes were set aside", name, got)
		}
	}
}
