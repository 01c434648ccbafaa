package cli

import "testing"

// Deep is embedded by pointer, as results are in the answers that add to them.
type Deep struct {
	Total int `json:"total"`
}

func TestMarshal(t *testing.T) {
	type inner struct {
		Path string `json:"path"`
		Line int    `json:"start_line"`
	}
	type outer struct {
		Schema  string         `json:"schema"`
		Results []inner        `json:"results"`
		Empty   []string       `json:"empty,omitempty"`
		Counts  map[string]int `json:"counts"`
		Hidden  int            `json:"-"`
		Names   []string       `json:"names"`
		inner
		*Deep
	}
	got, err := marshal(outer{
		Schema:  "x/1",
		Results: []inner{{"a/<b>.go", 3}, {"caf\xe9", 1}},
		Counts:  map[string]int{"b": 2, "a": 1},
		Names:   []string{"ok", "\xff"},
		inner:   inner{"p", 9},
		Deep:    &Deep{Total: 4},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"counts":{"a":1,"b":2},"names":["ok",{"b64":"/w=="}],"path":"p",` +
		`"results":[{"path":"a/<b>.go","start_line":3},{"path_b64":"Y2Fm6Q==","start_line":1}],` +
		`"schema":"x/1","start_line":9,"total":4}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
