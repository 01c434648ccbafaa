package query

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// marks are what a fixture says of its own lines: behind "?" stand names that
// only a run of the program binds, behind "=" one that the text binds, and to
// which line.
var (
	dynamicMark = regexp.MustCompile(`(?://|#)\? (.*)$`)
	staticMark  = regexp.MustCompile(`(?://|#)= (\S+) (\S+)$`)
)

// Dynamic dispatch, macros, metaprogramming, generated code and binding at run
// time: what the text does not bind is said to be unresolved and counted, and
// nothing is made up. Each fixture holds a name that the text does bind, so
// that silence does not pass.
func TestNothingIsMadeUp(t *testing.T) {
	files, err := filepath.Glob("testdata/capability/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sources := archive(b)
			e := New(compileIndex(t, archive(b), 1, nil), Options{})
			unresolved, dynamic, static := 0, 0, 0
			for _, src := range sources {
				for i, line := range bytes.Split(src.content, lf) {
					if m := dynamicMark.FindSubmatch(line); m != nil {
						for name := range strings.FieldsSeq(string(m[1])) {
							dynamic++
							if mustNotBind(t, e, src.path, i+1, line, name) {
								unresolved++
							}
						}
					}
					if m := staticMark.FindSubmatch(line); m != nil {
						static++
						mustBind(t, e, src.path, i+1, line, string(m[1]), string(m[2]))
					}
				}
			}
			if unresolved == 0 || dynamic == 0 {
				t.Errorf("%d of %d uses that only a run binds are said to be unresolved", unresolved, dynamic)
			}
			t.Logf("%d of %d unresolved, %d bound by the text", unresolved, dynamic, static)
		})
	}
}

// at returns the position of a name on a line as a target.
func at(t *testing.T, path string, n int, line []byte, name string) string {
	t.Helper()
	m := regexp.MustCompile(`\b` + regexp.QuoteMeta(name)).FindIndex(line)
	if m == nil {
		t.Fatalf("%s:%d has no %s", path, n, name)
	}
	return fmt.Sprintf("%s:%d:%d", path, n, m[0]+1)
}

// mustNotBind reports whether the name is said to be unresolved.
func mustNotBind(t *testing.T, e *Engine, path string, n int, line []byte, name string) bool {
	t.Helper()
	target := at(t, path, n, line, name)
	r, err := e.Def(t.Context(), target)
	if err != nil {
		t.Logf("%s %s: no name is known there", target, name)
		return false // nothing is made up, and nothing counted
	}
	t.Logf("%s %s: %s %s", target, name, r.Binding, r.Note)
	if r.Binding == Bound && len(r.Results) > 0 {
		t.Errorf("%s %s is bound to %s:%d (%s: %s)", target, name, r.Results[0].FilePath(), r.Results[0].NameLine, r.Results[0].Provenance, r.Results[0].Rule)
	}
	return r.Binding == Unresolved
}

func mustBind(t *testing.T, e *Engine, path string, n int, line []byte, name, to string) {
	t.Helper()
	target := at(t, path, n, line, name)
	r, err := e.Def(t.Context(), target)
	if err != nil {
		t.Errorf("%s %s: %v", target, name, err)
		return
	}
	if len(r.Results) != 1 || fmt.Sprintf("%s:%d", r.Results[0].FilePath(), r.Results[0].NameLine) != to {
		t.Errorf("%s %s is %s %+v, want %s", target, name, r.Binding, r.Results, to)
	}
}
