package main

import (
	"slices"
	"testing"
)

func TestContentWords(t *testing.T) {
	for subject, want := range map[string][]string{
		"Fixed #37146 -- Improved new-user experience of README's link.":       {"Improved", "new", "user", "experience", "README", "link."},
		"Refs CVE-2026-6873 -- Moved note for SIGNED_COOKIE to QuerySet.all()": {"CVE", "Moved", "note", "SIGNED_COOKIE", "QuerySet.all"},
		"Update the 2 of it": {},
	} {
		if got := contentWords(subject); !slices.Equal(got, want) {
			t.Errorf("%q gives %q, not %q", subject, got, want)
		}
	}
}
