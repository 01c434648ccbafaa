package main

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pindex-dev/pindex/compile"
	"github.com/pindex-dev/pindex/embed/remote/remotetest"
	"github.com/pindex-dev/pindex/registry/registrytest"
)

func TestMain(m *testing.M) {
	if compile.IsWorker(os.Args) {
		os.Exit(compile.WorkerMain(context.Background()))
	}
	testscript.Main(m, map[string]func(){"pindex": main, "gopls": fakeServer})
}

// TestScripts runs the command line as its users do: testdata/script holds one
// readable script for each promise and each bug.
func TestScripts(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("the scripts make repositories with git, and there is no git program: install git")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			if err := os.MkdirAll(home, 0o700); err != nil {
				return err
			}
			for _, kv := range [][2]string{
				{"HOME", home}, {"XDG_CACHE_HOME", filepath.Join(home, "cache")}, {"XDG_CONFIG_HOME", filepath.Join(home, "config")},
				{"PINDEX_CACHE_DIR", filepath.Join(e.WorkDir, "cache")},
				{"GIT_CONFIG_NOSYSTEM", "1"}, {"GIT_CONFIG_GLOBAL", os.DevNull},
				{"GIT_AUTHOR_NAME", "A U Thor"}, {"GIT_AUTHOR_EMAIL", "author@example.com"}, {"GIT_AUTHOR_DATE", "2020-01-02T03:04:05Z"},
				{"GIT_COMMITTER_NAME", "C O Mitter"}, {"GIT_COMMITTER_EMAIL", "committer@example.com"}, {"GIT_COMMITTER_DATE", "2020-01-02T03:04:05Z"},
				{"CI", "true"}, {"LC_ALL", "C"},
			} {
				e.Setenv(kv[0], kv[1])
			}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code":     cmdCode,
			"commit":   cmdCommit,
			"damage":   cmdDamage,
			"embedder": cmdEmbedder,
			"github":   cmdGitHub,
			"generate": cmdGenerate,
			"registry": cmdRegistry,
			"requests": cmdRequests,
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
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("%s ended with exit code %d, not %d", args[1], got, want)
	}
}

// cmdCommit makes the folder a repository, if it is none, and commits all that
// is in it: commit DIR [MESSAGE].
func cmdCommit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: commit DIR [MESSAGE]")
	}
	dir, message := ts.MkAbs(args[0]), "a change"
	if len(args) == 2 {
		message = args[1]
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		ts.Check(ts.Exec("git", "init", "-q", "-b", "main", dir))
	}
	ts.Check(ts.Exec("git", "-C", dir, "add", "-A"))
	ts.Check(ts.Exec("git", "-C", dir, "commit", "-q", "--allow-empty", "-m", message))
}

// cmdRegistry starts a registry on a loopback port, for as long as the script
// runs, and sets $REGISTRY to its host:port: registry [USER PASSWORD]. With
// "registry tls FILE" it speaks TLS, and FILE is the certificate to trust.
func cmdRegistry(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 && len(args) != 2 {
		ts.Fatalf("usage: registry [USER PASSWORD | tls FILE]")
	}
	s := &registrytest.Server{}
	switch {
	case len(args) == 2 && args[0] == "tls":
		s.StartTLS()
		cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), cert, 0o600))
	case len(args) == 2:
		s.Bearer, s.User, s.Password = true, args[0], args[1]
		s.Start()
	default:
		s.Start()
	}
	ts.Defer(s.Close)
	ts.Setenv("REGISTRY", strings.TrimSuffix(s.Ref(""), "/"))
	registries.Store(ts.Getenv("REGISTRY"), s)
}

// registries are the running ones, by host:port.
var registries sync.Map

