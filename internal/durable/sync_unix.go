//go:build unix

package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// SyncDir makes the names in dir durable. File systems that cannot sync a
// folder (some network ones) are taken to order names by themselves.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

func rename(from, to string) error { return os.Rename(from, to) }

// IsFull reports whether err means that the file system has no room: no
// space left, a quota used up, or a file above a size limit.
func IsFull(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG)
}

// IsDenied reports whether err means that this user may not write there, or
// that nobody may because the file system is read-only.
func IsDenied(err error) bool {
	return errors.Is(err, os.ErrPermission) || errors.Is(err, unix.EROFS)
}
