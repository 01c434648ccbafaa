package fetch_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

func init() { roles["pull"], roles["pullsome"] = childPull, childPullSome }

// registryEnv tells a child which repository it pulls from.
const registryEnv = "PINDEX_TEST_REGISTRY"

func childPull(dir, commit string) error { return pullHere(dir, commit, fetch.OpenOptions{}) }

func childPullSome(dir, commit string) error {
	return pullHere(dir, commit, views(artifact.Lexical))
}

func pullHere(dir, commit string, opt fetch.OpenOptions) error {
	store, err := registry.OpenRemote(os.Getenv(registryEnv), registry.RemoteOptions{})
	if err != nil {
		return err
	}
	_, err = fetch.Pull(context.Background(), store, fetch.OpenCache(dir+"/cache"), commit, opt, nil)
	return err
}

// wholeCache fails when a file of the cache does not hold what its name says.
// Files of partitions are named by what they hold, so they are read through an
// index, which the caller does.
func wholeCache(t *testing.T, store registry.Store, dir string) {
	t.Helper()
	for _, kind := range []string{"manifest", "model"} {
		for _, path := range cacheFiles(t, dir, kind) {
			b, err := os.ReadFile(path)
			name := artifact.DigestOf(b)
			if kind == "manifest" {
				name = fetch.SeenName(store, name)
			}
			if err != nil || name.Hex() != filepath.Base(path) {
				t.Errorf("%s is damaged: %v", path, err)
			}
		}
	}
}

// Pulls of everything and of some views, killed at any moment, on one cache:
// it is never damaged, and the next pull goes on where they ended.
func TestKilledPulls(t *testing.T) {
	rng := rand.New(rand.NewPCG(*seed, 1))
	x := newFixture(t, wide, "")
	s, remote := startRegistry(t, func(_ http.ResponseWriter, r *http.Request) bool {
		if isBlobGet(r) {
			time.Sleep(2 * time.Millisecond) // so that a pull takes long enough to be killed
		}
		return false
	})
	x.publish(t, remote(), fetch.OpenCache(t.TempDir()))
	t.Setenv(registryEnv, s.Ref("owner/pindex"))
	dir := t.TempDir()
	cacheDir := dir + "/cache"
	killed, resumed := 0, 0
	for range *kills {
		role := []string{"pull", "pullsome"}[rng.IntN(2)]
		cmd := child(t, role, dir, x.commit())
		cmd.Stderr = nil
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(rng.IntN(60_000))*time.Microsecond, func() { cmd.Process.Kill() })
		if cmd.Wait() != nil {
			killed++
		}
		timer.Stop()
		wholeCache(t, remote(), cacheDir)
		if rng.IntN(3) > 0 {
			continue // the next one finds what this one left
		}
		there := len(cacheFiles(t, cacheDir, "part"))
		s.ResetCounts()
		out, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(cacheDir), x.commit(), views(artifact.Lexical), nil)
		if err != nil {
			t.Fatalf("seed %d: %v", *seed, err)
		}
		// Each partition that is there has the lexical view, and is there twice
		// where the kill came just before the smaller form was removed.
		if out.Unpacked > len(x.packs)-(there+1)/2 {
			t.Errorf("seed %d: %d packs were read, %d partitions were there", *seed, out.Unpacked, there)
		}
		if there > 0 && out.Unpacked < len(x.packs) {
			resumed++
		}
		x.check(t, open(t, remote(), fetch.OpenCache(cacheDir), x.commit(), fetch.OpenOptions{}))
		if t.Failed() {
			t.Fatalf("seed %d", *seed)
		}
		if err := os.RemoveAll(cacheDir); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d pulls were killed, %d of those after them went on from what was there", killed, *kills, resumed)
	if err := child(t, "pull", dir, x.commit()).Run(); err != nil {
		t.Fatal(err)
	}
	out, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(cacheDir), x.commit(), fetch.OpenOptions{}, nil)
	if err != nil || out.Unpacked != 0 {
		t.Errorf("%+v, %v", out, err)
	}
}

