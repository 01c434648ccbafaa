package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/plainfile"
	"github.com/pindex-dev/pindex/overlay/bylines"
	"github.com/pindex-dev/pindex/query"
)

// follower brings one session up to what the user has in front of them, as
// often as it is asked to.
type follower struct {
	a *App
	s *session

	mu      sync.Mutex
	work    *git.Follower
	gitDir  string      // of the repository that was looked at first
	tree    []git.Entry // of the index
	asked   []git.Entry // of the asked commit, as the repository lists it
	lines   *bylines.Builder
	noLines bool // it was said that files are left out
	last    *view
	print   string // of the changes that last is of; "" where they may have gone on
}

// view is what there is to answer from beside the index.
type view struct {
	over    *artifact.Index // in place of the index; nil for none
	lines   *artifact.Index // of changed files, by lines; nil for none
	hidden  []string        // files of the index that are not answered from
	changes []string        // files that differ from the commit, or else from the index
	fresh   query.Freshness
}

func newFollower(a *App, s *session) *follower {
	return &follower{a: a, s: s, work: git.NewFollower(a.repoDir, git.Options{})}
}

// look compares the working tree, and makes what is missing. While nothing
// changes it returns the same view.
func (f *follower) look(ctx context.Context) (*view, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tree == nil {
		err := fetch.Guard(func() (err error) { f.tree, err = treeOf(ctx, f.s.index); return err })
		if err != nil {
			return nil, err
		}
	}
	l, err := git.FindLayout(f.a.repoDir)
	if err == nil {
		// Of a folder whose repository is gone the one around it answers.
		if f.gitDir == "" {
			f.gitDir = l.GitDir
		}
		if l.GitDir != f.gitDir {
			return nil, fail.New(fail.Repository, "make it again, or start anew", "the repository %s is gone, and the folder now belongs to %s", f.gitDir, l.GitDir)
		}
	}
	if err == nil && l.WorkTree == "" {
		return f.lookBare(ctx)
	}
	// Another program's overlay is of the commit, one by lines is of the index.
	tree := f.tree
	if f.a.overlays() && f.s.distance > 0 {
		if err := f.listAsked(ctx); err != nil {
			return nil, err
		}
		tree = f.asked
	}
	folders := ""
	if l != nil {
		folders = "folders of " + l.WorkTree
	}
	if f.last == nil && folders != "" {
		f.work.Remember(f.s.cache.Derived(folders))
	}
	changes, left, err := f.work.Changes(ctx, tree, maxUntracked)
	if err != nil {
		return nil, err
	}
	if folders != "" {
		if b := f.work.Memory(); b != nil {
			f.s.cache.Keep(folders, b)
		}
	}
	if left > 0 && f.last == nil {
		f.a.Note("%d files that git neither tracks nor ignores are left out; add them, or add them to .gitignore", left)
	}
	root := ""
	if l != nil {
		root = l.WorkTree
	}
	files, now := stamps(root, changes)
	if f.last != nil && now != "" && now == f.print {
		return f.last, nil
	}
	v, err := f.make(ctx, root, changes, files)
	if err == nil {
		f.last, f.print = v, now
	}
	return v, err
}

// listAsked lists the tree of the asked commit, once.
func (f *follower) listAsked(ctx context.Context) (err error) {
	if f.asked == nil {
		f.asked, err = f.a.commitTree(ctx, f.s.asked)
	}
	return err
}

// make returns the view of the changes.
func (f *follower) make(ctx context.Context, root string, changes []git.Change, files []bylines.File) (*view, error) {
	if f.a.overlays() {
		if len(changes) == 0 && f.s.distance == 0 {
			return &view{fresh: freshness(0, 0)}, nil
		}
		if root != "" {
			if err := f.listAsked(ctx); err != nil {
				return nil, err
			}
			over, err := f.a.layOver(ctx, f.s, root, changes, f.asked)
			if err != nil {
				return nil, err
			}
			if over != nil {
				return &view{over: over, changes: pathsOf(changes), fresh: overlaid(f.s.distance, len(changes))}, nil
			}
		}
		if f.s.distance > 0 {
			changes = against(f.tree, f.asked, changes)
			files, _ = stamps(root, changes)
		}
	}
	return f.byLines(ctx, changes, files, workTreeReader(root))
}

