package registrytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

// Run runs the suite. Each call of open returns an empty store.
func Run(t *testing.T, open func(t *testing.T) registry.Store) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, s registry.Store)
	}{
		{"blobs", testBlobs},
		{"parts of blobs", testParts},
		{"missing", testMissing},
		{"hostile descriptors", testHostileDescriptors},
		{"publish", testPublish},
		{"publish without model", testPublishWithoutModel},
		{"same index again", testSameAgain},
		{"another index of the same profile", testTaken},
		{"other profiles", testProfiles},
		{"replace by another profile", testReplaceProfile},
		{"profile before default", testProfileFirst},
		{"reports", testReports},
		{"pack was not pushed", testPackMissing},
		{"contradictions", testContradictions},
		{"list and untag", testListUntag},
		{"cancelled", testCancelled},
		{"concurrent", testConcurrent},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
	t.Run("deterministic", func(t *testing.T) { testDeterministic(t, open(t), open(t)) })
}

func publish(t *testing.T, s registry.Store, x Index, change func(*registry.Publication)) (registry.Published, error) {
	t.Helper()
	p, err := x.Push(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&p)
	}
	return s.Publish(t.Context(), p)
}

func mustPublish(t *testing.T, s registry.Store, x Index, change func(*registry.Publication)) registry.Published {
	t.Helper()
	out, err := publish(t, s, x, change)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func check(t *testing.T, s registry.Store, tag string, x Index) {
	t.Helper()
	if err := x.Check(t.Context(), s, tag); err != nil {
		t.Error(err)
	}
	if err := CheckWhole(t.Context(), s); err != nil {
		t.Error(err)
	}
}

func testBlobs(t *testing.T, s registry.Store) {
	ctx := t.Context()
	for _, content := range []string{"x", "content", strings.Repeat("long ", 1<<18)} {
		var first ocispec.Descriptor
		for i := range 2 {
			d, err := s.Push(ctx, registry.Blob{MediaType: registry.MediaTypePack, Bytes: []byte(content)})
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = d
			}
			if d.Digest != first.Digest || d.Size != int64(len(content)) || d.MediaType != registry.MediaTypePack {
				t.Errorf("descriptor %+v", d)
			}
			b, err := s.Fetch(ctx, d)
			if err != nil || string(b) != content {
				t.Errorf("fetch of %d bytes: %d bytes, %v", len(content), len(b), err)
			}
		}
	}
	if _, err := s.Push(ctx, registry.Blob{MediaType: registry.MediaTypePack}); err == nil {
		t.Error("a blob of no bytes was stored")
	}
}

// testParts is for stores that give parts of blobs.
func testParts(t *testing.T, s registry.Store) {
	r, ok := s.(registry.RangeFetcher)
	if !ok {
		if _, remote := s.(*registry.Remote); remote {
			t.Fatal("a registry's store gives no parts of blobs")
		}
		return
	}
	content := make([]byte, 300_000)
	for i := range content {
		content[i] = byte(i * i >> 8)
	}
	desc, err := s.Push(t.Context(), registry.Blob{MediaType: registry.MediaTypePack, Bytes: content})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]int64{{0, 1}, {0, 299_999}, {1, 299_999}, {299_999, 1}, {100_000, 100_000}} {
		b, whole, err := r.FetchRange(t.Context(), desc, c[0], c[1])
		if err != nil || whole || !slices.Equal(b, content[c[0]:c[0]+c[1]]) {
			t.Errorf("%d bytes from %d: %d bytes, whole %t, %v", c[1], c[0], len(b), whole, err)
		}
	}
	if b, whole, err := r.FetchRange(t.Context(), desc, 0, desc.Size); err != nil || !whole || !slices.Equal(b, content) {
		t.Errorf("all of it: %d bytes, whole %t, %v", len(b), whole, err)
	}
	desc.Digest = digest.FromString("nothing")
	if _, _, err := r.FetchRange(t.Context(), desc, 0, 1); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("a part of a blob that is not there: %v", err)
	}
}

func testMissing(t *testing.T, s registry.Store) {
	ctx := t.Context()
	for _, tag := range []string{Commit(1), "", "no/tag", "sha256:" + strings.Repeat("0", 64)} {
		if _, err := s.Resolve(ctx, tag); !errors.Is(err, registry.ErrNotFound) {
			t.Errorf("resolve %q: %v", tag, err)
		}
		if err := s.Untag(ctx, tag); !errors.Is(err, registry.ErrNotFound) {
			t.Errorf("untag %q: %v", tag, err)
		}
	}
	d := ocispec.Descriptor{MediaType: registry.MediaTypePack, Digest: digest.FromString("nothing"), Size: 7}
	if _, err := s.Fetch(ctx, d); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("fetch: %v", err)
	}
	if list, err := s.List(ctx); err != nil || len(list) != 0 {
		t.Errorf("list of an empty store: %v, %v", list, err)
	}
}

