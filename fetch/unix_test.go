//go:build unix

package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

func init() { roles["full"], roles["denied"] = childFull, childDenied }

// A full disk, as a limit on the size of files that the kernel enforces: the
// answers come from memory, and nothing partial is left under a digest.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	x := newFixture(t, shared, "")
	x.publish(t, openStore(t, dir+"/store"), fetch.OpenCache(dir+"/elsewhere"))
	if err := child(t, "full", dir, x.commit()).Run(); err != nil {
		t.Error(err)
	}
	x.check(t, open(t, openStore(t, dir+"/store"), fetch.OpenCache(dir+"/cache"), x.commit(), fetch.OpenOptions{}))
	noPacks(t, dir, x)
}

func childFull(dir, commit string) error {
	signal.Ignore(unix.SIGXFSZ) // a full disk sends no signal
	for _, limit := range []uint64{0, 100, 1000, 3000, 6000, 10000} {
		var r unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &r); err != nil {
			return err
		}
		r.Cur = limit
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &r); err != nil {
			return err
		}
		cache := fetch.OpenCache(dir + "/cache")
		if err := readAll(dir, commit, cache); err != nil {
			return fmt.Errorf("limit %d: %w", limit, err)
		}
		if notes := cache.Notes(); len(notes) != 1 || !strings.Contains(notes[0], "room") {
			return fmt.Errorf("limit %d: notes %q", limit, notes)
		}
		if err := refusedPull(dir, commit, "room"); err != nil {
			return fmt.Errorf("limit %d: %w", limit, err)
		}
		err := filepath.WalkDir(dir+"/cache", func(path string, e fs.DirEntry, err error) error {
			if err == nil && strings.HasPrefix(e.Name(), ".") {
				err = errors.New("a temporary file was left: " + path)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// A cache on a read-only disk is used for what it has; the rest comes from
// memory.
func TestReadOnlyCache(t *testing.T) {
	dir := t.TempDir()
	x := newFixture(t, small, "")
	cache := fetch.OpenCache(dir + "/cache")
	x.publish(t, openStore(t, dir+"/store"), cache)
	if err := os.Remove(x.cachedFile(cache, 0)); err != nil {
		t.Fatal(err)
	}
	child := child(t, "denied", dir, x.commit())
	if os.Geteuid() == 0 {
		// The administrator may write anywhere, so the child becomes
		// somebody else, to whom the files must belong.
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chown(path, 65534, 65534))
		})
		if err != nil {
			t.Fatal(err)
		}
		for d := filepath.Dir(dir); d != os.TempDir() && len(d) > 1; d = filepath.Dir(d) {
			if err := os.Chmod(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	var dirs []string
	err := filepath.WalkDir(dir+"/cache", func(path string, e fs.DirEntry, err error) error {
		if e.IsDir() {
			dirs = append(dirs, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		if err := os.Chmod(d, 0o500); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, d := range dirs {
			os.Chmod(d, 0o700)
		}
	})
	if err := child.Run(); err != nil {
		t.Error(err)
	}
}

func childDenied(dir, commit string) error {
	if os.Geteuid() == 0 {
		if err := syscall.Setreuid(65534, 65534); err != nil {
			return err
		}
	}
	cache := fetch.OpenCache(dir + "/cache")
	for range 2 {
		if err := readAll(dir, commit, cache); err != nil {
			return err
		}
	}
	if notes := cache.Notes(); len(notes) != 1 || !strings.Contains(notes[0], "writable") {
		return fmt.Errorf("notes %q", notes)
	}
	return refusedPull(dir, commit, "writable")
}

// refusedPull pulls into a cache that cannot be written to, and returns an error
// unless that fails as it has to, whatever views are asked for.
func refusedPull(dir, commit, remedy string) error {
	store, err := registry.OpenLocal(dir + "/store")
	if err != nil {
		return err
	}
	for _, opt := range []fetch.OpenOptions{{}, views(artifact.Lexical)} {
		cache := fetch.OpenCache(dir + "/cache")
		_, err := fetch.Pull(context.Background(), store, cache, commit, opt, nil)
		var known *fail.Error
		if !errors.As(err, &known) || known.Code != fail.Network || !strings.Contains(known.Remedy, remedy) {
			return fmt.Errorf("a pull of %v: %w", opt.Views, err)
		}
		if notes := cache.Notes(); len(notes) != 1 || !strings.Contains(notes[0], remedy) {
			return fmt.Errorf("a pull of %v: notes %q", opt.Views, notes)
		}
	}
	return nil
}

// What others could have written to is not read.
func TestCacheOpenToOthers(t *testing.T) {
	dir := t.TempDir()
	x := newFixture(t, small, "")
	cache := fetch.OpenCache(dir + "/cache")
	x.publish(t, openStore(t, dir+"/store"), cache)
	if err := os.Chmod(dir+"/cache/part", 0o777); err != nil {
		t.Fatal(err)
	}
	store := counting(openStore(t, dir+"/store"))
	cache = fetch.OpenCache(dir + "/cache")
	x.check(t, open(t, store, cache, x.commit(), fetch.OpenOptions{}))
	if store.packs() == 0 || len(cache.Notes()) != 1 || !strings.Contains(cache.Notes()[0], "other users") {
		t.Errorf("%d packs were read, notes %q", store.packs(), cache.Notes())
	}
	// One that others could only look into is closed and used.
	if err := os.Chmod(dir+"/cache/part", 0o755); err != nil {
		t.Fatal(err)
	}
	noPacks(t, dir, x)
	if info, err := os.Stat(dir + "/cache/part"); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
