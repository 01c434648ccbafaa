// Package gittest builds git repositories of every kind with the real git
// program and holds the conformance suite that each implementation of
// git.Repository passes. It is for tests alone. Without a git program its
// tests fail: nothing could then vouch for what the others read.
package gittest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/internal/gitobj"
)

// Isolate keeps the machine's git configuration, and the variables that git
// sets for its hooks, away from the test and from the code under test. It
// returns the path of a global configuration file of the test's own.
func Isolate(t testing.TB) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatalf("this test needs the git program: %v", err)
	}
	home := t.TempDir()
	global := filepath.Join(home, ".gitconfig")
	config := "[user]\n\tname = Test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n" +
		"[protocol \"file\"]\n\tallow = always\n[core]\n\tautocrlf = false\n[gc]\n\tauto = 0\n[advice]\n\tdetachedHead = false\n"
	if err := os.WriteFile(global, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, kv := range os.Environ() {
		if k, _, _ := strings.Cut(kv, "="); strings.HasPrefix(k, "GIT_") && k != "GIT_EXEC_PATH" {
			t.Setenv(k, "") // registers the old value for the end of the test
			os.Unsetenv(k)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "xdg"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_CONFIG_GLOBAL", global)
	return global
}

// Repo is a repository under construction.
type Repo struct {
	T      testing.TB
	Dir    string // the working tree, or the bare repository
	Format gitobj.Format
}

// Init makes an empty repository in a new folder. The arguments are those of
// git init.
func Init(t testing.TB, args ...string) *Repo {
	t.Helper()
	r := &Repo{T: t, Dir: realPath(t, t.TempDir()), Format: gitobj.SHA1}
	for _, a := range args {
		if a == "--object-format=sha256" {
			r.Format = gitobj.SHA256
		}
	}
	r.Git(append([]string{"init", "-q"}, args...)...)
	return r
}

// At returns a handle of a repository in another folder.
func (r *Repo) At(dir string) *Repo { return &Repo{T: r.T, Dir: dir, Format: r.Format} }

// Git runs git in the repository and returns what it wrote to its standard
// output, without the last line end.
func (r *Repo) Git(args ...string) string {
	r.T.Helper()
	return r.GitIn(nil, args...)
}

// GitIn is Git with a standard input.
func (r *Repo) GitIn(stdin []byte, args ...string) string {
	r.T.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.Dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_AUTHOR_DATE=1700000000 +0100", "GIT_COMMITTER_DATE=1700000123 -0330")
	cmd.Stdin = bytes.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		r.T.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// Write writes a file of the working tree.
func (r *Repo) Write(path, content string) {
	r.T.Helper()
	full := filepath.Join(r.Dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		r.T.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		r.T.Fatal(err)
	}
}

// Commit adds the whole working tree and commits it.
func (r *Repo) Commit(message string) gitobj.ID {
	r.T.Helper()
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", message)
	return r.ID("HEAD")
}

// ID resolves a revision.
func (r *Repo) ID(rev string) gitobj.ID {
	r.T.Helper()
	return mustID(r.T, r.Git("rev-parse", "--verify", rev))
}

// GitDir returns the absolute path of the git directory.
func (r *Repo) GitDir() string {
	r.T.Helper()
	return r.Git("rev-parse", "--absolute-git-dir")
}

// Object writes a loose object of any type and content and returns its id.
func (r *Repo) Object(typ string, content []byte) gitobj.ID {
	r.T.Helper()
	return mustID(r.T, r.GitIn(content, "hash-object", "-w", "-t", typ, "--literally", "--stdin"))
}

// File is a leaf of a tree as a test wants it.
type File struct {
	Path    string
	Mode    uint32    // 0100644 unless set
	Content string    // of a blob
	ID      gitobj.ID // of a submodule's commit; of a blob it is computed
	Missing bool      // the repository does not hold the blob
}

// Tree writes blobs and trees, past the index and the file system, so that
// every path and mode that git objects can hold is possible.
func (r *Repo) Tree(files ...File) gitobj.ID {
	r.T.Helper()
	type entry struct {
		name string
		mode uint32
		id   gitobj.ID
	}
	var entries []entry
	sub := map[string][]File{}
	for _, f := range files {
		if f.Mode == 0 {
			f.Mode = 0o100644
		}
		if dir, rest, ok := strings.Cut(f.Path, "/"); ok {
			f.Path = rest
			sub[dir] = append(sub[dir], f)
			continue
		}
		id := f.ID
		if id.IsZero() {
			id = r.Object("blob", []byte(f.Content))
		}
		entries = append(entries, entry{f.Path, f.Mode, id})
	}
	for dir, files := range sub {
		entries = append(entries, entry{dir, 0o40000, r.Tree(files...)})
	}
	key := func(e entry) string {
		if e.mode == 0o40000 {
			return e.name + "/"
		}
		return e.name
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(key(a), key(b)) })
	var raw []byte
	for _, e := range entries {
		raw = fmt.Appendf(raw, "%o %s\x00%s", e.mode, e.name, e.id.Bytes())
	}
	return r.Object("tree", raw)
}

// CommitTree commits a tree and moves the current branch to it.
func (r *Repo) CommitTree(tree gitobj.ID, parents ...gitobj.ID) gitobj.ID {
	r.T.Helper()
	args := []string{"commit-tree", "-m", "A commit", tree.String()}
	for _, p := range parents {
		args = append(args, "-p", p.String())
	}
	id := mustID(r.T, r.Git(args...))
	r.Git("update-ref", "HEAD", id.String())
	return id
}

// ObjectPath returns the path of a loose object's file.
func (r *Repo) ObjectPath(id gitobj.ID) string {
	s := id.String()
	return filepath.Join(r.GitDir(), "objects", s[:2], s[2:])
}

func mustID(t testing.TB, s string) gitobj.ID {
	t.Helper()
	id, err := gitobj.ParseID(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// realPath resolves symbolic links, as git does in the paths that it gives.
func realPath(t testing.TB, path string) string {
	t.Helper()
	p, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
