package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// compiled is what a compile says of itself.
type compiled struct {
	Digest string `json:"digest"`
	Reused int    `json:"segments_reused"`
	Built  int    `json:"segments_built"`
}

// transition is one commit, compiled on top of another and from nothing.
type transition struct {
	commit      string
	delta, full usage
	added       int64 // bytes that the store grew by
	whole       int64 // bytes of a store with this commit alone
	built       int   // segments
	equal       bool
}

// benchDelta compiles the last n first-parent transitions of each repository,
// or n one-line edits of its head, on top of their parents, and each of them
// from nothing afterwards. Equality is looked at when both have been measured.
func benchDelta(repos []string, n int, edits bool, seed uint64) error {
	for _, repo := range repos {
		ts, err := deltaOf(repo, n, edits, seed)
		if err != nil {
			return fmt.Errorf("%s: %w", repo, err)
		}
		printDelta(repo, ts, edits)
	}
	return nil
}

func deltaOf(repo string, n int, edits bool, seed uint64) ([]transition, error) {
	dir, err := os.MkdirTemp("", "pindex-bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if edits {
		work := filepath.Join(dir, "work")
		if _, err := git("", "clone", "--quiet", "--shared", repo, work); err != nil {
			return nil, err
		}
		repo = work
	}
	out, err := git(repo, "rev-list", "--first-parent", "--reverse", fmt.Sprintf("--max-count=%d", n+1), "HEAD")
	if err != nil {
		return nil, err
	}
	commits := strings.Fields(out)
	store := filepath.Join(dir, "store")
	base := commits[0]
	if edits {
		base = commits[len(commits)-1]
	}
	if _, _, err := compileInto(dir, repo, base, store, "none"); err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(seed, 1))
	var ts []transition
	for i := range n {
		t := transition{}
		if edits {
			if t.commit, err = editOneLine(r, repo, base); err != nil {
				return nil, err
			}
		} else {
			if i+1 >= len(commits) {
				break
			}
			t.commit = commits[i+1]
		}
		before, err := sizeOf(store)
		if err != nil {
			return nil, err
		}
		var on, alone compiled
		if on, t.delta, err = compileInto(dir, repo, t.commit, store, "auto"); err != nil {
			return nil, err
		}
		after, err := sizeOf(store)
		if err != nil {
			return nil, err
		}
		single := filepath.Join(dir, "single")
		if alone, t.full, err = compileInto(dir, repo, t.commit, single, "none"); err != nil {
			return nil, err
		}
		if t.whole, err = sizeOf(single); err != nil {
			return nil, err
		}
		if err := os.RemoveAll(single); err != nil {
			return nil, err
		}
		t.added, t.built, t.equal = after-before, on.Built, on.Digest == alone.Digest
		ts = append(ts, t)
	}
	return ts, nil
}

// compileInto compiles one commit with a cache of its own, in process time of
// the command and its workers.
func compileInto(dir, repo, commit, store, parent string) (compiled, usage, error) {
	var c compiled
	cache := filepath.Join(dir, "cache")
	defer os.RemoveAll(cache)
	cmd := exec.Command(program(), "compile", commit, "--repo", repo, "--store", store, "--parent", parent, "--json", "--quiet")
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

func printDelta(repo string, ts []transition, edits bool) {
	equal, slower := 0, 0
	var cpu, wall, bytes, share, added []float64
	for _, t := range ts {
		if !t.equal {
			fmt.Printf("UNEQUAL %s %s\n", repo, t.commit)
			continue
		}
		equal++
		if cpuOf(t.delta) >= cpuOf(t.full) {
			slower++
			fmt.Printf("slower than from nothing: %s %s: %v against %v\n", repo, t.commit, cpuOf(t.delta), cpuOf(t.full))
		}
		cpu = append(cpu, cpuOf(t.full).Seconds()/cpuOf(t.delta).Seconds())
		wall = append(wall, t.full.wall.Seconds()/t.delta.wall.Seconds())
		bytes = append(bytes, float64(t.whole)/float64(t.added))
		share = append(share, 100*cpuOf(t.delta).Seconds()/cpuOf(t.full).Seconds())
		added = append(added, 100*float64(t.added)/float64(t.whole))
	}
	what := "transitions"
	if edits {
		what = "one-line edits"
	}
	fmt.Printf("%s: %d of %d %s equal, %d slower; full to delta, medians: CPU %.1f, wall %.1f, bytes %.1f; delta's share: CPU median %.1f%%; bytes median %.2f%%, p95 %.2f%%\n",
		repo, equal, len(ts), what, slower, quantile(cpu, 0.5), quantile(wall, 0.5), quantile(bytes, 0.5), quantile(share, 0.5), quantile(added, 0.5), quantile(added, 0.95))
}

// quantile is the smallest value that at least that share of the values does
// not exceed; 0 for none.
func quantile(v []float64, q float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	i := int(q*float64(len(v))+0.999999) - 1
	return v[max(0, min(i, len(v)-1))]
}
