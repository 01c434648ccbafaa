package fetch_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

var flips = flag.Int("flips", 60, "how many bytes of each stored file are changed, one after another; 0 for every one")

// tiny is an index of which every byte can be changed in turn.
var tiny = shape{partitions: 2, files: 2, functions: 1, lines: 1, seed: 5}

// fingerprint is the digest of everything that the readers of an open index
// give out.
func fingerprint(ctx context.Context, ix *artifact.Index) (artifact.Digest, error) {
	var out bytes.Buffer
	fmt.Fprintln(&out, ix.Digest())
	for p := range ix.NumPartitions() {
		units, err1 := ix.Units(p)
		source, err2 := ix.Source(p)
		lexical, err3 := ix.Lexical(p)
		dense, err4 := ix.Dense(p)
		structural, err5 := ix.Structural(p)
		if err := errors.Join(err1, err2, err3, err4, err5, ctx.Err()); err != nil {
			return artifact.Digest{}, err
		}
		for f := range units.NumFiles() {
			fmt.Fprintf(&out, "%+v %q\n", units.File(f), source.Content(f))
			err := structural.FileOccurrences(f, func(o artifact.Occurrence) bool {
				fmt.Fprintf(&out, "%+v\n", o)
				return true
			})
			imports, err1 := structural.FileImports(f)
			if err := errors.Join(err, err1); err != nil {
				return artifact.Digest{}, err
			}
			fmt.Fprintf(&out, "%+v\n", imports)
		}
		for u := range units.NumUnits() {
			fmt.Fprintf(&out, "%+v %s\n", units.Unit(u), units.UnitID(u))
		}
		for d := range units.NumDocs() {
			fmt.Fprintf(&out, "%+v %d\n", units.Doc(d), lexical.FieldLength(d, artifact.FieldBody))
		}
		var inner error
		err := lexical.WalkPrefix("", func(term []byte, t artifact.Term) bool {
			fmt.Fprintf(&out, "%q %+v\n", term, t)
			postings, err := lexical.Postings(t, nil)
			fmt.Fprintf(&out, "%+v\n", postings)
			var positions artifact.PositionList
			_, err1 := lexical.Positions(t, artifact.FieldBody, &positions)
			for i := range positions.Len() {
				fmt.Fprint(&out, positions.At(i))
			}
			inner = errors.Join(err, err1)
			return inner == nil
		})
		if err := errors.Join(err, inner); err != nil {
			return artifact.Digest{}, err
		}
		fmt.Fprintln(&out, dense.Model(), dense.Rows())
		for i := range dense.Len() {
			fmt.Fprintln(&out, dense.Doc(i), dense.Key(i))
		}
		for s := range structural.NumSymbols() {
			fmt.Fprintf(&out, "%+v\n", structural.Symbol(s))
		}
	}
	return artifact.DigestOf(out.Bytes()), nil
}

// answer opens an index and reads all of it, and its model.
func (x *fixture) answer(ctx context.Context, store registry.Store, cache *fetch.Cache) (got artifact.Digest, err error) {
	ix, err := fetch.Open(ctx, store, cache, x.commit(), fetch.OpenOptions{})
	if err != nil {
		return got, err
	}
	defer ix.Close()
	err = fetch.Guard(func() error {
		if got, err = fingerprint(ctx, ix); err != nil {
			return err
		}
		b, err := fetch.Model(ctx, store, cache, *x.manifest.Model)
		if err == nil && !bytes.Equal(b, x.model) {
			err = errors.New("a wrong model was given out")
		}
		return err
	})
	return got, err
}

// flipEach changes a byte of the files below dir, runs try, and puts the byte
// back: every byte in turn, or as many of each file as -flips says. Each is
// changed twice, in one bit and in all of them.
func flipEach(t *testing.T, dir string, try func(where string)) {
	t.Helper()
	rng := rand.New(rand.NewPCG(*seed, 3))
	files, bytesChanged := 0, 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == ".lock" || strings.HasSuffix(e.Name(), ".lock") {
			return err
		}
		whole, err := os.ReadFile(path)
		if err != nil || len(whole) == 0 {
			return err
		}
		offsets := rng.Perm(len(whole))
		if *flips > 0 {
			offsets = offsets[:min(*flips, len(whole))]
		}
		for _, at := range offsets {
			for _, mask := range []byte{1 << rng.IntN(8), 0xff} {
				damaged := bytes.Clone(whole)
				damaged[at] ^= mask
				if err := put(path, damaged); err != nil {
					return err
				}
				try(fmt.Sprintf("%s, byte %d of %d, bits %02x", path[len(dir):], at, len(whole), mask))
				if err := put(path, whole); err != nil {
					return err
				}
				bytesChanged++
				if t.Failed() {
					return fs.SkipAll
				}
			}
		}
		files++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files == 0 {
		t.Fatalf("%s has no files", dir)
	}
	t.Logf("%d changes in %d files", bytesChanged, files)
}

