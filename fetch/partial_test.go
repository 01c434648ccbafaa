package fetch_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

// wide has packs of some hundred kilobytes, as those of a large repository.
var wide = shape{partitions: 6, files: 6, functions: 30, lines: 14, seed: 3}

func views(v ...artifact.View) fetch.OpenOptions { return fetch.OpenOptions{Views: v} }

func size(packs [][]byte) (n int64) {
	for _, p := range packs {
		n += int64(len(p))
	}
	return n
}

func isBlobGet(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/sha256:")
}

// A pull of some views reads those out of the packs, with few requests; what
// is needed later is added, and nothing travels twice.
func TestPullSomeViews(t *testing.T) {
	x := newFixture(t, wide, "")
	var parts atomic.Int64
	s, remote := startRegistry(t, func(_ http.ResponseWriter, r *http.Request) bool {
		if isBlobGet(r) && r.Header.Get("Range") != "" {
			parts.Add(1)
		}
		return false
	})
	x.publish(t, remote(), fetch.OpenCache(t.TempDir()))
	whole := size(x.packs)
	for _, test := range []struct {
		views    []artifact.View
		requests int64   // of parts, a pack; 0 means that packs are read whole
		share    float64 // of the packs' bytes, at most
	}{
		{[]artifact.View{artifact.Lexical}, 2, 0.75},
		{[]artifact.View{artifact.Structural}, 2, 0.30},
		{[]artifact.View{artifact.Dense, artifact.Structural}, 2, 0.45},
		{[]artifact.View{artifact.Units}, 1, 0.15},
		{[]artifact.View{artifact.Source}, 2, 0.75},
		{artifact.Views, 0, 1},
	} {
		dir := t.TempDir()
		s.ResetCounts()
		parts.Store(0)
		out, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(dir), x.commit(), views(test.views...), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _, sent := s.Total()
		t.Logf("%v: %d of %d bytes of packs, %d parts, %d requests for blobs, %d bytes in all", test.views, out.Bytes, whole, parts.Load(), s.Counts()["GET blob"], sent)
		if out.Bytes > int64(test.share*float64(whole)) || parts.Load() > test.requests*int64(len(x.packs)) || out.Unpacked != len(x.packs) {
			t.Errorf("%v: %+v, %d parts", test.views, out, parts.Load())
		}
		if sent < out.Bytes || sent > out.Bytes+16<<10 {
			t.Errorf("%v: the registry sent %d bytes, %d are said to be of packs", test.views, sent, out.Bytes)
		}
		// What was pulled is there without the network, also for who asks for
		// all views; what was not is not.
		s.ResetCounts()
		ix := open(t, remote(), fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{})
		for _, v := range append([]artifact.View{artifact.Units}, test.views...) {
			for p := range x.packs {
				if err := openSegment(ix, p, v); err != nil {
					t.Errorf("%v: %v", v, err)
				}
			}
		}
		if n := len(s.Counts()); n != 0 {
			t.Errorf("%v: %v", test.views, s.Counts())
		}
		x.check(t, ix)
		_, _, rest := s.Total()
		if rest > whole-out.Bytes+int64(len(x.packs))*(20<<10) {
			t.Errorf("%v: %d bytes came for the rest, after %d of %d", test.views, rest, out.Bytes, whole)
		}
		if n := len(cacheFiles(t, dir, "part")); n != len(x.packs) {
			t.Errorf("%v: %d files for %d partitions", test.views, n, len(x.packs))
		}
		// All of it is there now.
		again, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{}, nil)
		if err != nil || again.Unpacked != 0 || again.Bytes != 0 {
			t.Errorf("%v: %+v, %v", test.views, again, err)
		}
	}
}

func openSegment(ix *artifact.Index, p int, v artifact.View) (err error) {
	switch v {
	case artifact.Units:
		_, err = ix.Units(p)
	case artifact.Source:
		_, err = ix.Source(p)
	case artifact.Lexical:
		_, err = ix.Lexical(p)
	case artifact.Dense:
		_, err = ix.Dense(p)
	case artifact.Structural:
		_, err = ix.Structural(p)
	}
	return err
}

// One view after the other, in pulls of their own: each brings its own part.
func TestPullViewAfterView(t *testing.T) {
	x := newFixture(t, wide, "")
	_, remote := startRegistry(t, nil)
	x.publish(t, remote(), fetch.OpenCache(t.TempDir()))
	dir := t.TempDir()
	var sum int64
	for _, v := range []artifact.View{artifact.Structural, artifact.Lexical, artifact.Dense, artifact.Source} {
		out, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(dir), x.commit(), views(v), nil)
		if err != nil {
			t.Fatal(err)
		}
		sum += out.Bytes
	}
	if whole := size(x.packs); sum > whole+whole/4 {
		t.Errorf("%d bytes came for %d", sum, whole)
	}
	if n := len(cacheFiles(t, dir, "part")); n != len(x.packs) {
		t.Errorf("%d files for %d partitions", n, len(x.packs))
	}
	x.check(t, open(t, remote(), fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{}))
}

