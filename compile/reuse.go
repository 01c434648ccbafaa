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
	return o.FindParent(ctx, Wanted{Commit: p.commit.ID, Profile: p.profile, DefaultProfile: p.isDefault})
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

// reuse takes over what it can from the parent and returns the partitions that
// are left to build, in order.
func (r *run) reuse(ctx context.Context) (todo []int, err error) {
	all := make([]int, r.plan.partitions())
	for i := range all {
		all[i] = i
	}
	if r.parent, err = r.plan.findParent(ctx, r.o); err != nil || r.parent == nil {
		return all, err
	}
	parent := r.parent.Manifest
	steps := delta.Compare(r.plan.target(), parent, r.parent.Gone, nil).Steps
	for n, s := range steps {
		taken := false
		if s.From >= 0 {
			if taken, err = r.o.Sink.Reuse(ctx, n, s.From); err != nil {
				return nil, err
			}
		}
		if !taken {
			todo = append(todo, n)
			continue
		}
		info := &parent.Partitions[s.From]
		p := &part{
			views: slices.Clone(r.plan.views), segments: map[artifact.View]segmentSum{},
			counts: info.Counts, units: info.Units, docs: info.Docs, reused: true,
		}
		for _, v := range r.plan.views {
			seg := info.Segments[v.String()]
			p.segments[v] = segmentSum{digest: seg.Digest, size: seg.Size}
		}
		if files := r.plan.starts[n+1] - r.plan.starts[n]; files != info.Files {
			return nil, fail.New(fail.Verification, "compile with --parent none",
				"the index of %s counts %d files in a partition of %d", parent.Commit, info.Files, files)
		}
		r.parts[n] = p
		r.tell.files(info.Files)
	}
	return todo, nil
}
