package setup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/pindex-dev/pindex/internal/fail"
)

// maxFile bounds a file that is edited, in bytes. No configuration that people
// write comes near.
const maxFile = 4 << 20

func lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }

// file is one file of the project: what it held, and what it is to hold.
type file struct {
	path   string // from the root, with slashes
	real   string // where its bytes are, links followed
	exists bool
	mode   fs.FileMode
	was    []byte
	now    []byte
}

// broken is the error of a file whose text cannot be edited.
func (f *file) broken(err error) error {
	return fail.Wrap(fail.Usage, err, "mend the file, or choose the other agents with --agent; nothing was changed", "%s cannot be used", f.path)
}

// openFile reads a file of the project, which need not exist. A link that leads
// out of the project, what is no plain file, what cannot be written, is huge or
// is no text gives an error.
func openFile(root, path string) (*file, error) {
	f := &file{path: path, mode: 0o644}
	refuse := func(remedy, format string, args ...any) error {
		return fail.New(fail.Usage, remedy+"; nothing was changed", "%s "+format, append([]any{path}, args...)...)
	}
	real, err := inside(root, path)
	if err != nil {
		return nil, refuse("replace the link by a file, or choose the other agents with --agent", "%v", err)
	}
	f.real = real
	fi, err := os.Lstat(real)
	if errors.Is(err, fs.ErrNotExist) {
		return f, folderWritable(real, refuse)
	}
	if err != nil {
		return nil, refuse("make it readable", "cannot be looked at: %v", err)
	}
	switch {
	case !fi.Mode().IsRegular():
		return nil, refuse("move it away, or choose the other agents with --agent", "is not a plain file")
	case fi.Size() > maxFile:
		return nil, refuse("make it smaller, or choose the other agents with --agent", "has %d bytes, more than %d", fi.Size(), maxFile)
	}
	f.exists, f.mode = true, fi.Mode().Perm()
	in, err := os.Open(real)
	if err != nil {
		return nil, refuse("make it readable", "cannot be read: %v", err)
	}
	defer in.Close()
	if f.was, err = io.ReadAll(io.LimitReader(in, maxFile+1)); err != nil {
		return nil, refuse("make it readable", "cannot be read: %v", err)
	}
	if !utf8.Valid(f.was) {
		return nil, refuse("save it as UTF-8, or choose the other agents with --agent", "is not UTF-8 text")
	}
	f.now = f.was
	return f, nil
}

// inside returns where a path of the project leads when links are followed, and
// an error when that is outside of the project or nowhere.
func inside(root, path string) (string, error) {
	base, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", err
	}
	at := base
	parts := strings.Split(path, "/")
	for i, name := range parts {
		next := filepath.Join(at, name)
		fi, err := os.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) {
			return filepath.Join(append([]string{at}, parts[i:]...)...), nil
		}
		if err != nil {
			return "", err
		}
		if fi.Mode()&fs.ModeSymlink != 0 {
			if next, err = filepath.EvalSymlinks(next); err != nil {
				return "", fmt.Errorf("is reached by a link that leads nowhere: %s", strings.Join(parts[:i+1], "/"))
			}
			rel, err := filepath.Rel(base, next)
			if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
				return "", fmt.Errorf("is reached by a link that leads out of the project: %s", strings.Join(parts[:i+1], "/"))
			}
			if fi, err = os.Lstat(next); err != nil {
				return "", err
			}
		}
		if i < len(parts)-1 && !fi.IsDir() {
			return "", fmt.Errorf("cannot be: %s is no folder", strings.Join(parts[:i+1], "/"))
		}
		at = next
	}
	return at, nil
}

// folderWritable checks the nearest folder that is there for a new file.
func folderWritable(real string, refuse func(string, string, ...any) error) error {
	dir := filepath.Dir(real)
	for {
		fi, err := os.Stat(dir)
		if err == nil {
			if fi.Mode().Perm()&0o200 == 0 {
				return refuse("make the folder writable", "cannot be made: the folder %s is read-only", dir)
			}
			return nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return refuse("make the folder", "cannot be made: %v", err)
		}
		dir = up
	}
}

// writable checks that a file that is to be changed may be: a file that is
// marked read-only is not replaced, although its folder would allow it.
func (f *file) writable() error {
	if f.exists && f.mode&0o200 == 0 {
		return fail.New(fail.Usage, "make it writable, or choose the other agents with --agent; nothing was changed", "%s is read-only", f.path)
	}
	return nil
}
