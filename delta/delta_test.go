package delta

import (
	"reflect"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
)

func key(b ...byte) artifact.Digest { return artifact.DigestOf(b) }

var allViews = []artifact.View{artifact.Units, artifact.Lexical}

// target has one partition for each list of files; theta enters the keys of
// the lexical view.
func target(theta byte, parts ...[]File) *Target {
	t := &Target{Views: allViews, Profile: artifact.Profile{Views: map[string]string{"lexical": string('0' + rune(theta))}}}
	for _, files := range parts {
		id := []byte{}
		for _, f := range files {
			id = append(id, f.Path+f.Blob...)
		}
		keys := make([]artifact.Digest, artifact.Lexical+1)
		keys[artifact.Units] = key(id...)
		keys[artifact.Lexical] = key(append(id, theta)...)
		t.Partitions = append(t.Partitions, Partition{Keys: keys, Files: files})
	}
	return t
}

func manifestOf(t *Target) *artifact.Manifest {
	m := &artifact.Manifest{Profile: t.Profile, PartitionBits: t.Bits}
	for _, p := range t.Partitions {
		info := artifact.PartitionInfo{Files: len(p.Files), Counts: &artifact.FileCounts{}, Segments: map[string]artifact.SegmentInfo{}}
		for _, v := range t.Views {
			info.Segments[v.String()] = artifact.SegmentInfo{Key: p.Keys[v]}
		}
		m.Partitions = append(m.Partitions, info)
	}
	return m
}

func TestCompare(t *testing.T) {
	a, b, c := File{"a", 1, "1"}, File{"b", 1, "2"}, File{"c", 1, "3"}
	files := func(f ...File) []File { return f }
	was := target(1, files(a, b), files(c))
	tree := files(a, b, c)
	reused0, reused1 := Step{From: 0}, Step{From: 1}
	moved := target(1, files(a, b), files(c))
	moved.Bits = 1
	moved.Partitions[0].Keys[artifact.Units] = key('k')
	for _, tc := range []struct {
		name   string
		now    *Target
		change func(*artifact.Manifest)
		gone   func(int) bool
		old    []File
		want   []Step
	}{
		{"nothing", was, nil, nil, tree, []Step{reused0, reused1}},
		{"one changed", target(1, files(a, File{"b", 1, "9"}), files(c)), nil, nil, tree,
			[]Step{{From: -1, Cause: Content, Changes: []Change{{"b", "changed"}}}, reused1}},
		{"mode", target(1, files(a, File{"b", 2, "2x"}), files(c)), nil, nil, tree,
			[]Step{{From: -1, Cause: Content, Changes: []Change{{"b", "changed"}}}, reused1}},
		{"added and removed", target(1, files(b, File{"bb", 1, "7"}), files(c)), nil, nil, tree,
			[]Step{{From: -1, Cause: Content, Changes: []Change{{"a", "removed"}, {"bb", "added"}}}, reused1}},
		{"tree not known", target(1, files(a), files(c)), nil, nil, nil, []Step{{From: -1, Cause: Content}, reused1}},
		{"a limit came", target(1, files(a), files(b), files(c)), nil, nil, tree,
			[]Step{{From: -1, Cause: Decision}, {From: -1, Cause: Decision}, reused1}},
		{"profile of a view", target(2, files(a, b), files(c)), nil, nil, tree,
			[]Step{{From: -1, Cause: Profile, Detail: "view lexical: 1 → 2"}, {From: -1, Cause: Profile, Detail: "view lexical: 1 → 2"}}},
		{"lost", was, nil, func(n int) bool { return n == 1 }, tree, []Step{reused0, {From: -1, Cause: Missing}}},
		{"k", moved, nil, nil, tree, []Step{{From: -1, Cause: Limits, Detail: "k 0 → 1"}, reused1}},
		{"a view is lacking", was, func(m *artifact.Manifest) { delete(m.Partitions[0].Segments, "lexical") }, nil, tree,
			[]Step{{From: -1, Cause: Views, Detail: "the parent has no lexical"}, reused1}},
		{"a view too many", was, func(m *artifact.Manifest) { m.Partitions[1].Segments["dense"] = artifact.SegmentInfo{} }, nil, tree,
			[]Step{reused0, {From: -1, Cause: Views, Detail: "the parent has more views"}}},
		{"an index without counts", was, func(m *artifact.Manifest) { m.Partitions[0].Counts = nil }, nil, tree,
			[]Step{{From: -1, Cause: Decision}, reused1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := manifestOf(was)
			if tc.change != nil {
				tc.change(m)
			}
			got := Compare(tc.now, m, tc.gone, tc.old)
			if !reflect.DeepEqual(got.Steps, tc.want) {
				t.Errorf("got  %+v\nwant %+v", got.Steps, tc.want)
			}
			reused := 0
			for _, s := range tc.want {
				if s.From >= 0 {
					reused++
				}
			}
			if got.Reused() != reused {
				t.Errorf("%d are reused, not %d", got.Reused(), reused)
			}
		})
	}
	for _, s := range Compare(was, nil, nil, tree).Steps {
		if s.From >= 0 || s.Cause != NoParent {
			t.Errorf("without a parent: %+v", s)
		}
	}
}
