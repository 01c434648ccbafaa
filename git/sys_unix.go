//go:build unix

package git

import (
	"errors"
	"os/exec"
	"syscall"
)

// detach puts the process into a group of its own, so that the terminal's
// interrupt reaches pindex alone, which then ends its processes in order.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// isNotDir reports whether a path has a file where it needs a folder.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
