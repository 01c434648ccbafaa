package registry

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

func seeds(f *testing.F, names ...string) {
	f.Helper()
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"schemaVersion":2,"layers":[{},{},null],"manifests":[null,{}]}`))
	f.Add([]byte(`null`))
}

func FuzzParseArtifact(f *testing.F) {
	seeds(f, "manifest.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := ParseArtifact(ocispec.Descriptor{}, b)
		if err != nil {
			return
		}
		blobs := append([]ocispec.Descriptor{a.Config, a.Manifest}, a.Packs...)
		if a.Model != nil {
			blobs = append(blobs, *a.Model)
		}
		for _, d := range blobs {
			if err := checkDescriptor(d, MaxBlob); err != nil {
				t.Error(err)
			}
		}
		if a.Index().IsZero() && string(a.Manifest.Digest) != "sha256:"+strings.Repeat("0", 64) {
			t.Error("no index digest")
		}
	})
}

func FuzzParseConfig(f *testing.F) {
	seeds(f, "config.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := ParseConfig(b); err == nil && (!validCommit(c.Commit) || c.Index.IsZero() || c.Profile.IsZero()) {
			t.Errorf("%+v", c)
		}
	})
}

// Whatever index.json holds, writing it back keeps every tag, and the quick
// way to a tag finds what decoding finds.
func FuzzIndexJSON(f *testing.F) {
	seeds(f, "index.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := decodeIndex(b)
		if err != nil {
			return
		}
		tags := x.tagged()
		x.set("mine", ocispec.Descriptor{MediaType: ocispec.MediaTypeImageManifest, Digest: "sha256:0", Size: 1})
		out, err := x.encode()
		if err != nil {
			t.Fatal(err)
		}
		y, err := decodeIndex(out)
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for _, want := range append(tags, Tagged{"mine", x.tagged()[0].Descriptor}) {
			got, ok := y.find(want.Tag)
			if !ok || want.Tag != "mine" && got.Digest != want.Descriptor.Digest {
				t.Errorf("%q holds %v, not %v", want.Tag, got, want.Descriptor)
			}
			if quick, ok := scanTag(out, want.Tag); ok && (quick.Digest != got.Digest || quick.Size != got.Size || quick.MediaType != got.MediaType) {
				t.Errorf("%q: the quick way gives %v, decoding %v", want.Tag, quick, got)
			}
		}
		if _, ok := scanTag(out, "mine"); !ok && bytes.HasPrefix(out, []byte(indexStart)) && bytes.Count(out, []byte(beforeTag+"mine")) == 1 {
			t.Errorf("the quick way misses its own tag in %s", out)
		}
	})
}

func FuzzParseTag(f *testing.F) {
	f.Add(strings.Repeat("a", 40))
	f.Add(strings.Repeat("a", 64) + "-0123456789ab.report")
	f.Fuzz(func(t *testing.T, s string) {
		if tag, ok := ParseTag(s); ok && (tag.String() != s || !validTag(s)) {
			t.Errorf("%q gives %+v, which is %q", s, tag, tag)
		}
	})
}

func TestParseTag(t *testing.T) {
	c := strings.Repeat("0123456789", 4)
	for s, want := range map[string]Tag{
		c:                          {Commit: c},
		c + ".report":              {Commit: c, Report: true},
		c + "-0123456789ab":        {Commit: c, Profile: "0123456789ab"},
		c + "-0123456789ab.report": {Commit: c, Profile: "0123456789ab", Report: true},
		strings.Repeat("f", 64):    {Commit: strings.Repeat("f", 64)},
	} {
		if got, ok := ParseTag(s); !ok || got != want || got.String() != s {
			t.Errorf("%q: %+v, %v", s, got, ok)
		}
	}
	for _, s := range []string{
		"", "latest", c[1:], c + "0", strings.ToUpper(c[:39] + "a"), c + "-", c + "-0123456789a", c + "-0123456789abc",
		c + "-0123456789aB", c + ".Report", c + ".report.report", "branch-main", c + "-0123456789ab-0123456789ab",
	} {
		if got, ok := ParseTag(s); ok {
			t.Errorf("%q: %+v", s, got)
		}
	}
}

// Small inputs must not become large memory.
func TestDescriptorListsAreCapped(t *testing.T) {
	many := func(n int) string { return "[" + strings.Repeat("{},", n) + "{}]" }
	_, err := ParseArtifact(ocispec.Descriptor{}, []byte(`{"schemaVersion":2,"layers":`+many(MaxLayers)+`}`))
	if err == nil || !strings.Contains(err.Error(), fmt.Sprint(MaxLayers)) {
		t.Errorf("layers: %v", err)
	}
	_, err = decodeIndex([]byte(`{"schemaVersion":2,"manifests":` + many(MaxTags) + `}`))
	if err == nil || !strings.Contains(err.Error(), fmt.Sprint(MaxTags)) {
		t.Errorf("entries: %v", err)
	}
	if _, err := ParseArtifact(ocispec.Descriptor{}, make([]byte, MaxOCIManifest+1)); err == nil {
		t.Error("a manifest above the limit was read")
	}
	if _, err := ParseConfig(make([]byte, MaxConfig+1)); err == nil {
		t.Error("a config above the limit was read")
	}
}