func testHostileDescriptors(t *testing.T, s registry.Store) {
	good, err := s.Push(t.Context(), registry.Blob{MediaType: registry.MediaTypePack, Bytes: []byte("content")})
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*ocispec.Descriptor){
		"larger":        func(d *ocispec.Descriptor) { d.Size++ },
		"smaller":       func(d *ocispec.Descriptor) { d.Size-- },
		"zero":          func(d *ocispec.Descriptor) { d.Size = 0 },
		"negative":      func(d *ocispec.Descriptor) { d.Size = -1 },
		"huge":          func(d *ocispec.Descriptor) { d.Size = registry.MaxBlob + 1 },
		"large":         func(d *ocispec.Descriptor) { d.Size = registry.MaxBlob },
		"traversal":     func(d *ocispec.Descriptor) { d.Digest = "sha256:../../index.json" },
		"no digest":     func(d *ocispec.Descriptor) { d.Digest = "" },
		"other hash":    func(d *ocispec.Descriptor) { d.Digest = digest.Digest("sha512:" + strings.Repeat("0", 128)) },
		"upper case":    func(d *ocispec.Descriptor) { d.Digest = digest.Digest(strings.ToUpper(string(d.Digest))) },
		"embedded data": func(d *ocispec.Descriptor) { d.Size--; d.Data = []byte("conten") },
	} {
		d := good
		change(&d)
		if _, err := s.Fetch(t.Context(), d); fail.CodeOf(err) != fail.Verification {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func testPublish(t *testing.T, s registry.Store) {
	x := Small(1)
	out := mustPublish(t, s, x, nil)
	if out.Tag != x.Commit || out.Unchanged {
		t.Errorf("published as %+v", out)
	}
	check(t, s, x.Commit, x)
	desc, err := s.Resolve(t.Context(), x.Commit)
	if err != nil || desc.Digest != out.Descriptor.Digest || desc.Size != out.Descriptor.Size ||
		desc.MediaType != ocispec.MediaTypeImageManifest {
		t.Errorf("the tag holds %+v, %v", desc, err)
	}
	a, _, err := registry.ReadArtifact(t.Context(), s, x.Commit)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"org.opencontainers.image.revision": x.Commit,
		"org.opencontainers.image.created":  "2024-02-29T11:30:00Z",
		"org.opencontainers.image.source":   "https://example.org/repo",
	}
	for k, v := range want {
		if a.Annotations[k] != v {
			t.Errorf("annotation %s is %q, not %q", k, a.Annotations[k], v)
		}
	}
	if len(a.Annotations) != len(want) {
		t.Errorf("annotations: %v", a.Annotations)
	}
}

func testPublishWithoutModel(t *testing.T, s registry.Store) {
	x := Small(1)
	x.Model, x.Packs = "", nil
	mustPublish(t, s, x, nil)
	check(t, s, x.Commit, x)
}

func testSameAgain(t *testing.T, s registry.Store) {
	x := Small(1)
	first := mustPublish(t, s, x, nil)
	// Another transport of the same index is the same index.
	again := mustPublish(t, s, x, func(p *registry.Publication) { p.Source = "https://example.org/mirror" })
	if !again.Unchanged || again.Tag != first.Tag || again.Descriptor.Digest != first.Descriptor.Digest {
		t.Errorf("again: %+v, first: %+v", again, first)
	}
	check(t, s, x.Commit, x)
}

func testTaken(t *testing.T, s registry.Store) {
	x := Small(1)
	y := x
	y.Variant = "different"
	mustPublish(t, s, x, nil)
	for _, isDefault := range []bool{true, false} {
		_, err := publish(t, s, y, func(p *registry.Publication) { p.Default = isDefault })
		var known *fail.Error
		if !errors.Is(err, registry.ErrTagTaken) || !errors.As(err, &known) || !strings.Contains(known.Remedy, "--replace") {
			t.Fatalf("another index of the same profile: %v", err)
		}
		check(t, s, x.Commit, x)
	}
	out := mustPublish(t, s, y, func(p *registry.Publication) { p.Replace = true })
	if out.Tag != x.Commit || out.Unchanged {
		t.Errorf("replaced as %+v", out)
	}
	check(t, s, x.Commit, y)
}

func testProfiles(t *testing.T, s registry.Store) {
	x := Small(1)
	y := x
	y.Theta = "another"
	mustPublish(t, s, x, nil)
	for _, isDefault := range []bool{true, false} {
		out := mustPublish(t, s, y, func(p *registry.Publication) { p.Default = isDefault })
		if out.Tag != registry.ProfileTag(y.Commit, y.Profile()) || out.Unchanged == isDefault {
			t.Errorf("default %v: published as %+v", isDefault, out)
		}
		check(t, s, x.Commit, x)
		check(t, s, out.Tag, y)
	}
	z := y
	z.Variant = "different"
	if _, err := publish(t, s, z, nil); !errors.Is(err, registry.ErrTagTaken) {
		t.Errorf("another index of the other profile: %v", err)
	}
}

func testReplaceProfile(t *testing.T, s registry.Store) {
	x := Small(1)
	y, z := x, x
	y.Theta, z.Theta, z.Variant = "another", "another", "different"
	mustPublish(t, s, x, nil)
	profileTag := mustPublish(t, s, y, nil).Tag
	// The profile's own tag must not go on holding the older index.
	out := mustPublish(t, s, z, func(p *registry.Publication) { p.Replace = true })
	if out.Tag != x.Commit {
		t.Errorf("replaced as %+v", out)
	}
	check(t, s, x.Commit, z)
	check(t, s, profileTag, z)
}

func testProfileFirst(t *testing.T, s registry.Store) {
	x := Small(1)
	x.Theta = "special"
	out := mustPublish(t, s, x, func(p *registry.Publication) { p.Default = false })
	if out.Tag != registry.ProfileTag(x.Commit, x.Profile()) {
		t.Errorf("published as %+v", out)
	}
	if _, err := s.Resolve(t.Context(), x.Commit); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("the commit's tag was written: %v", err)
	}
	out = mustPublish(t, s, x, nil)
	if out.Tag != x.Commit {
		t.Errorf("published as %+v", out)
	}
	check(t, s, x.Commit, x)
}