// lookBare compares HEAD of a repository without a working tree. What it names
// does not change under a session.
func (f *follower) lookBare(ctx context.Context) (*view, error) {
	if f.last != nil {
		return f.last, nil
	}
	if f.s.distance == 0 {
		f.last = &view{fresh: freshness(0, 0)}
		return f.last, nil
	}
	head, err := f.a.commitTree(ctx, f.s.asked)
	if err != nil {
		return nil, err
	}
	if f.a.overlays() {
		over, err := f.a.layOver(ctx, f.s, "", nil, head)
		if err != nil {
			return nil, err
		}
		if over != nil {
			f.last = &view{over: over, fresh: overlaid(f.s.distance, 0)}
			return f.last, nil
		}
	}
	changes := against(f.tree, head, nil)
	var files []bylines.File
	for _, c := range changes {
		if c.Kind != git.Deleted {
			files = append(files, bylines.File{Path: c.Path, Mode: c.Mode})
		}
	}
	repo, err := f.a.History(ctx)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	blobs, err := repo.Blobs(ctx)
	if err != nil {
		return nil, err
	}
	defer blobs.Close()
	f.last, err = f.byLines(ctx, changes, files, blobReader(head, blobs))
	return f.last, err
}

// byLines returns the view of a program without a parser.
func (f *follower) byLines(ctx context.Context, changes []git.Change, files []bylines.File, read bylines.Read) (*view, error) {
	v := &view{changes: pathsOf(changes), hidden: pathsOf(changes), fresh: freshness(f.s.distance, len(changes))}
	if len(changes) == 0 {
		return v, nil
	}
	if f.lines == nil {
		f.lines = bylines.New(f.s.index)
	}
	var r *bylines.Result
	build := func() (err error) { r, err = f.lines.Build(ctx, files, read); return err }
	err := fetch.Guard(build)
	for range 2 {
		if !errors.Is(err, bylines.ErrMoved) {
			break
		}
		err = fetch.Guard(build)
	}
	var known *fail.Error
	switch {
	case err == nil:
		v.lines, v.hidden = r.Index, append(v.hidden, r.Hidden...)
		if v.lines != nil {
			v.fresh.Lacks = lacking
		}
	case ctx.Err() != nil, errors.As(err, &known):
		return nil, err
	default:
		if !f.noLines {
			f.noLines = true
			f.a.Note("results in changed files are left out: %v", err)
		}
	}
	return v, nil
}

// stamps lists the changed files that are there, with their states, and returns
// a text that changes when one of them does, "" where that cannot be said.
func stamps(root string, changes []git.Change) (files []bylines.File, all string) {
	var b strings.Builder
	sure := true
	b.WriteString("of ")
	for _, c := range changes {
		b.WriteString(c.Path)
		b.WriteByte(0)
		if c.Kind == git.Deleted {
			continue
		}
		file := bylines.File{Path: c.Path, Mode: c.Mode}
		if c.Mode != git.ModeSubmodule {
			mode, stamp := git.Stamp(filepath.Join(root, filepath.FromSlash(c.Path)))
			if mode == 0 {
				continue
			}
			if sure = sure && stamp != ""; c.Mode == 0 {
				file.Mode = mode
			}
			file.Stamp = stamp
		}
		b.WriteString(file.Stamp)
		b.WriteByte(0)
		files = append(files, file)
	}
	if !sure {
		return files, ""
	}
	return files, b.String()
}

// workTreeReader reads files of a working tree.
func workTreeReader(root string) bylines.Read {
	return func(path string, mode uint32, limit int64) ([]byte, int64, error) {
		full := filepath.Join(root, filepath.FromSlash(path))
		info, err := os.Lstat(full)
		if err != nil {
			return nil, 0, gone(err)
		}
		if info.Mode()&os.ModeSymlink != 0 && mode == git.ModeSymlink {
			target, err := os.Readlink(full)
			return []byte(filepath.ToSlash(target)), int64(len(target)), gone(err)
		}
		if !info.Mode().IsRegular() {
			return nil, 0, fs.ErrNotExist
		}
		file, err := plainfile.Open(full)
		if err != nil {
			return nil, 0, gone(err)
		}
		defer file.Close()
		content, err := io.ReadAll(io.LimitReader(file, limit+1))
		return content, max(info.Size(), int64(len(content))), err
	}
}

// gone makes a file below what is no folder one that is not there.
func gone(err error) error {
	if err != nil && strings.Contains(err.Error(), "not a directory") {
		return fs.ErrNotExist
	}
	return err
}

// blobReader reads the files of a tree.
func blobReader(tree []git.Entry, blobs git.BlobReader) bylines.Read {
	return func(path string, _ uint32, limit int64) ([]byte, int64, error) {
		i, ok := slices.BinarySearchFunc(tree, path, func(e git.Entry, path string) int { return strings.Compare(e.Path, path) })
		if !ok {
			return nil, 0, fs.ErrNotExist
		}
		if e := &tree[i]; e.Size > limit {
			return nil, e.Size, nil
		}
		content, err := blobs.Read(tree[i].ID, nil)
		return content, int64(len(content)), err
	}
}
