package peers

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestParseAnswers(t *testing.T) {
	qs := []Question{{"a", 2}, {"b", 1}}
	for _, c := range []struct {
		name, out string
		want      [][]Place
		err       string
	}{
		{"as it should be", "loading\n{\"question\":0,\"places\":[{\"path\":\"/w/x/a.go\",\"start\":1,\"end\":9},{\"path\":\"./b.go\",\"start\":3,\"end\":3}]}\n\n{\"question\":1}\n",
			[][]Place{{{"x/a.go", 1, 9}, {"b.go", 3, 3}}, nil}, ""},
		{"nothing", "", nil, "0 answers"},
		{"an answer too few", `{"question":0,"places":[]}`, nil, "1 answers to 2"},
		{"an answer too many", "{\"question\":0}\n{\"question\":1}\n{\"question\":2}", nil, "another question"},
		{"out of order", `{"question":1,"places":[]}`, nil, "another question"},
		{"twice", "{\"question\":0}\n{\"question\":0}", nil, "another question"},
		{"no number", `{"places":[]}`, nil, "another question"},
		{"too many results", `{"question":0,"places":[{"path":"a"},{"path":"b"},{"path":"c"}]}`, nil, "3 results"},
		{"a file outside", `{"question":0,"places":[{"path":"../a"}]}`, nil, "no file of the folder"},
		{"an absolute file outside", `{"question":0,"places":[{"path":"/etc/passwd"}]}`, nil, "no file of the folder"},
		{"the folder itself", `{"question":0,"places":[{"path":"/w"}]}`, nil, "no file of the folder"},
		{"lines that run backwards", `{"question":0,"places":[{"path":"a","start":3,"end":2}]}`, nil, "no lines 3 to 2"},
		{"negative lines", `{"question":0,"places":[{"path":"a","start":-1,"end":2}]}`, nil, "no lines"},
		{"cut off", `{"question":0,"places":[{"path":"a"`, nil, "cannot be read"},
		{"another shape", `{"question":"0","places":[]}`, nil, "cannot be read"},
		{"its own error", "{\"error\":\"no index\"}", nil, "no index"},
	} {
		got, err := parseAnswers([]byte(c.out), "/w", qs)
		switch {
		case c.err == "" && err != nil, c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: error %v, not %q", c.name, err, c.err)
		case !reflect.DeepEqual(got, c.want):
			t.Errorf("%s: %v, not %v", c.name, got, c.want)
		}
	}
}

func FuzzParseAnswers(f *testing.F) {
	f.Add([]byte("{\"question\":0,\"places\":[{\"path\":\"/w/x/a.go\",\"start\":1,\"end\":9}]}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := parseAnswers(b, "/w", []Question{{"a", 3}})
		if err != nil {
			return
		}
		for _, p := range got[0] {
			if len(got) != 1 || len(got[0]) > 3 || !filepath.IsLocal(p.Path) || p.Start < 0 || p.End < p.Start {
				t.Fatalf("%+v of %q", got, b)
			}
		}
	})
}

func TestOneAFile(t *testing.T) {
	in := []Place{{"a", 1, 2}, {"b", 1, 2}, {"a", 3, 4}, {"c", 1, 1}, {"d", 1, 1}}
	if got := OneAFile(in, 3); !reflect.DeepEqual(got, []Place{{"a", 1, 2}, {"b", 1, 2}, {"c", 1, 1}}) {
		t.Errorf("%v", got)
	}
	if got := OneAFile(nil, 3); got != nil {
		t.Errorf("%v", got)
	}
}

// installed makes a folder as npm lays it out, with programs that tell what
// they were given.
func installed(t *testing.T) CodeGraph {
	root := filepath.Join(t.TempDir(), "node_modules")
	scope := filepath.Join(root, "@colbymchenry")
	for path, text := range map[string]string{
		"codegraph/npm-shim.js":                  "#!/bin/sh\necho 9.8.7\n",
		"codegraph-plan9-mips/node":              "#!/bin/sh\ncat >&2\nprintf '{\"question\":0,\"places\":[{\"path\":\"%s/m.go\",\"start\":2,\"end\":4}]}\\n' \"$PWD\"\n",
		"codegraph-plan9-mips/lib/dist/index.js": "",
	} {
		path = filepath.Join(scope, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(root, ".bin", "codegraph")
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../@colbymchenry/codegraph/npm-shim.js", link); err != nil {
		t.Fatal(err)
	}
	return CodeGraph{Program: link}
}

func TestCodeGraph(t *testing.T) {
	c := installed(t)
	if label, err := c.Label(context.Background()); err != nil || label != "codegraph 9.8.7" {
		t.Errorf("%q %v", label, err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Ask(context.Background(), dir, []Question{{"where", 10}})
	if err != nil || !reflect.DeepEqual(got, [][]Place{{{"m.go", 2, 4}}}) {
		t.Errorf("%v %v", got, err)
	}
	if _, err := (CodeGraph{Program: "/bin/sh"}).Ask(context.Background(), dir, nil); err == nil {
		t.Error("a program without its package was asked")
	}
}

func TestSembleLabel(t *testing.T) {
	python := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(python, []byte("#!/bin/sh\necho 0.0.1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		s    Semble
		want string
	}{
		{Semble{Alpha: -1}, "semble 0.0.1 with its own model"},
		{Semble{Model: "/m/small", Alpha: -1}, "semble 0.0.1 with small"},
		{Semble{Model: "/m/small", Alpha: 0.5}, "semble 0.0.1 with small, alpha 0.5"},
		{Semble{Model: "/m/small"}, "semble 0.0.1, alpha 0"},
	} {
		c.s.Python = python
		if got, err := c.s.Label(context.Background()); err != nil || got != c.want {
			t.Errorf("%q %v, not %q", got, err, c.want)
		}
	}
}

func TestRunTellsWhatFailed(t *testing.T) {
	_, err := Run(context.Background(), t.TempDir(), []string{"/bin/sh", "-c", "echo broken >&2; exit 3"}, nil)
	if err == nil || !strings.Contains(err.Error(), "broken") || !strings.Contains(err.Error(), "3") {
		t.Errorf("%v", err)
	}
}
