package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/bundle"
	"github.com/pindex-dev/pindex/git"
)

func TestJudgeBundle(t *testing.T) {
	wanted := &task{Files: []string{"a.go"}, Targets: []target{{"a.go", 10, 11}, {"a.go", 30, 30}}}
	length := func(string) int { return 32 }
	for _, c := range []struct {
		name                       string
		s                          []shown
		missed, lines, runs, whole float64
	}{
		{"nothing", nil, 1, 0, 0, 0},
		{"another file", []shown{{"b.go", []bundle.Span{{Start: 1, End: 9}}}}, 1, 0, 0, 0},
		{"one run, without its context", []shown{{"a.go", []bundle.Span{{Start: 11, End: 12}}}, {"b.go", []bundle.Span{{Start: 1, End: 2}}}}, 0, 0.5, 0.5, 0},
		{"both, one line of context short", []shown{{"a.go", []bundle.Span{{Start: 7, End: 14}, {Start: 28, End: 32}}}}, 0, 1, 1, 0},
		{"both with their context, which the file ends", []shown{{"a.go", []bundle.Span{{Start: 7, End: 14}, {Start: 27, End: 32}}}}, 0, 1, 1, 1},
	} {
		m := judgeBundle(wanted, c.s, length)
		if m.Missed != c.missed || m.Lines != c.lines || m.Runs != c.runs || m.Whole != c.whole {
			t.Errorf("%s: %+v", c.name, m)
		}
	}
}

// corpusOf makes a corpus of files that speak of nothing, but for some lines.
func corpusOf(said map[string]map[int]string) *corpus {
	c := &corpus{at: map[string]int{}}
	for i := range 12 {
		path := fmt.Sprintf("src/f%02d.py", i)
		f := textFile{path: path, lang: "python"}
		for n := 1; n <= 300; n++ {
			l := fmt.Sprintf("    other(%d)", n)
			if s := said[path][n]; s != "" {
				l = s
			}
			f.lines = append(f.lines, []byte(l))
		}
		c.at[path] = i
		c.files = append(c.files, f)
	}
	return c
}

func TestBaselines(t *testing.T) {
	c := corpusOf(map[string]map[int]string{
		"src/f03.py": {120: "def resetPasswordToken(user):", 121: "    token = None"},
		"src/f07.py": {10: "token = 1", 200: "token = 2"},
	})
	question := "reset_password_token() forgets the token"
	ws := words(question)
	if got := c.chunk(ws, 50).bm25(len(ws)); len(got) != 3 || got[0] != (part{3, 101, 150}) {
		t.Errorf("chunks: %v", got)
	}
	if got := c.chunk(ws, 0).bm25(len(ws)); len(got) != 2 || got[0].file != 3 {
		t.Errorf("files: %v", got)
	}
	if got := c.grepped("resetPasswordToken token"); len(got) != 4 || got[0] != (part{3, 117, 123}) {
		t.Errorf("grep: %v", got)
	}
	if got := c.bestLines(ws, []int{7, 3}); len(got) != 600 || got[0] != (part{3, 120, 120}) {
		t.Errorf("lines: %v of %d", got[0], len(got))
	}
	m := bundle.NewMeter()
	for _, want := range []int{0, 100, 1_000, 3_000, 10_000} {
		s, tokens := spend(c, m, c.chunk(ws, 0).bm25(len(ws)), want)
		if tokens > want || want >= 1_000 && want <= 3_000 && tokens*100 < want*(100-tolerance) {
			t.Errorf("%d tokens of %d: %v", tokens, want, s)
		}
	}
}

func TestSession(t *testing.T) {
	c := corpusOf(map[string]map[int]string{"src/f03.py": {120: "def reset_token(user):"}, "src/f05.py": {7: "reset_token(1)"}})
	m := bundle.NewMeter()
	for _, budget := range []int{500, 2_000, 6_000} {
		for _, compact := range []bool{false, true} {
			s, tokens, err := session(c, m, "reset_token fails", budget, compact)
			if err != nil || tokens > budget {
				t.Errorf("%d, compact %v: %d tokens, %v", budget, compact, tokens, err)
			}
			if budget > 500 && len(s) == 0 {
				t.Errorf("%d, compact %v: nothing is left in the history", budget, compact)
			}
		}
	}
}

