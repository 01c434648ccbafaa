//go:build !linux && !darwin

package git

import (
	"io/fs"
	"os"
)

// Only modification time and size are known and compared.
const fullStat = false

// lstat describes a file without following it.
func lstat(path string) (fileStat, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return fileStat{}, err
	}
	st := fileStat{bytes: fi.Size(), exec: fi.Mode()&0o100 != 0}
	t := fi.ModTime()
	st.mtime, st.mtimeNano, st.size = uint32(t.Unix()), uint32(t.Nanosecond()), uint32(fi.Size())
	switch fi.Mode().Type() {
	case 0:
		st.kind = kindRegular
	case fs.ModeSymlink:
		st.kind = kindSymlink
	case fs.ModeDir:
		st.kind = kindFolder
	default:
		st.kind = kindOther
	}
	return st, nil
}
