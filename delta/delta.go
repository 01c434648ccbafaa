// Package delta compares what an index is to be made of with an index that is
// there already, and says which partitions can be taken over as they are and
// why the others must be built.
//
// A segment's key covers everything that its bytes depend on, so equal keys
// mean equal bytes: what is taken over equals what would have been built. A
// partition is taken over whole or not at all, because its segments travel in
// one pack.
package delta

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// Target is what an index is to be made of.
type Target struct {
	Profile    artifact.Profile
	Views      []artifact.View // to be built, the units included
	Bits       int             // of the partition rule
	Partitions []Partition
}

// Partition is one partition of a target.
type Partition struct {
	// Keys are the segment keys, by view number; only those of Target.Views
	// are looked at.
	Keys []artifact.Digest
	// Files are the partition's tree entries in path order.
	Files []File
}

// File is a tree entry as far as it matters here.
type File struct {
	Path string
	Mode uint32
	Blob string // object id, raw or hexadecimal, in one form throughout
}

// Cause says why a partition is built.
type Cause string

// The causes, from what is looked at first.
const (
	NoParent Cause = "no parent"           // there is no index to compare with
	Missing  Cause = "missing in registry" // the parent's pack is gone
	Content  Cause = "files"               // its files changed
	Profile  Cause = "profile changed"     // θ changed for a view or a language in it
	Decision Cause = "decision changed"    // .pindex.yaml treats a file in another way
	Limits   Cause = "limits moved"        // files moved in or out as limits or k changed
	Views    Cause = "views"               // the parent lacks a view, or has one more
)

// Change is one changed file.
type Change struct {
	Path string
	Kind string // "changed", "added" or "removed"
}

// Step is what happens to one partition.
type Step struct {
	From    int      // the parent's partition that is taken over; -1 when it is built
	Cause   Cause    // why it is built; "" when it is not
	Detail  string   // more about the cause, for people; may be empty
	Changes []Change // of Content, in path order; empty when the parent's tree is not known
}

// Plan is the outcome: one step for each partition of the target.
type Plan struct {
	Steps []Step
}

// Reused counts the partitions that are taken over.
func (p *Plan) Reused() int {
	n := 0
	for _, s := range p.Steps {
		if s.From >= 0 {
			n++
		}
	}
	return n
}

// Compare makes the plan. parent may be nil. gone, which may be nil, reports
// parent's partitions whose packs cannot be had any more. old is the parent's
// tree in path order where it is known, else nil: it serves the reasons alone
// and decides nothing.
func Compare(t *Target, parent *artifact.Manifest, gone func(partition int) bool, old []File) *Plan {
	p := &Plan{Steps: make([]Step, len(t.Partitions))}
	if parent == nil {
		for i := range p.Steps {
			p.Steps[i] = Step{From: -1, Cause: NoParent}
		}
		return p
	}
	byKey := make(map[artifact.Digest]int, len(parent.Partitions))
	for i := range parent.Partitions {
		if parent.Partitions[i].Counts != nil {
			byKey[parent.Partitions[i].Segments[artifact.Units.String()].Key] = i
		}
	}
	r := newReasons(t, parent, old)
	for i := range t.Partitions {
		from, ok := byKey[t.Partitions[i].Keys[artifact.Units]]
		switch {
		case !ok:
			p.Steps[i] = r.changed(i)
		case !t.same(i, parent.Partitions[from].Segments):
			p.Steps[i] = r.otherViews(i, parent.Partitions[from].Segments)
		case gone != nil && gone(from):
			p.Steps[i] = Step{From: -1, Cause: Missing}
		default:
			p.Steps[i] = Step{From: from}
		}
	}
	return p
}

// same reports whether partition i has the very segments.
func (t *Target) same(i int, have map[string]artifact.SegmentInfo) bool {
	for _, v := range t.Views {
		if s, ok := have[v.String()]; !ok || s.Key != t.Partitions[i].Keys[v] {
			return false
		}
	}
	return len(have) == len(t.Views)
}

// reasons finds out why partitions differ.
type reasons struct {
	t       *Target
	profile map[string]string // "view lexical" -> "1 → 2"
	limits  string
	old     map[string]File
	sorted  []File
}

