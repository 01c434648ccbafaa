package git

import (
	"strings"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// checkRev refuses what no revision can be and no backend should see.
func checkRev(rev string) error {
	if rev == "" || strings.ContainsAny(rev, "\n\r\x00") || len(rev) > 4096 {
		return fail.New(fail.Usage, "name a commit, branch or tag", "%q is not a revision", rev)
	}
	return nil
}

// An unknown revision is a mistake in the argument and not in the repository,
// hence fail.Usage.
func unknownRev(rev string, shallow bool) error {
	remedy := remedyRevs
	if shallow {
		remedy = "this is a shallow clone: `git fetch --unshallow` brings its whole history; " + remedyRevs
	} else if _, err := gitobj.ParseID(rev); err == nil {
		remedy = "`git fetch origin " + rev + "` brings a commit that only the remote has; " + remedyRevs
	}
	return fail.New(fail.Usage, remedy, "the repository has no revision %q", rev)
}

func ambiguousRev(rev string) error {
	return fail.New(fail.Usage, "give more of its digits", "%q is the beginning of more than one object's hash", rev)
}

func notCommit(rev, typ string) error {
	return fail.New(fail.Usage, "name a commit, branch or tag; `git log` lists commits", "%q names a %s, not a commit", rev, typ)
}

// unbornHead is the error for a HEAD whose branch has no commits. others says
// whether the repository has any other reference.
func unbornHead(dir, ref string, others bool) error {
	branch := strings.TrimPrefix(ref, "refs/heads/")
	if others {
		return fail.New(fail.Repository, "name another revision; "+remedyRevs,
			"HEAD of %s names the branch %s, which has no commits", dir, branch)
	}
	return fail.New(fail.Repository, "make the first commit: git add . && git commit", "the repository %s has no commits yet", dir)
}
