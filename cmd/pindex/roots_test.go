package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/internal/fail"
)

func TestRootsThatMayBeAskedAbout(t *testing.T) {
	top := realPath(t.TempDir())
	mk := func(parts ...string) string {
		dir := filepath.Join(append([]string{top}, parts...)...)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	repo := func(parts ...string) string {
		dir := mk(parts...)
		gitIn(t, dir, "init", "-q", "-b", "main")
		gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", "one")
		return dir
	}
	own, other, below, work := repo("own"), repo("other"), repo("src", "below"), repo("work", "w")
	tree := filepath.Join(top, "tree")
	gitIn(t, own, "worktree", "add", "-q", tree)
	// A folder that says it is a worktree of the server's repository.
	liar := mk("liar")
	if err := os.WriteFile(filepath.Join(liar, ".git"), []byte("gitdir: "+filepath.Join(own, ".git", "worktrees", "tree")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(top, "src", "link")
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	r, err := newRoots(filepath.Join(own), filepath.Join(top, "src"))
	if err != nil {
		t.Fatal(err)
	}
	granted := []string{filepath.Join(top, "work")}
	for _, c := range []struct {
		dir     string
		granted []string
		want    string // "" for refused
	}{
		{own, nil, own},
		{mk("own", "sub", "folder"), nil, own},
		{tree, nil, tree},
		{below, nil, below},
		{other, nil, ""},
		{link, nil, ""}, // leads out of what is allowed
		{filepath.Join(top, "src", "..", "other"), nil, ""},
		{liar, nil, ""},
		{work, nil, ""},
		{work, granted, work},
		{mk("work", "w", "deep"), []string{filepath.Join(work, "deep")}, work},
		{other, granted, ""},
		{mk("src", "none"), nil, ""},
		{filepath.Join(top, "nowhere"), nil, ""},
		{"own", nil, ""},
		{"", nil, ""},
	} {
		got, err := r.find(c.dir, c.granted)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s (granted %v): %q, %v; want %q", c.dir, c.granted, got, err, c.want)
		}
		if err != nil && fail.CodeOf(err) != fail.Usage {
			t.Errorf("%s: %v", c.dir, err)
		}
	}
	// What is there and what is not cannot be told apart.
	_, there := r.find(other, nil)
	_, not := r.find(other+"x", nil)
	if strings.ReplaceAll(not.Error(), other+"x", other) != there.Error() {
		t.Errorf("%v\n%v", there, not)
	}
	if _, err := newRoots(own, filepath.Join(top, "nowhere")); fail.CodeOf(err) != fail.Usage {
		t.Errorf("a list with a folder that is none: %v", err)
	}
}
