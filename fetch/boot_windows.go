package fetch

import (
	"time"

	"golang.org/x/sys/windows"
)

// bootTime returns when this machine started, by today's clock.
func bootTime() time.Time { return time.Now().Add(-windows.DurationSinceBoot()) }
