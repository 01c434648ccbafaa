package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
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
	cmd := mcpProgram(t, dir, args...)
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

// mcpProgram is the server's process, not started yet, with a cache of its own.
func mcpProgram(t *testing.T, dir string, args ...string) *exec.Cmd {
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
	return cmd
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

// A folder whose repository is gone is not answered about from the repository
// around it under the old one's name.
func TestMCPOfALostRepository(t *testing.T) {
	outer := mcpRepo(t, map[string]string{"secret.py": "def outside():\n    return 1\n"})
	dir := filepath.Join(outer, "inner")
	if err := os.Rename(mcpRepo(t, map[string]string{"a.py": "def greet():\n    return 1\n"}), dir); err != nil {
		t.Fatal(err)
	}
	s := agent(t, dir)
	if got, failed := ask(t, s, "search", map[string]any{"query": "greet"}); failed || !strings.Contains(got, "a.py") {
		t.Fatalf("the first call: %s", got)
	}
	if err := os.Rename(filepath.Join(dir, ".git"), filepath.Join(dir, ".away")); err != nil {
		t.Fatal(err)
	}
	if got, failed := ask(t, s, "search", map[string]any{"query": "outside"}); !failed || !strings.Contains(got, "is gone") || strings.Contains(got, "secret.py") {
		t.Errorf("without its repository: %s", got)
	}
	if err := os.Rename(filepath.Join(dir, ".away"), filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
	if got, failed := ask(t, s, "search", map[string]any{"query": "greet"}); failed || !strings.Contains(got, "a.py") {
		t.Errorf("with it again: %s", got)
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

// mcpRepo makes a repository with one commit of some files.
func mcpRepo(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gitIn(t, dir, "init", "-q", "-b", "main")
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "one")
	return dir
}

// One process answers about several repositories and a worktree, over HTTP,
// with every tool.
func TestMCPOverHTTP(t *testing.T) {
	dir := mcpRepo(t, map[string]string{"a.py": "def greet():\n    return 1\n", "b.py": "import a\n\ndef other():\n    return a.greet()\n"})
	second := mcpRepo(t, map[string]string{"z.go": "package z\n\nfunc Zebra() int { return 1 }\n"})
	tree := filepath.Join(t.TempDir(), "tree")
	gitIn(t, dir, "worktree", "add", "-q", tree)
	if err := os.WriteFile(filepath.Join(tree, "a.py"), []byte("\n\ndef greet():\n    return 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const token = "0123456789abcdef"
	cmd := mcpProgram(t, dir, "--http", "0", "--tools", "all", "--roots", second)
	cmd.Env = append(cmd.Env, envMCPToken+"="+token)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the program ended badly: %v", err)
		}
	}()
	line, err := bufio.NewReader(stderr).ReadString('\n')
	_, url, ok := strings.Cut(strings.TrimSpace(line), "listening on ")
	if !ok {
		t.Fatalf("%q, %v", line, err)
	}
	go io.Copy(io.Discard, stderr)
	client := &http.Client{Transport: withToken(token)}
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: client}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"search", map[string]any{"query": "greet"}, "a.py:1-2  function greet"},
		{"symbol", map[string]any{"target": "greet", "relation": "callers"}, "b.py:4:14"},
		{"read", map[string]any{"path": "b.py"}, "return a.greet()"},
		{"context", map[string]any{"query": "greet"}, "## a.py"},
		{"status", nil, "digest sha256:"},
		{"grep", map[string]any{"pattern": "gre+t"}, "2 of 2 lines in 2 files"},
		{"symbols", map[string]any{"name": "gree"}, "a.py:1:5"},
		{"outline", map[string]any{"path": "b.py"}, "function other"},
		{"hierarchy", map[string]any{"target": "greet"}, "nothing found"},
		{"affected", map[string]any{"since": "HEAD"}, "0 of 0"},
		{"affected", map[string]any{"since": "--output=x"}, "error: "},
		{"symbol", map[string]any{"target": "greet", "root": tree}, "a.py:3:5"},
		{"symbol", map[string]any{"target": "Zebra", "root": second}, "z.go:3:6"},
		{"symbol", map[string]any{"target": "Zebra"}, "nothing found"},
		{"status", map[string]any{"root": t.TempDir()}, "no repository at"},
	} {
		if got, _ := ask(t, s, c.tool, c.args); !strings.Contains(got, c.want) {
			t.Errorf("%s %v: no %q in\n%s", c.tool, c.args, c.want, got)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

type withToken string

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(w))
	return http.DefaultTransport.RoundTrip(r)
}
