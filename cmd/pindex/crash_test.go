//go:build dockerregistry

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

var (
	dockerRegistry = flag.String("docker-registry", "", "the registry program to test against")
	kills          = flag.Int("kills", 3, "how many processes of each kind are killed")
	seed           = flag.Uint64("seed", 1, "of the moments at which they are killed, and of what runs at the same time as what")
	crashRepo      = flag.String("crash-repo", "", "a repository whose last first-parent commits are worked with; a small made one without")
)

const crashShards = 2

// crash is what the loop below works with.
type crash struct {
	t       *testing.T
	dir     string
	repo    string
	commits []string
	digests map[string]string   // index digest by commit, of compiles that nobody kills
	cached  map[[32]byte]bool   // contents of files that a cache may hold
	host    string              // of the registry
	rng     *rand.Rand          //
	took    map[string]float64  // seconds that a command of a kind takes when nobody kills it
	shards  map[string][]*shard // of each commit, ready to be joined
	packs   map[string][]ocispec.Descriptor

	round int
	store *registry.Remote
	whole *registrytest.Whole
	log   []string // what ran in this round, for who reads a failure
}

type shard struct {
	registry.Shard
	packs [][]byte
}

func (c *crash) fatal(format string, args ...any) {
	c.t.Helper()
	c.t.Fatalf("seed %d, round %d: %s\n%s", *seed, c.round, fmt.Sprintf(format, args...), strings.Join(c.log, "\n"))
}

