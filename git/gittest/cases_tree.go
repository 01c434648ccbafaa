package gittest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

func oddPaths(t *testing.T) *fixture {
	_, f := simple(t, []File{
		{Path: " leading space", Content: "1"},
		{Path: "trailing space ", Content: "2"},
		{Path: "two\nlines", Content: "3"},
		{Path: "tab\there", Content: "4"},
		{Path: "\"quoted\"", Content: "5"},
		{Path: "it's", Content: "6"},
		{Path: "back\\slash", Content: "7"},
		{Path: "latin1-\xe9\xff", Content: "8"},
		{Path: "utf8-é\u0301-日本", Content: "9"},
		{Path: "-rf", Content: "10"},
		{Path: "dir\n\xff/in\rside", Content: "11"},
		{Path: "\x01\x1b[31m", Content: "12"},
		{Path: "a:b", Content: "13"},
		{Path: "con.txt", Content: "14"},
		{Path: "..", Content: "15"},
		{Path: "...", Content: "16"},
		{Path: ".git", Content: "17"},
		{Path: "*", Content: "18"},
		{Path: ":(top)x", Content: "19"},
	})
	return f
}

func longPaths(t *testing.T) *fixture {
	_, f := simple(t, []File{
		{Path: strings.Repeat("n", 4000), Content: "one name\n"},
		{Path: strings.Repeat("folder-of-17bytes/", 222) + "leaf", Content: "many folders\n"},
	})
	return f
}

func deepFolders(t *testing.T) *fixture {
	const depth = 2000
	r := Init(t)
	// The loose trees are written from the inside out through one process.
	blob := r.Object("blob", []byte("deep\n"))
	var in strings.Builder
	fmt.Fprintf(&in, "commit refs/heads/main\ncommitter A <a@b> 1700000000 +0000\ndata 1\nx\nM 100644 %s %sleaf\n\n", blob, strings.Repeat("d/", depth))
	r.GitIn([]byte(in.String()), "fast-import", "--quiet")
	return &fixture{dir: r.Dir, commit: r.ID("HEAD"), files: []File{{Path: strings.Repeat("d/", depth) + "leaf", Content: "deep\n"}}}
}

func modes(t *testing.T) *fixture {
	_, f := simple(t, []File{
		{Path: "executable", Mode: git.ModeExecutable, Content: "#!/bin/sh\n"},
		{Path: "file", Mode: git.ModeFile, Content: "f"},
		{Path: "group-writable", Mode: 0o100664, Content: "legacy"},
		{Path: "link", Mode: git.ModeSymlink, Content: "../else/where"},
		{Path: "link-to-itself", Mode: git.ModeSymlink, Content: "link-to-itself"},
		{Path: "private", Mode: 0o100600, Content: "legacy too"},
		{Path: "sub/module", Mode: git.ModeSubmodule, ID: gitobj.Hash(gitobj.SHA1, "commit", []byte("elsewhere"))},
	})
	return f
}

func caseColliding(t *testing.T) *fixture {
	_, f := simple(t, []File{
		{Path: "File", Content: "1"}, {Path: "file", Content: "2"}, {Path: "FILE", Content: "3"},
		{Path: "Dir/x", Content: "4"}, {Path: "dir/x", Content: "5"}, {Path: "dir/X", Content: "6"},
	})
	return f
}

// pathOrder has names around '/' in the alphabet: trees sort folders as if
// their names ended in it.
func pathOrder(t *testing.T) *fixture {
	_, f := simple(t, []File{
		{Path: "a-b", Content: "1"}, {Path: "a.b", Content: "2"}, {Path: "a/b", Content: "3"}, {Path: "a0b", Content: "4"},
		{Path: "a/b.c/d", Content: "5"}, {Path: "a/b.c.d", Content: "6"}, {Path: "a/b.c0", Content: "7"},
		{Path: "\xff", Content: "8"}, {Path: "\x7f", Content: "9"},
	})
	return f
}

func emptyTree(t *testing.T) *fixture {
	_, f := simple(t, nil)
	return f
}

func emptyFile(t *testing.T) *fixture {
	_, f := simple(t, []File{{Path: "empty", Content: ""}})
	return f
}

