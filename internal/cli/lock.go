package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

// lockPath returns where the lock file is: at the root of the working tree, or
// where there is no repository in the folder that --repo names.
func (a *App) lockPath() (string, error) {
	dir := a.repoDir
	if l, err := git.FindLayout(a.repoDir); err == nil {
		if l.WorkTree == "" {
			return "", fail.New(fail.Usage, "run this in a clone with a working tree", "a bare repository has no place for %s", fetch.LockName)
		}
		dir = l.WorkTree
	}
	return filepath.Join(dir, fetch.LockName), nil
}

// readLock reads the lock file. It may have come with the commit, so nothing in
// it can make pull do more than it would without.
func (a *App) readLock(ctx context.Context, f pullFlags) (*fetch.Lock, error) {
	if f.distance > 0 || f.write {
		return nil, fail.New(fail.Usage, "leave out --max-distance and --write-lock", "--locked pulls the one index that the lock names")
	}
	path, err := a.lockPath()
	if err != nil {
		return nil, err
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fail.New(fail.Usage, fmt.Sprintf("write it with '%s pull --write-lock'", a.Name), "there is no %s", path)
	}
	refuse := func(err error) error {
		return fail.Wrap(fail.Verification, err, fmt.Sprintf("look who changed it, and write it again with '%s pull --write-lock'", a.Name), "%s cannot be used", path)
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a plain file")
	}
	if err != nil {
		return nil, refuse(err)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, refuse(err)
	}
	defer file.Close()
	lock, err := fetch.ParseLock(file)
	if err != nil {
		return nil, refuse(err)
	}
	if a.rev != "" {
		commit, err := a.resolve(ctx)
		if err != nil {
			return nil, err
		}
		if commit != lock.Commit {
			return nil, fail.New(fail.Usage, "leave the revision out, or write a lock for it with --write-lock", "%s names commit %s, not %s", fetch.LockName, lock.Commit, commit)
		}
	}
	return lock, nil
}

// writeLock records what was pulled.
func (a *App) writeLock(p *fetch.Pulled, store registry.Store) error {
	path, err := a.lockPath()
	if err != nil {
		return err
	}
	lock := &fetch.Lock{Commit: p.Commit, Digest: p.Digest, Profile: p.Profile}
	if r, ok := store.(*registry.Remote); ok {
		lock.Store = r.Name() // a path would be of this machine
	}
	b, err := lock.Encode()
	if err != nil {
		return fail.Wrap(fail.Internal, err, "", "the lock of %s cannot be written", store.Name())
	}
	if err := durable.WriteBytes(path, 0o644, b); err != nil {
		return fail.Wrap(fail.Usage, err, "make the folder writable", "%s cannot be written", path)
	}
	return nil
}

// lockHint adds to an error that there is no index where the lock says that it
// was. Only its reader can decide to ask there.
func lockHint(err error, lock *fetch.Lock, store registry.Store) error {
	var e *fail.Error
	if lock == nil || lock.Store == "" || lock.Store == store.Name() || fail.CodeOf(err) != fail.NoIndex || !errors.As(err, &e) {
		return err
	}
	hinted := *e
	hinted.Remedy += fmt.Sprintf("; the lock was written with --store %s, which is asked only if you name it", lock.Store)
	return &hinted
}
