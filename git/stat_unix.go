//go:build linux || darwin

package git

import "syscall"

func lstatRetry(path string, st *syscall.Stat_t) error {
	for {
		if err := syscall.Lstat(path, st); err != syscall.EINTR {
			return err
		}
	}
}

func unixKind(mode uint32) fileKind {
	switch mode & syscall.S_IFMT {
	case syscall.S_IFREG:
		return kindRegular
	case syscall.S_IFLNK:
		return kindSymlink
	case syscall.S_IFDIR:
		return kindFolder
	}
	return kindOther
}
