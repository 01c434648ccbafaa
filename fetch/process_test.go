package fetch_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

var (
	kills = flag.Int("kills", 20, "how many reading processes are killed while they fill the cache")
	seed  = flag.Uint64("seed", 1, "of the moments at which they are killed")
)

// childEnv makes the test program act as one of the processes that share a
// cache. Its value is the role, the folder and the commit, separated by
// commas.
const childEnv = "PINDEX_TEST_CHILD"

// roles are what a child can be. They return the exit code.
var roles = map[string]func(dir, commit string) error{"read": childRead}

func TestMain(m *testing.M) {
	if spec := os.Getenv(childEnv); spec != "" {
		args := strings.Split(spec, ",")
		if err := roles[args[0]](args[1], args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(t *testing.T, role, dir, commit string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+role+","+dir+","+commit)
	cmd.Stderr = os.Stderr
	return cmd
}

// childRead opens the index with the cache in dir and reads all of it.
func childRead(dir, commit string) error {
	return readAll(dir, commit, fetch.OpenCache(dir+"/cache"))
}

func readAll(dir, commit string, cache *fetch.Cache) error {
	store, err := registry.OpenLocal(dir + "/store")
	if err != nil {
		return err
	}
	ix, err := fetch.Open(context.Background(), store, cache, commit, fetch.OpenOptions{})
	if err != nil {
		return err
	}
	defer ix.Close()
	return fetch.Guard(func() error {
		return ix.EachPartition(context.Background(), func(p int) error {
			_, err1 := ix.Units(p)
			_, err2 := ix.Source(p)
			_, err3 := ix.Lexical(p)
			_, err4 := ix.Dense(p)
			_, err5 := ix.Structural(p)
			return errors.Join(err1, err2, err3, err4, err5)
		})
	})
}

var shared = shape{partitions: 12, files: 3, functions: 4, lines: 20, seed: 7}

func TestProcessesShareACache(t *testing.T) {
	dir := t.TempDir()
	x := newFixture(t, shared, "")
	x.publish(t, openStore(t, dir+"/store"), fetch.OpenCache(dir+"/elsewhere"))
	var wg sync.WaitGroup
	for range 4 {
		cmd := child(t, "read", dir, x.commit())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	noPacks(t, dir, x)
}

// noPacks reads everything and fails when a pack has to be read for it.
func noPacks(t *testing.T, dir string, x *fixture) {
	t.Helper()
	store := counting(openStore(t, dir+"/store"))
	x.check(t, open(t, store, fetch.OpenCache(dir+"/cache"), x.commit(), fetch.OpenOptions{}))
	if store.packs() != 0 {
		t.Errorf("%d packs had to be read", store.packs())
	}
}

// Readers killed while they fill the cache leave it such that the next reader
// gets right answers.
func TestKilledReaders(t *testing.T) {
	rng := rand.New(rand.NewPCG(*seed, 0))
	dir := t.TempDir()
	x := newFixture(t, shared, "")
	x.publish(t, openStore(t, dir+"/store"), fetch.OpenCache(dir+"/elsewhere"))
	for range *kills {
		cmd := child(t, "read", dir, x.commit())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(rng.IntN(30_000))*time.Microsecond, func() { cmd.Process.Kill() })
		cmd.Wait() // killed, or done before that
		timer.Stop()
		if rng.IntN(3) > 0 {
			continue // another one finds what this one left
		}
		x.check(t, open(t, openStore(t, dir+"/store"), fetch.OpenCache(dir+"/cache"), x.commit(), fetch.OpenOptions{}))
		if t.Failed() {
			t.Fatalf("seed %d", *seed)
		}
		noPacks(t, dir, x)
		if err := os.RemoveAll(dir + "/cache"); err != nil {
			t.Fatal(err)
		}
	}
	if err := childRead(dir, x.commit()); err != nil {
		t.Fatal(err)
	}
	noPacks(t, dir, x)
}

// Many goroutines with caches of their own on one folder.
func TestGoroutinesShareACache(t *testing.T) {
	dir := t.TempDir()
	x := newFixture(t, small, "")
	x.publish(t, openStore(t, dir+"/store"), fetch.OpenCache(dir+"/elsewhere"))
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if err := readAll(dir, x.commit(), fetch.OpenCache(dir+"/cache")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	noPacks(t, dir, x)
}

// A cache that cannot be made is replaced by memory, and a note says so.
func TestUnusableCache(t *testing.T) {
	x := newFixture(t, small, "")
	for name, make := range map[string]func(dir string) error{
		"the cache is a file": func(dir string) error { return os.WriteFile(dir+"/cache", nil, 0o644) },
		"a folder of it is a file": func(dir string) error {
			return errors.Join(os.Mkdir(dir+"/cache", 0o700), os.WriteFile(dir+"/cache/part", nil, 0o644))
		},
		"a folder of it is a link": func(dir string) error {
			return errors.Join(os.Mkdir(dir+"/cache", 0o700), os.Symlink(dir, dir+"/cache/part"))
		},
		"no file can be made in it": func(dir string) error {
			return errors.Join(os.Mkdir(dir+"/cache", 0o700), os.WriteFile(dir+"/cache/manifest", nil, 0o644))
		},
	} {
		dir := t.TempDir()
		if err := make(dir); err != nil {
			t.Fatal(err)
		}
		store := openStore(t, dir+"/store")
		cache := fetch.OpenCache(dir + "/cache")
		x.publish(t, store, cache)
		x.check(t, open(t, store, cache, x.commit(), fetch.OpenOptions{}))
		if notes := cache.Notes(); len(notes) != 1 || !strings.Contains(notes[0], dir+"/cache") || !strings.Contains(notes[0], fetch.DirEnv) {
			t.Errorf("%s: notes %q", name, notes)
		}
		if _, err := fetch.Pull(t.Context(), store, cache, x.commit(), fetch.OpenOptions{}, nil); fail.CodeOf(err) != fail.Network {
			t.Errorf("%s: pull: %v", name, err)
		}
	}
}

func TestCacheDirFromEnvironment(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(fetch.DirEnv, dir)
	if got, err := fetch.DefaultDir(); err != nil || got != dir || fetch.OpenCache("").Dir() != dir {
		t.Errorf("%s, %v", got, err)
	}
}
