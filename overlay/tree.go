package overlay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/internal/plainfile"
)

// maxFile is the size in bytes above which a changed file is not read: it is
// above what is indexed, so that its size is all that matters of it.
const maxFile = 16 << 20

const (
	modeSymlink = 0o120000
	modeModule  = 0o160000
)

// tree is a repository of one commit that need not exist: a commit's tree with
// a working tree's changes.
type tree struct {
	git.Repository
	commit  *git.Commit
	entries []git.Entry
	files   map[gitobj.ID]string // blob -> file of the working tree
}

// newTree reads the changed files once, for their ids; those of partitions
// that are built are read again, and must be the same then.
func newTree(ctx context.Context, r *Request) (*tree, error) {
	base, err := r.Repo.ReadCommit(ctx, r.Commit)
	if err != nil {
		return nil, err
	}
	entries := r.Entries
	if entries == nil {
		if entries, err = r.Repo.Tree(ctx, r.Commit); err != nil {
			return nil, err
		}
	}
	t := &tree{Repository: r.Repo, commit: base, entries: entries, files: map[gitobj.ID]string{}}
	if len(r.Changes) == 0 {
		return t, nil
	}
	changed := map[string]bool{}
	var fresh []git.Entry
	for _, c := range r.Changes {
		if changed[c.Path] {
			continue
		}
		changed[c.Path] = true
		if c.Kind == git.Deleted || c.Mode == modeModule {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		e, err := t.read(r, c.Path)
		if err != nil {
			return nil, err
		}
		if e != nil {
			fresh = append(fresh, *e)
		}
	}
	t.entries = t.merge(entries, fresh, changed)
	id, err := treeID(r.Repo.Format(), t.entries)
	if err != nil {
		return nil, err
	}
	t.commit = virtual(r.Repo.Format(), base, id)
	return t, nil
}

// read describes a file of the working tree as git would store it without
// converting anything; nil for one that is gone, a folder or a device.
func (t *tree) read(r *Request, path string) (*git.Entry, error) {
	full := filepath.Join(r.WorkTree, filepath.FromSlash(path))
	info, err := os.Lstat(full)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(err, path)
	}
	e := &git.Entry{Path: path, Mode: git.ModeOf(info)}
	if e.Mode == 0 {
		return nil, nil
	}
	content, err := readFile(full, e.Mode)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(err, path)
	}
	e.Size = int64(len(content))
	if e.Size > maxFile {
		// An id of its own that no blob has: the file is listed as too large.
		e.Size = max(e.Size, info.Size())
		content = fmt.Appendf(nil, "%d bytes of %s", e.Size, path)
	}
	e.ID = gitobj.Hash(r.Repo.Format(), "blob", content)
	t.files[e.ID] = full
	return e, nil
}

func unreadable(err error, path string) error {
	return fail.Wrap(fail.Repository, err, "make the file readable, or name a commit with --commit to leave the working tree out",
		"cannot read the changed file %q", path)
}

// readFile reads at most one byte more than maxFile.
func readFile(full string, mode uint32) ([]byte, error) {
	if mode == modeSymlink {
		target, err := os.Readlink(full)
		return []byte(filepath.ToSlash(target)), err
	}
	f, err := plainfile.Open(full)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

// merge replaces changed entries. A file that took a folder's place, or the
// other way round, leaves no entry below or above itself.
func (t *tree) merge(entries, fresh []git.Entry, changed map[string]bool) []git.Entry {
	out := make([]git.Entry, 0, len(entries)+len(fresh))
	for _, e := range entries {
		if !changed[e.Path] {
			out = append(out, e)
		}
	}
	out = append(out, fresh...)
	slices.SortFunc(out, func(a, b git.Entry) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// virtual returns a commit of the tree on top of another. It takes its date,
// and nobody's name.
func virtual(format gitobj.Format, on *git.Commit, tree gitobj.ID) *git.Commit {
	raw := fmt.Appendf(nil, "tree %s\nparent %s\nauthor pindex <> %d +0000\ncommitter pindex <> %d +0000\n\nworking tree\n", tree, on.ID, on.Unix, on.Unix)
	return &git.Commit{ID: gitobj.Hash(format, "commit", raw), Tree: tree, Parents: []gitobj.ID{on.ID}, Raw: raw, Unix: on.Unix}
}

func (t *tree) Resolve(ctx context.Context, rev string) (gitobj.ID, error) {
	if rev == t.commit.ID.String() {
		return t.commit.ID, nil
	}
	return t.Repository.Resolve(ctx, rev)
}

func (t *tree) ReadCommit(ctx context.Context, id gitobj.ID) (*git.Commit, error) {
	if id == t.commit.ID {
		return t.commit, nil
	}
	return t.Repository.ReadCommit(ctx, id)
}

func (t *tree) Tree(ctx context.Context, id gitobj.ID) ([]git.Entry, error) {
	if id == t.commit.ID {
		return t.entries, nil
	}
	return t.Repository.Tree(ctx, id)
}

func (t *tree) Blobs(ctx context.Context) (git.BlobReader, error) {
	inner, err := t.Repository.Blobs(ctx)
	return &blobs{t: t, inner: inner}, err
}

// Close leaves the repository to its owner.
func (t *tree) Close() error { return nil }

// blobs reads changed files from the working tree and all others from the
// repository.
type blobs struct {
	t     *tree
	inner git.BlobReader
}

func (b *blobs) Read(id gitobj.ID, dst []byte) ([]byte, error) {
	if full, ok := b.t.files[id]; ok {
		info, err := os.Lstat(full)
		if err != nil || git.ModeOf(info) == 0 {
			return nil, moved(full)
		}
		content, err := readFile(full, git.ModeOf(info))
		if err != nil || gitobj.Hash(b.t.Format(), "blob", content) != id {
			return nil, moved(full)
		}
		return append(dst, content...), nil
	}
	return b.inner.Read(id, dst)
}

func (b *blobs) Close() error { return b.inner.Close() }

// ErrMoved means that a file was written while it was read.
var ErrMoved = errors.New("the working tree changed meanwhile")

func moved(path string) error {
	return fail.Wrap(fail.Repository, ErrMoved, "run the command again", "%s was written while it was read", path)
}
