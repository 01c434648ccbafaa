package registry

import (
	"context"
	"time"
)

// SetSleep makes a client's waits whatever a test wants.
func (o *RemoteOptions) SetSleep(sleep func(ctx context.Context, d time.Duration) error) {
	o.sleep = sleep
}

// Parts of the retry policy, for tests of their own.
var (
	RetryWait  = retryWait
	RetryAfter = retryAfter
)

// RetryCap is the longest wait.
const RetryCap = retryCap
