//go:build !unix

package git

import "os/exec"

func detach(*exec.Cmd) {}

func isNotDir(error) bool { return false }
