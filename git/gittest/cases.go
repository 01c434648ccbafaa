package gittest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// readCases are the repositories that an implementation reads, or refuses
// with a remedy.
var readCases = []testCase{
	{"loose", loose},
	{"packed", packed},
	{"packed with ids as delta bases", refDeltas},
	{"packed with a version 1 index", indexV1},
	{"several packs and loose objects", mixed},
	{"multi-pack index", multiPackIndex},
	{"bare", bare},
	{"subfolder", subfolder},
	{"git folder", gitFolder},
	{"symbolic link as .git", linkedGitFolder},
	{"separate git folder", separateGitFolder},
	{"shallow", shallow},
	{"SHA-256", sha256},
	{"SHA-256 packed", sha256Packed},
	{"partial clone", partial},
	{"partial clone of SHA-256", partialSHA256},
	{"alternates", alternates},
	{"relative alternates", relativeAlternates},
	{"linked worktree", linkedWorktree},
	{"worktree configuration", worktreeConfig},
	{"submodule", submodule},
	{"inside a submodule", insideSubmodule},
	{"LFS pointer", lfsPointer},
	{"replacement objects", replacement},
	{"grafts", grafts},
	{"odd paths", oddPaths},
	{"long paths", longPaths},
	{"deep folders", deepFolders},
	{"modes", modes},
	{"paths that differ in case", caseColliding},
	{"order of paths", pathOrder},
	{"empty tree", emptyTree},
	{"one empty file", emptyFile},
	{"large file", largeFile},
	{"detached HEAD", detached},
	{"annotated tag", annotatedTag},
	{"packed references", packedRefs},
	{"signed commit with odd bytes", oddCommit},
	{"commit with broken dates", brokenDates},
	{"merge", merge},
	{"filters and line endings", filters},
	{"hooks", hooks},
	{"helpers in the configuration", helpers},
	{"index that names other content", staleIndex},
	{"sparse checkout", sparse},
}

// someFiles are ordinary files, two of which delta well.
func someFiles() []File {
	big := strings.Repeat("A line that is in both versions of the file.\n", 400)
	return []File{
		{Path: "README.md", Content: "# Title\n\nText.\n"},
		{Path: "a/b/c.go", Content: "package c\n"},
		{Path: "a/b.go", Content: "package b\r\n"},
		{Path: "big1.txt", Content: big},
		{Path: "big2.txt", Content: big + "One more.\n"},
		{Path: "no-newline", Content: "\x00\x01\xff"},
	}
}

func sorted(files []File) []File {
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files
}

// simple commits files to a new repository.
func simple(t *testing.T, files []File, args ...string) (*Repo, *fixture) {
	t.Helper()
	r := Init(t, args...)
	commit := r.CommitTree(r.Tree(files...))
	return r, &fixture{dir: r.Dir, commit: commit, parents: []gitobj.ID{}, files: sorted(files), format: r.Format}
}

func loose(t *testing.T) *fixture {
	_, f := simple(t, someFiles())
	return f
}

func packed(t *testing.T) *fixture {
	r, f := simple(t, someFiles())
	r.Git("repack", "-adfq")
	r.Git("prune-packed")
	requireDeltas(t, r)
	return f
}

// requireDeltas makes sure that a case tests what it says.
func requireDeltas(t *testing.T, r *Repo) {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(r.GitDir(), "objects/pack/*.idx"))
	must(t, err)
	for _, p := range packs {
		if strings.Contains(r.Git("verify-pack", "-v", p), "chain length = 1") {
			return
		}
	}
	t.Fatal("no object was stored as a delta")
}

func refDeltas(t *testing.T) *fixture {
	r, f := simple(t, someFiles())
	r.Git("-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq")
	r.Git("prune-packed")
	requireDeltas(t, r)
	return f
}

func indexV1(t *testing.T) *fixture {
	r, f := simple(t, someFiles())
	r.Git("-c", "pack.indexVersion=1", "repack", "-adfq")
	r.Git("prune-packed")
	return f
}

func mixed(t *testing.T) *fixture {
	r := Init(t)
	files := someFiles()
	first := r.CommitTree(r.Tree(files[:2]...))
	r.Git("repack", "-dq")
	r.Git("prune-packed")
	second := r.CommitTree(r.Tree(files[:5]...), first)
	r.Git("repack", "-dq")
	r.Git("prune-packed")
	third := r.CommitTree(r.Tree(files...), second)
	return &fixture{dir: r.Dir, commit: third, parents: []gitobj.ID{second}, files: sorted(files)}
}

