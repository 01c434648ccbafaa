package gittest

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

type errorCase struct {
	name string
	run  func(t *testing.T, c Config)
}

// errorCases are the repositories that cannot be read, wholly or in part.
var errorCases = []errorCase{
	{"no repository", func(t *testing.T, c Config) {
		dir := realPath(t, t.TempDir())
		t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
		openFails(t, c, dir, "is not in a git repository", "--repo")
	}},
	{"no folder", func(t *testing.T, c Config) {
		openFails(t, c, filepath.Join(t.TempDir(), "absent"), "cannot read", "--repo")
	}},
	{"a file for a folder", func(t *testing.T, c Config) {
		path := filepath.Join(t.TempDir(), "file")
		must(t, os.WriteFile(path, nil, 0o644))
		openFails(t, c, path, "it is not a folder", "--repo")
	}},
	{"broken .git file", func(t *testing.T, c Config) {
		dir := realPath(t, t.TempDir())
		must(t, os.WriteFile(filepath.Join(dir, ".git"), []byte("gitdir: /nowhere/at/all\n"), 0o644))
		openFails(t, c, dir, "not in a git repository", "--repo")
	}},
	{"broken configuration", func(t *testing.T, c Config) {
		r := Init(t)
		must(t, os.WriteFile(filepath.Join(r.Dir, ".git/config"), []byte("[core\nbare\n"), 0o644))
		openFails(t, c, r.Dir, "config", "git config --edit")
	}},
	{"later repository version", func(t *testing.T, c Config) {
		r := Init(t)
		r.Git("config", "core.repositoryFormatVersion", "7")
		openFails(t, c, r.Dir, "repository", "install ")
	}},
	{"unknown extension", func(t *testing.T, c Config) {
		r := Init(t)
		r.Git("config", "core.repositoryFormatVersion", "1")
		r.Git("config", "extensions.fromTheFuture", "true")
		openFails(t, c, r.Dir, "repository", "install ")
	}},
	{"references in another format", func(t *testing.T, c Config) {
		r := &Repo{T: t, Dir: realPath(t, t.TempDir()), Format: gitobj.SHA1}
		cmd := exec.Command("git", "init", "-q", "--ref-format=reftable", r.Dir)
		if cmd.Run() != nil { // this git does not know them: so must it say
			r.Git("init", "-q")
			r.Git("config", "core.repositoryFormatVersion", "1")
			r.Git("config", "extensions.refStorage", "reftable")
			openFails(t, c, r.Dir, "repository", "install ")
			return
		}
		commit := r.CommitTree(r.Tree(someFiles()...))
		if c.SimpleRevisions {
			openFails(t, c, r.Dir, "references in the format", "install git")
			return
		}
		read(t, c, &fixture{dir: r.Dir, commit: commit, files: sorted(someFiles())})
	}},
	{"empty repository", func(t *testing.T, c Config) {
		r := Init(t)
		repo := mustOpen(t, c, r.Dir)
		_, err := repo.Resolve(context.Background(), "HEAD")
		wantError(t, err, fail.Repository, "has no commits yet", "git commit")
		_, err = repo.Resolve(context.Background(), "main")
		wantError(t, err, fail.Usage, `no revision "main"`, "git branch")
		if url, err := repo.RemoteURL(context.Background(), "origin"); url != "" || err != nil {
			t.Errorf("a repository without remotes has the remote %q, %v", url, err)
		}
	}},
	{"HEAD names a branch without commits", func(t *testing.T, c Config) {
		r, _, _ := history(t)
		r.Git("symbolic-ref", "HEAD", "refs/heads/master")
		_, err := mustOpen(t, c, r.Dir).Resolve(context.Background(), "HEAD")
		wantError(t, err, fail.Repository, "names the branch master, which has no commits", "git branch")
	}},
	{"missing blob", func(t *testing.T, c Config) {
		r, f := simple(t, someFiles())
		must(t, os.Remove(r.ObjectPath(gitobj.Hash(gitobj.SHA1, "blob", []byte("package c\n")))))
		for i := range f.files {
			f.files[i].Missing = f.files[i].Content == "package c\n"
		}
		read(t, c, f)
	}},
	{"missing tree", func(t *testing.T, c Config) {
		r, f := simple(t, someFiles())
		must(t, os.Remove(r.ObjectPath(r.ID("HEAD:a"))))
		wantDamage(t, c, f, "")
	}},
	{"missing commit", func(t *testing.T, c Config) {
		r, ids, _ := history(t)
		must(t, os.Remove(r.ObjectPath(ids[2])))
		for _, rev := range []string{"HEAD", "main"} {
			_, err := mustOpen(t, c, r.Dir).Resolve(context.Background(), rev)
			wantError(t, err, fail.Repository, ids[2].String(), "git fsck")
		}
	}},
	{"damaged loose blob", func(t *testing.T, c Config) {
		r, f := simple(t, someFiles())
		overwrite(t, r.ObjectPath(gitobj.Hash(gitobj.SHA1, "blob", []byte("package c\n"))), []byte("this is no zlib stream"))
		wantDamage(t, c, f, "git fsck")
	}},
	{"empty loose blob", func(t *testing.T, c Config) {
		r, f := simple(t, someFiles())
		overwrite(t, r.ObjectPath(gitobj.Hash(gitobj.SHA1, "blob", []byte("package c\n"))), nil)
		wantDamage(t, c, f, "git fsck")
	}},
	{"loose blob with other content", func(t *testing.T, c Config) {
		r, f := simple(t, someFiles())
		overwrite(t, r.ObjectPath(gitobj.Hash(gitobj.SHA1, "blob", []byte("package c\n"))), deflate(t, "blob 10\x00package X\n"))
		damagedAlone(t, c, f, "package c\n")
	}},
	{"loose commit with other content", func(t *testing.T, c Config) {
		r, ids, _ := history(t)
		overwrite(t, r.ObjectPath(ids[2]), deflate(t, string(looseContent(t, r, ids[1], "commit"))))
		_, err := mustOpen(t, c, r.Dir).ReadCommit(context.Background(), ids[2])
		wantError(t, err, fail.Repository, ids[2].String(), "git fsck")
	}},
	{"loose tree with other content", func(t *testing.T, c Config) {
		r, f := simple(t, someFiles())
		id := r.ID("HEAD:a")
		overwrite(t, r.ObjectPath(id), deflate(t, string(looseContent(t, r, r.ID("HEAD:a/b"), "tree"))))
		wantDamage(t, c, f, "git fsck")
	}},
	{"cut pack", func(t *testing.T, c Config) {
		f := packed(t)
		path := onlyPack(t, f.dir)
		b, err := os.ReadFile(path)
		must(t, err)
		overwrite(t, path, b[:len(b)/2])
		f.rev = "HEAD"
		wantDamage(t, c, f, "")
	}},
	{"damaged pack", func(t *testing.T, c Config) {
		f := packed(t)
		path := onlyPack(t, f.dir)
		b, err := os.ReadFile(path)
		must(t, err)
		// The head of a pack holds the commit, the end the large blobs.
		for i := 12; i < len(b)-20; i += 8 {
			b[i] ^= 0x55
		}
		overwrite(t, path, b)
		wantDamage(t, c, f, "")
	}},
	{"damaged pack index", func(t *testing.T, c Config) {
		f := packed(t)
		path := strings.TrimSuffix(onlyPack(t, f.dir), ".pack") + ".idx"
		b, err := os.ReadFile(path)
		must(t, err)
		overwrite(t, path, b[:len(b)/2])
		wantDamage(t, c, f, "")
	}},
	{"damaged reference", func(t *testing.T, c Config) {
		r, _, _ := history(t)
		overwrite(t, filepath.Join(r.Dir, ".git/refs/heads/main"), []byte("not a hash\n"))
		if _, err := mustOpen(t, c, r.Dir).Resolve(context.Background(), "main"); err == nil {
			t.Error("a damaged reference was resolved")
		}
	}},
	{"tree with a slash in a name", malformedTree("slash", func(b string) string { return "100644 a/b\x00" + b })},
	{"tree with one name twice", malformedTree("two entries", func(b string) string { return "100644 a\x00" + b + "100644 a\x00" + b })},
	{"tree with an empty name", malformedTree("tree", func(b string) string { return "100644 \x00" + b })},
	{"tree that is cut", malformedTree("tree", func(b string) string { return "100644 a\x00" + b[:10] })},
	{"tree with a mode that is no number", malformedTree("mode", func(b string) string { return "10x644 a\x00" + b })},
	{"tree that has a tree as a file", func(t *testing.T, c Config) {
		r := Init(t)
		sub := r.Tree(someFiles()...)
		commit := r.CommitTree(r.Object("tree", []byte("100644 a\x00"+string(sub.Bytes()))))
		wantDamage(t, c, &fixture{dir: r.Dir, rev: commit.String()}, "git fsck")
	}},
	{"commit without a tree", func(t *testing.T, c Config) {
		r := Init(t)
		id := r.Object("commit", []byte("author A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\nx"))
		wantDamage(t, c, &fixture{dir: r.Dir, rev: id.String()}, "git fsck")
	}},
}

