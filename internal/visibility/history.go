package visibility

import (
	"context"

	"github.com/google/go-github/v62/github"
)

// History asks GitHub about commits that a shallow clone does not hold. Only a
// workflow's own repository is asked about, with its own token: a clone
// elsewhere deepens itself with git. Its methods say nothing (no commits, false)
// where they cannot find out, for then everything is built, which is dear and
// never wrong.
type History struct {
	Repository string // owner/name, as GITHUB_REPOSITORY has it
	Token      string // GITHUB_TOKEN
	API        string // base URL of GitHub's API; "" is the public one
}

func (h History) client() (c *github.Client, owner, name string, ok bool) {
	if h.Token == "" {
		return nil, "", "", false
	}
	p := Push{Repository: h.Repository, Token: h.Token, API: h.API}
	if owner, name, ok = p.source(); !ok {
		return nil, "", "", false
	}
	c, err := p.client()
	return c, owner, name, err == nil
}

// FirstParents returns up to n commits before the given one, nearest first, by
// their first parents as far as GitHub lists them.
func (h History) FirstParents(ctx context.Context, commit string, n int) []string {
	c, owner, name, ok := h.client()
	if !ok {
		return nil
	}
	// The list is in the order of dates and has merged commits in between; the
	// first parents are picked out of it.
	list, _, err := c.Repositories.ListCommits(ctx, owner, name, &github.CommitsListOptions{
		SHA: commit, ListOptions: github.ListOptions{PerPage: min(4*n, 100)},
	})
	if err != nil {
		return nil
	}
	parent := map[string]string{}
	for _, l := range list {
		if len(l.Parents) > 0 {
			parent[l.GetSHA()] = l.Parents[0].GetSHA()
		}
	}
	var out []string
	for at := parent[commit]; at != "" && len(out) < n; at = parent[at] {
		out = append(out, at)
	}
	return out
}

// Descends reports whether now descends from old.
func (h History) Descends(ctx context.Context, old, now string) bool {
	c, owner, name, ok := h.client()
	if !ok {
		return false
	}
	r, _, err := c.Repositories.CompareCommits(ctx, owner, name, old, now, &github.ListOptions{PerPage: 1})
	return err == nil && r.GetStatus() == "ahead"
}