func largeFile(t *testing.T) *fixture {
	r, f := simple(t, []File{{Path: "large", Content: string(bytes.Repeat([]byte("0123456789abcdef\n"), 20<<20/17))}, {Path: "small", Content: "s"}})
	r.Git("repack", "-adq")
	r.Git("prune-packed")
	return f
}

func detached(t *testing.T) *fixture {
	r, ids, _ := history(t)
	r.Git("checkout", "-q", "--detach", ids[1].String())
	return &fixture{dir: r.Dir, commit: ids[1], files: []File{{Path: "changing", Content: "two\n"}, {Path: "kept", Content: "the same in all commits\n"}}}
}

func annotatedTag(t *testing.T) *fixture {
	r, f := simple(t, someFiles())
	r.Git("tag", "-a", "-m", "inner", "inner")
	r.Git("tag", "-a", "-m", "outer", "outer", "inner")
	f.rev = "outer"
	f.more = func(t *testing.T, repo git.Repository) {
		for _, rev := range []string{"inner", "refs/tags/outer", "tags/outer", r.ID("outer").String(), "outer^{}", "outer^{commit}", "outer^0", "outer~0"} {
			if id, err := repo.Resolve(context.Background(), rev); err != nil || id != f.commit {
				t.Errorf("%s is %v, %v, want %v", rev, id, err, f.commit)
			}
		}
	}
	return f
}

func packedRefs(t *testing.T) *fixture {
	r, ids, files := history(t)
	r.Git("branch", "topic/one", ids[0].String())
	r.Git("tag", "-a", "-m", "x", "v1", ids[1].String())
	r.Git("pack-refs", "--all")
	r.Git("branch", "-f", "topic/one", ids[1].String()) // loose over packed
	r.Git("branch", "zz", ids[0].String())
	return &fixture{dir: r.Dir, commit: ids[2], files: files, more: func(t *testing.T, r git.Repository) {
		for rev, want := range map[string]gitobj.ID{"topic/one": ids[1], "v1": ids[1], "zz": ids[0], "heads/main": ids[2], "refs/heads/topic/one": ids[1]} {
			if id, err := r.Resolve(context.Background(), rev); err != nil || id != want {
				t.Errorf("%s is %v, %v, want %v", rev, id, err, want)
			}
		}
	}}
}

// rawCommit makes a commit whose headers follow "tree" as given.
func rawCommit(t *testing.T, rest string) (*fixture, *Repo) {
	t.Helper()
	r := Init(t)
	tree := r.Tree(someFiles()...)
	id := r.Object("commit", []byte("tree "+tree.String()+"\n"+rest))
	r.Git("update-ref", "HEAD", id.String())
	return &fixture{dir: r.Dir, commit: id, parents: []gitobj.ID{}, files: sorted(someFiles())}, r
}

func wantUnix(f *fixture, unix int64) {
	f.more = func(t *testing.T, r git.Repository) {
		c, err := r.ReadCommit(context.Background(), f.commit)
		if err != nil {
			t.Fatal(err)
		}
		if c.Unix != unix {
			t.Errorf("the commit's time is %d, want %d", c.Unix, unix)
		}
	}
}

func oddCommit(t *testing.T) *fixture {
	f, _ := rawCommit(t, "author J\xf6rg > <j> x <j@x> 1 +0000\ncommitter \xff\xfe <> <c@x> 1600000000 -0000\n"+
		"encoding latin-1\nmergetag object 0000000000000000000000000000000000000000\n type commit\n tree x\n"+
		"gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEz\x80\n committer Fake <f@x> 5 +0000\n -----END PGP SIGNATURE-----\nx-unknown \x01\n\n"+
		"Message with a NUL: \x00 and \xff, and\ntree 0000000000000000000000000000000000000000\nparent 0000000000000000000000000000000000000000\n")
	wantUnix(f, 1600000000)
	return f
}

func brokenDates(t *testing.T) *fixture {
	f, _ := rawCommit(t, "author A <a@x> 1 +0000\ncommitter A <a@x> 99999999999999999999999 +0000\n\nx")
	wantUnix(f, 0)
	return f
}