// cmdEmbedder starts a server of embeddings and reranking on a loopback port,
// for as long as the script runs, and sets $EMBEDDER to its address and $TOY to that with its
// model's name, in which a script would see a comment. Once there
// is one, it changes it: embedder [FAULT | model NAME SECRET | key KEY | texts N
// | stop]. texts checks how many came since the last check.
func cmdEmbedder(ts *testscript.TestScript, neg bool, args []string) {
	v, ok := registries.Load("embedder " + ts.Getenv("EMBEDDER"))
	if !ok {
		s := &remotetest.Server{ModelName: "toy"}
		ts.Setenv("EMBEDDER", s.Start())
		ts.Setenv("TOY", ts.Getenv("EMBEDDER")+"#toy")
		ts.Defer(s.Close)
		registries.Store("embedder "+ts.Getenv("EMBEDDER"), s)
		v = s
	}
	s := v.(*remotetest.Server)
	s.Lock()
	defer s.Unlock()
	switch {
	case neg || len(args) > 3:
		ts.Fatalf("usage: embedder [FAULT | model NAME SECRET | key KEY | says TEXT | texts N]")
	case len(args) == 3 && args[0] == "model":
		s.ModelName, s.Secret = args[1], args[2]
	case len(args) == 2 && args[0] == "says":
		s.Script = func(remotetest.ChatRequest) remotetest.ChatReply { return remotetest.ChatReply{Text: args[1]} }
	case len(args) == 2 && args[0] == "key":
		s.Key = args[1]
	case len(args) == 2 && args[0] == "texts":
		if got := fmt.Sprint(len(s.Texts)); got != args[1] {
			ts.Fatalf("the embedder got %s texts, not %s: %.2000q", got, args[1], s.Texts)
		}
		s.Texts = nil
	case len(args) == 1:
		s.Fault = remotetest.Fault(args[0])
	case len(args) == 0:
		s.Fault = remotetest.None
	default:
		ts.Fatalf("usage: embedder [FAULT | model NAME SECRET | key KEY | says TEXT | texts N]")
	}
}

// cmdRequests checks how many requests of each kind came since the last check,
// and that there were no others: requests [KIND=N ...], such as GET-blob=3.
// "requests reset" begins anew without a check, "requests stop" ends the registry.
func cmdRequests(ts *testscript.TestScript, neg bool, args []string) {
	v, ok := registries.Load(ts.Getenv("REGISTRY"))
	if neg || !ok {
		ts.Fatalf("usage: requests [KIND=N ...], after registry")
	}
	s := v.(*registrytest.Server)
	if len(args) == 1 && args[0] == "stop" {
		s.Close()
		return
	}
	if len(args) == 1 && args[0] == "reset" {
		s.ResetCounts()
		return
	}
	var got []string
	for kind, n := range s.Counts() {
		got = append(got, fmt.Sprintf("%s=%d", strings.ReplaceAll(kind, " ", "-"), n))
	}
	slices.Sort(got)
	slices.Sort(args)
	if !slices.Equal(got, args) {
		ts.Fatalf("the registry was asked %q", got)
	}
	s.ResetCounts()
}

// cmdDamage flips one byte in the middle of every file that the patterns
// match, with -packs only of those that are no JSON: damage [-packs] GLOB ...
func cmdDamage(ts *testscript.TestScript, neg bool, args []string) {
	packs := len(args) > 0 && args[0] == "-packs"
	if packs {
		args = args[1:]
	}
	if neg || len(args) == 0 {
		ts.Fatalf("usage: damage [-packs] GLOB ...")
	}
	for _, pattern := range args {
		files, err := filepath.Glob(ts.MkAbs(pattern))
		ts.Check(err)
		if len(files) == 0 {
			ts.Fatalf("%s matches no file", pattern)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			ts.Check(err)
			if packs && b[0] == '{' {
				continue
			}
			b[len(b)/2] ^= 0x20
			ts.Check(os.Chmod(f, 0o600))
			ts.Check(os.WriteFile(f, b, 0o600))
			ts.Check(os.Chmod(f, 0o400))
		}
	}
}

// cmdGenerate writes a Go file of so many functions, whose words hardly
// compress: generate FILE N.
func cmdGenerate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: generate FILE N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("package generated\n")
	for i := range n {
		fmt.Fprintf(&b, "\n// F%d is %x.\nfunc F%d() {\n", i, rng.Uint64(), i)
		for range 4 {
			fmt.Fprintf(&b, "\tcall%x(\"%x\", v%x)\n", rng.Uint32(), rng.Uint64(), rng.Uint32())
		}
		b.WriteString("}\n")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o600))
}
