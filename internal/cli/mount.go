package cli

import (
	"context"
	"os"

	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

// MountUsage describes --mount-from.
const MountUsage = "take over what the index in `REPOSITORY` of the same registry has, where the store has none: it is mounted, neither built nor uploaded. You vouch for what is in there"

// MountFrom returns the repository that blobs are mounted from into store: the
// flag's, else that of the environment or of the user's configuration, and nil
// for none. Only a flag that does not fit is an error: the others are said for
// all stores.
func (a *App) MountFrom(flag string, store registry.Store) (*registry.Remote, error) {
	ref := flag
	if ref == "" {
		ref = os.Getenv("PINDEX_MOUNT_FROM")
	}
	if ref == "" {
		c, err := loadConfig()
		if err != nil {
			return nil, err
		}
		ref = c.MountFrom
	}
	to, ok := store.(*registry.Remote)
	if ref == "" || !ok && flag == "" {
		return nil, nil
	}
	other, err := a.openStore(ref)
	if err != nil {
		return nil, err
	}
	from, _ := other.(*registry.Remote)
	if ok && to.Beside(from) {
		return from, nil
	}
	if flag == "" {
		return nil, nil
	}
	return nil, fail.New(fail.Usage, "name another repository of the store's registry",
		"nothing can be mounted from %s into %s: they are not two repositories of one registry", ref, store.Name())
}

// mountNear lets what is pushed into a store be mounted from the repository that
// MountFrom gives, as far as the index of the first of these commits that has
// one there holds it.
func (a *App) mountNear(ctx context.Context, flag string, to registry.Store, commits []string) error {
	other, err := a.MountFrom(flag, to)
	if other == nil || err != nil {
		return err
	}
	return fetch.AssumeNearestIn(ctx, to.(*registry.Remote), other, commits)
}
