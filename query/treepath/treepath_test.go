package treepath

import "testing"

func TestParts(t *testing.T) {
	for _, c := range []struct{ path, dir, base, stem string }{
		{"", "", "", ""},
		{"x", "", "x", "x"},
		{"a/app.test.ts", "a", "app.test.ts", "app"},
		{".gitignore", "", ".gitignore", ".gitignore"},
		{"a/b/.b.c", "a/b", ".b.c", ".b"},
	} {
		if dir, base, stem := Dir(c.path), Base(c.path), Stem(c.path); dir != c.dir || base != c.base || stem != c.stem {
			t.Errorf("%q: %q, %q, %q, want %q, %q, %q", c.path, dir, base, stem, c.dir, c.base, c.stem)
		}
		if c.base != "" && Under(c.dir, c.base) != c.path {
			t.Errorf("%q is not its base under its folder", c.path)
		}
	}
}

func TestJoin(t *testing.T) {
	for _, c := range []struct {
		dir, rel, want string
		ok             bool
	}{
		{"", "a", "a", true},
		{"a/b", "./c", "a/b/c", true},
		{"a/b", "../c//d", "a/c/d", true},
		{"a", "..", "", true},
		{"a", "../..", "", false},
		{"", "../a", "", false},
	} {
		if got, ok := Join(c.dir, c.rel); got != c.want || ok != c.ok {
			t.Errorf("%q in %q: %q, %v, want %q, %v", c.rel, c.dir, got, ok, c.want, c.ok)
		}
	}
}

func TestShared(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"a", "b", 0}, {"a/x", "a/y", 1}, {"a/b/x", "a/b/c/y", 2}, {"a/b/x", "b/b/x", 0}, {"a", "a/b", 0}} {
		if got := Shared(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
