package remote

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"unsafe"

	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/fail"
)

// Cache keeps vectors by the digest of what they are of (the model and the
// text), so that a compile that was killed, and one on a neighbouring branch,
// pays for no text twice. It is a folder of files for each model; each process
// writes one of its own, record by record, so that neither a kill nor two
// processes at once can damage what is there: a record that is torn ends its
// file.
//
//	file:    magic "PINDEXV0", then records
//	record:  key 16 bytes, dimensions × signed byte, CRC-32C of both
type Cache struct {
	dir  string
	dims int

	mu    sync.Mutex
	rows  map[[16]byte][]int8
	fresh map[[16]byte]bool // of the rows: by Put
	own   *os.File          // nil until something is kept
	wrong error             // why nothing more is kept
}

const (
	cacheMagic = "PINDEXV0"
	modelFile  = "model"
	vecPattern = "*.vec"

	// maxCacheBytes bounds what is kept of one model; the oldest files go first.
	maxCacheBytes = 1 << 30
	// maxCacheFiles is how many files there are before they become one.
	maxCacheFiles = 16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// KnownModels returns the descriptions of models that the folder has vectors
// of, by name of their folder. What cannot be read is left out.
func KnownModels(dir string) []*embed.Remote {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // there is no cache yet, or none to be had
	}
	var out []*embed.Remote
	for _, e := range entries {
		b, err := readSome(filepath.Join(dir, e.Name(), modelFile), 64<<10)
		if err != nil {
			continue
		}
		if m, err := embed.OpenModel(b); err == nil {
			if r, ok := m.(*embed.Remote); ok {
				out = append(out, r)
			}
		}
	}
	return out
}

// OpenCache opens the cache of one model below dir. name is its folder's: the
// hexadecimal digest of the model. "" for dir keeps vectors in memory alone.
func OpenCache(dir, name string, m *embed.Remote) (*Cache, error) {
	c := &Cache{dims: m.Dims(), rows: map[[16]byte][]int8{}, fresh: map[[16]byte]bool{}}
	if dir == "" {
		return c, nil
	}
	c.dir = filepath.Join(dir, name)
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return nil, cacheError(err)
	}
	path := filepath.Join(c.dir, modelFile)
	if _, err := os.Stat(path); err != nil {
		err := durable.WriteFile(path, 0o600, func(w io.Writer) error {
			_, err := w.Write(m.Model())
			return err
		})
		if err != nil {
			return nil, cacheError(err)
		}
	}
	return c, c.load()
}

func cacheError(err error) error {
	return fail.Wrap(fail.Usage, err, "make the cache folder writable, or name another with PINDEX_CACHE_DIR", "the cache of vectors cannot be used")
}

// load reads every file, newest first, and joins many into one.
func (c *Cache) load() error {
	paths, err := filepath.Glob(filepath.Join(c.dir, vecPattern))
	if err != nil {
		return cacheError(err)
	}
	type file struct {
		path string
		size int64
		at   int64
	}
	var files []file
	for _, p := range paths {
		if fi, err := os.Stat(p); err == nil && fi.Mode().IsRegular() {
			files = append(files, file{p, fi.Size(), fi.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(a.path, b.path)) })
	room := int64(maxCacheBytes)
	for _, f := range files {
		if room -= f.size; room < 0 {
			_ = os.Remove(f.path) // a cache that stays too large does no harm
			continue
		}
		b, err := readSome(f.path, maxCacheBytes)
		if err != nil {
			continue // a file that another process has just joined
		}
		c.take(b)
	}
	if len(files) > maxCacheFiles {
		// What another process adds to a file that is removed here is lost, and
		// costs that process nothing.
		if err := c.join(); err != nil {
			return err
		}
		for _, f := range files {
			_ = os.Remove(f.path)
		}
	}
	return nil
}

func (c *Cache) recordSize() int { return 16 + c.dims + 4 }

// take adds a file's records, up to the first that is not whole.
func (c *Cache) take(b []byte) {
	if len(b) < len(cacheMagic) || string(b[:len(cacheMagic)]) != cacheMagic {
		return
	}
	n := c.recordSize()
	for b = b[len(cacheMagic):]; len(b) >= n; b = b[n:] {
		if crc32.Checksum(b[:n-4], castagnoli) != binary.LittleEndian.Uint32(b[n-4:]) {
			return
		}
		c.rows[[16]byte(b)] = int8s(b[16 : n-4])
	}
}

func (c *Cache) record(b []byte, key [16]byte, row []int8) []byte {
	at := len(b)
	b = append(append(b, key[:]...), bytesOf(row)...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[at:], castagnoli))
}

