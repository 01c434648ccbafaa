package scipold

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sourcegraph/scip/bindings/go/scip"
	"google.golang.org/protobuf/proto"
)

const (
	libText  = "package p\n\nfunc Twice(n int) int { return n * 2 }\n"
	mainText = "package p\n\nfunc run() {\n\tTwice(2)\n}\n"
)

// program is the pindex that is tested.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "scipold-")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "pindex")
	build := exec.Command("go", "build", "-o", program, "./cmd/pindex")
	build.Dir = filepath.Join("..", "..")
	out, err := build.CombinedOutput()
	if err != nil {
		fmt.Printf("building pindex: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// repository is a commit of two files with a store and a cache of its own.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"lib.go": libText, "main.go": mainText} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "one"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

func pindex(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(program, append(args, "--repo", dir, "--store", filepath.Join(dir, ".git", "store"))...)
	cmd.Env = append(os.Environ(), "PINDEX_CACHE_DIR="+filepath.Join(dir, ".git", "cache"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("pindex %v: %v\n%s", args, err, stderr.Bytes())
	}
	return out
}

func exported(t *testing.T, dir string) []byte { return pindex(t, dir, "export", "--scip") }

// What is exported keeps the rules that scip's own linter checks.
func TestExportIsSound(t *testing.T) {
	dir := repository(t)
	pindex(t, dir, "compile")
	first := exported(t, dir)
	var index scip.Index
	if err := proto.Unmarshal(first, &index); err != nil {
		t.Fatal(err)
	}
	if index.Metadata.GetToolInfo().GetName() != "pindex" || index.Metadata.GetTextDocumentEncoding() != scip.TextEncoding_UTF8 {
		t.Errorf("metadata %v", index.Metadata)
	}
	defined := map[string]bool{}
	paths := map[string]bool{}
	for _, d := range index.Documents {
		if paths[d.RelativePath] {
			t.Errorf("%s stands twice", d.RelativePath)
		}
		paths[d.RelativePath] = true
		told := map[string]bool{}
		for _, s := range d.Symbols {
			if told[s.Symbol] {
				t.Errorf("%s is told of twice", s.Symbol)
			}
			told[s.Symbol] = true
			if len(s.Documentation) == 0 {
				t.Errorf("%s has no documentation", s.Symbol)
			}
		}
		for i, o := range d.Occurrences {
			parsed, err := scip.ParseSymbol(o.Symbol)
			if err != nil {
				t.Errorf("%s: %v", o.Symbol, err)
				continue
			}
			if again := scip.VerboseSymbolFormatter.FormatSymbol(parsed); again != o.Symbol {
				t.Errorf("%s is written %s", o.Symbol, again)
			}
			if _, err := scip.NewRange(o.Range); err != nil {
				t.Errorf("%s: %v", o.Symbol, err)
			}
			if i > 0 && slices.Compare(d.Occurrences[i-1].Range[:2], o.Range[:2]) > 0 {
				t.Errorf("%s is out of order", o.Symbol)
			}
			if o.SymbolRoles&int32(scip.SymbolRole_Definition) != 0 {
				defined[o.Symbol] = true
				if !told[o.Symbol] || len(o.EnclosingRange) == 0 {
					t.Errorf("%s is defined and not told of, or has no enclosing range", o.Symbol)
				}
			}
		}
	}
	for s := range defined {
		if parsed, err := scip.ParseSymbol(s); err != nil || scip.IsLocalSymbol(s) || len(parsed.Descriptors) != 2 {
			delete(defined, s)
		}
	}
	want := []string{"pindex . . . `lib.go`/Twice().", "pindex . . . `main.go`/run()."}
	if got := slices.Sorted(maps.Keys(defined)); !slices.Equal(got, want) {
		t.Errorf("defined: %q", got)
	}
	found := false
	for _, o := range index.Documents[1].Occurrences {
		found = found || o.Symbol == want[0] && fmt.Sprint(o.Range) == "[3 1 6]"
	}
	if !found {
		t.Errorf("no use of %s in %v", want[0], index.Documents[1])
	}
	if !bytes.Equal(first, exported(t, dir)) {
		t.Error("two exports differ")
	}
}

// What the earlier bindings write is taken in, and answered from.
func TestTakesInWhatEarlierBindingsWrite(t *testing.T) {
	const own = "scip-go gomod ex.org/p v1 `ex.org/p`/Twice()."
	b, err := proto.Marshal(&scip.Index{
		Metadata: &scip.Metadata{ToolInfo: &scip.ToolInfo{Name: "old", Version: "0.6.1"}, TextDocumentEncoding: scip.TextEncoding_UTF8},
		Documents: []*scip.Document{{
			RelativePath: "lib.go", Language: "Go", PositionEncoding: scip.PositionEncoding_UTF8CodeUnitOffsetFromLineStart,
			Occurrences: []*scip.Occurrence{
				{Range: []int32{2, 5, 10}, Symbol: own, SymbolRoles: 1, EnclosingRange: []int32{2, 0, 38}},
				{Range: []int32{2, 11, 12}, Symbol: "local 3", SymbolRoles: 1},
				{Range: []int32{2, 31, 32}, Symbol: "local 3", SymbolRoles: 8},
			},
			Symbols: []*scip.SymbolInformation{{
				Symbol: own, Kind: scip.SymbolInformation_Function, Documentation: []string{"doubles"},
				Relationships: []*scip.Relationship{{Symbol: "scip-go gomod ex.org/q v2 `ex.org/q`/Doubler#Twice.", IsImplementation: true}},
			}},
		}, {
			RelativePath: "main.go", Language: "Go",
			Occurrences: []*scip.Occurrence{{Range: []int32{3, 1, 6}, Symbol: own, SymbolRoles: 8}},
		}},
		ExternalSymbols: []*scip.SymbolInformation{{Symbol: "scip-go gomod ex.org/q v2 `ex.org/q`/Doubler#Twice."}},
	})
	if err != nil {
		t.Fatal(err)
	}
	dir := repository(t)
	file := filepath.Join(dir, ".git", "old.scip")
	if err := os.WriteFile(file, b, 0o644); err != nil {
		t.Fatal(err)
	}
	var compiled struct {
		Precise int `json:"precise_files"`
		SCIP    []struct {
			Occurrences int
			Rejected    int `json:"rejected_total"`
		}
	}
	if err := json.Unmarshal(pindex(t, dir, "compile", "--json", "--scip", file), &compiled); err != nil {
		t.Fatal(err)
	}
	if compiled.Precise != 2 || len(compiled.SCIP) != 1 || compiled.SCIP[0].Occurrences != 4 || compiled.SCIP[0].Rejected != 0 {
		t.Errorf("%+v", compiled)
	}
	var refs struct {
		Total   int
		Results []struct {
			Path, Provenance string
			Line             int `json:"start_line"`
		}
	}
	if err := json.Unmarshal(pindex(t, dir, "refs", "Twice", "--json"), &refs); err != nil {
		t.Fatal(err)
	}
	if refs.Total != 1 || refs.Results[0].Path != "main.go" || refs.Results[0].Line != 4 || refs.Results[0].Provenance != "precise" {
		t.Errorf("%+v", refs)
	}
	pindex(t, dir, "verify", "--rebuild")
	// What goes out again is what came in, without the version.
	var again scip.Index
	if err := proto.Unmarshal(exported(t, dir), &again); err != nil {
		t.Fatal(err)
	}
	if len(again.Documents) != 2 || len(again.Documents[0].Occurrences) != 3 || again.Documents[0].Occurrences[0].Symbol != "scip-go gomod ex.org/p . `ex.org/p`/Twice()." {
		t.Errorf("%v", again.Documents)
	}
}
