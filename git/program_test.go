package git_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/git/gittest"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

func openProgram(ctx context.Context, dir string) (git.Repository, error) {
	return git.Open(ctx, dir, git.Options{Backend: git.Program})
}

func openMinimal(ctx context.Context, dir string) (git.Repository, error) {
	return git.OpenMinimal(ctx, dir)
}

func TestProgramConformance(t *testing.T) {
	gittest.Run(t, gittest.Config{Backend: "git", Open: openProgram})
}

func TestMinimalConformance(t *testing.T) {
	gittest.Run(t, gittest.Config{Backend: "minimal", Open: openMinimal, SimpleRevisions: true})
}

func wantFailure(t *testing.T, err error, code fail.Code, parts ...string) {
	t.Helper()
	if fail.CodeOf(err) != code {
		t.Errorf("exit code %d, want %d: %v", fail.CodeOf(err), code, err)
	}
	for _, p := range parts {
		if err != nil && !strings.Contains(err.Error(), p) {
			t.Errorf("got %q, want %q in it", err, p)
		}
	}
}

func TestOpenBackends(t *testing.T) {
	gittest.Isolate(t)
	r := tracked(t)
	ctx := context.Background()
	embedded := git.Options{Embedded: openMinimal}
	noGit := git.Options{Embedded: openMinimal, Git: filepath.Join(t.TempDir(), "no-git")}
	for _, c := range []struct {
		o    git.Options
		want string
	}{
		{git.Options{}, "git"},
		{embedded, "git"},
		{noGit, "minimal"},
		{git.Options{Backend: git.Embedded, Embedded: openMinimal}, "minimal"},
	} {
		repo, err := git.Open(ctx, r.Dir, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if repo.Backend() != c.want {
			t.Errorf("%+v opens %s, want %s", c.o, repo.Backend(), c.want)
		}
		repo.Close()
	}
	_, err := git.Open(ctx, r.Dir, git.Options{Git: noGit.Git})
	wantFailure(t, err, fail.Repository, "no git program", "install git")
	noGit.Backend = git.Program
	_, err = git.Open(ctx, r.Dir, noGit)
	wantFailure(t, err, fail.Repository, "no git program", "install git")
	_, err = git.Open(ctx, r.Dir, git.Options{Backend: "svn"})
	wantFailure(t, err, fail.Usage, `"svn"`)
	_, err = git.Open(ctx, r.Dir, git.Options{Backend: git.Embedded})
	wantFailure(t, err, fail.Usage)
}

func TestDubiousOwnership(t *testing.T) {
	global := gittest.Isolate(t)
	r := tracked(t)
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "true")
	_, err := openProgram(context.Background(), r.Dir)
	wantFailure(t, err, fail.Repository, "another user owns it", "git config --global --add safe.directory "+r.Dir)
	f, err := os.OpenFile(global, os.O_APPEND|os.O_WRONLY, 0)
	check(t, err)
	_, err = f.WriteString("[safe]\n\tdirectory = " + r.Dir + "\n")
	check(t, errors.Join(err, f.Close()))
	repo, err := openProgram(context.Background(), r.Dir)
	check(t, err)
	defer repo.Close()
	if _, err := repo.Resolve(context.Background(), "HEAD"); err != nil {
		t.Error(err)
	}
}

func TestExplicitBareRepositories(t *testing.T) {
	global := gittest.Isolate(t)
	r := gittest.Init(t, "--bare")
	r.CommitTree(r.Tree(gittest.File{Path: "x", Content: "x"}))
	f, err := os.OpenFile(global, os.O_APPEND|os.O_WRONLY, 0)
	check(t, err)
	_, err = f.WriteString("[safe]\n\tbareRepository = explicit\n")
	check(t, errors.Join(err, f.Close()))
	// A git that knows the setting refuses, and says how to go on.
	repo, err := openProgram(context.Background(), r.Dir)
	if err == nil {
		repo.Close()
	} else {
		wantFailure(t, err, fail.Repository, "safe.bareRepository", "GIT_DIR="+r.Dir)
	}
	t.Setenv("GIT_DIR", r.Dir)
	repo, err = openProgram(context.Background(), "")
	check(t, err)
	defer repo.Close()
	if _, err := repo.Resolve(context.Background(), "HEAD"); err != nil {
		t.Error(err)
	}
}

func TestGitInTheWorkingDirectoryIsNotRun(t *testing.T) {
	gittest.Isolate(t)
	r := tracked(t)
	mark := filepath.Join(t.TempDir(), "mark")
	check(t, os.WriteFile(filepath.Join(r.Dir, "git"), []byte("#!/bin/sh\ntouch '"+mark+"'\n"), 0o755))
	t.Chdir(r.Dir)
	t.Setenv("PATH", "."+string(filepath.ListSeparator)+os.Getenv("PATH"))
	repo, err := openProgram(context.Background(), "")
	if err == nil {
		repo.Close()
	}
	if _, err := os.Lstat(mark); err == nil {
		t.Error("a program of the working tree was run")
	}
}

