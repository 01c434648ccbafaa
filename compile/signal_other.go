//go:build !unix

package compile

// killSignal cannot tell who ended a process here.
func killSignal(error) string { return "" }
