// Package gogit reads git repositories with the go-git library, for machines
// that have no git program. The library reads objects alone: where the
// repository is, its references and its revisions are read by package git,
// and every object is checked against its id. What go-git cannot read is
// refused with the remedy to install git.
package gogit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// maxObject is the size in bytes of the largest object that is read whole.
const maxObject = 2 << 30

// cacheSize is how much one session keeps of what deltas stand on.
const cacheSize = 24 * cache.MiByte

type repository struct {
	*git.Layout

	mu     sync.Mutex
	idle   []*session
	closed bool
}

// Open opens the repository that encloses dir. It is a git.Opener.
func Open(ctx context.Context, dir string) (git.Repository, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l, err := git.FindLayout(dir)
	if err != nil {
		return nil, err
	}
	if err := check(l); err != nil {
		return nil, err
	}
	return &repository{Layout: l}, nil
}

// check refuses what go-git 5.19 reads wrongly or not at all.
func check(l *git.Layout) error {
	if l.Format != gitobj.SHA1 {
		return git.NewUnsupported(l.GitDir, "has "+l.Format.String()+" objects, which go-git cannot read")
	}
	alternates, err := l.HasAlternates()
	if err != nil {
		return err
	}
	if alternates {
		return git.NewUnsupported(l.GitDir, "borrows objects from others (alternates), which go-git cannot read")
	}
	old, err := oldPackIndex(l.Objects)
	if err != nil {
		return git.NewDamaged(l.GitDir, err)
	}
	if old {
		return git.NewUnsupported(l.GitDir, "has a pack index of version 1, which go-git cannot read")
	}
	if filepath.Base(l.Objects) != "objects" {
		return git.NewUnsupported(l.GitDir, "has its objects in "+l.Objects+", where go-git does not look")
	}
	return nil
}

// oldPackIndex reports whether an object folder has a pack index that does not
// begin like those of version 2.
func oldPackIndex(objects string) (bool, error) {
	dir := filepath.Join(objects, "pack")
	list, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, e := range list {
		if filepath.Ext(e.Name()) != ".idx" {
			continue
		}
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if errors.Is(err, os.ErrNotExist) {
			continue // repacked meanwhile
		}
		if err != nil {
			return false, err
		}
		var magic [4]byte
		_, err = io.ReadFull(f, magic[:])
		f.Close()
		if err == nil && string(magic[:]) != "\377tOc" {
			return true, nil
		}
	}
	return false, nil
}

func (r *repository) Backend() string       { return "go-git" }
func (r *repository) Dir() string           { return r.CommonDir }
func (r *repository) WorkTree() string      { return r.Layout.WorkTree }
func (r *repository) Format() gitobj.Format { return r.Layout.Format }

func (r *repository) RemoteURL(ctx context.Context, name string) (string, error) {
	return r.Layout.RemoteURL(name), ctx.Err()
}

// Close implements git.Repository.
func (r *repository) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	var errs []error
	for _, s := range r.idle {
		errs = append(errs, s.storage.Close())
	}
	r.idle = nil
	return errors.Join(errs...)
}

// session is a go-git storage. It is not safe for concurrent use, and what
// one storage knows of the packs is not shared with another.
type session struct {
	dir     string
	storage *filesystem.Storage
	packs   []plumbing.Hash
}

func (r *repository) get() (*session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errors.New("the repository is closed")
	}
	if n := len(r.idle); n > 0 {
		s := r.idle[n-1]
		r.idle = r.idle[:n-1]
		return s, nil
	}
	s := &session{dir: filepath.Dir(r.Objects)}
	return s, s.reset()
}

func (r *repository) put(s *session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || len(r.idle) >= 4 {
		s.storage.Close()
		return
	}
	r.idle = append(r.idle, s)
}

// reset opens the storage anew.
func (s *session) reset() error {
	if s.storage != nil {
		s.storage.Close()
	}
	s.storage = filesystem.NewStorageWithOptions(osfs.New(s.dir), cache.NewObjectLRU(cacheSize), filesystem.Options{KeepDescriptors: true})
	var err error
	if s.packs, err = s.storage.ObjectPacks(); err == nil {
		// Reads the packs' indexes. Later on the storage would forget
		// that one of them could not be read.
		if err = s.storage.HasEncodedObject(plumbing.ZeroHash); errors.Is(err, plumbing.ErrObjectNotFound) {
			err = nil
		}
	}
	if err != nil {
		return git.NewDamaged(s.dir, err)
	}
	return nil
}

// do runs a read of one object. What fails is told apart: an object that is
// not there, and one that cannot be read.
func (s *session) do(id gitobj.ID, read func(h plumbing.Hash) error) error {
	h := plumbing.Hash(id.Bytes())
	for again := true; ; again = false {
		err := guard(func() error { return read(h) })
		if err == nil {
			return nil
		}
		if !errors.Is(err, plumbing.ErrObjectNotFound) {
			s.reset() // it may have cached half an object
			return git.NewCorrupt(id, err)
		}
		if guard(func() error { return s.storage.HasEncodedObject(h) }) == nil {
			return git.NewCorrupt(id, err) // what it is a delta against is missing
		}
		// Git may have packed loose objects meanwhile.
		packs, err := s.storage.ObjectPacks()
		if err != nil || !again || slices.Equal(packs, s.packs) {
			return git.NewMissing(id)
		}
		if err := s.reset(); err != nil {
			return err
		}
	}
}

