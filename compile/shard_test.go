package compile

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/internal/fail"
)

// sealed joins shards as a store has them and compiles the result.
func sealed(tr tree, sinks []*Memory, records [][]byte, orders [][]int) (*Memory, error) {
	sink := &Memory{Parent: &Memory{}}
	o := Options{Repo: newTreeRepo(tr, "a commit"), Sink: sink, InProcess: true, Workers: 1, Complete: true, Embedder: embed.NewHashed()}
	o.FindParent = func(_ context.Context, w Wanted) (*Parent, error) {
		var shards []SealedShard
		for i, r := range records {
			shards = append(shards, SealedShard{Shard{i + 1, len(records)}, r, len(orders[i])})
		}
		j, err := Join(w.Commit, w.Profile, w.PartitionBits, shards)
		if err != nil {
			return nil, err
		}
		for n, from := range j.From {
			if err := sink.Parent.Pack(context.Background(), n, sinks[from[0]].PackBytes(orders[from[0]][from[1]]), nil); err != nil {
				return nil, err
			}
		}
		return j.Parent, nil
	}
	_, err := Run(context.Background(), o)
	return sink, err
}

func shardsOf(t *testing.T, tr tree, of int, parent *Memory) (sinks []*Memory, records [][]byte, orders [][]int) {
	t.Helper()
	for n := 1; n <= of; n++ {
		sink := &Memory{Parent: parent}
		o := Options{Repo: newTreeRepo(tr, "a commit"), Sink: sink, InProcess: true, Workers: 1, Embedder: embed.NewHashed()}
		if parent != nil {
			o.FindParent = func(context.Context, Wanted) (*Parent, error) { return &Parent{Manifest: parent.Final().Manifest}, nil }
		}
		r, err := RunShard(context.Background(), o, Shard{n, of})
		if err != nil {
			t.Fatal(err)
		}
		if sink.Final() != nil {
			t.Fatal("a shard was published as an index")
		}
		sinks, records, orders = append(sinks, sink), append(records, r.Record), append(orders, r.Partitions)
	}
	return sinks, records, orders
}

// TestShardsEqualOneMachine joins shards of random trees, with and without an
// index to take over from: the index is the one that one machine makes.
func TestShardsEqualOneMachine(t *testing.T) {
	var before *Memory
	for seed := range uint64(8) {
		g := &generator{rand.New(rand.NewPCG(seed, 5))}
		tr := g.tree(1 + g.IntN(40))
		whole, err := buildOn(tr, nil)
		if err != nil {
			t.Fatal(err)
		}
		of := 1 + g.IntN(5)
		sinks, records, orders := shardsOf(t, tr, of, before)
		got, err := sealed(tr, sinks, records, orders)
		if err != nil {
			t.Fatal(err)
		}
		if got.Final().Digest != whole.Final().Digest {
			t.Errorf("seed %d: %d shards give another index", seed, of)
		}
		before = whole
	}
}

// TestBadShards refuses shards that are missing, stale, or not what they say.
func TestBadShards(t *testing.T) {
	tr := tree{}
	for i := range 30 {
		tr[fmt.Sprintf("f%02d.py", i)] = text(fmt.Sprintf("x = %d\n", i))
	}
	sinks, records, orders := shardsOf(t, tr, 2, nil)
	swap := func(i int, old, now string) [][]byte {
		out := [][]byte{records[0], records[1]}
		out[i] = []byte(strings.Replace(string(out[i]), old, now, 1))
		if string(out[i]) == string(records[i]) {
			t.Fatalf("%q is not in the record", old)
		}
		return out
	}
	other := maps.Clone(tr)
	other["f03.py"] = text("y = 3\n")
	_, stale, _ := shardsOf(t, other, 2, nil)
	for name, c := range map[string]struct {
		records [][]byte
		say     string
	}{
		"not JSON":          {[][]byte{[]byte("{"), records[1]}, "its record"},
		"another schema":    {swap(0, "pindex.shard/0", "pindex.shard/9"), "schema"},
		"another commit":    {stale, "another commit"},
		"another number":    {swap(1, `"number":2`, `"number":1`), "says it is shard 1"},
		"twice":             {[][]byte{records[0], []byte(strings.Replace(string(records[0]), `"number":1`, `"number":2`, 1))}, ""},
		"huge":              {swap(0, `"partitions":30`, `"partitions":2000000000`), "counts 2000000000"},
		"another key":       {swap(0, `"key":"`, `"key":"00`), ""},
		"less than nothing": {swap(0, `"size":`, `"size":-`), "make no index"},
		"other partition":   {swap(0, `"partition":`, `"partition":9`), ""},
	} {
		if _, err := sealed(tr, sinks, c.records, orders); err == nil || fail.CodeOf(err) != fail.Verification || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, s := range []Shard{{0, 2}, {3, 2}, {1, 0}, {1, MaxShards + 1}} {
		if _, err := RunShard(context.Background(), Options{Repo: newTreeRepo(tr, ""), Sink: &Memory{}, InProcess: true}, s); fail.CodeOf(err) != fail.Usage {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
