package fetch

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// openMapped maps the regular file at path, which must have exactly size
// bytes. Where it cannot be mapped it is read. written is when it was last
// written or stamped.
func openMapped(path string, size int64) (m mapping, written time.Time, err error) {
	f, err := os.Open(path)
	if err != nil {
		return mapping{}, written, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return mapping{}, written, err
	}
	if !info.Mode().IsRegular() || info.Size() != size || size < 1 || int64(int(size)) != size {
		return mapping{}, written, errWrongSize
	}
	written = info.ModTime()
	if h, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READONLY, 0, 0, nil); err == nil {
		// The view keeps the section alive; the handle is not needed.
		defer windows.CloseHandle(h)
		if addr, err := windows.MapViewOfFile(h, windows.FILE_MAP_READ, 0, 0, uintptr(size)); err == nil {
			return mapping{unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), int(size)), true}, written, nil
		}
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(f, b); err != nil {
		return mapping{}, written, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return mapping{b, false}, written, nil
}

// close releases the memory. Nobody may read it afterwards.
func (m mapping) close() {
	if m.mapped {
		windows.UnmapViewOfFile(uintptr(unsafe.Pointer(unsafe.SliceData(m.data))))
	}
}

// private reports whether path is a folder. Windows keeps a user's cache
// folder to the user by the access list that it inherits.
func private(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return errors.New("not a folder")
	}
	return nil
}
