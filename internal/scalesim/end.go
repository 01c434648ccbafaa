package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/query"
)

// crossing is what it costs to compile a commit under k + 1 on top of its own
// index under k.
type crossing struct {
	Partitions int   `json:"partitions"` // under k + 1
	Built      int   `json:"built"`
	Bytes      int64 `json:"bytes"`    // of the packs that are new
	Artifact   int64 `json:"artifact"` // bytes of all packs under k + 1
}

// end compares the last index of a run with one from nothing, and measures
// what else is asked of an index.
func end(ctx context.Context, g git.Repository, repo, commit string, k int, prev *last) (*ending, error) {
	begun := cpu()
	whole := &compile.Memory{}
	res, err := compile.Run(ctx, compile.Options{Repo: g, Rev: commit, Sink: whole, InProcess: true, PartitionBits: &k})
	if err != nil {
		return nil, err
	}
	e := &ending{
		FullCPU: (cpu() - begun).Milliseconds(), Equal: res.Digest == artifact.DigestOf(prev.Manifest),
		Views: map[string][2]int64{}, Queries: map[string][]float64{}, Packs: len(res.Manifest.Partitions),
	}
	for v, c := range res.Report.Views {
		e.Views[v] = [2]int64{c.Raw, c.Packed}
	}
	for n := range res.Manifest.Partitions {
		e.Bytes += int64(len(whole.PackBytes(n)))
	}
	if err := e.ask(ctx, whole, repo); err != nil {
		return nil, err
	}
	return e, e.cross(ctx, g, commit, res.Manifest, whole)
}

// asked is how many questions are asked by each route.
const asked = 100

// ask measures the processor time of warm questions: the subjects of commits.
func (e *ending) ask(ctx context.Context, m *compile.Memory, repo string) error {
	out, err := exec.Command("git", "-C", repo, "log", "--no-merges", "--format=%s", fmt.Sprintf("-n%d", asked), "HEAD").Output()
	if err != nil {
		return err
	}
	ix, err := m.Open()
	if err != nil {
		return err
	}
	q := query.New(ix, query.Options{Model: func(artifact.ModelInfo) ([]byte, error) { return m.Final().Model, nil }})
	for _, route := range []string{query.RouteLexical, query.RouteHybrid} {
		for pass := range 4 {
			i := 0
			for line := range strings.Lines(string(out)) {
				begun := cpu()
				if _, err := q.Search(ctx, query.SearchOptions{Query: strings.TrimSpace(line), Route: route}); err != nil {
					return err
				}
				ms := float64(cpu()-begun) / 1e6
				switch {
				case pass == 1: // the first opens what it needs
					e.Queries[route] = append(e.Queries[route], ms)
				case pass > 1:
					e.Queries[route][i] = min(e.Queries[route][i], ms)
				}
				i++
			}
		}
	}
	return nil
}

// cross compiles the commit under k + 1 on top of its index under k.
func (e *ending) cross(ctx context.Context, g git.Repository, commit string, m *artifact.Manifest, parent *compile.Memory) error {
	next := m.PartitionBits + 1
	to := &compile.Memory{Parent: parent}
	res, err := compile.Run(ctx, compile.Options{
		Repo: g, Rev: commit, Sink: to, InProcess: true, PartitionBits: &next,
		FindParent: func(context.Context, compile.Wanted) (*compile.Parent, error) {
			return &compile.Parent{Manifest: m}, nil
		},
	})
	if err != nil {
		return err
	}
	old := map[string]bool{}
	for n := range m.Partitions {
		old[string(parent.PackBytes(n))] = true
	}
	c := &crossing{Partitions: len(res.Manifest.Partitions)}
	for n := range res.Manifest.Partitions {
		b := to.PackBytes(n)
		c.Artifact += int64(len(b))
		if !old[string(b)] {
			c.Built++
			c.Bytes += int64(len(b))
		}
	}
	e.Next = c
	return nil
}
