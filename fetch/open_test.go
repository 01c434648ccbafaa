package fetch_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

// countingStore counts the blobs that are fetched, by media type.
type countingStore struct {
	registry.Store
	mu      sync.Mutex
	fetched map[string]int
}

func counting(s registry.Store) *countingStore {
	return &countingStore{Store: s, fetched: map[string]int{}}
}

func (s *countingStore) Fetch(ctx context.Context, d ocispec.Descriptor) ([]byte, error) {
	s.mu.Lock()
	s.fetched[d.MediaType]++
	s.mu.Unlock()
	return s.Store.Fetch(ctx, d)
}

func (s *countingStore) packs() int { return s.fetched[registry.MediaTypePack] }

// cachedFile is the cache's file of a partition that was unpacked whole.
func (x *fixture) cachedFile(cache *fetch.Cache, p int) string {
	path, _ := fetch.CachedSegment(cache, x.manifest, p, nil, artifact.Units)
	return path
}

func TestOpenAfterCompileUnpacksNothing(t *testing.T) {
	dir := t.TempDir()
	x := newFixture(t, small, "")
	cache := fetch.OpenCache(dir + "/cache")
	store := counting(openStore(t, dir+"/store"))
	x.publish(t, store, cache)
	x.check(t, open(t, store, cache, x.commit(), fetch.OpenOptions{}))
	if store.packs() != 0 {
		t.Errorf("%d packs were read", store.packs())
	}
	if notes := cache.Notes(); notes != nil {
		t.Errorf("notes: %q", notes)
	}
	// The cache is private and read-only.
	err := filepath.WalkDir(cache.Dir(), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o400}[e.IsDir()]; info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestOpenWithEmptyCacheReadsEachPackOnce(t *testing.T) {
	dir := t.TempDir()
	x := newFixture(t, small, "")
	x.publish(t, openStore(t, dir+"/store"), fetch.OpenCache(dir+"/first"))
	store := counting(openStore(t, dir+"/store"))
	cache := fetch.OpenCache(dir + "/second")
	ix := open(t, store, cache, x.commit(), fetch.OpenOptions{})
	if store.packs() != 0 {
		t.Error("opening alone read packs")
	}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() { x.check(t, ix) })
	}
	wg.Wait()
	if store.packs() != len(x.packs) {
		t.Errorf("%d packs were read, there are %d", store.packs(), len(x.packs))
	}
	x.check(t, open(t, store, fetch.OpenCache(dir+"/second"), x.commit(), fetch.OpenOptions{}))
	if store.packs() != len(x.packs) || store.fetched[registry.MediaTypeManifest] != 1 {
		t.Errorf("the second reader fetched again: %v", store.fetched)
	}
}

func TestOpenSelectedViews(t *testing.T) {
	dir := t.TempDir()
	x := newFixture(t, small, "")
	x.publish(t, openStore(t, dir+"/store"), fetch.OpenCache(dir+"/first"))
	cache := fetch.OpenCache(dir + "/second")
	store := counting(openStore(t, dir+"/store"))
	opt := fetch.OpenOptions{Views: []artifact.View{artifact.Lexical}}
	files := func() (n int) {
		paths, err := filepath.Glob(cache.Dir() + "/part/*/*")
		if err != nil {
			t.Fatal(err)
		}
		return len(paths)
	}
	for range 2 {
		ix := open(t, store, cache, x.commit(), opt)
		for p := range x.packs {
			if _, err := ix.Lexical(p); err != nil {
				t.Fatal(err)
			}
			if _, err := ix.Units(p); err != nil {
				t.Fatal(err)
			}
		}
		if store.packs() != len(x.packs) || files() != len(x.packs) {
			t.Errorf("%d packs were read, %d files made", store.packs(), files())
		}
	}
	path, _ := fetch.CachedSegment(cache, x.manifest, 0, opt.Views, artifact.Lexical)
	small, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	// The others on demand, by unpacking all, which takes the place of some.
	ix := open(t, store, cache, x.commit(), opt)
	x.check(t, ix)
	x.check(t, open(t, store, cache, x.commit(), fetch.OpenOptions{}))
	if store.packs() != 2*len(x.packs) || files() != len(x.packs) {
		t.Errorf("%d packs were read, %d files made", store.packs(), files())
	}
	large, err := os.Stat(x.cachedFile(cache, 0))
	if err != nil || large.Size() <= small.Size() {
		t.Errorf("all views %v, two of them %v, %v", large, small, err)
	}
}

