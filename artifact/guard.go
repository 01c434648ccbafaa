package artifact

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Guard calls fn and turns a memory fault in it into an error that wraps
// ErrDamaged: a mapped file that was cut short, or a disk that fails, must not
// end the program. Every function that reads segments should run under it. It
// covers the calling goroutine alone. Other panics pass.
func Guard(fn func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		e, ok := r.(runtime.Error)
		if _, fault := r.(interface{ Addr() uintptr }); !ok || !fault {
			panic(r)
		}
		err = fmt.Errorf("%w: reading a segment's memory failed (was its file changed?): %w", ErrDamaged, e)
	}()
	return fn()
}
