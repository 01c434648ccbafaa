package compile

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/artifact"
)

// long makes the property tests look at this many cases.
var long = flag.Int("histories", 6, "random histories to compile")

// transitions is how many TestDeltaEqualsFull makes.
var transitions = flag.Int("transitions", 400, "random transitions to compile both ways")

// TestMain is also the worker: the tests start this binary again. What the
// variable says is how the worker shall misbehave at files of certain names.
func TestMain(m *testing.M) {
	if IsWorker(os.Args) {
		h := hooks{}
		if os.Getenv(misbehaveEnv) != "" {
			h.parse = misbehave
		}
		setupWorkerProcess()
		if err := runWorker(context.Background(), os.Stdin, os.Stdout, h); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const misbehaveEnv = "PINDEX_TEST_MISBEHAVE"

// misbehave does to the worker what a broken parser could do.
func misbehave(path string) {
	once := func() bool { // true at the first call of all workers
		f, err := os.OpenFile(os.Getenv(misbehaveEnv), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			f.Close()
		}
		return err == nil
	}
	switch {
	case strings.Contains(path, "segfault"):
		_ = syscall.Kill(os.Getpid(), syscall.SIGSEGV)
		time.Sleep(time.Hour)
	case strings.Contains(path, "abort-once"):
		if once() {
			_ = syscall.Kill(os.Getpid(), syscall.SIGABRT)
			time.Sleep(time.Hour)
		}
	case strings.Contains(path, "overflow"):
		overflow(0)
	case strings.Contains(path, "exit"):
		os.Exit(3)
	case strings.Contains(path, "panic"):
		panic("the parser has a defect")
	case strings.Contains(path, "spin"):
		for start := time.Now(); time.Since(start) < time.Hour; {
		}
	case strings.Contains(path, "killed"):
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Hour)
	case strings.Contains(path, "no-memory"):
		fmt.Fprintln(os.Stderr, "fatal error: runtime: out of memory")
		os.Exit(2)
	case strings.Contains(path, "environment"):
		for _, e := range os.Environ() {
			name, _, _ := strings.Cut(e, "=")
			if !allowedName(name) {
				fmt.Fprintln(os.Stderr, "fatal error: out of memory: not allowed:", name)
				os.Exit(2)
			}
		}
	}
}

func allowedName(name string) bool {
	if name == misbehaveEnv || name == "PWD" || name == "MALLOC_ARENA_MAX" {
		return true
	}
	for _, n := range workerEnvironment {
		if n == name {
			return true
		}
	}
	return false
}

//go:noinline
func overflow(n int) int {
	if n < 0 {
		return 0
	}
	var pad [1 << 10]byte
	pad[n%len(pad)] = byte(n)
	return overflow(n+1) + int(pad[(n+1)%len(pad)])
}

// compileRepo compiles HEAD in process into memory.
func compileRepo(t testing.TB, r *testRepo, change ...func(*Options)) (*Memory, *Result) {
	t.Helper()
	m := &Memory{}
	o := Options{Repo: r.open(), Sink: m, InProcess: true}
	for _, c := range change {
		c(&o)
	}
	res, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Final(); got == nil || got.Digest != res.Digest || artifact.DigestOf(got.Encoded) != res.Digest {
		t.Fatal("the published manifest is not the result's")
	}
	return m, res
}

// compileTree compiles a commit with this tree.
func compileTree(t testing.TB, tr tree, change ...func(*Options)) (*indexTester, *Result) {
	t.Helper()
	r := newRepo(t)
	r.commit(tr)
	m, res := compileRepo(t, r, change...)
	return openTester(t, m), res
}

// indexTester reads an index for tests.
type indexTester struct {
	t  testing.TB
	ix *artifact.Index
}

func openTester(t testing.TB, m *Memory) *indexTester {
	t.Helper()
	ix, err := m.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ix.Close() })
	proof, err := ix.Prove(context.Background())
	if err != nil {
		t.Errorf("the index does not prove its commit: %v", err)
	} else if m := ix.Manifest(); m.Views["source"].State == artifact.ViewReady && (proof.Entries != m.Files || proof.Blobs != m.Indexed) {
		t.Errorf("%d entries and %d blobs are proved of %d and %d", proof.Entries, proof.Blobs, m.Files, m.Indexed)
	}
	return &indexTester{t, ix}
}

// find returns where a file is.
func (x *indexTester) find(path string) (p, f int) {
	x.t.Helper()
	p, f, ok, err := x.ix.FindFile(path)
	if err != nil || !ok {
		x.t.Fatalf("file %.80q is not in the index: %v", path, err)
	}
	return p, f
}

func (x *indexTester) units(p int) *artifact.UnitsReader {
	x.t.Helper()
	u, err := x.ix.Units(p)
	if err != nil {
		x.t.Fatal(err)
	}
	return u
}

func (x *indexTester) file(path string) artifact.File {
	x.t.Helper()
	p, f := x.find(path)
	return x.units(p).File(f)
}

func (x *indexTester) content(path string) string {
	x.t.Helper()
	p, f := x.find(path)
	s, err := x.ix.Source(p)
	if err != nil {
		x.t.Fatal(err)
	}
	return string(s.Content(f))
}

// symbols returns the names that a file declares.
func (x *indexTester) symbols(path string) []string {
	x.t.Helper()
	p, f := x.find(path)
	s, err := x.ix.Structural(p)
	if err != nil {
		x.t.Fatal(err)
	}
	var out []string
	for i, hi := s.FileSymbols(f); i < hi; i++ {
		out = append(out, s.Symbol(i).Name)
	}
	return out
}

// hasTerm reports whether any document of the index holds the term.
func (x *indexTester) hasTerm(term string) bool {
	x.t.Helper()
	for p := range x.ix.NumPartitions() {
		l, err := x.ix.Lexical(p)
		if err != nil {
			x.t.Fatal(err)
		}
		if _, ok, err := l.Lookup(term); err != nil {
			x.t.Fatal(err)
		} else if ok {
			return true
		}
	}
	return false
}

// note returns the report's reason for a file, "" when it has none.
func note(notes []FileNote, path string) string {
	for _, n := range notes {
		if n.Path == path {
			return n.Reason
		}
	}
	return ""
}
