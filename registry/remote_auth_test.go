package registry_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

func TestRemoteReferences(t *testing.T) {
	for ref, want := range map[string]bool{
		"ghcr.io/o/r": true, "localhost/x": true, "localhost:5000/x": true, "127.0.0.1:5000/x": true, "[::1]:5000/x": true,
		"https://host/x": true, "http://h/x": true, "registry:5000/x": true,
		"index": false, "./ghcr.io/o/r": false, "../x.y/z": false, "/abs/x.y": false, "sub/folder": false, "ghcr.io": false,
		"x.tar": false, "": false, ".": false, "~/x.y": false, ".hidden/x": false, "ghcr.io/": false,
	} {
		if got := registry.IsRemote(ref); got != want {
			t.Errorf("IsRemote(%q) = %v", ref, got)
		}
	}
	for _, ref := range []string{
		"ghcr.io/o/r/pindex", "docker.io/o/r", "localhost:5000/x", "https://ghcr.io/o/r/", "[::1]:5000/x", "http://10.0.0.1:5000/x",
	} {
		if r, err := registry.OpenRemote(ref, registry.RemoteOptions{}); err != nil || r.Name() != ref {
			t.Errorf("%s: %v", ref, err)
		}
	}
	for ref, remedy := range map[string]string{
		"ghcr.io/Owner/Repo": "lower case", "ghcr.io/o/r:tag": "tag", "ghcr.io/o/r@sha256:" + strings.Repeat("0", 64): "tag",
		"user:hunter2@ghcr.io/o/r": "PINDEX_REGISTRY_PASSWORD", "https://user:hunter2@ghcr.io/o/r": "PINDEX_REGISTRY_PASSWORD",
		"ftp://ghcr.io/o/r": "host/repository", "ghcr.io/o//r": "host/repository", "ghcr.io/../r": "host/repository", "https://": "host/repository",
		"ghcr.io/o/r?x=y": "host/repository", "ghcr.io": "host/repository", "https://ghcr.io/o/r\n": "host/repository",
	} {
		_, err := registry.OpenRemote(ref, registry.RemoteOptions{})
		wantError(t, err, fail.Usage, remedy)
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("a password is repeated: %v", err)
		}
	}
}

