package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWorkflowFaults(t *testing.T) {
	hash := strings.Repeat("a", 40)
	step := func(permissions, with string) string {
		return permissions + "jobs: {b: {steps: [{uses: actions/checkout@v1}, {uses: 'pindex-dev/pindex@" + hash + "'" + with + "}]}}\n"
	}
	for name, c := range map[string]struct {
		text           string
		faults, unwise int
	}{
		"its own":           {Workflow(hash, "main"), 0, 0},
		"its own, unpinned": {Workflow("", ""), 0, 1},
		"top level":         {step("permissions: {packages: write}\n", ""), 0, 0},
		"write-all":         {step("permissions: write-all\n", ""), 0, 0},
		"none stated":       {step("", ""), 1, 0},
		"empty":             {step("permissions: {}\n", ""), 1, 0},
		"read-all":          {step("permissions: read-all\n", ""), 1, 0},
		"read":              {step("permissions: {packages: read}\n", ""), 1, 0},
		"pull":              {step("", ", with: {mode: pull}"), 0, 0},
		"another registry":  {step("", ", with: {registry: r.example}"), 0, 0},
		"another action":    {"jobs: {b: {steps: [{uses: pindex-dev/pindex-other@main}]}}", 0, 0},
		"no YAML":           {"jobs: [", 1, 0},
		"not a workflow":    {"jobs: 7", 1, 0},
		"nothing":           {"", 0, 0},
	} {
		faults, unwise := WorkflowFaults([]byte(c.text))
		if len(faults) != c.faults || len(unwise) != c.unwise {
			t.Errorf("%s: %q %q", name, faults, unwise)
		}
	}
}

func TestSafeBranch(t *testing.T) {
	for name, want := range map[string]string{
		"main": "main", "release/1.x": "release/1.x", "": "", "a\"]}\non: x": "", "-x": "", "a b": "", "${{ x }}": "", strings.Repeat("a", 101): "",
	} {
		if got := SafeBranch(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}

func TestProgram(t *testing.T) {
	outside, root := t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(outside, "pindex"), filepath.Join(outside, "other"), filepath.Join(root, "pindex")} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(outside, "links")
	if err := os.Mkdir(link, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "pindex"), filepath.Join(link, "pindex")); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	for command, ok := range map[string]bool{
		filepath.Join(outside, "pindex"): true, filepath.Join(outside, "other"): false, filepath.Join(root, "pindex"): false,
		filepath.Join(link, "pindex"): false, "./pindex": false, "../x/pindex": false,
	} {
		if path, refused, err := Program(root, command); err != nil || (refused == "") != ok {
			t.Errorf("%s: %q %q %v", command, path, refused, err)
		}
	}
	if _, _, err := Program(root, filepath.Join(outside, "gone")); err == nil {
		t.Error("a program that is not there was found")
	}
}

func FuzzWorkflow(f *testing.F) {
	f.Add([]byte(Workflow("", "")))
	f.Fuzz(func(_ *testing.T, text []byte) { WorkflowFaults(text) })
}
