package fetch_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/fail"
)

func cacheFiles(t *testing.T, dir, kind string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, kind, "[0-9a-f][0-9a-f]", strings.Repeat("?", 64)))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func age(t *testing.T, path string, d time.Duration) {
	t.Helper()
	then := time.Now().Add(-d)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	x := newFixture(t, small, "")
	store := openStore(t, filepath.Join(dir, fetch.StoreDir))
	cache := fetch.OpenCache(dir)
	x.publish(t, store, cache)
	x.check(t, open(t, store, cache, x.commit(), fetch.OpenOptions{}))
	// What is nobody's, but in the way of a careless sweep.
	part := filepath.Join(dir, "part")
	outside := filepath.Join(t.TempDir(), strings.Repeat("ab", 32))
	for _, path := range []string{outside, filepath.Join(part, "note"), filepath.Join(dir, "note")} {
		if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(part, "zz")); err != nil {
		t.Fatal(err)
	}
	blobs, _ := filepath.Glob(filepath.Join(dir, fetch.StoreDir, "blobs", "sha256", "*"))

	usage, err := cache.Usage(t.Context())
	if err != nil || usage["partitions"].Files != len(x.packs) || usage["manifests"].Files != 1 || usage["tags"].Files != 0 {
		t.Fatalf("%v, %v", usage, err)
	}
	var all int64
	for _, u := range usage {
		all += u.Bytes
	}
	// Within the limits nothing is removed.
	out, err := cache.Prune(t.Context(), fetch.PruneOptions{MaxBytes: all, Unused: time.Hour})
	if err != nil || out.Removed.Files != 0 || out.Kept.Bytes != all {
		t.Fatalf("%+v, %v", out, err)
	}
	// A byte less removes the one file that was not used for longest.
	files := cacheFiles(t, dir, "part")
	for i, f := range files {
		age(t, f, time.Duration(i+1)*24*time.Hour)
	}
	out, err = cache.Prune(t.Context(), fetch.PruneOptions{MaxBytes: all - 1})
	if err != nil || out.Removed.Files != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	if _, err := os.Stat(files[len(files)-1]); err == nil {
		t.Error("the file that was not used for longest is still there")
	}
	// A use counts: the middle one is read, and then the first is older.
	age(t, files[0], 3*time.Hour)
	age(t, files[1], 4*time.Hour)
	m := x.manifest
	for p := range x.packs {
		if path, _ := fetch.CachedSegment(cache, m, p, nil, artifact.Units); path == files[1] {
			ix := open(t, store, fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{})
			if _, err := ix.Units(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	out, err = cache.Prune(t.Context(), fetch.PruneOptions{MaxBytes: -1, Unused: 2 * time.Hour})
	if err != nil || out.Removed.Files != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	if _, err := os.Stat(files[1]); err != nil {
		t.Errorf("the file that was read is gone: %v", err)
	}
	out, err = cache.Prune(t.Context(), fetch.PruneOptions{MaxBytes: 0})
	if err != nil || out.Kept.Files != 0 || len(cacheFiles(t, dir, "*")) != 0 {
		t.Errorf("%+v, %v", out, err)
	}
	for _, path := range append(blobs, outside, filepath.Join(part, "note"), filepath.Join(dir, "note")) {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("not the cache's, and gone: %v", err)
		}
	}
	// An empty cache is filled again.
	x.check(t, open(t, store, cache, x.commit(), fetch.OpenOptions{}))
	if n := len(cacheFiles(t, dir, "part")); n != len(x.packs) {
		t.Errorf("%d files", n)
	}
	if _, err := fetch.OpenCache(filepath.Join(dir, "nowhere")).Prune(t.Context(), fetch.PruneOptions{MaxBytes: 0}); err != nil {
		t.Errorf("a cache that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cache.Prune(ctx, fetch.PruneOptions{MaxBytes: 0}); err == nil || len(cacheFiles(t, dir, "part")) == 0 {
		t.Errorf("after the context ended: %v", err)
	}
}

// A folder of the cache that is a link leads elsewhere, and is refused.
func TestPruneFollowsNoLink(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	victim := filepath.Join(elsewhere, "ab", strings.Repeat("ab", 32))
	if err := os.Mkdir(filepath.Dir(victim), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(victim, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(dir, "part")); err != nil {
		t.Fatal(err)
	}
	if _, err := fetch.OpenCache(dir).Prune(t.Context(), fetch.PruneOptions{MaxBytes: 0}); fail.CodeOf(err) != fail.Network {
		t.Errorf("a kind that is a link: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "part")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "part"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(victim), filepath.Join(dir, "part", "ab")); err != nil {
		t.Fatal(err)
	}
	if out, err := fetch.OpenCache(dir).Prune(t.Context(), fetch.PruneOptions{MaxBytes: 0}); err != nil || out.Removed.Files != 0 {
		t.Errorf("two digits that are a link: %+v, %v", out, err)
	}
	if _, err := os.Stat(victim); err != nil {
		t.Error(err)
	}
}

// Readers and pulls go on while everything is pruned under them, again and
// again.
func TestPruneBesideReaders(t *testing.T) {
	dir := t.TempDir()
	x := newFixture(t, shared, "")
	store := openStore(t, dir+"/store")
	x.publish(t, store, fetch.OpenCache(dir+"/cache"))
	ctx, stop := context.WithCancel(t.Context())
	var pruning, readers sync.WaitGroup
	pruning.Go(func() {
		for ctx.Err() == nil {
			if _, err := fetch.OpenCache(dir+"/cache").Prune(context.Background(), fetch.PruneOptions{MaxBytes: 0}); err != nil {
				t.Error(err)
			}
		}
	})
	for i := range 8 {
		readers.Go(func() {
			for range 10 {
				cache := fetch.OpenCache(dir + "/cache")
				var err error
				if i%4 == 0 {
					_, err = fetch.Pull(t.Context(), store, cache, x.commit(), fetch.OpenOptions{}, nil)
				} else if err = readAll(dir, x.commit(), cache); err == nil && len(cache.Notes()) > 0 {
					err = fmt.Errorf("notes: %q", cache.Notes())
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	readers.Wait()
	stop()
	pruning.Wait()
}
