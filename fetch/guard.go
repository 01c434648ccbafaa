package fetch

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/pindex-dev/pindex/internal/fail"
)

// Guard runs fn and returns its error. When fn, on this goroutine, faults
// while it reads mapped memory, Guard returns an error with code Verification
// in place of letting the program die. Any other panic passes through.
//
// The guard is of one goroutine. Code that reads an index from goroutines of
// its own must run each one's work in a guard of its own:
//
//	wg.Go(func() { errs[i] = ix.Guard(func() error { return work(i) }) })
//
// A fault unwinds fn like a panic, so a lock that fn holds must be released
// by a deferred call, and what fn was writing to is in an unknown state.
// Guards may be nested.
func Guard(fn func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		switch p := recover().(type) {
		case nil:
		case interface {
			runtime.Error
			Addr() uintptr
		}:
			err = fail.Wrap(fail.Verification, fmt.Errorf("fault at address %#x", p.Addr()),
				"a cached file was cut short or its disk fails; delete the cache folder and run the command again",
				"reading a mapped index file failed")
		default:
			panic(p)
		}
	}()
	return fn()
}
