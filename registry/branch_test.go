package registry

import (
	"strings"
	"testing"
)

func TestBranchTag(t *testing.T) {
	for name, want := range map[string]string{
		"main":                   "branch-main",
		"feature/x_y":            "branch-feature_2fx_5fy",
		"v1.2-rc":                "branch-v1.2-rc",
		"ü":                      "branch-_c3_bc",
		"":                       "",
		strings.Repeat("a", 200): "",
	} {
		if got := BranchTag(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