// Plain HTTP is for loopback, or for who asks for it.
func TestRemotePlainHTTP(t *testing.T) {
	s, x := hooked(t, func(http.ResponseWriter, *http.Request) bool { return false })
	for ref, ok := range map[string]bool{
		s.Ref(repoName): true, "http://" + s.Ref(repoName): true, "https://" + s.Ref(repoName): false,
	} {
		_, err := openRemote(t, ref, impatient(nil)).Resolve(t.Context(), x.Commit)
		if ok != (err == nil) {
			t.Errorf("%s: %v", ref, err)
		}
		if !ok {
			wantError(t, err, fail.Network, "http://")
		}
	}
	// TLS with a certificate that nobody vouches for is refused at once.
	var n int
	o := impatient(nil)
	tls := startTLS(t, func() { n++ })
	_, err := openRemote(t, "https://"+tls+"/owner/pindex", o).Resolve(t.Context(), x.Commit)
	wantError(t, err, fail.Network, "certificate")
	if n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestRemoteAuthentication(t *testing.T) {
	type server = registrytest.Server
	for name, c := range map[string]struct {
		server        server2
		user, pass    string
		read, publish bool
	}{
		"basic, right":             {server2{Basic: true}, "user", "secret", true, true},
		"basic, wrong":             {server2{Basic: true}, "user", "guess", false, false},
		"basic, none":              {server2{Basic: true}, "", "", false, false},
		"bearer, right":            {server2{Bearer: true}, "user", "secret", true, true},
		"bearer, wrong":            {server2{Bearer: true}, "user", "guess", false, false},
		"bearer, none":             {server2{Bearer: true}, "", "", false, false},
		"bearer, public and none":  {server2{Bearer: true, Public: true}, "", "", true, false},
		"bearer, public and wrong": {server2{Bearer: true, Public: true}, "user", "guess", false, false},
	} {
		s := startServer(t, &server{Basic: c.server.Basic, Bearer: c.server.Bearer, AnonymousPull: c.server.Public, User: "user", Password: "secret"})
		o := impatient(nil)
		o.Username, o.Password = "user", "secret"
		x := registrytest.Small(1)
		if _, err := x.Publish(t.Context(), openRemote(t, s.Ref(repoName), o)); err != nil {
			t.Fatal(err)
		}
		o.Username, o.Password = c.user, c.pass
		for what, check := range map[string]struct {
			ok  bool
			run func(*registry.Remote) error
		}{
			"read":    {c.read, func(r *registry.Remote) error { return x.Check(t.Context(), r, x.Commit) }},
			"publish": {c.publish, func(r *registry.Remote) error { _, err := registrytest.Small(2).Publish(t.Context(), r); return err }},
		} {
			err := check.run(openRemote(t, s.Ref(repoName), o))
			if check.ok != (err == nil) {
				t.Errorf("%s: %s: %v", name, what, err)
			}
			if !check.ok {
				wantError(t, err, fail.Network, "docker login 127.0.0.1")
				if err != nil && strings.Contains(err.Error(), "guess") {
					t.Errorf("a password is repeated: %v", err)
				}
				if c.pass != "" {
					wantError(t, err, fail.Network, "refused")
				}
			}
		}
	}
}

type server2 struct{ Basic, Bearer, Public bool }

// Where credentials come from, and which of them goes first.
func TestRemoteCredentialSources(t *testing.T) {
	s := startServer(t, &registrytest.Server{Basic: true, User: "user", Password: "secret"})
	host := strings.TrimPrefix(s.URL, "http://")
	dir := t.TempDir()
	config := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	auths := func(password string) string {
		return fmt.Sprintf(`{"auths":{%q:{"auth":%q}}}`, host, base64.StdEncoding.EncodeToString([]byte("user:"+password)))
	}
	helper := filepath.Join(dir, "docker-credential-pindextest")
	script := "#!/bin/sh\ncat >/dev/null\necho '{\"ServerURL\":\"x\",\"Username\":\"user\",\"Secret\":\"secret\"}'\n"
	if err := os.WriteFile(helper, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DOCKER_CONFIG", dir)
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	env := func(kv ...string) func(string) string {
		return func(k string) string {
			for i := 0; i < len(kv); i += 2 {
				if kv[i] == k {
					return kv[i+1]
				}
			}
			return ""
		}
	}
	const user, pass, only = "PINDEX_REGISTRY_USERNAME", "PINDEX_REGISTRY_PASSWORD", "PINDEX_REGISTRY_HOST"
	for _, c := range []struct {
		name, config string
		env          func(string) string
		ok           bool
		says         string
	}{
		{"nothing", "", env(), false, "none"},
		{"environment", "", env(user, "user", pass, "secret"), true, ""},
		{"environment for this host", "", env(user, "user", pass, "secret", only, host), true, ""},
		{"environment for another host", "", env(user, "user", pass, "secret", only, "ghcr.io"), false, "none"},
		{"a token for GitHub", "", env("GITHUB_TOKEN", "secret"), false, "none"},
		{"Docker's configuration", auths("secret"), env(), true, ""},
		{"Docker's configuration, wrong", auths("guess"), env(), false, "Docker's configuration"},
		{"environment before Docker's", auths("guess"), env(user, "user", pass, "secret"), true, ""},
		{"a helper", `{"credsStore":"pindextest"}`, env(), true, ""},
		{"a helper for the host", fmt.Sprintf(`{"credHelpers":{%q:"pindextest"}}`, host), env(), true, ""},
		{"a helper that is not there", `{"credsStore":"pindexnone"}`, env(), false, "none"},
		{"broken configuration", `{`, env(), false, "none"},
		{"environment and broken configuration", `{`, env(user, "user", pass, "secret"), true, ""},
	} {
		if c.config == "" {
			os.Remove(filepath.Join(dir, "config.json"))
		} else {
			config(c.config)
		}
		o := registry.RemoteFromEnv(c.env)
		_, err := registrytest.Small(1).Publish(t.Context(), openRemote(t, s.Ref(repoName), o))
		if c.ok != (err == nil) {
			t.Errorf("%s: %v", c.name, err)
		}
		if !c.ok && err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Mirrors are read first, get no credentials of the store, and cost little when
// they are down or lie.
func TestRemoteMirrors(t *testing.T) {
	for name, c := range map[string]struct {
		hook   func(w http.ResponseWriter, r *http.Request) bool
		filled bool
		origin bool // blobs have to come from the origin
	}{
		"whole":      {nil, true, false},
		"empty":      {nil, false, true},
		"down":       {func(w http.ResponseWriter, r *http.Request) bool { w.WriteHeader(503); return true }, true, true},
		"wants more": {func(w http.ResponseWriter, r *http.Request) bool { w.WriteHeader(401); return true }, true, true},
		"lies": {func(w http.ResponseWriter, r *http.Request) bool {
			if isBlob(r) {
				w.Write([]byte("lies"))
			}
			return isBlob(r)
		}, true, true},
	} {
		var leaked bool
		mirror := startServer(t, &registrytest.Server{})
		origin := startServer(t, &registrytest.Server{Basic: true, User: "user", Password: "secret"})
		o := impatient(nil)
		o.Username, o.Password = "user", "secret"
		x := registrytest.Small(1)
		if _, err := x.Publish(t.Context(), openRemote(t, origin.Ref(repoName), o)); err != nil {
			t.Fatal(err)
		}
		if c.filled {
			if _, err := x.Publish(t.Context(), openRemote(t, mirror.Ref("copy/of"), impatient(nil))); err != nil {
				t.Fatal(err)
			}
		}
		mirror.Hook = func(w http.ResponseWriter, r *http.Request) bool {
			leaked = leaked || r.Header.Get("Authorization") != ""
			return c.hook != nil && c.hook(w, r)
		}
		origin.ResetCounts()
		mirror.ResetCounts()
		o.Mirrors = []string{mirror.Ref("copy/of")}
		r := openRemote(t, origin.Ref(repoName), o)
		if err := x.Check(t.Context(), r, x.Commit); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := origin.Counts()["GET blob"] > 0; got != c.origin {
			t.Errorf("%s: origin %v, mirror %v", name, origin.Counts(), mirror.Counts())
		}
		if n := mirror.Counts(); name == "down" && n["GET manifest"] > 2 {
			t.Errorf("a mirror that is down was asked %v", n)
		}
		// Publishing looks at the origin alone.
		mirror.ResetCounts()
		if _, err := registrytest.Small(2).Publish(t.Context(), r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n, _, _ := mirror.Total(); n != 0 || leaked {
			t.Errorf("%s: publishing asked the mirror %v, credentials went there: %v", name, mirror.Counts(), leaked)
		}
	}
}
