package setup

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
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

// pinned is a full commit hash.
var pinned = regexp.MustCompile("^[0-9a-f]{40}$|^[0-9a-f]{64}$")

// WorkflowFaults says what keeps a workflow that uses the action from pushing an
// index, and what is unwise about it.
func WorkflowFaults(text []byte) (faults, unwise []string) {
	var w struct {
		Permissions yaml.Node `yaml:"permissions"`
		Jobs        map[string]struct {
			Permissions yaml.Node `yaml:"permissions"`
			Steps       []struct {
				Uses string         `yaml:"uses"`
				With map[string]any `yaml:"with"`
			} `yaml:"steps"`
		} `yaml:"jobs"`
	}
	if err := yaml.Unmarshal(text, &w); err != nil {
		return []string{"it is not a workflow: " + strings.TrimPrefix(err.Error(), "yaml: ")}, nil
	}
	for _, name := range slices.Sorted(maps.Keys(w.Jobs)) {
		job := w.Jobs[name]
		for _, s := range job.Steps {
			action, ref, _ := strings.Cut(s.Uses, "@")
			if action != Action {
				continue
			}
			if !pinned.MatchString(ref) {
				unwise = append(unwise, "it names "+Action+" by "+quoted(ref)+", which can move: name a commit's full hash")
			}
			if s.With["mode"] == "pull" || s.With["registry"] != nil {
				continue
			}
			allowed := job.Permissions
			if allowed.IsZero() {
				allowed = w.Permissions
			}
			switch {
			case allowed.IsZero():
				faults = append(faults, "job "+quoted(name)+" states no permissions, and the default may not allow a push")
			case allowed.Kind == yaml.ScalarNode && allowed.Value == "write-all":
			case !grants(&allowed, "packages", "write"):
				faults = append(faults, "job "+quoted(name)+" lacks packages: write")
			}
		}
	}
	return faults, unwise
}

func grants(n *yaml.Node, what, level string) bool {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == what {
			return n.Content[i+1].Value == level
		}
	}
	return false
}

func quoted(s string) string { return strconv.Quote(s[:min(len(s), 80)]) }
