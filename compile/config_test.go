package compile

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
)

func TestParseConfig(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     Config
	}{
		{"empty", "", Config{}},
		{"comments", "# nothing\n", Config{}},
		{"null", "~\n", Config{}},
		{"all", `
include: [src, "*.md"]
exclude:
  - src/gen/
  - /docs/**
limits:
  parse: 512KiB
  index: 1 MiB
languages: [go, python]
views: [structural, source]
`, Config{
			Include: []string{"src/**", "*.md/**"}, Exclude: []string{"src/gen/**", "docs/**"},
			Limits:    Limits{ParseBytes: 512 << 10, IndexBytes: 1 << 20},
			Languages: []string{"go", "python"}, Views: []artifact.View{artifact.Source, artifact.Structural},
		}},
		{"none", "languages: []\nviews: []\n", Config{Languages: []string{}, Views: []artifact.View{}}},
		{"plain bytes", "limits: {parse: 4096}", Config{Limits: Limits{ParseBytes: 4096}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseConfig([]byte(c.in), []string{"go", "python"}, builtInLimits)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(*got, c.want) {
				t.Errorf("got %+v, want %+v", *got, c.want)
			}
		})
	}
}

func TestParseConfigRefuses(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"unknown key", "exclude: [a]\nexlude: [b]\n", `.pindex.yaml:2: unknown key "exlude" in the file; known are exclude, include, languages, limits, views`},
		{"unknown key below", "limits:\n  parse: 1\n  pars: 2\n", `.pindex.yaml:3: unknown key "pars" in limits`},
		{"key twice", "views: []\nviews: []\n", ".pindex.yaml"},
		{"not a mapping", "- a\n", ".pindex.yaml:1: the file must be a mapping"},
		{"not a list", "include: src\n", ".pindex.yaml:1: include must be a list"},
		{"not a string", "include:\n- 1\n", ".pindex.yaml:2: each entry of include must be a string"},
		{"alias", "include: &a [x]\nexclude: *a\n", ".pindex.yaml:2: exclude must be a list"},
		{"unknown language", "languages: [go, cobol]\n", `.pindex.yaml:1: unknown language "cobol"`},
		{"unknown view", "views: [units]\n", `.pindex.yaml:1: unknown view "units"`},
		{"raised limit", "limits:\n  index: 17MiB\n", ".pindex.yaml:2: limits.index is 17825792 bytes, above the limit"},
		{"negative limit", "limits: {parse: -1}\n", "must be a number of bytes"},
		{"huge limit", "limits: {parse: 99999999999999999999MiB}\n", "must be a number of bytes"},
		{"zero limit", "limits: {parse: 0}\n", "must be a number of bytes"},
		{"negation", "exclude: [\"!a\"]\n", "there is no negation"},
		{"braces", "exclude: [\"{a,b}\"]\n", "there are no braces"},
		{"bad glob", "exclude: [\"[a\"]\n", "is malformed"},
		{"long glob", "exclude: [\"" + strings.Repeat("a", 300) + "\"]\n", "more than 256 bytes"},
		{"many globs", "exclude: [" + strings.Repeat("a,", 1001) + "]\n", "more than 1000"},
		{"two documents", "views: []\n---\nviews: []\n", "more than one YAML document"},
		{"not YAML", "a: b: c\n", "is not YAML"},
		{"binary", "\x00\x01", "is not YAML"},
		{"too long", strings.Repeat("#", maxConfigSize+1), "more than 65536"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseConfig([]byte(c.in), []string{"go"}, builtInLimits)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if fail.CodeOf(err) != fail.Usage {
				t.Errorf("exit code %d", fail.CodeOf(err))
			}
		})
	}
}

func TestConfigAllows(t *testing.T) {
	c, err := ParseConfig([]byte("include: [src, \"*.md\", \"**/Makefile\"]\nexclude: [\"**/testdata\", src/*.gen.go]\n"), nil, builtInLimits)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"src/a.go": true, "src/x/y.go": true, "src": true, "srcs/a.go": false, "a.go": false,
		"README.md": true, "docs/README.md": false, "Makefile": true, "x/y/Makefile": true,
		"src/testdata/a.go": false, "src/a/testdata/b/c.go": false, "src/a.gen.go": false, "src/x/a.gen.go": true,
		"src/\xff\n": true,
	} {
		if got := c.allows(path); got != want {
			t.Errorf("allows(%q) = %v", path, got)
		}
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte("include: [a]\nlimits: {parse: 1KiB}\n"))
	f.Add([]byte("a: &x [*x]\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ParseConfig(b, []string{"go"}, builtInLimits)
		if err != nil {
			return
		}
		if c.Limits.ParseBytes > builtInLimits.ParseBytes || c.Limits.IndexBytes > builtInLimits.IndexBytes {
			t.Errorf("%q raises a limit: %+v", b, c.Limits)
		}
		c.allows("a/b/c.go")
	})
}