func TestNoIndex(t *testing.T) {
	dir := t.TempDir()
	x, y := newFixture(t, small, "other"), newFixture(t, small, "")
	store := openStore(t, dir+"/store")
	cache := fetch.OpenCache(dir + "/cache")
	_, err := fetch.Open(t.Context(), store, cache, x.commit(), fetch.OpenOptions{})
	if fail.CodeOf(err) != fail.NoIndex || !strings.Contains(err.Error(), x.commit()) || !strings.Contains(err.Error(), store.Name()) {
		t.Errorf("empty store: %v", err)
	}
	x.publish(t, store, cache)
	if x.commit() != y.commit() {
		t.Fatal("the fixtures are of different commits")
	}
	opt := fetch.OpenOptions{Profile: y.manifest.Profile.Digest}
	_, err = fetch.Open(t.Context(), store, cache, x.commit(), opt)
	if fail.CodeOf(err) != fail.NoIndex || !strings.Contains(err.Error(), registry.ProfileTag(x.commit(), opt.Profile)) {
		t.Errorf("other profile: %v", err)
	}
	y.publish(t, store, cache)
	y.check(t, open(t, store, cache, x.commit(), opt))
	x.check(t, open(t, store, cache, x.commit(), fetch.OpenOptions{}))
	x.check(t, open(t, store, cache, x.commit(), fetch.OpenOptions{Profile: x.manifest.Profile.Digest}))
	if err := store.Untag(t.Context(), registry.CommitTag(x.commit())); err != nil {
		t.Fatal(err)
	}
	_, err = fetch.Open(t.Context(), store, cache, x.commit(), fetch.OpenOptions{})
	if fail.CodeOf(err) != fail.NoIndex || !strings.Contains(err.Error(), registry.ProfileTag(x.commit(), opt.Profile)) {
		t.Errorf("only another profile: %v", err)
	}
}