// put writes a file anew, as the cache and the stores keep theirs. A mapping of
// what it held is not touched.
func put(path string, content []byte) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, content, 0o400)
}

// unreachable is a registry without a network before it.
type unreachable struct{ name string }

var errUnreachable = fail.New(fail.Network, "try again later", "there is no network")

func (u unreachable) Name() string     { return u.name }
func (u unreachable) Host() string     { return "unreachable.invalid" }
func (u unreachable) Concurrency() int { return 8 }

func (u unreachable) Push(context.Context, registry.Blob) (ocispec.Descriptor, error) {
	return ocispec.Descriptor{}, errUnreachable
}

func (u unreachable) Publish(context.Context, registry.Publication) (registry.Published, error) {
	return registry.Published{}, errUnreachable
}

func (u unreachable) Resolve(context.Context, string) (ocispec.Descriptor, error) {
	return ocispec.Descriptor{}, errUnreachable
}

func (u unreachable) Fetch(context.Context, ocispec.Descriptor) ([]byte, error) {
	return nil, errUnreachable
}

func (u unreachable) List(context.Context) ([]registry.Tagged, error) { return nil, errUnreachable }
func (u unreachable) Untag(context.Context, string) error             { return errUnreachable }

// judge fails when an answer is neither right nor an error that says what to do.
func judge(t *testing.T, where string, got, want artifact.Digest, err error) (right bool) {
	t.Helper()
	var known *fail.Error
	switch {
	case err == nil && got != want:
		t.Errorf("%s: a wrong answer", where)
	case err != nil && !errors.As(err, &known):
		t.Errorf("%s: an error without a remedy: %v", where, err)
	case err != nil && known.Code == fail.Internal:
		t.Errorf("%s: %v", where, err)
	}
	return err == nil
}

// Each byte of a stored index changed in turn, in a folder as in one file: an
// error or the right answer, never another one, and the program goes on.
func TestFlippedStore(t *testing.T) {
	x := newFixture(t, tiny, "")
	base := t.TempDir()
	layout := filepath.Join(base, "layout")
	x.publish(t, openStore(t, layout), fetch.OpenCache(t.TempDir()))
	archive := filepath.Join(base, "archive", "index.tar")
	if err := os.Mkdir(filepath.Dir(archive), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := registry.WriteArchive(t.Context(), archive, openStore(t, layout), []string{x.commit()}, nil); err != nil {
		t.Fatal(err)
	}
	want, err := x.answer(t.Context(), openStore(t, layout), fetch.OpenCache(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	for dir, openIt := range map[string]func() (registry.Store, error){
		layout:                func() (registry.Store, error) { return registry.OpenLocal(layout) },
		filepath.Dir(archive): func() (registry.Store, error) { return registry.OpenArchive(archive) },
	} {
		right, errs := 0, 0
		flipEach(t, dir, func(where string) {
			cacheDir := filepath.Join(base, "cache")
			defer os.RemoveAll(cacheDir)
			store, err := openIt()
			var got artifact.Digest
			if err == nil {
				got, err = x.answer(t.Context(), store, fetch.OpenCache(cacheDir))
			}
			if judge(t, where, got, want, err) {
				right++
			} else {
				errs++
			}
		})
		t.Logf("%s: %d right answers, %d errors", filepath.Base(dir), right, errs)
		if errs == 0 {
			t.Error("nothing was found to be damaged")
		}
	}
}

// Each byte of a cache changed in turn. Without the registry: an error or the
// right answer. With it, the answer is right whatever the cache holds, and a
// pull mends it.
func TestFlippedCache(t *testing.T) {
	x := newFixture(t, tiny, "")
	s, remote := startRegistry(t, nil)
	x.publish(t, remote(), fetch.OpenCache(t.TempDir()))
	name := s.Ref("owner/pindex")
	dir := t.TempDir()
	if _, err := fetch.Pull(t.Context(), remote(), fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	want, err := x.answer(t.Context(), remote(), fetch.OpenCache(dir))
	if err != nil {
		t.Fatal(err)
	}
	right, errs := 0, 0
	flipEach(t, dir, func(where string) {
		got, err := x.answer(t.Context(), unreachable{name}, fetch.OpenCache(dir))
		if judge(t, "offline: "+where, got, want, err) {
			right++
		} else {
			errs++
		}
	})
	t.Logf("offline: %d right answers, %d errors", right, errs)
	if errs == 0 {
		t.Error("nothing was found to be damaged")
	}
	store := remote()
	flipEach(t, dir, func(where string) {
		got, err := x.answer(t.Context(), store, fetch.OpenCache(dir))
		judge(t, "online: "+where, got, want, err)
		if _, err := fetch.Pull(t.Context(), store, fetch.OpenCache(dir), x.commit(), fetch.OpenOptions{}, nil); err != nil {
			t.Errorf("a pull after %s: %v", where, err)
		}
		got, err = x.answer(t.Context(), unreachable{name}, fetch.OpenCache(dir))
		if err != nil || got != want {
			t.Errorf("after the pull after %s: %v", where, err)
		}
	})
}
