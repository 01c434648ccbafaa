package query

import (
	"strings"
	"testing"
)

func TestDescriptorNames(t *testing.T) {
	for d, want := range map[string]string{
		"Flask#url_for().":        "Flask.url_for",
		"Server#Serve().local#n.": "Server.Serve.local.n",
		"a/b/C#":                  "a.b.C",
		"Version.":                "Version",
		"f(+1).":                  "f",
		"m!":                      "m",
		"`odd name`#`a``b`().":    "odd name.a`b",
		"C#[T]":                   "C",
		"f().(x)":                 "f",
		"":                        "",
		"plain":                   "plain",
		"`open":                   "open",
		"f(":                      "f",
		"é#ü().":                  "é.ü",
		"A#B#C#d.":                "A.B.C.d",
	} {
		if got := strings.Join(descriptorNames(d), "."); got != want {
			t.Errorf("%q: %q, want %q", d, got, want)
		}
	}
}

func FuzzDescriptor(f *testing.F) {
	f.Add("Flask#url_for().")
	f.Fuzz(func(t *testing.T, d string) { descriptorNames(d) })
}
