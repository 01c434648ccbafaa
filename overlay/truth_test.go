package overlay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"unicode/utf16"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/overlay"
	"github.com/pindex-dev/pindex/overlay/bylines"
	"github.com/pindex-dev/pindex/query"
)

var (
	truthRepo  = flag.String("truth.repo", "", "a repository to edit a copy of, in place of a small made one")
	truthEdits = flag.Int("truth.edits", 16, "random edits, after each of which all answers are compared")
	truthSeed  = flag.Uint64("truth.seed", 1, "what the edits are drawn from")
)

// TestTruth edits a working tree at random. After each edit the answers of base
// plus overlay are those of a fresh index of the edited tree: of the overlay
// with a parser on all routes and in navigation; of the one by lines exactly in
// grep and show, and by words with no stale and no missing file.
//
//	go test ./overlay -run Truth -truth.repo /path/to/flask -truth.edits 200 -timeout 2h -v
func TestTruth(t *testing.T) {
	ctx := t.Context()
	w := newEdited(t, rand.New(rand.NewPCG(*truthSeed, 11)))
	base := w.compile(ctx, w.head)
	baseTree := w.tree(ctx, w.head)
	follower := git.NewFollower(w.dir, git.Options{})
	builder := bylines.New(base)
	own := query.New(base, query.Options{})
	known := overlay.Packs{Dir: filepath.Join(t.TempDir(), "packs")}
	compared := map[string]int{}
	for n := range *truthEdits {
		what := w.edit()
		changes, left, err := follower.Changes(ctx, baseTree, 1<<20)
		if err != nil || left != 0 {
			t.Fatal(left, err)
		}
		fresh := w.compile(ctx, w.commitEdits())
		want := query.New(fresh, query.Options{})

		over, err := overlay.Build(ctx, overlay.Request{Base: base, Repo: w.repo, Commit: w.head, WorkTree: w.dir, Changes: changes, Known: known, InProcess: true, Workers: 1})
		if err != nil {
			t.Fatalf("edit %d, %s: %v", n, what, err)
		}
		if !reflect.DeepEqual(over.Manifest().Partitions, fresh.Manifest().Partitions) {
			t.Fatalf("edit %d, %s: the overlay has other segments than a fresh index", n, what)
		}
		full := query.New(over, query.Options{})
		questions := w.questions(fresh, changes)
		for _, q := range questions {
			for name, ask := range routes {
				compared["full "+name]++
				if a, b := answer(ask(ctx, full, q)), answer(ask(ctx, want, q)); a != b {
					t.Fatalf("edit %d, %s: %s %q\noverlay %s\nfresh   %s", n, what, name, q, a, b)
				}
			}
		}

		small, hidden := w.byLines(ctx, own, builder, changes)
		w.compareGrep(n, what, small, want, questions, compared)
		w.compareShow(n, what, small, want, changes, compared)
		for _, q := range questions {
			compared["lines lexical"]++
			w.compareWords(n, what, small, want, q)
			for name, ask := range navigation {
				compared["lines no stale "+name]++
				for _, path := range pathsIn(ask(ctx, small, q)) {
					if hidden[path] {
						t.Fatalf("edit %d, %s: %s %q names %s, which differs", n, what, name, q, path)
					}
				}
			}
		}
		if t.Failed() {
			return
		}
		_ = over.Close()
		_ = fresh.Close()
	}
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range compared {
			if !yield(name) {
				return
			}
		}
	}) {
		t.Logf("%-26s %d answers equal", name, compared[name])
	}
}

type asking func(ctx context.Context, e *query.Engine, q string) (any, error)

