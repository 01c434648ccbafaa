package fetch

import (
	"errors"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
)

// Guard runs fn, on this goroutine, and returns its error. A fault while fn
// reads a mapped file, and any other damage that fn reports, becomes an error
// with code Verification that says how to mend it. Other panics pass through.
//
// A command wraps its whole work on an index in one Guard. The guard is of
// one goroutine: code that reads segments on goroutines of its own runs each
// one's work in artifact.Guard, as artifact.Index.EachPartition does, and
// returns the error to the goroutine that was asked. A fault unwinds fn like
// a panic, so locks that fn holds must be released by deferred calls.
func Guard(fn func() error) error {
	return explain(artifact.Guard(fn), "reading the index failed")
}

// explain gives an error about an artifact's bytes its exit code and remedy;
// other errors, and those that have them already, are returned as they are.
func explain(err error, format string, args ...any) error {
	var known *fail.Error
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.Is(err, artifact.ErrTooNew):
		return fail.Wrap(fail.Verification, err, "install a later version of pindex", format, args...)
	case errors.Is(err, artifact.ErrDamaged), errors.Is(err, artifact.ErrNotPindex):
		return fail.Wrap(fail.Verification, err,
			"delete the cache folder and run the command again; if that does not help, write the index again with pindex compile --replace",
			format, args...)
	}
	return err
}
