//go:build dockerregistry

package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

var (
	dockerRegistry = flag.String("docker-registry", "", "the registry program to test against")
	kills          = flag.Int("kills", 15, "how many compiles are killed")
	seed           = flag.Uint64("seed", 1, "of the moments at which they are killed")
)

// killedCompile is what the loop below works with.
type killedCompile struct {
	t       *testing.T
	dir     string
	commits []string
	digests map[string]string // index digest by commit
	took    time.Duration     // by a compile that nobody kills
}

func (k *killedCompile) command(name string, cache string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = k.dir
	cmd.Env = append(os.Environ(), "HOME="+k.dir, "PINDEX_CACHE_DIR="+filepath.Join(k.dir, cache), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE=2020-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_COMMITTER_DATE=2020-01-02T03:04:05Z")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

func (k *killedCompile) run(name, cache string, args ...string) []byte {
	k.t.Helper()
	cmd := k.command(name, cache, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		k.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return out
}

func (k *killedCompile) compile(cache, store, commit string, more ...string) (digest string) {
	k.t.Helper()
	out := k.run("pindex", cache, append([]string{"compile", commit, "--repo", "repo", "--store", store, "--json", "--quiet"}, more...)...)
	var ans struct{ Digest string }
	if err := json.Unmarshal(out, &ans); err != nil {
		k.t.Fatal(err)
	}
	return ans.Digest
}

// newKilledCompile makes a repository of three commits and compiles each once.
func newKilledCompile(t *testing.T) *killedCompile {
	k := &killedCompile{t: t, dir: t.TempDir(), digests: map[string]string{}}
	repo := filepath.Join(k.dir, "repo")
	k.run("git", "x", "init", "-q", "-b", "main", repo)
	for c := range 3 {
		for i := range 24 {
			if c > 0 && i%8 != c {
				continue
			}
			text := fmt.Sprintf("def handler_%d(request):\n    \"\"\"Answer %d.\"\"\"\n    return render(request, %d)\n", i, c, i)
			if err := os.WriteFile(filepath.Join(repo, fmt.Sprintf("handler_%d.py", i)), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		k.run("git", "x", "-C", repo, "add", "-A")
		k.run("git", "x", "-C", repo, "commit", "-q", "-m", fmt.Sprintf("commit %d", c))
		commit := strings.TrimSpace(string(k.run("git", "x", "-C", repo, "rev-parse", "HEAD")))
		k.digests[commit] = k.compile("first", "./local", commit)
		k.commits = append(k.commits, commit)
	}
	return k
}

// inspect fails when a tag of the repository does not lead to a whole index,
// or a commit's index is not the one that a compile without a kill gives. It
// returns how many of the commits have one.
func (k *killedCompile) inspect(store *registry.Remote) int {
	k.t.Helper()
	if err := registrytest.CheckWhole(k.t.Context(), store); err != nil {
		k.t.Fatalf("seed %d: %v", *seed, err)
	}
	there := 0
	for _, commit := range k.commits {
		dir := filepath.Join(k.dir, "pulled")
		if err := os.RemoveAll(dir); err != nil {
			k.t.Fatal(err)
		}
		cache := fetch.OpenCache(dir)
		out, err := fetch.Pull(k.t.Context(), store, cache, commit, fetch.OpenOptions{}, nil)
		if fail.CodeOf(err) == fail.NoIndex {
			continue
		}
		if err != nil || out.Digest.String() != k.digests[commit] {
			k.t.Fatalf("seed %d: %+v, %v", *seed, out, err)
		}
		ix, err := fetch.Open(k.t.Context(), store, cache, commit, fetch.OpenOptions{})
		if err != nil {
			k.t.Fatalf("seed %d: %v", *seed, err)
		}
		err = ix.EachPartition(k.t.Context(), func(p int) error { _, err := ix.Source(p); return err })
		if err := ix.Close(); err != nil {
			k.t.Fatal(err)
		}
		if err != nil {
			k.t.Fatalf("seed %d: %v", *seed, err)
		}
		there++
	}
	return there
}

// Compiles that push into a registry process, killed at any moment: whatever a
// tag leads to is whole and right, and the next compile goes on.
func TestDockerRegistryKilledCompiles(t *testing.T) {
	p, err := registrytest.StartProcess(*dockerRegistry, t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	k := newKilledCompile(t)
	begun := time.Now()
	k.compile("cache0", p.Host+"/owner/unharmed", k.commits[0])
	k.took = time.Since(begun)
	rng := rand.New(rand.NewPCG(*seed, 9))
	killed, between, resumed := 0, 0, 0
	var store *registry.Remote
	for n := range *kills {
		if store == nil {
			if store, err = registry.OpenRemote(fmt.Sprintf("%s/owner/repo%d", p.Host, n), registry.RemoteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		ref := store.Name()
		commit := k.commits[rng.IntN(len(k.commits))]
		cmd := k.command("pindex", fmt.Sprintf("cache%d", rng.IntN(4)), "compile", commit, "--repo", "repo", "--store", ref, "--quiet")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		group := rng.IntN(2) == 0 // with its workers, or it alone
		timer := time.AfterFunc(time.Duration(rng.Int64N(int64(k.took*5/4))), func() {
			if group {
				syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			}
			cmd.Process.Kill()
		})
		if cmd.Wait() != nil {
			killed++
		}
		timer.Stop()
		there := k.inspect(store)
		if there > 0 && there < len(k.commits) {
			between++
		}
		if rng.IntN(4) > 0 {
			continue // another one goes on where this one left off
		}
		for _, commit := range k.commits {
			if got := k.compile("cache0", ref, commit); got != k.digests[commit] {
				t.Fatalf("seed %d: index %s of %s, want %s", *seed, got, commit, k.digests[commit])
			}
		}
		if k.inspect(store) != len(k.commits) {
			t.Fatalf("seed %d: an index is missing", *seed)
		}
		resumed++
		store = nil
	}
	if killed == 0 {
		t.Errorf("no compile was killed in %d", *kills)
	}
	t.Logf("%d of %d compiles were killed, %d repositories had some of the indexes after that, %d were completed", killed, *kills, between, resumed)
}
