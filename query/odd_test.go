package query

import (
	"context"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/query/querytest"
)

// TestEmptyIndex asks everything of an index without files, and of one whose
// only file is empty or skipped.
func TestEmptyIndex(t *testing.T) {
	ctx := context.Background()
	for name, files := range map[string][]querytest.File{
		"no files":     nil,
		"empty file":   {{Path: "empty.txt"}},
		"skipped file": {{Path: "a.bin", Skip: artifact.SkipBinary}},
	} {
		t.Run(name, func(t *testing.T) {
			e := New(querytest.New(files, querytest.Options{}), Options{})
			for _, route := range []string{RouteAuto, RouteLexical, RouteSemantic, RouteHybrid} {
				for _, q := range []string{"name", "how is it done", `"two words"`, "a/b.go"} {
					if _, err := e.Search(ctx, SearchOptions{Query: q, Route: route, Explain: true}); err != nil {
						t.Errorf("search %s by %s: %v", q, route, err)
					}
				}
			}
			if r, err := e.Grep(ctx, GrepOptions{Pattern: "x"}); err != nil || r.Total != 0 {
				t.Errorf("grep: %+v %v", r, err)
			}
			if r, err := e.Symbols(ctx, SymbolsOptions{Name: "x"}); err != nil || r.Total != 0 {
				t.Errorf("symbols: %+v %v", r, err)
			}
			if _, err := e.Def(ctx, "x"); fail.CodeOf(err) != fail.NotFound {
				t.Errorf("def: %v", err)
			}
			if r, err := e.Outline(ctx, ""); err != nil || r.Total != len(files) {
				t.Errorf("outline: %+v %v", r, err)
			}
			if _, err := e.Show(ctx, "nowhere", 0, 0); fail.CodeOf(err) != fail.NotFound {
				t.Errorf("show: %v", err)
			}
			if s := e.Status(); s.Files != len(files) {
				t.Errorf("status: %+v", s)
			}
			if skips, err := e.Skips(); err != nil || len(skips) != e.Index().Manifest().Skipped["binary"] {
				t.Errorf("skips: %v %v", skips, err)
			}
		})
	}
	e := New(querytest.New([]querytest.File{{Path: "empty.txt"}}, querytest.Options{}), Options{})
	if r, err := e.Show(ctx, "empty.txt", 0, 0); err != nil || r.Text != "" || r.Lines != 0 {
		t.Errorf("show of an empty file: %+v %v", r, err)
	}
	if r, err := e.Search(ctx, SearchOptions{Query: "empty.txt"}); err != nil || len(r.Results) != 1 {
		t.Errorf("an empty file is found by its path: %+v %v", r, err)
	}
	e = New(querytest.New([]querytest.File{{Path: "a.bin", Skip: artifact.SkipBinary}}, querytest.Options{}), Options{})
	if _, err := e.Show(ctx, "a.bin", 0, 0); fail.CodeOf(err) != fail.NotFound {
		t.Errorf("show of a skipped file: %v", err)
	}
}

// TestDamagedIndex flips bytes of every segment and wants an error with the
// code for it, or an answer; never a crash.
func TestDamagedIndex(t *testing.T) {
	ctx := context.Background()
	parts := querytest.Partitions(searchFiles(), querytest.Options{PerPartition: 3})
	good := querytest.Assemble(parts, nil)
	for _, v := range artifact.Views {
		for at := 0; at < 4000; at += 37 {
			open := func(p int, view artifact.View, _ artifact.SegmentInfo) ([]byte, error) {
				b := parts[p][view]
				if view == v && p == 1 && at < len(b) {
					b = append([]byte(nil), b...)
					b[at] ^= 0x41
				}
				return b, nil
			}
			e := New(artifact.NewIndex(good.Manifest(), good.Digest(), open, nil), Options{})
			for _, err := range []error{
				second(e.Search(ctx, SearchOptions{Query: "open_session", Route: RouteHybrid})),
				second(e.Grep(ctx, GrepOptions{Pattern: "session"})),
				second(e.Symbols(ctx, SymbolsOptions{Name: "x"})),
				second(e.Outline(ctx, "")),
			} {
				if err != nil && fail.CodeOf(err) != fail.Verification {
					t.Fatalf("%s segment, byte %d: %v", v, at, err)
				}
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestOpenFails checks that a segment that cannot be had fails the query with
// the opener's error, and that the next query asks again.
func TestOpenFails(t *testing.T) {
	parts := querytest.Partitions(searchFiles(), querytest.Options{})
	good := querytest.Assemble(parts, nil)
	broken := true
	open := func(p int, v artifact.View, _ artifact.SegmentInfo) ([]byte, error) {
		if broken && v == artifact.Lexical && p > 0 {
			return nil, fail.New(fail.Network, "try again", "the registry does not answer")
		}
		return parts[p][v], nil
	}
	e := New(artifact.NewIndex(good.Manifest(), good.Digest(), open, nil), Options{Workers: 3})
	if _, err := e.Search(context.Background(), SearchOptions{Query: "session"}); fail.CodeOf(err) != fail.Network {
		t.Fatalf("got %v", err)
	}
	broken = false
	if _, err := e.Search(context.Background(), SearchOptions{Query: "session"}); err != nil {
		t.Fatal(err)
	}
}
