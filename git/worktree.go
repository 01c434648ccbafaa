package git

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
)

// Follower tells again and again how one working tree differs from a tree. It
// keeps what it read of the index and of folders, so that looking again costs
// an lstat for each file and folder. It is safe for concurrent use.
type Follower struct {
	dir string
	o   Options

	mu     sync.Mutex
	layout *Layout
	others *others
	index  *index
	at     stamp  // of the index file
	memory []byte // see Remember
}

// NewFollower returns a follower of the working tree at or around dir.
func NewFollower(dir string, o Options) *Follower { return &Follower{dir: dir, o: o} }

// Changes returns the files that differ from the entries, which are sorted by
// path: tracked ones as Changed does, and those that git neither tracks nor
// ignores as added; sorted by path. Above maxOthers of the latter none is
// listed, and others is their number. Where nobody can tell which files are
// ignored, as for some configurations without a git program, there are tracked
// files alone.
func (f *Follower) Changes(ctx context.Context, entries []Entry, maxOthers int) (changes []Change, others int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	root, x, err := f.open()
	var paths []string
	var listed error
	var wg sync.WaitGroup
	switch {
	case err == nil:
		wg.Go(func() { paths, listed = f.others.list(ctx, x) })
		changes, err = f.layout.compare(ctx, x, entries)
	case errors.Is(err, ErrUnsupported):
		wg.Go(func() { paths, listed = Untracked(ctx, f.dir, f.o) })
		changes, err = Changed(ctx, f.dir, entries, f.o)
	}
	wg.Wait()
	if err != nil {
		return nil, 0, err
	}
	if errors.Is(listed, ErrUnsupported) {
		paths, listed = Untracked(ctx, f.dir, f.o)
	}
	if listed != nil && !errors.Is(listed, ErrUnsupported) {
		return nil, 0, listed
	}
	paths = withoutLayouts(paths)
	if len(paths) > maxOthers {
		return changes, len(paths), nil
	}
	for _, path := range paths {
		if mode, _ := Stamp(root + "/" + filepath.FromSlash(path)); mode != 0 {
			changes = append(changes, Change{Path: path, Kind: Added, Mode: mode})
		}
	}
	sort.Slice(changes, func(i, j int) bool { return changes[i].Path < changes[j].Path })
	return changes, 0, nil
}

// withoutLayouts leaves out what lies in an OCI layout that git does not track:
// a store of indexes within the working tree is none of its source.
func withoutLayouts(paths []string) []string {
	var layouts []string
	for _, path := range paths {
		if dir, ok := strings.CutSuffix(path, "/oci-layout"); ok {
			layouts = append(layouts, dir+"/")
		}
	}
	if len(layouts) == 0 {
		return paths
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		return slices.ContainsFunc(layouts, func(dir string) bool { return strings.HasPrefix(path, dir) })
	})
}

// open finds the repository, and reads its index where that was written to.
func (f *Follower) open() (root string, x *index, err error) {
	l, err := FindLayout(f.dir)
	if err != nil {
		return "", nil, err
	}
	if l.WorkTree == "" {
		return "", nil, noWorkTree(l.GitDir)
	}
	if f.layout == nil || f.layout.WorkTree != l.WorkTree || f.layout.GitDir != l.GitDir {
		f.others, f.index = newOthers(l), nil
		if f.memory != nil {
			f.others.decode(f.memory)
			f.memory = nil
		}
	}
	f.layout, f.others.l = l, l // the configuration may have changed
	now, _ := stampOf(l.Index)
	if f.index == nil || now != f.at || now.racy {
		if f.index, err = l.readIndex(); err != nil {
			return l.WorkTree, nil, err
		}
		f.at = now
	}
	return l.WorkTree, f.index, nil
}
