package query

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestFitSpelling(t *testing.T) {
	for _, c := range []struct {
		name, want string
		fits       bool
	}{
		{"Flask", "flsk", true}, {"Flask", "flaks", true}, {"Query", "qury", true}, {"url_for", "url_fro", true},
		{"get_or_create", "get_or_craete", true}, {"get_or_create", "gte_or_craete", true}, {"get_or_create", "xyz_or_create", false},
		{"abc", "abd", false}, {"Flask", "flow", false}, {"", "flask", false}, {"Flask", "", false},
		{strings.Repeat("a", 80), strings.Repeat("a", 79), false},
	} {
		if got := fitSpelling([]byte(c.name), c.want) == fitTypo; got != c.fits {
			t.Errorf("fitSpelling(%q, %q) fits: %v, want %v", c.name, c.want, got, c.fits)
		}
	}
}

// Answers hold no floats, or their canonical form could not be written.
func TestWeightsAreIntegersInJSON(t *testing.T) {
	b, err := json.Marshal(defaultWeights)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	if m["k1"] != 700000.0 || strings.ContainsAny(string(b), ".") {
		t.Errorf("weights are written as %s", b)
	}
}
