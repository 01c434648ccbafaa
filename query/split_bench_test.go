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

// BenchmarkSplit tells what a warm hybrid query's processor time goes to. The
// index is a real one, which the environment names:
//
//	PINDEX_SPLIT_STORE=DIR PINDEX_SPLIT_COMMIT=HASH go test ./query -run - -bench Split
//
// One search is made whole, and its stages by themselves with what the whole
// one left ready: encoding of the question, the scan of all vectors, the terms'
// look-up with the scores of documents. The rest is the whole less the three:
// selection, features, the final ranker, snippets. Each stage's figure is the
// process's processor time, so that other work on the machine is not in it; one
// worker, so that it is the time that an idle machine would take.
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
	em, err := e.embedder()
	if err != nil {
		b.Fatal(err)
	}
	vec := make([]int8, em.Dims())
	var whole, encode, scan, lexical time.Duration
	n := 0
	timed := func(into *time.Duration, what func() error) {
		begun := stats.CPU()
		if err := what(); err != nil {
			b.Fatal(err)
		}
		*into += stats.CPU() - begun
	}
	search := func(q string) error {
		_, err := e.Search(ctx, SearchOptions{Query: q, Route: RouteHybrid})
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
		sc := e.getScratch()
		terms := analyse(q, &e.weights)
		timed(&lexical, func() error {
			if err := e.lookUp(ctx, terms, sc); err != nil {
				return err
			}
			return e.scoreLexical(ctx, terms, &e.weights, sc)
		})
		asked := em.Clone()
		timed(&encode, func() error { asked.EmbedQuery(terms.clean, vec); return nil })
		timed(&scan, func() error { return e.each(ctx, e.scanFor(asked, vec, sc).part) })
		e.scratch.Put(sc)
	}
	for _, m := range []struct {
		name string
		of   time.Duration
	}{
		{"whole", whole}, {"encode", encode}, {"scan", scan}, {"lexical", lexical},
		{"rest", whole - encode - scan - lexical},
	} {
		b.ReportMetric(float64(m.of.Microseconds())/float64(n), "cpu-µs-"+m.name)
	}
	b.ReportMetric(float64(e.docs), "units")
}
