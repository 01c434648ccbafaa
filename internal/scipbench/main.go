// Command scipbench checks that an index that was given SCIP indexes serves
// all of their occurrences, and that its answers are theirs.
//
//	go run ./internal/scipbench [-n 2000] [-seed 1] [-show 20] REPO FILE.scip ...
//
// It compiles the commit of REPO with the files, reads the same files by
// itself with the SCIP bindings, and compares:
//
//   - served: every occurrence of an accepted document, by place, symbol and
//     roles, against the structural view;
//   - definitions: for occurrences (-n of them, 0 for all), the set of (path,
//     line) that def answers at the place with the definitions of the symbols
//     that stand there;
//   - references: for symbols that the tree defines (-n of them, 0 for all),
//     the set of (path, line, column) that refs answers at the definition with
//     all other occurrences of the symbol.
//
// bin/pindex compiles; PINDEX names another binary.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/query"
	"github.com/pindex-dev/pindex/registry"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "scipbench:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("scipbench", flag.ContinueOnError)
	n := fs.Int("n", 2000, "occurrences and symbols to ask about; 0 for all")
	seed := fs.Uint64("seed", 1, "of the sample")
	show := fs.Int("show", 10, "differences to print of each kind")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() < 2 {
		return errors.New("give a checkout and its SCIP indexes")
	}
	dir, err := os.MkdirTemp("", "scipbench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ix, err := compileInto(ctx, fs.Arg(0), fs.Args()[1:], dir)
	if err != nil {
		return err
	}
	defer ix.Close()
	c, err := newCheck(ix, fs.Args()[1:], *show)
	if err != nil {
		return err
	}
	if err := c.served(); err != nil {
		return err
	}
	engine := query.New(ix, query.Options{Workers: 1})
	if err := c.definitions(ctx, engine, *n, *seed); err != nil {
		return err
	}
	return c.references(ctx, engine, *n, *seed)
}

// program is the pindex binary that compiles.
func program() string {
	if p := os.Getenv("PINDEX"); p != "" {
		return p
	}
	return "bin/pindex"
}

// compileInto compiles HEAD of a checkout with SCIP indexes and opens it.
func compileInto(ctx context.Context, repo string, files []string, dir string) (*artifact.Index, error) {
	layout := filepath.Join(dir, "store")
	args := []string{"compile", "HEAD", "--repo", repo, "--store", layout, "--views", "source,structural", "--json", "--quiet", "--parent", "none"}
	for _, f := range files {
		args = append(args, "--scip", f)
	}
	cmd := exec.CommandContext(ctx, program(), args...)
	cmd.Env = append(os.Environ(), "PINDEX_CACHE_DIR="+filepath.Join(dir, "cache"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s compile: %w", program(), err)
	}
	var ans struct {
		Commit, Digest, Tag string
		SCIP                json.RawMessage `json:"scip"`
	}
	if err := json.Unmarshal(out, &ans); err != nil {
		return nil, err
	}
	var reports []struct {
		Name, Tool             string
		Documents, Occurrences int
		Rejected               int `json:"rejected_total"`
	}
	if err := json.Unmarshal(ans.SCIP, &reports); err != nil {
		return nil, err
	}
	for _, r := range reports {
		fmt.Printf("%s by %s: %d occurrences in %d documents, %d documents rejected\n", r.Name, r.Tool, r.Occurrences, r.Documents, r.Rejected)
	}
	store, err := registry.OpenLocal(layout)
	if err != nil {
		return nil, err
	}
	_, conf, err := registry.ReadArtifact(ctx, store, ans.Tag)
	if err != nil {
		return nil, err
	}
	opt := fetch.OpenOptions{}
	if strings.Contains(ans.Tag, "-") {
		opt.Profile = conf.Profile
	}
	return fetch.Open(ctx, store, fetch.OpenCache(filepath.Join(dir, "read")), ans.Commit, opt)
}
