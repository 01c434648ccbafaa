// Package lateregexp compiles regular expressions when they are first used and
// not as the program starts: a process that answers one question uses few of
// those that it holds.
package lateregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression, safe for concurrent use. One that is none
// panics at its first use.
type Regexp struct {
	Expr string

	once sync.Once
	re   *regexp.Regexp
}

// Get returns the compiled expression.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.Expr) })
	return r.re
}
