package git

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/internal/gitobj"
)

func FuzzConfig(f *testing.F) {
	for _, s := range []string{
		"", "[core]\n\tbare = true\n", "[remote \"o\\\"r\"]\r\n url = a\\\r\n b # c\n", "[a.b]\nc\n", "[x] y = \"a ; b\" c ; d", "\ufeff[x]\ny=\\n\\t\\b\\\\\\\"\n", "[x]\ny = \x00", "[", "[a \"", "a=b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseConfig(text)
		if err != nil {
			return
		}
		for _, s := range c {
			if s.section == "" || s.key == "" || s.key != strings.ToLower(s.key) {
				t.Errorf("%q gives the setting %+v", text, s)
			}
		}
	})
}

func FuzzPackedRefs(f *testing.F) {
	id := strings.Repeat("1a", 20)
	f.Add([]byte("# pack-refs with: peeled fully-peeled sorted \n"+id+" refs/heads/main\n"+id+" refs/tags/v1\n^"+id+"\n"), "refs/tags/v1")
	f.Add([]byte(id+" refs/heads/main"), "refs/heads/main")
	f.Add([]byte("x refs/heads/main\n"), "refs/heads/main")
	f.Fuzz(func(t *testing.T, b []byte, name string) {
		if !validRef(name) {
			return
		}
		if filepath.IsLocal(filepath.FromSlash(name)) == false {
			t.Fatalf("the reference %q leads out of the folder", name)
		}
		for _, format := range []gitobj.Format{gitobj.SHA1, gitobj.SHA256} {
			id, err := findPacked(b, name, format)
			if err == nil && !id.IsZero() && !bytes.Contains(bytes.ToLower(b), []byte(id.String()+" ")) {
				t.Errorf("%q has no id %s", b, id)
			}
		}
	})
}

func FuzzIndex(f *testing.F) {
	for _, s := range []uint32{2, 3, 4} {
		f.Add(sampleIndex(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, format := range []gitobj.Format{gitobj.SHA1, gitobj.SHA256} {
			b := slices.Clone(b)
			if len(b) > format.Size() {
				clear(b[len(b)-format.Size():]) // no checksum
			}
			list, err := parseIndex(b, format)
			if err != nil {
				continue
			}
			for i, e := range list {
				if !filepath.IsLocal(filepath.FromSlash(e.path)) {
					t.Errorf("the path %q leads out of the working tree", e.path)
				}
				if i > 0 && e.path < list[i-1].path {
					t.Errorf("%q behind %q", e.path, list[i-1].path)
				}
			}
		}
	})
}

func FuzzMemory(f *testing.F) {
	l := &Layout{WorkTree: "/w", GitDir: "/w/.git"}
	o := newOthers(l)
	o.folders["a/"] = &otherFolder{stamp: stamp{there: true, bytes: 1 << 40}, ruled: stamp{there: true}, files: []string{"x", ""}, folders: []string{"y"}}
	o.folders[""] = &otherFolder{stamp: stamp{there: true, exec: true}, folders: []string{"a"}}
	f.Add(o.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		o := newOthers(l)
		o.decode(b)
		again := newOthers(l)
		again.decode(o.encode())
		if len(again.folders) != len(o.folders) || again.settled != o.settled {
			t.Fatalf("%d folders, written and read %d", len(o.folders), len(again.folders))
		}
		for path, f := range o.folders {
			if g := again.folders[path]; g == nil || g.stamp != f.stamp || g.ruled != f.ruled || !slices.Equal(g.files, f.files) || !slices.Equal(g.folders, f.folders) {
				t.Fatalf("%q: %+v, written and read %+v", path, f, g)
			}
		}
	})
}

// sampleIndex writes a small index.
func sampleIndex(version uint32) []byte {
	b := []byte("DIRC")
	b = binary.BigEndian.AppendUint32(b, version)
	b = binary.BigEndian.AppendUint32(b, 2)
	last := ""
	for _, path := range []string{"dir/a", "dir/bc"} {
		start := len(b)
		b = append(b, make([]byte, 24)...)
		b = binary.BigEndian.AppendUint32(b, ModeFile)
		b = append(b, make([]byte, 12+20)...)
		flags := uint16(len(path))
		if version > 2 {
			flags |= 0x4000
		}
		b = binary.BigEndian.AppendUint16(b, flags)
		if version > 2 {
			b = append(b, 0x40, 0)
		}
		if version == 4 {
			b = append(b, byte(len(last)))
			b = append(append(b, path...), 0)
			last = path
			continue
		}
		b = append(b, path...)
		b = append(b, make([]byte, 8-(len(b)-start)%8)...)
	}
	b = append(b, "TREE\x00\x00\x00\x01x"...)
	return append(b, make([]byte, 20)...)
}

