package compile

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// Shard names one machine's part of a distributed compile.
type Shard struct {
	Number int // 1 to Of
	Of     int
}

// MaxShards bounds the shards of one compile.
const MaxShards = 1024

func (s *Shard) check() error {
	if s.Of < 1 || s.Of > MaxShards || s.Number < 1 || s.Number > s.Of {
		return fail.New(fail.Usage, fmt.Sprintf("give I/N with I from 1 to N and N up to %d, such as 2/8", MaxShards), "there is no shard %d/%d", s.Number, s.Of)
	}
	return nil
}

// holds reports whether a partition is this shard's. It hangs on the path of
// the partition's first file, so that a commit that changes little gives each
// machine the partitions that it had before.
func (s *Shard) holds(first string) bool {
	sum := sha256.Sum256([]byte("pindex shard\x00" + first))
	return int(binary.BigEndian.Uint64(sum[:8])%uint64(s.Of)) == s.Number-1
}

const shardSchema = "pindex.shard/0"

// shardRecord says what a shard's packs are. Packs and parts have one order.
type shardRecord struct {
	Schema     string      `json:"schema"`
	Commit     string      `json:"commit"`
	Profile    string      `json:"profile"`
	Number     int         `json:"number"`
	Of         int         `json:"of"`
	Partitions int         `json:"partitions"` // of the whole commit
	Failed     []string    `json:"failed"`     // views that this shard could not build
	Parts      []shardPart `json:"parts"`
}

type shardPart struct {
	Partition int                    `json:"partition"`
	Info      artifact.PartitionInfo `json:"info"`
}

// ShardResult is what a shard's compile made. Nothing is published yet.
type ShardResult struct {
	Commit     gitobj.ID
	Profile    artifact.Digest
	Record     []byte // for Seal
	Partitions []int  // those that the sink got a pack of, ascending, as in Record
	Report     *Report
}

// RunShard builds the partitions of one shard. The sink's Publish is not
// called.
func RunShard(ctx context.Context, o Options, s Shard) (*ShardResult, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	r, err := newRun(&o)
	if err != nil {
		return nil, err
	}
	r.shard = &s
	defer r.close()
	if err := r.make(ctx); err != nil {
		return nil, r.interrupted(ctx, err)
	}
	rec := shardRecord{
		Schema: shardSchema, Commit: r.plan.commit.ID.String(), Profile: r.plan.profile.Digest.String(),
		Number: s.Number, Of: s.Of, Partitions: r.plan.partitions(), Failed: []string{}, Parts: []shardPart{},
	}
	for _, v := range slices.Sorted(maps.Keys(r.failures)) {
		rec.Failed = append(rec.Failed, v.String())
	}
	out := &ShardResult{Commit: r.plan.commit.ID, Profile: r.plan.profile.Digest}
	for n, part := range r.parts {
		if part != nil {
			rec.Parts = append(rec.Parts, shardPart{n, r.plan.info(n, part)})
			out.Partitions = append(out.Partitions, n)
		}
	}
	if out.Record, err = json.Marshal(rec); err != nil {
		return nil, err
	}
	out.Report = r.report(&artifact.Manifest{Commit: rec.Commit, Profile: r.plan.profile, Files: len(r.plan.entries)}, artifact.Digest{})
	return out, nil
}

// SealedShard is a shard as a store has it.
type SealedShard struct {
	Shard
	Record []byte
	Packs  int
}

// Joined is what shards are when they are put together.
type Joined struct {
	// Parent has every partition of the commit. It is no index: it has not
	// been published under any name.
	Parent *Parent
	// From says where the pack of each of Parent's partitions is: which of the
	// given shards, and which of its packs.
	From [][2]int
	// Failed are views that some shard could not build. The index has none of
	// them, so everything has to be built again without.
	Failed []string
}

// Join checks that shards cover every partition of a commit exactly once, each
// the partitions that are its own, and puts them together. What they say of
// their packs is compared with the plan when the result is compiled.
func Join(commit gitobj.ID, profile artifact.Profile, bits int, shards []SealedShard) (*Joined, error) {
	type found struct {
		info  artifact.PartitionInfo
		from  [2]int
		taken bool
	}
	var all []found
	failed := map[string]bool{}
	for i, s := range shards {
		var rec shardRecord
		wrong := func(format string, args ...any) error {
			return fail.Wrap(fail.Verification, fmt.Errorf(format, args...), "compile that shard again", "shard %d of %d cannot be used", s.Number, s.Of)
		}
		if err := json.Unmarshal(s.Record, &rec); err != nil {
			return nil, wrong("its record: %w", err)
		}
		switch {
		case rec.Schema != shardSchema:
			return nil, wrong("its record has schema %.80q", rec.Schema)
		case rec.Commit != commit.String() || rec.Profile != profile.Digest.String():
			return nil, wrong("it is of another commit or profile")
		case rec.Number != s.Number || rec.Of != s.Of:
			return nil, wrong("it says it is shard %d of %d", rec.Number, rec.Of)
		case rec.Partitions < 0 || rec.Partitions > maxShardedPartitions || all != nil && rec.Partitions != len(all):
			return nil, wrong("it counts %d partitions", rec.Partitions)
		case len(rec.Parts) != s.Packs:
			return nil, wrong("it has %d packs for %d partitions", s.Packs, len(rec.Parts))
		}
		if all == nil {
			all = make([]found, rec.Partitions)
		}
		for _, v := range rec.Failed {
			failed[v] = true
		}
		for k, p := range rec.Parts {
			if p.Partition < 0 || p.Partition >= len(all) || all[p.Partition].taken {
				return nil, wrong("it has partition %d, which is no partition or another shard's", p.Partition)
			}
			all[p.Partition] = found{p.Info, [2]int{i, k}, true}
		}
	}
	out := &Joined{Failed: slices.Sorted(maps.Keys(failed))}
	m := &artifact.Manifest{Commit: commit.String(), Profile: profile, PartitionBits: bits}
	for n, f := range all {
		if !f.taken {
			return nil, fail.New(fail.Verification, "compile every shard of this commit with the same settings", "no shard has partition %d of %d", n, len(all))
		}
		m.Partitions = append(m.Partitions, f.info)
		out.From = append(out.From, f.from)
	}
	out.Parent = &Parent{Manifest: m}
	return out, nil
}

// maxShardedPartitions bounds what a record may claim.
const maxShardedPartitions = 1 << 20

// staleShards is what to do about shards that cannot be joined.
const staleShards = "compile every shard of this commit anew, with this version and the same settings"

// incomplete explains partitions that a compile was told to find whole in its
// parent.
func (r *run) incomplete(todo []int) error {
	slices.SortFunc(todo, cmp.Compare[int])
	first := r.plan.entries[r.plan.starts[todo[0]]].Path
	return fail.New(fail.Verification, staleShards,
		"%d of %d partitions are in no shard as they would be built, the first at %q: a shard is stale", len(todo), r.plan.partitions(), first)
}
