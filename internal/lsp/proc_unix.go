//go:build unix

package lsp

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the server the head of a group of its own, so that what it
// starts ends with it.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
