//go:build unix

package scip

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// indexerScript makes a fake indexer out of a shell script.
func indexerScript(t *testing.T, dir, name, body string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestIndexers(t *testing.T) {
	bin, tree := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "index"), encode(t, goDocument("v1")), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": "module p\n", "package.json": "{}", "pyproject.toml": "[project]\nname = 'shop'\n", "Cargo.toml": "", "pom.xml": "",
		"compile_commands.json": "[]", "Gemfile": "", "a.csproj": "",
	} {
		if err := os.WriteFile(filepath.Join(tree, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	last := `for last; do :; done; `
	indexerScript(t, bin, "scip-go", last+`env > `+bin+`/environment; cp `+bin+`/index "$last"`)
	indexerScript(t, bin, "scip-typescript", `echo "cannot resolve types" >&2; exit 3`)
	indexerScript(t, bin, "scip-python", last+`echo "$@" > `+bin+`/arguments; : > "$last"`)
	indexerScript(t, bin, "rust-analyzer", "exit 0")
	indexerScript(t, bin, "scip-java", last+`printf '\012\000' > "$last"`)
	indexerScript(t, bin, "scip-clang", "exit 0")
	indexerScript(t, bin, "scip-ruby", `head -c 40 `+bin+`/index > "$2"`)
	x := &Indexers{
		LookPath: func(name string) (string, error) {
			p := filepath.Join(bin, name)
			_, err := os.Stat(p)
			return p, err
		},
		Environ: func() []string {
			return []string{"PATH=" + os.Getenv("PATH"), "GITHUB_TOKEN=t1", "MY_PASSWORD=t2", "GOPROXY=https://u:t3@proxy", "GOFLAGS=-mod=mod"}
		},
	}
	got := map[string]IndexerRun{}
	if err := x.Run(context.Background(), tree, func(r IndexerRun) error { got[r.Name] = r; return nil }); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"scip-go": "", "scip-typescript": "it failed: exit status 3 (cannot resolve types)", "scip-python": "what it wrote is not a whole SCIP index: it is empty",
		"rust-analyzer": "it wrote no index", "scip-java": "it wrote an index without documents", "scip-clang": "compile_commands.json names no file",
		"scip-ruby": "what it wrote is not a whole SCIP index", "scip-dotnet": "it is not installed",
	} {
		if r, ok := got[name]; !ok || (want == "") != (r.Absent == "") || !strings.Contains(r.Absent, want) {
			t.Errorf("%s: %+v, not %q", name, r, want)
		}
	}
	env, err := os.ReadFile(filepath.Join(bin, "environment"))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"t1", "t2", "t3"} {
		if bytes.Contains(env, []byte("="+secret)) || bytes.Contains(env, []byte(":"+secret+"@")) {
			t.Errorf("the indexer sees %s", secret)
		}
	}
	if !bytes.Contains(env, []byte("GOFLAGS=")) {
		t.Error("the indexer lacks what it needs")
	}
	if args, err := os.ReadFile(filepath.Join(bin, "arguments")); err != nil || !bytes.Contains(args, []byte("--project-name shop")) {
		t.Errorf("%s, %v", args, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := x.Run(ctx, tree, func(IndexerRun) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