// guard turns a panic into an error: go-git has had several on damaged packs,
// and one object must not end the program.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("go-git: %v", p)
		}
	}()
	return f()
}

// read appends an object's content to dst, checked against its id.
func (s *session) read(id gitobj.ID, dst []byte) (typ string, out []byte, err error) {
	out = dst
	err = s.do(id, func(h plumbing.Hash) error {
		o, err := s.storage.EncodedObject(plumbing.AnyObject, h)
		if err != nil {
			return err
		}
		if o.Size() > maxObject {
			return fmt.Errorf("it has %d bytes, more than the %d that can be read", o.Size(), int64(maxObject))
		}
		r, err := o.Reader()
		if err != nil {
			return err
		}
		defer r.Close()
		typ = o.Type().String()
		out = slices.Grow(dst, int(o.Size()))[:len(dst)+int(o.Size())]
		if _, err := io.ReadFull(r, out[len(dst):]); err != nil {
			return io.ErrUnexpectedEOF
		}
		if gitobj.Hash(id.Format(), typ, out[len(dst):]) != id {
			return errors.New("its content has another hash")
		}
		return nil
	})
	if err != nil {
		return "", dst, err
	}
	return typ, out, nil
}

func (s *session) readTyped(id gitobj.ID, typ string, dst []byte) ([]byte, error) {
	got, out, err := s.read(id, dst)
	if err == nil && got != typ {
		return dst, git.NewCorrupt(id, fmt.Errorf("it is a %s where a %s is needed", got, typ))
	}
	return out, err
}

// info returns an object's type and size.
func (s *session) info(id gitobj.ID) (typ string, size int64, err error) {
	err = s.do(id, func(h plumbing.Hash) error {
		size, err = s.storage.EncodedObjectSize(h)
		return err
	})
	// go-git cannot tell the type without the content. Whether it is a
	// blob shows when it is read.
	return "blob", size, err
}

// Object and Abbreviated implement git.Objects.
func (s *session) Object(id gitobj.ID) (string, []byte, error) { return s.read(id, nil) }

func (s *session) Abbreviated(prefix string) (ids []gitobj.ID, err error) {
	err = guard(func() error {
		whole, err := gitobj.ParseID(prefix + strings.Repeat("0", 40-len(prefix)))
		if err != nil {
			return err
		}
		list, err := s.storage.HashesWithPrefix(whole.Bytes()[:len(prefix)/2])
		for _, h := range list {
			if id, err := gitobj.IDFromBytes(h[:]); err == nil && strings.HasPrefix(id.String(), prefix) && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		return err
	})
	if err != nil {
		err = git.NewDamaged(s.dir, err)
	}
	return ids, err
}

// with runs fn with a session of its own.
func (r *repository) with(ctx context.Context, fn func(s *session) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s, err := r.get()
	if err != nil {
		return err
	}
	defer r.put(s)
	return fn(s)
}

// Resolve implements git.Repository; see git.Layout.Resolve for what it
// understands.
func (r *repository) Resolve(ctx context.Context, rev string) (id gitobj.ID, err error) {
	err = r.with(ctx, func(s *session) error {
		id, err = r.Layout.Resolve(ctx, s, rev)
		return err
	})
	return id, err
}

// ReadCommit implements git.Repository.
func (r *repository) ReadCommit(ctx context.Context, id gitobj.ID) (c *git.Commit, err error) {
	err = r.with(ctx, func(s *session) error {
		raw, err := s.readTyped(id, "commit", nil)
		if err == nil {
			c, err = git.ParseCommit(id, raw)
		}
		return err
	})
	return c, err
}

// Tree implements git.Repository.
func (r *repository) Tree(ctx context.Context, commit gitobj.ID) (entries []git.Entry, err error) {
	c, err := r.ReadCommit(ctx, commit)
	if err != nil {
		return nil, err
	}
	err = r.with(ctx, func(s *session) error {
		entries, err = git.ListTree(ctx, c.Tree,
			func(id gitobj.ID, dst []byte) ([]byte, error) { return s.readTyped(id, "tree", dst) }, s.info)
		return err
	})
	return entries, err
}

// Blobs implements git.Repository.
func (r *repository) Blobs(ctx context.Context) (git.BlobReader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := r.get()
	if err != nil {
		return nil, err
	}
	return &blobs{r: r, s: s, ctx: ctx.Err}, nil
}

type blobs struct {
	r   *repository
	s   *session
	ctx func() error
}

func (b *blobs) Read(id gitobj.ID, dst []byte) ([]byte, error) {
	if err := b.ctx(); err != nil {
		return dst, err
	}
	return b.s.readTyped(id, "blob", dst)
}

func (b *blobs) Close() error {
	if b.s != nil {
		b.r.put(b.s)
		b.s = nil
	}
	return nil
}
