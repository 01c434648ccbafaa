package setup

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// WorkflowPath is the workflow that init writes.
const WorkflowPath = ".github/workflows/pindex.yml"

// Action is the action by which a workflow builds an index.
const Action = "pindex-dev/pindex"

// checkout is the version of the checkout action that the workflow names.
const checkout = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"

// Workflow returns the workflow's text. ref is the commit or tag of the action;
// "" where the program does not know its own.
func Workflow(ref, branch string) string {
	note := ""
	if ref == "" {
		ref, note = "main", " # name a commit's full hash here"
	}
	if branch == "" {
		branch = "main"
	}
	return `# Builds the index of each pushed commit and pushes it to this repository's
# package registry, where agents and their sandboxes pull it.
name: pindex

on:
  push: {branches: ["` + branch + `"]}
  pull_request:

permissions:
  contents: read

jobs:
  index:
    runs-on: ubuntu-24.04
    timeout-minutes: 60
    permissions:
      contents: read
      packages: write
    steps:
      - uses: ` + checkout + `
        with:
          persist-credentials: false
      - uses: ` + Action + `@` + ref + note + `
`
}

// workflows reads the project's workflows by their paths.
func workflows(root string) map[string][]byte {
	out := map[string][]byte{}
	dir := filepath.Join(root, ".github", "workflows")
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext != ".yml" && ext != ".yaml" {
			continue
		}
		path := ".github/workflows/" + e.Name()
		if f, err := openFile(root, path); err == nil && f.exists {
			out[path] = f.was
		}
	}
	return out
}

// FindWorkflow returns the workflow that uses the action; "" for none. Its text
// comes from the repository.
func FindWorkflow(root string) (path string, text []byte) {
	for p, b := range workflows(root) {
		if (path == "" || p < path) && bytes.Contains(b, []byte(Action+"@")) {
			path, text = p, b
		}
	}
	return path, text
}

// SafeBranch returns a branch's name, or "" where it could not stand in the
// workflow as it is: it comes from the repository.
func SafeBranch(name string) string {
	for _, c := range name {
		if c != '-' && c != '_' && c != '.' && c != '/' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return ""
		}
	}
	if strings.HasPrefix(name, "-") || strings.HasPrefix(name, ".") || len(name) > 100 {
		return ""
	}
	return name
}
