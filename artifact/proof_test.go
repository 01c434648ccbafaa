package artifact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/internal/gitobj"
)

// naiveTree builds trees recursively and sorts entries as git does, by name
// with a slash behind those of directories.
func naiveTree(format gitobj.Format, files []File) gitobj.ID {
	type entry struct {
		name string
		mode uint32
		id   gitobj.ID
	}
	dirs := map[string][]File{}
	var entries []entry
	for _, f := range files {
		if dir, rest, ok := strings.Cut(f.Path, "/"); ok {
			f.Path = rest
			dirs[dir] = append(dirs[dir], f)
			continue
		}
		entries = append(entries, entry{f.Path, f.Mode, f.Blob})
	}
	for dir, list := range dirs {
		entries = append(entries, entry{dir + "/", 0o40000, naiveTree(format, list)})
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].name < entries[j].name })
	var b []byte
	for _, e := range entries {
		b = fmt.Appendf(b, "%o %s\x00%s", e.mode, strings.TrimSuffix(e.name, "/"), e.id.Bytes())
	}
	return gitobj.Hash(format, "tree", b)
}

func TestTreeID(t *testing.T) {
	// Made with git itself.
	empty, err := TreeID(gitobj.SHA1, nil)
	if err != nil || empty.String() != "4b825dc642cb6eb9a060e54bf8d69288fbee4904" {
		t.Fatalf("empty tree: %s, %v", empty, err)
	}
	if empty, err = TreeID(gitobj.SHA256, nil); err != nil || empty.String() != "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321" {
		t.Fatalf("empty tree: %s, %v", empty, err)
	}
	var files []File
	for _, f := range gitTree {
		id, err := gitobj.ParseID(f.blob)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, File{Path: f.path, Mode: f.mode, Blob: id})
	}
	if id, err := TreeID(gitobj.SHA1, files); err != nil || id.String() != gitTreeID {
		t.Fatalf("tree %s, want %s, %v", id, gitTreeID, err)
	}

	for seed := range uint64(100) {
		r := newRand(seed)
		format := pick(r, []gitobj.Format{gitobj.SHA1, gitobj.SHA256})
		seen := map[string]bool{}
		var files []File
		for range r.IntN(40) {
			var parts []string
			for range 1 + r.IntN(4) {
				parts = append(parts, pick(r, []string{"a", "b", "a-", "a.b", "a0", "ab", "\xff", "é", "A"}))
			}
			// A name that is a file here and a folder there cannot be.
			path := strings.Join(parts, "/") + "f"
			if !seen[path] {
				seen[path] = true
				files = append(files, File{Path: path, Mode: pick(r, []uint32{0o100644, 0o120000, 0o160000, 0o100664}), Blob: gitobj.Hash(format, "blob", []byte(path))})
			}
		}
		slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
		got, err := TreeID(format, files)
		if err != nil {
			t.Fatal(err)
		}
		if want := naiveTree(format, files); got != want {
			t.Fatalf("seed %d: tree %s, want %s", seed, got, want)
		}
	}

	deep := []File{{Path: strings.Repeat("d/", 2000) + "f", Blob: gitobj.Hash(gitobj.SHA1, "blob", nil)}}
	if id, err := TreeID(gitobj.SHA1, deep); err != nil || id != naiveTree(gitobj.SHA1, deep) {
		t.Fatal(id, err)
	}
	blob := gitobj.Hash(gitobj.SHA1, "blob", nil)
	for name, bad := range map[string][]File{
		"out of order":   {{Path: "b", Blob: blob}, {Path: "a", Blob: blob}},
		"twice":          {{Path: "b", Blob: blob}, {Path: "b", Blob: blob}},
		"bad path":       {{Path: "a//b", Blob: blob}},
		"no id":          {{Path: "a"}},
		"another format": {{Path: "a", Blob: gitobj.Hash(gitobj.SHA256, "blob", nil)}},
	} {
		if _, err := TreeID(gitobj.SHA1, bad); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCommitTree(t *testing.T) {
	tree := strings.Repeat("0123456789", 4)
	if id, err := CommitTree([]byte("tree " + tree + "\nparent x")); err != nil || id.String() != tree {
		t.Fatal(id, err)
	}
	for _, raw := range []string{"", "tree " + tree, "parent " + tree + "\n", "tree " + tree[1:] + "\n", "tree " + tree[1:] + "x\n"} {
		if _, err := CommitTree([]byte(raw)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%q: %v", raw, err)
		}
	}
}

func TestProve(t *testing.T) {
	a := newSampleArtifact(t, 5, 6)
	p, err := a.index(t).Prove(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	skipped := 0
	for _, n := range p.NoContent {
		skipped += n
	}
	m := a.manifest
	if p.Commit != m.Commit || p.Tree != m.Tree || p.Entries != m.Files || p.Blobs != m.Indexed || p.Bytes != m.Bytes || skipped != m.Files-m.Indexed {
		t.Fatalf("proof %+v", p)
	}
	for reason, n := range m.Skipped {
		if reason != "unknown reason" && p.NoContent[reason] != n {
			t.Errorf("%d entries without content: %s, want %d", p.NoContent[reason], reason, n)
		}
	}

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := a.index(t).Prove(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled: %v", err)
	}
}

// rebuilt returns the artifact with partition p's segments encoded again from
// the changed sample.
func (a *sampleArtifact) rebuilt(t testing.TB, p int, edit func(s *sample)) *sampleArtifact {
	t.Helper()
	edit(a.parts[p])
	for _, v := range []View{Units, Source} {
		info := a.manifest.Partitions[p].Segments[v.String()]
		var b []byte
		var err error
		if v == Units {
			b, err = EncodeUnits(info.Key, &a.parts[p].units)
		} else {
			b, err = EncodeSource(info.Key, a.parts[p].contents)
		}
		if err != nil {
			t.Fatal(err)
		}
		a.segments[p][v] = b
		info.Digest, info.Size = DigestOf(b), int64(len(b))
		a.manifest.Partitions[p].Segments[v.String()] = info
	}
	return a
}

// TestProofFails: an artifact whose digests all fit can still be of another
// commit.
func TestProofFails(t *testing.T) {
	indexed := func(s *sample) int {
		i := slices.IndexFunc(s.units.Files, func(f File) bool { return f.Skip == SkipNone && f.Size > 0 })
		if i < 0 {
			t.Fatal("no indexed file in the sample")
		}
		return i
	}
	for name, edit := range map[string]func(s *sample){
		"content": func(s *sample) {
			i := indexed(s)
			s.contents[i] = bytes.Clone(s.contents[i])
			s.contents[i][0]++
		},
		"mode": func(s *sample) { s.units.Files[0].Mode ^= 0o111 },
		"path": func(s *sample) { s.units.Files[len(s.units.Files)-1].Path += "x" },
		"blob": func(s *sample) { s.units.Files[indexed(s)].Blob = gitobj.Hash(gitobj.SHA1, "blob", []byte("other")) },
	} {
		a := newSampleArtifact(t, 5, 3).rebuilt(t, 1, edit)
		if _, err := a.index(t).Prove(context.Background()); !errors.Is(err, ErrProof) {
			t.Errorf("%s: %v", name, err)
		}
	}
	a := newSampleArtifact(t, 5, 3)
	a.segments[0], a.segments[1] = a.segments[1], a.segments[0]
	a.manifest.Partitions[0], a.manifest.Partitions[1] = a.manifest.Partitions[1], a.manifest.Partitions[0]
	if _, err := a.index(t).Prove(context.Background()); !isFormatError(err) {
		t.Errorf("partitions out of order: %v", err)
	}
}

// gitTree is what git write-tree made gitTreeID of.
const gitTreeID = "46266c3774cb6e17ce30d02f84face6838447c88"

var gitTree = []struct {
	path string
	mode uint32
	blob string
}{
	{"a-/y", 0o100644, "00750edc07d6415dcc07ae0351e9397b0222b7ba"},
	{"a.txt", 0o100644, "0cfbf08886fca9a91cb753ec8734c84fcbe52c9f"},
	{"a/x", 0o100644, "d00491fd7e5bb6fa28c517a0bb32b8b506539d4d"},
	{"a0", 0o100644, "b8626c4cff2849624fb67f87cd0ad72b163671ad"},
	{"b/c/d", 0o100755, "7ed6ff82de6bcc2a78243fc9c54d3ef5ac14da69"},
	{"b/link", 0o120000, "82f488f26965d3d02080ccf7969854a23f0f32b1"},
	{"é", 0o100644, "1e8b314962144c26d5e0e50fd29d2ca327864913"},
}
