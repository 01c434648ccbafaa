package git

import (
	"errors"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

var (
	// ErrMissing says that the repository does not hold an object: a blob
	// that a partial clone left with its promisor remote, which pindex
	// never contacts.
	ErrMissing = errors.New("object is not in this repository")
	// ErrUnsupported says that a backend cannot read a repository of this
	// kind, so that another backend has to.
	ErrUnsupported = errors.New("not supported by this reader of git repositories")
)

// ErrCorrupt says that an object is there and cannot be what its id names.
var ErrCorrupt = errors.New("object is damaged")

const (
	remedyFsck    = "`git fsck --full` lists the damage; `git fetch --refetch`, or a fresh clone, brings the objects again"
	remedyMissing = "`git fetch --refetch --no-filter`, or a clone without --filter, brings every object; pindex itself never downloads one"
	remedyRevs    = "`git branch --all` and `git tag --list` list what can be named"
)

// NewMissing returns the error for an object that the repository lacks. It
// is for implementations of Repository.
func NewMissing(id gitobj.ID) error {
	return fail.Wrap(fail.Repository, ErrMissing, remedyMissing, "cannot read object %s", id)
}

// NewCorrupt returns the error for an object that is there and damaged. It is
// for implementations of Repository. The cause may be nil.
func NewCorrupt(id gitobj.ID, cause error) error {
	err := ErrCorrupt
	if cause != nil {
		err = &corrupt{cause}
	}
	return fail.Wrap(fail.Repository, err, remedyFsck, "cannot read object %s", id)
}

// corrupt is ErrCorrupt with a cause.
type corrupt struct{ cause error }

func (c *corrupt) Error() string   { return ErrCorrupt.Error() + ": " + c.cause.Error() }
func (c *corrupt) Unwrap() []error { return []error{ErrCorrupt, c.cause} }

// NewUnsupported returns the error for a repository that an embedded reader
// must not read, because its answers could be wrong. What completes the
// sentence "the repository … ".
func NewUnsupported(dir, what string) error {
	return fail.Wrap(fail.Repository, ErrUnsupported,
		"install git (https://git-scm.com/downloads) and run this again; with the git program pindex reads every repository that git does",
		"the repository %s %s", dir, what)
}

// NewDamaged returns the error for a repository in which something other than
// one object cannot be read. It is for implementations of Repository.
func NewDamaged(dir string, cause error) error {
	return fail.Wrap(fail.Repository, cause, remedyFsck, "cannot read the repository %s", dir)
}
