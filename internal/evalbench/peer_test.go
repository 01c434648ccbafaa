package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/internal/peers"
)

// fakePeer answers every question with the files that it was given, in the
// order of their names, each twice.
type fakePeer struct {
	seen [][]string
	fail string // the query that it fails at
}

func (f *fakePeer) Label(context.Context) (string, error) { return "Fake 1/2", nil }
func (f *fakePeer) Index() []string                       { return []string{"/bin/sh", "-c", "ls > listed"} }

func (f *fakePeer) Ask(_ context.Context, dir string, qs []peers.Question) ([][]peers.Place, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "listed" {
			rel, _ := filepath.Rel(dir, path)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, "listed")); err != nil {
		return nil, errors.New("nothing was indexed")
	}
	f.seen = append(f.seen, files)
	var out [][]peers.Place
	for _, q := range qs {
		if q.Text == f.fail {
			return nil, errors.New("cannot say")
		}
		var ps []peers.Place
		for _, path := range files {
			ps = append(ps, peers.Place{Path: path, Start: 1, End: 1}, peers.Place{Path: path, Start: 2, End: 3})
		}
		out = append(out, ps[:min(len(ps), q.Limit)])
	}
	return out, nil
}

// repoOf makes a repository below mirrors and returns its commit.
func repoOf(t *testing.T, mirrors, name string, files map[string]string) string {
	dir := filepath.Join(mirrors, name)
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	for path, text := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "one")
	return git("rev-parse", "HEAD")
}

func TestPeer(t *testing.T) {
	mirrors, work := t.TempDir(), t.TempDir()
	big := repoOf(t, mirrors, "o/big", map[string]string{"src/a.go": strings.Repeat("a\n", 99), "src/b/c.go": "c\n", "other.go": "o\n"})
	small := repoOf(t, mirrors, "o/small", map[string]string{"x.py": "x\n"})
	groups := [][]task{
		{
			{ID: "semble/big/0", Set: "semble", Repo: "big", Mirror: "o/big", Commit: big, Query: "one", Glob: "src/**", Targets: []target{{Path: "src/b/c.go"}}},
			{ID: "semble/big/1", Set: "semble", Repo: "big", Mirror: "o/big", Commit: big, Query: "two", Glob: "src/**", Targets: []target{{"src/a.go", 2, 2}}},
		},
		{{ID: "semble/small/0", Set: "semble", Repo: "small", Mirror: "o/small", Commit: small, Query: "three", Targets: []target{{Path: "y.py"}}}},
		{{ID: "semble/gone/0", Set: "semble", Repo: "gone", Mirror: "o/gone", Commit: small, Query: "four"}},
	}
	p := &fakePeer{}
	later := time.Now().Add(time.Hour)
	got, err := peer(context.Background(), p, groups, mirrors, work, later)
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]string{{"x.py"}, {"src/a.go", "src/b/c.go"}}; !reflect.DeepEqual(p.seen, want) {
		t.Errorf("it was given %v, not %v", p.seen, want)
	}
	at := slices.IndexFunc(got, func(a peerAnswers) bool { return a.tasks[0].Repo == "big" })
	score := func(order string) (out []float64) {
		for _, m := range got[at].measures(order) {
			out = append(out, m.NDCG)
		}
		return out
	}
	// Third of a.go twice and c.go twice: 1/log2(4); one a file: second.
	if v := score(asShown); v[0] != 0.5 || v[1] < 0.63 || v[1] > 0.64 {
		t.Errorf("as shown: %v", v)
	}
	if v := score(oneAFile); v[0] < 0.63 || v[0] > 0.64 || v[1] != 0 {
		t.Errorf("one a file: %v", v)
	}
	if i := slices.IndexFunc(got, func(a peerAnswers) bool { return a.tasks[0].Repo == "gone" }); !strings.Contains(got[i].Failed, "no clone of o/gone") {
		t.Errorf("%q", got[i].Failed)
	}

	// What was answered is not asked again; a changed query is.
	p.seen = nil
	if _, err := peer(context.Background(), p, groups, mirrors, work, later); err != nil || p.seen != nil {
		t.Errorf("asked again: %v %v", p.seen, err)
	}
	groups[1][0].Query = "changed"
	if got, err = peer(context.Background(), p, groups, mirrors, work, time.Now().Add(-time.Second)); err != nil || p.seen != nil {
		t.Errorf("asked behind the deadline: %v %v", p.seen, err)
	}
	if i := slices.IndexFunc(got, func(a peerAnswers) bool { return a.tasks[0].Repo == "small" }); got[i].Failed != "not asked in the time" {
		t.Errorf("%q", got[i].Failed)
	}
	p.fail = "changed"
	for range 2 { // a failure is tried again
		p.seen = nil
		if got, err = peer(context.Background(), p, groups, mirrors, work, later); err != nil || len(p.seen) != 1 {
			t.Errorf("%v %v", p.seen, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(work, "peer-*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

func TestContest(t *testing.T) {
	a, b := &task{ID: "a", Set: "semble", Repo: "r"}, &task{ID: "b", Set: "loc", Repo: "r"}
	c := contest{score: scoreOf}
	c.add("one", []measure{{Task: a, NDCG: 0.5, R10: 9}, {Task: b, NDCG: 9, R10: 0.25}})
	c.add("two", []measure{{Task: b, R10: 1}})
	c.add("one", []measure{{Task: &task{ID: "c"}}})
	if got := c.common(); len(got) != 1 || got[0] != b {
		t.Errorf("%v", got)
	}
	if _, v := c.of("one", []*task{a, b}); !slices.Equal(v, []float64{0.5, 0.25}) {
		t.Errorf("%v", v)
	}
}
