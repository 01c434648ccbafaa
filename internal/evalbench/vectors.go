package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/pindex-dev/pindex/embed"
)

// gathered is one commit's vectors with the questions about it, for the study
// of vector searches in internal/annbench, which reads it by these names.
type gathered struct {
	Commit string
	Dims   int
	Rows   []int8  // back to back
	Files  []int32 // the file of each row
	Asked  []asked
}

// asked is one question. Gold numbers the wanted files as Files does; -1 is one
// that the index does not have.
type asked struct {
	ID, Set, Repo string
	Query         []int8
	Gold          []int32
}

// writeVectors writes a file for each commit into the folder vectors of work. A
// commit that cannot be indexed is named and left out.
func writeVectors(ctx context.Context, groups [][]task, mirrors, work string, fresh bool) error {
	dir := filepath.Join(work, "vectors")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	failed := 0
	for _, ts := range groups {
		name := filepath.Join(dir, ts[0].Set+"-"+ts[0].Commit+".gob")
		if _, err := os.Stat(name); err == nil && !fresh {
			continue
		}
		g, err := gatherVectors(ctx, ts, mirrors, work)
		if err == nil {
			err = writeGob(name, g)
		}
		if err != nil {
			failed++
			fmt.Fprintln(os.Stderr, "FAILED", ts[0].Mirror, ts[0].Commit, err)
		}
	}
	fmt.Printf("%d commits, %d of them failed\n", len(groups), failed)
	return nil
}

func gatherVectors(ctx context.Context, ts []task, mirrors, work string) (*gathered, error) {
	e, err := engine(ctx, mirrors, ts[0].Mirror, ts[0].Commit, work)
	if err != nil {
		return nil, err
	}
	ix := e.Index()
	m := ix.Manifest().Model
	if m == nil {
		return nil, fmt.Errorf("the index has no vectors")
	}
	model, err := os.ReadFile(filepath.Join(work, "models", fmt.Sprintf("%x", m.Digest[:])))
	if err != nil {
		return nil, err
	}
	em, err := embed.OpenModel(model)
	if err != nil {
		return nil, err
	}
	g := &gathered{Commit: ts[0].Commit, Dims: em.Dims()}
	var paths []string
	for p := range ix.NumPartitions() {
		d, err := ix.Dense(p)
		if err != nil {
			return nil, err
		}
		u, err := ix.Units(p)
		if err != nil {
			return nil, err
		}
		g.Rows = append(g.Rows, d.Rows()...)
		for i := range d.Len() {
			g.Files = append(g.Files, int32(len(paths)+u.DocFile(int(d.Doc(i)))))
		}
		for f := range u.NumFiles() {
			paths = append(paths, u.Path(f))
		}
	}
	for i := range ts {
		t := &ts[i]
		a := asked{ID: t.ID, Set: t.Category, Repo: t.Repo, Query: make([]int8, em.Dims())}
		want := slices.Clone(t.Files)
		if t.Set == "semble" {
			a.Set = t.Set
			for _, x := range t.Targets {
				want = append(want, x.Path)
			}
		}
		for _, w := range want {
			a.Gold = append(a.Gold, int32(slices.IndexFunc(paths, func(p string) bool { return samePath(p, w) })))
		}
		em.EmbedQuery(t.Query, a.Query)
		g.Asked = append(g.Asked, a)
	}
	return g, nil
}
