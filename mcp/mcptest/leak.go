package mcptest

import (
	"runtime"
	"testing"
	"time"
)

// settleTime is how long goroutines may take to end once nothing holds them. It
// only decides when a leak is called one.
const settleTime = 15 * time.Second

// NoLeak fails the test when, at its end and after what was registered for it
// later, more goroutines run than now.
func NoLeak(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for end := time.Now().Add(settleTime); ; time.Sleep(5 * time.Millisecond) {
			n := runtime.NumGoroutine()
			if n <= before {
				return
			}
			if time.Now().After(end) {
				stacks := make([]byte, 1<<20)
				t.Errorf("%d goroutines ran before, %d do now:\n%s", before, n, stacks[:runtime.Stack(stacks, true)])
				return
			}
		}
	})
}
