package git

import (
	"fmt"
	"io"
	"os"

	"github.com/pindex-dev/pindex/internal/plainfile"
)

// readPlain is readLimited for a file of the working tree.
func readPlain(path string, max int64) ([]byte, error) {
	f, err := plainfile.Open(path)
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
