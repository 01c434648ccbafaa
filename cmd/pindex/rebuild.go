package main

import (
	"context"
	"slices"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile"
	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/fail"
)

// remoteView returns the view of an index that no rebuild gives again.
func remoteView(m *artifact.Manifest) (artifact.View, bool) {
	info := m.Views[artifact.Dense.String()]
	return artifact.Dense, info.State == artifact.ViewReady && info.Reproducible == artifact.NotAtAll
}

// others returns the chosen views (nil: all) but one.
func others(chosen []artifact.View, but artifact.View) []artifact.View {
	if chosen == nil {
		chosen = artifact.Views
	}
	var out []artifact.View
	for _, v := range chosen {
		if v != but && v != artifact.Units {
			out = append(out, v)
		}
	}
	return out
}

// rebuildOthers compares an index with a fresh build view by view, but for one
// that cannot be built again.
func rebuildOthers(ctx context.Context, r cli.RebuildRequest, left artifact.View, o compile.Options) (*cli.Rebuilt, error) {
	if len(o.Views) == 0 {
		o.Views = []artifact.View{artifact.Source} // none would mean all
	}
	res, err := compile.Run(ctx, o)
	if err != nil {
		return nil, err
	}
	old, fresh := r.Manifest, res.Manifest
	if len(old.Partitions) != len(fresh.Partitions) {
		return nil, fail.New(fail.Verification, "compile the commit again with --replace",
			"a fresh build has %d partitions, the index %d", len(fresh.Partitions), len(old.Partitions))
	}
	for n := range old.Partitions {
		for _, v := range artifact.Views {
			a, there := old.Partitions[n].Segments[v.String()]
			if v == left || !there {
				continue
			}
			b := fresh.Partitions[n].Segments[v.String()]
			if slices.Contains(append(o.Views, artifact.Units), v) && (a.Key != b.Key || a.Digest != b.Digest) {
				what := "gives another segment"
				if a.Key != b.Key {
					what = "is under another profile, or of other files"
				}
				return nil, fail.New(fail.Verification, "do not use this index; compile the commit again with --replace",
					"a fresh build of the %s view of partition %d %s", v, n, what)
			}
		}
	}
	_, digest, err := old.Encode()
	if err != nil {
		return nil, err
	}
	return &cli.Rebuilt{Digest: digest.String(), Left: []string{left.String()}}, nil
}