func multiPackIndex(t *testing.T) *fixture {
	f := mixed(t)
	r := Repo{T: t, Dir: f.dir}
	r.Git("repack", "-dq")
	r.Git("multi-pack-index", "write")
	r.Git("commit-graph", "write", "--reachable")
	return f
}

func bare(t *testing.T) *fixture {
	r := Init(t, "--bare")
	commit := r.CommitTree(r.Tree(someFiles()...))
	return &fixture{dir: r.Dir, bare: true, commit: commit, files: sorted(someFiles())}
}

func subfolder(t *testing.T) *fixture {
	r := Init(t)
	r.Write("a/b/file", "text")
	f := &fixture{dir: filepath.Join(r.Dir, "a", "b"), workTree: r.Dir, commit: r.Commit("x"), files: []File{{Path: "a/b/file", Content: "text"}}}
	return f
}

func gitFolder(t *testing.T) *fixture {
	_, f := simple(t, someFiles())
	f.workTree, f.dir = f.dir, filepath.Join(f.dir, ".git")
	return f
}

func linkedGitFolder(t *testing.T) *fixture {
	r, f := simple(t, someFiles())
	dir := realPath(t, t.TempDir())
	must(t, os.Symlink(filepath.Join(r.Dir, ".git"), filepath.Join(dir, ".git")))
	f.dir = dir
	return f
}

func separateGitFolder(t *testing.T) *fixture {
	gitDir := filepath.Join(realPath(t, t.TempDir()), "the git folder")
	_, f := simple(t, someFiles(), "--separate-git-dir", gitDir)
	return f
}

// history makes a repository with three commits in which a file changes.
func history(t *testing.T, args ...string) (*Repo, []gitobj.ID, []File) {
	t.Helper()
	r := Init(t, args...)
	r.Write("kept", "the same in all commits\n")
	r.Write("changing", "one\n")
	ids := []gitobj.ID{r.Commit("one")}
	r.Write("changing", "two\n")
	ids = append(ids, r.Commit("two"))
	r.Write("changing", "three\n")
	ids = append(ids, r.Commit("three"))
	r.Git("config", "uploadpack.allowFilter", "true")
	return r, ids, []File{{Path: "changing", Content: "three\n"}, {Path: "kept", Content: "the same in all commits\n"}}
}

// clone clones r into a new folder.
func clone(t *testing.T, r *Repo, args ...string) *Repo {
	t.Helper()
	dir := filepath.Join(realPath(t, t.TempDir()), "clone")
	r.Git(append(append([]string{"clone", "-q"}, args...), "file://"+r.Dir, dir)...)
	return r.At(dir)
}

func shallow(t *testing.T) *fixture {
	r, ids, files := history(t)
	c := clone(t, r, "--depth=1")
	return &fixture{dir: c.Dir, commit: ids[2], parents: []gitobj.ID{ids[1]}, files: files, more: func(t *testing.T, r git.Repository) {
		_, err := r.Resolve(context.Background(), "HEAD~1")
		wantError(t, err, 2, "HEAD~1", "git fetch --unshallow")
		_, err = r.Resolve(context.Background(), ids[1].String())
		wantError(t, err, 2, ids[1].String(), "git fetch --unshallow")
	}}
}

func sha256(t *testing.T) *fixture {
	_, f := simple(t, someFiles(), "--object-format=sha256")
	return f
}

func sha256Packed(t *testing.T) *fixture {
	r, f := simple(t, someFiles(), "--object-format=sha256")
	r.Git("repack", "-adfq")
	r.Git("prune-packed")
	requireDeltas(t, r)
	return f
}

// sabotage makes a partial clone's remote such that any attempt to reach it
// leaves a mark, and returns a function that asserts that there is none.
func sabotage(t *testing.T, c *Repo) func(t *testing.T) {
	t.Helper()
	mark := filepath.Join(t.TempDir(), "mark")
	script := filepath.Join(t.TempDir(), "script")
	must(t, os.WriteFile(script, fmt.Appendf(nil, "#!/bin/sh\necho \"$0 $@\" >>'%s'\nexit 1\n", mark), 0o755))
	c.Git("config", "remote.origin.uploadpack", script)
	c.Git("config", "core.sshCommand", script)
	c.Git("config", "remote.second.url", "ext::"+script)
	c.Git("config", "remote.second.promisor", "true")
	c.Git("config", "protocol.ext.allow", "always")
	c.Git("config", "credential.helper", "!"+script)
	return func(t *testing.T) {
		t.Helper()
		if b, err := os.ReadFile(mark); err == nil {
			t.Errorf("a missing object made git start %s", b)
		}
	}
}