func FuzzLooseObject(f *testing.F) {
	for _, s := range []string{"blob 3\x00abc", "tree 0\x00", "blob 99\x00abc", "blob -1\x00", "commit x\x00", "blob 99999999999\x00", strings.Repeat("x", 99)} {
		f.Add(compress([]byte(s)))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, b := range [][]byte{b, compress(b)} {
			file := filepath.Join(dir, fmt.Sprint("object", os.Getpid()))
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			u := newUnpacker(&objectStore{format: gitobj.SHA1})
			typ, content, err := u.loose(file, nil)
			typ2, size, err2 := u.looseInfo(file)
			if err == nil && (err2 != nil || typ != typ2 || size != int64(len(content))) {
				t.Errorf("content %q %d, and info %q %d %v", typ, len(content), typ2, size, err2)
			}
		}
	})
}

func compress(b []byte) []byte {
	var buf bytes.Buffer
	w := zlib.NewWriter(&buf)
	w.Write(b)
	w.Close()
	return buf.Bytes()
}

// memoryPack is a pack in memory.
type memoryPack struct{ *bytes.Reader }

func (memoryPack) Close() error { return nil }

// samplePack writes a pack of a blob and two deltas, one by distance and one
// by id, and its index.
func samplePack() (packed, index []byte) {
	base := []byte("the base of the deltas\n")
	delta := append([]byte{byte(len(base)), byte(len(base) + 3), 0x90, byte(len(base)), 3}, "new"...)
	ids := [][]byte{gitobj.Hash(gitobj.SHA1, "blob", base).Bytes(), bytes.Repeat([]byte{0x80}, 20), bytes.Repeat([]byte{0xff}, 20)}
	packed = []byte("PACK\x00\x00\x00\x02\x00\x00\x00\x03")
	offsets := []int{len(packed)}
	packed = append(packed, 0x80|packBlob<<4|byte(len(base)&15), byte(len(base)>>4))
	packed = append(packed, compress(base)...)
	offsets = append(offsets, len(packed))
	packed = append(packed, packOfs<<4|byte(len(delta)), byte(offsets[1]-offsets[0]))
	packed = append(packed, compress(delta)...)
	offsets = append(offsets, len(packed))
	packed = append(packed, packRef<<4|byte(len(delta)))
	packed = append(append(packed, ids[0]...), compress(delta)...)
	packed = append(packed, make([]byte, 20)...)

	order := []int{0, 1, 2}
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(ids[a], ids[b]) })
	index = []byte("\377tOc\x00\x00\x00\x02")
	for i := range 256 {
		n := 0
		for _, id := range ids {
			if int(id[0]) <= i {
				n++
			}
		}
		index = binary.BigEndian.AppendUint32(index, uint32(n))
	}
	for _, i := range order {
		index = append(index, ids[i]...)
	}
	index = append(index, make([]byte, 4*3)...)
	for _, i := range order {
		index = binary.BigEndian.AppendUint32(index, uint32(offsets[i]))
	}
	return packed, append(index, make([]byte, 40)...)
}

func openMemoryPack(packed, index []byte, f gitobj.Format) (*pack, error) {
	x, err := parsePackIndex(index, f)
	if err != nil {
		return nil, err
	}
	p := &pack{x: x, f: memoryPack{bytes.NewReader(packed)}, size: int64(len(packed))}
	p.once.Do(func() {})
	return p, p.checkHead()
}

func TestSamplePack(t *testing.T) {
	packed, index := samplePack()
	p, err := openMemoryPack(packed, index, gitobj.SHA1)
	if err != nil {
		t.Fatal(err)
	}
	u := newUnpacker(&objectStore{format: gitobj.SHA1})
	for _, id := range [][]byte{bytes.Repeat([]byte{0x80}, 20), bytes.Repeat([]byte{0xff}, 20)} {
		at, ok := p.x.find(id)
		if !ok {
			t.Fatal("an object of the sample is not found")
		}
		typ, b, err := u.packed(p, at, []byte("> "))
		if err != nil || typ != "blob" || string(b) != "> the base of the deltas\nnew" {
			t.Errorf("got %q %q %v", typ, b, err)
		}
	}
}

