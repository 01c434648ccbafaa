package setup

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/fail"
)

// step is one edit that was made: enough to take it back, and no more of the
// file than was replaced.
type step struct {
	Path    string `json:"path"` // from the root, with slashes
	Created bool   `json:"created,omitempty"`
	Before  string `json:"before"` // sha256 of the file
	After   string `json:"after"`
	Off     int    `json:"off"`
	Del     []byte `json:"del,omitempty"`
	Ins     []byte `json:"ins,omitempty"`
}

// record is what was done in one project.
type record struct {
	Schema  string   `json:"schema"`
	Root    string   `json:"root"`
	Steps   []step   `json:"steps"`
	Folders []string `json:"folders,omitempty"` // that were made
}

const schemaRecord = "pindex.init-record/0"

// statePath returns where the record of a project is; "" where nothing is kept.
func statePath(dir, root string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, digest([]byte(root))[:32]+".json")
}

// readRecord reads a record; one that is missing or damaged is an empty one,
// because what was done can also be told from the files.
func readRecord(path string) (*record, error) {
	r := &record{}
	if path == "" {
		return r, nil
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, fail.Wrap(fail.Usage, err, "make it readable, or remove it", "cannot read what was done before, %s", path)
	}
	if err := json.Unmarshal(b, r); err != nil || r.Schema != schemaRecord {
		return &record{}, nil
	}
	return r, nil
}

// keep writes down what will be done.
func (p *Plan) keep() error {
	if p.state == "" {
		return nil
	}
	r := record{Schema: schemaRecord, Root: p.root, Steps: append(p.old.Steps, p.steps...), Folders: p.old.Folders}
	for _, dir := range p.newFolders() {
		if !slices.Contains(r.Folders, dir) {
			r.Folders = append(r.Folders, dir)
		}
	}
	b, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(p.state), 0o700)
	}
	if err == nil {
		err = durable.WriteBytes(p.state, 0o600, append(b, '\n'))
	}
	if err != nil {
		return fail.Wrap(fail.Usage, err, "make the folder writable, or set XDG_CONFIG_HOME; nothing was changed", "it could not be kept what is done, in %s", p.state)
	}
	return nil
}

// forget removes the record and the folders that it names, where they are empty.
func (p *Plan) forget() error {
	for _, dir := range slices.Backward(p.old.Folders) {
		if at, err := inside(p.root, dir); err == nil {
			os.Remove(at) // fails where something else is in it, and that is meant
		}
	}
	if p.state == "" {
		return nil
	}
	if err := os.Remove(p.state); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail.Wrap(fail.Usage, err, "remove it by hand", "the note of what was done, %s, could not be removed", p.state)
	}
	return nil
}

// NewUndo plans to take back what New wrote. Where a file is as it was left, its
// bytes become what they were; where it was changed since, what was added is
// taken out, and the rest stays. It works without a note of what was done as
// well, as in another clone: then it takes out the server, the instructions
// between their markers, and a workflow that is the one that would be written.
func NewUndo(o Options) (*Plan, error) {
	p := &Plan{root: o.Root, state: statePath(o.StateDir, o.Root), undo: true}
	var err error
	if p.old, err = readRecord(p.state); err != nil {
		return nil, err
	}
	// exact are the files whose bytes are as they were, and ours those that the
	// note names; without a note every file is looked at.
	exact, ours := map[string]bool{}, map[string]bool{}
	for i := len(p.old.Steps) - 1; i >= 0; i-- {
		s := p.old.Steps[i]
		f, err := p.open(s.Path)
		if err != nil {
			return nil, err
		}
		ours[f.path] = true
		exact[f.path] = false
		if f.now == nil || digest(f.now) == s.Before {
			exact[f.path] = true // removed, or never written
			continue
		}
		sp := splice{s.Off, s.Del, s.Ins}
		if digest(f.now) == s.After {
			if back, ok := sp.reverse(f.now); ok && digest(back) == s.Before {
				exact[f.path] = true
				f.set(back, s.Created)
				continue
			}
		}
		if back, ok := sp.reverseElsewhere(f.now); ok {
			f.set(back, s.Created && len(back) == 0)
		}
	}
	left := func(path string) bool { return exact[path] || len(ours) > 0 && !ours[path] }
	for _, a := range o.Agents {
		if err := p.strip(a.config(o.Root), left, a.remove, emptyConfig); err != nil {
			return nil, err
		}
	}
	for _, name := range instructionFiles(o.Agents) {
		if err := p.strip(name, left, removeBlock, func(b []byte) bool { return len(b) == 0 || string(b) == ruleHead }); err != nil {
			return nil, err
		}
	}
	if f, err := p.open(WorkflowPath); err == nil && !left(f.path) && o.Workflow != "" && string(f.now) == o.Workflow {
		f.now = nil
	}
	for _, f := range p.files {
		if f.changed() {
			if err := f.writable(); err != nil {
				return nil, err
			}
		}
	}
	p.list(nil)
	return p, nil
}

func (f *file) set(b []byte, gone bool) {
	if f.now = b; gone {
		f.now = nil
	} else if b == nil {
		f.now = []byte{}
	}
}

func instructionFiles(agents []Agent) []string {
	var out []string
	for _, a := range agents {
		if !slices.Contains(out, a.Instructions) {
			out = append(out, a.Instructions)
		}
	}
	if !slices.Contains(out, "AGENTS.md") {
		out = append(out, "AGENTS.md")
	}
	return out
}

// strip takes out what is ours in a file that no note gives back exactly. A file
// that is unreadable has nothing that could be taken out, and is left.
func (p *Plan) strip(path string, left func(string) bool, remove func([]byte) ([]byte, bool, error), nothing func([]byte) bool) error {
	f, err := p.open(path)
	if err != nil {
		return nil
	}
	if left(f.path) || f.now == nil {
		return nil
	}
	out, ok, err := remove(f.now)
	if err != nil {
		return f.broken(err)
	}
	if ok {
		f.set(out, nothing(out))
	}
	return nil
}

// emptyConfig reports whether a configuration says nothing.
func emptyConfig(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	t, err := parseJSONC(b)
	if err != nil || t.empty || t.root.kind != '{' || string(t.plain) != string(b) {
		return false // not JSON, or with comments
	}
	for _, m := range t.root.members {
		if m.key != "$schema" {
			return false
		}
	}
	return true
}
