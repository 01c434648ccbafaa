package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// benchLatency times process start to first answer, then warm queries of each
// route in one process. The repository's HEAD must have been compiled into
// the default store before.
func benchLatency(repo, queryFile string, runs int) error {
	queries, err := readQueries(repo, queryFile)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		name string
		args []string
	}{
		{"start: hybrid", []string{"search", "--route", "hybrid", queries[0]}},
		{"start: lexical", []string{"search", "--route", "lexical", queries[0]}},
		{"start: grep literal", []string{"grep", "-F", "raise ", "-k", "10"}},
	} {
		for _, commit := range [][]string{nil, {"--commit", "HEAD"}} {
			args := append(append(slices.Clone(c.args), "--repo", repo, "--quiet"), commit...)
			times, cpu, err := starts(args, runs)
			if err != nil {
				return err
			}
			fmt.Printf("| %s %s | wall: %s | processor: %s |\n", c.name, strings.Join(commit, " "), quantiles(times), quantiles(cpu))
		}
	}
	for _, route := range []string{"lexical", "semantic", "hybrid"} {
		times, err := warm(repo, route, queries)
		if err != nil {
			return err
		}
		fmt.Printf("| warm: %s, %d queries | %s |\n", route, len(times), quantiles(times))
	}
	return nil
}

func readQueries(repo, file string) ([]string, error) {
	if file == "" {
		return symbolQueries(repo)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, line := range bytes.Split(b, []byte("\n")) {
		var q struct{ Query string }
		if json.Unmarshal(line, &q) == nil && q.Query != "" {
			out = append(out, q.Query)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no query", file)
	}
	return out, nil
}

// symbolQueries makes queries from the subjects of the newest commits: words
// that people wrote about this code.
func symbolQueries(repo string) ([]string, error) {
	out, err := exec.Command("git", "-C", repo, "log", "-n", "200", "--no-merges", "--format=%s").Output()
	if err != nil {
		return nil, err
	}
	var qs []string
	for l := range strings.Lines(string(out)) {
		if l = strings.TrimSpace(l); len(strings.Fields(l)) >= 3 {
			qs = append(qs, l)
		}
	}
	if len(qs) == 0 {
		return nil, fmt.Errorf("%s has no commit subjects of three words", repo)
	}
	return qs, nil
}

// starts runs the program several times, after one run that does not count, and
// returns how long each took and how much processor time.
func starts(args []string, runs int) (out, cpu []time.Duration, err error) {
	for i := range runs + 1 {
		cmd := exec.Command(program(), args...)
		cmd.Stderr = os.Stderr
		begun := time.Now()
		if err := cmd.Run(); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", strings.Join(args, " "), err)
		}
		if i > 0 {
			out = append(out, time.Since(begun))
			cpu = append(cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
	}
	return out, cpu, nil
}

// warm sends all queries twice to one process and keeps the second round.
func warm(repo, route string, queries []string) ([]time.Duration, error) {
	var in bytes.Buffer
	e := json.NewEncoder(&in)
	for round := range 2 {
		for _, q := range queries {
			if err := e.Encode(map[string]any{"id": round, "query": q}); err != nil {
				return nil, err
			}
		}
	}
	cmd := exec.Command(program(), "search", "--batch", "-", "--route", route, "--json", "--repo", repo, "--quiet", "--no-compile")
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	stdout, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var out []time.Duration
	scan := bufio.NewScanner(bytes.NewReader(stdout))
	scan.Buffer(nil, 16<<20)
	for scan.Scan() {
		var r struct {
			ID     int   `json:"id"`
			TookUS int64 `json:"took_us"`
		}
		if err := json.Unmarshal(scan.Bytes(), &r); err != nil {
			return nil, err
		}
		if r.ID == 1 {
			out = append(out, time.Duration(r.TookUS)*time.Microsecond)
		}
	}
	return out, scan.Err()
}

func quantiles(d []time.Duration) string {
	slices.Sort(d)
	at := func(q float64) float64 { return float64(d[int(q*float64(len(d)-1))].Microseconds()) / 1000 }
	return fmt.Sprintf("min %.2f ms, p50 %.2f ms, p95 %.2f ms, p99 %.2f ms, n %d", at(0), at(0.5), at(0.95), at(0.99), len(d))
}
