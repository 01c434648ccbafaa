package git_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/git/gittest"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// benchRepo returns the repository that PINDEX_BENCH_REPO names, or a made
// one of 4,000 files in 400 folders.
func benchRepo(b *testing.B) string {
	b.Helper()
	gittest.Isolate(b)
	if dir := os.Getenv("PINDEX_BENCH_REPO"); dir != "" {
		return dir
	}
	r := gittest.Init(b)
	var in strings.Builder
	in.WriteString("commit refs/heads/main\ncommitter A <a@b> 1700000000 +0000\ndata 1\nx\n")
	for i := range 4000 {
		text := strings.Repeat(fmt.Sprintf("line of file %d\n", i), 1+i*7%400)
		fmt.Fprintf(&in, "M 100644 inline dir%d/sub%d/file%d.txt\ndata %d\n%s\n", i%20, i%400, i, len(text), text)
	}
	r.GitIn([]byte(in.String()), "fast-import", "--quiet")
	r.Git("reset", "-q", "--hard")
	return r.Dir
}

var backends = []struct {
	name string
	open git.Opener
}{{"git", openProgram}, {"minimal", openMinimal}}

func BenchmarkOpenAndResolve(b *testing.B) {
	dir := benchRepo(b)
	for _, be := range backends {
		b.Run(be.name, func(b *testing.B) {
			for b.Loop() {
				r, err := be.open(context.Background(), dir)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := r.Resolve(context.Background(), "HEAD"); err != nil {
					b.Fatal(err)
				}
				r.Close()
			}
		})
	}
}

func BenchmarkTree(b *testing.B) {
	dir := benchRepo(b)
	for _, be := range backends {
		b.Run(be.name, func(b *testing.B) {
			r, id, _ := openBench(b, be.open, dir)
			for b.Loop() {
				if _, err := r.Tree(context.Background(), id); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func openBench(b *testing.B, open git.Opener, dir string) (git.Repository, gitobj.ID, []git.Entry) {
	b.Helper()
	r, err := open(context.Background(), dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close() })
	id, err := r.Resolve(context.Background(), "HEAD")
	if err != nil {
		b.Fatal(err)
	}
	entries, err := r.Tree(context.Background(), id)
	if err != nil {
		b.Fatal(err)
	}
	return r, id, entries
}

func BenchmarkBlobs(b *testing.B) {
	dir := benchRepo(b)
	for _, be := range backends {
		b.Run(be.name, func(b *testing.B) {
			r, _, entries := openBench(b, be.open, dir)
			var ids []gitobj.ID
			var total int64
			for _, e := range entries {
				if e.Mode != git.ModeSubmodule {
					ids = append(ids, e.ID)
					total += e.Size
				}
			}
			b.SetBytes(total)
			var buf []byte
			for b.Loop() {
				blobs, err := r.Blobs(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				git.Expect(blobs, ids)
				for _, id := range ids {
					if buf, err = blobs.Read(id, buf[:0]); err != nil {
						b.Fatal(err)
					}
				}
				blobs.Close()
			}
		})
	}
}

func BenchmarkChanged(b *testing.B) {
	dir := benchRepo(b)
	_, _, entries := openBench(b, openMinimal, dir)
	l, err := git.FindLayout(dir)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := l.Changed(context.Background(), entries); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFollow compares a working tree again and again in which nothing
// changes, and in which one file does.
func BenchmarkFollow(b *testing.B) {
	dir := benchRepo(b)
	m, err := git.OpenMinimal(b.Context(), dir)
	if err != nil {
		b.Fatal(err)
	}
	id, err := m.Resolve(b.Context(), "HEAD")
	if err != nil {
		b.Fatal(err)
	}
	tree, err := m.Tree(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	m.Close()
	look := func(b *testing.B, f *git.Follower) {
		if _, _, err := f.Changes(b.Context(), tree, 1000); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			look(b, git.NewFollower(dir, git.Options{}))
		}
	})
	b.Run("again", func(b *testing.B) {
		f := git.NewFollower(dir, git.Options{})
		for b.Loop() {
			look(b, f)
		}
	})
	b.Run("git ls-files", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("git", "-C", dir, "ls-files", "-z", "--others", "--exclude-standard").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
