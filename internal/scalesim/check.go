package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/pindex-dev/pindex/registry/registrytest"
)

// check pushes the last n transitions, and the commit before them, by the
// program itself into a registry, pulls each of them into one cache, and
// prints what was counted beside what a run had.
func check(work, repo string, n int) error {
	all, err := readWork(work)
	if err != nil {
		return err
	}
	ran := map[string]row{}
	for _, p := range all {
		if p.repo == name(repo) {
			for _, r := range p.rows {
				ran[fmt.Sprint(r.Commit, " ", r.Partitions)] = r
			}
		}
	}
	exe := os.Getenv("PINDEX")
	if exe == "" {
		exe = "bin/pindex"
	}
	if exe, err = filepath.Abs(exe); err != nil {
		return err
	}
	commits, _, err := transitions(repo, n)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "scalesim-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	s := &registrytest.Server{}
	s.Start()
	defer s.Close()
	store := s.Ref("check/pindex")
	type compiled struct {
		Uploaded int64 `json:"uploaded_bytes"`
		Built    int   `json:"segments_built"`
	}
	do := func(cache string, args ...string) (out []byte, requests int, received int64, err error) {
		s.ResetCounts()
		cmd := exec.Command(exe, append(args, "--repo", repo, "--store", store, "--json", "--quiet")...)
		cmd.Env = append(os.Environ(), "PINDEX_CACHE_DIR="+filepath.Join(tmp, cache))
		cmd.Stderr = os.Stderr
		out, err = cmd.Output()
		requests, _, received = s.Total()
		return out, requests, received, err
	}
	fmt.Println("| commit | segments built | sent | in the run | push requests | in the run | pull: requests | as reckoned | received |")
	fmt.Println("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
	for i, c := range commits {
		out, push, _, err := do("push", "compile", c)
		if err != nil {
			return fmt.Errorf("compile %s: %w", c, err)
		}
		var answer compiled
		if err := json.Unmarshal(out, &answer); err != nil {
			return err
		}
		if out, _, _, err = do("push", "inspect", c); err != nil {
			return fmt.Errorf("inspect %s: %w", c, err)
		}
		var about struct {
			Partitions int `json:"partitions"`
		}
		if err := json.Unmarshal(out, &about); err != nil {
			return err
		}
		_, pull, received, err := do("pull", "pull", c)
		if err != nil {
			return fmt.Errorf("pull %s: %w", c, err)
		}
		r, known := ran[fmt.Sprint(c, " ", about.Partitions)]
		switch {
		case i == 0:
			fmt.Printf("| %.12s, cold | %d | %d | | %d | | %d | %d | %d |\n", c, answer.Built, answer.Uploaded, push, pull, pullFixed+1+about.Partitions, received)
		case known:
			fmt.Printf("| %.12s | %d | %d | %d | %d | %d | %d | %.0f | %d |\n", c, answer.Built, answer.Uploaded, r.Sent, push, r.Requests, pull, pullRequests(r), received)
		default:
			fmt.Printf("| %.12s | %d | %d | | %d | | %d | | %d |\n", c, answer.Built, answer.Uploaded, push, pull, received)
		}
	}
	return nil
}