// A store that contradicts itself is damage, not absence.
func TestDamagedStore(t *testing.T) {
	x := newFixture(t, small, "")
	blob := func(dir string, d digest.Digest) string { return filepath.Join(dir, "store/blobs/sha256", d.Encoded()) }
	for name, damage := range map[string]func(dir string, desc ocispec.Descriptor, a *registry.Artifact) error{
		"OCI manifest lost": func(dir string, d ocispec.Descriptor, _ *registry.Artifact) error {
			return os.Remove(blob(dir, d.Digest))
		},
		"config lost": func(dir string, _ ocispec.Descriptor, a *registry.Artifact) error {
			return os.Remove(blob(dir, a.Config.Digest))
		},
		"manifest lost": func(dir string, _ ocispec.Descriptor, a *registry.Artifact) error {
			return os.Remove(blob(dir, a.Manifest.Digest))
		},
		"pack lost": func(dir string, _ ocispec.Descriptor, a *registry.Artifact) error {
			return os.Remove(blob(dir, a.Packs[1].Digest))
		},
		"OCI manifest flipped": func(dir string, d ocispec.Descriptor, _ *registry.Artifact) error {
			return flip(blob(dir, d.Digest), 10)
		},
		"manifest flipped": func(dir string, _ ocispec.Descriptor, a *registry.Artifact) error {
			return flip(blob(dir, a.Manifest.Digest), 99)
		},
		"pack flipped": func(dir string, _ ocispec.Descriptor, a *registry.Artifact) error {
			return flip(blob(dir, a.Packs[1].Digest), 500)
		},
		"index.json flipped": func(dir string, _ ocispec.Descriptor, _ *registry.Artifact) error {
			return flip(dir+"/store/index.json", 2)
		},
	} {
		dir := t.TempDir()
		store := openStore(t, dir+"/store")
		out := x.publish(t, store, fetch.OpenCache(dir+"/first"))
		a, _, err := registry.ReadArtifact(t.Context(), store, x.commit())
		if err != nil {
			t.Fatal(err)
		}
		if err := damage(dir, out.Descriptor, a); err != nil {
			t.Fatal(err)
		}
		ix, err := fetch.Open(t.Context(), store, fetch.OpenCache(dir+"/second"), x.commit(), fetch.OpenOptions{})
		if err == nil {
			err = ix.EachPartition(t.Context(), func(p int) error { return x.checkPartition(ix, p) })
			ix.Close()
		}
		var known *fail.Error
		if !errors.As(err, &known) || known.Code != fail.Verification || known.Remedy == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// flip changes one bit of a file.
func flip(path string, at int) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	b[at] ^= 4
	if err := os.Chmod(path, 0o600); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}

// liar answers for a commit with another one's index.
type liar struct {
	registry.Store
	tag string
}

func (l liar) Resolve(ctx context.Context, _ string) (ocispec.Descriptor, error) {
	return l.Store.Resolve(ctx, l.tag)
}

func TestIndexOfAnotherCommit(t *testing.T) {
	dir := t.TempDir()
	x := newFixture(t, small, "")
	store := openStore(t, dir+"/store")
	x.publish(t, store, fetch.OpenCache(dir+"/cache"))
	_, err := fetch.Open(t.Context(), liar{store, x.commit()}, fetch.OpenCache(dir+"/cache"), strings.Repeat("ab", 20), fetch.OpenOptions{})
	if fail.CodeOf(err) != fail.Verification {
		t.Errorf("%v", err)
	}
}

// Whatever happened to a cached file, the answer is right, and the file is
// mended.
func TestDamagedCacheIsAMiss(t *testing.T) {
	x := newFixture(t, small, "")
	type damage struct {
		name string
		do   func(path string, offset, size int64) error
	}
	damages := []damage{
		{"deleted", func(path string, _, _ int64) error { return os.Remove(path) }},
		{"empty", func(path string, _, _ int64) error { return os.Truncate(path, 0) }},
		{"shorter", func(path string, _, size int64) error { return os.Truncate(path, size-1) }},
		{"longer", func(path string, _, size int64) error { return os.Truncate(path, size+1) }},
		{"zeros after a power loss", func(path string, _, size int64) error {
			return errors.Join(os.WriteFile(path, make([]byte, size), 0o600), os.Chtimes(path, old, old))
		}},
		{"torn after a power loss", func(path string, _, size int64) error {
			return errors.Join(os.Truncate(path, size/2), os.Truncate(path, size), os.Chtimes(path, old, old))
		}},
		{"a folder", func(path string, _, _ int64) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) }},
		{"a link", func(path string, _, _ int64) error {
			return errors.Join(os.Rename(path, path+".moved"), os.Symlink(path+".moved", path))
		}},
	}
	// One flipped bit in every part of the header, and in the sections.
	for _, at := range []int{0, 8, 9, 10, 12, 16, 20, 24, 40, 50, 60, 64, 70} {
		damages = append(damages, damage{"bit " + string(rune('a'+at%26)), func(path string, offset, _ int64) error { return flip(path, int(offset)+at) }})
	}
	for _, d := range damages {
		for _, v := range []artifact.View{artifact.Units, artifact.Source, artifact.Structural} {
			dir := t.TempDir()
			cache := fetch.OpenCache(dir + "/cache")
			store := openStore(t, dir+"/store")
			x.publish(t, store, cache)
			path, offset := fetch.CachedSegment(cache, x.manifest, 1, nil, v)
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := d.do(path, offset, int64(len(want))); err != nil {
				t.Fatal(err)
			}
			cache = fetch.OpenCache(dir + "/cache")
			x.check(t, open(t, store, cache, x.commit(), fetch.OpenOptions{}))
			if b, err := os.ReadFile(path); d.name != "a folder" && (err != nil || !bytes.Equal(b, want)) {
				t.Errorf("%s, %s: not mended: %v", d.name, v, err)
			}
		}
	}
}