// Fifty clients on one cold cache, which want different things of one registry,
// and some processes.
func TestManyPullsOnOneCache(t *testing.T) {
	x := newFixture(t, wide, "")
	s, remote := startRegistry(t, nil)
	x.publish(t, remote(), fetch.OpenCache(t.TempDir()))
	t.Setenv(registryEnv, s.Ref("owner/pindex"))
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 4 {
		cmd := child(t, []string{"pull", "pullsome"}[i%2], dir, x.commit())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	for i := range 50 {
		wg.Go(func() {
			opt := views(artifact.Views[i%len(artifact.Views)])
			if i%7 == 0 {
				opt = fetch.OpenOptions{}
			}
			cache := fetch.OpenCache(dir + "/cache")
			if _, err := fetch.Pull(t.Context(), remote(), cache, x.commit(), opt, nil); err != nil {
				t.Error(err)
				return
			}
			ix, err := fetch.Open(t.Context(), remote(), cache, x.commit(), opt)
			if err != nil {
				t.Error(err)
				return
			}
			defer ix.Close()
			for p := range x.packs {
				if err := openSegment(ix, p, artifact.Views[i%len(artifact.Views)]); err != nil {
					t.Error(err)
				}
			}
			if n := cache.Notes(); len(n) > 0 {
				t.Errorf("notes: %q", n)
			}
		})
	}
	wg.Wait()
	wholeCache(t, remote(), dir+"/cache")
	if _, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(dir+"/cache"), x.commit(), fetch.OpenOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	s.ResetCounts()
	x.check(t, open(t, remote(), fetch.OpenCache(dir+"/cache"), x.commit(), fetch.OpenOptions{}))
	if len(s.Counts()) != 0 {
		t.Errorf("requests: %v", s.Counts())
	}
}

// A tag that moves while a pull is under way: what was begun is finished, with
// one index and not a mixture, or fails; the next pull gets the other one.
func TestTagMovesDuringPull(t *testing.T) {
	for _, collected := range []bool{false, true} { // whether the registry drops what no tag holds
		x := newFixture(t, small, "")
		y := newFixture(t, small, "")
		z := shape{partitions: 3, files: 2, functions: 2, lines: 3, seed: 1}
		z.functions = 3
		other := newFixture(t, z, "")
		y.packs, y.segments = other.packs, other.segments
		m := *other.manifest
		m.Commit, m.Tree, m.CommitObject = x.manifest.Commit, x.manifest.Tree, x.manifest.CommitObject
		y.manifest = &m
		var err error
		if y.encoded, _, err = m.Encode(); err != nil {
			t.Fatal(err)
		}
		var armed, moved atomic.Bool
		s, remote := startRegistry(t, nil)
		var packs map[string]bool
		s.Hook = func(_ http.ResponseWriter, r *http.Request) bool {
			if armed.Load() && isBlobGet(r) && packs[filepath.Base(r.URL.Path)] && !moved.Swap(true) {
				if _, err := y.tryPublish(t, remote(), fetch.OpenCache(t.TempDir()), fetch.SinkOptions{Replace: true}); err != nil {
					t.Error(err)
				}
				if collected {
					for digest := range packs {
						s.Remove("owner/pindex", digest)
					}
				}
			}
			return false
		}
		x.publish(t, remote(), fetch.OpenCache(t.TempDir()))
		packs = map[string]bool{}
		for _, p := range x.packs {
			packs[artifact.DigestOf(p).String()] = true
		}
		armed.Store(true)
		dir := t.TempDir()
		out, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{}, nil)
		switch {
		case !moved.Load():
			t.Fatal("the tag did not move")
		case collected:
			if fail.CodeOf(err) != fail.Verification {
				t.Errorf("packs that are gone: %+v, %v", out, err)
			}
		case err != nil || out.Digest != artifact.DigestOf(x.encoded):
			t.Errorf("%+v, %v", out, err)
		default:
			x.check(t, open(t, remote(), fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{}))
		}
		out, err = fetch.Pull(t.Context(), remote(), fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{}, nil)
		if err != nil || out.Digest != artifact.DigestOf(y.encoded) {
			t.Fatalf("the pull after it: %+v, %v", out, err)
		}
		y.check(t, open(t, remote(), fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{}))
	}
}
