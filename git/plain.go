package git

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// errNotPlain means that something else stands where a file is expected: a
// pipe, a device, a folder.
var errNotPlain = errors.New("it is not a plain file")

// OpenPlain opens a file of a working tree for reading. What is no plain file,
// and what took the place of one, gives an error at once: to open a pipe would
// wait for its writer, for ever where there is none.
func OpenPlain(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openNoWait, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errNotPlain}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// readPlain is readLimited for a file of the working tree.
func readPlain(path string, max int64) ([]byte, error) {
	f, err := OpenPlain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readUpTo(f, path, max)
}

// readUpTo reads an open file of at most max bytes.
func readUpTo(f *os.File, path string, max int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(b)) > max {
		err = fmt.Errorf("%s has more than %d bytes", path, max)
	}
	return b, err
}