func merge(t *testing.T) *fixture {
	r, ids, files := history(t)
	commit := r.CommitTree(r.ID("HEAD^{tree}"), ids[2], ids[0], ids[1])
	return &fixture{dir: r.Dir, commit: commit, parents: []gitobj.ID{ids[2], ids[0], ids[1]}, files: files, more: func(t *testing.T, r git.Repository) {
		for rev, want := range map[string]gitobj.ID{"HEAD^": ids[2], "HEAD^2": ids[0], "HEAD^3": ids[1], "HEAD^1~1": ids[1], "HEAD^3^": ids[0], "HEAD~3": ids[0], "@~2": ids[1], "HEAD^^": ids[1], "HEAD^0^2": ids[0]} {
			if id, err := r.Resolve(context.Background(), rev); err != nil || id != want {
				t.Errorf("%s is %v, %v, want %v", rev, id, err, want)
			}
		}
	}}
}

// filters has every conversion configured that git knows. Raw content must
// come out, and no filter may run.
func filters(t *testing.T) *fixture {
	r := Init(t)
	files := []File{
		{Path: ".gitattributes", Content: "*.txt text eol=crlf ident filter=evil\n*.u16 text working-tree-encoding=UTF-16LE\n"},
		{Path: "ident.txt", Content: "$Id$\nline\n"},
		{Path: "mixed.dat", Content: "a\r\nb\nc\r"},
		{Path: "text.txt", Content: "one\ntwo\n"},
		{Path: "wide.u16", Content: "wide\n"},
	}
	commit := r.CommitTree(r.Tree(files...))
	mark := filepath.Join(t.TempDir(), "mark")
	for _, k := range []string{"filter.evil.smudge", "filter.evil.clean", "filter.evil.process", "diff.evil.textconv", "diff.external"} {
		r.Git("config", k, "touch "+mark)
	}
	r.Git("config", "filter.evil.required", "true")
	r.Git("config", "core.autocrlf", "true")
	r.Git("config", "core.safecrlf", "true")
	return &fixture{dir: r.Dir, commit: commit, files: files, more: func(t *testing.T, r git.Repository) { absent(t, mark) }}
}

func absent(t *testing.T, mark string) {
	t.Helper()
	if _, err := os.Lstat(mark); err == nil {
		t.Error("a command of the repository's configuration was run")
	}
}

func hooks(t *testing.T) *fixture {
	r, ids, files := history(t)
	mark := filepath.Join(t.TempDir(), "mark")
	must(t, os.MkdirAll(filepath.Join(r.GitDir(), "hooks"), 0o755))
	for _, h := range []string{"post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman", "post-rewrite"} {
		must(t, os.WriteFile(filepath.Join(r.GitDir(), "hooks", h), []byte("#!/bin/sh\ntouch '"+mark+"'\n"), 0o755))
	}
	return &fixture{dir: r.Dir, commit: ids[2], files: files, more: func(t *testing.T, r git.Repository) { absent(t, mark) }}
}

// helpers has every setting that names a program.
func helpers(t *testing.T) *fixture {
	r, ids, files := history(t)
	mark := filepath.Join(t.TempDir(), "mark")
	script := filepath.Join(t.TempDir(), "script")
	must(t, os.WriteFile(script, []byte("#!/bin/sh\ntouch '"+mark+"'\n"), 0o755))
	for _, k := range []string{
		"core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy",
		"core.alternateRefsCommand", "credential.helper", "gpg.program", "pager.cat-file", "pager.rev-parse",
		"alias.cat-file", "alias.rev-parse", "uploadpack.packObjectsHook", "sequence.editor", "diff.external",
	} {
		r.Git("config", k, script)
	}
	return &fixture{dir: r.Dir, commit: ids[2], files: files, more: func(t *testing.T, r git.Repository) { absent(t, mark) }}
}

// staleIndex has an index and a working tree that both differ from HEAD.
func staleIndex(t *testing.T) *fixture {
	r, ids, files := history(t)
	r.Write("kept", "staged\n")
	r.Write("new", "staged too\n")
	r.Git("add", "-A")
	r.Write("kept", "not even staged\n")
	must(t, os.Remove(filepath.Join(r.Dir, "changing")))
	return &fixture{dir: r.Dir, commit: ids[2], files: files}
}

func sparse(t *testing.T) *fixture {
	r := Init(t)
	r.Write("in/file", "in\n")
	r.Write("out/file", "out\n")
	commit := r.Commit("x")
	r.Git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
	return &fixture{dir: r.Dir, commit: commit, files: []File{{Path: "in/file", Content: "in\n"}, {Path: "out/file", Content: "out\n"}}}
}
