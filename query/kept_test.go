package query

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/query/querytest"
)

// keeper keeps in memory, and may give back something else.
type keeper struct {
	kept  map[string][]byte
	spoil func(b []byte) []byte
}

func (k *keeper) Keep(name string, content []byte) { k.kept[name] = content }

func (k *keeper) Derived(name string) []byte {
	if k.spoil != nil {
		return k.spoil(k.kept[name])
	}
	return k.kept[name]
}

// keptFixture is a small index with something of all that is kept.
func keptFixture() *artifact.Index {
	named := func(name string, line uint32) artifact.Symbol {
		at := artifact.Position{Line: line, Col: 1}
		return artifact.Symbol{Name: name, Descriptor: name + "().", Kind: artifact.KindFunction, Start: at, NamePos: at, End: artifact.Position{Line: line, Col: 9}}
	}
	at := artifact.Position{Line: 1, Col: 1}
	return querytest.New([]querytest.File{
		{Path: "a/open.py", Lang: "python", Content: "one\ntwo\n", Symbols: []artifact.Symbol{named("first", 1), named("second", 2)},
			Imports: []artifact.Import{{Pos: at, Module: "b.Store", Name: "x"}, {Pos: at, Module: "b.Store", Name: "y"}, {Pos: at, Module: "./lib/open.js", Name: "*"}}},
		{Path: "a/logo.png", Skip: artifact.SkipBinary},
		{Path: "b/store.go", Lang: "go", Content: "one\n", Symbols: []artifact.Symbol{named("first", 1)}, Imports: []artifact.Import{{Pos: at, Module: "x/store", Name: ""}}},
		{Path: "tests/store_test.go", Lang: "go", Content: "one\n"},
		{Path: "tests/text", Content: "one\n"},
	}, querytest.Options{PerPartition: 2})
}

// keptAnswers asks an engine what needs everything that is kept.
func keptAnswers(t *testing.T, ix *artifact.Index, k Kept) []any {
	t.Helper()
	ctx := context.Background()
	e := New(ix, Options{Kept: k})
	search, err := e.Search(ctx, SearchOptions{Query: "root of the shop", Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	search.TookUS = 0
	out := []any{search}
	for _, name := range []string{"link_for", "Shop.link_for", "ping", "first", "no_such_name"} {
		def, err := e.Def(ctx, name)
		if def != nil {
			def.TookUS = 0
		}
		out = append(out, def, fmt.Sprint(err))
		refs, err := e.Refs(ctx, UsesOptions{Target: name})
		if refs != nil {
			refs.TookUS = 0
		}
		out = append(out, refs, fmt.Sprint(err))
	}
	_, err = e.Outline(ctx, "no/such/path")
	return append(out, fmt.Sprint(err))
}

// TestKeptAnswers: an engine answers the same with what another one kept, and
// with what is none of it.
func TestKeptAnswers(t *testing.T) {
	ix := testEngine(t, "python").ix
	want := keptAnswers(t, ix, nil)
	k := &keeper{kept: map[string][]byte{}}
	for i, spoil := range []func([]byte) []byte{
		nil, nil,
		func([]byte) []byte { return nil },
		func(b []byte) []byte { return b[:len(b)-min(1, len(b))] },
		func(b []byte) []byte { return append(slices.Clone(b), 1) },
		func([]byte) []byte { return []byte("something else altogether") },
	} {
		k.spoil = spoil
		if got := keptAnswers(t, ix, k); !reflect.DeepEqual(got, want) {
			t.Fatalf("%d: got %+v, want %+v", i, got, want)
		}
	}
	if got := slices.Sorted(maps.Keys(k.kept)); !slices.Equal(got, []string{keptClasses, keptNames, keptFiles, keptImports}) {
		t.Fatalf("kept %q", got)
	}
}

// TestKept fails when the same index comes to give other bytes. Then raise the
// number in the thing's name, or a cache goes on giving the old ones, and write
// the new sum here.
func TestKept(t *testing.T) {
	k := &keeper{kept: map[string][]byte{}}
	keptAnswers(t, keptFixture(), k)
	for name, want := range map[string]string{
		"import counts/0":  "38f85d9c2375758a",
		"file table/0":     "d14f80743b772530",
		"classes/0":        "2392619f397925a1",
		"declared names/0": "1c89d5fd7bb7b2db",
	} {
		b, ok := k.kept[name]
		if !ok {
			t.Fatalf("nothing is kept as %s", name)
		}
		if got := artifact.DigestOf(b).Hex()[:16]; got != want {
			t.Errorf("%s has the sum %s, not %s", name, got, want)
		}
	}
}

func FuzzKept(f *testing.F) {
	ix := keptFixture()
	k := &keeper{kept: map[string][]byte{}}
	keptAnswers(&testing.T{}, ix, k)
	for _, b := range k.kept {
		f.Add(b, "first")
	}
	e := New(ix, Options{})
	f.Fuzz(func(t *testing.T, b []byte, name string) {
		if c, ok := openImportCounts(b); ok {
			c.of(name)
		}
		if d, ok := openDeclaredNames(b, e.parts()); ok {
			d.of(name)
		}
		if table, ok := e.openFileTable(b); ok {
			table.find(name)
			table.withSuffix(name)
			again, ok := e.openFileTable(encodeFileTable(table.byPart(e)))
			if !ok || !reflect.DeepEqual(again.files, table.files) || !slices.Equal(again.first, table.first) {
				t.Error("a table differs when it is written and read back")
			}
		}
	})
}

// byPart returns the entries as encodeFileTable takes them.
func (t *fileTable) byPart(e *Engine) [][]fileEntry {
	parts := make([][]fileEntry, e.parts())
	for p := range parts {
		parts[p] = t.files[t.first[p]:t.first[p+1]]
	}
	return parts
}
