package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pindex-dev/pindex/bundle"
)

// server is one 'pindex mcp' and the client that talks to it.
type server struct {
	*sdk.ClientSession
	cmd       *exec.Cmd
	handshake time.Duration // from the process's start to the list of tools being asked for
}

func startServer(ctx context.Context, repo string) (*server, error) {
	cmd := exec.Command(program(), "mcp", "--repo", repo, "--quiet", "--tools", "all")
	cmd.Stderr = os.Stderr
	begun := time.Now()
	s, err := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil).Connect(ctx, &sdk.CommandTransport{Command: cmd}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return nil, err
	}
	return &server{s, cmd, time.Since(begun)}, nil
}

// ask calls a tool and returns how long that took and what the two forms of the
// answer have in tokens.
func (s *server) ask(ctx context.Context, tool string, args map[string]any) (took time.Duration, text, structured int, err error) {
	begun := time.Now()
	r, err := s.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
	took = time.Since(begun)
	if err != nil {
		return 0, 0, 0, err
	}
	var b strings.Builder
	for _, c := range r.Content {
		b.WriteString(c.(*sdk.TextContent).Text)
	}
	if r.IsError {
		return 0, 0, 0, fmt.Errorf("%s %v: %s", tool, args, b.String())
	}
	j, err := json.Marshal(r.StructuredContent)
	return took, bundle.Count([]byte(b.String())), bundle.Count(j), err
}

// benchMCP measures handshakes and first answers of fresh servers, then calls
// of each tool to one server. HEAD must have been compiled into the default
// store before.
func benchMCP(repo string, starts, calls int) error {
	ctx := context.Background()
	sets, err := messageQueries(repo)
	if err != nil {
		return err
	}
	subjects := sets[1].queries
	var shakes, firsts, cpus []time.Duration
	for range starts {
		s, err := startServer(ctx, repo)
		if err != nil {
			return err
		}
		begun := time.Now()
		if _, _, _, err := s.ask(ctx, "search", map[string]any{"query": subjects[0]}); err != nil {
			return err
		}
		shakes, firsts = append(shakes, s.handshake), append(firsts, s.handshake+time.Since(begun))
		if err := s.Close(); err != nil {
			return err
		}
		cpus = append(cpus, s.cmd.ProcessState.UserTime()+s.cmd.ProcessState.SystemTime())
	}
	fmt.Printf("| start to handshake | %s |\n| start to first search | %s |\n| processor time of both and the end | %s |\n", quantiles(shakes), quantiles(firsts), quantiles(cpus))
	s, err := startServer(ctx, repo)
	if err != nil {
		return err
	}
	defer s.Close()
	names, paths, err := s.material(ctx, subjects)
	if err != nil {
		return err
	}
	at := func(list []string, i int) string { return list[i%len(list)] }
	fmt.Println("\n| call | wall ms, least | p50 | p95 | processor ms, p50 | p95 | text tokens p50 | p95 | structured tokens p50 | p95 |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for _, c := range []struct {
		name, tool string
		args       func(i int) map[string]any
	}{
		{"search", "search", func(i int) map[string]any { return map[string]any{"query": at(subjects, i)} }},
		{"symbol, definition", "symbol", func(i int) map[string]any { return map[string]any{"target": at(names, i)} }},
		{"symbol, references", "symbol", func(i int) map[string]any { return map[string]any{"target": at(names, i), "relation": "references"} }},
		{"symbol, callers", "symbol", func(i int) map[string]any { return map[string]any{"target": at(names, i), "relation": "callers"} }},
		{"symbol, impact", "symbol", func(i int) map[string]any { return map[string]any{"target": at(names, i), "relation": "impact"} }},
		{"read", "read", func(i int) map[string]any { return map[string]any{"path": at(paths, i)} }},
		{"context, files", "context", func(i int) map[string]any { return map[string]any{"query": at(subjects, i)} }},
		{"context, eager", "context", func(i int) map[string]any { return map[string]any{"query": at(subjects, i), "policy": "eager"} }},
		{"status", "status", func(int) map[string]any { return nil }},
		{"grep", "grep", func(i int) map[string]any { return map[string]any{"pattern": `\b` + at(names, i) + `\b`} }},
		{"symbols", "symbols", func(i int) map[string]any { return map[string]any{"name": at(names, i)} }},
		{"outline", "outline", func(i int) map[string]any { return map[string]any{"path": at(paths, i)} }},
	} {
		var took, cpu []time.Duration
		var texts, structured []int
		for i := range calls + 1 {
			before := cpuTime(s.cmd.Process.Pid)
			d, t, j, err := s.ask(ctx, c.tool, c.args(i))
			if err != nil {
				return err
			}
			if i > 0 { // the first of its kind is a server's, not a call's
				cpu = append(cpu, cpuTime(s.cmd.Process.Pid)-before)
				took, texts, structured = append(took, d), append(texts, t), append(structured, j)
			}
		}
		slices.Sort(took)
		slices.Sort(cpu)
		slices.Sort(texts)
		slices.Sort(structured)
		ms := func(d []time.Duration, q float64) float64 {
			return float64(d[int(q*float64(calls-1))].Microseconds()) / 1000
		}
		of := func(n []int, q float64) int { return n[int(q*float64(calls-1))] }
		fmt.Printf("| %s | %.1f | %.1f | %.1f | %.1f | %.1f | %d | %d | %d | %d |\n", c.name, ms(took, 0), ms(took, 0.5), ms(took, 0.95), ms(cpu, 0.5), ms(cpu, 0.95), of(texts, 0.5), of(texts, 0.95), of(structured, 0.5), of(structured, 0.95))
	}
	fmt.Printf("\nresident after %d calls: %.0f MB, of them mapped from files %.0f MB\n", 12*(calls+1), float64(procKB(s.cmd.Process.Pid, "VmRSS"))/1000, float64(procKB(s.cmd.Process.Pid, "RssFile"))/1000)
	return nil
}

// material takes names and paths to ask about from what searches find.
func (s *server) material(ctx context.Context, subjects []string) (names, paths []string, err error) {
	for _, q := range subjects[:min(len(subjects), 60)] {
		r, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "search", Arguments: map[string]any{"query": q, "k": 3, "kind": "function"}})
		if err != nil {
			return nil, nil, err
		}
		var out struct {
			Results []struct{ Path, Symbol string }
		}
		b, err := json.Marshal(r.StructuredContent)
		if err == nil {
			err = json.Unmarshal(b, &out)
		}
		if err != nil {
			return nil, nil, err
		}
		for _, h := range out.Results {
			name := h.Symbol[strings.LastIndexByte(h.Symbol, '.')+1:]
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
			if h.Path != "" && !slices.Contains(paths, h.Path) {
				paths = append(paths, h.Path)
			}
		}
	}
	if len(names) == 0 {
		return nil, nil, fmt.Errorf("no function was found to ask about")
	}
	return names, paths, nil
}

// cpuTime is the processor time that the threads of a process have used.
func cpuTime(pid int) (sum time.Duration) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil {
		return 0
	}
	for _, path := range tasks {
		if b, err := os.ReadFile(path); err == nil { // else the thread has ended
			n := int64(0)
			_, _ = fmt.Sscan(string(b), &n) // what is no number counts as nothing
			sum += time.Duration(n)
		}
	}
	return sum
}

// procKB reads a size of a process from /proc, in kB.
func procKB(pid int, name string) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for l := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(l, name+":"); ok {
			n := 0
			_, _ = fmt.Sscanf(rest, "%d", &n) // what is no number is no size
			return n
		}
	}
	return 0
}
