package durable

import (
	"context"
	"os"
	"time"
)

// FileLock is an exclusive lock that one holder at a time has, among all
// goroutines of all processes. The operating system drops it when its holder
// dies, however it dies.
type FileLock struct{ f *os.File }

// Lock waits for the exclusive lock on the file at path, which it creates
// (empty, mode 0666 less the umask) when missing and never removes: a removed
// lock file could be locked twice. It gives up with the context's error when
// ctx ends. The lock is not reentrant.
func Lock(ctx context.Context, path string) (*FileLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	// The system's waiting form cannot be cancelled, so the lock is asked
	// for again and again, at growing intervals.
	wait := time.Millisecond
	for {
		held, err := tryLock(f)
		if err != nil {
			f.Close()
			return nil, &os.PathError{Op: "lock", Path: path, Err: err}
		}
		if held {
			return &FileLock{f}, nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			f.Close()
			return nil, context.Cause(ctx)
		case <-timer.C:
		}
		wait = min(wait*3/2, 20*time.Millisecond)
	}
}

// Unlock gives the lock back. Calling it again does nothing.
func (l *FileLock) Unlock() error {
	if l.f == nil {
		return nil
	}
	// Closing the file is what drops the lock, on every system.
	err := l.f.Close()
	l.f = nil
	return err
}
