package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// agent starts the program's MCP server as an agent does and connects to it.
// The test's own file is the program under another name.
func agent(t *testing.T, dir string, args ...string) *sdk.ClientSession {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "pindex")
	if err := os.Symlink(exe, program); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{"mcp", "--quiet"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PINDEX_CACHE_DIR="+filepath.Join(t.TempDir(), "cache"), "HOME="+t.TempDir(), "PINDEX_STORE=")
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("the program ended badly: %v", err)
		}
	})
	return s
}

func ask(t *testing.T, s *sdk.ClientSession, tool string, args map[string]any) (text string, failed bool) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, c := range r.Content {
		b.WriteString(c.(*sdk.TextContent).Text)
	}
	return b.String(), r.IsError
}

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), "git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// The first call compiles; edits and commits that come later are noticed.
func TestMCPFollowsTheRepository(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.py", "def greet():\n    return 1\n")
	write("b.py", "def other():\n    return 2\n")
	gitIn(t, dir, "init", "-q", "-b", "main")
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "one")
	one := gitIn(t, dir, "rev-parse", "HEAD")

	s := agent(t, dir)
	got, _ := ask(t, s, "symbol", map[string]any{"target": "greet"})
	if !strings.HasPrefix(got, "# commit "+one[:12]+" exact, ") || !strings.Contains(got, "a.py:1:5") {
		t.Fatalf("the first call: %s", got)
	}
	write("a.py", "\n\n\ndef greet():\n    return 100\n")
	if got, _ = ask(t, s, "symbol", map[string]any{"target": "greet"}); !strings.Contains(got, " overlay (1 changed file") || strings.Contains(got, "a.py:1:5") || !strings.Contains(got, "a.py:4:5") {
		t.Errorf("a stale line after an edit: %s", got)
	}
	gitIn(t, dir, "commit", "-q", "-a", "-m", "two")
	two := gitIn(t, dir, "rev-parse", "HEAD")
	for i := 0; ; i++ {
		got, _ = ask(t, s, "symbol", map[string]any{"target": "greet"})
		if strings.HasPrefix(got, "# commit "+two[:12]+" exact, ") && strings.Contains(got, "a.py:4:5") {
			break
		}
		if !strings.Contains(got, "HEAD is now at "+two[:12]) || strings.Contains(got, "could not") {
			t.Fatalf("after a commit: %s", got)
		}
	}
}

func TestMCPWithoutCompiling(t *testing.T) {
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q", "-b", "main")
	gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", "one")
	s := agent(t, dir, "--no-compile")
	got, failed := ask(t, s, "status", nil)
	if !failed || !strings.Contains(got, "has no index of commit") || !strings.Contains(got, "to mend it: ") {
		t.Errorf("status: %s", got)
	}
}
