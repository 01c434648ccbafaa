package visibility

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/internal/fail"
)

// api imitates GitHub's API: answers by escaped path, 404 for any other.
type api struct {
	answers map[string]string // "CODE BODY"
	asked   []string
	token   string // of the last request
}

func (a *api) start(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.asked = append(a.asked, r.URL.EscapedPath())
		a.token = r.Header.Get("Authorization")
		code, body := http.StatusNotFound, `{"message":"Not Found"}`
		if v, ok := a.answers[r.URL.EscapedPath()]; ok {
			if _, err := fmt.Sscan(v, &code); err != nil {
				t.Error(err)
			}
			_, body, _ = strings.Cut(v, " ")
		}
		if code == http.StatusFound {
			w.Header().Set("Location", body)
		}
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

const (
	repoPath = "/repos/o/r"
	orgPath  = "/orgs/o/packages/container/r%2Fpindex"
	userPath = "/users/o/packages/container/r%2Fpindex"
)

func TestCheck(t *testing.T) {
	const (
		private  = `200 {"private":true,"visibility":"private"}`
		internal = `200 {"private":true,"visibility":"internal"}`
		public   = `200 {"private":false,"visibility":"public"}`
	)
	for name, c := range map[string]struct {
		repo, org, user string
		says            string // "" is allowed
		asked           int
	}{
		"public to anything":         {repo: public, org: public, asked: 1},
		"private to private":         {repo: private, org: private, asked: 2},
		"private to internal":        {repo: private, org: internal, asked: 2},
		"private to public":          {repo: private, org: public, says: "public; nothing was pushed", asked: 2},
		"internal to public":         {repo: internal, org: public, says: "public; nothing was pushed", asked: 2},
		"private to a user's public": {repo: private, user: public, says: "public; nothing was pushed", asked: 3},
		"private to a user's":        {repo: private, user: private, asked: 3},
		"private to a new package":   {repo: private, asked: 3},
		"old form of answer":         {repo: `200 {"private":true}`, org: public, says: "public; nothing was pushed", asked: 2},
		"no visibility at all":       {repo: `200 {}`, org: public, says: "public; nothing was pushed", asked: 2},
		"package says nothing":       {repo: private, org: `200 {}`, says: "nothing was pushed", asked: 2},
		"package is a secret":        {repo: private, org: `403 {}`, says: "read:packages", asked: 2},
		"token is wrong":             {repo: `401 {}`, says: "GitHub answers 401", asked: 1},
		"repository is not seen":     {says: "cannot find out whether o/r is a private repository", asked: 1},
		"GitHub is ill":              {repo: `500 {}`, says: "cannot find out", asked: 1},
		"noise":                      {repo: `200 <html>`, says: "cannot find out", asked: 1},
		"redirect elsewhere":         {repo: "302 http://example.invalid/", says: "redirects elsewhere", asked: 1},
		"renamed":                    {repo: "302 /repositories/1", org: private, asked: 3},
	} {
		a := &api{answers: map[string]string{"/repositories/1": private}}
		for path, v := range map[string]string{repoPath: c.repo, orgPath: c.org, userPath: c.user} {
			if v != "" {
				a.answers[path] = v
			}
		}
		err := Check(context.Background(), Push{
			Store: "ghcr.io/o/r/pindex", Origin: "https://github.com/o/r.git", Token: "zebra", API: a.start(t),
		})
		if c.says == "" != (err == nil) || err != nil && (fail.CodeOf(err) != fail.Usage || !strings.Contains(err.Error()+fmt.Sprint(err), c.says)) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && (strings.Contains(err.Error(), "zebra") || !strings.Contains(err.Error(), "--allow-public")) {
			t.Errorf("%s: %v", name, err)
		}
		if len(a.asked) != c.asked || a.token != "Bearer zebra" {
			t.Errorf("%s: asked %q with %q", name, a.asked, a.token)
		}
	}
}

func TestUnreachable(t *testing.T) {
	p := Push{Store: "ghcr.io/o/r", Origin: "https://github.com/o/r", API: "http://127.0.0.1:1"}
	if err := Check(context.Background(), p); fail.CodeOf(err) != fail.Usage {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Check(ctx, p); err == nil || fail.CodeOf(err) == fail.Usage {
		t.Errorf("cancelled: %v", err)
	}
	p.API = "://"
	if err := Check(context.Background(), p); fail.CodeOf(err) != fail.Usage {
		t.Errorf("got %v", err)
	}
}

// TestNothingIsAsked: other registries and hosts are nobody's business here.
func TestNothingIsAsked(t *testing.T) {
	for _, p := range []Push{
		{Store: "registry.example.com/o/r", Origin: "https://github.com/o/r"},
		{Store: "./ghcr.io/o/r", Origin: "https://github.com/o/r"},
		{Store: "ghcr.io/o/r", Origin: "https://gitlab.example.com/o/r"},
		{Store: "ghcr.io/o/r", Origin: "/srv/git/github.com/o/r"},
		{Store: "ghcr.io/o/r"},
		{Store: "ghcr.io/o/r", Repository: "../x"},
	} {
		a := &api{}
		p.API = a.start(t)
		if err := Check(context.Background(), p); err != nil || len(a.asked) > 0 {
			t.Errorf("%+v: %v, asked %q", p, err, a.asked)
		}
	}
}

func TestWhatIsAsked(t *testing.T) {
	for _, c := range []struct {
		p    Push
		want string
	}{
		{Push{Store: "https://ghcr.io/p/q", Origin: "git@github.com:Own/re.po.git", Repository: "x/y"}, "/repos/Own/re.po"},
		{Push{Store: "GHCR.io:443/p/q", Origin: "ssh://git@ssh.github.com:443/o/r"}, "/repos/o/r"},
		{Push{Store: "ghcr.io/p/q", Origin: "https://user:pass@github.com/o/r/"}, "/repos/o/r"},
		{Push{Store: "ghcr.io/p/q", Origin: "/srv/mirror", Repository: "x/y"}, "/repos/x/y"},
		{Push{Store: "ghcr.io/p/q", Repository: "x/y"}, "/repos/x/y"},
	} {
		a := &api{answers: map[string]string{c.want: `200 {"visibility":"public"}`}}
		c.p.API = a.start(t)
		if err := Check(context.Background(), c.p); err != nil || !slices.Equal(a.asked, []string{c.want}) || a.token != "" {
			t.Errorf("%+v: %v, asked %q with %q", c.p, err, a.asked, a.token)
		}
	}
}
