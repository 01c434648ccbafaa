package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/registry"
)

func TestMain(m *testing.M) {
	if compile.IsWorker(os.Args) {
		os.Exit(compile.WorkerMain(context.Background()))
	}
	testscript.Main(m, map[string]func(){"pindex-client": main})
}

// maxSize is what the client may have in bytes, for linux/amd64.
const maxSize = 10_000_000

// build makes the client as a release does and returns its path.
func build(t *testing.T, goos, goarch string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "pindex-client")
	flags, err := os.ReadFile("goflags")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-o", out, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch, "GOFLAGS="+strings.ReplaceAll(string(flags), "\n", " "))
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build for %s/%s: %v\n%s", goos, goarch, err, b)
	}
	return out
}

// Help speaks of no flag that the client does not have.
func TestHelp(t *testing.T) {
	a := &cli.App{Program: program(), Stdout: io.Discard, Stderr: io.Discard}
	flags := regexp.MustCompile(`--[a-z][a-z-]*`)
	for _, c := range a.Root().Commands() {
		has := map[string]bool{}
		for _, f := range c.AllFlags() {
			has["--"+f.Name] = true
		}
		for _, f := range flags.FindAllString(c.Short+c.Long+c.Example, -1) {
			if !has[f] {
				t.Errorf("the help of %s names %s", c.Name(), f)
			}
		}
	}
}

func TestSize(t *testing.T) {
	fi, err := os.Stat(build(t, "linux", "amd64"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", fi.Size())
	if fi.Size() >= maxSize {
		t.Errorf("the client has %d bytes, not less than %d", fi.Size(), maxSize)
	}
}

// One system unlike the tests' own; 'make client' builds for all.
func TestBuildsForWindows(t *testing.T) { build(t, "windows", "amd64") }

// The server as an agent starts it: the real file, over its standard streams,
// with a full hash and a store and neither repository nor git program.
func TestMCP(t *testing.T) {
	dir, store := t.TempDir(), filepath.Join(t.TempDir(), "store")
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\n// Hello says hello.\nfunc Hello() string { return \"hello\" }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "one"}} {
		if b, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, b)
		}
	}
	commit, err := makeIndex(t.Context(), dir, store)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(build(t, runtime.GOOS, runtime.GOARCH), "mcp", "--store", store, "--commit", commit)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PINDEX_CACHE_DIR=" + filepath.Join(t.TempDir(), "cache"), "HOME=" + t.TempDir()}
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tool, want string
		args       map[string]any
	}{
		{"search", "a.go:3-4  function Hello", map[string]any{"query": "says hello"}},
		{"symbol", "a.go:4:6", map[string]any{"target": "Hello"}},
		{"read", "// Hello says hello.\n", map[string]any{"path": "a.go", "start_line": 3}},
		{"status", "files 1, indexed 1", nil},
	} {
		r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: c.args})
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, b := range r.Content {
			text.WriteString(b.(*sdk.TextContent).Text)
		}
		if !strings.HasPrefix(text.String(), "# commit "+commit[:12]+" exact") || !strings.Contains(text.String(), c.want) {
			t.Errorf("%s: no %q in\n%s", c.tool, c.want, text.String())
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("the program ended badly: %v", err)
	}
}

// TestScripts runs the client as its users do.
func TestScripts(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("the scripts make repositories with git, and there is no git program: install git")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			// The folder of the program alone: a PATH without git.
			bin, _, _ := strings.Cut(e.Getenv("PATH"), string(os.PathListSeparator))
			for _, kv := range [][2]string{
				{"HOME", filepath.Join(e.WorkDir, "home")}, {"PINDEX_CACHE_DIR", filepath.Join(e.WorkDir, "cache")}, {"BIN", bin},
				{"GIT_CONFIG_NOSYSTEM", "1"}, {"GIT_CONFIG_GLOBAL", os.DevNull}, {"LC_ALL", "C"},
				{"GIT_AUTHOR_NAME", "A U Thor"}, {"GIT_AUTHOR_EMAIL", "author@example.com"}, {"GIT_AUTHOR_DATE", "2020-01-02T03:04:05Z"},
				{"GIT_COMMITTER_NAME", "C O Mitter"}, {"GIT_COMMITTER_EMAIL", "committer@example.com"}, {"GIT_COMMITTER_DATE", "2020-01-02T03:04:05Z"},
			} {
				e.Setenv(kv[0], kv[1])
			}
			return os.Mkdir(filepath.Join(e.WorkDir, "home"), 0o700)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code": cmdCode, "index": cmdIndex, "damage": cmdDamage,
		},
	})
}

// cmdCode runs a command and checks its exit code: code N COMMAND [ARG ...].
func cmdCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND [ARG ...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("%s ended with exit code %d, not %d", args[1], got, want)
	}
}

// cmdIndex commits a folder, compiles the commit into a store and sets $COMMIT:
// index DIR STORE.
func cmdIndex(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: index DIR STORE")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(ts.Exec("git", "init", "-q", "-b", "main", dir))
	ts.Check(ts.Exec("git", "-C", dir, "add", "-A"))
	ts.Check(ts.Exec("git", "-C", dir, "commit", "-q", "-m", "all"))
	commit, err := makeIndex(context.Background(), dir, ts.MkAbs(args[1]))
	ts.Check(err)
	ts.Setenv("COMMIT", commit)
}

// cmdDamage flips a byte of every file that a pattern matches: damage GLOB.
func cmdDamage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage GLOB")
	}
	files, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(files) == 0 {
		ts.Fatalf("%s matches no file", args[0])
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		ts.Check(err)
		b[len(b)/2] ^= 0x20
		ts.Check(os.Chmod(f, 0o600))
		ts.Check(os.WriteFile(f, b, 0o600))
	}
}

// makeIndex compiles HEAD into a store, which the client itself cannot, and
// returns the commit.
func makeIndex(ctx context.Context, dir, store string) (string, error) {
	s, err := registry.OpenLocal(store)
	if err != nil {
		return "", err
	}
	repo, err := git.Open(ctx, dir, git.Options{})
	if err != nil {
		return "", err
	}
	defer repo.Close()
	cache, err := os.MkdirTemp("", "pindex-client-test")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(cache)
	r, err := compile.Run(ctx, compile.Options{Repo: repo, Rev: "HEAD", Sink: sink{fetch.NewSink(s, fetch.OpenCache(cache), fetch.SinkOptions{})}})
	if err != nil {
		return "", err
	}
	return r.Commit.String(), nil
}

type sink struct{ *fetch.Sink }

func (s sink) Pack(ctx context.Context, partition int, pack []byte, segs []artifact.PackSegment) error {
	return s.Sink.Pack(ctx, partition, pack, segs)
}

func (s sink) Publish(ctx context.Context, f *compile.Final) error {
	return s.Sink.Publish(ctx, fetch.Final{
		Commit: f.Commit.String(), CommitUnix: f.CommitUnix, Profile: f.Manifest.Profile.Digest,
		Manifest: f.Encoded, Model: f.Model, Partitions: f.Partitions, Default: f.DefaultProfile, Report: []byte("{}"),
	})
}
