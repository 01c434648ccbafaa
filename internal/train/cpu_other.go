//go:build !unix

package main

import "time"

var started = time.Now()

// cpuTime is the time since the start where the system's own count is not at
// hand.
func cpuTime() time.Duration { return time.Since(started) }
