package compile

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/views"
	"github.com/pindex-dev/pindex/internal/fail"
)

// smallTree has a few files with a bit of everything.
func smallTree() tree {
	return tree{
		"a.py":         text("import os\n\n\ndef alpha(x):\n    \"\"\"Say hello.\"\"\"\n    return os.path.join(x, beta())\n\n\ndef beta():\n    return 'b'\n"),
		"lib/c.go":     text("package lib\n\nimport \"fmt\"\n\n// Gamma prints.\nfunc Gamma() { fmt.Println(delta()) }\n\nfunc delta() int { return 1 }\n"),
		"README.md":    text("# Title\n\nSome words.\n\n## Use\n\nMore words.\n"),
		"conf.yaml":    text("name: x\nvalues:\n  a: 1\n"),
		"data.bin":     text("\x00\x00"),
		"empty":        text(""),
		"web/app.ts":   text("export class App {\n  run(): void { start() }\n}\n"),
		"web/start.js": text("function start() { return 1 }\n"),
	}
}

var errInjected = errors.New("injected failure")

// TestEachBuilderFails fails each builder in turn, in one partition only, and
// checks that the others still answer and that the index says so.
func TestEachBuilderFails(t *testing.T) {
	r := newRepo(t)
	r.commit(smallTree())
	_, whole := compileRepo(t, r)
	for _, v := range artifact.Views {
		for _, how := range []string{"error", "panic"} {
			t.Run(v.String()+" "+how, func(t *testing.T) {
				broken := func(in *views.Partition) ([]byte, error) {
					if in.Batch.Files[0].Path != "lib/c.go" {
						return views.Builders[v](in)
					}
					if how == "panic" {
						panic(errInjected)
					}
					return nil, errInjected
				}
				o := Options{Repo: r.open(), InProcess: true, builders: map[artifact.View]Builder{v: broken}}
				m := &Memory{}
				o.Sink = m
				res, err := Run(context.Background(), o)
				if v == artifact.Units {
					if err == nil || m.Final() != nil {
						t.Fatal("an index without units was published")
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				checkWithout(t, m, res.Manifest, whole.Manifest, v)
			})
		}
	}
}

// checkWithout checks an index that lacks one view against the whole one.
func checkWithout(t *testing.T, m *Memory, got, whole *artifact.Manifest, without artifact.View) {
	t.Helper()
	x := openTester(t, m)
	info := got.Views[without.String()]
	if info.State != artifact.ViewAbsent || !strings.Contains(info.Reason, errInjected.Error()) || !strings.HasPrefix(info.Reason, "partition ") {
		t.Errorf("the failed view is described as %+v", info)
	}
	for n, p := range got.Partitions {
		want := maps.Clone(whole.Partitions[n].Segments)
		delete(want, without.String())
		if !maps.Equal(p.Segments, want) {
			t.Errorf("partition %d has segments %v", n, slices.Sorted(maps.Keys(p.Segments)))
		}
		pack, err := artifact.OpenPack(m.PackBytes(n))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range pack.Entries() {
			if e.View == without {
				t.Errorf("the pack of partition %d still holds the failed view", n)
			}
		}
		for _, v := range artifact.Views {
			if _, err := openView(x.ix, n, v); (err != nil) != (v == without) {
				t.Errorf("opening %s of partition %d: %v", v, n, err)
			} else if err != nil && (!errors.Is(err, artifact.ErrViewAbsent) || !strings.Contains(err.Error(), errInjected.Error())) {
				t.Errorf("opening %s of partition %d does not say why it is absent: %v", v, n, err)
			}
		}
	}
	if without != artifact.Source && x.content("a.py") != smallTree()["a.py"].content {
		t.Error("source does not answer")
	}
	if without != artifact.Lexical && !x.hasTerm("hello") {
		t.Error("lexical does not answer")
	}
	if without != artifact.Structural && !slices.Contains(x.symbols("lib/c.go"), "Gamma") {
		t.Error("structural does not answer")
	}
	if without != artifact.Dense {
		if d, err := x.ix.Dense(0); err != nil || d.Len() == 0 {
			t.Errorf("dense does not answer: %v", err)
		}
	}
	lost := map[artifact.View][]string{
		artifact.Source:     {"grep", "search.hybrid", "search.lexical", "search.semantic", "show"},
		artifact.Lexical:    {"search.hybrid", "search.lexical"},
		artifact.Dense:      {"search.hybrid", "search.semantic"},
		artifact.Structural: {"nav.references", "nav.symbols"},
	}[without]
	for _, c := range whole.Capabilities {
		if slices.Contains(got.Capabilities, c) == slices.Contains(lost, c) {
			t.Errorf("capability %s: stated %v", c, slices.Contains(got.Capabilities, c))
		}
	}
	if (got.Model == nil) != (without == artifact.Dense) {
		t.Errorf("model: %+v", got.Model)
	}
}

func openView(ix *artifact.Index, p int, v artifact.View) (any, error) {
	switch v {
	case artifact.Units:
		return ix.Units(p)
	case artifact.Source:
		return ix.Source(p)
	case artifact.Lexical:
		return ix.Lexical(p)
	case artifact.Dense:
		return ix.Dense(p)
	}
	return ix.Structural(p)
}

// TestFailureIsDeterministic lets a builder fail in several partitions: the
// reason is the first one's, whatever the workers do first.
func TestFailureIsDeterministic(t *testing.T) {
	r := newRepo(t)
	r.commit(smallTree())
	var digests []artifact.Digest
	for _, workers := range []int{1, 2, 4} {
		_, res := compileRepo(t, r, func(o *Options) {
			o.Workers = workers
			o.builders = map[artifact.View]Builder{artifact.Lexical: func(in *views.Partition) ([]byte, error) {
				if p := in.Batch.Files[0].Path; p > "conf" {
					return nil, errors.New("cannot do " + p)
				}
				return views.Builders[artifact.Lexical](in)
			}}
		})
		if got := res.Manifest.Views["lexical"].Reason; got != "partition 2: cannot do conf.yaml" {
			t.Errorf("%d workers: %q", workers, got)
		}
		digests = append(digests, res.Digest)
	}
	if digests[0] != digests[1] || digests[0] != digests[2] {
		t.Errorf("digests %v", digests)
	}
}

// inWorkers compiles in worker processes that misbehave at certain files.
func inWorkers(t *testing.T, r *testRepo, change ...func(*Options)) (*Memory, *Result, error) {
	t.Helper()
	m := &Memory{}
	o := Options{
		Repo: r.open(), Sink: m, Workers: 2,
		workerEnv: []string{misbehaveEnv + "=" + filepath.Join(t.TempDir(), "once")},
	}
	for _, c := range change {
		c(&o)
	}
	res, err := Run(context.Background(), o)
	return m, res, err
}

func TestWorkerCrash(t *testing.T) {
	for _, how := range []string{"segfault", "overflow", "exit", "panic"} {
		t.Run(how, func(t *testing.T) {
			r := newRepo(t)
			tr := smallTree()
			tr["lib/"+how+".py"] = text("def lost(): pass\n")
			r.commit(tr)
			m, res, err := inWorkers(t, r)
			if err != nil {
				t.Fatal(err)
			}
			x := openTester(t, m)
			if got := note(res.Report.Degraded, "lib/"+how+".py"); got != "parser crash" || len(res.Report.Degraded) != 1 {
				t.Errorf("degraded: %v", res.Report.Degraded)
			}
			if len(x.symbols("lib/"+how+".py")) != 0 || !slices.Contains(x.symbols("a.py"), "alpha") || x.content("lib/"+how+".py") == "" {
				t.Error("the crash costs more or less than its file")
			}
			if how != "panic" && res.Report.Restarts != 2 {
				t.Errorf("%d restarts", res.Report.Restarts)
			}
			_, again, err := inWorkers(t, r, func(o *Options) { o.Workers = 1 })
			if err != nil || again.Digest != res.Digest {
				t.Errorf("a second compile gives %v, %v", again, err)
			}
		})
	}
}

// TestPassingCrash checks that a crash that does not repeat leaves no trace.
func TestPassingCrash(t *testing.T) {
	r := newRepo(t)
	tr := smallTree()
	tr["lib/abort-once.py"] = text("def kept(): pass\n")
	r.commit(tr)
	_, want := compileRepo(t, r)
	_, got, err := inWorkers(t, r)
	if err != nil {
		t.Fatal(err)
	}
	if got.Digest != want.Digest || got.Report.Restarts != 1 {
		t.Errorf("digest %s, want %s; %d restarts", got.Digest, want.Digest, got.Report.Restarts)
	}
}

func TestWorkerHang(t *testing.T) {
	r := newRepo(t)
	tr := smallTree()
	tr["lib/spin.py"] = text("def lost(): pass\n")
	r.commit(tr)
	m, res, err := inWorkers(t, r, func(o *Options) { o.hooks.hang = 100 * time.Millisecond })
	if err != nil {
		t.Fatal(err)
	}
	if got := note(res.Report.Degraded, "lib/spin.py"); got != "parser crash" {
		t.Errorf("degraded: %v", res.Report.Degraded)
	}
	if x := openTester(t, m); !slices.Contains(x.symbols("a.py"), "alpha") {
		t.Error("the hang costs more than its file")
	}
}

// TestWorkerStopped checks that what may go away by itself is no part of an
// index.
func TestWorkerStopped(t *testing.T) {
	for how, want := range map[string]string{"killed": "stopped from outside (killed)", "no-memory": "out of memory"} {
		t.Run(how, func(t *testing.T) {
			r := newRepo(t)
			tr := smallTree()
			tr[how+".py"] = text("x = 1\n")
			r.commit(tr)
			m, _, err := inWorkers(t, r)
			if fail.CodeOf(err) != fail.Interrupted || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v", err)
			}
			if m.Final() != nil {
				t.Error("an index was published")
			}
		})
	}
}

func TestWorkerEnvironment(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "secret")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	r := newRepo(t)
	r.commit(tree{"environment.py": text("x = 1\n")})
	if _, _, err := inWorkers(t, r); err != nil {
		t.Error(err)
	}
}

