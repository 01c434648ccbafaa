// Package plainfile opens files where something else may stand in their place.
package plainfile

import (
	"errors"
	"io/fs"
	"os"
)

// ErrNotPlain means that something else stands where a file is expected: a
// pipe, a device, a folder.
var ErrNotPlain = errors.New("it is not a plain file")

// Open opens a file for reading. What is no plain file, and what took the place
// of one, gives an error at once: to open a pipe would wait for its writer, for
// ever where there is none.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|NoWait, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotPlain}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
