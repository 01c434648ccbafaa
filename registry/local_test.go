package registry_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content/oci"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

var update = flag.Bool("update", false, "write the golden files in testdata anew")

func openLocal(t testing.TB, dir string) *registry.Local {
	t.Helper()
	l, err := registry.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func publishLocal(t testing.TB, l *registry.Local, x registrytest.Index) registry.Published {
	t.Helper()
	out, err := x.Publish(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLocalConformance(t *testing.T) {
	registrytest.Run(t, func(t *testing.T) registry.Store { return openLocal(t, t.TempDir()+"/layout") })
}

// What pindex writes must be a layout for others too: oras-go's own store,
// which walks everything, is the judge.
func TestLayoutReadByOthers(t *testing.T) {
	dir := t.TempDir()
	l := openLocal(t, dir)
	for n := range 3 {
		publishLocal(t, l, registrytest.Small(n))
	}
	other, err := oci.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		desc, err := other.Resolve(t.Context(), registrytest.Commit(n))
		if err != nil {
			t.Fatal(err)
		}
		r, err := other.Fetch(t.Context(), desc)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		a, err := registry.ParseArtifact(desc, b)
		if err != nil || len(a.Packs) != 3 || a.Model == nil {
			t.Errorf("artifact %+v, %v", a, err)
		}
	}
	// And the other way: what others tag stays, and is seen.
	desc, err := other.Resolve(t.Context(), registrytest.Commit(1))
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Tag(t.Context(), desc, "theirs"); err != nil {
		t.Fatal(err)
	}
	publishLocal(t, l, registrytest.Small(4))
	if d, err := l.Resolve(t.Context(), "theirs"); err != nil || d.Digest != desc.Digest {
		t.Errorf("the other program's tag holds %v, %v", d.Digest, err)
	}
}

func TestLayoutGolden(t *testing.T) {
	dir := t.TempDir()
	x := registrytest.Small(1)
	publishLocal(t, openLocal(t, dir), x)
	golden := func(name string, got []byte) {
		t.Helper()
		if *update {
			if err := os.WriteFile(filepath.Join("testdata", name), got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil || string(want) != string(got) {
			t.Errorf("%s: %v, got\n%s", name, err, got)
		}
	}
	for _, name := range []string{"index.json", "oci-layout"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		golden(name, b)
	}
	l := openLocal(t, dir)
	desc, err := l.Resolve(t.Context(), x.Commit)
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.Fetch(t.Context(), desc)
	if err != nil {
		t.Fatal(err)
	}
	golden("manifest.json", b)
	a, err := registry.ParseArtifact(desc, b)
	if err != nil {
		t.Fatal(err)
	}
	if b, err = l.Fetch(t.Context(), a.Config); err != nil {
		t.Fatal(err)
	}
	golden("config.json", b)
}

func TestForeignFolderIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.tex"), []byte("years of work"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := registrytest.Small(1).Publish(t.Context(), openLocal(t, dir))
	if fail.CodeOf(err) != fail.Usage {
		t.Errorf("publishing into a folder of something else: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

func TestOtherLayoutVersionIsRefused(t *testing.T) {
	for _, content := range []string{`{"imageLayoutVersion":"2.0.0"}`, `{}`, ``, `[`} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "oci-layout"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := registry.OpenLocal(dir); fail.CodeOf(err) != fail.Verification {
			t.Errorf("%q: %v", content, err)
		}
	}
}

// A blob that a power loss has torn is found by who reads it and mended by
// who pushes the same content again.
func TestDamagedBlobIsFoundAndMended(t *testing.T) {
	x := registrytest.Small(1)
	for name, damage := range map[string]func(path string) error{
		"empty":   func(path string) error { return os.WriteFile(path, nil, 0o644) },
		"shorter": func(path string) error { return os.Truncate(path, 3) },
		"flipped": func(path string) error {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b[0] ^= 1
			return os.WriteFile(path, b, 0o644)
		},
		"deleted": os.Remove,
	} {
		dir := t.TempDir()
		l := openLocal(t, dir)
		p, err := x.Push(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Publish(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "blobs", "sha256", p.Packs[2].Digest.Encoded())
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := damage(path); err != nil {
			t.Fatal(err)
		}
		_, err = l.Fetch(t.Context(), p.Packs[2])
		if fail.CodeOf(err) != fail.Verification && !errors.Is(err, registry.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
		publishLocal(t, openLocal(t, dir), x)
		if err := x.Check(t.Context(), l, x.Commit); err != nil {
			t.Errorf("%s: after publishing again: %v", name, err)
		}
	}
}

// An artifact that cannot be read any more protects its tag from nobody.
func TestUnreadableArtifactIsReplaced(t *testing.T) {
	dir := t.TempDir()
	l := openLocal(t, dir)
	x := registrytest.Small(1)
	out := publishLocal(t, l, x)
	if err := os.Remove(filepath.Join(dir, "blobs", "sha256", out.Descriptor.Digest.Encoded())); err != nil {
		t.Fatal(err)
	}
	y := x
	y.Variant = "another"
	publishLocal(t, l, y)
	if err := y.Check(t.Context(), l, x.Commit); err != nil {
		t.Error(err)
	}
}

func TestDamagedIndexIsReported(t *testing.T) {
	for _, content := range []string{"", "{", "null x", `{"schemaVersion":1}`, `{"schemaVersion":2,"mediaType":"text/plain"}`, `[]`} {
		dir := t.TempDir()
		l := openLocal(t, dir)
		publishLocal(t, l, registrytest.Small(1))
		index := filepath.Join(dir, "index.json")
		if err := os.WriteFile(index, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Resolve(t.Context(), registrytest.Commit(1)); fail.CodeOf(err) != fail.Verification {
			t.Errorf("%q: %v", content, err)
		}
		if _, err := registrytest.Small(2).Publish(t.Context(), l); fail.CodeOf(err) != fail.Verification {
			t.Errorf("%q: published: %v", content, err)
		}
		// The remedy works.
		if err := os.Remove(index); err != nil {
			t.Fatal(err)
		}
		publishLocal(t, l, registrytest.Small(1))
	}
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	l := openLocal(t, dir)
	blobs := func() int {
		entries, err := os.ReadDir(filepath.Join(dir, "blobs", "sha256"))
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	for n := range 3 {
		p, err := registrytest.Small(n).Push(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		p.Report = []byte(fmt.Sprintf(`{"run":%d}`, n))
		if _, err := l.Publish(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	before := blobs()
	if out, err := l.Prune(t.Context(), nil, 0); err != nil || out.Blobs != 0 || len(out.Tags) != 0 || blobs() != before {
		t.Errorf("pruning where all is in use: %+v, %v", out, err)
	}
	// A running compile has pushed and not published yet.
	if _, err := l.Push(t.Context(), registry.Blob{MediaType: registry.MediaTypePack, Bytes: []byte("in flight")}); err != nil {
		t.Fatal(err)
	}
	keep := func(e registry.Tagged) bool {
		if strings.HasSuffix(e.Tag, ".report") {
			t.Errorf("asked about the report %s of an artifact that is there", e.Tag)
		}
		return e.Tag != registrytest.Commit(1)
	}
	out, err := l.Prune(t.Context(), keep, registry.PruneGrace)
	if err != nil || len(out.Tags) != 2 || out.Blobs != 0 {
		t.Errorf("within the grace period: %+v, %v", out, err)
	}
	out, err = l.Prune(t.Context(), nil, 0)
	// Two packs, manifest, config, OCI manifest, report and its OCI
	// manifest of the commit, and the one in flight.
	if err != nil || out.Blobs != 8 || blobs() != before-7 {
		t.Errorf("after the grace period: %+v, %v, %d blobs left of %d", out, err, blobs(), before)
	}
	for _, n := range []int{0, 2} {
		if err := registrytest.Small(n).Check(t.Context(), l, registrytest.Commit(n)); err != nil {
			t.Error(err)
		}
	}
	if err := registrytest.CheckWhole(t.Context(), l); err != nil {
		t.Error(err)
	}
	// What cannot be read may lead anywhere.
	desc, err := l.Resolve(t.Context(), registrytest.Commit(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "blobs", "sha256", desc.Digest.Encoded())); err != nil {
		t.Fatal(err)
	}
	now := blobs()
	if _, err := l.Prune(t.Context(), nil, 0); fail.CodeOf(err) != fail.Verification || blobs() != now {
		t.Errorf("pruning with an unreadable artifact: %v, %d blobs left of %d", err, blobs(), now)
	}
	if err := l.Untag(t.Context(), registrytest.Commit(0)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Prune(t.Context(), nil, 0); err != nil || blobs() >= now {
		t.Errorf("after removing the tag: %v, %d blobs left of %d", err, blobs(), now)
	}
	if out, err := openLocal(t, t.TempDir()+"/none").Prune(t.Context(), nil, 0); err != nil || out.Blobs != 0 {
		t.Errorf("pruning nothing: %+v, %v", out, err)
	}
}

// Prune keeps what other programs put into the layout, also behind an index
// of several manifests.
func TestPruneKeepsForeignContent(t *testing.T) {
	dir := t.TempDir()
	l := openLocal(t, dir)
	publishLocal(t, l, registrytest.Small(1))
	push := func(mediaType string, v any) ocispec.Descriptor {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		d, err := l.Push(t.Context(), registry.Blob{MediaType: mediaType, Bytes: b})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	layer := push("text/plain", "layer")
	config := push("application/json", "config")
	image := push(ocispec.MediaTypeImageManifest, ocispec.Manifest{
		MediaType: ocispec.MediaTypeImageManifest, Config: config, Layers: []ocispec.Descriptor{layer},
	})
	top := push(ocispec.MediaTypeImageIndex, ocispec.Index{
		MediaType: ocispec.MediaTypeImageIndex, Manifests: []ocispec.Descriptor{image},
	})
	path := filepath.Join(dir, "index.json")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var x ocispec.Index
	if err := json.Unmarshal(b, &x); err != nil {
		t.Fatal(err)
	}
	x.Manifests = append(x.Manifests, top) // without any tag
	if b, err = json.Marshal(x); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := l.Prune(t.Context(), func(registry.Tagged) bool { return false }, 0); err != nil || len(out.Tags) != 1 || out.Blobs == 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	for _, d := range []ocispec.Descriptor{layer, config, image, top} {
		if _, err := l.Fetch(t.Context(), d); err != nil {
			t.Error(err)
		}
	}
}

// Pushing content that is there already makes its file young again, so that
// a prune between the push and the publication spares it.
func TestPushRenewsGrace(t *testing.T) {
	dir := t.TempDir()
	l := openLocal(t, dir)
	blob := registry.Blob{MediaType: registry.MediaTypePack, Bytes: []byte("from long ago")}
	d, err := l.Push(t.Context(), blob)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-10 * registry.PruneGrace)
	if err := os.Chtimes(filepath.Join(dir, "blobs", "sha256", d.Digest.Encoded()), old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Push(t.Context(), blob); err != nil {
		t.Fatal(err)
	}
	if out, err := l.Prune(t.Context(), nil, registry.PruneGrace); err != nil || out.Blobs != 0 {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestLocalAssume hands over an artifact that names its packs alone, which is
// what shards are, and checks that what is assumed is looked for all the same.
func TestLocalAssume(t *testing.T) {
	l := openLocal(t, t.TempDir())
	p, err := registrytest.Small(1).Push(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	l.Assume(&registry.Artifact{Packs: p.Packs})
	if _, err := l.Publish(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	lost := p.Packs[0]
	if err := os.Remove(filepath.Join(l.Name(), "blobs", "sha256", lost.Digest.Encoded())); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Publish(t.Context(), p); err == nil {
		t.Error("an index was published without a pack that was assumed to be there")
	}
}
