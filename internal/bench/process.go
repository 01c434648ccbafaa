package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// usage is what one command cost, with everything that it started.
type usage struct {
	user, sys, wall time.Duration
	peakTree        int64 // bytes: the largest sum of resident memory over the process tree, sampled
	peakSingle      int64 // bytes: the largest resident memory of one process, from the kernel
	exit            int
}

// sampleEvery is the distance between two looks at the process tree. A peak
// that is shorter goes unseen, which is why peakSingle stands beside it.
const sampleEvery = 20 * time.Millisecond

// measure runs a command to its end. Its output goes to standard error.
func measure(dir string, argv []string) (usage, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return usage{}, err
	}
	var u usage
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(sampleEvery)
		defer tick.Stop()
		for {
			u.peakTree = max(u.peakTree, treeRSS(cmd.Process.Pid))
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	err := cmd.Wait()
	close(done)
	wg.Wait()
	u.wall = time.Since(start)
	if cmd.ProcessState == nil {
		return u, err
	}
	u.exit = cmd.ProcessState.ExitCode()
	u.user, u.sys = cmd.ProcessState.UserTime(), cmd.ProcessState.SystemTime()
	if ru, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.peakSingle = ru.Maxrss << 10
	}
	return u, nil
}

// treeRSS sums the resident memory of a process and all its descendants.
// Pages that several processes share count once for each: an upper bound.
func treeRSS(root int) int64 {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	parent, pages := map[int]int{}, map[int]int64{}
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		s := string(b)
		rest := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil || len(rest) < 22 {
			continue
		}
		parent[pid], _ = strconv.Atoi(rest[1])
		pages[pid], _ = strconv.ParseInt(rest[21], 10, 64)
	}
	var sum int64
	for pid := range pages {
		for p, hops := pid, 0; p > 1 && hops < 64; p, hops = parent[p], hops+1 {
			if p == root {
				sum += pages[pid]
				break
			}
		}
	}
	return sum * int64(os.Getpagesize())
}

func (u usage) String() string {
	mb := func(n int64) string { return fmt.Sprintf("%.0f", float64(n)/1e6) }
	return fmt.Sprintf("user %.2f s, sys %.2f s, wall %.2f s, peak tree RSS %s MB, peak single RSS %s MB, exit %d",
		u.user.Seconds(), u.sys.Seconds(), u.wall.Seconds(), mb(u.peakTree), mb(u.peakSingle), u.exit)
}