func (c *Cache) join() error {
	keys := make([][16]byte, 0, len(c.rows))
	for k := range c.rows {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b [16]byte) int { return slices.Compare(a[:], b[:]) })
	f, err := os.CreateTemp(c.dir, "join-*.tmp")
	if err != nil {
		return cacheError(err)
	}
	b := []byte(cacheMagic)
	for _, k := range keys {
		if b = c.record(b, k, c.rows[k]); len(b) > 1<<20 {
			_, err1 := f.Write(b)
			err, b = errors.Join(err, err1), b[:0]
		}
	}
	_, err1 := f.Write(b)
	if err = errors.Join(err, err1, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), f.Name()[:len(f.Name())-len("tmp")]+"vec")
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return cacheError(err)
	}
	return nil
}

// Get returns the row that is kept under a key, nil for none. It must not be
// changed.
func (c *Cache) Get(key [16]byte) []int8 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rows[key]
}

// found is Get, and tells whether the row was there before this process.
func (c *Cache) found(key [16]byte) (row []int8, before bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	row = c.rows[key]
	return row, row != nil && !c.fresh[key]
}

// Put keeps rows. Where the disk cannot take them, they are kept in memory and
// Close says why.
func (c *Cache) Put(keys [][16]byte, rows []int8) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b []byte
	for i, k := range keys {
		row := slices.Clone(rows[i*c.dims : (i+1)*c.dims])
		c.rows[k], c.fresh[k] = row, true
		b = c.record(b, k, row)
	}
	if c.dir == "" || c.wrong != nil || len(keys) == 0 {
		return
	}
	if c.own == nil {
		if c.own, c.wrong = os.CreateTemp(c.dir, vecPattern); c.wrong != nil {
			return
		}
		b = append([]byte(cacheMagic), b...)
	}
	_, c.wrong = c.own.Write(b)
}

// Close says whether everything was kept.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.wrong
	if c.own != nil {
		err = errors.Join(err, c.own.Close())
		c.own = nil
	}
	if err != nil {
		return cacheError(err)
	}
	return nil
}

func readSome(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%s has more than %d bytes", path, most)
	}
	return b, err
}

func int8s(b []byte) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}
func bytesOf(v []int8) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
}

// Vectors makes the rows of a compile: from the cache, or by the server.
type Vectors struct {
	Model  *embed.Remote
	Client *Client
	Cache  *Cache
	// Verify has the server's model checked before the first text is sent, for
	// a Model that comes from an index and not from the server.
	Verify bool

	checked sync.Mutex
	good    bool

	mu    sync.Mutex
	found int64
}

// Found returns how many rows came from what the cache had before.
func (v *Vectors) Found() int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.found
}

// Embed fills dst with one row for each text, which keys name. What the server
// has given before an error is kept.
func (v *Vectors) Embed(ctx context.Context, keys [][16]byte, texts []string, dst []int8) error {
	dims := v.Model.Dims()
	at := map[[16]byte][]int{} // what is to be asked for, with where it goes
	var ask []int
	found := int64(0)
	for i, k := range keys {
		if row, before := v.Cache.found(k); row != nil {
			copy(dst[i*dims:], row)
			if before {
				found++
			}
			continue
		}
		if at[k] == nil {
			ask = append(ask, i)
		}
		at[k] = append(at[k], i)
	}
	v.mu.Lock()
	v.found += found
	v.mu.Unlock()
	if len(ask) == 0 {
		return nil
	}
	if err := v.check(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for _, run := range v.Client.batches(len(ask), func(i int) int { return len(texts[ask[i]]) }) {
		wg.Go(func() {
			part := ask[run[0]:run[1]]
			send := make([]string, len(part))
			names := make([][16]byte, len(part))
			for i, t := range part {
				send[i], names[i] = texts[t], keys[t]
			}
			rows := make([]int8, len(part)*dims)
			if err := v.Client.batch(ctx, v.Model, v.Model.TextPrefix, send, rows); err != nil {
				cancel(err)
				return
			}
			v.Cache.Put(names, rows)
			for i, t := range part {
				for _, to := range at[keys[t]] {
					copy(dst[to*dims:], rows[i*dims:(i+1)*dims])
				}
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return v.Client.explain(context.Cause(ctx))
	}
	return nil
}

func (v *Vectors) check(ctx context.Context) error {
	v.checked.Lock()
	defer v.checked.Unlock()
	if !v.Verify || v.good {
		return nil
	}
	err := v.Client.Check(ctx, v.Model)
	v.good = err == nil
	return err
}
