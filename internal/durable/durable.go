// Package durable is the one place that knows how a file is written so that a
// killed process, a crash or a full disk leaves the old content or the new
// one and never a part: a temporary file in the same folder, written, synced,
// given its mode, renamed over the name, and the folder synced.
//
// A process that dies in between leaves its temporary file behind. Those
// names start with TempPrefix, readers never look at them, and Sweep removes
// the ones that are older than any running write can be.
package durable

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// TempPrefix starts the name of every temporary file of this package.
const TempPrefix = ".pindex-tmp-"

// StaleAfter is the age from which a temporary file is taken for the remains
// of a killed process. No single file takes a day to write.
const StaleAfter = 24 * time.Hour

// WriteFile writes path atomically and durably: when it returns nil, the
// content that write produced survives a power loss; when it returns an
// error, or the process dies, path holds what it held before. The folder must
// exist. The mode is exactly perm, whatever the umask. Errors of the file
// system keep their *fs.PathError and errno, so that callers can tell a full
// disk from a denied permission.
func WriteFile(path string, perm fs.FileMode, write func(io.Writer) error) error {
	return writeFile(path, perm, write, true)
}

// WriteBytes is WriteFile for content that is in memory.
func WriteBytes(path string, perm fs.FileMode, content []byte) error {
	return writeFile(path, perm, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}, true)
}

// Replace is WriteFile without the syncing: atomic for every process that
// looks, but a power loss may leave an empty or torn file under the name. It
// is for caches whose readers check what they read.
func Replace(path string, perm fs.FileMode, write func(io.Writer) error) error {
	return writeFile(path, perm, write, false)
}

func writeFile(path string, perm fs.FileMode, write func(io.Writer) error, sync bool) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, TempPrefix+"*")
	if err != nil {
		return err
	}
	temp := f.Name()
	defer func() {
		if err != nil {
			f.Close() // twice at worst, which does no harm
			os.Remove(temp)
		}
	}()
	w := bufio.NewWriterSize(f, 64<<10)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if sync {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := f.Chmod(perm); err != nil {
		return err
	}
	// Some file systems report a failed write only here.
	if err := f.Close(); err != nil {
		return err
	}
	if err := rename(temp, path); err != nil {
		return err
	}
	if sync {
		// The content is in place; only its survival of a power loss is in
		// doubt when this fails, and a caller must not build on that.
		if err := SyncDir(dir); err != nil {
			return fmt.Errorf("sync folder: %w", err)
		}
	}
	return nil
}

// syncWorkers is how many files SyncFiles syncs at a time. Waiting is all
// that they do, and journalling file systems commit concurrent syncs
// together.
const syncWorkers = 16

// SyncFiles makes the content of files that were written without syncing
// durable. Their folders are left to SyncDir. It returns the first error in
// the order of paths, after all have been tried.
func SyncFiles(paths []string) error {
	errs := make([]error, len(paths))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(syncWorkers, len(paths)) {
		wg.Go(func() {
			for i := range next {
				errs[i] = syncFile(paths[i])
			}
		})
	}
	for i := range paths {
		next <- i
	}
	close(next)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Sweep removes what killed processes left in dir: regular files whose names
// start with TempPrefix and that were last written more than olderThan ago (0
// means StaleAfter). It does not descend into folders. A missing dir and
// files that other processes sweep at the same time are no errors. It returns
// the number of files removed.
func Sweep(dir string, olderThan time.Duration) (int, error) {
	return SweepNamed(dir, TempPrefix, olderThan)
}

// SweepNamed is Sweep for temporary files that somebody else named: every
// regular file in dir whose name starts with prefix, which may be empty.
func SweepNamed(dir, prefix string, olderThan time.Duration) (int, error) {
	if olderThan <= 0 {
		olderThan = StaleAfter
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	limit := time.Now().Add(-olderThan)
	removed := 0
	var first error
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil || !info.ModTime().Before(limit) {
			continue // gone meanwhile, or young
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err == nil {
			removed++
		} else if !errors.Is(err, fs.ErrNotExist) && first == nil {
			first = err
		}
	}
	return removed, first
}