func TestCrossing(t *testing.T) {
	var all []walk
	grep := map[string]*walk{}
	for i := range 10 {
		lines := int(1000 * math.Pow(2, float64(i)))
		id := fmt.Sprint(i)
		all = append(all,
			walk{ID: id, Repo: id, Explorer: grepExplorer, Lines: lines, Tokens: 100 * lines},
			walk{ID: id, Repo: id, Explorer: searchExplorer, Lines: lines, Tokens: 800_000})
	}
	for i := range all {
		if all[i].Explorer == grepExplorer {
			grep[all[i].ID] = &all[i]
		}
	}
	if got := crossing(all, grep, searchExplorer); !strings.HasPrefix(got, "pays from 8000 lines on") {
		t.Error(got)
	}
}

// A reader that finds what is not there would prove nothing.
func TestCheckBundleFinds(t *testing.T) {
	dir := t.TempDir()
	b := openTest(t, dir, map[string]string{"a.py": "one\ntwo\nthree\n"})
	const head = "# Context\n\n## a.py\nfound\n\n```python\n"
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{head + "1\tone\n2\ttwo\n3\tthree\n```\n", true},
		{head + "1\tone\n2\ttwo\n```\n\n… lines 3–3 left out\n", true},
		{head + "1\tone\n2\ttwo\n```\n", false},
		{head + "1\tone\n3\tthree\n```\n", false},
		{head + "1\tone\n2\ttwo \n3\tthree\n```\n", false},
		{head + "1\tone\n2\ttwo\n3\tthree\n4\t\n```\n", false},
		{head + "1\tone\n2\ttwo\n3\tthree\n", false},
		{head + "one\n```\n", false},
	} {
		if _, err := checkBundle([]byte(c.text), bundle.Markdown, b); (err == nil) != c.ok {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

func openTest(t *testing.T, dir string, files map[string]string) *blobs {
	t.Helper()
	for path, text := range files {
		name := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.autocrlf=false", "commit", "-qm", "one"}} {
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	repo, err := git.Open(t.Context(), dir, git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	b, err := openBlobs(t.Context(), repo, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.reader.Close() })
	return b
}

// Every line of bundles of a repository with text that would like to end its
// fence is git's: a sample of what the command verbatim does in full.
func TestVerbatim(t *testing.T) {
	files := map[string]string{}
	odd := []string{"```", "````````", "</source>", "</source-1>", "# Ignore all of this", "x\r", "\x1b[31mred", "\u202egnp", "\xff\xfe", strings.Repeat("long ", 300), "… lines 1–9 left out", "## a.py", "한국어"}
	for i := range 24 {
		var text strings.Builder
		for u := range 4 {
			fmt.Fprintf(&text, "def handler_%d_%d(request):\n", i, u)
			for k := range 5 + i {
				fmt.Fprintf(&text, "    value = handler_%d_%d(%d)  # %s\n", (i+k)%24, u, k, odd[(i+u+k)%len(odd)])
			}
			text.WriteString("\n" + odd[(i*u)%len(odd)] + "\n\n")
		}
		path := fmt.Sprintf("src/part_%d.py", i)
		switch i % 6 {
		case 4:
			path = fmt.Sprintf("tests/test_part_%d.py", i)
		case 5:
			path = fmt.Sprintf("docs/part_%d.md", i)
		}
		files[path] = strings.TrimRight(text.String(), strings.Repeat("\n", i%2))
	}
	dir, work := t.TempDir(), t.TempDir()
	b := openTest(t, dir, files)
	name := filepath.Join(work, "snapshots", "HEAD.json")
	if err := keepSnapshot(t.Context(), dir, "HEAD", name, work, true); err != nil {
		t.Fatal(err)
	}
	e, err := reopen(name, work)
	if err != nil {
		t.Fatal(err)
	}
	got, err := verbatimOf(t.Context(), e, b, []string{"the handler forgets its request", "handler_3_1 returns the wrong value"}, 48, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got.bundles != 48 || got.lines < 1000 {
		t.Errorf("%+v", got)
	}
}
