package compile

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/views"
	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// treeRepo is a repository of one commit in memory, for thousands of compiles.
type treeRepo struct {
	git.Repository // nil: what is not below is not called
	commit         *git.Commit
	entries        []git.Entry
	blobs          map[gitobj.ID]string
}

func newTreeRepo(tr tree, message string) *treeRepo {
	r := &treeRepo{blobs: map[gitobj.ID]string{}}
	listing := ""
	for _, path := range slices.Sorted(maps.Keys(tr)) {
		e := tr[path]
		mode := e.mode
		if mode == 0 {
			mode = 0o100644
		}
		entry := git.Entry{Path: path, Mode: mode}
		if mode == modeModule {
			entry.ID, _ = gitobj.ParseID(e.content)
		} else {
			entry.ID, entry.Size = gitobj.Hash(gitobj.SHA1, "blob", []byte(e.content)), int64(len(e.content))
			r.blobs[entry.ID] = e.content
		}
		r.entries = append(r.entries, entry)
		listing += fmt.Sprintf("%o %s %s\n", mode, entry.ID, path)
	}
	tree := gitobj.Hash(gitobj.SHA1, "tree", []byte(listing))
	raw := fmt.Appendf(nil, "tree %s\nauthor A <a@example.org> 1700000000 +0000\ncommitter A <a@example.org> 1700000000 +0000\n\n%s\n", tree, message)
	r.commit = &git.Commit{ID: gitobj.Hash(gitobj.SHA1, "commit", raw), Tree: tree, Raw: raw, Unix: 1700000000}
	return r
}

func (r *treeRepo) Backend() string                                      { return "memory" }
func (r *treeRepo) Format() gitobj.Format                                { return gitobj.SHA1 }
func (r *treeRepo) Resolve(context.Context, string) (gitobj.ID, error)   { return r.commit.ID, nil }
func (r *treeRepo) Tree(context.Context, gitobj.ID) ([]git.Entry, error) { return r.entries, nil }
func (r *treeRepo) Blobs(context.Context) (git.BlobReader, error)        { return r, nil }
func (r *treeRepo) Close() error                                         { return nil }
func (r *treeRepo) ReadCommit(context.Context, gitobj.ID) (*git.Commit, error) {
	return r.commit, nil
}

func (r *treeRepo) Read(id gitobj.ID, dst []byte) ([]byte, error) {
	content, ok := r.blobs[id]
	if !ok {
		return nil, git.ErrMissing
	}
	return append(dst, content...), nil
}

// buildOn compiles a tree, on top of parent where that is not nil.
func buildOn(tr tree, parent *Memory) (*Memory, error) {
	sink := &Memory{Parent: parent}
	o := Options{Repo: newTreeRepo(tr, "a commit"), Sink: sink, InProcess: true, Workers: 1, Embedder: embed.NewHashed()}
	if parent != nil {
		o.FindParent = func(context.Context, Wanted) (*Parent, error) {
			return &Parent{Manifest: parent.Final().Manifest}, nil
		}
	}
	_, err := Run(context.Background(), o)
	return sink, err
}

// unequal says how an index made on top of was's differs from one made from
// nothing, "" when it does not.
func unequal(was *Memory, is tree) (onTop *Memory, reused int, difference string) {
	full, errFull := buildOn(is, nil)
	onTop, err := buildOn(is, was)
	if err != nil || errFull != nil {
		if fmt.Sprint(err) != fmt.Sprint(errFull) {
			return nil, 0, fmt.Sprintf("errors differ: %v, %v", err, errFull)
		}
		return nil, 0, ""
	}
	reused = onTop.Final().Report.PartitionsReused
	if onTop.Final().Digest != full.Final().Digest {
		return onTop, reused, "the digests differ"
	}
	for n := range full.Final().Partitions {
		if !bytes.Equal(full.PackBytes(n), onTop.PackBytes(n)) {
			return onTop, reused, fmt.Sprintf("the packs of partition %d differ", n)
		}
	}
	return onTop, reused, ""
}

