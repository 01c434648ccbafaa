package artifact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/pindex-dev/pindex/internal/gitobj"
)

// ErrProof means that an artifact is not of the commit that it names: a
// recomputed object id differs.
var ErrProof = errors.New("not what the commit holds")

// Proof counts what Index.Prove has recomputed.
type Proof struct {
	Commit  string // object id, proved by the raw commit object
	Tree    string // object id, proved by the tree entries
	Entries int    // tree entries that make up the tree
	Blobs   int    // files whose content was hashed and is the entry's blob
	Bytes   int64  // of those files
	// NoContent counts by reason the entries whose content the artifact does
	// not hold, so that only their ids are proved, by way of the tree.
	NoContent map[string]int
}

// CommitTree returns the tree that a raw commit object names.
func CommitTree(raw []byte) (gitobj.ID, error) {
	line, _, ok := bytes.Cut(raw, []byte{'\n'})
	digits, isTree := bytes.CutPrefix(line, []byte("tree "))
	if !ok || !isTree {
		return gitobj.ID{}, damaged("the commit object names no tree")
	}
	id, err := gitobj.ParseID(string(digits))
	if err != nil {
		return gitobj.ID{}, damaged("the commit object names no tree: %v", err)
	}
	return id, nil
}

// TreeID returns the id of the tree whose leaves are the given files, in the
// order of their paths' raw bytes, which is also the order of git's own trees
// (a directory sorts as its name with a slash).
func TreeID(format gitobj.Format, files []File) (gitobj.ID, error) {
	h := NewTreeHasher(format)
	for i := range files {
		if err := h.Add(files[i].Path, files[i].Mode, files[i].Blob); err != nil {
			return gitobj.ID{}, err
		}
	}
	return h.Sum(), nil
}

// TreeHasher computes a tree's id from its leaves in the order of their paths.
type TreeHasher struct {
	format gitobj.Format
	path   []byte     // of the previous leaf
	dirs   []openTree // the root and the directories of path
	added  bool
}

type openTree struct {
	end     int // of the directory's path, without a slash; 0 for the root
	content []byte
}

const treeMode = 0o40000

// NewTreeHasher returns a hasher for an empty tree.
func NewTreeHasher(format gitobj.Format) *TreeHasher {
	return &TreeHasher{format: format, dirs: []openTree{{}}}
}

// Add adds a leaf. It fails when path does not sort behind the one before.
func (h *TreeHasher) Add(path string, mode uint32, id gitobj.ID) error {
	if !validPath([]byte(path)) || h.added && string(h.path) >= path {
		return damaged("path %q is not valid or out of order", path)
	}
	if id.IsZero() || id.Format() != h.format {
		return damaged("path %q has no %s object id", path, h.format)
	}
	// Close the directories that path does not lie in.
	for top := len(h.dirs) - 1; top > 0; top-- {
		end := h.dirs[top].end
		if len(path) > end && path[end] == '/' && path[:end] == string(h.path[:end]) {
			break
		}
		h.close()
	}
	for from := h.dirs[len(h.dirs)-1].end; ; {
		if len(h.dirs) > 1 {
			from++ // the slash
		}
		k := bytes.IndexByte([]byte(path[from:]), '/')
		if k < 0 {
			h.entry(mode, path[from:], id)
			break
		}
		from += k
		h.dirs = append(h.dirs, openTree{end: from})
	}
	h.path, h.added = append(h.path[:0], path...), true
	return nil
}

// entry adds an entry to the innermost open directory.
func (h *TreeHasher) entry(mode uint32, name string, id gitobj.ID) {
	d := &h.dirs[len(h.dirs)-1]
	d.content = strconv.AppendUint(d.content, uint64(mode), 8)
	d.content = append(append(d.content, ' '), name...)
	d.content = append(append(d.content, 0), id.Bytes()...)
}

// close hashes the innermost directory into its parent.
func (h *TreeHasher) close() {
	top := h.dirs[len(h.dirs)-1]
	h.dirs = h.dirs[:len(h.dirs)-1]
	from := 0
	if len(h.dirs) > 1 {
		from = h.dirs[len(h.dirs)-1].end + 1
	}
	h.entry(treeMode, string(h.path[from:top.end]), gitobj.Hash(h.format, "tree", top.content))
}

// Sum returns the id of the tree. Nothing may be added afterwards.
func (h *TreeHasher) Sum() gitobj.ID {
	for len(h.dirs) > 1 {
		h.close()
	}
	return gitobj.Hash(h.format, "tree", h.dirs[0].content)
}

// Prove recomputes the ids of the commit, of its tree from all tree entries,
// and of every blob whose content the artifact holds. A difference gives an
// error that wraps ErrProof and names the first one in path order; errors
// from opening segments are returned as they are.
func (ix *Index) Prove(ctx context.Context) (*Proof, error) {
	m := ix.Manifest()
	format, err := m.Format()
	if err != nil {
		return nil, err
	}
	if got := gitobj.Hash(format, "commit", m.CommitObject).String(); got != m.Commit {
		return nil, fmt.Errorf("%w: the commit object is that of %s, not of %s", ErrProof, got, m.Commit)
	}
	tree, err := CommitTree(m.CommitObject)
	if err != nil {
		return nil, err
	}
	p := &Proof{Commit: m.Commit, Tree: tree.String(), NoContent: map[string]int{}}
	if err := ix.proveTree(ctx, tree, p); err != nil {
		return nil, err
	}
	if m.Views[Source.String()].State != ViewReady {
		p.NoContent["source view absent"] = p.Entries
		return p, nil
	}
	parts := make([]Proof, ix.NumPartitions())
	if err := ix.EachPartition(ctx, func(i int) error { return ix.proveBlobs(format, i, &parts[i]) }); err != nil {
		return nil, err
	}
	for i := range parts {
		p.Blobs += parts[i].Blobs
		p.Bytes += parts[i].Bytes
		for reason, n := range parts[i].NoContent {
			p.NoContent[reason] += n
		}
	}
	return p, nil
}

func (ix *Index) proveTree(ctx context.Context, tree gitobj.ID, p *Proof) error {
	h := NewTreeHasher(tree.Format())
	for i := range ix.NumPartitions() {
		if err := ctx.Err(); err != nil {
			return err
		}
		u, err := ix.Units(i)
		if err != nil {
			return err
		}
		for f := range u.NumFiles() {
			if err := h.Add(u.Path(f), u.Mode(f), u.Blob(f)); err != nil {
				return fmt.Errorf("partition %d: %w", i, err)
			}
			p.Entries++
		}
	}
	if got := h.Sum(); got != tree {
		return fmt.Errorf("%w: the tree entries make up tree %s, the commit's is %s", ErrProof, got, tree)
	}
	return nil
}

func (ix *Index) proveBlobs(format gitobj.Format, i int, p *Proof) error {
	u, err := ix.Units(i)
	if err != nil {
		return err
	}
	src, err := ix.Source(i)
	if err != nil {
		return err
	}
	p.NoContent = map[string]int{}
	for f := range u.NumFiles() {
		content := src.Content(f)
		if s := u.Skip(f); s != SkipNone {
			p.NoContent[s.String()]++
			continue
		}
		if got := gitobj.Hash(format, "blob", content); got != u.Blob(f) {
			return fmt.Errorf("%w: the content of %s is blob %s, the tree's is %s", ErrProof, strconv.Quote(u.Path(f)), got, u.Blob(f))
		}
		p.Blobs++
		p.Bytes += int64(len(content))
	}
	return nil
}
