package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/embed/remote/remotetest"
	"github.com/pindex-dev/pindex/internal/stats"
)

// compiled is what a compile says of itself.
type compiled struct {
	Digest string `json:"digest"`
}

// transition is one commit, compiled on top of another and from nothing.
type transition struct {
	commit      string
	delta, full usage
	added       int64   // bytes that the store grew by
	whole       int64   // bytes of a store with this commit alone
	touched     float64 // share of the commit's bytes in files that changed
	sent, all   int     // texts that the remote model was asked for
	digest      string  // of the delta's index
	compared    bool    // with a compile from nothing of its own
	unequal     string  // why
}

// deltaOptions say what benchDelta measures.
type deltaOptions struct {
	n      int           // transitions
	edits  bool          // of one line, in place of the history's
	seed   uint64        // of the edits and of what is asked again
	remote time.Duration // what a remote model takes for a text; 0 for the built-in one
	lacks  bool          // the repository is a partial clone that lacks files
	every  int           // how many edits share one compile from nothing, which is compared
}

// benchDelta compiles the last n first-parent transitions of each repository,
// or n one-line edits of its head, on top of their parents, and each of them
// from nothing afterwards. Equality is looked at when both have been measured.
func benchDelta(repos []string, o deltaOptions) error {
	for _, repo := range repos {
		first, ts, err := deltaOf(repo, o)
		if err != nil {
			return fmt.Errorf("%s: %w", repo, err)
		}
		printDelta(repo, first, ts, o)
	}
	return nil
}

// deltaOf returns what the first compile cost, which all transitions share, and
// the transitions.
func deltaOf(repo string, o deltaOptions) (usage, []transition, error) {
	fail := func(err error) (usage, []transition, error) { return usage{}, nil, err }
	dir, err := os.MkdirTemp("", "pindex-bench")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir, repo: repo, lacks: o.lacks}
	if o.remote > 0 {
		b.model = &remotetest.Server{Delay: o.remote}
		b.embedder = b.model.Start() + "#bench"
		defer b.model.Close()
	}
	if o.edits {
		b.repo = filepath.Join(dir, "work")
		if _, err := git("", "clone", "--quiet", "--shared", repo, b.repo); err != nil {
			return fail(err)
		}
	}
	out, err := git(b.repo, "rev-list", "--first-parent", "--reverse", fmt.Sprintf("--max-count=%d", o.n+1), "HEAD")
	if err != nil {
		return fail(err)
	}
	commits := strings.Fields(out)
	store := filepath.Join(dir, "store")
	base := commits[0]
	if o.edits {
		base = commits[len(commits)-1]
	}
	_, first, err := b.compile(base, store, "none")
	if err != nil {
		return fail(err)
	}
	r := rand.New(rand.NewPCG(o.seed, 1))
	var ts []transition
	for i := range o.n {
		t := transition{}
		alone := !o.edits || i%max(1, o.every) == 0
		parent := base
		if o.edits {
			if t.commit, err = editOneLine(r, b.repo, base); err != nil {
				return fail(err)
			}
		} else {
			if i+1 >= len(commits) {
				break
			}
			parent, t.commit = commits[i], commits[i+1]
		}
		if t.touched, err = touched(b.repo, parent, t.commit); err != nil {
			return fail(err)
		}
		if err := b.onTop(&t, store); err != nil {
			return fail(err)
		}
		if alone {
			err = b.fromNothing(r, &t, store)
		} else {
			// The edits differ by one line, so that the last one's will do.
			last := ts[len(ts)-1]
			t.full, t.whole, t.all = last.full, last.whole, last.all
		}
		if err != nil {
			return fail(err)
		}
		t.compared = alone
		ts = append(ts, t)
	}
	return first, ts, nil
}

// bench is one repository that is measured, in a folder of its own.
type bench struct {
	dir, repo string
	lacks     bool               // some files
	embedder  string             // "" for the built-in model
	model     *remotetest.Server // behind embedder
}

// onTop compiles t.commit on top of what store has.
func (b *bench) onTop(t *transition, store string) error {
	before, err := sizeOf(store)
	if err != nil {
		return err
	}
	sent := b.sent()
	var c compiled
	if c, t.delta, err = b.compile(t.commit, store, "auto"); err != nil {
		return err
	}
	t.digest, t.sent = c.Digest, b.sent()-sent
	after, err := sizeOf(store)
	t.added = after - before
	return err
}

// fromNothing compiles t.commit into an empty store and then compares with what
// onTop made in store.
func (b *bench) fromNothing(r *rand.Rand, t *transition, store string) error {
	single := filepath.Join(b.dir, "single")
	defer os.RemoveAll(single)
	sent := b.sent()
	c, full, err := b.compile(t.commit, single, "none")
	if err != nil {
		return err
	}
	t.full, t.all = full, b.sent()-sent
	if t.whole, err = sizeOf(single); err != nil {
		return err
	}
	if c.Digest != t.digest {
		t.unequal = "the digests are " + t.digest + " and " + c.Digest
		return nil
	}
	t.unequal, err = b.replay(r, t.commit, store, single)
	return err
}

// sent is how many texts the remote model has been asked for.
func (b *bench) sent() int {
	if b.model == nil {
		return 0
	}
	b.model.Lock()
	defer b.model.Unlock()
	return len(b.model.Texts)
}