var navigation = map[string]asking{
	"def": func(ctx context.Context, e *query.Engine, q string) (any, error) { return e.Def(ctx, q) },
	"symbols": func(ctx context.Context, e *query.Engine, q string) (any, error) {
		return e.Symbols(ctx, query.SymbolsOptions{Name: q})
	},
	"refs": func(ctx context.Context, e *query.Engine, q string) (any, error) {
		return e.Refs(ctx, query.UsesOptions{Target: q, All: true})
	},
	"callers": func(ctx context.Context, e *query.Engine, q string) (any, error) {
		return e.Callers(ctx, query.UsesOptions{Target: q})
	},
	"callees": func(ctx context.Context, e *query.Engine, q string) (any, error) {
		return e.Callees(ctx, query.UsesOptions{Target: q})
	},
	"impact": func(ctx context.Context, e *query.Engine, q string) (any, error) {
		return e.Impact(ctx, query.ImpactOptions{Target: q})
	},
	"hierarchy": func(ctx context.Context, e *query.Engine, q string) (any, error) {
		return e.Hierarchy(ctx, query.UsesOptions{Target: q})
	},
	"implementations": func(ctx context.Context, e *query.Engine, q string) (any, error) {
		return e.Implementations(ctx, query.UsesOptions{Target: q})
	},
}

// routes are navigation and every other way to ask.
var routes = func() map[string]asking {
	all := map[string]asking{
		"grep": func(ctx context.Context, e *query.Engine, q string) (any, error) {
			return e.Grep(ctx, query.GrepOptions{Pattern: q, Literal: true})
		},
		"outline": func(ctx context.Context, e *query.Engine, q string) (any, error) { return e.Outline(ctx, "") },
	}
	for name, ask := range navigation {
		all[name] = ask
	}
	for _, route := range []string{"lexical", "semantic", "hybrid", "auto"} {
		all[route] = func(ctx context.Context, e *query.Engine, q string) (any, error) {
			return e.Search(ctx, query.SearchOptions{Query: q, Route: route, K: 50})
		}
	}
	return all
}()

var heads = regexp.MustCompile(`"(commit|digest)":"[^"]*"|"took_us":\d+`)

// answer is an answer without what names the index and the time.
func answer(v any, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "error: " + err.Error()
	}
	return heads.ReplaceAllString(string(b), "")
}

var pathField = regexp.MustCompile(`"path":"((?:[^"\\]|\\.)*)"`)

// pathsIn returns the paths in an answer.
func pathsIn(v any, err error) []string {
	var out []string
	for _, m := range pathField.FindAllStringSubmatch(answer(v, err), -1) {
		var path string
		if json.Unmarshal([]byte(`"`+m[1]+`"`), &path) == nil {
			out = append(out, path)
		}
	}
	return out
}