func (c *crash) command(name, cache string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "HOME="+c.dir, "PINDEX_CACHE_DIR="+filepath.Join(c.dir, cache), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE=2020-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_COMMITTER_DATE=2020-01-02T03:04:05Z")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

func (c *crash) run(name, cache string, args ...string) []byte {
	c.t.Helper()
	cmd := c.command(name, cache, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		c.fatal("%s %s: %v\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return out
}

// newCrash makes a repository of some commits.
func newCrash(t *testing.T, host string, commits int) *crash {
	c := &crash{
		t: t, dir: t.TempDir(), host: host, digests: map[string]string{}, cached: map[[32]byte]bool{},
		rng: rand.New(rand.NewPCG(*seed, 9)), took: map[string]float64{}, shards: map[string][]*shard{}, packs: map[string][]ocispec.Descriptor{},
	}
	if *crashRepo != "" {
		c.repo = *crashRepo
		c.commits = strings.Fields(string(c.run("git", "x", "-C", c.repo, "rev-list", "--first-parent", "-n", fmt.Sprint(commits), "HEAD")))
		slices.Reverse(c.commits)
	} else {
		c.makeRepo(commits)
	}
	return c
}

// compileAll makes the index of every commit in a layout.
func (c *crash) compileAll() {
	for _, commit := range c.commits {
		out := c.run("pindex", "unharmed", "compile", commit, "--repo", c.repo, "--store", "./layout", "--json", "--quiet")
		c.digests[commit] = digestOf(c.t, out)
	}
}

// publishUnharmed publishes the index of every commit, whole and in shards,
// without a kill.
func (c *crash) publishUnharmed() {
	ref := c.host + "/owner/unharmed"
	for _, commit := range c.commits {
		c.run("pindex", "unharmed", "cp", "./layout", ref, "--commit", commit, "--repo", c.repo)
		c.run("pindex", "pulled", "pull", commit, "--repo", c.repo, "--store", ref)
		for n := range crashShards {
			c.run("pindex", "unharmed", "compile", commit, "--repo", c.repo, "--store", c.host+"/owner/shards", "--shard", fmt.Sprintf("%d/%d", n+1, crashShards))
		}
	}
	for _, cache := range []string{"unharmed", "pulled"} {
		c.eachCached(cache, func(_ string, sum [32]byte) { c.cached[sum] = true })
	}
	c.readShards()
}

func (c *crash) makeRepo(commits int) {
	c.repo = filepath.Join(c.dir, "repo")
	c.run("git", "x", "init", "-q", "-b", "main", c.repo)
	for n := range commits {
		for i := range 12 {
			if n > 0 && i%4 != n%4 {
				continue
			}
			text := fmt.Sprintf("def handler_%d(request):\n    \"\"\"Answer %d.\"\"\"\n    return render(request, %d)\n", i, n, i)
			if err := os.WriteFile(filepath.Join(c.repo, fmt.Sprintf("handler_%d.py", i)), []byte(text), 0o644); err != nil {
				c.t.Fatal(err)
			}
		}
		c.run("git", "x", "-C", c.repo, "add", "-A")
		c.run("git", "x", "-C", c.repo, "commit", "-q", "-m", fmt.Sprintf("commit %d", n))
		c.commits = append(c.commits, strings.TrimSpace(string(c.run("git", "x", "-C", c.repo, "rev-parse", "HEAD"))))
	}
}

// digestOf reads the index digest out of an answer.
func digestOf(t *testing.T, answer []byte) string {
	t.Helper()
	var ans struct{ Digest string }
	if err := json.Unmarshal(answer, &ans); err != nil || ans.Digest == "" {
		t.Fatalf("%v: %s", err, answer)
	}
	return ans.Digest
}

// readShards takes into memory what the shards of every commit are.
func (c *crash) readShards() {
	store := c.open("owner/shards")
	for _, commit := range c.commits {
		art, conf, err := registry.ReadArtifact(c.t.Context(), c.open("owner/unharmed"), registry.CommitTag(commit))
		if err != nil {
			c.t.Fatal(err)
		}
		c.packs[commit] = art.Packs
		for n := range crashShards {
			s := &shard{Shard: registry.Shard{Commit: commit, Profile: conf.Profile, Number: n + 1, Of: crashShards}}
			if err := registry.ReadShard(c.t.Context(), store, &s.Shard); err != nil {
				c.t.Fatal(err)
			}
			for _, d := range s.Packs {
				b, err := store.Fetch(c.t.Context(), d)
				if err != nil {
					c.t.Fatal(err)
				}
				s.packs = append(s.packs, b)
			}
			c.shards[commit] = append(c.shards[commit], s)
		}
	}
}

// placeShards publishes the shards of a commit, for a seal to join.
func (c *crash) placeShards(commit string) {
	for _, s := range c.shards[commit] {
		at := s.Shard
		if err := registry.ReadShard(c.t.Context(), c.store, &at); err == nil {
			continue
		}
		c.store.AssumeIn(c.open("owner/shards"), &registry.Artifact{Packs: s.Packs})
		for _, b := range s.packs {
			if _, err := c.store.Push(c.t.Context(), registry.Blob{MediaType: registry.MediaTypePack, Bytes: b}); err != nil {
				c.fatal("%v", err)
			}
		}
		if err := registry.PublishShard(c.t.Context(), c.store, &s.Shard); err != nil {
			c.fatal("%v", err)
		}
	}
}

func (c *crash) open(repository string) *registry.Remote {
	r, err := registry.OpenRemote(c.host+"/"+repository, registry.RemoteOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

// begin starts a round in a repository of the registry that holds nothing.
func (c *crash) begin() {
	c.round++
	c.store = c.open(fmt.Sprintf("owner/repo%d", c.round))
	c.whole, c.log = new(registrytest.Whole), nil
}

// attempt is one command that is to be killed, and its second run that is not.
type attempt struct {
	kind   string
	commit string
	cache  string
	args   []string
}

// The kinds of commands. Compile builds and pushes, push copies what was built
// before.
var crashKinds = []string{"compile", "push", "shard", "seal", "pull"}

// prepare readies what a command of a kind needs.
func (c *crash) prepare(kind string) attempt {
	a := attempt{kind: kind, commit: c.commits[c.rng.IntN(len(c.commits))], cache: fmt.Sprintf("cache%d", c.rng.IntN(3))}
	to := []string{"--repo", c.repo, "--store", c.store.Name(), "--quiet", "--json"}
	switch kind {
	case "compile":
		a.args = append([]string{"compile", a.commit}, to...)
	case "push":
		a.args = []string{"cp", "./layout", c.store.Name(), "--commit", a.commit, "--repo", c.repo, "--quiet", "--json"}
	case "shard":
		a.args = append([]string{"compile", a.commit, "--shard", fmt.Sprintf("%d/%d", 1+c.rng.IntN(crashShards), crashShards)}, to...)
	case "seal":
		c.placeShards(a.commit)
		a.args = append([]string{"seal", a.commit, "--shards", fmt.Sprint(crashShards)}, to...)
	case "pull":
		c.placeIndex(a.commit)
		if c.rng.IntN(3) > 0 { // else it goes on where another one left off
			a.cache = "emptied"
			c.empty(a.cache)
		}
		a.args = append([]string{"pull", a.commit}, to...)
	}
	return a
}

// placeIndex publishes a commit's index, unless a command has.
func (c *crash) placeIndex(commit string) {
	if _, err := c.store.Resolve(c.t.Context(), commit); err == nil {
		return
	}
	if _, err := registry.Copy(c.t.Context(), c.open("owner/unharmed"), c.store, registry.CommitTag(commit), registry.CopyOptions{}); err != nil {
		c.fatal("%v", err)
	}
}

func (c *crash) empty(cache string) {
	if err := os.RemoveAll(filepath.Join(c.dir, cache)); err != nil {
		c.fatal("%v", err)
	}
}

// kill runs a command and kills it at some moment. It reports whether that came
// before the command's end.
func (c *crash) kill(a attempt) bool {
	cmd := c.command("pindex", a.cache, a.args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	usual, known := c.took[a.kind]
	if !known {
		usual = 1
	}
	moment := time.Duration(c.rng.Float64() * usual * float64(time.Second))
	group := c.rng.IntN(2) == 0 // with its workers, or it alone
	timer := time.AfterFunc(moment, func() {
		if group {
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
		cmd.Process.Kill()
	})
	err := cmd.Wait()
	timer.Stop()
	var exit *exec.ExitError
	killed := errors.As(err, &exit) && !exit.Exited()
	c.log = append(c.log, fmt.Sprintf("%s %s, cache %s, after %v: killed %v, %v", a.kind, a.commit, a.cache, moment, killed, err))
	if !killed {
		if err != nil {
			c.fatal("%s failed: %s", a.kind, stderr.String())
		}
		c.took[a.kind] = (3*usual + time.Since(begun).Seconds()) / 4
	}
	return killed
}

// resume runs a command that was killed once more.
func (c *crash) resume(a attempt) {
	if a.kind == "seal" {
		c.placeShards(a.commit) // the one that was killed may have removed them at its end
	}
	begun := time.Now()
	out := c.run("pindex", a.cache, a.args...)
	c.took[a.kind] = (3*c.took[a.kind] + time.Since(begun).Seconds()) / 4
	switch a.kind {
	case "shard":
	case "push":
		art, _, err := registry.ReadArtifact(c.t.Context(), c.open(strings.TrimPrefix(c.store.Name(), c.host+"/")), a.commit)
		if err != nil || art.Index().String() != c.digests[a.commit] {
			c.fatal("pushed again: %v, %v", art, err)
		}
	default:
		if got := digestOf(c.t, out); got != c.digests[a.commit] {
			c.fatal("%s of %s gave index %s, want %s", a.kind, a.commit, got, c.digests[a.commit])
		}
	}
}

// inspect fails when a tag does not lead to a whole index, or to one that is
// not the undisturbed one.
func (c *crash) inspect() {
	c.t.Helper()
	if err := c.whole.Check(c.t.Context(), c.store); err != nil {
		c.fatal("%v", err)
	}
	for _, commit := range c.commits {
		art, _, err := registry.ReadArtifact(c.t.Context(), c.store, registry.CommitTag(commit))
		if errors.Is(err, registry.ErrNotFound) {
			continue
		}
		if err != nil || art.Index().String() != c.digests[commit] {
			c.fatal("the index of %s: %v", commit, err)
		}
	}
}

// partly reports whether the registry has some of a commit's packs, and no index
// of it.
func (c *crash) partly(commit string) bool {
	if _, err := c.store.Resolve(c.t.Context(), commit); err == nil {
		return false
	}
	for _, d := range c.packs[commit] {
		resp, err := http.Head("http://" + c.host + "/v2/" + strings.TrimPrefix(c.store.Name(), c.host+"/") + "/blobs/" + string(d.Digest))
		if err != nil {
			c.t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return true
		}
	}
	return false
}

// eachCached hands the cache's files to fn, with their contents' digests.
// Remains of killed writers have names that nobody looks at, and what is
// remembered of tags is sealed with chance: it has to be read alone.
func (c *crash) eachCached(cache string, fn func(path string, sum [32]byte)) {
	dir := filepath.Join(c.dir, cache)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), durable.TempPrefix) {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if strings.HasPrefix(rel, "tag"+string(filepath.Separator)) {
			if !json.Valid(b) {
				c.fatal("cache file %s: %q", path, b)
			}
			return nil
		}
		fn(path, sha256.Sum256(b))
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.t.Fatal(err)
	}
}

// checkCache fails when a cache holds a file that no undisturbed run leaves. It
// returns how many there are.
func (c *crash) checkCache(cache string) int {
	n := 0
	c.eachCached(cache, func(path string, sum [32]byte) {
		n++
		if !c.cached[sum] {
			c.fatal("%s is damaged", path)
		}
	})
	return n
}

// readable opens a commit's index from a cache, without a registry, and reads
// all of it.
func (c *crash) readable(cache, commit string) {
	c.t.Helper()
	ix, err := fetch.Open(c.t.Context(), c.store, fetch.OpenCache(filepath.Join(c.dir, cache)), commit, fetch.OpenOptions{})
	if err != nil {
		c.fatal("%v", err)
	}
	defer ix.Close()
	if ix.Digest().String() != c.digests[commit] {
		c.fatal("the cache has index %s", ix.Digest())
	}
	if _, err := ix.Check(c.t.Context()); err != nil {
		c.fatal("%v", err)
	}
}

// Commands that work with a registry process, killed at any moment: whatever a
// tag leads to is whole and right, so is every file of a cache, and the same
// command once more does what it would have done.
func TestDockerRegistryKilled(t *testing.T) {
	p, err := registrytest.StartProcess(*dockerRegistry, t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	c := newCrash(t, p.Host, 3)
	c.compileAll()
	c.publishUnharmed()
	progress := io.Discard // so that who waits for a long run sees it move
	if *kills >= 50 {
		progress = os.Stderr
	}
	killed, ended, halfway, repeated := map[string]int{}, map[string]int{}, map[string]int{}, 0
	least := func() string { // the kind with the fewest kills
		return slices.MinFunc(crashKinds, func(a, b string) int { return killed[a] - killed[b] })
	}
	for c.begin(); killed[least()] < *kills; c.begin() {
		var todo []attempt
		for range 6 {
			kind := crashKinds[c.rng.IntN(len(crashKinds))]
			if c.rng.IntN(2) == 0 || killed[kind] >= *kills {
				kind = least()
			}
			a := c.prepare(kind)
			fmt.Fprintf(progress, "round %d: %v killed\n", c.round, killed)
			before := c.checkCache(a.cache)
			if !c.kill(a) {
				ended[kind]++
				continue
			}
			killed[kind]++
			todo = append(todo, a)
			c.inspect()
			if after := c.checkCache(a.cache); kind == "pull" && after > before || kind != "pull" && c.partly(a.commit) {
				halfway[kind]++
			}
			if kind == "pull" || c.rng.IntN(3) == 0 { // else it is run again later, or others go on
				c.resume(a)
				repeated++
				todo = todo[:len(todo)-1]
				if kind == "pull" {
					c.readable(a.cache, a.commit)
				}
			}
		}
		for _, a := range todo {
			c.resume(a)
			repeated++
		}
		c.inspect()
		for _, cache := range []string{"cache0", "cache1", "cache2"} {
			c.checkCache(cache)
			if c.rng.IntN(3) == 0 {
				c.empty(cache)
			}
		}
	}
	for _, kind := range crashKinds {
		t.Logf("%s: %d killed, %d of them left parts, %d ended before the kill", kind, killed[kind], halfway[kind], ended[kind])
	}
	t.Logf("%d commands run again, in %d repositories of the registry; a run that is not killed takes %.2v s", repeated, c.round-1, c.took)
}
