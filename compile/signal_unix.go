//go:build unix

package compile

import (
	"errors"
	"os/exec"
	"syscall"
)

// killSignal returns the name of the signal that ended a process when it is
// one that comes from outside (a person, a job runner, the kernel short of
// memory); "" when the process ended by its own doing.
func killSignal(err error) string {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return ""
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	switch s := status.Signal(); s {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGXCPU, syscall.SIGPIPE:
		return s.String()
	}
	return ""
}
