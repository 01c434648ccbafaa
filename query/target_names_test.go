package query

import (
	"slices"
	"testing"
)

func TestNameComponents(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"url_for", []string{"url_for"}},
		{"flask.helpers.url_for()", []string{"flask", "helpers", "url_for"}},
		{"tokio::task::spawn", []string{"tokio", "task", "spawn"}},
		{"Session#save", []string{"Session", "save"}},
		{"#dispatch", []string{"#dispatch"}},
		{"Hono.#dispatch", []string{"Hono", "#dispatch"}},
		{"Hono##dispatch", []string{"Hono", "#dispatch"}},
		{"Hono#", []string{"Hono"}},
		{"#", nil},
		{"##", nil},
		{"a.#", []string{"a"}},
		{"src/a/#b", []string{"src", "a", "#b"}},
		{"", nil},
	} {
		if got := nameComponents(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q is %q, not %q", c.text, got, c.want)
		}
	}
}
