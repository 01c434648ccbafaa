package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pindex-dev/pindex/registry/registrytest"
)

var (
	tenantCommits = flag.Int("tenant-commits", 3, "how many commits each of two tenants pushes while others read")
	tenantAnswers = flag.Int("tenant-answers", 24, "how many answers are compared with git meanwhile, at least")
)

// tenant has a repository of its own in a registry, which nobody else may read.
type tenant struct {
	name string
	repo string // the clone
	ref  string // the store

	mu      sync.Mutex
	commits []string          // with an index
	digests map[string]string // index digest by commit
}

// world is two tenants on one machine: one cache, one registry.
type world struct {
	t       *testing.T
	dir     string
	tenants []*tenant
	alien   atomic.Int64 // requests of one tenant for the other's repository
	mounts  atomic.Int64
}

func (w *world) command(x *tenant, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = filepath.Join(w.dir, "nowhere")
	cmd.Env = append(os.Environ(), "HOME="+w.dir, "PINDEX_CACHE_DIR="+filepath.Join(w.dir, "cache"), "PINDEX_STORE=",
		"PINDEX_REGISTRY_USERNAME="+x.name, "PINDEX_REGISTRY_PASSWORD=secret of "+x.name,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE=2020-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_COMMITTER_DATE=2020-01-02T03:04:05Z")
	return cmd
}

// run returns a command's output, and its exit code.
func (w *world) run(x *tenant, name string, args ...string) ([]byte, int, error) {
	cmd := w.command(x, name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	code := 0
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		code = exit.ExitCode()
	}
	if err != nil {
		err = fmt.Errorf("%s: %s %s: %w\n%s", x.name, name, strings.Join(args, " "), err, stderr.String())
	}
	return out, code, err
}

// change makes a commit of the tenant's in which every file but the first few
// differs from every other commit's.
func (w *world) change(x *tenant, n int) (string, error) {
	for i := range 6 {
		who, version := x.name, n
		if i < 2 {
			who, version = "everybody", 0 // both tenants have these, in every commit
		}
		text := fmt.Sprintf("def handler_%d(request):\n    \"\"\"Answer of %s in version %d.\"\"\"\n%s    return shared_%d(request)\n\n\ndef shared_%d(request):\n    return \"%s %d\"\n",
			i, who, version, strings.Repeat("    step()\n", version%3), i, i, who, version)
		if err := os.WriteFile(filepath.Join(x.repo, fmt.Sprintf("file_%d.py", i)), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", fmt.Sprintf("%s %d", x.name, n)}} {
		if _, _, err := w.run(x, "git", append([]string{"-C", x.repo}, args...)...); err != nil {
			return "", err
		}
	}
	out, _, err := w.run(x, "git", "-C", x.repo, "rev-parse", "HEAD")
	return strings.TrimSpace(string(out)), err
}

// push compiles a commit into the tenant's store.
func (w *world) push(x *tenant, commit string) (parent string, reused int, err error) {
	out, _, err := w.run(x, "pindex", "compile", commit, "--repo", x.repo, "--store", x.ref, "--json", "--quiet")
	if err != nil {
		return "", 0, err
	}
	var ans struct {
		Digest, Parent string
		Reused         int `json:"segments_reused"`
	}
	if err := json.Unmarshal(out, &ans); err != nil {
		return "", 0, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.commits = append(x.commits, commit)
	x.digests[commit] = ans.Digest
	return ans.Parent, ans.Reused, nil
}

// questions are asked of a pinned commit: search, exact search, navigation and
// source.
var questions = [][]string{
	{"search", "answer handler"}, {"search", "shared", "--route", "lexical"}, {"search", "handle a request", "--route", "semantic"},
	{"grep", "Answer of"}, {"grep", "-F", "return shared"},
	{"def", "handler_3"}, {"refs", "shared_4"}, {"callers", "shared_1"}, {"symbols", "handler"}, {"show", "file_5.py"},
}

// ask asks one question and compares every line of the answer with the commit's
// own blobs, as git has them.
func (w *world) ask(x *tenant, commit, digest string, question []string) error {
	out, _, err := w.run(x, "pindex", append(slices.Clone(question), "--commit", commit, "--store", x.ref, "--json", "--quiet")...)
	if err != nil {
		return err
	}
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%s at %s: %q: %s\n%s", x.name, commit, question, fmt.Sprintf(format, args...), out)
	}
	var ans map[string]any
	if err := json.Unmarshal(out, &ans); err != nil {
		return wrong("%v", err)
	}
	if ans["commit"] != commit || ans["digest"] != digest {
		return wrong("it is of commit %v, index %v, not %s", ans["commit"], ans["digest"], digest)
	}
	found := 0
	var check func(v any) error
	check = func(v any) error {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				if err := check(e); err != nil {
					return err
				}
			}
		case map[string]any:
			path, _ := v["path"].(string)
			text, line := "", 0.0
			if s, ok := v["snippet"].(string); ok {
				text, line = s, v["snippet_line"].(float64)
			} else if s, ok := v["text"].(string); ok {
				text = s
				if line, ok = v["name_line"].(float64); !ok {
					line, _ = v["start_line"].(float64)
				}
			}
			if path != "" && text != "" {
				blob, _, err := w.run(x, "git", "-C", x.repo, "show", commit+":"+path)
				if err != nil {
					return err
				}
				lines := strings.SplitAfter(string(blob), "\n")
				if line < 1 || int(line) > len(lines) || !strings.HasPrefix(strings.Join(lines[int(line)-1:], ""), text) {
					return wrong("line %v of %s is not the commit's: %q", line, path, text)
				}
				found++
			}
			for _, e := range v {
				if err := check(e); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := check(ans); err != nil {
		return err
	}
	if found == 0 {
		return wrong("no line in it")
	}
	return nil
}

// Two tenants, one of whom forked from the other, push and read at the same time
// on one machine with one cache: no answer mixes commits, nothing is taken over
// from the other one, and nobody reads what is not theirs.
func TestTenantsAtOnce(t *testing.T) {
	w := &world{t: t, dir: t.TempDir()}
	if err := os.Mkdir(filepath.Join(w.dir, "nowhere"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := &registrytest.Server{Hook: func(rw http.ResponseWriter, r *http.Request) bool {
		user, password, _ := r.BasicAuth()
		if r.URL.Query().Has("mount") {
			w.mounts.Add(1)
		}
		if password == "secret of "+user && strings.HasPrefix(r.URL.Path, "/v2/"+user+"/") {
			return false
		}
		if user != "" { // else it is the request before the one with credentials
			w.alien.Add(1)
		}
		rw.Header().Set("WWW-Authenticate", `Basic realm="test"`)
		registrytest.Refuse(rw, http.StatusUnauthorized, "UNAUTHORIZED", "not yours", nil)
		return true
	}}
	s.Start()
	t.Cleanup(s.Close)
	for _, name := range []string{"alice", "bob"} {
		w.tenants = append(w.tenants, &tenant{name: name, repo: filepath.Join(w.dir, name), ref: s.Ref(name + "/pindex"), digests: map[string]string{}})
	}
	alice, bob := w.tenants[0], w.tenants[1]
	must := func(_ []byte, _ int, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(w.run(alice, "git", "init", "-q", "-b", "main", alice.repo))
	first, err := w.change(alice, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.push(alice, first); err != nil {
		t.Fatal(err)
	}
	must(w.run(bob, "git", "clone", "-q", alice.repo, bob.repo))

	// Bob has the commit, and its index is in the cache that he shares. He has
	// no index of it.
	if _, code, err := w.run(bob, "pindex", "search", "answer", "--commit", first, "--store", bob.ref, "--json"); code != 3 {
		t.Errorf("another tenant's index answers: %v", err)
	}
	if out, code, err := w.run(bob, "pindex", "search", "answer", "--commit", first, "--store", alice.ref, "--json"); code != 5 || len(out) > 0 {
		t.Errorf("another tenant's store answers: %d, %v", code, err)
	}
	before := w.alien.Load()

	var wg sync.WaitGroup
	var answers atomic.Int64
	var pushing atomic.Int64
	failed := make(chan error, 64)
	report := func(err error) {
		select {
		case failed <- err:
		default:
		}
	}
	for _, x := range w.tenants {
		pushing.Add(1)
		wg.Go(func() {
			defer pushing.Add(-1)
			for n := range *tenantCommits {
				commit, err := w.change(x, n+1)
				var parent string
				var reused int
				if err == nil {
					parent, reused, err = w.push(x, commit)
				}
				if err == nil && x == bob && n == 0 && (parent != "" || reused > 0) {
					err = fmt.Errorf("the fork's first index took over %d segments of %s", reused, parent)
				}
				if err == nil && n > 0 && (parent == "" || reused == 0) {
					err = fmt.Errorf("%s: nothing was taken over: parent %q, %d segments", x.name, parent, reused)
				}
				if err != nil {
					report(err)
					return
				}
			}
		})
	}
	for reader := range 3 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(5, uint64(reader)))
			for len(failed) == 0 && (pushing.Load() > 0 || answers.Load() < int64(*tenantAnswers)) {
				x := w.tenants[rng.IntN(2)]
				x.mu.Lock()
				commits := slices.Clone(x.commits)
				x.mu.Unlock()
				if len(commits) == 0 {
					x, commits = alice, []string{first}
				}
				commit := commits[rng.IntN(len(commits))]
				x.mu.Lock()
				digest := x.digests[commit]
				x.mu.Unlock()
				if err := w.ask(x, commit, digest, questions[rng.IntN(len(questions))]); err != nil {
					report(err)
					return
				}
				answers.Add(1)
			}
		})
	}
	wg.Wait()
	close(failed)
	for err := range failed {
		t.Error(err)
	}
	if w.alien.Load() != before || w.mounts.Load() != 0 {
		t.Errorf("%d requests for the other tenant's repository, %d mounts", w.alien.Load()-before, w.mounts.Load())
	}
	t.Logf("%d answers compared with git during %d pushes", answers.Load(), 1+2**tenantCommits)
}
