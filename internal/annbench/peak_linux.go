package main

import "syscall"

// peak is the most memory of this process that was resident, in bytes.
func peak() uint64 {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return uint64(r.Maxrss) << 10
}
