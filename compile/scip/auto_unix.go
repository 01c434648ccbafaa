//go:build unix

package scip

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a program and what it starts into a group that ends together.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
