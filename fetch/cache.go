package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/fail"
)

// DirEnv names the environment variable that moves the cache, and with it
// the default local store.
const DirEnv = "PINDEX_CACHE_DIR"

// StoreDir is the folder of the default local store inside the cache folder.
const StoreDir = "store"

// kind is one of the cache's folders.
type kind string

const (
	partitions kind = "part"
	manifests  kind = "manifest"
	models     kind = "model"
	tags       kind = "tag"
	derived    kind = "derived"
)

var kinds = []kind{partitions, manifests, models, tags, derived}

// Cache holds verified files by digest. It is safe for concurrent use, and
// any number of processes may use one folder. A cache that cannot be written
// to, or not even read, is no error: then less is found in it, and Notes
// tells why.
type Cache struct {
	dir  string // "" when there is none
	boot time.Time

	mu       sync.Mutex
	readable bool
	broken   error // why nothing is written any more
	made     map[string]bool
	models   map[artifact.Digest][]byte // mapped for good
	notes    []string
}

// DefaultDir returns the cache folder of this user: $PINDEX_CACHE_DIR, else
// pindex in the user's cache folder. It does not create it.
func DefaultDir() (string, error) {
	if dir := os.Getenv(DirEnv); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "pindex"), nil
}

// OpenCache opens the cache in dir, "" being DefaultDir. It creates nothing
// until something is written.
func OpenCache(dir string) *Cache {
	c := &Cache{boot: bootTime(), made: make(map[string]bool), models: make(map[artifact.Digest][]byte)}
	if dir == "" {
		var err error
		if dir, err = DefaultDir(); err != nil {
			c.fail(err)
			return c
		}
	}
	c.dir = dir
	c.readable = true
	for _, k := range kinds {
		// A folder that is not there is made when it is needed.
		if err := private(filepath.Join(dir, string(k))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			c.readable = false
			c.fail(fmt.Errorf("%s: %w", filepath.Join(dir, string(k)), err))
		}
	}
	return c
}

// Dir returns the cache's folder, "" when there is none.
func (c *Cache) Dir() string { return c.dir }

// Notes returns, in words for the user, why the cache is not used as it
// should be; nothing when all is well.
func (c *Cache) Notes() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.notes...)
}

// fail stops all writing to the cache, for the first reason given.
func (c *Cache) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil {
		return
	}
	c.broken = err
	remedy := "name another folder with " + DirEnv
	switch {
	case durable.IsFull(err):
		remedy = "free some room there, or " + remedy
	case durable.IsDenied(err):
		remedy = "make it writable, or " + remedy
	}
	c.notes = append(c.notes, fmt.Sprintf(
		"the cache %s cannot be written to, so index files are unpacked into memory each time: %v (%s)", c.dir, err, remedy))
}

// err returns why nothing is written any more.
func (c *Cache) err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fail.Wrap(fail.Network, c.broken, "free room, make it writable, or name another folder with "+DirEnv,
		"the cache %s cannot be written to", c.dir)
}

// writable reports whether writing has not failed yet.
func (c *Cache) writable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broken == nil
}

func (c *Cache) path(k kind, d artifact.Digest) string {
	h := d.Hex()
	return filepath.Join(c.dir, string(k), h[:2], h)
}

// mapping is the content of a file, in mapped memory or on the heap.
type mapping struct {
	data   []byte
	mapped bool
}

var (
	errMiss      = errors.New("not in the cache")
	errWrongSize = errors.New("not a file of the expected size")
)

// open returns the file with the given name and size, errMiss when it is not
// there or cannot be right. With always, or when the file may be what a power
// loss left, its content has to pass verify; else only its size is looked at.
func (c *Cache) open(k kind, name artifact.Digest, size int64, always bool, verify func(data []byte) bool) (mapping, error) {
	if !c.readable {
		return mapping{}, errMiss
	}
	path := c.path(k, name)
	m, written, err := openMapped(path, size)
	if err != nil {
		return mapping{}, errMiss
	}
	old := written.Before(c.boot)
	if !always && !old {
		c.used(path, written)
		return m, nil
	}
	whole := false
	if err := artifact.Guard(func() error { whole = verify(m.data); return nil }); err != nil || !whole {
		m.close()
		return mapping{}, errMiss
	}
	if old {
		// Stamped, so that it is not verified again before the next start.
		now := time.Now()
		os.Chtimes(path, now, now)
	} else {
		c.used(path, written)
	}
	return m, nil
}

// has reports whether the file is there and open would not verify it.
func (c *Cache) has(k kind, name artifact.Digest, size int64) bool {
	if !c.readable {
		return false
	}
	info, err := os.Lstat(c.path(k, name))
	return err == nil && info.Mode().IsRegular() && info.Size() == size && !info.ModTime().Before(c.boot)
}

