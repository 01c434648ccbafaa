package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/order"
)

// usedEvery is how exactly the time of a file's last use is kept: stamping it
// more often would cost every cold start some hundred writes.
const usedEvery = time.Hour

// used stamps a file that is read, and was last written or stamped at the given
// time, if that is long ago. The stamp is what Prune goes by.
func (c *Cache) used(path string, written time.Time) {
	if now := time.Now(); now.Sub(written) > usedEvery && c.writable() {
		os.Chtimes(path, now, now) // where that fails, it was used earlier
	}
}

// Usage is how much of something the cache has.
type Usage struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

func (u *Usage) add(bytes int64) {
	u.Files++
	u.Bytes += bytes
}

// cachedFile is a file of the cache.
type cachedFile struct {
	path string
	kind kind
	size int64
	used time.Time
}

// Usage returns what the cache holds, by kind: partitions, manifests, models,
// tags and what was derived.
func (c *Cache) Usage(ctx context.Context) (map[string]Usage, error) {
	names := map[kind]string{partitions: "partitions", manifests: "manifests", models: "models", tags: "tags", derived: "derived"}
	out := make(map[string]Usage, len(names))
	for _, name := range names {
		out[name] = Usage{}
	}
	files, err := c.files(ctx)
	for _, f := range files {
		u := out[names[f.kind]]
		u.add(f.size)
		out[names[f.kind]] = u
	}
	return out, err
}

// files lists the cache's own files, and nothing else that may lie in its
// folder, such as the local store.
func (c *Cache) files(ctx context.Context) ([]cachedFile, error) {
	var list []cachedFile
	if c.dir == "" {
		return nil, fail.Wrap(fail.Usage, c.err(), "name a folder with "+DirEnv, "there is no cache folder")
	}
	for _, k := range kinds {
		top := filepath.Join(c.dir, string(k))
		if err := private(top); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, fail.Wrap(fail.Network, err, "move that folder away, or name another one with "+DirEnv, "%s is no folder of the cache", top)
		}
		for n := range 256 {
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
			dir := filepath.Join(top, fmt.Sprintf("%02x", n))
			// A link would lead out of the cache.
			if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
				continue
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				return nil, fail.Wrap(fail.Network, err, "make it readable, or name another folder with "+DirEnv, "the cache %s cannot be read", c.dir)
			}
			for _, e := range entries {
				if d, err := artifact.ParseDigest("sha256:" + e.Name()); err != nil || d[0] != byte(n) || !e.Type().IsRegular() {
					continue
				}
				if info, err := e.Info(); err == nil { // else it is gone
					list = append(list, cachedFile{filepath.Join(dir, e.Name()), k, info.Size(), info.ModTime()})
				}
			}
		}
	}
	return list, nil
}

// PruneOptions say what is removed from the cache.
type PruneOptions struct {
	// MaxBytes is what the cache may hold in the end; negative for no limit.
	MaxBytes int64
	// Unused is for how long a file must not have been used to be removed
	// whatever the cache holds; 0 removes none for that. A use is noticed to
	// the hour.
	Unused time.Duration
}

// Pruned says what Prune did.
type Pruned struct {
	Removed Usage `json:"removed"`
	Kept    Usage `json:"kept"`
	InUse   Usage `json:"in_use"` // of the kept: would have been removed, but the system forbids it
}

// Prune removes what was not used for longest, until the cache is within the
// limits. It may run beside any number of readers: who has a file mapped keeps
// it, or, where the system does not allow that, the file stays; what else they
// need is fetched anew. The local store is never touched.
func (c *Cache) Prune(ctx context.Context, o PruneOptions) (*Pruned, error) {
	files, err := c.files(ctx)
	if err != nil {
		return nil, err
	}
	order.Sort(files, func(a, b cachedFile) int {
		return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path))
	})
	out := &Pruned{}
	var held int64
	for _, f := range files {
		held += f.size
	}
	now := time.Now()
	dirs := map[string]bool{}
	for _, f := range files {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		dirs[filepath.Dir(f.path)] = true
		if !(o.MaxBytes >= 0 && held > o.MaxBytes) && !(o.Unused > 0 && now.Sub(f.used) > o.Unused) {
			out.Kept.add(f.size)
			continue
		}
		switch err := os.Remove(f.path); {
		case err == nil:
			out.Removed.add(f.size)
			held -= f.size
		case errors.Is(err, fs.ErrNotExist): // by another process
			held -= f.size
		case runtime.GOOS == "windows":
			out.Kept.add(f.size)
			out.InUse.add(f.size)
		default:
			return nil, fail.Wrap(fail.Network, err, "make it writable, or name another folder with "+DirEnv, "the cache %s cannot be pruned", c.dir)
		}
	}
	for dir := range dirs {
		durable.Sweep(dir, 0) // what killed processes left
	}
	return out, nil
}
