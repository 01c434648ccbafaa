package query

import (
	"context"
	"reflect"
	"testing"

	"github.com/pindex-dev/pindex/query/querytest"
)

func TestImportCounts(t *testing.T) {
	for _, counts := range []map[string]uint32{
		{}, {"": 3}, {"a": 1}, {"a": 1, "b": 2, "ab": 3, "": 4, "z": 1<<32 - 1},
	} {
		b := encodeImportCounts(counts)
		c, ok := openImportCounts(b)
		if !ok {
			t.Fatalf("%v cannot be read back", counts)
		}
		for _, name := range []string{"", "a", "aa", "ab", "abc", "b", "z", "zz"} {
			if got := c.of(name); got != counts[name] {
				t.Errorf("%v: %q has %d", counts, name, got)
			}
		}
		for n := range b {
			if _, ok := openImportCounts(b[:n]); ok && n < len(b) {
				t.Errorf("%v: %d of %d bytes pass", counts, n, len(b))
			}
		}
	}
	var none *importCounts
	if none.of("a") != 0 {
		t.Error("without counts there is one")
	}
}

func FuzzImportCounts(f *testing.F) {
	f.Add(encodeImportCounts(map[string]uint32{"a": 1, "b": 2, "ab": 3}), "a")
	f.Fuzz(func(t *testing.T, b []byte, name string) {
		if c, ok := openImportCounts(b); ok {
			c.of(name)
			c.of("")
		}
	})
}

// keeper keeps in memory, and may give back something else.
type keeper struct {
	kept  map[string][]byte
	spoil func(b []byte) []byte
	asked int
}

func (k *keeper) Keep(name string, content []byte) { k.kept[name] = content }

func (k *keeper) Derived(name string) []byte {
	k.asked++
	b := k.kept[name]
	if k.spoil != nil {
		return k.spoil(b)
	}
	return b
}

// TestKeptAnswers: an engine answers the same with what another one kept, and
// with what is none of it.
func TestKeptAnswers(t *testing.T) {
	ix := querytest.New(searchFiles(), querytest.Options{PerPartition: 2})
	ask := func(k Kept) *SearchResult {
		t.Helper()
		r, err := New(ix, Options{Kept: k}).Search(context.Background(), SearchOptions{Query: "open session", Explain: true})
		if err != nil {
			t.Fatal(err)
		}
		r.TookUS = 0
		return r
	}
	want := ask(nil)
	k := &keeper{kept: map[string][]byte{}}
	for _, spoil := range []func([]byte) []byte{
		nil, nil,
		func([]byte) []byte { return nil },
		func(b []byte) []byte { return b[:len(b)-1] },
		func([]byte) []byte { return []byte("something else altogether") },
	} {
		k.spoil = spoil
		if got := ask(k); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		if len(k.kept) == 0 || k.asked == 0 {
			t.Fatal("nothing was kept")
		}
	}
}
