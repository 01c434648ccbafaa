package gittest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// Config describes an implementation to the suite.
type Config struct {
	// Backend is the name that the implementation gives itself.
	Backend string
	// Open opens the repository that encloses dir.
	Open git.Opener
	// Refuses names the cases whose repository the implementation must
	// refuse, with a part of the error's first sentence. The error must
	// have the code fail.Repository and a remedy that tells to install
	// git; it may come as late as with the first read.
	Refuses map[string]string
	// Revisions that this implementation may refuse to understand, with
	// the same kind of error: those that need a reflog or a search.
	SimpleRevisions bool
}

// fixture is a repository and what must be read from it.
type fixture struct {
	dir      string
	rev      string // "HEAD" unless set
	commit   gitobj.ID
	parents  []gitobj.ID
	files    []File // in the order of their paths
	bare     bool
	workTree string // "" = dir, unless bare
	format   gitobj.Format
	more     func(t *testing.T, r git.Repository)
}

type testCase struct {
	name  string
	build func(t *testing.T) *fixture
}

// Run runs the suite.
func Run(t *testing.T, c Config) {
	Isolate(t)
	for name := range c.Refuses {
		if !slices.ContainsFunc(readCases, func(tc testCase) bool { return tc.name == name }) {
			t.Errorf("there is no case %q to refuse", name)
		}
	}
	for _, tc := range readCases {
		t.Run(tc.name, func(t *testing.T) {
			f := tc.build(t)
			if part, ok := c.Refuses[tc.name]; ok {
				refuse(t, c, f, part)
				return
			}
			read(t, c, f)
		})
	}
	for _, ec := range errorCases {
		t.Run(ec.name, func(t *testing.T) { ec.run(t, c) })
	}
	t.Run("revisions", func(t *testing.T) { revisions(t, c) })
	t.Run("environment", func(t *testing.T) { environment(t, c) })
	t.Run("remotes", func(t *testing.T) { remotes(t, c) })
	t.Run("repacked while open", func(t *testing.T) { repacked(t, c) })
	t.Run("concurrent", func(t *testing.T) { concurrent(t, c) })
	t.Run("cancelled", func(t *testing.T) { cancelled(t, c) })
}

// refuse asserts that a repository cannot be read and that the error says
// what to do.
func refuse(t *testing.T, c Config, f *fixture, part string) {
	t.Helper()
	ctx := context.Background()
	r, err := c.Open(ctx, f.dir)
	if err == nil {
		defer r.Close()
		_, err = snapshot(ctx, r, f)
	}
	wantError(t, err, fail.Repository, part, "install git")
}

// wantError asserts an error's exit code, a part of its first sentence and a
// part of its remedy.
func wantError(t *testing.T, err error, code fail.Code, what, remedy string) {
	t.Helper()
	var e *fail.Error
	if !errors.As(err, &e) {
		t.Fatalf("got error %v (%T), want a *fail.Error", err, err)
	}
	if e.Code != code {
		t.Errorf("got exit code %d, want %d: %v", e.Code, code, err)
	}
	text := e.What
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if !strings.Contains(text, what) {
		t.Errorf("got error %q, want %q in it", text, what)
	}
	if remedy == "" || !strings.Contains(e.Remedy, remedy) {
		t.Errorf("got remedy %q, want %q in it", e.Remedy, remedy)
	}
	if strings.ContainsAny(e.Error(), "\n\x00") {
		t.Errorf("the error has more than one line: %q", e.Error())
	}
}

// content is what was read for one entry.
type content struct {
	git.Entry
	text string
	err  error
}

// snapshot reads everything below the fixture's revision.
func snapshot(ctx context.Context, r git.Repository, f *fixture) ([]content, error) {
	id, err := r.Resolve(ctx, f.rev)
	if err != nil {
		return nil, err
	}
	if _, err := r.ReadCommit(ctx, id); err != nil {
		return nil, err
	}
	entries, err := r.Tree(ctx, id)
	if err != nil {
		return nil, err
	}
	blobs, err := r.Blobs(ctx)
	if err != nil {
		return nil, err
	}
	defer blobs.Close()
	var ids []gitobj.ID
	for _, e := range entries {
		if e.Mode != git.ModeSubmodule {
			ids = append(ids, e.ID)
		}
	}
	git.Expect(blobs, ids)
	var out []content
	for _, e := range entries {
		c := content{Entry: e}
		if e.Mode != git.ModeSubmodule {
			const before = "before"
			b, err := blobs.Read(e.ID, []byte(before))
			if err != nil && !errors.Is(err, git.ErrMissing) {
				return nil, err
			}
			if !strings.HasPrefix(string(b), before) {
				return nil, errors.New("a blob was not appended to what was there")
			}
			c.text, c.err = string(b[len(before):]), err
		}
		out = append(out, c)
	}
	return out, nil
}

