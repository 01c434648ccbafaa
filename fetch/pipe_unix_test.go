//go:build unix

package fetch

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
)

// TestPipes puts pipes that nobody writes to in the place of the cache's files:
// to open one would last for ever.
func TestPipes(t *testing.T) {
	c := OpenCache(t.TempDir())
	c.Keep("a", []byte("content"))
	path := c.path(derived, artifact.DigestOf([]byte("a")))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := c.Derived("a"); got != nil {
		t.Errorf("%q of a pipe", got)
	}
	other := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(other, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openMapped(other, 1); err == nil {
		t.Error("a pipe was mapped")
	}
}
