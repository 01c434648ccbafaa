package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

// Store returns the store that the options, the environment or the user's
// configuration name, in that order, else the layout in the cache folder.
func (a *App) Store() (registry.Store, error) {
	ref, err := a.storeName()
	if err != nil {
		return nil, err
	}
	if ref == "" {
		dir, err := fetch.DefaultDir()
		if err != nil {
			return nil, fail.Wrap(fail.Usage, err, "set PINDEX_CACHE_DIR, or name a folder with --store DIR", "there is no cache folder")
		}
		return registry.OpenLocal(filepath.Join(dir, fetch.StoreDir))
	}
	return a.openStore(ref)
}

// storeName returns the reference of the store that was named, "" where none was.
func (a *App) storeName() (string, error) {
	if a.storeRef != "" {
		return a.storeRef, nil
	}
	if ref := os.Getenv("PINDEX_STORE"); ref != "" {
		return ref, nil
	}
	c, err := loadConfig()
	return c.Store, err
}

// answering is Store for commands that answer from what was pulled, even where
// the offline file that it was pulled from is gone.
func (a *App) answering() (registry.Store, error) {
	store, err := a.Store()
	if errors.Is(err, fs.ErrNotExist) {
		if ref, err := a.storeName(); err == nil && isArchive(ref) {
			return registry.AbsentArchive(ref), nil
		}
	}
	return store, err
}

// isArchive reports whether a store reference names an offline file.
func isArchive(ref string) bool {
	return strings.HasSuffix(ref, registry.ArchiveSuffix) && !registry.IsRemote(ref)
}

// openStore opens the store that a reference names: a registry repository, a
// folder, or an offline file.
func (a *App) openStore(ref string) (registry.Store, error) {
	if isArchive(ref) {
		return registry.OpenArchive(ref)
	}
	if !registry.IsRemote(ref) {
		return registry.OpenLocal(ref)
	}
	if !strings.Contains(ref, "://") {
		// A commit may bring a folder of any name, so it must not take the
		// registry's place; and a user may well mean a folder.
		if _, err := os.Stat(filepath.Join(ref, ocispec.ImageLayoutFile)); err == nil {
			return nil, fail.New(fail.Usage, fmt.Sprintf("write ./%s for the folder, or https://%s for the registry", ref, ref),
				"%s is a folder here, and a repository in a registry", ref)
		}
	}
	c, err := loadConfig()
	if err != nil {
		return nil, err
	}
	o := registry.RemoteFromEnv(os.Getenv)
	if len(o.Mirrors) == 0 {
		o.Mirrors = c.Mirrors
	}
	o.UserAgent = a.Name + "/" + a.Version
	return registry.OpenRemote(ref, o)
}

// isLocal reports whether a store is a folder: the only kind that a reading
// command may write to.
func isLocal(s registry.Store) bool {
	_, ok := s.(*registry.Local)
	return ok
}

// mayFill reports whether a reading command may put an index into a store by
// itself: into the one in the cache folder, and into a folder that is a store
// already. A name that was written wrong must not become a folder.
func mayFill(s registry.Store) bool {
	if !isLocal(s) {
		return false
	}
	if dir, err := fetch.DefaultDir(); err == nil && s.Name() == filepath.Join(dir, fetch.StoreDir) {
		return true
	}
	_, err := os.Stat(filepath.Join(s.Name(), ocispec.ImageLayoutFile))
	return err == nil
}
