package query

import "testing"

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"*.go", "a.go", true},
		{"*.go", "x/y/a.go", true},
		{"/*.go", "x/a.go", false},
		{"/*.go", "a.go", true},
		{"src/*.go", "src/a.go", true},
		{"src/*.go", "src/b/a.go", false},
		{"src/**/*.go", "src/b/c/a.go", true},
		{"src/**/*.go", "src/a.go", true},
		{"src/**", "src/a/b.go", true},
		{"src/**", "src", false},
		{"src", "src/a/b.go", true},
		{"src/", "src/a/b.go", true},
		{"src/flask", "src/flask/app.py", true},
		{"src/flask", "src/flaskish/app.py", false},
		{"flask", "src/flask/app.py", true},
		{"**/test/**", "a/test/b.py", true},
		{"**/test/**", "test/b.py", true},
		{"**/test/**", "a/test", false},
		{"a/**/b/**/c", "a/x/b/y/b/z/c", true},
		{"a/**/b/**/c", "a/x/y/c", false},
		{"{src,lib}/*.{js,ts}", "lib/a.ts", true},
		{"{src,lib}/*.{js,ts}", "lib/a.go", false},
		{"*.{py,{c,h}}", "x/a.h", true},
		{"[a-c]x?.go", "bxy.go", true},
		{"[!a-c]x?.go", "bxy.go", false},
		{"[!a-c]x?.go", "dxé.go", true},
		{`\*.go`, "*.go", true},
		{`\*.go`, "a.go", false},
		{"[]]", "]", true},
		{"**", "a/b", true},
		{".", "a/b", true},
		{"./src/*.c", "src/a.c", true},
		{"a*b*c", "aXbYc", true},
		{"a*b*c", "aXbY", false},
		{"**/*.go/x", "q.go/x", true},
	} {
		g, err := compileGlob(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		if got := g.match(c.path); got != c.want {
			t.Errorf("glob %q on %q: %v, want %v", c.pattern, c.path, got, c.want)
		}
	}
	for _, bad := range []string{"{a", "[a", "{a,{b}", "a[/]b"} {
		if _, err := compileGlob(bad); err == nil {
			t.Errorf("glob %q was accepted", bad)
		}
	}
	if g, err := compileGlob(""); err != nil || !g.match("x") {
		t.Error("the empty pattern must match everything")
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("src/**/[a-z]*.{go,c}", "src/x/y.go")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		g, err := compileGlob(pattern)
		if err == nil {
			g.match(path)
		}
	})
}