// TestDeltaEqualsFull drives random trees through random transitions: the
// index made on top of the one before equals the one made from nothing, pack
// for pack. -transitions sets how many; a failure is shrunk to a txtar.
func TestDeltaEqualsFull(t *testing.T) {
	kinds, reused, built := map[string]int{}, 0, 0
	left := *transitions
	for seed := uint64(0); left > 0; seed++ {
		g := &generator{rand.New(rand.NewPCG(seed, 11))}
		size := 2 + g.IntN(25)
		if seed%10 == 9 {
			size = 4*leastSquare - 3 + g.IntN(6) // about where k changes
		}
		at := g.tree(size)
		earlier := []tree{at}
		index, err := buildOn(at, nil)
		if err != nil {
			t.Fatal(err)
		}
		steps := 20
		if size > 100 {
			steps = 4
		}
		for range min(steps, left) {
			next, kind := g.transition(at, earlier)
			left--
			kinds[kind]++
			made, n, diff := unequal(index, next)
			if diff != "" {
				was, is := shrink(at, next, func(was, is tree) bool {
					index, err := buildOn(was, nil)
					if err != nil {
						return false
					}
					_, _, diff := unequal(index, is)
					return diff != ""
				})
				t.Fatalf("seed %d, %s: %s\n%s", seed, kind, diff, transitionText(was, is))
			}
			if made == nil {
				continue // neither could be compiled, for the same reason
			}
			reused += n
			built += made.Final().Partitions - n
			at, index = next, made
			earlier = append(earlier, at)
		}
	}
	for _, k := range transitionKinds {
		if kinds[k] == 0 && *transitions >= 500 {
			t.Errorf("no transition was of kind %q", k)
		}
	}
	if reused < built {
		t.Errorf("only %d partitions were taken over, %d were built", reused, built)
	}
	t.Logf("%d transitions %v: %d partitions taken over, %d built", *transitions, kinds, reused, built)
}

var transitionKinds = []string{"add", "edit", "delete", "rename", "copy", "mode", "case", "file to folder",
	"folder to file", "merge", "revert", "submodule", "settings", "nothing"}

// transition makes the next commit's tree.
func (g *generator) transition(t tree, earlier []tree) (tree, string) {
	kind := transitionKinds[g.IntN(len(transitionKinds))]
	out := maps.Clone(t)
	paths := slices.Sorted(maps.Keys(out))
	p := paths[g.IntN(len(paths))]
	put := func(path string, e entry) {
		for q := range out { // neither above nor below a file
			if strings.HasPrefix(q, path+"/") || strings.HasPrefix(path, q+"/") {
				delete(out, q)
			}
		}
		out[path] = e
	}
	switch kind {
	case "add":
		put(g.path(), g.entry())
	case "edit":
		for range 1 + g.IntN(3) {
			out[paths[g.IntN(len(paths))]] = g.entry()
		}
	case "delete":
		if len(out) > 1 {
			delete(out, p)
		}
	case "rename":
		e := out[p]
		delete(out, p)
		put(g.path(), e)
	case "copy":
		put(g.path(), out[p])
	case "mode":
		e := out[p]
		if e.mode == 0 {
			e.mode = 0o100755
		} else if e.mode != modeModule {
			e.mode = 0
		}
		out[p] = e
	case "case":
		e := out[p]
		delete(out, p)
		put(strings.ToUpper(p), e)
	case "file to folder":
		e := out[p]
		delete(out, p)
		put(p+"/inner.py", e)
		put(p+"/more.go", g.entry())
	case "folder to file":
		if i := strings.IndexByte(p, '/'); i > 0 {
			put(p[:i], out[p])
		}
	case "merge":
		side := g.mutate(earlier[g.IntN(len(earlier))], 2)
		for q, e := range side {
			if g.IntN(3) == 0 {
				put(q, e)
			}
		}
	case "revert":
		out = maps.Clone(earlier[g.IntN(len(earlier))])
	case "submodule":
		put("module", entry{mode: modeModule, content: fmt.Sprintf("%040x", g.Uint64())})
	case "settings":
		put(ConfigPath, text([]string{
			"exclude: [\"d1/**\"]\n", "languages: [go]\n", "exclude: []\n", "limits: {parse_bytes: 60}\n",
			"views: [source, lexical]\n", "include: [\"**/*.py\", \"d2/**\"]\n",
		}[g.IntN(6)]))
	}
	return out, kind
}

