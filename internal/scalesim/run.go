package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/registry"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

// parseBits reads k's such as "3,4,5".
func parseBits(s string) ([]int, error) {
	var out []int
	for f := range strings.SplitSeq(s, ",") {
		k, err := strconv.Atoi(f)
		if err != nil {
			return nil, fmt.Errorf("%q is no list of numbers such as 3,4,5", s)
		}
		out = append(out, k)
	}
	return out, nil
}

// row is what one transition cost. Bytes are as they travel.
type row struct {
	Commit     string `json:"commit"`
	Files      int    `json:"files"`      // entries of the tree
	Changed    int    `json:"changed"`    // of them, by git diff-tree without renames
	Partitions int    `json:"partitions"` // of the index
	Built      int    `json:"built"`      // partitions that were not taken over
	Segments   int    `json:"segments"`   // that were not taken over
	Packs      int64  `json:"packs"`      // bytes of packs that the registry had not
	Manifest   int64  `json:"manifest"`   // bytes of the pindex manifest
	OCI        int64  `json:"oci"`        // bytes of the OCI manifest
	Sent       int64  `json:"sent"`       // all bytes of the push
	Requests   int    `json:"requests"`   // of the push, without the search for the parent
	Artifact   int64  `json:"artifact"`   // bytes of all that belongs to the index, the model too
	Model      int64  `json:"model"`      // bytes of that
	CPUMS      int64  `json:"cpu_ms"`     // of the transition, with what the counting registry took
}

// last is what a run goes on from.
type last struct {
	Manifest []byte            `json:"manifest"` // canonical
	Artifact registry.Artifact `json:"artifact"`
}

// ending is what is measured of the last commit's index.
type ending struct {
	Equal   bool                 `json:"equal"`   // to one that was compiled from nothing
	FullCPU int64                `json:"full_ms"` // processor time of that
	Views   map[string][2]int64  `json:"views"`   // raw and travelling bytes
	Packs   int                  `json:"packs"`
	Bytes   int64                `json:"bytes"`   // of the packs
	Queries map[string][]float64 `json:"queries"` // processor milliseconds by route
	Next    *crossing            `json:"next"`    // what k + 1 would cost
}

func name(repo string) string {
	base := filepath.Base(filepath.Clean(repo))
	if base == "repo" {
		base = filepath.Base(filepath.Dir(filepath.Clean(repo)))
		if _, after, ok := strings.Cut(base, "+"); ok {
			base = after
		}
	}
	return base
}

// transitions lists the last n first-parent commits and the one before them,
// oldest first, with the number of files that each changed.
func transitions(repo string, n int) (commits []string, changed []int, err error) {
	cmd := exec.Command("git", "-C", repo, "log", "--first-parent", "-m", "--raw", "--no-renames", "--no-abbrev", "--format=@%H", fmt.Sprintf("-n%d", n+1), "HEAD")
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("git log: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "@"):
			if h := line[1:]; len(commits) == 0 || commits[len(commits)-1] != h {
				commits, changed = append(commits, h), append(changed, 0)
			}
		case strings.HasPrefix(line, ":"):
			changed[len(changed)-1]++
		}
	}
	for i, j := 0, len(commits)-1; i < j; i, j = i+1, j-1 {
		commits[i], commits[j] = commits[j], commits[i]
		changed[i], changed[j] = changed[j], changed[i]
	}
	return commits, changed, nil
}