// TestProcessesEnd asserts that no process and no goroutine outlives its use.
func TestProcessesEnd(t *testing.T) {
	gittest.Isolate(t)
	r := tracked(t)
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for range 3 {
		repo, err := openProgram(ctx, r.Dir)
		check(t, err)
		entries := treeOf(t, repo, "HEAD")
		for range 5 {
			blobs, err := repo.Blobs(ctx)
			check(t, err)
			_, err = blobs.Read(entries[0].ID, nil)
			check(t, err)
			blobs.Close()
		}
		leaked, err := repo.Blobs(ctx) // never closed
		check(t, err)
		_, err = leaked.Read(entries[0].ID, nil)
		check(t, err)
		check(t, repo.Close())
		if _, err := leaked.Read(entries[0].ID, nil); err == nil {
			t.Error("a closed repository was read")
		}
		if _, err := repo.ReadCommit(ctx, entries[0].ID); err == nil {
			t.Error("a closed repository was read")
		}
	}
	settle(t, before)
}

// settle waits until there are no more goroutines than before and no child
// processes.
func settle(t *testing.T, before int) {
	t.Helper()
	for range 500 {
		if runtime.NumGoroutine() <= before && children(t) == "" {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	buf := make([]byte, 1<<16)
	t.Errorf("%d goroutines, %d before; child processes %q\n%s", runtime.NumGoroutine(), before, children(t), buf[:runtime.Stack(buf, true)])
}

// children lists the child processes, zombies too, where the system tells.
func children(t *testing.T) string {
	t.Helper()
	list, err := filepath.Glob("/proc/self/task/*/children")
	check(t, err)
	var all []string
	for _, f := range list {
		if b, err := os.ReadFile(f); err == nil && len(b) > 0 {
			all = append(all, string(b))
		}
	}
	return strings.Join(all, " ")
}

// TestHangingGit asserts that a git that never answers is ended with the
// context, and what it started too.
func TestHangingGit(t *testing.T) {
	gittest.Isolate(t)
	r := tracked(t)
	script := filepath.Join(t.TempDir(), "git")
	check(t, os.WriteFile(script, []byte("#!/bin/sh\ncase \"$*\" in\n*cat-file*) sleep 1000; exit 1;;\nesac\nexec git \"$@\"\n"), 0o755))
	before := runtime.NumGoroutine()
	repo, err := git.Open(context.Background(), r.Dir, git.Options{Git: script})
	check(t, err)
	id := r.ID("HEAD")
	for _, op := range []func(ctx context.Context) error{
		func(ctx context.Context) error { _, err := repo.Resolve(ctx, "HEAD"); return err },
		func(ctx context.Context) error { _, err := repo.ReadCommit(ctx, id); return err },
		func(ctx context.Context) error { _, err := repo.Tree(ctx, id); return err },
		func(ctx context.Context) error {
			b, err := repo.Blobs(ctx)
			check(t, err)
			defer b.Close()
			_, err = b.Read(id, nil)
			return err
		},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		if err := op(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		cancel()
	}
	check(t, repo.Close())
	settle(t, before)
}

// TestDyingGit asserts that a git that ends without an answer is an error
// with a remedy, and that the next read starts a new one.
func TestDyingGit(t *testing.T) {
	gittest.Isolate(t)
	r := tracked(t)
	dir := t.TempDir()
	script := filepath.Join(dir, "git")
	check(t, os.WriteFile(script, []byte("#!/bin/sh\ncase \"$*\" in\n*'cat-file --batch') if mkdir '"+dir+"/once' 2>/dev/null; then read x; echo garbage; exit 0; fi;;\nesac\nexec git \"$@\"\n"), 0o755))
	repo, err := git.Open(context.Background(), r.Dir, git.Options{Git: script})
	check(t, err)
	defer repo.Close()
	blobs, err := repo.Blobs(context.Background())
	check(t, err)
	defer blobs.Close()
	id := r.ID("HEAD:a.txt")
	_, err = blobs.Read(id, nil)
	wantFailure(t, err, fail.Repository, id.String(), "git fsck")
	b, err := blobs.Read(id, nil)
	if err != nil || string(b) != "content of a.txt\n" {
		t.Errorf("got %q, %v", b, err)
	}
}

// TestExpect reads blobs in another order than announced.
func TestExpect(t *testing.T) {
	gittest.Isolate(t)
	r := gittest.Init(t)
	var files []gittest.File
	for i := range 300 {
		files = append(files, gittest.File{Path: strings.Repeat("x", i+1), Content: strings.Repeat("y\n", i*20)})
	}
	commit := r.CommitTree(r.Tree(files...))
	repo, err := openProgram(context.Background(), r.Dir)
	check(t, err)
	defer repo.Close()
	entries, err := repo.Tree(context.Background(), commit)
	check(t, err)
	var ids []gitobj.ID
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	blobs, err := repo.Blobs(context.Background())
	check(t, err)
	defer blobs.Close()
	for _, order := range [][]int{{0, 1, 2, 5, 6, 7, 3}, {299, 0, 298}, {0, 0, 1, 1}, {10, 11, 12}} {
		git.Expect(blobs, ids[order[0]:])
		for _, i := range order {
			b, err := blobs.Read(ids[i], nil)
			if err != nil || string(b) != files[i].Content {
				t.Fatalf("order %v: blob %d has %d bytes, %v", order, i, len(b), err)
			}
		}
	}
}
