//go:build unix

package plainfile

import "syscall"

// NoWait is the flag by which a pipe is opened without waiting for its other
// end; 0 where there is none.
const NoWait = syscall.O_NONBLOCK
