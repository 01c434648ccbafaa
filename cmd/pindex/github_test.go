package main

import (
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdGitHub starts an imitation of GitHub's API and makes it the script's:
// github [PATH=BODY ...]. It answers 404 for any other path.
func cmdGitHub(ts *testscript.TestScript, neg bool, args []string) {
	answers := map[string]string{}
	for _, arg := range args {
		path, body, ok := strings.Cut(arg, "=")
		if neg || !ok {
			ts.Fatalf("usage: github [PATH=BODY ...]")
		}
		answers[path] = body
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := answers[r.URL.EscapedPath()]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(body))
	}))
	ts.Defer(s.Close)
	ts.Setenv("GITHUB_API_URL", s.URL)
}
