package query

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestBindingRules asks for the definition of every name that the fixtures
// mark, see testdata/bind.
func TestBindingRules(t *testing.T) {
	files, err := filepath.Glob("testdata/bind/*.txtar")
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
			e := New(compileIndex(t, archive(b), 2, nil), Options{})
			asked := 0
			for _, src := range sources {
				for i, line := range bytes.Split(src.content, lf) {
					code, marks := cutMarks(line)
					for _, m := range marks {
						asked++
						askMark(t, e, src.path, i+1, code, m)
					}
				}
			}
			if asked < 20 {
				t.Errorf("%d names asked for", asked)
			}
		})
	}
}

// cutMarks splits a line into its code and what its marks say.
func cutMarks(line []byte) (code []byte, marks [][]string) {
	at := regexp.MustCompile(`(?:#|//)[=!?] `).FindIndex(line)
	if at == nil {
		return line, nil
	}
	code = line[:at[0]]
	for _, m := range regexp.MustCompile(`\s*(?:#|//)([=!?]) `).Split(" "+string(line[at[0]:]), -1) {
		if m = strings.TrimSpace(m); m != "" {
			marks = append(marks, strings.Fields(m))
		}
	}
	kinds := regexp.MustCompile(`(?:#|//)([=!?]) `).FindAllSubmatch(line[at[0]:], -1)
	for i := range marks {
		marks[i] = append([]string{string(kinds[i][1])}, marks[i]...)
	}
	return code, marks
}

func askMark(t *testing.T, e *Engine, path string, n int, code []byte, mark []string) {
	t.Helper()
	kind, name := mark[0], mark[1]
	// The last time that the name stands on the line as a whole.
	found := regexp.MustCompile(`(^|[^\w#])(`+regexp.QuoteMeta(name)+`)($|\W)`).FindAllSubmatchIndex(code, -1)
	if found == nil {
		t.Fatalf("%s:%d has no %s", path, n, name)
	}
	target := fmt.Sprintf("%s:%d:%d", path, n, found[len(found)-1][4]+1)
	var got, want []string
	r, err := e.Def(t.Context(), target)
	binding := Unresolved
	if err == nil {
		binding = r.Binding
		for _, h := range r.Results {
			line := h.NameLine
			if line == 0 {
				line = h.StartLine
			}
			got = append(got, fmt.Sprintf("%s:%d", h.FilePath(), line))
		}
	}
	for _, w := range mark[2:] {
		if !strings.Contains(w, ":") {
			w = path + ":" + w
		}
		want = append(want, w)
	}
	slices.Sort(got)
	slices.Sort(want)
	switch {
	case kind == "=" && !slices.Equal(got, want):
		t.Errorf("%s %s: %s %q (%v), want %q", target, name, binding, got, noteOf(r, err), want)
	case kind == "!" && (binding == Bound || binding == External || len(got) > 0):
		t.Errorf("%s %s is %s %q", target, name, binding, got)
	case kind == "?" && binding != External:
		t.Errorf("%s %s is %s %q", target, name, binding, got)
	}
}

func noteOf(r *DefResult, err error) any {
	if err != nil {
		return err
	}
	if len(r.Results) > 0 {
		return r.Results[0].Rule
	}
	return r.Note
}
