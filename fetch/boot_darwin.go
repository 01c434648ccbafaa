package fetch

import (
	"time"

	"golang.org/x/sys/unix"
)

// bootTime returns when this machine started, by today's clock; the zero
// time when that is unknown.
func bootTime() time.Time {
	tv, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return time.Time{}
	}
	return time.Unix(tv.Unix())
}
