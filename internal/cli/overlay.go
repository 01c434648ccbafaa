package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/internal/order"
	"github.com/pindex-dev/pindex/query"
)

// The states of an answer's freshness.
const (
	stateExact   = "exact"   // of the commit, and the working tree has nothing else
	stateOverlay = "overlay" // of the working tree
	stateBase    = "base"    // of an ancestor's index, as it is or with an overlay up to HEAD
	statePartial = "partial" // of the index's commit, less the files that differ
)

// maxUntracked bounds the files that nobody added to git and that an overlay
// takes up: beyond it, something that ought to be ignored is not.
const maxUntracked = 2000

// answering returns the index that answers come from.
func (s *session) answering() *artifact.Index {
	if s.over != nil {
		return s.over
	}
	return s.index
}

// compareWorkTree finds out what the user has in front of them that the index
// has not: edits, and commits when the index is an ancestor's. A program that
// can compile lays an overlay over the index; another leaves the changed
// files' results out. Only HEAD has a working tree.
func (a *App) compareWorkTree(ctx context.Context, s *session, opt *query.Options) error {
	s.fresh = freshness(s.distance, 0)
	if a.rev != "" {
		return nil
	}
	if a.overlays() {
		tree, err := a.askedTree(ctx, s)
		if err != nil {
			return err
		}
		changes, err := a.workTreeChanges(ctx, tree)
		if err != nil {
			return err
		}
		if len(changes) == 0 && s.distance == 0 {
			return nil
		}
		if s.over, err = a.layOver(ctx, s, changes); err != nil {
			return err
		}
		if s.over != nil {
			s.changes = pathsOf(changes)
			s.fresh = overlaid(s.distance, len(changes))
			opt.Pinned = s.pinned()
			return nil
		}
	}
	hidden, err := a.changedFiles(ctx, s.index, s.distance > 0)
	if err != nil {
		return err
	}
	s.changes, opt.Hidden = hidden, hidden
	s.fresh = freshness(s.distance, len(hidden))
	return nil
}

// overlays reports whether overlays are made.
func (a *App) overlays() bool { return a.Overlay != nil && !a.noCompile }

// overlaid is the freshness of an overlay over an index that is some
// first-parent steps before HEAD.
func overlaid(distance, files int) query.Freshness {
	f := query.Freshness{State: stateExact, Distance: distance, Files: files}
	switch {
	case distance > 0:
		f.State = stateBase
	case files > 0:
		f.State = stateOverlay
	}
	return f
}

// askedTree lists the tree of the asked commit, from the index where that is
// the commit's own.
func (a *App) askedTree(ctx context.Context, s *session) ([]git.Entry, error) {
	if s.distance == 0 {
		return treeOf(ctx, s.index)
	}
	return a.commitTree(ctx, s.asked)
}

// commitTree lists the tree of a commit.
func (a *App) commitTree(ctx context.Context, commit string) ([]git.Entry, error) {
	id, err := gitobj.ParseID(commit)
	if err != nil {
		return nil, err
	}
	repo, err := a.Repo(ctx)
	if err != nil {
		return nil, err
	}
	return repo.Tree(ctx, id)
}

// pinned is what an overlay's answers name.
func (s *session) pinned() *query.Pinned {
	return &query.Pinned{Commit: s.asked, Digest: s.index.Digest()}
}

// deleted reports whether a path is one of the commit's files that the working
// tree, which is answered from, has no more.
func (s *session) deleted(path string) bool {
	if s.over == nil || !slices.Contains(s.changes, path) {
		return false
	}
	_, _, ok, err := s.over.FindFile(path)
	return err == nil && !ok
}

// workTree is the folder of the working tree around dir, "" for none.
func workTree(dir string) string {
	l, err := git.FindLayout(dir)
	if err != nil {
		return ""
	}
	return l.WorkTree
}

// layOver returns an index of the working tree, nil where none can be made.
func (a *App) layOver(ctx context.Context, s *session, changes []git.Change) (*artifact.Index, error) {
	l, err := git.FindLayout(a.repoDir)
	if err != nil {
		return nil, nil // a form that only git knows; the comparison went through it
	}
	repo, err := a.Repo(ctx)
	if err != nil {
		return nil, err
	}
	over, err := a.Overlay(ctx, OverlayRequest{
		Base: s.index, Repo: repo, Commit: s.asked,
		WorkTree: l.WorkTree, Changes: changes, Cache: s.cache, Model: s.options.Model,
	})
	if code := fail.CodeOf(err); code == fail.NoIndex || code == fail.Repository {
		a.Note("%v: results in changed files are left out", err)
		return nil, nil
	}
	return over, err
}

// workTreeChanges returns the files of the working tree that differ from a tree; in a program that can lay them over, with those that git neither
// tracks nor ignores.
func (a *App) workTreeChanges(ctx context.Context, tree []git.Entry) ([]git.Change, error) {
	l, err := git.FindLayout(a.repoDir)
	if err == nil && l.WorkTree == "" {
		return nil, nil
	}
	type listed struct {
		paths []string
		err   error
	}
	others := make(chan listed, 1)
	if a.overlays() && err == nil {
		go func() {
			paths, err := git.Untracked(ctx, a.repoDir, git.Options{})
			others <- listed{paths, err}
		}()
	} else {
		others <- listed{}
	}
	changes, err := git.Changed(ctx, a.repoDir, tree, git.Options{})
	if err != nil {
		return nil, err
	}
	o := <-others
	if o.err != nil && !errors.Is(o.err, git.ErrUnsupported) {
		return nil, o.err
	}
	if len(o.paths) > maxUntracked {
		a.Note("%d files that git neither tracks nor ignores are left out; add them, or add them to .gitignore", len(o.paths))
		return changes, nil
	}
	for _, path := range o.paths {
		info, err := os.Lstat(filepath.Join(l.WorkTree, filepath.FromSlash(path)))
		if err != nil {
			continue
		}
		if mode := git.ModeOf(info); mode != 0 {
			changes = append(changes, git.Change{Path: path, Kind: git.Added, Mode: mode})
		}
	}
	order.Sort(changes, func(a, b git.Change) int { return cmp.Compare(a.Path, b.Path) })
	return changes, nil
}

func pathsOf(changes []git.Change) []string {
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	return paths
}

// fingerprint is a print of files as they are now: equal prints mean that
// nothing was written in between.
func fingerprint(workTree string, paths []string) string {
	var b strings.Builder
	for _, path := range paths {
		fmt.Fprintf(&b, "%q", path)
		if info, err := os.Lstat(filepath.Join(workTree, filepath.FromSlash(path))); err == nil {
			fmt.Fprintf(&b, " %d %d %o", info.Size(), info.ModTime().UnixNano(), info.Mode())
		}
		b.WriteByte('\n')
	}
	return b.String()
}