// put writes a file whose content the caller has verified. It reports whether
// it is in the cache now; a failure to write is noted and ends all writing.
func (c *Cache) put(k kind, name artifact.Digest, write func(io.Writer) error) bool {
	if !c.writable() {
		return false
	}
	if err := c.tryPut(k, name, write); err != nil {
		c.fail(err)
		return false
	}
	return true
}

// tryPut is put without the note.
func (c *Cache) tryPut(k kind, name artifact.Digest, write func(io.Writer) error) error {
	if !c.readable {
		return errMiss
	}
	path := c.path(k, name)
	if err := c.makeDir(k, filepath.Dir(path)); err != nil {
		return err
	}
	return durable.Replace(path, 0o400, write)
}

// drop removes a file that another one has taken the place of. Who has it
// mapped keeps it; where that forbids removing it, it stays until the cache is
// pruned.
func (c *Cache) drop(k kind, name artifact.Digest) {
	if c.readable && c.writable() {
		os.Remove(c.path(k, name))
	}
}

// openBlob is open for a file that is named by the digest of its content.
func (c *Cache) openBlob(k kind, d artifact.Digest, size int64, always bool) (mapping, error) {
	return c.open(k, d, size, always, func(data []byte) bool { return artifact.DigestOf(data) == d })
}

// putBlob is put for content whose digest is d.
func (c *Cache) putBlob(k kind, d artifact.Digest, content []byte) bool {
	return c.putNamed(k, d, content)
}

// openBundle is open for a bundle.
func (c *Cache) openBundle(b *bundle, always bool) (mapping, error) {
	return c.open(partitions, b.name, b.size, always, b.verify)
}

// putBundle is put for a bundle; segments holds one content for each part.
func (c *Cache) putBundle(b *bundle, segments [][]byte) bool {
	return c.put(partitions, b.name, func(w io.Writer) error { return b.write(w, segments) })
}

// putNamed is put for content under a name that is not its digest.
func (c *Cache) putNamed(k kind, name artifact.Digest, content []byte) bool {
	return c.put(k, name, func(w io.Writer) error { _, err := w.Write(content); return err })
}

// read returns a verified copy of a small file with digest d; nil when it is not
// there.
func (c *Cache) read(k kind, name, d artifact.Digest, size int64) []byte {
	m, err := c.open(k, name, size, true, func(data []byte) bool { return artifact.DigestOf(data) == d })
	if err != nil {
		return nil
	}
	defer m.close()
	var b []byte
	if err := artifact.Guard(func() error { b = bytes.Clone(m.data); return nil }); err != nil {
		return nil
	}
	return b
}

// verifyModel is up to how many bytes a model is verified each time that it is
// mapped: unlike a segment it need not have checksums of its own, and a table
// with a wrong number in it answers wrongly. More would be felt at each start.
const verifyModel = 1 << 20

// model returns the mapped model, once mapped for the life of the program;
// nil when it is not there.
func (c *Cache) model(d artifact.Digest, size int64) []byte {
	c.mu.Lock()
	b := c.models[d]
	c.mu.Unlock()
	if b != nil {
		return b
	}
	m, err := c.openBlob(models, d, size, size <= verifyModel) // which asks the cache whether it can be written to
	if err != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.models[d]; b != nil {
		m.close()
		return b
	}
	c.models[d] = m.data
	return m.data
}

// Ingest writes the segments of one partition, in the order of views, that
// are in memory, after their digests have been verified. Not being able to
// write is no error, see Notes.
func (c *Cache) Ingest(ctx context.Context, segs []artifact.PackSegment) error {
	var b bundle
	contents := make([][]byte, len(segs))
	for i, s := range segs {
		digest := artifact.DigestOf(s.Bytes)
		if !s.Digest.IsZero() && s.Digest != digest {
			return fail.New(fail.Internal, "", "a %s segment has digest %s, not %s", s.View, digest, s.Digest)
		}
		b.add(s.View, digest, int64(len(s.Bytes)))
		contents[i] = s.Bytes
	}
	b.seal()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if len(segs) > 0 && !c.has(partitions, b.name, b.size) {
		c.putBundle(&b, contents)
	}
	return nil
}

// makeDir creates the folder of one kind and two digits, once.
func (c *Cache) makeDir(k kind, dir string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made[dir] {
		return nil
	}
	// The root is the user's to choose, with the mode that it has.
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	top := filepath.Join(c.dir, string(k))
	if err := os.Mkdir(top, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := private(top); err != nil {
		return fmt.Errorf("%s: %w", top, err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	// What a killed process left in this folder.
	durable.Sweep(dir, 0)
	c.made[dir] = true
	return nil
}
