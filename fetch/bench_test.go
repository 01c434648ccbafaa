package fetch_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/pindex-dev/pindex/fetch"
)

// large has the partitions, files and documents of a web framework of 7,000
// files; its segments are somewhat smaller than real ones.
var large = shape{partitions: 216, files: 32, functions: 6, lines: 8, seed: 11}

var largeFixture = sync.OnceValue(func() *fixture { return newFixture(new(testing.B), large, "") })

// published returns the folder of a store and a cache that hold the large
// fixture.
func published(b *testing.B) (string, *fixture) {
	x, dir := largeFixture(), b.TempDir()
	x.publish(b, openStore(b, dir+"/store"), fetch.OpenCache(dir+"/cache"))
	return dir, x
}

// BenchmarkOpen is what a process pays before it can look at a segment: open
// the store, resolve the tag, read and verify config and manifests.
func BenchmarkOpen(b *testing.B) {
	dir, x := published(b)
	for b.Loop() {
		ix, err := fetch.Open(b.Context(), openStore(b, dir+"/store"), fetch.OpenCache(dir+"/cache"), x.commit(), fetch.OpenOptions{})
		if err != nil {
			b.Fatal(err)
		}
		ix.Close()
	}
}

// BenchmarkSegments opens all segments of the views that a hybrid query
// reads, over the cache, in parallel.
func BenchmarkSegments(b *testing.B) {
	dir, x := published(b)
	for b.Loop() {
		b.StopTimer()
		ix, err := fetch.Open(b.Context(), openStore(b, dir+"/store"), fetch.OpenCache(dir+"/cache"), x.commit(), fetch.OpenOptions{})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		err = ix.EachPartition(b.Context(), func(p int) error {
			_, err1 := ix.Units(p)
			_, err2 := ix.Lexical(p)
			_, err3 := ix.Dense(p)
			return errors.Join(err1, err2, err3)
		})
		b.StopTimer()
		if err != nil {
			b.Fatal(err)
		}
		ix.Close()
		b.StartTimer()
	}
}

// BenchmarkUnpack is the first reading with an empty cache.
func BenchmarkUnpack(b *testing.B) {
	dir, x := published(b)
	n := 0
	for b.Loop() {
		n++
		cache := fetch.OpenCache(fmt.Sprintf("%s/cache%d", dir, n))
		ix, err := fetch.Open(b.Context(), openStore(b, dir+"/store"), cache, x.commit(), fetch.OpenOptions{})
		if err != nil {
			b.Fatal(err)
		}
		if err := ix.EachPartition(b.Context(), func(p int) error { _, err := ix.Units(p); return err }); err != nil {
			b.Fatal(err)
		}
		ix.Close()
	}
}

// BenchmarkPublish pushes and publishes 216 packs and fills an empty cache, as
// a compile does.
func BenchmarkPublish(b *testing.B) {
	x, dir := largeFixture(), b.TempDir()
	n := 0
	for b.Loop() {
		n++
		x.publish(b, openStore(b, fmt.Sprintf("%s/store%d", dir, n)), fetch.OpenCache(fmt.Sprintf("%s/cache%d", dir, n)))
	}
}