// compile compiles one commit with a cache of its own, in process time of the
// command and its workers.
func (b *bench) compile(commit, store, parent string) (compiled, usage, error) {
	var c compiled
	cache := filepath.Join(b.dir, "cache")
	defer os.RemoveAll(cache)
	args := []string{"compile", commit, "--repo", b.repo, "--store", store, "--parent", parent, "--json", "--quiet"}
	if b.embedder != "" {
		args = append(args, "--embedder", b.embedder)
	}
	if b.lacks {
		args = append(args, "--allow-missing")
	}
	cmd := exec.Command(program(), args...)
	cmd.Env = append(os.Environ(), "PINDEX_CACHE_DIR="+cache)
	cmd.Stderr = os.Stderr
	start := time.Now()
	out, err := cmd.Output()
	if err != nil {
		return c, usage{}, err
	}
	u := usage{wall: time.Since(start), user: cmd.ProcessState.UserTime(), sys: cmd.ProcessState.SystemTime()}
	return c, u, json.Unmarshal(out, &c)
}

// editOneLine commits a change of one random line of a random source file on
// top of base and returns the commit.
func editOneLine(r *rand.Rand, repo, base string) (string, error) {
	list, err := git(repo, "ls-tree", "-r", "-z", "--name-only", base)
	if err != nil {
		return "", err
	}
	var files []string
	for f := range strings.SplitSeq(list, "\x00") {
		switch filepath.Ext(f) {
		case ".py", ".go", ".rs", ".ts", ".js", ".c", ".h", ".java":
			files = append(files, f)
		}
	}
	if _, err := git(repo, "checkout", "--quiet", "--detach", "--force", base); err != nil {
		return "", err
	}
	for {
		path := filepath.Join(repo, files[r.IntN(len(files))])
		b, err := os.ReadFile(path)
		if err != nil || len(b) == 0 {
			continue // a symbolic link's target, or nothing to edit
		}
		lines := strings.SplitAfter(string(b), "\n")
		lines[r.IntN(len(lines))] += "edited = 1\n"
		if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644); err != nil {
			return "", err
		}
		break
	}
	if _, err := git(repo, "-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "--quiet", "--all", "--no-verify", "--message", "edit"); err != nil {
		return "", err
	}
	id, err := git(repo, "rev-parse", "HEAD")
	return strings.TrimSpace(id), err
}

func cpuOf(u usage) time.Duration { return u.user + u.sys }

func git(repo string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = repo
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}

func sizeOf(dir string) (int64, error) {
	var n int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}

func printDelta(repo string, first usage, ts []transition, o deltaOptions) {
	n, compared, equal, slower, sent, all := 0, 0, 0, 0, 0, 0
	var cpu, wall, bytes, share, added, touched []float64
	var deltas, fulls time.Duration
	for _, t := range ts {
		if t.unequal != "" {
			fmt.Printf("UNEQUAL %s %s: %s\n", repo, t.commit, t.unequal)
			compared++
			continue
		}
		if t.compared {
			equal++
			compared++
		}
		n++
		if cpuOf(t.delta) >= cpuOf(t.full) {
			slower++
			fmt.Printf("slower than from nothing: %s %s: %v against %v\n", repo, t.commit, cpuOf(t.delta), cpuOf(t.full))
		}
		deltas += cpuOf(t.delta)
		fulls += cpuOf(t.full)
		sent, all = sent+t.sent, all+t.all
		cpu = append(cpu, cpuOf(t.full).Seconds()/cpuOf(t.delta).Seconds())
		wall = append(wall, t.full.wall.Seconds()/t.delta.wall.Seconds())
		bytes = append(bytes, float64(t.whole)/float64(t.added))
		share = append(share, 100*cpuOf(t.delta).Seconds()/cpuOf(t.full).Seconds())
		added = append(added, 100*float64(t.added)/float64(t.whole))
		touched = append(touched, 100*t.touched)
	}
	what := "transitions"
	if o.edits {
		what = "one-line edits"
	}
	fmt.Printf("%s: %d %s, %d of %d equal, %d slower; full to delta, medians: CPU %.1f, wall %.1f, bytes %.1f; delta's share: CPU median %.1f%%; bytes median %.2f%%, p95 %.2f%%; bytes of the changed files alone: median %.2f%%, p95 %.2f%%\n",
		repo, len(ts), what, equal, compared, slower, stats.Quantile(cpu, 0.5), stats.Quantile(wall, 0.5), stats.Quantile(bytes, 0.5), stats.Quantile(share, 0.5), stats.Quantile(added, 0.5), stats.Quantile(added, 0.95), stats.Quantile(touched, 0.5), stats.Quantile(touched, 0.95))
	if n > 0 && deltas > 0 {
		// The first compile is shared by the transitions that follow it.
		fmt.Printf("\twith the first compile's CPU in it: %.2f times over %d transitions, %.2f over one\n",
			fulls.Seconds()/(cpuOf(first)+deltas).Seconds(), n,
			fulls.Seconds()/float64(n)/(cpuOf(first).Seconds()+deltas.Seconds()/float64(n)))
	}
	if o.remote > 0 {
		fmt.Printf("\ta model of %v a text: %d texts sent, %d from nothing\n", o.remote, sent, all)
	}
}
