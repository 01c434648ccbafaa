//go:build !linux && !darwin && !windows

package fetch

import "time"

// bootTime returns the zero time: it is unknown here when the machine
// started. Torn files are then found by their size and checksums alone.
func bootTime() time.Time { return time.Time{} }
