package cli

import "testing"

func TestLineRange(t *testing.T) {
	for _, c := range []struct {
		in       string
		path     string
		from, to int
		bad      bool
	}{
		{in: "a/b.go", path: "a/b.go"},
		{in: "a/b.go:7", path: "a/b.go", from: 7, to: 7},
		{in: "a/b.go:7-9", path: "a/b.go", from: 7, to: 9},
		{in: "a/b.go:7-", path: "a/b.go", from: 7},
		{in: "a:b.go", path: "a:b.go"},
		{in: "a/b.go:", path: "a/b.go:"},
		{in: "a/b.go:0", bad: true},
		{in: "a/b.go:9-7", bad: true},
		{in: "a/b.go:99999999999999999999", bad: true},
	} {
		path, from, to, err := lineRange(c.in)
		if (err != nil) != c.bad || path != c.path || from != c.from || to != c.to {
			t.Errorf("lineRange(%q) = %q %d %d %v", c.in, path, from, to, err)
		}
	}
}
