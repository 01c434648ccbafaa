//go:build unix

package git

import (
	"errors"
	"os/exec"
	"syscall"
)

// detach puts the process into a group of its own, so that the terminal's
// interrupt reaches pindex alone, which then ends its processes in order, and
// so that ending it ends what it started: "git" may be a script.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// isNotDir reports whether a path has a file where it needs a folder.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
