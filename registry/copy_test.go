package registry_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

// publishAll fills a store with three indexes: of two commits, and of another
// profile.
func publishAll(t *testing.T, s registry.Store) (indexes map[string]registrytest.Index, tags []string) {
	t.Helper()
	x, y, z := registrytest.Small(1), registrytest.Small(2), registrytest.Small(1)
	z.Theta, z.Model = "another", ""
	indexes = map[string]registrytest.Index{}
	for _, i := range []registrytest.Index{x, y, z} {
		p, err := i.Push(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		p.Report = []byte(`{"of":"` + i.Theta + `"}`)
		out, err := s.Publish(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		indexes[out.Tag] = i
		tags = append(tags, out.Tag)
	}
	return indexes, tags
}

func checkAll(t *testing.T, from, to registry.Store, indexes map[string]registrytest.Index) {
	t.Helper()
	for tag, i := range indexes {
		if err := i.Check(t.Context(), to, tag); err != nil {
			t.Error(err)
		}
		for _, name := range []string{tag, registry.ReportTag(tag)} {
			a, err1 := from.Resolve(t.Context(), name)
			b, err2 := to.Resolve(t.Context(), name)
			if err1 != nil || err2 != nil || a.Digest != b.Digest {
				t.Errorf("%s: %v and %v, %v, %v", name, a.Digest, b.Digest, err1, err2)
			}
		}
	}
	if err := registrytest.CheckWhole(t.Context(), to); err != nil {
		t.Error(err)
	}
}

func TestCopy(t *testing.T) {
	local := openLocal(t, t.TempDir()+"/from")
	indexes, tags := publishAll(t, local)
	s := startServer(t, &registrytest.Server{})
	remote := openRemote(t, s.Ref(repoName), impatient(nil))
	back := openLocal(t, t.TempDir()+"/back")
	for _, way := range [][2]registry.Store{{local, remote}, {remote, back}, {back, openRemote(t, s.Ref("other/pindex"), impatient(nil))}} {
		for i := range 2 {
			for _, tag := range tags {
				out, err := registry.Copy(t.Context(), way[0], way[1], tag, registry.CopyOptions{})
				if err != nil || out.Unchanged != (i == 1) || out.Tag != tag {
					t.Fatalf("%+v, %v", out, err)
				}
			}
		}
		checkAll(t, way[0], way[1], indexes)
	}
	// What is there already is not fetched.
	s.ResetCounts()
	if _, err := registry.Copy(t.Context(), remote, openRemote(t, s.Ref(repoName), impatient(nil)), tags[0], registry.CopyOptions{}); err != nil {
		t.Error(err)
	}
	if c := s.Counts(); c["PUT upload"] != 0 {
		t.Errorf("%v", c)
	}
	_, err := registry.Copy(t.Context(), local, back, registrytest.Commit(77), registry.CopyOptions{})
	if !errors.Is(err, registry.ErrNotFound) {
		t.Error(err)
	}
}

// A store that lies is found out before anything is published.
func TestCopyOfAnotherCommit(t *testing.T) {
	local := openLocal(t, t.TempDir()+"/from")
	_, tags := publishAll(t, local)
	to := openLocal(t, t.TempDir()+"/to")
	_, err := registry.Copy(t.Context(), mislabelled{local, tags[0]}, to, registrytest.Commit(9), registry.CopyOptions{})
	if fail.CodeOf(err) != fail.Verification {
		t.Error(err)
	}
	if err := registry.WriteArchive(t.Context(), filepath.Join(t.TempDir(), "x.tar"), mislabelled{local, tags[0]}, []string{registrytest.Commit(9)}, nil); fail.CodeOf(err) != fail.Verification {
		t.Error(err)
	}
}

// mislabelled answers for every tag with what one of them holds.
type mislabelled struct {
	registry.Store
	tag string
}

func (m mislabelled) Resolve(ctx context.Context, _ string) (ocispec.Descriptor, error) {
	return m.Store.Resolve(ctx, m.tag)
}

func TestArchive(t *testing.T) {
	dir := t.TempDir()
	local := openLocal(t, dir+"/from")
	indexes, tags := publishAll(t, local)
	one, two := dir+"/one.tar", dir+"/two.tar"
	for _, path := range []string{one, two} {
		if err := registry.WriteArchive(t.Context(), path, local, tags, nil); err != nil {
			t.Fatal(err)
		}
	}
	a, err := registry.OpenArchive(one)
	if err != nil {
		t.Fatal(err)
	}
	checkAll(t, local, a, indexes)
	to := openLocal(t, dir+"/to")
	for _, tag := range tags {
		if _, err := registry.Copy(t.Context(), a, to, tag, registry.CopyOptions{}); err != nil {
			t.Error(err)
		}
	}
	checkAll(t, a, to, indexes)
	b1, err1 := os.ReadFile(one)
	b2, err2 := os.ReadFile(two)
	if err1 != nil || err2 != nil || !bytes.Equal(b1, b2) {
		t.Error("two archives of the same differ")
	}
	if info, err := os.Stat(one); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, err := registrytest.Small(5).Publish(t.Context(), a); fail.CodeOf(err) != fail.Usage || !errors.Is(err, registry.ErrUnsupported) {
		t.Error(err)
	}
	if err := a.Untag(t.Context(), tags[0]); !errors.Is(err, registry.ErrUnsupported) {
		t.Error(err)
	}
	// Each byte of the file flipped in turn: an error, or what was there.
	path := dir + "/flipped.tar"
	for at := 0; at < len(b1); at += 131 {
		bad := bytes.Clone(b1)
		bad[at] ^= 0x11
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := registry.OpenArchive(path)
		if err != nil {
			continue
		}
		for tag, i := range indexes {
			err := i.Check(t.Context(), f, tag)
			if err != nil && fail.CodeOf(err) != fail.Verification && !errors.Is(err, registry.ErrNotFound) {
				t.Errorf("byte %d: %v", at, err)
			}
		}
	}
	for n := 0; n < len(b1); n += 499 {
		if err := os.WriteFile(path, b1[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if f, err := registry.OpenArchive(path); err == nil {
			registrytest.CheckWhole(t.Context(), f)
		}
	}
}

func TestHostileArchives(t *testing.T) {
	const layout, index = `{"imageLayoutVersion":"1.0.0"}`, `{"schemaVersion":2,"manifests":[]}`
	type entry struct {
		name string
		kind byte
		body string
	}
	whole := []entry{{"oci-layout", tar.TypeReg, layout}, {"index.json", tar.TypeReg, index}}
	hex := strings.Repeat("ab", 32)
	for name, c := range map[string]struct {
		entries []entry
		ok      bool
	}{
		"whole":             {whole, true},
		"with folders":      {append([]entry{{"blobs/", tar.TypeDir, ""}}, whole...), true},
		"dots":              {[]entry{{"./oci-layout", tar.TypeReg, layout}, {"./index.json", tar.TypeReg, index}}, true},
		"nothing":           {nil, false},
		"no index":          {whole[:1], false},
		"no layout":         {whole[1:], false},
		"two indexes":       {append(whole[:2:2], whole[1]), false},
		"two equal blobs":   {append(whole[:2:2], entry{"blobs/sha256/" + hex, tar.TypeReg, "x"}, entry{"blobs/sha256/" + hex, tar.TypeReg, "x"}), false},
		"traversal":         {append(whole[:2:2], entry{"blobs/sha256/../../x", tar.TypeReg, "x"}), false},
		"link":              {append(whole[:2:2], entry{"blobs/sha256/" + hex, tar.TypeSymlink, ""}), false},
		"hard link":         {append(whole[:2:2], entry{"blobs/sha256/" + hex, tar.TypeLink, ""}), false},
		"something else":    {append(whole[:2:2], entry{"README", tar.TypeReg, "x"}), false},
		"another version":   {[]entry{{"oci-layout", tar.TypeReg, `{"imageLayoutVersion":"9"}`}, whole[1]}, false},
		"broken index":      {[]entry{whole[0], {"index.json", tar.TypeReg, `{`}}, false},
		"an endless layout": {[]entry{{"oci-layout", tar.TypeReg, strings.Repeat(" ", 5000)}, whole[1]}, false},
	} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, e := range c.entries {
			h := &tar.Header{Name: e.name, Typeflag: e.kind, Size: int64(len(e.body)), Mode: 0o644}
			if e.kind == tar.TypeSymlink || e.kind == tar.TypeLink {
				h.Linkname = "/etc/passwd"
			}
			if err := w.WriteHeader(h); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte(e.body)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "x.tar")
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := registry.OpenArchive(path); c.ok != (err == nil) || err != nil && fail.CodeOf(err) != fail.Verification {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := registry.OpenArchive(t.TempDir() + "/none.tar"); fail.CodeOf(err) != fail.Usage {
		t.Error(err)
	}
	if _, err := registry.OpenArchive(t.TempDir()); err == nil {
		t.Error("a folder was opened")
	}
}