func partialOf(t *testing.T, args ...string) *fixture {
	r, ids, files := history(t, args...)
	// Without a checkout the clone has no blob at all; one is fetched.
	c := clone(t, r, "--filter=blob:none", "--no-checkout")
	if args == nil {
		c.Git("config", "core.repositoryformatversion", "1")
		c.Git("config", "extensions.partialClone", "origin")
	}
	c.Git("cat-file", "blob", "HEAD:kept")
	files[0].Missing = true
	unmarked := sabotage(t, c)
	format := r.Format
	return &fixture{dir: c.Dir, commit: ids[2], parents: []gitobj.ID{ids[1]}, files: files, format: format, more: func(t *testing.T, r git.Repository) {
		ctx := context.Background()
		blobs, err := r.Blobs(ctx)
		must(t, err)
		defer blobs.Close()
		id := gitobj.Hash(format, "blob", []byte("three\n"))
		for range 2 {
			_, err = blobs.Read(id, nil)
			wantError(t, err, 6, id.String(), "git fetch")
		}
		b, err := blobs.Read(gitobj.Hash(format, "blob", []byte(files[1].Content)), nil)
		if err != nil || string(b) != files[1].Content {
			t.Errorf("a blob after a missing one: %q, %v", b, err)
		}
		absent := gitobj.Hash(format, "commit", []byte("a commit that is nowhere"))
		if _, err = r.Resolve(ctx, absent.String()); err == nil {
			t.Error("resolved a commit that is nowhere")
		}
		if _, err = r.ReadCommit(ctx, absent); err == nil {
			t.Error("read a commit that is nowhere")
		}
		if id, err := r.Resolve(ctx, "HEAD~2"); err != nil || id != ids[0] {
			t.Errorf("HEAD~2 is %v, %v", id, err)
		}
		unmarked(t)
	}}
}

func partial(t *testing.T) *fixture       { return partialOf(t) }
func partialSHA256(t *testing.T) *fixture { return partialOf(t, "--object-format=sha256") }

func alternates(t *testing.T) *fixture {
	r, ids, files := history(t)
	c := clone(t, r, "--bare", "--shared", "--no-local")
	must(t, os.MkdirAll(filepath.Join(c.Dir, "objects/info"), 0o755))
	must(t, os.WriteFile(filepath.Join(c.Dir, "objects/info/alternates"), []byte("# a comment\n\n"+r.GitDir()+"/objects\n"), 0o644))
	emptyObjects(t, c.Dir)
	return &fixture{dir: c.Dir, bare: true, commit: ids[2], files: files}
}

