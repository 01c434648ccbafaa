package compile

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/git/gogit"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// lyingRepo is a repository whose blobs are not what they are called.
type lyingRepo struct{ git.Repository }

type lyingBlobs struct{ git.BlobReader }

func (l *lyingRepo) Blobs(ctx context.Context) (git.BlobReader, error) {
	b, err := l.Repository.Blobs(ctx)
	return lyingBlobs{b}, err
}

func (l lyingBlobs) Read(id gitobj.ID, dst []byte) ([]byte, error) {
	n := len(dst)
	dst, err := l.BlobReader.Read(id, dst)
	if len(dst) > n {
		dst[n] ^= 1
	}
	return dst, err
}

// TestSameDigest compiles one commit in every way there is: one digest.
func TestSameDigest(t *testing.T) {
	tr := smallTree()
	for i := range 400 { // above two thresholds of k
		tr[fmt.Sprintf("gen/%d/f%d.py", i%5, i)] = text(fmt.Sprintf("def gen%d(a, b):\n    return a + b + %d\n", i, i))
	}
	r := newRepo(t)
	id := r.commit(tr)
	copied := newRepo(t) // elsewhere, and packed another way
	copied.run(nil, "fetch", "--quiet", r.dir, "main:main")
	copied.run(nil, "repack", "-a", "-d", "-f", "--quiet", "--window=0")

	_, want := compileRepo(t, r)
	if want.Manifest.PartitionBits != 2 || len(want.Manifest.Partitions) < 80 {
		t.Fatalf("k is %d, with %d partitions", want.Manifest.PartitionBits, len(want.Manifest.Partitions))
	}
	embedded, err := gogit.Open(context.Background(), r.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer embedded.Close()
	for name, change := range map[string]func(*Options){
		"1 worker in process":  func(o *Options) { o.InProcess, o.Workers = true, 1 },
		"3 workers in process": func(o *Options) { o.InProcess, o.Workers = true, 3 },
		"1 worker":             func(o *Options) { o.Workers = 1 },
		"2 workers":            func(o *Options) { o.Workers = 2 },
		"another folder":       func(o *Options) { o.Repo = copied.open() },
		"go-git":               func(o *Options) { o.Repo = embedded },
		"by name":              func(o *Options) { o.Rev = "main" },
		"by hash":              func(o *Options) { o.Rev = id },
	} {
		_, got, err := inWorkers(t, r, change)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got.Digest != want.Digest {
			t.Errorf("%s gives another digest: %s", name, difference(want.Manifest, got.Manifest))
		}
	}
	sha256 := newRepo(t, "--object-format=sha256")
	sha256.commit(smallTree())
	_, res := compileRepo(t, sha256)
	if res.Manifest.ObjectFormat != "sha256" || len(res.Manifest.Commit) != 64 {
		t.Errorf("%s %s", res.Manifest.ObjectFormat, res.Manifest.Commit)
	}
}

// difference names the first difference of two manifests.
func difference(a, b *artifact.Manifest) string {
	for n := range a.Partitions {
		if n >= len(b.Partitions) {
			return "partitions are missing"
		}
		if !reflect.DeepEqual(a.Partitions[n], b.Partitions[n]) {
			return fmt.Sprintf("partition %d: %+v, %+v", n, a.Partitions[n], b.Partitions[n])
		}
	}
	return fmt.Sprintf("%+v\n%+v", a, b)
}

// TestRandomHistories reaches random trees by different histories and
// compiles each: equal trees give equal segments and, but for the commit,
// equal manifests; and where one file changes, the other partitions stay.
func TestRandomHistories(t *testing.T) {
	for seed := range *long {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			g := &generator{rand.New(rand.NewPCG(uint64(seed), 7))}
			files := 1 + g.IntN(40)
			if seed%3 == 2 {
				files = 330 + g.IntN(400)
			}
			target := g.tree(files)
			direct := newRepo(t)
			direct.commit(target)
			_, want := compileRepo(t, direct)

			winding := newRepo(t)
			last := winding.wind(g, target)
			_, got := compileRepo(t, winding)
			compareSegments(t, want.Manifest, got.Manifest)

			// One more change, and back again.
			changed := g.mutate(target, 1)
			mid := winding.commit(changed, last)
			_, other := compileRepo(t, winding)
			compareOthers(t, len(target), want.Manifest, other.Manifest)
			winding.commit(target, mid)
			_, back := compileRepo(t, winding)
			compareSegments(t, want.Manifest, back.Manifest)
		})
	}
}

// compareSegments wants everything equal but the commit.
func compareSegments(t *testing.T, want, got *artifact.Manifest) {
	t.Helper()
	a, b := *want, *got
	a.Commit, b.Commit, a.CommitObject, b.CommitObject = "", "", nil, nil
	if !reflect.DeepEqual(a, b) {
		t.Errorf("one tree gives two indexes: %s", difference(&a, &b))
	}
}

