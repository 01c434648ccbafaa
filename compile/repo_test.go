package compile

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/git"
)

// tree is a commit's content for tests: path to entry.
type tree map[string]entry

// entry is one leaf; mode 0 is a plain file. A submodule's content is the
// hexadecimal id of its commit.
type entry struct {
	mode    uint32
	content string
}

func text(s string) entry { return entry{content: s} }

// testRepo is a bare repository in a temporary folder, written through git
// fast-import, so that every path that git can store can be stored.
type testRepo struct {
	t   testing.TB
	dir string
}

func newRepo(t testing.TB, initArgs ...string) *testRepo {
	t.Helper()
	return newRepoAt(t, filepath.Join(t.TempDir(), "repo.git"), initArgs...)
}

func newRepoAt(t testing.TB, dir string, initArgs ...string) *testRepo {
	t.Helper()
	r := &testRepo{t: t, dir: dir}
	args := append([]string{"init", "--quiet", "--bare", "--initial-branch=main"}, initArgs...)
	r.run(nil, append(args, dir)...)
	return r
}

// run runs git on the repository with nothing of the user's configuration.
func (r *testRepo) run(stdin []byte, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	if args[0] != "init" {
		cmd.Args = append([]string{"git", "--git-dir=" + r.dir}, args...)
	}
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C")
	cmd.Stdin = bytes.NewReader(stdin)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// commit makes a commit with exactly this tree on main, on top of the given
// parents, and returns its id.
func (r *testRepo) commit(tr tree, parents ...string) string {
	r.t.Helper()
	return r.commitOn("refs/heads/main", "a commit", tr, parents...)
}

func (r *testRepo) commitOn(ref, message string, tr tree, parents ...string) string {
	r.t.Helper()
	var b bytes.Buffer
	data := func(s string) { fmt.Fprintf(&b, "data %d\n%s\n", len(s), s) }
	paths := slices.Sorted(maps.Keys(tr))
	marks := map[string]int{}
	for i, p := range paths {
		if tr[p].mode == modeModule {
			continue
		}
		marks[p] = i + 2
		fmt.Fprintf(&b, "blob\nmark :%d\n", i+2)
		data(tr[p].content)
	}
	fmt.Fprintf(&b, "commit %s\nmark :1\ncommitter A <a@example.org> 1700000000 +0000\n", ref)
	data(message)
	for i, p := range parents {
		word := "from"
		if i > 0 {
			word = "merge"
		}
		fmt.Fprintf(&b, "%s %s\n", word, p)
	}
	b.WriteString("deleteall\n")
	for _, p := range paths {
		e := tr[p]
		mode := e.mode
		if mode == 0 {
			mode = 0o100644
		}
		if mode == modeModule {
			fmt.Fprintf(&b, "M %o %s %s\n", mode, e.content, quotePath(p))
			continue
		}
		fmt.Fprintf(&b, "M %o :%d %s\n", mode, marks[p], quotePath(p))
	}
	b.WriteString("\nget-mark :1\n")
	return r.run(b.Bytes(), "-c", "core.ignoreCase=false", "-c", "core.bigFileThreshold=1g", "fast-import", "--quiet", "--force")
}

// quotePath writes a path the way fast-import reads every byte of it.
func quotePath(p string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(p) {
		if c := p[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\%03o", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// open opens the repository with the git program.
func (r *testRepo) open() git.Repository {
	r.t.Helper()
	repo, err := git.Open(context.Background(), r.dir, git.Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = repo.Close() })
	return repo
}
