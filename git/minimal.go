package git

import (
	"context"
	"errors"
	"fmt"

	"github.com/pindex-dev/pindex/internal/gitobj"
)

// Minimal reads a repository without the git program and without any library.
// It reads what git writes today — loose objects and packs, deltas, both hash
// functions, alternates, linked worktrees, shallow and partial clones — and
// refuses what it does not know. It is made for the small client, which needs
// a commit, a tree and a few blobs, and is slower than git at reading all of
// a history.
type Minimal struct {
	*Layout
	store *objectStore
}

// OpenMinimal opens the repository that encloses dir; see FindLayout.
func OpenMinimal(ctx context.Context, dir string) (*Minimal, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l, err := FindLayout(dir)
	if err != nil {
		return nil, err
	}
	s, err := openObjects(l)
	if err != nil {
		return nil, err
	}
	return &Minimal{Layout: l, store: s}, nil
}

// Backend implements Repository.
func (m *Minimal) Backend() string { return "minimal" }

// Dir implements Repository.
func (m *Minimal) Dir() string { return m.CommonDir }

// WorkTree implements Repository.
func (m *Minimal) WorkTree() string { return m.Layout.WorkTree }

// Format implements Repository.
func (m *Minimal) Format() gitobj.Format { return m.Layout.Format }

// RemoteURL implements Repository.
func (m *Minimal) RemoteURL(ctx context.Context, name string) (string, error) {
	return m.Layout.RemoteURL(name), ctx.Err()
}

// Close implements Repository.
func (m *Minimal) Close() error {
	m.store.close()
	return nil
}

// Resolve implements Repository; see Layout.Resolve for what it understands.
func (m *Minimal) Resolve(ctx context.Context, rev string) (gitobj.ID, error) {
	return m.Layout.Resolve(ctx, minimalObjects{newUnpacker(m.store)}, rev)
}

// minimalObjects implements Objects.
type minimalObjects struct{ u *unpacker }

func (o minimalObjects) Object(id gitobj.ID) (string, []byte, error) { return o.u.read(id, nil) }

func (o minimalObjects) Abbreviated(prefix string) ([]gitobj.ID, error) {
	return o.u.s.abbreviated(prefix)
}

// readTyped appends the content of an object that must have a type.
func (u *unpacker) readTyped(id gitobj.ID, typ string, dst []byte) ([]byte, error) {
	got, out, err := u.read(id, dst)
	if err == nil && got != typ {
		return dst, NewCorrupt(id, fmt.Errorf("it is a %s where a %s is needed", got, typ))
	}
	return out, err
}

// ReadCommit implements Repository.
func (m *Minimal) ReadCommit(ctx context.Context, id gitobj.ID) (*Commit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	raw, err := newUnpacker(m.store).readTyped(id, "commit", nil)
	if err != nil {
		return nil, err
	}
	return ParseCommit(id, raw)
}

// Tree implements Repository.
func (m *Minimal) Tree(ctx context.Context, commit gitobj.ID) ([]Entry, error) {
	c, err := m.ReadCommit(ctx, commit)
	if err != nil {
		return nil, err
	}
	u := newUnpacker(m.store)
	return ListTree(ctx, c.Tree,
		func(id gitobj.ID, dst []byte) ([]byte, error) { return u.readTyped(id, "tree", dst) },
		u.info)
}

// ListTree lists the leaves below a tree in the order of their paths. read
// appends a tree's content, checked against its id, to its argument; info
// returns an object's type and size, or an error that is ErrMissing. It is
// for implementations of Repository.
func ListTree(ctx context.Context, root gitobj.ID,
	read func(id gitobj.ID, dst []byte) ([]byte, error),
	info func(id gitobj.ID) (typ string, size int64, err error)) ([]Entry, error) {
	var buf []byte
	entries, err := walkTree(ctx, root, func(ids []gitobj.ID, fn func(i int, raw []byte) error) error {
		for i, id := range ids {
			var err error
			if buf, err = read(id, buf[:0]); err == nil {
				err = fn(i, buf)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}, nil)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		e := &entries[i]
		if isSubmodule(e.Mode) {
			continue
		}
		if i&255 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		typ, size, err := info(e.ID)
		switch {
		case errors.Is(err, ErrMissing):
			e.Size = -1
		case err != nil:
			return nil, err
		case typ != "blob":
			return nil, NewCorrupt(e.ID, fmt.Errorf("it is a %s, and the tree has it as the file %q", typ, e.Path))
		default:
			e.Size = size
		}
	}
	if err := sortEntries(root, entries); err != nil {
		return nil, err
	}
	return entries, nil
}

// Blobs implements Repository.
func (m *Minimal) Blobs(ctx context.Context) (BlobReader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &minimalBlobs{newUnpacker(m.store), ctx.Err}, nil
}

type minimalBlobs struct {
	u   *unpacker
	ctx func() error
}

func (b *minimalBlobs) Read(id gitobj.ID, dst []byte) ([]byte, error) {
	if err := b.ctx(); err != nil {
		return dst, err
	}
	return b.u.readTyped(id, "blob", dst)
}

func (b *minimalBlobs) Close() error { return nil }
