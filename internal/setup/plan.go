// Package setup registers pindex with the coding agents that are used in a
// project, and takes that back. It edits texts at the one place and leaves the
// other bytes as they are: comments, order, indentation, trailing commas, line
// ends and byte order mark.
//
// All edits are planned in memory before any file is written; one that cannot
// be made stops all of them. What was done is kept in the user's own folder, so
// that Undo can give the bytes back as they were.
package setup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/fail"
)

// Options say what init is to write.
type Options struct {
	Root    string // of the working tree, absolute
	Agents  []Agent
	Command string // that starts the program: a name on PATH, or a path
	Replace bool   // entries of the server that are there already
	// Workflow is the text of the workflow; "" for none.
	Workflow string
	StateDir string // where it is kept what was done
}

// Change is what happens to one file.
type Change struct {
	Path   string // from the root, with slashes
	Action string // "create", "edit", "delete" or "keep"
	Why    string // of keep
	Before []byte
	After  []byte
}

// Plan is a set of edits that can be made.
type Plan struct {
	Changes []Change

	root  string
	files []*file
	steps []step // of this plan, in order
	old   *record
	undo  bool
	state string
}

// Empty reports whether there is nothing to write.
func (p *Plan) Empty() bool {
	for _, f := range p.files {
		if f.changed() {
			return false
		}
	}
	return true
}

func (f *file) changed() bool {
	return f.exists != (f.now != nil) || !bytes.Equal(f.was, f.now)
}

// open returns the plan's file of a path. Two paths that lead to one file, as a
// link does, are one.
func (p *Plan) open(path string) (*file, error) {
	f, err := openFile(p.root, path)
	if err != nil {
		return nil, err
	}
	for _, g := range p.files {
		if g.real == f.real {
			return g, nil
		}
	}
	p.files = append(p.files, f)
	return f, nil
}