func read(t *testing.T, c Config, f *fixture) {
	t.Helper()
	ctx := context.Background()
	if f.rev == "" {
		f.rev = "HEAD"
	}
	if f.format == 0 {
		f.format = gitobj.SHA1
	}
	if f.workTree == "" && !f.bare {
		f.workTree = f.dir
	}
	r, err := c.Open(ctx, f.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if err := r.Close(); err != nil {
			t.Errorf("second Close: %v", err)
		}
	}()
	if r.Backend() != c.Backend {
		t.Errorf("Backend is %q, want %q", r.Backend(), c.Backend)
	}
	if r.Format() != f.format {
		t.Errorf("Format is %v, want %v", r.Format(), f.format)
	}
	if r.WorkTree() != f.workTree {
		t.Errorf("WorkTree is %q, want %q", r.WorkTree(), f.workTree)
	}
	id, err := r.Resolve(ctx, f.rev)
	if err != nil {
		t.Fatal(err)
	}
	if id != f.commit {
		t.Fatalf("Resolve(%q) = %s, want %s", f.rev, id, f.commit)
	}
	commit, err := r.ReadCommit(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if commit.ID != id || gitobj.Hash(f.format, "commit", commit.Raw) != id {
		t.Errorf("commit %s has an object of another hash", id)
	}
	if f.parents != nil && !slices.Equal(commit.Parents, f.parents) {
		t.Errorf("commit has parents %v, want %v", commit.Parents, f.parents)
	}
	got, err := snapshot(ctx, r, f)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, f, got)
	if f.more != nil {
		f.more(t, r)
	}
}

func compare(t *testing.T, f *fixture, got []content) {
	t.Helper()
	if len(got) != len(f.files) {
		var paths []string
		for _, g := range got {
			paths = append(paths, g.Path)
		}
		t.Fatalf("got %d entries %.200q, want %d", len(got), paths, len(f.files))
	}
	for i, g := range got {
		w := f.files[i]
		if w.Mode == 0 {
			w.Mode = git.ModeFile
		}
		size := int64(len(w.Content))
		if w.Mode == git.ModeSubmodule {
			size = 0
		} else {
			w.ID = gitobj.Hash(f.format, "blob", []byte(w.Content))
		}
		if w.Missing {
			size, w.Content = -1, ""
		}
		if want := (git.Entry{Path: w.Path, Mode: w.Mode, ID: w.ID, Size: size}); g.Entry != want {
			t.Errorf("got entry %+v, want %+v", g.Entry, want)
		}
		if g.text != w.Content {
			t.Errorf("%.100q: got content %.100q, want %.100q", w.Path, g.text, w.Content)
		}
		if errors.Is(g.err, git.ErrMissing) != w.Missing {
			t.Errorf("%.100q: got error %v, missing is %v", w.Path, g.err, w.Missing)
		}
	}
}

// concurrent reads one repository from several goroutines at once.
func concurrent(t *testing.T, c Config) {
	f := packed(t)
	f.rev, f.format = "HEAD", gitobj.SHA1
	ctx := context.Background()
	r, err := c.Open(ctx, f.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for range 3 {
				got, err := snapshot(ctx, r, f)
				if err != nil {
					t.Error(err)
					return
				}
				compare(t, f, got)
			}
		})
	}
	wg.Wait()
}

