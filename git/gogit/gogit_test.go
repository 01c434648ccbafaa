package gogit_test

import (
	"testing"

	"github.com/pindex-dev/pindex/git/gittest"
	"github.com/pindex-dev/pindex/git/gogit"
)

func TestConformance(t *testing.T) {
	gittest.Run(t, gittest.Config{Backend: "go-git", Open: gogit.Open, SimpleRevisions: true, Refuses: map[string]string{
		"SHA-256":                       "has sha256 objects",
		"SHA-256 packed":                "has sha256 objects",
		"partial clone of SHA-256":      "has sha256 objects",
		"packed with a version 1 index": "pack index of version 1",
		"alternates":                    "alternates",
		"relative alternates":           "alternates",
	}})
}
