package query

import "testing"

// A name of the language is no import whose path happens to hold it.
func TestImportPathIsNoName(t *testing.T) {
	e := New(compileIndex(t, archive([]byte(`-- a.go --
package a

import (
	"errors"
	"strings"

	"example.com/go-string-error"
)

func f(s string) error {
	return errors.New(strings.ToUpper(s))
}
`)), 1, nil), Options{})
	for _, at := range []string{"a.go:10:10", "a.go:10:18"} {
		r, err := e.Def(t.Context(), at)
		if err == nil && len(r.Results) > 0 {
			t.Errorf("%s is bound to %+v", at, r.Results)
		}
	}
}