func relativeAlternates(t *testing.T) *fixture {
	parent := realPath(t, t.TempDir())
	one := &Repo{T: t, Dir: parent, Format: gitobj.SHA1}
	one.Git("init", "-q", "--bare", "one")
	one.Git("init", "-q", "--bare", "two")
	one.Git("init", "-q", "--bare", "three")
	one = one.At(filepath.Join(parent, "one"))
	commit := one.CommitTree(one.Tree(someFiles()...))
	one.Git("repack", "-adq")
	three := one.At(filepath.Join(parent, "three"))
	must(t, os.WriteFile(filepath.Join(parent, "two/objects/info/alternates"), []byte("../../one/objects\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(parent, "three/objects/info/alternates"), []byte("../../two/objects\n"), 0o644))
	three.Git("update-ref", "HEAD", commit.String())
	return &fixture{dir: three.Dir, bare: true, commit: commit, files: sorted(someFiles())}
}

// emptyObjects removes every object of a bare repository itself.
func emptyObjects(t *testing.T, dir string) {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(dir, "objects"))
	must(t, err)
	for _, e := range list {
		if e.Name() != "info" && e.Name() != "pack" {
			must(t, os.RemoveAll(filepath.Join(dir, "objects", e.Name())))
		}
	}
	must(t, os.RemoveAll(filepath.Join(dir, "objects/pack")))
	must(t, os.Mkdir(filepath.Join(dir, "objects/pack"), 0o755))
}

func linkedWorktree(t *testing.T) *fixture {
	r, ids, _ := history(t)
	dir := filepath.Join(realPath(t, t.TempDir()), "tree")
	r.Git("worktree", "add", "-q", "-b", "other", dir, ids[0].String())
	w := r.At(dir)
	w.Write("new", "only on the other branch\n")
	commit := w.Commit("other")
	return &fixture{dir: dir, commit: commit, parents: []gitobj.ID{ids[0]}, files: []File{
		{Path: "changing", Content: "one\n"}, {Path: "kept", Content: "the same in all commits\n"}, {Path: "new", Content: "only on the other branch\n"},
	}, more: func(t *testing.T, repo git.Repository) {
		if repo.Dir() != r.GitDir() {
			t.Errorf("Dir is %q, want the common directory %q", repo.Dir(), r.GitDir())
		}
		if id, err := repo.Resolve(context.Background(), "main"); err != nil || id != ids[2] {
			t.Errorf("main is %v, %v", id, err)
		}
	}}
}

func worktreeConfig(t *testing.T) *fixture {
	f := linkedWorktree(t)
	w := Repo{T: t, Dir: f.dir}
	w.Git("config", "extensions.worktreeConfig", "true")
	w.Git("config", "--worktree", "core.sparseCheckout", "false")
	return f
}

func submodule(t *testing.T) *fixture {
	sub, ids, _ := history(t)
	r := Init(t)
	r.Write("file", "text\n")
	r.Git("submodule", "--quiet", "add", "file://"+sub.Dir, "lib/sub")
	commit := r.Commit("x")
	modules, err := os.ReadFile(filepath.Join(r.Dir, ".gitmodules"))
	must(t, err)
	return &fixture{dir: r.Dir, commit: commit, files: []File{
		{Path: ".gitmodules", Content: string(modules)},
		{Path: "file", Content: "text\n"},
		{Path: "lib/sub", Mode: git.ModeSubmodule, ID: ids[2]},
	}}
}

func insideSubmodule(t *testing.T) *fixture {
	sub, ids, files := history(t)
	r := Init(t)
	r.Git("submodule", "--quiet", "add", "file://"+sub.Dir, "lib/sub")
	r.Commit("x")
	return &fixture{dir: filepath.Join(r.Dir, "lib", "sub"), commit: ids[2], files: files}
}

func lfsPointer(t *testing.T) *fixture {
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
	r := Init(t)
	r.Git("config", "filter.lfs.smudge", "echo smudged")
	r.Git("config", "filter.lfs.process", "false")
	r.Git("config", "filter.lfs.required", "true")
	files := []File{{Path: ".gitattributes", Content: "*.bin filter=lfs diff=lfs merge=lfs -text\n"}, {Path: "data.bin", Content: pointer}}
	commit := r.CommitTree(r.Tree(files...))
	return &fixture{dir: r.Dir, commit: commit, files: files}
}

func replacement(t *testing.T) *fixture {
	r, ids, files := history(t)
	other := r.Object("blob", []byte("not the content\n"))
	r.Git("replace", r.ID("HEAD:kept").String(), other.String())
	r.Git("replace", ids[2].String(), ids[0].String())
	tree := r.Tree(File{Path: "evil", Content: "evil"})
	r.Git("replace", "-f", r.ID("HEAD^{tree}").String(), tree.String())
	return &fixture{dir: r.Dir, commit: ids[2], parents: []gitobj.ID{ids[1]}, files: files}
}

func grafts(t *testing.T) *fixture {
	r, ids, files := history(t)
	must(t, os.MkdirAll(filepath.Join(r.GitDir(), "info"), 0o755))
	must(t, os.WriteFile(filepath.Join(r.GitDir(), "info/grafts"), []byte(ids[2].String()+" "+ids[0].String()+"\n"), 0o644))
	return &fixture{dir: r.Dir, commit: ids[2], parents: []gitobj.ID{ids[1]}, files: files, more: func(t *testing.T, r git.Repository) {
		if id, err := r.Resolve(context.Background(), "HEAD~1"); err != nil || id != ids[1] {
			t.Errorf("HEAD~1 is %v, %v, want %v", id, err, ids[1])
		}
	}}
}