// cancelled asserts that an ended context ends every operation.
func cancelled(t *testing.T, c Config) {
	f := packed(t)
	r, err := c.Open(context.Background(), f.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithCancel(context.Background())
	blobs, err := r.Blobs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer blobs.Close()
	cancel()
	_, err = blobs.Read(f.commit, nil)
	check := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a cancelled context: %v", what, err)
		}
	}
	check("Read", err)
	_, err = r.Resolve(ctx, "HEAD")
	check("Resolve", err)
	_, err = r.ReadCommit(ctx, f.commit)
	check("ReadCommit", err)
	_, err = r.Tree(ctx, f.commit)
	check("Tree", err)
	_, err = r.Blobs(ctx)
	check("Blobs", err)
	_, err = c.Open(ctx, f.dir)
	check("Open", err)
	// The repository itself is still alive.
	f.rev, f.format = "HEAD", gitobj.SHA1
	got, err := snapshot(context.Background(), r, f)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, f, got)
}

// environment asserts that the variables by which git tells its hooks where
// the repository is count where no folder is named, and only there.
func environment(t *testing.T, c Config) {
	one, two := packed(t), loose(t)
	other, ids, files := history(t)
	third := &fixture{dir: other.Dir, commit: ids[2], files: files}
	t.Setenv("GIT_DIR", filepath.Join(other.Dir, ".git"))
	t.Setenv("GIT_INDEX_FILE", filepath.Join(other.Dir, ".git", "index"))
	read(t, c, one)

	t.Chdir(other.Dir)
	third.dir, third.workTree = "", other.Dir
	read(t, c, third)

	t.Setenv("GIT_WORK_TREE", two.dir)
	t.Chdir(two.dir)
	third.workTree = two.dir
	read(t, c, third)

	os.Unsetenv("GIT_DIR")
	os.Unsetenv("GIT_WORK_TREE")
	os.Unsetenv("GIT_INDEX_FILE")
	two.workTree, two.dir = two.dir, ""
	read(t, c, two)
}

func remotes(t *testing.T, c Config) {
	r, _, _ := history(t)
	for name, url := range map[string]string{
		"origin":    "https://user:secret@example.com/o/r.git",
		"token":     "https://secret@example.com/o/r.git?private_token=secret#secret",
		"ssh":       "ssh://git:secret@example.com:22/o/r.git",
		"scp":       "git@example.com:o/r.git",
		"path":      "/srv/git/r.git",
		"with.dots": "https://example.com/with.dots",
		"Case":      "https://example.com/@scope/pkg",
		"helper":    "ext::sh -c 'echo secret'",
		"slash":     "https://user:se/cr?e#t@example.com/o/r",
	} {
		r.Git("config", "remote."+name+".url", url)
	}
	r.Git("config", "--add", "remote.origin.url", "https://example.com/second")
	r.Git("config", "remote.push.pushurl", "https://example.com/push")
	repo := mustOpen(t, c, r.Dir)
	for name, want := range map[string]string{
		"origin": "https://example.com/o/r.git", "token": "https://example.com/o/r.git", "ssh": "ssh://git@example.com:22/o/r.git",
		"scp": "git@example.com:o/r.git", "path": "/srv/git/r.git", "with.dots": "https://example.com/with.dots", "Case": "https://example.com/@scope/pkg",
		"helper": "", "slash": "https://example.com/o/r", "push": "", "absent": "", "case": "", "": "", "--all": "",
	} {
		if got, err := repo.RemoteURL(context.Background(), name); err != nil || got != want {
			t.Errorf("remote %q is %q, %v, want %q", name, got, err, want)
		}
	}
}

// repacked asserts that objects are found that git packs and prunes while the
// repository is open.
func repacked(t *testing.T, c Config) {
	r, f := simple(t, someFiles())
	f.rev = "HEAD"
	ctx := context.Background()
	repo := mustOpen(t, c, r.Dir)
	entries, err := repo.Tree(ctx, f.commit)
	must(t, err)
	blobs, err := repo.Blobs(ctx)
	must(t, err)
	defer blobs.Close()
	_, err = blobs.Read(entries[0].ID, nil)
	must(t, err)
	r.Git("repack", "-adq")
	r.Git("prune-packed")
	for i, e := range entries {
		b, err := blobs.Read(e.ID, nil)
		if err != nil || string(b) != f.files[i].Content {
			t.Errorf("%s after a repack: %.40q, %v", e.Path, b, err)
		}
	}
	got, err := snapshot(ctx, repo, f)
	must(t, err)
	compare(t, f, got)
}
