//go:build unix

package compile

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// processCPU returns the processor time that this process has used, in user
// and system mode.
func processCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return cpuOf(&u)
}

// childrenCPU returns the processor time of this process's children that
// have ended.
func childrenCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u) != nil {
		return 0
	}
	return cpuOf(&u)
}

func cpuOf(u *syscall.Rusage) time.Duration {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// selfPeakRSS returns the most resident memory that this process ever had, in
// bytes.
func selfPeakRSS() int64 {
	// Linux lets a process inherit the peak of the one that started it, so
	// that getrusage says too much there.
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range bytes.Lines(status) {
			if rest, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
				kib, err := strconv.ParseInt(string(bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte("kB")))), 10, 64)
				if err == nil {
					return kib << 10
				}
			}
		}
	}
	return peakRSS(syscall.RUSAGE_SELF)
}

// childPeakRSS returns the most resident memory that any one ended child ever
// had, in bytes; on Linux no less than this process had when it started it.
func childPeakRSS() int64 { return peakRSS(syscall.RUSAGE_CHILDREN) }

func peakRSS(who int) int64 {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(u.Maxrss) // bytes there, KiB elsewhere
	}
	return int64(u.Maxrss) << 10
}
