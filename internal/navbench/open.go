package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/query"
	"github.com/pindex-dev/pindex/registry"
)

// index is a fresh index of a checkout's commit.
type index struct {
	ix     *artifact.Index
	engine *query.Engine
	load   time.Duration // opening it and answering a first question
	dir    string
}

func (x *index) close() error { return errors.Join(x.ix.Close(), os.RemoveAll(x.dir)) }

// buildIndex compiles the commit of a checkout with the pindex program into a
// store of its own and opens it. Only the views that navigation needs are
// built; flags are added to the compile.
func buildIndex(ctx context.Context, c *checkout, flags []string) (*index, error) {
	dir, err := os.MkdirTemp("", "navbench-")
	if err != nil {
		return nil, err
	}
	x, err := compileInto(ctx, c, flags, dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return x, nil
}

func compileInto(ctx context.Context, c *checkout, flags []string, dir string) (*index, error) {
	layout := filepath.Join(dir, "store")
	args := append([]string{"compile", c.commit, "--repo", c.dir, "--store", layout, "--views", "source,structural", "--json", "--quiet"}, flags...)
	cmd := exec.CommandContext(ctx, program(), args...)
	cmd.Env = append(os.Environ(), "PINDEX_CACHE_DIR="+filepath.Join(dir, "cache"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s compile of %s: %w", program(), c.dir, err)
	}
	var ans struct{ Commit, Digest string }
	if err := json.Unmarshal(out, &ans); err != nil {
		return nil, err
	}
	digest, err := artifact.ParseDigest(ans.Digest)
	if err != nil {
		return nil, err
	}
	store, err := registry.OpenLocal(layout)
	if err != nil {
		return nil, err
	}
	tags, err := store.List(ctx)
	if err != nil {
		return nil, err
	}
	opt := fetch.OpenOptions{Index: digest}
	for _, t := range tags {
		tag, ok := registry.ParseTag(t.Tag)
		if !ok || tag.Report || tag.Commit != c.commit || tag.Profile == "" {
			continue
		}
		_, conf, err := registry.ReadArtifact(ctx, store, t.Tag)
		if err != nil {
			return nil, err
		}
		opt.Profile = conf.Profile
	}
	begun := time.Now()
	ix, err := fetch.Open(ctx, store, fetch.OpenCache(filepath.Join(dir, "read")), c.commit, opt)
	if err != nil {
		return nil, err
	}
	x := &index{ix: ix, engine: query.New(ix, query.Options{Workers: 1}), dir: dir}
	// The first question reads the tables that all later ones use.
	_, _ = x.engine.Def(ctx, "navbench_no_such_name")
	x.load = time.Since(begun)
	return x, nil
}
