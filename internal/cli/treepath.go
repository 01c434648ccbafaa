package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/pindex-dev/pindex/git"
)

// treePath turns a path that is written from the working directory (./a, ../a,
// or an absolute one) into one from the root of the tree, which is what all
// other paths are. A path that leads out of the working tree, or that cannot
// be placed, is left as it is: then it is not found, and the message shows
// what was asked for. Whatever stands behind a colon stays.
func (a *App) treePath(arg string) string {
	path, rest := arg, ""
	if i := strings.IndexByte(arg, ':'); i > 0 {
		path, rest = arg[:i], arg[i:]
	}
	if path != "." && path != ".." && !strings.HasPrefix(path, "./") && !strings.HasPrefix(path, "../") && !filepath.IsAbs(path) {
		return arg
	}
	l, err := git.FindLayout(a.repoDir)
	if err != nil || l.WorkTree == "" {
		return arg
	}
	cwd, err := os.Getwd()
	if err != nil {
		return arg
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	// The working directory may be reached by a link, the working tree not.
	for _, p := range []string{path, realParent(path)} {
		rel, err := filepath.Rel(l.WorkTree, p)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return filepath.ToSlash(rel) + rest
		}
	}
	return arg
}

// realParent resolves the links in a path's folder; its last part may itself
// be a link that is tracked.
func realParent(path string) string {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return path
	}
	return filepath.Join(dir, filepath.Base(path))
}
