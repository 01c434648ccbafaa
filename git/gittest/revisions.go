package gittest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// revisions tests what a user may write to name a commit.
func revisions(t *testing.T, c Config) {
	r, ids, _ := history(t)
	r.Git("branch", "topic/x", ids[0].String())
	r.Git("branch", "both", ids[0].String())
	r.Git("tag", "both", ids[1].String())
	r.Git("tag", "-a", "-m", "x", "v1.0", ids[1].String())
	r.Git("branch", "deadbeef", ids[0].String())
	r.Git("branch", "tilde", ids[0].String())
	r.Git("update-ref", "refs/remotes/origin/main", ids[1].String())
	r.Git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	r.Git("symbolic-ref", "refs/heads/alias", "refs/heads/topic/x")
	r.Git("update-ref", "ORIG_HEAD", ids[0].String())
	r.Git("tag", "blob", r.ID("HEAD:kept").String())
	r.Git("tag", "-a", "-m", "x", "annotated-tree", r.ID("HEAD^{tree}").String())
	r.Git("branch", "-u", "topic/x", "main")

	// Two commits, and a commit and a blob, with the same first four digits.
	tree := r.ID("HEAD^{tree}")
	one, two := collide(func(i int) (string, []byte) {
		return "commit", fmt.Appendf(nil, "tree %s\nauthor A <a@x> %d +0000\ncommitter A <a@x> 1 +0000\n\nx", tree, i)
	}, "")
	r.Object("commit", one)
	r.Object("commit", two)
	ambiguous := gitobj.Hash(gitobj.SHA1, "commit", one).String()[:4]
	_, blob := collide(func(i int) (string, []byte) { return "blob", fmt.Appendf(nil, "%d", i) }, ids[1].String()[:4])
	r.Object("blob", blob)

	ctx := context.Background()
	repo := mustOpen(t, c, r.Dir)
	for rev, want := range map[string]gitobj.ID{
		"HEAD": ids[2], "@": ids[2], "main": ids[2], "heads/main": ids[2], "refs/heads/main": ids[2],
		"HEAD~": ids[1], "HEAD~1": ids[1], "HEAD^": ids[1], "HEAD~2": ids[0], "HEAD^^": ids[0], "HEAD~1^1": ids[0], "@^": ids[1], "HEAD~0": ids[2], "HEAD^0": ids[2],
		"HEAD^{commit}": ids[2], "HEAD^{}": ids[2], "HEAD^{commit}~1": ids[1],
		"topic/x": ids[0], "both": ids[1], "heads/both": ids[0], "tags/both": ids[1],
		"v1.0": ids[1], "v1.0~1": ids[0], "v1.0^{}": ids[1], "refs/tags/v1.0^{commit}": ids[1],
		"deadbeef": ids[0], "origin": ids[1], "origin/main": ids[1], "origin/HEAD": ids[1], "remotes/origin/main": ids[1],
		"v1.0-1-g" + ids[2].String()[:8]: ids[2],
		"alias":                          ids[0], "ORIG_HEAD": ids[0],
		ids[0].String(): ids[0], strings.ToUpper(ids[0].String()): ids[0], ids[0].String()[:39]: ids[0], ids[0].String()[:7]: ids[0], ids[2].String()[:12] + "~1": ids[1],
		ids[1].String()[:4]:       ids[1],
		r.ID("v1.0").String():     ids[1],
		r.ID("v1.0").String()[:9]: ids[1],
	} {
		got, err := repo.Resolve(ctx, rev)
		if err != nil || got != want {
			t.Errorf("%q is %v, %v, want %v", rev, got, err, want)
		}
	}

	for _, rev := range []string{
		"", "nothing", "HEAD~3", "HEAD^2", "HEAD~99999999999999999999", "v9", "-x", "--all", "--help", "HEAD..main", "^HEAD", "main topic/x",
		"HEAD\nmain", "a\x00b", "0123456789", strings.Repeat("0", 40), strings.Repeat("1", 40), "abc", "../../HEAD", "refs/heads", "HEAD^{nonsense}",
		"blob", "annotated-tree", "HEAD^{tree}", "HEAD^{blob}", ambiguous, "/etc/passwd", "main.lock", "config", strings.Repeat("x", 5000), "HEAD~1x", "HEAD^{", "~1", "\xff",
	} {
		if id, err := repo.Resolve(ctx, rev); err == nil {
			t.Errorf("%.100q is %v, want an error", rev, id)
		} else if code := fail.CodeOf(err); code != fail.Usage {
			t.Errorf("%.100q: exit code %d, want %d: %v", rev, code, fail.Usage, err)
		}
	}
	wantRevError(t, repo.Resolve, "blob", "names a blob, not a commit", "git log")
	wantRevError(t, repo.Resolve, ambiguous, "more than one", "more of its digits")
	wantRevError(t, repo.Resolve, "nothing", `no revision "nothing"`, "git branch")
	absent := strings.Repeat("1", 40)
	wantRevError(t, repo.Resolve, absent, "no revision", "git fetch origin "+absent)

	for rev, want := range map[string]gitobj.ID{
		"HEAD@{0}": ids[2], "main@{1}": ids[1], "@{upstream}": ids[0], "main@{u}": ids[0], ":/two": ids[1], "HEAD^{/one}": ids[0],
	} {
		got, err := repo.Resolve(ctx, rev)
		if c.SimpleRevisions {
			wantError(t, err, fail.Repository, rev, "install git")
		} else if err != nil || got != want {
			t.Errorf("%q is %v, %v, want %v", rev, got, err, want)
		}
	}
}

func wantRevError(t *testing.T, resolve func(context.Context, string) (gitobj.ID, error), rev, what, remedy string) {
	t.Helper()
	_, err := resolve(context.Background(), rev)
	wantError(t, err, fail.Usage, what, remedy)
}

// collide returns the contents of two objects whose ids begin with the same
// four digits; with a prefix given, the second is one that begins with that.
func collide(object func(i int) (typ string, content []byte), prefix string) (one, two []byte) {
	seen := map[string][]byte{prefix: {}}
	for i := 0; ; i++ {
		typ, content := object(i)
		p := gitobj.Hash(gitobj.SHA1, typ, content).String()[:4]
		if other, ok := seen[p]; ok {
			return other, content
		}
		if prefix == "" {
			seen[p] = content
		}
	}
}
