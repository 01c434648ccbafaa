package cli

import (
	"cmp"
	"context"
	"slices"

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
	statePartial = "partial" // files that differ are read by lines alone, or left out
)

// lacking are the views that files have not which are read by lines.
const lacking = "dense structural"

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
// can compile lays an overlay over the index; another puts the changed files,
// read by lines, beside it. Only HEAD has a working tree.
func (a *App) compareWorkTree(ctx context.Context, s *session, opt *query.Options) error {
	s.fresh = freshness(s.distance, 0)
	if a.rev != "" {
		return nil
	}
	s.follow = newFollower(a, s)
	v, err := s.follow.look(ctx)
	if err != nil {
		return err
	}
	s.over, s.changes, s.fresh = v.over, v.changes, v.fresh
	if v.over != nil {
		opt.Pinned = s.pinned()
		return nil
	}
	opt.Hidden, opt.Over = v.hidden, v.lines
	return nil
}

// followable returns why changes cannot be followed: nothing here knows what
// the changed files declare.
func (s *session) followable() error {
	if n := len(s.changes); n > 0 && s.over == nil {
		return fail.New(fail.NoIndex, "ask the full program, pindex, without --no-compile; or leave the working tree out with --commit HEAD, whose index must be there",
			"%s may be affected in ways that are not known here, where no parser reads changed files", count(n, "changed file"))
	}
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

// layOver returns an index of the working tree, nil where none can be made.
func (a *App) layOver(ctx context.Context, s *session, root string, changes []git.Change, entries []git.Entry) (*artifact.Index, error) {
	repo, err := a.Repo(ctx)
	if err != nil {
		return nil, err
	}
	over, err := a.Overlay(ctx, OverlayRequest{
		Base: s.index, Repo: repo, Commit: s.asked,
		WorkTree: root, Changes: changes, Entries: entries, Cache: s.cache, Model: s.options.Model,
	})
	if code := fail.CodeOf(err); code == fail.NoIndex || code == fail.Repository {
		a.Note("%v: changed files are read by lines", err)
		return nil, nil
	}
	return over, err
}

func pathsOf(changes []git.Change) []string {
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	return paths
}

// against turns the changes of a working tree against one tree into those
// against another. Both trees and the changes are sorted by path.
func against(other, tree []git.Entry, changes []git.Change) []git.Change {
	out := make([]git.Change, 0, len(changes))
	old := make(map[string]*git.Entry, len(other))
	for i := range other {
		old[other[i].Path] = &other[i]
	}
	seen := make(map[string]bool, len(changes))
	add := func(path string, mode uint32) {
		c := git.Change{Path: path, Kind: git.Modified, Mode: mode}
		switch {
		case old[path] == nil && mode == 0:
			return
		case old[path] == nil:
			c.Kind = git.Added
		case mode == 0:
			c.Kind = git.Deleted
		}
		out = append(out, c)
	}
	for _, c := range changes {
		seen[c.Path] = true
		if c.Kind == git.Deleted {
			c.Mode = 0
		}
		add(c.Path, c.Mode)
	}
	for _, e := range tree {
		if o := old[e.Path]; !seen[e.Path] && (o == nil || o.ID != e.ID || o.Mode != e.Mode) {
			add(e.Path, e.Mode)
		}
		seen[e.Path] = true
	}
	for i := range other {
		if path := other[i].Path; !seen[path] {
			add(path, 0)
		}
	}
	order.Sort(out, func(a, b git.Change) int { return cmp.Compare(a.Path, b.Path) })
	return out
}
