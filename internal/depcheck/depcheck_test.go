// Package depcheck holds the rules of which package may import which, and a
// test that fails when one is broken. The rules keep the data flowing one way
// and the reading side small.
package depcheck

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/pindex-dev/pindex/"

// mayImport lists, for each package, the packages of this module that it may
// import directly. Those that anybody may import are in leaves. A package that
// is not listed fails the test, so that a new one needs a decision.
var mayImport = map[string][]string{
	"analysis":                {},
	"embed":                   {"analysis"},
	"embed/builtin":           {"embed"},
	"embed/remote":            {"embed"},
	"embed/remote/remotetest": {},
	"artifact":                {},
	"git":                     {},
	"git/gogit":               {"git"},
	"git/gittest":             {"git", "git/gogit"},
	"compile/syntax":          {"artifact"},
	"compile/scan":            {"artifact", "compile/syntax"},
	"compile/languages":       {"artifact", "compile/syntax", "compile/scan"},
	"compile/scip":            {"artifact", "compile/units"},
	"compile/units":           {"artifact", "compile/syntax", "internal/filetext"},
	"compile/views":           {"artifact", "analysis", "embed", "compile/units", "compile/syntax"},
	"delta":                   {"artifact"},
	"overlay/bylines":         {"artifact", "analysis", "internal/filetext", "internal/secrets"},
	"overlay":                 {"artifact", "embed", "git", "compile"},
	"compile":                 {"internal/filetext", "internal/secrets", "compile/languages", "artifact", "analysis", "delta", "embed", "embed/builtin", "git", "compile/scip", "compile/syntax", "compile/units", "compile/views"},
	"registry":                {"artifact"},
	"registry/registrytest":   {"artifact", "registry"},
	"export":                  {"artifact", "query"},
	"fetch":                   {"artifact", "registry"},
	"query":                   {"artifact", "analysis", "embed", "query/infer", "query/sketch", "query/treepath"},
	"query/infer":             {"artifact", "query/sketch", "query/treepath"},
	"query/sketch":            {},
	"query/treepath":          {},
	"query/querytest":         {"artifact", "analysis", "embed", "query"},
	"bundle":                  {"artifact", "query"},
	"bundle/selector":         {"artifact", "bundle", "query"},
	"mcp/tools":               {"query", "bundle"},
	"mcp":                     {"mcp/tools"},
	"mcp/stdio":               {"mcp/tools"},
	"mcp/mcptest":             {"artifact", "query", "query/querytest", "bundle", "mcp/tools"},
	"internal/cli":            {"overlay/bylines", "artifact", "embed", "git", "registry", "fetch", "query", "bundle", "mcp/tools", "internal/linediff"},
	"cmd/pindex":              {"artifact", "embed/builtin", "internal/selfeval", "internal/command", "embed", "embed/remote", "embed/remote/remotetest", "delta", "overlay", "git", "git/gogit", "compile", "compile/scip", "export", "registry", "fetch", "query", "internal/cli", "internal/lsp", "internal/lsp/lsptest", "internal/setup", "internal/visibility", "mcp", "mcp/tools", "bundle", "bundle/selector"},
	"cmd/pindex-client":       {"internal/cli", "mcp/stdio"},
	"action/runsteps":         {},
	"internal/bench":          {"artifact", "bundle", "embed/remote/remotetest", "internal/peers", "git", "registry", "registry/registrytest", "fetch"},
	"internal/scalesim":       {"artifact", "compile", "git", "query", "registry", "registry/registrytest"},
	"internal/agentbench":     {"artifact", "bundle", "embed/remote", "fetch", "query", "registry"},
	"internal/linediff":       {},
	"internal/setup":          {"internal/linediff"},
	"internal/selfeval":       {"git"},
	"internal/langdoc":        {"compile/languages", "compile/scan", "compile/syntax", "internal/lsp"},
	"internal/durable":        {},
	"internal/command":        {},
	"internal/order":          {},
	"internal/stats":          {},
	"internal/lateregexp":     {},
	"internal/evalbench":      {"artifact", "compile", "embed", "git", "query", "bundle", "embed/remote", "mcp/tools", "internal/peers"},
	"internal/peers":          {},
	"internal/wire":           {},
	"internal/plainfile":      {},
	"internal/train":          {"artifact", "analysis", "embed", "compile/syntax", "compile/units", "internal/filetext"},
	"internal/fail":           {},
	"internal/filetext":       {"artifact"},
	"internal/secrets":        {},
	"internal/gitobj":         {},
	"internal/lsp":            {},
	"internal/lsp/lsptest":    {},
	"internal/scipbench":      {"artifact", "registry", "fetch", "query"},
	"internal/navbench":       {"artifact", "registry", "fetch", "query", "internal/lsp"},
	"internal/depcheck":       {},
	"internal/visibility":     {},
}

var leaves = []string{"internal/durable", "internal/fail", "internal/gitobj", "internal/command", "internal/order", "internal/stats", "internal/lateregexp", "internal/wire", "internal/plainfile"}

type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
	CgoFiles   []string
}

func list(t *testing.T, args ...string) []pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Deps,CgoFiles"}, args...)...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

func TestImportsRunOneWay(t *testing.T) {
	for _, p := range list(t, "./...") {
		name, ok := strings.CutPrefix(p.ImportPath, module)
		if !ok {
			t.Errorf("package %s is outside the module", p.ImportPath)
			continue
		}
		allowed, ok := mayImport[name]
		if !ok {
			t.Errorf("package %s has no rule in mayImport: decide what it may import", name)
			continue
		}
		for _, imp := range p.Imports {
			other, ok := strings.CutPrefix(imp, module)
			if ok && !slices.Contains(allowed, other) && !slices.Contains(leaves, other) {
				t.Errorf("%s imports %s, which its rule does not allow", name, other)
			}
		}
	}
}

// The reading side is what an empty sandbox downloads: it must not drag a
// parser, go-git or any C into the client.
func TestReadingSideStaysSmall(t *testing.T) {
	banned := []string{
		module + "compile", module + "embed/builtin", "github.com/tree-sitter/", "github.com/tree-sitter-grammars/",
		"github.com/go-git/", "github.com/spf13/viper", "net/http/httptest",
		"github.com/google/go-github/",
		"github.com/modelcontextprotocol/", // two megabytes: the client has a server of its own
	}
	for _, root := range []string{"cmd/pindex-client", "internal/cli", "query", "fetch", "git", "artifact", "analysis", "embed"} {
		for _, p := range list(t, "-deps", "./"+root) {
			for _, b := range banned {
				if strings.HasPrefix(p.ImportPath, b) {
					t.Errorf("%s links %s", root, p.ImportPath)
				}
			}
			if strings.HasPrefix(p.ImportPath, module) && len(p.CgoFiles) > 0 {
				t.Errorf("%s links C through %s", root, p.ImportPath)
			}
		}
	}
}
