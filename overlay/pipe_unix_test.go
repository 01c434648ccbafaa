//go:build unix

package overlay

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/pindex-dev/pindex/git"
)

// TestReplacedMeanwhile: what takes a changed file's place between its two
// readings is found out, and not waited for.
func TestReplacedMeanwhile(t *testing.T) {
	ctx := context.Background()
	w := newWork(t, map[string]string{"a.go": "package a\n"})
	for what, place := range map[string]func(path string) error{
		"pipe":    func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"folder":  func(path string) error { return os.Mkdir(path, 0o755) },
		"loop":    func(path string) error { return os.Symlink("a.go", path) },
		"device":  func(path string) error { return os.Symlink(os.DevNull, path) },
		"nothing": func(string) error { return nil },
	} {
		full := filepath.Join(w.dir, "a.go")
		if err := os.RemoveAll(full); err != nil {
			t.Fatal(err)
		}
		w.write("a.go", "package changed\n")
		tr, err := newTree(ctx, &Request{
			Repo: w.repo, Commit: w.head(), WorkTree: w.dir,
			Changes: []git.Change{{Path: "a.go", Kind: git.Modified, Mode: git.ModeFile}},
		})
		if err != nil {
			t.Fatal(err)
		}
		blobs, err := tr.Blobs(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(full); err != nil {
			t.Fatal(err)
		}
		if err := place(full); err != nil {
			t.Fatal(err)
		}
		if _, err := blobs.Read(tr.entries[0].ID, nil); !errors.Is(err, ErrMoved) {
			t.Errorf("%s: %v", what, err)
		}
		if err := blobs.Close(); err != nil {
			t.Error(err)
		}
	}
}
