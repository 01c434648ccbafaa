//go:build unix

package git_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/git/gittest"
)

func pipe(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestPipes puts pipes that nobody writes to where files of the working tree
// are read: to open one would last for ever.
func TestPipes(t *testing.T) {
	gittest.Isolate(t)
	r := tracked(t)
	r.Write("a.txt", "another content\n")
	pipe(t, filepath.Join(r.Dir, ".gitattributes"))
	pipe(t, filepath.Join(r.Dir, ".gitignore"))
	pipe(t, filepath.Join(r.Dir, "dir", ".gitattributes"))
	pipe(t, filepath.Join(r.Dir, "b.txt"))
	if err := os.Remove(filepath.Join(r.Dir, "z")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("b.txt", filepath.Join(r.Dir, "z")); err != nil {
		t.Fatal(err)
	}
	// Nothing is known of the conversions that a pipe might ask for.
	want := []string{"modified a.txt converted", "deleted b.txt", "modified z 120000"}
	if got := changed(t, r, "HEAD"); !slices.Equal(got, want) {
		t.Errorf("changed: %q, not %q", got, want)
	}
	others, err := git.Untracked(context.Background(), r.Dir, git.Options{})
	if err != nil || len(others) != 0 {
		t.Errorf("untracked: %q, %v", others, err)
	}
}
