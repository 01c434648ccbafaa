package fetch

import (
	"time"

	"golang.org/x/sys/unix"
)

// bootTime returns when this machine started, by today's clock; the zero
// time when that is unknown.
func bootTime() time.Time {
	var up unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &up) != nil {
		return time.Time{}
	}
	return time.Now().Add(-time.Duration(up.Nano()))
}