// Files from before the machine started are verified once, then trusted.
func TestOldFilesAreStamped(t *testing.T) {
	dir := t.TempDir()
	x := newFixture(t, small, "")
	cache := fetch.OpenCache(dir + "/cache")
	store := counting(openStore(t, dir+"/store"))
	x.publish(t, store, cache)
	path := x.cachedFile(cache, 0)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	x.check(t, open(t, store, cache, x.commit(), fetch.OpenOptions{}))
	info, err := os.Stat(path)
	if err != nil || !info.ModTime().After(old) || store.packs() != 0 {
		t.Errorf("stamped %v, %v, %d packs read", info.ModTime(), err, store.packs())
	}
}

// Cutting a mapped file short must end in an error, in the goroutine that was
// asked as in those that it starts.
func TestTruncatedMappingIsAnError(t *testing.T) {
	dir := t.TempDir()
	x := newFixture(t, shape{partitions: 2, files: 4, functions: 4, lines: 200, seed: 3}, "")
	cache := fetch.OpenCache(dir + "/cache")
	store := openStore(t, dir+"/store")
	x.publish(t, store, cache)
	ix := open(t, store, cache, x.commit(), fetch.OpenOptions{})
	var readers []*artifact.SourceReader
	for p := range 2 {
		r, err := ix.Source(p)
		if err != nil {
			t.Fatal(err)
		}
		readers = append(readers, r)
		if err := os.Chmod(x.cachedFile(cache, p), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(x.cachedFile(cache, p), 0); err != nil {
			t.Fatal(err)
		}
	}
	sum := func(b []byte) (n int) {
		for _, c := range b {
			n += int(c)
		}
		return n
	}
	var total atomic.Int64
	err := fetch.Guard(func() error { total.Add(int64(sum(readers[0].Text()))); return nil })
	var known *fail.Error
	if !errors.As(err, &known) || known.Code != fail.Verification || !errors.Is(err, artifact.ErrDamaged) || known.Remedy == "" {
		t.Errorf("in one goroutine: %v", err)
	}
	err = fetch.Guard(func() error {
		return ix.EachPartition(t.Context(), func(p int) error { total.Add(int64(sum(readers[p].Text()))); return nil })
	})
	if fail.CodeOf(err) != fail.Verification {
		t.Errorf("in several goroutines: %v", err)
	}
	// Library code in assembly faults as well.
	err = fetch.Guard(func() error { total.Add(int64(bytes.Count(readers[1].Text(), []byte("x")))); return nil })
	if fail.CodeOf(err) != fail.Verification {
		t.Errorf("in assembly: %v", err)
	}
	// The next run finds the files too short and unpacks them again.
	x.check(t, open(t, store, fetch.OpenCache(dir+"/cache"), x.commit(), fetch.OpenOptions{}))
}

func TestGuardLetsOtherPanicsPass(t *testing.T) {
	defer func() {
		if recover() != "mine" {
			t.Error("the panic was lost")
		}
	}()
	want := errors.New("plain")
	if err := fetch.Guard(func() error { return want }); err != want {
		t.Errorf("%v", err)
	}
	fetch.Guard(func() error { panic("mine") })
}

func TestUseAfterClose(t *testing.T) {
	dir := t.TempDir()
	x := newFixture(t, small, "")
	cache := fetch.OpenCache(dir + "/cache")
	store := openStore(t, dir+"/store")
	x.publish(t, store, cache)
	ix, err := fetch.Open(t.Context(), store, cache, x.commit(), fetch.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ix.Units(0); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := ix.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := ix.Units(1); !errors.Is(err, artifact.ErrClosed) {
		t.Errorf("%v", err)
	}
}

func TestModel(t *testing.T) {
	dir := t.TempDir()
	x := newFixture(t, small, "")
	cache := fetch.OpenCache(dir + "/cache")
	store := counting(openStore(t, dir+"/store"))
	x.publish(t, store, cache)
	for range 2 {
		b, err := fetch.Model(t.Context(), store, cache, *x.manifest.Model)
		if err != nil || !bytes.Equal(b, x.model) {
			t.Errorf("%q, %v", b, err)
		}
	}
	if n := store.fetched[registry.MediaTypeModel]; n != 1 {
		t.Errorf("the model was fetched %d times", n)
	}
	gone := *x.manifest.Model
	gone.Digest[0]++
	if _, err := fetch.Model(t.Context(), store, cache, gone); fail.CodeOf(err) != fail.Verification {
		t.Errorf("a model that is not there: %v", err)
	}
}

func TestPull(t *testing.T) {
	dir := t.TempDir()
	x := newFixture(t, small, "")
	x.publish(t, openStore(t, dir+"/store"), fetch.OpenCache(dir+"/first"))
	store := counting(openStore(t, dir+"/store"))
	cache := fetch.OpenCache(dir + "/second")
	var last atomic.Int64
	pull := func(want int) {
		t.Helper()
		last.Store(0)
		out, err := fetch.Pull(t.Context(), store, cache, x.commit(), fetch.OpenOptions{}, func(done, total int) {
			if total != len(x.packs) {
				t.Errorf("progress of %d", total)
			}
			last.Add(1)
		})
		if err != nil || out.Unpacked != want || out.Digest != artifact.DigestOf(x.encoded) || int(last.Load()) != len(x.packs) {
			t.Errorf("%+v, %v, progress to %d", out, err, last.Load())
		}
	}
	pull(len(x.packs))
	pull(0)
	// Damage that no look from outside shows.
	path, offset := fetch.CachedSegment(cache, x.manifest, 1, nil, artifact.Dense)
	if err := flip(path, int(offset+x.manifest.Partitions[1].Segments["dense"].Size)-1); err != nil {
		t.Fatal(err)
	}
	pull(1)
	before := store.packs()
	x.check(t, open(t, store, cache, x.commit(), fetch.OpenOptions{}))
	if store.packs() != before {
		t.Error("a pull left something to unpack")
	}
}

func TestSink(t *testing.T) {
	dir := t.TempDir()
	x := newFixture(t, small, "")
	store := openStore(t, dir+"/store")
	cache := fetch.OpenCache(dir + "/cache")
	sink := fetch.NewSink(store, cache, fetch.SinkOptions{Source: "https://example.org/repo"})
	final := fetch.Final{
		Commit: x.commit(), CommitUnix: 1700000000, Profile: x.manifest.Profile.Digest, Manifest: x.encoded, Model: x.model,
		Partitions: len(x.packs), Default: true,
	}
	for _, i := range []int{2, 0} {
		if err := sink.Pack(t.Context(), i, x.packs[i], x.segments[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.Publish(t.Context(), final); fail.CodeOf(err) != fail.Internal {
		t.Errorf("published without a pack: %v", err)
	}
	// The second pack of a partition counts.
	if err := sink.Pack(t.Context(), 1, x.packs[0], x.segments[0]); err != nil {
		t.Fatal(err)
	}
	if err := sink.Pack(t.Context(), 1, x.packs[1], x.segments[1]); err != nil {
		t.Fatal(err)
	}
	lie := append([]artifact.PackSegment(nil), x.segments[0]...)
	lie[0].Digest = lie[1].Digest
	if err := sink.Pack(t.Context(), 9, x.packs[0], lie); fail.CodeOf(err) != fail.Internal {
		t.Errorf("a segment under a wrong digest: %v", err)
	}
	if err := sink.Publish(t.Context(), final); err != nil {
		t.Fatal(err)
	}
	if p := sink.Published(); p.Tag != x.commit() || p.Unchanged {
		t.Errorf("%+v", p)
	}
	x.check(t, open(t, store, cache, x.commit(), fetch.OpenOptions{}))
	a, _, err := registry.ReadArtifact(t.Context(), store, x.commit())
	if err != nil || a.Annotations["org.opencontainers.image.created"] != "2023-11-14T22:13:20Z" {
		t.Errorf("%v, %v", a.Annotations, err)
	}
	if _, err := x.tryPublish(t, store, cache, fetch.SinkOptions{}); err != nil {
		t.Error(err)
	}
}
