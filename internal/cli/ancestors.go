package cli

import (
	"context"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// Ancestors returns a commit and up to n of its first-parent ancestors, nearest
// first. Where the history ends, or is not there as in a shallow clone, so does
// the list.
func Ancestors(ctx context.Context, repo git.Repository, commit gitobj.ID, n int) []string {
	list := []string{commit.String()}
	for range n {
		c, err := repo.ReadCommit(ctx, commit)
		if err != nil || len(c.Parents) == 0 {
			break
		}
		commit = c.Parents[0]
		list = append(list, commit.String())
	}
	return list
}

// AllAncestors returns up to n ancestors of a commit, by every parent, nearest
// first as far as steps tell.
func AllAncestors(ctx context.Context, repo git.Repository, commit gitobj.ID, n int) []string {
	var list []string
	seen := map[gitobj.ID]bool{commit: true}
	for queue := []gitobj.ID{commit}; len(queue) > 0 && len(list) < n; queue = queue[1:] {
		c, err := repo.ReadCommit(ctx, queue[0])
		if err != nil {
			continue // beyond a shallow clone
		}
		for _, p := range c.Parents {
			if !seen[p] {
				seen[p] = true
				list = append(list, p.String())
				queue = append(queue, p)
			}
		}
	}
	return list
}