func testReports(t *testing.T, s registry.Store) {
	x := Small(1)
	y := x
	y.Theta = "another"
	with := func(report string) func(*registry.Publication) {
		return func(p *registry.Publication) { p.Report = []byte(report) }
	}
	is := func(tag, want string) {
		t.Helper()
		b, err := registry.ReadReport(t.Context(), s, tag)
		if err != nil || string(b) != want {
			t.Errorf("report %s: %q, %v", tag, b, err)
		}
	}
	first := mustPublish(t, s, x, with(`{"run":1}`))
	is(x.Commit+".report", `{"run":1}`)
	// Building the same again says nothing new about what is stored.
	mustPublish(t, s, x, with(`{"run":2}`))
	is(x.Commit+".report", `{"run":1}`)
	other := mustPublish(t, s, y, with(`{"run":3}`))
	is(x.Commit+".report", `{"run":1}`)
	is(registry.ReportTag(other.Tag), `{"run":3}`)
	check(t, s, x.Commit, x)
	// A report is no part of any digest.
	if d, err := s.Resolve(t.Context(), x.Commit); err != nil || d.Digest != first.Descriptor.Digest {
		t.Errorf("the tag holds %v, %v", d.Digest, err)
	}
	if _, _, err := registry.ReadArtifact(t.Context(), s, x.Commit+".report"); fail.CodeOf(err) != fail.Verification {
		t.Errorf("a report read as an index: %v", err)
	}
	if _, err := registry.ReadReport(t.Context(), s, x.Commit); fail.CodeOf(err) != fail.Verification {
		t.Errorf("an index read as a report: %v", err)
	}
}

func testPackMissing(t *testing.T, s registry.Store) {
	x := Small(1)
	_, err := publish(t, s, x, func(p *registry.Publication) { p.Packs[1].Digest = digest.FromString("never pushed") })
	if err == nil {
		t.Error("published an index with a missing pack")
	}
	if _, err := s.Resolve(t.Context(), x.Commit); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("the tag is there: %v", err)
	}
}

