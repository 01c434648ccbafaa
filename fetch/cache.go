package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
	segments  kind = "seg"
	manifests kind = "manifest"
	models    kind = "model"
)

var kinds = []kind{segments, manifests, models}

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

// open returns the file with the given digest and size, errMiss when it is
// not there or cannot be right. With verify, or when the file may be what a
// power loss left, the whole content is verified; else only its size is.
func (c *Cache) open(k kind, d artifact.Digest, size int64, verify bool) (mapping, error) {
	if !c.readable {
		return mapping{}, errMiss
	}
	path := c.path(k, d)
	m, written, err := openMapped(path, size)
	if err != nil {
		return mapping{}, errMiss
	}
	old := written.Before(c.boot)
	if !verify && !old {
		return m, nil
	}
	equal := false
	if err := artifact.Guard(func() error { equal = artifact.DigestOf(m.data) == d; return nil }); err != nil || !equal {
		m.close()
		return mapping{}, errMiss
	}
	if old {
		// Stamped, so that it is not verified again before the next start.
		now := time.Now()
		os.Chtimes(path, now, now)
	}
	return m, nil
}

// read returns a verified copy of a small file; nil when it is not there.
func (c *Cache) read(k kind, d artifact.Digest, size int64) []byte {
	m, err := c.open(k, d, size, true)
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

// model returns the mapped model, once mapped for the life of the program;
// nil when it is not there.
func (c *Cache) model(d artifact.Digest, size int64) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.models[d]; b != nil {
		return b
	}
	m, err := c.open(models, d, size, false)
	if err != nil {
		return nil
	}
	c.models[d] = m.data
	return m.data
}

// drop removes a file that turned out to be damaged.
func (c *Cache) drop(k kind, d artifact.Digest) {
	if c.readable {
		os.Remove(c.path(k, d))
	}
}

// Ingest writes segments that are in memory, each after its digest has been
// verified. Not being able to write is no error, see Notes.
func (c *Cache) Ingest(ctx context.Context, segs []artifact.PackSegment) error {
	for _, s := range segs {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		digest := artifact.DigestOf(s.Bytes)
		if !s.Digest.IsZero() && s.Digest != digest {
			return fail.New(fail.Internal, "", "a %s segment has digest %s, not %s", s.View, digest, s.Digest)
		}
		if !c.has(segments, digest, int64(len(s.Bytes))) && !c.put(segments, digest, s.Bytes) {
			return nil
		}
	}
	return nil
}

// has reports whether the file is there and has the right size.
func (c *Cache) has(k kind, d artifact.Digest, size int64) bool {
	if !c.readable {
		return false
	}
	info, err := os.Lstat(c.path(k, d))
	return err == nil && info.Mode().IsRegular() && info.Size() == size && !info.ModTime().Before(c.boot)
}

// put writes content, whose digest the caller has verified. It reports
// whether the content is in the cache now; a failure to write is noted and
// ends all writing.
func (c *Cache) put(k kind, d artifact.Digest, content []byte) bool {
	if !c.writable() {
		return false
	}
	path := c.path(k, d)
	if err := c.makeDir(k, filepath.Dir(path)); err != nil {
		c.fail(err)
		return false
	}
	if err := durable.Replace(path, 0o400, content); err != nil {
		c.fail(err)
		return false
	}
	return true
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