func FuzzPack(f *testing.F) {
	packed, index := samplePack()
	f.Add(packed, index)
	f.Add(packed, append(make([]byte, 1024), index...))
	f.Fuzz(func(t *testing.T, packed, index []byte) {
		for _, format := range []gitobj.Format{gitobj.SHA1, gitobj.SHA256} {
			p, err := openMemoryPack(packed, index, format)
			if err != nil {
				continue
			}
			u := newUnpacker(&objectStore{format: format})
			for i := range min(p.x.n, 16) {
				id := p.x.id(i)
				at, ok := p.x.find(id)
				if !ok {
					continue
				}
				typ, content, err := u.packed(p, at, nil)
				typ2, size, err2 := u.packedInfo(p, at)
				if err == nil && (err2 != nil || typ != typ2 || size != int64(len(content))) {
					t.Errorf("content %q %d, and info %q %d %v", typ, len(content), typ2, size, err2)
				}
			}
		}
	})
}

func FuzzDelta(f *testing.F) {
	f.Add([]byte("base"), []byte{4, 8, 0x90, 4, 4, 'm', 'o', 'r', 'e'})
	f.Add([]byte("base"), []byte{4, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x90, 4})
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		out, err := applyDelta([]byte("> "), base, delta)
		if !bytes.HasPrefix(out, []byte("> ")) {
			t.Errorf("lost what was there: %q", out)
		}
		if _, size, _, e := deltaSizes(delta); err == nil && (e != nil || size != int64(len(out)-2)) {
			t.Errorf("made %d bytes instead of %d", len(out)-2, size)
		}
	})
}

func FuzzTreeAndCommit(f *testing.F) {
	blob := strings.Repeat("b", 20)
	f.Add([]byte("100644 a\x00" + blob + "40000 d\x00" + blob))
	f.Add([]byte("tree " + strings.Repeat("0", 40) + "\nparent " + strings.Repeat("1", 40) + "\ncommitter A <a> 1 +0000\n\nx"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, format := range []gitobj.Format{gitobj.SHA1, gitobj.SHA256} {
			entries, err := walkTree(context.Background(), gitobj.Hash(format, "tree", b), func(ids []gitobj.ID, fn func(int, []byte) error) error {
				for i, id := range ids {
					raw := b
					if id != gitobj.Hash(format, "tree", b) {
						raw = nil
					}
					if err := fn(i, raw); err != nil {
						return err
					}
				}
				return nil
			}, nil)
			if err == nil {
				err = sortEntries(gitobj.ID{}, entries)
			}
			if err == nil {
				for _, e := range entries {
					if e.Path == "" || e.Path[0] == '/' || strings.IndexByte(e.Path, 0) >= 0 {
						t.Errorf("the path %q", e.Path)
					}
				}
			}
			if c, err := ParseCommit(gitobj.Hash(format, "commit", b), b); err == nil && (c.Tree.IsZero() && !bytes.Contains(b, []byte(strings.Repeat("0", 40))) || c.Unix < 0) {
				t.Errorf("commit %+v", c)
			}
			parseTag(format, b)
		}
	})
}

func FuzzCleanURL(f *testing.F) {
	for _, s := range []string{"https://u:p@h/x", "ssh://git@h:22/x", "git@h:x", "https://h/@x", "ext::sh -c x", "a::b::https://u@h", "https://u:p/q@h/x?token=1#y", "file:///x", "://", "http://[::1]:80/x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := CleanURL(s)
		if again := CleanURL(c); again != c {
			t.Errorf("%q becomes %q and then %q", s, c, again)
		}
	})
}

func FuzzAttributes(f *testing.F) {
	f.Add([]byte("*.txt text eol=crlf\n\"a b\" filter=x\n[attr]y ident\n"), "a.txt")
	f.Fuzz(func(t *testing.T, b []byte, name string) { match(parseAttributes(b), name) })
}

func FuzzRevision(f *testing.F) {
	for _, s := range []string{"HEAD~1^2", "HEAD^{commit}", "v1^{}~3", "@", "a@{1}", ":/x", "abcd", "HEAD^{/x}", "~", "^{}", "HEAD^^^"} {
		f.Add(s)
	}
	l := &Layout{GitDir: f.TempDir(), CommonDir: f.TempDir(), Format: gitobj.SHA1}
	f.Fuzz(func(t *testing.T, rev string) {
		id, err := l.Resolve(context.Background(), nothing{}, rev)
		if err == nil {
			t.Errorf("%q is %s in a repository of nothing", rev, id)
		}
	})
}

// nothing implements Objects.
type nothing struct{}

func (nothing) Object(id gitobj.ID) (string, []byte, error)    { return "", nil, NewMissing(id) }
func (nothing) Abbreviated(prefix string) ([]gitobj.ID, error) { return nil, nil }

var _ io.ReaderAt = memoryPack{}