func testContradictions(t *testing.T, s registry.Store) {
	for name, change := range map[string]func(*registry.Publication){
		"no commit":       func(p *registry.Publication) { p.Commit = "HEAD" },
		"other commit":    func(p *registry.Publication) { p.Commit = Commit(2) },
		"other profile":   func(p *registry.Publication) { p.Profile[0]++ },
		"no manifest":     func(p *registry.Publication) { p.Manifest = nil },
		"broken manifest": func(p *registry.Publication) { p.Manifest = p.Manifest[1:] },
		"no model":        func(p *registry.Publication) { p.Model = nil },
		"other model":     func(p *registry.Publication) { p.Model = &p.Packs[0] },
		"empty pack":      func(p *registry.Publication) { p.Packs[0].Size = 0 },
	} {
		if _, err := publish(t, s, Small(1), change); err == nil {
			t.Errorf("%s: published", name)
		}
	}
	if list, err := s.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("tags: %v, %v", list, err)
	}
}

func testListUntag(t *testing.T, s registry.Store) {
	for _, n := range []int{3, 1, 2} {
		mustPublish(t, s, Small(n), func(p *registry.Publication) { p.Report = []byte("{}") })
	}
	names := func() []string {
		list, err := s.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var tags []string
		for _, e := range list {
			tags = append(tags, e.Tag)
			if d, err := s.Resolve(t.Context(), e.Tag); err != nil || d.Digest != e.Descriptor.Digest {
				t.Errorf("%s: listed %s, resolved %s, %v", e.Tag, e.Descriptor.Digest, d.Digest, err)
			}
		}
		return tags
	}
	want := []string{Commit(1), Commit(1) + ".report", Commit(2), Commit(2) + ".report", Commit(3), Commit(3) + ".report"}
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("tags %q, want %q", got, want)
	}
	err := s.Untag(t.Context(), Commit(2))
	if errors.Is(err, registry.ErrUnsupported) {
		if got := names(); !slices.Equal(got, want) {
			t.Errorf("after untagging was refused: %q", got)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := names(); !slices.Equal(got, append(want[:2:2], want[4:]...)) {
		t.Errorf("after untagging: %q", got)
	}
	if err := s.Untag(t.Context(), Commit(2)); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("untagged twice: %v", err)
	}
	check(t, s, Commit(3), Small(3))
}

func testCancelled(t *testing.T, s registry.Store) {
	x := Small(1)
	p, err := x.Push(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Publish(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("publish: %v", err)
	}
	if _, err := s.Push(ctx, registry.Blob{MediaType: registry.MediaTypePack, Bytes: []byte("y")}); !errors.Is(err, context.Canceled) {
		t.Errorf("push: %v", err)
	}
	if _, err := s.Resolve(ctx, x.Commit); !errors.Is(err, context.Canceled) {
		t.Errorf("resolve: %v", err)
	}
	if _, err := s.Resolve(t.Context(), x.Commit); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("the tag is there: %v", err)
	}
}

// testConcurrent publishes 50 times at once: 20 commits, each twice, and ten
// indexes that contend for one tag, of which one must win.
func testConcurrent(t *testing.T, s registry.Store) {
	var wg sync.WaitGroup
	errs := make([]error, 50)
	for i := range errs {
		x := Small(i % 20)
		if i >= 40 {
			x = Small(100)
			x.Variant = fmt.Sprint(i)
		}
		wg.Go(func() { _, errs[i] = x.Publish(t.Context(), s) })
	}
	wg.Wait()
	for i, err := range errs[:40] {
		if err != nil {
			t.Errorf("publication %d: %v", i, err)
		}
	}
	won := 0
	for _, err := range errs[40:] {
		if err == nil {
			won++
		} else if !errors.Is(err, registry.ErrTagTaken) {
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d different indexes won the same tag", won)
	}
	for i := range 20 {
		if err := Small(i).Check(t.Context(), s, Commit(i)); err != nil {
			t.Error(err)
		}
	}
	if err := CheckWhole(t.Context(), s); err != nil {
		t.Error(err)
	}
	if list, err := s.List(t.Context()); err != nil || len(list) != 21 {
		t.Errorf("%d tags, %v", len(list), err)
	}
}

func testDeterministic(t *testing.T, s1, s2 registry.Store) {
	a := mustPublish(t, s1, Small(1), nil)
	mustPublish(t, s2, Small(2), nil)
	b := mustPublish(t, s2, Small(1), nil)
	if a.Descriptor.Digest != b.Descriptor.Digest || a.Descriptor.Size != b.Descriptor.Size {
		t.Errorf("two stores hold %s and %s for one publication", a.Descriptor.Digest, b.Descriptor.Digest)
	}
}
