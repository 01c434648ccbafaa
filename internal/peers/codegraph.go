package peers

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed ask_codegraph.cjs
var askCodeGraph string

// CodeGraph is the npm package @colbymchenry/codegraph.
type CodeGraph struct {
	Program string // the command, as npm links it into node_modules/.bin
}

// Index implements Peer.
func (c CodeGraph) Index() []string { return []string{c.Program, "init"} }

// Label implements Peer.
func (c CodeGraph) Label(ctx context.Context) (string, error) {
	out, err := Run(ctx, "", []string{c.Program, "--version"}, nil)
	if err != nil {
		return "", err
	}
	v := strings.Fields(string(out))
	if len(v) == 0 {
		return "", fmt.Errorf("%s tells no version", c.Program)
	}
	return "codegraph " + v[len(v)-1], nil
}

// Ask implements Peer: what 'codegraph query --json --limit N' does for each
// question, in one process of the runtime that the package brings.
func (c CodeGraph) Ask(ctx context.Context, dir string, qs []Question) ([][]Place, error) {
	bundle, err := c.bundle()
	if err != nil {
		return nil, err
	}
	// By -e, so that nothing has to be written beside the package.
	return ask(ctx, dir, []string{filepath.Join(bundle, "node"), "--disable-warning=ExperimentalWarning", "-e", askCodeGraph,
		filepath.Join(bundle, "lib", "dist", "index.js"), dir}, qs)
}

// bundle is the folder of the package for this platform, which has the library
// and its runtime: a neighbour of the package that the command belongs to.
func (c CodeGraph) bundle() (string, error) {
	found, err := exec.LookPath(c.Program)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(found)
	if err != nil {
		return "", err
	}
	for dir := filepath.Dir(real); ; dir = filepath.Dir(dir) {
		found, err := filepath.Glob(filepath.Join(dir, "codegraph-*", "lib", "dist", "index.js"))
		if err != nil {
			return "", err
		}
		for _, f := range found {
			b := filepath.Dir(filepath.Dir(filepath.Dir(f)))
			if _, err := os.Stat(filepath.Join(b, "node")); err == nil {
				return b, nil
			}
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("there is no package codegraph-PLATFORM beside %s", real)
		}
	}
}