// compareOthers wants equal segments for equal keys, and for every partition
// whose files did not change.
func compareOthers(t *testing.T, files int, was, is *artifact.Manifest) {
	t.Helper()
	known := map[artifact.Digest]artifact.SegmentInfo{}
	for _, p := range was.Partitions {
		for _, s := range p.Segments {
			known[s.Key] = s
		}
	}
	fresh := 0
	for _, p := range is.Partitions {
		new := false
		for _, s := range p.Segments {
			if old, ok := known[s.Key]; !ok {
				new = true
			} else if old != s {
				t.Errorf("one key has two segments: %+v, %+v", old, s)
			}
		}
		if new {
			fresh++
		}
	}
	if was.PartitionBits == is.PartitionBits && fresh > 2 {
		t.Errorf("a change of one file of %d changes %d of %d partitions", files, fresh, len(is.Partitions))
	}
}

// wind reaches the tree by a random history, with merges, on main.
func (r *testRepo) wind(g *generator, target tree) (last string) {
	r.t.Helper()
	at := g.tree(1 + g.IntN(20))
	last = r.commitOn("refs/heads/main", "start", at)
	for i := range 1 + g.IntN(3) {
		at = g.mutate(at, 1+g.IntN(5))
		if g.IntN(2) == 0 {
			side := r.commitOn("refs/heads/side", fmt.Sprint("side ", i), g.mutate(at, 2), last)
			last = r.commitOn("refs/heads/main", fmt.Sprint("merge ", i), at, last, side)
		} else {
			last = r.commitOn("refs/heads/main", fmt.Sprint("step ", i), at, last)
		}
	}
	if g.IntN(2) == 0 {
		r.run(nil, "gc", "--quiet")
	}
	return r.commitOn("refs/heads/main", "arrive", target, last)
}

// generator makes random trees.
type generator struct{ *rand.Rand }

func (g *generator) tree(n int) tree {
	t := tree{}
	for len(t) < n {
		t[g.path()] = g.entry()
	}
	for p := range t { // a file's name cannot be a folder's
		for i := range p {
			if p[i] == '/' {
				delete(t, p[:i])
			}
		}
	}
	return t
}

func (g *generator) path() string {
	parts := []string{}
	for range g.IntN(3) {
		parts = append(parts, fmt.Sprint("d", g.IntN(5)))
	}
	ext := []string{".py", ".go", ".md", ".ts", ".yaml", "", ".rs", ".txt", ".c"}[g.IntN(9)]
	return strings.Join(append(parts, fmt.Sprint("f", g.IntN(1000), ext)), "/")
}

func (g *generator) entry() entry {
	words := []string{"alpha", "beta", "httpServer", "parse_it", "x", "Zeta"}
	w := func() string { return words[g.IntN(len(words))] + fmt.Sprint(g.IntN(50)) }
	var b strings.Builder
	for range g.IntN(6) {
		switch g.IntN(5) {
		case 0:
			fmt.Fprintf(&b, "def %s(%s):\n    return %s(1)\n\n", w(), w(), w())
		case 1:
			fmt.Fprintf(&b, "func %s(%s int) { %s() }\n\n", w(), w(), w())
		case 2:
			fmt.Fprintf(&b, "# %s %s\n\n%s %s.\n", w(), w(), w(), w())
		case 3:
			fmt.Fprintf(&b, "class %s:\n    def %s(self): pass\n", w(), w())
		default:
			fmt.Fprintf(&b, "%s: %s\r\n", w(), w())
		}
	}
	switch g.IntN(20) {
	case 0:
		return entry{mode: modeSymlink, content: w()}
	case 1:
		return entry{mode: modeModule, content: strings.Repeat("a1", 20)}
	case 2:
		return text("\x00" + w())
	case 3:
		return entry{mode: 0o100755, content: "#!/usr/bin/env python\n" + b.String()}
	}
	return text(b.String())
}

// mutate adds, changes or removes n files.
func (g *generator) mutate(t tree, n int) tree {
	t = maps.Clone(t)
	for range n {
		paths := slices.Sorted(maps.Keys(t))
		switch p := paths[g.IntN(len(paths))]; g.IntN(3) {
		case 0:
			if len(t) > 1 {
				delete(t, p)
			}
		case 1:
			t[p] = g.entry()
		default:
			added := g.path()
			free := true
			for _, q := range paths {
				free = free && !strings.HasPrefix(q, added+"/") && !strings.HasPrefix(added, q+"/")
			}
			if free {
				t[added] = g.entry()
			}
		}
	}
	return t
}
