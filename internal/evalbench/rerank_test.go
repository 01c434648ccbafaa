package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	good := "12 (a) b (c)) S 1 2 3 4 5 6 7 8 9 10 150 25 0 0 20 0"
	if d, err := parseStat([]byte(good)); err != nil || d != 1750*time.Millisecond {
		t.Errorf("%v %v", d, err)
	}
	for _, bad := range []string{"", "12 (a", "12 (a) S 1 2", "12 (a) S 1 2 3 4 5 6 7 8 9 10 x 25", "no name here"} {
		if d, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q gives %v", bad, d)
		}
	}
	if d, err := processTime(0); d != 0 || err != nil {
		t.Errorf("%v %v", d, err)
	}
}

func TestReranked(t *testing.T) {
	mirrors, work := t.TempDir(), t.TempDir()
	commit := repoOf(t, mirrors, "o/r", map[string]string{
		"open.go":  "package r\n\n// Open opens a file.\nfunc Open(file string) {}\n",
		"close.go": "package r\n\n// Close closes a file.\nfunc Close(file string) {}\n",
	})
	name := filepath.Join(work, "snapshots", commit+".json")
	if err := keepSnapshot(context.Background(), filepath.Join(mirrors, "o/r"), commit, name, work, true); err != nil {
		t.Fatal(err)
	}
	q := task{ID: "semble/r/0", Set: "semble", Repo: "r", Mirror: "o/r", Commit: commit, Query: "open a file"}
	seen := map[string]int{}
	judge := func(_ context.Context, question string, texts []string) ([]int64, error) {
		var out []int64
		for _, x := range texts {
			seen[x]++
			out = append(out, int64(strings.Count(x, "Close")))
		}
		return out, nil
	}
	var r reranked
	if err := r.ask(context.Background(), &q, judge, 0, mirrors, work); err != nil {
		t.Fatal(err)
	}
	first := func(order string) string { return r.Orders[order][0].Path }
	if first(notReranked) != "open.go" || first(orderName(30)) != "close.go" || first(orderName(100)) != "close.go" {
		t.Errorf("%v", r.Orders)
	}
	size := 0
	for x, n := range seen {
		if size += len(x); n != 1 {
			t.Errorf("asked %d times about %q", n, x)
		}
	}
	if size == 0 || r.Bytes[30] != size || r.Bytes[100] != size {
		t.Errorf("%d bytes, not %v", size, r.Bytes)
	}
	err := r.ask(context.Background(), &q, func(context.Context, string, []string) ([]int64, error) { return nil, errors.New("away") }, 0, mirrors, work)
	if err == nil || !strings.Contains(err.Error(), "away") {
		t.Errorf("a server that fails gives %v", err)
	}
}
