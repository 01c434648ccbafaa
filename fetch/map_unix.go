//go:build unix

package fetch

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pindex-dev/pindex/internal/plainfile"
)

// openMapped maps the regular file at path, which must have exactly size
// bytes. Where it cannot be mapped it is read. written is when it was last
// written or stamped.
func openMapped(path string, size int64) (m mapping, written time.Time, err error) {
	// The plain system calls: os.Open would try to register the file with
	// the poller, and a cold start opens several hundred files.
	fd, err := openRetry(path)
	if err != nil {
		return mapping{}, written, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return mapping{}, written, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Size != size || size < 1 || int64(int(size)) != size {
		return mapping{}, written, errWrongSize
	}
	written = time.Unix(st.Mtim.Unix())
	b, err := unix.Mmap(fd, 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err == nil {
		return mapping{b, true}, written, nil
	}
	b = make([]byte, size)
	for done := 0; done < len(b); {
		n, err := unix.Pread(fd, b[done:], int64(done))
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err == nil && n == 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return mapping{}, written, &fs.PathError{Op: "read", Path: path, Err: err}
		}
		done += n
	}
	return mapping{b, false}, written, nil
}

func openRetry(path string) (int, error) {
	for {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|plainfile.NoWait, 0)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// close releases the memory. Nobody may read it afterwards.
func (m mapping) close() {
	if m.mapped {
		unix.Munmap(m.data)
	}
}

// private returns nil when the folder at path belongs to this user and is
// closed to all others, after closing it to their eyes if need be; one that
// others could write to is refused, because of what may lie in it already.
// The administrator may use anybody's.
func private(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok {
		return errors.New("not a folder")
	}
	if uid := os.Geteuid(); int(st.Uid) != uid && uid != 0 {
		return errors.New("it belongs to another user")
	}
	if info.Mode().Perm()&0o022 != 0 {
		return errors.New("other users can write to it; delete it, and it is made anew")
	}
	if info.Mode().Perm()&0o077 != 0 {
		return os.Chmod(path, 0o700)
	}
	return nil
}
