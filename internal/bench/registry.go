package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/registry/registrytest"
)

// benchRegistry pushes a repository's HEAD and a one-file change on top of it
// into a registry on the loopback interface, and pulls them from there. Each
// request is answered delay later than it could be. Pulls into an empty cache are
// made several times, of which the fastest counts.
func benchRegistry(repo string, delay time.Duration, runs int) error {
	exe, err := filepath.Abs(program())
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "pindex-bench-")
	if err != nil {
		return err
	}
	defer removeAll(tmp)
	clone := filepath.Join(tmp, "clone")
	changed, err := oneFileChange(repo, clone)
	if err != nil {
		return err
	}
	s := &registrytest.Server{Hook: func(http.ResponseWriter, *http.Request) bool {
		time.Sleep(delay)
		return false
	}}
	s.Start()
	defer s.Close()
	store := s.Ref("bench/pindex")
	fmt.Printf("%s, one file changed: %s; %s added to each request\n\n", filepath.Base(repo), changed, delay)
	fmt.Println("| step | wall s, least of | processor s | requests | bytes sent | bytes received | by kind |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, step := range []struct {
		name, cache string
		again       bool // into an empty cache, as often as asked
		argv        []string
	}{
		{"push HEAD~1 into an empty repository", "a", false, []string{"compile", "HEAD~1"}},
		{"push HEAD, one file changed", "a", false, []string{"compile", "HEAD"}},
		{"push HEAD again", "a", false, []string{"compile", "HEAD"}},
		{"pull HEAD~1 into an empty cache", "b", true, []string{"pull", "HEAD~1"}},
		{"pull HEAD into that cache", "b", false, []string{"pull", "HEAD"}},
		{"pull HEAD again", "b", false, []string{"pull", "HEAD"}},
		{"pull HEAD, lexical view alone, empty cache", "c", true, []string{"pull", "HEAD", "--views", "lexical"}},
		{"pull HEAD, structural view alone, empty cache", "d", true, []string{"pull", "HEAD", "--views", "structural"}},
		{"first search after the pull", "b", false, []string{"search", "request handler", "--commit", "HEAD"}},
	} {
		cache := filepath.Join(tmp, step.cache)
		if err := os.Setenv("PINDEX_CACHE_DIR", cache); err != nil {
			return err
		}
		var best usage
		for i := range runs {
			if i > 0 {
				if !step.again {
					break
				}
				removeAll(cache)
			}
			s.ResetCounts()
			u, err := measure("", append(append([]string{exe}, step.argv...), "--repo", clone, "--store", store, "--quiet"))
			if err != nil {
				return err
			}
			if u.exit != 0 {
				return fmt.Errorf("%s ended with %d", step.name, u.exit)
			}
			if i == 0 || u.wall < best.wall {
				best = u
			}
		}
		times := 1
		if step.again {
			times = runs
		}
		n, in, out := s.Total()
		var kinds []string
		for k, n := range s.Counts() {
			kinds = append(kinds, fmt.Sprintf("%s %d", k, n))
		}
		sort.Strings(kinds)
		fmt.Printf("| %s | %.2f, %d | %.2f | %d | %d | %d | %s |\n", step.name, best.wall.Seconds(), times, (best.user + best.sys).Seconds(), n, in, out, strings.Join(kinds, ", "))
	}
	return nil
}

// oneFileChange clones a repository and commits a new line at the end of its
// median source file. It returns the file's path.
func oneFileChange(repo, clone string) (string, error) {
	git := func(args ...string) ([]byte, error) {
		cmd := exec.Command("git", args...)
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=bench", "GIT_AUTHOR_EMAIL=bench@example.com", "GIT_COMMITTER_NAME=bench",
			"GIT_COMMITTER_EMAIL=bench@example.com", "GIT_AUTHOR_DATE=2020-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2020-01-02T03:04:05Z")
		cmd.Stderr = os.Stderr
		return cmd.Output()
	}
	if _, err := git("clone", "-q", "--shared", repo, clone); err != nil {
		return "", err
	}
	out, err := git("-C", clone, "ls-files", "-z", "*.py", "*.go", "*.rs", "*.ts")
	if err != nil {
		return "", err
	}
	names := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0})
	name := string(names[len(names)/2])
	path := filepath.Join(clone, name)
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
		return "", err
	}
	_, err = git("-C", clone, "commit", "-q", "-am", "a one-file change")
	return name, err
}