func newReasons(t *Target, parent *artifact.Manifest, old []File) *reasons {
	r := &reasons{t: t, profile: map[string]string{}, sorted: old}
	for _, table := range []struct {
		what     string
		old, now map[string]string
	}{
		{"view", parent.Profile.Views, t.Profile.Views},
		{"language", parent.Profile.Languages, t.Profile.Languages},
		{"option", parent.Profile.Options, t.Profile.Options},
	} {
		names := maps.Clone(table.now)
		if names == nil {
			names = map[string]string{}
		}
		maps.Copy(names, table.old)
		for name := range names {
			if was, is := table.old[name], table.now[name]; was != is {
				r.profile[table.what+" "+name] = fmt.Sprintf("%s → %s", orNone(was), orNone(is))
			}
		}
	}
	if parent.PartitionBits != t.Bits {
		r.limits = fmt.Sprintf("k %d → %d", parent.PartitionBits, t.Bits)
	}
	if old != nil {
		r.old = make(map[string]File, len(old))
		for _, f := range old {
			r.old[f.Path] = f
		}
	}
	return r
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// changed explains a partition that the parent has in no form.
func (r *reasons) changed(i int) Step {
	s := Step{From: -1, Cause: Content, Changes: r.changes(i)}
	switch {
	case len(s.Changes) > 0:
		return s
	case r.limits != "":
		return Step{From: -1, Cause: Limits, Detail: r.limits}
	case len(r.profile) > 0:
		return Step{From: -1, Cause: Profile, Detail: r.what("")}
	case r.old == nil:
		return s
	}
	// Every file is as it was. Either a neighbour's limit went or came, or the
	// commit's own settings treat a file differently.
	if r.neighbours(i) {
		return Step{From: -1, Cause: Limits}
	}
	return Step{From: -1, Cause: Decision}
}

// otherViews explains a partition whose files are as they were.
func (r *reasons) otherViews(i int, have map[string]artifact.SegmentInfo) Step {
	var differ, lacking []string
	for _, v := range r.t.Views {
		s, ok := have[v.String()]
		switch {
		case !ok:
			lacking = append(lacking, v.String())
		case s.Key != r.t.Partitions[i].Keys[v]:
			differ = append(differ, v.String())
		}
	}
	if len(differ) > 0 {
		return Step{From: -1, Cause: Profile, Detail: r.what(differ[0])}
	}
	if len(lacking) > 0 {
		return Step{From: -1, Cause: Views, Detail: "the parent has no " + strings.Join(lacking, ", ")}
	}
	return Step{From: -1, Cause: Views, Detail: "the parent has more views"}
}

// what names what changed in the profile: that of a view when there is such a
// change, else all of it.
func (r *reasons) what(view string) string {
	if d, ok := r.profile["view "+view]; ok {
		return "view " + view + ": " + d
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(r.profile)) {
		out = append(out, name+": "+r.profile[name])
	}
	return strings.Join(out, "; ")
}

// changes compares partition i with the old tree. What was removed counts for
// the partition in whose range of paths it stood.
func (r *reasons) changes(i int) []Change {
	if r.old == nil {
		return nil
	}
	var out []Change
	files := r.t.Partitions[i].Files
	here := make(map[string]bool, len(files))
	for _, f := range files {
		here[f.Path] = true
		switch was, ok := r.old[f.Path]; {
		case !ok:
			out = append(out, Change{f.Path, "added"})
		case was != f:
			out = append(out, Change{f.Path, "changed"})
		}
	}
	lo, hi := r.span(i)
	for _, f := range r.sorted[lo:hi] {
		if !here[f.Path] {
			out = append(out, Change{f.Path, "removed"})
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// span returns the old entries that stand in the range of paths of partition
// i: from its first path, or the very beginning, up to the next one's first.
func (r *reasons) span(i int) (lo, hi int) {
	at := func(path string) int {
		n, _ := slices.BinarySearchFunc(r.sorted, path, func(f File, path string) int { return strings.Compare(f.Path, path) })
		return n
	}
	if i > 0 {
		lo = at(r.t.Partitions[i].Files[0].Path)
	}
	hi = len(r.sorted)
	if i+1 < len(r.t.Partitions) {
		hi = at(r.t.Partitions[i+1].Files[0].Path)
	}
	return lo, hi
}

// neighbours reports whether the partition before or after has a change that
// can have moved the limit between them.
func (r *reasons) neighbours(i int) bool {
	for _, n := range []int{i - 1, i + 1} {
		if n < 0 || n >= len(r.t.Partitions) {
			continue
		}
		for _, c := range r.changes(n) {
			if c.Kind != "changed" {
				return true
			}
		}
	}
	return false
}
