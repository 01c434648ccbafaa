package query

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	builtinmodel "github.com/pindex-dev/pindex/embed/builtin"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/stats"
	"github.com/pindex-dev/pindex/registry"
)

// BenchmarkSplit tells what a warm query's processor time goes to, for each
// route. The index is a real one, which the environment names:
//
//	PINDEX_SPLIT_STORE=DIR PINDEX_SPLIT_COMMIT=HASH go test ./query -run - -bench Split -benchtime 40x
//
// One search is made whole, and its stages by themselves with what the whole
// one left ready: the terms' look-up, the scores of documents by them, encoding
// of the question, the scan of all vectors, the selection of the best documents.
// The rest is the whole less these: features, the final ranker, snippets. Each
// stage goes over all partitions here, where a search goes from stage to stage
// in each, so that the stages together may be a little more than their part of
// the whole. Each figure is the process's processor time, so that other work on
// the machine is not in it; one worker, so that it is the time that an idle
// machine would take.
func BenchmarkSplit(b *testing.B) {
	dir, commit := os.Getenv("PINDEX_SPLIT_STORE"), os.Getenv("PINDEX_SPLIT_COMMIT")
	if dir == "" {
		b.Skip("PINDEX_SPLIT_STORE names no store with a compiled repository")
	}
	ctx := context.Background()
	store, err := registry.OpenLocal(dir)
	if err != nil {
		b.Fatal(err)
	}
	ix, err := fetch.Open(ctx, store, fetch.OpenCache(""), commit, fetch.OpenOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer ix.Close()
	own, err := builtinmodel.New()
	if err != nil {
		b.Fatal(err)
	}
	if m := ix.Manifest().Model; m == nil || m.Digest != artifact.DigestOf(own.Model()) {
		b.Fatal("the index was made with another model")
	}
	e := New(ix, Options{Workers: 1, Model: func(artifact.ModelInfo) ([]byte, error) { return own.Model(), nil }})
	questions := []string{
		"how are values read from the environment turned into settings",
		"where is a request checked before its handler runs",
		"close connections that are idle",
		"parse a date with a time zone",
		"error when the name of a file has a space in it",
	}
	for _, route := range []string{RouteLexical, RouteSemantic, RouteHybrid} {
		b.Run(route, func(b *testing.B) { split(b, e, route, questions) })
	}
}

func split(b *testing.B, e *Engine, route string, questions []string) {
	ctx := context.Background()
	var whole, lookUp, lexical, encode, scan, selection time.Duration
	n := 0
	timed := func(into *time.Duration, what func() error) {
		begun := stats.CPU()
		if err := what(); err != nil {
			b.Fatal(err)
		}
		*into += stats.CPU() - begun
	}
	search := func(q string) error {
		_, err := e.Search(ctx, SearchOptions{Query: q, Route: route})
		return err
	}
	for _, q := range questions { // nothing that is made once is in the figures
		if err := search(q); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		q := questions[n%len(questions)]
		n++
		timed(&whole, func() error { return search(q) })
		s, err := e.newSearch(SearchOptions{Query: q, Route: route})
		if err != nil {
			b.Fatal(err)
		}
		timed(&lookUp, func() error { return e.lookUp(ctx, s.q, s.sc) })
		if s.useLex {
			timed(&lexical, func() error { return e.scoreLexical(ctx, s.q, s.w, s.sc) })
		}
		if s.useSem {
			var dense *denseScan
			timed(&encode, func() (err error) { dense, err = s.newDenseScan(ctx); return err })
			timed(&scan, func() error { return e.each(ctx, dense.part) })
		}
		timed(&selection, func() error {
			best := s.newSelector(func(int) bool { return true })
			if err := e.each(ctx, best.part); err != nil {
				return err
			}
			best.selected()
			return nil
		})
		e.scratch.Put(s.sc)
	}
	for _, m := range []struct {
		name string
		of   time.Duration
	}{
		{"whole", whole}, {"look-up", lookUp}, {"lexical", lexical}, {"encode", encode}, {"scan", scan}, {"select", selection},
		{"rest", whole - lookUp - lexical - encode - scan - selection},
	} {
		b.ReportMetric(float64(m.of.Microseconds())/float64(n), "cpu-µs-"+m.name)
	}
	b.ReportMetric(float64(e.docs), "units")
}
