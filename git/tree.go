package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
	"github.com/pindex-dev/pindex/internal/order"
)

// Modes of tree entries, as git stores them.
const (
	ModeFile       = 0o100644
	ModeExecutable = 0o100755
	ModeSymlink    = 0o120000
	ModeSubmodule  = 0o160000
	modeTree       = 0o040000
	modeType       = 0o170000
)

// Limits of one commit's tree. A few hundred bytes of tree objects can name
// billions of paths, because trees may share subtrees.
const (
	maxTreeEntries = 5_000_000 // leaves and directories together
	maxPathBytes   = 1 << 20   // one path
	maxPathsBytes  = 4 << 30   // all paths of a tree together
)

// treeReader reads tree objects. It calls fn once for each id, in order, with
// content that is valid until fn returns and that has been checked against
// the id.
type treeReader func(ids []gitobj.ID, fn func(i int, raw []byte) error) error

// walkTree lists the leaves below root, in no useful order and with Size 0.
// It reads level by level, so that the reader can ask ahead. found, if not
// nil, is called with each leaf as it is found.
func walkTree(ctx context.Context, root gitobj.ID, read treeReader, found func(Entry)) ([]Entry, error) {
	return walkTreeLimited(ctx, root, read, found, maxTreeEntries)
}

func walkTreeLimited(ctx context.Context, root gitobj.ID, read treeReader, found func(Entry), maxEntries int) ([]Entry, error) {
	type dir struct {
		prefix string
		id     gitobj.ID
	}
	var entries []Entry
	level := []dir{{"", root}}
	var ids []gitobj.ID
	seen, bytesTotal := 0, 0
	for len(level) > 0 {
		ids = ids[:0]
		for _, d := range level {
			ids = append(ids, d.id)
		}
		var next []dir
		err := read(ids, func(i int, raw []byte) error {
			if i&255 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			prefix := level[i].prefix
			return parseTree(ids[i], raw, func(mode uint32, name []byte, id gitobj.ID) error {
				seen++
				n := len(prefix) + len(name)
				bytesTotal += n
				if seen > maxEntries || n > maxPathBytes || bytesTotal > maxPathsBytes {
					return fail.New(fail.Repository, "name another commit; what this one names no working tree could hold",
						"the tree %s is beyond the limits of %d entries and %d bytes of a path", root, maxEntries, maxPathBytes)
				}
				if mode&modeType == modeTree {
					next = append(next, dir{prefix + string(name) + "/", id})
					return nil
				}
				e := Entry{Path: prefix + string(name), Mode: mode, ID: id}
				entries = append(entries, e)
				if found != nil {
					found(e)
				}
				return nil
			})
		})
		if err != nil {
			return nil, err
		}
		level = next
	}
	return entries, nil
}

// sortEntries puts a tree's leaves into the order of their paths.
func sortEntries(root gitobj.ID, entries []Entry) error {
	byPath := func(a, b Entry) int { return strings.Compare(a.Path, b.Path) }
	order.Sort(entries, byPath)
	for i := 1; i < len(entries); i++ {
		if entries[i].Path == entries[i-1].Path {
			return NewCorrupt(root, fmt.Errorf("a tree with two entries for %q", entries[i].Path))
		}
	}
	return nil
}

// parseTree calls fn for each entry of a tree object's content. It refuses
// what no git writes and what would make paths ambiguous.
func parseTree(tree gitobj.ID, raw []byte, fn func(mode uint32, name []byte, id gitobj.ID) error) error {
	size := tree.Format().Size()
	for len(raw) > 0 {
		sp := bytes.IndexByte(raw, ' ')
		if sp < 1 || sp > 7 {
			return NewCorrupt(tree, errors.New("a tree entry without a mode"))
		}
		var mode uint32
		for _, c := range raw[:sp] {
			if c < '0' || c > '7' {
				return NewCorrupt(tree, errors.New("a tree entry whose mode is no octal number"))
			}
			mode = mode<<3 | uint32(c-'0')
		}
		raw = raw[sp+1:]
		nul := bytes.IndexByte(raw, 0)
		if nul < 1 || len(raw) < nul+1+size {
			return NewCorrupt(tree, errors.New("a tree that ends inside an entry"))
		}
		name := raw[:nul]
		if bytes.IndexByte(name, '/') >= 0 {
			return NewCorrupt(tree, fmt.Errorf("a tree entry with a slash in its name %q", name))
		}
		id, err := gitobj.IDFromBytes(raw[nul+1 : nul+1+size])
		if err != nil {
			return NewCorrupt(tree, err)
		}
		if err := fn(mode, name, id); err != nil {
			return err
		}
		raw = raw[nul+1+size:]
	}
	return nil
}

// isSubmodule reports whether entries of this mode name a commit.
func isSubmodule(mode uint32) bool { return mode&modeType == ModeSubmodule }
