package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/fail"
)

// roots knows which repositories a client of the MCP server may ask about.
type roots struct {
	own    string   // the server's own repository; "" where it stands in none
	common string   // and what its worktrees share
	bases  []string // folders below which any repository may be asked about
}

// newRoots finds the repository that encloses dir, "" for the working
// directory, and reads the list of folders.
func newRoots(dir, list string) (*roots, error) {
	r := &roots{}
	if l, err := git.FindLayout(dir); err == nil {
		r.own, r.common = topOf(l), realPath(l.CommonDir)
	} // else each call says what is wrong, and a client may name another folder
	for _, base := range filepath.SplitList(list) {
		if base == "" {
			continue
		}
		abs, err := filepath.Abs(base)
		if err != nil {
			return nil, fail.Wrap(fail.Usage, err, "name folders that exist", "--roots")
		}
		if st, err := os.Stat(abs); err != nil || !st.IsDir() {
			return nil, fail.New(fail.Usage, "name folders that exist", "%s is no folder", base)
		}
		r.bases = append(r.bases, realPath(abs))
	}
	return r, nil
}

// find returns the top folder of the repository that holds dir, where that may
// be asked about.
func (r *roots) find(dir string, granted []string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", fail.New(fail.Usage, "give an absolute path", "the root %.200q is no absolute path", dir)
	}
	l, err := git.FindLayout(dir)
	if err != nil {
		// Whether a folder exists that may not be asked about is nobody's business.
		return "", r.refuse(dir)
	}
	top := topOf(l)
	if top == r.own || r.common != "" && realPath(l.CommonDir) == r.common && listed(l) {
		return top, nil
	}
	for _, base := range r.bases {
		if within(top, base) {
			return top, nil
		}
	}
	for _, g := range granted {
		if g = realPath(g); within(top, g) || within(g, top) {
			return top, nil
		}
	}
	return "", r.refuse(dir)
}

func (r *roots) refuse(dir string) error {
	return fail.New(fail.Usage, "leave root out, or start the server with --roots and a folder that holds the repository",
		"there is no repository at %.200q that may be asked about", dir)
}

// listed reports whether a worktree is one that its repository knows: a folder
// that only says it is one could name any repository.
func listed(l *git.Layout) bool {
	if l.GitDir == l.CommonDir {
		return true
	}
	back, err := os.ReadFile(filepath.Join(l.GitDir, "gitdir"))
	if err != nil {
		return false
	}
	at := strings.TrimSpace(string(back))
	if !filepath.IsAbs(at) {
		at = filepath.Join(l.GitDir, at)
	}
	return realPath(filepath.Dir(at)) == realPath(l.WorkTree)
}

func topOf(l *git.Layout) string {
	if l.WorkTree != "" {
		return realPath(l.WorkTree)
	}
	return realPath(l.GitDir)
}

// realPath follows links, so that a path means what it leads to.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// within reports whether a path is base or lies below it.
func within(path, base string) bool {
	rel, err := filepath.Rel(base, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
