package overlay

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// work is a repository with a working tree.
type work struct {
	t    *testing.T
	dir  string
	repo git.Repository
}

func (w *work) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", w.dir, "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.autocrlf=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

func newWork(t *testing.T, files map[string]string) *work {
	t.Helper()
	w := &work{t: t, dir: t.TempDir()}
	w.git("init", "--quiet", "--initial-branch=main")
	for path, content := range files {
		w.write(path, content)
	}
	w.git("add", "-A")
	w.git("commit", "--quiet", "-m", "one")
	repo, err := git.Open(context.Background(), w.dir, git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	w.repo = repo
	return w
}

func (w *work) write(path, content string) {
	w.t.Helper()
	full := filepath.Join(w.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *work) head() gitobj.ID {
	w.t.Helper()
	id, err := w.repo.Resolve(context.Background(), "HEAD")
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *work) changes() []git.Change {
	w.t.Helper()
	ctx := context.Background()
	tree, err := w.repo.Tree(ctx, w.head())
	if err != nil {
		w.t.Fatal(err)
	}
	changes, err := git.Changed(ctx, w.dir, tree, git.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	others, err := git.Untracked(ctx, w.dir, git.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, path := range others {
		changes = append(changes, git.Change{Path: path, Kind: git.Added})
	}
	return changes
}

func (w *work) request(base *artifact.Index) Request {
	return Request{Base: base, Repo: w.repo, Commit: w.head(), WorkTree: w.dir, Changes: w.changes(), InProcess: true, Workers: 1}
}

func compileHead(t *testing.T, w *work, o compile.Options) *artifact.Index {
	t.Helper()
	var sink compile.Memory
	o.Repo, o.Sink, o.InProcess, o.Workers = w.repo, &sink, true, 1
	if _, err := compile.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	ix, err := sink.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ix.Close() })
	return ix
}

func project(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("p%d/f%02d.py", i%3, i)] = fmt.Sprintf("def f%d(x):\n    return g%d(x)\n", i, i+1)
	}
	return files
}

// segmentsOf lists what an index is made of, whatever its commit is called.
func segmentsOf(ix *artifact.Index) []artifact.PartitionInfo { return ix.Manifest().Partitions }

// TestOverlayEqualsFreshIndex edits working trees at random; the overlay has
// the very segments that a compile of the committed edits has.
func TestOverlayEqualsFreshIndex(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 3))
			files := project(6 + r.IntN(30))
			w := newWork(t, files)
			base := compileHead(t, w, compile.Options{})
			known := Packs{Dir: filepath.Join(t.TempDir(), "packs")}
			for round := range 3 {
				paths := slices.Sorted(maps.Keys(files))
				for range 1 + r.IntN(3) {
					p := paths[r.IntN(len(paths))]
					switch r.IntN(5) {
					case 0:
						_ = os.Remove(filepath.Join(w.dir, p))
					case 1:
						w.write(fmt.Sprintf("new/n%d.go", r.IntN(9)), fmt.Sprintf("package n\n\nfunc N%d() {}\n", r.IntN(100)))
					case 2:
						_ = os.Remove(filepath.Join(w.dir, p))
						w.write(p+".d/inner.py", "x = 1\n")
					default:
						w.write(p, fmt.Sprintf("def changed%d():\n    pass\n", r.IntN(1000)))
					}
				}
				req := w.request(base)
				req.Known = known
				over, err := Build(context.Background(), req)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := over.Check(context.Background()); err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
				at := w.head()
				w.git("add", "-A")
				w.git("commit", "--quiet", "--allow-empty", "-m", "edited")
				fresh := compileHead(t, w, compile.Options{})
				tree := w.git("rev-parse", "HEAD^{tree}")
				w.git("reset", "--quiet", "--soft", at.String())
				w.git("reset", "--quiet", "--mixed")
				if over.Manifest().Tree != tree {
					t.Errorf("the overlay's tree is %s, git's is %s", over.Manifest().Tree, tree)
				}
				if !reflect.DeepEqual(segmentsOf(over), segmentsOf(fresh)) {
					t.Fatalf("round %d: the overlay has other segments than a fresh index", round)
				}
				a, err := over.Segment(0, artifact.Lexical)
				if err != nil {
					t.Fatal(err)
				}
				if b, err := fresh.Segment(0, artifact.Lexical); err != nil || !bytes.Equal(a, b) {
					t.Errorf("segments differ: %v", err)
				}
			}
		})
	}
}

// TestOverlayOfAnAncestor makes the index of a commit from an older one's: it
// is the one that a compile would publish.
func TestOverlayOfAnAncestor(t *testing.T) {
	w := newWork(t, project(20))
	base := compileHead(t, w, compile.Options{})
	w.write("p0/f00.py", "def other(): pass\n")
	w.git("commit", "--quiet", "-a", "-m", "two")
	over, err := Build(context.Background(), w.request(base))
	if err != nil {
		t.Fatal(err)
	}
	if fresh := compileHead(t, w, compile.Options{}); over.Digest() != fresh.Digest() {
		t.Error("the overlay is not the commit's index")
	}
}

// TestOtherProfile refuses a base that nothing can be taken over from.
func TestOtherProfile(t *testing.T) {
	w := newWork(t, project(4))
	base := compileHead(t, w, compile.Options{Limits: compile.Limits{ParseBytes: 100}})
	w.write("p0/f00.py", "def other(): pass\n")
	if _, err := Build(context.Background(), w.request(base)); fail.CodeOf(err) != fail.NoIndex {
		t.Errorf("got %v", err)
	}
	some := compileHead(t, w, compile.Options{Views: []artifact.View{artifact.Source}})
	over, err := Build(context.Background(), w.request(some))
	if err != nil {
		t.Fatal(err)
	}
	if over.Manifest().Profile.Digest != some.Manifest().Profile.Digest {
		t.Error("chosen views are not kept")
	}
}

// TestSecretsStayOut holds overlays to what holds for artifacts.
func TestSecretsStayOut(t *testing.T) {
	w := newWork(t, project(4))
	base := compileHead(t, w, compile.Options{})
	w.write(".env", "PASSWORD=hunter2\n")
	over, err := Build(context.Background(), w.request(base))
	if err != nil {
		t.Fatal(err)
	}
	if over.Manifest().Skipped[artifact.SkipSecret.String()] != 1 {
		t.Errorf("skipped: %v", over.Manifest().Skipped)
	}
}

// TestPacks keeps what was used last and survives damage.
func TestPacks(t *testing.T) {
	w := newWork(t, project(4))
	base := compileHead(t, w, compile.Options{})
	w.write("p0/f00.py", "def other(): pass\n")
	known := Packs{Dir: filepath.Join(t.TempDir(), "packs"), Max: 2}
	req := w.request(base)
	req.Known = known
	build := func() artifact.Digest {
		t.Helper()
		over, err := Build(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		return over.Digest()
	}
	first := build()
	files, err := filepath.Glob(filepath.Join(known.Dir, "*.pack"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v %v", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{nil, b[:len(b)/2], append(bytes.Clone(b[:len(b)-9]), "damaged!!"...)} {
		if err := os.WriteFile(files[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := build(); got != first {
			t.Error("a damaged pack changes the overlay")
		}
	}
	for i := range 4 {
		known.Built(artifact.DigestOf([]byte{byte(i)}), b)
	}
	if files, _ = filepath.Glob(filepath.Join(known.Dir, "*.pack")); len(files) != 2 {
		t.Errorf("%d packs are kept", len(files))
	}
	if known.Find(artifact.DigestOf([]byte("never built"))) != nil {
		t.Error("a pack that was never built is found")
	}
}
