package fetch

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/artifact"
)

func TestDerived(t *testing.T) {
	c := OpenCache(t.TempDir())
	if b := c.Derived("a"); b != nil {
		t.Fatalf("%q before anything was kept", b)
	}
	for _, content := range []string{"first", "", "second, which takes its place"} {
		c.Keep("a", []byte(content))
		// Another process has another Cache.
		if b := OpenCache(c.Dir()).Derived("a"); b == nil || string(b) != content {
			t.Fatalf("got %q, kept %q", b, content)
		}
	}
	if b := c.Derived("b"); b != nil {
		t.Fatalf("%q under another name", b)
	}
	usage, err := c.Usage(t.Context())
	if err != nil || usage["derived"].Files != 1 {
		t.Fatalf("%v, %v", usage, err)
	}
	if _, err := c.Prune(t.Context(), PruneOptions{MaxBytes: 0}); err != nil {
		t.Fatal(err)
	}
	if b := c.Derived("a"); b != nil {
		t.Fatalf("%q after it was pruned", b)
	}
	if len(c.Notes()) > 0 {
		t.Fatal(c.Notes())
	}
}

// TestDerivedDamaged changes every bit of a file, cuts it everywhere, puts
// another one in its place, and wants nothing back.
func TestDerivedDamaged(t *testing.T) {
	c := OpenCache(t.TempDir())
	c.Keep("a", []byte("content"))
	c.Keep("b", []byte("content"))
	path := func(name string) string { return c.path(derived, artifact.DigestOf([]byte(name))) }
	good, err := os.ReadFile(path("a"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(path("b"))
	if err != nil {
		t.Fatal(err)
	}
	bad := [][]byte{other, append(bytes.Clone(good), 0)}
	for i := range good {
		bad = append(bad, good[:i])
		for bit := range 8 {
			b := bytes.Clone(good)
			b[i] ^= 1 << bit
			bad = append(bad, b)
		}
	}
	for _, b := range bad {
		os.Remove(path("a"))
		if err := os.WriteFile(path("a"), b, 0o400); err != nil {
			t.Fatal(err)
		}
		if got := c.Derived("a"); got != nil {
			t.Fatalf("%q of %q", got, b)
		}
	}
	os.Remove(path("a"))
	if err := os.Mkdir(path("a"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := c.Derived("a"); got != nil {
		t.Fatalf("%q of a folder", got)
	}
	c.Keep("a", []byte("x")) // cannot be written, which is no matter
	if len(c.Notes()) > 0 {
		t.Fatal(c.Notes())
	}
	os.Remove(path("a"))
	c.Keep("a", []byte("x"))
	if got := c.Derived("a"); string(got) != "x" {
		t.Fatalf("%q after damage was replaced", got)
	}
}

// TestDerivedTogether has many write, read and delete one file.
func TestDerivedTogether(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			c := OpenCache(dir)
			content := bytes.Repeat([]byte{byte('a' + i)}, 1000*(i+1))
			for ctx.Err() == nil {
				c.Keep("n", content)
				if b := c.Derived("n"); b != nil && (len(b) == 0 || !bytes.Equal(b, bytes.Repeat(b[:1], 1000*(int(b[0]-'a')+1)))) {
					t.Errorf("%d bytes of a mixture", len(b))
				}
				if i == 0 {
					os.Remove(c.path(derived, artifact.DigestOf([]byte("n"))))
				}
			}
		})
	}
	wg.Wait()
	left := 0
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			left++
		}
		return err
	}); err != nil || left > 1 {
		t.Error(fmt.Errorf("%d files are left, %w", left, err))
	}
}

// TestDerivedWithoutCache: a cache that cannot be used keeps nothing and says
// nothing of it.
func TestDerivedWithoutCache(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := OpenCache(filepath.Join(file, "cache"))
	notes := len(c.Notes())
	c.Keep("a", []byte("x"))
	if b := c.Derived("a"); b != nil || len(c.Notes()) != notes {
		t.Fatalf("%q, %q", b, c.Notes())
	}
}
