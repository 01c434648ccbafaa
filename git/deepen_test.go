package git_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// deepened is a history of 40 first-parent commits with merges between them, and
// a clone of its last one.
func deepened(t *testing.T, filter bool) (clone string, history []string) {
	t.Helper()
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	origin := filepath.Join(dir, "origin")
	run("init", "-q", "-b", "main", origin)
	run("-C", origin, "config", "uploadpack.allowFilter", map[bool]string{true: "true", false: "false"}[filter])
	tree := run("-C", origin, "write-tree")
	var side, tip string
	for n := range 40 {
		args := []string{"-C", origin, "commit-tree", tree, "-m", string(rune('a' + n%26))}
		if tip != "" {
			args = append(args, "-p", tip)
		}
		if n%7 == 3 {
			side = run("-C", origin, "commit-tree", tree, "-m", "side", "-p", tip)
			args = append(args, "-p", side)
		}
		tip = run(args...)
	}
	run("-C", origin, "update-ref", "refs/heads/main", tip)
	clone = filepath.Join(dir, "clone")
	run("clone", "-q", "--depth=1", "file://"+origin, clone)
	return clone, strings.Fields(run("-C", origin, "rev-list", "--first-parent", "main"))
}

// files lists a folder with its files' contents.
func files(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out = append(out, path+"\x00"+string(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDeepen(t *testing.T) {
	for name, filter := range map[string]bool{"with filters": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			clone, history := deepened(t, filter)
			repo, err := git.Open(t.Context(), clone, git.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer repo.Close()
			parent, err := gitobj.ParseID(history[1])
			if err != nil {
				t.Fatal(err)
			}
			if _, err := repo.ReadCommit(t.Context(), parent); err == nil {
				t.Fatal("the clone is not shallow")
			}
			before := files(t, clone)
			var steps []int
			var got []string
			look := func(ancestors []string) (bool, error) {
				steps = append(steps, len(ancestors))
				got = append(got, ancestors...)
				return false, nil
			}
			if err := git.Deepen(t.Context(), repo, parent, []int{4, 16}, look); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(steps, []int{3, 12}) || !slices.Equal(got, history[2:17]) {
				t.Errorf("steps of %v: %v", steps, got)
			}
			// It ends with the history.
			steps, got = nil, nil
			if err := git.Deepen(t.Context(), repo, parent, []int{30, 100, 200}, look); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(steps, []int{29, 9}) || !slices.Equal(got, history[2:]) {
				t.Errorf("to the end: steps of %v", steps)
			}
			// It ends when what was looked for is found.
			errNo := errors.New("no")
			for _, want := range []error{nil, errNo} {
				calls := 0
				err := git.Deepen(t.Context(), repo, parent, []int{4, 16}, func([]string) (bool, error) { calls++; return true, want })
				if calls != 1 || err != want {
					t.Errorf("%d calls, %v", calls, err)
				}
			}
			if !slices.Equal(files(t, clone), before) {
				t.Error("the clone was changed")
			}
			// A remote that is gone, and a commit that it does not have.
			if err := git.Deepen(t.Context(), repo, gitobj.ID{}, []int{4}, look); err == nil {
				t.Error("a commit that is none")
			}
			if err := os.Rename(filepath.Join(filepath.Dir(clone), "origin"), filepath.Join(filepath.Dir(clone), "gone")); err != nil {
				t.Fatal(err)
			}
			if err := git.Deepen(t.Context(), repo, parent, []int{4}, look); err == nil || !strings.Contains(err.Error(), "origin could not be asked") {
				t.Errorf("a remote that is gone: %v", err)
			}
		})
	}
}