func mustOpen(t *testing.T, c Config, dir string) git.Repository {
	t.Helper()
	r, err := c.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func openFails(t *testing.T, c Config, dir, what, remedy string) {
	t.Helper()
	r, err := c.Open(context.Background(), dir)
	if err == nil {
		r.Close()
	}
	wantError(t, err, fail.Repository, what, remedy)
}

// wantDamage asserts that the fixture cannot be read and that the error says
// so, at whichever step it is found.
func wantDamage(t *testing.T, c Config, f *fixture, remedy string) {
	t.Helper()
	if f.rev == "" {
		f.rev = "HEAD"
	}
	r, err := c.Open(context.Background(), f.dir)
	if err == nil {
		defer r.Close()
		_, err = snapshot(context.Background(), r, f)
	}
	if remedy == "" {
		remedy = "git f" // fsck or fetch: a lost object looks as if it never had been there
	}
	wantError(t, err, fail.Repository, "", remedy)
}

// damagedAlone asserts that the blob with the given content cannot be read
// and that every other one can.
func damagedAlone(t *testing.T, c Config, f *fixture, text string) {
	t.Helper()
	ctx := context.Background()
	r := mustOpen(t, c, f.dir)
	blobs, err := r.Blobs(ctx)
	must(t, err)
	defer blobs.Close()
	var ids []gitobj.ID
	for _, file := range f.files {
		ids = append(ids, gitobj.Hash(gitobj.SHA1, "blob", []byte(file.Content)))
	}
	git.Expect(blobs, ids)
	for i, file := range f.files {
		b, err := blobs.Read(ids[i], nil)
		if file.Content == text {
			wantError(t, err, fail.Repository, ids[i].String(), "git fsck")
			if !errors.Is(err, git.ErrCorrupt) || errors.Is(err, git.ErrMissing) {
				t.Errorf("a damaged object gives %v", err)
			}
		} else if err != nil || string(b) != file.Content {
			t.Errorf("%s next to a damaged one: %.40q, %v", file.Path, b, err)
		}
	}
}

func malformedTree(what string, raw func(blob string) string) func(t *testing.T, c Config) {
	return func(t *testing.T, c Config) {
		r := Init(t)
		blob := r.Object("blob", []byte("x"))
		commit := r.CommitTree(r.Object("tree", []byte(raw(string(blob.Bytes())))))
		repo := mustOpen(t, c, r.Dir)
		_, err := repo.Tree(context.Background(), commit)
		wantError(t, err, fail.Repository, what, "git fsck")
	}
}

func overwrite(t *testing.T, path string, b []byte) {
	t.Helper()
	os.Remove(path) // git makes its objects read-only
	must(t, os.WriteFile(path, b, 0o644))
}

func deflate(t *testing.T, s string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, err := w.Write([]byte(s))
	must(t, errors.Join(err, w.Close()))
	return b.Bytes()
}

// looseContent returns an object as it stands in a loose file, inflated.
func looseContent(t *testing.T, r *Repo, id gitobj.ID, typ string) []byte {
	t.Helper()
	f, err := os.Open(r.ObjectPath(id))
	must(t, err)
	defer f.Close()
	z, err := zlib.NewReader(f)
	must(t, err)
	var b bytes.Buffer
	_, err = b.ReadFrom(z)
	must(t, err)
	if !bytes.HasPrefix(b.Bytes(), []byte(typ+" ")) {
		t.Fatalf("%s is no %s", id, typ)
	}
	return b.Bytes()
}

func onlyPack(t *testing.T, dir string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.pack"))
	must(t, err)
	if len(list) != 1 {
		t.Fatalf("%d packs", len(list))
	}
	return list[0]
}
