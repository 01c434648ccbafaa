//go:build unix

package main

import (
	"syscall"
	"time"
)

// processorTime is what the process has used so far, in user and system time.
func processorTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
