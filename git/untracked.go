package git

import (
	"context"
	"os"
	"strings"
)

// Untracked returns the files of the working tree at or around dir that git
// neither tracks nor ignores, in no order. It needs the git program; without
// one the error is ErrUnsupported. A repository inside the working tree is
// listed as its folder, with a slash at the end.
func Untracked(ctx context.Context, dir string, o Options) ([]string, error) {
	exe, err := findGit(o.Git)
	if err != nil || o.Backend == Embedded {
		return nil, NewUnsupported(dir, "needs the git program to tell which files are ignored")
	}
	p, err := openWorkTree(ctx, exe, dir)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	out, err := p.inWorkTree(ctx, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	var paths []string
	for path := range strings.SplitSeq(out, "\x00") {
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// ModeOf returns the mode that git would store a file of the working tree
// with; 0 for one that git does not store.
func ModeOf(info os.FileInfo) uint32 {
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		return 0o120000
	case !info.Mode().IsRegular():
		return 0
	case info.Mode()&0o111 != 0:
		return 0o100755
	}
	return 0o100644
}
