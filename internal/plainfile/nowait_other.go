//go:build !unix

package plainfile

// NoWait is the flag by which a pipe is opened without waiting for its other
// end; 0 where there is none.
const NoWait = 0