// A registry that ignores Range costs whole packs, each once, and not a wrong
// answer.
func TestRegistryWithoutRanges(t *testing.T) {
	x := newFixture(t, wide, "")
	s, remote := startRegistry(t, func(_ http.ResponseWriter, r *http.Request) bool {
		r.Header.Del("Range")
		return false
	})
	x.publish(t, remote(), fetch.OpenCache(t.TempDir()))
	s.ResetCounts()
	cache := fetch.OpenCache(t.TempDir())
	store, err := registry.OpenRemote(s.Ref("owner/pindex"), registry.RemoteOptions{Attempts: 1, Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fetch.Pull(t.Context(), store, cache, x.commit(), views(artifact.Lexical), nil); err != nil {
		t.Fatal(err)
	}
	// Config and manifest; the first pack was begun once more than the others,
	// and its body not read.
	if c := s.Counts(); c["GET blob"] > 2+len(x.packs)+4 {
		t.Errorf("requests: %v", c)
	}
	x.check(t, open(t, remote(), cache, x.commit(), fetch.OpenOptions{}))
}

// Parts that are not what the manifest says are not used, whatever the table of
// contents claims; the whole pack is read, and its digest decides.
func TestLyingParts(t *testing.T) {
	x := newFixture(t, wide, "")
	other := newFixture(t, shape{partitions: 1, files: 6, functions: 30, lines: 14, seed: 99}, "")
	for name, lie := range map[string]func(part []byte, offset, total int64) []byte{
		"zeros":            func(part []byte, _, _ int64) []byte { return make([]byte, len(part)) },
		"flipped behind":   func(part []byte, _, _ int64) []byte { part[len(part)-1] ^= 1; return part },
		"flipped in front": func(part []byte, _, _ int64) []byte { part[40] ^= 1; return part },
		"another pack":     func(part []byte, offset, _ int64) []byte { return other.packs[0][offset:][:len(part)] },
		"shifted":          func(part []byte, _, _ int64) []byte { copy(part, part[len(part)/2:]); return part },
	} {
		var lying atomic.Bool
		var parts atomic.Int64
		s, remote := startRegistry(t, nil)
		s.Hook = func(w http.ResponseWriter, r *http.Request) bool {
			var from, to int64
			if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); n != 2 || !lying.Load() || !isBlobGet(r) {
				return false
			}
			parts.Add(1)
			b := s.Blob("owner/pindex", r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, len(b)))
			w.WriteHeader(http.StatusPartialContent)
			w.Write(lie(append([]byte(nil), b[from:to+1]...), from, int64(len(b))))
			return true
		}
		x.publish(t, remote(), fetch.OpenCache(t.TempDir()))
		lying.Store(true)
		dir := t.TempDir()
		if _, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(dir), x.commit(), views(artifact.Lexical), nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if parts.Load() == 0 {
			t.Errorf("%s: no part was asked for", name)
		}
		x.check(t, open(t, remote(), fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{}))
	}
}

// A registry whose manifest of layers leads to another index's packs: each part
// is of a real pack, and of none that the manifest knows.
func TestPartsOfAnotherIndex(t *testing.T) {
	x := newFixture(t, wide, "")
	other := wide
	other.seed = 77
	y := newFixture(t, other, "")
	y.manifest, y.encoded = x.manifest, x.encoded
	_, remote := startRegistry(t, nil)
	y.publish(t, remote(), fetch.OpenCache(t.TempDir()))
	dir := t.TempDir()
	_, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(dir), x.commit(), views(artifact.Lexical), nil)
	if fail.CodeOf(err) != fail.Verification {
		t.Errorf("%v", err)
	}
	if n, _ := filepath.Glob(filepath.Join(dir, "part", "*", "*")); len(n) != 0 {
		t.Errorf("in the cache: %q", n)
	}
}

// The tables of contents alone cost a request and some hundred bytes a pack.
func TestTables(t *testing.T) {
	x := newFixture(t, wide, "")
	s, remote := startRegistry(t, nil)
	local := openStore(t, t.TempDir())
	x.publish(t, remote(), fetch.OpenCache(t.TempDir()))
	x.publish(t, local, fetch.OpenCache(t.TempDir()))
	for _, store := range []registry.Store{local, remote()} {
		art, _, err := registry.ReadArtifact(t.Context(), store, x.commit())
		if err != nil {
			t.Fatal(err)
		}
		s.ResetCounts()
		tables, err := fetch.Tables(t.Context(), store, art, x.manifest)
		if err != nil {
			t.Fatal(err)
		}
		for p, entries := range tables {
			pack, err := artifact.OpenPack(x.packs[p])
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(entries) != fmt.Sprint(pack.Entries()) {
				t.Errorf("partition %d: %v", p, entries)
			}
		}
	}
	if requests, _, sent := s.Total(); requests != len(x.packs) || sent > int64(len(x.packs))*300 {
		t.Errorf("%d requests, %d bytes", requests, sent)
	}
}

// Without a usable cache, what is read is read by itself.
func TestPartsWithoutACache(t *testing.T) {
	x := newFixture(t, wide, "")
	s, remote := startRegistry(t, nil)
	x.publish(t, remote(), fetch.OpenCache(t.TempDir()))
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ix := open(t, remote(), fetch.OpenCache(file), x.commit(), fetch.OpenOptions{})
	s.ResetCounts()
	for p := range x.packs {
		if err := openSegment(ix, p, artifact.Structural); err != nil { // and the units, to check it by
			t.Fatal(err)
		}
	}
	if _, _, sent := s.Total(); sent > size(x.packs)/3 {
		t.Errorf("%d of %d bytes came for a small view", sent, size(x.packs))
	}
	x.check(t, ix)
}