func TestWorkerCannotStart(t *testing.T) {
	r := newRepo(t)
	r.commit(smallTree())
	for name, argv := range map[string][]string{
		"missing": {filepath.Join(t.TempDir(), "nothing")},
		"another": {"/bin/sh", "-c", "echo hello"},
	} {
		_, _, err := inWorkers(t, r, func(o *Options) { o.WorkerCommand = argv })
		if err == nil || fail.CodeOf(err) != fail.Internal {
			t.Errorf("%s program: %v", name, err)
		}
	}
}

// sinkFunc is a Sink that fails or does something at a pack.
type sinkFunc struct {
	Memory
	pack    func(partition int) error
	publish error
}

func (s *sinkFunc) Pack(ctx context.Context, n int, pack []byte, segs []artifact.PackSegment) error {
	if err := s.pack(n); err != nil {
		return err
	}
	return s.Memory.Pack(ctx, n, pack, segs)
}

func (s *sinkFunc) Publish(ctx context.Context, f *Final) error {
	if s.publish != nil {
		return s.publish
	}
	return s.Memory.Publish(ctx, f)
}

func TestCancelled(t *testing.T) {
	r := newRepo(t)
	r.commit(smallTree())
	for _, inProcess := range []bool{true, false} {
		ctx, cancel := context.WithCancel(context.Background())
		var once sync.Once
		s := &sinkFunc{pack: func(int) error { once.Do(cancel); return nil }}
		_, err := Run(ctx, Options{Repo: r.open(), Sink: s, InProcess: inProcess})
		if fail.CodeOf(err) != fail.Interrupted || !errors.Is(err, context.Canceled) {
			t.Errorf("in process %v: %v", inProcess, err)
		}
		if s.Final() != nil {
			t.Error("an index was published")
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Options{Repo: r.open(), Sink: &Memory{}}); fail.CodeOf(err) != fail.Interrupted {
		t.Errorf("cancelled before the start: %v", err)
	}
}

func TestSinkFails(t *testing.T) {
	r := newRepo(t)
	r.commit(smallTree())
	full := fail.New(fail.Network, "make room", "no space left")
	nothing := func(int) error { return nil }
	for name, s := range map[string]*sinkFunc{
		"pack":    {pack: func(n int) error { return full }},
		"publish": {pack: nothing, publish: full},
	} {
		for _, inProcess := range []bool{true, false} {
			_, err := Run(context.Background(), Options{Repo: r.open(), Sink: s, InProcess: inProcess})
			if !errors.Is(err, full) || s.Final() != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestDamagedBlob checks that a blob which is not what its id says is never
// indexed.
func TestDamagedBlob(t *testing.T) {
	r := newRepo(t)
	r.commit(smallTree())
	repo := &lyingRepo{r.open()}
	_, err := Run(context.Background(), Options{Repo: repo, Sink: &Memory{}, InProcess: true})
	if fail.CodeOf(err) != fail.Repository || !strings.Contains(err.Error(), "does not match its object id") {
		t.Errorf("got %v", err)
	}
}

func TestNoTraces(t *testing.T) {
	// A compile leaves nothing in the working directory or the repository.
	r := newRepo(t)
	r.commit(smallTree())
	list := func() (names []string) {
		for _, dir := range []string{".", r.dir} {
			err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
				names = append(names, path)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return names
	}
	before := list()
	if _, _, err := inWorkers(t, r); err != nil {
		t.Fatal(err)
	}
	if after := list(); !slices.Equal(before, after) {
		t.Errorf("before %d files, after %d", len(before), len(after))
	}
}
