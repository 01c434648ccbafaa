package visibility

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestHistory(t *testing.T) {
	id := func(c string) string { return strings.Repeat(c, 40) }
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "{}", http.StatusUnauthorized)
			return
		}
		switch {
		case r.URL.Path == "/repos/owner/name/commits" && r.URL.Query().Get("sha") == id("a"):
			// A merge of c into b; c stands in between.
			fmt.Fprintf(w, `[{"sha":%q,"parents":[{"sha":%q},{"sha":%q}]},{"sha":%q,"parents":[{"sha":%q}]},{"sha":%q,"parents":[{"sha":%q}]},{"sha":%q,"parents":[]}]`,
				id("a"), id("b"), id("c"), id("c"), id("d"), id("b"), id("d"), id("d"))
		case strings.HasPrefix(r.URL.Path, "/repos/owner/name/compare/"+id("b")+"..."+id("a")):
			fmt.Fprint(w, `{"status":"ahead"}`)
		case strings.HasPrefix(r.URL.Path, "/repos/owner/name/compare/"):
			fmt.Fprint(w, `{"status":"diverged"}`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer srv.Close()
	ctx := context.Background()
	h := History{Repository: "owner/name", Token: "secret", API: srv.URL}
	if got := h.FirstParents(ctx, id("a"), 10); !slices.Equal(got, []string{id("b"), id("d")}) {
		t.Errorf("first parents: %v", got)
	}
	if got := h.FirstParents(ctx, id("a"), 1); len(got) != 1 {
		t.Errorf("one of them: %v", got)
	}
	if !h.Descends(ctx, id("b"), id("a")) || h.Descends(ctx, id("c"), id("a")) {
		t.Error("descent")
	}
	for name, other := range map[string]History{
		"no token":    {Repository: "owner/name", API: srv.URL},
		"wrong token": {Repository: "owner/name", Token: "other", API: srv.URL},
		"no owner":    {Repository: "name", Token: "secret", API: srv.URL},
		"bad address": {Repository: "owner/name", Token: "secret", API: "::"},
	} {
		if got := other.FirstParents(ctx, id("a"), 10); got != nil || other.Descends(ctx, id("b"), id("a")) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
