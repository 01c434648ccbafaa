package compile

import (
	"context"
	"slices"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/delta"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// Plan says what a compile with these options would do, and does none of it.
// The sink may be nil.
func Plan(ctx context.Context, o Options) (*Preview, error) {
	if err := o.normalize(); err != nil {
		return nil, err
	}
	p, err := makePlan(ctx, &o)
	if err != nil {
		return nil, err
	}
	defer p.close()
	target := p.target()
	pre := &Preview{Commit: p.commit.ID, Profile: p.profile, Views: p.views, DefaultProfile: p.isDefault}
	for _, part := range target.Partitions {
		pre.Files = append(pre.Files, len(part.Files))
		pre.First = append(pre.First, part.Files[0].Path)
	}
	parent, err := p.findParent(ctx, &o)
	if err != nil {
		return nil, err
	}
	var old *artifact.Manifest
	var gone func(int) bool
	if parent != nil {
		old, gone, pre.Parent = parent.Manifest, parent.Gone, parent.Manifest.Commit
	}
	pre.Plan = delta.Compare(target, old, gone, oldTree(ctx, o.Repo, old))
	return pre, nil
}

// Preview is what Plan finds out.
type Preview struct {
	Commit         gitobj.ID
	Profile        artifact.Profile
	DefaultProfile bool // see Final
	Views          []artifact.View
	Parent         string // the parent's commit; "" for none
	Plan           *delta.Plan
	Files          []int    // by partition
	First          []string // path of each partition's first file
}

func (p *plan) findParent(ctx context.Context, o *Options) (*Parent, error) {
	if o.FindParent == nil {
		return nil, nil
	}
	return o.FindParent(ctx, Wanted{Commit: p.commit.ID, Profile: p.profile, DefaultProfile: p.isDefault, PartitionBits: p.bits})
}

// target describes the plan to package delta.
func (p *plan) target() *delta.Target {
	t := &delta.Target{Profile: p.profile, Views: p.views, Bits: p.bits, Partitions: make([]delta.Partition, p.partitions())}
	for n := range t.Partitions {
		t.Partitions[n] = delta.Partition{Keys: p.keys[n], Files: treeFiles(p.entries[p.starts[n]:p.starts[n+1]])}
	}
	return t
}

func treeFiles(entries []git.Entry) []delta.File {
	out := make([]delta.File, len(entries))
	for i, e := range entries {
		out[i] = delta.File{Path: e.Path, Mode: e.Mode, Blob: string(e.ID.Bytes())}
	}
	return out
}

// oldTree lists the parent's tree. A shallow clone may lack it; only reasons
// depend on it.
func oldTree(ctx context.Context, repo git.Repository, parent *artifact.Manifest) []delta.File {
	if parent == nil {
		return nil
	}
	id, err := gitobj.ParseID(parent.Commit)
	if err != nil {
		return nil
	}
	entries, err := repo.Tree(ctx, id)
	if err != nil {
		return nil
	}
	return treeFiles(entries)
}

// reuse takes over what it can, from the parent and from the packs that are
// known, and returns the partitions that are left to build, in order.
func (r *run) reuse(ctx context.Context) (todo []int, err error) {
	if r.parent, err = r.plan.findParent(ctx, r.o); err != nil {
		return nil, err
	}
	steps := make([]delta.Step, r.plan.partitions())
	if r.parent != nil {
		steps = delta.Compare(r.plan.target(), r.parent.Manifest, r.parent.Gone, nil).Steps
	} else {
		for n := range steps {
			steps[n].From = -1
		}
	}
	for n, s := range steps {
		if r.shard != nil && !r.shard.holds(r.plan.entries[r.plan.starts[n]].Path) {
			continue
		}
		taken := false
		if s.From >= 0 {
			if taken, err = r.takeOver(ctx, n, s.From); err != nil {
				return nil, err
			}
		}
		if !taken && r.o.Known != nil {
			if taken, err = r.useKnown(ctx, n); err != nil {
				return nil, err
			}
		}
		if !taken {
			todo = append(todo, n)
			continue
		}
		r.tell.files(r.plan.starts[n+1] - r.plan.starts[n])
	}
	return todo, nil
}

// takeOver takes over partition from of the parent as partition n.
func (r *run) takeOver(ctx context.Context, n, from int) (bool, error) {
	taken, err := r.o.Sink.Reuse(ctx, n, from)
	if err != nil || !taken {
		return false, err
	}
	info := &r.parent.Manifest.Partitions[from]
	if files := r.plan.starts[n+1] - r.plan.starts[n]; files != info.Files {
		return false, fail.New(fail.Verification, "compile with --parent none",
			"the index of %s counts %d files in a partition of %d", r.parent.Manifest.Commit, info.Files, files)
	}
	p := &part{
		views: slices.Clone(r.plan.views), segments: map[artifact.View]segmentSum{},
		counts: info.Counts, units: info.Units, docs: info.Docs, reused: true,
	}
	for _, v := range r.plan.views {
		seg := info.Segments[v.String()]
		p.segments[v] = segmentSum{digest: seg.Digest, size: seg.Size}
	}
	r.parts[n] = p
	if r.taken == nil {
		r.taken = map[int]bool{}
	}
	r.taken[from] = true
	return true, nil
}

// packKey is what partition n's pack is known under: the digest of the keys of
// all its segments.
func (p *plan) packKey(n int) artifact.Digest {
	var b []byte
	for _, v := range p.views {
		b = append(b, byte(v))
		b = append(b, p.keys[n][v][:]...)
	}
	return artifact.DigestOf(b)
}

// useKnown uses a pack that was built before. One that is not what its key
// says is none.
func (r *run) useKnown(ctx context.Context, n int) (bool, error) {
	b := r.o.Known.Find(r.plan.packKey(n))
	if b == nil {
		return false, nil
	}
	segments, p := r.plan.readPack(n, b)
	if p == nil {
		return false, nil
	}
	r.parts[n] = p
	return true, r.o.Sink.Pack(ctx, n, b, segments)
}

// readPack reads partition n's pack; the part is nil when it is another's, or
// damaged.
func (p *plan) readPack(n int, b []byte) ([]artifact.PackSegment, *part) {
	pack, err := artifact.OpenPack(b)
	if err != nil || len(pack.Entries()) != len(p.views) {
		return nil, nil
	}
	out := &part{views: slices.Clone(p.views), segments: map[artifact.View]segmentSum{}, reused: true}
	var segments []artifact.PackSegment
	for i, e := range pack.Entries() {
		seg, err := pack.Segment(e.View)
		if err != nil || e.View != p.views[i] {
			return nil, nil
		}
		key, err := artifact.SegmentKeyOf(seg)
		if err != nil || key != p.keys[n][e.View] {
			return nil, nil
		}
		out.segments[e.View] = segmentSum{digest: e.Digest, size: e.RawLength, packed: e.Length}
		segments = append(segments, artifact.PackSegment{View: e.View, Digest: e.Digest, Bytes: seg})
	}
	u, err := artifact.OpenUnits(segments[0].Bytes) // the units come first
	if err != nil || u.NumFiles() != p.starts[n+1]-p.starts[n] {
		return nil, nil
	}
	files := make([]builtFile, u.NumFiles())
	for f := range files {
		files[f] = builtFile{lang: u.Lang(f), skip: u.Skip(f), degraded: u.Degraded(f)}
	}
	out.files, out.counts, out.units, out.docs = files, p.count(n, files), u.NumUnits(), u.NumDocs()
	return segments, out
}