// counting is a registry that believes what it is told and keeps no blob.
func counting() *registrytest.Server {
	return &registrytest.Server{
		Careless: true,
		Hook: func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPut || !strings.Contains(r.URL.Path, "/blobs/uploads/") {
				return false
			}
			if _, err := bufio.NewReader(r.Body).WriteTo(discard{}); err != nil {
				return true // the client went away
			}
			d := r.URL.Query().Get("digest")
			w.Header().Set("Docker-Content-Digest", d)
			w.Header().Set("Location", "/v2/blobs/"+d)
			w.WriteHeader(http.StatusCreated)
			return true
		},
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// simulate compiles what of the history is not done yet.
func simulate(ctx context.Context, work, repo string, k, n int) error {
	base := filepath.Join(work, fmt.Sprintf("%s-k%d", name(repo), k))
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err
	}
	commits, changed, err := transitions(repo, n)
	if err != nil {
		return err
	}
	done, err := readRows(base + ".jsonl")
	if err != nil {
		return err
	}
	at := -1 // the last commit that is done
	var prev *last
	if len(done) > 0 {
		if prev, err = readLast(base + ".last"); err != nil {
			return err
		}
		for i, c := range commits {
			if prev != nil && c == done[len(done)-1].Commit {
				at = i
			}
		}
		if at < 0 {
			return fmt.Errorf("%s.jsonl is of another history; remove it", base)
		}
	}
	g, err := git.Open(ctx, repo, git.Options{})
	if err != nil {
		return err
	}
	defer g.Close()
	out, err := os.OpenFile(base+".jsonl", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	server := counting()
	server.Start()
	defer server.Close()
	for i := at + 1; i < len(commits); i++ {
		s := &sink{server: server, ref: server.Ref("sim/pindex"), prev: prev}
		rec, err := s.step(ctx, g, commits[i], k)
		if err != nil {
			return fmt.Errorf("commit %s: %w", commits[i], err)
		}
		rec.Changed = changed[i]
		prev = s.next
		b, err := json.Marshal(rec)
		if err != nil {
			return err
		}
		// A kill between the two is seen by the commits that they name.
		if err := writeLast(base+".last", prev); err != nil {
			return err
		}
		if _, err := out.Write(append(b, '\n')); err != nil {
			return err
		}
		if i%50 == 0 {
			fmt.Fprintf(os.Stderr, "%s %s, k = %d: %d of %d\n", time.Now().Format(time.TimeOnly), name(repo), k, i, len(commits)-1)
		}
	}
	if _, err := os.Stat(base + ".end"); err == nil {
		return nil
	}
	e, err := end(ctx, g, repo, commits[len(commits)-1], k, prev)
	if err != nil {
		return err
	}
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return durable.WriteBytes(base+".end", 0o644, b)
}

// sink publishes one commit to the counting registry.
type sink struct {
	server *registrytest.Server
	ref    string
	prev   *last // nil for none
	store  *registry.Remote
	packs  packSet
	row    row
	next   *last
}

func (s *sink) step(ctx context.Context, g git.Repository, commit string, k int) (*row, error) {
	begun := cpu()
	var err error
	if s.store, err = registry.OpenRemote(s.ref, registry.RemoteOptions{}); err != nil {
		return nil, err
	}
	o := compile.Options{Repo: g, Rev: commit, Sink: s, InProcess: true, PartitionBits: &k}
	if s.prev != nil {
		s.store.Assume(&s.prev.Artifact)
		m, err := artifact.DecodeManifest(s.prev.Manifest)
		if err != nil {
			return nil, err
		}
		o.FindParent = func(context.Context, compile.Wanted) (*compile.Parent, error) {
			return &compile.Parent{Manifest: m}, nil
		}
	}
	s.server.ResetCounts()
	res, err := compile.Run(ctx, o)
	if err != nil {
		return nil, err
	}
	s.row.Requests, _, _ = s.server.Total()
	s.row.Sent = s.store.Sent()
	s.row.Commit, s.row.Files = commit, res.Manifest.Files
	s.row.Partitions, s.row.Segments = len(res.Manifest.Partitions), res.Report.SegmentsBuilt
	s.row.Built = len(res.Manifest.Partitions) - res.Report.PartitionsReused
	s.row.CPUMS = (cpu() - begun).Milliseconds()
	return &s.row, nil
}

// cpu is this process's own processor time so far.
func cpu() time.Duration {
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) != nil {
		return 0
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

func readRows(path string) ([]row, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var out []row
	for line := range strings.Lines(string(b)) {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, r)
	}
	return out, nil
}

func readLast(path string) (*last, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	l := &last{}
	return l, json.Unmarshal(b, l)
}

func writeLast(path string, l *last) error {
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return durable.WriteBytes(path, 0o644, b)
}
