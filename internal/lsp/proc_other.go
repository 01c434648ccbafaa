//go:build !unix

package lsp

import "os/exec"

func ownGroup(*exec.Cmd) {}

func killGroup(c *exec.Cmd) { _ = c.Process.Kill() }
