//go:build unix

package durable

import (
	"io/fs"
	"testing"

	"golang.org/x/sys/unix"
)

func TestErrorKinds(t *testing.T) {
	for errno, want := range map[error]string{
		unix.ENOSPC: "full", unix.EDQUOT: "full", unix.EFBIG: "full",
		unix.EACCES: "denied", unix.EPERM: "denied", unix.EROFS: "denied", unix.EIO: "", unix.ENOENT: "",
	} {
		err := error(&fs.PathError{Op: "write", Path: "x", Err: errno})
		if IsFull(err) != (want == "full") || IsDenied(err) != (want == "denied") {
			t.Errorf("%v: full %v, denied %v", errno, IsFull(err), IsDenied(err))
		}
	}
}