// shrink takes files away from both trees for as long as they fail.
func shrink(was, is tree, fails func(was, is tree) bool) (tree, tree) {
	if !fails(was, is) {
		return was, is // it takes the whole history
	}
	for again := true; again; {
		again = false
		for _, path := range slices.Sorted(maps.Keys(mergeTrees(was, is))) {
			a, b := maps.Clone(was), maps.Clone(is)
			delete(a, path)
			delete(b, path)
			if len(a) > 0 && len(b) > 0 && fails(a, b) {
				was, is, again = a, b, true
			}
		}
	}
	return was, is
}

func mergeTrees(a, b tree) tree {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// transitionText writes two trees as a txtar.
func transitionText(was, is tree) string {
	ar := &txtar.Archive{}
	for _, side := range []struct {
		name string
		tree tree
	}{{"was", was}, {"is", is}} {
		for _, path := range slices.Sorted(maps.Keys(side.tree)) {
			e := side.tree[path]
			ar.Files = append(ar.Files, txtar.File{Name: fmt.Sprintf("%s/%q %o", side.name, path, e.mode), Data: []byte(e.content)})
		}
	}
	return string(txtar.Format(ar))
}

// TestShrink wants the smallest failing trees.
func TestShrink(t *testing.T) {
	was := tree{"a": text("1"), "b": text("2"), "c": text("3")}
	is := tree{"a": text("1"), "b": text("9"), "c": text("3")}
	a, b := shrink(was, is, func(was, is tree) bool { return was["b"] != is["b"] })
	if len(a) != 1 || len(b) != 1 || !strings.Contains(transitionText(a, b), `is/"b" 0 --`) {
		t.Errorf("%v %v\n%s", a, b, transitionText(a, b))
	}
}

// TestReuse checks that what is taken over is not built, and what cannot be
// had is.
func TestReuse(t *testing.T) {
	tr := tree{}
	for i := range 60 {
		tr[fmt.Sprintf("f%02d.py", i)] = text(fmt.Sprintf("def f%d():\n    return %d\n", i, i))
	}
	was, err := buildOn(tr, nil)
	if err != nil {
		t.Fatal(err)
	}
	next := maps.Clone(tr)
	next["f07.py"] = text("def seven():\n    pass\n")
	is, err := buildOn(next, was)
	if err != nil {
		t.Fatal(err)
	}
	rep, rest := is.Final().Report, len(is.Final().Manifest.Partitions)-1
	if rest < 20 || rep.PartitionsReused != rest || rep.SegmentsBuilt != len(artifact.Views) || rep.SegmentsReused != rest*len(artifact.Views) || rep.Parent == "" {
		t.Errorf("%+v", rep)
	}
	delete(was.packs, 12)
	again, err := buildOn(next, was)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Final().Report.PartitionsReused; got != rest-1 || again.Final().Digest != is.Final().Digest {
		t.Errorf("%d partitions are taken over from a parent that lost one", got)
	}
	ix, err := is.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	if _, err := ix.Check(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestFailingViewIsNotReused gives up a view in the middle of a delta: what
// was taken over is built again without it.
func TestFailingViewIsNotReused(t *testing.T) {
	tr := tree{"a.py": text("def a(): pass\n"), "b.py": text("def b(): pass\n")}
	was, err := buildOn(tr, nil)
	if err != nil {
		t.Fatal(err)
	}
	next := maps.Clone(tr)
	next["b.py"] = text("def c(): pass\n")
	run := func(parent *Memory) *Memory {
		sink := &Memory{Parent: parent}
		o := Options{Repo: newTreeRepo(next, "a commit"), Sink: sink, InProcess: true, Workers: 1}
		o.builders = map[artifact.View]Builder{artifact.Lexical: func(in *views.Partition) ([]byte, error) {
			if strings.Contains(in.Batch.Files[0].Path, "b.py") {
				return nil, fmt.Errorf("no luck")
			}
			return views.Builders[artifact.Lexical](in)
		}}
		if parent != nil {
			o.FindParent = func(context.Context, Wanted) (*Parent, error) { return &Parent{Manifest: parent.Final().Manifest}, nil }
		}
		if _, err := Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		return sink
	}
	if a, b := run(was), run(nil); a.Final().Digest != b.Final().Digest {
		t.Error("a view that fails in a delta gives another digest than one that fails in a full build")
	}
}
