package git_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/git/gittest"
	"github.com/pindex-dev/pindex/internal/fail"
)

// tracked makes a repository with committed files.
func tracked(t *testing.T, args ...string) *gittest.Repo {
	t.Helper()
	r := gittest.Init(t, args...)
	for _, f := range []string{"a.txt", "b.txt", "dir/c.txt", "dir/sub/d.txt", "dir.txt", "z"} {
		r.Write(f, "content of "+f+"\n")
	}
	if err := os.Symlink("a.txt", filepath.Join(r.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	r.Commit("x")
	return r
}

// changed returns what Changed says about the working tree against rev, as
// lines "KIND PATH [MODE]".
func changed(t *testing.T, r *gittest.Repo, rev string) []string {
	t.Helper()
	ctx := context.Background()
	m, err := git.OpenMinimal(ctx, r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	entries := treeOf(t, m, rev)
	list, err := git.Changed(ctx, r.Dir, entries, git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	own, err := m.Changed(ctx, entries)
	if err == nil && !slices.Equal(own, list) || err != nil && !errors.Is(err, git.ErrUnsupported) {
		t.Errorf("Layout.Changed gives %v, %v, and Changed %v", own, err, list)
	}
	var lines []string
	for _, c := range list {
		line := fmt.Sprintf("%s %s", c.Kind, c.Path)
		if c.Kind != git.Deleted && c.Mode != git.ModeFile {
			line += fmt.Sprintf(" %o", c.Mode)
		}
		if c.Converted {
			line += " converted"
		}
		lines = append(lines, line)
	}
	return lines
}

func treeOf(t *testing.T, r git.Repository, rev string) []git.Entry {
	t.Helper()
	id, err := r.Resolve(context.Background(), rev)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := r.Tree(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestChanged(t *testing.T) {
	gittest.Isolate(t)
	path := func(r *gittest.Repo, name string) string { return filepath.Join(r.Dir, filepath.FromSlash(name)) }
	touch := func(t *testing.T, r *gittest.Repo, name string) {
		t.Helper()
		b, err := os.ReadFile(path(r, name))
		check(t, err)
		check(t, os.Remove(path(r, name)))
		check(t, os.WriteFile(path(r, name), b, 0o644))
	}
	for _, c := range []struct {
		name string
		do   func(t *testing.T, r *gittest.Repo)
		want []string
	}{
		{"nothing", func(t *testing.T, r *gittest.Repo) {}, nil},
		{"untracked file", func(t *testing.T, r *gittest.Repo) { r.Write("dir/new", "x") }, nil},
		{"other content", func(t *testing.T, r *gittest.Repo) { r.Write("dir/c.txt", "x") }, []string{"modified dir/c.txt"}},
		{"other content of the same size", func(t *testing.T, r *gittest.Repo) { r.Write("a.txt", "CONTENT OF a.txt\n") }, []string{"modified a.txt"}},
		{"written again", func(t *testing.T, r *gittest.Repo) { touch(t, r, "a.txt"); touch(t, r, "dir/sub/d.txt") }, nil},
		{"changed and restored with its time", func(t *testing.T, r *gittest.Repo) {
			fi, err := os.Stat(path(r, "b.txt"))
			check(t, err)
			r.Write("b.txt", "CONTENT OF b.txt\n")
			check(t, os.Chtimes(path(r, "b.txt"), fi.ModTime(), fi.ModTime()))
		}, []string{"modified b.txt"}},
		{"executable", func(t *testing.T, r *gittest.Repo) { check(t, os.Chmod(path(r, "a.txt"), 0o755)) }, []string{"modified a.txt 100755"}},
		{"executable without file modes", func(t *testing.T, r *gittest.Repo) {
			r.Git("config", "core.fileMode", "false")
			check(t, os.Chmod(path(r, "a.txt"), 0o755))
		}, nil},
		{"deleted", func(t *testing.T, r *gittest.Repo) { check(t, os.Remove(path(r, "dir/sub/d.txt"))) }, []string{"deleted dir/sub/d.txt"}},
		{"deleted folder", func(t *testing.T, r *gittest.Repo) { check(t, os.RemoveAll(path(r, "dir"))) }, []string{"deleted dir/c.txt", "deleted dir/sub/d.txt"}},
		{"folder for a file", func(t *testing.T, r *gittest.Repo) {
			check(t, os.Remove(path(r, "a.txt")))
			r.Write("a.txt/x", "x")
		}, []string{"deleted a.txt"}},
		{"file for a folder", func(t *testing.T, r *gittest.Repo) {
			check(t, os.RemoveAll(path(r, "dir")))
			r.Write("dir", "x")
		}, []string{"deleted dir/c.txt", "deleted dir/sub/d.txt"}},
		{"link for a file", func(t *testing.T, r *gittest.Repo) {
			check(t, os.Remove(path(r, "a.txt")))
			check(t, os.Symlink("b.txt", path(r, "a.txt")))
		}, []string{"modified a.txt 120000"}},
		{"file for a link", func(t *testing.T, r *gittest.Repo) {
			check(t, os.Remove(path(r, "link")))
			r.Write("link", "a.txt")
		}, []string{"modified link"}},
		{"file for a link without symbolic links", func(t *testing.T, r *gittest.Repo) {
			r.Git("config", "core.symlinks", "false")
			check(t, os.Remove(path(r, "link")))
			r.Write("link", "a.txt")
		}, nil},
		{"link to another target", func(t *testing.T, r *gittest.Repo) {
			check(t, os.Remove(path(r, "link")))
			check(t, os.Symlink("b.txt", path(r, "link")))
		}, []string{"modified link 120000"}},
		{"link made again", func(t *testing.T, r *gittest.Repo) {
			check(t, os.Remove(path(r, "link")))
			check(t, os.Symlink("a.txt", path(r, "link")))
		}, nil},
		{"link for a folder", func(t *testing.T, r *gittest.Repo) {
			elsewhere := t.TempDir()
			for _, f := range []string{"c.txt", "sub/d.txt"} {
				check(t, os.MkdirAll(filepath.Dir(filepath.Join(elsewhere, f)), 0o755))
				check(t, os.WriteFile(filepath.Join(elsewhere, f), []byte("content of dir/"+f+"\n"), 0o644))
			}
			check(t, os.RemoveAll(path(r, "dir")))
			check(t, os.Symlink(elsewhere, path(r, "dir")))
		}, []string{"deleted dir/c.txt", "deleted dir/sub/d.txt"}},
		{"staged", func(t *testing.T, r *gittest.Repo) {
			r.Write("a.txt", "staged")
			r.Write("new", "staged")
			r.Git("add", "-A")
		}, []string{"modified a.txt", "added new"}},
		{"staged and deleted", func(t *testing.T, r *gittest.Repo) {
			r.Write("new", "staged")
			r.Git("add", "-A")
			check(t, os.Remove(path(r, "new")))
		}, nil},
		{"staged and reverted", func(t *testing.T, r *gittest.Repo) {
			r.Write("a.txt", "staged")
			r.Git("add", "-A")
			r.Write("a.txt", "content of a.txt\n")
		}, nil},
		{"removed from the index", func(t *testing.T, r *gittest.Repo) { r.Git("rm", "-q", "--cached", "a.txt") }, []string{"deleted a.txt"}},
		{"added by intention", func(t *testing.T, r *gittest.Repo) {
			r.Write("new", "x")
			r.Git("add", "-N", "new")
		}, []string{"added new"}},
		{"renamed", func(t *testing.T, r *gittest.Repo) { r.Git("mv", "a.txt", "c.txt") }, []string{"deleted a.txt", "added c.txt"}},
		{"conflict", func(t *testing.T, r *gittest.Repo) {
			r.Git("checkout", "-q", "-b", "side")
			r.Write("a.txt", "side\n")
			r.Commit("side")
			r.Git("checkout", "-q", "main")
			r.Write("a.txt", "main\n")
			r.Commit("main")
			r.Git("read-tree", "-m", "-u", "--aggressive", "HEAD~1", "HEAD", "side")
			r.Write("a.txt", "<<<<<<<\n")
		}, []string{"modified a.txt"}},
		{"empty file", func(t *testing.T, r *gittest.Repo) {
			r.Write("z", "")
			r.Commit("x")
			touch(t, r, "z")
		}, nil},
		{"index version 4", func(t *testing.T, r *gittest.Repo) {
			r.Git("update-index", "--index-version", "4")
			r.Write("dir/sub/d.txt", "x")
		}, []string{"modified dir/sub/d.txt"}},
		{"index without a hash", func(t *testing.T, r *gittest.Repo) {
			r.Git("-c", "index.skipHash=true", "update-index", "--force-write-index")
			r.Write("z", "x")
		}, []string{"modified z"}},
		{"untracked cache and file system monitor", func(t *testing.T, r *gittest.Repo) {
			r.Git("update-index", "--untracked-cache")
			r.Write("z", "x")
		}, []string{"modified z"}},
		{"split index", func(t *testing.T, r *gittest.Repo) {
			r.Git("update-index", "--split-index")
			r.Write("a.txt", "CONTENT OF a.txt\n")
			check(t, os.Chmod(path(r, "z"), 0o755))
			touch(t, r, "b.txt")
		}, []string{"modified a.txt", "modified z 100755"}},
		{"assumed unchanged", func(t *testing.T, r *gittest.Repo) {
			r.Git("update-index", "--assume-unchanged", "a.txt")
			r.Write("a.txt", "x")
		}, []string{"modified a.txt"}},
		{"sparse checkout", func(t *testing.T, r *gittest.Repo) {
			r.Git("sparse-checkout", "set", "--no-cone", "/*", "!/dir/sub/")
			r.Write("a.txt", "x")
		}, []string{"modified a.txt"}},
		{"sparse index", func(t *testing.T, r *gittest.Repo) {
			r.Write("other/x", "x")
			r.Commit("x")
			r.Git("sparse-checkout", "set", "--cone", "--sparse-index", "other")
			r.Write("a.txt", "x")
			r.Write("other/x", "y")
		}, []string{"modified a.txt", "modified other/x"}},
		{"present in spite of a sparse checkout", func(t *testing.T, r *gittest.Repo) {
			r.Git("sparse-checkout", "set", "--no-cone", "/*", "!/dir/sub/")
			r.Write("dir/sub/d.txt", "x")
		}, []string{"modified dir/sub/d.txt"}},
		{"no index", func(t *testing.T, r *gittest.Repo) { check(t, os.Remove(path(r, ".git/index"))) },
			[]string{"deleted a.txt", "deleted b.txt", "deleted dir.txt", "deleted dir/c.txt", "deleted dir/sub/d.txt", "deleted link", "deleted z"}},
		{"legacy mode", func(t *testing.T, r *gittest.Repo) {
			tree := r.Tree(gittest.File{Path: "a.txt", Mode: 0o100664, Content: "legacy"}, gittest.File{Path: "x", Mode: 0o100775, Content: "legacy"})
			r.CommitTree(tree)
			r.Git("reset", "-q", "--hard")
		}, nil},
		{"submodule", func(t *testing.T, r *gittest.Repo) {
			sub := tracked(t)
			r.Git("submodule", "--quiet", "add", "file://"+sub.Dir, "lib")
			r.Commit("x")
			r.Write("lib/a.txt", "not our matter")
		}, nil},
		{"submodule at another commit", func(t *testing.T, r *gittest.Repo) {
			sub := tracked(t)
			r.Git("submodule", "--quiet", "add", "file://"+sub.Dir, "lib")
			r.Commit("x")
			r.At(path(r, "lib")).Commit("y")
			r.Git("add", "lib")
		}, []string{"modified lib 160000"}},
		{"line endings converted", func(t *testing.T, r *gittest.Repo) {
			r.Git("config", "core.autocrlf", "true")
			r.Write("a.txt", "content of a.txt\r\n")
			r.Write("b.txt", "CONTENT of b.txt\r\n")
		}, []string{"modified b.txt"}},
		{"line endings not converted", func(t *testing.T, r *gittest.Repo) { r.Write("a.txt", "content of a.txt\r\n") }, []string{"modified a.txt"}},
		{"line endings by attribute", func(t *testing.T, r *gittest.Repo) {
			r.Write("dir/.gitattributes", "*.txt text\n*.bin -text\n")
			r.Commit("x")
			r.Write("dir/c.txt", "content of dir/c.txt\r\n")
			r.Write("a.txt", "content of a.txt\r\n")
		}, []string{"modified a.txt"}},
		{"filter", func(t *testing.T, r *gittest.Repo) {
			r.Write(".gitattributes", "*.txt filter=upper\ndir.txt -filter\n")
			r.Git("config", "filter.upper.clean", "tr a-z A-Z")
			r.Commit("x")
			r.Git("add", "--renormalize", ".")
			r.Git("commit", "-q", "--allow-empty", "-m", "y")
			touch(t, r, "a.txt")
			r.Write("z", "x")
		}, []string{"modified a.txt converted", "modified z"}},
		{"$Id$", func(t *testing.T, r *gittest.Repo) {
			r.Git("config", "core.attributesFile", path(r, ".git/attrs"))
			check(t, os.WriteFile(path(r, ".git/attrs"), []byte("a* ident\n"), 0o644))
			r.Write("a.txt", "$Id$ more\n")
		}, []string{"modified a.txt converted"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := tracked(t)
			c.do(t, r)
			if got := changed(t, r, "HEAD"); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q\n%s", got, c.want, r.Git("status", "--short"))
			}
		})
	}

	t.Run("against another commit", func(t *testing.T) {
		r := tracked(t)
		r.Write("a.txt", "second\n")
		r.Git("rm", "-q", "z")
		r.Write("new", "second\n")
		r.Commit("second")
		want := []string{"modified a.txt", "added new", "deleted z"}
		if got := changed(t, r, "HEAD~1"); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("SHA-256", func(t *testing.T) {
		r := tracked(t, "--object-format=sha256")
		touch(t, r, "b.txt")
		r.Write("a.txt", "x")
		if got := changed(t, r, "HEAD"); !slices.Equal(got, []string{"modified a.txt"}) {
			t.Errorf("got %q", got)
		}
	})
	t.Run("linked worktree", func(t *testing.T) {
		r := tracked(t)
		dir := filepath.Join(t.TempDir(), "tree")
		r.Git("worktree", "add", "-q", dir)
		w := r.At(dir)
		w.Write("a.txt", "x")
		r.Write("b.txt", "x")
		if got := changed(t, w, "HEAD"); !slices.Equal(got, []string{"modified a.txt"}) {
			t.Errorf("got %q", got)
		}
	})
	t.Run("bare", func(t *testing.T) {
		r := gittest.Init(t, "--bare")
		_, err := git.Changed(context.Background(), r.Dir, nil, git.Options{})
		if fail.CodeOf(err) != fail.Repository || !strings.Contains(err.Error(), "--commit") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("damaged index", func(t *testing.T) {
		r := tracked(t)
		b, err := os.ReadFile(path(r, ".git/index"))
		check(t, err)
		b[len(b)/2] ^= 1
		check(t, os.WriteFile(path(r, ".git/index"), b, 0o644))
		_, err = git.Changed(context.Background(), r.Dir, nil, git.Options{})
		if fail.CodeOf(err) != fail.Repository || !strings.Contains(err.Error(), "git reset") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no git program", func(t *testing.T) {
		r := tracked(t)
		r.Git("update-index", "--split-index")
		_, err := git.Changed(context.Background(), r.Dir, nil, git.Options{Git: filepath.Join(t.TempDir(), "absent")})
		if !errors.Is(err, git.ErrUnsupported) || fail.CodeOf(err) != fail.Repository || !strings.Contains(err.Error(), "install git") {
			t.Errorf("got %v", err)
		}
	})
}

// TestChangedLikeGit makes random changes and compares with git's own answer.
func TestChangedLikeGit(t *testing.T) {
	gittest.Isolate(t)
	for seed := range uint64(12) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		r := gittest.Init(t)
		name := func() string {
			parts := []string{"a", "b", "c.txt", "d e", "é"}
			p := parts[rnd.IntN(len(parts))]
			for rnd.IntN(2) == 0 {
				p = parts[rnd.IntN(len(parts))] + "." + p
				if rnd.IntN(2) == 0 {
					p = "dir" + parts[rnd.IntN(2)] + "/" + p
				}
			}
			return p
		}
		mutate := func() {
			p := name()
			full := filepath.Join(r.Dir, p)
			switch rnd.IntN(8) {
			case 0:
				os.RemoveAll(full)
			case 1:
				os.RemoveAll(filepath.Dir(full) + "/" + "dira")
			case 2:
				os.MkdirAll(filepath.Dir(full), 0o755)
				os.RemoveAll(full)
				check(t, os.Symlink(name(), full))
			case 3:
				os.Chmod(full, 0o755)
			default:
				if fi, err := os.Lstat(full); err == nil && (fi.IsDir() || fi.Mode()&os.ModeSymlink != 0) {
					os.RemoveAll(full)
				}
				r.Write(p, strings.Repeat("x", rnd.IntN(3))+"\n")
			}
		}
		for range 30 {
			mutate()
		}
		r.Commit("x")
		for range 10 {
			mutate()
		}
		r.Git("add", "-A")
		for range 10 {
			mutate()
		}
		var want []string
		fields := strings.Split(strings.TrimSuffix(r.Git("diff", "--name-status", "--no-renames", "-z", "HEAD"), "\x00"), "\x00")
		for i := 0; i+1 < len(fields); i += 2 {
			kind := map[string]string{"A": "added", "D": "deleted", "M": "modified", "T": "modified"}[fields[i]]
			want = append(want, kind+" "+fields[i+1])
		}
		slices.Sort(want)
		got := changed(t, r, "HEAD")
		for i := range got { // without the mode
			for _, mode := range []string{" 100755", " 120000"} {
				got[i] = strings.TrimSuffix(got[i], mode)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: got\n%q\nwant\n%q", seed, got, want)
		}
	}
}
