package setup

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/internal/fail"
)

// tree writes files into a new folder and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for path, text := range files {
		full := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// look reads a folder: files with their modes and bytes, and folders.
func look(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		fi, err := os.Lstat(path)
		if err != nil {
			return err
		}
		out[rel] = fi.Mode().String()
		switch {
		case fi.Mode().IsRegular():
			b, err := os.ReadFile(path)
			out[rel] += " " + string(b)
			return err
		case fi.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			out[rel] += " -> " + to
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var project = map[string]string{
	".mcp.json":             "{\n\t\"mcpServers\": {\"other\": {\"command\": \"x\", \"env\": {\"KEY\": \"secret\"}}}\n}",
	".codex/config.toml":    "# mine\n[a]\nb = 1",
	".vscode/mcp.json":      "{\r\n  // mine\r\n  \"servers\": {},\r\n}\r\n",
	".zed/settings.json":    "\xef\xbb\xbf{}",
	"CLAUDE.md":             "# Mine",
	".cursor/rules/a.mdc":   "a",
	".github/other/x":       "x",
	".gemini/settings.json": "",
}

func options(root, state string) Options {
	return Options{Root: root, Agents: Agents(), Command: "pindex", Workflow: Workflow("", ""), StateDir: state}
}

func mustApply(t *testing.T, p *Plan, err error) {
	t.Helper()
	if err == nil {
		err = p.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestInitAndUndo(t *testing.T) {
	root, state := tree(t, project), t.TempDir()
	before := look(t, root)
	o := options(root, state)
	p, err := New(o)
	mustApply(t, p, err)
	after := look(t, root)
	for _, a := range Agents() {
		r, err := a.Registered(root)
		if err != nil || r == nil || r.Argv[0] != "pindex" || r.Argv[1] != "mcp" {
			t.Errorf("%s: %v %v", a.Name, r, err)
		}
	}
	for _, path := range []string{"CLAUDE.md", "AGENTS.md", "GEMINI.md", ".cursor/rules/pindex.mdc"} {
		if !strings.Contains(after[path], blockText) {
			t.Errorf("%s: %q", path, after[path])
		}
	}
	if !strings.HasPrefix(after["CLAUDE.md"], "-rw-r-----") {
		t.Errorf("the mode changed: %s", after["CLAUDE.md"])
	}
	if p, err = New(o); err != nil || !p.Empty() {
		t.Errorf("init twice: %v %+v", err, p.Changes)
	}
	record, err := os.ReadFile(statePath(state, root))
	if err != nil || strings.Contains(string(record), "secret") {
		t.Errorf("the note of what was done: %v %s", err, record)
	}
	p, err = NewUndo(o)
	mustApply(t, p, err)
	if now := look(t, root); !maps.Equal(now, before) {
		t.Errorf("not as before:\n%q\n%q", now, before)
	}
	if entries, _ := os.ReadDir(state); len(entries) != 0 {
		t.Errorf("left in the user's folder: %v", entries)
	}
	if p, err = NewUndo(o); err != nil || !p.Empty() {
		t.Errorf("undo twice: %v", err)
	}
}

// Agents one by one, and undo of all of it.
func TestInitInSteps(t *testing.T) {
	root, state := tree(t, project), t.TempDir()
	before := look(t, root)
	for _, a := range Agents() {
		o := options(root, state)
		o.Agents = []Agent{a}
		p, err := New(o)
		mustApply(t, p, err)
	}
	p, err := NewUndo(options(root, state))
	mustApply(t, p, err)
	if now := look(t, root); !maps.Equal(now, before) {
		t.Errorf("not as before:\n%q\n%q", now, before)
	}
}

// What the user wrote after init stays when it is taken back.
func TestUndoAfterEdits(t *testing.T) {
	root, state := tree(t, project), t.TempDir()
	o := options(root, state)
	p, err := New(o)
	mustApply(t, p, err)
	edit := func(path, old, now string) {
		full := filepath.Join(root, path)
		b, err := os.ReadFile(full)
		if err != nil || !strings.Contains(string(b), old) {
			t.Fatalf("%s: %v %s", path, err, b)
		}
		if err := os.WriteFile(full, []byte(strings.Replace(string(b), old, now, 1)), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	edit("CLAUDE.md", "# Mine", "# Mine and more")
	edit(".mcp.json", `"args": ["mcp"]`, `"args": ["mcp", "--no-compile"]`)
	edit(".codex/config.toml", `args = ["mcp"]`, "args = [\"mcp\", \"-q\"]\n\n[c]\nd = 2")
	edit("AGENTS.md", blockEnd, blockEnd+"\nMine.")
	edit(".github/workflows/pindex.yml", "timeout-minutes: 60", "timeout-minutes: 5")
	p, err = NewUndo(o)
	mustApply(t, p, err)
	got := look(t, root)
	for path, want := range map[string]string{
		"CLAUDE.md":          "# Mine and more",
		".mcp.json":          project[".mcp.json"],
		".codex/config.toml": "# mine\n[a]\nb = 1\n\n[c]\nd = 2\n",
		"AGENTS.md":          "Mine.\n",
	} {
		if _, text, _ := strings.Cut(got[path], " "); text != want {
			t.Errorf("%s:\n got %q\nwant %q", path, text, want)
		}
	}
	if !strings.Contains(got[".github/workflows/pindex.yml"], "timeout-minutes: 5") {
		t.Error("a workflow that the user changed is gone")
	}
}

// In another clone there is no note of what was done.
func TestUndoWithoutNote(t *testing.T) {
	root := tree(t, project)
	before := look(t, root)
	o := options(root, t.TempDir())
	p, err := New(o)
	mustApply(t, p, err)
	o.StateDir = t.TempDir()
	p, err = NewUndo(o)
	mustApply(t, p, err)
	now := look(t, root)
	for path := range now {
		if strings.Contains(now[path], "pindex") {
			t.Errorf("%s: %q", path, now[path])
		}
	}
	if now["CLAUDE.md"] != before["CLAUDE.md"]+"\n" && now["CLAUDE.md"] != before["CLAUDE.md"] {
		t.Errorf("CLAUDE.md: %q", now["CLAUDE.md"])
	}
}

// A file that cannot be edited stops all of it.
func TestNothingIsWritten(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.json")
	if err := os.WriteFile(outside, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := func(root, from, to string) error {
		os.MkdirAll(filepath.Dir(filepath.Join(root, from)), 0o755)
		os.Remove(filepath.Join(root, from))
		return os.Symlink(to, filepath.Join(root, from))
	}
	for name, spoil := range map[string]func(root string) error{
		"cannot be used: line 1": func(root string) error { return os.WriteFile(filepath.Join(root, ".mcp.json"), []byte("{]"), 0o644) },
		"config.toml cannot be": func(root string) error {
			return os.WriteFile(filepath.Join(root, ".codex/config.toml"), []byte("[a"), 0o644)
		},
		"line 2 has a comment": func(root string) error {
			return os.WriteFile(filepath.Join(root, ".mcp.json"), []byte("\xef\xbb\xbf{\n// a\n}"), 0o644)
		},
		"line 1 has a comment": func(root string) error {
			return os.WriteFile(filepath.Join(root, ".mcp.json"), []byte(`{"a": 1,}`), 0o644)
		},
		"leads out of the project": func(root string) error { return link(root, ".mcp.json", outside) },
		"out of the project: .cursor": func(root string) error {
			os.RemoveAll(filepath.Join(root, ".cursor"))
			return os.Symlink(filepath.Dir(outside), filepath.Join(root, ".cursor"))
		},
		"leads nowhere":       func(root string) error { return link(root, ".mcp.json", "gone.json") },
		"is read-only":        func(root string) error { return os.Chmod(filepath.Join(root, "CLAUDE.md"), 0o444) },
		"has 4194305 bytes":   func(root string) error { return os.Truncate(filepath.Join(root, ".mcp.json"), maxFile+1) },
		"is not a plain file": func(root string) error { return os.Mkdir(filepath.Join(root, "AGENTS.md"), 0o755) },
		"is not UTF-8":        func(root string) error { return os.WriteFile(filepath.Join(root, "CLAUDE.md"), []byte{0xff}, 0o644) },
		"is no folder":        func(root string) error { return os.WriteFile(filepath.Join(root, ".github/workflows"), nil, 0o644) },
		"markers": func(root string) error {
			return os.WriteFile(filepath.Join(root, "CLAUDE.md"), []byte(blockBegin), 0o644)
		},
		"is not an object": func(root string) error {
			return os.WriteFile(filepath.Join(root, ".zed/settings.json"), []byte(`{"context_servers": 1}`), 0o644)
		},
	} {
		root, state := tree(t, project), t.TempDir()
		if err := spoil(root); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		before := look(t, root)
		_, err := New(options(root, state))
		if fail.CodeOf(err) != fail.Usage || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if !maps.Equal(look(t, root), before) {
			t.Errorf("%s: something changed", name)
		}
	}
	if b, _ := os.ReadFile(outside); string(b) != "{}" {
		t.Errorf("written through the link: %s", b)
	}
}

// A link that stays in the project is followed, and stays a link.
func TestLinkInside(t *testing.T) {
	root, state := tree(t, map[string]string{"AGENTS.md": "# Ours\n"}), t.TempDir()
	if err := os.Symlink("AGENTS.md", filepath.Join(root, "CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	before := look(t, root)
	p, err := New(options(root, state))
	mustApply(t, p, err)
	now := look(t, root)
	if now["CLAUDE.md"] != before["CLAUDE.md"] || strings.Count(now["AGENTS.md"], blockBegin) != 1 {
		t.Errorf("%q %q", now["CLAUDE.md"], now["AGENTS.md"])
	}
	p, err = NewUndo(options(root, state))
	mustApply(t, p, err)
	if !maps.Equal(look(t, root), before) {
		t.Error("not as before")
	}
}

func TestImportIsOneBlock(t *testing.T) {
	root := tree(t, map[string]string{"CLAUDE.md": "# x\n@AGENTS.md\n", "AGENTS.md": "y"})
	p, err := New(options(root, ""))
	mustApply(t, p, err)
	if now := look(t, root); strings.Contains(now["CLAUDE.md"], blockBegin) || !strings.Contains(now["AGENTS.md"], blockBegin) {
		t.Errorf("%q", now)
	}
}

// A write that fails takes back those before it; so does a file that was changed
// while the user was asked.
func TestRollback(t *testing.T) {
	for name, spoil := range map[string]func(root string) error{
		"could not be written": func(root string) error { return os.WriteFile(filepath.Join(root, ".opencode"), nil, 0o644) },
		"changed by somebody":  func(root string) error { return os.WriteFile(filepath.Join(root, "CLAUDE.md"), []byte("new"), 0o640) },
	} {
		files := maps.Clone(project)
		files[".opencode/opencode.jsonc"] = "{}"
		root := tree(t, files)
		p, err := New(options(root, t.TempDir()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, "could") {
			if err := os.RemoveAll(filepath.Join(root, ".opencode")); err != nil {
				t.Fatal(err)
			}
			for _, f := range p.files { // as if it had not been there
				if strings.HasPrefix(f.path, ".opencode") {
					f.exists, f.was = false, nil
				}
			}
		}
		if err := spoil(root); err != nil {
			t.Fatal(err)
		}
		before := look(t, root)
		if err := p.Apply(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if now := look(t, root); !maps.Equal(now, before) {
			t.Errorf("%s: not as before:\n%q\n%q", name, now, before)
		}
	}
}

// A process that was killed after it had noted what it would do, and before it
// did all of it, is undone as far as it came.
func TestUndoOfAKilledInit(t *testing.T) {
	for written := range 4 {
		root, state := tree(t, project), t.TempDir()
		before := look(t, root)
		p, err := New(options(root, state))
		if err == nil {
			err = p.keep()
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range p.files {
			if i >= 3*written {
				break
			}
			if _, err := makeFolders(filepath.Dir(f.real)); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(f.real, f.now, f.mode); err != nil {
				t.Fatal(err)
			}
		}
		p, err = NewUndo(options(root, state))
		mustApply(t, p, err)
		if now := look(t, root); !maps.Equal(now, before) {
			t.Errorf("after %d writes: not as before:\n%q\n%q", 3*written, now, before)
		}
	}
}

func TestFound(t *testing.T) {
	home := tree(t, map[string]string{".codex/config.toml": "", ".gemini/x": ""})
	root := tree(t, map[string]string{".cursor/rules/a.mdc": ""})
	m := Machine{Home: home, Getenv: func(string) string { return "" }, LookPath: func(name string) (string, error) {
		if name == "zed" {
			return "/bin/zed", nil
		}
		return "", fs.ErrNotExist
	}}
	got := map[string]string{}
	for _, a := range Agents() {
		if why := m.Found(root, a); len(why) > 0 {
			got[a.Name] = strings.Join(why, " ")
		}
	}
	want := map[string]string{"codex": "~/.codex", "gemini": "~/.gemini", "cursor": ".cursor", "zed": "zed on PATH"}
	if !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

func TestOpencodeForms(t *testing.T) {
	for doc, want := range map[string]string{
		`{"mcp": {"servers": {"x": {"type": "local"}}}}`:         "mcp servers",
		`{"mcp": {"servers": {"type": "local", "command": []}}}`: "mcp",
		`{"mcp": {"x": {"type": "local"}}}`:                      "mcp",
		`{}`:                                                     "mcp",
	} {
		for _, a := range Agents() {
			if a.Name == "opencode" && strings.Join(a.path([]byte(doc)), " ") != want {
				t.Errorf("%s: %v", doc, a.path([]byte(doc)))
			}
		}
	}
}