func wide(s string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

var wordForm = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]{2,}`)

// questions are names and words of what was edited and of what was not.
func (w *edited) questions(fresh *artifact.Index, changes []git.Change) []string {
	var texts [][]byte
	for range 3 {
		p := w.r.IntN(fresh.NumPartitions())
		src, err := fresh.Source(p)
		if err != nil {
			w.t.Fatal(err)
		}
		texts = append(texts, src.Text())
	}
	for range min(3, len(changes)) {
		texts = append(texts, []byte(w.content(changes[w.r.IntN(len(changes))].Path)))
	}
	out := []string{"shared"}
	for _, text := range texts {
		if len(text) == 0 {
			continue
		}
		at := w.r.IntN(len(text))
		if m := wordForm.Find(text[at:]); m != nil {
			out = append(out, string(m[:min(len(m), 60)]))
		}
	}
	return out
}

// byLines is what the program without a parser answers from.
func (w *edited) byLines(ctx context.Context, own *query.Engine, b *bylines.Builder, changes []git.Change) (*query.Engine, map[string]bool) {
	w.t.Helper()
	var files []bylines.File
	hidden := map[string]bool{}
	var paths []string
	for _, c := range changes {
		hidden[c.Path] = true
		paths = append(paths, c.Path)
		if c.Kind != git.Deleted {
			_, stamp := git.Stamp(filepath.Join(w.dir, c.Path))
			files = append(files, bylines.File{Path: c.Path, Mode: c.Mode, Stamp: stamp})
		}
	}
	r, err := b.Build(ctx, files, func(path string, mode uint32, limit int64) ([]byte, int64, error) {
		full := filepath.Join(w.dir, path)
		if mode == git.ModeSymlink {
			target, err := os.Readlink(full)
			return []byte(target), int64(len(target)), err
		}
		if fi, err := os.Lstat(full); err == nil && !fi.Mode().IsRegular() {
			return nil, 0, fs.ErrNotExist
		}
		content, err := os.ReadFile(full)
		return content, int64(len(content)), err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	if r.Index != nil {
		if _, err := os.Stat(w.dir); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, path := range r.Hidden {
		hidden[path] = true
	}
	return own.With(append(paths, r.Hidden...), r.Index), hidden
}

func (w *edited) compareGrep(n int, what string, got, want *query.Engine, questions []string, compared map[string]int) {
	w.t.Helper()
	options := []query.GrepOptions{{Pattern: "."}, {Pattern: `^\s*$`, MaxResults: 7}, {Pattern: "SHARED", IgnoreCase: true, Context: 2}, {Pattern: "r.t", PathGlob: "**/*.py"}}
	for _, q := range questions {
		options = append(options, query.GrepOptions{Pattern: q, Literal: true, Word: w.r.IntN(2) == 0, Context: w.r.IntN(3)})
	}
	for _, o := range options {
		compared["lines grep"]++
		a, errA := got.Grep(w.t.Context(), o)
		b, errB := want.Grep(w.t.Context(), o)
		if errA == nil {
			for i := range a.Results {
				a.Results[i].Origin = query.OriginArtifact
			}
		}
		if x, y := answer(a, errA), answer(b, errB); x != y {
			w.t.Errorf("edit %d, %s: grep %+v\nby lines %s\nfresh    %s", n, what, o, cut(x, y), cut(y, x))
			return
		}
	}
}

// cut shortens a text to where it begins to differ from another.
func cut(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return a[max(0, i-200):min(len(a), i+300)]
}

func (w *edited) compareShow(n int, what string, got, want *query.Engine, changes []git.Change, compared map[string]int) {
	w.t.Helper()
	paths := []string{"no/such/file"}
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	files := w.files()
	for range 10 {
		paths = append(paths, files[w.r.IntN(len(files))])
	}
	for _, path := range paths {
		compared["lines show"]++
		first := w.r.IntN(4)
		last := 0
		if first > 0 {
			last = first + w.r.IntN(30)
		}
		a, errA := got.Show(w.t.Context(), path, first, last)
		b, errB := want.Show(w.t.Context(), path, first, last)
		if (errA == nil) != (errB == nil) {
			w.t.Errorf("edit %d, %s: show %s:%d-%d: by lines %v, fresh %v", n, what, path, first, last, errA, errB)
			return
		}
		if errA == nil && (!bytes.Equal(a.Bytes(), b.Bytes()) || a.Lines != b.Lines || a.StartLine != b.StartLine || a.EndLine != b.EndLine) {
			w.t.Errorf("edit %d, %s: show %s:%d-%d: %q, fresh %q", n, what, path, first, last, a.Bytes(), b.Bytes())
			return
		}
	}
}

// compareWords compares the files that the words of a question stand in.
func (w *edited) compareWords(n int, what string, got, want *query.Engine, q string) {
	w.t.Helper()
	files := func(e *query.Engine) []string {
		r, err := e.Search(w.t.Context(), query.SearchOptions{Query: q, Route: "lexical", Level: "file", K: query.MaxK})
		if err != nil {
			w.t.Fatal(err)
		}
		var out []string
		for _, h := range r.Results {
			out = append(out, h.FilePath())
		}
		slices.Sort(out)
		return out
	}
	if a, b := files(got), files(want); !slices.Equal(a, b) && len(b) < query.MaxK {
		w.t.Errorf("edit %d, %s: the words of %q stand in\nby lines %q\nfresh    %q", n, what, q, without(a, b), without(b, a))
	}
}

func without(a, b []string) []string {
	var out []string
	for _, x := range a {
		if !slices.Contains(b, x) {
			out = append(out, x)
		}
	}
	return out
}
