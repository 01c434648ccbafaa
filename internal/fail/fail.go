// Package fail carries the documented exit codes from where a failure is
// understood to where the program ends, together with what to do next.
package fail

import (
	"errors"
	"fmt"
	"strings"
)

// Code is a process exit code. The values are a contract with scripts; they
// are listed in the README and never change meaning.
type Code int

const (
	OK           Code = 0  // done
	NotFound     Code = 1  // the question was understood and has no answer
	Usage        Code = 2  // the command line or a configuration value is wrong
	NoIndex      Code = 3  // no index for this commit within the distance
	Verification Code = 4  // bytes do not match their digest, or their structure is damaged
	Network      Code = 5  // a registry or the network failed
	Repository   Code = 6  // the git repository cannot be read
	Interrupted  Code = 7  // stopped by a signal
	Internal     Code = 70 // a defect in pindex
)

// Error says what happened, to what, and what to do next.
type Error struct {
	Code   Code
	What   string // one sentence without a trailing stop: what happened, to what
	Remedy string // what the reader can do next; may be empty
	Err    error  // the cause; may be nil
}

func (e *Error) Error() string {
	s := e.What
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Remedy != "" {
		s += " (" + e.Remedy + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// New returns an Error with a formatted What and no cause.
func New(code Code, remedy, format string, args ...any) *Error {
	return &Error{Code: code, What: fmt.Sprintf(format, args...), Remedy: remedy}
}

// Wrap returns an Error around a cause.
func Wrap(code Code, err error, remedy, format string, args ...any) *Error {
	return &Error{Code: code, What: fmt.Sprintf(format, args...), Remedy: remedy, Err: err}
}

// Brief returns what err says, with one remedy at its end: that of the innermost
// *Error, which is nearest to the cause.
func Brief(err error) string {
	what, remedy := "", ""
	for err != nil {
		var e *Error
		if !errors.As(err, &e) {
			what += ": " + err.Error()
			break
		}
		what += ": " + e.What
		if e.Remedy != "" {
			remedy = " (" + e.Remedy + ")"
		}
		err = e.Err
	}
	return strings.TrimPrefix(what, ": ") + remedy
}

// CodeOf returns the exit code that err asks for: OK for nil, the code of the
// outermost *Error in the chain, Internal for anything else.
func CodeOf(err error) Code {
	if err == nil {
		return OK
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}
