// Package visibility keeps the index of a private repository out of a public
// package: it asks GitHub who can see the one and the other before anything is
// uploaded to GitHub's registry. What it cannot find out counts as private on
// the side of the repository and as public on the side of the package. About
// other registries and other hosts it asks nothing and knows nothing.
package visibility

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/pindex-dev/pindex/internal/fail"
)

// Push is an upload that is about to happen.
type Push struct {
	// Store is the registry's repository, such as ghcr.io/owner/name, with or
	// without a scheme.
	Store string
	// Origin is the URL of the repository's remote; "" where there is none.
	Origin string
	// Repository is owner/name as a workflow's GITHUB_REPOSITORY has it. It
	// stands for the repository whose origin is not at GitHub.
	Repository string
	Token      string // GITHUB_TOKEN; "" asks as anybody
	API        string // base URL of GitHub's API; "" is the public one
}

const (
	gitHubRegistry = "ghcr.io"
	timeout        = 30 * time.Second
	remedy         = "push to a package that is not public, or give --allow-public if anybody may read this repository's source"
)

// Check returns a usage error unless the upload is none from a repository at
// GitHub to GitHub's registry, or shows nobody more than they can see.
func Check(ctx context.Context, p Push) error {
	owner, pkg, ok := p.pkg()
	if !ok {
		return nil
	}
	repoOwner, repo, ok := p.source()
	if !ok {
		return nil
	}
	c, err := p.client()
	if err != nil {
		return err
	}
	name := repoOwner + "/" + repo
	r, _, err := c.Repositories.Get(ctx, repoOwner, repo)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fail.Wrap(fail.Usage, cause(err), "set GITHUB_TOKEN to a token that can read the repository, or give --allow-public if anybody may read its source",
			"cannot find out whether %s is a private repository, so nothing was pushed to %s", name, p.Store)
	}
	seen := r.GetVisibility()
	if seen == "" && r.GetPrivate() {
		seen = "private"
	}
	if !r.GetPrivate() && seen == "public" {
		return nil
	}
	to, err := packageVisibility(ctx, c, owner, pkg)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fail.Wrap(fail.Usage, cause(err), "set GITHUB_TOKEN to a token with read:packages, or "+remedy,
			"%s is a private repository, and it cannot be found out who sees the package %s; nothing was pushed", name, p.Store)
	case to != "private" && to != "internal" && to != notYet:
		return fail.New(fail.Usage, remedy,
			"%s is a private repository and the package %s is public; nothing was pushed", name, p.Store)
	}
	return nil
}

// notYet is the visibility of a package that the token's owner does not see
// and that therefore is not public. GitHub makes new packages private.
const notYet = "not there"

// packageVisibility asks for an organization's package, and then for a user's:
// each is not found where the owner is of the other kind.
func packageVisibility(ctx context.Context, c *github.Client, owner, pkg string) (string, error) {
	p, res, err := c.Organizations.GetPackage(ctx, owner, "container", pkg)
	if notFound(res) {
		// This call, unlike the other, wants the name escaped.
		p, res, err = c.Users.GetPackage(ctx, owner, "container", url.PathEscape(pkg))
	}
	switch {
	case notFound(res):
		return notYet, nil
	case err != nil:
		return "", err
	}
	return p.GetVisibility(), nil
}

func notFound(res *github.Response) bool {
	return res != nil && res.Response != nil && res.StatusCode == http.StatusNotFound
}

// cause leaves the request's URL and headers out of what a user reads.
func cause(err error) error {
	var res *github.ErrorResponse
	if errors.As(err, &res) && res.Response != nil {
		return fmt.Errorf("GitHub answers %d %s", res.Response.StatusCode, http.StatusText(res.Response.StatusCode))
	}
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func (p Push) client() (*github.Client, error) {
	h := &http.Client{
		Timeout: timeout,
		// The library sends the token with every request, redirected ones
		// too.
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if first := via[0].URL; req.URL.Host != first.Host || req.URL.Scheme != first.Scheme || len(via) > 5 {
				return errors.New("it redirects elsewhere")
			}
			return nil
		},
	}
	c := github.NewClient(h)
	if p.Token != "" {
		c = c.WithAuthToken(p.Token)
	}
	if p.API != "" {
		base, err := url.Parse(strings.TrimSuffix(p.API, "/") + "/")
		if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
			return nil, fail.New(fail.Usage, "set GITHUB_API_URL to a URL such as https://api.github.com, or unset it", "GITHUB_API_URL is not a URL")
		}
		c.BaseURL = base
	}
	return c, nil
}

// pkg returns the package that a store in GitHub's registry is.
func (p Push) pkg() (owner, name string, ok bool) {
	ref := p.Store
	if _, rest, found := strings.Cut(ref, "://"); found {
		ref = rest
	}
	host, path, _ := strings.Cut(ref, "/")
	host = strings.TrimSuffix(strings.ToLower(host), ":443")
	owner, name, _ = strings.Cut(path, "/")
	return owner, name, host == gitHubRegistry && owner != "" && name != ""
}

// source returns the repository at GitHub that the index is of.
func (p Push) source() (owner, name string, ok bool) {
	if owner, name, ok := parseOrigin(p.Origin); ok {
		return owner, name, true
	}
	owner, name, _ = strings.Cut(p.Repository, "/")
	return owner, name, plain(owner) && plain(name)
}

// parseOrigin reads the forms of URL that git has for a repository at GitHub:
// https://github.com/o/r.git, git@github.com:o/r.git, ssh://git@github.com/o/r.
func parseOrigin(origin string) (owner, name string, ok bool) {
	rest := origin
	if _, r, found := strings.Cut(rest, "://"); found {
		rest = r
	} else {
		rest = strings.Replace(rest, ":", "/", 1)
	}
	host, path, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	host, _, _ = strings.Cut(strings.ToLower(host), ":")
	switch host {
	case "github.com", "www.github.com", "ssh.github.com":
	default:
		return "", "", false
	}
	path = strings.Trim(path, "/")
	owner, name, _ = strings.Cut(path, "/")
	name = strings.TrimSuffix(name, ".git")
	return owner, name, plain(owner) && plain(name)
}

// plain reports whether s can be the name of an owner or a repository, and
// so has no say in a URL's form.
func plain(s string) bool {
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.') {
			return false
		}
	}
	return s != "" && s != "." && s != ".."
}
