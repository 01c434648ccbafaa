package cli

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/command"
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
	if !fromHere(path) {
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

// fromHere reports whether a path is written from the working directory, or
// from the root of the file system.
func fromHere(path string) bool {
	return path == "." || path == ".." || strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") || filepath.IsAbs(path)
}

// pathVar adds the flag --path. A glob that is written from the working
// directory, as treePath knows it, is one from the root when the session opens.
func (a *App) pathVar(f *command.FlagSet, glob *string, usage string) {
	f.StringVar(glob, "path", "", usage)
	a.globs = append(a.globs, glob)
}

func (a *App) placeGlobs() {
	for _, g := range a.globs {
		*g = a.treeGlob(*g)
	}
}

// treeGlob is treePath for a glob.
func (a *App) treeGlob(glob string) string {
	if !fromHere(glob) {
		return glob
	}
	if here := a.treePath("."); !filepath.IsAbs(glob) && here != "." {
		// What the working directory is called is no pattern.
		placed := path.Join(literal(here, `\[]{},*?`), glob)
		if placed == ".." || strings.HasPrefix(placed, "../") {
			return glob // which no path matches
		}
		return "/" + placed
	}
	if placed := a.treePath(glob); placed != glob {
		return "/" + placed
	}
	return glob
}

// literal puts a backslash before each of the special characters.
func literal(p, special string) string {
	var b []byte
	for i := range len(p) {
		if strings.IndexByte(special, p[i]) >= 0 {
			b = append(b, '\\')
		}
		b = append(b, p[i])
	}
	return string(b)
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
