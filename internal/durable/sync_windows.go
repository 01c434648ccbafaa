package durable

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// SyncDir does nothing: Windows offers no way to sync a folder, and NTFS
// journals its names.
func SyncDir(string) error { return nil }

// syncFile flushes a file when it can be opened for writing, which flushing
// needs. A read-only file cannot; its readers verify digests, so that a torn
// one is found.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrPermission) {
		_, err := os.Stat(path)
		return err
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// rename replaces to. Windows refuses while another process holds the file
// open, which a reader does only for a moment, so a refusal is tried again
// for about a second.
func rename(from, to string) error {
	var err error
	for range 50 {
		err = os.Rename(from, to)
		if !errors.Is(err, windows.ERROR_SHARING_VIOLATION) && !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
			return err
		}
		// A read-only target is refused for ever: make it replaceable.
		if info, serr := os.Stat(to); serr == nil && info.Mode().Perm()&0o200 == 0 {
			os.Chmod(to, 0o600)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

// IsFull reports whether err means that the file system has no room.
func IsFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

// IsDenied reports whether err means that this user may not write there, or
// that nobody may because the medium is write-protected.
func IsDenied(err error) bool {
	return errors.Is(err, os.ErrPermission) || errors.Is(err, windows.ERROR_WRITE_PROTECT)
}