// edit takes an edit of a file into the plan.
func (p *Plan) edit(f *file, s splice) error {
	if s.none() {
		return nil
	}
	if err := f.writable(); err != nil {
		return err
	}
	after := s.apply(f.now)
	p.steps = append(p.steps, step{
		Path: f.path, Created: f.now == nil, Before: digest(f.now), After: digest(after),
		Off: s.off, Del: s.del, Ins: s.ins,
	})
	f.now = after
	return nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// New plans the registration.
func New(o Options) (*Plan, error) {
	p := &Plan{root: o.Root, state: statePath(o.StateDir, o.Root)}
	var err error
	if p.old, err = readRecord(p.state); err != nil {
		return nil, err
	}
	keep := map[string]string{}
	for _, a := range o.Agents {
		f, err := p.open(a.config(o.Root))
		if err != nil {
			return nil, err
		}
		s, err := a.set(f.now, o.Command, o.Replace)
		if err != nil {
			return nil, f.broken(err)
		}
		if s.none() {
			keep[f.path] = "the server " + ServerName + " is in it already"
		} else if err := p.edit(f, s); err != nil {
			return nil, err
		}
	}
	read := func(path string) ([]byte, error) {
		f, err := openFile(o.Root, path)
		if err != nil || !f.exists {
			return nil, errors.Join(err, fs.ErrNotExist)
		}
		return f.was, nil
	}
	for _, a := range o.Agents {
		f, err := p.open(a.instructions(o.Root, read))
		if err != nil {
			return nil, err
		}
		if f.path == cursorRule && f.now == nil {
			if err := p.edit(f, splice{ins: []byte(ruleHead + blockText)}); err != nil {
				return nil, err
			}
			continue
		}
		s, err := setBlock(f.now)
		if err != nil {
			return nil, f.broken(err)
		}
		if s.none() && f.changed() {
			continue
		}
		if s.none() {
			keep[f.path] = "the instructions are in it already"
		} else if err := p.edit(f, s); err != nil {
			return nil, err
		}
	}
	if o.Workflow != "" {
		if path, _ := FindWorkflow(o.Root); path != "" {
			if _, err := p.open(path); err != nil {
				return nil, err
			}
			keep[path] = "it uses the action already"
		} else {
			f, err := p.open(WorkflowPath)
			if err != nil {
				return nil, err
			}
			if f.exists {
				keep[f.path] = "it is there and is something else"
			} else if err := p.edit(f, splice{ins: []byte(o.Workflow)}); err != nil {
				return nil, err
			}
		}
	}
	p.list(keep)
	return p, nil
}

// list fills Changes.
func (p *Plan) list(keep map[string]string) {
	for _, f := range p.files {
		c := Change{Path: f.path, Action: "edit", Before: f.was, After: f.now}
		switch {
		case !f.changed():
			if keep[f.path] == "" {
				continue
			}
			c.Action, c.Why = "keep", keep[f.path]
		case !f.exists:
			c.Action = "create"
		case f.now == nil:
			c.Action = "delete"
		}
		p.Changes = append(p.Changes, c)
	}
}

// Apply writes what was planned. A failure takes back what was written before
// it.
func (p *Plan) Apply() (err error) {
	if p.Empty() && !p.undo {
		return nil
	}
	if !p.undo {
		// Kept first: a process that is killed in between can still be undone.
		if err := p.keep(); err != nil {
			return err
		}
	}
	var done []*file
	var made []string
	defer func() {
		if err == nil {
			return
		}
		for _, f := range done {
			if f.exists {
				err = errors.Join(err, durable.WriteBytes(f.real, f.mode, f.was))
			} else {
				err = errors.Join(err, os.Remove(f.real))
			}
		}
		for _, dir := range slices.Backward(made) {
			os.Remove(dir)
		}
	}()
	for _, f := range p.files {
		if !f.changed() {
			continue
		}
		if err := unchangedSince(f); err != nil {
			return err
		}
		if f.now == nil {
			if err := os.Remove(f.real); err != nil {
				return unwritable(f, err)
			}
			done = append(done, f)
			continue
		}
		folders, err := makeFolders(filepath.Dir(f.real))
		made = append(made, folders...)
		if err == nil {
			err = durable.WriteBytes(f.real, f.mode, f.now)
		}
		if err != nil {
			return unwritable(f, err)
		}
		done = append(done, f)
	}
	if p.undo {
		return p.forget()
	}
	return nil
}

func unwritable(f *file, err error) error {
	return fail.Wrap(fail.Usage, err, "make the file and its folder writable; nothing was changed", "%s could not be written", f.path)
}

// unchangedSince makes sure that nobody wrote the file since it was read: the
// user was asked about other bytes.
func unchangedSince(f *file) error {
	b, err := os.ReadFile(f.real)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unwritable(f, err)
	}
	if (err == nil) != f.exists || !bytes.Equal(b, f.was) {
		return fail.New(fail.Usage, "run the command again", "%s was changed by somebody else meanwhile; nothing was changed", f.path)
	}
	return nil
}

// makeFolders makes a folder with those above it and returns the new ones.
func makeFolders(dir string) ([]string, error) {
	var missing []string
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || filepath.Dir(d) == d {
			break
		}
		missing = append(missing, d)
	}
	slices.Reverse(missing)
	for i, d := range missing {
		if err := os.Mkdir(d, 0o755); err != nil {
			return missing[:i], err
		}
	}
	return missing, nil
}

// newFolders returns the folders that writing the plan's files makes, from the
// root, with slashes.
func (p *Plan) newFolders() []string {
	var out []string
	for _, f := range p.files {
		if f.exists || f.now == nil {
			continue
		}
		parts := strings.Split(f.path, "/")
		for i := 1; i < len(parts); i++ {
			dir := strings.Join(parts[:i], "/")
			if _, err := os.Stat(filepath.Join(p.root, filepath.FromSlash(dir))); err != nil && !slices.Contains(out, dir) {
				out = append(out, dir)
			}
		}
	}
	return out
}
