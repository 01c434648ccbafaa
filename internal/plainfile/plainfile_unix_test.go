//go:build unix

package plainfile_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/pindex-dev/pindex/internal/plainfile"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	file, fifo := filepath.Join(dir, "file"), filepath.Join(dir, "fifo")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("fifo", link); err != nil {
		t.Fatal(err)
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fifo, link, loop, dir, os.DevNull, filepath.Join(file, "below")} {
		if f, err := plainfile.Open(path); err == nil {
			_ = f.Close()
			t.Errorf("%s opens", path)
		}
	}
	f, err := plainfile.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
}
