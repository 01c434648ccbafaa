//go:build !unix

package git

import "os/exec"

func detach(*exec.Cmd) {}

const openNoWait = 0

func isNotDir(error) bool { return false }
