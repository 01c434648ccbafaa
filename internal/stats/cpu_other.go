//go:build !unix

package stats

import "time"

var started = time.Now()

// CPU is the time since the start where the system's own count is not at
// hand.
func CPU() time.Duration { return time.Since(started) }
