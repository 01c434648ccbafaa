//go:build !amd64

package embed

func fastExpected() bool { return false }
